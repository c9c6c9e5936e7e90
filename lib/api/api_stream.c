/* SPDX-License-Identifier: MIT */
#include "lib/api/api_stream.h"

#include <math.h>

#include "lib/api/api_call.h"
#include "lib/api/stream_values.h"
#include "lib/base/assertion.h"
#include "lib/base/share.h"

/* --- reports ------------------------------------------------------------------------ */

/* What is known of so many values is told; `summary` has the rest. */
static gs_code tell(gs_api_stream *s, gpusort_summary_info info, bool is_end,
                    gs_status *st)
{
    const gpusort_stream_options *const o = &s->asked;
    info.statistic = o->statistic;
    info.values = o->values;
    info.is_end = is_end;
    info.has_ranks = o->has_ranks;
    if (o->statistic != GPUSORT_COLUMNS)
        info.columns = 1;
    s->summary.info = info;
    if (o->report == NULL || s->is_asked || o->report(o->job.context, &s->summary) == 0)
        return GS_OK;
    gs_api_job_stop(&s->job);
    return GS_FAIL(st, GS_ERR_CANCELLED, 0, "cancelled");
}

static gpusort_summary *begin_summary(gs_api_stream *s)
{
    gs_api_summary_release(&s->summary);
    s->summary = (gpusort_summary){
        .type = s->options.values.type,
        .is_of_all = s->asked.window == 0 && s->asked.window_seconds <= 0,
        .counters = (size_t)ceil(1 / s->asked.eps),
    };
    return &s->summary;
}

static gs_code tell_ranks(void *context, const gs_rank_summary *all, bool is_end,
                          gs_status *st)
{
    gs_api_stream *const s = context;
    const gs_rank_histogram *const h = &s->as.ranks.histogram;
    const size_t most =
        gs_rank_histogram_entries_max(h->eps, h->window_values, all->values);
    begin_summary(s)->ranks = &s->as.ranks.all;
    return tell(s,
                (gpusort_summary_info){.eps = s->asked.eps,
                                       .seen = all->values,
                                       .in_window = all->values,
                                       .held_bytes = gs_rank_histogram_entries(h) *
                                                     sizeof(gs_rank_entry),
                                       .held_bytes_max = most * sizeof(gs_rank_entry)},
                is_end, st);
}

static gs_code tell_exact(void *context, gs_exact_sink *all, bool is_end, gs_status *st)
{
    gs_api_stream *const s = context;
    gpusort_summary *const summary = begin_summary(s);
    summary->exact = all;
    summary->is_of_all = false;
    return tell(
        s,
        (gpusort_summary_info){.seen = all->values,
                               .in_window = all->values,
                               .held_bytes = gs_key_runs_held_bytes(&all->runs),
                               .spilled_bytes = gs_key_runs_spilled_bytes(&all->runs)},
        is_end, st);
}

static gs_code tell_counts(void *context, const gs_frequent *all, bool is_end,
                           gs_status *st)
{
    gs_api_stream *const s = context;
    gpusort_summary *const summary = begin_summary(s);
    summary->is_ranked = true;
    if (all->texts != NULL)
        summary->texts = &s->as.counts.other_texts;
    else
        summary->numbers = &s->as.counts.other_numbers;
    return tell(s,
                (gpusort_summary_info){.eps = s->asked.eps,
                                       .seen = all->values,
                                       .in_window = all->in_window,
                                       .held_bytes = all->bytes},
                is_end, st);
}

static gs_code tell_prefixes(void *context, const gs_known_prefixes *all, bool is_end,
                             gs_status *st)
{
    gs_api_stream *const s = context;
    begin_summary(s)->prefixes = *all;
    return tell(s,
                (gpusort_summary_info){.eps = s->asked.eps,
                                       .seen = all->values,
                                       .in_window = all->values,
                                       .held_bytes = all->bytes},
                is_end, st);
}

static gs_code tell_sums(void *context, const gs_pair_facts *all, bool is_end,
                         gs_status *st)
{
    gs_api_stream *const s = context;
    begin_summary(s)->pairs = all;
    return tell(s,
                (gpusort_summary_info){.eps = s->asked.eps,
                                       .seen = all->values,
                                       .in_window = all->values,
                                       .held_bytes = gs_pair_sink_bytes(&s->as.pairs)},
                is_end, st);
}

