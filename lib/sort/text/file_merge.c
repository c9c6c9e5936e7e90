/* SPDX-License-Identifier: MIT */
#include "lib/sort/text/file_merge.h"

#include <errno.h>
#include <string.h>

#include "io/stream.h"
#include "lib/base/machine.h"
#include "lib/base/mem.h"
#include "lib/base/share.h"

enum {
    SOURCE_BYTES_OTHER = 16384,
    SOURCE_BLOCKS = 3,
    FAN_IN_MAX = 1024,
    STREAM_BLOCKS = 4,
    /* Descriptors: */
    FILES_OF_MERGE = 3,  /* the new run, a pipe to its program, the far end of one more */
    FILES_OF_OTHERS = 2, /* who reads the input opens the next file */
    FILES_TO_ADD = 1 + FILES_OF_MERGE + 2 + FILES_OF_OTHERS, /* a run, and merge two */
    FILES_AMPLE = 16,
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

/* How many inputs can be open at once beside a run that is written, `wanted` at most. */
static size_t openable(const gs_file_merge *m, size_t wanted)
{
    const size_t beside = m->filter.program != NULL ? FILES_OF_MERGE : 1;
    const size_t left = gs_machine_files_left(wanted + beside);
    return left > beside ? left - beside : 0;
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

gs_code gs_file_merge_begin(gs_file_merge *m, gs_status *st)
{
    const char *const *const name = m->inputs[0].name;
    GS_TRY(gs_text_source_open(&m->first, name, &m->source, st));
    return m->see_header(m->header_context, name, &m->first, st);
}

/* Opens a file, or takes the one that is open, and stands on its first line. */
static gs_code open_file(gs_file_merge *m, const gs_merge_input *input,
                         gs_text_source *source, gs_status *st)
{
    if (!m->source.shares_header)
        return gs_text_source_open(source, input->name, &m->source, st);
    if (m->first.is_open && input == m->inputs) {
        *source = m->first;
        m->first = (gs_text_source){0};
    } else {
        GS_TRY(gs_text_source_open(source, input->name, &m->source, st));
    }
    GS_TRY_OR_FAIL(m->see_header(m->header_context, input->name, source, st));
    GS_TRY_OR_FAIL(gs_text_source_advance(source, &m->source, st));
    return GS_OK;
fail:
    gs_text_source_close(source);
    return st->code;
}

/* Opens inputs [first, first + want). Running out of descriptors after the second is no
 * failure: g->opened says how many there are. Close the group also after a failure. */
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
                       : open_file(m, input, source, st);
        if (code == GS_OK)
            continue;
        const bool is_descriptors = st->sys == EMFILE || st->sys == ENFILE;
        if (!is_descriptors || g->opened < 2)
            return code;
        gs_status_clear(st);
        return GS_OK;
    }
    return GS_OK;
}

/* Merges what is open into a sink. What is to be counted is all there in the last pass,
 * which alone may drop equals to counts, or stop early. */
static gs_code merge_group(const gs_file_merge *m, open_group *g, gs_sink *sink,
                           uint64_t ticket, bool is_last, gs_status *st)
{
    gs_text_merge_options options = m->merge;
    if (!is_last && options.has_counts)
        options.is_unique = options.has_counts = options.has_top = false;
    return gs_text_merge_run(g->sources, g->opened, &m->source, &options, sink, ticket,
                             st);
}

