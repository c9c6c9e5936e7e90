/* SPDX-License-Identifier: MIT */
#include "io/temp_name.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/assertion.h"

static uint64_t random_bits(void)
{
    uint64_t bits = 0;
    if (getrandom(&bits, sizeof bits, GRND_NONBLOCK) == (ssize_t)sizeof bits)
        return bits;
    /* A machine that has just started, or a sandbox, has none: names still differ. */
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    const uint64_t seed = (uint64_t)now.tv_nsec ^ (uint64_t)now.tv_sec << 32 ^
                          (uint64_t)getpid() << 16 ^ (uintptr_t)&bits;
    return seed * 0x9e3779b97f4a7c15U;
}

void gs_temp_name_draw(char *path)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    const size_t length = strlen(path), count = sizeof letters - 1;
    gs_assert(length >= GS_TEMP_NAME_TAIL);
    uint64_t bits = random_bits() >> 4; /* of a product the low ones are poor */
    for (size_t i = length - GS_TEMP_NAME_TAIL; i < length; i++, bits /= count)
        path[i] = letters[bits % count];
}

int gs_temp_name_open(char *path, mode_t mode)
{
    for (unsigned i = 0; i < GS_TEMP_NAME_TRIES; i++) {
        gs_temp_name_draw(path);
        const int fd =
            open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

int gs_temp_name_make_folder(char *path, mode_t mode)
{
    for (unsigned i = 0; i < GS_TEMP_NAME_TRIES; i++) {
        gs_temp_name_draw(path);
        if (mkdir(path, mode) == 0)
            return 0;
        if (errno != EEXIST)
            return -1;
    }
    return -1;
}
