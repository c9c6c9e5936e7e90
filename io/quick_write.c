/* SPDX-License-Identifier: MIT */
#include "io/quick_write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "io/write_all.h"
#include "lib/base/machine.h"

enum { ALIGN = 4096 };

/* From here on the other way is tried; pages that are there cost a tenth of that. */
static const double DEAR_NS = 2;

void gs_quick_writer_begin(gs_quick_writer *w, int fd, gs_write_way way)
{
    *w = (gs_quick_writer){.fd = fd, .direct_fd = -1, .way = way};
}

void gs_quick_writer_end(gs_quick_writer *w)
{
    if (w->direct_fd >= 0)
        (void)close(w->direct_fd);
}

/* False, and it is not tried again, where the file cannot be written so. */
static bool can_go_direct(gs_quick_writer *w)
{
    char path[64];
    if (w->direct_fd >= 0)
        return true;
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", w->fd);
    w->direct_fd = open(path, O_WRONLY | O_CLOEXEC | O_DIRECT);
    if (w->direct_fd < 0)
        w->way = GS_WRITE_CACHED;
    return w->direct_fd >= 0;
}

static bool is_aligned(const uint8_t *data, size_t bytes, uint64_t offset)
{
    return (((uintptr_t)data | bytes | offset) & (ALIGN - 1)) == 0;
}

static bool is_direct_quicker(const gs_quick_writer *w)
{
    return w->cached_ns > DEAR_NS && w->direct_ns < w->cached_ns;
}

/* One slow write may be somebody else's doing, several are not. */
static double lately(double before, double now)
{
    return before == 0 ? now : (3 * before + now) / 4;
}

int gs_quick_write(gs_quick_writer *w, const uint8_t *data, size_t bytes, uint64_t offset)
{
    const bool wants =
        w->way == GS_WRITE_DIRECT || (w->way == GS_WRITE_QUICK && is_direct_quicker(w));
    const uint64_t begin_ns = gs_machine_now_ns();
    bool is_direct = wants && is_aligned(data, bytes, offset) && can_go_direct(w);
    int error = 0;
    if (is_direct)
        error = gs_pwrite_all(w->direct_fd, data, bytes, offset);
    if (is_direct && error == EINVAL) { /* some file systems say so only now */
        w->way = GS_WRITE_CACHED;
        is_direct = false;
    }
    if (!is_direct)
        error = gs_pwrite_all(w->fd, data, bytes, offset);
    if (bytes > 0) {
        double *const taken = is_direct ? &w->direct_ns : &w->cached_ns;
        *taken = lately(*taken, (double)(gs_machine_now_ns() - begin_ns) / (double)bytes);
    }
    return error;
}
