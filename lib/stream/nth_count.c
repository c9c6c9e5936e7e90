/* SPDX-License-Identifier: MIT */
#include "lib/stream/nth_count.h"

#include "lib/base/assertion.h"

/* The middle one of three. */
static uint64_t middle_of(uint64_t a, uint64_t b, uint64_t c)
{
    const uint64_t low = a < b ? a : b, high = a < b ? b : a;
    return c < low ? low : c > high ? high : c;
}

/* Of counts most are equal, and small: each round leaves out all that equal its pivot,
 * and what lies on the other side of it. */
uint64_t gs_nth_largest(uint64_t *a, size_t count, size_t n)
{
    size_t low = 0, high = count; /* it is one of these */
    gs_assert(n < count);
    for (;;) {
        const uint64_t pivot = middle_of(a[low], a[low + (high - low) / 2], a[high - 1]);
        size_t larger = low, at = low, smaller = high;
        while (at < smaller) {
            const uint64_t x = a[at];
            if (x > pivot) {
                a[at++] = a[larger];
                a[larger++] = x;
            } else if (x < pivot) {
                a[at] = a[--smaller];
                a[smaller] = x;
            } else {
                at++;
            }
        }
        if (n < larger)
            high = larger;
        else if (n < smaller)
            return pivot;
        else
            low = smaller;
    }
}
