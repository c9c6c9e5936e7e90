/* SPDX-License-Identifier: MIT */
#include "lib/sort/bucket/tie_sort.h"

enum {
    DIRECT_MAX = 4,      /* segments up to this size are compared string by string */
    PREFETCH_AHEAD = 12, /* elements whose text is asked for before it is needed */
    SHARED_SAMPLE = 8,   /* elements looked at before all are asked what they share */
    SHARED_LIMIT = 1 << 20,
    LEVELS_MAX = 48, /* deeper than this only hostile input goes: merge sort instead */
};

typedef struct gs_tie_job {
    const gs_record_layout *layout;
    const uint8_t *arena;
} gs_tie_job;

static void sort_level(const gs_tie_job *job, gs_element *a, gs_element *scratch,
                       size_t n, size_t depth, bool has_next, unsigned level);

static int compare_strings(const gs_tie_job *job, const gs_element *x,
                           const gs_element *y, size_t depth)
{
    const gs_record rx = gs_record_at(job->layout, job->arena, x->where);
    const gs_record ry = gs_record_at(job->layout, job->arena, y->where);
    const int d =
        gs_string_compare(rx.string, rx.string_bytes, ry.string, ry.string_bytes, depth);
    return job->layout->is_backwards ? -d : d;
}

static void insertion_sort_strings(const gs_tie_job *job, gs_element *a, size_t n,
                                   size_t depth)
{
    for (size_t i = 1; i < n; i++) {
        const gs_element x = a[i];
        size_t j = i;
        while (j > 0 && compare_strings(job, &a[j - 1], &x, depth) > 0) {
            a[j] = a[j - 1];
            j--;
        }
        a[j] = x;
    }
}

/* Stable, n log n string compares and no deeper than log n: for segments that radix steps
 * do not get through. */
static void merge_sort_strings(const gs_tie_job *job, gs_element *a, gs_element *scratch,
                               size_t n, size_t depth)
{
    if (n <= DIRECT_MAX) {
        insertion_sort_strings(job, a, n, depth);
        return;
    }
    const size_t half = n / 2;
    merge_sort_strings(job, a, scratch, half, depth);
    merge_sort_strings(job, a + half, scratch + half, n - half, depth);
    memcpy(scratch, a, half * sizeof *a);
    size_t i = 0, j = half, k = 0;
    while (i < half && j < n) {
        if (compare_strings(job, &a[j], &scratch[i], depth) < 0)
            a[k++] = a[j++];
        else
            a[k++] = scratch[i++];
    }
    memcpy(a + k, scratch + i, (half - i) * sizeof *a);
}

size_t gs_tie_common_bytes(const gs_record_layout *layout, const uint8_t *arena,
                           const gs_element *elements, size_t count, size_t depth,
                           size_t limit)
{
    const gs_record first = gs_record_at(layout, arena, elements[0].where);
    size_t shared = first.string_bytes - depth;
    if (shared > limit)
        shared = limit;
    for (size_t i = 1; i < count && shared > 0; i++) {
        if (i + PREFETCH_AHEAD < count)
            __builtin_prefetch(
                arena + gs_where_offset(elements[i + PREFETCH_AHEAD].where) + depth);
        const gs_record r = gs_record_at(layout, arena, elements[i].where);
        if (r.string_bytes - depth < shared)
            shared = r.string_bytes - depth;
        size_t k = 0;
        while (k + 8 <= shared &&
               memcmp(first.string + depth + k, r.string + depth + k, 8) == 0)
            k += 8;
        while (k < shared && first.string[depth + k] == r.string[depth + k])
            k++;
        shared = k;
    }
    return shared;
}

/* Splits a segment at `depth` by what is left of each string: those that end first, by
 * length, then (or, backwards, before) those that go on. Returns where the latter begin
 * and sets *going_on to how many they are. */
static size_t split_off_ended(const gs_tie_job *job, gs_element *a, gs_element *scratch,
                              size_t n, size_t depth, size_t *going_on)
{
    size_t counts[GS_TIE_ENDED_MAX + 2] = {0};
    for (size_t i = 0; i < n; i++)
        counts[gs_tie_left(job->layout, job->arena, a[i].where, depth)]++;
    const size_t last = GS_TIE_ENDED_MAX + 1;
    *going_on = counts[last];
    const bool is_backwards = job->layout->is_backwards;
    for (size_t c = 0; c <= last; c++) {
        if (counts[c] == n)
            return c == last || is_backwards ? 0 : n; /* one class: nothing moves */
    }
    size_t next[GS_TIE_ENDED_MAX + 2], sum = 0;
    for (size_t c = 0; c <= last; c++) {
        const size_t cls = is_backwards ? last - c : c;
        next[cls] = sum;
        sum += counts[cls];
    }
    const size_t begin = next[last];
    for (size_t i = 0; i < n; i++)
        scratch[next[gs_tie_left(job->layout, job->arena, a[i].where, depth)]++] = a[i];
    memcpy(a, scratch, n * sizeof *a);
    return begin;
}

/* Orders a segment: n elements whose prefixes at `depth` agree. */
static void sort_segment(const gs_tie_job *job, gs_element *a, gs_element *scratch,
                         size_t n, size_t depth, bool has_next, unsigned level)
{
    if (n <= DIRECT_MAX && !has_next) {
        insertion_sort_strings(job, a, n, depth);
        return;
    }
    if (level > LEVELS_MAX) {
        merge_sort_strings(job, a, scratch, n, depth);
        return;
    }
    size_t going_on = 0;
    const size_t begin = split_off_ended(job, a, scratch, n, depth, &going_on);
    if (going_on < 2)
        return;
    a += begin;
    scratch += begin;
    n = going_on;
    depth += 8;

    if (has_next) {
        for (size_t i = 0; i < n; i++)
            a[i].prefix = a[i].next;
        sort_level(job, a, scratch, n, depth, false, level + 1);
        return;
    }
    const size_t sample = n < SHARED_SAMPLE ? n : SHARED_SAMPLE;
    size_t shared =
        gs_tie_common_bytes(job->layout, job->arena, a, sample, depth, SHARED_LIMIT);
    if (shared >= 8 && n > sample)
        shared = gs_tie_common_bytes(job->layout, job->arena, a, n, depth, shared);
    if (shared >= 8)
        depth += shared;
    for (size_t i = 0; i < n; i++) {
        if (i + PREFETCH_AHEAD < n)
            __builtin_prefetch(job->arena + gs_where_offset(a[i + PREFETCH_AHEAD].where) +
                               depth);
        gs_tie_load(job->layout, job->arena, &a[i], depth);
    }
    sort_level(job, a, scratch, n, depth, true, level + 1);
}

static void sort_level(const gs_tie_job *job, gs_element *a, gs_element *scratch,
                       size_t n, size_t depth, bool has_next, unsigned level)
{
    gs_element_sort(a, scratch, n);
    size_t begin = 0;
    while (begin < n) {
        size_t end = begin + 1;
        while (end < n && a[end].prefix == a[begin].prefix)
            end++;
        if (end - begin > 1)
            sort_segment(job, a + begin, scratch + begin, end - begin, depth, has_next,
                         level);
        begin = end;
    }
}

void gs_tie_sort(const gs_record_layout *layout, const uint8_t *arena,
                 gs_element *elements, gs_element *scratch, size_t count, size_t depth,
                 bool has_next)
{
    const gs_tie_job job = {layout, arena};
    sort_level(&job, elements, scratch, count, depth, has_next, 0);
}
