/* SPDX-License-Identifier: MIT */
/*
 * gpusort stats hhh: hierarchical heavy hitters, prefixes that many values have.
 */
#include <math.h>

#include "cmd/commands.h"
#include "cmd/freq_answer.h"
#include "cmd/hhh_answer.h"
#include "cmd/report.h"
#include "cmd/stats_args.h"

static const char usage_text[] =
    "Usage: gpusort stats hhh [OPTION]... [FILE]...\n"
    "Prints the prefixes that many values have, in one pass and in bounded memory: a\n"
    "line of PREFIX TAB COUNT TAB REST for each, the most frequent first. REST is the\n"
    "count without the prefixes below it that are printed too. Of N values all prefixes\n"
    "of S * N or more are there, none of less than (S - eps) * N; a count is never "
    "high,\n"
    "and low by at most eps * N. Of all values: there is no --window.\n\n"
    "      --by=HIERARCHY       dots (default): a.b.c is below a.b; slash; domain: by\n"
    "                           dots from the right; ip: IPv4 and IPv6 addresses\n"
    "      --step=BITS          between prefixes of addresses, 4 to 32 (default: 8)\n"
    "      --support=S          share of the values (default: 0.01)\n"
    "      --eps=E              error, a share of N (default: a tenth of "
    "S)\n" STATS_SAVE_USAGE
    "Which values (a line, unless said otherwise):\n" STATS_COLUMN_USAGE
    "      --type=TYPE          text\n" STATS_BINARY_USAGE STATS_WORK_USAGE;

static const gs_word hierarchies[] = {{"dots", GS_BY_DOTS},
                                      {"slash", GS_BY_SLASH},
                                      {"domain", GS_BY_DOMAIN},
                                      {"ip", GS_BY_IP}};

typedef struct hhh_request {
    stats_args args;
    gs_hierarchy_kind kind;
    size_t step;
    hhh_ask ask;
    const gs_prefix_sink *sink;
} hhh_request;

static void parse(hhh_request *r, int argc, char **argv)
{
    stats_args *const a = &r->args;
    const gs_opt options[] = {
        {0, "by", GS_OPT_WORD(&r->kind, hierarchies)},
        {0, "step", GS_OPT_COUNT(&r->step)},
        {0, "support", STATS_OPT_SHARE(&r->ask.support)},
        {0, "eps", STATS_OPT_SHARE(&a->eps)},
        {0, "window", STATS_OPT_WINDOW(a)},
        {0, "save", GS_OPT_TEXT(&a->save)},
        STATS_INPUT_OPTIONS(a),
        STATS_WORK_OPTIONS(a),
    };
    a->eps = -1;
    gs_opt_parse(argc, argv, usage_text, GS_COUNTED(options));
    if (a->has_type || a->values.is_binary)
        gs_die_usage("prefixes are of text: neither --type=%s nor --binary",
                     gs_number_type_name(a->values.type));
    if (a->window > 0 || a->window_seconds > 0)
        gs_die_usage("prefixes are of all values: each of up to %d levels would need a "
                     "--window of its own",
                     GS_PREFIX_LEVELS_MAX);
    stats_args_settle_texts(a);
    stats_settle_support(a, r->ask.support);
    if (r->step < GS_IP_STEP_MIN || r->step > GS_IP_STEP_MAX)
        gs_die_usage("--step is from %d to %d", GS_IP_STEP_MIN, GS_IP_STEP_MAX);
    if (r->kind == GS_BY_IP) {
        a->values.is_good = gs_prefix_is_address;
        a->values.good_name = "address";
    }
    r->ask.eps = a->eps;
    r->ask.output = stats_args_output(a);
}

static gs_code print_report(void *context, const gs_heavy_prefixes *all, bool is_end,
                            gs_status *st)
{
    hhh_request *const r = context;
    GS_TRY(hhh_print(&r->ask, all, is_end, st));
    gs_saved_summary s = {.kind = GS_SAVED_PREFIXES,
                          .values = all->values,
                          .counters = r->sink->counters,
                          .prefixes = r->sink->counts};
    return is_end ? stats_save(&r->args, &s, st) : GS_OK;
}

static gs_code work(void *request, const stats_workplace *w,
                    gs_value_stream_counts *counts, gs_status *st)
{
    hhh_request *const r = request;
    const unsigned step = r->kind == GS_BY_IP ? (unsigned)r->step : 0;
    gs_prefix_sink sink = {.counts = {.by = {r->kind, step}},
                           .support = r->ask.support,
                           .counters = (size_t)ceil(1 / r->args.eps),
                           .memory_bytes = w->memory_bytes / 2,
                           .report = print_report,
                           .report_context = r};
    r->sink = &sink;
    const gs_value_stream_options options =
        stats_stream_options(&r->args, w, GS_WINDOW_TEXTS);
    const gs_value_sink as_sink = gs_prefix_sink_as_sink(&sink);
    GS_NOTED(gs_value_stream_run(&options, &as_sink, counts, st));
    gs_prefix_sink_release(&sink);
    return st->code;
}

int gs_stats_hhh_command(int argc, char **argv)
{
    hhh_request r = {
        .args = stats_args_default(), .ask.support = FREQ_SUPPORT, .step = 8};
    parse(&r, argc, argv);
    return stats_command_run(&r.args, work, &r);
}
