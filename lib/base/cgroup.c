/* SPDX-License-Identifier: MIT */
#include "lib/base/cgroup.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NAME_BYTES = 4096, LINE_BYTES = 4 * NAME_BYTES, PATH_BYTES = 4 * NAME_BYTES };

/* The group of this process in one tree, and its folder, which has those above it on its
 * path, down to `top_bytes`. */
typedef struct gs_cgroup {
    const char *controller; /* of version 1; NULL: version 2 */
    bool is_in_one, has_folder;
    char group[NAME_BYTES];
    char path[PATH_BYTES];
    size_t top_bytes;
} gs_cgroup;

static FILE *open_below(const char *root, const char *name)
{
    char path[PATH_BYTES];
    const int n = snprintf(path, sizeof path, "%s%s", root, name);
    return n > 0 && (size_t)n < sizeof path ? fopen(path, "re") : NULL;
}

/* Is `name` one of a list with commas, which ends as a string or at a colon? */
static bool is_listed(const char *list, const char *name)
{
    const size_t bytes = strlen(name);
    for (const char *at = list;; at++) {
        if (strncmp(at, name, bytes) == 0 && strchr(",:", at[bytes]) != NULL)
            return true;
        at += strcspn(at, ",:");
        if (*at != ',')
            return false;
    }
}

/* A line of /proc/self/cgroup: NUMBER:CONTROLLERS:GROUP. */
static void take_group(gs_cgroup *c, const char *line)
{
    const char *const names = strchr(line, ':');
    const char *const group = names != NULL ? strchr(names + 1, ':') : NULL;
    if (group == NULL || c->is_in_one)
        return;
    c->is_in_one = c->controller != NULL ? is_listed(names + 1, c->controller)
                                         : strncmp(line, "0::", 3) == 0;
    if (c->is_in_one)
        (void)snprintf(c->group, sizeof c->group, "%.*s", (int)strcspn(group + 1, "\n"),
                       group + 1);
}

/* What is left of the group's name below the one that is shown: nothing if it lies
 * elsewhere, as seen from a namespace. */
static const char *name_below(const char *group, const char *shows)
{
    const size_t bytes = strcmp(shows, "/") == 0 ? 0 : strlen(shows);
    const bool is_below =
        strncmp(group, shows, bytes) == 0 && (group[bytes] == '/' || !group[bytes]);
    const bool is_shown = strcmp(group + (is_below ? bytes : 0), "/") == 0;
    return is_below && !is_shown && strstr(group, "/..") == NULL ? group + bytes : "";
}

static void set_folder(gs_cgroup *c, const char *root, const char *mount,
                       const char *shows)
{
    const int top = snprintf(c->path, sizeof c->path, "%s%s", root, mount);
    c->top_bytes = (size_t)top;
    c->has_folder = top > 0 && c->top_bytes < sizeof c->path;
    if (c->has_folder)
        (void)snprintf(c->path + top, sizeof c->path - c->top_bytes, "%s",
                       name_below(c->group, shows));
}

/* A line of /proc/self/mountinfo: ID PARENT DEVICE SHOWN_GROUP MOUNT_POINT ... - TYPE
 * SOURCE OPTIONS. */
static void take_mount(gs_cgroup *c, const char *root, const char *line)
{
    char type[16], options[NAME_BYTES], shows[NAME_BYTES], mount[NAME_BYTES];
    const char *const rest = strstr(line, " - cgroup");
    if (rest == NULL || !c->is_in_one || c->has_folder ||
        sscanf(rest, " - %15s %*s %4095s", type, options) != 2)
        return;
    const bool is_it = c->controller != NULL ? strcmp(type, "cgroup") == 0 &&
                                                   is_listed(options, c->controller)
                                             : strcmp(type, "cgroup2") == 0;
    if (is_it && sscanf(line, "%*s %*s %*s %4095s %4095s", shows, mount) == 2)
        set_folder(c, root, mount, shows);
}

static void find_groups(gs_cgroup *two, const char *root)
{
    char line[LINE_BYTES];
    FILE *const f = open_below(root, "/proc/self/cgroup");
    while (f != NULL && fgets(line, sizeof line, f) != NULL) {
        take_group(&two[0], line);
        take_group(&two[1], line);
    }
    if (f != NULL)
        (void)fclose(f);
}

/* Names that are not known are not cleared either: every sort, however small, looks. */
static void begin(gs_cgroup *c, const char *controller)
{
    c->controller = controller;
    c->is_in_one = c->has_folder = false;
    c->group[0] = c->path[0] = '\0';
    c->top_bytes = 0;
}