static gs_code tell_columns(void *context, const gs_table_facts *all, bool is_end,
                            gs_status *st)
{
    gs_api_stream *const s = context;
    gpusort_summary *const summary = begin_summary(s);
    summary->table = *all;
    summary->is_of_all = false;
    return tell(
        s,
        (gpusort_summary_info){.eps = all->column_count > 0 ? all->eps : s->asked.eps,
                               .seen = all->records,
                               .in_window = all->records,
                               .columns = all->column_count,
                               .with_more = all->with_more},
        is_end, st);
}

static gs_sliding_kind kind_of(const gs_api_stream *s)
{
    switch (s->asked.statistic) {
    case GPUSORT_QUANTILES: return GS_SLIDING_RANKS;
    case GPUSORT_SUMS:
        return s->asked.has_ranks ? GS_SLIDING_SUMS_AND_RANKS : GS_SLIDING_SUMS;
    case GPUSORT_FREQUENT:
        return s->options.values.is_text ? GS_SLIDING_TEXTS : GS_SLIDING_NUMBERS;
    case GPUSORT_PREFIXES:
    case GPUSORT_COLUMNS: break; /* have no window, says stream_values.c */
    }
    gs_assert_failed("a statistic of a window", __FILE__, __LINE__);
}

/* Of the last values: the blocks of both sinks are of one kind. */
static gs_code tell_window(void *context, const gs_sliding_all *all, bool is_end,
                           gs_status *st)
{
    gs_api_stream *const s = context;
    gs_sliding_block *const covered =
        s->asked.window > 0 ? &s->as.sliding.covered : &s->as.of_time.covered;
    gpusort_summary *const summary = begin_summary(s);
    gpusort_summary_info info = {.eps = s->asked.eps,
                                 .seen = all->values,
                                 .in_window = all->in_window,
                                 .held_bytes = all->bytes};
    summary->uncovered = all->uncovered;
    summary->window_error = all->window_error;
    summary->is_ranked = true;
    switch (kind_of(s)) {
    case GS_SLIDING_RANKS: summary->ranks = &covered->ranks; break;
    case GS_SLIDING_NUMBERS: summary->numbers = &covered->numbers; break;
    case GS_SLIDING_TEXTS: summary->texts = &covered->texts; break;
    case GS_SLIDING_SUMS:
    case GS_SLIDING_SUMS_AND_RANKS:
        summary->pairs = &covered->pairs;
        info.in_window = covered->pairs.values;
        break;
    }
    return tell(s, info, is_end, st);
}

/* --- sinks -------------------------------------------------------------------------- */

static void release_sliding(gs_api_stream *s)
{
    gs_sliding_sink_release(&s->as.sliding);
}

static void release_of_time(gs_api_stream *s)
{
    gs_time_sink_release(&s->as.of_time);
}

static gs_code open_window(gs_api_stream *s, gs_status *st)
{
    s->options.text_bytes_max = GS_WINDOW_TEXT_BYTES_MAX;
    if (s->asked.window > 0) {
        gs_sliding_sink *const sink = &s->as.sliding;
        *sink = (gs_sliding_sink){.kind = kind_of(s),
                                  .type = s->options.values.type,
                                  .eps = s->asked.eps,
                                  .window = s->asked.window,
                                  .memory_bytes = s->memory_bytes / 2,
                                  .report = tell_window,
                                  .report_context = s};
        s->release_sink = release_sliding;
        s->sink = gs_sliding_sink_as_sink(sink);
        GS_TRY(gs_sliding_sink_init(sink, st));
        s->options.window_values = sink->block_values;
        return GS_OK;
    }
    gs_time_sink *const sink = &s->as.of_time;
    *sink = (gs_time_sink){.kind = kind_of(s),
                           .eps = s->asked.eps,
                           .seconds = s->asked.window_seconds,
                           .memory_bytes = s->memory_bytes / 2,
                           .report = tell_window,
                           .report_context = s};
    s->release_sink = release_of_time;
    s->sink = gs_time_sink_as_sink(sink);
    GS_TRY(gs_time_sink_init(sink, st));
    s->options.window_values = sink->block_values;
    return GS_OK;
}

static void release_exact(gs_api_stream *s)
{
    gs_exact_sink_release(&s->as.exact);
}

