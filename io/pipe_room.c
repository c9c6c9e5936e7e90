/* SPDX-License-Identifier: MIT */
#include "io/pipe_room.h"

#include <fcntl.h>

int gs_pipe_widen(int fd)
{
    const int before = fcntl(fd, F_GETPIPE_SZ);
    if (before < 0 || before >= GS_PIPE_BYTES)
        return before < 0 ? 0 : before;
    const int now = fcntl(fd, F_SETPIPE_SZ, GS_PIPE_BYTES);
    return now > 0 ? now : before;
}
