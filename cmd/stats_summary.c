/* SPDX-License-Identifier: MIT */
/*
 * gpusort stats summary: what there is in an unknown file, column by column.
 */
#include <inttypes.h>
#include <math.h>
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
    stats_output output;
    const gs_table_sink *sink;
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
    if (a->separator != NULL || a->is_csv || a->values.is_binary || a->input_count == 0)
        return;
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
        char end[16];
        (void)snprintf(end, sizeof end, ".csv%s", packed[i]);
        a->is_csv |= ends_with(a->inputs[0], end);
        (void)snprintf(end, sizeof end, ".tsv%s", packed[i]);
        if (ends_with(a->inputs[0], end))
            a->separator = "\t";
    }
    a->values.has_header |= a->separator != NULL && !a->has_no_header;
}

static void parse(summary_request *r, int argc, char **argv)
{
    stats_args *const a = &r->args;
    const gs_opt options[] = {
        {0, "eps", STATS_OPT_SHARE(&a->eps)},
        {0, "top", GS_OPT_COUNT(&r->top)},
        {0, "histogram", GS_OPT_FLAG(&r->has_histogram)},
        STATS_INPUT_OPTIONS(a),
        STATS_WORK_OPTIONS(a),
    };
    gs_opt_parse(argc, argv, usage_text, GS_COUNTED(options));
    if (a->has_type && !a->values.is_binary)
        gs_die_usage("a summary is of text, in which numbers are seen: --type=%s is of "
                     "--binary",
                     gs_number_type_name(a->values.type));
    read_names_of_files(a);
    stats_args_settle_texts(a);
    stats_check_eps(a);
    a->values.is_text = a->values.is_record = true;
    r->output = stats_args_output(a);
    r->has_histogram |= !a->as_json && isatty(STDOUT_FILENO);
}

/* --- a column ----------------------------------------------------------------------- */

typedef struct column_view {
    const summary_request *request;
    const gs_column_facts *facts;
    const uint8_t *name;
    size_t name_bytes;
} column_view;

/* The beginning of a line, or of a member of the column's object. */
static void begin_answer(const column_view *v, const char *what)
{
    if (v->request->args.as_json) {
        printf(", \"%s\": ", what);
        return;
    }
    stats_output_text(&v->request->output, v->name, v->name_bytes);
    printf("\t%s\t", what);
}

static void end_answer(const column_view *v)
{
    if (!v->request->args.as_json)
        putchar('\n');
}

static void print_count(const column_view *v, const char *what, uint64_t count)
{
    if (count == 0 && !v->request->args.as_json)
        return;
    begin_answer(v, what);
    printf("%" PRIu64, count);
    end_answer(v);
}

static void print_key(const column_view *v, const char *what, uint64_t key)
{
    begin_answer(v, what);
    stats_output_number(&v->request->output, GS_NUMBER_F64, key);
    end_answer(v);
}

static void print_text(const column_view *v, const char *what, const gs_kept_text *text)
{
    begin_answer(v, what);
    stats_output_text(&v->request->output, text->data, text->bytes);
    end_answer(v);
}

static void print_distinct(const column_view *v)
{
    bool is_exact;
    const uint64_t distinct = gs_column_facts_distinct(v->facts, &is_exact);
    const double error = is_exact ? 0 : GS_DISTINCT_ERROR;
    begin_answer(v, "distinct");
    printf("%" PRIu64, distinct);
    if (v->request->args.as_json)
        printf(", \"distinct_error\": %g", error);
    else if (!is_exact)
        printf("\t+- %.1f %%", 100 * error);
    end_answer(v);
}

static void print_quantiles(const column_view *v)
{
    const bool as_json = v->request->args.as_json;
    const gs_rank_summary *const ranks = &v->facts->ranks;
    if (as_json)
        begin_answer(v, "quantiles");
    for (size_t i = 0; i < PHIS; i++) {
        const uint64_t rank = gs_rank_of_share(phis[i], ranks->values);
        if (as_json) {
            printf("%s{\"phi\": %g, \"value\": ", i > 0 ? ", " : "[", phis[i]);
        } else {
            begin_answer(v, "quantile");
            printf("%g\t", phis[i]);
        }
        stats_output_number(&v->request->output, GS_NUMBER_F64,
                            gs_rank_summary_at(ranks, rank)->key);
        putchar(as_json ? '}' : '\n');
    }
    if (as_json)
        putchar(']');
}