/* Windows take no more than a half of the memory; runs have what they leave. */
static gs_code open_exact(gs_api_stream *s, gs_status *st)
{
    gs_exact_sink *const sink = &s->as.exact;
    gs_value_stream_options *const o = &s->options;
    *sink = (gs_exact_sink){.report = tell_exact, .report_context = s};
    o->window_values =
        gs_exact_window_values(s->memory_bytes, gs_tuple_sorter_uses_gpu(s->sorter));
    const size_t windows_bytes =
        (gs_team_workers(s->team) + 1) * 2 * o->window_values * sizeof(uint64_t);
    if (windows_bytes < o->memory_bytes)
        o->memory_bytes = windows_bytes;
    s->release_sink = release_exact;
    s->sink = gs_exact_sink_as_sink(sink);
    return gs_exact_sink_init(sink, o->window_values, s->memory_bytes - o->memory_bytes,
                              s->asked.job.temp_folders, s->asked.job.temp_folder_count,
                              st);
}

static void release_ranks(gs_api_stream *s)
{
    gs_rank_sink_release(&s->as.ranks);
}

static gs_code open_ranks(gs_api_stream *s)
{
    gs_rank_sink *const sink = &s->as.ranks;
    gs_rank_sink_init(sink, s->asked.eps, s->memory_bytes / 2, tell_ranks, s);
    s->options.window_values = sink->histogram.window_values;
    s->release_sink = release_ranks;
    s->sink = gs_rank_sink_as_sink(sink);
    return GS_OK;
}

static void release_counts(gs_api_stream *s)
{
    gs_count_sink_release(&s->as.counts);
}

static gs_code open_counts(gs_api_stream *s)
{
    gs_count_sink *const sink = &s->as.counts;
    *sink = (gs_count_sink){.is_text = s->options.values.is_text,
                            .counters = (size_t)ceil(1 / s->asked.eps),
                            .memory_bytes = s->memory_bytes / 2,
                            .report = tell_counts,
                            .report_context = s};
    s->options.window_values =
        sink->is_text ? (size_t)GS_WINDOW_TEXTS
                      : gs_count_window_values(sink->counters, sink->memory_bytes);
    s->release_sink = release_counts;
    s->sink = gs_count_sink_as_sink(sink);
    return GS_OK;
}

static void release_prefixes(gs_api_stream *s)
{
    gs_prefix_sink_release(&s->as.prefixes);
}

static gs_code open_prefixes(gs_api_stream *s)
{
    const gs_hierarchy by = {(gs_hierarchy_kind)s->asked.hierarchy,
                             s->asked.hierarchy == GPUSORT_BY_IP ? s->asked.step : 0};
    gs_prefix_sink *const sink = &s->as.prefixes;
    *sink = (gs_prefix_sink){.counts = {.by = by},
                             .counters = (size_t)ceil(1 / s->asked.eps),
                             .memory_bytes = s->memory_bytes / 2,
                             .report = tell_prefixes,
                             .report_context = s};
    s->options.window_values = GS_WINDOW_TEXTS;
    s->release_sink = release_prefixes;
    s->sink = gs_prefix_sink_as_sink(sink);
    return GS_OK;
}

static void release_pairs(gs_api_stream *s)
{
    gs_pair_sink_release(&s->as.pairs);
}

static gs_code open_pairs(gs_api_stream *s)
{
    gs_pair_sink *const sink = &s->as.pairs;
    *sink = (gs_pair_sink){.type = s->options.values.type,
                           .eps = s->asked.eps,
                           .has_ranks = s->asked.has_ranks != 0,
                           .memory_bytes = s->memory_bytes / 2,
                           .report = tell_sums,
                           .report_context = s};
    s->options.window_values =
        gs_rank_window_values(s->asked.eps, sink->memory_bytes / 2);
    gs_pair_sink_init(sink, s->options.window_values);
    s->release_sink = release_pairs;
    s->sink = gs_pair_sink_as_sink(sink);
    return GS_OK;
}

static void release_table(gs_api_stream *s)
{
    gs_table_sink_release(&s->as.table);
}

