/* SPDX-License-Identifier: MIT */
/*
 * gpusort index show: documents whose texts are stored, by their names.
 */
#include <inttypes.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/index_read.h"
#include "cmd/opt_kinds.h"
#include "cmd/report.h"
#include "cmd/size_arg.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"
#include "lib/base/text_out.h"
#include "lib/base/text_span.h"
#include "lib/base/utf8.h"
#include "lib/gpusort.h"

enum { CARRY_BYTES = GS_UTF8_BYTES_MAX };

static const char usage_text[] =
    "Usage: gpusort index show [OPTION]... DIR [NAME]...\n"
    "Prints the texts of the documents that are called NAME, or of all if there is "
    "none.\n"
    "The index must have been built with --store.\n\n"
    "      --docids   each NAME is the number of a document\n"
    "      --json     a JSON object a document, as `index build' reads them\n"
    "  -h, --help     this text\n"
    "      --version  show the version and stop\n\n"
    "Exit codes: 0 good, 2 trouble: a document is not there, or it could not be read.\n";

typedef struct show_job {
    const char *folder;
    char **names;
    size_t name_count;
    bool by_number, as_json;
    gpusort_index *index;
    gpusort_index_info info;
    gpusort_texts *texts;
    gpusort_error error;
    gs_text_out out;
    char *name; /* of the document */
    size_t name_room;
    uint8_t carry[CARRY_BYTES]; /* JSON: the beginning of a character */
    size_t carried;
    size_t missing; /* names that no document has */
} show_job;

/* --- a document -------------------------------------------------------------------- */

static gs_code put(show_job *job, const char *text, gs_status *st)
{
    return gs_text_out_put(&job->out, text, strlen(text), st);
}

/* How many of the last bytes are the beginning of a character that may go on. */
static size_t count_begun(const uint8_t *text, size_t bytes)
{
    for (size_t n = 1; n < CARRY_BYTES && n <= bytes; n++) {
        const uint8_t c = text[bytes - n];
        if (c >= 0xc0)
            return n < (c >= 0xf0 ? 4 : c >= 0xe0 ? 3U : 2U) ? n : 0;
        if (c < 0x80)
            break;
    }
    return 0;
}

/* A character may be cut by the end of the piece before. */
static gs_code put_json_piece(show_job *job, gs_text_span piece, gs_status *st)
{
    while (job->carried > 0 && piece.bytes > 0 && (*piece.data & 0xc0) == 0x80 &&
           job->carried < CARRY_BYTES) {
        job->carry[job->carried++] = *piece.data++;
        piece.bytes--;
        if (count_begun(job->carry, job->carried) == 0)
            break;
    }
    if (piece.bytes == 0 && job->carried > 0 && count_begun(job->carry, job->carried) > 0)
        return GS_OK;
    GS_TRY(gs_text_out_json_part(&job->out, job->carry, job->carried, st));
    job->carried = count_begun(piece.data, piece.bytes);
    const size_t whole = piece.bytes - job->carried;
    if (job->carried > 0)
        memcpy(job->carry, piece.data + whole, job->carried);
    return gs_text_out_json_part(&job->out, piece.data, whole, st);
}

static gs_code put_text(show_job *job, bool *ends_line, gs_status *st)
{
    *ends_line = false;
    job->carried = 0;
    for (;;) {
        gs_text_span piece;
        const void *data;
        if (gpusort_texts_next(job->texts, &data, &piece.bytes, &job->error) !=
            GPUSORT_OK)
            return gs_status_of_error(st, &job->error);
        piece.data = data;
        if (piece.bytes == 0)
            return gs_text_out_json_part(&job->out, job->carry, job->carried, st);
        *ends_line = piece.data[piece.bytes - 1] == '\n';
        GS_TRY(job->as_json ? put_json_piece(job, piece, st)
                            : gs_text_out_put(&job->out, piece.data, piece.bytes, st));
    }
}

static gs_code put_name(show_job *job, uint64_t doc, gs_status *st)
{
    size_t bytes = 0;
    do {
        GS_TRY(gs_mem_grow(&job->name, &job->name_room, bytes + 1, "name", st));
        if (gpusort_index_name(job->index, doc, job->name, job->name_room, &bytes,
                               &job->error) != GPUSORT_OK)
            return gs_status_of_error(st, &job->error);
    } while (bytes > job->name_room);
    return gs_text_out_json(&job->out, (const uint8_t *)job->name, bytes, st);
}

