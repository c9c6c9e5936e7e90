/* SPDX-License-Identifier: MIT */
/*
 * Summaries of streams, to files and back, and put together.
 */
#include <string.h>

#include "lib/api/api_call.h"
#include "lib/api/api_summary.h"
#include "lib/base/assertion.h"
#include "lib/base/machine.h"
#include "lib/base/mem.h"

/* --- saving ------------------------------------------------------------------------- */

static gs_saved_kind kind_of(const gpusort_summary *s)
{
    switch (s->info.statistic) {
    case GPUSORT_QUANTILES: return GS_SAVED_QUANTILES;
    case GPUSORT_FREQUENT: return s->texts != NULL ? GS_SAVED_TEXTS : GS_SAVED_NUMBERS;
    case GPUSORT_SUMS: return GS_SAVED_SUMS;
    case GPUSORT_PREFIXES: return GS_SAVED_PREFIXES;
    case GPUSORT_COLUMNS: break;
    }
    gs_assert_failed("a statistic that is saved", __FILE__, __LINE__);
}

static gs_code borrow_prefixes(const gs_known_prefixes *known, gs_saved_summary *out,
                               gs_saved_summary *copies, gs_status *st)
{
    out->prefixes = *known->counts;
    if (known->last == NULL)
        return GS_OK;
    copies->prefixes.by = known->counts->by;
    GS_TRY(gs_prefix_counts_merge(&copies->prefixes, known->counts, 0, st));
    GS_TRY(gs_prefix_counts_merge(&copies->prefixes, known->last, 0, st));
    out->prefixes = copies->prefixes;
    return GS_OK;
}

/* What is known, where it is; *copies, which are to be released, have what is nowhere. */
static gs_code borrow(const gpusort_summary *s, gs_saved_summary *out,
                      gs_saved_summary *copies, gs_status *st)
{
    *copies = (gs_saved_summary){.prefixes.by = {0}};
    *out = (gs_saved_summary){.kind = kind_of(s),
                              .type = s->type,
                              .eps = s->info.eps,
                              .values = s->info.in_window,
                              .counters = s->counters,
                              .has_ranks = s->info.has_ranks != 0};
    switch (out->kind) {
    case GS_SAVED_QUANTILES: out->ranks = *s->ranks; break;
    case GS_SAVED_NUMBERS: out->numbers = *s->numbers; break;
    case GS_SAVED_TEXTS: out->texts = *s->texts; break;
    case GS_SAVED_SUMS: out->pairs = *s->pairs; break;
    case GS_SAVED_PREFIXES: return borrow_prefixes(&s->prefixes, out, copies, st);
    case GS_SAVED_KINDS: break;
    }
    return GS_OK;
}

/* Packing thins out ranks, as far as the error allows, and puts numbers in order. */
static gs_code write(gpusort_summary *s, gs_saved_summary *all, gs_saved_summary *copies,
                     const char *file, gs_status *st)
{
    if (s->pairs != NULL && all->has_ranks) {
        GS_TRY(gs_rank_summary_copy(&copies->ranks, &s->pairs->ranks, st));
        all->pairs.ranks = copies->ranks;
    }
    GS_NOTED(gs_saved_summary_write(all, file, st));
    if (s->ranks != NULL)
        *s->ranks = all->ranks;
    if (s->numbers != NULL)
        s->is_ranked = false;
    return st->code;
}

static gs_code save(gpusort_summary *s, const char *file, gs_status *st)
{
    gs_saved_summary all, copies;
    if (file == NULL)
        return GS_FAIL(st, GS_ERR_ARG, 0, "no file");
    if (!s->is_of_all)
        return GS_FAIL(st, GS_ERR_ARG, 0,
                       "what is exact, of a window or of columns is not saved");
    if (borrow(s, &all, &copies, st) == GS_OK)
        GS_NOTED(write(s, &all, &copies, file, st));
    gs_saved_summary_release(&copies);
    return st->code;
}

gpusort_code gpusort_summary_save(gpusort_summary *s, const char *file,
                                  gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    GS_NOTED(save(s, file, &st));
    return gs_api_result(&st, error);
}

/* --- loading ------------------------------------------------------------------------ */

