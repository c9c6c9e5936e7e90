/* SPDX-License-Identifier: MIT */
/*
 * value_batch: the values of a batch of records: numbers as keys, or texts.
 *
 * Call order: init, then for each batch parse; release. One thread a
 * gs_value_batch; the options are read-only.
 *
 * A record that has no such field, or no number in it, is bad. The first one of a batch
 * is kept, so that it can be named once it is known how many lines came before. So is the
 * place where a table is broken: what comes behind it in the batch is no record.
 */
#ifndef GS_LIB_STREAM_VALUE_BATCH_H
#define GS_LIB_STREAM_VALUE_BATCH_H

#include "lib/sort/record/records.h"
#include "lib/stream/column.h"
#include "lib/stream/number_text.h"

enum { GS_VALUE_COLUMNS_MAX = 2 };

typedef struct gs_value_options {
    gs_number_type type;
    bool is_text;   /* whatever there is; of binary numbers, these as texts */
    bool is_record; /* the text is the whole record, quotes and all */
    /* Of texts: is it one that is asked for? NULL: all are. And what that is called. */
    bool (*is_good)(const uint8_t *text, size_t bytes);
    const char *good_name;
    /* The second column has times, and gives seconds, of GS_NUMBER_F64: in pairs with
     * numbers, and of texts as the only keys. */
    bool has_times;
    bool is_binary;
    bool has_header;
    bool skips_bad;
    gs_column_format format;
    gs_column columns[GS_VALUE_COLUMNS_MAX]; /* by number: value_headers.h */
    size_t column_count;
} gs_value_options;

typedef enum gs_bad_value {
    GS_BAD_NONE,
    GS_BAD_NUMBER, /* it is none, or no good text */
    GS_BAD_FIELD,  /* there is none */
} gs_bad_value;

typedef struct gs_value_batch {
    uint64_t *keys; /* column_count for each record; of texts their times, if there are */
    size_t count;   /* of records that are good */
    size_t capacity;
    uint8_t *texts; /* one behind the other: text i ends at ends[i] */
    size_t text_bytes, text_capacity;
    uint32_t *ends;
    size_t end_capacity;
    uint64_t lines; /* ends of lines in the batch */
    uint64_t bad_count;
    gs_bad_value bad;                   /* the first one, */
    size_t bad_at, bad_bytes;           /* its record, */
    size_t bad_column;                  /* and which column it was */
    const char *why;                    /* the table is broken; NULL: it is not */
    size_t broken_record_at, broken_at; /* in the batch: where that record begins, and it
                                           breaks */
    gs_column_room room;
} gs_value_batch;

void gs_value_batch_release(gs_value_batch *v);

/* Size of a binary record; 0 for text. */
static inline size_t gs_value_record_size(const gs_value_options *o)
{
    return o->is_binary ? o->column_count * gs_number_type_bytes(o->type) : 0;
}

/* All numbers or texts of the batch. */
GS_MUST_CHECK gs_code gs_value_batch_parse(gs_value_batch *v, const gs_value_options *o,
                                           const gs_line_batch *batch, gs_status *st);

/* The records of a batch of text, one after the other. */
typedef struct gs_value_iter {
    const gs_line_batch *batch;
    bool is_csv;
    size_t at;       /* of lines: what comes next */
    gs_csv_iter csv; /* of a table, behind a mark */
    const uint8_t *record;
    size_t bytes;
    const char *why; /* in the end: what is wrong with the table from csv.rest on */
} gs_value_iter;
/* Stands before the first record, a header or not; or before the first that is none. */
gs_value_iter gs_value_iter_all(const gs_value_options *o, const gs_line_batch *batch);
gs_value_iter gs_value_iter_begin(const gs_value_options *o, const gs_line_batch *batch);
bool gs_value_iter_next(gs_value_iter *it);

/* Where the stream stands: for messages. */
typedef struct gs_value_place {
    size_t input_index;
    uint64_t lines; /* of this file so far */
    uint64_t bad_count;
} gs_value_place;

/* In the order of batches: fails if it has a bad record and those are not skipped, or is
 * broken. */
GS_MUST_CHECK gs_code gs_value_place_pass(gs_value_place *place,
                                          const gs_value_options *o,
                                          const gs_value_batch *v,
                                          const gs_line_batch *batch,
                                          const char *input_name, gs_status *st);

#endif
