/* SPDX-License-Identifier: MIT */
/*
 * Streams of values as programs ask for them. What would break: values that are put and
 * give other answers than the same in a file, an answer of what a record was cut in, a
 * summary that changes when it is saved or merged, an option that means nothing and is
 * taken, a failure that is forgotten.
 */
#define CHECK_STARTS_THREADS

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/gpusort.h"
#include "tests/check_api.h"

enum { RECORDS = 60000, TEXT_ROOM = 1 << 21, TOLD_ROOM = 1 << 15 };

static const char *const inputs[] = {"table.csv"}, *const numbers[] = {"numbers"};
static char table[TEXT_ROOM];
static size_t table_bytes;
static double values[2 * RECORDS];

/* Columns: a number, a text with what is between quotes, an address. */
static void make_inputs(void)
{
    uint64_t random = 88172645463325252u;
    table_bytes = (size_t)sprintf(table, "number,text,address\n");
    for (int i = 0; i < RECORDS; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        const unsigned r = (unsigned)(random >> 40);
        values[2 * i] = (double)(r % 10007) / 8;
        values[2 * i + 1] = (double)(r % 101) - 50;
        table_bytes += (size_t)sprintf(table + table_bytes,
                                       r % 9 == 0 ? "%g,\"a, \"\"%u\"\"\nb\",10.%u.%u.1\n"
                                                  : "%g,word%u,10.%u.%u.1\n",
                                       values[2 * i], r % 37 * (r % 5), r % 3, r % 200);
    }
    FILE *f = fopen("table.csv", "w");
    REQUIRE(f != NULL && fwrite(table, 1, table_bytes, f) == table_bytes);
    REQUIRE(fclose(f) == 0);
    f = fopen("numbers", "w");
    REQUIRE(f != NULL && fwrite(values, sizeof *values, 2 * RECORDS, f) == 2 * RECORDS);
    REQUIRE(fclose(f) == 0);
}

/* All statistics, one after the other: the build asks for a new one here, and which of
 * them are of a window too, and can be saved. */
typedef struct what_is {
    bool is_one, has_window, is_saved;
} what_is;

static what_is what_is_of(int i)
{
    switch ((gpusort_statistic)i) {
    case GPUSORT_QUANTILES:
    case GPUSORT_FREQUENT:
    case GPUSORT_SUMS: return (what_is){true, true, true};
    case GPUSORT_PREFIXES: return (what_is){true, false, true};
    case GPUSORT_COLUMNS: return (what_is){true, false, false};
    }
    return (what_is){false, false, false};
}

/* And the number behind them, which is none. */
static int statistic_count(void)
{
    int count = 0;
    while (what_is_of(count).is_one)
        count++;
    return count;
}

/* --- all that a summary says -------------------------------------------------------- */

typedef struct told {
    char text[TOLD_ROOM];
    size_t bytes;
    int reports;
} told;

static void put_value(told *t, const gpusort_value *v)
{
    char number[GPUSORT_NUMBER_BYTES];
    if (v->type == GPUSORT_VALUES_TEXT)
        t->bytes += (size_t)snprintf(t->text + t->bytes, TOLD_ROOM - t->bytes, "%.*s ",
                                     (int)v->bytes, (const char *)v->text);
    else if (gpusort_number_text(v, number) > 0)
        t->bytes +=
            (size_t)snprintf(t->text + t->bytes, TOLD_ROOM - t->bytes, "%s ", number);
    REQUIRE(t->bytes < TOLD_ROOM);
}

static void put_number(told *t, double number)
{
    put_value(t, &(gpusort_value){.type = GPUSORT_VALUES_F64, .f64 = number});
}

static void put_column(told *t, gpusort_summary *s, size_t column)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_column c = {.size = sizeof c};
    gpusort_bin bins[5];
    gpusort_value value;
    gpusort_count one;
    CHECK(gpusort_summary_column(s, column, &c) == 1);
    CHECK(c.empty + c.integers + c.decimals + c.dates + c.texts + c.missing == RECORDS);
    put_number(t, (double)c.distinct);
    if (c.has_numbers) {
        put_value(t, &c.least);
        put_value(t, &c.most);
        GOOD(gpusort_summary_quantile(s, column, 0.5, &value, &error));
        put_value(t, &value);
    }
    if (c.has_texts) {
        put_value(t, &c.first);
        put_value(t, &c.last);
    }
    if (gpusort_summary_bins(s, column, bins, 5)) {
        uint64_t sum = 0;
        for (int i = 0; i < 5; i++)
            sum += bins[i].count;
        CHECK(c.has_numbers && sum == c.integers + c.decimals);
    }
    for (size_t i = 0; i < 5 && gpusort_summary_frequent(s, column, 0, i, &one); i++) {
        put_value(t, &one.value);
        put_number(t, (double)one.count);
    }
}

