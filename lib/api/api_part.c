/* SPDX-License-Identifier: MIT */
/*
 * What is in files, and parts of them: surveys, samples, partitions.
 */
#include <string.h>

#include "lib/api/api_call.h"
#include "lib/api/api_files.h"
#include "lib/base/mem.h"
#include "lib/part/parts.h"
#include "lib/sort/verify.h"

_Static_assert((int)GPUSORT_PARTS_MAX == (int)GS_PARTS_MAX,
               "the limits of others are ours");

/* Files are written, by names or by descriptors. */
static gs_code refuse_function(const gs_sort_options *options, const char *what,
                               gs_status *st)
{
    return options->taker == NULL
               ? GS_OK
               : GS_FAIL(st, GS_ERR_ARG, 0, "%s and no function that gets it", what);
}

/* --- surveys ------------------------------------------------------------------------ */

typedef struct survey {
    unsigned flags;
    gs_verify_result result;
} survey;

static gs_code look(void *context, const gs_sort_options *options, gs_status *st)
{
    survey *const s = context;
    GS_TRY(gs_api_check_flags(s->flags, GPUSORT_NO_ORDER, st));
    if (options->input_count != 1)
        return GS_FAIL(st, GS_ERR_ARG, 0, "one input is looked at, and not %zu",
                       options->input_count);
    return gs_verify_run(options, 0, s->flags == 0, &s->result, st);
}

gpusort_code gpusort_survey(const gpusort_sort_options *options, unsigned flags,
                            gpusort_tally *tally, gpusort_error *error)
{
    survey s = {.flags = flags};
    const gpusort_code code = gs_api_files_run(options, look, &s, error);
    const gpusort_tally all = {
        .size = tally->size,
        .records = s.result.records,
        .bytes = s.result.bytes,
        .sum_high = s.result.sum_high,
        .sum_low = s.result.sum_low,
        .duplicates = s.result.duplicates,
        .disorders = s.result.disorders,
        .first_disorder = s.result.first_disorder,
    };
    if (code == GPUSORT_OK)
        gs_api_give(tally, all.size, &all, sizeof all);
    return code;
}

/* --- samples ------------------------------------------------------------------------ */

typedef struct sampling {
    gpusort_sample_options asked;
    gs_sample_result result;
} sampling;

static gs_code sample(void *context, const gs_sort_options *options, gs_status *st)
{
    sampling *const s = context;
    const gpusort_sample_options *const asked = &s->asked;
    const gs_sample_options o = {
        .sort = options,
        .count = asked->records,
        .seed = asked->seed,
        .parts = asked->parts,
        .has_range = asked->has_range != 0,
        .from = asked->range_begin,
        .to = asked->range_end,
    };
    GS_TRY(refuse_function(options, "a sample goes to an output", st));
    if (asked->records == 0 || asked->parts > asked->records)
        return GS_FAIL(st, GS_ERR_ARG, 0, "a sample of %llu records for %llu parts",
                       (unsigned long long)asked->records,
                       (unsigned long long)asked->parts);
    if (asked->parts > GS_PARTS_MAX)
        return GS_FAIL(st, GS_ERR_LIMIT, 0, "more than %d parts", GS_PARTS_MAX);
    return gs_sample_run(&o, &s->result, st);
}

gpusort_code gpusort_sample(const gpusort_sample_options *options, uint64_t *records,
                            uint64_t *seen, gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    sampling s = {.result = {0}};
    gpusort_code code;
    if (gs_api_take_options(&s.asked, sizeof s.asked, options, &st) == GS_OK)
        code = gs_api_files_run(s.asked.sort, sample, &s, error);
    else
        code = gs_api_result(&st, error);
    if (records != NULL)
        *records = s.result.records;
    if (seen != NULL)
        *seen = s.result.seen;
    return code;
}

/* --- partitions --------------------------------------------------------------------- */

typedef struct partition {
    gpusort_partition_options asked;
    const uint64_t *only;
    gpusort_parts *out;
} partition;

static gs_code give(gpusort_parts *out, const gs_partition_result *result, gs_status *st)
{
    GS_TRY(gs_mem_new_array(&out->parts, result->part_count, sizeof *out->parts, "parts",
                            st));
    out->count = result->part_count;
    for (size_t i = 0; i < out->count; i++)
        out->parts[i] = (gpusort_part){.records = result->parts[i].records,
                                       .bytes = result->parts[i].bytes};
    return GS_OK;
}

static gs_code cut(void *context, const gs_sort_options *options, gs_status *st)
{
    partition *const p = context;
    const gpusort_partition_options *const asked = &p->asked;
    gs_partition_result result = {.part_count = 0};
    const gs_partition_options o = {
        .sort = options,
        .is_merge = asked->is_merge != 0,
        .splitters = asked->splitters,
        .has_range = asked->has_range != 0,
        .from = asked->range_begin,
        .to = asked->range_end,
        .is_framed = asked->is_framed != 0,
        .compresses = asked->packs != 0,
        .parts = asked->parts,
    };
    GS_TRY(refuse_function(options, "a partition has outputs", st));
    if (asked->splitters == NULL || (asked->packs && !asked->is_framed))
        return GS_FAIL(st, GS_ERR_ARG, 0,
                       "a partition needs splitters, and packs what it frames");
    if (options->output == NULL && !asked->is_framed)
        return GS_FAIL(st, GS_ERR_ARG, 0, "parts need what their names begin with");
    if (options->count || options->has_top || options->output_zstd || options->checkpoint)
        return GS_FAIL(st, GS_ERR_ARG, 0,
                       "parts have all records, without counts, a checkpoint or packing");
    if (gs_partition_run(&o, &result, st) == GS_OK)
        GS_NOTED(give(p->out, &result, st));
    gs_partition_result_release(&result);
    return st->code;
}

gpusort_code gpusort_partition(const gpusort_partition_options *options,
                               gpusort_parts *out, gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    partition p = {.out = out};
    *out = (gpusort_parts){0};
    return gs_api_take_options(&p.asked, sizeof p.asked, options, &st) == GS_OK
               ? gs_api_files_run(p.asked.sort, cut, &p, error)
               : gs_api_result(&st, error);
}

static gs_code unframe(void *context, const gs_sort_options *options, gs_status *st)
{
    partition *const p = context;
    gs_partition_result result = {.part_count = 0};
    const gs_unframe_options o = {
        .sort = options,
        .has_part = p->only != NULL,
        .part = p->only != NULL ? *p->only : 0,
    };
    GS_TRY(refuse_function(options, "a stream is taken apart to outputs", st));
    if (options->input_count != 1)
        return GS_FAIL(st, GS_ERR_ARG, 0, "one stream is taken apart, and not %zu",
                       options->input_count);
    if (options->output == NULL && p->only == NULL)
        return GS_FAIL(st, GS_ERR_ARG, 0, "parts need what their names begin with");
    if (gs_unframe_run(&o, &result, st) == GS_OK)
        GS_NOTED(give(p->out, &result, st));
    gs_partition_result_release(&result);
    return st->code;
}

gpusort_code gpusort_unframe(const gpusort_sort_options *options, const uint64_t *only,
                             gpusort_parts *out, gpusort_error *error)
{
    partition p = {.only = only, .out = out};
    *out = (gpusort_parts){0};
    return gs_api_files_run(options, unframe, &p, error);
}

void gpusort_parts_free(gpusort_parts *parts)
{
    gs_mem_free(parts->parts);
    *parts = (gpusort_parts){0};
}
