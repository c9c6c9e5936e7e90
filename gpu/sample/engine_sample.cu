/* SPDX-License-Identifier: MIT */
/*
 * engine_sample: the sample sort's host side. The kernels and the idea are in
 * sample_types.cuh; this puts rounds on the stream and, after them, looks whether a
 * bucket came out too large or the sample missed a varying bit, which takes further
 * rounds.
 *
 * Where keys are, by rounds (the scratch has room for the keys once more):
 *
 *     fits a block         keys
 *     one round            keys -> other -> (k_local) keys
 *     two rounds           keys -> other -> keys -> (k_local) keys
 *     two rounds, packed   keys -> other -> next -> (k_local) keys
 *
 * where `next` is the array of keys itself, seen as packed numbers, if those are as wide
 * as the keys, and else the second half of the scratch.
 */
#include <stddef.h>

#include "gpu/engine/engine_ops.cuh"
#include "gpu/sample/sample_build.cuh"
#include "gpu/sample/sample_local.cuh"
#include "gpu/sample/sample_move.cuh"
#include "gpu/sample/sample_plan.cuh"
#include "gpu/sample/sample_tuning.cuh"
#include "lib/base/assertion.h"

namespace
{

/* Arrays of the scratch; the same for every round. */
template <typename N> struct Plan {
    gs_trie<N> *tries;
    gs_segment *segments;   /* of the round */
    gs_segment *buckets[2]; /* GS_BUCKETS_MAX a segment */
    unsigned long long *cursors;
    uint32_t *count_starts, *scatter_starts;
    gs_leaf *leaves;
    gs_fill<N> *fills;
    gs_segment *suspects;
    gs_segment *oversize[2];
};

struct Arrays {
    gs_sample_control *control;
    void *other, *next; /* room for the keys */
    uint32_t *other_values;
    Plan<uint64_t> narrow;
    Plan<gs_num128> wide;

