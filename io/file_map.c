/* SPDX-License-Identifier: MIT */
#include "io/file_map.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/last_close.h"
#include "lib/base/mem.h"

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

enum { PAGE_BYTES = 4096 };

static bool name_files(gs_file_map *map, const char *const *names)
{
    gs_status ignored = {.code = GS_OK};
    for (size_t i = 0; i < map->file_count; i++) {
        gs_mapped_file *const f = &map->files[i];
        if (gs_map_name_new(&f->name, map->base + f->begin, f->bytes + GS_FILE_MAP_SLACK,
                            names[f->input_index], &ignored) != GS_OK)
            return false;
    }
    return true;
}

static void forget_names(gs_file_map *map)
{
    for (size_t i = 0; i < map->file_count; i++)
        gs_map_name_free(map->files[i].name);
}

/* Bytes that are mapped before those that are wanted. */
static size_t before(const gs_mapped_file *file)
{
    return (size_t)(file->from % GS_MEM_LARGE_PAGE);
}

/* A file is mapped by large pages where it has them and is at their bounds in memory. */
bool gs_file_map_open(gs_file_map *map, const gs_mapped_file *files, size_t file_count,
                      size_t copy_bytes, bool small_pages, const char *const *names)
{
    const size_t off_bounds = small_pages ? PAGE_BYTES : 0;
    gs_status ignored = {.code = GS_OK};
    *map = (gs_file_map){.file_count = file_count};
    for (size_t i = 0; i < file_count; i++) {
        map->files[i] = files[i];
        map->files[i].name = NULL;
        map->files[i].begin = map->copies_begin + off_bounds + before(&files[i]);
        map->copies_begin =
            gs_mem_large_pages(map->files[i].begin + files[i].bytes + GS_FILE_MAP_SLACK);
    }
    map->map_bytes = map->copies_begin + copy_bytes;
    if (gs_mem_map(&map->base, map->map_bytes, !small_pages, "mapped files", &ignored) !=
        GS_OK)
        goto fail;
    for (size_t i = 0; i < file_count; i++) {
        const gs_mapped_file *const f = &map->files[i];
        if (mmap(map->base + f->begin - before(f), f->bytes + before(f), PROT_READ,
                 MAP_PRIVATE | MAP_FIXED, f->fd,
                 (off_t)(f->from - before(f))) == MAP_FAILED)
            goto fail;
    }
    if (name_files(map, names))
        return true;
fail:
    forget_names(map);
    gs_mem_unmap(map->base, map->map_bytes);
    *map = (gs_file_map){0};
    return false;
}

void gs_file_map_close(gs_file_map *map)
{
    if (map->base == NULL)
        return;
    forget_names(map);
    gs_mem_unmap(map->base, map->map_bytes);
    for (size_t i = 0; i < map->file_count; i++) {
        /* One that is sorted in place has no name any more. */
        if (map->files[i].fd == STDIN_FILENO)
            continue;
        struct stat info;
        if (fstat(map->files[i].fd, &info) == 0 && info.st_nlink == 0)
            gs_last_close(map->files[i].fd);
        else
            (void)close(map->files[i].fd);
    }
    *map = (gs_file_map){0};
}

size_t gs_file_map_read(const gs_mapped_file *file, size_t at, void *to, size_t bytes)
{
    ssize_t got;
    do
        got = pread(file->fd, to, bytes, (off_t)(file->from + at));
    while (got < 0 && errno == EINTR);
    return got > 0 ? (size_t)got : 0;
}

/* Advice that the kernel may not know, or not take: pages come when looked at anyway. */
static void advise(const uint8_t *data, size_t bytes, int advice)
{
    const uintptr_t begin = (uintptr_t)data / PAGE_BYTES * PAGE_BYTES;
    (void)madvise((void *)begin, (uintptr_t)data + bytes - begin, advice);
}

void gs_file_map_ask(const uint8_t *data, size_t bytes)
{
    advise(data, bytes, MADV_WILLNEED);
}

void gs_file_map_bring(const uint8_t *data, size_t bytes)
{
    advise(data, bytes, MADV_POPULATE_READ);
}

gs_code gs_file_map_check(const gs_file_map *map, gs_status *st)
{
    for (size_t i = 0; i < map->file_count; i++) {
        const gs_mapped_file *const f = &map->files[i];
        if (!gs_file_stamp_is_same(&f->stamp, f->fd))
            return gs_map_name_fail(map->base + f->begin, errno, st);
    }
    return GS_OK;
}

size_t gs_file_map_text_bytes(const gs_file_map *map)
{
    size_t sum = 0;
    for (size_t i = 0; i < map->file_count; i++)
        sum += map->files[i].bytes;
    return sum;
}

void gs_file_map_leave(const gs_file_map *map, unsigned part, unsigned parts)
{
    const size_t pages = map->copies_begin / GS_MEM_LARGE_PAGE;
    const size_t begin = pages * part / parts, end = pages * (part + 1) / parts;
    gs_mem_discard(map->base + begin * GS_MEM_LARGE_PAGE,
                   (end - begin) * GS_MEM_LARGE_PAGE);
}

void gs_file_map_leave_part(const uint8_t *data, size_t bytes)
{
    const uintptr_t at = (uintptr_t)data;
    const uintptr_t begin = (at + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    const uintptr_t end = (at + bytes) / PAGE_BYTES * PAGE_BYTES;
    if (begin < end)
        gs_mem_discard((void *)begin, end - begin);
}

void gs_file_map_leave_around(const uint8_t *begin, const uint8_t *data, size_t bytes)
{
    enum { AROUND_BYTES = 1 << 18 };
    const size_t before = (size_t)(data - begin);
    const size_t around = before < AROUND_BYTES ? before : AROUND_BYTES;
    gs_file_map_leave_part(data - around, bytes + around);
}
