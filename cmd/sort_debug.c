/* SPDX-License-Identifier: MIT */
/*
 * The sort runs as ever and writes into a pipe; a thread reads the sorted lines
 * from it and marks them. Nothing in the library knows of --debug but
 * gpusort_key_locate.
 */
#include "cmd/sort_debug.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cmd/report.h"
#include "lib/base/mem.h"
#include "lib/gpusort.h"

enum { PATH_BYTES = 32 };

typedef struct marker {
    const gpusort_order *order;
    /* What gpusort_key_locate is asked: keys that begin with the line keep the blanks
     * that `tighten` skips. */
    gpusort_order parts;
    gpusort_key *part_keys;
    FILE *lines;
    gpusort_error error;
} marker;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

/* Columns that the bytes take: a tab is shown as '>', other control bytes as
 * nothing. */
static size_t columns(const char *from, const char *to)
{
    size_t count = 0;
    for (; from < to; from++)
        count += *from == '\t' || !iscntrl((unsigned char)*from);
    return count;
}

static void print_mark(size_t offset, size_t width)
{
    for (; offset > 0; offset--)
        putchar(' ');
    if (width == 0) {
        puts("^ no match for key");
        return;
    }
    for (; width > 0; width--)
        putchar('_');
    putchar('\n');
}

/* `text` is zero-terminated; each function returns where what counts ends. */

static const char *month_end(const char *text)
{
    static const char names[] = "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC";
    enum { NAME_BYTES = 3 };
    for (const char *name = names; *name; name += NAME_BYTES) {
        if (strncasecmp(text, name, NAME_BYTES) == 0)
            return text + NAME_BYTES;
    }
    return text;
}

static const char *decimal_end(const char *text, bool takes_unit)
{
    const char *p = text + (*text == '-');
    bool has_digit = false;
    for (; isdigit((unsigned char)*p); p++)
        has_digit = true;
    if (*p == '.') {
        for (p++; isdigit((unsigned char)*p); p++)
            has_digit = true;
    }
    if (!has_digit)
        return text;
    return p + (takes_unit && *p && strchr("KMGTPEZYRQk", *p));
}

static const char *general_end(const char *text)
{
    char *end = NULL;
    const long double value = strtold(text, &end);
    (void)value;
    return end;
}

/* GNU skips the blanks of a key that begins with the line only up to the key's end. */
static bool skips_from_line_start(const gpusort_key *key)
{
    return (key->flags & GPUSORT_SKIP_START_BLANKS) != 0 && key->start_field <= 1 &&
           key->start_char <= 1;
}

/* `end`: where the key does. */
static const char *value_end(const gpusort_key *key, const char *text, const char *end)
{
    switch (key->kind) {
    case GPUSORT_MONTH: return month_end(text);
    case GPUSORT_GENERAL: return general_end(text);
    case GPUSORT_HUMAN: return decimal_end(text, true);
    case GPUSORT_NUMERIC: return decimal_end(text, false);
    case GPUSORT_BYTES:
    case GPUSORT_RANDOM:
    case GPUSORT_VERSION: break;
    }
    return end;
}

/* What of a key really takes part: leading blanks do not count in numbers and months,
 * nor does what follows the number. *limit points to a byte that may be overwritten. */
static void tighten(const gpusort_key *key, char **begin, char **limit)
{
    const bool is_text = gs_letter_counts_of(key->kind) == GS_LETTER_COUNTS_TEXT;
    if (!is_text || skips_from_line_start(key)) {
        while (*begin < *limit && is_blank(**begin))
            (*begin)++;
    }
    if (!is_text) {
        const char saved = **limit;
        **limit = '\0';
        const char *end = value_end(key, *begin, *limit);
        **limit = saved;
        *limit = *begin + (end - *begin);
    }
}

static void print_line(const char *line, size_t line_bytes)
{
    for (size_t i = 0; i < line_bytes; i++)
        putchar(line[i] == '\t' ? '>' : line[i]);
    putchar('\n');
}

