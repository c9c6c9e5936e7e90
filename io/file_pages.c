/* SPDX-License-Identifier: MIT */
#include "io/file_pages.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/file_look.h"
#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/base/thread.h"

enum {
    PAGE = 4096,
    /* Mapping and unmapping keep every thread of the process from taking pages, so they
     * are rare. */
    STRETCH_BYTES = 256 << 20,
    POPULATE_WRITE = 23, /* MADV_POPULATE_WRITE, since Linux 5.14 */
    /* More get no more pages of one file: their locks are the bound (gpu/NOTES.md). */
    TAKERS_MAX = 8,
    AHEAD_BYTES = 4 << 20, /* that are taken ahead at a time */
};

typedef struct gs_stretch {
    uint8_t *memory; /* NULL: not mapped yet, or no more */
    size_t dropped_units;
    unsigned takers; /* ahead: so long it stays mapped */
} gs_stretch;

struct gs_file_pages {
    int fd;
    uint64_t begin; /* in the file */
    size_t unit_bytes, units_a_stretch;
    pthread_mutex_t mutex; /* guards what follows */
    pthread_cond_t taken;
    unsigned takers;      /* threads that take pages */
    gs_file_space *space; /* NULL: it was stopped */
    uint64_t file_bytes;
    gs_stretch *stretches;
    size_t stretch_capacity;
    uint64_t ahead, ahead_end; /* units to take ahead; equal: none */
    bool is_ending;
    pthread_cond_t has_ahead; /* or is ending */
    pthread_t ahead_threads[TAKERS_MAX];
    unsigned ahead_thread_count; /* not guarded */
};

bool gs_file_pages_fit(int fd)
{
    struct stat info;
    const int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && (flags & O_ACCMODE) == O_RDWR && (flags & O_APPEND) == 0 &&
           gs_look_is_in_memory(fd) && fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
}

static size_t stretch_bytes(const gs_file_pages *p)
{
    return p->units_a_stretch * p->unit_bytes;
}

/* Maps the stretch that is asked for; 0 or errno. */
static int need_stretch_locked(gs_file_pages *p, size_t number)
{
    gs_status st = {.code = GS_OK};
    if (gs_mem_grow(&p->stretches, &p->stretch_capacity, number + 1, "output pages",
                    &st) != GS_OK)
        return ENOMEM;
    gs_stretch *const s = &p->stretches[number];
    if (s->memory != NULL)
        return 0;
    gs_assert(s->dropped_units == 0);
    void *const memory = mmap(NULL, stretch_bytes(p), PROT_READ | PROT_WRITE, MAP_SHARED,
                              p->fd, (off_t)(p->begin + number * stretch_bytes(p)));
    if (memory == MAP_FAILED)
        return errno;
    s->memory = memory;
    return 0;
}

gs_code gs_file_pages_new(gs_file_pages **out, int fd, uint64_t begin, size_t unit_bytes,
                          gs_file_space *space, gs_status *st)
{
    gs_assert(unit_bytes % PAGE == 0 && begin % PAGE == 0);
    *out = NULL;
    gs_file_pages *p = NULL;
    struct stat info;
    GS_TRY(gs_mem_new(&p, sizeof *p, "output pages", st));
    p->fd = fd;
    p->begin = begin;
    p->space = space;
    p->unit_bytes = unit_bytes;
    p->units_a_stretch = unit_bytes < STRETCH_BYTES ? STRETCH_BYTES / unit_bytes : 1;
    pthread_mutex_init(&p->mutex, NULL);
    pthread_cond_init(&p->taken, NULL);
    pthread_cond_init(&p->has_ahead, NULL);
    int error = fstat(fd, &info) == 0 ? 0 : errno;
    if (error == 0 && (uint64_t)info.st_size > begin)
        p->file_bytes = (uint64_t)info.st_size - begin;
    if (error == 0)
        error = need_stretch_locked(p, 0); /* whoever cannot be mapped shows it now */
    if (error == 0) {
        *out = p;
        return GS_OK;
    }
    gs_file_pages_free(p);
    return GS_FAIL(st, GS_ERR_IO, error, "cannot map the output");
}

