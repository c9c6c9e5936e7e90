/* SPDX-License-Identifier: MIT */
#include "io/late_read.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "io/write_all.h"
#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"

enum {
    WINDOW_BYTES_MIN = 4096,  /* most records end within as many bytes, */
    WINDOW_BYTES_MAX = 65536, /* and for the others it is looked through so many */
    MARKS_AHEAD = 64,         /* that are looked at before they are asked for, */
    MARKS_A_BLOCK = 2,        /* by who has a block, so many */
    BLOCK_PART = 8,           /* marks are a block less one of its so many parts apart */
};

typedef struct late_mark {
    uint64_t number; /* from 1; 0: none */
    gs_late_ends ends;
} late_mark;

struct gs_late_file {
    int fd;
    const char *name;
    atomic_size_t users; /* who made it, and blocks without content */
    gs_late_range range;
    size_t step;           /* from mark to mark */
    pthread_mutex_t mutex; /* guards what follows */
    uint64_t asked;        /* the last mark */
    uint64_t next;         /* the first mark that nobody looks at, or has */
    late_mark marks[MARKS_AHEAD];
};

gs_code gs_late_file_new(gs_late_file **out, int fd, const char *name,
                         const gs_late_range *range, gs_status *st)
{
    *out = NULL;
    gs_late_file *file = NULL;
    gs_assert(range->block_bytes >= BLOCK_PART);
    GS_TRY(gs_mem_new(&file, sizeof *file, "input file", st));
    file->fd = fd;
    file->name = name;
    file->range = *range;
    file->step = range->block_bytes - range->block_bytes / BLOCK_PART;
    file->next = 1;
    atomic_store(&file->users, 1);
    pthread_mutex_init(&file->mutex, NULL);
    *out = file;
    return GS_OK;
}

void gs_late_file_release(gs_late_file *file)
{
    if (file == NULL || atomic_fetch_sub(&file->users, 1) > 1)
        return;
    (void)close(file->fd);
    pthread_mutex_destroy(&file->mutex);
    gs_mem_free(file);
}

/* --- marks -------------------------------------------------------------------------- */

static uint64_t mark_place(const gs_late_file *f, uint64_t number)
{
    return f->range.begin + number * f->step;
}

/* Behind the last eol in [begin, end); 0: there is none, or it cannot be read. */
static uint64_t find_back(const gs_late_file *f, uint64_t begin, uint64_t end)
{
    uint8_t window[WINDOW_BYTES_MAX];
    size_t most = WINDOW_BYTES_MIN, taken;
    for (uint64_t at = end; at > begin; most = WINDOW_BYTES_MAX) {
        const size_t n = at - begin < most ? (size_t)(at - begin) : most;
        at -= n;
        if (gs_pread_all(f->fd, window, n, at, &taken) != 0 || taken < n)
            return 0;
        const uint8_t *const last = memrchr(window, f->range.eol, n);
        if (last != NULL)
            return at + (size_t)(last - window) + 1;
    }
    return 0;
}

/* Behind the first one. */
static uint64_t find_end(const gs_late_file *f, uint64_t begin, uint64_t end)
{
    uint8_t window[WINDOW_BYTES_MAX];
    size_t most = WINDOW_BYTES_MIN, taken;
    for (uint64_t at = begin; at < end; at += taken, most = WINDOW_BYTES_MAX) {
        const size_t n = end - at < most ? (size_t)(end - at) : most;
        if (gs_pread_all(f->fd, window, n, at, &taken) != 0 || taken < n)
            return 0;
        const uint8_t *const first = memchr(window, f->range.eol, n);
        if (first != NULL)
            return at + (size_t)(first - window) + 1;
    }
    return 0;
}

