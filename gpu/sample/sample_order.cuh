/* SPDX-License-Identifier: MIT */
/*
 * sample_order: keys that are in order already, or nearly, which no round need move.
 *
 * k_look looks at some thousand neighbours, beside what it looks for in keys. Where
 * hardly any of them is out of order, or hardly any in order, k_order looks at all keys.
 * If they are a few stretches, each in order or each the other way round, it says so by
 * the form of the keys, for which no kernel of a round runs:
 *
 *     one stretch, in order     nothing is left to do
 *     the other way round       its two halves change places
 *     up to GS_STRETCHES_MAX    are merged, two by two, to `other` and back
 *
 *     keys    | 1 3 6 8 | 2 5 7 | 0 4 9 |
 *     other   | 1 2 3 5 6 7 8   | 0 4 9 |
 *     keys    | 0 1 2 3 4 5 6 7 8 9     |
 *
 * k_order ends as soon as it has seen the ends of more stretches than that, so that what
 * only seemed to be in order costs little more than a launch.
 *
 * A merge is cut into tiles of as many keys each: how many of a tile's are of the first
 * stretch is found by bisection, for tiles by k_merge_cuts and for threads in k_merge.
 */
#ifndef GS_GPU_SAMPLE_ORDER_CUH
#define GS_GPU_SAMPLE_ORDER_CUH

#include "gpu/engine/engine_ops.cuh"
#include "gpu/sample/sample_types.cuh"

/* All neighbours, if a sample of them says that this may be worth it. The last block to
 * end says whether it was. ITEMS keys a thread at a time; each key read once. */
template <typename V, unsigned THREADS, unsigned ITEMS, unsigned BLOCKS>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    k_order(V view, unsigned long long count, uint32_t stretches_max,
            gs_sample_control *control)
{
    using N = typename V::num;
    gs_order_seen *const order = &control->order;
    if (order->way == GS_ORDER_NONE)
        return;
    const bool is_down = order->way == GS_ORDER_DOWN;
    const unsigned long long tile = THREADS * ITEMS;
    for (unsigned long long at = blockIdx.x * tile; at + 1 < count;
         at += gridDim.x * tile) {
        const uint32_t cuts = *(volatile uint32_t *)&order->cut_count;
        N now[ITEMS], next[ITEMS];
#pragma unroll
        for (unsigned r = 0; r < ITEMS; r++) {
            const unsigned long long i = at + r * THREADS + threadIdx.x;
            const unsigned long long j = i + 1 < count ? i : count - 2;
            now[r] = view.load(j);
            next[r] = view.load(j + 1);
        }
        if (cuts >= stretches_max)
            break;
#pragma unroll
        for (unsigned r = 0; r < ITEMS; r++) {
            const unsigned long long i = at + r * THREADS + threadIdx.x;
            if (i + 1 >= count || !(is_down ? now[r] < next[r] : next[r] < now[r]))
                continue;
            const uint32_t cut = atomicAdd(&order->cut_count, 1u);
            if (cut < GS_STRETCHES_MAX - 1)
                order->cuts[cut] = i + 1;
        }
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0 && atomicAdd(&order->blocks_done, 1u) == gridDim.x - 1 &&
        *(volatile uint32_t *)&order->cut_count < stretches_max)
        control->packed = GS_FORM_ORDERED;
}

/* Turns a stretch round. ITEMS keys from each end a thread at a time; each key read and
 * written once. */
template <typename V, unsigned THREADS, unsigned ITEMS, unsigned BLOCKS>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    k_turn(V view, unsigned long long begin, unsigned long long count)
{
    using N = typename V::num;
    const unsigned long long half = count / 2, tile = THREADS * ITEMS;
    for (unsigned long long at = blockIdx.x * tile; at < half; at += gridDim.x * tile) {
        N low[ITEMS], high[ITEMS];
#pragma unroll
        for (unsigned r = 0; r < ITEMS; r++) {
            const unsigned long long i = at + r * THREADS + threadIdx.x;
            if (i < half) {
                low[r] = view.load(begin + i);
                high[r] = view.load(begin + count - 1 - i);
            }
        }
#pragma unroll
        for (unsigned r = 0; r < ITEMS; r++) {
            const unsigned long long i = at + r * THREADS + threadIdx.x;
            if (i < half) {
                view.store(begin + i, high[r]);
                view.store(begin + count - 1 - i, low[r]);
            }
        }
    }
}

