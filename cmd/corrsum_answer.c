/* SPDX-License-Identifier: MIT */
#include "cmd/corrsum_answer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/report.h"
#include "lib/base/quote.h"

static const gs_word aggregates[] = {{"avg", GPUSORT_AVERAGE},
                                     {"min", GPUSORT_LEAST},
                                     {"max", GPUSORT_MOST},
                                     {"quantile", GPUSORT_QUANTILE}};

void corrsum_take_agg(void *to, gs_opt_scan *scan)
{
    *(gpusort_aggregate *)to =
        (gpusort_aggregate)gs_word_arg(scan, GS_COUNTED(aggregates));
}

void corrsum_take_number(void *to, gs_opt_scan *scan)
{
    char *end = NULL;
    const double number = strtod(scan->argument, &end);
    if (end == scan->argument || *end != '\0' || !isfinite(number)) {
        gs_quoted q;
        gs_die_usage("--%s is a number, not %s", scan->current->name,
                     gs_quote_argument(&q, scan->argument));
    }
    *(double *)to = number;
}

gs_code corrsum_print(const corrsum_ask *r, stats_output *to,
                      const gpusort_summary *summary, gs_status *st)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_summary_info all = {.size = sizeof all};
    gpusort_sum sum;
    if (gpusort_summary_sum(summary, r->agg, r->phi, r->times, r->plus, &sum, &error) !=
        GPUSORT_OK)
        return gs_status_of_error(st, &error);
    gpusort_summary_describe(summary, &all);
    if (!stats_output_begin(to, all.seen, all.is_end))
        return GS_OK;
    if (to->as_json) {
        printf(", \"window\": %" PRIu64
               ", \"eps\": %g, \"error_bound\": %.17g, \"summary_bytes\": %" PRIu64
               ", \"limit\": ",
               all.in_window, all.eps, all.eps * sum.total, all.held_bytes);
        stats_output_double(to, sum.limit);
        fputs(", \"sum\": ", stdout);
    }
    stats_output_double(to, sum.least + (sum.most - sum.least) / 2);
    fputs(to->as_json ? ", \"least\": " : "\t", stdout);
    stats_output_double(to, sum.least);
    fputs(to->as_json ? ", \"most\": " : "\t", stdout);
    stats_output_double(to, sum.most);
    stats_output_end_line(to);
    return stats_output_end(to, st);
}
