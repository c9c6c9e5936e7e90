/* SPDX-License-Identifier: MIT */
#include "cmd/freq_answer.h"

#include <inttypes.h>
#include <stdio.h>

static void print_value(const freq_ask *r, const gs_frequent *all, size_t i)
{
    if (all->numbers != NULL)
        stats_output_number(&r->output, r->type, all->numbers->entries[i].key);
    else
        stats_output_text(&r->output, gs_text_counts_text(all->texts, i),
                          all->texts->entries[i].bytes);
}

gs_code freq_print(freq_ask *r, const gs_frequent *all, bool is_end, gs_status *st)
{
    const bool as_json = r->output.as_json;
    const size_t held = all->numbers ? all->numbers->count : all->texts->count;
    const double least = r->support * (double)all->in_window;
    if (!stats_output_begin(&r->output, all->values, is_end))
        return GS_OK;
    if (as_json)
        printf(", \"window\": %" PRIu64
               ", \"support\": %g, \"eps\": %g, \"error_max\": %" PRIu64
               ", \"error_bound\": %" PRIu64 ", \"summary_bytes\": %zu, \"values\": [",
               all->in_window, r->support, r->eps, all->lost,
               (uint64_t)(r->eps * (double)all->in_window), all->bytes);
    for (size_t i = 0; i < held && (r->top == 0 || i < r->top); i++) {
        const uint64_t count =
            all->numbers ? all->numbers->entries[i].count : all->texts->entries[i].count;
        if ((double)(count + all->lost) < least)
            break;
        if (as_json)
            printf("%s{\"value\": ", i > 0 ? ", " : "");
        print_value(r, all, i);
        printf(as_json ? ", \"count\": %" PRIu64 "}" : "\t%" PRIu64 "\n", count);
    }
    if (as_json)
        putchar(']');
    return stats_output_end(&r->output, st);
}
