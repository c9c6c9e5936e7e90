/* SPDX-License-Identifier: MIT */
#include "lib/base/machine.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/cgroup.h"

/* The first number in a file; false if there is none ("max", no file). Every command
 * does this, so it takes little. */
static bool read_number(const char *path, uint64_t *out)
{
    char text[32];
    char *end = text;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    const ssize_t bytes = read(fd, text, sizeof text - 1);
    (void)close(fd);
    text[bytes > 0 ? bytes : 0] = '\0';
    *out = strtoull(text, &end, 10);
    return end > text;
}

unsigned gs_machine_cores(void)
{
    cpu_set_t set;
    unsigned cores = 1;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        cores = (unsigned)CPU_COUNT(&set);
    const unsigned quota = gs_cgroup_cores("");
    if (quota > 0 && quota < cores)
        cores = quota;
    return cores > 0 ? cores : 1;
}

size_t gs_machine_near_cache_bytes(void)
{
#ifdef _SC_LEVEL2_CACHE_SIZE
    const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return bytes > 0 ? (size_t)bytes : 0;
#else
    return 0;
#endif
}

size_t gs_machine_memory_total(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (size_t)pages * (size_t)page : (size_t)1 << 30;
}

/* A line of such a file in bytes; `otherwise` if there is none. */
static uint64_t kernel_line(const char *path, const char *name, uint64_t otherwise)
{
    FILE *const f = fopen(path, "re");
    if (f == NULL)
        return otherwise;
    char line[256];
    uint64_t bytes = otherwise;
    const size_t length = strlen(name);
    while (fgets(line, sizeof line, f) != NULL) {
        if (strncmp(line, name, length) == 0 && line[length] == ':') {
            bytes = strtoull(line + length + 1, NULL, 10) * 1024;
            break;
        }
    }
    (void)fclose(f);
    return bytes;
}

static uint64_t kernel_memory(const char *name, uint64_t otherwise)
{
    return kernel_line("/proc/meminfo", name, otherwise);
}

/* Where the kernel promises no more memory than there is, what it may still promise. */
static uint64_t promises_left(void)
{
    const uint64_t never_overcommit = 2;
    uint64_t mode;
    if (!read_number("/proc/sys/vm/overcommit_memory", &mode) || mode != never_overcommit)
        return UINT64_MAX;
    const uint64_t limit = kernel_memory("CommitLimit", UINT64_MAX);
    const uint64_t given = kernel_memory("Committed_AS", 0);
    return limit == UINT64_MAX ? limit : limit > given ? limit - given : 0;
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* What may be touched before the kernel has no more, or ends a process of the group. */
static uint64_t memory_left(uint64_t group_bytes)
{
    const uint64_t left =
        lesser(gs_machine_memory_total(), kernel_memory("MemAvailable", UINT64_MAX));
    return lesser(left, group_bytes);
}

/* Maps and private maps of this process; zeros where the system does not tell. */
static void read_mapped_bytes(uint64_t *all, uint64_t *private)
{
    unsigned long long pages[6] = {0};
    FILE *const f = fopen("/proc/self/statm", "re");
    *all = *private = 0;
    if (f == NULL)
        return;
    if (fscanf(f, "%llu %llu %llu %llu %llu %llu", &pages[0], &pages[1], &pages[2],
               &pages[3], &pages[4], &pages[5]) == 6) {
        const long page_bytes = sysconf(_SC_PAGESIZE);
        *all = pages[0] * (uint64_t)page_bytes;
        *private = pages[5] * (uint64_t)page_bytes;
    }
    (void)fclose(f);
}

/* What limits of this process leave beside what it has mapped already: its code is some
 * megabytes, and tens of them where it carries code for GPUs. */
static uint64_t limits_left(void)
{
    const int limits[] = {RLIMIT_AS, RLIMIT_DATA};
    uint64_t used[2] = {0}, left = UINT64_MAX;
    bool is_known = false;
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        struct rlimit limit;
        if (getrlimit((__rlimit_resource_t)limits[i], &limit) != 0 ||
            limit.rlim_cur == RLIM_INFINITY)
            continue;
        if (!is_known) /* few have such limits, and to ask takes longer than to sort
                          little */
            read_mapped_bytes(&used[0], &used[1]);
        is_known = true;
        left = lesser(left, limit.rlim_cur > used[i] ? limit.rlim_cur - used[i] : 0);
    }
    return left;
}

