/* SPDX-License-Identifier: MIT */
#include "gpu/text/text_sort.h"

#include "gpu/device/device_use.cuh"
#include "gpu/text/text_chunk.cuh"
#include "gpu/text/text_key.h"
#include "gpu/text/text_lines.cuh"
#include "gpu/text/text_span.cuh"
#include "lib/base/assertion.h"
#include "lib/base/mem.h"

unsigned gs_text_grid(uint64_t items, uint64_t a_block)
{
    const uint64_t blocks = (items + a_block - 1) / a_block;
    gs_assert(blocks <= INT32_MAX);
    return blocks ? (unsigned)blocks : 1;
}

static size_t room(const gs_text_sort *t)
{
    return t->memory_bytes > t->held_bytes ? t->memory_bytes - t->held_bytes : 0;
}

static gs_code allocate(gs_text_sort *t, void **out, size_t bytes, gs_status *st)
{
    if (gs_device_taken(bytes) > room(t))
        return GS_FAIL(st, GS_ERR_NOMEM, 0, "GPU: %zu bytes more than the %zu it may use",
                       bytes, room(t));
    GPU_TRY(st, cudaMalloc(out, bytes));
    t->held_bytes += gs_device_taken(bytes);
    return GS_OK;
}

gs_code gs_text_drop(gs_text_sort *t, uint8_t **memory, size_t *capacity, gs_status *st)
{
    GPU_TRY(st, cudaFree(*memory));
    t->held_bytes -= gs_device_taken(*capacity);
    *memory = nullptr;
    *capacity = 0;
    return GS_OK;
}

gs_code gs_text_grow(gs_text_sort *t, uint8_t **memory, size_t *capacity, size_t bytes,
                     gs_status *st)
{
    if (bytes <= *capacity)
        return GS_OK;
    GS_TRY(gs_text_drop(t, memory, capacity, st));
    void *fresh = nullptr;
    GS_TRY(allocate(t, &fresh, bytes, st));
    *memory = (uint8_t *)fresh;
    *capacity = bytes;
    return GS_OK;
}

gs_code gs_text_read_mail(gs_text_sort *t, const uint64_t *d_words, unsigned count,
                          gs_status *st)
{
    gs_assert(count <= GS_TEXT_MAIL_WORDS);
    GPU_TRY(st, cudaMemcpyAsync(t->h_mail, d_words, count * sizeof *t->h_mail,
                                cudaMemcpyDeviceToHost, t->work_stream));
    GPU_TRY(st, cudaStreamSynchronize(t->work_stream));
    return GS_OK;
}

/* --- new and free ------------------------------------------------------------------- */

/* In less memory most chunks are one unit, and what a unit takes is in the way. */
static const size_t large_bytes = (size_t)4 << 30;

static gs_code choose_memory(gs_text_sort *t, gs_status *st)
{
    size_t free_bytes = 0, total = 0;
    GPU_TRY(st, cudaMemGetInfo(&free_bytes, &total));
    t->memory_bytes = free_bytes > 2 * GS_DEVICE_RESERVE_BYTES
                          ? free_bytes - GS_DEVICE_RESERVE_BYTES
                          : free_bytes / 2;
    const size_t most = t->options.memory_bytes_max;
    if (most > 0 && most < t->memory_bytes)
        t->memory_bytes = most;
    if (t->options.chunks_there > 1)
        t->memory_bytes /= t->options.chunks_there;
    /* Sorted range by range, a line needs 14 to 20 bytes beside it: that is half of the
     * memory where lines are as short as tuples, a tenth where they are long. */
    const uint64_t expected = t->options.input_bytes;
    const size_t batches = 2 * t->options.batch_bytes_max;
    const bool is_known = expected > 0 && expected < t->memory_bytes / 20 * 17;
    if (t->options.may_halve_memory && !is_known) {
        t->memory_bytes /= 2;
        t->is_half = true;
    }
    /* All of the input, which may be compressed, or what mostly suits. */
    size_t text = t->memory_bytes / 20 * (t->memory_bytes < large_bytes ? 7 : 11);
    const uint64_t unpacked = t->options.is_exact ? expected : 4 * expected;
    if (is_known && unpacked + batches < text)
        text = (size_t)unpacked + batches;
    else if (is_known && expected + batches > text)
        text = (size_t)expected + batches;
    if (text < batches)
        text = batches;
    t->text_capacity = gs_device_taken(text + GS_TEXT_SLACK) - GS_TEXT_SLACK;
    return GS_OK;
}

