/* SPDX-License-Identifier: MIT */
/*
 * key_sort_width: the sort of key_sort.c for keys of one width, which includes this once
 * for each. KEY is their type; OF_WIDTH(digit), OF_WIDTH(is_less) and OF_WIDTH(top_bit)
 * are what is known of it alone. There is no guard, since it is included more than once.
 */

static void OF_WIDTH(insertion_sort)(KEY *a, size_t n, unsigned low)
{
    for (size_t i = 1; i < n; i++) {
        const KEY x = a[i];
        size_t j = i;
        for (; j > 0 && OF_WIDTH(is_less)(&x, &a[j - 1], low); j--)
            a[j] = a[j - 1];
        a[j] = x;
    }
}

static void OF_WIDTH(scatter)(const KEY *restrict from, KEY *restrict to, size_t n,
                              unsigned shift, size_t *ends)
{
    size_t counts[DIGIT_VALUES] = {0}, sum = 0;
    for (size_t i = 0; i < n; i++)
        counts[OF_WIDTH(digit)(&from[i], shift)]++;
    for (size_t d = 0; d < DIGIT_VALUES; d++) {
        ends[d] = sum;
        sum += counts[d];
    }
    for (size_t i = 0; i < n; i++)
        to[ends[OF_WIDTH(digit)(&from[i], shift)]++] = from[i];
}

/* Sorts `keys`; the result goes to `scratch` if `to_scratch`, else it stays. */
static void OF_WIDTH(sort)(KEY *keys, KEY *scratch, size_t n, unsigned low,
                           bool to_scratch)
{
    size_t ends[DIGIT_VALUES];
    const unsigned top = n > INSERTION_MAX ? OF_WIDTH(top_bit)(keys, n, low) : 0;
    if (top == 0) {
        if (n <= INSERTION_MAX)
            OF_WIDTH(insertion_sort)(keys, n, low);
        if (to_scratch && n > 0)
            memcpy(scratch, keys, n * sizeof *keys);
        return;
    }
    if (2 * n * sizeof *keys > CACHE_BYTES && top > low + DIGIT_BITS) {
        const unsigned shift = top - DIGIT_BITS;
        OF_WIDTH(scatter)(keys, scratch, n, shift, ends);
        for (size_t d = 0, begin = 0; d < DIGIT_VALUES; begin = ends[d++]) {
            const size_t part = ends[d] - begin;
            OF_WIDTH(sort)(scratch + begin, keys + begin, part, low, !to_scratch);
        }
        return;
    }
    KEY *from = keys, *to = scratch;
    for (unsigned shift = low; shift < top; shift += DIGIT_BITS) {
        OF_WIDTH(scatter)(from, to, n, shift, ends);
        KEY *const swap = from;
        from = to;
        to = swap;
    }
    KEY *const wanted = to_scratch ? scratch : keys;
    if (from != wanted)
        memcpy(wanted, from, n * sizeof *keys);
}
