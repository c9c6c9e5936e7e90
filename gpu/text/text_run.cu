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

/* A step of run has ended; with a trace it waits, so that the steps can be told apart. */
static gs_code end_step(gs_text_sort *t, const char *name, uint64_t *begin_ns,
                        gs_status *st)
{
    if (t->options.trace == nullptr)
        return GS_OK;
    GPU_TRY(st, cudaStreamSynchronize(t->work_stream));
    gs_trace_end(t->options.trace, GS_LANE_GPU, t->options.number, name, *begin_ns, 0);
    *begin_ns = gs_trace_begin(t->options.trace);
    return GS_OK;
}

/* --- the memory of a run ------------------------------------------------------------ */

/* Temporary memory of every CUB call that is made with up to `count` items. */
static gs_code measure_temp(size_t count, size_t *out, gs_status *st)
{
    size_t most = 0, bytes = 0;
    uint64_t *const words = nullptr;
    uint32_t *const halves = nullptr;
    const uint8_t *const flags = nullptr;
    const int64_t items = (int64_t)count + 1;
    GPU_TRY(st, cub::DeviceScan::ExclusiveSum(nullptr, bytes, words, words, items));
    most = bytes > most ? bytes : most;
    GPU_TRY(st, cub::DeviceScan::InclusiveScan(nullptr, bytes, halves, halves,
                                               cuda::maximum<>{}, items));
    most = bytes > most ? bytes : most;
    GPU_TRY(st, cub::DeviceSelect::Flagged(nullptr, bytes,
                                           thrust::counting_iterator<uint32_t>(0), flags,
                                           halves, words, items));
    most = bytes > most ? bytes : most;
    GPU_TRY(st, cub::DeviceSelect::Flagged(nullptr, bytes, halves, flags, halves, words,
                                           items));
    most = bytes > most ? bytes : most;
    *out = most;
    return GS_OK;
}

/* Hands out the parts of `work`; with a NULL base it only adds them up. For any text that
 * the chunk has room for. */
static gs_code lay_out(const gs_text_sort *t, uint8_t *base, uint64_t count,
                       gs_text_parts *p, size_t *bytes, gs_status *st)
{
    const uint64_t tiles = t->text_capacity / GS_LINE_TILE + 2;
    const size_t n = (size_t)count + 1;
    GS_TRY(measure_temp(n > tiles ? n : (size_t)tiles, &p->temp_bytes, st));
    gs_scratch s = {(char *)base, 0};
    p->tile_counts = s.take<uint64_t>((size_t)tiles);
    p->starts = t->options.order.record_size > 0 ? nullptr : s.take<uint64_t>(n);
    p->key_starts = t->options.order.key_count > 0 ? s.take<uint64_t>(n) : nullptr;
    /* Also the offsets of the result, and behind them the counts. */
    p->numbers = s.take<gs_u128>(n + 16);
    p->order = s.take<uint32_t>(n);
    for (unsigned i = 0; i < 2; i++) {
        p->places[i] = s.take<uint32_t>(n);
        p->depths[i] = s.take<uint32_t>(n);
    }
    p->heads = s.take<uint32_t>(n);
    p->skips = s.take<uint32_t>(n);
    p->same = s.take<uint8_t>(n);
    p->goes_on = s.take<uint8_t>(n);
    p->temp = s.take<uint8_t>(p->temp_bytes);
    *bytes = s.used;
    return GS_OK;
}

static gs_engine_options engine_options(const gs_text_sort *t)
{
    gs_engine_options options = {};
    options.name = t->options.engine;
    options.type = GS_BATCH_U128;
    options.place = GS_PLACE_DEVICE;
    options.devices[0] = t->options.device;
    options.device_count = 1;
    options.log = t->options.log;
    return options;
}

/* A count of six digits in base 2: one in 32 more at most, so that chunks of about the
 * same size are prepared for the same. */
static uint64_t round_up(uint64_t count)
{
    unsigned shift = 0;
    while (count >> shift >= 64)
        shift++;
    const uint64_t unit = (uint64_t)1 << shift;
    return (count + unit - 1) / unit * unit;
}

