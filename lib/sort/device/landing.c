/* SPDX-License-Identifier: MIT */
#include "lib/sort/device/landing.h"

#include "gpu/text/text_sort.h"
#include "lib/base/mem.h"
#include "lib/base/thread.h"

gs_code gs_landing_init(gs_landing *l, size_t bytes, gs_status *st)
{
    l->bytes = bytes;
    return gs_mem_map(&l->memory, bytes, false, "text of a GPU", st);
}

static void *pin(void *arg)
{
    const gs_landing *const l = arg;
    gs_text_pin(l->memory, l->bytes);
    return NULL;
}

void gs_landing_start(gs_landing *l)
{
    if (l->is_pinned)
        return;
    l->has_thread = gs_thread_start(&l->thread, pin, l, 0) == 0;
    l->is_pinned = l->has_thread;
}

void gs_landing_wait(gs_landing *l)
{
    if (l->has_thread)
        (void)pthread_join(l->thread, NULL);
    l->has_thread = false;
}

void gs_landing_release(gs_landing *l)
{
    gs_landing_wait(l);
    if (l->is_pinned)
        gs_text_unpin(l->memory);
    if (l->memory != NULL)
        gs_mem_unmap(l->memory, l->bytes);
    *l = (gs_landing){0};
}
