/* SPDX-License-Identifier: MIT */
/*
 * head_lists: the owner of an index on a device, and its lanes.
 */
#include "gpu/device/cub_launch.cuh"

#include "gpu/lists/head_lists.h"

#include <cub/device/device_scan.cuh>

#include "gpu/device/device_use.cuh"
#include "gpu/device/gpu_try.cuh"
#include "gpu/lists/list_find.cuh"
#include "gpu/search/key_search.cuh"
#include "lib/base/assertion.h"
#include "lib/base/mem.h"

namespace
{

struct lane_memory {
    cudaStream_t stream;
    gs_list_batch batch;
    uint8_t *d_text;
    uint32_t *d_ends;
    void *d_temp;
    uint8_t *h_text;
    uint32_t *h_ends, *h_dfs, *h_firsts, *h_docs, *h_tfs;
    uint32_t count; /* under way */
};

} // namespace

struct gs_head_lists {
    int device;
    unsigned lanes;
    size_t device_bytes, temp_bytes;
    gs_key_search *search; /* with the prefixes */
    gs_list_view view;     /* of the device's memory */
    uint8_t *d_terms, *d_postings;
    uint32_t *d_slots;
    lane_memory of_lane[GS_HEAD_LANES_MAX];
};

/* Chunks that there are of the postings. */
static uint64_t chunk_count(const gs_list_view *v)
{
    return v->postings_end / GS_LIST_CHUNK_BYTES + 1;
}

/* Bytes of postings that are held. */
static uint64_t held_bytes(const gs_head_lists_options *o)
{
    return o->index.slots == nullptr ? o->index.postings_end
                                     : o->slot_count * GS_LIST_CHUNK_BYTES;
}

static size_t scan_bytes(void)
{
    size_t bytes = 0;
    (void)cub::DeviceScan::ExclusiveSum(nullptr, bytes, (const uint32_t *)nullptr,
                                        (uint32_t *)nullptr, (int)GS_HEAD_TERMS + 1,
                                        (cudaStream_t) nullptr);
    return bytes;
}

static uint64_t lane_bytes(size_t temp_bytes)
{
    const uint64_t each = sizeof(uint32_t) * 5 + sizeof(uint64_t) + sizeof(gs_list_info);
    return gs_device_taken(GS_HEAD_TERM_BYTES + GS_LIST_SLACK) +
           gs_device_taken((GS_HEAD_TERMS + 1) * each) + gs_device_taken(temp_bytes) +
           2 * gs_device_taken(GS_HEAD_POSTINGS * sizeof(uint32_t)) +
           6 * GS_DEVICE_PAGE_BYTES;
}

gs_code gs_head_lists_room(const gs_head_lists_options *options, uint64_t *needed,
                           uint64_t *there, gs_status *st)
{
    const gs_list_view *const v = &options->index;
    gs_device device;
    GS_TRY(gs_device_use(options->device, GS_ERR_ARG, &device, st));
    *needed = options->lanes * lane_bytes(scan_bytes()) +
              gs_device_taken(v->terms_bytes + GS_LIST_SLACK) +
              gs_device_taken(v->block_count * sizeof *v->prefixes * 9 / 8) +
              gs_device_taken(chunk_count(v) * sizeof *v->slots) +
              4 * GS_DEVICE_PAGE_BYTES;
    *there = device.free_bytes > GS_DEVICE_RESERVE_BYTES
                 ? device.free_bytes - GS_DEVICE_RESERVE_BYTES
                 : 0;
    if (options->memory_bytes != 0 && options->memory_bytes < *there)
        *there = options->memory_bytes;
    return GS_OK;
}

/* --- new ---------------------------------------------------------------------------- */

static gs_code allocate(gs_head_lists *h, void **out, size_t bytes, gs_status *st)
{
    GPU_TRY(st, cudaMalloc(out, bytes));
    h->device_bytes += bytes;
    return GS_OK;
}

template <typename T>
static gs_code array_new(gs_head_lists *h, T **out, size_t count, gs_status *st)
{
    void *memory = nullptr;
    GS_TRY(allocate(h, &memory, count * sizeof **out, st));
    *out = (T *)memory;
    return GS_OK;
}

