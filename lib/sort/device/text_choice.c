/* SPDX-License-Identifier: MIT */
#include "lib/sort/device/text_choice.h"

#include <stdlib.h>
#include <string.h>

#include "io/spill.h"
#include "lib/sort/device/device_choice.h"
#include "lib/sort/text/texts.h"

/* What a byte takes as a record, encoded and merged, however it is stored: of one core,
 * and at least, since parts come down one at a time (gpu/NOTES.md). */
static const double core_ns = 16, least_ns = 0.6;
/* And what a byte takes that goes to memory and up again, where it might stay away. */
static const double again_ns = 0.1;

/* Of the runs, what is not in memory. */
static double spilled_share(const gs_forming *f, size_t memory_bytes)
{
    const double bytes = (double)f->device->input_bytes;
    const double memory = (double)memory_bytes;
    if (f->device->input_bytes == 0)
        return 1;
    return memory < bytes ? 1 - memory / bytes : 0;
}

static bool pays(const gs_forming *f, const gs_spill *spill, size_t memory_bytes,
                 const uint8_t *sample, size_t sample_bytes, double kept)
{
    const double disk_ns = gs_run_disk_ns(gs_spill_is_in_memory(spill));
    const gs_run_codec_choice codec = gs_run_codec_choose(
        sample, sample_bytes, f->plan->workers, f->plan->run_block_bytes, disk_ns, NULL);
    const double text =
        spilled_share(f, memory_bytes) * disk_ns + (kept < 1 ? again_ns : 0);
    const double stored = (1 - codec.saved) * disk_ns;
    const double cores = core_ns / f->plan->workers;
    double records = cores > least_ns ? cores : least_ns;
    records = kept * (stored > records ? stored : records);
    gs_log_say(f->options->log, GS_LOG_INFO,
               "runs: %.2f ns a byte as text for the GPU, %.2f as records", text,
               records);
    return text <= records;
}

static bool is_forced(const char *wish, size_t *memory_bytes)
{
    static const char text[] = "text";
    const size_t n = sizeof text - 1;
    if (strncmp(wish, text, n) != 0)
        return false;
    if (wish[n] == ':')
        *memory_bytes = strtoul(wish + n + 1, NULL, 10);
    return true;
}

bool gs_text_choice_is_text(const gs_forming *f, const uint8_t *sample,
                            size_t sample_bytes, double kept, size_t *memory_bytes)
{
    const gs_sort_options *const o = f->options;
    const char *const wish = getenv("GS_DEVICE_RUNS");
    gs_status refusal = {.code = GS_OK};
    gs_spill *spill = NULL;
    *memory_bytes = gs_memory_plan_texts(f->plan, f->map != NULL);
    if (!gs_mapped_store_suits(o) || o->output_zstd || f->plan->is_space_limited)
        return false;
    if (wish != NULL)
        return is_forced(wish, memory_bytes);
    if (gs_spill_new(&spill, o->temp_folders, o->temp_folder_count, &refusal) != GS_OK)
        return false;
    /* For the runs and, in the same place, the output. */
    const bool is_text = !gs_spill_is_space_short(spill, 2 * f->device->input_bytes) &&
                         pays(f, spill, *memory_bytes, sample, sample_bytes, kept);
    gs_spill_free(spill);
    return is_text;
}