static gs_code new_streams(gs_text_sort *t, gs_status *st)
{
    GPU_TRY(st, cudaStreamCreateWithFlags(&t->copy_stream, cudaStreamNonBlocking));
    GPU_TRY(st, cudaStreamCreateWithFlags(&t->count_stream, cudaStreamNonBlocking));
    GPU_TRY(st, cudaStreamCreateWithFlags(&t->work_stream, cudaStreamNonBlocking));
    for (unsigned i = 0; i < GS_TEXT_FETCHES_MAX; i++)
        GPU_TRY(st,
                cudaStreamCreateWithFlags(&t->fetch_streams[i], cudaStreamNonBlocking));
    for (unsigned i = 0; i < GS_TEXT_UPLOADS_MAX; i++) {
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
    const size_t counts = GS_TEXT_UPLOADS_MAX * GS_TEXT_COUNTS;
    t->held_bytes = GS_DEVICE_PAGE_BYTES; /* that small pieces share */
    GS_TRY(allocate(t, &memory, t->text_capacity + GS_TEXT_SLACK, st));
    t->d_text = (uint8_t *)memory;
    for (unsigned i = 0; i < gs_text_fetches(t); i++) {
        GS_TRY(allocate(t, &memory, t->options.fetch_bytes_max, st));
        t->d_fetch[i] = (uint8_t *)memory;
    }
    GS_TRY(allocate(t, &memory, counts * sizeof *t->d_counts, st));
    t->d_counts = (unsigned long long *)memory;
    t->fixed_bytes = t->held_bytes;
    GPU_TRY(st, cudaMallocHost(&memory, counts * sizeof *t->h_counts));
    t->h_counts = (unsigned long long *)memory;
    GPU_TRY(st, cudaMallocHost(&memory, GS_TEXT_MAIL_WORDS * sizeof *t->h_mail));
    t->h_mail = (uint64_t *)memory;
    GPU_TRY(st, cudaMallocHost(&memory, (GS_BUCKETS_MAX + 1) * sizeof *t->h_buckets));
    t->h_buckets = (gs_text_bucket *)memory;
    return GS_OK;
}

gs_code gs_text_sort_new(gs_text_sort **out, const gs_text_sort_options *options,
                         gs_status *st)
{
    gs_assert(options->order.key_count <= GS_TEXT_KEYS_MAX);
    gs_assert(options->batch_bytes_max > 0 && options->fetch_bytes_max > 0);
    *out = nullptr;
    gs_device device;
    GS_TRY(gs_device_use(options->device, GS_ERR_GPU, &device, st));
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
    for (unsigned i = 0; i < GS_TEXT_UPLOADS_MAX; i++) {
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
    if (t->count_stream)
        (void)cudaStreamDestroy(t->count_stream);
    if (t->work_stream)
        (void)cudaStreamDestroy(t->work_stream);
    (void)cudaFree(t->d_text);
    (void)cudaFree(t->d_work);
    (void)cudaFree(t->d_keys);
    (void)cudaFree(t->d_counts);
    (void)cudaFree(t->d_records);
    (void)cudaFreeHost(t->h_counts);
    (void)cudaFreeHost(t->h_mail);
    (void)cudaFreeHost(t->h_buckets);
    (void)cudaGetLastError();
    gs_mem_free(t);
}

/* --- uploads ------------------------------------------------------------------------ */

/* Takes the counts of the uploads that are done; waits for those before `until`. */
gs_code gs_text_take_counts(gs_text_sort *t, uint64_t until, gs_status *st)
{
    while (t->uploads_counted < t->upload_count) {
        const unsigned slot = (unsigned)(t->uploads_counted % GS_TEXT_UPLOADS_MAX);
        gs_upload *const u = &t->uploads[slot];
        if (t->uploads_counted < until) {
            GPU_TRY(st, cudaEventSynchronize(u->counted));
        } else {
            const cudaError_t state = cudaEventQuery(u->counted);
            if (state == cudaErrorNotReady)
                return GS_OK;
            GPU_TRY(st, state);
        }
        t->lines_counted += t->h_counts[slot * GS_TEXT_COUNTS];
        t->costly_counted += t->h_counts[slot * GS_TEXT_COUNTS + 1];
        t->bytes_uncounted -= u->bytes;
        t->uploads_counted++;
    }
    return GS_OK;
}

/* Would a chunk of `bytes` more fit? As far as it is not counted yet, every byte may be a
 * line, and costly. */
static gs_code fits(gs_text_sort *t, uint64_t bytes, bool *out, gs_status *st)
{
    const size_t record_size = t->options.order.record_size;
    const uint64_t text_bytes = t->text_bytes + bytes,
                   uncounted = t->bytes_uncounted + bytes;
    const uint64_t records =
        record_size > 0 ? text_bytes / record_size : t->lines_counted + uncounted;
    *out = false;
    if (records >= UINT32_MAX || text_bytes > t->text_capacity)
        return GS_OK;
    const uint64_t least = record_size > 0 ? records : t->lines_counted;
    return gs_text_can_fit(t, least, records, text_bytes, t->costly_counted + uncounted,
                           gs_text_available(t), out, st);
}

/* Counts what was uploaded, text[begin, end), beside the next upload. */
static gs_code count_lines(gs_text_sort *t, unsigned slot, uint64_t begin, uint64_t end,
                           gs_status *st)
{
    const cudaStream_t stream = t->count_stream;
    gs_upload *const u = &t->uploads[slot];
    unsigned long long *const d_counts = t->d_counts + slot * GS_TEXT_COUNTS;
    const size_t bytes = GS_TEXT_COUNTS * sizeof *d_counts;
    GPU_TRY(st, cudaStreamWaitEvent(stream, u->copied, 0));
    GPU_TRY(st, cudaMemsetAsync(d_counts, 0, bytes, stream));
    if (t->options.order.record_size == 0) {
        const gs_text_order *const order = &t->options.order;
        const auto count = gs_text_order_has_versions(order)
                               ? k_count_lines<GS_COUNT_NUMBERS>
                           : order->key_count > 0 ? k_count_lines<GS_COUNT_ESCAPED>
                                                  : k_count_lines<GS_COUNT_LINES>;
        count<<<gs_text_grid(end - begin / 16 * 16, GS_LINE_TILE), GS_LINE_THREADS, 0,
                stream>>>(t->d_text, begin, end, t->options.order.eol, d_counts);
        GPU_LAUNCHED(st, stream, "k_count_lines");
    }
    GPU_TRY(st, cudaMemcpyAsync(t->h_counts + slot * GS_TEXT_COUNTS, d_counts, bytes,
                                cudaMemcpyDeviceToHost, stream));
    GPU_TRY(st, cudaEventRecord(u->counted, stream));
    return GS_OK;
}

gs_code gs_text_sort_upload(gs_text_sort *t, const void *data, size_t bytes, bool add_eol,
                            bool *is_full, uint64_t *ticket, gs_status *st)
{
    const size_t all = bytes + (add_eol ? 1 : 0);
    *is_full = false;
    GPU_TRY(st, cudaSetDevice(t->options.device));
    GS_TRY(gs_text_take_counts(t,
                               t->upload_count + 1 > GS_TEXT_UPLOADS_MAX
                                   ? t->upload_count + 1 - GS_TEXT_UPLOADS_MAX
                                   : 0,
                               st));
    if (gs_text_string_bound(&t->options.order, all) > GS_TEXT_STRING_MAX)
        return GS_FAIL(st, GS_ERR_LIMIT, 0,
                       "GPU: lines of up to %zu bytes are too long for it", all);
    bool has_room = false;
    GS_TRY(fits(t, all, &has_room, st));
    if (!has_room) {
        GS_TRY(gs_text_take_counts(t, t->upload_count, st));
        const bool is_first = t->text_bytes == 0;
        if (all > t->text_capacity && is_first)
            return GS_FAIL(st, GS_ERR_LIMIT, 0,
                           "GPU: a chunk of %zu bytes does not hold %zu",
                           t->text_capacity, all);
        GS_TRY(fits(t, all, &has_room, st));
        *is_full = !is_first && !has_room;
        if (*is_full)
            return GS_OK;
    }
    const uint64_t number = t->upload_count;
    const unsigned slot = (unsigned)(number % GS_TEXT_UPLOADS_MAX);
    gs_upload *const u = &t->uploads[slot];
    const uint64_t begin = t->text_bytes, end = begin + all;
    StreamSpan span(t, GS_LANE_UPLOAD, "upload", t->options.number, all, t->copy_stream);
    GPU_TRY(st, cudaMemcpyAsync(t->d_text + begin, data, bytes, cudaMemcpyHostToDevice,
                                t->copy_stream));
    span.stop();
    if (add_eol)
        GPU_TRY(st, cudaMemsetAsync(t->d_text + begin + bytes, t->options.order.eol, 1,
                                    t->copy_stream));
    GPU_TRY(st, cudaEventRecord(u->copied, t->copy_stream));
    GS_TRY(count_lines(t, slot, begin, end, st));
    u->bytes = all;
    t->text_bytes = end;
    t->bytes_uncounted += all;
    t->upload_count++;
    *ticket = number;
    return GS_OK;
}

gs_code gs_text_adopt(gs_text_sort *t, uint8_t *memory, size_t capacity, uint64_t bytes,
                      gs_status *st)
{
    size_t before = t->text_capacity + GS_TEXT_SLACK;
    gs_assert(t->uploads_counted == t->upload_count && bytes + GS_TEXT_SLACK <= capacity);
    t->fixed_bytes += gs_device_taken(capacity) - gs_device_taken(before);
    GS_TRY(gs_text_drop(t, &t->d_text, &before, st));
    t->d_text = memory;
    t->text_capacity = capacity - GS_TEXT_SLACK;
    for (unsigned k = 0; k < 2; k++)
        t->known_count[k] = t->known_bytes[k] = t->too_many[k] = 0;
    t->lines_counted = t->costly_counted = t->bytes_uncounted = 0;
    t->upload_count = t->uploads_counted = 0;
    t->text_bytes = bytes;
    if (bytes == 0)
        return GS_OK;
    GPU_TRY(st, cudaEventRecord(t->uploads[0].copied, t->copy_stream));
    GS_TRY(count_lines(t, 0, 0, bytes, st));
    t->uploads[0].bytes = bytes;
    t->bytes_uncounted = bytes;
    t->upload_count = 1;
    return gs_text_take_counts(t, 1, st);
}

gs_code gs_text_sort_uploads_done(gs_text_sort *t, const uint64_t *wait_for,
                                  uint64_t *done, gs_status *st)
{
    GPU_TRY(st, cudaSetDevice(t->options.device));
    if (wait_for != nullptr) {
        gs_assert(*wait_for < t->upload_count);
        GS_TRY(gs_text_take_counts(t, *wait_for + 1, st));
    } else {
        GS_TRY(gs_text_take_counts(t, 0, st));
    }
    *done = t->uploads_counted;
    return GS_OK;
}

/* --- about a chunk ----------------------------------------------------------------- */

void gs_text_sort_reset(gs_text_sort *t)
{
    gs_assert(t->uploads_counted == t->upload_count);
    t->text_bytes = 0;
    t->upload_count = t->uploads_counted = 0;
    t->lines_counted = t->costly_counted = t->bytes_uncounted = 0;
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

size_t gs_text_sort_memory_bytes(const gs_text_sort *t)
{
    return t->memory_bytes;
}

bool gs_text_sort_is_half(const gs_text_sort *t)
{
    return t->is_half;
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
