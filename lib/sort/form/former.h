/* SPDX-License-Identifier: MIT */
/*
 * former: who makes sorted chunks of the input, one after the other. The sorter does not
 * know which of these it has:
 *
 *      group_former   lib/sort/device: batches to several GPUs
 *      device_former  lib/sort/device: batches to a GPU, sorted there
 *      list_former    much mapped text: lines go to buckets as they are read
 *      memory_former  any input: records and elements in memory, sorted by cores
 *
 * Call order: new; then for each chunk fill, emit, clear; free. The chunk that was filled
 * last may be emitted as the result (is_last_use) and is not cleared then. When fill says
 * that the input is not for this former, or it failed and is_to_blame, give_back, and
 * another one goes on. One that has a merge may be told, when all
 * chunks are in runs, to make the result of them.
 *
 * To write another: a struct that begins with a gs_former, functions as described here,
 * and a row in the sorter's table of formers. One thread calls.
 */
#ifndef GS_LIB_SORT_FORM_FORMER_H
#define GS_LIB_SORT_FORM_FORMER_H

#include "io/file_map.h"
#include "io/input.h"
#include "lib/base/team.h"
#include "lib/sort/form/bucket_emit.h"
#include "lib/sort/form/line_sieve.h"
#include "lib/sort/form/record_sieve.h"
#include "lib/sort/plan/plans.h"

/* What a sort has, for whoever forms its chunks; all borrowed. */
typedef struct gs_forming {
    const gs_sort_options *options;
    const gs_memory_plan *plan;
    const gs_record_layout *layout;
    const gs_key_encoder *encoder; /* NULL: lines are their own strings */
    /* One an input, instead; all or none are made. NULL: all inputs have `encoder`. */
    gs_key_encoder *const *input_encoders;
    const gs_line_sieve *line_sieve; /* NULL: all lines become records */
    const gs_record_sieve *sieve;    /* of keyed records; NULL: all stay */
    const gs_witness_options *watched;
    gs_witness *witness; /* hears of all records that are read, and of equals dropped */
    gs_team *team;
    gs_block_pool *pool; /* of what is read */
    gs_input *input;
    gs_line_feed *feed;
    const gs_file_map *map;                /* of the inputs; NULL: they are read */
    const struct gs_device_choice *device; /* NULL: no GPU is asked */
    bool holds_back; /* a GPU may give back what it read, and that takes memory */
    bool has_runs;   /* some of the input is in runs already */
} gs_forming;

typedef struct gs_former gs_former;

typedef enum gs_filled {
    GS_FILLED_SOME, /* there is more to come */
    GS_FILLED_LAST, /* the input has ended; the chunk may be empty if it is not the first
                     */
    GS_FILLED_NOTHING /* the input is not for this former: to be given back */
} gs_filled;

typedef struct gs_former_kind {
    gs_code fault_code; /* of a result that is not the input in order */
    /* Reads until the chunk, which is empty, is full. */
    gs_code (*fill)(gs_former *f, gs_filled *filled, gs_status *st);
    bool (*is_empty)(const gs_former *f);
    /* Some of what was read, about as it will be in a run; maybe nothing. */
    void (*sample)(const gs_former *f, const uint8_t **data, size_t *bytes);
    /* Sorts the chunk into the sink. It stays until it is cleared, or given back. */
    gs_code (*emit)(gs_former *f, gs_sink *sink, const gs_emit_options *options,
                    gs_status *st);
    /* Sorts the chunk, which is all there is, and gives its records to the consumer;
     * again if it is called again. NULL: it cannot. */
    gs_code (*consume)(gs_former *f, const gs_range_consumer *consumer, gs_status *st);
    /* Would it rather have runs of text, which it can merge itself, and of which so much
     * may be in memory? Asked before the first; `sample` is some of the text. NULL: no.
     */
    bool (*wants_texts)(const gs_former *f, const uint8_t *sample, size_t bytes,
                        size_t *memory_bytes);
    /* All that was read is in the runs of a mapped_store (lib/sort/text): makes the
     * result of them, plain text from piece `ticket` on. Who wants texts has it. */
    gs_code (*merge)(gs_former *f, gs_run_store *runs, gs_sink *sink, uint64_t ticket,
                     gs_status *st);
    /* Memory for all blocks of the output's stream, which stays until free. NULL: it has
     * none to give. */
    uint8_t *(*stream_memory)(const gs_former *f);
    /* The chunk is in a run, and empty from now on. */
    void (*clear)(gs_former *f);
    /* Where in the input the next chunk will begin. NULL where no checkpoint is kept. */
    void (*place)(gs_former *f, gs_input_place *place);
    /* What was read and is not in a run goes back to the feed, as if nobody had seen it.
     * False if some of it is gone: the input must be read again from its beginning. No
     * more calls but free. NULL for who is never asked. */
    bool (*give_back)(gs_former *f);
    /* Is what failed the fault of this former, so that another may try? If so, *is_news
     * says whether the user should hear of it. NULL: no. */
    bool (*is_to_blame)(const gs_former *f, const gs_status *st, bool *is_news);
    void (*free)(gs_former *f);
} gs_former_kind;

struct gs_former {
    const gs_former_kind *kind;
    const gs_forming *forming;
};

/* *out is NULL if it is not for such a sort; the last one of the table is for any. */
typedef gs_code gs_former_new_fn(gs_former **out, const gs_forming *forming,
                                 gs_status *st);

#endif
