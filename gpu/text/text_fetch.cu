/* SPDX-License-Identifier: MIT */
/*
 * text_fetch: the way back to the host, of text or of records.
 */
#include "gpu/device/device_use.cuh"
#include "gpu/text/text_chunk.cuh"
#include "gpu/text/text_gather.cuh"
#include "gpu/text/text_span.cuh"
#include "lib/base/assertion.h"

enum { THREADS = 256 };

/* Bytes [begin, end) of the records of a view. */
static gs_code gather(const gs_text_view *view, const uint64_t *sums, uint64_t count,
                      bool with_keys, uint64_t begin, uint64_t end, uint8_t *d_to,
                      cudaStream_t stream, gs_status *st)
{
    k_gather<<<gs_text_grid(end - begin, GS_GATHER_TILE), GS_GATHER_THREADS, 0, stream>>>(
        *view, sums, count, with_keys, begin, end, d_to);
    GPU_LAUNCHED(st, stream, "k_gather");
    return GS_OK;
}

gs_code gs_text_group_bytes(gs_text_sort *t, const gs_text_view &view, bool with_keys,
                            uint64_t count, uint64_t *sums, gs_status *st)
{
    const uint64_t groups = gs_groups(count);
    const gs_text_order *const order = &t->options.order;
    const bool is_plain = !with_keys || gs_text_order_is_plain(order);
    const auto kernel = is_plain ? k_group_bytes<true> : k_group_bytes<false>;
    kernel<<<gs_text_grid((groups + 1) * GS_GROUP, GS_GATHER_THREADS), GS_GATHER_THREADS,
             0, t->work_stream>>>(view, *order, with_keys, count, sums);
    GPU_LAUNCHED(st, t->work_stream, "k_group_bytes");
    return gs_text_sum_up(t, sums, groups + 1, st);
}

/* The lines of the result. */
static gs_text_view result_lines(const gs_text_sort *t)
{
    gs_text_view lines = t->lines;
    lines.rows = t->d_order;
    return lines;
}

gs_code gs_text_sort_fetch_text(gs_text_sort *t, unsigned slot, uint64_t offset,
                                size_t bytes, void *to, gs_status *st)
{
    gs_assert(slot < gs_text_fetches(t) && bytes <= t->options.fetch_bytes_max);
    gs_assert(offset + bytes <= t->result_bytes);
    if (bytes == 0)
        return GS_OK;
    GPU_TRY(st, cudaSetDevice(t->options.device));
    const cudaStream_t stream = t->fetch_streams[slot];
    StreamSpan work(t, GS_LANE_GPU, "gather", t->options.number * 10 + 1 + slot, bytes,
                    stream);
    const gs_text_view lines = result_lines(t);
    GS_TRY(gather(&lines, t->parts.sums, t->result_count, false, offset, offset + bytes,
                  t->d_fetch[slot], stream, st));
    work.stop();
    StreamSpan down(t, GS_LANE_DOWNLOAD, "download", slot, bytes, stream);
    GPU_TRY(st,
            cudaMemcpyAsync(to, t->d_fetch[slot], bytes, cudaMemcpyDeviceToHost, stream));
    down.stop();
    return GS_OK;
}

gs_code gs_text_sort_fetch_wait(gs_text_sort *t, unsigned slot, gs_status *st)
{
    gs_assert(slot < gs_text_fetches(t));
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
    /* Fetched is with the memory of a unit. */
    if (count_max > t->plan.unit_count)
        count_max = t->plan.unit_count;
    if (t->options.order.key_count > 0 && bytes > gs_text_keys_left(t, 0))
        bytes = gs_text_keys_left(t, 0);
    const auto kernel =
        gs_text_order_is_plain(&t->options.order) ? k_cut<true> : k_cut<false>;
    kernel<<<1, 32, 0, t->work_stream>>>(
        result_lines(t), t->options.order, t->shape == GS_TEXT_RECORDS, t->parts.sums,
        t->result_count, first, bytes, count_max, d_mail);
    GPU_LAUNCHED(st, t->work_stream, "k_cut");
    GS_TRY(gs_text_read_mail(t, d_mail, 2, st));
    *count = t->h_mail[0];
    *out_bytes = t->h_mail[1];
    return GS_OK;
}

static gs_code grow_records(gs_text_sort *t, uint64_t count, gs_status *st)
{
    if (count <= t->records_capacity)
        return GS_OK;
    uint8_t *memory = (uint8_t *)t->d_records;
    size_t held = t->records_capacity * sizeof *t->d_records;
    t->records_capacity = 0;
    t->d_records = nullptr;
    GS_TRY(gs_text_grow(t, &memory, &held, (size_t)count * sizeof *t->d_records, st));
    t->d_records = (gs_text_record *)memory;
    t->records_capacity = (size_t)count;
    return GS_OK;
}

/* Makes t->view one of records [first, first + count) of the result, with their keys, and
 * *sums where they begin. What the sort needed lies there no more. */
static gs_code view_result(gs_text_sort *t, uint64_t first, uint64_t count,
                           uint64_t **sums, gs_status *st)
{
    size_t key_bytes = 0;
    *sums = (uint64_t *)t->parts.numbers;
    t->view = t->lines;
    t->view.rows = t->d_order + first;
    GS_TRY(gs_text_make_keys(t, count, 0, &key_bytes, st));
    gs_assert(key_bytes <= gs_text_keys_left(t, 0));
    return gs_text_group_bytes(t, t->view, true, count, *sums, st);
}

gs_code gs_text_sort_fetch_records(gs_text_sort *t, uint64_t first, uint64_t count,
                                   uint64_t bytes, gs_text_record *records, uint8_t *data,
                                   gs_status *st)
{
    gs_assert(t->shape == GS_TEXT_RECORDS && first + count <= t->result_count);
    gs_assert(count <= t->plan.unit_count);
    if (count == 0)
        return GS_OK;
    GPU_TRY(st, cudaSetDevice(t->options.device));
    const cudaStream_t stream = t->work_stream;
    uint64_t *sums = nullptr;
    GS_TRY(grow_records(t, count, st));
    StreamSpan span(t, GS_LANE_DOWNLOAD, "download records", t->options.number, bytes,
                    stream);
    GS_TRY(view_result(t, first, count, &sums, st));
    k_describe<<<gs_text_grid(count, THREADS), THREADS, 0, stream>>>(
        t->view, t->d_result_counts ? t->d_result_counts + first : nullptr, count,
        t->d_records);
    GPU_LAUNCHED(st, stream, "k_describe");
    GPU_TRY(st, cudaMemcpyAsync(records, t->d_records, (size_t)count * sizeof *records,
                                cudaMemcpyDeviceToHost, stream));
    /* A record may be longer than a slot: in parts, then. */
    for (uint64_t at = 0; at < bytes; at += t->options.fetch_bytes_max) {
        const uint64_t left = bytes - at;
        const size_t part =
            left < t->options.fetch_bytes_max ? (size_t)left : t->options.fetch_bytes_max;
        GS_TRY(gather(&t->view, sums, count, true, at, at + part, t->d_fetch[0], stream,
                      st));
        GPU_TRY(st, cudaMemcpyAsync(data + at, t->d_fetch[0], part,
                                    cudaMemcpyDeviceToHost, stream));
    }
    span.stop();
    GPU_TRY(st, cudaStreamSynchronize(stream));
    return GS_OK;
}