static void put_all(told *t, gpusort_summary *s)
{
    static const double phis[] = {0, 0.25, 0.5, 0.999, 1};
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_summary_info info = {.size = sizeof info};
    gpusort_value value;
    gpusort_count one;
    gpusort_sum sum;
    size_t count;
    gpusort_summary_describe(s, &info);
    put_number(t, (double)info.seen);
    put_number(t, (double)info.in_window);
    switch (info.statistic) {
    case GPUSORT_QUANTILES:
        for (size_t i = 0; i < sizeof phis / sizeof *phis; i++) {
            GOOD(gpusort_summary_quantile(s, 0, phis[i], &value, &error));
            put_value(t, &value);
        }
        break;
    case GPUSORT_FREQUENT:
        for (size_t i = 0; gpusort_summary_frequent(s, 0, 0.004, i, &one); i++) {
            put_value(t, &one.value);
            put_number(t, (double)one.count);
        }
        break;
    case GPUSORT_PREFIXES:
        GOOD(gpusort_summary_find_prefixes(s, 0.01, &count, &error));
        for (size_t i = 0; i < count; i++) {
            CHECK(gpusort_summary_prefix(s, i, &one) == 1);
            put_value(t, &one.value);
            put_number(t, (double)one.rest);
        }
        CHECK(count > 0 && gpusort_summary_prefix(s, count, &one) == 0);
        break;
    case GPUSORT_SUMS:
        GOOD(gpusort_summary_sum(s, GPUSORT_AVERAGE, 0, 1, 0, &sum, &error));
        put_number(t, sum.limit);
        put_number(t, sum.least);
        put_number(t, sum.most);
        break;
    case GPUSORT_COLUMNS:
        for (size_t i = 0; i < info.columns; i++)
            put_column(t, s, i);
        CHECK(gpusort_summary_column(s, info.columns,
                                     &(gpusort_column){.size = sizeof(gpusort_column)}) ==
              0);
        break;
    }
    t->bytes += (size_t)sprintf(t->text + t->bytes, "\n");
}

static int report(void *context, gpusort_summary *summary)
{
    told *const t = context;
    t->reports++;
    put_all(t, summary);
    return 0;
}

/* --- files, and what is put --------------------------------------------------------- */

/* Of little memory: a sanitizer looks at all that is taken. */
static gpusort_stream_options options_of_little(void)
{
    gpusort_stream_options o = GPUSORT_STREAM_OPTIONS;
    o.job.memory_bytes = 32 << 20;
    return o;
}

static gpusort_stream_options of_table(gpusort_statistic statistic, told *t)
{
    gpusort_stream_options o = options_of_little();
    o.statistic = statistic;
    o.job.threads = 3;
    o.job.context = t;
    o.inputs = inputs;
    o.input_count = 1;
    o.report = report;
    o.is_csv = o.has_header = 1;
    if (statistic == GPUSORT_QUANTILES || statistic == GPUSORT_SUMS)
        o.value.name = "number";
    if (statistic == GPUSORT_FREQUENT) {
        o.value.number = 2;
        o.values = GPUSORT_VALUES_TEXT;
    }
    if (statistic == GPUSORT_SUMS)
        o.second.name = "number";
    if (statistic == GPUSORT_PREFIXES) {
        o.value.name = "address";
        o.hierarchy = GPUSORT_BY_IP;
    }
    return o;
}

