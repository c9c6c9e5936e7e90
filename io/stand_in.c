/* SPDX-License-Identifier: MIT */
#include "io/stand_in.h"

#include <errno.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "io/link_chain.h"

enum { NAMES_BYTES = GS_LINK_CHAIN_BYTES };

bool gs_stand_in_make_like(int fd, const struct stat *existing)
{
    return fchown(fd, existing->st_uid, existing->st_gid) == 0 &&
           (fremovexattr(fd, "system.posix_acl_access") == 0 || errno == ENODATA ||
            errno == EOPNOTSUPP || errno == ENOSYS) &&
           fchmod(fd, existing->st_mode & 0777) == 0;
}

/* True if the file has access lists or attributes of users. Those that the system sets
 * by itself do not count. */
static bool has_attributes(int fd)
{
    static const char by_system[] = "security.";
    char names[NAMES_BYTES];
    const ssize_t bytes = flistxattr(fd, names, sizeof names);
    if (bytes < 0)
        return errno == ERANGE;
    for (const char *name = names; name < names + bytes; name += strlen(name) + 1) {
        if (strncmp(name, by_system, sizeof by_system - 1) != 0)
            return true;
    }
    return false;
}

bool gs_stand_in_is_possible(const struct stat *existing, int existing_fd)
{
    return existing->st_nlink <= 1 &&
           (existing->st_mode & (S_ISUID | S_ISGID | S_ISVTX)) == 0 &&
           !has_attributes(existing_fd);
}