gs_code gs_text_run_bytes(const gs_text_sort *t, uint64_t count, uint64_t *most,
                          size_t *bytes, gs_status *st)
{
    const gs_engine_options options = engine_options(t);
    gs_text_parts parts;
    size_t work = 0, engine = 0;
    *most = round_up(count);
    GS_TRY(lay_out(t, nullptr, *most, &parts, &work, st));
    GS_TRY(gs_engine_bytes_alone(&options, (size_t)*most, &engine, st));
    *bytes = gs_device_taken(work) + engine;
    return GS_OK;
}

static void drop_engine(gs_text_sort *t)
{
    gs_engine_free(t->engine);
    t->held_bytes -= t->engine_bytes;
    t->engine = nullptr;
    t->engine_count = t->engine_bytes = 0;
}

static gs_code new_engine(gs_text_sort *t, size_t count, gs_status *st)
{
    gs_engine_options options = engine_options(t);
    options.count_max = count;
    options.has_reserve = true;
    options.memory_max_bytes = t->memory_bytes - t->held_bytes;
    if (options.memory_max_bytes == 0)
        options.memory_max_bytes = 1; /* 0 would be no bound */
    GS_TRY(gs_engine_new(&t->engine, &options, st));
    t->engine_count = count;
    t->engine_bytes = gs_engine_device_bytes(t->engine);
    t->held_bytes += t->engine_bytes;
    return GS_OK;
}

/* The memory for a chunk of `count` records. Later chunks mostly need about as much and
 * find it there. What earlier ones have left goes if there is no room beside it. */
static gs_code prepare(gs_text_sort *t, uint64_t count, gs_status *st)
{
    uint64_t most = 0;
    size_t bytes = 0, all = 0;
    GS_TRY(gs_text_run_bytes(t, count, &most, &all, st));
    GS_TRY(lay_out(t, nullptr, most, &t->parts, &bytes, st));
    const size_t keys = gs_text_keys_room(t, t->text_bytes, count, t->escaped_counted);
    const bool is_enough =
        t->engine != nullptr && most <= t->engine_count && bytes <= t->work_bytes;
    const size_t beside = t->held_bytes - gs_device_taken(t->keys_bytes) +
                          (keys > t->keys_bytes ? keys : gs_device_taken(t->keys_bytes));
    if (!is_enough || beside > t->memory_bytes) {
        drop_engine(t);
        GS_TRY(gs_text_drop(t, &t->d_work, &t->work_bytes, st));
        GS_TRY(gs_text_drop(t, &t->d_keys, &t->keys_bytes, st));
        GS_TRY(gs_text_grow(t, &t->d_work, &t->work_bytes, bytes, 0, st));
        GS_TRY(new_engine(t, (size_t)most, st));
    }
    GS_TRY(lay_out(t, t->d_work, count, &t->parts, &bytes, st));
    gs_assert(bytes <= t->work_bytes);
    return GS_OK;
}

static gs_code sum_up(gs_text_sort *t, uint64_t *words, uint64_t count, gs_status *st)
{
    size_t bytes = t->parts.temp_bytes;
    GPU_TRY(st, cub::DeviceScan::ExclusiveSum(t->parts.temp, bytes, words, words,
                                              (int64_t)count, t->work_stream));
    return GS_OK;
}

/* --- lines and keys ----------------------------------------------------------------- */

static gs_code find_lines(gs_text_sort *t, gs_status *st)
{
    gs_text_parts *const p = &t->parts;
    const uint8_t eol = t->options.order.eol;
    const unsigned tiles = gs_text_grid(t->text_bytes, GS_LINE_TILE);
    k_count_tile_lines<<<tiles, GS_LINE_THREADS, 0, t->work_stream>>>(
        t->d_text, t->text_bytes, eol, p->tile_counts);
    GPU_LAUNCHED(st, t->work_stream, "k_count_tile_lines");
    GS_TRY(sum_up(t, p->tile_counts, tiles, st));
    k_write_starts<<<tiles, GS_LINE_THREADS, 0, t->work_stream>>>(
        t->d_text, t->text_bytes, eol, p->tile_counts, p->starts);
    GPU_LAUNCHED(st, t->work_stream, "k_write_starts");
    return GS_OK;
}

