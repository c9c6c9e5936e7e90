/* SPDX-License-Identifier: MIT */
#include "lib/index/merge/merge_checkpoint.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"
#include "lib/sort/run/runs.h"
#include "lib/sort/plan/plans.h"

enum { NOTE_PLAN = 1, NOTE_PART, NOTE_COMMIT };
enum { PARTS_MAX = 1 << 20 };

struct gs_merge_checkpoint {
    const gs_index_merge_options *options;
    char *text;
    gs_checkpoint *base;
    unsigned part_count; /* 0: not planned yet */
    bool has_noted_plan; /* which is of no use before there is a part */
    gs_kept_part *parts;
    bool *has_part;
    bool is_done;
    pthread_mutex_t mutex; /* guards the notes */
};

/* --- what the job is --------------------------------------------------------------- */

typedef struct job_of {
    const gs_index_merge_options *options;
    gs_index *const *indexes;
    const gs_tombstones *const *deleted;
} job_of;

/* Not in the text, since the result is the same whatever they are, or since there is no
 * checkpoint with them (make lint wants every other field of the options in it): folder,
 * replace, segment_from, segment_to, held_lock, unique_ids, memory_bytes, threads,
 * checkpoint, log, trace, stats, cancel_signal. */
static void put_job(FILE *to, const void *context)
{
    const job_of *const job = context;
    const gs_index_merge_options *const o = job->options;
    static const char *const ids[] = {[GS_MERGE_IDS_AUTO] = "by what they are of",
                                      [GS_MERGE_IDS_KEEP] = "kept",
                                      [GS_MERGE_IDS_SHIFT] = "shifted"};
    (void)fprintf(to, "version: gpusort %s, index %d\n", GS_VERSION, GS_INDEX_VERSION);
    (void)fprintf(to, "docIDs: %s\n", ids[o->ids]);
    gs_quoted q;
    if (o->from_term != NULL && *o->from_term != '\0')
        (void)fprintf(to, "terms from: %s\n", gs_quote_argument(&q, o->from_term));
    if (o->to_term != NULL && *o->to_term != '\0')
        (void)fprintf(to, "terms before: %s\n", gs_quote_argument(&q, o->to_term));
    if (o->joins_terms)
        (void)fprintf(to, "terms: of each index its own\n");
    for (size_t i = 0; i < o->input_count; i++) {
        (void)fprintf(to, "index %zu: %s, sum %016" PRIx64, i + 1, o->inputs[i],
                      gs_index_header_sum(gs_index_header_of(job->indexes[i])));
        if (job->deleted[i]->lines != NULL)
            (void)fprintf(to, ", deletions %016" PRIx64,
                          gs_tombstones_sum(job->deleted[i]));
        (void)fputc('\n', to);
    }
    (void)fprintf(to, "indexes: %zu\n", o->input_count);
}

/* --- notes ------------------------------------------------------------------------- */

static gs_code set_parts(gs_merge_checkpoint *c, unsigned count, gs_status *st)
{
    GS_TRY(gs_mem_new_array(&c->parts, count, sizeof *c->parts, "parts of an index", st));
    GS_TRY(gs_mem_new_array(&c->has_part, count, sizeof *c->has_part, "parts of an index",
                            st));
    c->part_count = count;
    return GS_OK;
}

static bool take_part(gs_merge_checkpoint *c, gs_unpacker *u)
{
    const uint64_t number = gs_unpack_number(u);
    if (number >= c->part_count)
        return false;
    gs_kept_part *const part = &c->parts[number];
    part->terms = gs_unpack_number(u);
    part->postings = gs_unpack_number(u);
    part->tokens = gs_unpack_number(u);
    for (int i = 0; i < GS_PART_FILES; i++) {
        part->bytes[i] = gs_unpack_number(u);
        part->sums[i] = gs_unpack_number(u);
    }
    c->has_part[number] = true;
    return true;
}

static gs_code take_note(void *context, const uint8_t *data, size_t bytes, gs_status *st)
{
    gs_merge_checkpoint *const c = context;
    gs_unpacker u = {.at = data, .left = bytes};
    const uint64_t kind = gs_unpack_number(&u);
    bool is_good = true;
    if (kind == NOTE_PLAN) {
        const uint64_t count = gs_unpack_number(&u);
        is_good = c->part_count == 0 && count > 0 && count <= PARTS_MAX;
        if (is_good)
            GS_TRY(set_parts(c, (unsigned)count, st));
        c->has_noted_plan = true;
    } else if (kind == NOTE_PART) {
        is_good = take_part(c, &u);
    } else if (kind == NOTE_COMMIT) {
        c->is_done = gs_index_has_header_sum(c->options->folder, gs_unpack_number(&u));
    } else {
        is_good = false;
    }
    return is_good && !u.is_short
               ? GS_OK
               : GS_FAIL(st, GS_ERR_FORMAT, 0, "%s: a checkpoint of something else",
                         c->options->checkpoint);
}

