/* SPDX-License-Identifier: MIT */
#include "lib/sort/text/text_output.h"

#include <errno.h>
#include <stdio.h>

#include "io/stream.h"
#include "lib/base/cancel.h"

enum {
    OUTPUT_ZSTD_LEVEL = 3,
    ZSTD_SHARE = 8,              /* an eighth of -S is for contexts of zstd, */
    ZSTD_BESIDE_BYTES = 8 << 20, /* and so much of what may be taken beside -S */
};

gs_code gs_text_output_open(gs_output **out, const gs_sort_options *options,
                            gs_status *st)
{
    const char *const folder =
        options->temp_folder_count > 0 ? options->temp_folders[0] : NULL;
    if (options->taker != NULL)
        return gs_output_open_nowhere(out, st);
    if (options->output == NULL && options->output_fd != 0)
        GS_TRY(gs_output_open_descriptor(out, options->output_fd, st));
    else
        GS_TRY(gs_output_open(out, options->output, folder, st));
    if (gs_output_keep_apart(*out, options->inputs, options->input_count, st) != GS_OK) {
        gs_output_free(*out);
        *out = NULL;
    }
    return st->code;
}

static gs_code write_header(const gs_text_output *out, gs_sink *sink, gs_status *st)
{
    gs_sink_piece *piece = NULL;
    GS_TRY(gs_sink_piece_new(&piece, sink, st));
    gs_sink_begin(piece, 0);
    if (gs_sink_add_bytes(piece, out->header, out->header_bytes, st) == GS_OK)
        GS_NOTED(gs_sink_end(piece, st));
    gs_sink_piece_free(piece);
    return st->code;
}

gs_code gs_text_output_settle(const gs_text_output *out, uint64_t records, uint64_t bytes,
                              gs_status *st)
{
    const gs_sort_options *const o = out->options;
    gs_sort_stats *const stats = o->stats;
    GS_NOTED(gs_witness_judge(out->witness, records,
                              o->output_zstd ? UINT64_MAX : bytes - out->header_bytes,
                              out->wrong_code, st));
    if (stats != NULL) {
        atomic_store(&stats->verified, gs_witness_extent(out->witness));
        atomic_store(&stats->output_bytes, bytes);
        atomic_store(&stats->output_records, records);
    }
    GS_TRY(st->code);
    GS_TRY(gs_cancel_check(o->cancel_signal, st));
    if (o->taker != NULL)
        return o->taker->end != NULL ? o->taker->end(o->taker->context, st) : GS_OK;
    /* What is kept of the job goes when it is done. */
    return gs_output_commit(out->output, bytes, o->sync_output || o->checkpoint != NULL,
                            st);
}

/* Does who takes the text forget it where another try makes it? */
static bool begins_again(const gs_text_output *out)
{
    const gs_text_taker *const taker = out->options->taker;
    return taker != NULL && taker->begin != NULL;
}

/* Waits for the writes; the output gets its name if all went well. */
static gs_code finish(const gs_text_output *out, gs_sink *sink, const XXH3_state_t *sum,
                      gs_status *st)
{
    uint64_t total = 0;
    if (st->code != GS_OK)
        gs_stream_abort(sink->stream, st);
    GS_NOTED(gs_stream_finish(sink->stream, &total, st));
    if (out->written_bytes != NULL && !begins_again(out) &&
        !gs_output_is_own_file(out->output)) {
        const uint64_t written = gs_stream_bytes_written(sink->stream);
        if (*out->written_bytes < written)
            *out->written_bytes = written;
    }
    gs_stream_free(sink->stream);
    const uint64_t records = atomic_load(&sink->record_count);
    gs_sort_stats *const stats = out->options->stats;
    if (stats != NULL) {
        atomic_store(&stats->has_output_sum, sum != NULL);
        atomic_store(&stats->output_sum, sum != NULL ? XXH3_64bits_digest(sum) : 0);
    }
    gs_sink_release(sink);
    GS_TRY(st->code);
    return gs_text_output_settle(out, records, total, st);
}

/* Somebody takes the text, and perhaps its header apart. */
static gs_code begin_taking(gs_text_output *out, gs_stream_target *target, gs_status *st)
{
    const gs_text_taker *const taker = out->options->taker;
    target->take = taker->take;
    target->take_context = taker->context;
    if (taker->begin == NULL)
        return GS_OK;
    GS_TRY(taker->begin(taker->context, &out->options->order, out->header,
                        out->header_bytes, st));
    out->header_bytes = 0;
    return GS_OK;
}

static gs_code write_all(const gs_text_output *out, const gs_stream_target *target,
                         gs_text_output_fn *make, void *context, gs_status *st)
{
    const gs_sort_options *const o = out->options;
    gs_stream *stream = NULL;
    GS_TRY(gs_stream_new(&stream, target, out->plan->stream_block_bytes,
                         out->plan->stream_blocks, st));
    gs_sink sink = {
        .stream = stream,
        .layout = *out->layout,
        .has_counts = o->count,
        .is_zstd = o->output_zstd,
        .zstd_level = o->output_zstd_level ? o->output_zstd_level : OUTPUT_ZSTD_LEVEL,
        .zstd_bytes = (out->plan->limit_bytes / ZSTD_SHARE + ZSTD_BESIDE_BYTES) /
                      out->plan->workers,
        .buffer_bytes = out->piece_bytes,
        .witness = out->witness,
    };
    gs_sink_init(&sink);
    if (write_header(out, &sink, st) == GS_OK)
        GS_NOTED(make(context, &sink, 1, st));
    return finish(out, &sink, target->sum, st);
}

gs_code gs_text_output_write(const gs_text_output *out, gs_text_output_fn *make,
                             void *context, gs_status *st)
{
    const gs_sort_options *const o = out->options;
    GS_TRY(gs_cancel_check(o->cancel_signal, st)); /* nothing of half an input leaves */
    const bool goes_on = out->written_bytes != NULL && !o->output_zstd &&
                         !gs_output_is_seekable(out->output);
    char failure[GS_STREAM_FAILURE_BYTES];
    (void)snprintf(failure, sizeof failure, "write failed: %s",
                   gs_output_name(out->output));
    gs_stream_target target = {
        .fd = gs_output_fd(out->output),
        .is_seekable = gs_output_is_seekable(out->output),
        .try_direct = gs_output_is_own_file(out->output) && !out->fills_cache,
        .puts_write = out->fills_cache && gs_memory_plan_mergers_write(out->plan),
        .fills_pages =
            gs_output_is_own_file(out->output) && gs_memory_plan_fills_pages(out->plan),
        .space = gs_output_space(out->output),
        .no_uring = o->no_uring,
        .pipe_lanes = out->plan->workers / 2, /* the others still sort */
        .ends_by_pipe = o->ends_by_pipe,
        .trace = o->trace,
        .offset = gs_output_start_offset(out->output),
        .skip_bytes = goes_on ? *out->written_bytes : 0,
        .failure = failure,
        .memory = out->stream_memory,
    };
    gs_text_output shown = *out;
    if (o->taker != NULL)
        GS_TRY(begin_taking(&shown, &target, st));
    if (o->sums_output) {
        target.sum = XXH3_createState();
        if (target.sum == NULL)
            return GS_FAIL(st, GS_ERR_NOMEM, ENOMEM, "checksum of the output");
        (void)XXH3_64bits_reset(target.sum);
    }
    GS_NOTED(write_all(&shown, &target, make, context, st));
    (void)XXH3_freeState(target.sum);
    return st->code;
}