static gs_code open_lane(gs_head_lists *h, lane_memory *l, gs_status *st)
{
    const size_t count = GS_HEAD_TERMS + 1;
    gs_list_batch *const b = &l->batch;
    GPU_TRY(st, cudaStreamCreateWithFlags(&l->stream, cudaStreamNonBlocking));
    GS_TRY(array_new(h, &l->d_text, GS_HEAD_TERM_BYTES + GS_LIST_SLACK, st));
    GS_TRY(array_new(h, &l->d_ends, count, st));
    GS_TRY(array_new(h, &b->prefixes, count, st));
    GS_TRY(array_new(h, &b->ranks, count, st));
    GS_TRY(array_new(h, &b->infos, count, st));
    GS_TRY(array_new(h, &b->dfs, count, st));
    GS_TRY(array_new(h, &b->wanted, count, st));
    GS_TRY(array_new(h, &b->firsts, count, st));
    GS_TRY(array_new(h, &b->docs, GS_HEAD_POSTINGS, st));
    GS_TRY(array_new(h, &b->tfs, GS_HEAD_POSTINGS, st));
    GS_TRY(allocate(h, &l->d_temp, h->temp_bytes, st));
    b->text = l->d_text;
    b->ends = l->d_ends;
    GPU_TRY(st, cudaMallocHost(&l->h_text, GS_HEAD_TERM_BYTES));
    GPU_TRY(st, cudaMallocHost(&l->h_ends, count * sizeof *l->h_ends));
    GPU_TRY(st, cudaMallocHost(&l->h_dfs, count * sizeof *l->h_dfs));
    GPU_TRY(st, cudaMallocHost(&l->h_firsts, count * sizeof *l->h_firsts));
    GPU_TRY(st, cudaMallocHost(&l->h_docs, GS_HEAD_POSTINGS * sizeof *l->h_docs));
    GPU_TRY(st, cudaMallocHost(&l->h_tfs, GS_HEAD_POSTINGS * sizeof *l->h_tfs));
    return GS_OK;
}

/* Chunks that have slots go up by stretches of them that lie side by side. */
static gs_code take_chunks(gs_head_lists *h, const gs_list_view *from, gs_status *st)
{
    const uint64_t chunks = chunk_count(from);
    const cudaStream_t stream = h->of_lane[0].stream;
    for (uint64_t c = 0; c < chunks; c++) {
        const uint64_t first = c, at = first * GS_LIST_CHUNK_BYTES;
        if (from->slots[first] == GS_LIST_NO_SLOT)
            continue;
        while (c + 1 < chunks && from->slots[c + 1] != GS_LIST_NO_SLOT)
            c++;
        const uint64_t end = (c + 1) * GS_LIST_CHUNK_BYTES;
        const uint64_t bytes = (end < from->postings_end ? end : from->postings_end) - at;
        GPU_TRY(st, cudaMemcpyAsync(
                        h->d_postings + from->slots[first] * (size_t)GS_LIST_CHUNK_BYTES,
                        from->postings + at, bytes, cudaMemcpyHostToDevice, stream));
    }
    GS_TRY(array_new(h, &h->d_slots, chunks, st));
    GPU_TRY(st, cudaMemcpyAsync(h->d_slots, from->slots, chunks * sizeof *from->slots,
                                cudaMemcpyHostToDevice, stream));
    return GS_OK;
}

