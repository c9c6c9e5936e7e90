/* SPDX-License-Identifier: MIT */
/*
 * text_run: the steps of a chunk's sort, one after the other on its stream.
 */
#include "gpu/device/cub_launch.cuh"

#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <cuda/functional>
#include <thrust/iterator/counting_iterator.h>

#include "gpu/device/device_use.cuh"
#include "gpu/engine/engine_ops.cuh"
#include "gpu/text/text_chunk.cuh"
#include "gpu/text/text_gather.cuh"
#include "gpu/text/text_key.h"
#include "gpu/text/text_lines.cuh"
#include "gpu/text/text_ties.cuh"
#include "lib/base/assertion.h"

enum {
    THREADS = GS_TIE_THREADS,
    SKIP_LIMIT = 1024, /* bytes looked at in the first tie round; later ones double it */
    SKIP_DOUBLINGS_MAX = 12,
    ROUNDS_MAX = 1 << 24,
};

gs_code gs_text_end_step(gs_text_sort *t, const char *name, gs_status *st)
{
    if (t->options.trace == nullptr)
        return GS_OK;
    GPU_TRY(st, cudaStreamSynchronize(t->work_stream));
    gs_trace_end(t->options.trace, GS_LANE_GPU, t->options.number, name, t->step_ns, 0);
    t->step_ns = gs_trace_begin(t->options.trace);
    return GS_OK;
}

gs_code gs_text_sum_up(gs_text_sort *t, uint64_t *words, uint64_t count, gs_status *st)
{
    size_t bytes = t->parts.temp_bytes;
    GPU_TRY(st, cub::DeviceScan::ExclusiveSum(t->parts.temp, bytes, words, words,
                                              (int64_t)count, t->work_stream));
    return GS_OK;
}

/* --- lines and keys ----------------------------------------------------------------- */

gs_code gs_text_find_lines(gs_text_sort *t, const uint8_t *text, uint64_t bytes,
                           uint64_t *starts, gs_status *st)
{
    gs_text_parts *const p = &t->parts;
    const uint8_t eol = t->options.order.eol;
    const unsigned tiles = gs_text_grid(bytes, GS_LINE_TILE);
    k_count_tile_lines<<<tiles, GS_LINE_THREADS, 0, t->work_stream>>>(text, bytes, eol,
                                                                      p->tile_counts);
    GPU_LAUNCHED(st, t->work_stream, "k_count_tile_lines");
    GS_TRY(gs_text_sum_up(t, p->tile_counts, tiles, st));
    k_write_starts<<<tiles, GS_LINE_THREADS, 0, t->work_stream>>>(text, bytes, eol,
                                                                  p->tile_counts, starts);
    GPU_LAUNCHED(st, t->work_stream, "k_write_starts");
    return GS_OK;
}

template <bool IS_PLAIN>
static __global__ void
k_measure_keys(gs_text_view view, const __grid_constant__ gs_text_order order,
               uint64_t count, uint64_t *key_starts, uint64_t *undecided)
{
    const uint64_t i = gs_tie_index();
    if (i > count)
        return;
    uint64_t bytes = 0;
    if (i < count) {
        const gs_text_string s = gs_text_at(view, i);
        bytes = gs_text_key_encode(&order, IS_PLAIN, s.line, s.line_bytes, nullptr);
        if (!IS_PLAIN && bytes == GS_TEXT_UNDECIDED)
            *undecided = i + 1; /* whichever comes last */
    }
    key_starts[i] = bytes;
}

template <bool IS_PLAIN>
static __global__ void
k_write_keys(gs_text_view view, const __grid_constant__ gs_text_order order,
             uint64_t count, const uint64_t *key_starts, uint8_t *keys)
{
    const uint64_t i = gs_tie_index();
    if (i >= count)
        return;
    const gs_text_string s = gs_text_at(view, i);
    (void)gs_text_key_encode(&order, IS_PLAIN, s.line, s.line_bytes,
                             keys + key_starts[i]);
}

