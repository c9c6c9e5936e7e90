/* SPDX-License-Identifier: MIT */
#include "lib/index/reorder/place_sort.h"

#include <string.h>

enum { HALF_BITS = 32, DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS, FEW = 48 };

static void sort_few(uint64_t *items, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const uint64_t item = items[i];
        size_t at = i;
        for (; at > 0 && items[at - 1] >> HALF_BITS > item >> HALF_BITS; at--)
            items[at] = items[at - 1];
        items[at] = item;
    }
}

static size_t digit_of(uint64_t item, unsigned shift)
{
    return (size_t)(item >> shift & (DIGITS - 1));
}

static void sort_by_digit(const uint64_t *from, uint64_t *to, size_t count,
                          unsigned shift)
{
    size_t places[DIGITS] = {0}, sum = 0;
    for (size_t i = 0; i < count; i++)
        places[digit_of(from[i], shift)]++;
    for (size_t i = 0; i < DIGITS; i++) {
        const size_t here = places[i];
        places[i] = sum;
        sum += here;
    }
    for (size_t i = 0; i < count; i++)
        to[places[digit_of(from[i], shift)]++] = from[i];
}

void gs_place_sort(uint64_t *items, uint64_t *spare, size_t count, unsigned bits)
{
    uint64_t *from = items, *to = spare;
    if (count <= FEW) {
        sort_few(items, count);
        return;
    }
    for (unsigned done = 0; done < bits; done += DIGIT_BITS) {
        sort_by_digit(from, to, count, HALF_BITS + done);
        uint64_t *const other = from;
        from = to;
        to = other;
    }
    if (from != items)
        memcpy(items, from, count * sizeof *items);
}
