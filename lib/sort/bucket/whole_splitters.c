/* SPDX-License-Identifier: MIT */
#include "lib/sort/bucket/whole_splitters.h"

#include "lib/base/assertion.h"
#include "lib/sort/bucket/tie_sort.h"

static int compare(const gs_whole_splitters *s, const gs_element *a, const gs_element *b)
{
    return gs_tie_compare(s->layout, s->arena, a, b, s->depth);
}

void gs_whole_splitters_choose(gs_whole_splitters *s, size_t bucket_count,
                               gs_element *sample, gs_element *scratch, size_t n,
                               bool has_next)
{
    gs_assert(bucket_count <= GS_WHOLE_SPLITTERS_MAX + 1);
    gs_tie_sort(s->layout, s->arena, sample, scratch, n, s->depth, has_next);
    s->count = 0;
    for (size_t i = 1; i < bucket_count; i++) {
        const gs_element *const e = &sample[i * n / bucket_count];
        if (s->count == 0 || compare(s, &s->elements[s->count - 1], e) != 0)
            s->elements[s->count++] = *e;
    }
}

size_t gs_whole_splitters_find(const gs_whole_splitters *s, const gs_element *e)
{
    size_t from = 0, to = s->count;
    while (from < to) {
        const size_t middle = (from + to) / 2;
        if (compare(s, &s->elements[middle], e) <= 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}
