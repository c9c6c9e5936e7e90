/* SPDX-License-Identifier: MIT */
/* A clock of the wall that jumps to and fro by a day. Put in front of the C library. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *now)
{
    static _Atomic unsigned looks;
    const int result = (int)syscall(SYS_clock_gettime, clock, now);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        now->tv_sec += looks++ % 2 == 0 ? 86400 : -86400;
    return result;
}