static gs_code put_note(gs_merge_checkpoint *c, gs_packer *p, gs_status *st)
{
    if (st->code == GS_OK)
        GS_NOTED(gs_checkpoint_note(c->base, p->data, p->bytes, st));
    gs_packer_release(p);
    return st->code;
}

/* --- life -------------------------------------------------------------------------- */

static gs_code open_all(gs_merge_checkpoint *c, gs_index *const *indexes,
                        const gs_tombstones *const *deleted, gs_status *st)
{
    const job_of what = {c->options, indexes, deleted};
    GS_TRY(gs_job_text(&c->text, put_job, &what, st));
    const gs_checkpoint_job job = {
        .folder = c->options->checkpoint,
        .text = c->text,
        .note_fn = take_note,
        .note_context = c,
        .log = c->options->log,
    };
    return gs_checkpoint_open(&c->base, &job, st);
}

gs_code gs_merge_checkpoint_open(gs_merge_checkpoint **out,
                                 const gs_index_merge_options *options,
                                 gs_index *const *indexes,
                                 const gs_tombstones *const *deleted, gs_status *st)
{
    *out = NULL;
    gs_merge_checkpoint *c = NULL;
    GS_TRY(gs_mem_new(&c, sizeof *c, "checkpoint", st));
    c->options = options;
    pthread_mutex_init(&c->mutex, NULL);
    if (open_all(c, indexes, deleted, st) != GS_OK)
        gs_merge_checkpoint_close(c);
    else
        *out = c;
    return st->code;
}

void gs_merge_checkpoint_close(gs_merge_checkpoint *c)
{
    if (c == NULL)
        return;
    gs_checkpoint_close(c->base);
    pthread_mutex_destroy(&c->mutex);
    gs_mem_free(c->parts);
    gs_mem_free(c->has_part);
    gs_mem_free(c->text);
    gs_mem_free(c);
}

bool gs_merge_checkpoint_is_done(const gs_merge_checkpoint *c)
{
    return c->is_done;
}

/* --- parts ------------------------------------------------------------------------- */

gs_code gs_merge_checkpoint_parts(gs_merge_checkpoint *c, unsigned wanted,
                                  unsigned *part_count, gs_status *st)
{
    unsigned there = 0;
    for (unsigned i = 0; i < c->part_count; i++)
        there += c->has_part[i];
    if (there > 0)
        gs_log_say(c->options->log, GS_LOG_INFO, "%u of %u parts are there", there,
                   c->part_count);
    if (c->part_count == 0)
        GS_TRY(set_parts(c, wanted, st));
    *part_count = c->part_count;
    return GS_OK;
}

const gs_kept_part *gs_merge_checkpoint_part(const gs_merge_checkpoint *c, unsigned part)
{
    gs_assert(part < c->part_count);
    return c->has_part[part] ? &c->parts[part] : NULL;
}

static gs_code note_plan(gs_merge_checkpoint *c, gs_status *st)
{
    gs_packer p = {0};
    if (c->has_noted_plan)
        return GS_OK;
    if (gs_pack_number(&p, NOTE_PLAN, st) == GS_OK)
        GS_NOTED(gs_pack_number(&p, c->part_count, st));
    GS_TRY(put_note(c, &p, st));
    c->has_noted_plan = true;
    return GS_OK;
}

static gs_code pack_part(gs_packer *p, unsigned part, const gs_kept_part *kept,
                         gs_status *st)
{
    GS_TRY(gs_pack_number(p, NOTE_PART, st));
    GS_TRY(gs_pack_number(p, part, st));
    GS_TRY(gs_pack_number(p, kept->terms, st));
    GS_TRY(gs_pack_number(p, kept->postings, st));
    GS_TRY(gs_pack_number(p, kept->tokens, st));
    for (int i = 0; i < GS_PART_FILES; i++) {
        GS_TRY(gs_pack_number(p, kept->bytes[i], st));
        GS_TRY(gs_pack_number(p, kept->sums[i], st));
    }
    return GS_OK;
}

gs_code gs_merge_checkpoint_save_part(gs_merge_checkpoint *c, unsigned part,
                                      const gs_kept_part *kept, gs_status *st)
{
    gs_packer p = {0};
    GS_TRY(gs_checkpoint_sync_names(c->base, st));
    GS_NOTED(pack_part(&p, part, kept, st));
    pthread_mutex_lock(&c->mutex);
    if (note_plan(c, st) == GS_OK)
        GS_NOTED(put_note(c, &p, st));
    else
        gs_packer_release(&p);
    pthread_mutex_unlock(&c->mutex);
    return st->code;
}

gs_code gs_merge_checkpoint_save_commit(gs_merge_checkpoint *c, uint64_t header_sum,
                                        gs_status *st)
{
    gs_packer p = {0};
    if (gs_pack_number(&p, NOTE_COMMIT, st) == GS_OK)
        GS_NOTED(gs_pack_number(&p, header_sum, st));
    return put_note(c, &p, st);
}

void gs_merge_checkpoint_finish(gs_merge_checkpoint *c)
{
    gs_index_parts_remove(c->options->checkpoint, c->part_count);
    gs_checkpoint_finish(c->base);
}
