/* SPDX-License-Identifier: MIT */
#include "cmd/stats_args.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/report.h"
#include "cmd/size_arg.h"
#include "lib/base/machine.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"
#include "lib/base/share.h"

static const char *const standard_input[] = {"-"};

/* --- options ------------------------------------------------------------------------ */

void stats_take_type(void *to, gs_opt_scan *scan)
{
    stats_args *const args = to;
    gs_word words[GS_NUMBER_TYPE_COUNT + 1];
    for (int i = 0; i < GS_NUMBER_TYPE_COUNT; i++)
        words[i] = (gs_word){gs_number_type_name((gs_number_type)i), i};
    words[GS_NUMBER_TYPE_COUNT] = (gs_word){"text", GS_NUMBER_TYPE_COUNT};
    const int type = gs_word_arg(scan, GS_COUNTED(words));
    args->values.is_text = type == GS_NUMBER_TYPE_COUNT;
    args->has_type = !args->values.is_text;
    if (args->has_type)
        args->values.type = (gs_number_type)type;
}

/* Seconds, of a number with the unit s, m, h or d behind it; 0: there is no such unit. */
static double take_time(gs_opt_scan *scan)
{
    static const char units[] = "smhd";
    static const double seconds[] = {1, 60, 3600, 86400};
    const size_t length = strlen(scan->argument);
    const char *const unit =
        length > 0 ? strchr(units, scan->argument[length - 1]) : NULL;
    char *end = NULL;
    if (unit == NULL)
        return 0;
    const double time = strtod(scan->argument, &end) * seconds[unit - units];
    if (end + 1 != scan->argument + length || !(time >= 0.01) || time > 1e9)
        gs_number_die(scan, GS_NUMBER_INVALID);
    return time;
}

void stats_take_every(void *to, gs_opt_scan *scan)
{
    gs_report_times *const times = to;
    const double seconds = take_time(scan);
    times->every_ns = (uint64_t)(seconds * 1e9);
    times->every_values = seconds > 0 ? 0 : gs_size_arg_count(scan, 1);
}

void stats_take_window(void *to, gs_opt_scan *scan)
{
    stats_args *const args = to;
    args->window_seconds = take_time(scan);
    args->window = args->window_seconds > 0 ? 0 : gs_size_arg_count(scan, 1);
}

void stats_take_share(void *to, gs_opt_scan *scan)
{
    char *end = NULL;
    const double share = strtod(scan->argument, &end);
    if (end == scan->argument || *end != '\0' || !(share >= 0 && share <= 1)) {
        gs_quoted q;
        gs_die_usage("--%s is a number from 0 to 1, not %s", scan->current->name,
                     gs_quote_argument(&q, scan->argument));
    }
    *(double *)to = share;
}

stats_args stats_args_default(void)
{
    return (stats_args){.eps = 0.001, .engine = "auto", .values = {.column_count = 1}};
}

static void take_separator(stats_args *a)
{
    gs_column_format *const f = &a->values.format;
    const char *const text = a->separator;
    f->is_csv = a->is_csv;
    f->has_separator = a->is_csv || text != NULL;
    f->separator = ',';
    if (text == NULL)
        return;
    gs_quoted q;
    const bool is_tab = strcmp(text, "\\t") == 0;
    if (!is_tab && strlen(text) != 1)
        gs_die_usage("-t takes one byte, not %s", gs_quote_argument(&q, text));
    f->separator = is_tab ? '\t' : (uint8_t)*text;
    if (f->separator == '\n' || (f->is_csv && f->separator == '"'))
        gs_die_usage("%s cannot stand between fields", gs_quote_argument(&q, text));
}

static void take_column(gs_column *column, const char *text, gs_value_options *values)
{
    char *end = NULL;
    gs_quoted q;
    *column = (gs_column){0};
    if (text == NULL)
        return;
    errno = 0;
    const unsigned long long field = strtoull(text, &end, 10);
    const bool is_number = *text >= '0' && *text <= '9' && *end == '\0';
    if (is_number && (field == 0 || errno != 0))
        gs_die_usage("fields are counted from 1, not %s", gs_quote_argument(&q, text));
    if (is_number) {
        column->field = (size_t)field;
    } else {
        column->name = text;
        values->has_header = true;
    }
}

