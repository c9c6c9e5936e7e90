/* SPDX-License-Identifier: MIT */
/*
 * gpusort stats merge: answers from saved summaries of several streams, as of one.
 */
#include <string.h>

#include "cmd/commands.h"
#include "cmd/corrsum_answer.h"
#include "cmd/freq_answer.h"
#include "cmd/hhh_answer.h"
#include "cmd/quantile_answer.h"
#include "cmd/report.h"
#include "cmd/stats_args.h"
#include "lib/base/assertion.h"
#include "lib/base/mem.h"

static const char usage_text[] =
    "Usage: gpusort stats merge [OPTION]... FILE...\n"
    "Answers of all streams together whose summaries `stats quantile', `freq', `hhh' or\n"
    "`corrsum' saved with --save, all of one kind: as that command would of all values,\n"
    "with the largest error of the files. A file of - is standard input.\n\n"
    "      --phi=LIST           quantiles (default: 0.5,0.9,0.99); of sums the first\n"
    "      --support=S          frequent, heavy: share of all (default: 0.01, or the "
    "error)\n"
    "      --top=K              frequent: no more than the first K\n"
    "      --agg=FIGURE         sums: avg (default), min, max, or quantile if saved so\n"
    "      --times=F            (default: 1)\n"
    "      --plus=C             (default: 0)\n"
    "      --save=FILE          keep what is known of all\n"
    "      --json               a JSON object\n"
    "  -S, --buffer-size=SIZE   at most so much memory\n"
    "  -h, --help               this text\n"
    "      --version            show the version and stop\n";

/* Options of some kinds, which refuse_others knows, and of all. */
enum { OPTIONS_OF_A_KIND = 6, OPTIONS_OF_ALL = 4 };

typedef struct merge_request {
    quantile_ask quantiles;
    freq_ask frequent;
    corrsum_ask sums;
    hhh_ask heavy;
    double support; /* below 0: not asked for */
    stats_output output;
    const char *save;
    size_t memory_bytes;
    const char **files;
    size_t file_count;
} merge_request;

static void parse(merge_request *r, int argc, char **argv)
{
    const gs_opt options[] = {
        {0, "phi", GS_OPT_TEXT(&r->quantiles.phi_text)},
        {0, "support", STATS_OPT_SHARE(&r->support)},
        {0, "top", GS_OPT_COUNT(&r->frequent.top)},
        CORRSUM_OPTIONS(&r->sums),
        {0, "save", GS_OPT_TEXT(&r->save)},
        STATS_OUTPUT_OPTIONS(&r->output),
        {'S', "buffer-size", GS_OPT_MEMORY(&r->memory_bytes)},
        {0, NULL, GS_OPT_OPERANDS(&r->files, &r->file_count)},
    };
    _Static_assert(sizeof options / sizeof *options == OPTIONS_OF_A_KIND + OPTIONS_OF_ALL,
                   "refuse_others says of which kind a new option is");
    gs_opt_parse(argc, argv, usage_text, GS_COUNTED(options));
    if (r->file_count == 0)
        gs_die_usage("which summaries?");
    stats_check_save_name(r->save);
    quantile_ask_take(&r->quantiles);
    r->sums.phi = r->quantiles.phis[0];
}

static gpusort_code read_all(const merge_request *r, gpusort_summary **all,
                             gpusort_error *error)
{
    gpusort_code code = gpusort_summary_load(all, r->files[0], r->memory_bytes, error);
    for (size_t i = 1; i < r->file_count && code == GPUSORT_OK; i++) {
        gpusort_summary *one;
        code = gpusort_summary_load(&one, r->files[i], r->memory_bytes, error);
        if (code == GPUSORT_OK)
            code = gpusort_summary_merge(*all, one, error);
        gpusort_summary_free(one);
    }
    return code;
}

