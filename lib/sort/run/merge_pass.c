/* SPDX-License-Identifier: MIT */
#include "lib/sort/run/merge_pass.h"

#include "lib/base/assertion.h"

/* How many runs from `first` on one merge takes, of `most`. */
static size_t mergeable(const gs_merge_passes *p, size_t run_count, size_t first,
                        size_t most)
{
    const size_t left = run_count - first;
    const size_t count = left < most ? left : most;
    return p->fitting != NULL ? p->fitting(p->context, first, count) : count;
}

bool gs_merge_passes_next(gs_merge_passes *p, size_t run_count, gs_merge_group *group)
{
    if (mergeable(p, run_count, 0, p->fan_in) == run_count)
        return false;
    const size_t excess = run_count > p->fan_in ? run_count - p->fan_in : p->fan_in;
    const size_t most = excess < p->fan_in ? excess + 1 : p->fan_in;
    size_t count = mergeable(p, run_count, p->next, most);
    if (count < 2) { /* the pass has come to the end of the runs */
        p->next = 0;
        count = mergeable(p, run_count, 0, most);
    }
    gs_assert(count >= 2);
    *group = (gs_merge_group){p->next, count, p->next == 0};
    p->next++;
    return true;
}
