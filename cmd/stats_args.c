/* SPDX-License-Identifier: MIT */
#include "cmd/stats_args.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/report.h"
#include "cmd/size_arg.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"

static const char *const standard_input[] = {"-"};

/* --- options ------------------------------------------------------------------------ */

static const gs_word types[] = {{"f64", GPUSORT_VALUES_F64},
                                {"i64", GPUSORT_VALUES_I64},
                                {"u64", GPUSORT_VALUES_U64},
                                {"u32", GPUSORT_VALUES_U32},
                                {"text", GPUSORT_VALUES_TEXT}};

const char *stats_type_name(gpusort_values type)
{
    switch (type) { /* a new one is a word above, in the order of these */
    case GPUSORT_VALUES_F64:
    case GPUSORT_VALUES_I64:
    case GPUSORT_VALUES_U64:
    case GPUSORT_VALUES_U32:
    case GPUSORT_VALUES_TEXT: break;
    }
    return types[type].name;
}

void stats_take_type(void *to, gs_opt_scan *scan)
{
    stats_args *const args = to;
    const gpusort_values type = (gpusort_values)gs_word_arg(scan, GS_COUNTED(types));
    args->is_text = type == GPUSORT_VALUES_TEXT;
    args->has_type = !args->is_text;
    if (args->has_type)
        args->type = type;
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
    gpusort_stream_options *const o = &((stats_args *)to)->stream;
    const double seconds = take_time(scan);
    o->every_ns = (uint64_t)(seconds * 1e9);
    o->every_values = seconds > 0 ? 0 : gs_size_arg_count(scan, 1);
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
    return (stats_args){.stream = GPUSORT_STREAM_OPTIONS, .eps = 0.001, .engine = "auto"};
}

static void take_separator(stats_args *a)
{
    const char *const text = a->separator;
    a->stream.is_csv = a->is_csv;
    if (text == NULL)
        return;
    gs_quoted q;
    const bool is_tab = strcmp(text, "\\t") == 0;
    if (!is_tab && strlen(text) != 1)
        gs_die_usage("-t takes one byte, not %s", gs_quote_argument(&q, text));
    a->stream.delimiter = is_tab ? '\t' : (uint8_t)*text;
    if (a->stream.delimiter == '\n' || (a->is_csv && a->stream.delimiter == '"'))
        gs_die_usage("%s cannot stand between fields", gs_quote_argument(&q, text));
}

static void take_column(gpusort_field *field, const char *text, stats_args *a)
{
    char *end = NULL;
    gs_quoted q;
    *field = (gpusort_field){0};
    if (text == NULL)
        return;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    const bool is_number = *text >= '0' && *text <= '9' && *end == '\0';
    if (is_number && (number == 0 || errno != 0))
        gs_die_usage("fields are counted from 1, not %s", gs_quote_argument(&q, text));
    if (is_number) {
        field->number = (size_t)number;
    } else {
        field->name = text;
        a->has_header = true;
    }
}

static void settle(stats_args *a)
{
    const bool has_options = a->column || a->separator || a->is_csv || a->has_header;
    take_separator(a);
    take_column(&a->stream.value, a->column, a);
    if (a->has_second)
        take_column(&a->stream.second, a->second_column, a);
    if (a->has_no_header && a->has_header)
        gs_die_usage("--no-header: the header was asked for, by --header or a name");
    a->has_header |= a->is_csv && !a->has_no_header;
    if (a->is_binary && (has_options || a->has_no_header))
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
    if (a->is_binary ? has_column : !has_column || a->column == NULL)
        gs_die_usage("a --window of a time needs %s",
                     a->is_binary ? "pairs of value and time: no --time-column"
                                  : "-k and --time-column");
    a->has_second = true;
}

void stats_args_settle(stats_args *a)
{
    if (a->is_text)
        gs_die_usage("--type=text: these are numbers");
    settle(a);
}

void stats_args_settle_texts(stats_args *a)
{
    if (a->is_binary && a->is_text)
        gs_die_usage("--binary has no texts");
    a->is_text = !a->has_type && !a->is_binary;
    settle(a);
}

