/* SPDX-License-Identifier: MIT */
#include "lib/index/block/device_share.h"

#include <stdatomic.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/index/block/device_sort.h"

/* What a device has, or is to have. */
typedef struct device_part {
    gs_word_weight ranges[GS_WORD_RANGES];
} device_part;

typedef struct share_job {
    gs_device_block *const *blocks;
    size_t count;
    gs_team *team;
    gs_form_union *terms;
    gs_term_block *views;
    device_part *parts;
    gs_word_share shares[GS_WORD_BLOCKS_MAX];
} share_job;

typedef gs_code step_fn(share_job *job, size_t device, gs_status *st);

typedef struct step_run {
    share_job *job;
    step_fn *step;
    const char *name;
    atomic_size_t next; /* device */
} step_run;

static gs_code run_step(void *context, unsigned worker, gs_status *st)
{
    step_run *const run = context;
    gs_trace *const trace = gs_team_trace(run->job->team);
    for (size_t i; (i = atomic_fetch_add(&run->next, 1)) < run->job->count;) {
        const uint64_t begin_ns = gs_trace_begin(trace);
        GS_TRY(run->step(run->job, i, st));
        gs_trace_end(trace, GS_LANE_WORKER, worker, run->name, begin_ns, 0);
    }
    return GS_OK;
}

/* A thread a device, as far as there are threads. */
static gs_code everywhere(share_job *job, step_fn *step, const char *name, gs_status *st)
{
    step_run run = {.job = job, .step = step, .name = name};
    return gs_team_run(job->team, run_step, &run, st);
}

static gs_code sort_terms(share_job *job, size_t device, gs_status *st)
{
    return gs_device_sort_terms(job->blocks[device], st);
}

static gs_code join_and_weigh(share_job *job, size_t device, gs_status *st)
{
    gs_device_block *const b = job->blocks[device];
    GS_TRY(gs_device_sort_join(b, job->terms->ranks[device],
                               (uint32_t)job->terms->list.count, st));
    return gs_word_block_weigh(b->words, job->parts[device].ranges, st);
}

static gs_code join_own(share_job *job, size_t device, gs_status *st)
{
    gs_device_block *const b = job->blocks[device];
    return b->list.count > 0 ? gs_device_sort_join(b, NULL, (uint32_t)b->list.count, st)
                             : GS_OK;
}

static gs_code end_sort(share_job *job, size_t device, gs_status *st)
{
    return gs_device_sort_end(job->blocks[device], &job->views[device], st);
}

/* --- who has what ------------------------------------------------------------------- */

/* Ranges are given to one device until it has its share of what is left. False: there is
 * no room for one of the shares. */
static bool share_out(share_job *job)
{
    const uint32_t terms = (uint32_t)job->terms->list.count;
    const unsigned shift = gs_word_range_shift(terms);
    gs_word_weight all[GS_WORD_RANGES] = {{0, 0}};
    uint64_t left = 0;
    size_t device = 0;
    for (size_t r = 0; r < GS_WORD_RANGES; r++) {
        for (size_t i = 0; i < job->count; i++) {
            all[r].tokens += job->parts[i].ranges[r].tokens;
            all[r].frequencies += job->parts[i].ranges[r].frequencies;
        }
        left += all[r].tokens;
    }
    job->shares[0] = (gs_word_share){0, 0, {0, 0}};
    for (size_t r = 0; r < GS_WORD_RANGES && (uint64_t)r << shift < terms; r++) {
        const uint64_t end = (uint64_t)(r + 1) << shift;
        gs_word_share *share = &job->shares[device];
        const uint64_t fair = left / (job->count - device),
                       taken = share->weight.tokens + all[r].tokens / 2;
        if (taken > fair && share->end > share->first && device + 1 < job->count) {
            left -= share->weight.tokens;
            job->shares[++device] = (gs_word_share){share->end, share->end, {0, 0}};
            share = &job->shares[device];
        }
        share->end = end < terms ? (uint32_t)end : terms;
        share->weight.tokens += all[r].tokens;
        share->weight.frequencies += all[r].frequencies;
    }
    while (++device < job->count)
        job->shares[device] = (gs_word_share){terms, terms, {0, 0}};
    for (size_t i = 0; i < job->count; i++) {
        const gs_word_share *const s = &job->shares[i];
        const gs_word_room *const room = &job->blocks[i]->room;
        if (s->weight.tokens > room->tokens || s->end - s->first > room->terms ||
            s->weight.frequencies > UINT32_MAX)
            return false;
    }
    return true;
}

/* Is there room here for the terms of all beside those of each, and what is to be shared
 * at all? */
