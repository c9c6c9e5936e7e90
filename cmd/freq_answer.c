/* SPDX-License-Identifier: MIT */
#include "cmd/freq_answer.h"

#include <inttypes.h>
#include <stdio.h>

gs_code freq_print(const freq_ask *r, stats_output *to, gpusort_summary *summary,
                   gs_status *st)
{
    const bool as_json = to->as_json;
    gpusort_summary_info all = {.size = sizeof all};
    gpusort_count one;
    gpusort_summary_describe(summary, &all);
    if (!stats_output_begin(to, all.seen, all.is_end))
        return GS_OK;
    if (as_json)
        printf(", \"window\": %" PRIu64
               ", \"support\": %g, \"eps\": %g, \"error_max\": %" PRIu64
               ", \"error_bound\": %" PRIu64 ", \"summary_bytes\": %" PRIu64
               ", \"values\": [",
               all.in_window, r->support, all.eps, all.error_max,
               (uint64_t)(all.eps * (double)all.in_window), all.held_bytes);
    for (size_t i = 0; (r->top == 0 || i < r->top) &&
                       gpusort_summary_frequent(summary, 0, r->support, i, &one);
         i++) {
        if (as_json)
            printf("%s{\"value\": ", i > 0 ? ", " : "");
        stats_output_value(to, &one.value);
        printf(as_json ? ", \"count\": %" PRIu64 "}" : "\t%" PRIu64, one.count);
        stats_output_end_line(to);
    }
    if (as_json)
        putchar(']');
    return stats_output_end(to, st);
}
