/* SPDX-License-Identifier: MIT */
/*
 * gpusort stats summary: what there is in an unknown file, column by column.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "cmd/report.h"
#include "cmd/stats_args.h"

enum { BINS = 10, BAR_WIDTH = 40, NAME_BYTES = 24 };

static const char usage_text[] =
    "Usage: gpusort stats summary [OPTION]... [FILE]...\n"
    "Tells what there is in a file, in one pass and in bounded memory. For each column:\n"
    "how many values of which kind, how many differ, the least and the most, quantiles,\n"
    "the most frequent, and on a terminal a histogram. Files called *.csv and *.tsv "
    "have\n"
    "columns and a header, others have what is said here, or are lines.\n\n"
    "      --eps=E              error of quantiles, a share of N (default: 0.001)\n"
    "      --top=K              so many frequent values (default: 5)\n"
    "      --histogram          a histogram wherever the output goes\n"
    "Which values:\n" STATS_COLUMN_USAGE
    "                           (here: tell of that column alone)\n"
    "      --type=TYPE          of --binary: f64 (default), i64, u64, "
    "u32\n" STATS_BINARY_USAGE STATS_WORK_USAGE;

typedef struct summary_request {
    stats_args args;
    size_t top;
    bool has_histogram;
} summary_request;

static const double phis[] = {0.01, 0.25, 0.5, 0.75, 0.99};
enum { PHIS = sizeof phis / sizeof *phis };

static bool ends_with(const char *name, const char *end)
{
    const size_t n = strlen(name), m = strlen(end);
    return n >= m && strcmp(name + n - m, end) == 0;
}

/* A name that ends in .csv or .tsv, packed or not, says how it is to be read. */
static void read_names_of_files(stats_args *a)
{
    static const char *const packed[] = {"", ".gz", ".zst"};
    if (a->separator != NULL || a->is_csv || a->is_binary || a->input_count == 0)
        return;
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
        char end[16];
        (void)snprintf(end, sizeof end, ".csv%s", packed[i]);
        a->is_csv |= ends_with(a->inputs[0], end);
        (void)snprintf(end, sizeof end, ".tsv%s", packed[i]);
        if (ends_with(a->inputs[0], end))
            a->separator = "\t";
    }
    a->has_header |= a->separator != NULL && !a->has_no_header;
}

static void parse(summary_request *r, int argc, char **argv)
{
    stats_args *const a = &r->args;
    const gs_opt options[] = {
        {0, "eps", STATS_OPT_SHARE(&a->eps)},
        {0, "top", GS_OPT_COUNT(&r->top)},
        {0, "histogram", GS_OPT_FLAG(&r->has_histogram)},
        STATS_INPUT_OPTIONS(a),
        STATS_OUTPUT_OPTIONS(&a->output),
        STATS_WORK_OPTIONS(a),
    };
    gs_opt_parse(argc, argv, usage_text, GS_COUNTED(options));
    if (a->has_type && !a->is_binary)
        gs_die_usage("a summary is of text, in which numbers are seen: --type=%s is of "
                     "--binary",
                     stats_type_name(a->type));
    read_names_of_files(a);
    stats_args_settle_texts(a);
    stats_check_eps(a);
    a->is_text = false; /* they are, but for the type of --binary */
    a->stream.statistic = GPUSORT_COLUMNS;
    r->has_histogram |= !a->output.as_json && isatty(STDOUT_FILENO);
}

/* --- a column ----------------------------------------------------------------------- */

typedef struct column_view {
    const summary_request *request;
    gpusort_summary *summary;
    size_t column;
    gpusort_column facts;
    const void *name;
    size_t name_bytes;
} column_view;

/* The beginning of a line, or of a member of the column's object. */
static void begin_answer(const column_view *v, const char *what)
{
    if (v->request->args.output.as_json) {
        printf(", \"%s\": ", what);
        return;
    }
    stats_output_text(&v->request->args.output, v->name, v->name_bytes);
    printf("\t%s\t", what);
}

static void end_answer(const column_view *v)
{
    stats_output_end_line(&v->request->args.output);
}

static void print_count(const column_view *v, const char *what, uint64_t count)
{
    if (count == 0 && !v->request->args.output.as_json)
        return;
    begin_answer(v, what);
    printf("%" PRIu64, count);
    end_answer(v);
}

static void print_value(const column_view *v, const char *what,
                        const gpusort_value *value)
{
    begin_answer(v, what);
    stats_output_value(&v->request->args.output, value);
    end_answer(v);
}

static void print_distinct(const column_view *v)
{
    const double error = v->facts.distinct_error;
    begin_answer(v, "distinct");
    printf("%" PRIu64, v->facts.distinct);
    if (v->request->args.output.as_json)
        printf(", \"distinct_error\": %g", error);
    else if (error > 0)
        printf("\t+- %.1f %%", 100 * error);
    end_answer(v);
}

static gs_code print_quantiles(const column_view *v, gs_status *st)
{
    const bool as_json = v->request->args.output.as_json;
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_value value;
    if (as_json)
        begin_answer(v, "quantiles");
    for (size_t i = 0; i < PHIS; i++) {
        if (gpusort_summary_quantile(v->summary, v->column, phis[i], &value, &error) !=
            GPUSORT_OK)
            return gs_status_of_error(st, &error);
        if (as_json) {
            printf("%s{\"phi\": %g, \"value\": ", i > 0 ? ", " : "[", phis[i]);
        } else {
            begin_answer(v, "quantile");
            printf("%g\t", phis[i]);
        }
        stats_output_number(&v->request->args.output, &value);
        if (as_json)
            putchar('}');
        end_answer(v);
    }
    if (as_json)
        putchar(']');
    return GS_OK;
}

