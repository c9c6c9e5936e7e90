/* SPDX-License-Identifier: MIT */
/*
 * key: the numbers that kernels sort, and the arrays that hold them.
 *
 * A key is a 64-bit or a 128-bit unsigned number. A u64 key with a u32 value is the
 * 96-bit number key * 2^32 + value, so that equal keys come out by value and every
 * engine gives the same bytes. A view knows how one array stores such numbers:
 *
 *     gs_view_u64    number 64 bits,  one array
 *     gs_view_u128   number 128 bits, one array of {hi, lo}
 *     gs_view_pair   number 128 bits (96 used), an array of keys and one of values
 *     gs_view_pack   number 64 bits made of the bits that vary in another view
 */
#ifndef GS_GPU_KEY_CUH
#define GS_GPU_KEY_CUH

#include <stddef.h>
#include <stdint.h>

#define GS_HD __host__ __device__ __forceinline__

struct alignas(16) gs_num128 {
    uint64_t hi, lo;
};

GS_HD bool operator<(gs_num128 a, gs_num128 b)
{
    return a.hi < b.hi || (a.hi == b.hi && a.lo < b.lo);
}
GS_HD bool operator==(gs_num128 a, gs_num128 b)
{
    return a.hi == b.hi && a.lo == b.lo;
}
GS_HD bool operator!=(gs_num128 a, gs_num128 b)
{
    return !(a == b);
}
GS_HD gs_num128 operator-(gs_num128 a, gs_num128 b)
{
    return {a.hi - b.hi - (a.lo < b.lo ? 1u : 0u), a.lo - b.lo};
}
GS_HD gs_num128 operator^(gs_num128 a, gs_num128 b)
{
    return {a.hi ^ b.hi, a.lo ^ b.lo};
}
GS_HD gs_num128 operator|(gs_num128 a, gs_num128 b)
{
    return {a.hi | b.hi, a.lo | b.lo};
}
GS_HD gs_num128 operator>>(gs_num128 a, unsigned shift)
{
    if (shift == 0)
        return a;
    if (shift >= 64)
        return {0, a.hi >> (shift - 64)};
    return {a.hi >> shift, (a.lo >> shift) | (a.hi << (64 - shift))};
}

/* What differs between the two widths of number. */
template <typename N> struct gs_num;

template <> struct gs_num<uint64_t> {
    static constexpr unsigned bits = 64;
    static GS_HD uint64_t max()
    {
        return ~UINT64_C(0);
    }
    /* The low bits of a wide number, which are all of it. */
    static GS_HD uint64_t of_wide(gs_num128 a)
    {
        return a.lo;
    }
    static GS_HD bool is_zero(uint64_t a)
    {
        return a == 0;
    }
    static GS_HD uint64_t less_one(uint64_t a)
    {
        return a - 1;
    }
    /* Bits up to the highest one set; 0 for 0. */
    static __device__ __forceinline__ unsigned length(uint64_t a)
    {
        return 64u - (unsigned)__clzll((long long)a);
    }
    /* (a >> shift), at most `top`. */
    static __device__ __forceinline__ uint32_t shift_clamp(uint64_t a, unsigned shift,
                                                           uint32_t top)
    {
        const uint64_t d = a >> shift;
        return d > top ? top : (uint32_t)d;
    }
    /* The 32 bits from bit `shift` on, which is at most 32. */
    static __device__ __forceinline__ uint32_t window(uint64_t a, unsigned shift)
    {
        return __funnelshift_rc((uint32_t)a, (uint32_t)(a >> 32), shift);
    }
    static __device__ __forceinline__ void warp_or(uint64_t &a)
    {
        a = (uint64_t)__reduce_or_sync(~0u, (uint32_t)(a >> 32)) << 32 |
            __reduce_or_sync(~0u, (uint32_t)a);
    }
    /* (a >> shift) that is known to fit. */
    static __device__ __forceinline__ uint32_t shift_low(uint64_t a, unsigned shift)
    {
        return (uint32_t)(a >> shift);
    }
    /* What classification by `shift` may leave out of a base. */
    static __device__ __forceinline__ uint64_t trim(uint64_t base, unsigned)
    {
        return base;
    }
    /* (a - base) >> shift, between 0 and `top`, for a trimmed base. */
    static __device__ __forceinline__ uint32_t slot(uint64_t a, uint64_t base,
                                                    unsigned shift, uint32_t top)
    {
        return a < base ? 0 : shift_clamp(a - base, shift, top);
    }
    /* Grows with a, by 2^23 as it doubles; 0 for 0. */
    static __device__ __forceinline__ uint32_t scale(uint64_t a, unsigned)
    {
        return __float_as_uint(__ull2float_rz(a));
    }
    static __device__ __forceinline__ uint64_t shuffle_xor(uint64_t a, int mask)
    {
        return __shfl_xor_sync(~0u, a, mask);
    }
    static __device__ __forceinline__ void atomic_or(uint64_t *to, uint64_t a)
    {
        atomicOr((unsigned long long *)to, (unsigned long long)a);
    }
};