/* Values that came more often than any count may be low: the others might be any. */
static void print_top(const column_view *v)
{
    const bool as_json = v->request->args.as_json;
    const gs_text_counts *const counts = &v->facts->counts;
    if (as_json) {
        printf(", \"top_error\": %" PRIu64, counts->lost);
        begin_answer(v, "top");
        putchar('[');
    }
    for (size_t i = 0; i < counts->count && i < v->request->top; i++) {
        const uint64_t count = counts->entries[i].count;
        if (count <= counts->lost || count < 2)
            break;
        if (as_json)
            printf("%s{\"value\": ", i > 0 ? ", " : "");
        else
            begin_answer(v, "top");
        stats_output_text(&v->request->output, gs_text_counts_text(counts, i),
                          counts->entries[i].bytes);
        printf(as_json ? ", \"count\": %" PRIu64 "}" : "\t%" PRIu64 "\n", count);
    }
    if (as_json)
        putchar(']');
}

/* Where bins end, from the least number to the most: of one width; or, where half of all
 * would be in the first of them, each as many times as large as the one before, from the
 * first percent on. False: they cannot be told apart. */
static bool set_bins(const gs_column_facts *f, double ends[BINS + 1])
{
    const gs_rank_summary *const ranks = &f->ranks;
    const double least = gs_number_as_double(GS_NUMBER_F64, f->least_key);
    const double most = gs_number_as_double(GS_NUMBER_F64, f->most_key);
    const double width = (most - least) / BINS;
    if (!isfinite(least) || !isfinite(most) || !isfinite(width) || !(width > 0))
        return false;
    for (int i = 0; i <= BINS; i++)
        ends[i] = least + width * i;
    const uint64_t middle =
        gs_rank_summary_at(ranks, gs_rank_of_share(0.5, ranks->values))->key;
    if (least < 0 || gs_number_as_double(GS_NUMBER_F64, middle) >= ends[1])
        return true;
    const gs_rank_entry *first =
        gs_rank_summary_at(ranks, gs_rank_of_share(0.01, ranks->values));
    while (first + 1 < ranks->entries + ranks->count &&
           !(gs_number_as_double(GS_NUMBER_F64, first->key) > 0))
        first++;
    const double from = gs_number_as_double(GS_NUMBER_F64, first->key);
    for (int i = 1; from < most / BINS && i < BINS; i++)
        ends[i] = pow(from, 1 - (double)i / BINS) * pow(most, (double)i / BINS);
    return true;
}

/* How many numbers are in each, by what is known of the ranks. */
static void count_bins(const gs_rank_summary *ranks, const double ends[BINS + 1],
                       uint64_t counts[BINS])
{
    uint64_t before = 0;
    for (int i = 0; i < BINS; i++) {
        uint64_t low, high;
        gs_rank_summary_bounds(ranks, gs_number_of_double(ends[i + 1]), &low, &high);
        const uint64_t up_to = i + 1 == BINS ? ranks->values : low + (high - low) / 2;
        counts[i] = up_to > before ? up_to - before : 0;
        before = up_to > before ? up_to : before;
    }
}

static void print_histogram(const column_view *v)
{
    double ends[BINS + 1];
    uint64_t counts[BINS], highest = 1;
    if (!set_bins(v->facts, ends))
        return;
    count_bins(&v->facts->ranks, ends, counts);
    for (int i = 0; i < BINS; i++)
        highest = counts[i] > highest ? counts[i] : highest;
    for (int i = 0; i < BINS; i++) {
        char bar[BAR_WIDTH + 1];
        const size_t length =
            (size_t)((double)counts[i] * BAR_WIDTH / (double)highest + 0.5);
        memset(bar, '#', length);
        bar[length] = '\0';
        begin_answer(v, "histogram");
        printf("%.6g .. %.6g\t%" PRIu64 "\t%s", ends[i], ends[i + 1], counts[i], bar);
        end_answer(v);
    }
}

