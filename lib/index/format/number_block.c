/* SPDX-License-Identifier: MIT */
#include "lib/index/format/number_block.h"

#include <endian.h>
#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "lib/base/assertion.h"
#include "lib/index/format/varint.h"

enum {
    HEAD_BITS = 0x3f,
};

/* The byte is read once, whoever else writes to it. */
static inline unsigned once(const uint8_t *p)
{
    unsigned byte = *p;
    __asm__("" : "+r"(byte));
    return byte;
}

/* --- writing ----------------------------------------------------------------------- */

static size_t bytes_of_few(const uint64_t *numbers, size_t count)
{
    uint8_t ignored[GS_VARINT_BYTES_MAX];
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += (size_t)(gs_varint_put(ignored, numbers[i]) - ignored);
    return bytes;
}

size_t gs_numbers_bytes(const uint64_t *numbers, size_t count)
{
    gs_number_plan plan;
    if (count < GS_NUMBERS_FEW)
        return bytes_of_few(numbers, count);
    gs_number_plan_make(&plan, numbers, count);
    return plan.width.bytes;
}

uint8_t *gs_numbers_put(uint8_t *to, const uint64_t *numbers, size_t count)
{
    gs_assert(count <= GS_NUMBERS_MAX);
    if (count < GS_NUMBERS_FEW) {
        for (size_t i = 0; i < count; i++)
            to = gs_varint_put(to, numbers[i]);
        return to;
    }
    gs_number_plan plan;
    gs_number_plan_make(&plan, numbers, count);
    return gs_numbers_put_planned(to, numbers, count, &plan);
}

uint8_t *gs_numbers_put_planned(uint8_t *to, const uint64_t *numbers, size_t count,
                                const gs_number_plan *plan)
{
    const gs_pack_width *const width = &plan->width;
    gs_assert(count >= GS_NUMBERS_FEW && count <= GS_NUMBERS_MAX);
    *to++ =
        (uint8_t)(width->bits | (width->exceptions > 0 ? GS_NUMBERS_HAVE_EXCEPTIONS : 0));
    to = gs_pack_put_some(to, numbers, count, width->bits);
    if (width->exceptions == 0)
        return to;
    uint64_t high[GS_NUMBERS_MAX];
    unsigned n = 0;
    *to++ = (uint8_t)width->exceptions;
    *to++ = (uint8_t)width->more_bits;
    for (size_t from = 0; from < count; from += 64) {
        for (uint64_t left = plan->large[from / 64]; left != 0; left &= left - 1) {
            const size_t i = from + (size_t)__builtin_ctzll(left);
            *to++ = (uint8_t)i;
            high[n++] = numbers[i] >> width->bits;
        }
    }
    gs_assert(n == width->exceptions);
    return gs_pack_put_some(to, high, n, width->more_bits);
}

/* --- reading ----------------------------------------------------------------------- */

bool gs_numbers_shape(gs_number_shape *out, const uint8_t **p, const uint8_t *end,
                      size_t count)
{
    if (*p >= end)
        return false;
    const unsigned head = once((*p)++);
    out->bits = head & HEAD_BITS;
    out->low = *p;
    out->exceptions = out->more_bits = 0;
    if (out->bits > GS_PACK_BITS_MAX || head > (HEAD_BITS | GS_NUMBERS_HAVE_EXCEPTIONS) ||
        gs_number_bytes(count, out->bits) > (size_t)(end - *p))
        return false;
    *p += gs_number_bytes(count, out->bits);
    if ((head & GS_NUMBERS_HAVE_EXCEPTIONS) == 0)
        return true;
    if (end - *p < GS_EXCEPTION_HEAD_BYTES)
        return false;
    out->exceptions = once((*p)++);
    out->more_bits = once((*p)++);
    out->places = *p;
    if (out->exceptions > count || out->more_bits > GS_PACK_BITS_MAX - out->bits ||
        out->exceptions + gs_number_bytes(out->exceptions, out->more_bits) >
            (size_t)(end - *p))
        return false;
    *p += out->exceptions;
    out->high = *p;
    *p += gs_number_bytes(out->exceptions, out->more_bits);
    return true;
}

