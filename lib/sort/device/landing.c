/* SPDX-License-Identifier: MIT */
#include "lib/sort/device/landing.h"

#include "gpu/text/text_sort.h"
#include "lib/base/mem.h"

gs_code gs_landing_init(gs_landing *l, size_t bytes, gs_status *st)
{
    l->bytes = bytes;
    return gs_mem_map(&l->memory, bytes, false, "text of a GPU", st);
}

void gs_landing_pin(gs_landing *l)
{
    gs_text_pin(l->memory, l->bytes);
    l->is_pinned = true;
}

void gs_landing_release(gs_landing *l)
{
    if (l->is_pinned)
        gs_text_unpin(l->memory);
    if (l->memory != NULL)
        gs_mem_unmap(l->memory, l->bytes);
    *l = (gs_landing){0};
}