static void settle(stats_args *a)
{
    gs_value_options *const v = &a->values;
    const bool has_options = a->column || a->separator || a->is_csv || v->has_header;
    take_separator(a);
    take_column(&v->columns[0], a->column, v);
    if (v->column_count > 1)
        take_column(&v->columns[1], a->second_column, v);
    if (a->has_no_header && v->has_header)
        gs_die_usage("--no-header: the header was asked for, by --header or a name");
    v->has_header |= a->is_csv && !a->has_no_header;
    if (v->is_binary && (has_options || a->has_no_header))
        gs_die_usage("--binary has no lines: neither -t nor -k, --header nor --csv");
    if (a->input_count == 0)
        a->inputs = gs_args_grow(NULL, 0, sizeof *a->inputs),
        a->inputs[a->input_count++] = standard_input[0];
}

void stats_settle_times(stats_args *a)
{
    const bool has_column = a->second_column != NULL;
    if (a->window_seconds <= 0 && has_column)
        gs_die_usage("--time-column is for a --window of a time: 10m");
    if (a->window_seconds <= 0)
        return;
    if (a->values.is_binary ? has_column : !has_column || a->column == NULL)
        gs_die_usage("a --window of a time needs %s",
                     a->values.is_binary ? "pairs of value and time: no --time-column"
                                         : "-k and --time-column");
    a->values.column_count = 2;
    a->values.has_times = true;
}

void stats_args_settle(stats_args *a)
{
    if (a->values.is_text)
        gs_die_usage("--type=text: these are numbers");
    settle(a);
}

void stats_args_settle_texts(stats_args *a)
{
    if (a->values.is_binary && a->values.is_text)
        gs_die_usage("--binary has no texts");
    a->values.is_text = !a->has_type && !a->values.is_binary;
    settle(a);
}

void stats_check_save(const stats_args *a)
{
    if (a->save != NULL && (a->window > 0 || a->window_seconds > 0))
        gs_die_usage("--save is of all values: no --window");
}

void stats_check_eps(const stats_args *a)
{
    if (a->eps < GS_EPS_MIN || a->eps > GS_EPS_MAX)
        gs_die_usage("--eps is from %g to %g", GS_EPS_MIN, GS_EPS_MAX);
}

void stats_settle_support(stats_args *a, double support)
{
    if (a->eps < 0 && support < 10 * GS_EPS_MIN)
        gs_die_usage("--support is from %g to 1, or give --eps too", 10 * GS_EPS_MIN);
    if (a->eps < 0)
        a->eps = support / 10;
    stats_check_eps(a);
    if (support < a->eps)
        gs_die_usage("--support=%g is less than --eps=%g", support, a->eps);
}

stats_output stats_args_output(const stats_args *a)
{
    return (stats_output){.as_json = a->as_json,
                          .has_groups =
                              a->times.every_values > 0 || a->times.every_ns > 0};
}

static void release(stats_args *a)
{
    gs_mem_free(a->inputs);
    gs_mem_free(a->gpus);
    a->inputs = NULL;
    a->gpus = NULL;
}

/* --- signals ------------------------------------------------------------------------ */

static volatile int reports_asked, stop_asked;

static void on_report(int number)
{
    (void)number;
    reports_asked = reports_asked + 1;
}

static void on_stop(int number)
{
    stop_asked = number;
}

static void handle(int number, void (*handler)(int), int flags)
{
    struct sigaction action;
    if (sigaction(number, NULL, &action) != 0 || action.sa_handler == SIG_IGN)
        return;
    action = (struct sigaction){.sa_handler = handler, .sa_flags = flags};
    (void)sigaction(number, &action, NULL);
}

static void install_signals(void)
{
    handle(SIGUSR1, on_report, SA_RESTART);
    handle(SIGINT, on_stop, SA_RESTART | (int)SA_RESETHAND);
}

/* --- the workplace ------------------------------------------------------------------ */

static void say(void *context, gs_log_level level, const char *text)
{
    const stats_args *const args = context;
    if (args->is_verbose || level <= GS_LOG_WARNING)
        gs_report(0, "%s", text);
}

static gs_code open_workplace(stats_workplace *w, stats_args *args, gs_status *st)
{
    enum { OTHERS = 16 << 20, LEAST = 4 << 20 };
    *w = (stats_workplace){.log = {.fn = say, .context = args}};
    const size_t usable = gs_machine_memory_share(args->memory_bytes).usable_bytes;
    /* A worker has a block, the values in it and what it has of its own. */
    const size_t worker_bytes = 6 * (size_t)GS_STREAM_BLOCK_BYTES;
    size_t workers = gs_share_workers(args->threads);
    const size_t left = usable > OTHERS ? usable - OTHERS : 0;
    if (workers > left / 2 / worker_bytes)
        workers = left / 2 / worker_bytes;
    if (workers == 0)
        workers = 1;
    const size_t taken = workers * worker_bytes;
    w->memory_bytes = left > taken + LEAST ? left - taken : LEAST;
    const gs_tuple_sorter_options sorter = {.engine = args->engine,
                                            .gpu_memory_bytes = args->gpu_memory_bytes,
                                            .gpus = args->gpus,
                                            .gpu_count = args->gpu_count};
    GS_TRY(gs_team_new(&w->team, (unsigned)workers, st));
    GS_TRY(gs_tuple_sorter_new(&w->sorter, &sorter, &w->log, st));
    gs_log_say(&w->log, GS_LOG_INFO, "%zu threads; windows are sorted by %s", workers,
               gs_tuple_sorter_name(w->sorter));
    return GS_OK;
}

