/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * stream_run: all threads read a stream together.
 *
 *      thread 1   | next 0 | parse 0 | take 0 | settle 0       | next 3 | ...
 *      thread 2            | next 1 | parse 1 | take 1 | settle 1 | ...
 *      thread 3                     | next 2 | parse 2    | take 2 | ...
 *
 * What is taken comes in the order of the input, one batch at a time, so that an answer
 * does not depend on the number of threads; what a batch needs before and afterwards is
 * done beside the others. `due` is asked after each batch, and while nothing comes: then
 * everything that came is taken, and nobody takes anything meanwhile.
 *
 * A failure of one ends all. One call at a time.
 */
/* clang-format on */
#ifndef GS_LIB_STREAM_STREAM_RUN_H
#define GS_LIB_STREAM_STREAM_RUN_H

#include "lib/base/team.h"
#include "lib/stream/stream_input.h"

typedef gs_code gs_stream_batch_fn(void *context, unsigned worker,
                                   const gs_line_batch *batch, gs_status *st);

typedef struct gs_stream_work {
    void *context;
    /* Before any other sees the first batch of a file, one at a time and in the order of
     * files; may be NULL. What fails is told once all that came before was taken. */
    gs_code (*begin)(void *context, const gs_line_batch *first, gs_status *st);
    gs_stream_batch_fn *parse; /* many at a time */
    gs_stream_batch_fn *take;  /* in order, one at a time */
    /* What `take` left to the worker; may be NULL. */
    gs_code (*settle)(void *context, unsigned worker, gs_status *st);
    gs_code (*due)(void *context, unsigned worker, gs_status *st); /* may be NULL */
} gs_stream_work;

/* options->idle is set here. */
GS_MUST_CHECK gs_code gs_stream_run(const gs_stream_input_options *options, gs_team *team,
                                    const gs_stream_work *work, gs_status *st);

#endif
