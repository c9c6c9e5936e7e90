/* SPDX-License-Identifier: MIT */
#include "lib/sort/run/run_list.h"

#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/sort/run/range_memory.h"
#include "lib/sort/run/checkpoint.h"
#include "lib/sort/run/merge_pass.h"
#include "lib/sort/run/range_merge.h"

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
    gs_stream_target target =
        gs_spill_extent_target(list->spill, &w->run.extent, w->failure);
    target.no_uring = o->no_uring;
    target.trace = o->trace;
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
    if (run->entry_count < run->entry_capacity && run->entry_count > 0 &&
        gs_mem_resize(&run->entries, run->entry_count * sizeof *run->entries, "run index",
                      &ignored) == GS_OK) {
        run->entry_capacity = run->entry_count;
    }
}

gs_code gs_run_list_add(gs_run_list *list, gs_run *run, gs_status *st)
{
    if (gs_mem_grow(&list->runs, &list->capacity, list->count + 1, "list of runs", st) !=
        GS_OK) {
        gs_run_release(run);
        return st->code;
    }
    shrink_index(run);
    list->runs[list->count++] = *run;
    return GS_OK;
}

uint64_t gs_run_list_stored_bytes(const gs_run_list *list)
{
    uint64_t total = 0;
    for (size_t i = 0; i < list->count; i++)
        total += list->runs[i].stored_bytes;
    return total;
}

/* --- to fewer ------------------------------------------------------------------ */

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

static void drop_extents(const gs_run_list *list, const gs_merge_group *group)
{
    /* With plenty of room the space can wait until the file is closed. */
    if (!gs_spill_is_space_short(list->spill, 4 * gs_run_list_stored_bytes(list)))
        return;
    for (size_t i = group->first; i < group->first + group->count; i++)
        gs_spill_extent_drop(list->spill, &list->runs[i].extent);
}

static gs_code merge_group(gs_run_list *list, const gs_run_reduction *how,
                           const gs_merge_group *group, gs_status *st)
{
    gs_run_writer out;
    GS_TRY(gs_run_writer_open(&out, list, how->piece_bytes, st));
    GS_NOTED(
        how->merge(how->context, list->runs + group->first, group->count, &out.sink, st));
    GS_TRY(gs_run_writer_close(&out, st));
    if (how->checkpoint != NULL &&
        gs_checkpoint_save_merge(how->checkpoint, list, &out.run, group->first,
                                 group->count, st) != GS_OK) {
        gs_run_release(&out.run);
        return st->code;
    }
    drop_extents(list, group);
    gs_run_list_replace(list, group->first, group->count, &out.run);
    return GS_OK;
}

typedef struct fitting_runs {
    const gs_run_list *list;
    size_t memory_bytes;
} fitting_runs;

static size_t fitting(const void *context, size_t first, size_t count)
{
    const fitting_runs *const f = context;
    return gs_range_fitting(f->list->runs + first, count, f->memory_bytes);
}

gs_code gs_run_list_reduce(gs_run_list *list, const gs_run_reduction *how, gs_status *st)
{
    const unsigned batch_size = list->options->batch_size;
    const fitting_runs context = {list, how->memory_bytes};
    gs_merge_passes passes = {.fitting = fitting, .context = &context};
    gs_merge_group group;
    passes.fan_in =
        gs_range_fan_in(how->memory_bytes, list->plan->workers, how->open_bytes);
    if (batch_size >= 2 && batch_size < passes.fan_in)
        passes.fan_in = batch_size;
    while (gs_merge_passes_next(&passes, list->count, &group)) {
        if (group.begins_pass)
            gs_run_list_begin_pass(list);
        GS_TRY(merge_group(list, how, &group, st));
    }
    return GS_OK;
}

void gs_run_list_begin_pass(const gs_run_list *list)
{
    gs_sort_stats *const stats = list->options->stats;
    if (stats == NULL)
        return;
    atomic_fetch_add(&stats->passes, 1);
    atomic_store(&stats->merge_bytes, 0);
    atomic_store(&stats->merge_bytes_total, gs_run_list_stored_bytes(list));
}
