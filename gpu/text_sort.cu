/* SPDX-License-Identifier: MIT */
/*
 * text_sort: the owner of a chunk's memory, and the steps of its sort one after the
 * other.
 *
 *      text | ... | room for more                      from new on
 *      work | tile counts | starts | key starts | numbers | order | same | goes on |
 *           | places | depths | heads | skips | temporary memory of scans |
 *      keys | ... |                                    grown by the first chunks
 *      fetch slots | | | | |
 *
 * When the order is known the numbers are not needed any more: the offsets of the result
 * and the counts of equals take their place.
 */
#include "gpu/text_sort.h"

#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <cuda/functional>
#include <string.h>
#include <thrust/iterator/counting_iterator.h>

#include "gpu/device.h"
#include "gpu/engine_ops.cuh"
#include "gpu/gpu_try.cuh"
#include "gpu/text_gather.cuh"
#include "gpu/text_key.h"
#include "gpu/text_lines.cuh"
#include "gpu/text_ties.cuh"
#include "gpu/text_view.cuh"
#include "lib/base/assertion.h"
#include "lib/base/machine.h"
#include "lib/base/mem.h"

enum {
    UPLOADS_MAX = 64,
    THREADS = GS_TIE_THREADS,
    MAIL_WORDS = 8,
    SKIP_LIMIT = 1024, /* bytes looked at in the first tie round; later ones double it */
    SKIP_DOUBLINGS_MAX = 12,
    ROUNDS_MAX = 1 << 24,
};

static const size_t reserve_bytes = (size_t)512 << 20; /* for the driver and others */
/* What a record needs besides its text, engine included; checked by the allocations. */
static const size_t record_cost = 8 + 16 + 20 + 4 + 2 + 16 + 8 + 2;

typedef struct gs_upload {
    cudaEvent_t copied, counted;
    size_t bytes;
} gs_upload;

/* A span that the device's own progress begins and ends. */
typedef struct gs_text_span {
    gs_trace *trace;
    gs_trace_span span;
} gs_text_span;

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
    cudaStream_t copy_stream, work_stream, fetch_streams[GS_TEXT_FETCHES_MAX];

    uint8_t *d_text;
    size_t text_capacity;
    uint64_t text_bytes;

    gs_upload uploads[UPLOADS_MAX];
    unsigned long long *d_counts, *h_counts; /* lines of each upload */
    uint64_t upload_count, uploads_counted;
    uint64_t lines_counted, bytes_uncounted;

    uint8_t *d_work, *d_keys;
    size_t work_bytes, keys_bytes;
    gs_engine *engine;
    size_t engine_count;
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

static unsigned grid(uint64_t items, uint64_t a_block)
{
    const uint64_t blocks = (items + a_block - 1) / a_block;
    gs_assert(blocks <= INT32_MAX);
    return blocks ? (unsigned)blocks : 1;
}

static gs_code allocate(gs_text_sort *t, void **out, size_t bytes, gs_status *st)
{
    if (t->held_bytes + bytes > t->memory_bytes)
        return GS_FAIL(st, GS_ERR_NOMEM, 0, "GPU: %zu bytes more than the %zu it may use",
                       bytes, t->memory_bytes - t->held_bytes);
    GPU_TRY(st, cudaMalloc(out, bytes));
    t->held_bytes += bytes;
    return GS_OK;
}

/* Makes *memory at least `bytes` large; what was in it is lost. */
static gs_code grow(gs_text_sort *t, uint8_t **memory, size_t *capacity, size_t bytes,
                    gs_status *st)
{
    if (bytes <= *capacity)
        return GS_OK;
    GPU_TRY(st, cudaFree(*memory));
    t->held_bytes -= *capacity;
    *memory = nullptr;
    *capacity = 0;
    void *fresh = nullptr;
    GS_TRY(allocate(t, &fresh, bytes, st));
    *memory = (uint8_t *)fresh;
    *capacity = bytes;
    return GS_OK;
}

/* --- the trace --------------------------------------------------------------------- */

static void CUDART_CB begin_span(void *context)
{
    gs_text_span *const s = (gs_text_span *)context;
    s->span.begin_ns = gs_trace_begin(s->trace);
}