    template <typename V> Plan<typename V::num> *plan(V)
    {
        if constexpr (sizeof(typename V::num) > 8)
            return &wide;
        else
            return &narrow;
    }
};

enum { BUCKETS_ALL = GS_BUCKETS_MAX * GS_SEGMENTS_MAX };
/* Of the control: how long the lists of k_local and k_fill are, and what was taken. */
const size_t LISTS_BYTES =
    offsetof(gs_sample_control, count_tiles) - offsetof(gs_sample_control, leaf_count);
enum : size_t { PACK_NARROW_MIN = (size_t)1 << 24 }; /* keys */

template <typename N> void take_plan(gs_scratch *scratch, size_t count, Plan<N> *plan)
{
    plan->tries = scratch->take<gs_trie<N>>(GS_SEGMENTS_MAX);
    plan->segments = scratch->take<gs_segment>(1);
    plan->buckets[0] = scratch->take<gs_segment>(GS_BUCKETS_MAX);
    plan->buckets[1] = scratch->take<gs_segment>(BUCKETS_ALL);
    plan->cursors = scratch->take<unsigned long long>(BUCKETS_ALL);
    plan->count_starts = scratch->take<uint32_t>(GS_SEGMENTS_MAX + 1);
    plan->scatter_starts = scratch->take<uint32_t>(GS_SEGMENTS_MAX + 1);
    plan->leaves = scratch->take<gs_leaf>(BUCKETS_ALL);
    plan->fills = scratch->take<gs_fill<N>>(BUCKETS_ALL);
    /* An oversize bucket has more keys than a block can take. */
    const size_t oversize_max = count / gs_sample_tuning<N>::CAPACITY + 1;
    plan->suspects = scratch->take<gs_segment>(oversize_max);
    plan->oversize[0] = scratch->take<gs_segment>(oversize_max);
    plan->oversize[1] = scratch->take<gs_segment>(oversize_max);
}

size_t take_arrays(char *base, gs_batch_type type, size_t count, Arrays *arrays)
{
    gs_scratch scratch = {base, 0};
    arrays->control = scratch.take<gs_sample_control>(1);
    const size_t key_bytes = gs_key_bytes(type);
    arrays->other = scratch.take<char>(count * key_bytes);
    arrays->other_values =
        type == GS_BATCH_U64_U32 ? scratch.take<uint32_t>(count) : nullptr;
    arrays->next = arrays->other ? (char *)arrays->other + count * 8 : nullptr;
    const size_t start = scratch.used;
    take_plan(&scratch, count, &arrays->narrow);
    if (type != GS_BATCH_U64) {
        /* Only one of the two widths is in use at a time. */
        gs_scratch again = {base, start};
        take_plan(&again, count, &arrays->wide);
        if (again.used > scratch.used)
            scratch.used = again.used;
    }
    return scratch.used;
}

template <typename K>
cudaError_t persistent_grid(K kernel, unsigned threads, size_t shared,
                            unsigned processors, unsigned *grid)
{
    cudaError_t error = cudaFuncSetAttribute(
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
    int blocks = 0;
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel,
                                                              (int)threads, shared);
    *grid = processors * (unsigned)(blocks > 0 ? blocks : 1);
    return error;
}

template <typename V> bool has_large_tiles(const gs_engine_run *run)
{
    using Large = typename gs_scatter_tuning<V>::Large;
    return run->count >= GS_SCATTER_LARGE &&
           run->shared_bytes >= sizeof(gs_scatter_shared<V, Large>);
}

template <typename Shape, typename V, typename D>
gs_code launch_scatter(const gs_engine_run *run, gs_sample_control *control,
                       const Plan<typename V::num> *plan, V from, D to,
                       const gs_segment *segments, unsigned segment_count,
                       const gs_segment *buckets, uint32_t stride, uint32_t form,
                       gs_status *st)
{
    const auto scatter = k_scatter<V, D, Shape>;
    const size_t bytes = sizeof(gs_scatter_shared<V, Shape>);
    unsigned grid;
    GPU_TRY(st,
            persistent_grid(scatter, Shape::THREADS, bytes, run->processor_count, &grid));
    scatter<<<grid, Shape::THREADS, bytes, run->stream>>>(
        from, to, segments, segment_count, plan->scatter_starts, plan->tries, buckets,
        plan->cursors, stride, control, form);
    GPU_LAUNCHED(st, run->stream, "k_scatter");
    return GS_OK;
}

/* One round over `segment_count` segments of about `segment_keys` keys: keys of `from` go
 * to buckets in `to`. */
template <typename V, typename D>
gs_code
launch_round(const gs_engine_run *run, const Arrays *arrays, Plan<typename V::num> *plan,
             V from, D to, const gs_segment *segments, unsigned segment_count,
             size_t segment_keys, gs_segment *buckets, unsigned long long bucket_keys,
             uint32_t form, bool verify, uint32_t seed, gs_status *st)
{
    using N = typename V::num;
    using T = gs_sample_tuning<N>;
    constexpr unsigned PLAN_THREADS = 512;
    const cudaStream_t stream = run->stream;
    gs_sample_control *const control = arrays->control;

    /* A cell may be as large as the next round can cut; in a last round, half of what a
     * block takes. */
    uint32_t heavy = GS_SAMPLE_HEAVY;
    if (bucket_keys > T::LEAF_KEYS) {
        const size_t cut = (size_t)T::SAMPLE * T::LEAF_KEYS * 700 / run->count;
        heavy = cut > 64 ? 64 : cut > heavy ? (uint32_t)cut : heavy;
    } else {
        const size_t cut = (size_t)T::SAMPLE * T::CAPACITY / 2 / segment_keys;
        heavy = cut > heavy ? heavy : cut > 2 ? (uint32_t)cut : 2;
    }
    constexpr size_t sample_bytes =
        gs_block_sort_bytes<N, T::BUILD_THREADS, T::SAMPLE / T::BUILD_THREADS>();
    constexpr size_t trie_bytes =
        GS_TRIE_SLOTS * 4 + gs_trie_node<N>::MOST * (sizeof(gs_trie_node<N>) + 2) + 256;
    static_assert(sample_bytes + trie_bytes <= 99 * 1024,
                  "what small chips give a block");
    const auto build = k_build<V, T::BUILD_THREADS, T::SAMPLE>;
    GPU_TRY(st, cudaFuncSetAttribute(build, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     (int)sample_bytes));
    build<<<segment_count, T::BUILD_THREADS, sample_bytes, stream>>>(
        from, segments, plan->tries, heavy, seed, control, form);
    GPU_LAUNCHED(st, stream, "k_build");

    const unsigned count_batch = T::COUNT_THREADS * T::COUNT_ITEMS;
    size_t count_tile = run->count / (run->processor_count * 16) / count_batch + 1;
    if (count_tile > T::COUNT_TILE / count_batch)
        count_tile = T::COUNT_TILE / count_batch;
    count_tile *= count_batch;
    using Small = typename gs_scatter_tuning<V>::Small;
    using Large = typename gs_scatter_tuning<V>::Large;
    const bool is_large = has_large_tiles<V>(run);
    const unsigned scatter_tile =
        is_large ? Large::THREADS * Large::ITEMS : Small::THREADS * Small::ITEMS;
    k_tile<V, D, GS_SEGMENTS_MAX><<<1, GS_SEGMENTS_MAX, 0, stream>>>(
        from, to, segments, segment_count, (uint32_t)count_tile, scatter_tile,
        plan->count_starts, plan->scatter_starts, control, form);
    GPU_LAUNCHED(st, stream, "k_tile");

    unsigned grid;
    const auto count = k_count<V, T::COUNT_THREADS, T::COUNT_ITEMS>;
    const size_t count_bytes = gs_count_shared_bytes<N>();
    GPU_TRY(st, persistent_grid(count, T::COUNT_THREADS, count_bytes,
                                run->processor_count, &grid));
    count<<<grid, T::COUNT_THREADS, count_bytes, stream>>>(
        from, segments, segment_count, plan->count_starts, (uint32_t)count_tile,
        plan->tries, control, form);
    GPU_LAUNCHED(st, stream, "k_count");

    /* With one segment all tiles reserve from the same cursors: apart, they are in
     * different parts of the L2 cache and do not wait for each other. */
    const uint32_t stride = segment_count == 1 ? 16 : 1;
    const unsigned long long spare = T::CAPACITY - T::LEAF_KEYS;
    const unsigned long long heavy_keys =
        bucket_keys == T::LEAF_KEYS ? spare : bucket_keys;
    k_plan<N, PLAN_THREADS><<<segment_count, PLAN_THREADS, 0, stream>>>(
        segments, plan->tries, buckets, plan->cursors, stride, bucket_keys, heavy_keys,
        T::CAPACITY, control, form, verify);
    GPU_LAUNCHED(st, stream, "k_plan");

    const auto scatter =
        is_large ? launch_scatter<Large, V, D> : launch_scatter<Small, V, D>;
    return scatter(run, control, plan, from, to, segments, segment_count, buckets, stride,
                   form, st);
}

/* Sorts the leaves in the control's lists from `from` into `to`; suspects that are not
 * one value go to `oversize`. */
template <typename V, typename D>
gs_code launch_local(const gs_engine_run *run, const Arrays *arrays,
                     const Plan<typename V::num> *plan, V from, D to,
                     gs_segment *oversize, uint32_t form, gs_status *st)
{
    using N = typename V::num;
    using T = gs_sample_tuning<N>;
    unsigned grid;
    const auto local = k_local<V, D, T::LOCAL_THREADS, T::LOCAL_ITEMS, T::LOCAL_BINS_EACH,
                               T::LOCAL_BLOCKS>;
    const size_t bytes =
        sizeof(gs_local_shared<N, T::LOCAL_THREADS, T::LOCAL_ITEMS, T::LOCAL_BINS_EACH>);
    GPU_TRY(st,
            persistent_grid(local, T::LOCAL_THREADS, bytes, run->processor_count, &grid));
    local<<<grid, T::LOCAL_THREADS, bytes, run->stream>>>(from, to, plan->leaves,
                                                          arrays->control, form);
    GPU_LAUNCHED(st, run->stream, "k_local");
    k_fill<V, D, 512><<<run->processor_count * 4, 512, 0, run->stream>>>(
        from, to, plan->fills, plan->suspects, oversize, arrays->control, form);
    GPU_LAUNCHED(st, run->stream, "k_fill");
    return GS_OK;
}

/* As many blocks' worth of keys as one round may have: in buckets of half as much, which
 * k_plan tries, that leaves some of GS_BUCKETS_MAX for cells that are larger. */
enum { HALF_BUCKETS_MAX = GS_BUCKETS_MAX / 2 - 32 };

/* How many rounds, and how many keys a bucket of the first one gets. */
unsigned plan_rounds(size_t count, size_t capacity, size_t leaf_keys,
                     unsigned long long *first_bucket_keys)
{
    *first_bucket_keys = leaf_keys;
    if (count <= capacity)
        return 0;
    if (count <= HALF_BUCKETS_MAX * capacity)
        return 1;
    const size_t leaves = count / leaf_keys + 1;
    size_t first = 1;
    while (first * first < leaves && first < 1000)
        first++;
    *first_bucket_keys = count / first + 1;
    return 2;
}

/* The whole sort of one form: plain (V = W) or packed (W holds the packed numbers). */
template <typename V, typename W>
gs_code launch_form(const gs_engine_run *run, const Arrays *arrays,
                    Plan<typename V::num> *plan, V keys, W other, W next, uint32_t form,
                    gs_status *st)
{
    using N = typename V::num;
    using T = gs_sample_tuning<N>;
    const bool packed = form == GS_FORM_PACKED;
    unsigned long long first_keys;
    const unsigned rounds =
        plan_rounds(run->count, T::CAPACITY, T::LEAF_KEYS, &first_keys);
    const gs_segment all = {0, run->count, 0, 0};
    GPU_TRY(st, cudaMemcpyAsync(plan->segments, &all, sizeof all, cudaMemcpyHostToDevice,
                                run->stream));
    GS_TRY(launch_round(run, arrays, plan, keys, other, plan->segments, 1, run->count,
                        plan->buckets[0], first_keys, form, packed, 1, st));
    if (rounds == 1) {
        k_leaf<W, GS_BUCKETS_MAX><<<1, GS_BUCKETS_MAX, 0, run->stream>>>(
            other, plan->segments, plan->buckets[0], T::CAPACITY, plan->leaves,
            plan->fills, plan->suspects, plan->oversize[0], arrays->control, form);
        GPU_LAUNCHED(st, run->stream, "k_leaf");
        return launch_local(run, arrays, plan, other, keys, plan->oversize[0], form, st);
    }
    GS_TRY(launch_round(run, arrays, plan, other, next, plan->buckets[0], GS_BUCKETS_MAX,
                        (size_t)first_keys, plan->buckets[1], T::LEAF_KEYS, form, false,
                        2, st));
    k_leaf<W, GS_BUCKETS_MAX><<<GS_BUCKETS_MAX, GS_BUCKETS_MAX, 0, run->stream>>>(
        next, plan->buckets[0], plan->buckets[1], T::CAPACITY, plan->leaves, plan->fills,
        plan->suspects, plan->oversize[0], arrays->control, form);
    GPU_LAUNCHED(st, run->stream, "k_leaf");
    return launch_local(run, arrays, plan, next, keys, plan->oversize[0], form, st);
}

/* Another round for the segments in `list`, whose keys are in `from`; what is then still
 * too large goes to `rest`. The control's lists are used up batch by batch. */
template <typename V, typename W>
gs_code launch_again(const gs_engine_run *run, const Arrays *arrays,
                     Plan<typename V::num> *plan, V keys, W from, W to,
                     const gs_segment *list, uint32_t list_count, gs_segment *rest,
                     uint32_t form, uint32_t seed, gs_status *st)
{
    using T = gs_sample_tuning<typename V::num>;
    gs_sample_control *const control = arrays->control;
    GPU_TRY(st,
            cudaMemsetAsync(&control->oversize_count, 0, sizeof(uint32_t), run->stream));
    for (uint32_t i = 0; i < list_count; i += GS_SEGMENTS_MAX) {
        const uint32_t left = list_count - i, most = GS_SEGMENTS_MAX;
        const uint32_t batch = left < most ? left : most;
        GPU_TRY(st, cudaMemsetAsync(&control->leaf_count, 0, LISTS_BYTES, run->stream));
        GS_TRY(launch_round(run, arrays, plan, from, to, list + i, batch, T::CAPACITY,
                            plan->buckets[1], T::LEAF_KEYS, form, false, seed + i, st));
        k_leaf<W, GS_BUCKETS_MAX><<<batch, GS_BUCKETS_MAX, 0, run->stream>>>(
            to, list + i, plan->buckets[1], T::CAPACITY, plan->leaves, plan->fills,
            plan->suspects, rest, control, form);
        GPU_LAUNCHED(st, run->stream, "k_leaf");
        GS_TRY(launch_local(run, arrays, plan, to, keys, rest, form, st));
    }
    return GS_OK;
}

gs_code read_control(const gs_engine_run *run, const Arrays *arrays, bool wait,
                     gs_status *st)
{
    static_assert(sizeof(gs_sample_control) <= GS_ENGINE_MAIL_BYTES, "mail");
    GPU_TRY(st, cudaMemcpyAsync(run->h_mail, arrays->control, sizeof(gs_sample_control),
                                cudaMemcpyDeviceToHost, run->stream));
    if (wait)
        GPU_TRY(st, cudaStreamSynchronize(run->stream));
    return GS_OK;
}

/* Cuts what is still too large until nothing is. Every round resolves at least the bits
 * in which a segment's sample differs, so that a few are enough for any input. */
template <typename V, typename W>
gs_code finish_form(const gs_engine_run *run, const Arrays *arrays,
                    Plan<typename V::num> *plan, V keys, W other, W next, uint32_t form,
                    gs_status *st)
{
    using T = gs_sample_tuning<typename V::num>;
    enum { ROUNDS_MAX = 64 };
    unsigned long long unused;
    const unsigned rounds = plan_rounds(run->count, T::CAPACITY, T::LEAF_KEYS, &unused);
    const volatile gs_sample_control *const mail =
        (const volatile gs_sample_control *)run->h_mail;
    W from = rounds == 2 ? next : other, to = rounds == 2 ? other : next;
    for (unsigned r = 0; mail->oversize_count != 0; r++) {
        if (r == ROUNDS_MAX)
            return GS_FAIL(st, GS_ERR_GPU, 0,
                           "sample sort: %u parts left after %u rounds",
                           mail->oversize_count, r);
        GS_TRY(launch_again(run, arrays, plan, keys, from, to, plan->oversize[r & 1],
                            mail->oversize_count, plan->oversize[(r + 1) & 1], form,
                            (r + 3) * 0x10001u, st));
        GS_TRY(read_control(run, arrays, true, st));
        const W swap = from;
        from = to;
        to = swap;
    }
    return GS_OK;
}

/* What is to be launched: the plain form, and for wide keys the packed one too; then, if
 * the keys turn out to be for it, the packed form; all once more with the bits that
 * k_count saw, where the sample had missed one; further rounds. All but START wait. */
enum Phase { START, PACKED, EXACT, FINISH };

/* One phase for one key type. */
template <typename V>
gs_code run_type(const gs_engine_run *run, Arrays *arrays, Plan<typename V::num> *plan,
                 V keys, V other, V next, Phase phase, gs_status *st)
{
    gs_sample_control *const control = arrays->control;
    const gs_view_pack<V> packed = {keys, &control->pack};
    const gs_view_u64 packed_other = {(uint64_t *)arrays->other};
    const gs_view_u64 packed_next = {(uint64_t *)arrays->next};
    const bool wide = sizeof(typename V::num) > 8;
    if (phase == FINISH) {
        if (((const gs_sample_control *)run->h_mail)->packed == GS_FORM_PACKED)
            return finish_form(run, arrays, &arrays->narrow, packed, packed_other,
                               packed_next, GS_FORM_PACKED, st);
        return finish_form(run, arrays, plan, keys, other, next, GS_FORM_PLAIN, st);
    }
    if (phase == PACKED) {
        GS_TRY(launch_form(run, arrays, &arrays->narrow, packed, packed_other,
                           packed_next, GS_FORM_PACKED, st));
        return read_control(run, arrays, true, st);
    }
    unsigned long long unused;
    using T = gs_sample_tuning<typename V::num>;
    const bool whole = plan_rounds(run->count, T::CAPACITY, T::LEAF_KEYS, &unused) == 0;
    /* Wide keys are packed where they can be; narrow ones with a gap where the host's
     * part in it is little beside what many keys gain. */
    const uint32_t never = gs_pack::RUNS_MAX + 1;
    const uint32_t runs_min = whole                          ? never
                              : wide                         ? 1
                              : run->count < PACK_NARROW_MIN ? never
                                                             : 2;
    k_look<V, 1024><<<1, 1024, 0, run->stream>>>(keys, run->count, phase == EXACT,
                                                 runs_min, whole ? 1 : 0, control);
    GPU_LAUNCHED(st, run->stream, "k_look");
    if (whole) {
        const gs_leaf leaf = {0, (uint32_t)run->count, 0, 0};
        GPU_TRY(st, cudaMemcpyAsync(plan->leaves, &leaf, sizeof leaf,
                                    cudaMemcpyHostToDevice, run->stream));
        GS_TRY(launch_local(run, arrays, plan, keys, keys, plan->oversize[0],
                            GS_FORM_PLAIN, st));
    } else {
        GS_TRY(launch_form(run, arrays, plan, keys, other, next, GS_FORM_PLAIN, st));
        if (wide || phase == EXACT)
            GS_TRY(launch_form(run, arrays, &arrays->narrow, packed, packed_other,
                               packed_next, GS_FORM_PACKED, st));
    }
    return read_control(run, arrays, phase == EXACT, st);
}

gs_code run_any(const gs_engine_run *run, Phase phase, gs_status *st)
{
    Arrays arrays;
    const size_t used = take_arrays(run->d_scratch, run->type, run->count, &arrays);
    gs_assert(used <= run->scratch_bytes);
    /* Packed numbers are 8 bytes wide: for keys as wide, the array itself is the third.
     */
    if (run->type != GS_BATCH_U128)
        arrays.next = run->d_keys;
    return gs_with_view(run->type, run->d_keys, run->d_values, [&](auto keys) {
        const auto other = keys.over(arrays.other, arrays.other_values);
        return run_type(run, &arrays, arrays.plan(keys), keys, other, keys, phase, st);
    });
}

gs_code sample_scratch(gs_batch_type type, size_t count, size_t *out_bytes, gs_status *)
{
    Arrays arrays;
    *out_bytes = take_arrays(nullptr, type, count, &arrays);
    return GS_OK;
}

gs_code sample_submit(const gs_engine_run *run, gs_status *st)
{
    return run_any(run, START, st);
}

gs_code sample_finish(const gs_engine_run *run, bool *out_more, gs_status *st)
{
    const gs_sample_control *const mail = (const gs_sample_control *)run->h_mail;
    const bool late = mail->packed == GS_FORM_PACKED && run->type == GS_BATCH_U64;
    *out_more = late || mail->failed != 0 || mail->oversize_count != 0;
    if (late)
        GS_TRY(run_any(run, PACKED, st));
    if (mail->failed)
        GS_TRY(run_any(run, EXACT, st));
    return run_any(run, FINISH, st);
}

} // namespace

const gs_engine_ops gs_engine_sample = {
    "sample",       "sample sort: two distribution rounds, then bins in shared memory",
    sample_scratch, sample_submit,
    sample_finish,  nullptr};
