/* SPDX-License-Identifier: MIT */
#include "lib/index/build/build_checkpoint.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "io/run_block.h"
#include "lib/base/mem.h"
#include "lib/index/format/formats.h"
#include "lib/sort/plan/plans.h"

#define DOCUMENTS_NAME "gpusort-documents"

enum { PATH_BYTES = 4400 };

struct gs_build_checkpoint {
    const gs_index_build_options *options;
    gs_checkpoint *base;
    char *text;
    bool has_documents;
    char documents_path[PATH_BYTES];
    gs_document_log documents;
    gs_fill_counts counts;
    gs_document_mark mark; /* of the documents that counts is of */
    bool has_commit, is_done;
    uint64_t commit_sum;
};

/* --- what the job is --------------------------------------------------------------- */

typedef struct job_of {
    const gs_index_build_options *options;
    const char *rules_json;
} job_of;

/* What was found in folders is taken for something else than what was named. */
static size_t count_found(const gs_index_build_options *o)
{
    size_t count = 0;
    for (size_t i = 0; o->inputs_found != NULL && i < o->input_count; i++)
        count += o->inputs_found[i] != 0;
    return count;
}

/* Not in the text, since the result is the same whatever they are, or since there is no
 * checkpoint with them (make lint wants every other field of the options in it): folder,
 * replace, inputs (the checkpoint has them and their stamps itself), unique_ids,
 * has_texts, reorders, method, memory_bytes, threads, batch_size, temp_folders,
 * temp_folder_count, checkpoint, no_uring, sorter, log, trace, stats, cancel_signal;
 * words as well, which the rules are made of. Of documents: is_array, has_weights and
 * columns, of each file. */
static void put_job(FILE *to, const void *context)
{
    const job_of *const job = context;
    const gs_index_build_options *const o = job->options;
    const gs_document_options *const d = &o->document;
    (void)fprintf(to, "version: gpusort %s, index %d, runs %d\n", GS_VERSION,
                  GS_INDEX_VERSION, GS_RUN_BLOCK_VERSION);
    (void)fprintf(to, "format: %s\n",
                  d->format == GS_FORMAT_ANY ? "found"
                                             : gs_document_format_name(d->format));
    if (!gs_document_format_is_tuples(d->format)) {
        (void)fprintf(to, "weights times: %.17g\n", d->weight_scale);
        (void)fprintf(to, "id field: %s\n", d->id_field ? d->id_field : "found");
        (void)fprintf(to, "text fields: %s\n", d->takes_usual_texts ? "found" : "chosen");
        for (size_t i = 0; i < d->text_field_count; i++)
            (void)fprintf(to, "text field: %s\n", d->text_fields[i]);
        (void)fprintf(to, "found in folders: %zu\n", count_found(o));
    }
    (void)fprintf(to, "malformed documents: %s\n", o->skip_bad ? "left out" : "an error");
    if (o->doc_base > 0)
        (void)fprintf(to, "first docID: %" PRIu64 "\n", o->doc_base);
    (void)fprintf(to, "positions: %s\n", o->has_positions ? "yes" : "no");
    (void)fprintf(to, "compressed inputs: %s\n",
                  o->keep_compressed ? "as they are" : "unpacked");
    if (job->rules_json != NULL)
        (void)fprintf(to, "words: %s\n", job->rules_json);
}

/* --- opening ----------------------------------------------------------------------- */

static gs_code take_commit(void *context, const uint8_t *data, size_t bytes,
                           gs_status *st)
{
    gs_build_checkpoint *const c = context;
    gs_unpacker u = {.at = data, .left = bytes};
    c->commit_sum = gs_unpack_number(&u);
    c->has_commit = !u.is_short;
    return st->code;
}

/* What was saved with the runs. */
static gs_code take_counts(gs_build_checkpoint *c, gs_status *st)
{
    const gs_checkpoint_state *const found = gs_checkpoint_found(c->base);
    gs_unpacker u = {.at = found->extra, .left = found->extra_bytes};
    if (found->extra_bytes == 0)
        return GS_OK;
    c->counts.documents = gs_unpack_number(&u);
    c->counts.input_index = (size_t)gs_unpack_number(&u);
    c->counts.line_count = gs_unpack_number(&u);
    c->counts.bad_count = gs_unpack_number(&u);
    c->counts.has_weights = gs_unpack_number(&u) != 0;
    c->mark.bytes = gs_unpack_number(&u);
    c->mark.sum = gs_unpack_number(&u);
    return u.is_short ? GS_FAIL(st, GS_ERR_FORMAT, 0,
                                "%s: a checkpoint of something else than an index",
                                c->options->checkpoint)
                      : GS_OK;
}

