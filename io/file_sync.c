/* SPDX-License-Identifier: MIT */
#include "io/file_sync.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4400 };

/* EROFS is a failure: what was written a moment ago is on a file system that a fault has
 * made read-only since, and its bytes may be lost. */
static int error_of(int result)
{
    return result == 0 || errno == EINVAL ? 0 : errno;
}

int gs_file_sync(int fd)
{
    return error_of(fsync(fd));
}

int gs_data_sync(int fd)
{
    return error_of(fdatasync(fd));
}

/* The folder that the path is in: what stands before its last part. 0 or ENAMETOOLONG. */
static int find_parent(char *parent, const char *path)
{
    size_t length = strlen(path);
    while (length > 0 && path[length - 1] == '/')
        length--;
    while (length > 0 && path[length - 1] != '/')
        length--;
    if (length >= PATH_BYTES)
        return ENAMETOOLONG;
    memcpy(parent, length > 0 ? path : ".", length > 0 ? length : 1);
    parent[length > 0 ? length : 1] = '\0';
    return 0;
}

/* All of the file system that the path is on. */
static int sync_around(const char *path)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 && errno == EACCES)
        fd = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return errno;
    const int error = error_of(syncfs(fd));
    (void)close(fd);
    return error;
}

int gs_name_sync(const char *path)
{
    char parent[PATH_BYTES];
    const int too_long = find_parent(parent, path);
    if (too_long != 0)
        return too_long;
    const int fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    /* A user who may write to a folder and search it, but not read it, can make a name
     * in it and gets no descriptor to sync the folder by. The file of that name is on
     * the same file system, which is synced instead. */
    if (fd < 0)
        return errno == EACCES ? sync_around(path) : errno;
    const int error = gs_file_sync(fd);
    (void)close(fd);
    return error;
}
