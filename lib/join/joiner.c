/* SPDX-License-Identifier: MIT */
/*
 * How a join flows.
 *
 *      right input --+                                     +-> matcher --+
 *                    +-> keys -> sorted: in memory or runs +-> matcher --+-> output
 *      left input ---+                                     +-> matcher --+
 *
 * Both inputs are sorted as one (join_keys.h), so that there is one plan of the memory
 * and one merge. What comes out of it in order is cut into portions between two keys, one
 * a thread at a time, and goes through a matcher (join_match.h) into the text.
 */
#include "lib/join/joiner.h"

#include "io/spill.h"
#include "lib/base/mem.h"
#include "lib/base/team.h"
#include "lib/join/join_first.h"
#include "lib/join/join_format.h"
#include "lib/join/join_keys.h"
#include "lib/join/join_match.h"
#include "lib/join/join_shelf.h"
#include "lib/join/join_sorted.h"
#include "lib/sort/text/texts.h"

enum {
    PORTIONS_MAX = 1 << 16,
    SHELF_SHARE = 8, /* of the memory for the lines of one key, of all threads */
    SHELF_BLOCK_BYTES = 64 << 10,
};

/* Which of the inputs that are sorted as one is which: the right one is read first. */
static const gs_join_side side_of_input[GS_JOIN_SIDES] = {GS_JOIN_RIGHT, GS_JOIN_LEFT};

typedef struct joiner {
    const gs_join_options *options;
    gs_sort_options sort; /* of both inputs as one */
    const char *inputs[GS_JOIN_SIDES];
    gs_join_side_key keys[GS_JOIN_SIDES]; /* input by input, as are these */
    gs_key_encoder *encoders[GS_JOIN_SIDES];
    gs_memory_plan plan;
    gs_team *team;
    gs_spill *spill;
    gs_join_store store;
    gs_join_sorted *sorted;
    gs_output *output;
    gs_join_fields first[GS_JOIN_SIDES]; /* the first line, or header, side by side */
    bool has_first[GS_JOIN_SIDES];
    gs_join_format format;
    gs_join_text header;
    gs_join_match **matchers; /* one a worker, once it has something to do */
    gs_sink *sink;
    uint64_t first_ticket;
} joiner;

/* --- before the first read ------------------------------------------------------ */

/* What the sort takes, less what the lines of a key may. */
static void plan_memory(joiner *j)
{
    const gs_sort_options *const o = &j->sort;
    gs_memory_plan p = gs_memory_plan_sort(o, true);
    const size_t least = p.chunk_bytes < p.merge_bytes ? p.chunk_bytes : p.merge_bytes;
    const size_t share = least / SHELF_SHARE;
    p.chunk_bytes -= share;
    p.merge_bytes -= share;
    if (p.chunk_soft_bytes > p.chunk_bytes)
        p.chunk_soft_bytes = p.chunk_bytes;
    if (p.first_soft_bytes > p.chunk_bytes)
        p.first_soft_bytes = p.chunk_bytes;
    j->plan = p;
    j->store = (gs_join_store){
        .spill = j->spill,
        .block_bytes = SHELF_BLOCK_BYTES,
        .memory_bytes = share / 2, /* the other half is for what is made of them */
        .spill_bytes = o->stats != NULL ? &o->stats->spill_bytes : NULL,
    };
    if (o->stats != NULL) {
        atomic_store(&o->stats->memory_limit_bytes, p.limit_bytes);
        atomic_store(&o->stats->threads, p.workers);
    }
}

static gs_code prepare(joiner *j, gs_status *st)
{
    const gs_join_options *const o = j->options;
    j->sort = o->sort;
    for (unsigned i = 0; i < GS_JOIN_SIDES; i++)
        j->inputs[i] = o->inputs[side_of_input[i]];
    j->sort.inputs = j->inputs;
    j->sort.input_count = GS_JOIN_SIDES;
    j->sort.header_lines = o->header;
    j->sort.header_of_each = o->header;
    GS_TRY(gs_text_output_open(&j->output, &j->sort, st));
    GS_TRY(gs_spill_new(&j->spill, j->sort.temp_folders, j->sort.temp_folder_count, st));
    plan_memory(j);
    GS_TRY(gs_team_new(&j->team, j->plan.workers, st));
    gs_team_set_trace(j->team, j->sort.trace);
    for (unsigned i = 0; i < GS_JOIN_SIDES; i++) {
        GS_TRY(gs_join_side_key_init(&j->keys[i], o, side_of_input[i], st));
        j->encoders[i] = j->keys[i].encoder;
    }
    return gs_mem_new_array(&j->matchers, gs_team_workers(j->team), sizeof *j->matchers,
                            "matchers", st);
}

/* --- the first lines ------------------------------------------------------------ */

