/* SPDX-License-Identifier: MIT */
/*
 * balloon: does the host of a virtual machine take the memory back that is free here?
 *
 * It does where a balloon, a virtio device (number 5 of the standard), is told of free
 * pages. The next program that gets them waits until the host has found others: 14 us for
 * each page of 4 KiB, or 3.5 s a GB, where other machines have to clear it, in 0.3 us. A
 * disk that takes 1 GB/s is faster than such a page cache.
 *
 * `root` is put before the names of /sys: "" is this machine. Any thread.
 */
#ifndef GS_LIB_BASE_BALLOON_H
#define GS_LIB_BASE_BALLOON_H

#include <stdbool.h>

bool gs_balloon_takes_free_memory(const char *root);

#endif