static void CUDART_CB end_span(void *context)
{
    gs_text_span *const s = (gs_text_span *)context;
    s->span.end_ns = gs_trace_begin(s->trace);
    gs_trace_add(s->trace, &s->span);
    gs_mem_free(s);
}

/* Puts the beginning of a span on the stream; NULL if nothing is traced. */
static gs_text_span *span_start(gs_text_sort *t, gs_trace_lane lane, const char *name,
                                unsigned number, uint64_t bytes, cudaStream_t stream)
{
    if (t->options.trace == nullptr)
        return nullptr;
    gs_status ignored = {};
    void *memory = nullptr;
    if (gs_mem_new(&memory, sizeof(gs_text_span), "trace span", &ignored) != GS_OK)
        return nullptr;
    gs_text_span *const s = (gs_text_span *)memory;
    s->trace = t->options.trace;
    s->span.name = name;
    s->span.lane = lane;
    s->span.number = number;
    s->span.bytes = bytes;
    if (cudaLaunchHostFunc(stream, begin_span, s) != cudaSuccess) {
        gs_mem_free(s);
        return nullptr;
    }
    return s;
}

static void span_stop(gs_text_span *s, cudaStream_t stream)
{
    if (s != nullptr && cudaLaunchHostFunc(stream, end_span, s) != cudaSuccess)
        gs_mem_free(s);
}

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

/* --- new and free ---------------------------------------------------------------------
 */

static gs_code choose_memory(gs_text_sort *t, gs_status *st)
{
    size_t free_bytes = 0, total = 0;
    GPU_TRY(st, cudaMemGetInfo(&free_bytes, &total));
    t->memory_bytes =
        free_bytes > 2 * reserve_bytes ? free_bytes - reserve_bytes : free_bytes / 2;
    const size_t most = t->options.memory_bytes_max;
    if (most > 0 && most < t->memory_bytes)
        t->memory_bytes = most;
    /* A line of 30 bytes needs about 80 more, so a third is for text; less if all of the
     * input needs less. */
    size_t text = t->memory_bytes / 3;
    const uint64_t expected = t->options.input_bytes;
    if (expected > 0 && expected + expected / 16 + t->options.batch_bytes_max < text)
        text = (size_t)(expected + expected / 16 + t->options.batch_bytes_max);
    if (t->options.text_bytes_max > 0 && t->options.text_bytes_max < text)
        text = t->options.text_bytes_max;
    if (text < 2 * t->options.batch_bytes_max)
        text = 2 * t->options.batch_bytes_max;
    t->text_capacity = text;
    return GS_OK;
}

static gs_code new_streams(gs_text_sort *t, gs_status *st)
{
    GPU_TRY(st, cudaStreamCreateWithFlags(&t->copy_stream, cudaStreamNonBlocking));
    GPU_TRY(st, cudaStreamCreateWithFlags(&t->work_stream, cudaStreamNonBlocking));
    for (unsigned i = 0; i < GS_TEXT_FETCHES_MAX; i++)
        GPU_TRY(st,
                cudaStreamCreateWithFlags(&t->fetch_streams[i], cudaStreamNonBlocking));
    for (unsigned i = 0; i < UPLOADS_MAX; i++) {
        GPU_TRY(st,
                cudaEventCreateWithFlags(&t->uploads[i].copied, cudaEventDisableTiming));
        GPU_TRY(st,
                cudaEventCreateWithFlags(&t->uploads[i].counted, cudaEventDisableTiming));
    }
    return GS_OK;
}

static gs_code new_memory(gs_text_sort *t, gs_status *st)
{
    void *memory = nullptr;
    GS_TRY(allocate(t, &memory, t->text_capacity + GS_TEXT_SLACK, st));
    t->d_text = (uint8_t *)memory;
    for (unsigned i = 0; i < GS_TEXT_FETCHES_MAX; i++) {
        GS_TRY(allocate(t, &memory, t->options.fetch_bytes_max + GS_TEXT_SLACK, st));
        t->d_fetch[i] = (uint8_t *)memory;
    }
    GS_TRY(allocate(t, &memory, UPLOADS_MAX * sizeof *t->d_counts, st));
    t->d_counts = (unsigned long long *)memory;
    GPU_TRY(st, cudaMallocHost(&memory, UPLOADS_MAX * sizeof *t->h_counts));
    t->h_counts = (unsigned long long *)memory;
    GPU_TRY(st, cudaMallocHost(&memory, MAIL_WORDS * sizeof *t->h_mail));
    t->h_mail = (uint64_t *)memory;
    return GS_OK;
}