/* Two stretches, one behind the other. */
struct gs_two_stretches {
    unsigned long long begin, first, second; /* where, and keys of each */
};

/* How many of the first `taken` keys of a merge are of the first stretch, from which
 * equal keys come first. a(i) and b(i) are keys of the two. */
template <typename I, typename A, typename B>
__device__ __forceinline__ I gs_merge_cut(const A &a, I first, const B &b, I second,
                                          I taken)
{
    I low = taken > second ? taken - second : 0, high = taken < first ? taken : first;
    while (low < high) {
        const I middle = low + (high - low) / 2;
        if (b(taken - 1 - middle) < a(middle))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* cuts[t]: of the first t tiles' keys those of the first stretch. A thread each. */
template <typename V>
__global__ void k_merge_cuts(V from, gs_two_stretches two, uint32_t tile,
                             unsigned long long cut_count, unsigned long long *cuts)
{
    const unsigned long long t =
        (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= cut_count)
        return;
    const unsigned long long all = two.first + two.second;
    const auto a = [&](unsigned long long i) { return from.load(two.begin + i); };
    const auto b = [&](unsigned long long i) {
        return from.load(two.begin + two.first + i);
    };
    cuts[t] = gs_merge_cut<unsigned long long>(a, two.first, b, two.second,
                                               t * tile < all ? t * tile : all);
}

template <typename N> struct gs_merge_tile;
template <> struct gs_merge_tile<uint64_t> {
    enum : unsigned { THREADS = 256, ITEMS = 16, KEYS = THREADS * ITEMS };
};
template <> struct gs_merge_tile<gs_num128> {
    enum : unsigned { THREADS = 256, ITEMS = 8, KEYS = THREADS * ITEMS };
};

/* A block merges one tile; each key read and written once. */
template <typename V>
__global__ void __launch_bounds__(gs_merge_tile<typename V::num>::THREADS)
    k_merge(V from, V to, gs_two_stretches two, const unsigned long long *cuts)
{
    using N = typename V::num;
    using T = gs_merge_tile<N>;
    __shared__ N shared[T::KEYS + T::THREADS];
    /* So that threads' parts do not begin in one bank. */
    const auto place = [](uint32_t i) { return i + i / T::ITEMS; };
    const unsigned long long at = (unsigned long long)blockIdx.x * T::KEYS;
    const unsigned long long left = two.first + two.second - at;
    const uint32_t keys = left < T::KEYS ? (uint32_t)left : T::KEYS;
    const unsigned long long a_at = cuts[blockIdx.x], b_at = at - a_at;
    const uint32_t first = (uint32_t)(cuts[blockIdx.x + 1] - a_at);
    N item[T::ITEMS];
#pragma unroll
    for (uint32_t r = 0; r < T::ITEMS; r++) {
        const uint32_t i = r * T::THREADS + threadIdx.x;
        const unsigned long long from_at =
            i < first ? a_at + i : two.first + b_at + (i - first);
        item[r] = i < keys ? from.load_once(two.begin + from_at) : gs_num<N>::max();
    }
#pragma unroll
    for (uint32_t r = 0; r < T::ITEMS; r++)
        shared[place(r * T::THREADS + threadIdx.x)] = item[r];
    __syncthreads();
    const auto a = [&](uint32_t i) { return shared[place(i)]; };
    const auto b = [&](uint32_t i) { return shared[place(first + i)]; };
    const uint32_t taken = min(threadIdx.x * T::ITEMS, keys);
    uint32_t i = gs_merge_cut<uint32_t>(a, first, b, keys - first, taken);
    uint32_t j = first + taken - i;
#pragma unroll
    for (uint32_t r = 0; r < T::ITEMS; r++) {
        const bool is_first = i < first && (j >= keys || !(shared[place(j)] < a(i)));
        item[r] = shared[place(is_first ? i : min(j, keys - 1))];
        i += is_first;
        j += !is_first;
    }
    __syncthreads();
#pragma unroll
    for (uint32_t r = 0; r < T::ITEMS; r++)
        shared[place(threadIdx.x * T::ITEMS + r)] = item[r];
    __syncthreads();
#pragma unroll
    for (uint32_t r = 0; r < T::ITEMS; r++) {
        const uint32_t k = r * T::THREADS + threadIdx.x;
        if (k < keys)
            to.store(two.begin + at + k, shared[place(k)]);
    }
}

/* The launches for keys in the form GS_FORM_ORDERED; they do not wait. */
template <typename V> struct gs_ordered {
    using N = typename V::num;
    using T = gs_merge_tile<N>;
    static constexpr unsigned THREADS = 256, ITEMS = sizeof(N) > 8 ? 4 : 8, BLOCKS = 4;
    const gs_engine_run *run;
    V keys, other; /* `other` has room for as many */
    void *other_keys;
    uint32_t *other_values;
    unsigned long long *cuts; /* of a merge's tiles: */
    size_t cuts_max;

    /* How many stretches there is room for. */
    uint32_t stretches_max() const
    {
        return run->count / T::KEYS + 2 <= cuts_max ? GS_STRETCHES_MAX : 1;
    }

    /* Looks at the keys, if k_look found that they may be such. */
    gs_code look(gs_sample_control *control, gs_status *st) const
    {
        k_order<V, THREADS, ITEMS, BLOCKS>
            <<<run->processor_count * BLOCKS, THREADS, 0, run->stream>>>(
                keys, run->count, stretches_max(), control);
        GPU_LAUNCHED(st, run->stream, "k_order");
        return GS_OK;
    }

    gs_code settle(const gs_order_seen *seen, gs_status *st) const
    {
        unsigned long long bounds[GS_STRETCHES_MAX + 1];
        unsigned count = find_bounds(seen, bounds);
        for (unsigned s = 0; s < count && seen->way == GS_ORDER_DOWN; s++) {
            k_turn<V, THREADS, ITEMS, BLOCKS>
                <<<run->processor_count * BLOCKS, THREADS, 0, run->stream>>>(
                    keys, bounds[s], bounds[s + 1] - bounds[s]);
            GPU_LAUNCHED(st, run->stream, "k_turn");
        }
        bool is_other = false;
        for (; count > 1; is_other = !is_other)
            GS_TRY(merge_all(is_other, bounds, &count, st));
        return is_other ? copy_back(st) : GS_OK;
    }

  private:
    /* Where stretches begin, and the end of all; returns how many there are. */
    unsigned find_bounds(const gs_order_seen *seen, unsigned long long *bounds) const
    {
        unsigned count = 0;
        bounds[count++] = 0;
        gs_assert(seen->cut_count < GS_STRETCHES_MAX);
        for (unsigned c = 0; c < seen->cut_count; c++) { /* they are in any order */
            unsigned s = count++;
            for (; bounds[s - 1] > seen->cuts[c]; s--)
                bounds[s] = bounds[s - 1];
            bounds[s] = seen->cuts[c];
        }
        bounds[count] = run->count;
        return count;
    }

    /* Each two neighbours become one, in the other array; so does a last one alone. */
    gs_code merge_all(bool is_other, unsigned long long *bounds, unsigned *count,
                      gs_status *st) const
    {
        unsigned merged = 0;
        for (unsigned s = 0; s < *count; s += 2) {
            const unsigned long long begin = bounds[s], middle = bounds[s + 1];
            const unsigned long long end = s + 1 < *count ? bounds[s + 2] : middle;
            GS_TRY(merge(is_other ? other : keys, is_other ? keys : other,
                         {begin, middle - begin, end - middle}, st));
            bounds[merged++] = begin;
        }
        bounds[merged] = run->count;
        *count = merged;
        return GS_OK;
    }

    gs_code merge(V from, V to, gs_two_stretches two, gs_status *st) const
    {
        const size_t tiles = (two.first + two.second + T::KEYS - 1) / T::KEYS;
        gs_assert(tiles + 1 <= cuts_max);
        k_merge_cuts<<<(unsigned)(tiles / 256 + 1), 256, 0, run->stream>>>(
            from, two, T::KEYS, tiles + 1, cuts);
        GPU_LAUNCHED(st, run->stream, "k_merge_cuts");
        k_merge<<<(unsigned)tiles, T::THREADS, 0, run->stream>>>(from, to, two, cuts);
        GPU_LAUNCHED(st, run->stream, "k_merge");
        return GS_OK;
    }

    gs_code copy_back(gs_status *st) const
    {
        GPU_TRY(st, cudaMemcpyAsync(run->d_keys, other_keys,
                                    run->count * gs_key_bytes(run->type),
                                    cudaMemcpyDeviceToDevice, run->stream));
        if (run->d_values)
            GPU_TRY(st, cudaMemcpyAsync(run->d_values, other_values,
                                        run->count * sizeof *other_values,
                                        cudaMemcpyDeviceToDevice, run->stream));
        return GS_OK;
    }
};

#endif