static void end_ahead(gs_file_pages *p)
{
    pthread_mutex_lock(&p->mutex);
    p->is_ending = true;
    pthread_cond_broadcast(&p->has_ahead);
    pthread_mutex_unlock(&p->mutex);
    while (p->ahead_thread_count > 0)
        pthread_join(p->ahead_threads[--p->ahead_thread_count], NULL);
}

void gs_file_pages_free(gs_file_pages *p)
{
    if (p == NULL)
        return;
    end_ahead(p);
    for (size_t i = 0; i < p->stretch_capacity; i++) {
        if (p->stretches[i].memory != NULL)
            (void)munmap(p->stretches[i].memory, stretch_bytes(p));
    }
    gs_mem_free(p->stretches);
    pthread_cond_destroy(&p->has_ahead);
    pthread_cond_destroy(&p->taken);
    pthread_mutex_destroy(&p->mutex);
    gs_mem_free(p);
}

static int reserve(const gs_file_pages *p, uint64_t offset, size_t bytes)
{
    while (fallocate(p->fd, FALLOC_FL_KEEP_SIZE, (off_t)(p->begin + offset),
                     (off_t)bytes) != 0) {
        if (errno != EINTR)
            return errno;
    }
    return 0;
}

static int populate(uint8_t *memory, size_t bytes)
{
    while (madvise(memory, bytes, POPULATE_WRITE) != 0) {
        if (errno != EINTR && errno != EAGAIN)
            return errno;
    }
    return 0;
}

/* Takes pages of the file; 0 or errno. An old kernel cannot do that for a map (EINVAL):
 * it gives them to the file, where the map finds them. Whoever is refused one hears
 * EFAULT, and why when asking for space. */
static int take_pages(const gs_file_pages *p, uint8_t *memory, uint64_t offset,
                      size_t bytes)
{
    const int error = populate(memory, bytes);
    if (error != EFAULT && error != EINVAL)
        return error;
    const int refusal = reserve(p, offset, bytes);
    if (refusal != 0 || error == EINVAL)
        return refusal;
    return populate(memory, bytes) == 0 ? 0 : EIO;
}

/* Where the file is mapped that is as long as it is to be. */
static int find_memory_locked(gs_file_pages *p, uint64_t offset, size_t bytes,
                              uint64_t file_bytes, uint8_t **memory)
{
    const size_t number = (size_t)(offset / stretch_bytes(p));
    const int error = need_stretch_locked(p, number);
    if (error != 0)
        return error;
    *memory = p->stretches[number].memory + offset % stretch_bytes(p);
    if (p->file_bytes >= offset + bytes)
        return 0;
    if (ftruncate(p->fd, (off_t)(p->begin + file_bytes)) != 0)
        return errno;
    p->file_bytes = file_bytes;
    return 0;
}

static void begin_locked(gs_file_pages *p, uint64_t offset, size_t bytes,
                         uint64_t file_bytes)
{
    gs_assert(offset + bytes <= file_bytes);
    gs_assert(offset % p->unit_bytes + bytes <= p->unit_bytes);
    gs_file_space_stop(p->space);
    p->space = NULL;
    if (offset + bytes > p->ahead) /* who fills is as fast */
        p->ahead = p->ahead_end = (offset / p->unit_bytes + 1) * p->unit_bytes;
}

int gs_file_pages_place(gs_file_pages *p, uint64_t offset, size_t bytes,
                        uint64_t file_bytes, uint8_t **memory)
{
    pthread_mutex_lock(&p->mutex);
    begin_locked(p, offset, bytes, file_bytes);
    const int error = find_memory_locked(p, offset, bytes, file_bytes, memory);
    pthread_mutex_unlock(&p->mutex);
    return error;
}