template <> struct gs_num<gs_num128> {
    static constexpr unsigned bits = 128;
    static GS_HD gs_num128 max()
    {
        return {~UINT64_C(0), ~UINT64_C(0)};
    }
    static GS_HD gs_num128 of_wide(gs_num128 a)
    {
        return a;
    }
    static GS_HD bool is_zero(gs_num128 a)
    {
        return (a.hi | a.lo) == 0;
    }
    static GS_HD gs_num128 less_one(gs_num128 a)
    {
        return a - gs_num128{0, 1};
    }
    static __device__ __forceinline__ unsigned length(gs_num128 a)
    {
        return a.hi ? 128u - (unsigned)__clzll((long long)a.hi)
                    : 64u - (unsigned)__clzll((long long)a.lo);
    }
    static __device__ __forceinline__ uint32_t shift_clamp(gs_num128 a, unsigned shift,
                                                           uint32_t top)
    {
        const gs_num128 d = a >> shift;
        return d.hi != 0 || d.lo > top ? top : (uint32_t)d.lo;
    }
    /* At most 96. */
    static __device__ __forceinline__ uint32_t window(gs_num128 a, unsigned shift)
    {
        const uint64_t high = shift >= 64   ? a.hi
                              : shift >= 32 ? a.hi << 32 | a.lo >> 32
                                            : a.lo;
        return __funnelshift_rc((uint32_t)high, (uint32_t)(high >> 32),
                                shift == 96 ? 32 : shift & 31);
    }
    static __device__ __forceinline__ void warp_or(gs_num128 &a)
    {
        gs_num<uint64_t>::warp_or(a.hi);
        gs_num<uint64_t>::warp_or(a.lo);
    }
    static __device__ __forceinline__ uint32_t shift_low(gs_num128 a, unsigned shift)
    {
        return (uint32_t)(a >> shift).lo;
    }
    /* Without its low half, a base needs only the high half of a number. */
    static __device__ __forceinline__ gs_num128 trim(gs_num128 base, unsigned shift)
    {
        return shift >= 64 ? gs_num128{base.hi, 0} : base;
    }
    static __device__ __forceinline__ uint32_t slot(gs_num128 a, gs_num128 base,
                                                    unsigned shift, uint32_t top)
    {
        if (shift >= 64)
            return gs_num<uint64_t>::slot(a.hi, base.hi, shift - 64, top);
        return a < base ? 0 : shift_clamp(a - base, shift, top);
    }
    /* That of the 64 bits from bit `shift` on, which is 0, 32 or 64; if there is more
     * above them, as much as can be. */
    static __device__ __forceinline__ uint32_t scale(gs_num128 a, unsigned shift)
    {
        const uint64_t above = shift == 64 ? 0 : shift == 32 ? a.hi >> 32 : a.hi;
        const uint64_t window = shift == 64   ? a.hi
                                : shift == 32 ? a.hi << 32 | a.lo >> 32
                                              : a.lo;
        return gs_num<uint64_t>::scale(above != 0 ? ~UINT64_C(0) : window, 0);
    }
    static __device__ __forceinline__ gs_num128 shuffle_xor(gs_num128 a, int mask)
    {
        return {__shfl_xor_sync(~0u, a.hi, mask), __shfl_xor_sync(~0u, a.lo, mask)};
    }
    static __device__ __forceinline__ void atomic_or(gs_num128 *to, gs_num128 a)
    {
        atomicOr((unsigned long long *)&to->hi, (unsigned long long)a.hi);
        atomicOr((unsigned long long *)&to->lo, (unsigned long long)a.lo);
    }
};

GS_HD gs_num128 gs_num_widen(uint64_t a)
{
    return {0, a};
}
GS_HD gs_num128 gs_num_widen(gs_num128 a)
{
    return a;
}

template <typename N> GS_HD N gs_num_min(N a, N b)
{
    return b < a ? b : a;
}
template <typename N> GS_HD N gs_num_max(N a, N b)
{
    return a < b ? b : a;
}

/* The shift with which gs_num::scale tells numbers up to `most` apart. */
template <typename N> __device__ __forceinline__ uint32_t gs_scale_shift(N most)
{
    const unsigned length = gs_num<N>::length(most);
    return length <= 64 ? 0 : length <= 96 ? 32 : 64;
}

/* Has memory brought to the L2 cache, where a chip can do this by one instruction. */
__device__ __forceinline__ void gs_ask(const void *memory, size_t bytes)
{
#if __CUDA_ARCH__ >= 900
    const size_t from = __cvta_generic_to_global(memory) / 16 * 16;
    if (bytes >= 16)
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from),
                     "r"((uint32_t)(bytes / 16 * 16)));
#else
    (void)memory, (void)bytes;
#endif
}

/* Views: arrays of keys as numbers. load_once is for what is not read again soon; over
 * makes a view of the arrays of a batch. */