static gs_code take_headers(joiner *j, gs_status *st)
{
    for (unsigned i = 0; i < GS_JOIN_SIDES; i++) {
        const gs_join_side side = side_of_input[i];
        size_t bytes = 0;
        const uint8_t *const line = gs_join_sorted_header(j->sorted, i, &bytes);
        j->has_first[side] = line != NULL;
        if (line != NULL)
            GS_TRY(gs_join_fields_cut(&j->first[side], j->options->delimiter, line, bytes,
                                      st));
    }
    return GS_OK;
}

/* The format of the output, and its first line if there are headers. */
static gs_code make_format(joiner *j, gs_status *st)
{
    const gs_join_options *const o = j->options;
    const gs_join_fields *first[GS_JOIN_SIDES] = {NULL};
    if (o->header)
        GS_TRY(take_headers(j, st));
    else if (o->is_auto)
        GS_TRY(gs_join_first_find(j->sorted, o->delimiter, j->first, j->has_first, st));
    for (unsigned s = 0; s < GS_JOIN_SIDES; s++)
        first[s] = j->has_first[s] ? &j->first[s] : NULL;
    GS_TRY(gs_join_format_init(&j->format, o, first, st));
    if (!o->header || (first[GS_JOIN_LEFT] == NULL && first[GS_JOIN_RIGHT] == NULL))
        return GS_OK;
    return gs_join_format_line(&j->format, first[GS_JOIN_LEFT], first[GS_JOIN_RIGHT],
                               &j->header, st);
}

/* --- matching ------------------------------------------------------------------- */

static gs_code begin_portion(void *context, unsigned worker, size_t portion,
                             gs_status *st)
{
    joiner *const j = context;
    if (j->matchers[worker] == NULL)
        GS_TRY(
            gs_join_match_new(&j->matchers[worker], &j->format, &j->store, j->sink, st));
    gs_join_match_begin(j->matchers[worker], j->first_ticket + portion);
    return GS_OK;
}

static gs_code add_record(void *context, unsigned worker, const gs_run_cursor *record,
                          gs_status *st)
{
    const joiner *const j = context;
    return gs_join_match_add(j->matchers[worker], record->data, record->key_bytes,
                             record->data + record->key_bytes,
                             record->length - record->key_bytes, st);
}

static gs_code end_portion(void *context, unsigned worker, gs_status *st)
{
    const joiner *const j = context;
    return gs_join_match_end(j->matchers[worker], st);
}

static void abandon_portion(void *context, unsigned worker, const gs_status *why)
{
    const joiner *const j = context;
    (void)worker;
    if (why->code != GS_OK)
        gs_stream_abort(j->sink->stream, why);
}

static gs_code match_all(void *context, gs_sink *sink, uint64_t ticket, gs_status *st)
{
    joiner *const j = context;
    const gs_range_consumer consumer = {
        .portion_max = PORTIONS_MAX,
        .kept_together = gs_join_key_bytes,
        .begin = begin_portion,
        .add = add_record,
        .end = end_portion,
        .abandon = abandon_portion,
        .context = j,
    };
    j->sink = sink;
    j->first_ticket = ticket;
    GS_NOTED(gs_join_sorted_consume(j->sorted, &consumer, true, st));
    for (unsigned w = 0; w < gs_team_workers(j->team); w++) {
        gs_join_match_free(j->matchers[w]);
        j->matchers[w] = NULL;
    }
    return st->code;
}

/* --- all ------------------------------------------------------------------------ */

static gs_code run(joiner *j, gs_status *st)
{
    GS_TRY(prepare(j, st));
    GS_TRY(gs_join_sorted_new(&j->sorted, &j->sort, j->encoders, j->team, &j->plan, st));
    GS_TRY(make_format(j, st));
    const gs_text_output out = {
        .options = &j->sort,
        .plan = &j->plan,
        .layout = gs_join_sorted_layout(j->sorted),
        .output = j->output,
        .piece_bytes = gs_join_sorted_piece_bytes(j->sorted),
        .header = j->header.data,
        .header_bytes = j->header.used,
        .wrong_code = GS_ERR_FORMAT,
    };
    return gs_text_output_write(&out, match_all, j, st);
}

gs_code gs_join_run(const gs_join_options *options, gs_status *st)
{
    joiner j = {.options = options};
    GS_NOTED(run(&j, st));
    gs_join_sorted_free(j.sorted);
    gs_mem_free(j.matchers);
    gs_join_text_release(&j.header);
    gs_join_format_release(&j.format);
    for (unsigned i = 0; i < GS_JOIN_SIDES; i++) {
        gs_join_fields_release(&j.first[i]);
        gs_join_side_key_release(&j.keys[i]);
    }
    gs_team_free(j.team);
    gs_spill_free(j.spill);
    gs_output_free(j.output);
    return st->code;
}
