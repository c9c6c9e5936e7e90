/* SPDX-License-Identifier: MIT */
#include "tests/faults/fault_plan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/faults/real_calls.h"

/* The first error of each is what it fails with if nothing else is asked for. */
static const struct {
    const char *name;
    int error;
} kinds[FAULT_KINDS] = {
    [FAULT_READ] = {"read", EIO},        [FAULT_WRITE] = {"write", ENOSPC},
    [FAULT_OPEN] = {"open", EMFILE},     [FAULT_CLOSE] = {"close", EIO},
    [FAULT_SYNC] = {"sync", EIO},        [FAULT_RENAME] = {"rename", EIO},
    [FAULT_LINK] = {"link", EIO},        [FAULT_UNLINK] = {"unlink", EIO},
    [FAULT_LENGTH] = {"length", EIO},    [FAULT_SPACE] = {"space", ENOSPC},
    [FAULT_LOOK] = {"look", EIO},        [FAULT_CHANGE] = {"change", EPERM},
    [FAULT_MAP] = {"map", ENOMEM},       [FAULT_ADVISE] = {"advise", EINVAL},
    [FAULT_MEMORY] = {"memory", ENOMEM}, [FAULT_THREAD] = {"thread", EAGAIN},
    [FAULT_CHILD] = {"child", EAGAIN},   [FAULT_RING] = {"ring", ENOMEM},
    [FAULT_SUBMIT] = {"submit", EAGAIN}, [FAULT_RANDOM] = {"random", ENOSYS},
    [FAULT_CUT] = {"cut", EIO},
};

enum { SLOT_HAPPENED = FAULT_KINDS, SLOT_ENDED, SLOTS };

static struct {
    bool is_set, is_short, goes_on;
    fault_kind kind;
    uint64_t at;
    int error;
} plan;

/* What is counted, in memory that is the file's where there is one: it tells how many
 * there were however the program ends. */
static _Atomic uint64_t own_counts[SLOTS];
static _Atomic uint64_t *counts = own_counts;

static void give_up(const char *why)
{
    fprintf(stderr, "GS_FAULT: %s\n", why);
    _exit(125);
}

static void print_kinds(void)
{
    for (int k = 0; k < FAULT_KINDS; k++)
        printf("%s %s\n", kinds[k].name, strerrorname_np(kinds[k].error));
    fflush(stdout);
    _exit(0);
}

static int error_by_name(const char *name, size_t length)
{
    enum { ERRORS = 134 };
    for (int error = 1; error < ERRORS; error++) {
        const char *const known = strerrorname_np(error);
        if (known != NULL && strlen(known) == length && strncmp(name, known, length) == 0)
            return error;
    }
    give_up("no such error");
    return 0;
}

static void read_kind(const char *name, size_t length)
{
    for (int k = 0; k < FAULT_KINDS; k++) {
        if (strlen(kinds[k].name) == length &&
            strncmp(name, kinds[k].name, length) == 0) {
            plan.kind = (fault_kind)k;
            plan.error = kinds[k].error;
            return;
        }
    }
    give_up("no such kind");
}

/* KIND:N[:HOW][:on] */
static void read_plan(const char *text)
{
    size_t length = strcspn(text, ":");
    read_kind(text, length);
    if (text[length] != ':')
        give_up("which call?");
    char *rest;
    plan.at = strtoull(text + length + 1, &rest, 10);
    while (*rest == ':') {
        const char *const word = rest + 1;
        length = strcspn(word, ":");
        if (length == 2 && strncmp(word, "on", length) == 0)
            plan.goes_on = true;
        else if (length == 5 && strncmp(word, "short", length) == 0)
            plan.is_short = true;
        else
            plan.error = error_by_name(word, length);
        rest = rest + 1 + length;
    }
    if (plan.at == 0 || *rest != '\0')
        give_up("which call?");
    plan.is_set = true;
}

static void map_counts(const char *name)
{
    const int fd =
        (int)syscall(SYS_openat, AT_FDCWD, name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    const size_t bytes = SLOTS * sizeof *counts;
    if (fd < 0 || syscall(SYS_ftruncate, fd, bytes) != 0)
        give_up("no file for counts");
    void *const map = __real_mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED)
        give_up("no file for counts");
    (void)syscall(SYS_close, fd);
    counts = map;
}

/* Before main, but behind what libraries do as they are loaded. */
__attribute__((constructor)) static void begin(void)
{
    const char *const wish = getenv("GS_FAULT");
    const char *const file = getenv("GS_FAULT_COUNT");
    if (wish != NULL && strcmp(wish, "help") == 0)
        print_kinds();
    if (file != NULL)
        map_counts(file);
    if (wish != NULL && wish[0] != '\0')
        read_plan(wish);
}

int fault_of_call(fault_kind kind, bool *is_short)
{
    const uint64_t call = atomic_fetch_add(&counts[kind], 1) + 1;
    if (is_short != NULL)
        *is_short = false;
    if (!plan.is_set || kind != plan.kind ||
        (plan.goes_on ? call < plan.at : call != plan.at))
        return 0;
    if (plan.is_short && is_short == NULL)
        return 0;
    atomic_store(&counts[SLOT_HAPPENED], 1);
    if (!plan.is_short)
        return plan.error;
    *is_short = true;
    return 0;
}

bool fault_is_due(fault_kind kind)
{
    const int error = fault_of_call(kind, NULL);
    if (error != 0)
        errno = error;
    return error != 0;
}

void fault_note_end(int code)
{
    atomic_store(&counts[SLOT_ENDED], (uint64_t)code + 1);
}

size_t fault_short_bytes(size_t bytes)
{
    enum { BLOCK = 4096 };
    if (bytes <= BLOCK)
        return bytes == BLOCK ? bytes : (bytes + 1) / 2;
    return bytes < 2 * BLOCK ? BLOCK : bytes / 2 / BLOCK * BLOCK;
}
