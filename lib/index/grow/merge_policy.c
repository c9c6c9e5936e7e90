/* SPDX-License-Identifier: MIT */
#include "lib/index/grow/merge_policy.h"

/* Is the largest of them not more than the others together? */
static bool are_alike(const gs_segment_size *sizes, size_t from, size_t to)
{
    uint64_t largest = 0, all = 0;
    for (size_t i = from; i < to; i++) {
        largest = sizes[i].bytes > largest ? sizes[i].bytes : largest;
        all += sizes[i].bytes;
    }
    return largest <= all - largest;
}

bool gs_merge_policy_pick(const gs_segment_size *sizes, size_t count, size_t *from,
                          size_t *to)
{
    *to = count;
    for (*from = 0; count - *from >= GS_MERGE_SEGMENTS_MIN && *from < count; ++*from) {
        if (are_alike(sizes, *from, count))
            return true;
    }
    for (*from = 0; *from < count; ++*from) {
        const gs_segment_size *const s = &sizes[*from];
        *to = *from + 1;
        if (s->deleted > 0 && s->deleted >= s->documents / GS_MERGE_DELETED_PART)
            return true;
        if (s->deleted == s->documents && count > 1)
            return true;
    }
    return false;
}
