/* SPDX-License-Identifier: MIT */
/*
 * block_steps: a full block of postings as an index stores it, made of arrays of 32 bits,
 * as C that a thread of a kernel runs.
 *
 * The bytes are those of lib/index/format/posting_block.h, and of the positions those of
 * number_block.h beside it, which the cores write faster and from wider numbers; tests
 * hold one against the other.
 */
#ifndef GS_LIB_BASE_BLOCK_STEPS_H
#define GS_LIB_BASE_BLOCK_STEPS_H

#include <stdint.h>

#include "lib/base/pack_width.h"

enum {
    GS_STEP_POSTINGS = 128,       /* of a block */
    GS_STEP_TOKENS_MAX = 1 << 14, /* a block of more is left to the cores */
    GS_STEP_HEAD_IS_BITS = 0x80,  /* a bit for each docID follows */
    GS_STEP_WIDEST = 32,          /* bits of a number */
    GS_STEP_VARINT_BITS = 7,
};

/* Postings whose tokens are counted through all postings, and those tokens' positions. */
typedef struct gs_step_block {
    const uint32_t *documents; /* GS_STEP_POSTINGS, ascending */
    const uint32_t *starts;    /* and one more: where the tokens of each begin */
    const uint32_t *positions; /* of all tokens; NULL: none are kept */
    uint32_t least;            /* the docID that the first can be */
} gs_step_block;

/* Bits, low ones first. */
typedef struct gs_step_bits {
    uint8_t *to;
    uint64_t held;
    unsigned count;
} gs_step_bits;

GS_WIDTH_BOTH unsigned gs_step_bit_length(uint32_t x)
{
#ifdef __CUDA_ARCH__
    return 32 - (unsigned)__clz((int)x);
#else
    return x == 0 ? 0 : 32 - (unsigned)__builtin_clz(x);
#endif
}

GS_WIDTH_BOTH void gs_step_put_bits(gs_step_bits *b, uint32_t x, unsigned bits)
{
    b->held |= (uint64_t)x << b->count;
    for (b->count += bits; b->count >= 8; b->count -= 8) {
        *b->to++ = (uint8_t)b->held;
        b->held >>= 8;
    }
}

/* The end, with the last byte filled up. */
GS_WIDTH_BOTH uint8_t *gs_step_end_bits(gs_step_bits *b)
{
    if (b->count > 0)
        *b->to++ = (uint8_t)b->held;
    return b->to;
}

/* --- numbers ------------------------------------------------------------------------ */

GS_WIDTH_BOTH gs_pack_width gs_step_width(const uint32_t *numbers, unsigned count)
{
    uint8_t of_width[GS_STEP_WIDEST + 1];
    uint32_t all = 0;
    for (unsigned i = 0; i <= GS_STEP_WIDEST; i++)
        of_width[i] = 0;
    for (unsigned i = 0; i < count; i++) {
        of_width[gs_step_bit_length(numbers[i])]++;
        all |= numbers[i];
    }
    const unsigned widest = gs_step_bit_length(all);
    gs_pack_width best = gs_pack_width_begin(count, widest);
    for (unsigned bits = widest, larger = 0; bits-- > 0;) {
        larger += of_width[bits + 1];
        if (!gs_pack_width_consider(&best, count, bits, larger, widest))
            break;
    }
    return best;
}

GS_WIDTH_BOTH uint32_t gs_step_numbers_bytes(const uint32_t *numbers, unsigned count)
{
    uint32_t bytes = 0;
    if (count >= GS_NUMBERS_FEW)
        return (uint32_t)gs_step_width(numbers, count).bytes;
    for (unsigned i = 0; i < count; i++)
        bytes += (gs_step_bit_length(numbers[i] | 1) + GS_STEP_VARINT_BITS - 1) /
                 GS_STEP_VARINT_BITS;
    return bytes;
}

GS_WIDTH_BOTH uint8_t *gs_step_put_few(uint8_t *to, const uint32_t *numbers,
                                       unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        uint32_t x = numbers[i];
        for (; x >= 0x80; x >>= GS_STEP_VARINT_BITS)
            *to++ = (uint8_t)(x | 0x80);
        *to++ = (uint8_t)x;
    }
    return to;
}

GS_WIDTH_BOTH uint8_t *gs_step_put_planned(uint8_t *to, const uint32_t *numbers,
                                           unsigned count, const gs_pack_width *width)
{
    const unsigned bits = width->bits;
    const uint32_t low = bits < GS_STEP_WIDEST ? ((uint32_t)1 << bits) - 1 : UINT32_MAX;
    *to++ = (uint8_t)(bits | (width->exceptions > 0 ? GS_NUMBERS_HAVE_EXCEPTIONS : 0));
    gs_step_bits packed = {to, 0, 0};
    for (unsigned i = 0; i < count; i++)
        gs_step_put_bits(&packed, numbers[i] & low, bits);
    to = gs_step_end_bits(&packed);
    if (width->exceptions == 0)
        return to;
    *to++ = (uint8_t)width->exceptions;
    *to++ = (uint8_t)width->more_bits;
    gs_step_bits high = {to + width->exceptions, 0, 0};
    for (unsigned i = 0; i < count; i++) {
        if (numbers[i] <= low)
            continue;
        *to++ = (uint8_t)i;
        gs_step_put_bits(&high, numbers[i] >> bits, width->more_bits);
    }
    return gs_step_end_bits(&high);
}

