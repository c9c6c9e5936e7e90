/* SPDX-License-Identifier: MIT */
#include "lib/sort/bucket/splitters.h"

#include <stdlib.h>

unsigned gs_splitters_levels(size_t count, size_t bucket_elements)
{
    unsigned levels = 2;
    while (levels < GS_SPLITTERS_LEVELS_MAX && count >> levels > bucket_elements)
        levels++;
    return levels;
}

static int compare_words(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Fills node `node` of the tree with the middle of sorted[lo .. hi). */
static void plant(gs_splitters *s, const uint64_t *sorted, size_t lo, size_t hi,
                  size_t node)
{
    if (node >= s->bucket_count)
        return;
    const size_t middle = (lo + hi) / 2;
    s->tree[node] = sorted[middle];
    plant(s, sorted, lo, middle, 2 * node);
    plant(s, sorted, middle + 1, hi, 2 * node + 1);
}

void gs_splitters_choose(gs_splitters *s, unsigned levels, uint64_t *sample, size_t n)
{
    qsort(sample, n, sizeof *sample, compare_words);
    /* Every n / buckets-th. A value that comes twice gets a bucket of its own, between
     * itself and its successor; the tail is filled up with the largest. */
    size_t distinct = 0;
    const size_t wanted = ((size_t)1 << levels) - 1;
    uint64_t splitters[GS_SPLITTERS_BUCKETS_MAX];
    for (size_t i = 1; i <= wanted; i++) {
        const uint64_t x = sample[i * n / (wanted + 1)];
        if (distinct == 0 || splitters[distinct - 1] < x)
            splitters[distinct++] = x;
        else if (splitters[distinct - 1] == x && x != UINT64_MAX && distinct < wanted)
            splitters[distinct++] = x + 1;
    }
    while (((size_t)1 << levels) / 2 > distinct + 1)
        levels--;
    s->levels = levels;
    s->bucket_count = (size_t)1 << levels;
    while (distinct < s->bucket_count - 1) {
        splitters[distinct] = UINT64_MAX;
        distinct++;
    }
    plant(s, splitters, 0, distinct, 1);
}