/* The trees of version 2 and of a controller of version 1. */
static void find_folders(gs_cgroup *two, const char *root, const char *controller)
{
    char line[LINE_BYTES];
    begin(&two[0], NULL);
    begin(&two[1], controller);
    find_groups(two, root);
    FILE *const f = open_below(root, "/proc/self/mountinfo");
    while (f != NULL && fgets(line, sizeof line, f) != NULL) {
        take_mount(&two[0], root, line);
        take_mount(&two[1], root, line);
        if (two[0].has_folder == two[0].is_in_one &&
            two[1].has_folder == two[1].is_in_one)
            break; /* there may be thousands of mounts */
    }
    if (f != NULL)
        (void)fclose(f);
    /* Where the mounts are not told, the usual places. */
    if (two[0].is_in_one && !two[0].has_folder)
        set_folder(&two[0], root, "/sys/fs/cgroup", "/");
    if (two[1].is_in_one && !two[1].has_folder) {
        (void)snprintf(line, sizeof line, "/sys/fs/cgroup/%s", controller);
        set_folder(&two[1], root, line, "/");
    }
}

/* Goes up by one level; false at the top. */
static bool go_up(gs_cgroup *c)
{
    char *const below = c->path + c->top_bytes;
    char *const slash = strrchr(below, '/');
    if (slash == NULL)
        return false;
    *slash = '\0';
    return true;
}

/* The first `count` numbers in a file of a folder; false if they are not there, as where
 * it says "max". */
static bool read_numbers(const gs_cgroup *folder, const char *name, uint64_t *out,
                         int count)
{
    char text[PATH_BYTES]; /* the path, and then what is there */
    unsigned long long numbers[2] = {0};
    const int n = snprintf(text, sizeof text, "%s%s", folder->path, name);
    const int fd =
        n > 0 && (size_t)n < sizeof text ? open(text, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return false;
    const ssize_t bytes = read(fd, text, sizeof text - 1);
    (void)close(fd);
    text[bytes > 0 ? bytes : 0] = '\0';
    const int got = sscanf(text, "%llu %llu", &numbers[0], &numbers[1]);
    for (int i = 0; i < count; i++)
        out[i] = numbers[i];
    return got >= count;
}

static unsigned cores_of(const uint64_t quota[2])
{
    if (quota[1] == 0 || quota[0] == 0)
        return 0;
    const uint64_t cores = (quota[0] - 1) / quota[1] + 1;
    return cores < UINT32_MAX ? (unsigned)cores : 0;
}

static unsigned lesser(unsigned a, unsigned b)
{
    return a == 0 || (b > 0 && b < a) ? b : a;
}

unsigned gs_cgroup_cores(const char *root)
{
    gs_cgroup two[2];
    uint64_t quota[2];
    unsigned least = 0;
    find_folders(two, root, "cpu");
    for (bool is_there = two[0].has_folder; is_there; is_there = go_up(&two[0]))
        if (read_numbers(&two[0], "/cpu.max", quota, 2))
            least = lesser(least, cores_of(quota));
    for (bool is_there = two[1].has_folder; is_there; is_there = go_up(&two[1]))
        if (read_numbers(&two[1], "/cpu.cfs_quota_us", quota, 1) &&
            quota[0] <= INT64_MAX && /* not -1: none */
            read_numbers(&two[1], "/cpu.cfs_period_us", quota + 1, 1))
            least = lesser(least, cores_of(quota));
    return least;
}

static uint64_t memory_left(const gs_cgroup *folder, const char *limit_name,
                            const char *usage_name)
{
    uint64_t limit = 0, used = 0;
    if (!read_numbers(folder, limit_name, &limit, 1) || limit == 0 ||
        limit >= (uint64_t)INT64_MAX / 2)
        return UINT64_MAX;
    (void)read_numbers(folder, usage_name, &used, 1);
    const uint64_t left = used < limit ? limit - used : 0;
    return left > limit / 4 ? left : limit / 4;
}

uint64_t gs_cgroup_memory_left(const char *root)
{
    gs_cgroup two[2];
    uint64_t least = UINT64_MAX;
    find_folders(two, root, "memory");
    for (bool is_there = two[0].has_folder; is_there; is_there = go_up(&two[0])) {
        const uint64_t most = memory_left(&two[0], "/memory.max", "/memory.current");
        const uint64_t high = memory_left(&two[0], "/memory.high", "/memory.current");
        least = most < least ? most : least;
        least = high < least ? high : least;
    }
    for (bool is_there = two[1].has_folder; is_there; is_there = go_up(&two[1])) {
        const uint64_t left =
            memory_left(&two[1], "/memory.limit_in_bytes", "/memory.usage_in_bytes");
        least = left < least ? left : least;
    }
    return least;
}
