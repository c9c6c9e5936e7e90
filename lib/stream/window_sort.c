/* SPDX-License-Identifier: MIT */
#include "lib/stream/window_sort.h"

#include <string.h>

#include "lib/base/mem.h"

enum {
    SPARE_BITS = 8, /* beyond log2(n), so that few keys agree in all that is looked at */
    INSERTION_MAX = 24, /* up to this many, moving beats counting */
    SMALL = 64,
    DIGIT_BITS = 11, /* of a window that the second-level cache holds: two passes */
    DIGIT_VALUES = 1 << DIGIT_BITS,
    TWO_PASSES_MAX = 1 << 17,
};

gs_code gs_window_init(gs_window *w, size_t capacity, unsigned width, bool has_times,
                       gs_status *st)
{
    *w = (gs_window){
        .capacity = capacity, .width = width, .text_bytes_max = GS_WINDOW_TEXT_BYTES};
    size_t bytes = 0;
    if (width == 0 && has_times)
        GS_TRY(gs_mem_new_array(&w->times, capacity, sizeof *w->times, "window", st));
    if (width == 0)
        return gs_mem_new_array(&w->ends, capacity, sizeof *w->ends, "window", st);
    GS_TRY(gs_mem_size_mul(&bytes, capacity, width * sizeof *w->keys, st));
    GS_TRY(gs_mem_map(&w->keys, bytes, true, "window", st));
    return gs_mem_map(&w->scratch, bytes, true, "window", st);
}

void gs_window_release(gs_window *w)
{
    gs_mem_unmap(w->keys, w->capacity * w->width * sizeof *w->keys);
    gs_mem_unmap(w->scratch, w->capacity * w->width * sizeof *w->keys);
    gs_mem_free(w->texts);
    gs_mem_free(w->ends);
    gs_mem_free(w->times);
    *w = (gs_window){0};
}

void gs_window_take_keys(gs_window *w, const uint64_t *keys, size_t count, size_t *taken)
{
    const size_t room = w->capacity - w->count, n = count < room ? count : room;
    memcpy(w->keys + w->count * w->width, keys, n * w->width * sizeof *keys);
    w->count += n;
    *taken = n;
}

gs_code gs_window_take_texts(gs_window *w, const uint8_t *texts, size_t begin,
                             const uint32_t *ends, const uint64_t *times, size_t count,
                             size_t *taken, gs_status *st)
{
    const size_t room = w->capacity - w->count, at = w->text_bytes;
    size_t n = 0, bytes = 0;
    while (n < count && n < room && at + bytes < w->text_bytes_max) {
        bytes = ends[n] - begin;
        w->ends[w->count + n] = (uint32_t)(at + bytes);
        n++;
    }
    GS_TRY(gs_mem_grow(&w->texts, &w->text_capacity, at + bytes + GS_WINDOW_SLACK,
                       "texts of a window", st));
    memcpy(w->texts + at, texts + begin, bytes);
    if (w->times != NULL && n > 0)
        memcpy(w->times + w->count, times, n * sizeof *times);
    w->text_bytes += bytes;
    w->count += n;
    *taken = n;
    return GS_OK;
}

static unsigned bit_length(uint64_t x)
{
    return x == 0 ? 0 : 64 - (unsigned)__builtin_clzll(x);
}

static void insertion_sort(uint64_t *a, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const uint64_t x = a[i];
        size_t j = i;
        for (; j > 0 && a[j - 1] > x; j--)
            a[j] = a[j - 1];
        a[j] = x;
    }
}

static void scatter(const uint64_t *restrict from, uint64_t *restrict to, size_t n,
                    unsigned shift, uint32_t *ends)
{
    uint32_t sum = 0;
    for (size_t d = 0; d < DIGIT_VALUES; d++) {
        const uint32_t count = ends[d];
        ends[d] = sum;
        sum += count;
    }
    for (size_t i = 0; i < n; i++)
        to[ends[from[i] >> shift & (DIGIT_VALUES - 1)]++] = from[i];
}