static bool get_varint(const uint8_t **p, const uint8_t *end, uint64_t *x)
{
    uint64_t value = 0;
    for (unsigned shift = 0; *p < end && shift < GS_PACK_BITS_MAX + 2; shift += 7) {
        const uint64_t byte = once((*p)++);
        value |= (byte & 0x7f) << shift;
        if ((byte & 0x80) == 0) {
            *x = value;
            return value >> GS_PACK_BITS_MAX == 0;
        }
    }
    return false;
}

bool gs_numbers_pass(const uint8_t **p, const uint8_t *end, size_t count)
{
    gs_number_shape ignored;
    uint64_t number;
    if (count >= GS_NUMBERS_FEW)
        return gs_numbers_shape(&ignored, p, end, count);
    for (size_t i = 0; i < count; i++) {
        if (!get_varint(p, end, &number))
            return false;
    }
    return true;
}

static inline uint64_t number_at(const uint8_t *packed, size_t i, unsigned bits)
{
    const size_t at = i * bits;
    uint64_t word;
    memcpy(&word, packed + at / 8, sizeof word);
    return le64toh(word) >> (at % 8) & ((UINT64_C(1) << bits) - 1);
}

bool gs_numbers_read(const gs_number_shape *shape, size_t count, uint64_t *numbers)
{
    bool is_good = true;
    if (count == GS_PACK_COUNT) {
        gs_pack_get(shape->low, shape->bits, numbers);
    } else {
        for (size_t i = 0; i < count; i++)
            numbers[i] = number_at(shape->low, i, shape->bits);
    }
    for (unsigned i = 0; i < shape->exceptions; i++) {
        const unsigned place = once(&shape->places[i]);
        is_good &= place < count;
        numbers[place % GS_NUMBERS_MAX] |= number_at(shape->high, i, shape->more_bits)
                                           << shape->bits;
    }
    return is_good;
}

bool gs_numbers_read_narrow(const gs_number_shape *shape, uint32_t *numbers)
{
    const gs_number_shape s = *shape; /* `numbers' might be any of it */
    const uint64_t mask = (UINT64_C(1) << s.more_bits) - 1;
    unsigned all_places = 0;
    gs_pack_get_narrow(s.low, s.bits, numbers);
    for (size_t i = 0, at = 0; i < s.exceptions; i++, at += s.more_bits) {
        const unsigned place = once(&s.places[i]);
        uint64_t word;
        memcpy(&word, s.high + at / 8, sizeof word);
        word = le64toh(word) >> at % 8 & mask;
        all_places |= place;
        numbers[place % GS_NUMBERS_MAX] |= (uint32_t)word << s.bits;
    }
    return all_places < GS_NUMBERS_MAX;
}

#ifdef __x86_64__

/* Of up to 64 exceptions those that are of number i, which is one or none. */
__attribute__((target("avx512f,avx512bw"))) static uint64_t
find_place_avx512(const uint8_t *places, unsigned count, size_t i)
{
    const __mmask64 there = count < 64 ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
    return _mm512_mask_cmpeq_epi8_mask(there, _mm512_maskz_loadu_epi8(there, places),
                                       _mm512_set1_epi8((char)i));
}

#endif

static uint64_t find_place(const uint8_t *places, unsigned count, size_t i)
{
    uint64_t found = 0;
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512bw"))
        return find_place_avx512(places, count, i);
#endif
    for (unsigned k = 0; k < count; k++)
        found |= (uint64_t)(once(&places[k]) == i) << k;
    return found;
}

uint64_t gs_numbers_read_one(const gs_number_shape *shape, size_t i)
{
    uint64_t number = number_at(shape->low, i, shape->bits);
    for (unsigned from = 0; from < shape->exceptions; from += 64) {
        const unsigned left = shape->exceptions - from;
        uint64_t found = find_place(shape->places + from, left < 64 ? left : 64, i);
        for (; found != 0; found &= found - 1) {
            const size_t k = from + (size_t)__builtin_ctzll(found);
            number |= number_at(shape->high, k, shape->more_bits) << shape->bits;
        }
    }
    return number;
}

bool gs_numbers_get(const uint8_t **p, const uint8_t *end, size_t count,
                    uint64_t *numbers)
{
    gs_number_shape shape;
    gs_assert(count <= GS_NUMBERS_MAX);
    if (count >= GS_NUMBERS_FEW)
        return gs_numbers_shape(&shape, p, end, count) &&
               gs_numbers_read(&shape, count, numbers);
    for (size_t i = 0; i < count; i++) {
        if (!get_varint(p, end, &numbers[i]))
            return false;
    }
    return true;
}
