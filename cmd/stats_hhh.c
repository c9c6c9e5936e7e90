/* SPDX-License-Identifier: MIT */
/*
 * gpusort stats hhh: hierarchical heavy hitters, prefixes that many values have.
 */
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

static const gs_word hierarchies[] = {{"dots", GPUSORT_BY_DOTS},
                                      {"slash", GPUSORT_BY_SLASH},
                                      {"domain", GPUSORT_BY_DOMAIN},
                                      {"ip", GPUSORT_BY_IP}};

typedef struct hhh_request {
    stats_args args;
    gpusort_hierarchy kind;
    size_t step;
    hhh_ask ask;
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
        STATS_OUTPUT_OPTIONS(&a->output),
        STATS_WORK_OPTIONS(a),
    };
    a->eps = -1;
    gs_opt_parse(argc, argv, usage_text, GS_COUNTED(options));
    if (a->has_type || a->is_binary)
        gs_die_usage("prefixes are of text: neither --type=%s nor --binary",
                     stats_type_name(a->type));
    if (a->window > 0 || a->window_seconds > 0)
        gs_die_usage("prefixes are of all values: each of up to %d levels would need a "
                     "--window of its own",
                     GPUSORT_LEVELS_MAX);
    stats_args_settle_texts(a);
    stats_settle_support(a, r->ask.support);
    if (r->step < GPUSORT_STEP_MIN || r->step > GPUSORT_STEP_MAX)
        gs_die_usage("--step is from %d to %d", GPUSORT_STEP_MIN, GPUSORT_STEP_MAX);
    stats_check_save_name(a->save);
    a->stream.statistic = GPUSORT_PREFIXES;
    a->stream.hierarchy = r->kind;
    a->stream.step = (unsigned)r->step;
}

static gs_code print_report(void *request, gpusort_summary *summary, gs_status *st)
{
    hhh_request *const r = request;
    GS_TRY(hhh_print(&r->ask, &r->args.output, summary, st));
    return stats_save(&r->args, summary, st);
}

int gs_stats_hhh_command(int argc, char **argv)
{
    hhh_request r = {
        .args = stats_args_default(), .ask.support = FREQ_SUPPORT, .step = 8};
    parse(&r, argc, argv);
    return stats_command_run(&r.args, print_report, &r);
}
