/* SPDX-License-Identifier: MIT */
#include "cmd/stdin_lines.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/base/utf8.h"

enum {
    READ_BYTES = 1 << 18,
    WAIT_MS = 1, /* for a program that writes as fast as it can */
};

struct gs_stdin_lines {
    size_t bytes_max, capacity;
    size_t begin, end; /* of what was read and not dropped */
    size_t seen;       /* of that, without the end of a line */
    bool has_line, is_over;
    size_t line_bytes; /* with its end, if it has one */
    uint64_t number;
    char *buffer;
};

bool gs_means_stdin(char **operands, int count)
{
    return count == 0 || (count == 1 && strcmp(operands[0], "-") == 0);
}

gs_code gs_stdin_lines_new(gs_stdin_lines **out, size_t bytes_max, gs_status *st)
{
    *out = NULL;
    gs_stdin_lines *l = NULL;
    GS_TRY(gs_mem_new(&l, sizeof *l, "lines", st));
    l->bytes_max = bytes_max;
    l->number = 1;
    l->capacity = bytes_max + 1 + READ_BYTES;
    GS_TRY_OR_FAIL(gs_mem_map(&l->buffer, l->capacity, false, "buffer of lines", st));
    *out = l;
    return GS_OK;
fail:
    gs_stdin_lines_free(l);
    return st->code;
}

void gs_stdin_lines_free(gs_stdin_lines *l)
{
    if (l == NULL)
        return;
    gs_mem_unmap(l->buffer, l->capacity);
    gs_mem_free(l);
}

static gs_code read_more(gs_stdin_lines *l, gs_status *st)
{
    if (l->capacity - l->end < READ_BYTES) {
        memmove(l->buffer, l->buffer + l->begin, l->end - l->begin);
        l->end -= l->begin;
        l->begin = 0;
    }
    ssize_t n;
    do
        n = read(STDIN_FILENO, l->buffer + l->end, READ_BYTES);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return GS_FAIL(st, GS_ERR_IO, errno, "cannot read standard input");
    l->end += (size_t)n;
    l->is_over = n == 0;
    return GS_OK;
}

/* A line without its end, and the first one without a mark. */
static void show(const gs_stdin_lines *l, const char *first, size_t length,
                 const char **line, size_t *bytes)
{
    const char *const end = first + length - (length > 0 && first[length - 1] == '\r');
    *line = first;
    if (l->number == 1)
        *line =
            (const char *)gs_utf8_skip_mark((const uint8_t *)first, (const uint8_t *)end);
    *bytes = (size_t)(end - *line);
}

static bool is_readable(void)
{
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    return poll(&in, 1, WAIT_MS) != 0;
}

gs_code gs_stdin_lines_peek(gs_stdin_lines *l, bool may_wait, const char **line,
                            size_t *bytes, gs_status *st)
{
    *line = NULL;
    *bytes = 0;
    for (;;) {
        const char *const first = l->buffer + l->begin;
        const size_t there = l->end - l->begin;
        const char *const eol = memchr(first + l->seen, '\n', there - l->seen);
        const size_t length = eol != NULL ? (size_t)(eol - first) : there;
        if (length > l->bytes_max)
            return GS_FAIL(st, GS_ERR_LIMIT, 0,
                           "standard input: line %" PRIu64 " has more than %zu bytes: is "
                           "this a list of what to look for, one a line?",
                           l->number, l->bytes_max);
        l->has_line = eol != NULL || (l->is_over && there > 0);
        if (l->has_line) {
            l->seen = length;
            l->line_bytes = length + (eol != NULL);
            show(l, first, length, line, bytes);
            return GS_OK;
        }
        l->seen = there;
        if (l->is_over || (!may_wait && !is_readable()))
            return GS_OK;
        GS_TRY(read_more(l, st));
    }
}

void gs_stdin_lines_drop(gs_stdin_lines *l)
{
    gs_assert(l->has_line);
    l->begin += l->line_bytes;
    l->seen = 0;
    l->has_line = false;
    l->number++;
}
