/* SPDX-License-Identifier: MIT */
#include "lib/sort/device/device_choice.h"

#include <string.h>
#include <sys/stat.h>

#include "gpu/device/device.h"
#include "gpu/engine/engine.h"

/* Below this the cores are done before a GPU has started and caught up. Measured with
 * sixteen cores (gpu/NOTES.md): plain lines cost them little, keys three times that. */
static uint64_t auto_bytes_min(const gs_record_layout *layout)
{
    return layout->is_keyed ? (uint64_t)512 << 20 : (uint64_t)3 << 30;
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
    if (is_auto && !gs_device_is_likely())
        return choice;
    const bool is_known = choice.can_read_again || stored_bytes > 0;
    if (is_auto && is_known && stored_bytes < auto_bytes_min(layout))
        return choice;
    if (is_auto && !choice.can_read_again)
        choice.peek_bytes = (size_t)auto_bytes_min(layout);
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