/* key_starts[i] = where the key of record i of a view begins; *bytes: of them all. */
static gs_code measure_keys(gs_text_sort *t, const gs_text_view &lines, uint64_t count,
                            size_t *bytes, gs_status *st)
{
    uint64_t *const key_starts = t->parts.key_starts;
    uint64_t *const d_undecided = t->parts.tile_counts; /* not needed any more */
    const bool is_plain = gs_text_order_is_plain(&t->options.order);
    const auto kernel = is_plain ? k_measure_keys<true> : k_measure_keys<false>;
    if (!is_plain)
        GPU_TRY(st, cudaMemsetAsync(d_undecided, 0, sizeof *d_undecided, t->work_stream));
    kernel<<<gs_text_grid(count + 1, THREADS), THREADS, 0, t->work_stream>>>(
        lines, t->options.order, count, key_starts, d_undecided);
    GPU_LAUNCHED(st, t->work_stream, "k_measure_keys");
    GS_TRY(gs_text_sum_up(t, key_starts, count + 1, st));
    if (!is_plain) {
        GS_TRY(gs_text_read_mail(t, d_undecided, 1, st));
        if (t->h_mail[0] != 0)
            return GS_FAIL(st, GS_ERR_LIMIT, 0, GS_TEXT_UNDECIDED_WHY);
    }
    GS_TRY(gs_text_read_mail(t, key_starts + count, 1, st));
    *bytes = (size_t)t->h_mail[0];
    return GS_OK;
}

gs_code gs_text_make_keys(gs_text_sort *t, uint64_t count, size_t at, size_t *bytes,
                          gs_status *st)
{
    uint64_t *const key_starts = t->parts.key_starts;
    const gs_text_order *const order = &t->options.order;
    gs_text_view lines = t->view;
    *bytes = 0;
    if (order->key_count == 0)
        return GS_OK;
    lines.key_starts = nullptr;
    GS_TRY(measure_keys(t, lines, count, bytes, st));
    if (*bytes > gs_text_keys_left(t, at))
        return GS_OK;
    const auto kernel =
        gs_text_order_is_plain(order) ? k_write_keys<true> : k_write_keys<false>;
    kernel<<<gs_text_grid(count, THREADS), THREADS, 0, t->work_stream>>>(
        lines, *order, count, key_starts, t->d_keys + at);
    GPU_LAUNCHED(st, t->work_stream, "k_write_keys");
    t->view.keys = t->d_keys + at;
    t->view.key_starts = key_starts;
    return GS_OK;
}

/* --- sorting ------------------------------------------------------------------------ */

static gs_code sort_numbers(gs_text_sort *t, uint64_t count, gs_status *st)
{
    /* The engine works on a stream of its own. */
    GPU_TRY(st, cudaStreamSynchronize(t->work_stream));
    gs_batch batch = {};
    batch.keys = t->parts.numbers;
    batch.count = (size_t)count;
    GS_TRY(gs_engine_submit(t->engine, &batch, st));
    return gs_engine_wait(t->engine, st);
}

/* Keeps the items of the list that need another round. */
template <typename I>
static gs_code select(gs_text_sort *t, I from, uint64_t count, uint32_t *to,
                      uint64_t *selected, gs_status *st)
{
    size_t bytes = t->parts.temp_bytes;
    uint64_t *const d_selected = t->parts.tile_counts; /* not needed any more */
    GPU_TRY(st,
            cub::DeviceSelect::Flagged(t->parts.temp, bytes, from, t->parts.goes_on, to,
                                       d_selected, (int64_t)count, t->work_stream));
    GS_TRY(gs_text_read_mail(t, d_selected, 1, st));
    *selected = t->h_mail[0];
    return GS_OK;
}

