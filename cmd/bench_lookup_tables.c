/* SPDX-License-Identifier: MIT */
#include "cmd/bench_lookup_tables.h"

#include <string.h>

/* Kaldewey, Hagen, Di Blas, Sedlar: "Parallel Search On Video Cards", 2009; 36 million
 * strings of 16 bytes, a Core 2 Quad of 2.66 GHz and GeForce 8800 GTX. Table 1: speed
 * relative to binary search on one core. */
enum { PAPER_BATCHES = 3 };

static const struct {
    const char *name;
    double speeds[PAPER_BATCHES]; /* for 16, 1k and 16k queries */
} paper_table1[] = {
    {"binary CPU", {1.0, 1.0, 1.0}},     {"binary CPU SSE", {1.3, 1.4, 1.4}},
    {"binary CPU TLP", {0.6, 1.1, 2.1}}, {"binary GPU TLP", {0.3, 5.1, 5.1}},
    {"p-ary GPU SIMD", {0.5, 5.4, 6.7}},
};

/* The batch of the paper that has about as many queries; -1: none. */
static int paper_batch(size_t queries)
{
    return queries == 16                          ? 0
           : queries == 1000 || queries == 1024   ? 1
           : queries == 16000 || queries == 16384 ? 2
                                                  : -1;
}

static void print_count(FILE *to, size_t count)
{
    char text[32];
    if (count >= 1000000 && count % 1000000 == 0)
        (void)snprintf(text, sizeof text, "%zu M", count / 1000000);
    else if (count >= 1000 && count % 1000 == 0)
        (void)snprintf(text, sizeof text, "%zu K", count / 1000);
    else
        (void)snprintf(text, sizeof text, "%zu", count);
    fprintf(to, "%11s", text);
}

static void print_head(const gs_lookup_report *r, FILE *to, const char *title)
{
    fprintf(to, "\n%s\n%-28s", title, "queries at once");
    for (size_t b = 0; b < r->load->batch_count; b++)
        print_count(to, r->load->batches[b]);
    fputc('\n', to);
}

static void print_name(const gs_lookup_row *row, FILE *to, const char *how)
{
    char text[64];
    if (strcmp(row->place, "cpu") == 0)
        (void)snprintf(text, sizeof text, "%s, %u thread%s", row->name, row->threads,
                       row->threads == 1 ? "" : "s");
    else
        (void)snprintf(text, sizeof text, "%s%s", row->name, how);
    fprintf(to, "%s  %-23s", row->place, text);
}

/* The first row of a kind that satisfies; NULL if there is none. */
static const gs_lookup_row *row_of_way(const gs_lookup_report *r, gs_key_way way)
{
    for (size_t i = 0; i < r->row_count; i++) {
        if (strcmp(r->rows[i].place, "gpu") == 0 && r->rows[i].way == way)
            return &r->rows[i];
    }
    return NULL;
}

static bool has_gpu(const gs_lookup_report *r)
{
    return row_of_way(r, GS_KEY_BINARY) != NULL;
}

static void print_times(const gs_lookup_report *r, FILE *to)
{
    print_head(r, to, "Response time of a batch, host to host, microseconds (Figure 8)");
    for (size_t i = 0; i < r->row_count; i++) {
        const gs_lookup_row *const row = &r->rows[i];
        print_name(row, to, ", copied");
        for (size_t b = 0; b < r->load->batch_count; b++)
            fprintf(to, "%11.1f", row->times[b].whole_us);
        fputc('\n', to);
        if (strcmp(row->place, "gpu") != 0)
            continue;
        print_name(row, to, ", direct");
        for (size_t b = 0; b < r->load->batch_count; b++)
            fprintf(to, "%11.1f", row->times[b].direct_us);
        fputc('\n', to);
    }
}

static double best_us(const gs_lookup_times *t)
{
    return t->direct_us > 0 && t->direct_us < t->whole_us ? t->direct_us : t->whole_us;
}

static void print_throughput(const gs_lookup_report *r, FILE *to)
{
    print_head(r, to,
               "Throughput, million queries a second, by the faster of both ways "
               "to travel (Figure 6)");
    for (size_t i = 0; i < r->row_count; i++) {
        print_name(&r->rows[i], to, "");
        for (size_t b = 0; b < r->load->batch_count; b++)
            fprintf(to, "%11.2f",
                    (double)r->load->batches[b] / best_us(&r->rows[i].times[b]));
        fputc('\n', to);
    }
}