/* Text cut anywhere, and asked in between, is the file up to there. */
static void put_text_as(const gpusort_stream_options *o, told *expected)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    static told t;
    gpusort_stream *stream;
    gpusort_summary *summary;
    uint64_t bad = 7;
    t.bytes = 0;
    GOOD(gpusort_stream_new(&stream, o, &error));
    for (size_t at = 0, step = 1; at < table_bytes; step = step * 3 % 100003 + 1) {
        const size_t n = step < table_bytes - at ? step : table_bytes - at;
        GOOD(gpusort_stream_put_text(stream, table + at, n, &error));
        at += n;
        if (step % 5 == 0)
            GOOD(gpusort_stream_ask(stream, &summary, &error));
    }
    GOOD(gpusort_stream_end(stream, &summary, &bad, &error));
    put_all(&t, summary);
    CHECK(bad == 0);
    CHECK(strcmp(t.text, expected->text) == 0);
    CHECK(gpusort_stream_put_text(stream, "x\n", 2, NULL) == GPUSORT_ARG);
    gpusort_stream_free(stream);
}

/* Inputs that are read into a stream, of which there is an answer when that is over. */
static void read_as(gpusort_stream_options o, told *expected)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    static told t;
    gpusort_stream *stream;
    gpusort_summary *summary;
    uint64_t bad = 7;
    t = (told){.reports = 0};
    o.job.context = &t;
    GOOD(gpusort_stream_new(&stream, &o, &error));
    GOOD(gpusort_stream_read(stream, &summary, &bad, &error));
    CHECK(bad == 0 && t.reports == 1);
    t.bytes = 0;
    put_all(&t, summary);
    CHECK(strcmp(t.text, expected->text) == 0);
    CHECK(gpusort_stream_read(stream, &summary, NULL, NULL) == GPUSORT_ARG);
    CHECK(gpusort_stream_put_text(stream, "x\n", 2, NULL) == GPUSORT_ARG);
    gpusort_stream_free(stream);
    GOOD(gpusort_stream_new(&stream, &o, &error));
    GOOD(gpusort_stream_put_text(stream, table, table_bytes, &error));
    CHECK(gpusort_stream_read(stream, &summary, &bad, &error) == GPUSORT_ARG);
    CHECK(strstr(error.message, "put and read") != NULL && summary == NULL);
    gpusort_stream_free(stream);
    error = (gpusort_error)GPUSORT_NO_ERROR;
    o.inputs = (const char *const[]){"table.csv", "missing"};
    o.input_count = 2;
    GOOD(gpusort_stream_new(&stream, &o, &error));
    CHECK(gpusort_stream_read(stream, &summary, NULL, &error) == GPUSORT_IO);
    CHECK(strstr(error.message, "missing") != NULL && summary == NULL);
    CHECK(gpusort_stream_ask(stream, &summary, NULL) == GPUSORT_IO);
    gpusort_stream_free(stream);
}

static void what_is_put_is_what_a_file_says(void)
{
    for (int i = 0; what_is_of(i).is_one; i++) {
        gpusort_error error = GPUSORT_NO_ERROR;
        static told t;
        t = (told){.reports = 0};
        gpusort_stream_options o = of_table((gpusort_statistic)i, &t);
        GOOD(gpusort_stream_run(&o, NULL, &error));
        CHECK(t.reports == 1 && t.bytes > 20);
        put_text_as(&o, &t);
        read_as(o, &t);
        o.window = what_is_of(i).has_window ? 5000 : 0;
        o.eps = 0.01;
        t = (told){.reports = 0};
        GOOD(gpusort_stream_run(&o, NULL, &error));
        put_text_as(&o, &t);
        read_as(o, &t);
    }
}