void stats_check_save_name(const char *name)
{
    if (name != NULL && strcmp(name, "-") == 0)
        gs_die_usage("--save is a file of its own: answers go to standard output");
}

void stats_check_save(const stats_args *a)
{
    stats_check_save_name(a->save);
    if (a->save != NULL && (a->window > 0 || a->window_seconds > 0))
        gs_die_usage("--save is of all values: no --window");
}

void stats_check_eps(const stats_args *a)
{
    if (a->eps < GPUSORT_EPS_MIN || a->eps > GPUSORT_EPS_MAX)
        gs_die_usage("--eps is from %g to %g", GPUSORT_EPS_MIN, GPUSORT_EPS_MAX);
}

void stats_settle_support(stats_args *a, double support)
{
    if (a->eps < 0 && support < 10 * GPUSORT_EPS_MIN)
        gs_die_usage("--support is from %g to 1, or give --eps too",
                     10 * GPUSORT_EPS_MIN);
    if (a->eps < 0)
        a->eps = support / 10;
    stats_check_eps(a);
    if (support < a->eps)
        gs_die_usage("--support=%g is less than --eps=%g", support, a->eps);
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

/* --- the stream --------------------------------------------------------------------- */

typedef struct stats_run {
    const stats_args *args;
    stats_report_fn *report;
    void *request;
    gs_status st; /* of the report that failed */
} stats_run;

static void say(void *context, gpusort_level level, const char *text)
{
    const stats_run *const run = context;
    if (run->args->is_verbose || level <= GPUSORT_SAYS_WARNING)
        gs_report(0, "%s", text);
}

static int tell(void *context, gpusort_summary *summary)
{
    stats_run *const run = context;
    return run->report(run->request, summary, &run->st) != GS_OK;
}

static gpusort_stream_options stream_options(const stats_args *a, stats_run *run)
{
    gpusort_stream_options o = a->stream;
    o.job.memory_bytes = a->memory_bytes;
    o.job.threads = a->threads;
    o.job.engine = a->engine;
    o.job.gpu_memory_bytes = a->gpu_memory_bytes;
    o.job.gpus = a->gpus;
    o.job.gpu_count = (unsigned)a->gpu_count;
    o.job.log = say;
    o.job.context = run;
    o.inputs = a->inputs;
    o.input_count = a->input_count;
    o.stop = &stop_asked;
    o.values = a->is_text ? GPUSORT_VALUES_TEXT : a->type;
    o.is_binary = a->is_binary;
    o.has_header = a->has_header;
    o.skips_bad = a->skips_bad;
    o.eps = a->eps;
    o.window = a->window;
    o.window_seconds = a->window_seconds;
    o.asked = &reports_asked;
    o.report = tell;
    return o;
}

gs_code stats_save(const stats_args *args, gpusort_summary *summary, gs_status *st)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_summary_info info = {.size = sizeof info};
    if (args->save == NULL)
        return GS_OK;
    gpusort_summary_describe(summary, &info);
    return !info.is_end || gpusort_summary_save(summary, args->save, &error) == GPUSORT_OK
               ? GS_OK
               : gs_status_of_error(st, &error);
}

int stats_command_run(stats_args *args, stats_report_fn *report, void *request)
{
    stats_run run = {.args = args, .report = report, .request = request};
    gpusort_error error = GPUSORT_NO_ERROR;
    uint64_t bad = 0;
    const gpusort_stream_options options = stream_options(args, &run);
    args->output.has_groups = options.every_values > 0 || options.every_ns > 0;
    install_signals();
    const gpusort_code code = gpusort_stream_run(&options, &bad, &error);
    release(args);
    if (run.st.code != GS_OK)
        return gs_report_failure(&run.st);
    if (code != GPUSORT_OK)
        return gs_report_error(&error);
    if (bad > 0)
        gs_report(0, "%" PRIu64 " bad value%s left out", bad,
                  bad == 1 ? " was" : "s were");
    return gs_stdout_close(GS_EXIT_GOOD);
}
