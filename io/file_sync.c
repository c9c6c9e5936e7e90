/* SPDX-License-Identifier: MIT */
#include "io/file_sync.h"

#include <errno.h>
#include <unistd.h>

static int error_of(int result)
{
    return result == 0 || errno == EINVAL || errno == EROFS ? 0 : errno;
}

int gs_file_sync(int fd)
{
    return error_of(fsync(fd));
}

int gs_data_sync(int fd)
{
    return error_of(fdatasync(fd));
}
