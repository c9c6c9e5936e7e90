/* SPDX-License-Identifier: MIT */
#include "io/input_head.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/decode.h"
#include "io/file_look.h"
#include "io/wait_read.h"
#include "lib/base/mem.h"

/* To look at more files takes longer than to plan. */
enum { FILES_MAX = 8 };

/* Compressed, it may be a thousand times as large as it looks. */
static bool is_packed(const uint8_t *data, size_t bytes, bool keep_compressed)
{
    return !keep_compressed && gs_decode_recognise(data, bytes) != GS_COMPRESSION_NONE;
}

static gs_code look_at_pipe(gs_input_head *head, bool keep_compressed,
                            const volatile int *cancel, gs_status *st)
{
    GS_TRY(gs_mem_map(&head->data, GS_INPUT_HEAD_BYTES, false, "beginning of the input",
                      st));
    while (head->bytes < GS_INPUT_HEAD_BYTES && !head->is_all) {
        const ssize_t n = gs_wait_read(STDIN_FILENO, head->data + head->bytes,
                                       GS_INPUT_HEAD_BYTES - head->bytes, cancel);
        if (n < 0)
            return GS_OK;
        head->is_all = n == 0;
        head->bytes += (size_t)n;
    }
    head->is_small = head->is_all && !is_packed(head->data, head->bytes, keep_compressed);
    return GS_OK;
}

/* The size of a regular file that is not compressed; SIZE_MAX of any other, and of one
 * that has no size, as those of the kernel that are made when they are read. */
static size_t plain_bytes(const char *name, bool keep_compressed)
{
    struct stat info;
    gs_pump_file file = {.fd = gs_look_open_regular(name, &info)};
    if (file.fd < 0)
        return SIZE_MAX;
    const bool is_plain = info.st_size > 0 && info.st_size <= GS_INPUT_HEAD_BYTES &&
                          (keep_compressed || (gs_look_at_head(&file, 0) == 0 &&
                                               file.kind == GS_COMPRESSION_NONE));
    (void)close(file.fd);
    return is_plain ? (size_t)info.st_size : SIZE_MAX;
}

gs_code gs_input_head_look(gs_input_head *head, const char *const *names,
                           size_t name_count, bool keep_compressed,
                           const volatile int *cancel, gs_status *st)
{
    struct stat info;
    size_t bytes = 0;
    *head = (gs_input_head){.is_small = false};
    if (name_count == 1 && strcmp(names[0], "-") == 0)
        return fstat(STDIN_FILENO, &info) != 0 || S_ISREG(info.st_mode)
                   ? GS_OK
                   : look_at_pipe(head, keep_compressed, cancel, st);
    for (size_t i = 0; i < name_count; i++) {
        const size_t more = name_count <= FILES_MAX && strcmp(names[i], "-") != 0
                                ? plain_bytes(names[i], keep_compressed)
                                : SIZE_MAX;
        if (more > GS_INPUT_HEAD_BYTES - bytes)
            return GS_OK;
        bytes += more;
    }
    head->is_small = true;
    return GS_OK;
}

void gs_input_head_release(gs_input_head *head)
{
    gs_mem_unmap(head->data, GS_INPUT_HEAD_BYTES);
    *head = (gs_input_head){.is_small = false};
}
