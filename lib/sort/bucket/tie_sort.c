/* SPDX-License-Identifier: MIT */
#include "lib/sort/bucket/tie_sort.h"

#include "lib/sort/bucket/word_pack.h"

enum {
    WORD = 8,
    ENDED_MAX = GS_TIE_ENDED_MAX,
    INSERTED_MAX = 6,    /* up to this many, words are compared as they are */
    DIRECT_MAX = 6,      /* segments up to this size are compared string by string */
    PREFETCH_AHEAD = 12, /* elements whose text is asked for before it is needed */
    SHARED_SAMPLE = 8,   /* elements looked at before all are asked what they share */
    SHARED_LIMIT = 1 << 20,
    LEVELS_MAX = 48, /* deeper than this only hostile input goes: merge sort instead */
};

typedef struct gs_tie_job {
    const gs_record_layout *layout;
    const uint8_t *arena;
} gs_tie_job;

static void sort_by_both(const gs_tie_job *job, gs_element *a, gs_element *scratch,
                         size_t n, size_t depth, unsigned level);

static size_t left_of(const gs_tie_job *job, const gs_element *e, size_t depth)
{
    return gs_tie_left(job->layout, job->arena, e->where, depth);
}

int gs_tie_compare(const gs_record_layout *layout, const uint8_t *arena,
                   const gs_element *x, const gs_element *y, size_t depth)
{
    const gs_record rx = gs_record_at(layout, arena, x->where);
    const gs_record ry = gs_record_at(layout, arena, y->where);
    const int d =
        gs_string_compare(rx.string, rx.string_bytes, ry.string, ry.string_bytes, depth);
    return layout->is_backwards ? -d : d;
}

static int compare_strings(const gs_tie_job *job, const gs_element *x,
                           const gs_element *y, size_t depth)
{
    return gs_tie_compare(job->layout, job->arena, x, y, depth);
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
    size_t counts[ENDED_MAX + 2] = {0};
    for (size_t i = 0; i < n; i++)
        counts[left_of(job, &a[i], depth)]++;
    const size_t last = ENDED_MAX + 1;
    *going_on = counts[last];
    const bool is_backwards = job->layout->is_backwards;
    for (size_t c = 0; c <= last; c++) {
        if (counts[c] == n)
            return c == last || is_backwards ? 0 : n; /* one class: nothing moves */
    }
    size_t next[ENDED_MAX + 2], sum = 0;
    for (size_t c = 0; c <= last; c++) {
        const size_t cls = is_backwards ? last - c : c;
        next[cls] = sum;
        sum += counts[cls];
    }
    const size_t begin = next[last];
    for (size_t i = 0; i < n; i++)
        scratch[next[left_of(job, &a[i], depth)]++] = a[i];
    memcpy(a, scratch, n * sizeof *a);
    return begin;
}

/* Orders a segment: n elements whose strings agree in all `words` from `depth` on, which
 * are all that was loaded. */
static void sort_segment(const gs_tie_job *job, gs_element *a, gs_element *scratch,
                         size_t n, size_t depth, size_t words, unsigned level)
{
    if (n <= DIRECT_MAX) {
        insertion_sort_strings(job, a, n, depth);
        return;
    }
    if (level > LEVELS_MAX) {
        merge_sort_strings(job, a, scratch, n, depth);
        return;
    }
    size_t going_on = 0;
    for (; words > 0; words--) {
        const size_t begin = split_off_ended(job, a, scratch, n, depth, &going_on);
        if (going_on < 2)
            return;
        a += begin;
        scratch += begin;
        n = going_on;
        depth += WORD;
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
    sort_by_both(job, a, scratch, n, depth, level + 1);
}

/* By the prefixes, which are what stands at `depth`; all agree before it. */
static void sort_by_prefix(const gs_tie_job *job, gs_element *a, gs_element *scratch,
                           size_t n, size_t depth, unsigned level)
{
    gs_element_sort(a, scratch, n);
    for (size_t begin = 0, end; begin < n; begin = end) {
        for (end = begin + 1; end < n && a[end].prefix == a[begin].prefix;)
            end++;
        if (end - begin > 1)
            sort_segment(job, a + begin, scratch + begin, end - begin, depth, 1, level);
    }
}

/* Elements that agree in the prefix and in some bits of the next word. */
static void sort_by_next(const gs_tie_job *job, gs_element *a, gs_element *scratch,
                         size_t n, size_t depth, unsigned level)
{
    for (size_t i = 0; i < n; i++)
        a[i].prefix = a[i].next;
    size_t going_on = 0;
    const size_t begin = split_off_ended(job, a, scratch, n, depth, &going_on);
    if (going_on > 1)
        sort_by_prefix(job, a + begin, scratch + begin, going_on, depth + WORD, level);
}

static void insertion_sort_by_both(gs_element *a, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const gs_element x = a[i];
        size_t j = i;
        while (j > 0 && (a[j - 1].prefix > x.prefix ||
                         (a[j - 1].prefix == x.prefix && a[j - 1].next > x.next))) {
            a[j] = a[j - 1];
            j--;
        }
        a[j] = x;
    }
}

/* Do prefixes alone tell most elements apart? If no two are the same of some from all
 * over, it is not worth it to look at the next words as well. */
static bool are_told_apart(const gs_element *a, size_t n)
{
    enum { LEAST = 512, SAMPLED = 32 };
    uint64_t sample[SAMPLED], same = 0;
    if (n < LEAST)
        return false;
    for (size_t i = 0; i < SAMPLED; i++) {
        sample[i] = a[n / SAMPLED * i].prefix;
        for (size_t k = 0; k < i; k++)
            same |= (uint64_t)(sample[k] == sample[i]);
    }
    return same == 0;
}

/* By both words of what stands at `depth`. */
static void sort_by_both(const gs_tie_job *job, gs_element *a, gs_element *scratch,
                         size_t n, size_t depth, unsigned level)
{
    bool is_all = true;
    if (n <= INSERTED_MAX) {
        insertion_sort_by_both(a, n);
    } else {
        is_all = !are_told_apart(a, n) && gs_words_pack(a, n);
        gs_element_sort(a, scratch, n);
    }
    for (size_t begin = 0, end; begin < n; begin = end) {
        for (end = begin + 1; end < n && a[end].prefix == a[begin].prefix &&
                              (!is_all || a[end].next == a[begin].next);)
            end++;
        if (end - begin == 1)
            continue;
        if (is_all)
            sort_segment(job, a + begin, scratch + begin, end - begin, depth, 2, level);
        else
            sort_by_next(job, a + begin, scratch + begin, end - begin, depth, level);
    }
}

void gs_tie_sort(const gs_record_layout *layout, const uint8_t *arena,
                 gs_element *elements, gs_element *scratch, size_t count, size_t depth,
                 bool has_next)
{
    const gs_tie_job job = {layout, arena};
    if (has_next)
        sort_by_both(&job, elements, scratch, count, depth, 0);
    else
        sort_by_prefix(&job, elements, scratch, count, depth, 0);
}
