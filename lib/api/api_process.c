/* SPDX-License-Identifier: MIT */
/*
 * What a program asks that is no job: which engines and GPUs there are, and in the
 * handler of a signal what is to be removed, and which file a lost page was of.
 */
#include <string.h>

#include "gpu/device/device.h"
#include "gpu/engine/engine.h"
#include "io/map_names.h"
#include "io/name_guard.h"
#include "io/pending_names.h"
#include "lib/gpusort.h"
#include "lib/index/folder/folders.h"

const char *gpusort_engine_name(size_t i)
{
    static const char *const usual[] = {"auto", "cpu", "gpu"};
    enum { USUAL = sizeof usual / sizeof *usual };
    if (i < USUAL)
        return usual[i];
    size_t left = i - USUAL;
    for (size_t k = 0; k < gs_engine_count(); k++) {
        const char *const name = gs_engine_name(k);
        if (strcmp(name, "auto") != 0 && left-- == 0)
            return name;
    }
    return NULL;
}

unsigned gpusort_gpus(char *text, size_t room)
{
    if (text != NULL && room > 0)
        (void)gs_device_describe(text, room);
    return gs_device_count();
}

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
