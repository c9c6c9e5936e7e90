/* SPDX-License-Identifier: MIT */
/*
 * gen_data: the kinds of generated data, and slices of them.
 *
 * Records are numbered from 0 and made in slices of a fixed number of records. A slice
 * depends on the options and its number alone. A gs_gen_data is read-only after new: any
 * number of threads make slices from it.
 */
#ifndef GS_LIB_DATA_GEN_DATA_H
#define GS_LIB_DATA_GEN_DATA_H

#include "lib/data/gen_dist.h"

typedef enum gs_gen_kind {
    GS_GEN_LINES, /* random text lines */
    GS_GEN_U32,   /* little-endian numbers */
    GS_GEN_U64,
    GS_GEN_TUPLES,  /* term TAB docID lines; binary: u32 termID, u32 docID */
    GS_GEN_RECORDS, /* 100 bytes, see gen_record.h */
    GS_GEN_DOCS,    /* one a line: a JSON object with id and contents, or id TAB text */
    GS_GEN_WEBLOG,  /* one request a line: address, time, path, status, size */
    GS_GEN_KIND_COUNT,
} gs_gen_kind;

typedef struct gs_gen_options {
    gs_gen_kind kind;
    gs_gen_shape shape;
    uint64_t seed;
    uint64_t record_count; /* UINT64_MAX: as many as `bytes` asks for */
    uint64_t bytes;    /* ends with the first record at or past it; UINT64_MAX: none */
    uint64_t distinct; /* values, terms or words; 0: the kind's default */
    double exponent, mean, disorder;
    uint64_t line_bytes_min, line_bytes_max; /* lines, without the newline */
    const char *alphabet;                    /* lines */
    uint64_t doc_count;                      /* tuples: docIDs are below it */
    bool docs_ascend;                        /* tuples: docIDs grow with the record */
    uint64_t doc_words;                      /* docs: words in a document, on average */
    bool is_tsv;                             /* docs: id TAB text */
    bool is_text;                            /* records: printable, with CR LF */
    bool is_binary;                          /* tuples */
    uint64_t first_record;                   /* records: number of the first */
} gs_gen_options;

/* What the command line starts from. */
gs_gen_options gs_gen_options_default(void);
const char *gs_gen_kind_name(gs_gen_kind kind);

typedef struct gs_gen_data gs_gen_data;

/* Copies the options; the alphabet need not live on. */
GS_MUST_CHECK gs_code gs_gen_data_new(gs_gen_data **out, const gs_gen_options *options,
                                      gs_status *st);
void gs_gen_data_free(gs_gen_data *data); /* NULL is fine */

/* Size of the buffer that any slice fits into, slack included. */
size_t gs_gen_slice_bytes_max(const gs_gen_data *data);
/* UINT64_MAX if only the bytes say where the end is. */
uint64_t gs_gen_slice_count(const gs_gen_data *data);
/* Writes slice `number`, which is below the slice count; returns its length. */
size_t gs_gen_slice(const gs_gen_data *data, uint64_t number, uint8_t *to);
/* Length of the fewest whole records at the front of a slice that have at least
 * `wanted` bytes, or of all of it. */
size_t gs_gen_slice_cut(const gs_gen_data *data, const uint8_t *slice, size_t bytes,
                        uint64_t wanted);

#endif
