/* SPDX-License-Identifier: MIT */
/*
 * text_units: a chunk for whose sort at once there is no memory, range by range.
 *
 *      sample        some records, sorted; splitters are taken from it
 *      classify      the bucket of each record; how many and how long keys are in each
 *      units         neighbouring buckets, as many as a unit holds; each is picked out of
 *                    the chunk, its keys are made, it is sorted, and stands in the result
 *
 * Strings that are equal to a splitter, and too many for a unit, need no sort: they are
 * picked out in input order.
 */
#include "gpu/device/cub_launch.cuh"

#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

#include "gpu/text/text_chunk.cuh"
#include "lib/base/assertion.h"

enum {
    THREADS = GS_TIE_THREADS,
    CLASSIFY_BLOCKS = 1056, /* eight for each multiprocessor of a large GPU */
};

/* --- splitters ---------------------------------------------------------------------- */

/* Picks a sample that fits into a unit, and makes its keys. */
static gs_code pick_sample(gs_text_sort *t, uint64_t count, uint32_t *out, gs_status *st)
{
    uint64_t sampled = t->plan.unit_count < count ? t->plan.unit_count : count;
    if (sampled > GS_SAMPLE_MAX)
        sampled = GS_SAMPLE_MAX;
    size_t bytes;
    for (;;) {
        k_sample_rows<<<gs_text_grid(sampled, THREADS), THREADS, 0, t->work_stream>>>(
            count, (uint32_t)sampled, t->parts.rows);
        GPU_LAUNCHED(st, t->work_stream, "k_sample_rows");
        t->view = t->lines;
        t->view.rows = t->parts.rows;
        GS_TRY(gs_text_make_keys(t, sampled, 0, &bytes, st));
        if (bytes <= gs_text_keys_left(t, 0) || sampled <= GS_SAMPLE_LEAST)
            break;
        sampled /= 2;
    }
    if (bytes > gs_text_keys_left(t, 0))
        return GS_FAIL(st, GS_ERR_NOMEM, 0, "GPU: keys of %zu bytes are too long", bytes);
    *out = (uint32_t)sampled;
    return GS_OK;
}

gs_code gs_text_take_splitters(gs_text_sort *t, gs_text_ranges *r,
                               const gs_text_view &records, uint32_t sampled,
                               gs_status *st)
{
    gs_text_parts *const p = &t->parts;
    GS_TRY(gs_text_sort_unit(t, sampled, st));
    r->splitter_count = sampled / GS_SAMPLE_LEAST;
    if (r->splitter_count > GS_SPLITTERS_MAX)
        r->splitter_count = GS_SPLITTERS_MAX;
    k_take_splitters<<<gs_text_grid(r->splitter_count, THREADS), THREADS, 0,
                       t->work_stream>>>(p->rows, p->order, sampled, r->splitter_count,
                                         p->splitter_rows);
    GPU_LAUNCHED(st, t->work_stream, "k_take_splitters");
    t->view = records;
    t->view.rows = p->splitter_rows;
    GS_TRY(gs_text_make_keys(t, r->splitter_count, 0, &r->splitter_key_bytes, st));
    r->splitters = t->view;
    if (t->options.order.key_count == 0)
        return GS_OK;
    gs_assert(r->splitter_key_bytes <=
              gs_text_keys_left(t, 0)); /* they are some of the sample */
    GPU_TRY(st, cudaMemcpyAsync(p->splitter_key_starts, p->key_starts,
                                (r->splitter_count + 1) * sizeof *p->key_starts,
                                cudaMemcpyDeviceToDevice, t->work_stream));
    r->splitters.key_starts = p->splitter_key_starts;
    return GS_OK;
}

/* --- buckets ------------------------------------------------------------------------ */

/* Views the next rows of the chunk, from `first` on: as many as there are keys for. */
static gs_code view_window(gs_text_sort *t, const gs_text_ranges *r, uint64_t first,
                           uint64_t *out, gs_status *st)
{
    uint64_t rows = r->count - first;
    if (t->options.order.key_count > 0 && rows > t->plan.unit_count)
        rows = t->plan.unit_count;
    for (size_t bytes = 0;; rows /= 2) {
        t->view = t->lines;
        t->view.first_row = first;
        GS_TRY(gs_text_make_keys(t, rows, r->splitter_key_bytes, &bytes, st));
        *out = rows;
        if (bytes <= gs_text_keys_left(t, r->splitter_key_bytes))
            return GS_OK;
        if (rows == 1)
            return GS_FAIL(st, GS_ERR_NOMEM, 0, "GPU: a key of %zu bytes is too long",
                           bytes);
    }
}

gs_code gs_text_classify(gs_text_sort *t, const gs_text_ranges *r, gs_status *st)
{
    const size_t bytes = (GS_BUCKETS_MAX + 1) * sizeof *t->h_buckets;
    const auto kernel =
        t->options.order.key_count > 0 ? k_classify<true> : k_classify<false>;
    GPU_TRY(st, cudaMemsetAsync(t->parts.buckets, 0, bytes, t->work_stream));
    for (uint64_t first = 0, rows; first < r->count; first += rows) {
        GS_TRY(view_window(t, r, first, &rows, st));
        const unsigned all = gs_text_grid(rows, THREADS);
        const unsigned most = CLASSIFY_BLOCKS, blocks = all < most ? all : most;
        kernel<<<blocks, THREADS, 0, t->work_stream>>>(
            t->view, rows, r->splitters, r->splitter_count, t->parts.bucket_ids + first,
            t->parts.buckets);
        GPU_LAUNCHED(st, t->work_stream, "k_classify");
    }
    GPU_TRY(st, cudaMemcpyAsync(t->h_buckets, t->parts.buckets, bytes,
                                cudaMemcpyDeviceToHost, t->work_stream));
    GPU_TRY(st, cudaStreamSynchronize(t->work_stream));
    return GS_OK;
}

