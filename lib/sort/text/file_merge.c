/* SPDX-License-Identifier: MIT */
#include "lib/sort/text/file_merge.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "io/stream.h"
#include "lib/base/assertion.h"
#include "lib/base/mem.h"

enum {
    SOURCE_BYTES_OTHER = 16384,
    SOURCE_BLOCKS = 3,
    FAN_IN_MAX = 1024,
    STREAM_BLOCKS = 4,
};

static size_t source_bytes(const gs_memory_plan *plan)
{
    return SOURCE_BLOCKS * (plan->block_bytes + GS_BLOCK_HEADROOM + GS_BLOCK_SLACK) +
           SOURCE_BYTES_OTHER;
}

size_t gs_file_merge_fan_in(const gs_sort_options *options, const gs_memory_plan *plan)
{
    size_t fan_in = plan->merge_bytes / source_bytes(plan);
    if (options->batch_size >= 2 && fan_in > options->batch_size)
        fan_in = options->batch_size;
    if (fan_in > FAN_IN_MAX)
        fan_in = FAN_IN_MAX;
    return fan_in < 2 ? 2 : fan_in;
}

static void release_input(gs_merge_input *input)
{
    if (input->run != NULL) {
        gs_text_run_release(input->run);
        gs_mem_free(input->run);
    }
    *input = (gs_merge_input){0};
}

/* Inputs that are open for a merge. */
typedef struct open_group {
    gs_text_source *sources;
    size_t want, opened;
} open_group;

static void close_group(open_group *g)
{
    for (size_t i = 0; g->sources != NULL && i < g->want; i++)
        gs_text_source_close(&g->sources[i]);
    gs_mem_free(g->sources);
    *g = (open_group){0};
}

/* Opens inputs [first, first + want). Running out of descriptors after the second is no
 * failure: g->opened says how many there are, and the fan-in shrinks to that. Close the
 * group also after a failure. */
static gs_code open_inputs(gs_file_merge *m, size_t first, size_t want, open_group *g,
                           gs_status *st)
{
    *g = (open_group){.want = want};
    GS_TRY(gs_mem_new(&g->sources, want * sizeof *g->sources, "merge sources", st));
    for (; g->opened < want; g->opened++) {
        const gs_merge_input *const input = &m->inputs[first + g->opened];
        gs_text_source *const source = &g->sources[g->opened];
        const gs_code code =
            input->run ? gs_text_source_open_run(source, input->run, &m->source, st)
                       : gs_text_source_open(source, input->name, &m->source, st);
        if (code == GS_OK)
            continue;
        const bool is_descriptors = st->sys == EMFILE || st->sys == ENFILE;
        if (!is_descriptors || g->opened < 2)
            return code;
        gs_status_clear(st);
        m->fan_in = g->opened;
        return GS_OK;
    }
    return GS_OK;
}

/* Merges what is open into a sink. Only the last pass may drop equals to counts, or stop
 * early. */
static gs_code merge_group(const gs_file_merge *m, open_group *g, gs_sink *sink,
                           uint64_t ticket, bool is_last, gs_status *st)
{
    gs_text_merge_options options = m->merge;
    if (!is_last && options.has_counts)
        options.is_unique = options.has_counts = false;
    return gs_text_merge_run(g->sources, g->opened, &m->source, &options, sink, ticket,
                             st);
}

static gs_code merge_into_run(const gs_file_merge *m, open_group *g, gs_text_run *run,
                              gs_stream_target *target, gs_status *st)
{
    gs_sink sink = {.layout = *m->source.layout, .buffer_bytes = m->plan->piece_bytes};
    uint64_t total = 0;
    target->no_uring = true;
    GS_TRY(gs_stream_new(&sink.stream, target, m->plan->stream_block_bytes, STREAM_BLOCKS,
                         st));
    gs_sink_init(&sink);
    if (merge_group(m, g, &sink, 0, false, st) != GS_OK)
        gs_stream_abort(sink.stream, st);
    GS_NOTED(gs_stream_finish(sink.stream, &total, st));
    gs_stream_free(sink.stream);
    gs_sink_release(&sink);
    GS_TRY(st->code);
    return gs_text_run_finish(run, total, st);
}