/* A record that ends right before the mark ends at it. */
static gs_late_ends look_around(const gs_late_file *f, uint64_t number)
{
    const uint64_t mark = mark_place(f, number);
    const gs_late_range *const r = &f->range;
    const uint64_t left = r->end - mark;
    const uint64_t most = left < r->record_bytes_max ? left : r->record_bytes_max;
    gs_late_ends ends = {0, find_end(f, mark - 1, mark + most)};
    if (ends.end == 0 || ends.end - mark > r->block_bytes - f->step)
        ends.back = find_back(f, mark - f->step, mark - 1);
    return ends;
}

/* What somebody has seen there, if that has been kept. */
static bool find_mark(gs_late_file *f, uint64_t number, gs_late_ends *ends)
{
    pthread_mutex_lock(&f->mutex);
    f->asked = number;
    if (f->next <= number)
        f->next = number + 1;
    const late_mark *const m = &f->marks[number % MARKS_AHEAD];
    const bool is_there = m->number == number;
    if (is_there)
        *ends = m->ends;
    pthread_mutex_unlock(&f->mutex);
    return is_there;
}

/* Unless it was asked for meanwhile, and its place may be another's. */
static void keep_mark(gs_late_file *f, uint64_t number, const gs_late_ends *ends)
{
    pthread_mutex_lock(&f->mutex);
    if (number >= f->asked)
        f->marks[number % MARKS_AHEAD] = (late_mark){number, *ends};
    pthread_mutex_unlock(&f->mutex);
}

gs_late_ends gs_late_file_ends(gs_late_file *file, uint64_t offset)
{
    gs_late_ends ends;
    const uint64_t number = (offset - file->range.begin) / file->step + 1;
    gs_assert(offset + file->range.block_bytes < file->range.end);
    if (!find_mark(file, number, &ends)) {
        ends = look_around(file, number);
        keep_mark(file, number, &ends);
    }
    return ends;
}

/* The next mark that is for the caller to look at; 0: there is none now. */
static uint64_t take_mark(gs_late_file *f)
{
    uint64_t number = 0;
    pthread_mutex_lock(&f->mutex);
    if (f->next < f->asked + MARKS_AHEAD && mark_place(f, f->next) < f->range.end)
        number = f->next++;
    pthread_mutex_unlock(&f->mutex);
    return number;
}

void gs_late_file_look_ahead(gs_late_file *file)
{
    for (int i = 0; i < MARKS_A_BLOCK; i++) {
        const uint64_t number = take_mark(file);
        if (number == 0)
            return;
        const gs_late_ends ends = look_around(file, number);
        keep_mark(file, number, &ends);
    }
}

/* --- blocks ------------------------------------------------------------------------- */

void gs_block_set_late(gs_block *block, gs_late_file *file, uint64_t offset, size_t bytes,
                       size_t rest)
{
    gs_assert(block->late == NULL && block->data == block->start);
    gs_assert(bytes <= block->capacity);
    atomic_fetch_add(&file->users, 1);
    block->late = file;
    block->late_offset = offset;
    block->len = bytes;
    block->late_rest = rest;
}

static gs_code read_to(gs_block *block, uint8_t *to, size_t bytes, gs_status *st)
{
    gs_late_file *const file = block->late;
    gs_quoted name;
    size_t taken = 0;
    const int error = gs_pread_all(file->fd, to, bytes, block->late_offset, &taken);
    if (error != 0)
        (void)GS_FAIL(st, GS_ERR_IO, error, "read failed: %s",
                      gs_quote_name(&name, file->name));
    else if (taken < bytes)
        (void)GS_FAIL(st, GS_ERR_IO, 0, "%s: it became shorter while it was read",
                      gs_quote_name(&name, file->name));
    block->late = NULL;
    block->late_rest = 0;
    gs_late_file_release(file);
    return st->code;
}

gs_code gs_block_read_late(gs_block *block, gs_status *st)
{
    gs_assert(block->late_rest == 0);
    return block->late == NULL ? GS_OK : read_to(block, block->start, block->len, st);
}

gs_code gs_block_read_whole(gs_block *block, uint8_t *to, gs_status *st)
{
    return read_to(block, to, block->len + block->late_rest, st);
}