/* Numbers one by one, in one piece and as a file. */
static void numbers_are_put(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    static told of_file, t;
    gpusort_stream *stream;
    gpusort_summary *summary;
    of_file = t = (told){.reports = 0};
    gpusort_stream_options o = options_of_little();
    o.statistic = GPUSORT_SUMS;
    o.is_binary = 1;
    o.inputs = numbers;
    o.input_count = 1;
    o.job.context = &of_file;
    o.report = report;
    o.every_values = RECORDS / 4;
    GOOD(gpusort_stream_run(&o, NULL, &error));
    CHECK(of_file.reports == 5); /* the last one comes again in the end */
    o.job.context = &t;
    GOOD(gpusort_stream_new(&stream, &o, &error));
    for (int i = 0; i < RECORDS / 2; i++)
        GOOD(gpusort_stream_put_numbers(stream, &values[2 * i], 1, &error));
    GOOD(gpusort_stream_put_numbers(stream, &values[RECORDS], RECORDS / 2, &error));
    GOOD(gpusort_stream_end(stream, &summary, NULL, &error));
    CHECK(t.reports == 4);
    put_all(&t, summary);
    CHECK(strcmp(t.text, of_file.text) == 0);
    gpusort_stream_free(stream);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* By what qsort says: exact, and within the error. */
static void quantiles_are_right(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    static double sorted[2 * RECORDS];
    memcpy(sorted, values, sizeof sorted);
    qsort(sorted, 2 * RECORDS, sizeof *sorted, compare);
    for (int is_exact = 0; is_exact < 2; is_exact++) {
        gpusort_stream_options o = options_of_little();
        gpusort_stream *stream;
        gpusort_summary *summary;
        gpusort_summary_info info = {.size = sizeof info};
        gpusort_value value;
        o.is_binary = 1;
        o.is_exact = is_exact;
        GOOD(gpusort_stream_new(&stream, &o, &error));
        GOOD(gpusort_stream_put_numbers(stream, values, 2 * RECORDS, &error));
        GOOD(gpusort_stream_end(stream, &summary, NULL, &error));
        gpusort_summary_describe(summary, &info);
        CHECK(info.seen == 2 * RECORDS && info.is_end && (info.eps == 0) == is_exact);
        CHECK(info.error_max <= (is_exact ? 0 : 2 * RECORDS / 1000));
        for (int i = 1; i < 100; i++) {
            const size_t rank = (size_t)i * (2 * RECORDS / 100);
            const size_t low = rank - (size_t)info.error_max - 1;
            GOOD(gpusort_summary_quantile(summary, 0, i / 100.0, &value, &error));
            CHECK(value.f64 >= sorted[low] && value.f64 <= sorted[rank + info.error_max]);
        }
        gpusort_stream_free(stream);
    }
}

/* --- saved -------------------------------------------------------------------------- */

/* What it tells when it has been saved, which may thin it out. */
static int keep(void *context, gpusort_summary *summary)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    GOOD(gpusort_summary_save(summary, "saved", &error));
    return report(context, summary);
}

static int keep_nothing(void *context, gpusort_summary *summary)
{
    CHECK(gpusort_summary_save(summary, "saved", NULL) == GPUSORT_ARG);
    return report(context, summary);
}

/* Loaded and asked, merged with itself and asked: twice as much of everything. */
static void what_is_saved_is_known_and_merged(void)
{
    for (int i = 0; what_is_of(i).is_one; i++) {
        gpusort_error error = GPUSORT_NO_ERROR, not_that = GPUSORT_NO_ERROR;
        static told of_stream, first, second;
        gpusort_summary *one, *other;
        gpusort_summary_info info = {.size = sizeof info};
        gpusort_stream_options o = of_table((gpusort_statistic)i, &of_stream);
        of_stream = first = second = (told){.reports = 0};
        o.report = what_is_of(i).is_saved ? keep : keep_nothing;
        GOOD(gpusort_stream_run(&o, NULL, &error));
        CHECK(of_stream.reports == 1);
        if (!what_is_of(i).is_saved)
            continue;
        GOOD(gpusort_summary_load(&one, "saved", 0, &error));
        GOOD(gpusort_summary_load(&other, "saved", 0, &error));
        put_all(&first, one);
        CHECK(first.bytes > 20 && strcmp(first.text, of_stream.text) == 0);
        GOOD(gpusort_summary_save(one, "again", &error));
        put_all(&second, one);
        CHECK(strcmp(first.text, second.text) == 0);
        put_all(&second, other); /* ranked, and merged all the same */
        GOOD(gpusort_summary_merge(one, other, &error));
        gpusort_summary_describe(one, &info);
        CHECK(info.seen == 2 * RECORDS && info.statistic == (gpusort_statistic)i);
        second.bytes = 0;
        put_all(&second, one);
        CHECK(strncmp(second.text, "120000 120000 ", 14) == 0);
        CHECK(gpusort_summary_merge(one, one, NULL) == GPUSORT_ARG);
        if (i == GPUSORT_SUMS)
            CHECK(gpusort_summary_sum(one, GPUSORT_QUANTILE, 0.5, 1, 0, &(gpusort_sum){0},
                                      &not_that) == GPUSORT_ARG &&
                  not_that.hint != NULL);
        gpusort_summary_free(one);
        gpusort_summary_free(other);
    }
    CHECK(gpusort_summary_load(&(gpusort_summary *){NULL}, "table.csv", 0, NULL) ==
          GPUSORT_FORMAT);
    CHECK(gpusort_summary_load(&(gpusort_summary *){NULL}, "missing", 0, NULL) ==
          GPUSORT_IO);
}

