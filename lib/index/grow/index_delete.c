/* SPDX-License-Identifier: MIT */
#include "lib/index/grow/index_delete.h"

#include "lib/base/mem.h"
#include "lib/base/quote.h"
#include "lib/index/grow/deletions.h"
#include "lib/index/grow/index_compact.h"

struct gs_index_deletion {
    gs_index_merge_options options;
    gs_growth growth;
    gs_deletions deletions;
    uint64_t count;
};

static gs_code check_names(const gs_growth *g, gs_status *st)
{
    gs_quoted q;
    if (g->header.has_names)
        return GS_OK;
    (void)GS_FAIL(st, GS_ERR_ARG, 0,
                  "%s was made of tuples, whose documents have no names",
                  gs_quote_name_always(&q, g->folder));
    return gs_status_hint(st, "build it again of the tuples that are to stay");
}

gs_code gs_index_deletion_open(gs_index_deletion **out,
                               const gs_index_merge_options *options, gs_status *st)
{
    gs_index_deletion *d = NULL;
    *out = NULL;
    GS_TRY(gs_mem_new(&d, sizeof *d, "deletion", st));
    d->options = *options;
    d->growth.fd = -1;
    if (gs_growth_open(&d->growth, options->folder, options->log, options->cancel_signal,
                       st) == GS_OK &&
        check_names(&d->growth, st) == GS_OK &&
        gs_deletions_open(&d->deletions, &d->growth, st) == GS_OK)
        *out = d;
    else
        gs_index_deletion_close(d);
    return st->code;
}

void gs_index_deletion_close(gs_index_deletion *d)
{
    if (d == NULL)
        return;
    gs_deletions_close(&d->deletions);
    gs_growth_close(&d->growth);
    gs_mem_free(d);
}

uint64_t gs_index_deletion_count(const gs_index_deletion *d)
{
    return d->count;
}

gs_code gs_index_deletion_names(gs_index_deletion *d, const gs_text_span *names,
                                size_t count, bool *is_there, gs_status *st)
{
    GS_NOTED(gs_deletions_names(&d->deletions, names, count, is_there, st));
    d->count = d->deletions.count;
    return st->code;
}

gs_code gs_index_deletion_commit(gs_index_deletion *d, bool merges, gs_status *st)
{
    if (d->count > 0) {
        GS_TRY(gs_deletions_write(&d->deletions, &d->growth, st));
        GS_TRY(gs_growth_commit(&d->growth, st));
    }
    gs_deletions_close(&d->deletions);
    return merges ? gs_growth_merge(&d->growth, &d->options, st) : GS_OK;
}
