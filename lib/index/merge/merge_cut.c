/* SPDX-License-Identifier: MIT */
#include "lib/index/merge/merge_cut.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/sort/record/records.h"

enum {
    SAMPLES_A_RANGE = 16, /* of one index */
    SAMPLES_MAX = 1 << 16,
    BLOCK_WEIGHT = 512, /* of a block of terms, whatever its postings */
};

typedef struct cut_sample {
    gs_term_bound at;
    uint64_t weight; /* from here to the next sample of the same index */
} cut_sample;

static int compare_bounds(const gs_term_bound *a, const gs_term_bound *b)
{
    return gs_string_compare(a->term, a->bytes, b->term, b->bytes, 0);
}

static int by_term(const void *a, const void *b)
{
    return compare_bounds(&((const cut_sample *)a)->at, &((const cut_sample *)b)->at);
}

/* A copy, and so the same for all parts whoever writes to the index. Its first bytes do:
 * terms that begin alike then come to one range. */
static gs_term_bound bound_of(const gs_dictionary_head *head)
{
    gs_term_bound bound = {.bytes = GS_TERM_BOUND_BYTES};
    if (head->bytes < GS_TERM_BOUND_BYTES)
        bound.bytes = (uint8_t)head->bytes;
    memcpy(bound.term, head->term, bound.bytes);
    return bound;
}

/* Samples of one index. Offsets of a damaged one may go back; its weights are wrong then,
 * which is no harm. The kernel may map megabytes round each page that is touched, of
 * which nothing is kept: dictionaries are larger than the memory of a merge. */
static gs_code take_samples(const gs_index *index, uint64_t most, cut_sample *samples,
                            size_t *count, gs_status *st)
{
    const uint64_t blocks = gs_index_dictionary_blocks(index);
    const uint64_t n = blocks < most ? blocks : most;
    uint64_t begins = 0, first_block = 0;
    const uint8_t *held = NULL;
    for (uint64_t i = 0; i < n; i++) {
        gs_dictionary_head head;
        const uint64_t block = blocks / n * i + blocks % n * i / n;
        GS_TRY(gs_dictionary_head_read(index, block, &head, st));
        const uint64_t here = head.postings + head.positions;
        if (i > 0)
            samples[*count - 1].weight = (here > begins ? here - begins : 0) +
                                         BLOCK_WEIGHT * (block - first_block);
        begins = here;
        first_block = block;
        samples[(*count)++] = (cut_sample){.at = bound_of(&head)};
        gs_index_pass(&held, head.term);
    }
    if (n > 0) {
        const gs_index_header *const h = gs_index_header_of(index);
        gs_index_let_file_go(index, GS_INDEX_TERMS);
        const uint64_t all =
            h->file_bytes[GS_INDEX_POSTINGS] + h->file_bytes[GS_INDEX_POSITIONS];
        samples[*count - 1].weight =
            (all > begins ? all - begins : 0) + BLOCK_WEIGHT * (blocks - first_block);
    }
    return GS_OK;
}

/* Leaves out samples that are not between the bounds. */
static size_t keep_inside(cut_sample *samples, size_t count, const gs_term_bound *from,
                          const gs_term_bound *to)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const gs_term_bound *const at = &samples[i].at;
        if (compare_bounds(at, from) > 0 &&
            (to->bytes == 0 || compare_bounds(at, to) < 0))
            samples[kept++] = samples[i];
    }
    return kept;
}

static unsigned choose(const cut_sample *samples, size_t count, unsigned range_max,
                       gs_term_bound *bounds)
{
    uint64_t all = 0, before = 0;
    unsigned chosen = 0;
    for (size_t i = 0; i < count; i++)
        all += samples[i].weight;
    const uint64_t share = all / range_max + 1;
    for (size_t i = 0; i < count && chosen + 1 < range_max; i++) {
        const bool is_new = i > 0 && by_term(&samples[i - 1], &samples[i]) != 0;
        if (is_new && before >= share * (chosen + 1))
            bounds[chosen++] = samples[i].at;
        before += samples[i].weight;
    }
    return chosen;
}

gs_code gs_merge_cut(gs_index *const *indexes, size_t index_count,
                     const gs_term_bound *from, const gs_term_bound *to,
                     unsigned range_max, gs_term_bound *bounds, unsigned *bound_count,
                     gs_status *st)
{
    uint64_t each = SAMPLES_MAX / index_count;
    if (each > SAMPLES_A_RANGE * (uint64_t)range_max)
        each = SAMPLES_A_RANGE * (uint64_t)range_max;
    each = each > 0 ? each : 1;
    size_t count = 0, bytes = 0;
    *bound_count = 0;
    GS_TRY(gs_mem_size_mul(&bytes, index_count * (size_t)each, sizeof(cut_sample), st));
    cut_sample *samples = NULL;
    GS_TRY(gs_mem_new(&samples, bytes, "cuts of a merge", st));
    for (size_t i = 0; i < index_count && st->code == GS_OK; i++)
        GS_NOTED(take_samples(indexes[i], each, samples, &count, st));
    if (st->code == GS_OK) {
        count = keep_inside(samples, count, from, to);
        if (count > 1)
            qsort(samples, count, sizeof *samples, by_term);
        *bound_count = choose(samples, count, range_max, bounds);
    }
    gs_mem_free(samples);
    return st->code;
}