/* The byte behind the line may be overwritten. */
static gpusort_code mark_line(marker *m, char *line, size_t line_bytes)
{
    const gpusort_order *const order = m->order;
    print_line(line, line_bytes);
    for (size_t k = 0; k < order->key_count; k++) {
        size_t begin_offset = 0;
        size_t limit_offset = 0;
        if (gpusort_key_locate(&m->parts, k, line, line_bytes, &begin_offset,
                               &limit_offset, &m->error) != GPUSORT_OK)
            return m->error.code;
        char *begin = line + begin_offset;
        char *limit = line + limit_offset;
        tighten(&order->keys[k], &begin, &limit);
        print_mark(columns(line, begin), columns(begin, limit));
    }
    const bool has_last_resort = !order->is_stable && !order->is_unique;
    if (order->key_count == 0 || has_last_resort)
        print_mark(0, columns(line, line + line_bytes));
    return GPUSORT_OK;
}

/* An I/O failure of ours. */
static void fail(gpusort_error *error, int sys, const char *what)
{
    gs_status st = {.code = GS_OK};
    (void)GS_FAIL(&st, GS_ERR_IO, sys, "%s", what);
    gs_error_of_status(error, &st);
}

static void *mark_all(void *context)
{
    marker *m = context;
    const char eol = m->order->ends_with_nul ? '\0' : '\n';
    char *line = NULL;
    size_t capacity = 0;
    while (!ferror(stdout)) {
        errno = 0;
        const ssize_t got = getdelim(&line, &capacity, eol, m->lines);
        if (got <= 0 || ferror(m->lines)) /* or it is the beginning of a line */
            break;
        const size_t len = (size_t)got;
        const bool has_eol = line[len - 1] == eol;
        if (mark_line(m, line, has_eol ? len - 1 : len) != GPUSORT_OK)
            break;
    }
    if (ferror(stdout)) {
        fail(&m->error, errno, "write failed: 'standard output'");
        __fpurge(stdout); /* nothing is printed behind a gap */
    } else if (m->error.code == GPUSORT_OK && (ferror(m->lines) || errno == ENOMEM)) {
        fail(&m->error, errno, "cannot read the sorted lines");
    }
    free(line);
    /* Whatever happened, the sort must not wait for a reader. */
    while (getc(m->lines) != EOF)
        continue;
    return NULL;
}

static gpusort_code run_into(const gs_sort_args *args, int fd, gpusort_error *error)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "/dev/fd/%d", fd);
    gpusort_sort_options options = args->options;
    options.output = path;
    return args->merge ? gpusort_merge(&options, error) : gpusort_sort(&options, error);
}

static gs_code copy_keys(marker *m, gs_status *st)
{
    const size_t count = m->order->key_count;
    m->parts = *m->order;
    GS_TRY(gs_mem_new_array(&m->part_keys, count, sizeof *m->part_keys, "keys", st));
    m->parts.keys = m->part_keys;
    for (size_t k = 0; k < count; k++) {
        const gpusort_key *const key = &m->order->keys[k];
        m->part_keys[k] = *key;
        if (skips_from_line_start(key))
            m->part_keys[k].flags &= ~(unsigned)GPUSORT_SKIP_START_BLANKS;
    }
    return GS_OK;
}

static gpusort_code run_and_mark(const gs_sort_args *args, marker *m,
                                 gpusort_error *error)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        fail(error, errno, "cannot create a pipe");
        return error->code;
    }
    m->lines = fdopen(ends[0], "r");
    pthread_t thread;
    int rc = m->lines ? 0 : errno;
    if (rc == 0)
        rc = pthread_create(&thread, NULL, mark_all, m);
    if (rc != 0) {
        if (m->lines)
            fclose(m->lines);
        else
            close(ends[0]);
        close(ends[1]);
        fail(error, rc, "cannot start the marking thread");
        return error->code;
    }
    const gpusort_code code = run_into(args, ends[1], error);
    close(ends[1]);
    pthread_join(thread, NULL);
    fclose(m->lines);
    if (code == GPUSORT_OK)
        *error = m->error;
    errno = 0;
    if (error->code == GPUSORT_OK && (fflush(stdout) != 0 || ferror(stdout)))
        fail(error, errno, "write failed: 'standard output'");
    return error->code;
}

gpusort_code gs_sort_debug_run(const gs_sort_args *args, gpusort_error *error)
{
    marker m = {.order = &args->options.order};
    gs_status st = {.code = GS_OK};
    if (copy_keys(&m, &st) == GS_OK)
        (void)(run_and_mark(args, &m, error) == GPUSORT_OK);
    gs_error_of_status(error, &st);
    gs_mem_free(m.part_keys);
    return error->code;
}
