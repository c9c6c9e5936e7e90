/* SPDX-License-Identifier: MIT */
#include "lib/api/number_turn.h"

#include <string.h>

#define SIGN_32 (UINT32_C(1) << 31)
#define SIGN_64 (UINT64_C(1) << 63)

size_t gs_number_width(gpusort_type type)
{
    switch (type) {
    case GPUSORT_U32:
    case GPUSORT_I32:
    case GPUSORT_F32: return sizeof(uint32_t);
    case GPUSORT_U64:
    case GPUSORT_I64:
    case GPUSORT_F64: return sizeof(uint64_t);
    }
    return 0;
}

bool gs_number_is_turned(gpusort_type type)
{
    return type != GPUSORT_U32 && type != GPUSORT_U64;
}

/* Every NaN loses its sign, and so is behind the greatest number. */
static inline uint32_t from_f32(uint32_t x)
{
    x = (x & ~SIGN_32) > UINT32_C(0xff) << 23 ? x & ~SIGN_32 : x;
    return (x & SIGN_32) != 0 ? ~x : x | SIGN_32;
}

static inline uint32_t to_f32(uint32_t x)
{
    return (x & SIGN_32) != 0 ? x & ~SIGN_32 : ~x;
}

static inline uint64_t from_f64(uint64_t x)
{
    x = (x & ~SIGN_64) > UINT64_C(0x7ff) << 52 ? x & ~SIGN_64 : x;
    return (x & SIGN_64) != 0 ? ~x : x | SIGN_64;
}

static inline uint64_t to_f64(uint64_t x)
{
    return (x & SIGN_64) != 0 ? x & ~SIGN_64 : ~x;
}

/* to[i] of from[i]; they are one array, or have nothing in common. */
#define EACH_AS(narrowed, to, from, count, of)                                           \
    do {                                                                                 \
        for (size_t i = 0; i < (count); i++)                                             \
            (to)[i] = of((narrowed)(from)[i]);                                           \
    } while (0)
#define EACH_32(to, from, count, of) EACH_AS(uint32_t, to, from, count, of)
#define EACH_64(to, from, count, of) EACH_AS(uint64_t, to, from, count, of)

static inline uint32_t same_32(uint32_t x)
{
    return x;
}

static inline uint32_t flip_32(uint32_t x)
{
    return x ^ SIGN_32;
}

static inline uint64_t flip_64(uint64_t x)
{
    return x ^ SIGN_64;
}

void gs_number_turn(void *numbers, size_t count, gpusort_type type, bool back)
{
    uint32_t *const narrow = numbers;
    uint64_t *const wide = numbers;
    switch (type) {
    case GPUSORT_U32:
    case GPUSORT_U64: return;
    case GPUSORT_I32: EACH_32(narrow, narrow, count, flip_32); return;
    case GPUSORT_I64: EACH_64(wide, wide, count, flip_64); return;
    case GPUSORT_F32:
        if (back)
            EACH_32(narrow, narrow, count, to_f32);
        else
            EACH_32(narrow, narrow, count, from_f32);
        return;
    case GPUSORT_F64:
        if (back)
            EACH_64(wide, wide, count, to_f64);
        else
            EACH_64(wide, wide, count, from_f64);
        return;
    }
}

void gs_number_to_keys(uint64_t *keys, const void *numbers, size_t count,
                       gpusort_type type)
{
    const uint32_t *const narrow = numbers;
    const uint64_t *const wide = numbers;
    switch (type) {
    case GPUSORT_U32: EACH_32(keys, narrow, count, same_32); return;
    case GPUSORT_I32: EACH_32(keys, narrow, count, flip_32); return;
    case GPUSORT_F32: EACH_32(keys, narrow, count, from_f32); return;
    case GPUSORT_U64: memcpy(keys, wide, count * sizeof *keys); return;
    case GPUSORT_I64: EACH_64(keys, wide, count, flip_64); return;
    case GPUSORT_F64: EACH_64(keys, wide, count, from_f64); return;
    }
}

void gs_number_from_keys(void *numbers, const uint64_t *keys, size_t count,
                         gpusort_type type)
{
    uint32_t *const narrow = numbers;
    uint64_t *const wide = numbers;
    switch (type) {
    case GPUSORT_U32: EACH_32(narrow, keys, count, same_32); return;
    case GPUSORT_I32: EACH_32(narrow, keys, count, flip_32); return;
    case GPUSORT_F32: EACH_32(narrow, keys, count, to_f32); return;
    case GPUSORT_U64: memcpy(wide, keys, count * sizeof *keys); return;
    case GPUSORT_I64: EACH_64(wide, keys, count, flip_64); return;
    case GPUSORT_F64: EACH_64(wide, keys, count, to_f64); return;
    }
}
