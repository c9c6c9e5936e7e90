/* SPDX-License-Identifier: MIT */
/*
 * text_plan: what the sort of a chunk takes, and whether that is there.
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
#include "lib/base/assertion.h"

/* Into how many units a chunk may be cut: the most is what an upload reckons with. */
static const unsigned unit_counts[] = {1, 2, 3, 4, 6, 8, 12, GS_TEXT_UNITS_MAX};
enum {
    UNIT_COUNTS = sizeof unit_counts / sizeof *unit_counts,
    LEAST_CUT_RECORDS = 1 << 16, /* fewer are one unit */
};

static const size_t describe_bytes = (size_t)16 << 20; /* of records that are fetched */

size_t gs_text_available(const gs_text_sort *t)
{
    const size_t beside = t->fixed_bytes + describe_bytes;
    return t->memory_bytes > beside ? t->memory_bytes - beside : 0;
}

/* --- the parts of work -------------------------------------------------------------- */

/* Temporary memory of every CUB call that is made with up to `count` items of a unit, and
 * with `chunk` of its bucket ids. */
static gs_code measure_temp(size_t count, size_t chunk, size_t *out, gs_status *st)
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
    if (chunk > 0) {
        const gs_in_buckets is_in = {};
        GPU_TRY(st, cub::DeviceSelect::If(nullptr, bytes,
                                          thrust::counting_iterator<uint32_t>(0), halves,
                                          words, (int64_t)chunk, is_in));
        most = bytes > most ? bytes : most;
    }
    *out = most;
    return GS_OK;
}

/* Hands out the parts of `work`; with a NULL base it only adds them up. For any text that
 * the chunk has room for. */
