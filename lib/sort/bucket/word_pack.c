/* SPDX-License-Identifier: MIT */
#include "lib/sort/bucket/word_pack.h"

#if GS_BUCKET_IS_X86
#include <immintrin.h>
#endif

enum { WORD_BITS = 64 };

/* The bits in which any two of the elements differ, of each word. */
typedef struct gs_varying {
    uint64_t prefix, next;
} gs_varying;

static gs_varying find_varying(const gs_element *a, size_t n)
{
    gs_varying v = {0};
    for (size_t i = 1; i < n; i++) {
        v.prefix |= a[i].prefix ^ a[0].prefix;
        v.next |= a[i].next ^ a[0].next;
    }
    return v;
}

/* By what stands before the first bit that varies, which is left out. */
static bool pack_by_shift(gs_element *a, size_t n, gs_varying v)
{
    if (v.prefix == 0) {
        for (size_t i = 0; i < n; i++)
            a[i].prefix = a[i].next;
        return true;
    }
    const unsigned shared = (unsigned)__builtin_clzll(v.prefix);
    if (shared == 0)
        return v.next == 0;
    for (size_t i = 0; i < n; i++)
        a[i].prefix = a[i].prefix << shared | a[i].next >> (WORD_BITS - shared);
    return v.next << shared == 0;
}

#if GS_BUCKET_IS_X86
#define BY_EXTRACT __attribute__((target("bmi2,popcnt")))

/* By all bits that vary, as far as there is room. */
BY_EXTRACT static bool pack_by_extract(gs_element *a, size_t n, gs_varying v)
{
    const unsigned room = WORD_BITS - (unsigned)_mm_popcnt_u64(v.prefix);
    const unsigned wanted = (unsigned)_mm_popcnt_u64(v.next);
    if (room == 0 || room == WORD_BITS || wanted == 0)
        return pack_by_shift(a, n, v);
    const unsigned taken = wanted < room ? wanted : room;
    const uint64_t next = _pdep_u64(UINT64_MAX << (wanted - taken), v.next);
    for (size_t i = 0; i < n; i++)
        a[i].prefix =
            _pext_u64(a[i].prefix, v.prefix) << taken | _pext_u64(a[i].next, next);
    return taken == wanted;
}

static bool can_extract(void)
{
    return __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}
#else
#define pack_by_extract pack_by_shift
#define can_extract()   0
#endif

bool gs_words_pack(gs_element *elements, size_t count)
{
    const gs_varying v = find_varying(elements, count);
    return can_extract() ? pack_by_extract(elements, count, v)
                         : pack_by_shift(elements, count, v);
}
