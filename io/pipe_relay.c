/* SPDX-License-Identifier: MIT */
#include "io/pipe_relay.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/pipe_room.h"
#include "io/write_all.h"
#include "lib/base/crew.h"
#include "lib/base/mem.h"

enum {
    LANES_MAX = 4,              /* more only wait for the reader */
    LANE_BYTES_MIN = 256 << 10, /* with less room nothing is gained */
    COPY_BYTES = 64 << 10,      /* at once, where splice is refused */
};

typedef struct relay_lane {
    gs_crew_task task; /* first, since the crew's threads get this */
    int read_end, write_end;
    const uint8_t *from;
    size_t bytes;   /* that are in it, or will be soon; 0: it is empty */
    bool is_copied; /* all of them are in it, or `error` says why not */
    int error;
} relay_lane;

struct gs_pipe_relay {
    int fd;
    size_t lane_bytes; /* no lane has room for less */
    unsigned lane_count;
    unsigned next; /* lane for the next part; of those with parts, the oldest too */
    bool is_refused;
    int error; /* that of a call, and then of each */
    gs_crew *crew;
    relay_lane lanes[LANES_MAX];
};

/* By a thread of the crew. The lane is empty, and has room for it all. */
static void copy_part(gs_crew_task *task)
{
    relay_lane *const lane = (relay_lane *)task;
    lane->error = gs_write_all(lane->write_end, lane->from, lane->bytes);
}

static bool open_lane(gs_pipe_relay *r)
{
    relay_lane *const lane = &r->lanes[r->lane_count];
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    const int room = gs_pipe_widen(ends[1]);
    if (room < LANE_BYTES_MIN) {
        (void)close(ends[0]);
        (void)close(ends[1]);
        return false;
    }
    lane->task.run = copy_part;
    lane->read_end = ends[0];
    lane->write_end = ends[1];
    r->lane_count++;
    if ((size_t)room < r->lane_bytes)
        r->lane_bytes = (size_t)room;
    return true;
}

gs_pipe_relay *gs_pipe_relay_new(int fd, unsigned lanes)
{
    struct stat info;
    gs_status refusal = {.code = GS_OK};
    gs_pipe_relay *r = NULL;
    if (fstat(fd, &info) != 0 || !S_ISFIFO(info.st_mode) ||
        gs_mem_new(&r, sizeof *r, "pipe relay", &refusal) != GS_OK) {
        gs_status_clear(&refusal);
        return NULL;
    }
    r->fd = fd;
    r->lane_bytes = GS_PIPE_BYTES;
    const unsigned most = lanes < LANES_MAX ? lanes : LANES_MAX;
    while (r->lane_count < most && open_lane(r))
        continue;
    if (r->lane_count == 0 || gs_crew_new(&r->crew, r->lane_count, &refusal) != GS_OK) {
        gs_status_clear(&refusal);
        gs_pipe_relay_free(r);
        return NULL;
    }
    return r;
}

void gs_pipe_relay_free(gs_pipe_relay *r)
{
    if (r == NULL)
        return;
    gs_crew_free(r->crew); /* lanes have room for what is still copied */
    for (unsigned i = 0; i < r->lane_count; i++) {
        (void)close(r->lanes[i].read_end);
        (void)close(r->lanes[i].write_end);
    }
    gs_mem_free(r);
}

/* --- from lanes into the pipe ------------------------------------------------------ */

/* All that is copied, or until this lane is. */
static void await_copied(gs_pipe_relay *r, const relay_lane *lane)
{
    while (gs_crew_given(r->crew) > 0 && (lane == NULL || !lane->is_copied))
        ((relay_lane *)gs_crew_wait(r->crew))->is_copied = true;
}

/* May the pipe be written to again? It does not wait by itself if somebody has asked it
 * not to. */
static int wait_for_room(int fd)
{
    struct pollfd room = {.fd = fd, .events = POLLOUT};
    return poll(&room, 1, -1) < 0 && errno != EINTR ? errno : 0;
}

/* As write() puts it there. */
static int copy_on(const gs_pipe_relay *r, relay_lane *lane)
{
    uint8_t part[COPY_BYTES];
    while (lane->bytes > 0) {
        const ssize_t n = read(lane->read_end, part,
                               lane->bytes < sizeof part ? lane->bytes : sizeof part);
        if (n < 0 && errno != EINTR)
            return errno;
        const int error = n > 0 ? gs_write_all(r->fd, part, (size_t)n) : 0;
        if (error != 0)
            return error;
        lane->bytes -= n > 0 ? (size_t)n : 0;
    }
    return 0;
}

/* Does this say that splice is not for this pipe, or this system? */
static bool is_refusal(int error)
{
    return error == EINVAL || error == ENOSYS || error == EPERM || error == EACCES;
}

static int drain(gs_pipe_relay *r, relay_lane *lane)
{
    if (lane->bytes == 0)
        return 0;
    await_copied(r, lane);
    int error = lane->error;
    while (error == 0 && lane->bytes > 0 && !r->is_refused) {
        const ssize_t n = splice(lane->read_end, NULL, r->fd, NULL, lane->bytes, 0);
        if (n > 0)
            lane->bytes -= (size_t)n;
        else if (n < 0 && is_refusal(errno))
            r->is_refused = true;
        else if (n < 0 && errno == EAGAIN)
            error = wait_for_room(r->fd);
        else if (n < 0 && errno != EINTR)
            error = errno;
    }
    return error == 0 ? copy_on(r, lane) : error;
}

int gs_pipe_relay_flush(gs_pipe_relay *r)
{
    for (unsigned i = 0; i < r->lane_count && r->error == 0; i++)
        r->error = drain(r, &r->lanes[(r->next + i) % r->lane_count]);
    return r->error;
}

/* Into the next lane, which is empty. */
static void give_part(gs_pipe_relay *r, const uint8_t *data, size_t bytes)
{
    relay_lane *const lane = &r->lanes[r->next];
    lane->from = data;
    lane->bytes = bytes;
    lane->is_copied = false;
    r->next = (r->next + 1) % r->lane_count;
    gs_crew_give(r->crew, &lane->task);
}

int gs_pipe_relay_write(gs_pipe_relay *r, const uint8_t *data, size_t bytes)
{
    while (bytes > 0 && !r->is_refused && r->error == 0) {
        r->error = drain(r, &r->lanes[r->next]);
        if (r->error != 0 || r->is_refused)
            break;
        const size_t part = bytes < r->lane_bytes ? bytes : r->lane_bytes;
        give_part(r, data, part);
        data += part;
        bytes -= part;
    }
    await_copied(r, NULL);
    if (r->is_refused && gs_pipe_relay_flush(r) == 0)
        r->error = gs_write_all(r->fd, data, bytes);
    return r->error;
}