static gs_code open_all(gs_build_checkpoint *c, const char *rules_json, gs_status *st)
{
    const gs_index_build_options *const o = c->options;
    const job_of what = {c->options, rules_json};
    GS_TRY(gs_job_text(&c->text, put_job, &what, st));
    const gs_checkpoint_job job = {
        .folder = o->checkpoint,
        .text = c->text,
        .inputs = o->inputs,
        .input_count = o->input_count,
        .note_fn = take_commit,
        .note_context = c,
        .log = o->log,
    };
    if (snprintf(c->documents_path, sizeof c->documents_path, "%s/" DOCUMENTS_NAME,
                 o->checkpoint) >= PATH_BYTES)
        return GS_FAIL(st, GS_ERR_IO, ENAMETOOLONG, "open failed: %s", o->checkpoint);
    GS_TRY(gs_checkpoint_open(&c->base, &job, st));
    c->is_done = c->has_commit && gs_index_has_header_sum(o->folder, c->commit_sum);
    return take_counts(c, st);
}

gs_code gs_build_checkpoint_open(gs_build_checkpoint **out,
                                 const gs_index_build_options *options,
                                 const char *rules_json, gs_status *st)
{
    *out = NULL;
    gs_build_checkpoint *c = NULL;
    GS_TRY(gs_mem_new(&c, sizeof *c, "checkpoint", st));
    c->options = options;
    c->has_documents = !gs_document_format_is_tuples(options->document.format);
    if (open_all(c, rules_json, st) != GS_OK)
        gs_build_checkpoint_close(c);
    else
        *out = c;
    return st->code;
}

void gs_build_checkpoint_close(gs_build_checkpoint *c)
{
    if (c == NULL)
        return;
    gs_document_log_close(&c->documents);
    gs_checkpoint_close(c->base);
    gs_mem_free(c->text);
    gs_mem_free(c);
}

/* --- going on ---------------------------------------------------------------------- */

bool gs_build_checkpoint_is_done(const gs_build_checkpoint *c)
{
    return c->is_done;
}

gs_checkpoint *gs_build_checkpoint_base(const gs_build_checkpoint *c)
{
    return c->base;
}

gs_input_place gs_build_checkpoint_place(const gs_build_checkpoint *c)
{
    return gs_checkpoint_found(c->base)->place;
}

gs_fill_counts gs_build_checkpoint_counts(const gs_build_checkpoint *c)
{
    return c->counts;
}

gs_code gs_build_checkpoint_go_on(gs_build_checkpoint *c, gs_document_fn *fn,
                                  void *context, gs_status *st)
{
    if (!c->has_documents)
        return GS_OK;
    GS_TRY(gs_document_log_open(&c->documents, c->documents_path, &c->mark, fn, context,
                                st));
    return gs_checkpoint_sync_names(c->base, st);
}

gs_code gs_build_checkpoint_document(gs_build_checkpoint *c, const void *name,
                                     size_t name_bytes, uint32_t length, gs_status *st)
{
    return gs_document_log_add(&c->documents, name, name_bytes, length, st);
}

static gs_code pack_counts(const gs_build_checkpoint *c, const gs_fill_counts *counts,
                           gs_packer *p, gs_status *st)
{
    GS_TRY(gs_pack_number(p, counts->documents, st));
    GS_TRY(gs_pack_number(p, counts->input_index, st));
    GS_TRY(gs_pack_number(p, counts->line_count, st));
    GS_TRY(gs_pack_number(p, counts->bad_count, st));
    GS_TRY(gs_pack_number(p, counts->has_weights, st));
    GS_TRY(gs_pack_number(p, c->mark.bytes, st));
    return gs_pack_number(p, c->mark.sum, st);
}

gs_code gs_build_checkpoint_save(gs_build_checkpoint *c, const gs_run_list *list,
                                 const gs_input_place *place,
                                 const gs_fill_counts *counts, gs_status *st)
{
    gs_packer p = {0};
    if (c->has_documents)
        GS_TRY(gs_document_log_sync(&c->documents, &c->mark, st));
    if (pack_counts(c, counts, &p, st) == GS_OK)
        GS_NOTED(gs_checkpoint_save(c->base, list, place, p.data, p.bytes, st));
    gs_packer_release(&p);
    return st->code;
}

gs_code gs_build_checkpoint_save_commit(gs_build_checkpoint *c, uint64_t header_sum,
                                        gs_status *st)
{
    return gs_checkpoint_note(c->base, &header_sum, sizeof header_sum, st);
}

void gs_build_checkpoint_finish(gs_build_checkpoint *c)
{
    if (c->has_documents)
        (void)unlink(c->documents_path);
    gs_checkpoint_finish(c->base);
}