/* Counts of two halves, merged, are those of the whole, which is small. */
static void frequencies_of_halves_are_those_of_the_whole(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_summary *halves[2];
    static told t, whole;
    t = whole = (told){.reports = 0};
    gpusort_stream_options o = options_of_little();
    o.statistic = GPUSORT_FREQUENT;
    o.is_binary = 1;
    o.eps = 0.00001;
    for (int half = 0; half < 3; half++) {
        gpusort_stream *stream;
        gpusort_summary *summary;
        GOOD(gpusort_stream_new(&stream, &o, &error));
        GOOD(gpusort_stream_put_numbers(stream, values + (half == 1 ? RECORDS : 0),
                                        half == 2 ? 2 * RECORDS : RECORDS, &error));
        GOOD(gpusort_stream_ask(stream, &summary, &error));
        GOOD(gpusort_summary_save(summary, "half", &error));
        if (half == 2)
            put_all(&whole, summary);
        else
            GOOD(gpusort_summary_load(&halves[half], "half", 0, &error));
        gpusort_stream_free(stream);
    }
    put_all(&t, halves[0]);
    t.bytes = 0;
    GOOD(gpusort_summary_merge(halves[0], halves[1], &error));
    put_all(&t, halves[0]);
    CHECK(strcmp(t.text, whole.text) == 0 && strchr(t.text, '-') != NULL);
    gpusort_summary_free(halves[0]);
    gpusort_summary_free(halves[1]);
}

/* --- what is wrong ------------------------------------------------------------------ */

static void refuse(gpusort_stream_options o, gpusort_code code)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_stream *stream;
    CHECK(gpusort_stream_run(&o, NULL, &error) == code && *error.message != '\0');
    if (code == GPUSORT_ARG)
        CHECK(gpusort_stream_new(&stream, &o, NULL) == GPUSORT_ARG && stream == NULL);
}

static void what_means_nothing_is_refused(void)
{
    const gpusort_stream_options plain = of_table(GPUSORT_QUANTILES, NULL);
    gpusort_stream_options o = plain;
    o.size = 3;
    refuse(o, GPUSORT_ARG);
    o = plain, o.statistic = (gpusort_statistic)statistic_count();
    refuse(o, GPUSORT_ARG);
    o = plain, o.values = GPUSORT_VALUES_TEXT;
    refuse(o, GPUSORT_ARG);
    o = plain, o.eps = 0.6;
    refuse(o, GPUSORT_ARG);
    o = plain, o.is_exact = 1, o.window = 9;
    refuse(o, GPUSORT_ARG);
    o = plain, o.is_binary = 1;
    refuse(o, GPUSORT_ARG);
    o = plain, o.has_header = 0;
    refuse(o, GPUSORT_ARG);
    o = plain, o.second.number = 2;
    refuse(o, GPUSORT_ARG);
    o = plain, o.window_seconds = 5;
    refuse(o, GPUSORT_ARG);
    o = plain, o.delimiter = 256;
    refuse(o, GPUSORT_ARG);
    o = plain, o.has_ranks = 1;
    refuse(o, GPUSORT_ARG);
    o = of_table(GPUSORT_PREFIXES, NULL), o.step = 3;
    refuse(o, GPUSORT_ARG);
    o = of_table(GPUSORT_COLUMNS, NULL), o.window = 3;
    refuse(o, GPUSORT_ARG);
    o = plain, o.value.name = "nothing";
    refuse(o, GPUSORT_FORMAT);
    o = plain, o.value.name = "text";
    refuse(o, GPUSORT_FORMAT);
    o = plain, o.input_count = 2,
    o.inputs = (const char *const[]){"table.csv", "missing"};
    refuse(o, GPUSORT_IO);
}

static int no_more(void *context, gpusort_summary *summary)
{
    (void)summary;
    return ++((told *)context)->reports >= 2;
}

