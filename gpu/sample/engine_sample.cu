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
 *     in order already     keys, but for a few stretches of such: keys -> other -> keys
 *
 * where `next` is the array of keys itself, seen as packed numbers, if those are as wide
 * as the keys, and else the second half of the scratch.
 */
#include <stddef.h>

#include "gpu/engine/engine_ops.cuh"
#include "gpu/sample/sample_arrays.cuh"
#include "gpu/sample/sample_build.cuh"
#include "gpu/sample/sample_fill.cuh"
#include "gpu/sample/sample_local.cuh"
#include "gpu/sample/sample_move.cuh"
#include "gpu/sample/sample_order.cuh"
#include "gpu/sample/sample_plan.cuh"
#include "gpu/sample/sample_tuning.cuh"
#include "lib/base/assertion.h"

namespace
{

/* Of the control: how long the lists of k_local and k_fill are, and what was taken. */
const size_t LISTS_BYTES =
    offsetof(gs_sample_control, count_tiles) - offsetof(gs_sample_control, leaf_count);
enum : size_t { PACK_NARROW_MIN = (size_t)1 << 24 }; /* keys */
/* Below, a launch is more than 2 % of a sort. */
enum : size_t { ORDER_MIN = (size_t)1 << 22 }; /* keys */

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

/* Has the control brought to the host's mail. */
gs_code read_control(const gs_engine_run *run, const gs_sample_control *control,
                     bool wait, gs_status *st)
{
    static_assert(sizeof(gs_sample_control) <= GS_ENGINE_MAIL_BYTES, "mail");
    GPU_TRY(st, cudaMemcpyAsync(run->h_mail, control, sizeof(gs_sample_control),
                                cudaMemcpyDeviceToHost, run->stream));
    if (wait)
        GPU_TRY(st, cudaStreamSynchronize(run->stream));
    return GS_OK;
}

/* As many blocks' worth of keys as one round may have: in buckets of half as much, which
 * k_plan tries, that leaves some of GS_BUCKETS_MAX for cells that are larger. */
enum { HALF_BUCKETS_MAX = GS_BUCKETS_MAX / 2 - 32 };

/* How many rounds, and how many keys a bucket of the first one gets. */
template <typename N>
unsigned plan_rounds(size_t count, unsigned long long *first_bucket_keys)
{
    using T = gs_sample_tuning<N>;
    *first_bucket_keys = T::LEAF_KEYS;
    if (count <= T::CAPACITY)
        return 0;
    if (count <= HALF_BUCKETS_MAX * (size_t)T::CAPACITY)
        return 1;
    const size_t leaves = count / T::LEAF_KEYS + 1;
    size_t first = 1;
    while (first * first < leaves && first < 1000)
        first++;
    *first_bucket_keys = count / first + 1;
    return 2;
}

/* What a round cuts, and into what. */
struct Round {
    const gs_segment *segments;
    unsigned segment_count;
    size_t segment_keys; /* about, of each */
    gs_segment *buckets; /* GS_BUCKETS_MAX a segment */
    unsigned long long bucket_keys;
    bool verify; /* that k_count saw no bit vary that the sample did not */
    uint32_t seed;
};

/* The launches for keys in one form: as they are (V = W), or packed as they are read from
 * `keys` (V) to numbers of 64 bits (W). Rounds move them between `other` and `next`. */
template <typename V, typename W> struct Form {
    using N = typename V::num;
    using T = gs_sample_tuning<N>;
    const gs_engine_run *run;
    gs_sample_control *control;
    const gs_sample_lists<N> *lists;
    V keys;
    W other, next;
    uint32_t form;

    /* The whole sort, as far as it is known before counts are. */
    gs_code sort(gs_status *st) const
    {
        unsigned long long first_keys;
        const unsigned rounds = plan_rounds<N>(run->count, &first_keys);
        const gs_segment all = {0, run->count, 0, 0};
        GPU_TRY(st, cudaMemcpyAsync(lists->segments, &all, sizeof all,
                                    cudaMemcpyHostToDevice, run->stream));
        const Round first = {
            lists->segments,        1, run->count, lists->buckets[0], first_keys,
            form == GS_FORM_PACKED, 1};
        GS_TRY(distribute(keys, other, first, st));
        if (rounds == 1)
            return sort_buckets(other, first, lists->oversize[0], st);
        const Round second = {lists->buckets[0],
                              GS_BUCKETS_MAX,
                              (size_t)first_keys,
                              lists->buckets[1],
                              T::LEAF_KEYS,
                              false,
                              2};
        GS_TRY(distribute(other, next, second, st));
        return sort_buckets(next, second, lists->oversize[0], st);
    }

    /* Keys of `from` to buckets in `to`. */
    template <typename From>
    gs_code distribute(From from, W to, const Round &round, gs_status *st) const
    {
        GS_TRY(build_tries(from, round, st));
        GS_TRY(cut_tiles(from, to, round, st));
        GS_TRY(count_cells(from, round, st));
        GS_TRY(plan_buckets(round, st));
        if (has_large_tiles<From>())
            return scatter<typename gs_scatter_tuning<From>::Large>(from, to, round, st);
        return scatter<typename gs_scatter_tuning<From>::Small>(from, to, round, st);
    }

    /* The round's buckets, which are in `from`, to `keys` in order; those that are too
     * large for a block to `oversize`. */
    gs_code sort_buckets(W from, const Round &round, gs_segment *oversize,
                         gs_status *st) const
    {
        k_leaf<W, GS_BUCKETS_MAX>
            <<<round.segment_count, GS_BUCKETS_MAX, 0, run->stream>>>(
                from, round.segments, round.buckets, T::CAPACITY, lists->leaves,
                lists->fills, lists->suspects, oversize, control, form);
        GPU_LAUNCHED(st, run->stream, "k_leaf");
        return sort_leaves(from, oversize, st);
    }

    /* The leaves in the control's lists; suspects that are not one value go to
     * `oversize`. */
    template <typename From>
    gs_code sort_leaves(From from, gs_segment *oversize, gs_status *st) const
    {
        const auto local = k_local<From, V, T::LOCAL_THREADS, T::LOCAL_ITEMS,
                                   T::LOCAL_BINS_EACH, T::LOCAL_BLOCKS>;
        const size_t bytes = sizeof(
            gs_local_shared<N, T::LOCAL_THREADS, T::LOCAL_ITEMS, T::LOCAL_BINS_EACH>);
        unsigned grid;
        GPU_TRY(st, persistent_grid(local, T::LOCAL_THREADS, bytes, run->processor_count,
                                    &grid));
        local<<<grid, T::LOCAL_THREADS, bytes, run->stream>>>(from, keys, lists->leaves,
                                                              control, form);
        GPU_LAUNCHED(st, run->stream, "k_local");
        k_fill<From, V, 512><<<run->processor_count * 4, 512, 0, run->stream>>>(
            from, keys, lists->fills, lists->suspects, oversize, control, form);
        GPU_LAUNCHED(st, run->stream, "k_fill");
        return GS_OK;
    }

    /* After the sort: cuts what is still too large until nothing is. Every round resolves
     * at least the bits in which a segment's sample differs, so that a few are enough for
     * any input. */
    gs_code finish(gs_status *st) const
    {
        enum { ROUNDS_MAX = 64 };
        unsigned long long unused;
        const bool two = plan_rounds<N>(run->count, &unused) == 2;
        const volatile gs_sample_control *const mail =
            (const volatile gs_sample_control *)run->h_mail;
        W from = two ? next : other, to = two ? other : next;
        for (unsigned r = 0; mail->oversize_count != 0; r++) {
            if (r == ROUNDS_MAX)
                return GS_FAIL(st, GS_ERR_GPU, 0,
                               "sample sort: %u parts left after %u rounds",
                               mail->oversize_count, r);
            GS_TRY(cut_again(from, to, lists->oversize[r & 1], mail->oversize_count,
                             lists->oversize[(r + 1) & 1], (r + 3) * 0x10001u, st));
            GS_TRY(read_control(run, control, true, st));
            const W swap = from;
            from = to;
            to = swap;
        }
        return GS_OK;
    }

  private:
    /* Another round for the segments in `list`, whose keys are in `from`; what is then
     * still too large goes to `rest`. The control's lists are used up batch by batch. */
    gs_code cut_again(W from, W to, const gs_segment *list, uint32_t list_count,
                      gs_segment *rest, uint32_t seed, gs_status *st) const
    {
        GPU_TRY(st, cudaMemsetAsync(&control->oversize_count, 0, sizeof(uint32_t),
                                    run->stream));
        for (uint32_t i = 0; i < list_count; i += GS_SEGMENTS_MAX) {
            const uint32_t left = list_count - i, most = GS_SEGMENTS_MAX;
            const Round round = {list + i,     left < most ? left : most,
                                 T::CAPACITY,  lists->buckets[1],
                                 T::LEAF_KEYS, false,
                                 seed + i};
            GPU_TRY(st,
                    cudaMemsetAsync(&control->leaf_count, 0, LISTS_BYTES, run->stream));
            GS_TRY(distribute(from, to, round, st));
            GS_TRY(sort_buckets(to, round, rest, st));
        }
        return GS_OK;
    }

    /* From how many samples on a cell is divided. It may be as large as the next round
     * can cut; in a last round, half of what a block takes. */
    uint32_t heavy_samples(const Round &round) const
    {
        const uint32_t heavy = GS_SAMPLE_HEAVY;
        if (round.bucket_keys > T::LEAF_KEYS) {
            const size_t cut = (size_t)T::SAMPLE * T::LEAF_KEYS * 700 / run->count;
            return cut > 64 ? 64 : cut > heavy ? (uint32_t)cut : heavy;
        }
        const size_t cut = (size_t)T::SAMPLE * T::CAPACITY / 2 / round.segment_keys;
        return cut > heavy ? heavy : cut > 2 ? (uint32_t)cut : 2;
    }

    template <typename From>
    gs_code build_tries(From from, const Round &round, gs_status *st) const
    {
        constexpr size_t sample_bytes =
            gs_block_sort_bytes<N, T::BUILD_THREADS, T::SAMPLE / T::BUILD_THREADS>();
        static_assert(sample_bytes + sizeof(gs_build_shared<N>) + 1024 <= 99 * 1024,
                      "what small chips give a block");
        const auto build = k_build<From, T::BUILD_THREADS, T::SAMPLE>;
        GPU_TRY(st,
                cudaFuncSetAttribute(build, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     (int)sample_bytes));
        build<<<round.segment_count, T::BUILD_THREADS, sample_bytes, run->stream>>>(
            from, round.segments, lists->tries, heavy_samples(round), round.seed, control,
            form);
        GPU_LAUNCHED(st, run->stream, "k_build");
        return GS_OK;
    }

    /* Keys a tile of k_count. */
    uint32_t count_tile() const
    {
        const unsigned batch = T::COUNT_THREADS * T::COUNT_ITEMS;
        const size_t batches = run->count / (run->processor_count * 16) / batch + 1;
        const size_t most = T::COUNT_TILE / batch;
        return (uint32_t)(batches < most ? batches : most) * batch;
    }

    template <typename From> bool has_large_tiles() const
    {
        using Large = typename gs_scatter_tuning<From>::Large;
        return run->count >= GS_SCATTER_LARGE &&
               run->shared_bytes >= sizeof(gs_scatter_shared<From, Large>);
    }

    template <typename From>
    gs_code cut_tiles(From from, W to, const Round &round, gs_status *st) const
    {
        using Small = typename gs_scatter_tuning<From>::Small;
        using Large = typename gs_scatter_tuning<From>::Large;
        const unsigned scatter_tile = has_large_tiles<From>()
                                          ? Large::THREADS * Large::ITEMS
                                          : Small::THREADS * Small::ITEMS;
        k_tile<From, W, GS_SEGMENTS_MAX><<<1, GS_SEGMENTS_MAX, 0, run->stream>>>(
            from, to, round.segments, round.segment_count, count_tile(), scatter_tile,
            lists->count_starts, lists->scatter_starts, control, form);
        GPU_LAUNCHED(st, run->stream, "k_tile");
        return GS_OK;
    }

    template <typename From>
    gs_code count_cells(From from, const Round &round, gs_status *st) const
    {
        const auto count = k_count<From, T::COUNT_THREADS, T::COUNT_ITEMS>;
        const size_t bytes = gs_count_shared_bytes<N>();
        unsigned grid;
        GPU_TRY(st, persistent_grid(count, T::COUNT_THREADS, bytes, run->processor_count,
                                    &grid));
        count<<<grid, T::COUNT_THREADS, bytes, run->stream>>>(
            from, round.segments, round.segment_count, lists->count_starts, count_tile(),
            lists->tries, control, form);
        GPU_LAUNCHED(st, run->stream, "k_count");
        return GS_OK;
    }

    /* With one segment all tiles reserve from the same cursors: apart, they are in
     * different parts of the L2 cache and do not wait for each other. */
    static uint32_t cursor_stride(const Round &round)
    {
        return round.segment_count == 1 ? 16 : 1;
    }

    gs_code plan_buckets(const Round &round, gs_status *st) const
    {
        constexpr unsigned THREADS = 512;
        const unsigned long long spare = T::CAPACITY - T::LEAF_KEYS;
        const unsigned long long heavy_keys =
            round.bucket_keys == T::LEAF_KEYS ? spare : round.bucket_keys;
        k_plan<N, THREADS><<<round.segment_count, THREADS, 0, run->stream>>>(
            round.segments, lists->tries, round.buckets, lists->cursors,
            cursor_stride(round), round.bucket_keys, heavy_keys, T::CAPACITY, control,
            form, round.verify);
        GPU_LAUNCHED(st, run->stream, "k_plan");
        return GS_OK;
    }

    template <typename Shape, typename From>
    gs_code scatter(From from, W to, const Round &round, gs_status *st) const
    {
        const auto scatter = k_scatter<From, W, Shape>;
        const size_t bytes = sizeof(gs_scatter_shared<From, Shape>);
        unsigned grid;
        GPU_TRY(st, persistent_grid(scatter, Shape::THREADS, bytes, run->processor_count,
                                    &grid));
        scatter<<<grid, Shape::THREADS, bytes, run->stream>>>(
            from, to, round.segments, round.segment_count, lists->scatter_starts,
            lists->tries, round.buckets, lists->cursors, cursor_stride(round), control,
            form);
        GPU_LAUNCHED(st, run->stream, "k_scatter");
        return GS_OK;
    }
};

/* A batch of one type of key. */
template <typename V> struct Batch {
    using N = typename V::num;
    static constexpr bool IS_WIDE = sizeof(N) > 8;
    const gs_engine_run *run;
    gs_sample_control *control;
    Form<V, V> plain;
    Form<gs_view_pack<V>, gs_view_u64> packed;
    gs_ordered<V> ordered;

    Batch(const gs_engine_run *run, gs_sample_arrays *arrays, V keys)
        : run(run),
          control(arrays->control), plain{run,
                                          control,
                                          arrays->lists(keys),
                                          keys,
                                          keys.over(arrays->other, arrays->other_values),
                                          keys,
                                          GS_FORM_PLAIN},
          packed{run,
                 control,
                 &arrays->narrow,
                 {keys, &control->pack},
                 {(uint64_t *)arrays->other},
                 {(uint64_t *)arrays->next},
                 GS_FORM_PACKED},
          ordered{run,
                  keys,
                  keys.over(arrays->other, arrays->other_values),
                  arrays->other,
                  arrays->other_values,
                  arrays->lists(keys)->cursors,
                  GS_SAMPLE_BUCKETS_ALL}
    {
    }

    /* The sort, as far as it is known before anything of the keys is: launched are both
     * forms, or the plain one alone if narrow keys are hardly ever packed. `is_exact`:
     * the sort once more, by the bits that k_count saw vary; this waits. */
    gs_code start(bool is_exact, gs_status *st) const
    {
        unsigned long long unused;
        if (plan_rounds<N>(run->count, &unused) == 0)
            return sort_one_leaf(is_exact, st);
        /* Wide keys are packed where they can be; narrow ones with a gap where the host's
         * part in it is little beside what many keys gain. */
        const uint32_t narrow_min =
            run->count < PACK_NARROW_MIN ? (uint32_t)NEVER_PACKED : 2;
        GS_TRY(look(is_exact, IS_WIDE ? 1 : narrow_min, 0, st));
        if (run->count >= ORDER_MIN && !is_exact)
            GS_TRY(ordered.look(control, st));
        GS_TRY(plain.sort(st));
        if (IS_WIDE || is_exact)
            GS_TRY(packed.sort(st));
        return read_control(run, control, is_exact, st);
    }

    /* The packed form of narrow keys that turned out to be for it; this waits. */
    gs_code sort_packed(gs_status *st) const
    {
        GS_TRY(packed.sort(st));
        return read_control(run, control, true, st);
    }

    /* What keys are merged or turned round by that were a few stretches. */
    gs_code settle(bool *out_more, gs_status *st) const
    {
        const gs_order_seen seen = ((const gs_sample_control *)run->h_mail)->order;
        const bool is_down = seen.way == GS_ORDER_DOWN;
        *out_more = is_down || seen.cut_count > 0;
        gs_log_say(run->log, GS_LOG_INFO, "GPU: %zu keys came %s but for %u places",
                   run->count, is_down ? "the other way round" : "in order",
                   seen.cut_count);
        return ordered.settle(&seen, st);
    }

    /* The rounds that counts have shown to be needed; this waits. */
    gs_code finish(gs_status *st) const
    {
        const auto *const mail = (const gs_sample_control *)run->h_mail;
        return mail->packed == GS_FORM_PACKED ? packed.finish(st) : plain.finish(st);
    }

  private:
    enum : uint32_t { NEVER_PACKED = gs_pack::RUNS_MAX + 1 };

    gs_code look(bool is_exact, uint32_t runs_min, uint32_t leaf_count,
                 gs_status *st) const
    {
        k_look<V, 1024><<<1, 1024, 0, run->stream>>>(plain.keys, run->count, is_exact,
                                                     runs_min, leaf_count, control);
        GPU_LAUNCHED(st, run->stream, "k_look");
        return GS_OK;
    }

    gs_code sort_one_leaf(bool is_exact, gs_status *st) const
    {
        const gs_leaf leaf = {0, (uint32_t)run->count, 0, 0};
        GS_TRY(look(is_exact, NEVER_PACKED, 1, st));
        GPU_TRY(st, cudaMemcpyAsync(plain.lists->leaves, &leaf, sizeof leaf,
                                    cudaMemcpyHostToDevice, run->stream));
        GS_TRY(plain.sort_leaves(plain.keys, plain.lists->oversize[0], st));
        return read_control(run, control, is_exact, st);
    }
};

/* Calls `use` with the Batch that `run` is. */
template <typename Use> gs_code with_batch(const gs_engine_run *run, const Use &use)
{
    gs_sample_arrays arrays;
    const size_t used =
        gs_sample_take_arrays(run->d_scratch, run->type, run->count, &arrays);
    gs_assert(used <= run->scratch_bytes);
    /* Packed numbers are 8 bytes wide: for keys as wide, the array itself is the third.
     */
    if (run->type != GS_BATCH_U128)
        arrays.next = run->d_keys;
    return gs_with_view(run->type, run->d_keys, run->d_values, [&](auto keys) {
        return use(Batch<decltype(keys)>(run, &arrays, keys));
    });
}

gs_code sample_scratch(gs_batch_type type, size_t count, size_t *out_bytes, gs_status *)
{
    gs_sample_arrays arrays;
    *out_bytes = gs_sample_take_arrays(nullptr, type, count, &arrays);
    return GS_OK;
}

gs_code sample_submit(const gs_engine_run *run, gs_status *st)
{
    return with_batch(run, [&](const auto &batch) { return batch.start(false, st); });
}

gs_code sample_finish(const gs_engine_run *run, bool *out_more, gs_status *st)
{
    const volatile gs_sample_control *const mail =
        (const volatile gs_sample_control *)run->h_mail;
    if (mail->packed == GS_FORM_ORDERED)
        return with_batch(run,
                          [&](const auto &batch) { return batch.settle(out_more, st); });
    const bool is_late = mail->packed == GS_FORM_PACKED && run->type == GS_BATCH_U64;
    *out_more = is_late || mail->failed != 0 || mail->oversize_count != 0;
    return with_batch(run, [&](const auto &batch) {
        if (is_late)
            GS_TRY(batch.sort_packed(st));
        if (mail->failed != 0)
            GS_TRY(batch.start(true, st));
        return batch.finish(st);
    });
}

} // namespace

const gs_engine_ops gs_engine_sample = {
    "sample",       "sample sort: two distribution rounds, then bins in shared memory",
    sample_scratch, sample_submit,
    sample_finish,  nullptr};