gs_code gs_text_sort_new(gs_text_sort **out, const gs_text_sort_options *options,
                         gs_status *st)
{
    gs_assert(options->order.key_count <= GS_TEXT_KEYS_MAX);
    gs_assert(options->batch_bytes_max > 0 && options->fetch_bytes_max > 0);
    *out = nullptr;
    gs_device device;
    if (options->device < 0 || (unsigned)options->device >= gs_device_count())
        return GS_FAIL(st, GS_ERR_GPU, 0, "GPU %d: there are %u", options->device,
                       gs_device_count());
    GS_TRY(gs_device_get((unsigned)options->device, &device, st));
    if (!device.usable)
        return GS_FAIL(st, GS_ERR_GPU, 0, "GPU %d (%s): this build has no code for it",
                       options->device, device.name);
    GPU_TRY(st, cudaSetDevice(options->device));
    void *memory = nullptr;
    GS_TRY(gs_mem_new(&memory, sizeof(gs_text_sort), "GPU chunk", st));
    gs_text_sort *const t = (gs_text_sort *)memory;
    t->options = *options;
    GS_TRY_OR_FAIL(choose_memory(t, st));
    GS_TRY_OR_FAIL(new_streams(t, st));
    GS_TRY_OR_FAIL(new_memory(t, st));
    *out = t;
    return GS_OK;
fail:
    gs_text_sort_free(t);
    return st->code;
}

void gs_text_sort_free(gs_text_sort *t)
{
    if (t == nullptr)
        return;
    /* Nothing useful can be done if the device refuses to give something back. */
    (void)cudaSetDevice(t->options.device);
    (void)cudaDeviceSynchronize();
    gs_engine_free(t->engine);
    for (unsigned i = 0; i < UPLOADS_MAX; i++) {
        if (t->uploads[i].copied)
            (void)cudaEventDestroy(t->uploads[i].copied);
        if (t->uploads[i].counted)
            (void)cudaEventDestroy(t->uploads[i].counted);
    }
    for (unsigned i = 0; i < GS_TEXT_FETCHES_MAX; i++) {
        if (t->fetch_streams[i])
            (void)cudaStreamDestroy(t->fetch_streams[i]);
        (void)cudaFree(t->d_fetch[i]);
    }
    if (t->copy_stream)
        (void)cudaStreamDestroy(t->copy_stream);
    if (t->work_stream)
        (void)cudaStreamDestroy(t->work_stream);
    (void)cudaFree(t->d_text);
    (void)cudaFree(t->d_work);
    (void)cudaFree(t->d_keys);
    (void)cudaFree(t->d_counts);
    (void)cudaFree(t->d_records);
    (void)cudaFreeHost(t->h_counts);
    (void)cudaFreeHost(t->h_mail);
    (void)cudaGetLastError();
    gs_mem_free(t);
}

/* --- uploads --------------------------------------------------------------------------
 */

/* Takes the counts of the uploads that are done; waits for those before `until`. */
static gs_code take_counts(gs_text_sort *t, uint64_t until, gs_status *st)
{
    while (t->uploads_counted < t->upload_count) {
        const unsigned slot = (unsigned)(t->uploads_counted % UPLOADS_MAX);
        gs_upload *const u = &t->uploads[slot];
        if (t->uploads_counted < until) {
            GPU_TRY(st, cudaEventSynchronize(u->counted));
        } else {
            const cudaError_t state = cudaEventQuery(u->counted);
            if (state == cudaErrorNotReady)
                return GS_OK;
            GPU_TRY(st, state);
        }
        t->lines_counted += t->h_counts[slot];
        t->bytes_uncounted -= u->bytes;
        t->uploads_counted++;
    }
    return GS_OK;
}

