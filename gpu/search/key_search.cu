/* SPDX-License-Identifier: MIT */
/*
 * key_search: the owner of the keys on a device, and the choice of their kernel.
 */
#include "gpu/search/key_search.cuh"

#include <string.h>

#include "gpu/device/device_use.cuh"
#include "gpu/device/gpu_try.cuh"
#include "gpu/search/key_search_tuning.cuh"
#include "gpu/search/key_walk.cuh"
#include "lib/base/assertion.h"
#include "lib/base/mem.h"

namespace
{

/* The array on the device, and the levels above it if there are any. */
struct key_array {
    uint64_t *d_keys;
    uint32_t count;
    uint32_t levels;
    uint64_t begins[GS_KEY_LEVELS_MAX + 1]; /* in keys; the last one is the end */
};

typedef void launch_fn(const key_array &a, const gs_key_batch &batch, cudaStream_t s);

/* The blocks for `count` queries of which a warp takes `queries`. */
unsigned blocks_for(uint32_t count, uint32_t queries)
{
    const uint32_t each = GS_KEY_BLOCK_THREADS / 32 * queries;
    return (unsigned)(((uint64_t)count + each - 1) / each);
}

void launch_binary(const key_array &a, const gs_key_batch &batch, cudaStream_t s)
{
    k_search_binary<<<blocks_for(batch.count, 32), GS_KEY_BLOCK_THREADS, 0, s>>>(
        a.d_keys, a.count, batch);
}

template <int WIDTH, int ROUNDS>
void launch_pary(const key_array &a, const gs_key_batch &batch, cudaStream_t s)
{
    typename gs_pary_walk<WIDTH>::view view = {a.d_keys, a.count, 0, {}};
    for (uint64_t left = a.count; left > 0; view.steps++) {
        const uint64_t part = (left + 1 + WIDTH) / (WIDTH + 1);
        view.parts[view.steps] = (uint32_t)part;
        left = part - 1;
    }
    k_search_groups<gs_pary_walk<WIDTH>, ROUNDS>
        <<<blocks_for(batch.count, 32 / WIDTH * ROUNDS), GS_KEY_BLOCK_THREADS, 0, s>>>(
            view, batch);
}

template <int NODE, int ROUNDS>
void launch_tree(const key_array &a, const gs_key_batch &batch, cudaStream_t s)
{
    typename gs_tree_walk<NODE>::view view = {a.d_keys, a.levels, {}};
    memcpy(view.begins, a.begins, sizeof view.begins);
    k_search_groups<gs_tree_walk<NODE>, ROUNDS>
        <<<blocks_for(batch.count, 64 / NODE * ROUNDS), GS_KEY_BLOCK_THREADS, 0, s>>>(
            view, batch);
}

struct way_entry {
    const char *name;
    uint32_t lanes;        /* threads a query */
    uint32_t node_keys;    /* 0: the array is searched as it is */
    launch_fn *few, *many; /* queries, by whether all have threads at once */
};

const way_entry ways[GS_KEY_WAY_COUNT] = {
    {"auto", 0, 0, nullptr, nullptr},
    {"binary", 1, 0, launch_binary, launch_binary},
    {"p-ary 4", 4, 0, launch_pary<4, 1>, launch_pary<4, GS_KEY_ROUNDS_PARY_4>},
    {"p-ary 8", 8, 0, launch_pary<8, 1>, launch_pary<8, GS_KEY_ROUNDS_PARY>},
    {"p-ary 16", 16, 0, launch_pary<16, 1>, launch_pary<16, GS_KEY_ROUNDS_PARY>},
    {"p-ary 32", 32, 0, launch_pary<32, 1>, launch_pary<32, GS_KEY_ROUNDS_PARY>},
    {"tree 4", 2, 4, launch_tree<4, 1>, launch_tree<4, GS_KEY_ROUNDS_TREE_4>},
    {"tree 8", 4, 8, launch_tree<8, 1>, launch_tree<8, GS_KEY_ROUNDS_TREE_8>},
    {"tree 16", 8, 16, launch_tree<16, 1>, launch_tree<16, GS_KEY_ROUNDS_TREE_16>},
    {"tree 32", 16, 32, launch_tree<32, 1>, launch_tree<32, GS_KEY_ROUNDS_TREE_32>},
};

/* Left free on a device for the driver and for other programs. */
const size_t RESERVE_BYTES = (size_t)256 << 20;

/* A kernel that is timed waits until its launch and the event behind it are on the
 * stream, or the host's calls would be in its time. */
const uint32_t LATER_NS = 40000;

} // namespace

struct gs_key_search {
    const way_entry *way;
    key_array array;
    uint32_t threads_max; /* that the device holds at once */
    int device;
    size_t query_count_max, device_bytes;
    cudaStream_t stream;
    cudaEvent_t started, searched;
    uint64_t *d_queries, *h_queries;
    uint32_t *d_ranks, *h_ranks;
    bool is_busy, is_timed;
};

