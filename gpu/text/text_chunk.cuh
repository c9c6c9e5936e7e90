/* SPDX-License-Identifier: MIT */
/*
 * text_chunk: a chunk's memory on the device, shared by the sources of text_sort.
 *
 *      text | ... | room for more                      from new on
 *      work | tile counts | starts | key starts | numbers | order | same | goes on |
 *           | places | depths | heads | skips | temporary memory of scans |
 *      keys | ... |                                    grown by the first chunks
 *      fetch slots | | | | |
 *
 * When the order is known the numbers are not needed any more: the offsets of the result
 * and the counts of equals take their place.
 *
 * Everything on the device is counted in held_bytes, the engine included, and that stays
 * within memory_bytes: before text is taken it is known what its sort will need.
 *
 * text_sort.cu owns the memory and moves text up and down; text_run.cu sorts it.
 */
#ifndef GS_GPU_TEXT_CHUNK_CUH
#define GS_GPU_TEXT_CHUNK_CUH

#include "gpu/engine/engine.h"
#include "gpu/device/gpu_try.cuh"
#include "gpu/text/text_sort.h"
#include "gpu/text/text_view.cuh"

enum {
    GS_TEXT_UPLOADS_MAX = 64,
    GS_TEXT_MAIL_WORDS = 8,
    GS_TEXT_COUNTS = 2, /* lines, bytes that take two in a key */
};

typedef struct gs_upload {
    cudaEvent_t copied, counted;
    size_t bytes;
} gs_upload;

/* Parts of `work`, for the chunk that is being sorted. */
typedef struct gs_text_parts {
    uint64_t *tile_counts, *starts, *key_starts;
    gs_u128 *numbers;
    uint32_t *order, *places[2], *depths[2], *heads, *skips;
    uint8_t *same, *goes_on;
    void *temp;
    size_t temp_bytes;
} gs_text_parts;

struct gs_text_sort {
    gs_text_sort_options options;
    size_t memory_bytes, held_bytes;
    bool is_half;
    cudaStream_t copy_stream, work_stream, fetch_streams[GS_TEXT_FETCHES_MAX];

    uint8_t *d_text;
    size_t text_capacity;
    uint64_t text_bytes;

    gs_upload uploads[GS_TEXT_UPLOADS_MAX];
    unsigned long long *d_counts, *h_counts; /* GS_TEXT_COUNTS of each upload */
    uint64_t upload_count, uploads_counted;
    uint64_t lines_counted, escaped_counted, bytes_uncounted;

    size_t fixed_bytes; /* of held_bytes, what new took */
    uint8_t *d_work, *d_keys;
    size_t work_bytes, keys_bytes;
    gs_engine *engine;
    size_t engine_count, engine_bytes;
    uint64_t known_count; /* of records, and what gs_text_run_bytes says of them */
    size_t known_bytes;
    uint8_t *d_fetch[GS_TEXT_FETCHES_MAX];
    gs_text_record *d_records;
    size_t records_capacity;
    uint64_t *h_mail;

    /* The result. */
    gs_text_parts parts;
    gs_text_view view;
    gs_text_shape shape;
    const uint32_t *d_order,
        *d_result_counts; /* counts: NULL unless equals were dropped */
    uint64_t *d_offsets;
    uint64_t result_count, result_bytes;
};

/* Blocks of a launch. */
unsigned gs_text_grid(uint64_t items, uint64_t a_block);
/* Makes *memory at least `bytes` large, `spare` more if they are there; what was in it is
 * lost. */
gs_code gs_text_grow(gs_text_sort *t, uint8_t **memory, size_t *capacity, size_t bytes,
                     size_t spare, gs_status *st);
/* Gives back what gs_text_grow took. */
gs_code gs_text_drop(gs_text_sort *t, uint8_t **memory, size_t *capacity, gs_status *st);
/* What a chunk of `count` records takes for its work and the engine; prepared for are
 * *most, which are as many or a little more. */
gs_code gs_text_run_bytes(const gs_text_sort *t, uint64_t count, uint64_t *most,
                          size_t *bytes, gs_status *st);
/* What the keys of the chunk take at most. */
size_t gs_text_keys_room(const gs_text_sort *t, uint64_t text_bytes, uint64_t records,
                         uint64_t escaped);
/* Reads words from the device into h_mail; waits for the work before. */
gs_code gs_text_read_mail(gs_text_sort *t, const uint64_t *d_words, unsigned count,
                          gs_status *st);
/* Takes the line counts of uploads that are done; waits for those before `until`. */
gs_code gs_text_take_counts(gs_text_sort *t, uint64_t until, gs_status *st);

#endif