/* --- units -------------------------------------------------------------------------- */

/* The rows of buckets [low, high), `expected` in number, in input order. */
static gs_code pick_rows(gs_text_sort *t, const gs_text_ranges *r, uint32_t low,
                         uint32_t high, uint64_t expected, uint32_t *to, gs_status *st)
{
    size_t bytes = t->parts.temp_bytes;
    uint64_t *const d_picked = t->parts.tile_counts; /* not needed any more */
    const gs_in_buckets is_in = {t->parts.bucket_ids, low, high, nullptr};
    GPU_TRY(st, cub::DeviceSelect::If(
                    t->parts.temp, bytes, thrust::counting_iterator<uint32_t>(0), to,
                    d_picked, (int64_t)r->count, is_in, t->work_stream));
    GS_TRY(gs_text_read_mail(t, d_picked, 1, st));
    if (t->h_mail[0] != expected)
        return GS_FAIL(st, GS_ERR_GPU, 0, "GPU: a range has lost records");
    return GS_OK;
}

/* Equal strings, more of them than a unit holds. */
static gs_code place_equals(gs_text_sort *t, gs_text_ranges *r, uint32_t bucket,
                            gs_status *st)
{
    const uint64_t records = t->h_buckets[bucket].records;
    GS_TRY(pick_rows(t, r, bucket, bucket + 1, records, t->parts.result + r->placed, st));
    if (r->drops_equals) {
        const uint32_t count = (uint32_t)records;
        GPU_TRY(st, cudaMemcpyAsync(t->parts.counts + r->placed, &count, sizeof count,
                                    cudaMemcpyHostToDevice, t->work_stream));
        GPU_TRY(st, cudaStreamSynchronize(t->work_stream));
    }
    r->placed += r->drops_equals ? 1 : records;
    return GS_OK;
}

static gs_code place_unit(gs_text_sort *t, gs_text_ranges *r, uint32_t low, uint32_t high,
                          uint64_t records, gs_status *st)
{
    gs_text_parts *const p = &t->parts;
    size_t key_bytes;
    uint64_t kept = records;
    GS_TRY(pick_rows(t, r, low, high, records, p->rows, st));
    t->view = t->lines;
    t->view.rows = p->rows;
    GS_TRY(gs_text_make_keys(t, records, 0, &key_bytes, st));
    gs_assert(key_bytes == 0 ||
              key_bytes <= gs_text_keys_left(t, 0)); /* as was counted */
    GS_TRY(gs_text_end_step(t, "pick a range", st));
    GS_TRY(gs_text_sort_unit(t, records, st));
    if (r->drops_equals) {
        GS_TRY(gs_text_drop_equals(t, records, p->rows, p->result + r->placed,
                                   p->counts + r->placed, &kept, st));
    } else {
        k_place_rows<<<gs_text_grid(records, THREADS), THREADS, 0, t->work_stream>>>(
            p->rows, p->order, records, p->result + r->placed);
        GPU_LAUNCHED(st, t->work_stream, "k_place_rows");
    }
    r->placed += kept;
    return GS_OK;
}

/* How many buckets from `low` on a unit holds; 0 if not even that one. */
static uint32_t cut_unit(const gs_text_sort *t, uint32_t low, uint32_t bucket_count,
                         uint64_t *records)
{
    uint64_t key_bytes = 0;
    uint32_t high = low;
    *records = 0;
    for (; high < bucket_count; high++) {
        const gs_text_bucket *const b = &t->h_buckets[high];
        if (*records + b->records > t->plan.unit_count ||
            key_bytes + b->key_bytes > gs_text_keys_left(t, 0))
            break;
        *records += b->records;
        key_bytes += b->key_bytes;
    }
    return high - low;
}

gs_code gs_text_sort_units(gs_text_sort *t, uint64_t count, bool drops_equals,
                           uint64_t keep, gs_status *st)
{
    gs_text_ranges r = {};
    r.count = count;
    r.drops_equals = drops_equals;
    uint32_t sampled = 0;
    GS_TRY(pick_sample(t, count, &sampled, st));
    GS_TRY(gs_text_take_splitters(t, &r, t->lines, sampled, st));
    GS_TRY(gs_text_end_step(t, "sample", st));
    GS_TRY(gs_text_classify(t, &r, st));
    GS_TRY(gs_text_end_step(t, "classify", st));
    const uint32_t bucket_count = 2 * r.splitter_count + 1;
    for (uint32_t low = 0, buckets; low < bucket_count && r.placed < keep;
         low += buckets) {
        uint64_t records;
        buckets = cut_unit(t, low, bucket_count, &records);
        if (records > 0) {
            GS_TRY(place_unit(t, &r, low, low + buckets, records, st));
        } else if (buckets == 0) {
            if (low % 2 == 0)
                return GS_FAIL(st, GS_ERR_NOMEM, 0,
                               "GPU: %llu records in a range of strings are too many",
                               t->h_buckets[low].records);
            GS_TRY(place_equals(t, &r, low, st));
            buckets = 1;
        }
    }
    t->d_order = t->parts.result;
    t->d_result_counts = drops_equals ? t->parts.counts : nullptr;
    t->result_count = r.placed;
    return GS_OK;
}
