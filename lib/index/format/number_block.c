/* SPDX-License-Identifier: MIT */
#include "lib/index/format/number_block.h"

#include <endian.h>
#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/bits.h"
#include "lib/index/format/varint.h"

enum {
    HEAD_BITS = 0x3f,
    HEAD_EXCEPTIONS = 0x40,
    EXCEPTION_HEAD_BYTES = 2, /* how many, and of how many bits */
};

/* The byte is read once, whoever else writes to it. */
static inline unsigned once(const uint8_t *p)
{
    unsigned byte = *p;
    __asm__("" : "+r"(byte));
    return byte;
}

static inline size_t packed_bytes(size_t count, unsigned bits)
{
    return (count * bits + 7) / 8;
}

/* --- writing ----------------------------------------------------------------------- */

typedef struct plan {
    unsigned bits, exceptions, more_bits;
    size_t bytes;
} plan;

/* The width that makes them shortest; of equal ones the largest, which has the fewest
 * exceptions. */
static plan make_plan(const uint64_t *numbers, size_t count)
{
    uint8_t of_width[GS_PACK_BITS_MAX + 1] = {0};
    unsigned widest = 0;
    for (size_t i = 0; i < count; i++) {
        const unsigned width = gs_bit_length(numbers[i]);
        gs_assert(width <= GS_PACK_BITS_MAX);
        of_width[width]++;
        widest = width > widest ? width : widest;
    }
    plan best = {.bits = widest, .bytes = 1 + packed_bytes(count, widest)};
    for (unsigned bits = widest, larger = of_width[widest]; bits-- > 0;) {
        const size_t bytes = 1 + packed_bytes(count, bits) + EXCEPTION_HEAD_BYTES +
                             larger + packed_bytes(larger, widest - bits);
        if (bytes < best.bytes)
            best = (plan){bits, larger, widest - bits, bytes};
        larger += of_width[bits];
    }
    return best;
}

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
    return count < GS_NUMBERS_FEW ? bytes_of_few(numbers, count)
                                  : make_plan(numbers, count).bytes;
}

uint8_t *gs_numbers_put(uint8_t *to, const uint64_t *numbers, size_t count)
{
    gs_assert(count <= GS_NUMBERS_MAX);
    if (count < GS_NUMBERS_FEW) {
        for (size_t i = 0; i < count; i++)
            to = gs_varint_put(to, numbers[i]);
        return to;
    }
    const plan p = make_plan(numbers, count);
    *to++ = (uint8_t)(p.bits | (p.exceptions > 0 ? HEAD_EXCEPTIONS : 0));
    to = gs_pack_put_some(to, numbers, count, p.bits);
    if (p.exceptions == 0)
        return to;
    uint64_t high[GS_NUMBERS_MAX];
    unsigned n = 0;
    *to++ = (uint8_t)p.exceptions;
    *to++ = (uint8_t)p.more_bits;
    for (size_t i = 0; i < count; i++) {
        if (numbers[i] >> p.bits == 0)
            continue;
        *to++ = (uint8_t)i;
        high[n++] = numbers[i] >> p.bits;
    }
    gs_assert(n == p.exceptions);
    return gs_pack_put_some(to, high, n, p.more_bits);
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
    out->exceptions = 0;
    if (out->bits > GS_PACK_BITS_MAX || head > (HEAD_BITS | HEAD_EXCEPTIONS) ||
        packed_bytes(count, out->bits) > (size_t)(end - *p))
        return false;
    *p += packed_bytes(count, out->bits);
    if ((head & HEAD_EXCEPTIONS) == 0)
        return true;
    if (end - *p < EXCEPTION_HEAD_BYTES)
        return false;
    out->exceptions = once((*p)++);
    out->more_bits = once((*p)++);
    out->places = *p;
    if (out->exceptions > count || out->more_bits > GS_PACK_BITS_MAX - out->bits ||
        out->exceptions + packed_bytes(out->exceptions, out->more_bits) >
            (size_t)(end - *p))
        return false;
    *p += out->exceptions;
    out->high = *p;
    *p += packed_bytes(out->exceptions, out->more_bits);
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

uint64_t gs_numbers_read_one(const gs_number_shape *shape, size_t i)
{
    uint64_t number = number_at(shape->low, i, shape->bits);
    for (unsigned k = 0; k < shape->exceptions; k++) {
        if (once(&shape->places[k]) == i)
            number |= number_at(shape->high, k, shape->more_bits) << shape->bits;
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