static void a_report_cancels(void)
{
    static told t;
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_stream *stream;
    gpusort_stream_options o = of_table(GPUSORT_QUANTILES, &t);
    t = (told){.reports = 0};
    o.report = no_more;
    o.every_values = 10000;
    refuse(o, GPUSORT_CANCELLED);
    CHECK(t.reports == 2);
    t.reports = 0;
    GOOD(gpusort_stream_new(&stream, &o, &error));
    CHECK(gpusort_stream_put_text(stream, table, table_bytes, &error) ==
          GPUSORT_CANCELLED);
    CHECK(gpusort_stream_end(stream, &(gpusort_summary *){NULL}, NULL, NULL) ==
          GPUSORT_CANCELLED);
    CHECK(t.reports == 2);
    gpusort_stream_free(stream);
}

/* It is known before anything is read; and a stream that is put has it, too. */
static void a_wish_to_stop_cancels(void)
{
    const volatile int cancel = 1;
    gpusort_stream_options o = of_table(GPUSORT_COLUMNS, NULL);
    o.job.cancel = &cancel;
    refuse(o, GPUSORT_CANCELLED);
    o.job.cancel = NULL;
    o.stop = &cancel;
    static told t;
    t = (told){.reports = 0};
    o = of_table(GPUSORT_FREQUENT, &t);
    o.stop = &cancel; /* and this is the end, not a failure */
    gpusort_error error = GPUSORT_NO_ERROR;
    GOOD(gpusort_stream_run(&o, NULL, &error));
    CHECK(t.reports == 1 && strcmp(t.text, "0 0 \n") == 0);
}

/* Whoever waits for a pipe is told, and for a writer of one with a name. */
static void who_waits_is_stopped(void)
{
    static told t;
    int pipe_ends[2];
    REQUIRE(pipe(pipe_ends) == 0 && mkfifo("fifo", 0600) == 0);
    gpusort_stream_options o = of_table(GPUSORT_QUANTILES, &t);
    t = (told){.reports = 0};
    o.report = no_more;
    o.every_values = 10000;
    o.input_fds = pipe_ends;
    o.input_fd_count = 1;
    refuse(o, GPUSORT_CANCELLED);
    static const char *const fifo[] = {"fifo"};
    const volatile int cancel = 1;
    o = options_of_little();
    o.inputs = fifo;
    o.input_count = 1;
    o.job.cancel = &cancel;
    refuse(o, GPUSORT_CANCELLED);
    CHECK(close(pipe_ends[0]) == 0 && close(pipe_ends[1]) == 0 && unlink("fifo") == 0);
    volatile int wish = 0;
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_stream *stream;
    o.inputs = NULL;
    o.input_count = 0;
    o.is_binary = 1;
    o.job.cancel = &wish;
    GOOD(gpusort_stream_new(&stream, &o, &error));
    GOOD(gpusort_stream_put_numbers(stream, values, 3, &error));
    wish = 1;
    CHECK(gpusort_stream_end(stream, &(gpusort_summary *){NULL}, NULL, NULL) ==
          GPUSORT_CANCELLED);
    gpusort_stream_free(stream);
}

static int count_reports(void *context, gpusort_summary *summary)
{
    (void)summary;
    ((told *)context)->reports++;
    return 0;
}

/* A long record is kept until it ends, and no longer. */
static void long_records_do_not_hold_others_back(void)
{
    enum { LONG = 3 << 20, RECORD_MOST = 64 << 20 };
    static told t;
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_stream *stream;
    gpusort_stream_options o = options_of_little();
    o.statistic = GPUSORT_FREQUENT;
    o.values = GPUSORT_VALUES_TEXT;
    o.every_values = 1000;
    o.every_ns = UINT64_MAX; /* no time is so late */
    o.report = count_reports;
    o.job.context = &t;
    t = (told){.reports = 0};
    char *const text = calloc(RECORD_MOST + 1, 1);
    REQUIRE(text != NULL);
    memset(text, 'x', RECORD_MOST + 1);
    GOOD(gpusort_stream_new(&stream, &o, &error));
    GOOD(gpusort_stream_put(stream, text, LONG, &error));
    for (int i = 0; i < 30000; i++)
        GOOD(gpusort_stream_put(stream, text, 99, &error));
    CHECK(t.reports > 10);
    CHECK(gpusort_stream_put(stream, text, RECORD_MOST + 1, NULL) == GPUSORT_LIMIT);
    gpusort_stream_free(stream);
    GOOD(gpusort_stream_new(&stream, &o, &error));
    gpusort_code code = GPUSORT_OK;
    for (int i = 0; i < 66 && code == GPUSORT_OK; i++)
        code = gpusort_stream_put_text(stream, text, 1 << 20, NULL);
    CHECK(code == GPUSORT_LIMIT);
    gpusort_stream_free(stream);
    free(text);
}

