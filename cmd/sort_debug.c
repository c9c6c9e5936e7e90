/* SPDX-License-Identifier: MIT */
/*
 * The sort runs as ever and writes into a pipe; a thread reads the sorted lines
 * from it and marks them. Nothing in the library knows of --debug but
 * gs_key_locate.
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

#include "lib/base/mem.h"
#include "lib/sort/key/keys.h"

enum { PATH_BYTES = 32 };

typedef struct marker {
    const gs_order *order;
    /* What gs_key_locate is asked: keys that begin with the line keep the blanks that
     * `tighten` skips. */
    gs_order parts;
    FILE *lines;
    char *copy; /* of the line that is marked */
    size_t copy_bytes;
    gs_status st;
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
static bool skips_from_line_start(const gs_key *key)
{
    return key->skip_start_blanks && key->start_field == 0 && key->start_char == 0;
}

/* `end`: where the key does. */
static const char *value_end(const gs_key *key, const char *text, const char *end)
{
    switch (key->type) {
    case GS_KEY_MONTH: return month_end(text);
    case GS_KEY_GENERAL: return general_end(text);
    case GS_KEY_HUMAN: return decimal_end(text, true);
    case GS_KEY_NUMERIC: return decimal_end(text, false);
    case GS_KEY_BYTES:
    case GS_KEY_RANDOM:
    case GS_KEY_VERSION:
    case GS_KEY_TYPE_COUNT: break;
    }
    return end;
}

/* What of a key really takes part: leading blanks do not count in numbers and months,
 * nor does what follows the number. *limit points to a byte that may be overwritten. */
static void tighten(const gs_key *key, char **begin, char **limit)
{
    const bool is_text = gs_key_type_counts(key->type) == GS_KEY_COUNTS_TEXT;
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

/* GS_KEY_READ_SLACK bytes behind the line can be read. */
static void mark_line(const marker *m, char *line, size_t line_bytes)
{
    const gs_order *order = m->order;
    print_line(line, line_bytes);
    for (size_t k = 0; k < order->key_count; k++) {
        size_t begin_offset = 0;
        size_t limit_offset = 0;
        gs_key_locate(&m->parts, k, (const uint8_t *)line, line_bytes, &begin_offset,
                      &limit_offset);
        char *begin = line + begin_offset;
        char *limit = line + limit_offset;
        tighten(&order->keys[k], &begin, &limit);
        print_mark(columns(line, begin), columns(begin, limit));
    }
    const bool has_last_resort = !order->stable && !order->unique;
    if (order->key_count == 0 || has_last_resort)
        print_mark(0, columns(line, line + line_bytes));
}

/* Marks a line that was read, with the byte behind it, at a place that has more room. */
static gs_code mark_copy(marker *m, const char *line, size_t bytes, gs_status *st)
{
    const size_t room = bytes + GS_KEY_READ_SLACK;
    if (m->copy_bytes < room) {
        GS_TRY(gs_mem_resize(&m->copy, 2 * room, "a line", st));
        m->copy_bytes = 2 * room;
    }
    memcpy(m->copy, line, bytes + 1);
    mark_line(m, m->copy, bytes);
    return GS_OK;
}

static void *mark_all(void *context)
{
    marker *m = context;
    char *line = NULL;
    size_t capacity = 0;
    while (!ferror(stdout)) {
        errno = 0;
        const ssize_t got = getdelim(&line, &capacity, m->order->eol, m->lines);
        if (got <= 0 || ferror(m->lines)) /* or it is the beginning of a line */
            break;
        const size_t len = (size_t)got;
        const bool has_eol = (uint8_t)line[len - 1] == m->order->eol;
        if (mark_copy(m, line, has_eol ? len - 1 : len, &m->st) != GS_OK)
            break;
    }
    if (ferror(stdout)) {
        GS_NOTED(GS_FAIL(&m->st, GS_ERR_IO, errno, "write failed: 'standard output'"));
        __fpurge(stdout); /* nothing is printed behind a gap */
    } else if (m->st.code == GS_OK && (ferror(m->lines) || errno == ENOMEM)) {
        GS_NOTED(GS_FAIL(&m->st, GS_ERR_IO, errno, "cannot read the sorted lines"));
    }
    free(line);
    gs_mem_free(m->copy);
    /* Whatever happened, the sort must not wait for a reader. */
    while (getc(m->lines) != EOF)
        continue;
    return NULL;
}

static gs_code run_into(const gs_sort_args *args, int fd, gs_status *st)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "/dev/fd/%d", fd);
    gs_sort_options options = args->options;
    options.output = path;
    return args->merge ? gs_sort_merge(&options, st) : gs_sort_run(&options, st);
}

static gs_code copy_keys(marker *m, gs_status *st)
{
    const size_t count = m->order->key_count;
    m->parts = *m->order;
    GS_TRY(gs_mem_new(&m->parts.keys, count * sizeof(gs_key), "keys", st));
    for (size_t k = 0; k < count; k++) {
        const gs_key *key = &m->order->keys[k];
        m->parts.keys[k] = *key;
        if (skips_from_line_start(key))
            m->parts.keys[k].skip_start_blanks = false;
    }
    return GS_OK;
}

static gs_code run_and_mark(const gs_sort_args *args, marker *m, gs_status *st)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return GS_FAIL(st, GS_ERR_IO, errno, "cannot create a pipe");
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
        return GS_FAIL(st, GS_ERR_NOMEM, rc, "cannot start the marking thread");
    }
    GS_NOTED(run_into(args, ends[1], st));
    close(ends[1]);
    pthread_join(thread, NULL);
    fclose(m->lines);
    gs_status_keep_first(st, &m->st);
    errno = 0;
    if (st->code == GS_OK && (fflush(stdout) != 0 || ferror(stdout)))
        return GS_FAIL(st, GS_ERR_IO, errno, "write failed: 'standard output'");
    return st->code;
}

gs_code gs_sort_debug_run(const gs_sort_args *args, gs_status *st)
{
    marker m = {.order = &args->options.order};
    GS_TRY(copy_keys(&m, st));
    GS_NOTED(run_and_mark(args, &m, st));
    gs_mem_free(m.parts.keys);
    return st->code;
}
