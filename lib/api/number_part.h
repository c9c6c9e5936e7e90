/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * number_part: a part of an array of numbers (number_sort.c) put in order, in the cache,
 * for numbers of one width. KEY is their type. There is no guard, since it is included
 * once for each width.
 *
 * The part is cut once more, by its highest bits, into about as many cells as it has
 * numbers, so that few are more than a place or two from their own. Where numbers crowd,
 * the cell is sorted by all of its bits first.
 *
 *      from     | 17 | 92 | 13 | 55 | 91 | 30 | 96 |
 *      cells    | 17 13 |  | 30 |  | 55 |  | 92 91 96 |
 *      to       | 13 | 17 | 30 | 55 | 91 | 92 | 96 |
 */
/* clang-format on */

/* Copies the numbers to their cells; *most is how many the fullest has. places[c] becomes
 * the end of cell c. */
static void OF_WIDTH(put_in_cells)(const KEY *from, KEY *to, size_t n, KEY base,
                                   unsigned shift, uint32_t *places, size_t cells,
                                   uint32_t *most)
{
    memset(places, 0, cells * sizeof *places);
    for (size_t i = 0; i < n; i++) {
        __builtin_prefetch(to + i, 1); /* which nobody has touched for long */
        places[(KEY)(from[i] - base) >> shift]++;
    }
    uint32_t at = 0;
    *most = 0;
    for (size_t c = 0; c < cells; c++) {
        const uint32_t count = places[c];
        *most = count > *most ? count : *most;
        places[c] = at;
        at += count;
    }
    for (size_t i = 0; i < n; i++)
        to[places[(KEY)(from[i] - base) >> shift]++] = from[i];
}

/* One pass without a branch brings most of them home, so that the next rarely has to move
 * one, which no processor foresees. */
static void OF_WIDTH(settle)(KEY *numbers, size_t n)
{
    KEY greatest = numbers[0];
    for (size_t i = 1; i < n; i++) {
        const KEY x = numbers[i];
        numbers[i - 1] = x < greatest ? x : greatest;
        greatest = x < greatest ? greatest : x;
    }
    numbers[n - 1] = greatest;
    for (size_t i = 1; i < n; i++) {
        const KEY x = numbers[i];
        size_t k = i;
        for (; k > 0 && numbers[k - 1] > x; k--)
            numbers[k] = numbers[k - 1];
        numbers[k] = x;
    }
}

/* Sorts from[0 .. n - 1] to `to`; `from` holds anything then. A number is `base` at
 * least, and less than base + 2^bits. `places` has room for 2^CELL_BITS. */
static void OF_WIDTH(sort_part)(KEY *from, KEY *to, size_t n, KEY base, unsigned bits,
                                uint32_t *places)
{
    if (n > UINT32_MAX) { /* places are narrow */
        OF_WIDTH(gs_key_sort)(from, to, n, 0);
        memcpy(to, from, n * sizeof(KEY));
        return;
    }
    unsigned cell_bits = gs_bit_length((uint64_t)n);
    cell_bits = cell_bits < CELL_BITS ? cell_bits : CELL_BITS;
    cell_bits = cell_bits < bits ? cell_bits : bits;
    const size_t cells = (size_t)1 << cell_bits;
    uint32_t most;
    OF_WIDTH(put_in_cells)(from, to, n, base, bits - cell_bits, places, cells, &most);
    if (cell_bits == bits)
        return;
    size_t begin = 0;
    for (size_t c = 0; most > CROWD && c < cells; begin = places[c++])
        if (places[c] - begin > CROWD)
            OF_WIDTH(gs_key_sort)(to + begin, from, places[c] - begin, 0);
    OF_WIDTH(settle)(to, n);
}