static void print_column(const column_view *v)
{
    const gs_column_facts *const f = v->facts;
    uint64_t values = 0;
    for (int i = GS_KIND_EMPTY + 1; i < GS_KIND_COUNT; i++)
        values += f->kinds[i];
    if (v->request->args.as_json) {
        fputs("{\"column\": ", stdout);
        stats_output_text(&v->request->output, v->name, v->name_bytes);
    }
    begin_answer(v, "values");
    printf("%" PRIu64, values);
    end_answer(v);
    for (int i = 0; i < GS_KIND_COUNT; i++)
        print_count(v, gs_value_kind_name((gs_value_kind)i), f->kinds[i]);
    print_count(v, "missing", f->missing);
    print_distinct(v);
    if (gs_column_numbers(f) > 0) {
        print_key(v, "min", f->least_key);
        print_key(v, "max", f->most_key);
        print_quantiles(v);
    }
    if (f->least.is_there) {
        print_text(v, "first", &f->least);
        print_text(v, "last", &f->most);
    }
    print_top(v);
    if (v->request->has_histogram && gs_column_numbers(f) > 0)
        print_histogram(v);
    if (v->request->args.as_json)
        putchar('}');
}

/* --- all ---------------------------------------------------------------------------- */

/* Is it the column that was asked for, if one was? */
static bool is_wanted(const summary_request *r, const column_view *v, size_t column)
{
    const gs_column *const only = &r->args.values.columns[0];
    if (r->args.column == NULL)
        return true;
    if (only->name != NULL)
        return strlen(only->name) == v->name_bytes &&
               memcmp(only->name, v->name, v->name_bytes) == 0;
    return only->field == column + 1;
}

static gs_code print_report(void *context, const gs_table_facts *all, bool is_end,
                            gs_status *st)
{
    summary_request *const r = context;
    const bool as_json = r->args.as_json;
    size_t told = 0;
    if (!stats_output_begin(&r->output, all->records, is_end))
        return GS_OK;
    if (as_json)
        printf(", \"eps\": %g, \"with_more_fields\": %" PRIu64 ", \"columns\": [",
               all->column_count > 0 ? all->eps : r->args.eps, all->with_more);
    for (size_t i = 0; i < all->column_count; i++) {
        char number[NAME_BYTES];
        column_view v = {.request = r, .facts = &all->columns[i]};
        v.name_bytes = (size_t)snprintf(number, sizeof number, "%zu", i + 1);
        v.name = (const uint8_t *)number;
        if (all->names != NULL) {
            v.name = all->names[i].data;
            v.name_bytes = all->names[i].bytes;
        }
        if (!is_wanted(r, &v, i))
            continue;
        if (told++ > 0 && as_json)
            fputs(", ", stdout);
        print_column(&v);
    }
    if (as_json)
        putchar(']');
    else if (all->with_more > 0)
        printf("*\tmore fields\t%" PRIu64 "\n", all->with_more);
    return stats_output_end(&r->output, st);
}

static gs_code work(void *request, const stats_workplace *w,
                    gs_value_stream_counts *counts, gs_status *st)
{
    summary_request *const r = request;
    const gs_value_options *const v = &r->args.values;
    gs_table_sink sink = {.format = v->format,
                          .is_split = v->format.has_separator || r->args.column != NULL,
                          .has_header = v->has_header,
                          .eps = r->args.eps,
                          .memory_bytes = w->memory_bytes / 2,
                          .sorter = w->sorter,
                          .report = print_report,
                          .report_context = r};
    const gs_value_stream_options options =
        stats_stream_options(&r->args, w, GS_WINDOW_TEXTS);
    const gs_value_sink as_sink = gs_table_sink_as_sink(&sink);
    GS_NOTED(gs_value_stream_run(&options, &as_sink, counts, st));
    gs_table_sink_release(&sink);
    return st->code;
}

int gs_stats_summary_command(int argc, char **argv)
{
    summary_request r = {.args = stats_args_default(), .top = 5};
    parse(&r, argc, argv);
    return stats_command_run(&r.args, work, &r);
}
