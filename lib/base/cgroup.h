/* SPDX-License-Identifier: MIT */
/*
 * cgroup: what the control groups that this process is in leave it.
 *
 *      /                 cpu.max  max          memory.max  max
 *      /pod              cpu.max  200000       memory.max  8 GiB
 *      /pod/container    cpu.max  max          memory.max  max
 *
 * Every level counts, from the process's own to the topmost that can be seen: here two
 * cores and 8 GiB. That holds for version 2 (cpu.max, memory.max, memory.high), version 1
 * (cpu.cfs_quota_us, memory.limit_in_bytes, each controller with a tree of its own) and
 * both together. The groups are those of /proc/self/cgroup, and where their trees are is
 * read from /proc/self/mountinfo, since a container may have only its own branch mounted.
 *
 * `root` is put before all these names: "" is this machine. Any thread.
 */
#ifndef GS_LIB_BASE_CGROUP_H
#define GS_LIB_BASE_CGROUP_H

#include <stdint.h>

/* The least quota, in cores, rounded up; 0 if there is none. */
unsigned gs_cgroup_cores(const char *root);

/* The least of what limits of memory leave: the limit less what is used, but not less
 * than a quarter of it, since page cache counts as used and gives way. UINT64_MAX if
 * there is no limit. */
uint64_t gs_cgroup_memory_left(const char *root);

#endif