static gs_code take_index(gs_head_lists *h, const gs_head_lists_options *o, gs_status *st)
{
    const gs_list_view *const from = &o->index;
    const cudaStream_t stream = h->of_lane[0].stream;
    const size_t held = held_bytes(o) + GS_LIST_SLACK;
    const gs_key_search_options keys = {.device = o->device,
                                        .way = GS_KEY_AUTO,
                                        .keys = from->prefixes,
                                        .key_count = from->block_count,
                                        .query_count_max = 0};
    GS_TRY(gs_key_search_new(&h->search, &keys, st));
    h->device_bytes += gs_key_search_device_bytes(h->search);
    GS_TRY(array_new(h, &h->d_terms, from->terms_bytes + GS_LIST_SLACK, st));
    GS_TRY(array_new(h, &h->d_postings, held, st));
    GPU_TRY(st,
            cudaMemsetAsync(h->d_terms + from->terms_bytes, 0, GS_LIST_SLACK, stream));
    GPU_TRY(st, cudaMemcpyAsync(h->d_terms, from->terms, from->terms_bytes,
                                cudaMemcpyHostToDevice, stream));
    GPU_TRY(st, cudaMemsetAsync(h->d_postings + held - GS_LIST_SLACK, 0, GS_LIST_SLACK,
                                stream));
    if (from->slots != nullptr)
        GS_TRY(take_chunks(h, from, st));
    else if (from->postings_end > 0)
        GPU_TRY(st, cudaMemcpyAsync(h->d_postings, from->postings, from->postings_end,
                                    cudaMemcpyHostToDevice, stream));
    GPU_TRY(st, cudaStreamSynchronize(stream));
    h->view = *from;
    h->view.prefixes = gs_key_search_keys(h->search);
    h->view.terms = h->d_terms;
    h->view.postings = h->d_postings;
    h->view.slots = h->d_slots;
    return GS_OK;
}

static gs_code open_all(gs_head_lists *h, const gs_head_lists_options *o, gs_status *st)
{
    uint64_t needed, there;
    GS_TRY(gs_head_lists_room(o, &needed, &there, st));
    needed += gs_device_taken(held_bytes(o) + GS_LIST_SLACK);
    if (needed > there)
        return GS_FAIL(st, GS_ERR_NOMEM, 0,
                       "GPU %d: an index needs %llu bytes there, and may take %llu",
                       o->device, (unsigned long long)needed, (unsigned long long)there);
    for (unsigned i = 0; i < h->lanes; i++)
        GS_TRY(open_lane(h, &h->of_lane[i], st));
    return take_index(h, o, st);
}

gs_code gs_head_lists_new(gs_head_lists **out, const gs_head_lists_options *options,
                          gs_status *st)
{
    void *memory = nullptr;
    gs_head_lists *h = nullptr;
    *out = nullptr;
    gs_assert(options->lanes > 0 && options->lanes <= GS_HEAD_LANES_MAX);
    gs_assert(options->index.head > 0 && options->index.head <= GS_HEAD_MAX);
    if (gs_device_count() == 0) {
        char why[512];
        (void)gs_device_describe(why, sizeof why);
        why[strcspn(why, ";\n")] = '\0';
        return GS_FAIL(st, GS_ERR_GPU, 0, "%s", why);
    }
    GS_TRY(gs_mem_new(&memory, sizeof *h, "posting lists on a GPU", st));
    h = (gs_head_lists *)memory;
    h->device = options->device;
    h->lanes = options->lanes;
    h->temp_bytes = scan_bytes() + 1;
    GS_TRY_OR_FAIL(open_all(h, options, st));
    *out = h;
    return GS_OK;
fail:
    gs_head_lists_free(h);
    return st->code;
}

static void close_lane(lane_memory *l)
{
    const gs_list_batch *const b = &l->batch;
    if (l->stream) {
        (void)cudaStreamSynchronize(l->stream);
        (void)cudaStreamDestroy(l->stream);
    }
    void *const of_device[] = {l->d_text, l->d_ends, b->prefixes, b->ranks,
                               b->infos,  b->dfs,    b->wanted,   b->firsts,
                               b->docs,   b->tfs,    l->d_temp};
    for (void *const memory : of_device)
        (void)cudaFree(memory);
    void *const of_host[] = {l->h_text,   l->h_ends, l->h_dfs,
                             l->h_firsts, l->h_docs, l->h_tfs};
    for (void *const memory : of_host)
        (void)cudaFreeHost(memory);
}

void gs_head_lists_free(gs_head_lists *h)
{
    if (h == nullptr)
        return;
    /* Nothing useful can be done if the device refuses to give something back. */
    (void)cudaSetDevice(h->device);
    for (lane_memory &l : h->of_lane)
        close_lane(&l);
    gs_key_search_free(h->search);
    (void)cudaFree(h->d_terms);
    (void)cudaFree(h->d_postings);
    (void)cudaFree(h->d_slots);
    (void)cudaGetLastError();
    gs_mem_free(h);
}

