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
#include "lib/base/machine.h"
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

typedef struct merge_request {
    quantile_ask quantiles;
    freq_ask frequent;
    corrsum_ask sums;
    double support; /* below 0: not asked for */
    bool as_json;
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
        {0, "json", GS_OPT_FLAG(&r->as_json)},
        {'S', "buffer-size", GS_OPT_MEMORY(&r->memory_bytes)},
        {0, NULL, GS_OPT_OPERANDS(&r->files, &r->file_count)},
    };
    gs_opt_parse(argc, argv, usage_text, GS_COUNTED(options));
    if (r->file_count == 0)
        gs_die_usage("which summaries?");
    quantile_ask_take(&r->quantiles);
    r->sums.phi = r->quantiles.phis[0];
    r->quantiles.output.as_json = r->frequent.output.as_json = r->sums.output.as_json =
        r->as_json;
}

/* Of the memory a file may have an eighth: its bytes, what they say, and what that makes
 * together with others, are there at once. */
static gs_code read_all(const merge_request *r, gs_saved_summary *all, gs_status *st)
{
    const size_t usable = gs_machine_memory_share(r->memory_bytes).usable_bytes;
    GS_TRY(gs_saved_summary_read(all, r->files[0], usable / 8, st));
    for (size_t i = 1; i < r->file_count && st->code == GS_OK; i++) {
        gs_saved_summary one;
        if (gs_saved_summary_read(&one, r->files[i], usable / 8, st) == GS_OK)
            GS_NOTED(gs_saved_summary_merge(all, &one, r->files[i], st));
        gs_saved_summary_release(&one);
        if (st->code == GS_OK && gs_saved_summary_bytes(all) > usable / 4) {
            (void)GS_FAIL(st, GS_ERR_LIMIT, 0, "these summaries take more than %zu bytes",
                          usable / 4);
            return gs_status_hint(st, "give more memory with -S");
        }
    }
    return st->code;
}

static gs_code print_sums(merge_request *r, const gs_saved_summary *all, gs_status *st)
{
    if (r->sums.agg == AGG_QUANTILE && !all->has_ranks) {
        (void)GS_FAIL(st, GS_ERR_ARG, 0, "no quantile of x was saved");
        return gs_status_hint(st, "save with --agg=quantile");
    }
    r->sums.type = all->type;
    r->sums.eps = all->eps;
    return corrsum_print(&r->sums, &all->pairs, all->values, gs_saved_summary_bytes(all),
                         true, st);
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

static gs_code print_heavy(merge_request *r, const gs_saved_summary *all, gs_status *st)
{
    gs_heavy_finder finder = {.capacity = 0};
    gs_heavy_prefixes heavy = {.values = all->values,
                               .bytes = gs_saved_summary_bytes(all)};
    hhh_ask ask = {.eps = all->eps, .output.as_json = r->as_json};
    GS_TRY(settle_support(r, all->eps, st));
    ask.support = r->support;
    if (gs_heavy_find(&finder, &all->prefixes, NULL, r->support * (double)all->values,
                      &heavy, st) == GS_OK)
        GS_NOTED(hhh_print(&ask, &heavy, true, st));
    gs_heavy_finder_release(&finder);
    return st->code;
}

static gs_code print_frequent(merge_request *r, gs_saved_summary *all, gs_status *st)
{
    const bool is_text = all->kind == GS_SAVED_TEXTS;
    gs_frequent f = {.values = all->values,
                     .in_window = all->values,
                     .bytes = gs_saved_summary_bytes(all)};
    GS_TRY(settle_support(r, all->eps, st));
    r->frequent.support = r->support;
    if (is_text) {
        gs_text_counts_rank(&all->texts);
        f.texts = &all->texts;
        f.lost = all->texts.lost;
    } else {
        gs_count_summary_rank(&all->numbers);
        f.numbers = &all->numbers;
        f.lost = all->numbers.lost;
    }
    r->frequent.type = all->type;
    r->frequent.eps = all->eps;
    return freq_print(&r->frequent, &f, true, st);
}

static gs_code print_quantiles(merge_request *r, gs_saved_summary *all, gs_status *st)
{
    const quantile_view v = {.all = &all->ranks,
                             .values = all->values,
                             .in_window = all->values,
                             .bytes = gs_saved_summary_bytes(all)};
    r->quantiles.type = all->type;
    r->quantiles.eps = all->eps;
    return quantile_print(&r->quantiles, &v, true, st);
}

/* What an answer of this kind does not look at would be believed to have counted. */
static gs_code refuse_others(const merge_request *r, gs_saved_kind kind, gs_status *st)
{
    const bool is_count = kind == GS_SAVED_NUMBERS || kind == GS_SAVED_TEXTS;
    const bool is_sum = kind == GS_SAVED_SUMS;
    const struct {
        const char *name;
        bool is_given, is_fit;
    } options[] = {
        {"phi", strcmp(r->quantiles.phi_text, QUANTILE_PHIS) != 0,
         is_sum || kind == GS_SAVED_QUANTILES},
        {"support", r->support >= 0, is_count || kind == GS_SAVED_PREFIXES},
        {"top", r->frequent.top > 0, is_count},
        {"agg", r->sums.agg != AGG_AVG, is_sum},
        {"times", r->sums.times != 1, is_sum},
        {"plus", r->sums.plus != 0, is_sum},
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (options[i].is_given && !options[i].is_fit)
            return GS_FAIL(st, GS_ERR_ARG, 0, "--%s is not for summaries of this kind",
                           options[i].name);
    }
    return GS_OK;
}

static gs_code print_all(merge_request *r, gs_saved_summary *all, gs_status *st)
{
    switch (all->kind) {
    case GS_SAVED_QUANTILES: return print_quantiles(r, all, st);
    case GS_SAVED_NUMBERS:
    case GS_SAVED_TEXTS: return print_frequent(r, all, st);
    case GS_SAVED_SUMS: return print_sums(r, all, st);
    case GS_SAVED_PREFIXES: return print_heavy(r, all, st);
    case GS_SAVED_KINDS: break;
    }
    gs_assert_failed("a kind of summary", __FILE__, __LINE__);
}

int gs_stats_merge_command(int argc, char **argv)
{
    merge_request r = {
        .quantiles = {.phi_text = QUANTILE_PHIS}, .support = -1, .sums = {.times = 1}};
    gs_status st = {.code = GS_OK};
    gs_saved_summary all = {.values = 0};
    parse(&r, argc, argv);
    if (read_all(&r, &all, &st) == GS_OK && refuse_others(&r, all.kind, &st) == GS_OK &&
        print_all(&r, &all, &st) == GS_OK && r.save != NULL)
        GS_NOTED(gs_saved_summary_write(&all, r.save, &st));
    gs_saved_summary_release(&all);
    quantile_ask_release(&r.quantiles);
    gs_mem_free(r.files);
    return st.code != GS_OK ? gs_report_failure(&st) : gs_stdout_close(GS_EXIT_GOOD);
}