/* The part of it that limits leave: address space is also stacks and mapped files. */
static size_t within_limits(uint64_t bytes)
{
    struct rlimit resident;
    uint64_t left = limits_left();
    if (getrlimit(RLIMIT_RSS, &resident) == 0 && resident.rlim_cur != RLIM_INFINITY)
        left = lesser(left, resident.rlim_cur);
    return (size_t)lesser(bytes, left / 2);
}

size_t gs_machine_memory_available(void)
{
    return within_limits(memory_left(gs_cgroup_memory_left("")));
}

/* More than the machine has, or than the address space takes, would not help anybody. */
static size_t memory_most(void)
{
    return (size_t)lesser(gs_machine_memory_total(), limits_left() / 4);
}

gs_memory_share gs_machine_memory_share(size_t wanted)
{
    enum { BEYOND = 24 << 20, BESIDE = 24 << 20 };
    const uint64_t group = gs_cgroup_memory_left(""), left = memory_left(group);
    gs_memory_share share = {.available_bytes = within_limits(left)};
    const size_t most = memory_most();
    share.limit_bytes =
        wanted > 0 ? wanted : share.available_bytes - share.available_bytes / 4;
    share.limit_bytes = share.limit_bytes < most ? share.limit_bytes : most;
    share.limit_bytes = share.limit_bytes > 0 ? share.limit_bytes : 1;
    share.usable_bytes = share.limit_bytes + BEYOND;
    /* A user who names a size knows what else the machine is to do. The limit of a
     * group still counts, since the kernel ends a process that goes beyond it. */
    const uint64_t end = wanted > 0 ? group : left;
    const uint64_t room = end > BESIDE ? end - BESIDE : 0;
    share.is_scarce = share.usable_bytes > room;
    if (share.is_scarce)
        share.usable_bytes = (size_t)room;
    return share;
}

gs_memory_share gs_machine_memory_small(void)
{
    enum { SMALL = 32 << 20 };
    if (limits_left() != UINT64_MAX)
        return (gs_memory_share){.limit_bytes = 0};
    return (gs_memory_share){
        .limit_bytes = SMALL, .usable_bytes = SMALL, .available_bytes = SMALL};
}

size_t gs_machine_address_space_left(void)
{
    return (size_t)lesser(lesser(promises_left(), limits_left()), SIZE_MAX);
}

size_t gs_machine_thread_stack_bytes(void)
{
    pthread_attr_t attributes;
    size_t bytes = (size_t)8 << 20;
    if (pthread_getattr_default_np(&attributes) == 0) {
        (void)pthread_attr_getstacksize(&attributes, &bytes);
        (void)pthread_attr_destroy(&attributes);
    }
    return bytes;
}

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec t = {0};
    (void)clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

uint64_t gs_machine_now_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

uint64_t gs_machine_thread_ns(void)
{
    return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* Of a program that was started by a larger one rusage has the peak of that. */
size_t gs_machine_peak_rss_bytes(void)
{
    struct rusage usage;
    const uint64_t otherwise =
        getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss * 1024 : 0;
    return (size_t)kernel_line("/proc/self/status", "VmHWM", otherwise);
}

static void raise_file_limit(struct rlimit *limit, rlim_t wanted)
{
    const rlim_t before = limit->rlim_cur;
    if (before >= wanted || before >= limit->rlim_max)
        return;
    limit->rlim_cur = wanted < limit->rlim_max ? wanted : limit->rlim_max;
    if (setrlimit(RLIMIT_NOFILE, limit) != 0)
        limit->rlim_cur = before;
}

size_t gs_machine_files_left(size_t wanted)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return wanted;
    size_t left = 0;
    for (rlim_t fd = limit.rlim_cur; fd-- > 0 && left < wanted;)
        left += fcntl((int)fd, F_GETFD) < 0;
    const rlim_t before = limit.rlim_cur;
    raise_file_limit(&limit, before + (wanted - left));
    return left + (size_t)(limit.rlim_cur - before);
}

bool gs_machine_files_are_short(int fd, size_t spare)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return false;
    const rlim_t wanted = (rlim_t)fd + 1 + spare;
    raise_file_limit(&limit, wanted);
    return limit.rlim_cur < wanted;
}
