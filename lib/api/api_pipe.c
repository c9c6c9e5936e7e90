/* SPDX-License-Identifier: MIT */
#include "lib/api/api_pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "io/pipe_room.h"
#include "lib/base/mem.h"
#include "lib/base/thread.h"

enum { CARRIED_BYTES = 1 << 16, LOOK_MS = 50 };

void gs_api_descriptor_name(int fd, char name[static GS_API_NAME_BYTES])
{
    (void)snprintf(name, GS_API_NAME_BYTES, "/proc/self/fd/%d", fd);
}

gs_code gs_api_pipe_new(int *read_fd, int *write_fd, gs_status *st)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return GS_FAIL(st, GS_ERR_IO, errno, "cannot make a pipe");
    (void)gs_pipe_widen(ends[1]);
    *read_fd = ends[0];
    *write_fd = ends[1];
    return GS_OK;
}

static sigset_t only_pipe(void)
{
    sigset_t set;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGPIPE);
    return set;
}

void gs_api_hush_pipes(gs_api_hush *hush)
{
    const sigset_t set = only_pipe();
    sigset_t pending;
    (void)pthread_sigmask(SIG_BLOCK, &set, &hush->before);
    (void)sigpending(&pending);
    hush->was_pending = sigismember(&pending, SIGPIPE) == 1;
}

/* One that came meanwhile is ours. */
void gs_api_unhush_pipes(const gs_api_hush *hush)
{
    const int error = errno;
    const sigset_t set = only_pipe();
    if (!hush->was_pending)
        (void)sigtimedwait(&set, NULL, &(struct timespec){0});
    (void)pthread_sigmask(SIG_SETMASK, &hush->before, NULL);
    errno = error;
}

ssize_t gs_api_write(int fd, const void *data, size_t bytes)
{
    gs_api_hush hush;
    gs_api_hush_pipes(&hush);
    const ssize_t n = write(fd, data, bytes);
    gs_api_unhush_pipes(&hush);
    return n;
}

static bool carry_on(gs_api_source *s, const char *data, size_t bytes)
{
    while (bytes > 0) {
        const ssize_t n = gs_api_write(s->write_fd, data, bytes);
        if (n < 0 && errno != EINTR)
            return false; /* nobody reads any more */
        data += n > 0 ? n : 0;
        bytes -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

static void *carry(void *context)
{
    gs_api_source *const s = context;
    char data[CARRIED_BYTES];
    while (!atomic_load(&s->is_over)) {
        struct pollfd from = {.fd = s->from, .events = POLLIN};
        if (poll(&from, 1, LOOK_MS) == 0)
            continue;
        const ssize_t n = read(s->from, data, sizeof data);
        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        s->error = n < 0 ? errno : 0;
        if (n < 0)
            gs_api_job_stop(s->job); /* before it sees the end of the pipe */
        if (n <= 0 || !carry_on(s, data, (size_t)n))
            break;
    }
    (void)close(s->write_fd);
    return NULL;
}

static bool is_pipe(int fd)
{
    struct statfs info;
    return fstatfs(fd, &info) == 0 && info.f_type == PIPEFS_MAGIC;
}

/* Can the job open it by its name, and gets the same bytes? */
static bool has_name(int fd, const char *name)
{
    struct stat info;
    const bool is_file =
        fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && lseek(fd, 0, SEEK_CUR) == 0;
    if (!is_file && !is_pipe(fd))
        return false;
    const int again = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (again >= 0)
        (void)close(again);
    return again >= 0;
}

gs_code gs_api_source_open(gs_api_source *s, int fd, gs_api_job *job, gs_status *st)
{
    *s = (gs_api_source){.job = job, .from = fd, .read_fd = -1, .write_fd = -1};
    gs_api_descriptor_name(fd, s->name);
    if (fcntl(fd, F_GETFD) < 0)
        return GS_FAIL(st, GS_ERR_IO, errno, "cannot read: descriptor %d", fd);
    if (has_name(fd, s->name))
        return GS_OK;
    GS_TRY(gs_api_pipe_new(&s->read_fd, &s->write_fd, st));
    gs_api_descriptor_name(s->read_fd, s->name);
    const int error = gs_thread_start(&s->carrier, carry, s, 0);
    s->is_carried = error == 0;
    if (error == 0)
        return GS_OK;
    (void)close(s->read_fd);
    (void)close(s->write_fd);
    return GS_FAIL(st, GS_ERR_NOMEM, error, "a thread for descriptor %d", fd);
}

gs_code gs_api_source_close(gs_api_source *s, gs_status *st)
{
    if (!s->is_carried)
        return GS_OK;
    atomic_store(&s->is_over, true);
    (void)close(s->read_fd);
    (void)pthread_join(s->carrier, NULL);
    if (s->error != 0 && st->code == GS_ERR_CANCELLED)
        gs_status_clear(st);
    return s->error == 0
               ? GS_OK
               : GS_FAIL(st, GS_ERR_IO, s->error, "read failed: descriptor %d", s->from);
}
