/* SPDX-License-Identifier: MIT */
#include "cmd/quantile_answer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/report.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"

void quantile_ask_take(quantile_ask *r)
{
    gs_status st = {.code = GS_OK};
    gs_quoted q;
    if (gs_mem_copy_string(&r->phi_copy, r->phi_text, &st) != GS_OK)
        exit(gs_report_failure(&st));
    for (char *text = r->phi_copy, *next; text != NULL; text = next) {
        char *end = NULL;
        next = strchr(text, ',');
        if (next != NULL)
            *next++ = '\0';
        const double phi = strtod(text, &end);
        if (end == text || *end != '\0' || !(phi >= 0 && phi <= 1))
            gs_die_usage("--phi is a list of numbers from 0 to 1, not %s",
                         gs_quote_argument(&q, r->phi_text));
        if (r->phi_count == QUANTILE_PHIS_MAX)
            gs_die_usage("--phi has more than %d numbers", QUANTILE_PHIS_MAX);
        r->phi_texts[r->phi_count] = text;
        r->phis[r->phi_count++] = phi;
    }
}

void quantile_ask_release(quantile_ask *r)
{
    gs_mem_free(r->phi_copy);
    r->phi_copy = NULL;
}

static void print_bounds(const gpusort_summary_info *all)
{
    printf(", \"window\": %" PRIu64 ", \"eps\": %g, \"error_max\": %" PRIu64
           ", \"error_bound\": %" PRIu64 ", \"summary_bytes\": %" PRIu64,
           all->in_window, all->eps, all->error_max,
           (uint64_t)(all->eps * (double)all->in_window), all->held_bytes);
    if (all->held_bytes_max > 0)
        printf(", \"summary_bytes_bound\": %" PRIu64, all->held_bytes_max);
    if (all->eps == 0) /* they are exact */
        printf(", \"spilled_bytes\": %" PRIu64, all->spilled_bytes);
    fputs(", \"quantiles\": [", stdout);
}

gs_code quantile_print(const quantile_ask *r, stats_output *to,
                       const gpusort_summary *summary, gs_status *st)
{
    const bool as_json = to->as_json;
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_summary_info all = {.size = sizeof all};
    gpusort_value value;
    gpusort_summary_describe(summary, &all);
    if (!stats_output_begin(to, all.seen, all.is_end))
        return GS_OK;
    if (as_json)
        print_bounds(&all);
    for (size_t i = 0; i < r->phi_count && all.in_window > 0; i++) {
        if (gpusort_summary_quantile(summary, 0, r->phis[i], &value, &error) !=
            GPUSORT_OK)
            return gs_status_of_error(st, &error);
        if (as_json)
            printf("%s{\"phi\": %g, \"value\": ", i > 0 ? ", " : "", r->phis[i]);
        else
            printf("%s\t", r->phi_texts[i]);
        stats_output_number(to, &value);
        if (as_json)
            putchar('}');
        stats_output_end_line(to);
    }
    if (as_json)
        putchar(']');
    return stats_output_end(to, st);
}
