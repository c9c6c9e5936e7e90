/* SPDX-License-Identifier: MIT */
/* cgroup: a limit counts on whatever level it stands, in trees of version 1, version 2
 * and both, also where a container sees only a part of them. Trees are made of plain
 * files. */
#include "lib/base/cgroup.h"

#include "tests/check.h"
#include "tests/told_machine.h"

static void nothing_limits(void)
{
    told_machine_new();
    CHECK(gs_cgroup_cores(told_machine_root) == 0 &&
          gs_cgroup_memory_left(told_machine_root) == UINT64_MAX);
    told_machine_put("/proc/self/cgroup", "0::/user\n");
    told_machine_put("/sys/fs/cgroup/user/cpu.max", "max 100000\n");
    told_machine_put("/sys/fs/cgroup/user/memory.max", "max\n");
    told_machine_put("/sys/fs/cgroup/user/memory.high", "max\n");
    CHECK(gs_cgroup_cores(told_machine_root) == 0 &&
          gs_cgroup_memory_left(told_machine_root) == UINT64_MAX);
}

static void version_2_on_every_level(void)
{
    told_machine_new();
    told_machine_put("/proc/self/cgroup", "0::/pod/box/leaf\n");
    told_machine_put(
        "/proc/self/mountinfo",
        "24 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
        "31 24 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n");
    told_machine_put("/sys/fs/cgroup/pod/cpu.max", "250000 100000\n");
    told_machine_put("/sys/fs/cgroup/pod/box/cpu.max", "max 100000\n");
    told_machine_put("/sys/fs/cgroup/pod/box/leaf/cpu.max", "800000 100000\n");
    CHECK(gs_cgroup_cores(told_machine_root) == 3); /* of the pod, rounded up */
    told_machine_put("/sys/fs/cgroup/cpu.max", "50000 100000\n");
    CHECK(gs_cgroup_cores(told_machine_root) == 1);
    told_machine_put("/sys/fs/cgroup/pod/box/leaf/memory.max", "max\n");
    told_machine_put("/sys/fs/cgroup/pod/box/memory.max", "8000\n");
    told_machine_put("/sys/fs/cgroup/pod/box/memory.current", "1000\n");
    CHECK(gs_cgroup_memory_left(told_machine_root) == 7000);
    told_machine_put("/sys/fs/cgroup/pod/box/leaf/memory.high", "6000\n");
    told_machine_put("/sys/fs/cgroup/pod/box/leaf/memory.current", "500\n");
    CHECK(gs_cgroup_memory_left(told_machine_root) == 5500);
    told_machine_put("/sys/fs/cgroup/pod/memory.max", "4000\n");
    told_machine_put("/sys/fs/cgroup/pod/memory.current",
                     "3999\n"); /* most of it page cache, perhaps */
    CHECK(gs_cgroup_memory_left(told_machine_root) == 1000);
}

static void version_1_by_controller(void)
{
    told_machine_new();
    told_machine_put("/proc/self/cgroup", "9:cpuset:/wrong\n"
                                          "8:cpuacct,cpu:/jobs/ours\n"
                                          "7:memory:/slice/ours\n"
                                          "1:name=systemd:/cpu\n");
    told_machine_put(
        "/proc/self/mountinfo",
        "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"
        "32 31 0:29 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
        "33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
        "34 31 0:31 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
    told_machine_put("/sys/fs/cgroup/cpuset/wrong/cpu.cfs_quota_us", "1\n");
    told_machine_put("/sys/fs/cgroup/cpuset/wrong/cpu.cfs_period_us", "1\n");
    told_machine_put("/sys/fs/cgroup/cpu,cpuacct/jobs/ours/cpu.cfs_quota_us", "-1\n");
    told_machine_put("/sys/fs/cgroup/cpu,cpuacct/jobs/ours/cpu.cfs_period_us",
                     "100000\n");
    CHECK(gs_cgroup_cores(told_machine_root) == 0);
    told_machine_put("/sys/fs/cgroup/cpu,cpuacct/jobs/cpu.cfs_quota_us", "400000\n");
    told_machine_put("/sys/fs/cgroup/cpu,cpuacct/jobs/cpu.cfs_period_us", "100000\n");
    CHECK(gs_cgroup_cores(told_machine_root) == 4);
    told_machine_put("/sys/fs/cgroup/memory/memory.limit_in_bytes",
                     "9223372036854771712\n");
    told_machine_put("/sys/fs/cgroup/memory/memory.usage_in_bytes", "70000000000\n");
    told_machine_put("/sys/fs/cgroup/memory/slice/memory.limit_in_bytes",
                     "9223372036854771712\n");
    told_machine_put("/sys/fs/cgroup/memory/slice/ours/memory.limit_in_bytes", "5000\n");
    told_machine_put("/sys/fs/cgroup/memory/slice/ours/memory.usage_in_bytes", "1500\n");
    CHECK(gs_cgroup_memory_left(told_machine_root) == 3500);
}

/* Controllers of version 1 beside a tree of version 2 that has others. */
static void both_versions(void)
{
    told_machine_new();
    told_machine_put("/proc/self/cgroup", "4:memory:/a\n"
                                          "0::/b\n");
    told_machine_put("/proc/self/mountinfo",
                     "34 31 0:31 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
                     "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
    told_machine_put("/sys/fs/cgroup/unified/b/cpu.max", "200000 100000\n");
    told_machine_put("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "600\n");
    told_machine_put("/sys/fs/cgroup/memory/a/memory.usage_in_bytes", "100\n");
    CHECK(gs_cgroup_cores(told_machine_root) == 2 &&
          gs_cgroup_memory_left(told_machine_root) == 500);
}

/* A container whose groups have the machine's names, and which sees its own branch. */
static void a_branch_is_mounted(void)
{
    told_machine_new();
    told_machine_put("/proc/self/cgroup", "4:cpu:/docker/0123/inner\n"
                                          "0::/../outside\n");
    told_machine_put(
        "/proc/self/mountinfo",
        "33 31 0:30 /docker/0123 /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu\n"
        "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
    told_machine_put("/sys/fs/cgroup/cpu/inner/cpu.cfs_quota_us", "300000\n");
    told_machine_put("/sys/fs/cgroup/cpu/inner/cpu.cfs_period_us", "100000\n");
    CHECK(gs_cgroup_cores(told_machine_root) == 3);
    told_machine_put("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "100000\n");
    told_machine_put("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "50000\n");
    CHECK(gs_cgroup_cores(told_machine_root) == 2);
    told_machine_put("/sys/fs/cgroup/unified/memory.max", "4096\n");
    CHECK(gs_cgroup_memory_left(told_machine_root) == 4096);
    told_machine_put("/proc/self/cgroup",
                     "4:cpu:/docker/01234/inner\n"); /* not below that branch */
    CHECK(gs_cgroup_cores(told_machine_root) == 2);
}

int main(void)
{
    nothing_limits();
    version_2_on_every_level();
    version_1_by_controller();
    both_versions();
    a_branch_is_mounted();
    return check_result();
}