static __global__ void k_measure_keys(gs_text_view view,
                                      const __grid_constant__ gs_text_order order,
                                      uint64_t count, uint64_t *key_starts)
{
    const uint64_t i = gs_tie_index();
    if (i > count)
        return;
    uint64_t bytes = 0;
    if (i < count) {
        const gs_text_string s = gs_text_at(view, (uint32_t)i);
        bytes = gs_text_key_encode(&order, s.line, s.line_bytes, nullptr);
    }
    key_starts[i] = bytes;
}

static __global__ void k_write_keys(gs_text_view view,
                                    const __grid_constant__ gs_text_order order,
                                    uint64_t count, const uint64_t *key_starts,
                                    uint8_t *keys)
{
    const uint64_t i = gs_tie_index();
    if (i >= count)
        return;
    const gs_text_string s = gs_text_at(view, (uint32_t)i);
    (void)gs_text_key_encode(&order, s.line, s.line_bytes, keys + key_starts[i]);
}

static gs_code make_keys(gs_text_sort *t, uint64_t count, gs_status *st)
{
    uint64_t *const key_starts = t->parts.key_starts;
    gs_text_view lines = t->view;
    lines.key_starts = nullptr;
    k_measure_keys<<<gs_text_grid(count + 1, THREADS), THREADS, 0, t->work_stream>>>(
        lines, t->options.order, count, key_starts);
    GPU_LAUNCHED(st, t->work_stream, "k_measure_keys");
    GS_TRY(sum_up(t, key_starts, count + 1, st));
    GS_TRY(gs_text_read_mail(t, key_starts + count, 1, st));
    const size_t bytes = (size_t)t->h_mail[0] + GS_TEXT_SLACK;
    if (bytes > t->keys_bytes)
        GS_TRY(gs_text_grow(t, &t->d_keys, &t->keys_bytes, bytes, bytes / 64, st));
    k_write_keys<<<gs_text_grid(count, THREADS), THREADS, 0, t->work_stream>>>(
        lines, t->options.order, count, key_starts, t->d_keys);
    GPU_LAUNCHED(st, t->work_stream, "k_write_keys");
    t->view.keys = t->d_keys;
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

/* Puts the rows into order; the number of rounds is what it took. */
static gs_code sort_strings(gs_text_sort *t, uint64_t count, unsigned *rounds,
                            uint64_t *begin_ns, gs_status *st)
{
    gs_text_parts *const p = &t->parts;
    const unsigned blocks = gs_text_grid(count, THREADS);
    k_first_numbers<<<blocks, THREADS, 0, t->work_stream>>>(t->view, count, p->numbers);
    GPU_LAUNCHED(st, t->work_stream, "k_first_numbers");
    GS_TRY(sort_numbers(t, count, st));
    k_take_first<<<blocks, THREADS, 0, t->work_stream>>>(
        p->numbers, count, t->view.is_backwards, p->order, p->same, p->goes_on);
    GPU_LAUNCHED(st, t->work_stream, "k_take_first");
    GS_TRY(end_step(t, "sort", begin_ns, st));
    uint64_t left = 0;
    GS_TRY(select(t, thrust::counting_iterator<uint32_t>(0), count, p->places[0], &left,
                  st));
    k_set_depths<<<gs_text_grid(left, THREADS), THREADS, 0, t->work_stream>>>(
        p->depths[0], left, GS_FIRST_BYTES);
    GPU_LAUNCHED(st, t->work_stream, "k_set_depths");
    *rounds = 1;
    for (unsigned now = 0; left > 0; now ^= 1) {
        gs_assert(*rounds < ROUNDS_MAX);
        GS_TRY(settle_ties(t, now, *rounds, left, &left, st));
        ++*rounds;
        GS_TRY(end_step(t, "settle ties", begin_ns, st));
    }
    return GS_OK;
}

/* --- the result --------------------------------------------------------------------- */

static __global__ void k_mark_kept(uint64_t count, const uint8_t *same, uint8_t *kept)
{
    const uint64_t i = gs_tie_index();
    if (i < count)
        kept[i] = !same[i];
}

/* Rows and counts of the records that stay; places are where they stood. */
static __global__ void k_take_kept(const uint32_t *places, uint64_t kept, uint64_t count,
                                   const uint32_t *order, uint32_t *kept_order,
                                   uint32_t *counts)
{
    const uint64_t i = gs_tie_index();
    if (i >= kept)
        return;
    const uint64_t next = i + 1 < kept ? places[i + 1] : count;
    kept_order[i] = order[places[i]];
    counts[i] = (uint32_t)(next - places[i]);
}

static gs_code drop_equals(gs_text_sort *t, uint64_t count, gs_status *st)
{
    gs_text_parts *const p = &t->parts;
    k_mark_kept<<<gs_text_grid(count, THREADS), THREADS, 0, t->work_stream>>>(
        count, p->same, p->goes_on);
    GPU_LAUNCHED(st, t->work_stream, "k_mark_kept");
    uint64_t kept = 0;
    GS_TRY(select(t, thrust::counting_iterator<uint32_t>(0), count, p->places[0], &kept,
                  st));
    k_take_kept<<<gs_text_grid(kept, THREADS), THREADS, 0, t->work_stream>>>(
        p->places[0], kept, count, p->order, p->heads, p->skips);
    GPU_LAUNCHED(st, t->work_stream, "k_take_kept");
    t->d_order = p->heads;
    t->d_result_counts = p->skips;
    t->result_count = kept;
    return GS_OK;
}

static gs_code lay_out_result(gs_text_sort *t, gs_status *st)
{
    const uint64_t count = t->result_count;
    t->d_offsets = (uint64_t *)t->parts.numbers;
    k_result_bytes<<<gs_text_grid(count + 1, THREADS), THREADS, 0, t->work_stream>>>(
        t->view, t->d_order, count, t->shape == GS_TEXT_RECORDS, t->d_offsets);
    GPU_LAUNCHED(st, t->work_stream, "k_result_bytes");
    GS_TRY(sum_up(t, t->d_offsets, count + 1, st));
    GS_TRY(gs_text_read_mail(t, t->d_offsets + count, 1, st));
    t->result_bytes = t->h_mail[0];
    return GS_OK;
}

static gs_code make_view(gs_text_sort *t, gs_status *st)
{
    const gs_text_order *const o = &t->options.order;
    t->view = {};
    t->view.text = t->d_text;
    t->view.starts = t->parts.starts;
    t->view.key_starts = t->parts.key_starts;
    t->view.record_size = o->record_size;
    t->view.is_key_only = o->is_key_only;
    t->view.is_backwards = o->is_backwards;
    t->view.has_eol = o->record_size == 0;
    return o->record_size > 0 ? GS_OK : find_lines(t, st);
}

gs_code gs_text_sort_run(gs_text_sort *t, gs_text_shape shape, bool drops, uint64_t keep,
                         gs_text_result *out, gs_status *st)
{
    *out = {};
    t->result_count = t->result_bytes = 0;
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
    uint64_t begin_ns = gs_trace_begin(t->options.trace);
    GS_TRY(prepare(t, count, st));
    GS_TRY(make_view(t, st));
    GS_TRY(end_step(t, "find lines", &begin_ns, st));
    if (t->options.order.key_count > 0) {
        GS_TRY(make_keys(t, count, st));
        GS_TRY(end_step(t, "encode keys", &begin_ns, st));
    }
    GS_TRY(sort_strings(t, count, &out->rounds, &begin_ns, st));
    t->shape = shape;
    t->d_order = t->parts.order;
    t->d_result_counts = nullptr;
    t->result_count = count;
    if (drops)
        GS_TRY(drop_equals(t, count, st));
    if (keep < t->result_count)
        t->result_count = keep;
    GS_TRY(lay_out_result(t, st));
    GS_TRY(end_step(t, "lay out", &begin_ns, st));
    out->record_count = t->result_count;
    out->bytes = t->result_bytes;
    return GS_OK;
}
