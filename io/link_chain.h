/* SPDX-License-Identifier: MIT */
/*
 * link_chain: where a name leads when its symbolic links are followed, also to a file
 * that is not there yet.
 *
 *      la -> folder/lb -> ../new        "folder/../new", which may be made
 *      la -> /dev/stdout                a name of a descriptor: the chain ends there
 *
 * Any thread.
 */
#ifndef GS_IO_LINK_CHAIN_H
#define GS_IO_LINK_CHAIN_H

#include <stdbool.h>

enum { GS_LINK_CHAIN_BYTES = 4096 + 64 };

/* Puts the end of the chain that begins at `path` into `target`, which has room for
 * GS_LINK_CHAIN_BYTES. *is_descriptor tells whether the chain has a name of an open file
 * in it, as /dev/stdout, /dev/fd/N and /proc/PID/fd/N are: `target` is then what the
 * system calls that file, a path that may be stale. Returns 0 or errno, as ELOOP. */
int gs_link_chain_follow(const char *path, char *target, bool *is_descriptor);

#endif