static void close_workplace(stats_workplace *w)
{
    gs_tuple_sorter_free(w->sorter);
    gs_team_free(w->team);
    *w = (stats_workplace){0};
}

gs_value_stream_options stats_stream_options(const stats_args *args,
                                             const stats_workplace *w,
                                             size_t window_values)
{
    install_signals();
    gs_value_stream_options o = {
        .input = {.names = args->inputs,
                  .name_count = args->input_count,
                  .stop = &stop_asked,
                  .log = &w->log},
        .values = args->values,
        .times = args->times,
        .window_values = window_values,
        /* What is made of texts takes several times as much. */
        .text_bytes_max = gs_clamp(gs_power_below(w->memory_bytes / 64), 64 << 10,
                                   GS_WINDOW_TEXT_BYTES),
        .memory_bytes = w->memory_bytes / 2,
        .sorter = w->sorter,
        .team = w->team,
    };
    o.times.asked = &reports_asked;
    return o;
}

gs_code stats_run_sliding(gs_sliding_kind kind, const stats_args *args,
                          const stats_workplace *w, gs_sliding_report_fn *report,
                          void *context, gs_value_stream_counts *counts, gs_status *st)
{
    gs_sliding_sink sink = {.kind = kind,
                            .type = args->values.type,
                            .eps = args->eps,
                            .window = args->window,
                            .memory_bytes = w->memory_bytes / 2,
                            .report = report,
                            .report_context = context};
    const gs_value_sink as_sink = gs_sliding_sink_as_sink(&sink);
    if (gs_sliding_sink_init(&sink, st) == GS_OK) {
        gs_value_stream_options options =
            stats_stream_options(args, w, sink.block_values);
        options.text_bytes_max = GS_WINDOW_TEXT_BYTES_MAX;
        GS_NOTED(gs_value_stream_run(&options, &as_sink, counts, st));
    }
    gs_sliding_sink_release(&sink);
    return st->code;
}

gs_code stats_run_of_time(gs_sliding_kind kind, const stats_args *args,
                          const stats_workplace *w, gs_sliding_report_fn *report,
                          void *context, gs_value_stream_counts *counts, gs_status *st)
{
    gs_time_sink sink = {.kind = kind,
                         .eps = args->eps,
                         .seconds = args->window_seconds,
                         .memory_bytes = w->memory_bytes / 2,
                         .report = report,
                         .report_context = context};
    const gs_value_sink as_sink = gs_time_sink_as_sink(&sink);
    if (gs_time_sink_init(&sink, st) == GS_OK) {
        gs_value_stream_options options =
            stats_stream_options(args, w, sink.block_values);
        options.text_bytes_max = GS_WINDOW_TEXT_BYTES_MAX;
        GS_NOTED(gs_value_stream_run(&options, &as_sink, counts, st));
    }
    gs_time_sink_release(&sink);
    return st->code;
}

gs_code stats_save(const stats_args *args, gs_saved_summary *s, gs_status *st)
{
    if (args->save == NULL)
        return GS_OK;
    s->eps = args->eps;
    s->type = args->values.type;
    return gs_saved_summary_write(s, args->save, st);
}

int stats_command_run(stats_args *args, stats_work_fn *work, void *request)
{
    gs_status st = {.code = GS_OK};
    stats_workplace w = {0};
    gs_value_stream_counts counts = {0};
    if (open_workplace(&w, args, &st) == GS_OK)
        GS_NOTED(work(request, &w, &counts, &st));
    close_workplace(&w);
    release(args);
    if (st.code != GS_OK)
        return gs_report_failure(&st);
    if (counts.bad > 0)
        gs_report(0, "%" PRIu64 " bad value%s left out", counts.bad,
                  counts.bad == 1 ? " was" : "s were");
    return gs_stdout_close(GS_EXIT_GOOD);
}
