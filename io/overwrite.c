/* SPDX-License-Identifier: MIT */
#include "io/overwrite.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/write_all.h"
#include "lib/base/mem.h"

enum { BUFFER_BYTES = 1 << 20 };

static int write_all(const gs_overwrite *o, const char *data, size_t bytes, uint64_t from)
{
    return o->appends ? gs_write_all(o->to, data, bytes)
                      : gs_pwrite_all(o->to, data, bytes, o->at + from);
}

/* Copies bytes [begin, end) of `from`. */
static int copy(const gs_overwrite *o, char *buffer, uint64_t begin, uint64_t end)
{
    while (begin < end) {
        const uint64_t left = end - begin;
        const size_t want = left < BUFFER_BYTES ? (size_t)left : BUFFER_BYTES;
        size_t n;
        int error = gs_pread_all(o->from, buffer, want, begin, &n);
        if (error == 0)
            error = n > 0 ? write_all(o, buffer, n, begin) : EIO;
        if (error != 0)
            return error;
        begin += n;
    }
    return 0;
}

/* Asks for the space. What is refused for another reason than that there is none is met
 * by the writes, if at all. */
static int ask_space(const gs_overwrite *o)
{
    if (o->bytes == 0 ||
        fallocate(o->to, FALLOC_FL_KEEP_SIZE, (off_t)o->at, (off_t)o->bytes) == 0)
        return 0;
    return gs_is_full_disk(errno) ? errno : 0;
}

static int overwrite(const gs_overwrite *o, char *buffer, uint64_t old_bytes,
                     bool *is_touched)
{
    const uint64_t old_part = old_bytes > o->at ? old_bytes - o->at : 0;
    const uint64_t head = old_part < o->bytes ? old_part : o->bytes;
    int error = ask_space(o);
    if (error == 0)
        error = copy(o, buffer, head, o->bytes);
    if (error != 0) { /* also gives back what was asked for behind the end */
        *is_touched = ftruncate(o->to, (off_t)old_bytes) != 0;
        return error;
    }
    *is_touched = true;
    error = copy(o, buffer, 0, head);
    if (error == 0 && o->is_end && ftruncate(o->to, (off_t)(o->at + o->bytes)) != 0)
        error = errno;
    return error;
}

int gs_overwrite_run(const gs_overwrite *o, bool *is_touched)
{
    gs_status st = {.code = GS_OK};
    char *buffer = NULL;
    struct stat old;
    *is_touched = false;
    if (fstat(o->to, &old) != 0)
        return errno;
    if (gs_mem_new(&buffer, BUFFER_BYTES, "output copy", &st) != GS_OK)
        return ENOMEM;
    const int error = o->appends
                          ? copy(o, buffer, 0, o->bytes)
                          : overwrite(o, buffer, (uint64_t)old.st_size, is_touched);
    gs_mem_free(buffer);
    return error;
}