static void bad_records_are_named_or_counted(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_stream_options o = options_of_little();
    gpusort_stream *stream;
    gpusort_summary *summary;
    uint64_t bad = 0;
    for (int skips = 0; skips < 2; skips++) {
        o.skips_bad = skips;
        GOOD(gpusort_stream_new(&stream, &o, &error));
        GOOD(gpusort_stream_put(stream, "1", 1, &error));
        GOOD(gpusort_stream_put(stream, "one", 3, &error));
        CHECK(gpusort_stream_end(stream, &summary, &bad, &error) ==
              (skips ? GPUSORT_OK : GPUSORT_FORMAT));
        if (!skips) {
            CHECK(summary == NULL && strstr(error.message, "stream:2: 'one'") != NULL);
            CHECK(gpusort_stream_put(stream, "1", 1, NULL) == GPUSORT_FORMAT);
        }
        error = (gpusort_error)GPUSORT_NO_ERROR;
        gpusort_stream_free(stream);
    }
    CHECK(bad == 1);
    GOOD(gpusort_stream_new(&stream, &o, &error));
    CHECK(gpusort_stream_put(stream, "1\n2", 3, NULL) == GPUSORT_ARG);
    gpusort_stream_free(stream);
    GOOD(gpusort_stream_new(&stream, &o, &error));
    CHECK(gpusort_stream_put_numbers(stream, values, 3, NULL) == GPUSORT_ARG);
    gpusort_stream_free(stream);
    o.is_csv = 1;
    GOOD(gpusort_stream_new(&stream, &o, &error));
    GOOD(gpusort_stream_put(stream, "\"1\n\"", 4, &error));
    CHECK(gpusort_stream_put(stream, "\"1", 2, NULL) == GPUSORT_ARG);
    gpusort_stream_free(stream);
    GOOD(gpusort_stream_new(&stream, &o, &error));
    CHECK(gpusort_stream_put(stream, "\"1\"\n2", 5, NULL) == GPUSORT_ARG);
    gpusort_stream_free(stream);
    gpusort_stream_free(NULL);
    gpusort_summary_free(NULL);
}

/* Nothing has no quantiles, and no others. */
static void of_nothing_nothing_is_known(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_stream_options o = options_of_little();
    gpusort_stream *stream;
    gpusort_summary *summary;
    gpusort_value value;
    size_t count = 9;
    GOOD(gpusort_stream_new(&stream, &o, &error));
    GOOD(gpusort_stream_ask(stream, &summary, &error));
    CHECK(gpusort_summary_quantile(summary, 0, 0.5, &value, NULL) == GPUSORT_ARG);
    GOOD(gpusort_stream_put(stream, "7", 1, &error));
    GOOD(gpusort_stream_ask(stream, &summary, &error));
    GOOD(gpusort_summary_quantile(summary, 0, 0.5, &value, &error));
    CHECK(value.f64 == 7);
    CHECK(gpusort_summary_quantile(summary, 0, 1.5, &value, NULL) == GPUSORT_ARG);
    CHECK(gpusort_summary_quantile(summary, 1, 0.5, &value, NULL) == GPUSORT_ARG);
    CHECK(gpusort_summary_frequent(summary, 0, 0, 0, &(gpusort_count){0}) == 0);
    CHECK(gpusort_summary_find_prefixes(summary, 0.1, &count, NULL) == GPUSORT_ARG);
    CHECK(count == 0);
    gpusort_stream_free(stream);
}

int main(void)
{
    make_inputs();
    what_is_put_is_what_a_file_says();
    numbers_are_put();
    quantiles_are_right();
    what_is_saved_is_known_and_merged();
    frequencies_of_halves_are_those_of_the_whole();
    what_means_nothing_is_refused();
    a_report_cancels();
    a_wish_to_stop_cancels();
    who_waits_is_stopped();
    long_records_do_not_hold_others_back();
    bad_records_are_named_or_counted();
    of_nothing_nothing_is_known();
    return check_result();
}