static void print_searches(const gs_lookup_report *r, FILE *to)
{
    const gs_lookup_row *const binary = row_of_way(r, GS_KEY_BINARY);
    print_head(r, to,
               "The search alone on the GPU, microseconds, and times as fast as "
               "binary search there");
    for (size_t i = 0; i < r->row_count; i++) {
        const gs_lookup_row *const row = &r->rows[i];
        if (strcmp(row->place, "gpu") != 0)
            continue;
        print_name(row, to, "");
        for (size_t b = 0; b < r->load->batch_count; b++)
            fprintf(to, "%11.2f", row->times[b].search_us);
        fprintf(to, "\n%28s", "");
        for (size_t b = 0; b < r->load->batch_count; b++)
            fprintf(to, "%10.2fx", binary->times[b].search_us / row->times[b].search_us);
        fputc('\n', to);
    }
}

static void print_steps(const gs_lookup_report *r, FILE *to)
{
    static const gs_key_way ways[] = {GS_KEY_BINARY, GS_KEY_PARY_8, GS_KEY_PARY_32,
                                      GS_KEY_TREE_8};
    fprintf(to,
            "\nSteps of a batch, microseconds, each by what it adds (Figure 7)\n"
            "%-20s%11s%11s%11s%11s%11s%11s\n",
            "", "queries", "launch", "copy in", "search", "copy out", "all");
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        const gs_lookup_row *const row = row_of_way(r, ways[w]);
        for (size_t b = 0; row != NULL && b < r->load->batch_count; b++) {
            const gs_lookup_times *const t = &row->times[b];
            fprintf(to, "gpu  %-15s", row->name);
            print_count(to, r->load->batches[b]);
            fprintf(to, "%11.1f%11.1f%11.1f%11.1f%11.1f\n", t->launch_us, t->copy_in_us,
                    t->step_search_us, t->copy_out_us, t->whole_us);
        }
    }
}

static void print_paper_row(const gs_lookup_report *r, FILE *to, const char *name,
                            size_t paper, const double *us)
{
    fprintf(to, "%-28s", name);
    for (size_t b = 0; b < r->load->batch_count; b++) {
        const int column = paper_batch(r->load->batches[b]);
        char said[16] = "", here[16] = "-";
        if (column >= 0 && paper < sizeof paper_table1 / sizeof *paper_table1)
            (void)snprintf(said, sizeof said, "%.1f", paper_table1[paper].speeds[column]);
        if (us[b] > 0)
            (void)snprintf(here, sizeof here, "%.2f",
                           r->rows[0].times[b].whole_us / us[b]);
        fprintf(to, "%6s%9s", said, here);
    }
    fputc('\n', to);
}

/* The least time of the rows from `first` to `last` of a way on the GPU. */
static void best_of_ways(const gs_lookup_report *r, gs_key_way first, gs_key_way last,
                         bool direct, double *us)
{
    for (size_t b = 0; b < r->load->batch_count; b++) {
        us[b] = 0;
        for (unsigned w = first; w <= (unsigned)last; w++) {
            const gs_lookup_row *const row = row_of_way(r, (gs_key_way)w);
            if (row == NULL)
                continue;
            const gs_lookup_times *const t = &row->times[b];
            const double one = direct ? t->direct_us : t->whole_us;
            us[b] = us[b] == 0 || one < us[b] ? one : us[b];
        }
    }
}

static void best_on_cpu(const gs_lookup_report *r, bool is_team, bool is_binary,
                        double *us)
{
    for (size_t b = 0; b < r->load->batch_count; b++) {
        us[b] = 0;
        for (size_t i = 0; i < r->row_count; i++) {
            const gs_lookup_row *const row = &r->rows[i];
            if (strcmp(row->place, "cpu") != 0 || (row->threads > 1) != is_team ||
                (strcmp(row->name, "binary") == 0) != is_binary)
                continue;
            const double one = row->times[b].whole_us;
            us[b] = us[b] == 0 || one < us[b] ? one : us[b];
        }
    }
}