static gs_code open_table(gs_api_stream *s)
{
    const gpusort_field *const value = &s->asked.value;
    const gs_column_format format = s->options.values.format;
    gs_table_sink *const sink = &s->as.table;
    *sink = (gs_table_sink){.format = format,
                            .is_split = format.has_separator || value->name != NULL ||
                                        value->number > 0,
                            .has_header = s->options.values.has_header,
                            .eps = s->asked.eps,
                            .memory_bytes = s->memory_bytes / 2,
                            .sorter = s->sorter,
                            .report = tell_columns,
                            .report_context = s};
    s->options.window_values = GS_WINDOW_TEXTS;
    s->release_sink = release_table;
    s->sink = gs_table_sink_as_sink(sink);
    return GS_OK;
}

static gs_code open_sink(gs_api_stream *s, gs_status *st)
{
    if (s->asked.window > 0 || s->asked.window_seconds > 0)
        return open_window(s, st);
    switch (s->asked.statistic) {
    case GPUSORT_QUANTILES: return s->asked.is_exact ? open_exact(s, st) : open_ranks(s);
    case GPUSORT_FREQUENT: return open_counts(s);
    case GPUSORT_PREFIXES: return open_prefixes(s);
    case GPUSORT_SUMS: return open_pairs(s);
    case GPUSORT_COLUMNS: break;
    }
    return open_table(s);
}

/* --- all ---------------------------------------------------------------------------- */

/* Threads, what sorts windows, and how much memory these leave. */
static gs_code open_workplace(gs_api_stream *s, gs_status *st)
{
    enum { OTHERS = 16 << 20, LEAST = 4 << 20 };
    const gpusort_job *const job = &s->asked.job;
    const size_t usable = gs_machine_memory_share(job->memory_bytes).usable_bytes;
    /* A worker has a block, the values in it and what it has of its own. */
    const size_t worker_bytes = 6 * (size_t)GS_STREAM_BLOCK_BYTES;
    size_t workers = gs_share_workers(job->threads);
    const size_t left = usable > OTHERS ? usable - OTHERS : 0;
    if (workers > left / 2 / worker_bytes)
        workers = left / 2 / worker_bytes;
    if (workers == 0)
        workers = 1;
    const size_t taken = workers * worker_bytes;
    s->memory_bytes = left > taken + LEAST ? left - taken : LEAST;
    const gs_tuple_sorter_options sorter = {.engine = job->engine != NULL ? job->engine
                                                                          : "auto",
                                            .gpu_memory_bytes = job->gpu_memory_bytes,
                                            .gpus = job->gpus,
                                            .gpu_count = job->gpu_count};
    GS_TRY(gs_team_new(&s->team, (unsigned)workers, st));
    GS_TRY(gs_tuple_sorter_new(&s->sorter, &sorter, &s->job.log, st));
    gs_log_say(&s->job.log, GS_LOG_INFO, "%zu threads; windows are sorted by %s", workers,
               gs_tuple_sorter_name(s->sorter));
    return GS_OK;
}

static void set_options(gs_api_stream *s)
{
    const gpusort_stream_options *const o = &s->asked;
    s->options.input = (gs_stream_input_options){
        .stop = o->stop, .cancel = &s->job.cancel, .log = &s->job.log};
    s->options.times = (gs_report_times){
        .every_values = o->every_values, .every_ns = o->every_ns, .asked = o->asked};
    /* What is made of texts takes several times as much. */
    s->options.text_bytes_max =
        gs_clamp(gs_power_below(s->memory_bytes / 64), 64 << 10, GS_WINDOW_TEXT_BYTES);
    s->options.memory_bytes = s->memory_bytes / 2;
    s->options.sorter = s->sorter;
    s->options.team = s->team;
}

gs_code gs_api_stream_open(gs_api_stream *s, const gpusort_stream_options *options,
                           gs_status *st)
{
    *s = (gs_api_stream){.is_open = false};
    GS_TRY(gs_api_take_options(&s->asked, sizeof s->asked, options, st));
    GS_TRY(gs_stream_values_take(&s->options.values, &s->asked, st));
    GS_TRY(gs_api_job_open(&s->job, &s->asked.job, st));
    s->is_open = true;
    GS_TRY(open_workplace(s, st));
    set_options(s);
    return open_sink(s, st);
}

void gs_api_stream_close(gs_api_stream *s)
{
    gs_api_summary_release(&s->summary);
    if (s->release_sink != NULL)
        s->release_sink(s);
    gs_tuple_sorter_free(s->sorter);
    gs_team_free(s->team);
    if (s->is_open)
        gs_api_job_close(&s->job);
}
