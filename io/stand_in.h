/* SPDX-License-Identifier: MIT */
/*
 * stand_in: may another file take the place of one that is there, and be the same to
 * others?
 */
#ifndef GS_IO_STAND_IN_H
#define GS_IO_STAND_IN_H

#include <stdbool.h>
#include <sys/stat.h>

/* False if another file under the name of the open one would not be the same to others:
 * links, access lists, attributes of users, bits of the mode. The bits of set user and
 * group ID are the system's to clear when somebody writes. */
bool gs_stand_in_is_possible(const struct stat *existing, int existing_fd);

/* Gives `fd` the mode and the owner of the existing file, which has no access list; false
 * if its owner may not be given to another. What a folder gives to every new file would
 * be more. */
bool gs_stand_in_make_like(int fd, const struct stat *existing);

#endif
