/* SPDX-License-Identifier: MIT */
/*
 * What the handler of a signal asks: what is to be removed, and which file a lost page
 * was of.
 */
#include "io/map_names.h"
#include "io/name_guard.h"
#include "io/pending_names.h"
#include "lib/gpusort.h"
#include "lib/index/folder/folders.h"

void gpusort_abandon(void)
{
    gs_name_guard_close();
    gs_pending_names_unlink();
    gs_index_folder_remove_pending();
}

int gpusort_mapped_name(const void *address, char *name, size_t room)
{
    return gs_map_name_at(address, name, room);
}
