/* SPDX-License-Identifier: MIT */
#include "io/file_look.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "io/write_all.h"

bool gs_look_is_in_memory(int fd)
{
    struct statfs info;
    return fstatfs(fd, &info) == 0 && info.f_type == TMPFS_MAGIC;
}

bool gs_look_is_folder_in_memory(const char *name)
{
    struct statfs info;
    return statfs(name, &info) == 0 && info.f_type == TMPFS_MAGIC;
}

bool gs_look_is_cached(int fd, uint64_t from, uint64_t bytes, unsigned hits_min)
{
    if (gs_look_is_in_memory(fd))
        return true;
    unsigned hits = 0;
    for (unsigned i = 0; i < GS_LOOK_PROBES; i++) {
        char byte;
        const struct iovec one = {&byte, 1};
        const off_t at = (off_t)(from + bytes / GS_LOOK_PROBES * i);
        hits += preadv2(fd, &one, 1, at, RWF_NOWAIT) == 1;
    }
    return hits >= hits_min;
}

int gs_look_open_regular(const char *name, struct stat *info)
{
    if (stat(name, info) != 0 || !S_ISREG(info->st_mode))
        return -1;
    const int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || (fstat(fd, info) == 0 && S_ISREG(info->st_mode)))
        return fd;
    (void)close(fd);
    return -1;
}

int gs_look_at_head(gs_pump_file *file, uint64_t offset)
{
    uint8_t head[GS_DECODE_HEAD_BYTES];
    size_t n;
    const int error = gs_pread_all(file->fd, head, sizeof head, offset, &n);
    if (error != 0)
        return error;
    file->kind = gs_decode_recognise(head, n);
    file->decode_bytes = gs_decode_memory_bytes(file->kind, head, n);
    return 0;
}
