/* SPDX-License-Identifier: MIT */
#include "lib/index/block/block_set.h"

#include "lib/base/mem.h"
#include "lib/index/block/bsbi_block.h"
#include "lib/index/block/device_share.h"
#include "lib/index/block/spimi_block.h"

struct gs_block_set {
    gs_block_set_options options;
    gs_term_dictionary *dictionary; /* of bsbi */
    gs_spimi_block **spimi;         /* one a worker: one of these two, */
    gs_bsbi_block **bsbi;
    gs_device_block **devices; /* or these, for all workers, one a GPU */
    size_t device_count;
    gs_form_union device_terms; /* that devices show which share theirs out */
    size_t *turns;              /* the one whose turn it is, of each worker */
    gs_term_block *views;
};

/* Batches that go to one GPU before it is the next one's turn: documents of a term that
 * follow each other there are not torn apart when blocks are merged. */
enum { BATCHES_A_TURN = 4, TURN_BYTES = 16 << 20 };

static gs_device_block *device_of(const gs_block_set *s, unsigned worker)
{
    return s->devices[s->turns[worker]];
}

size_t gs_block_set_bytes_min(gs_block_kind kind)
{
    return kind == GS_BLOCKS_LISTS ? GS_SPIMI_BYTES_MIN : GS_BSBI_BYTES_MIN;
}

/* What all may take is shared out. */
static gs_code make_devices(gs_block_set *s, gs_status *st)
{
    const gs_block_set_options *const o = &s->options;
    const size_t count = o->gpu_count > 0 ? o->gpu_count : 1;
    gs_device_block_options device = o->device;
    device.workers = o->workers;
    device.term_bytes_max = o->dictionary_bytes / count;
    device.has_positions = o->has_positions;
    device.log = o->log;
    if (count > 1 && device.input_bytes > 0)
        device.input_bytes = device.input_bytes / count + TURN_BYTES;
    GS_TRY(gs_mem_new_array(&s->views, count, sizeof *s->views, "blocks", st));
    GS_TRY(gs_mem_new_array(&s->turns, o->workers, sizeof *s->turns, "blocks", st));
    GS_TRY(gs_mem_new_array(&s->devices, count, sizeof(gs_device_block *), "blocks", st));
    for (; s->device_count < count; s->device_count++) {
        if (o->gpu_count > 0)
            device.gpu = o->gpus[s->device_count];
        GS_TRY(gs_device_block_new(&s->devices[s->device_count], &device, st));
    }
    return GS_OK;
}

static gs_code make_blocks(gs_block_set *s, gs_status *st)
{
    const gs_block_set_options *const o = &s->options;
    const gs_block_options block = {o->block_bytes, o->has_positions, o->is_tuples};
    if (o->kind == GS_BLOCKS_DEVICE)
        return make_devices(s, st);
    GS_TRY(gs_mem_new(&s->views, o->workers * sizeof *s->views, "blocks", st));
    if (o->kind == GS_BLOCKS_LISTS) {
        GS_TRY(gs_mem_new(&s->spimi, o->workers * sizeof *s->spimi, "blocks", st));
        for (unsigned i = 0; i < o->workers; i++)
            GS_TRY(gs_spimi_block_new(&s->spimi[i], &block, st));
        return GS_OK;
    }
    GS_TRY(gs_term_dictionary_new(&s->dictionary, o->dictionary_bytes, st));
    GS_TRY(gs_mem_new(&s->bsbi, o->workers * sizeof *s->bsbi, "blocks", st));
    for (unsigned i = 0; i < o->workers; i++)
        GS_TRY(gs_bsbi_block_new(&s->bsbi[i], &block, s->dictionary, o->sorter, st));
    return GS_OK;
}

gs_code gs_block_set_new(gs_block_set **out, const gs_block_set_options *options,
                         gs_status *st)
{
    *out = NULL;
    gs_block_set *s = NULL;
    GS_TRY(gs_mem_new(&s, sizeof *s, "blocks", st));
    s->options = *options;
    if (make_blocks(s, st) != GS_OK)
        gs_block_set_free(s);
    else
        *out = s;
    return st->code;
}

void gs_block_set_free(gs_block_set *s)
{
    if (s == NULL)
        return;
    for (unsigned i = 0; s->spimi != NULL && i < s->options.workers; i++)
        gs_spimi_block_free(s->spimi[i]);
    for (unsigned i = 0; s->bsbi != NULL && i < s->options.workers; i++)
        gs_bsbi_block_free(s->bsbi[i]);
    gs_mem_free(s->spimi);
    gs_mem_free(s->bsbi);
    for (size_t i = 0; i < s->device_count; i++)
        gs_device_block_free(s->devices[i]);
    gs_form_union_release(&s->device_terms);
    gs_mem_free(s->devices);
    gs_mem_free(s->turns);
    gs_mem_free(s->views);
    gs_term_dictionary_free(s->dictionary);
    gs_mem_free(s);
}

gs_code gs_block_set_add(gs_block_set *s, unsigned worker, uint64_t first_doc,
                         const gs_token *tokens, size_t count, size_t *taken,
                         gs_status *st)
{
    return s->spimi != NULL
               ? gs_spimi_block_add(s->spimi[worker], first_doc, tokens, count, taken, st)
               : gs_bsbi_block_add(s->bsbi[worker], first_doc, tokens, count, taken, st);
}

gs_code gs_block_set_add_tuples(gs_block_set *s, unsigned worker, const gs_tuple *tuples,
                                size_t count, size_t *taken, gs_status *st)
{
    return s->spimi != NULL
               ? gs_spimi_block_add_tuples(s->spimi[worker], tuples, count, taken, st)
               : gs_bsbi_block_add_tuples(s->bsbi[worker], tuples, count, taken, st);
}