/* One round for the `count` places in list `now`; the next list is in the other. */
static gs_code settle_ties(gs_text_sort *t, unsigned now, unsigned round, uint64_t count,
                           uint64_t *left, gs_status *st)
{
    gs_text_parts *const p = &t->parts;
    const cudaStream_t stream = t->work_stream;
    const unsigned blocks = gs_text_grid(count, THREADS);
    uint32_t *const places = p->places[now], *const depths = p->depths[now];
    size_t bytes = p->temp_bytes;
    k_mark_heads<<<blocks, THREADS, 0, stream>>>(places, count, p->same, p->heads,
                                                 p->skips);
    GPU_LAUNCHED(st, stream, "k_mark_heads");
    GPU_TRY(st,
            cub::DeviceScan::InclusiveScan(p->temp, bytes, p->heads, p->heads,
                                           cuda::maximum<>{}, (int64_t)count, stream));
    const unsigned most = SKIP_DOUBLINGS_MAX;
    const unsigned doublings = round - 1 < most ? round - 1 : most;
    k_find_skips<<<blocks, THREADS, 0, stream>>>(t->view, places, count, p->order,
                                                 p->heads, depths,
                                                 SKIP_LIMIT << doublings, p->skips);
    GPU_LAUNCHED(st, stream, "k_find_skips");
    k_next_numbers<<<blocks, THREADS, 0, stream>>>(
        t->view, places, count, p->order, p->heads, p->skips, depths, p->numbers);
    GPU_LAUNCHED(st, stream, "k_next_numbers");
    GS_TRY(sort_numbers(t, count, st));
    k_take_next<<<blocks, THREADS, 0, stream>>>(p->numbers, places, count,
                                                t->view.is_backwards, p->order, p->same,
                                                p->goes_on, depths);
    GPU_LAUNCHED(st, stream, "k_take_next");
    GS_TRY(select(t, depths, count, p->depths[now ^ 1], left, st));
    return select(t, places, count, p->places[now ^ 1], left, st);
}

static __global__ void k_set_depths(uint32_t *to, uint64_t count, uint32_t value)
{
    const uint64_t i = gs_tie_index();
    if (i < count)
        to[i] = value;
}

gs_code gs_text_sort_unit(gs_text_sort *t, uint64_t count, gs_status *st)
{
    gs_text_parts *const p = &t->parts;
    const unsigned blocks = gs_text_grid(count, THREADS);
    gs_assert(count > 0 && count <= t->plan.unit_count);
    k_first_numbers<<<blocks, THREADS, 0, t->work_stream>>>(t->view, count, p->numbers);
    GPU_LAUNCHED(st, t->work_stream, "k_first_numbers");
    GS_TRY(sort_numbers(t, count, st));
    k_take_first<<<blocks, THREADS, 0, t->work_stream>>>(
        p->numbers, count, t->view.is_backwards, p->order, p->same, p->goes_on);
    GPU_LAUNCHED(st, t->work_stream, "k_take_first");
    GS_TRY(gs_text_end_step(t, "sort", st));
    uint64_t left = 0;
    GS_TRY(select(t, thrust::counting_iterator<uint32_t>(0), count, p->places[0], &left,
                  st));
    k_set_depths<<<gs_text_grid(left, THREADS), THREADS, 0, t->work_stream>>>(
        p->depths[0], left, GS_FIRST_BYTES);
    GPU_LAUNCHED(st, t->work_stream, "k_set_depths");
    unsigned rounds = 1;
    for (unsigned now = 0; left > 0; now ^= 1) {
        gs_assert(rounds < ROUNDS_MAX);
        GS_TRY(settle_ties(t, now, rounds, left, &left, st));
        rounds++;
        GS_TRY(gs_text_end_step(t, "settle ties", st));
    }
    t->rounds = rounds > t->rounds ? rounds : t->rounds;
    return GS_OK;
}

/* --- the result --------------------------------------------------------------------- */

static __global__ void k_mark_kept(uint64_t count, const uint8_t *same, uint8_t *kept)
{
    const uint64_t i = gs_tie_index();
    if (i < count)
        kept[i] = !same[i];
}

/* The records that stay and how many they stand for; places are where they stood. */
static __global__ void k_take_kept(const uint32_t *places, uint64_t kept, uint64_t count,
                                   const uint32_t *order, const uint32_t *rows,
                                   uint32_t *to, uint32_t *counts)
{
    const uint64_t i = gs_tie_index();
    if (i >= kept)
        return;
    const uint64_t next = i + 1 < kept ? places[i + 1] : count;
    const uint32_t row = order[places[i]];
    to[i] = rows != nullptr ? rows[row] : row;
    counts[i] = (uint32_t)(next - places[i]);
}

gs_code gs_text_drop_equals(gs_text_sort *t, uint64_t count, const uint32_t *rows,
                            uint32_t *to, uint32_t *counts, uint64_t *kept, gs_status *st)
{
    gs_text_parts *const p = &t->parts;
    k_mark_kept<<<gs_text_grid(count, THREADS), THREADS, 0, t->work_stream>>>(
        count, p->same, p->goes_on);
    GPU_LAUNCHED(st, t->work_stream, "k_mark_kept");
    GS_TRY(
        select(t, thrust::counting_iterator<uint32_t>(0), count, p->places[0], kept, st));
    k_take_kept<<<gs_text_grid(*kept, THREADS), THREADS, 0, t->work_stream>>>(
        p->places[0], *kept, count, p->order, rows, to, counts);
    GPU_LAUNCHED(st, t->work_stream, "k_take_kept");
    return GS_OK;
}

