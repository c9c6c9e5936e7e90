/* SPDX-License-Identifier: MIT */
/*
 * text_chunk: a chunk's memory on the device, shared by the sources of text_sort.
 *
 *      text | ... | room for more                      from new on
 *      work | of the chunk: tile counts | starts | sums | result | counts | bucket ids |
 *           | of a unit: rows | key starts | numbers | order | same | goes on | places |
 *           |     depths | heads | skips | temporary memory of scans |
 *      keys | of a unit |                              grown by the first chunks
 *      fetch slots | | | | |
 *
 * A unit is what is sorted at a time. Where there is memory for it (some 75 bytes a
 * record) it is the whole chunk, and result, counts, bucket ids and rows are not needed.
 * Otherwise units are ranges of the strings (text_ranges.cuh), GS_TEXT_UNITS_MAX of them
 * at most, and a record of the chunk takes its start, its place in the result and the id
 * of its bucket beside its text (lay_out in text_plan.cu): 8, 4 and 2 bytes.
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
#include "gpu/text/text_ranges.cuh"
#include "gpu/text/text_sort.h"
#include "gpu/text/text_view.cuh"

enum {
    GS_TEXT_UPLOADS_MAX = 64,
    GS_TEXT_UNITS_MAX = 16,
    GS_TEXT_MAIL_WORDS = 8,
    GS_TEXT_COUNTS = 2, /* lines, bytes that are costly (gs_text_cost) */
};

typedef struct gs_upload {
    cudaEvent_t copied, counted;
    size_t bytes;
} gs_upload;

/* What a sort takes. */
typedef struct gs_text_plan {
    uint64_t count;      /* of records, those of the chunk or a few more */
    uint64_t unit_count; /* of them in a unit, at most; `count`: the chunk is one */
    size_t keys_bytes;   /* for the keys of a unit */
    size_t bytes;        /* work, engine and keys */
} gs_text_plan;

/* The records of a chunk and splitters of strings. */
typedef struct gs_text_ranges {
    uint64_t count; /* records of the chunk */
    bool drops_equals;
    uint32_t splitter_count;
    gs_text_view splitters;
    size_t splitter_key_bytes;
    uint64_t placed; /* records of the result so far */
} gs_text_ranges;

/* Parts of `work`, for the chunk that is being sorted. */
typedef struct gs_text_parts {
    uint64_t *tile_counts, *starts, *sums;
    uint32_t *result, *counts;
    uint16_t *bucket_ids;
    gs_text_bucket *buckets;
    uint32_t *splitter_rows;
    uint64_t *splitter_key_starts;
    uint32_t *rows;
    uint64_t *key_starts;
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
    cudaStream_t copy_stream, count_stream, work_stream;
    cudaStream_t fetch_streams[GS_TEXT_FETCHES_MAX];

    uint8_t *d_text;
    size_t text_capacity;
    uint64_t text_bytes;

    gs_upload uploads[GS_TEXT_UPLOADS_MAX];
    unsigned long long *d_counts, *h_counts; /* GS_TEXT_COUNTS of each upload */
    uint64_t upload_count, uploads_counted;
    uint64_t lines_counted, costly_counted, bytes_uncounted;

    size_t fixed_bytes; /* of held_bytes, what new took */
    uint8_t *d_work, *d_keys;
    size_t work_bytes, keys_bytes;
    gs_engine *engine;
    size_t engine_count, engine_bytes;
    /* What the work on so many records takes, as one unit and as several. */
    uint64_t known_count[2];
    size_t known_bytes[2];
    uint64_t too_many[2]; /* records for which there is no memory; 0: not known yet */
    uint8_t *d_fetch[GS_TEXT_FETCHES_MAX];
    gs_text_record *d_records;
    size_t records_capacity;
    uint64_t *h_mail;
    gs_text_bucket *h_buckets;

    /* The result. */
    gs_text_plan plan;
    gs_text_parts parts;
    gs_text_view lines; /* all of them */
    gs_text_view view;  /* of the unit, with its keys */
    unsigned rounds;    /* that the sort has taken, of the unit that took most */
    uint64_t step_ns;   /* when the step began, for the trace */
    gs_text_shape shape;
    const uint32_t *d_order,
        *d_result_counts; /* counts: NULL unless equals were dropped */
    uint64_t result_count, result_bytes;
};

/* Slots that it has for fetches. */
static inline unsigned gs_text_fetches(const gs_text_sort *t)
{
    return t->options.is_of_several ? (unsigned)GS_TEXT_FETCHES_MAX
                                    : (unsigned)GS_TEXT_FETCHES;
}

/* Blocks of a launch. */
unsigned gs_text_grid(uint64_t items, uint64_t a_block);
/* Makes *memory at least `bytes` large; what was in it is lost. */
gs_code gs_text_grow(gs_text_sort *t, uint8_t **memory, size_t *capacity, size_t bytes,
                     gs_status *st);
