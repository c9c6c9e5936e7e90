/* SPDX-License-Identifier: MIT */
#include "lib/sort/device/device_choice.h"

#include <string.h>
#include <sys/stat.h>

#include "gpu/device/device.h"
#include "gpu/engine/engine.h"
#include "lib/base/share.h"

/*
 * A GPU's start and end are 0.4 s that the cores do not have, and for each GB it saves
 * sixteen of them 0.2 to 0.6 s, more of most keys. What they take goes with their number,
 * and so does where the two meet. A disk that reads more slowly hides the start.
 */
uint64_t gs_device_choice_bytes_min(bool is_keyed, unsigned cores)
{
    enum { LINE_MIB = 96, KEY_MIB = 64 };
    return gs_share_device_bytes_min(is_keyed ? KEY_MIB : LINE_MIB, cores);
}

static bool are_files(const gs_sort_options *o)
{
    for (size_t i = 0; i < o->input_count; i++) {
        struct stat info;
        if (strcmp(o->inputs[i], "-") == 0 || stat(o->inputs[i], &info) != 0 ||
            !S_ISREG(info.st_mode))
            return false;
    }
    return true;
}

gs_device_choice gs_device_choose(const gs_sort_options *o,
                                  const gs_record_layout *layout, uint64_t stored_bytes)
{
    gs_device_choice choice = {.input_bytes = stored_bytes};
    const bool is_auto = gs_engine_is_auto(o->engine);
    if (!is_auto && !gs_engine_is_of_gpu(o->engine))
        return choice;
    choice.is_forced = !is_auto;
    choice.can_read_again = are_files(o);
    if (!is_auto && strcmp(o->engine, "gpu") != 0)
        choice.engine = o->engine;
    choice.device_count = 1;
    for (size_t i = 0; i < o->gpu_count && i < GS_CHOICE_DEVICES_MAX; i++) {
        choice.devices[i] = o->gpus[i];
        choice.device_count = i + 1;
    }
    if (is_auto) {
        const uint64_t least =
            gs_device_choice_bytes_min(layout->is_keyed, gs_share_workers(o->threads));
        const bool is_known = choice.can_read_again || stored_bytes > 0;
        if (!gs_device_is_likely() || (is_known && stored_bytes < least))
            return choice;
        if (!choice.can_read_again)
            choice.peek_bytes = (size_t)least;
    }
    const char *why = gs_device_order(&o->order, layout, &choice.order);
    if (why == NULL && o->compress_program != NULL)
        why = "runs go through --compress-program";
    if (why == NULL && o->checkpoint != NULL)
        why = "a checkpoint is kept";
    if (why != NULL)
        gs_log_say(o->log, GS_LOG_INFO, "the CPU sorts this: %s", why);
    choice.is_wanted = why == NULL;
    return choice;
}
