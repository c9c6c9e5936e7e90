/* SPDX-License-Identifier: MIT */
#include "io/map_names.h"

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/quote.h"

struct gs_map_name {
    gs_map_name *next, **link; /* link: what points here */
    const uint8_t *begin;
    size_t bytes;
    char name[]; /* with quotes */
};

static gs_map_name *first; /* guarded by `is_busy` */

/* Not a mutex, because the handler of SIGBUS takes it. That signal comes to a thread
 * that looks at a mapped page, and no thread does so while it holds this. */
static atomic_flag is_busy = ATOMIC_FLAG_INIT;

static void lock(void)
{
    while (atomic_flag_test_and_set_explicit(&is_busy, memory_order_acquire)) {
    }
}

static void unlock(void)
{
    atomic_flag_clear_explicit(&is_busy, memory_order_release);
}

gs_code gs_map_name_new(gs_map_name **out, const void *begin, size_t bytes,
                        const char *name, gs_status *st)
{
    gs_quoted quoted;
    *out = NULL;
    (void)gs_quote_name(&quoted, name);
    gs_map_name *n = NULL;
    GS_TRY(gs_mem_new(&n, sizeof(gs_map_name) + quoted.len + 1, "name of a map", st));
    n->begin = begin;
    n->bytes = bytes;
    memcpy(n->name, quoted.text, quoted.len + 1);
    lock();
    n->next = first;
    n->link = &first;
    if (first != NULL)
        first->link = &n->next;
    first = n;
    unlock();
    *out = n;
    return GS_OK;
}

void gs_map_name_free(gs_map_name *name)
{
    if (name == NULL)
        return;
    lock();
    *name->link = name->next;
    if (name->next != NULL)
        name->next->link = name->link;
    unlock();
    gs_mem_free(name);
}

bool gs_map_name_at(const void *address, char *name, size_t room)
{
    const uintptr_t at = (uintptr_t)address;
    bool found = false;
    lock();
    for (const gs_map_name *n = first; n != NULL && !found; n = n->next) {
        const uintptr_t begin = (uintptr_t)n->begin;
        found = at >= begin && at - begin < n->bytes;
        size_t i = 0;
        for (; found && i + 1 < room && n->name[i] != '\0'; i++)
            name[i] = n->name[i];
        if (found)
            name[i] = '\0';
    }
    unlock();
    return found;
}

gs_code gs_map_name_fail(const void *address, int error, gs_status *st)
{
    static const char changed[] = "it was changed while it was read";
    char name[GS_QUOTED_BYTES];
    if (!gs_map_name_at(address, name, sizeof name))
        return error != 0 ? GS_FAIL(st, GS_ERR_IO, error, "read failed")
                          : GS_FAIL(st, GS_ERR_IO, 0, "read failed: %s", changed);
    return error != 0 ? GS_FAIL(st, GS_ERR_IO, error, "read failed: %s", name)
                      : GS_FAIL(st, GS_ERR_IO, 0, "read failed: %s: %s", name, changed);
}

gs_code gs_map_name_fail_changed(const void *address, gs_status *st)
{
    return gs_map_name_fail(address, 0, st);
}