static bool can_share(const share_job *job, const gs_device_share_options *options)
{
    uint64_t terms = 0, bytes = 0;
    size_t held = 0;
    if (job->count > GS_WORD_BLOCKS_MAX)
        return false;
    for (size_t i = 0; i < job->count; i++) {
        const gs_device_block *const b = job->blocks[i];
        if (b->list.count == 0)
            return false;
        const uint64_t list_bytes =
            b->stems.ranks != NULL ? b->stems.memory_bytes : b->sums.term_bytes;
        terms += b->list.count;
        bytes += list_bytes;
        held += gs_device_view_bytes(b->sums.terms, list_bytes);
        if (b->stems.ranks != NULL) /* of forms, while they are joined */
            held += (size_t)b->sums.terms * sizeof(uint32_t);
    }
    return terms < UINT32_MAX &&
           held + gs_form_union_bytes(terms, bytes) <= options->term_bytes_max;
}

/* --- the exchange ------------------------------------------------------------------- */

static void documents_of_all(const share_job *job, uint32_t *first, uint32_t *last)
{
    *first = UINT32_MAX;
    *last = 0;
    for (size_t i = 0; i < job->count; i++) {
        const gs_device_block *const b = job->blocks[i];
        *first = b->first_doc < *first ? b->first_doc : *first;
        *last = b->last_doc > *last ? b->last_doc : *last;
    }
}

static gs_code exchange(share_job *job, bool *is_done, gs_status *st)
{
    gs_word_block *words[GS_WORD_BLOCKS_MAX];
    uint32_t first, last;
    for (size_t i = 0; i < job->count; i++)
        words[i] = job->blocks[i]->words;
    gs_trace *const trace = gs_team_trace(job->team);
    const uint64_t begin_ns = gs_trace_begin(trace);
    documents_of_all(job, &first, &last);
    GS_TRY(gs_word_blocks_exchange(words, (unsigned)job->count, job->shares, first, last,
                                   is_done, st));
    gs_trace_end(trace, GS_LANE_WORKER, 0, "exchange words", begin_ns, 0);
    for (size_t i = 0; *is_done && i < job->count; i++) {
        const gs_word_share *const s = &job->shares[i];
        const gs_form_list *const all = &job->terms->list;
        const gs_form_list own = {s->end - s->first, all->bytes, all->terms + s->first};
        gs_device_sort_take_terms(job->blocks[i], &own);
        job->blocks[i]->first_doc = first;
        job->blocks[i]->last_doc = last;
    }
    return GS_OK;
}

static gs_code share(share_job *job, bool *is_done, gs_status *st)
{
    const gs_form_list *lists[GS_WORD_BLOCKS_MAX];
    for (size_t i = 0; i < job->count; i++)
        lists[i] = &job->blocks[i]->list;
    gs_trace *const trace = gs_team_trace(job->team);
    const uint64_t begin_ns = gs_trace_begin(trace);
    GS_TRY(gs_form_union_make(job->terms, lists, job->count, job->team, st));
    gs_trace_end(trace, GS_LANE_WORKER, 0, "merge terms", begin_ns, 0);
    GS_TRY(everywhere(job, join_and_weigh, "join terms", st));
    gs_form_union_forget_ranks(job->terms);
    return share_out(job) ? exchange(job, is_done, st) : GS_OK;
}

/* --- all ---------------------------------------------------------------------------- */

static gs_code sort_all(share_job *job, const gs_device_share_options *options,
                        gs_status *st)
{
    bool is_done = false;
    GS_TRY(everywhere(job, sort_terms, "sort terms", st));
    for (size_t i = 0; i < job->count; i++)
        GS_TRY(gs_device_sort_stem(job->blocks[i], job->team, st));
    if (can_share(job, options))
        GS_TRY(share(job, &is_done, st));
    if (!is_done) {
        gs_form_union_release(job->terms);
        GS_TRY(everywhere(job, join_own, "join terms", st));
    }
    gs_log_say(options->log, GS_LOG_INFO, "GPUs: each %s",
               is_done ? "has all postings of its terms" : "keeps the words it has met");
    return everywhere(job, end_sort, "sort words", st);
}

gs_code gs_device_share_sort(gs_device_block *const *blocks, size_t count,
                             const gs_device_share_options *options, gs_team *team,
                             gs_form_union *terms, gs_term_block *views, gs_status *st)
{
    share_job job = {
        .blocks = blocks, .count = count, .team = team, .terms = terms, .views = views};
    gs_assert(terms->memory == NULL);
    GS_TRY(gs_mem_new_array(&job.parts, count, sizeof *job.parts, "blocks on GPUs", st));
    GS_NOTED(sort_all(&job, options, st));
    gs_mem_free(job.parts);
    return st->code;
}