/* Values that came more often than any count may be low: the others might be any. */
static void print_top(const column_view *v)
{
    const bool as_json = v->request->args.output.as_json;
    gpusort_count one;
    if (as_json) {
        printf(", \"top_error\": %" PRIu64, v->facts.top_error);
        begin_answer(v, "top");
        putchar('[');
    }
    for (size_t i = 0; i < v->request->top &&
                       gpusort_summary_frequent(v->summary, v->column, 0, i, &one);
         i++) {
        if (one.count <= v->facts.top_error || one.count < 2)
            break;
        if (as_json)
            printf("%s{\"value\": ", i > 0 ? ", " : "");
        else
            begin_answer(v, "top");
        stats_output_value(&v->request->args.output, &one.value);
        printf(as_json ? ", \"count\": %" PRIu64 "}" : "\t%" PRIu64, one.count);
        end_answer(v);
    }
    if (as_json)
        putchar(']');
}

static void print_bins_as_json(const column_view *v, const gpusort_bin *bins)
{
    begin_answer(v, "histogram");
    for (int i = 0; i < BINS; i++)
        printf("%s{\"begin\": %.15g, \"end\": %.15g, \"count\": %" PRIu64 "}",
               i > 0 ? ", " : "[", bins[i].begin, bins[i].end, bins[i].count);
    putchar(']');
}

static void print_histogram(const column_view *v)
{
    gpusort_bin bins[BINS];
    uint64_t highest = 1;
    if (!gpusort_summary_bins(v->summary, v->column, bins, BINS))
        return;
    if (v->request->args.output.as_json) {
        print_bins_as_json(v, bins);
        return;
    }
    for (int i = 0; i < BINS; i++)
        highest = bins[i].count > highest ? bins[i].count : highest;
    for (int i = 0; i < BINS; i++) {
        const gpusort_bin *const b = &bins[i];
        char bar[BAR_WIDTH + 1];
        const size_t length =
            (size_t)((double)b->count * BAR_WIDTH / (double)highest + 0.5);
        memset(bar, '#', length);
        bar[length] = '\0';
        begin_answer(v, "histogram");
        printf("%.6g .. %.6g\t%" PRIu64 "\t%s", b->begin, b->end, b->count, bar);
        end_answer(v);
    }
}

static void print_kinds(const column_view *v)
{
    const gpusort_column *const f = &v->facts;
    begin_answer(v, "values");
    printf("%" PRIu64, f->integers + f->decimals + f->dates + f->texts);
    end_answer(v);
    print_count(v, "empty", f->empty);
    print_count(v, "integer", f->integers);
    print_count(v, "decimal", f->decimals);
    print_count(v, "date", f->dates);
    print_count(v, "text", f->texts);
    print_count(v, "missing", f->missing);
}

static gs_code print_column(const column_view *v, gs_status *st)
{
    const gpusort_column *const f = &v->facts;
    if (v->request->args.output.as_json) {
        fputs("{\"column\": ", stdout);
        stats_output_text(&v->request->args.output, v->name, v->name_bytes);
    }
    print_kinds(v);
    print_distinct(v);
    if (f->has_numbers) {
        print_value(v, "min", &f->least);
        print_value(v, "max", &f->most);
        GS_TRY(print_quantiles(v, st));
    }
    if (f->has_texts) {
        print_value(v, "first", &f->first);
        print_value(v, "last", &f->last);
    }
    print_top(v);
    if (v->request->has_histogram && f->has_numbers)
        print_histogram(v);
    if (v->request->args.output.as_json)
        putchar('}');
    return GS_OK;
}

/* --- all ---------------------------------------------------------------------------- */

/* Is it the column that was asked for, if one was? */
static bool is_wanted(const summary_request *r, const column_view *v)
{
    const gpusort_field *const only = &r->args.stream.value;
    if (r->args.column == NULL)
        return true;
    if (only->name != NULL)
        return strlen(only->name) == v->name_bytes &&
               memcmp(only->name, v->name, v->name_bytes) == 0;
    return only->number == v->column + 1;
}

static gs_code print_report(void *request, gpusort_summary *summary, gs_status *st)
{
    summary_request *const r = request;
    const bool as_json = r->args.output.as_json;
    gpusort_summary_info all = {.size = sizeof all};
    size_t told = 0;
    gpusort_summary_describe(summary, &all);
    if (!stats_output_begin(&r->args.output, all.seen, all.is_end))
        return GS_OK;
    if (as_json)
        printf(", \"eps\": %g, \"with_more_fields\": %" PRIu64 ", \"columns\": [",
               all.eps, all.with_more);
    for (size_t i = 0; i < all.columns; i++) {
        char number[NAME_BYTES];
        column_view v = {.request = r,
                         .summary = summary,
                         .column = i,
                         .facts = {.size = sizeof v.facts}};
        (void)gpusort_summary_column(summary, i, &v.facts);
        v.name = v.facts.name;
        v.name_bytes = v.facts.name_bytes;
        if (v.name == NULL) {
            v.name_bytes = (size_t)snprintf(number, sizeof number, "%zu", i + 1);
            v.name = number;
        }
        if (!is_wanted(r, &v))
            continue;
        if (told++ > 0 && as_json)
            fputs(", ", stdout);
        GS_TRY(print_column(&v, st));
    }
    if (as_json) {
        putchar(']');
    } else if (all.with_more > 0) {
        printf("*\tmore fields\t%" PRIu64, all.with_more);
        stats_output_end_line(&r->args.output);
    }
    return stats_output_end(&r->args.output, st);
}

int gs_stats_summary_command(int argc, char **argv)
{
    summary_request r = {.args = stats_args_default(), .top = 5};
    parse(&r, argc, argv);
    return stats_command_run(&r.args, print_report, &r);
}
