/* SPDX-License-Identifier: MIT */
#include "lib/sort/file_merge.h"

#include <errno.h>

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

/* Opens up to `want` sources. Running out of descriptors after the second is no failure:
 * *opened says how many there are, and the fan-in shrinks to that. */
static gs_code open_sources(gs_file_merge *m, size_t first, size_t want,
                            gs_text_source *sources, size_t *opened, gs_status *st)
{
    for (*opened = 0; *opened < want; ++*opened) {
        const gs_merge_input *const input = &m->inputs[first + *opened];
        gs_text_source *const source = &sources[*opened];
        const gs_code code =
            input->run ? gs_text_source_open_run(source, input->run, &m->source, st)
                       : gs_text_source_open(source, input->name, &m->source, st);
        if (code == GS_OK)
            continue;
        const bool is_descriptors = st->sys == EMFILE || st->sys == ENFILE;
        if (!is_descriptors || *opened < 2 || input->run != NULL)
            return code;
        gs_status_clear(st);
        m->fan_in = *opened;
        return GS_OK;
    }
    return GS_OK;
}

/* Merges inputs [first, first + want), or as many of them as can be open, into a sink. */
static gs_code merge_group(gs_file_merge *m, size_t first, size_t want, gs_sink *sink,
                           uint64_t ticket, bool is_last, size_t *taken, gs_status *st)
{
    void *memory = NULL;
    *taken = 0;
    GS_TRY(gs_mem_new(&memory, want * sizeof(gs_text_source), "merge sources", st));
    gs_text_source *const sources = memory;
    /* Only the last pass may drop equals to counts, or stop early. */
    gs_text_merge_options options = m->merge;
    if (!is_last && options.has_counts)
        options.is_unique = options.has_counts = false;
    size_t opened = 0;
    if (open_sources(m, first, want, sources, &opened, st) == GS_OK &&
        (!is_last || opened == want))
        GS_NOTED(
            gs_text_merge_run(sources, opened, &m->source, &options, sink, ticket, st));
    *taken = opened;
    for (size_t i = 0; i < want; i++)
        gs_text_source_close(&sources[i]);
    gs_mem_free(sources);
    return st->code;
}

/* Replaces inputs [first, first + want) by one text run. */
static gs_code reduce_group(gs_file_merge *m, size_t first, size_t want, gs_status *st)
{
    void *memory = NULL;
    gs_stream_target target;
    gs_sink sink = {0};
    size_t taken = 0;
    uint64_t total = 0;
    GS_TRY(gs_mem_new(&memory, sizeof(gs_text_run), "text run", st));
    gs_text_run *const run = memory;
    GS_TRY_OR_FAIL(gs_text_run_create(run, m->spill, &m->filter, &target, st));
    target.no_uring = true;
    GS_TRY_OR_FAIL(gs_stream_new(&sink.stream, &target, m->plan->stream_block_bytes,
                                 STREAM_BLOCKS, st));
    sink.layout = *m->source.layout;
    sink.buffer_bytes = m->plan->piece_bytes;
    gs_sink_init(&sink);
    if (merge_group(m, first, want, &sink, 0, false, &taken, st) != GS_OK)
        gs_stream_abort(sink.stream, st);
    GS_NOTED(gs_stream_finish(sink.stream, &total, st));
    gs_stream_free(sink.stream);
    gs_sink_release(&sink);
    GS_TRY_OR_FAIL(st->code);
    GS_TRY_OR_FAIL(gs_text_run_finish(run, total, st));
    for (size_t i = 0; i < taken; i++)
        release_input(&m->inputs[first + i]);
    m->inputs[first].run = run;
    memmove(m->inputs + first + 1, m->inputs + first + taken,
            (m->input_count - first - taken) * sizeof *m->inputs);
    m->input_count -= taken - 1;
    return GS_OK;
fail:
    gs_text_run_release(run);
    gs_mem_free(run);
    return st->code;
}

gs_code gs_file_merge_reduce(gs_file_merge *m, gs_status *st)
{
    gs_sort_stats *const stats = m->options->stats;
    while (m->input_count > m->fan_in) {
        if (stats != NULL)
            atomic_fetch_add(&stats->passes, 1);
        for (size_t i = 0; i < m->input_count && m->input_count > m->fan_in; i++) {
            const size_t excess = m->input_count - m->fan_in + 1;
            size_t group = excess < m->fan_in ? excess : m->fan_in;
            if (group < 2)
                group = 2;
            if (group > m->input_count - i)
                group = m->input_count - i;
            if (group < 2)
                break;
            GS_TRY(reduce_group(m, i, group, st));
        }
    }
    return GS_OK;
}

gs_code gs_file_merge_last(gs_file_merge *m, gs_sink *sink, uint64_t ticket,
                           gs_status *st)
{
    for (;;) {
        size_t taken = 0;
        const size_t want = m->input_count;
        GS_TRY(merge_group(m, 0, want, sink, ticket, true, &taken, st));
        if (taken == want)
            return GS_OK;
        GS_TRY(gs_file_merge_reduce(m, st));
    }
}

void gs_file_merge_release(gs_file_merge *m)
{
    for (size_t i = 0; i < m->input_count; i++)
        release_input(&m->inputs[i]);
    gs_mem_free(m->inputs);
    m->inputs = NULL;
    m->input_count = 0;
}
