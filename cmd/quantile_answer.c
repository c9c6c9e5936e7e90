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

static void print_bounds(const quantile_ask *r, const quantile_view *v)
{
    const double eps = v->exact != NULL ? 0 : r->eps;
    const uint64_t most = v->exact != NULL ? 0
                                           : gs_rank_summary_error(v->all) +
                                                 (v->uncovered + 1) / 2 + v->window_error;
    printf(", \"window\": %" PRIu64 ", \"eps\": %g, \"error_max\": %" PRIu64
           ", \"error_bound\": %" PRIu64 ", \"summary_bytes\": %zu",
           v->in_window, eps, most, (uint64_t)(eps * (double)v->in_window), v->bytes);
    if (v->bytes_max > 0)
        printf(", \"summary_bytes_bound\": %zu", v->bytes_max);
    if (v->exact != NULL)
        printf(", \"spilled_bytes\": %" PRIu64, v->spilled_bytes);
    fputs(", \"quantiles\": [", stdout);
}

/* What is not covered may lie below or above: half of it is taken to be below. */
static gs_code find_answer(const quantile_view *v, double phi, uint64_t *key,
                           gs_status *st)
{
    const uint64_t rank = gs_rank_of_share(phi, v->in_window), half = v->uncovered / 2;
    if (v->exact != NULL)
        return gs_exact_at(v->exact, rank, key, st);
    const uint64_t wanted = rank > half + 1 ? rank - half : 1;
    *key = gs_rank_summary_at(v->all, wanted < v->all->values ? wanted : v->all->values)
               ->key;
    return GS_OK;
}

gs_code quantile_print(quantile_ask *r, const quantile_view *v, bool is_end,
                       gs_status *st)
{
    const bool as_json = r->output.as_json;
    if (!stats_output_begin(&r->output, v->values, is_end))
        return GS_OK;
    if (as_json)
        print_bounds(r, v);
    for (size_t i = 0; i < r->phi_count && v->in_window > 0; i++) {
        uint64_t key;
        GS_TRY(find_answer(v, r->phis[i], &key, st));
        if (as_json)
            printf("%s{\"phi\": %g, \"value\": ", i > 0 ? ", " : "", r->phis[i]);
        else
            printf("%s\t", r->phi_texts[i]);
        stats_output_number(&r->output, r->type, key);
        putchar(as_json ? '}' : '\n');
    }
    if (as_json)
        putchar(']');
    return stats_output_end(&r->output, st);
}
