/* SPDX-License-Identifier: MIT */
#include "io/file_space.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "io/file_look.h"
#include "lib/base/mem.h"
#include "lib/base/status.h"
#include "lib/base/thread.h"

/* Some milliseconds, for which nobody else may lengthen or write the file. */
enum { STEP_BYTES = 16 << 20 };

struct gs_file_space {
    int fd;
    uint64_t bytes;
    pthread_t thread;
    atomic_bool is_to_end;
    pthread_mutex_t mutex; /* guards what follows */
    pthread_cond_t changed;
    bool has_ended;
};

uint64_t gs_file_space_free(int fd)
{
    struct statfs system;
    if (fstatfs(fd, &system) != 0 || system.f_bsize <= 0)
        return 0;
    return (uint64_t)system.f_bavail * (uint64_t)system.f_bsize;
}

static void tell_end(gs_file_space *s)
{
    pthread_mutex_lock(&s->mutex);
    s->has_ended = true;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->mutex);
}

/* The length is given by ftruncate, once: whoever fills pages of the file lengthens it in
 * that way too, and must not be told to shorten it. */
static void *take_pages(void *arg)
{
    gs_file_space *const s = arg;
    for (uint64_t at = 0; at < s->bytes && !atomic_load(&s->is_to_end);) {
        const uint64_t left = s->bytes - at;
        const uint64_t step = left < STEP_BYTES ? left : STEP_BYTES;
        if (fallocate(s->fd, FALLOC_FL_KEEP_SIZE, (off_t)at, (off_t)step) == 0)
            at += step;
        else if (errno != EINTR)
            break;
    }
    tell_end(s);
    return NULL;
}

static void *take_extents(void *arg)
{
    gs_file_space *const s = arg;
    while (fallocate(s->fd, 0, 0, (off_t)s->bytes) != 0 && errno == EINTR) {
    }
    tell_end(s);
    return NULL;
}

static void free_space(gs_file_space *s)
{
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->mutex);
    gs_mem_free(s);
}

void gs_file_space_begin(gs_file_space **out, int fd, uint64_t bytes)
{
    gs_status st = {.code = GS_OK};
    gs_file_space *s = NULL;
    const bool is_paged = gs_look_is_in_memory(fd);
    *out = NULL;
    if (bytes == 0 || (is_paged && ftruncate(fd, (off_t)bytes) != 0))
        return;
    if (gs_mem_new(&s, sizeof *s, "output space", &st) != GS_OK) {
        gs_status_clear(&st);
        return;
    }
    s->fd = fd;
    s->bytes = bytes;
    atomic_init(&s->is_to_end, false);
    pthread_mutex_init(&s->mutex, NULL);
    pthread_cond_init(&s->changed, NULL);
    if (gs_thread_start(&s->thread, is_paged ? take_pages : take_extents, s, 0) == 0)
        *out = s;
    else
        free_space(s);
}

void gs_file_space_stop(gs_file_space *s)
{
    if (s == NULL)
        return;
    atomic_store(&s->is_to_end, true);
    pthread_mutex_lock(&s->mutex);
    while (!s->has_ended)
        pthread_cond_wait(&s->changed, &s->mutex);
    pthread_mutex_unlock(&s->mutex);
}

void gs_file_space_end(gs_file_space *s)
{
    if (s == NULL)
        return;
    atomic_store(&s->is_to_end, true);
    (void)pthread_join(s->thread, NULL);
    free_space(s);
}
