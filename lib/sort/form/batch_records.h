/* SPDX-License-Identifier: MIT */
/*
 * batch_records: what one thread makes of a batch of input before there is room for it in
 * a chunk: records, each with its string, and where they begin.
 *
 *      lines --> line_sieve, if there is one --> strings --> records, elements
 *
 * A maker is read-only and all threads'; what it fills is one thread's, and is filled as
 * often as wanted.
 */
#ifndef GS_LIB_SORT_FORM_BATCH_RECORDS_H
#define GS_LIB_SORT_FORM_BATCH_RECORDS_H

#include "lib/base/mem.h"
#include "lib/sort/form/former.h"

typedef struct gs_record_maker {
    const gs_forming *forming; /* borrowed */
    gs_record_layout layout;   /* as there */
    const uint8_t *limit;      /* --top: strings above it are dropped; NULL: none are */
    size_t limit_bytes;
    uint64_t limit_prefix;
} gs_record_maker;

/* Zeroed at first; released at the end. */
typedef struct gs_batch_records {
    GS_MEM_APART uint8_t *records; /* one after the other */
    size_t record_bytes, record_capacity;
    gs_element *elements; /* their offsets count from the start of `records` */
    size_t element_count, element_capacity;
    uint64_t line_count; /* of the batch, whether there are records of them or not */
    uint64_t left_out;   /* of these, lines without a key, which is no error */
    bool has_bad;        /* a line has no key, which is one: */
    uint64_t bad_line;   /* this one, from 1; nothing is made of what comes behind it */
    size_t bad_at;       /* it begins at this byte */
    gs_sieve_line waiting[GS_SIEVE_LINES]; /* for the sieve */
    size_t waiting_count;
} gs_batch_records;

/* Makes the records of a batch, in place of those before. Of tables and JSON a line
 * without a key is a failure; of others has_bad tells. */
GS_MUST_CHECK gs_code gs_batch_records_make(const gs_record_maker *maker,
                                            gs_batch_records *b,
                                            const gs_line_batch *batch, gs_status *st);
/* What only a very long batch needed is given back. */
void gs_batch_records_trim(gs_batch_records *b, size_t batch_bytes);
void gs_batch_records_release(gs_batch_records *b);

/* What makes the strings of an input; NULL: lines are their own strings. */
static inline const gs_key_encoder *gs_record_maker_encoder(const gs_record_maker *maker,
                                                            size_t input_index)
{
    return maker->forming->input_encoders != NULL
               ? maker->forming->input_encoders[input_index]
               : maker->forming->encoder;
}

#endif
