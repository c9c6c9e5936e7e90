/* SPDX-License-Identifier: MIT */
#include "cmd/input_names.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/quote.h"
#include "cmd/report.h"
#include "lib/base/mem.h"

enum { READ_BYTES = 65536 };

/* GNU sort never says why it cannot read them, and its words are kept for a file that
 * holds no names, such as a folder. A failing disk is named, since a user cannot guess
 * it. */
static bool is_told_by_name(int error)
{
    return error == EISDIR || error == EBADF;
}

/* The whole file, with a zero behind it. */
static char *read_all(const char *name, size_t *len)
{
    gs_quoted q;
    const bool is_stdin = strcmp(name, "-") == 0;
    const int fd = is_stdin ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        gs_die(errno, "open failed: %s", gs_quote_name(&q, name));
    gs_status st = {.code = GS_OK};
    char *text = NULL;
    size_t capacity = 0;
    *len = 0;
    for (;;) {
        if (capacity - *len < READ_BYTES) {
            capacity = 2 * capacity + READ_BYTES + 1;
            if (gs_mem_resize(&text, capacity, "names of input files", &st) != GS_OK) {
                gs_report_status(&st, false);
                exit(GS_EXIT_TROUBLE);
            }
        }
        const ssize_t got = read(fd, text + *len, capacity - *len - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            gs_die(is_told_by_name(errno) ? 0 : errno, "cannot read file names from %s",
                   gs_quote_name_always(&q, name));
        if (got == 0)
            break;
        *len += (size_t)got;
    }
    if (!is_stdin)
        close(fd);
    text[*len] = '\0';
    return text;
}

void gs_input_names_read(const char *from, const char ***inputs, size_t *count,
                         char **text)
{
    gs_quoted q;
    if (*count > 0) {
        gs_report(0, "extra operand %s", gs_quote_name_always(&q, (*inputs)[0]));
        fputs("file operands cannot be combined with --files0-from\n", stderr);
        gs_die_try_help(GS_EXIT_TROUBLE);
    }
    size_t len = 0;
    *text = read_all(from, &len);
    const char *end = *text + len;
    for (const char *name = *text; name < end; name += strlen(name) + 1) {
        *inputs = gs_args_grow(*inputs, *count, sizeof **inputs);
        (*inputs)[(*count)++] = name;
        if (strcmp(name, "-") == 0)
            gs_die(
                0,
                "when reading file names from standard input, no file name of %s allowed",
                gs_quote_name_always(&q, name));
        if (*name == '\0')
            gs_die(0, "%s:%zu: invalid zero-length file name", gs_quote_name(&q, from),
                   *count);
    }
    if (*count == 0)
        gs_die(0, "no input from %s", gs_quote_name_always(&q, from));
}

/* Where standard input was closed, main has put a descriptor that cannot be read. */
static void check_stdin(const gs_sort_args *args)
{
    const int flags = fcntl(STDIN_FILENO, F_GETFL);
    if (!args->check && !args->merge && (flags < 0 || (flags & O_PATH) != 0))
        gs_die(flags < 0 ? errno : EBADF, "stat failed: -");
}

/* A name in a message takes pages of the stack, which is only paid for here. */
static __attribute__((noinline)) void refuse(const gs_sort_args *args, const char *name)
{
    gs_quoted q;
    gs_die(errno, "%s: %s", args->check ? "open failed" : "cannot read",
           gs_quote_name(&q, name));
}

void gs_input_names_check(const gs_sort_args *args)
{
    for (size_t i = 0; i < args->options.input_count; i++) {
        const char *name = args->inputs[i];
        if (strcmp(name, "-") == 0) {
            check_stdin(args);
            continue;
        }
        /* The system is asked, and the file is not opened: to open and close a FIFO
         * takes what is in it. For -c GNU sort does not ask beforehand; there opening
         * is what fails. */
        if (faccessat(AT_FDCWD, name, R_OK, AT_EACCESS) != 0)
            refuse(args, name);
    }
}