GS_WIDTH_BOTH uint8_t *gs_step_put_numbers(uint8_t *to, const uint32_t *numbers,
                                           unsigned count)
{
    if (count < GS_NUMBERS_FEW)
        return gs_step_put_few(to, numbers, count);
    const gs_pack_width width = gs_step_width(numbers, count);
    return gs_step_put_planned(to, numbers, count, &width);
}

/* --- postings ----------------------------------------------------------------------- */

/* Each docID less the least that it can be. */
GS_WIDTH_BOTH void gs_step_doc_numbers(const gs_step_block *b, uint32_t *numbers)
{
    uint32_t next = b->least;
    for (unsigned i = 0; i < GS_STEP_POSTINGS; i++) {
        const uint32_t doc = b->documents[i];
        numbers[i] = doc - next;
        next = doc + 1;
    }
}

/* Each frequency less 1. */
GS_WIDTH_BOTH void gs_step_tf_numbers(const gs_step_block *b, uint32_t *numbers)
{
    uint32_t start = b->starts[0];
    for (unsigned i = 0; i < GS_STEP_POSTINGS; i++) {
        const uint32_t next = b->starts[i + 1];
        numbers[i] = next - start - 1;
        start = next;
    }
}

/* Bytes of the bits that stand for all docIDs but the last. */
GS_WIDTH_BOTH uint64_t gs_step_bit_bytes(const gs_step_block *b)
{
    return ((uint64_t)b->documents[GS_STEP_POSTINGS - 1] - b->least + 7) / 8;
}

GS_WIDTH_BOTH uint8_t *gs_step_put_doc_bits(uint8_t *to, const gs_step_block *b)
{
    const uint64_t bytes = gs_step_bit_bytes(b);
    uint64_t at = 0;
    unsigned byte = 0;
    *to++ = GS_STEP_HEAD_IS_BITS;
    for (unsigned i = 0; i < GS_STEP_POSTINGS - 1; i++) {
        const uint32_t bit = b->documents[i] - b->least;
        for (; at < bit / 8; at++) {
            *to++ = (uint8_t)byte;
            byte = 0;
        }
        byte |= 1U << bit % 8;
    }
    for (; at < bytes; at++) {
        *to++ = (uint8_t)byte;
        byte = 0;
    }
    return to;
}

/* Positions of the block's postings, GS_STEP_POSTINGS numbers at a time: of each posting
 * the first, and then each less the least that it can be. Of a null `to` how many bytes
 * they are, else puts them there and goes on to their end. */
GS_WIDTH_BOTH uint32_t gs_step_places(const gs_step_block *b, uint8_t **to)
{
    uint32_t numbers[GS_STEP_POSTINGS], bytes = 0;
    unsigned count = 0;
    for (unsigned i = 0; i < GS_STEP_POSTINGS; i++) {
        const uint32_t end = b->starts[i + 1];
        uint32_t next = 0;
        for (uint32_t token = b->starts[i]; token < end; token++) {
            const uint32_t position = b->positions[token];
            numbers[count++] = position - next;
            next = position + 1;
            if (count < GS_STEP_POSTINGS && (i < GS_STEP_POSTINGS - 1 || token + 1 < end))
                continue;
            if (to != 0)
                *to = gs_step_put_numbers(*to, numbers, count);
            else
                bytes += gs_step_numbers_bytes(numbers, count);
            count = 0;
        }
    }
    return bytes;
}

/* The bytes of the block, and of its positions behind it; 0: it is left to the cores. */
GS_WIDTH_BOTH uint32_t gs_step_block_bytes(const gs_step_block *b, uint32_t most)
{
    uint32_t numbers[GS_STEP_POSTINGS];
    if (b->starts[GS_STEP_POSTINGS] - b->starts[0] > GS_STEP_TOKENS_MAX)
        return 0;
    const uint64_t bits = 1 + gs_step_bit_bytes(b);
    gs_step_doc_numbers(b, numbers);
    const uint64_t packed = gs_step_width(numbers, GS_STEP_POSTINGS).bytes;
    gs_step_tf_numbers(b, numbers);
    uint32_t bytes = (uint32_t)(bits < packed ? bits : packed) +
                     (uint32_t)gs_step_width(numbers, GS_STEP_POSTINGS).bytes;
    if (b->positions != 0)
        bytes += gs_step_places(b, 0);
    return bytes <= most ? bytes : 0;
}

/* Puts as many; returns their end. */
GS_WIDTH_BOTH uint8_t *gs_step_block_put(const gs_step_block *b, uint8_t *to)
{
    uint32_t numbers[GS_STEP_POSTINGS];
    gs_step_doc_numbers(b, numbers);
    const gs_pack_width width = gs_step_width(numbers, GS_STEP_POSTINGS);
    to = 1 + gs_step_bit_bytes(b) < width.bytes
             ? gs_step_put_doc_bits(to, b)
             : gs_step_put_planned(to, numbers, GS_STEP_POSTINGS, &width);
    gs_step_tf_numbers(b, numbers);
    to = gs_step_put_numbers(to, numbers, GS_STEP_POSTINGS);
    if (b->positions != 0)
        (void)gs_step_places(b, &to);
    return to;
}

#endif
