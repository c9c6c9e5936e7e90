/* SPDX-License-Identifier: MIT */
#include "lib/sort/record/input_stamps.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/base/quote.h"

/* A file that was changed just now is looked at again when its clock has moved on, which
 * some file systems let it do every two seconds only. */
enum { WAIT_MS = 2500 };

static bool is_stdin(const char *name)
{
    return strcmp(name, "-") == 0;
}

static gs_code fail_kind(const char *name, gs_status *st)
{
    gs_quoted q;
    (void)GS_FAIL(st, GS_ERR_ARG, 0, "%s: not a regular file, which --checkpoint needs",
                  gs_quote_name(&q, name));
    return gs_status_hint(st, "what comes through a pipe cannot be read again: put it "
                              "into a file first");
}

/* Not opened at all if it is no file: a FIFO would notice. */
static gs_code open_input(const char *name, int *fd, gs_status *st)
{
    struct stat info;
    gs_quoted q;
    *fd = -1;
    if (is_stdin(name)) {
        if (fstat(STDIN_FILENO, &info) != 0 || !S_ISREG(info.st_mode))
            return fail_kind(name, st);
        *fd = STDIN_FILENO;
        return GS_OK;
    }
    if (stat(name, &info) == 0 && !S_ISREG(info.st_mode))
        return fail_kind(name, st);
    *fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    return *fd >= 0 ? GS_OK
                    : GS_FAIL(st, GS_ERR_IO, errno, "cannot read: %s",
                              gs_quote_name(&q, name));
}

static gs_code take_one(gs_input_stamp *item, const char *name, gs_status *st)
{
    int fd;
    GS_TRY(open_input(name, &fd, st));
    const bool is_taken = gs_file_stamp_take(&item->file, fd, WAIT_MS);
    const int error = errno;
    const off_t at = fd == STDIN_FILENO ? lseek(fd, 0, SEEK_CUR) : 0;
    item->start = at > 0 ? (uint64_t)at : 0;
    if (fd != STDIN_FILENO)
        (void)close(fd);
    gs_quoted q;
    (void)gs_quote_name(&q, name);
    if (is_taken)
        return GS_OK;
    return error != EBUSY /* which is that it changes all the time */
               ? GS_FAIL(st, GS_ERR_IO, error, "cannot read: %s", q.text)
               : GS_FAIL(st, GS_ERR_IO, 0, "%s: somebody is writing to it", q.text);
}

gs_code gs_input_stamps_take(gs_input_stamps *s, const char *const *names, size_t count,
                             gs_status *st)
{
    size_t stdin_count = 0;
    *s = (gs_input_stamps){.names = names, .count = count};
    GS_TRY(gs_mem_new_array(&s->items, count, sizeof *s->items, "inputs", st));
    for (size_t i = 0; i < count; i++) {
        stdin_count += is_stdin(names[i]);
        if (stdin_count > 1)
            return GS_FAIL(st, GS_ERR_ARG, 0,
                           "standard input can be named only once with --checkpoint");
        GS_TRY(take_one(&s->items[i], names[i], st));
    }
    return GS_OK;
}

gs_code gs_input_stamps_refuse_output(const gs_input_stamps *s, const char *output,
                                      gs_status *st)
{
    struct stat info;
    gs_quoted q;
    if (stat(output, &info) != 0)
        return GS_OK;
    for (size_t i = 0; i < s->count; i++) {
        const gs_file_stamp *const input = &s->items[i].file;
        if (info.st_dev != input->device || info.st_ino != input->inode)
            continue;
        (void)GS_FAIL(st, GS_ERR_ARG, 0,
                      "%s is input and output, and --checkpoint needs "
                      "inputs that stay",
                      gs_quote_name_always(&q, output));
        return gs_status_hint(st, "write to another name, and rename it then");
    }
    return GS_OK;
}

void gs_input_stamps_release(gs_input_stamps *s)
{
    gs_mem_free(s->items);
    *s = (gs_input_stamps){0};
}

