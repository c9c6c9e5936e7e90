/* SPDX-License-Identifier: MIT */
#include "lib/base/late_relocations.h"

#include <elf.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

/* Written by who links the program, which the compiler does not see. Its name is looked
 * for there. */
extern const volatile gs_late_relocations gs_late_relocations_list;
const volatile gs_late_relocations gs_late_relocations_list = {0};

/* The pages of the tables, as linked, and what the program was moved by. */
typedef struct gs_late_span {
    uintptr_t moved, begin, end;
    const Elf64_Rela *list;
    size_t count;
} gs_late_span;

static gs_late_span find_span(void)
{
    const volatile gs_late_relocations *const all = &gs_late_relocations_list;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    gs_late_span s = {.count = all->count, .begin = UINTPTR_MAX};
    if (s.count == 0)
        return s;
    s.moved = (uintptr_t)all - all->own_address;
    s.list = (const Elf64_Rela *)(all->first + s.moved);
    for (size_t i = 0; i < s.count; i++) {
        const uintptr_t at = s.list[i].r_offset + s.moved;
        s.begin = at < s.begin ? at : s.begin;
        s.end = at > s.end ? at : s.end;
    }
    s.begin &= ~(page - 1);
    s.end = (s.end + sizeof(uintptr_t) + page - 1) & ~(page - 1);
    return s;
}

/* The loader has made the tables read-only, and so they are left. */
static int apply(void)
{
    const gs_late_span s = find_span();
    if (s.count == 0)
        return 0;
    if (mprotect((void *)s.begin, s.end - s.begin, PROT_READ | PROT_WRITE) != 0)
        return errno;
    for (size_t i = 0; i < s.count; i++)
        *(uintptr_t *)(s.list[i].r_offset + s.moved) =
            (uintptr_t)s.list[i].r_addend + s.moved;
    return mprotect((void *)s.begin, s.end - s.begin, PROT_READ) == 0 ? 0 : errno;
}

gs_code gs_late_relocations_apply(gs_status *st)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards what follows */
    static bool is_done;
    int error = 0;
    pthread_mutex_lock(&mutex);
    if (!is_done)
        error = apply();
    is_done = is_done || error == 0;
    pthread_mutex_unlock(&mutex);
    return error == 0 ? GS_OK
                      : GS_FAIL(st, GS_ERR_NOMEM, error, "the tables of the stemmers");
}