/* --- batches ------------------------------------------------------------------------ */

gs_head_lane gs_head_lists_lane(const gs_head_lists *h, unsigned lane)
{
    gs_assert(lane < h->lanes);
    const lane_memory *const l = &h->of_lane[lane];
    const gs_head_lane out = {l->h_text,   l->h_ends, l->h_dfs,
                              l->h_firsts, l->h_docs, l->h_tfs};
    return out;
}

size_t gs_head_lists_device_bytes(const gs_head_lists *h)
{
    return h->device_bytes;
}

static unsigned blocks_for(uint32_t threads)
{
    return (threads + GS_LIST_THREADS - 1) / GS_LIST_THREADS;
}

gs_code gs_head_lists_submit(gs_head_lists *h, unsigned lane, uint32_t term_count,
                             gs_status *st)
{
    gs_assert(lane < h->lanes && term_count <= GS_HEAD_TERMS);
    gs_assert((uint64_t)term_count * h->view.head <= GS_HEAD_POSTINGS);
    lane_memory *const l = &h->of_lane[lane];
    gs_list_batch *const b = &l->batch;
    const cudaStream_t stream = l->stream;
    size_t temp_bytes = h->temp_bytes;
    l->count = b->count = term_count;
    if (term_count == 0)
        return GS_OK;
    GPU_TRY(st, cudaSetDevice(h->device));
    if (l->h_ends[term_count - 1] > 0)
        GPU_TRY(st, cudaMemcpyAsync(l->d_text, l->h_text, l->h_ends[term_count - 1],
                                    cudaMemcpyHostToDevice, stream));
    GPU_TRY(st, cudaMemcpyAsync(l->d_ends, l->h_ends, term_count * sizeof *l->h_ends,
                                cudaMemcpyHostToDevice, stream));
    k_take_prefixes<<<blocks_for(term_count), GS_LIST_THREADS, 0, stream>>>(*b);
    GPU_LAUNCHED(st, stream, "k_take_prefixes");
    GS_TRY(gs_key_search_on_device(h->search, b->prefixes, term_count, b->ranks, stream,
                                   st));
    k_find_terms<<<blocks_for(term_count + 1), GS_LIST_THREADS, 0, stream>>>(h->view, *b);
    GPU_LAUNCHED(st, stream, "k_find_terms");
    GPU_TRY(st, cub::DeviceScan::ExclusiveSum(l->d_temp, temp_bytes, b->wanted, b->firsts,
                                              (int)term_count + 1, stream));
    k_read_lists<<<blocks_for(term_count), GS_LIST_THREADS, 0, stream>>>(h->view, *b);
    GPU_LAUNCHED(st, stream, "k_read_lists");
    GPU_TRY(st, cudaMemcpyAsync(l->h_dfs, b->dfs, term_count * sizeof *b->dfs,
                                cudaMemcpyDeviceToHost, stream));
    GPU_TRY(st,
            cudaMemcpyAsync(l->h_firsts, b->firsts, (term_count + 1) * sizeof *b->firsts,
                            cudaMemcpyDeviceToHost, stream));
    return GS_OK;
}

gs_code gs_head_lists_wait(gs_head_lists *h, unsigned lane, gs_status *st)
{
    gs_assert(lane < h->lanes);
    const lane_memory *const l = &h->of_lane[lane];
    const gs_list_batch *const b = &l->batch;
    if (l->count == 0)
        return GS_OK;
    GPU_TRY(st, cudaSetDevice(h->device));
    GPU_TRY(st, cudaStreamSynchronize(l->stream));
    const uint32_t postings = l->h_firsts[l->count];
    gs_assert(postings <= GS_HEAD_POSTINGS);
    if (postings == 0)
        return GS_OK;
    GPU_TRY(st, cudaMemcpyAsync(l->h_docs, b->docs, postings * sizeof *b->docs,
                                cudaMemcpyDeviceToHost, l->stream));
    GPU_TRY(st, cudaMemcpyAsync(l->h_tfs, b->tfs, postings * sizeof *b->tfs,
                                cudaMemcpyDeviceToHost, l->stream));
    GPU_TRY(st, cudaStreamSynchronize(l->stream));
    return GS_OK;
}