struct gs_view_u64 {
    using num = uint64_t;
    uint64_t *keys;
    static gs_view_u64 over(void *keys, uint32_t *)
    {
        return {(uint64_t *)keys};
    }
    __device__ __forceinline__ void ask(size_t i, size_t count) const
    {
        gs_ask(keys + i, count * sizeof *keys);
    }
    __device__ __forceinline__ num load(size_t i) const
    {
        return keys[i];
    }
    __device__ __forceinline__ num load_once(size_t i) const
    {
        return __ldcs(keys + i);
    }
    __device__ __forceinline__ void store(size_t i, num a) const
    {
        keys[i] = a;
    }
};

struct gs_view_u128 {
    using num = gs_num128;
    gs_num128 *keys;
    static gs_view_u128 over(void *keys, uint32_t *)
    {
        return {(gs_num128 *)keys};
    }
    __device__ __forceinline__ void ask(size_t i, size_t count) const
    {
        gs_ask(keys + i, count * sizeof *keys);
    }
    __device__ __forceinline__ num load(size_t i) const
    {
        const ulonglong2 a = reinterpret_cast<const ulonglong2 *>(keys)[i];
        return {a.x, a.y};
    }
    __device__ __forceinline__ num load_once(size_t i) const
    {
        const ulonglong2 a = __ldcs(reinterpret_cast<const ulonglong2 *>(keys) + i);
        return {a.x, a.y};
    }
    __device__ __forceinline__ void store(size_t i, num a) const
    {
        reinterpret_cast<ulonglong2 *>(keys)[i] = make_ulonglong2(a.hi, a.lo);
    }
};

struct gs_view_pair {
    using num = gs_num128;
    uint64_t *keys;
    uint32_t *values;
    static gs_view_pair over(void *keys, uint32_t *values)
    {
        return {(uint64_t *)keys, values};
    }
    __device__ __forceinline__ void ask(size_t i, size_t count) const
    {
        gs_ask(keys + i, count * sizeof *keys);
        gs_ask(values + i, count * sizeof *values);
    }
    __device__ __forceinline__ num load(size_t i) const
    {
        const uint64_t key = keys[i];
        return {key >> 32, (key << 32) | values[i]};
    }
    __device__ __forceinline__ num load_once(size_t i) const
    {
        const uint64_t key = __ldcs(keys + i);
        return {key >> 32, (key << 32) | __ldcs(values + i)};
    }
    __device__ __forceinline__ void store(size_t i, num a) const
    {
        keys[i] = (a.hi << 32) | (a.lo >> 32);
        values[i] = (uint32_t)a.lo;
    }
};

/* Which bits of a number vary, as up to four runs from high to low. run_count 0 means
 * that the number is taken as it is. `rest` holds the bits that never vary. */
struct gs_pack {
    enum { RUNS_MAX = 4 };
    uint32_t run_count;
    uint8_t shift[RUNS_MAX]; /* of the run's lowest bit in the number */
    uint8_t width[RUNS_MAX]; /* bits in the run, 1 to 64 */
    gs_num128 rest;
};

GS_HD uint64_t gs_pack_low(uint64_t a)
{
    return a;
}
GS_HD uint64_t gs_pack_low(gs_num128 a)
{
    return a.lo;
}
GS_HD uint64_t gs_pack_mask(unsigned width)
{
    return ~UINT64_C(0) >> (64 - width);
}
GS_HD void gs_pack_put(uint64_t &to, uint64_t bits, unsigned shift)
{
    to |= bits << shift;
}
GS_HD void gs_pack_put(gs_num128 &to, uint64_t bits, unsigned shift)
{
    if (shift >= 64) {
        to.hi |= bits << (shift - 64);
    } else {
        to.lo |= bits << shift;
        if (shift != 0)
            to.hi |= bits >> (64 - shift);
    }
}

template <typename N> GS_HD uint64_t gs_pack_number(const gs_pack &pack, N a)
{
    uint64_t packed = 0;
    for (unsigned r = 0; r < gs_pack::RUNS_MAX; r++) {
        if (r >= pack.run_count)
            break;
        const unsigned w = pack.width[r];
        const uint64_t bits = gs_pack_low(a >> (unsigned)pack.shift[r]) & gs_pack_mask(w);
        packed = w == 64 ? bits : (packed << w) | bits;
    }
    return packed;
}

template <typename N> GS_HD N gs_unpack_number(const gs_pack &pack, uint64_t packed)
{
    N a = gs_num<N>::of_wide(pack.rest);
    unsigned at = 0;
    for (int r = gs_pack::RUNS_MAX - 1; r >= 0; r--) {
        if (r >= (int)pack.run_count)
            continue;
        const unsigned w = pack.width[r];
        gs_pack_put(a, (packed >> at) & gs_pack_mask(w), pack.shift[r]);
        at += w; /* reaches 64 only with the last run */
    }
    return a;
}

/* The varying bits of `view`. `pack` is in device memory and has at least one run. */
template <typename V> struct gs_view_pack {
    using num = uint64_t;
    V view;
    const gs_pack *pack;
    __device__ __forceinline__ num load(size_t i) const
    {
        return gs_pack_number(*pack, view.load(i));
    }
    __device__ __forceinline__ void store(size_t i, num a) const
    {
        view.store(i, gs_unpack_number<typename V::num>(*pack, a));
    }
};

#endif