const char *gs_key_way_name(gs_key_way way)
{
    return way < GS_KEY_WAY_COUNT ? ways[way].name : "none";
}

/* Makes the device current, or says why it cannot be used. */
static gs_code take_device(gs_key_search *s, int index, size_t *free_bytes, gs_status *st)
{
    if (gs_device_count() == 0) {
        char why[512];
        (void)gs_device_describe(why, sizeof why);
        why[strcspn(why, ";\n")] = '\0';
        return GS_FAIL(st, GS_ERR_GPU, 0, "%s", why);
    }
    gs_device device;
    GS_TRY(gs_device_use(index, GS_ERR_ARG, &device, st));
    s->device = index;
    s->threads_max = device.processor_count * GS_KEY_THREADS_EACH;
    *free_bytes = device.free_bytes;
    return GS_OK;
}

/* Where each level begins: the array and then nodes of it, each level with at least one
 * key that is not used, so that it ends with the greatest number. */
static void plan_levels(key_array *a, uint32_t node_keys)
{
    if (node_keys == 0) {
        a->levels = 1;
        a->begins[1] = a->count;
        return;
    }
    for (uint64_t used = a->count;;) {
        const uint64_t nodes = used / node_keys + 1;
        gs_assert(a->levels < GS_KEY_LEVELS_MAX);
        a->begins[a->levels + 1] = a->begins[a->levels] + nodes * node_keys;
        a->levels++;
        if (nodes == 1)
            return;
        used = nodes;
    }
}

/* The keys to the device, and the levels above them there. */
static gs_code fill(gs_key_search *s, const uint64_t *keys, gs_status *st)
{
    const key_array *const a = &s->array;
    const uint32_t node_keys = s->way->node_keys;
    const size_t used = a->count * sizeof *keys;
    GPU_TRY(st, cudaMemsetAsync(a->d_keys + a->count, GS_KEY_UNUSED,
                                a->begins[a->levels] * sizeof *keys - used, s->stream));
    if (used > 0)
        GPU_TRY(st, cudaMemcpyAsync(a->d_keys, keys, used, cudaMemcpyHostToDevice,
                                    s->stream));
    for (uint32_t level = 1; level < a->levels; level++) {
        const uint64_t *const below = a->d_keys + a->begins[level - 1];
        const uint32_t nodes =
            (uint32_t)((a->begins[level] - a->begins[level - 1]) / node_keys);
        k_build_level<<<(nodes + 255) / 256, 256, 0, s->stream>>>(
            below, a->d_keys + a->begins[level], node_keys, nodes);
        GPU_LAUNCHED(st, s->stream, "k_build_level");
    }
    GPU_TRY(st, cudaStreamSynchronize(s->stream));
    return GS_OK;
}

static gs_code allocate(gs_key_search *s, size_t free_bytes, gs_status *st)
{
    const size_t count = s->query_count_max > 0 ? s->query_count_max : 1;
    const size_t key_bytes =
        (s->array.begins[s->array.levels] + 1) * sizeof *s->array.d_keys;
    const size_t query_bytes = count * sizeof *s->d_queries;
    const size_t rank_bytes = count * sizeof *s->d_ranks;
    s->device_bytes = key_bytes + query_bytes + rank_bytes;
    if (free_bytes < RESERVE_BYTES || s->device_bytes > free_bytes - RESERVE_BYTES)
        return GS_FAIL(st, GS_ERR_NOMEM, 0, "GPU %d: %u keys need %zu bytes of %zu free",
                       s->device, s->array.count, s->device_bytes, free_bytes);
    GPU_TRY(st, cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking));
    GPU_TRY(st, cudaEventCreate(&s->started));
    GPU_TRY(st, cudaEventCreate(&s->searched));
    GPU_TRY(st, cudaMalloc(&s->array.d_keys, key_bytes));
    GPU_TRY(st, cudaMalloc(&s->d_queries, query_bytes));
    GPU_TRY(st, cudaMalloc(&s->d_ranks, rank_bytes));
    GPU_TRY(st, cudaMallocHost(&s->h_queries, query_bytes));
    GPU_TRY(st, cudaMallocHost(&s->h_ranks, rank_bytes));
    return GS_OK;
}

gs_code gs_key_search_new(gs_key_search **out, const gs_key_search_options *options,
                          gs_status *st)
{
    void *memory = nullptr;
    gs_key_search *s = nullptr;
    size_t free_bytes = 0;
    *out = nullptr;
    if (options->key_count > GS_KEY_SEARCH_KEYS_MAX ||
        options->query_count_max > GS_KEY_SEARCH_QUERIES_MAX)
        return GS_FAIL(st, GS_ERR_LIMIT, 0, "a search on a GPU takes at most %lu keys",
                       (unsigned long)GS_KEY_SEARCH_KEYS_MAX);
    GS_TRY(gs_mem_new(&memory, sizeof *s, "key search", st));
    s = (gs_key_search *)memory;
    s->way = &ways[options->way == GS_KEY_AUTO ? GS_KEY_FASTEST : options->way];
    s->query_count_max = options->query_count_max;
    s->array.count = (uint32_t)options->key_count;
    plan_levels(&s->array, s->way->node_keys);
    GS_TRY_OR_FAIL(take_device(s, options->device, &free_bytes, st));
    GS_TRY_OR_FAIL(allocate(s, free_bytes, st));
    GS_TRY_OR_FAIL(fill(s, options->keys, st));
    *out = s;
    return GS_OK;
fail:
    gs_key_search_free(s);
    return st->code;
}

