/* SPDX-License-Identifier: MIT */
/*
 * fake_text: a chunk of the fake GPU, for the sources that sort and exchange its text.
 */
#ifndef GS_TESTS_FAKE_GPU_FAKE_TEXT_H
#define GS_TESTS_FAKE_GPU_FAKE_TEXT_H

#include "gpu/text/text_sort.h"

enum { UPLOADS_MAX = 256 };

typedef struct fake_upload {
    const void *from;
    uint8_t *to;
    size_t bytes;
} fake_upload;

typedef struct fake_fetch {
    uint64_t offset;
    size_t bytes;
    uint8_t *to;
} fake_fetch;

typedef struct fake_record {
    const uint8_t *line;
    uint8_t *key;
    uint64_t line_bytes, key_bytes, row, count, offset;
} fake_record;

struct gs_text_sort {
    gs_text_sort_options options;
    uint8_t *text, *keys;
    size_t capacity, keys_bytes;
    uint64_t text_bytes, line_count;
    fake_upload uploads[UPLOADS_MAX];
    uint64_t upload_count, uploads_done;
    fake_fetch fetches[GS_TEXT_FETCHES_MAX];
    gs_text_shape shape;
    fake_record *records;
    uint64_t record_count;
    uint64_t result_bytes;
};

/* Copies all that is still on its way up. */
void fake_finish_uploads(gs_text_sort *t);
/* The records of the text with their keys, in input order; and without them again. */
gs_code fake_find_records(gs_text_sort *t, gs_status *st);
void fake_release_result(gs_text_sort *t);
/* By their strings, then by row: for qsort_r, with the order as context. */
int fake_compare(const void *a, const void *b, void *order);

#endif