/* Would a chunk of so much text and so many records fit? Keys are taken to be as long as
 * the text: they mostly are shorter. */
static bool fits(const gs_text_sort *t, uint64_t text_bytes, uint64_t records)
{
    const bool is_keyed = t->options.order.key_count > 0;
    const uint64_t fixed = t->held_bytes - t->work_bytes - t->keys_bytes;
    const uint64_t keys = is_keyed ? text_bytes + 24 * records : 0;
    const uint64_t needed = records * record_cost + keys + ((uint64_t)16 << 20);
    return records < UINT32_MAX && text_bytes <= t->text_capacity &&
           (fixed >= t->memory_bytes || needed <= t->memory_bytes - fixed);
}

static uint64_t records_bound(const gs_text_sort *t, uint64_t bytes)
{
    const size_t record_size = t->options.order.record_size;
    if (record_size > 0)
        return (t->text_bytes + bytes) / record_size;
    return t->lines_counted + t->bytes_uncounted + bytes;
}

gs_code gs_text_sort_upload(gs_text_sort *t, const void *data, size_t bytes, bool add_eol,
                            bool *is_full, uint64_t *ticket, gs_status *st)
{
    const size_t all = bytes + (add_eol ? 1 : 0);
    *is_full = false;
    GPU_TRY(st, cudaSetDevice(t->options.device));
    GS_TRY(take_counts(
        t, t->upload_count + 1 > UPLOADS_MAX ? t->upload_count + 1 - UPLOADS_MAX : 0,
        st));
    if (!fits(t, t->text_bytes + all, records_bound(t, all))) {
        GS_TRY(take_counts(t, t->upload_count, st));
        const bool is_first = t->text_bytes == 0;
        if (all > t->text_capacity && is_first)
            return GS_FAIL(st, GS_ERR_LIMIT, 0,
                           "GPU: a chunk of %zu bytes does not hold %zu",
                           t->text_capacity, all);
        *is_full = !is_first && !fits(t, t->text_bytes + all, records_bound(t, all));
        if (*is_full)
            return GS_OK;
    }
    const uint64_t number = t->upload_count;
    const unsigned slot = (unsigned)(number % UPLOADS_MAX);
    gs_upload *const u = &t->uploads[slot];
    const uint64_t begin = t->text_bytes, end = begin + all;
    gs_text_span *const span =
        span_start(t, GS_LANE_UPLOAD, "upload", t->options.number, all, t->copy_stream);
    GPU_TRY(st, cudaMemcpyAsync(t->d_text + begin, data, bytes, cudaMemcpyHostToDevice,
                                t->copy_stream));
    span_stop(span, t->copy_stream);
    GPU_TRY(st, cudaEventRecord(u->copied, t->copy_stream));
    if (add_eol)
        GPU_TRY(st, cudaMemsetAsync(t->d_text + begin + bytes, t->options.order.eol, 1,
                                    t->copy_stream));
    GPU_TRY(st,
            cudaMemsetAsync(&t->d_counts[slot], 0, sizeof *t->d_counts, t->copy_stream));
    if (t->options.order.record_size == 0) {
        k_count_lines<<<grid(end - begin / 16 * 16, GS_LINE_TILE), GS_LINE_THREADS, 0,
                        t->copy_stream>>>(t->d_text, begin, end, t->options.order.eol,
                                          &t->d_counts[slot]);
        GPU_LAUNCHED(st, t->copy_stream, "k_count_lines");
    }
    GPU_TRY(st,
            cudaMemcpyAsync(&t->h_counts[slot], &t->d_counts[slot], sizeof *t->d_counts,
                            cudaMemcpyDeviceToHost, t->copy_stream));
    GPU_TRY(st, cudaEventRecord(u->counted, t->copy_stream));
    u->bytes = all;
    t->text_bytes = end;
    t->bytes_uncounted += all;
    t->upload_count++;
    *ticket = number;
    return GS_OK;
}

gs_code gs_text_sort_uploads_done(gs_text_sort *t, const uint64_t *wait_for,
                                  uint64_t *done, gs_status *st)
{
    GPU_TRY(st, cudaSetDevice(t->options.device));
    if (wait_for != nullptr) {
        gs_assert(*wait_for < t->upload_count);
        GS_TRY(take_counts(t, *wait_for + 1, st));
    } else {
        GS_TRY(take_counts(t, 0, st));
    }
    *done = t->uploads_counted;
    return GS_OK;
}

