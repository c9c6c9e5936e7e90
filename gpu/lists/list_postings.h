/* SPDX-License-Identifier: MIT */
/*
 * list_postings: steps of list_steps.h: the first postings of a block and of a tail.
 */
#ifndef GS_GPU_LISTS_LIST_POSTINGS_H
#define GS_GPU_LISTS_LIST_POSTINGS_H

#include "gpu/lists/list_view.h"

/* --- numbers of a block ------------------------------------------------------------- */

typedef struct gs_list_numbers {
    unsigned bits, exceptions, more_bits;
    const uint8_t *low, *places, *high;
} gs_list_numbers;

GS_LIST_BOTH uint64_t gs_list_packed_bytes(unsigned count, unsigned bits)
{
    return ((uint64_t)count * bits + 7) / 8;
}

/* Looks at the head of GS_LIST_BLOCK numbers and goes behind them. */
GS_LIST_BOTH bool gs_list_shape(gs_list_reader *r, gs_list_numbers *n)
{
    if (r->p >= r->end)
        return false;
    const unsigned head = *r->p++;
    n->bits = head & GS_LIST_WIDTH_MASK;
    n->exceptions = n->more_bits = 0;
    n->low = n->places = n->high = r->p;
    const uint64_t low_bytes = gs_list_packed_bytes(GS_LIST_BLOCK, n->bits);
    if (n->bits > GS_LIST_NUMBER_BITS_MAX ||
        head > (GS_LIST_WIDTH_MASK | GS_NUMBERS_HAVE_EXCEPTIONS) ||
        low_bytes > gs_list_left(r))
        return false;
    r->p += low_bytes;
    if ((head & GS_NUMBERS_HAVE_EXCEPTIONS) == 0)
        return true;
    if (gs_list_left(r) < GS_EXCEPTION_HEAD_BYTES)
        return false;
    n->exceptions = *r->p++;
    n->more_bits = *r->p++;
    n->places = r->p;
    if (n->exceptions > GS_LIST_BLOCK ||
        n->more_bits > GS_LIST_NUMBER_BITS_MAX - n->bits ||
        n->exceptions + gs_list_packed_bytes(n->exceptions, n->more_bits) >
            gs_list_left(r))
        return false;
    n->high = r->p + n->exceptions;
    r->p = n->high + gs_list_packed_bytes(n->exceptions, n->more_bits);
    return true;
}

GS_LIST_BOTH uint64_t gs_list_packed(const uint8_t *packed, unsigned i, unsigned bits)
{
    const unsigned at = i * bits;
    return gs_list_low(gs_list_word(packed + at / 8) >> at % 8, bits);
}

/* The first `count` numbers; false if one is out of place or has more than 32 bits. */
GS_LIST_BOTH bool gs_list_unpack(const gs_list_numbers *n, uint32_t count,
                                 uint32_t *numbers)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t x = gs_list_packed(n->low, i, n->bits);
        if (x > UINT32_MAX)
            return false;
        numbers[i] = (uint32_t)x;
    }
    for (unsigned i = 0; i < n->exceptions; i++) {
        const unsigned place = n->places[i];
        const uint64_t more = gs_list_packed(n->high, i, n->more_bits);
        if (place >= GS_LIST_BLOCK)
            return false;
        if (place >= count)
            continue;
        if (n->bits >= 32 ? more > 0 : more > UINT32_MAX >> n->bits)
            return false;
        numbers[place] |= n->bits >= 32 ? 0 : (uint32_t)(more << n->bits);
    }
    return true;
}

/* --- a full block ------------------------------------------------------------------- */

/* Documents of a block that lie in [least, last], the first `count` of them. */
GS_LIST_BOTH bool gs_list_documents(gs_list_reader *r, uint64_t least, uint64_t last,
                                    uint32_t count, uint32_t *docs)
{
    gs_list_numbers n;
    if (r->p >= r->end || last < least)
        return false;
    if (*r->p == GS_STEP_HEAD_IS_BITS) {
        const uint64_t span = last - least, bytes = (span + 7) / 8;
        const uint8_t *const bits = ++r->p;
        uint32_t found = 0;
        if (bytes > gs_list_left(r))
            return false;
        r->p += bytes;
        for (uint64_t at = 0; at < span && found < count; at += 64) {
            uint64_t word = gs_list_word(bits + at / 8);
            if (span - at < 64)
                word = gs_list_low(word, (unsigned)(span - at));
            for (; word != 0 && found < count; word &= word - 1) {
#ifdef __CUDA_ARCH__
                const unsigned bit = (unsigned)__ffsll((long long)word) - 1;
#else
                const unsigned bit = (unsigned)__builtin_ctzll(word);
#endif
                docs[found++] = (uint32_t)(least + at + bit);
            }
        }
        if (count == GS_LIST_BLOCK && found == GS_LIST_BLOCK - 1)
            docs[found++] = (uint32_t)last;
        return found == count && docs[count - 1] <= last;
    }
    if (!gs_list_shape(r, &n) || !gs_list_unpack(&n, count, docs))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t doc = least + docs[i];
        docs[i] = (uint32_t)doc;
        least = doc + 1;
    }
    return least - 1 <= last && (count < GS_LIST_BLOCK || least - 1 == last);
}