static gs_code pack_time(gs_packer *p, struct timespec time, gs_status *st)
{
    GS_TRY(gs_pack_number(p, (uint64_t)time.tv_sec, st));
    return gs_pack_number(p, (uint64_t)time.tv_nsec, st);
}

static bool is_same_time(gs_unpacker *u, struct timespec time)
{
    const uint64_t seconds = gs_unpack_number(u);
    const uint64_t nanoseconds = gs_unpack_number(u);
    return seconds == (uint64_t)time.tv_sec && nanoseconds == (uint64_t)time.tv_nsec;
}

gs_code gs_input_stamps_pack(const gs_input_stamps *s, gs_packer *p, gs_status *st)
{
    GS_TRY(gs_pack_number(p, s->count, st));
    for (size_t i = 0; i < s->count; i++) {
        const gs_input_stamp *const item = &s->items[i];
        GS_TRY(gs_pack_string(p, s->names[i], strlen(s->names[i]), st));
        GS_TRY(gs_pack_number(p, item->start, st));
        GS_TRY(gs_pack_number(p, item->file.bytes, st));
        GS_TRY(gs_pack_number(p, item->file.inode, st));
        GS_TRY(pack_time(p, item->file.written, st));
        GS_TRY(pack_time(p, item->file.changed, st));
    }
    return GS_OK;
}

/* What differs, or NULL. A name, a mode or an owner that changes is a change too, as far
 * as the times tell. */
static const char *compare_one(const gs_input_stamp *item, gs_unpacker *u)
{
    const bool is_same_start = gs_unpack_number(u) == item->start;
    const bool is_same_size = gs_unpack_number(u) == item->file.bytes;
    const bool is_same_file = gs_unpack_number(u) == item->file.inode;
    const bool is_same_write = is_same_time(u, item->file.written);
    const bool is_same_change = is_same_time(u, item->file.changed);
    return !is_same_file     ? "is another file now"
           : !is_same_size   ? "has another size now"
           : !is_same_write  ? "was written to since"
           : !is_same_change ? "was changed since"
           : !is_same_start  ? "is read from another place now"
                             : NULL;
}

gs_code gs_input_stamps_compare(const gs_input_stamps *s, gs_unpacker *u,
                                const char *whose, gs_status *st)
{
    gs_quoted q;
    const uint64_t count = gs_unpack_number(u);
    if (count != s->count)
        return GS_FAIL(st, GS_ERR_ARG, 0,
                       "%s of another number of inputs: %llu, and not %zu", whose,
                       (unsigned long long)count, s->count);
    for (size_t i = 0; i < s->count; i++) {
        size_t bytes;
        const char *const name = s->names[i];
        const uint8_t *const was = gs_unpack_string(u, &bytes);
        (void)gs_quote_name_always(&q, name);
        if (bytes != strlen(name) || memcmp(was, name, bytes) != 0)
            return GS_FAIL(st, GS_ERR_ARG, 0, "%s with '%.*s' as input %zu, and not %s",
                           whose, (int)(bytes < 1024 ? bytes : 1024), (const char *)was,
                           i + 1, q.text);
        const char *const difference = compare_one(&s->items[i], u);
        if (difference != NULL)
            return GS_FAIL(st, GS_ERR_ARG, 0, "%s of other inputs: %s %s", whose, q.text,
                           difference);
    }
    return GS_OK;
}

gs_code gs_input_stamps_check(const gs_input_stamps *s, gs_status *st)
{
    for (size_t i = 0; i < s->count; i++) {
        const char *const name = s->names[i];
        const gs_file_stamp *const stamp = &s->items[i].file;
        gs_quoted q;
        if (is_stdin(name) ? !gs_file_stamp_is_same(stamp, STDIN_FILENO)
                           : !gs_file_stamp_is_same_at(stamp, name))
            return GS_FAIL(st, GS_ERR_IO, 0, "%s was changed while it was read",
                           gs_quote_name_always(&q, name));
    }
    return GS_OK;
}