void gs_block_set_begin_batch(gs_block_set *s, unsigned worker, uint64_t ticket)
{
    s->turns[worker] = (size_t)(ticket / BATCHES_A_TURN % s->device_count);
}

gs_code gs_block_set_piece(gs_block_set *s, unsigned worker, gs_text_piece **piece,
                           gs_status *st)
{
    return gs_device_block_piece(device_of(s, worker), worker, piece, st);
}

gs_code gs_block_set_add_piece(gs_block_set *s, unsigned worker, uint64_t first_doc,
                               uint32_t first_position, bool *is_taken,
                               gs_piece_result *result, gs_status *st)
{
    return gs_device_block_add(device_of(s, worker), worker, first_doc, first_position,
                               is_taken, result, st);
}

gs_code gs_block_set_add_tuple_piece(gs_block_set *s, unsigned worker,
                                     gs_tuple_piece *out, gs_status *st)
{
    return gs_device_block_add_tuples(device_of(s, worker), worker, out, st);
}

bool gs_block_set_has_started(gs_block_set *s)
{
    bool have_started = s->device_count > 0;
    for (size_t i = 0; i < s->device_count; i++)
        have_started &= gs_device_block_has_started(s->devices[i]);
    return have_started;
}

bool gs_block_set_is_nearly_full(const gs_block_set *s, unsigned worker)
{
    if (s->devices != NULL)
        return gs_device_block_is_nearly_full(device_of(s, worker));
    return s->spimi != NULL ? gs_spimi_block_is_nearly_full(s->spimi[worker])
                            : gs_bsbi_block_is_nearly_full(s->bsbi[worker]);
}

uint64_t gs_block_set_tokens_on_gpus(const gs_block_set *s)
{
    uint64_t tokens = 0;
    for (size_t i = 0; i < s->device_count; i++)
        tokens += gs_device_block_tokens(s->devices[i]);
    return tokens;
}

typedef struct sort_job {
    gs_block_set *set;
    gs_trace *trace;
} sort_job;

static gs_code sort_block(void *context, unsigned worker, gs_status *st)
{
    const sort_job *const job = context;
    gs_block_set *const s = job->set;
    const uint64_t begin_ns = gs_trace_begin(job->trace);
    GS_NOTED(s->spimi != NULL
                 ? gs_spimi_block_sort(s->spimi[worker], &s->views[worker], st)
                 : gs_bsbi_block_sort(s->bsbi[worker], &s->views[worker], st));
    gs_trace_end(job->trace, GS_LANE_WORKER, worker, "sort", begin_ns, 0);
    return st->code;
}

static gs_code sort_devices(gs_block_set *s, gs_team *team, gs_status *st)
{
    const gs_device_share_options share = {s->options.dictionary_bytes, s->options.log};
    if (s->device_count == 1)
        return gs_device_block_sort(s->devices[0], team, &s->views[0], st);
    gs_form_union_release(&s->device_terms);
    return gs_device_share_sort(s->devices, s->device_count, &share, team,
                                &s->device_terms, s->views, st);
}

gs_code gs_block_set_sort(gs_block_set *s, gs_team *team, gs_status *st)
{
    sort_job job = {s, gs_team_trace(team)};
    if (s->devices != NULL)
        return sort_devices(s, team, st);
    if (s->dictionary != NULL)
        GS_TRY(gs_term_dictionary_rank(s->dictionary, st));
    return gs_team_run(team, sort_block, &job, st);
}

const gs_term_block *gs_block_set_views(const gs_block_set *s)
{
    return s->views;
}

unsigned gs_block_set_view_count(const gs_block_set *s)
{
    return s->devices != NULL ? (unsigned)s->device_count : s->options.workers;
}

size_t gs_block_set_term_count(const gs_block_set *s)
{
    size_t terms = 0;
    for (unsigned i = 0; i < gs_block_set_view_count(s); i++)
        terms += s->views[i].term_count;
    return terms;
}

/* The blocks that follow a new dictionary have their own terms, which meet those of
 * before at the merge, by their bytes. */
static bool renew_dictionary(gs_block_set *s)
{
    if (s->dictionary == NULL || gs_term_dictionary_bytes(s->dictionary) <=
                                     gs_term_dictionary_bytes_max(s->dictionary) / 2)
        return false;
    gs_log_say(s->options.log, GS_LOG_INFO, "the dictionary, of %zu terms, starts anew",
               gs_term_dictionary_count(s->dictionary));
    gs_term_dictionary_reset(s->dictionary);
    return true;
}

gs_code gs_block_set_reset(gs_block_set *s, gs_status *st)
{
    for (size_t i = 0; i < s->device_count; i++)
        GS_TRY(gs_device_block_reset(s->devices[i], st));
    gs_form_union_release(&s->device_terms);
    if (s->devices != NULL)
        return GS_OK;
    const bool is_new = renew_dictionary(s);
    for (unsigned i = 0; i < s->options.workers; i++) {
        if (s->spimi != NULL)
            gs_spimi_block_reset(s->spimi[i]);
        else
            gs_bsbi_block_reset(s->bsbi[i], is_new);
    }
    return GS_OK;
}

gs_code gs_block_set_shrink(gs_block_set *s, size_t block_bytes, gs_status *st)
{
    if (s->devices != NULL) /* their memory is not the host's */
        return GS_OK;
    for (unsigned i = 0; i < s->options.workers; i++) {
        if (s->spimi != NULL)
            GS_TRY(gs_spimi_block_shrink(s->spimi[i], block_bytes, st));
        else
            gs_bsbi_block_shrink(s->bsbi[i], block_bytes);
    }
    return GS_OK;
}