/* What is told, by what is known. */
static void show(gpusort_summary *s)
{
    gs_saved_summary *const saved = &s->saved;
    s->type = saved->type;
    s->counters = (size_t)saved->counters;
    s->is_of_all = true;
    s->ranks = NULL;
    s->info = (gpusort_summary_info){
        .values = (gpusort_values)saved->type,
        .is_end = 1,
        .has_ranks = saved->has_ranks,
        .eps = saved->eps,
        .seen = saved->values,
        .in_window = saved->values,
        .held_bytes = gs_saved_summary_bytes(saved),
        .columns = 1,
    };
    switch (saved->kind) {
    case GS_SAVED_QUANTILES:
        s->info.statistic = GPUSORT_QUANTILES;
        s->ranks = &saved->ranks;
        break;
    case GS_SAVED_NUMBERS:
        s->info.statistic = GPUSORT_FREQUENT;
        s->numbers = &saved->numbers;
        break;
    case GS_SAVED_TEXTS:
        s->info.statistic = GPUSORT_FREQUENT;
        s->info.values = GPUSORT_VALUES_TEXT;
        s->texts = &saved->texts;
        break;
    case GS_SAVED_SUMS:
        s->info.statistic = GPUSORT_SUMS;
        s->pairs = &saved->pairs;
        break;
    case GS_SAVED_PREFIXES:
        s->info.statistic = GPUSORT_PREFIXES;
        s->info.values = GPUSORT_VALUES_TEXT;
        s->prefixes = (gs_known_prefixes){.counts = &saved->prefixes};
        break;
    case GS_SAVED_KINDS: break;
    }
}

/* Of the memory a file may have an eighth: its bytes, what they say, and what that makes
 * together with others, are there at once. */
static gs_code load(gpusort_summary **out, const char *file, size_t memory_bytes,
                    gs_status *st)
{
    gpusort_summary *s = NULL;
    if (file == NULL)
        return GS_FAIL(st, GS_ERR_ARG, 0, "no file");
    GS_TRY(gs_mem_new(&s, sizeof *s, "summary", st));
    s->usable_bytes = gs_machine_memory_share(memory_bytes).usable_bytes;
    GS_TRY_OR_FAIL(gs_mem_copy_string(&s->name, file, st));
    GS_TRY_OR_FAIL(gs_saved_summary_read(&s->saved, file, s->usable_bytes / 8, st));
    show(s);
    *out = s;
    return GS_OK;
fail:
    gpusort_summary_free(s);
    return st->code;
}

gpusort_code gpusort_summary_load(gpusort_summary **out, const char *file,
                                  size_t memory_bytes, gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    *out = NULL;
    GS_NOTED(load(out, file, memory_bytes, &st));
    return gs_api_result(&st, error);
}

void gpusort_summary_free(gpusort_summary *s)
{
    if (s == NULL)
        return;
    gs_api_summary_release(s);
    gs_saved_summary_release(&s->saved);
    gs_mem_free(s->name);
    gs_mem_free(s);
}

/* --- merging ------------------------------------------------------------------------ */

/* Counts that were ranked become such that others can be added. */
static gs_code unrank(gpusort_summary *s, gs_status *st)
{
    gs_text_counts again = {.count = 0};
    if (!s->is_ranked)
        return GS_OK;
    s->is_ranked = false;
    if (s->numbers != NULL)
        gs_count_summary_order(s->numbers);
    if (s->texts == NULL)
        return GS_OK;
    if (gs_text_counts_merge(&again, s->texts, st) == GS_OK) {
        gs_text_counts_release(s->texts);
        *s->texts = again;
        return GS_OK;
    }
    gs_text_counts_release(&again);
    return st->code;
}

/* Numbers of the other one, where these were ranked. */
static gs_code put_in_order(const gpusort_summary *s, gs_saved_summary *all,
                            gs_saved_summary *copies, gs_status *st)
{
    if (s->numbers == NULL || !s->is_ranked)
        return GS_OK;
    GS_TRY(gs_count_summary_copy(&copies->numbers, s->numbers, st));
    gs_count_summary_order(&copies->numbers);
    all->numbers = copies->numbers;
    return GS_OK;
}

static gs_code merge(gpusort_summary *s, const gpusort_summary *other, gs_status *st)
{
    gs_saved_summary copies = {.values = 0}, all;
    if (s->name == NULL || s == other)
        return GS_FAIL(st, GS_ERR_ARG, 0, "a summary that is not of a file of its own");
    if (!other->is_of_all)
        return GS_FAIL(st, GS_ERR_ARG, 0,
                       "what is exact, of a window or of columns is not merged");
    GS_TRY(unrank(s, st));
    if (borrow(other, &all, &copies, st) == GS_OK &&
        put_in_order(other, &all, &copies, st) == GS_OK)
        GS_NOTED(gs_saved_summary_merge(
            &s->saved, &all, other->name != NULL ? other->name : "stream", st));
    gs_saved_summary_release(&copies);
    gs_heavy_finder_release(&s->finder);
    s->heavy = (gs_heavy_prefixes){.count = 0};
    show(s);
    if (st->code == GS_OK && s->info.held_bytes > s->usable_bytes / 4) {
        (void)GS_FAIL(st, GS_ERR_LIMIT, 0, "these summaries take more than %zu bytes",
                      s->usable_bytes / 4);
        return gs_status_hint(st, "give more memory with -S");
    }
    return st->code;
}

gpusort_code gpusort_summary_merge(gpusort_summary *s, const gpusort_summary *other,
                                   gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    GS_NOTED(merge(s, other, &st));
    return gs_api_result(&st, error);
}
