/* SPDX-License-Identifier: MIT */
#include "tests/faults/unsynced_bytes.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/faults/real_calls.h"

enum { SECTOR = 512 };

typedef struct unsynced_file {
    dev_t device;
    ino_t inode;
    int fd; /* our own, which keeps the inode from being another file's */
    bool is_changed;
    off_t length;      /* at the last fsync */
    uint8_t **sectors; /* as they were then; NULL: not changed since */
    size_t sector_count;
    struct unsynced_file *next;
} unsynced_file;

static unsynced_file *files;

static void *need(void *memory)
{
    if (memory != NULL)
        return memory;
    fprintf(stderr, "GS_FAULT=cut: no memory\n");
    _exit(125);
}

uint64_t unsynced_chance(void)
{
    static uint64_t state;
    if (state == 0) {
        const char *const seed = getenv("GS_FAULT_SEED");
        state = (seed != NULL ? strtoull(seed, NULL, 10) : 1) * 2 + 1;
    }
    state += 0x9e3779b97f4a7c15U;
    uint64_t x = state;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

static unsynced_file *find(const struct stat *info)
{
    unsynced_file *f = files;
    while (f != NULL && (f->device != info->st_dev || f->inode != info->st_ino))
        f = f->next;
    return f;
}

static unsynced_file *add(int fd, const struct stat *info)
{
    char path[64];
    unsynced_file *const f = need(__real_calloc(1, sizeof *f));
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    f->fd = __real_open(path, O_RDWR | O_CLOEXEC);
    /* Pages read ahead would be in the way of direct writes. */
    (void)__real_posix_fadvise(f->fd, 0, 0, POSIX_FADV_RANDOM);
    f->device = info->st_dev;
    f->inode = info->st_ino;
    f->next = files;
    files = f;
    return f;
}

static void keep_sector(unsynced_file *f, size_t at, off_t length)
{
    if (at >= f->sector_count) {
        const size_t count = 2 * at + 64;
        f->sectors = need(__real_realloc(f->sectors, count * sizeof *f->sectors));
        memset(f->sectors + f->sector_count, 0,
               (count - f->sector_count) * sizeof *f->sectors);
        f->sector_count = count;
    }
    if (f->sectors[at] != NULL)
        return;
    f->sectors[at] = need(__real_calloc(1, SECTOR)); /* zeros behind the end */
    if ((off_t)(at * SECTOR) < length &&
        __real_pread(f->fd, f->sectors[at], SECTOR, (off_t)(at * SECTOR)) < 0)
        need(NULL);
}

void unsynced_keep(int fd, const struct stat *info, off_t begin, off_t end)
{
    unsynced_file *f = find(info);
    if (f == NULL)
        f = add(fd, info);
    if (!f->is_changed)
        f->length = info->st_size;
    f->is_changed = true;
    for (off_t at = begin / SECTOR; at * SECTOR < end; at++)
        keep_sector(f, (size_t)at, info->st_size);
}

void unsynced_forget(const struct stat *info)
{
    unsynced_file *const f = find(info);
    if (f == NULL)
        return;
    for (size_t i = 0; i < f->sector_count; i++) {
        free(f->sectors[i]);
        f->sectors[i] = NULL;
    }
    f->is_changed = false;
}

/* One that was not there before holds zeros: what lay on the disk is never shown. */
static void lose_sector(const unsynced_file *f, size_t at)
{
    if (__real_pwrite(f->fd, f->sectors[at], SECTOR, (off_t)(at * SECTOR)) < 0)
        need(NULL);
}

static off_t length_after(const unsynced_file *f, off_t now)
{
    const uint64_t chance = unsynced_chance();
    const off_t least = now < f->length ? now : f->length,
                most = now < f->length ? f->length : now;
    switch (chance % 3) {
    case 0: return f->length;
    case 1: return now;
    default: return least + (off_t)(chance / 3 % (uint64_t)(most - least + 1));
    }
}

static void lose(const unsynced_file *f)
{
    enum { ALL, NONE, SOME, WAYS };
    struct stat info;
    const uint64_t way = unsynced_chance() % WAYS;
    if (way == NONE || __real_fstat(f->fd, &info) != 0)
        return;
    const off_t length = way == ALL ? f->length : length_after(f, info.st_size);
    for (size_t i = 0; i < f->sector_count; i++) {
        if (f->sectors[i] != NULL && (way == ALL || unsynced_chance() % 2 == 0))
            lose_sector(f, i);
    }
    /* Written back at once: dirty pages would be in the way of direct writes. */
    if (__real_ftruncate(f->fd, length) != 0 || __real_fsync(f->fd) != 0)
        need(NULL);
    (void)__real_posix_fadvise(f->fd, 0, 0, POSIX_FADV_DONTNEED);
}

void unsynced_lose(void)
{
    for (const unsynced_file *f = files; f != NULL; f = f->next) {
        if (f->is_changed && f->fd >= 0)
            lose(f);
    }
}