/* A chunk that is one unit. */
static gs_code sort_whole(gs_text_sort *t, uint64_t count, bool drops, gs_status *st)
{
    gs_text_parts *const p = &t->parts;
    size_t keys_bytes;
    GS_TRY(gs_text_make_keys(t, count, 0, &keys_bytes, st));
    gs_assert(keys_bytes <= gs_text_keys_left(t, 0));
    GS_TRY(gs_text_end_step(t, "encode keys", st));
    GS_TRY(gs_text_sort_unit(t, count, st));
    t->d_order = p->order;
    t->d_result_counts = nullptr;
    t->result_count = count;
    if (!drops)
        return GS_OK;
    t->d_order = p->heads;
    t->d_result_counts = p->skips;
    return gs_text_drop_equals(t, count, nullptr, p->heads, p->skips, &t->result_count,
                               st);
}

/* Where records begin in the result, and how long it is. */
static gs_code lay_out_result(gs_text_sort *t, gs_status *st)
{
    const uint64_t count = t->result_count, groups = gs_groups(count);
    uint64_t *const sums = t->parts.sums;
    gs_text_view lines = t->lines;
    lines.rows = t->d_order;
    GS_TRY(gs_text_group_bytes(t, lines, t->shape == GS_TEXT_RECORDS, count, sums, st));
    GS_TRY(gs_text_read_mail(t, sums + groups, 1, st));
    t->result_bytes = t->h_mail[0];
    return GS_OK;
}

gs_code gs_text_view_lines(gs_text_sort *t, gs_status *st)
{
    const gs_text_order *const o = &t->options.order;
    t->lines = {};
    t->lines.text = t->d_text;
    t->lines.starts = t->parts.starts;
    t->lines.record_size = o->record_size;
    t->lines.is_key_only = o->is_key_only;
    t->lines.is_backwards = o->is_backwards;
    t->lines.has_eol = o->record_size == 0;
    t->view = t->lines;
    if (o->record_size > 0)
        return GS_OK;
    return gs_text_find_lines(t, t->d_text, t->text_bytes, t->parts.starts, st);
}

gs_code gs_text_sort_run(gs_text_sort *t, gs_text_shape shape, bool drops, uint64_t keep,
                         gs_text_result *out, gs_status *st)
{
    *out = {};
    t->result_count = t->result_bytes = 0;
    t->rounds = 0;
    gs_assert(!drops || t->options.may_drop_equals);
    GPU_TRY(st, cudaSetDevice(t->options.device));
    GS_TRY(gs_text_take_counts(t, t->upload_count, st));
    const size_t record_size = t->options.order.record_size;
    const uint64_t count =
        record_size > 0 ? t->text_bytes / record_size : t->lines_counted;
    out->input_count = count;
    if (count == 0)
        return GS_OK;
    if (count >= UINT32_MAX)
        return GS_FAIL(st, GS_ERR_LIMIT, 0, "GPU: too many records in a chunk");
    t->step_ns = gs_trace_begin(t->options.trace);
    gs_text_plan plan;
    GS_TRY(gs_text_plan_make(t, count, t->text_bytes, t->costly_counted,
                             gs_text_available(t), &plan, st));
    GS_TRY(gs_text_prepare(t, &plan, st));
    GS_TRY(gs_text_view_lines(t, st));
    GS_TRY(gs_text_end_step(t, "find lines", st));
    t->shape = shape;
    if (plan.unit_count < plan.count)
        GS_TRY(gs_text_sort_units(t, count, drops, keep, st));
    else
        GS_TRY(sort_whole(t, count, drops, st));
    if (keep < t->result_count)
        t->result_count = keep;
    GS_TRY(lay_out_result(t, st));
    GS_TRY(gs_text_end_step(t, "lay out", st));
    out->record_count = t->result_count;
    out->bytes = t->result_bytes;
    out->rounds = t->rounds;
    return GS_OK;
}