/* --- the memory of a run
 * ---------------------------------------------------------------- */

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

/* Hands out the parts of `work`; with a NULL base it only adds them up. */
static gs_code lay_out(const gs_text_sort *t, uint8_t *base, uint64_t count,
                       gs_text_parts *p, size_t *bytes, gs_status *st)
{
    const uint64_t tiles = t->text_bytes / GS_LINE_TILE + 2;
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

static gs_code prepare_engine(gs_text_sort *t, size_t count, gs_status *st)
{
    if (t->engine != nullptr && count <= t->engine_count)
        return GS_OK;
    gs_engine_free(t->engine);
    t->engine = nullptr;
    gs_engine_options options = {};
    options.name = t->options.engine;
    options.type = GS_KEY_U128;
    options.place = GS_PLACE_DEVICE;
    options.count_max = count;
    options.devices[0] = t->options.device;
    options.device_count = 1;
    options.log = t->options.log;
    GS_TRY(gs_engine_new(&t->engine, &options, st));
    t->engine_count = count;
    return GS_OK;
}

/* The memory for a chunk of `count` records. Later chunks mostly need about as much, so
 * a little more is taken. */
static gs_code prepare(gs_text_sort *t, uint64_t count, gs_status *st)
{
    size_t bytes = 0;
    GS_TRY(lay_out(t, nullptr, count, &t->parts, &bytes, st));
    if (bytes > t->work_bytes)
        GS_TRY(grow(t, &t->d_work, &t->work_bytes, bytes + bytes / 64, st));
    GS_TRY(prepare_engine(t, (size_t)count, st));
    return lay_out(t, t->d_work, count, &t->parts, &bytes, st);
}

static gs_code read_mail(gs_text_sort *t, const uint64_t *d_words, unsigned count,
                         gs_status *st)
{
    gs_assert(count <= MAIL_WORDS);
    GPU_TRY(st, cudaMemcpyAsync(t->h_mail, d_words, count * sizeof *t->h_mail,
                                cudaMemcpyDeviceToHost, t->work_stream));
    GPU_TRY(st, cudaStreamSynchronize(t->work_stream));
    return GS_OK;
}

static gs_code sum_up(gs_text_sort *t, uint64_t *words, uint64_t count, gs_status *st)
{
    size_t bytes = t->parts.temp_bytes;
    GPU_TRY(st, cub::DeviceScan::ExclusiveSum(t->parts.temp, bytes, words, words,
                                              (int64_t)count, t->work_stream));
    return GS_OK;
}

/* --- lines and keys -------------------------------------------------------------------
 */

static gs_code find_lines(gs_text_sort *t, gs_status *st)
{
    gs_text_parts *const p = &t->parts;
    const uint8_t eol = t->options.order.eol;
    const unsigned tiles = grid(t->text_bytes, GS_LINE_TILE);
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
    k_measure_keys<<<grid(count + 1, THREADS), THREADS, 0, t->work_stream>>>(
        lines, t->options.order, count, key_starts);
    GPU_LAUNCHED(st, t->work_stream, "k_measure_keys");
    GS_TRY(sum_up(t, key_starts, count + 1, st));
    GS_TRY(read_mail(t, key_starts + count, 1, st));
    const size_t bytes = (size_t)t->h_mail[0] + GS_TEXT_SLACK;
    if (bytes > t->keys_bytes)
        GS_TRY(grow(t, &t->d_keys, &t->keys_bytes, bytes + bytes / 64, st));
    k_write_keys<<<grid(count, THREADS), THREADS, 0, t->work_stream>>>(
        lines, t->options.order, count, key_starts, t->d_keys);
    GPU_LAUNCHED(st, t->work_stream, "k_write_keys");
    t->view.keys = t->d_keys;
    return GS_OK;
}

/* --- sorting
 * ----------------------------------------------------------------------------- */

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
    GS_TRY(read_mail(t, d_selected, 1, st));
    *selected = t->h_mail[0];
    return GS_OK;
}