int gs_file_pages_get(gs_file_pages *p, uint64_t offset, size_t bytes,
                      uint64_t file_bytes, uint8_t **memory)
{
    const size_t before = (size_t)(offset % PAGE);
    pthread_mutex_lock(&p->mutex);
    begin_locked(p, offset, bytes, file_bytes);
    while (p->takers == TAKERS_MAX)
        pthread_cond_wait(&p->taken, &p->mutex);
    p->takers++;
    int error = find_memory_locked(p, offset, bytes, file_bytes, memory);
    pthread_mutex_unlock(&p->mutex);
    if (error == 0)
        error = take_pages(p, *memory - before, offset - before,
                           (before + bytes + PAGE - 1) / PAGE * PAGE);
    pthread_mutex_lock(&p->mutex);
    p->takers--;
    pthread_cond_signal(&p->taken);
    pthread_mutex_unlock(&p->mutex);
    return error;
}

/* Is it, with its mutex held, of no more use? */
static bool is_done(const gs_file_pages *p, const gs_stretch *s)
{
    return s->dropped_units == p->units_a_stretch && s->takers == 0;
}

void gs_file_pages_drop(gs_file_pages *p, uint64_t offset)
{
    const size_t number = (size_t)(offset / stretch_bytes(p));
    const size_t inside = (size_t)(offset % stretch_bytes(p));
    gs_assert(inside % p->unit_bytes == 0);
    pthread_mutex_lock(&p->mutex);
    gs_stretch *const s = &p->stretches[number];
    uint8_t *const memory = s->memory;
    s->dropped_units++;
    const bool is_all = is_done(p, s);
    if (is_all)
        s->memory = NULL;
    pthread_mutex_unlock(&p->mutex);
    /* The file keeps the pages. */
    if (is_all)
        (void)munmap(memory, stretch_bytes(p));
    else
        (void)madvise(memory + inside, p->unit_bytes, MADV_DONTNEED);
}

/* --- ahead -------------------------------------------------------------------------- */

/* Takes some pages, with the mutex held but while it does. One refusal ends it: who fills
 * hears why. */
static void take_some_locked(gs_file_pages *p)
{
    uint8_t *memory;
    const uint64_t offset = p->ahead, left = p->ahead_end - offset;
    const size_t number = (size_t)(offset / stretch_bytes(p));
    size_t bytes = stretch_bytes(p) - (size_t)(offset % stretch_bytes(p));
    bytes = bytes < AHEAD_BYTES ? bytes : AHEAD_BYTES;
    bytes = bytes < left ? bytes : (size_t)left;
    if (find_memory_locked(p, offset, bytes, p->ahead_end, &memory) != 0) {
        p->ahead_end = p->ahead;
        return;
    }
    p->ahead += bytes;
    p->stretches[number].takers++;
    pthread_mutex_unlock(&p->mutex);
    const int error = populate(memory, bytes);
    pthread_mutex_lock(&p->mutex);
    gs_stretch *const s = &p->stretches[number];
    s->takers--;
    if (is_done(p, s)) {
        (void)munmap(s->memory, stretch_bytes(p));
        s->memory = NULL;
    }
    if (error != 0)
        p->ahead_end = p->ahead;
}

static void *take_ahead(void *context)
{
    gs_file_pages *const p = context;
    pthread_mutex_lock(&p->mutex);
    while (!p->is_ending) {
        if (p->ahead < p->ahead_end)
            take_some_locked(p);
        else
            pthread_cond_wait(&p->has_ahead, &p->mutex);
    }
    pthread_mutex_unlock(&p->mutex);
    return NULL;
}

void gs_file_pages_take_ahead(gs_file_pages *p, uint64_t bytes)
{
    pthread_mutex_lock(&p->mutex);
    const uint64_t end = bytes / p->unit_bytes * p->unit_bytes;
    p->ahead_end = end > p->ahead ? end : p->ahead;
    pthread_cond_broadcast(&p->has_ahead);
    pthread_mutex_unlock(&p->mutex);
    while (p->ahead_thread_count < TAKERS_MAX &&
           gs_thread_start(&p->ahead_threads[p->ahead_thread_count], take_ahead, p, 0) ==
               0)
        p->ahead_thread_count++;
}

int gs_file_pages_end(gs_file_pages *p, uint64_t file_bytes)
{
    end_ahead(p);
    if (p->file_bytes <= file_bytes)
        return 0;
    p->file_bytes = file_bytes;
    return ftruncate(p->fd, (off_t)(p->begin + file_bytes)) == 0 ? 0 : errno;
}