/* Of those that are frequent the error must leave some. */
static gs_code settle_support(merge_request *r, double eps, gs_status *st)
{
    if (r->support < 0)
        r->support = eps > FREQ_SUPPORT ? eps : FREQ_SUPPORT;
    return r->support >= eps
               ? GS_OK
               : GS_FAIL(st, GS_ERR_ARG, 0, "--support=%g is less than the error, %g",
                         r->support, eps);
}

static gs_code print_heavy(merge_request *r, gpusort_summary *all, double eps,
                           gs_status *st)
{
    GS_TRY(settle_support(r, eps, st));
    r->heavy.support = r->support;
    return hhh_print(&r->heavy, &r->output, all, st);
}

static gs_code print_frequent(merge_request *r, gpusort_summary *all, double eps,
                              gs_status *st)
{
    GS_TRY(settle_support(r, eps, st));
    r->frequent.support = r->support;
    return freq_print(&r->frequent, &r->output, all, st);
}

/* What an answer of this kind does not look at would be believed to have counted. */
static gs_code refuse_others(const merge_request *r, gpusort_statistic kind,
                             gs_status *st)
{
    const bool is_count = kind == GPUSORT_FREQUENT;
    const bool is_sum = kind == GPUSORT_SUMS;
    const struct {
        const char *name;
        bool is_given, is_fit;
    } options[] = {
        {"phi", strcmp(r->quantiles.phi_text, QUANTILE_PHIS) != 0,
         is_sum || kind == GPUSORT_QUANTILES},
        {"support", r->support >= 0, is_count || kind == GPUSORT_PREFIXES},
        {"top", r->frequent.top > 0, is_count},
        {"agg", r->sums.agg != GPUSORT_AVERAGE, is_sum},
        {"times", r->sums.times != 1, is_sum},
        {"plus", r->sums.plus != 0, is_sum},
    };
    _Static_assert(sizeof options / sizeof *options == OPTIONS_OF_A_KIND,
                   "one for each option of some kinds");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (options[i].is_given && !options[i].is_fit)
            return GS_FAIL(st, GS_ERR_ARG, 0, "--%s is not for summaries of this kind",
                           options[i].name);
    }
    return GS_OK;
}

static gs_code print_all(merge_request *r, gpusort_summary *all, gs_status *st)
{
    gpusort_summary_info info = {.size = sizeof info};
    gpusort_summary_describe(all, &info);
    GS_TRY(refuse_others(r, info.statistic, st));
    switch (info.statistic) {
    case GPUSORT_QUANTILES: return quantile_print(&r->quantiles, &r->output, all, st);
    case GPUSORT_FREQUENT: return print_frequent(r, all, info.eps, st);
    case GPUSORT_SUMS: return corrsum_print(&r->sums, &r->output, all, st);
    case GPUSORT_PREFIXES: return print_heavy(r, all, info.eps, st);
    case GPUSORT_COLUMNS: break;
    }
    gs_assert_failed("a kind of summary", __FILE__, __LINE__);
}

static int merge(merge_request *r)
{
    gs_status st = {.code = GS_OK};
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_summary *all = NULL;
    gpusort_code code = read_all(r, &all, &error);
    if (code == GPUSORT_OK && print_all(r, all, &st) == GS_OK && r->save != NULL)
        code = gpusort_summary_save(all, r->save, &error);
    gpusort_summary_free(all);
    if (st.code != GS_OK)
        return gs_report_failure(&st);
    return code != GPUSORT_OK ? gs_report_error(&error) : gs_stdout_close(GS_EXIT_GOOD);
}

int gs_stats_merge_command(int argc, char **argv)
{
    merge_request r = {
        .quantiles = {.phi_text = QUANTILE_PHIS}, .support = -1, .sums = {.times = 1}};
    parse(&r, argc, argv);
    const int exit_code = merge(&r);
    quantile_ask_release(&r.quantiles);
    gs_mem_free(r.files);
    return exit_code;
}
