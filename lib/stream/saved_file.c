/* SPDX-License-Identifier: MIT */
/*
 * saved_file: saved summaries to files and back.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "io/output.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"
#include "lib/stream/saved_summary.h"

gs_code gs_saved_summary_write(gs_saved_summary *s, const char *path, gs_status *st)
{
    gs_output *output = NULL;
    gs_packer p = {.bytes = 0};
    GS_TRY_OR_FAIL(gs_saved_summary_pack(s, &p, st));
    GS_TRY_OR_FAIL(gs_output_open(&output, path, NULL, st));
    uint64_t written = 0;
    GS_TRY_OR_FAIL(gs_output_write(output, p.data, p.bytes, &written, st));
    GS_NOTED(gs_output_commit(output, written, true, st));
fail:
    gs_output_free(output);
    gs_packer_release(&p);
    return st->code;
}

static gs_code read_all(int fd, const char *name, size_t bytes_max, gs_packer *to,
                        gs_status *st)
{
    enum { STEP = 64 << 10 };
    for (;;) {
        if (to->bytes > bytes_max)
            return GS_FAIL(st, GS_ERR_LIMIT, 0, "%s: this takes more than %zu bytes",
                           name, bytes_max);
        GS_TRY(
            gs_mem_grow(&to->data, &to->capacity, to->bytes + STEP, "saved summary", st));
        const ssize_t n = read(fd, to->data + to->bytes, STEP);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return GS_FAIL(st, GS_ERR_IO, errno, "read failed: %s", name);
        if (n == 0)
            return GS_OK;
        to->bytes += (size_t)n;
    }
}

gs_code gs_saved_summary_read(gs_saved_summary *out, const char *path, size_t bytes_max,
                              gs_status *st)
{
    gs_quoted name;
    gs_packer bytes = {.bytes = 0};
    *out = (gs_saved_summary){.values = 0};
    const bool is_input = strcmp(path, "-") == 0;
    if (is_input)
        path = "standard input";
    gs_quote_name(&name, path);
    const int fd = is_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return GS_FAIL(st, GS_ERR_IO, errno, "cannot open %s", name.text);
    if (read_all(fd, name.text, bytes_max, &bytes, st) == GS_OK)
        GS_NOTED(gs_saved_summary_unpack(out, bytes.data, bytes.bytes, path, st));
    if (!is_input)
        (void)close(fd);
    gs_packer_release(&bytes);
    return st->code;
}
