/* SPDX-License-Identifier: MIT */
#include "cmd/hhh_answer.h"

#include <inttypes.h>
#include <stdio.h>

gs_code hhh_print(hhh_ask *r, const gs_heavy_prefixes *all, bool is_end, gs_status *st)
{
    const bool as_json = r->output.as_json;
    if (!stats_output_begin(&r->output, all->values, is_end))
        return GS_OK;
    if (as_json)
        printf(", \"support\": %g, \"eps\": %g, \"error_max\": %" PRIu64
               ", \"error_bound\": %" PRIu64 ", \"summary_bytes\": %zu, \"prefixes\": [",
               r->support, r->eps, all->lost, (uint64_t)(r->eps * (double)all->values),
               all->bytes);
    for (size_t i = 0; i < all->count; i++) {
        const gs_heavy_prefix *const p = &all->prefixes[i];
        if (as_json)
            printf("%s{\"prefix\": ", i > 0 ? ", " : "");
        stats_output_text(&r->output, p->text, p->bytes);
        printf(as_json ? ", \"count\": %" PRIu64 ", \"rest\": %" PRIu64 "}"
                       : "\t%" PRIu64 "\t%" PRIu64 "\n",
               p->count, p->own);
    }
    if (as_json)
        putchar(']');
    return stats_output_end(&r->output, st);
}
