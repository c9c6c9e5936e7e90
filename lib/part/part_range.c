/* SPDX-License-Identifier: MIT */
#include "lib/part/part_range.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/decode.h"
#include "io/write_all.h"
#include "lib/base/assertion.h"
#include "lib/base/cancel.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"

enum { LOOK_BYTES = 64 << 10, LOOK_BYTES_MAX = 1 << 20 };

typedef struct ranged_file {
    const gs_sort_options *options;
    const char *name;
    int fd;
    uint64_t bytes;
    uint8_t *look;
    size_t capacity;
} ranged_file;

static gs_code fail_read(const ranged_file *f, int error, gs_status *st)
{
    gs_quoted name;
    return GS_FAIL(st, GS_ERR_IO, error, "read failed: %s",
                   gs_quote_name(&name, f->name));
}

static gs_code fail_kind(const ranged_file *f, gs_status *st)
{
    gs_quoted name;
    return GS_FAIL(st, GS_ERR_ARG, 0, "%s: only of a plain file can a range be read",
                   gs_quote_name(&name, f->name));
}

/* A FIFO is not opened: its writer would notice. */
static gs_code open_plain(ranged_file *f, gs_status *st)
{
    struct stat info;
    gs_quoted name;
    uint8_t head[GS_DECODE_HEAD_BYTES];
    size_t taken = 0;
    if (strcmp(f->name, "-") == 0 ||
        (stat(f->name, &info) == 0 && !S_ISREG(info.st_mode)))
        return fail_kind(f, st);
    f->fd = open(f->name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (f->fd < 0)
        return GS_FAIL(st, GS_ERR_IO, errno, "cannot read: %s",
                       gs_quote_name(&name, f->name));
    if (fstat(f->fd, &info) != 0)
        return fail_read(f, errno, st);
    f->bytes = (uint64_t)info.st_size;
    const int error = gs_pread_all(f->fd, head, sizeof head, 0, &taken);
    if (error != 0)
        return fail_read(f, error, st);
    const bool is_plain = f->options->keep_compressed ||
                          gs_decode_recognise(head, taken) == GS_COMPRESSION_NONE;
    return S_ISREG(info.st_mode) && is_plain ? GS_OK : fail_kind(f, st);
}

/* Behind the first line end from byte `at` - 1 on. */
static gs_code find_line(ranged_file *f, uint64_t at, uint64_t *begin, gs_status *st)
{
    size_t wanted = LOOK_BYTES, taken = 0;
    for (uint64_t look = at - 1; look < f->bytes; look += taken) {
        GS_TRY(gs_cancel_check(f->options->cancel_signal, st));
        if (f->capacity < wanted) {
            GS_TRY(gs_mem_resize(&f->look, wanted, "end of a line", st));
            f->capacity = wanted;
        }
        const int error = gs_pread_all(f->fd, f->look, wanted, look, &taken);
        if (error != 0)
            return fail_read(f, error, st);
        if (taken == 0)
            break;
        const uint8_t *const end = memchr(f->look, f->options->order.eol, taken);
        if (end != NULL) {
            *begin = look + (uint64_t)(end - f->look) + 1;
            return GS_OK;
        }
        wanted = LOOK_BYTES_MAX;
    }
    *begin = f->bytes;
    return GS_OK;
}

static gs_code find_record(ranged_file *f, uint64_t *at, gs_status *st)
{
    const size_t size = f->options->order.record_size;
    if (*at >= f->bytes)
        *at = f->bytes;
    if (*at == 0 || *at == f->bytes)
        return GS_OK;
    if (size == 0)
        return find_line(f, *at, at, st);
    const uint64_t over = *at % size, left = f->bytes - *at;
    if (over > 0)
        *at += size - over < left ? size - over : left;
    return GS_OK;
}

gs_code gs_part_range_find(const gs_sort_options *options, uint64_t *from, uint64_t *to,
                           gs_status *st)
{
    ranged_file f = {.options = options, .name = options->inputs[0], .fd = -1};
    gs_assert(options->input_count == 1 && !gs_form_has_quotes(options->order.form));
    gs_assert(*from <= *to);
    if (open_plain(&f, st) == GS_OK && find_record(&f, from, st) == GS_OK)
        GS_NOTED(find_record(&f, to, st));
    if (f.fd >= 0)
        (void)close(f.fd);
    gs_mem_free(f.look);
    return st->code;
}