void gs_key_search_free(gs_key_search *s)
{
    if (s == nullptr)
        return;
    /* Nothing useful can be done if the device refuses to give something back. */
    if (s->stream) {
        (void)cudaSetDevice(s->device);
        (void)cudaStreamSynchronize(s->stream);
        (void)cudaStreamDestroy(s->stream);
    }
    if (s->started)
        (void)cudaEventDestroy(s->started);
    if (s->searched)
        (void)cudaEventDestroy(s->searched);
    (void)cudaFree(s->array.d_keys);
    (void)cudaFree(s->d_queries);
    (void)cudaFree(s->d_ranks);
    (void)cudaFreeHost(s->h_queries);
    (void)cudaFreeHost(s->h_ranks);
    (void)cudaGetLastError();
    gs_mem_free(s);
}

uint64_t *gs_key_search_queries(gs_key_search *s)
{
    return s->h_queries;
}

const uint32_t *gs_key_search_ranks(const gs_key_search *s)
{
    return s->h_ranks;
}

size_t gs_key_search_device_bytes(const gs_key_search *s)
{
    return s->device_bytes;
}

const uint64_t *gs_key_search_keys(const gs_key_search *s)
{
    return s->array.d_keys;
}

/* As many as the device holds at once, or more. */
static void launch(const gs_key_search *s, const gs_key_batch &batch, cudaStream_t stream)
{
    if ((uint64_t)batch.count * s->way->lanes <= s->threads_max)
        s->way->few(s->array, batch, stream);
    else
        s->way->many(s->array, batch, stream);
}

gs_code gs_key_search_on_device(const gs_key_search *s, const uint64_t *queries,
                                uint32_t count, uint32_t *ranks, cudaStream_t stream,
                                gs_status *st)
{
    const gs_key_batch batch = {queries, ranks, count};
    launch(s, batch, stream);
    GPU_LAUNCHED(st, stream, "k_search");
    return GS_OK;
}

gs_code gs_key_search_submit(gs_key_search *s, size_t query_count,
                             gs_key_transport transport, unsigned flags, gs_status *st)
{
    gs_assert(!s->is_busy && query_count <= s->query_count_max);
    const bool is_direct = transport == GS_KEY_DIRECT;
    const gs_key_batch batch = {is_direct ? s->h_queries : s->d_queries,
                                is_direct ? s->h_ranks : s->d_ranks,
                                (uint32_t)query_count};
    s->is_busy = true;
    s->is_timed = false;
    if (query_count == 0)
        return GS_OK;
    GPU_TRY(st, cudaSetDevice(s->device));
    if (!is_direct && !(flags & GS_KEY_NO_COPY_IN))
        GPU_TRY(st, cudaMemcpyAsync(s->d_queries, s->h_queries,
                                    query_count * sizeof *s->d_queries,
                                    cudaMemcpyHostToDevice, s->stream));
    if (flags & GS_KEY_TIMED) {
        k_search_later<<<1, 1, 0, s->stream>>>(LATER_NS);
        GPU_LAUNCHED(st, s->stream, "k_search_later");
        GPU_TRY(st, cudaEventRecord(s->started, s->stream));
    }
    if (flags & GS_KEY_NO_SEARCH)
        k_search_nothing<<<1, 32, 0, s->stream>>>();
    else
        launch(s, batch, s->stream);
    GPU_LAUNCHED(st, s->stream, "k_search");
    if (flags & GS_KEY_TIMED)
        GPU_TRY(st, cudaEventRecord(s->searched, s->stream));
    if (!is_direct && !(flags & GS_KEY_NO_COPY_OUT))
        GPU_TRY(st,
                cudaMemcpyAsync(s->h_ranks, s->d_ranks, query_count * sizeof *s->d_ranks,
                                cudaMemcpyDeviceToHost, s->stream));
    s->is_timed = (flags & GS_KEY_TIMED) != 0;
    return GS_OK;
}

gs_code gs_key_search_wait(gs_key_search *s, gs_status *st)
{
    gs_assert(s->is_busy);
    s->is_busy = false;
    GPU_TRY(st, cudaStreamSynchronize(s->stream));
    return GS_OK;
}

double gs_key_search_device_ms(const gs_key_search *s)
{
    float ms = 0;
    if (s->is_timed && cudaEventElapsedTime(&ms, s->started, s->searched) != cudaSuccess)
        return 0;
    return (double)ms;
}
