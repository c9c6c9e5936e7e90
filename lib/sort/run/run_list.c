/* SPDX-License-Identifier: MIT */
#include "lib/sort/run/run_list.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/sort/run/run_codec_choice.h"

void gs_run_list_release(gs_run_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        gs_run_release(&list->runs[i]);
    gs_mem_free(list->runs);
    gs_spill_free(list->spill);
    list->runs = NULL;
    list->spill = NULL;
    list->count = list->capacity = 0;
}

gs_code gs_run_list_need_spill(gs_run_list *list, gs_status *st)
{
    const gs_sort_options *const o = list->options;
    if (list->spill != NULL)
        return GS_OK;
    return gs_spill_new(&list->spill, o->temp_folders, o->temp_folder_count, st);
}

gs_code gs_run_writer_open(gs_run_writer *w, gs_run_list *list, size_t piece_bytes,
                           gs_status *st)
{
    const gs_sort_options *const o = list->options;
    const gs_memory_plan *const plan = list->plan;
    *w = (gs_run_writer){.list = list};
    GS_TRY(gs_run_list_need_spill(list, st));
    GS_TRY(gs_spill_extent_open(list->spill, &w->run.extent, st));
    (void)snprintf(w->failure, sizeof w->failure, "write failed: temporary file in '%s'",
                   gs_spill_folder_name(list->spill, w->run.extent.folder));
    const gs_stream_target target = {
        .fd = w->run.extent.fd,
        .is_seekable = true,
        .is_direct = w->run.extent.is_direct,
        .no_uring = o->no_uring,
        .trace = o->trace,
        .offset = w->run.extent.offset,
        .failure = w->failure,
    };
    gs_stream *stream = NULL;
    if (gs_stream_new(&stream, &target, plan->stream_block_bytes, plan->stream_blocks,
                      st) != GS_OK) {
        gs_spill_extent_close(list->spill, &w->run.extent, 0); /* for who tries again */
        return st->code;
    }
    w->sink = (gs_sink){
        .stream = stream,
        .layout = *list->layout,
        .has_counts = o->count,
        .run = &w->run,
        .codec = list->codec,
        .zstd_level = GS_RUN_ZSTD_LEVEL,
        .block_raw_bytes = plan->run_block_bytes,
        .buffer_bytes = piece_bytes,
        .held_most = plan->workers,
        .witness = list->witness,
    };
    gs_sink_init(&w->sink);
    return GS_OK;
}

gs_code gs_run_writer_close(gs_run_writer *w, gs_status *st)
{
    gs_sort_stats *const stats = w->list->options->stats;
    uint64_t total = 0;
    if (st->code != GS_OK)
        gs_stream_abort(w->sink.stream, st);
    GS_NOTED(gs_stream_finish(w->sink.stream, &total, st));
    gs_stream_free(w->sink.stream);
    w->run.stored_bytes = total;
    gs_spill_extent_close(w->list->spill, &w->run.extent, total);
    gs_sink_finish_run(&w->sink);
    gs_sink_release(&w->sink);
    if (st->code != GS_OK) {
        gs_run_release(&w->run);
    } else if (stats != NULL) {
        atomic_fetch_add(&stats->runs, 1);
        atomic_fetch_add(&stats->spill_bytes, total);
    }
    return st->code;
}

/* The index is complete: with thousands of small runs, room for more of it adds up. */
static void shrink_index(gs_run *run)
{
    gs_status ignored = {.code = GS_OK};
    void *memory = run->entries;
    if (run->entry_count < run->entry_capacity && run->entry_count > 0 &&
        gs_mem_resize(&memory, run->entry_count * sizeof *run->entries, "run index",
                      &ignored) == GS_OK) {
        run->entries = memory;
        run->entry_capacity = run->entry_count;
    }
}

gs_code gs_run_list_add(gs_run_list *list, gs_run *run, gs_status *st)
{
    if (list->count == list->capacity) {
        const size_t capacity = 2 * list->capacity + 16;
        void *memory = list->runs;
        if (gs_mem_resize(&memory, capacity * sizeof *list->runs, "list of runs", st) !=
            GS_OK) {
            gs_run_release(run);
            return st->code;
        }
        list->runs = memory;
        list->capacity = capacity;
    }
    shrink_index(run);
    list->runs[list->count++] = *run;
    return GS_OK;
}

void gs_run_list_replace(gs_run_list *list, size_t first, size_t count, const gs_run *run)
{
    gs_run *const runs = list->runs;
    gs_assert(count > 0 && first + count <= list->count);
    for (size_t i = first; i < first + count; i++)
        gs_run_release(&runs[i]);
    runs[first] = *run;
    memmove(runs + first + 1, runs + first + count,
            (list->count - first - count) * sizeof *runs);
    list->count -= count - 1;
}

uint64_t gs_run_list_stored_bytes(const gs_run_list *list)
{
    uint64_t total = 0;
    for (size_t i = 0; i < list->count; i++)
        total += list->runs[i].stored_bytes;
    return total;
}