/* Sorts by the two digits from bit `low` on; the result is in `keys`. */
static void sort_two_digits(uint64_t *keys, uint64_t *scratch, size_t n, unsigned low)
{
    uint32_t counts[2][DIGIT_VALUES] = {0};
    for (size_t i = 0; i < n; i++) {
        const uint64_t bits = keys[i] >> low;
        counts[0][bits & (DIGIT_VALUES - 1)]++;
        counts[1][bits >> DIGIT_BITS & (DIGIT_VALUES - 1)]++;
    }
    scatter(keys, scratch, n, low, counts[0]);
    scatter(scratch, keys, n, low + DIGIT_BITS, counts[1]);
}

/* From which bit on it is enough to sort; the rest is put right afterwards. */
static unsigned low_bit(const uint64_t *keys, size_t n, bool *is_sorted)
{
    uint64_t any = 0, descents = 0;
    for (size_t i = 1; i < n; i++) {
        any |= keys[i] ^ keys[0];
        descents |= (uint64_t)(keys[i - 1] > keys[i]);
    }
    const unsigned top = bit_length(any);
    const unsigned want =
        n <= TWO_PASSES_MAX ? 2 * DIGIT_BITS : (bit_length(n) + SPARE_BITS + 7) / 8 * 8;
    *is_sorted = descents == 0;
    return top <= want ? 0 : top - want;
}

static gs_code sort_part(gs_tuple_sorter *sorter, uint64_t *keys, uint64_t *scratch,
                         size_t n, gs_status *st);

/* Keys that agree from `low` on stand together: each group by what is below. */
static gs_code put_right(gs_tuple_sorter *sorter, uint64_t *keys, uint64_t *scratch,
                         size_t n, unsigned low, gs_status *st)
{
    for (size_t begin = 0; begin + 1 < n;) {
        const uint64_t high = keys[begin] >> low;
        size_t end = begin + 1;
        while (end < n && keys[end] >> low == high)
            end++;
        const size_t count = end - begin;
        if (count > INSERTION_MAX)
            GS_TRY(sort_part(sorter, keys + begin, scratch + begin, count, st));
        else if (count > 1)
            insertion_sort(keys + begin, count);
        begin = end;
    }
    return GS_OK;
}

/* The result is in `keys`. */
static gs_code sort_part(gs_tuple_sorter *sorter, uint64_t *keys, uint64_t *scratch,
                         size_t n, gs_status *st)
{
    if (n <= SMALL) {
        insertion_sort(keys, n);
        return GS_OK;
    }
    bool is_sorted;
    const unsigned low = low_bit(keys, n, &is_sorted);
    if (is_sorted)
        return GS_OK;
    if (n <= TWO_PASSES_MAX) {
        sort_two_digits(keys, scratch, n, low);
        return low > 0 ? put_right(sorter, keys, scratch, n, low, st) : GS_OK;
    }
    gs_tuples part = {GS_TUPLE_64, keys, scratch, n};
    GS_TRY(gs_tuple_sorter_run(sorter, &part, low, st));
    uint64_t *const sorted = part.keys;
    if (low > 0)
        GS_TRY(put_right(sorter, sorted, part.scratch, n, low, st));
    for (size_t i = 0; sorted != keys && i < n; i++)
        keys[i] = sorted[i];
    return GS_OK;
}

gs_code gs_window_sort(gs_tuple_sorter *sorter, gs_window *w, gs_status *st)
{
    if (w->width == 0)
        return GS_OK;
    if (w->width == 1 && !gs_tuple_sorter_uses_gpu(sorter))
        return sort_part(sorter, w->keys, w->scratch, w->count, st);
    const bool is_pair = w->width == 2;
    gs_tuples all = {is_pair ? GS_TUPLE_128 : GS_TUPLE_64, w->keys, w->scratch, w->count};
    GS_TRY(gs_tuple_sorter_run(sorter, &all, is_pair ? 64 : 0, st));
    w->keys = all.keys;
    w->scratch = all.scratch;
    return GS_OK;
}
