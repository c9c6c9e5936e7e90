/* SPDX-License-Identifier: MIT */
#include "cmd/hhh_answer.h"

#include <inttypes.h>
#include <stdio.h>

#include "cmd/report.h"

gs_code hhh_print(const hhh_ask *r, stats_output *to, gpusort_summary *summary,
                  gs_status *st)
{
    const bool as_json = to->as_json;
    gpusort_summary_info all = {.size = sizeof all};
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_count one;
    size_t count;
    if (gpusort_summary_find_prefixes(summary, r->support, &count, &error) != GPUSORT_OK)
        return gs_status_of_error(st, &error);
    gpusort_summary_describe(summary, &all);
    if (!stats_output_begin(to, all.seen, all.is_end))
        return GS_OK;
    if (as_json)
        printf(", \"support\": %g, \"eps\": %g, \"error_max\": %" PRIu64
               ", \"error_bound\": %" PRIu64 ", \"summary_bytes\": %" PRIu64
               ", \"prefixes\": [",
               r->support, all.eps, all.error_max, (uint64_t)(all.eps * (double)all.seen),
               all.held_bytes);
    for (size_t i = 0; gpusort_summary_prefix(summary, i, &one); i++) {
        if (as_json)
            printf("%s{\"prefix\": ", i > 0 ? ", " : "");
        stats_output_value(to, &one.value);
        printf(as_json ? ", \"count\": %" PRIu64 ", \"rest\": %" PRIu64 "}"
                       : "\t%" PRIu64 "\t%" PRIu64,
               one.count, one.rest);
        stats_output_end_line(to);
    }
    if (as_json)
        putchar(']');
    return stats_output_end(to, st);
}