static gs_code show(show_job *job, uint64_t doc, gs_status *st)
{
    uint64_t bytes;
    bool ends_line;
    if (gpusort_texts_begin(job->texts, doc, &bytes, &job->error) != GPUSORT_OK)
        return gs_status_of_error(st, &job->error);
    if (!job->as_json) {
        GS_TRY(put_text(job, &ends_line, st));
        return ends_line || bytes == 0 ? GS_OK : put(job, "\n", st);
    }
    GS_TRY(put(job, "{\"id\": ", st));
    GS_TRY(put_name(job, doc, st));
    GS_TRY(put(job, ", \"contents\": \"", st));
    GS_TRY(put_text(job, &ends_line, st));
    return put(job, "\"}\n", st);
}

/* --- which documents --------------------------------------------------------------- */

static gs_code refuse_name(show_job *job, const char *name, gs_status *st)
{
    gs_quoted q;
    job->missing++;
    GS_TRY(gs_text_out_flush(&job->out, st));
    gs_report(0, "%s: no document is %s %s", job->folder,
              job->by_number ? "number" : "called", gs_quote_argument(&q, name));
    return GS_OK;
}

/* Which document has the number that the argument is, or one that there is not. */
static uint64_t read_number(const show_job *job, const char *text)
{
    const uint64_t base = job->info.doc_base;
    uint64_t number = 0;
    const char *rest = NULL;
    return gs_number_parse(text, "", &number, &rest) == 0 && number >= base
               ? number - base
               : UINT64_MAX;
}

static gs_code find_documents(show_job *job, uint64_t *docs, gs_status *st)
{
    for (size_t i = 0; i < job->name_count && job->by_number; i++)
        docs[i] = read_number(job, job->names[i]);
    if (!job->by_number &&
        gpusort_index_find(job->index, (const char *const *)job->names, NULL,
                           job->name_count, docs, &job->error) != GPUSORT_OK)
        return gs_status_of_error(st, &job->error);
    return GS_OK;
}

static gs_code show_named(show_job *job, gs_status *st)
{
    uint64_t *docs = NULL;
    const uint64_t there = job->info.documents;
    GS_TRY(gs_mem_new_array(&docs, job->name_count, sizeof *docs, "documents", st));
    GS_NOTED(find_documents(job, docs, st));
    for (size_t i = 0; i < job->name_count && st->code == GS_OK; i++)
        GS_NOTED(docs[i] < there ? show(job, docs[i], st)
                                 : refuse_name(job, job->names[i], st));
    gs_mem_free(docs);
    return st->code;
}

static gs_code show_all(show_job *job, gs_status *st)
{
    const uint64_t count = job->info.documents;
    for (uint64_t doc = 0; doc < count; doc++)
        GS_TRY(show(job, doc, st));
    return GS_OK;
}

/* --- the job ----------------------------------------------------------------------- */

static gs_code run(show_job *job, gs_status *st)
{
    GS_TRY(gs_index_open_first(&job->index, job->folder, job->names, (int)job->name_count,
                               false, st));
    gpusort_index_describe(job->index, &job->info);
    if (gpusort_texts_new(&job->texts, job->index, &job->error) != GPUSORT_OK)
        return gs_status_of_error(st, &job->error);
    GS_TRY(gs_text_out_open(&job->out, gs_index_print, job->index, st));
    GS_TRY(job->name_count > 0 ? show_named(job, st) : show_all(job, st));
    GS_TRY(gs_text_out_flush(&job->out, st));
    return gpusort_index_unchanged(job->index, &job->error) == GPUSORT_OK
               ? GS_OK
               : gs_status_of_error(st, &job->error);
}

int gs_index_show_command(int argc, char **argv)
{
    show_job job = {.info.size = sizeof job.info};
    gs_status st = {.code = GS_OK};
    int kept = 0;
    const gs_opt options[] = {
        {0, "docids", GS_OPT_FLAG(&job.by_number)},
        {0, "json", GS_OPT_FLAG(&job.as_json)},
        {0, NULL, GS_OPT_OPERANDS_IN_FRONT(&kept)},
    };
    gs_opt_parse(argc, argv, usage_text, GS_COUNTED(options));
    if (kept == 0)
        gs_die_usage("which index?");
    job.folder = argv[0];
    job.names = argv + 1;
    job.name_count = (size_t)kept - 1;
    GS_NOTED(run(&job, &st));
    gs_text_out_release(&job.out);
    gs_mem_free(job.name);
    gpusort_texts_free(job.texts);
    gpusort_index_close(job.index);
    if (st.code != GS_OK)
        return gs_report_failure(&st);
    return gs_stdout_close(job.missing > 0 ? GS_EXIT_TROUBLE : GS_EXIT_GOOD);
}