static gs_code merge_into_run(const gs_file_merge *m, open_group *g, gs_text_run *run,
                              gs_stream_target *target, gs_status *st)
{
    gs_sink sink = {.layout = *m->source.layout,
                    .buffer_bytes = m->plan->piece_bytes,
                    .is_passing = true,
                    .witness = m->source.witness};
    uint64_t total = 0;
    target->no_uring = true;
    GS_TRY(gs_stream_new(&sink.stream, target, m->source.block_bytes, STREAM_BLOCKS, st));
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

static void count_pass(const gs_file_merge *m, bool begins)
{
    if (m->options->stats != NULL)
        atomic_fetch_add(&m->options->stats->passes, begins);
}

/* Merges early, by inputs next to each other as gs_merge_passes would: each pass goes
 * over all that is there, and meanwhile more is added behind. The sort has its chunk in
 * memory besides, so blocks are small. */
static gs_code reduce_early(gs_file_merge *m, size_t most, gs_status *st)
{
    enum { EARLY_BLOCK_BYTES = 32 << 10 };
    const size_t block_bytes = m->source.block_bytes;
    if (m->input_count - m->next_early < 2)
        m->next_early = 0;
    const size_t count = gs_clamp(m->input_count - m->next_early, 2, most);
    if (m->source.block_bytes > EARLY_BLOCK_BYTES)
        m->source.block_bytes = EARLY_BLOCK_BYTES;
    count_pass(m, m->next_early == 0);
    GS_NOTED(reduce_group(m, m->next_early++, count, st));
    m->source.block_bytes = block_bytes;
    return st->code;
}

gs_code gs_file_merge_make_room(gs_file_merge *m, gs_status *st)
{
    const size_t beside = FILES_OF_MERGE + FILES_OF_OTHERS;
    while (m->filter.program != NULL && m->filter.last_error == 0) {
        const size_t left = gs_machine_files_left(FILES_AMPLE);
        if (left >= (m->input_count < FILES_AMPLE / 2 ? FILES_TO_ADD : FILES_AMPLE))
            return GS_OK;
        if (m->input_count < 2) {
            (void)GS_FAIL(st, GS_ERR_LIMIT, EMFILE,
                          "%zu more files may be open, and %d must", left, FILES_TO_ADD);
            return gs_status_hint(st, "raise the limit of open files with ulimit -n");
        }
        GS_TRY(reduce_early(m, left > beside + 2 ? left - beside : 2, st));
    }
    return GS_OK;
}

gs_code gs_file_merge_reduce(gs_file_merge *m, gs_status *st)
{
    gs_merge_passes passes = {0};
    gs_merge_group group;
    for (;;) {
        const size_t room = openable(m, m->fan_in + passes.next);
        passes.fan_in = gs_clamp(room, 2, m->fan_in);
        if (m->filter.program != NULL && room <= passes.next)
            passes.next = 0; /* those that were made hold too many descriptors */
        if (!gs_merge_passes_next(&passes, m->input_count, &group))
            return GS_OK;
        count_pass(m, group.begins_pass);
        GS_TRY(reduce_group(m, group.first, group.count, st));
    }
}

/* Not all could be open at once. Those that are have been read from, which a pipe does
 * not take back: they become a run as they are. */
static gs_code reduce_last(gs_file_merge *m, open_group *g, gs_status *st)
{
    gs_stream_target target;
    gs_text_run *run = NULL;
    if (new_run(m, &run, &target, st) == GS_OK &&
        reduce_open(m, 0, g, run, &target, st) != GS_OK)
        release_run(run);
    close_group(g);
    return st->code;
}

gs_code gs_file_merge_last(gs_file_merge *m, gs_sink *sink, uint64_t ticket,
                           gs_status *st)
{
    for (bool is_done = false; !is_done && st->code == GS_OK;) {
        open_group g = {0};
        is_done = true;
        /* The output has taken descriptors since the passes. */
        if (gs_file_merge_reduce(m, st) == GS_OK &&
            open_inputs(m, 0, m->input_count, &g, st) == GS_OK) {
            is_done = g.opened == m->input_count;
            GS_NOTED(is_done ? merge_group(m, &g, sink, ticket, true, st)
                             : reduce_last(m, &g, st));
        }
        close_group(&g);
    }
    return st->code;
}

void gs_file_merge_release(gs_file_merge *m)
{
    for (size_t i = 0; i < m->input_count; i++)
        release_input(&m->inputs[i]);
    gs_text_source_close(&m->first);
    gs_mem_free(m->inputs);
    m->inputs = NULL;
    m->input_count = 0;
}
