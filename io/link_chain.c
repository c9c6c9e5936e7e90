/* SPDX-License-Identifier: MIT */
#include "io/link_chain.h"

#include <errno.h>
#include <linux/magic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { LINKS_MAX = 40 }; /* as many as the kernel follows */

static size_t folder_bytes(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return slash != NULL ? (size_t)(slash - path) + 1 : 0;
}

/* Of all links in /proc, those whose names are numbers are descriptors. `path` is a link.
 */
static bool is_of_descriptor(const char *path)
{
    char folder[GS_LINK_CHAIN_BYTES];
    struct statfs info;
    const size_t bytes = folder_bytes(path);
    const char *const name = path + bytes;
    if (name[strspn(name, "0123456789")] != '\0')
        return false;
    (void)snprintf(folder, sizeof folder, "%.*s", bytes ? (int)bytes : 1,
                   bytes ? path : ".");
    return statfs(folder, &info) == 0 && info.f_type == PROC_SUPER_MAGIC;
}

/* Replaces a path that is a link by what it points to: 0 or errno. */
static int step(char *path, const char *link)
{
    char next[GS_LINK_CHAIN_BYTES];
    const int kept = link[0] == '/' ? 0 : (int)folder_bytes(path);
    const int n = snprintf(next, sizeof next, "%.*s%s", kept, path, link);
    if (n < 0 || (size_t)n >= sizeof next)
        return ENAMETOOLONG;
    memcpy(path, next, (size_t)n + 1);
    return 0;
}

int gs_link_chain_follow(const char *path, char *target, bool *is_descriptor)
{
    *is_descriptor = false;
    if (strlen(path) >= GS_LINK_CHAIN_BYTES)
        return ENAMETOOLONG;
    memcpy(target, path, strlen(path) + 1);
    for (unsigned links = 0; links <= LINKS_MAX; links++) {
        char link[GS_LINK_CHAIN_BYTES];
        const ssize_t n = readlink(target, link, sizeof link - 1);
        if (n < 0)
            return errno == EINVAL || errno == ENOENT ? 0 : errno;
        link[n] = '\0';
        *is_descriptor = is_of_descriptor(target);
        const int error = step(target, link);
        if (error != 0 || *is_descriptor)
            return error;
    }
    return ELOOP;
}
