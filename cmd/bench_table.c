/* SPDX-License-Identifier: MIT */
#include "cmd/bench_table.h"

#include <string.h>

#include "lib/base/mem.h"

/* Keys with as many letters as make them readable: 1000000 is "1 M", 2^24 is "2^24". */
static const char *count_text(size_t count, char text[BENCH_COUNT_BYTES])
{
    const size_t mega = 1000000, kilo = 1000;
    if (count >= 1024 && (count & (count - 1)) == 0)
        (void)snprintf(text, BENCH_COUNT_BYTES, "2^%d",
                       __builtin_ctzll((unsigned long long)count));
    else if (count >= mega && count % mega == 0)
        (void)snprintf(text, BENCH_COUNT_BYTES, "%zu M", count / mega);
    else if (count >= kilo && count % kilo == 0)
        (void)snprintf(text, BENCH_COUNT_BYTES, "%zu K", count / kilo);
    else
        (void)snprintf(text, BENCH_COUNT_BYTES, "%zu", count);
    return text;
}

static double giga_keys_a_second(const bench_point *p)
{
    return p->ms > 0 ? (double)p->count / p->ms / 1e6 : 0;
}

static void print_head_of_row(const bench_point *p)
{
    char count[BENCH_COUNT_BYTES];
    printf("%-8s %-11s %10s  %-10s ", bench_type_name(p->type),
           gs_distribution_name(p->distribution), count_text(p->count, count), p->label);
}

void bench_table_head(const bench_setup *setup)
{
    printf("%-8s %-11s %10s  %-10s %12s %9s %8s%s\n", "type", "keys", "how many",
           "engine", "ms", "Gkeys/s", "speed", setup->on_host ? "   ms with copies" : "");
}

void bench_table_row(const bench_point *p, double first_ms)
{
    print_head_of_row(p);
    printf("%12.3f %9.3f %7.2fx", p->ms, giga_keys_a_second(p),
           p->ms > 0 ? first_ms / p->ms : 0);
    if (p->copies_ms > 0)
        printf(" %16.3f", p->copies_ms);
    if (strcmp(p->used, p->engine) != 0)
        printf("  by %s", p->used);
    putchar('\n');
    (void)fflush(stdout);
}

void bench_table_failure(const bench_point *p, const char *why)
{
    print_head_of_row(p);
    printf("failed: %s\n", why);
    (void)fflush(stdout);
}

void bench_csv_head(FILE *csv)
{
    fputs("type,distribution,keys,engine,used,runs,ms,ms_with_copies\n", csv);
}

void bench_csv_row(FILE *csv, const bench_point *p)
{
    /* A label may have commas. */
    fprintf(csv, "%s,%s,%zu,\"%s\",%s,%u,%.6f,", bench_type_name(p->type),
            gs_distribution_name(p->distribution), p->count, p->label, p->used, p->runs,
            p->ms);
    if (p->copies_ms > 0)
        fprintf(csv, "%.6f", p->copies_ms);
    putc('\n', csv);
}

gs_code bench_points_add(bench_points *points, const bench_point *point, gs_status *st)
{
    GS_TRY(gs_mem_grow(&points->items, &points->capacity, points->count + 1,
                       "measurements", st));
    points->items[points->count++] = *point;
    return GS_OK;
}

void bench_points_release(bench_points *points)
{
    gs_mem_free(points->items);
    *points = (bench_points){0};
}