static void print_paper(const gs_lookup_report *r, FILE *to)
{
    double us[GS_BENCH_BATCHES_MAX];
    fprintf(to,
            "\nSpeed relative to binary search on one core: the paper's Table 1, and "
            "here\n%-28s",
            "queries at once");
    for (size_t b = 0; b < r->load->batch_count; b++) {
        fprintf(to, "    ");
        print_count(to, r->load->batches[b]);
    }
    fprintf(to, "\n%-28s", "");
    for (size_t b = 0; b < r->load->batch_count; b++)
        fprintf(to, "%6s%9s", paper_batch(r->load->batches[b]) >= 0 ? "paper" : "",
                "here");
    fputc('\n', to);
    best_on_cpu(r, false, true, us);
    print_paper_row(r, to, paper_table1[0].name, 0, us);
    best_on_cpu(r, false, false, us);
    print_paper_row(r, to, "  SSE / groups, vectors", 1, us);
    best_on_cpu(r, true, true, us);
    print_paper_row(r, to, paper_table1[2].name, 2, us);
    best_on_cpu(r, true, false, us);
    print_paper_row(r, to, "  both", PAPER_BATCHES + 99, us);
    if (!has_gpu(r))
        return;
    best_of_ways(r, GS_KEY_BINARY, GS_KEY_BINARY, false, us);
    print_paper_row(r, to, paper_table1[3].name, 3, us);
    best_of_ways(r, GS_KEY_PARY_4, GS_KEY_PARY_32, false, us);
    print_paper_row(r, to, paper_table1[4].name, 4, us);
    best_of_ways(r, GS_KEY_TREE_4, GS_KEY_TREE_32, false, us);
    print_paper_row(r, to, "  in a tree", PAPER_BATCHES + 99, us);
    best_of_ways(r, GS_KEY_TREE_4, GS_KEY_TREE_32, true, us);
    print_paper_row(r, to, "  in a tree, direct", PAPER_BATCHES + 99, us);
}

/* What the text of the paper says in figures, and the same here. */
static void print_sentences(const gs_lookup_report *r, FILE *to)
{
    const gs_lookup_row *const row = row_of_way(r, GS_KEY_TREE_8);
    double most = 0;
    for (size_t i = 0; i < r->row_count; i++) {
        for (size_t b = 0;
             strcmp(r->rows[i].place, "gpu") == 0 && b < r->load->batch_count; b++) {
            const double one =
                (double)r->load->batches[b] / best_us(&r->rows[i].times[b]);
            most = one > most ? one : most;
        }
    }
    const gs_lookup_times *const first = &row->times[0];
    fprintf(
        to,
        "\nkeys to the GPU, once:   paper 400 ms for 550 MB; here %.0f ms for %.0f MB,"
        " with the tree\n"
        "the most searches:       paper 7.5 million/s with two GPUs (Figure 8); here "
        "%.0f million/s\n"
        "not searching, small batch:  paper 70 %% of 32 queries' time (Figure 7); "
        "here %.0f %% of %zu queries'\n",
        row->start_ms, (double)r->load->key_count * 8e-6, most,
        100 * (1 - first->step_search_us / first->whole_us), r->load->batches[0]);
}

void gs_lookup_tables_print(const gs_lookup_report *report, FILE *to)
{
    print_times(report, to);
    print_throughput(report, to);
    if (has_gpu(report)) {
        print_searches(report, to);
        print_steps(report, to);
    }
    print_paper(report, to);
    if (has_gpu(report))
        print_sentences(report, to);
}

void gs_lookup_csv_print(const gs_lookup_report *report, FILE *to)
{
    fprintf(to, "place,way,threads,keys,queries,whole_us,direct_us,search_us,launch_us,"
                "copy_in_us,step_search_us,copy_out_us,start_ms\n");
    for (size_t i = 0; i < report->row_count; i++) {
        const gs_lookup_row *const row = &report->rows[i];
        for (size_t b = 0; b < report->load->batch_count; b++) {
            const gs_lookup_times *const t = &row->times[b];
            fprintf(to, "%s,%s,%u,%zu,%zu,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f\n",
                    row->place, row->name, row->threads, report->load->key_count,
                    report->load->batches[b], t->whole_us, t->direct_us, t->search_us,
                    t->launch_us, t->copy_in_us, t->step_search_us, t->copy_out_us,
                    row->start_ms);
        }
    }
}