static gs_code lay_out(const gs_text_sort *t, uint8_t *base, uint64_t count,
                       uint64_t unit_count, gs_text_parts *p, size_t *bytes,
                       gs_status *st)
{
    const bool has_lines = t->options.order.record_size == 0;
    const bool has_keys = t->options.order.key_count > 0;
    const bool is_cut = unit_count < count;
    const uint64_t tiles = t->text_capacity / GS_LINE_TILE + 2;
    const size_t all = (size_t)count + 1, n = (size_t)unit_count + 1;
    const size_t sums = (size_t)gs_groups(count) + 2;
    size_t scanned = n > sums ? n : sums;
    scanned = scanned > tiles ? scanned : (size_t)tiles;
    GS_TRY(measure_temp(scanned, is_cut ? all : 0, &p->temp_bytes, st));
    gs_scratch s = {(char *)base, 0};
    p->tile_counts = s.take<uint64_t>((size_t)tiles);
    p->starts = has_lines ? s.take<uint64_t>(all) : nullptr;
    p->sums = s.take<uint64_t>(sums);
    p->result = is_cut ? s.take<uint32_t>(all) : nullptr;
    p->counts = is_cut && t->options.may_drop_equals ? s.take<uint32_t>(all) : nullptr;
    p->bucket_ids = is_cut ? s.take<uint16_t>(all) : nullptr;
    p->buckets = is_cut ? s.take<gs_text_bucket>(GS_BUCKETS_MAX + 1) : nullptr;
    p->splitter_rows = is_cut ? s.take<uint32_t>(GS_SPLITTERS_MAX) : nullptr;
    p->splitter_key_starts =
        is_cut && has_keys ? s.take<uint64_t>(GS_SPLITTERS_MAX + 1) : nullptr;
    p->rows = is_cut ? s.take<uint32_t>(n) : nullptr;
    p->key_starts = has_keys ? s.take<uint64_t>(n) : nullptr;
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

/* --- the plan ----------------------------------------------------------------------- */

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

/* May a chunk of so many records be cut into so many units? */
static bool can_cut(const gs_text_sort *t, uint64_t records, unsigned units)
{
    const uint64_t most = t->options.unit_records_max;
    if (most > 0)
        return units > 1 || records <= most;
    return units == 1 || records >= LEAST_CUT_RECORDS;
}

static void count_units(const gs_text_sort *t, uint64_t records, unsigned units,
                        gs_text_plan *plan)
{
    const uint64_t most = t->options.unit_records_max;
    plan->count = round_up(records);
    plan->unit_count = units == 1 ? plan->count : round_up(plan->count / units + 1);
    if (units > 1 && most > 0 && plan->unit_count > most)
        plan->unit_count = most;
}

/* What work and engine take. */
static gs_code run_bytes(const gs_text_sort *t, const gs_text_plan *plan, size_t *bytes,
                         gs_status *st)
{
    const gs_engine_options options = engine_options(t);
    gs_text_parts parts;
    size_t work = 0, engine = 0;
    GS_TRY(lay_out(t, nullptr, plan->count, plan->unit_count, &parts, &work, st));
    GS_TRY(gs_engine_bytes_alone(&options, (size_t)plan->unit_count, &engine, st));
    *bytes = gs_device_taken(work) + engine;
    return GS_OK;
}

/* Room for the keys of a unit: of the chunk, or of its part and some more. */
static size_t keys_room(const gs_text_sort *t, uint64_t text_bytes, uint64_t records,
                        uint64_t costly, unsigned units)
{
    const gs_text_order *const o = &t->options.order;
    if (o->key_count == 0)
        return 0;
    uint64_t bytes = gs_text_keys_bound(o, records, text_bytes, costly);
    if (units > 1)
        bytes = bytes / units / 4 * 5;
    return gs_device_taken((size_t)bytes + 2 * GS_TEXT_SLACK);
}

gs_code gs_text_can_fit(gs_text_sort *t, uint64_t least, uint64_t records,
                        uint64_t text_bytes, uint64_t costly, size_t available, bool *out,
                        gs_status *st)
{
    *out = false;
    for (unsigned k = 0; k < 2 && !*out; k++) {
        const unsigned units = unit_counts[k == 0 ? 0 : UNIT_COUNTS - 1];
        const size_t keys = keys_room(t, text_bytes, records, costly, units);
        if (keys > available || !can_cut(t, units == 1 ? records : least, units))
            continue;
        if (t->too_many[k] > 0 && records >= t->too_many[k])
            continue;
        *out = records <= t->known_count[k] && t->known_bytes[k] <= available - keys;
        /* What is asked for is a little more, so that not every batch has to ask. */
        const uint64_t wanted[] = {records + records / 16, records};
        for (unsigned i = 0; i < 2 && !*out; i++) {
            gs_text_plan plan;
            count_units(t, wanted[i], units, &plan);
            GS_TRY(run_bytes(t, &plan, &t->known_bytes[k], st));
            t->known_count[k] = wanted[i];
            *out = t->known_bytes[k] <= available - keys;
        }
        if (t->known_count[k] == records && t->known_bytes[k] > available)
            t->too_many[k] = records;
    }
    return GS_OK;
}

gs_code gs_text_plan_make(const gs_text_sort *t, uint64_t records, uint64_t text_bytes,
                          uint64_t costly, size_t available, gs_text_plan *out,
                          gs_status *st)
{
    for (unsigned k = 0; k < UNIT_COUNTS; k++) {
        const unsigned units = unit_counts[k];
        if (!can_cut(t, records, units))
            continue;
        size_t bytes = 0;
        count_units(t, records, units, out);
        out->keys_bytes = keys_room(t, text_bytes, records, costly, units);
        GS_TRY(run_bytes(t, out, &bytes, st));
        out->bytes = bytes + out->keys_bytes;
        if (out->bytes <= available)
            return GS_OK;
    }
    return GS_FAIL(st, GS_ERR_NOMEM, 0, "GPU: %zu bytes do not do for %llu records",
                   available, (unsigned long long)records);
}

gs_code gs_text_plan_cut(const gs_text_sort *t, uint64_t records, uint64_t text_bytes,
                         uint64_t costly, size_t available, gs_text_plan *out, bool *fits,
                         gs_status *st)
{
    const unsigned units = unit_counts[UNIT_COUNTS - 1];
    size_t bytes = 0;
    *fits = false;
    if (!can_cut(t, records, units))
        return GS_OK;
    count_units(t, records, units, out);
    out->keys_bytes = keys_room(t, text_bytes, records, costly, units);
    GS_TRY(run_bytes(t, out, &bytes, st));
    out->bytes = bytes + out->keys_bytes;
    *fits = out->unit_count < out->count && out->bytes <= available;
    return GS_OK;
}

/* --- its memory --------------------------------------------------------------------- */

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

/* Later chunks mostly need about as much and find it there. */
gs_code gs_text_prepare(gs_text_sort *t, const gs_text_plan *plan, gs_status *st)
{
    size_t bytes = 0;
    GS_TRY(lay_out(t, nullptr, plan->count, plan->unit_count, &t->parts, &bytes, st));
    const bool is_enough = t->engine != nullptr && plan->unit_count <= t->engine_count &&
                           bytes <= t->work_bytes && plan->keys_bytes <= t->keys_bytes;
    if (!is_enough) {
        drop_engine(t);
        GS_TRY(gs_text_drop(t, &t->d_work, &t->work_bytes, st));
        GS_TRY(gs_text_drop(t, &t->d_keys, &t->keys_bytes, st));
        GS_TRY(gs_text_grow(t, &t->d_work, &t->work_bytes, bytes, st));
        GS_TRY(gs_text_grow(t, &t->d_keys, &t->keys_bytes, plan->keys_bytes, st));
        GS_TRY(new_engine(t, (size_t)plan->unit_count, st));
    }
    GS_TRY(lay_out(t, t->d_work, plan->count, plan->unit_count, &t->parts, &bytes, st));
    t->plan = *plan;
    return GS_OK;
}