/* The first `count` postings of the block that r is. */
GS_LIST_BOTH bool gs_list_block_postings(gs_list_reader *r, uint64_t least, uint64_t last,
                                         uint32_t count, uint32_t *docs, uint32_t *tfs)
{
    gs_list_numbers n;
    if (!gs_list_documents(r, least, last, count, docs) || !gs_list_shape(r, &n) ||
        r->p != r->end || !gs_list_unpack(&n, count, tfs))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (tfs[i] == UINT32_MAX)
            return false;
        tfs[i]++;
    }
    return true;
}

/* --- a tail ------------------------------------------------------------------------- */

typedef struct gs_list_bits {
    const uint8_t *begin;
    uint64_t bytes, at; /* `at' in bits; behind the end there are zeros */
} gs_list_bits;

GS_LIST_BOTH uint64_t gs_list_peek(const gs_list_bits *b)
{
    return b->at / 8 < b->bytes ? gs_list_word(b->begin + b->at / 8) >> b->at % 8 : 0;
}

/* One of `r` choices, more than one (lib/index/format/interpolate.h). */
GS_LIST_BOTH uint64_t gs_list_choice(gs_list_bits *b, uint64_t r)
{
#ifdef __CUDA_ARCH__
    const unsigned bits = 64 - (unsigned)__clzll((long long)(r - 1));
#else
    const unsigned bits = 64 - (unsigned)__builtin_clzll(r - 1);
#endif
    const uint64_t short_count = ((uint64_t)1 << bits) - r;
    const uint64_t first = (r - short_count) / 2;
    const uint64_t word = gs_list_peek(b), number = gs_list_low(word, bits - 1);
    const bool is_long = number >= short_count;
    const uint64_t all =
        is_long ? (number << 1 | (word >> (bits - 1) & 1)) - short_count : number;
    const uint64_t x = all + first;
    b->at += bits - 1 + is_long;
    return x >= r ? x - r : x;
}

/* Numbers that are still to come: `count` from number `first` on, in [low, high]. */
typedef struct gs_list_span {
    uint32_t first, count, low, high;
} gs_list_span;

enum { GS_LIST_WAITING_MAX = 8 }; /* as many as a count of a tail has bits */

/* `count` numbers that ascend in [low, high], which has room for them; those from `kept`
 * on are read and dropped. */
GS_LIST_BOTH void gs_list_interpolate(gs_list_bits *b, uint32_t count, uint64_t low,
                                      uint64_t high, uint32_t kept, uint32_t *numbers)
{
    gs_list_span waiting[GS_LIST_WAITING_MAX];
    unsigned waiting_count = 0;
    gs_list_span s = {0, count, (uint32_t)low, (uint32_t)high};
    while (s.count > 0) {
        gs_list_span upper = {0, 0, 0, 0};
        if ((uint64_t)s.high - s.low + 1 == s.count) {
            for (uint32_t i = 0; i < s.count && s.first + i < kept; i++)
                numbers[s.first + i] = s.low + i;
            s.count = 0;
        } else {
            const uint32_t below = s.count / 2, above = s.count - below - 1;
            const uint32_t least = s.low + below, most = s.high - above;
            const uint32_t number =
                least + (uint32_t)gs_list_choice(b, (uint64_t)most - least + 1);
            if (s.first + below < kept)
                numbers[s.first + below] = number;
            upper.first = s.first + below + 1;
            upper.count = above;
            upper.low = number + 1;
            upper.high = s.high;
            s.count = below;
            s.high = number - 1;
        }
        if (s.count > 0) {
            if (upper.count > 0)
                waiting[waiting_count++] = upper;
        } else if (upper.count > 0) {
            s = upper;
        } else if (waiting_count > 0) {
            s = waiting[--waiting_count];
        }
    }
}

/* What is known of a tail before it is read. */
typedef struct gs_list_frame {
    uint32_t count;
    uint64_t first, below; /* documents are in [first, below) */
    bool has_more;
    uint64_t more; /* what frequencies come to, beyond 1 each; if has_more */
} gs_list_frame;

/* The first `kept` postings of the tail that r is. */
GS_LIST_BOTH bool gs_list_tail(const gs_list_reader *r, const gs_list_frame *f,
                               uint32_t kept, uint32_t *docs, uint32_t *tfs)
{
    gs_list_bits b = {r->p, gs_list_left(r), 0};
    const uint32_t count = f->count;
    uint64_t more = f->more;
    if (f->first > f->below || f->below - f->first < count || f->below - 1 > UINT32_MAX)
        return false;
    gs_list_interpolate(&b, count, f->first, f->below - 1, kept, docs);
    if (!f->has_more) {
        const unsigned width = (unsigned)gs_list_low(gs_list_peek(&b), 6);
        b.at += 6;
        if (width > 56)
            return false;
        more = gs_list_low(gs_list_peek(&b), width);
        b.at += width;
    }
    if (more > UINT32_MAX - GS_LIST_BLOCK)
        return false;
    if (more > 0) {
        gs_list_interpolate(&b, count - 1, 1, more + count - 1, kept, tfs);
        if (kept == count)
            tfs[count - 1] = (uint32_t)more + count;
        for (uint32_t i = kept - 1; i > 0; i--)
            tfs[i] -= tfs[i - 1];
    } else {
        for (uint32_t i = 0; i < kept; i++)
            tfs[i] = 1;
    }
    return (b.at + 7) / 8 == gs_list_left(r);
}

#endif