/* Gives back what gs_text_grow took. */
gs_code gs_text_drop(gs_text_sort *t, uint8_t **memory, size_t *capacity, gs_status *st);
/* Does the sort of a chunk fit into `available` bytes? `text_bytes` of text in `records`
 * records at most, `least` at least, of which so many bytes are costly. */
gs_code gs_text_can_fit(gs_text_sort *t, uint64_t least, uint64_t records,
                        uint64_t text_bytes, uint64_t costly, size_t available, bool *out,
                        gs_status *st);
/* How it is sorted there, of as few units as can be; GS_ERR_NOMEM if it does not fit. */
gs_code gs_text_plan_make(const gs_text_sort *t, uint64_t records, uint64_t text_bytes,
                          uint64_t costly, size_t available, gs_text_plan *out,
                          gs_status *st);
/* The plan that takes least: of as many units as can be, at least two; *fits is false if
 * there is no memory for it, or too few records. */
gs_code gs_text_plan_cut(const gs_text_sort *t, uint64_t records, uint64_t text_bytes,
                         uint64_t costly, size_t available, gs_text_plan *out, bool *fits,
                         gs_status *st);
/* Takes the memory of the plan and lays its parts out. */
gs_code gs_text_prepare(gs_text_sort *t, const gs_text_plan *plan, gs_status *st);
/* What is free for the work on a chunk. */
size_t gs_text_available(const gs_text_sort *t);

/* Room for keys behind the first `at` bytes of their memory. */
static inline size_t gs_text_keys_left(const gs_text_sort *t, size_t at)
{
    return t->keys_bytes > at + GS_TEXT_SLACK ? t->keys_bytes - at - GS_TEXT_SLACK : 0;
}

/* words[i] = the sum of those before it. */
gs_code gs_text_sum_up(gs_text_sort *t, uint64_t *words, uint64_t count, gs_status *st);
/* The keys of the `count` records that t->view is of, behind the first `at` bytes of the
 * memory for keys. *bytes is what they take; if there is no room for that, they are not
 * made. Without keys in the order it does nothing. */
gs_code gs_text_make_keys(gs_text_sort *t, uint64_t count, size_t at, size_t *bytes,
                          gs_status *st);
/* Sorts the unit of `count` records that t->view is of: parts.order is their order. */
gs_code gs_text_sort_unit(gs_text_sort *t, uint64_t count, gs_status *st);
/* Of a sorted unit, the first of equal strings: their numbers in the unit, or `rows` of
 * those, and how many each stands for. */
gs_code gs_text_drop_equals(gs_text_sort *t, uint64_t count, const uint32_t *rows,
                            uint32_t *to, uint32_t *counts, uint64_t *kept,
                            gs_status *st);
/* Sorts the sample that t->view is of, those of parts.rows of `records`, and takes
 * splitters from it. */
gs_code gs_text_take_splitters(gs_text_sort *t, gs_text_ranges *r,
                               const gs_text_view &records, uint32_t sampled,
                               gs_status *st);
/* Finds the bucket of each record of the chunk, and what is in the buckets. */
gs_code gs_text_classify(gs_text_sort *t, const gs_text_ranges *r, gs_status *st);
/* Sorts a chunk unit by unit, into parts.result; with drops_equals as above. Stops behind
 * `keep` records. */
gs_code gs_text_sort_units(gs_text_sort *t, uint64_t count, bool drops_equals,
                           uint64_t keep, gs_status *st);
/* sums[g] = where group g of the records of a view begins in the result, with their keys
 * or without; behind the last group: how long it is. */
gs_code gs_text_group_bytes(gs_text_sort *t, const gs_text_view &view, bool with_keys,
                            uint64_t count, uint64_t *sums, gs_status *st);
/* starts[k] = where line k of so much text begins. */
gs_code gs_text_find_lines(gs_text_sort *t, const uint8_t *text, uint64_t bytes,
                           uint64_t *starts, gs_status *st);
/* t->lines and t->view: all records of the chunk, for which memory was prepared. */
gs_code gs_text_view_lines(gs_text_sort *t, gs_status *st);
/* The text of the chunk is another one from now on, in memory of `capacity` bytes that
 * gs_text_grow took; it is counted, as when it is uploaded. */
gs_code gs_text_adopt(gs_text_sort *t, uint8_t *memory, size_t capacity, uint64_t bytes,
                      gs_status *st);
/* A step of run has ended; with a trace it waits, so that the steps can be told apart. */
gs_code gs_text_end_step(gs_text_sort *t, const char *name, gs_status *st);
/* Reads words from the device into h_mail; waits for the work before. */
gs_code gs_text_read_mail(gs_text_sort *t, const uint64_t *d_words, unsigned count,
                          gs_status *st);
/* Takes the line counts of uploads that are done; waits for those before `until`. */
gs_code gs_text_take_counts(gs_text_sort *t, uint64_t until, gs_status *st);

#endif