static void release_run(gs_text_run *run)
{
    gs_text_run_release(run);
    gs_mem_free(run);
}

/* Replaces the inputs from `first` on that are open by one text run. */
static gs_code reduce_open(gs_file_merge *m, size_t first, open_group *g,
                           gs_text_run *run, gs_stream_target *target, gs_status *st)
{
    const size_t taken = g->opened;
    GS_TRY(merge_into_run(m, g, run, target, st));
    for (size_t i = 0; i < taken; i++)
        release_input(&m->inputs[first + i]);
    m->inputs[first].run = run;
    memmove(m->inputs + first + 1, m->inputs + first + taken,
            (m->input_count - first - taken) * sizeof *m->inputs);
    m->input_count -= taken - 1;
    return GS_OK;
}

static gs_code new_run(gs_file_merge *m, gs_text_run **out, gs_stream_target *target,
                       gs_status *st)
{
    GS_TRY(gs_mem_new(out, sizeof(gs_text_run), "text run", st));
    if (gs_text_run_create(*out, m->spill, &m->filter, target, st) == GS_OK)
        return GS_OK;
    release_run(*out);
    *out = NULL;
    return st->code;
}

/* Replaces inputs [first, first + want), or as many of them as can be open, by one. */
static gs_code reduce_group(gs_file_merge *m, size_t first, size_t want, gs_status *st)
{
    gs_stream_target target;
    gs_text_run *run = NULL;
    open_group g = {0};
    if (new_run(m, &run, &target, st) == GS_OK &&
        open_inputs(m, first, want, &g, st) == GS_OK &&
        reduce_open(m, first, &g, run, &target, st) == GS_OK)
        run = NULL; /* is an input now */
    if (run != NULL)
        release_run(run);
    close_group(&g);
    return st->code;
}

gs_code gs_file_merge_reduce(gs_file_merge *m, gs_status *st)
{
    gs_sort_stats *const stats = m->options->stats;
    gs_merge_passes passes = {.fan_in = m->fan_in};
    gs_merge_group group;
    while (gs_merge_passes_next(&passes, m->input_count, &group)) {
        if (stats != NULL)
            atomic_fetch_add(&stats->passes, group.begins_pass);
        GS_TRY(reduce_group(m, group.first, group.count, st));
        passes.fan_in = m->fan_in; /* descriptors may have run out */
    }
    return GS_OK;
}

/* Not all could be open at once. Those that are have been read from, which a pipe does
 * not take back: they become a run as they are. `held` is given up for it. */
static gs_code reduce_last(gs_file_merge *m, open_group *g, int *held, gs_status *st)
{
    gs_stream_target target;
    gs_text_run *run = NULL;
    if (*held >= 0)
        (void)close(*held);
    *held = -1;
    if (new_run(m, &run, &target, st) == GS_OK &&
        reduce_open(m, 0, g, run, &target, st) != GS_OK)
        release_run(run);
    close_group(g);
    return st->code == GS_OK ? gs_file_merge_reduce(m, st) : st->code;
}

gs_code gs_file_merge_last(gs_file_merge *m, gs_sink *sink, uint64_t ticket,
                           gs_status *st)
{
    for (bool is_done = false; !is_done && st->code == GS_OK;) {
        open_group g;
        int held = dup(STDERR_FILENO); /* for a run, should there be no other left */
        is_done = true;
        if (open_inputs(m, 0, m->input_count, &g, st) == GS_OK) {
            is_done = g.opened == m->input_count;
            GS_NOTED(is_done ? merge_group(m, &g, sink, ticket, true, st)
                             : reduce_last(m, &g, &held, st));
        }
        close_group(&g);
        if (held >= 0)
            (void)close(held);
    }
    return st->code;
}

void gs_file_merge_release(gs_file_merge *m)
{
    for (size_t i = 0; i < m->input_count; i++)
        release_input(&m->inputs[i]);
    gs_mem_free(m->inputs);
    m->inputs = NULL;
    m->input_count = 0;
}