/* One round for the `count` places in list `now`; the next list is in the other. */
static gs_code settle_ties(gs_text_sort *t, unsigned now, unsigned round, uint64_t count,
                           uint64_t *left, gs_status *st)
{
    gs_text_parts *const p = &t->parts;
    const cudaStream_t stream = t->work_stream;
    const unsigned blocks = grid(count, THREADS);
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

static __global__ void k_fill(uint32_t *to, uint64_t count, uint32_t value)
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
    const unsigned blocks = grid(count, THREADS);
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
    k_fill<<<grid(left, THREADS), THREADS, 0, t->work_stream>>>(p->depths[0], left,
                                                                GS_FIRST_BYTES);
    GPU_LAUNCHED(st, t->work_stream, "k_fill");
    *rounds = 1;
    for (unsigned now = 0; left > 0; now ^= 1) {
        gs_assert(*rounds < ROUNDS_MAX);
        GS_TRY(settle_ties(t, now, *rounds, left, &left, st));
        ++*rounds;
        GS_TRY(end_step(t, "settle ties", begin_ns, st));
    }
    return GS_OK;
}

/* --- the result -----------------------------------------------------------------------
 */

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
    k_mark_kept<<<grid(count, THREADS), THREADS, 0, t->work_stream>>>(count, p->same,
                                                                      p->goes_on);
    GPU_LAUNCHED(st, t->work_stream, "k_mark_kept");
    uint64_t kept = 0;
    GS_TRY(select(t, thrust::counting_iterator<uint32_t>(0), count, p->places[0], &kept,
                  st));
    k_take_kept<<<grid(kept, THREADS), THREADS, 0, t->work_stream>>>(
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
    k_result_bytes<<<grid(count + 1, THREADS), THREADS, 0, t->work_stream>>>(
        t->view, t->d_order, count, t->shape == GS_TEXT_RECORDS, t->d_offsets);
    GPU_LAUNCHED(st, t->work_stream, "k_result_bytes");
    GS_TRY(sum_up(t, t->d_offsets, count + 1, st));
    GS_TRY(read_mail(t, t->d_offsets + count, 1, st));
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
    GS_TRY(take_counts(t, t->upload_count, st));
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

/* --- fetching
 * ---------------------------------------------------------------------------- */

static gs_code gather(gs_text_sort *t, uint64_t begin, uint64_t end, uint8_t *d_to,
                      cudaStream_t stream, gs_status *st)
{
    k_gather<<<grid(end - begin, GS_GATHER_TILE), GS_GATHER_THREADS, 0, stream>>>(
        t->view, t->d_order, t->d_offsets, t->result_count, t->shape == GS_TEXT_RECORDS,
        begin, end, d_to);
    GPU_LAUNCHED(st, stream, "k_gather");
    return GS_OK;
}

gs_code gs_text_sort_fetch_text(gs_text_sort *t, unsigned slot, uint64_t offset,
                                size_t bytes, void *to, gs_status *st)
{
    gs_assert(slot < GS_TEXT_FETCHES_MAX && bytes <= t->options.fetch_bytes_max);
    gs_assert(offset + bytes <= t->result_bytes);
    if (bytes == 0)
        return GS_OK;
    GPU_TRY(st, cudaSetDevice(t->options.device));
    const cudaStream_t stream = t->fetch_streams[slot];
    gs_text_span *span = span_start(t, GS_LANE_GPU, "gather",
                                    t->options.number * 10 + 1 + slot, bytes, stream);
    GS_TRY(gather(t, offset, offset + bytes, t->d_fetch[slot], stream, st));
    span_stop(span, stream);
    span = span_start(t, GS_LANE_DOWNLOAD, "download", slot, bytes, stream);
    GPU_TRY(st,
            cudaMemcpyAsync(to, t->d_fetch[slot], bytes, cudaMemcpyDeviceToHost, stream));
    span_stop(span, stream);
    return GS_OK;
}

gs_code gs_text_sort_fetch_wait(gs_text_sort *t, unsigned slot, gs_status *st)
{
    gs_assert(slot < GS_TEXT_FETCHES_MAX);
    GPU_TRY(st, cudaSetDevice(t->options.device));
    GPU_TRY(st, cudaStreamSynchronize(t->fetch_streams[slot]));
    return GS_OK;
}

gs_code gs_text_sort_cut(gs_text_sort *t, uint64_t first, size_t bytes,
                         uint64_t count_max, uint64_t *count, uint64_t *out_bytes,
                         gs_status *st)
{
    *count = *out_bytes = 0;
    gs_assert(first <= t->result_count);
    if (first == t->result_count)
        return GS_OK;
    GPU_TRY(st, cudaSetDevice(t->options.device));
    uint64_t *const d_mail = t->parts.tile_counts;
    k_cut<<<1, 1, 0, t->work_stream>>>(t->d_offsets, t->result_count, first, bytes,
                                       count_max, d_mail);
    GPU_LAUNCHED(st, t->work_stream, "k_cut");
    GS_TRY(read_mail(t, d_mail, 2, st));
    *count = t->h_mail[0];
    *out_bytes = t->h_mail[1];
    return GS_OK;
}

gs_code gs_text_sort_fetch_records(gs_text_sort *t, uint64_t first, uint64_t count,
                                   uint64_t bytes, gs_text_record *records, uint8_t *data,
                                   gs_status *st)
{
    gs_assert(t->shape == GS_TEXT_RECORDS && first + count <= t->result_count);
    if (count == 0)
        return GS_OK;
    GPU_TRY(st, cudaSetDevice(t->options.device));
    const cudaStream_t stream = t->work_stream;
    if (count > t->records_capacity) {
        uint8_t *memory = (uint8_t *)t->d_records;
        size_t held = t->records_capacity * sizeof *t->d_records;
        t->records_capacity = 0;
        t->d_records = nullptr;
        GS_TRY(grow(t, &memory, &held, (size_t)count * sizeof *t->d_records, st));
        t->d_records = (gs_text_record *)memory;
        t->records_capacity = (size_t)count;
    }
    gs_text_span *const span = span_start(t, GS_LANE_DOWNLOAD, "download records",
                                          t->options.number, bytes, stream);
    k_describe<<<grid(count, THREADS), THREADS, 0, stream>>>(
        t->view, t->d_order, t->d_result_counts, first, count, t->d_records);
    GPU_LAUNCHED(st, stream, "k_describe");
    GPU_TRY(st, cudaMemcpyAsync(records, t->d_records, (size_t)count * sizeof *records,
                                cudaMemcpyDeviceToHost, stream));
    GS_TRY(read_mail(t, t->d_offsets + first, 1, st));
    const uint64_t base = t->h_mail[0];
    /* A record may be longer than a slot: in parts, then. */
    for (uint64_t at = 0; at < bytes; at += t->options.fetch_bytes_max) {
        const uint64_t left = bytes - at;
        const size_t part =
            left < t->options.fetch_bytes_max ? (size_t)left : t->options.fetch_bytes_max;
        GS_TRY(gather(t, base + at, base + at + part, t->d_fetch[0], stream, st));
        GPU_TRY(st, cudaMemcpyAsync(data + at, t->d_fetch[0], part,
                                    cudaMemcpyDeviceToHost, stream));
    }
    span_stop(span, stream);
    GPU_TRY(st, cudaStreamSynchronize(stream));
    return GS_OK;
}

void gs_text_sort_reset(gs_text_sort *t)
{
    gs_assert(t->uploads_counted == t->upload_count);
    t->text_bytes = 0;
    t->upload_count = t->uploads_counted = 0;
    t->lines_counted = t->bytes_uncounted = 0;
    t->result_count = t->result_bytes = 0;
}

uint64_t gs_text_sort_bytes(const gs_text_sort *t)
{
    return t->text_bytes;
}

size_t gs_text_sort_device_bytes(const gs_text_sort *t)
{
    return t->held_bytes;
}

void gs_text_pin(void *memory, size_t bytes)
{
    (void)cudaHostRegister(memory, bytes, cudaHostRegisterPortable);
    (void)cudaGetLastError();
}

void gs_text_unpin(void *memory)
{
    (void)cudaHostUnregister(memory);
    (void)cudaGetLastError();
}
