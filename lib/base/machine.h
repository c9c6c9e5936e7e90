/* SPDX-License-Identifier: MIT */
/*
 * machine: how many cores and how much memory this process may use.
 *
 * Cores: the affinity mask, cut by a cgroup's CPU quota. Memory: what the kernel calls
 * available, cut by what the cgroup (v1 or v2) and the address space limit leave.
 */
#ifndef GS_LIB_BASE_MACHINE_H
#define GS_LIB_BASE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

unsigned gs_machine_cores(void);
size_t gs_machine_near_cache_bytes(void); /* of a core, the second level; 0: not known */
size_t gs_machine_memory_total(void);
size_t gs_machine_memory_available(void);

/* What a job may plan with that was given -S, or 0 for as much as is good. */
typedef struct gs_memory_share {
    size_t limit_bytes;     /* S: at most the machine's memory, or a part of the address
                               space if that is limited, since buffers are mapped larger
                               than they are used */
    size_t usable_bytes;    /* for buffers: S and 24 of the 64 MiB beyond it, but never so
                               much that a control group ends the process for it */
    bool is_scarce;         /* it is less for that reason */
    size_t available_bytes; /* as above */
} gs_memory_share;
gs_memory_share gs_machine_memory_share(size_t wanted);
/* What a job that needs little may plan with on any machine, which is not asked. Its
 * limit is 0 where this process has limits: then ask. */
gs_memory_share gs_machine_memory_small(void);

/* What may still be mapped (ulimit -v, -d, or a kernel that does not overcommit);
 * SIZE_MAX where nothing limits that. */
size_t gs_machine_address_space_left(void);
size_t gs_machine_thread_stack_bytes(void); /* of a new thread */
/* How many files may still be opened, `wanted` at most. If fewer, the limit is raised as
 * far as this process may. */
size_t gs_machine_files_left(size_t wanted);
/* Can fewer than `spare` files be opened after `fd`, the newest? Looks at no other, since
 * the lowest free number is given out; raises the limit as above. */
bool gs_machine_files_are_short(int fd, size_t spare);
uint64_t gs_machine_now_ns(void); /* monotonic */
/* Processor time of this thread: what others did meanwhile is not in it. */
uint64_t gs_machine_thread_ns(void);
size_t gs_machine_peak_rss_bytes(void);

#endif
