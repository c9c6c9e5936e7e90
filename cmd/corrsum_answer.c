/* SPDX-License-Identifier: MIT */
#include "cmd/corrsum_answer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/report.h"
#include "lib/base/quote.h"

static const gs_word aggregates[] = {
    {"avg", AGG_AVG}, {"min", AGG_MIN}, {"max", AGG_MAX}, {"quantile", AGG_QUANTILE}};

void corrsum_take_agg(void *to, gs_opt_scan *scan)
{
    *(corrsum_agg *)to = (corrsum_agg)gs_word_arg(scan, GS_COUNTED(aggregates));
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

static double aggregate(const corrsum_ask *r, const gs_pair_facts *all)
{
    const gs_number_type type = r->type;
    switch (r->agg) {
    case AGG_AVG: return all->x_sum / (double)all->values;
    case AGG_MIN: return gs_number_as_double(type, all->least_key);
    case AGG_MAX: return gs_number_as_double(type, all->most_key);
    case AGG_QUANTILE: break;
    }
    const uint64_t rank = gs_rank_of_share(r->phi, all->values);
    return gs_number_as_double(type, gs_rank_summary_at(&all->ranks, rank)->key);
}

static void print_double(const corrsum_ask *r, double value)
{
    stats_output_number(&r->output, GS_NUMBER_F64, gs_number_of_double(value));
}

gs_code corrsum_print(corrsum_ask *r, const gs_pair_facts *all, uint64_t values,
                      size_t bytes, bool is_end, gs_status *st)
{
    gs_sum_bounds sum = {0, 0};
    double limit = 0;
    if (all->values > 0) {
        uint64_t key;
        limit = r->times * aggregate(r, all) + r->plus;
        if (isnan(limit))
            return GS_FAIL(st, GS_ERR_FORMAT, 0, "the limit of X is no number");
        if (gs_number_up_to(r->type, limit, &key))
            sum = gs_sum_summary_at(&all->sums, key);
    }
    if (!stats_output_begin(&r->output, values, is_end))
        return GS_OK;
    if (r->output.as_json) {
        printf(", \"window\": %" PRIu64
               ", \"eps\": %g, \"error_bound\": %.17g, \"summary_bytes\": %zu, "
               "\"limit\": ",
               all->values, r->eps, r->eps * gs_sum_summary_total(&all->sums), bytes);
        print_double(r, limit);
        fputs(", \"sum\": ", stdout);
    }
    print_double(r, sum.least + (sum.most - sum.least) / 2);
    fputs(r->output.as_json ? ", \"least\": " : "\t", stdout);
    print_double(r, sum.least);
    fputs(r->output.as_json ? ", \"most\": " : "\t", stdout);
    print_double(r, sum.most);
    if (!r->output.as_json)
        putchar('\n');
    return stats_output_end(&r->output, st);
}
