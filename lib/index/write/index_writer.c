/* SPDX-License-Identifier: MIT */
#include "lib/index/write/index_writer.h"

#include <stdatomic.h>
#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/machine.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"
#include "lib/base/share.h"
#include "lib/base/team.h"
#include "lib/index/write/document_writer.h"
#include "lib/index/folder/folders.h"
#include "lib/index/format/formats.h"
#include "lib/index/write/index_part.h"
#include "lib/index/read/readers.h"
#include "lib/index/write/name_check.h"
#include "lib/index/write/part_join.h"
#include "lib/index/write/text_writer.h"
#include "lib/index/write/unique_names.h"

enum {
    PART_BUFFER_MIN = 64 << 10, /* a part's terms are taken whole */
    PART_BUFFER_MAX = 1 << 20,
    FILES_A_PART = 3,
    FILES_READ_AHEAD = 3, /* postings, positions, documents */
    AHEAD_BYTES = FILES_READ_AHEAD * GS_FILE_WRITER_AHEAD_BYTES,
};

struct gs_index_writer {
    gs_index_writer_options options;
    gs_index_folder folder;
    gs_document_writer documents;
    gs_text_writer texts;
    gs_name_check names;
    gs_repeated_names repeated;
    gs_part_files *parts;
    gs_part_join join;
    size_t part_buffer_bytes;
    bool reads_ahead;           /* what goes to the files of the index */
    _Atomic uint64_t doc_bound; /* of all parts; 0: there is none yet */
    gs_index_header header;
    gs_page_sums pages[GS_INDEX_SUMS];
    bool is_together; /* all but its name is there */
};

/* A term of the greatest length and its head must fit. */
_Static_assert(PART_BUFFER_MIN + 128 > GS_INDEX_TERM_MAX, "terms are taken whole");

/* Where two cores are all, they have enough to do; where memory is little, buffers of the
 * parts are worth more. */
static void share_memory(gs_index_writer *w)
{
    const unsigned parts = w->options.part_count;
    size_t bytes = w->options.memory_bytes;
    w->reads_ahead =
        parts >= GS_INDEX_SUMS && gs_machine_cores() > 2 && bytes / 4 >= AHEAD_BYTES;
    if (w->reads_ahead)
        bytes -= AHEAD_BYTES;
    w->part_buffer_bytes =
        gs_clamp(bytes / parts / FILES_A_PART, PART_BUFFER_MIN + 128, PART_BUFFER_MAX);
}

gs_code gs_index_writer_new(gs_index_writer **out, const gs_index_writer_options *options,
                            gs_status *st)
{
    gs_assert(options->part_count > 0);
    *out = NULL;
    gs_index_writer *w = NULL;
    GS_TRY(gs_mem_new(&w, sizeof *w, "index writer", st));
    w->options = *options;
    share_memory(w);
    GS_TRY_OR_FAIL(gs_mem_new(&w->parts, options->part_count * sizeof *w->parts,
                              "parts of an index", st));
    GS_TRY_OR_FAIL(gs_index_folder_open(&w->folder, options->folder, options->replace,
                                        options->log, st));
    w->folder.held_lock = options->held_lock;
    GS_TRY_OR_FAIL(gs_document_writer_open(&w->documents, w->folder.temporary,
                                           options->has_documents, st));
    gs_part_join_init(&w->join, w->folder.temporary, options->has_positions,
                      w->reads_ahead, w->parts, options->part_count, w->pages);
    if (options->has_texts)
        GS_TRY_OR_FAIL(gs_text_writer_open(&w->texts, w->folder.temporary, st));
    *out = w;
    return GS_OK;
fail:
    gs_index_writer_free(w);
    return st->code;
}

void gs_index_writer_free(gs_index_writer *w)
{
    if (w == NULL)
        return;
    for (unsigned i = 0; w->parts != NULL && i < w->options.part_count; i++)
        gs_part_files_close(&w->parts[i]);
    gs_part_join_release(&w->join);
    gs_document_writer_release(&w->documents);
    gs_text_writer_release(&w->texts);
    gs_name_check_release(&w->names);
    gs_index_folder_close(&w->folder);
    for (int i = 0; i < GS_INDEX_SUMS; i++)
        gs_page_sums_release(&w->pages[i]);
    gs_mem_free(w->parts);
    gs_mem_free(w);
}

const char *gs_index_writer_place(const gs_index_writer *w)
{
    return w->folder.temporary;
}

gs_code gs_index_writer_document(gs_index_writer *w, const void *name, size_t name_bytes,
                                 uint32_t length, gs_status *st)
{
    GS_TRY(gs_name_check_add(&w->names, name, name_bytes, st));
    return gs_document_writer_add(&w->documents, name, name_bytes, length, st);
}

gs_code gs_index_writer_documents(gs_index_writer *w, const gs_name_pack *names,
                                  gs_status *st)
{
    for (size_t i = 0; i < names->lead; i++) {
        size_t bytes;
        const uint8_t *const name = gs_name_pack_lead(names, i, &bytes);
        GS_TRY(gs_index_writer_document(w, name, bytes, names->lengths[i], st));
    }
    for (size_t i = 0; i < names->count - names->lead; i++)
        GS_TRY(gs_name_check_add_hash(&w->names, names->hashes[i], st));
    return gs_document_writer_add_packed(&w->documents, names, st);
}

gs_text_writer *gs_index_writer_texts(gs_index_writer *w)
{
    return w->options.has_texts ? &w->texts : NULL;
}

void gs_index_writer_set_kind(gs_index_writer *w, bool has_impacts, const char *tokenizer)
{
    gs_assert(atomic_load(&w->doc_bound) == 0);
    w->options.has_impacts = has_impacts;
    w->options.tokenizer = tokenizer;
}

gs_code gs_index_writer_set_document_count(gs_index_writer *w, uint64_t count,
                                           gs_status *st)
{
    gs_assert(!w->options.has_documents);
    if (count > GS_INDEX_DOCS_MAX)
        return GS_FAIL(st, GS_ERR_LIMIT, 0, "%llu documents: more than 2^40",
                       (unsigned long long)count);
    w->documents.count = count;
    return GS_OK;
}

const gs_length_table *gs_index_writer_lengths(const gs_index_writer *w)
{
    return w->options.has_documents && !w->options.has_impacts ? &w->documents.table
                                                               : NULL;
}

void gs_index_writer_expect(gs_index_writer *w, uint64_t posting_bytes,
                            uint64_t position_bytes)
{
    if (!w->reads_ahead || w->options.kept_folder != NULL)
        return;
    gs_part_join_expect(&w->join, GS_INDEX_POSTINGS, posting_bytes);
    if (w->options.has_positions)
        gs_part_join_expect(&w->join, GS_INDEX_POSITIONS, position_bytes);
}

static gs_part_options part_options(gs_index_writer *w, unsigned part)
{
    gs_assert(part < w->options.part_count);
    const uint64_t count = w->documents.count;
    const uint64_t bound = count > 0 ? count : GS_INDEX_DOCS_MAX;
    atomic_store(&w->doc_bound, bound); /* by all parts the same */
    return (gs_part_options){
        .join = w->options.kept_folder == NULL ? &w->join : NULL,
        .folder = w->folder.temporary,
        .kept_folder = w->options.kept_folder,
        .number = part,
        .buffer_bytes = w->part_buffer_bytes,
        .has_positions = w->options.has_positions,
        .lengths = gs_index_writer_lengths(w),
        .doc_bound = bound,
    };
}

gs_code gs_index_part_new(gs_index_part **out, gs_index_writer *w, unsigned part,
                          gs_status *st)
{
    const gs_part_options options = part_options(w, part);
    return gs_index_part_open(out, &w->parts[part], &options, st);
}

gs_code gs_index_writer_keep_part(gs_index_writer *w, unsigned part, gs_kept_part *kept,
                                  gs_status *st)
{
    gs_assert(part < w->options.part_count && w->options.kept_folder != NULL);
    return gs_part_files_keep(&w->parts[part], kept, st);
}

gs_code gs_index_writer_take_part(gs_index_writer *w, unsigned part,
                                  const gs_kept_part *kept, gs_status *st)
{
    const gs_part_options options = part_options(w, part);
    gs_assert(w->options.kept_folder != NULL);
    return gs_part_files_take_over(&w->parts[part], &options, kept, st);
}

/* --- commit ------------------------------------------------------------------------ */

static gs_code write_sums(gs_index_writer *w, gs_file_writer *file, gs_status *st)
{
    for (int i = 0; i < GS_INDEX_SUMS; i++) {
        const gs_page_sums *const of = &w->pages[i];
        GS_TRY(gs_file_writer_put(file, of->sums, of->count * sizeof *of->sums, st));
    }
    return GS_OK;
}

static gs_code write_file(gs_index_writer *w, gs_index_file which, gs_status *st)
{
    if (gs_part_join_has(which))
        return gs_part_join_finish(&w->join, which, &w->header.file_bytes[which],
                                   &w->header.file_sums[which], st);
    gs_file_writer *file = NULL;
    GS_TRY(gs_file_writer_new(&file, w->folder.temporary, gs_index_file_names[which],
                              which != GS_INDEX_SUMS ? &w->pages[which] : NULL, st));
    switch (which) {
    case GS_INDEX_DOCUMENTS:
        if (w->reads_ahead)
            gs_file_writer_read_ahead(file);
        GS_NOTED(gs_document_writer_finish(&w->documents, file, st));
        break;
    case GS_INDEX_TEXTS: GS_NOTED(gs_text_writer_finish(&w->texts, file, st)); break;
    case GS_INDEX_SUMS: GS_NOTED(write_sums(w, file, st)); break;
    case GS_INDEX_TERMS:
    case GS_INDEX_POSTINGS:
    case GS_INDEX_POSITIONS:
    case GS_INDEX_FILE_COUNT: break;
    }
    if (st->code == GS_OK)
        GS_NOTED(gs_file_writer_finish(file, &w->header.file_bytes[which],
                                       &w->header.file_sums[which], st));
    gs_file_writer_free(file);
    return st->code;
}

/* --- the files, side by side -------------------------------------------------------- */

typedef struct commit_job {
    gs_index_writer *writer;
    atomic_size_t next_file;
} commit_job;

static gs_code write_files(void *context, unsigned worker, gs_status *st)
{
    static const gs_index_file order[] = {GS_INDEX_TEXTS, GS_INDEX_POSITIONS,
                                          GS_INDEX_POSTINGS, GS_INDEX_TERMS,
                                          GS_INDEX_DOCUMENTS};
    _Static_assert(sizeof order / sizeof *order == GS_INDEX_SUMS, "all but the sums");
    commit_job *const job = context;
    (void)worker;
    for (;;) {
        const size_t i = atomic_fetch_add(&job->next_file, 1);
        if (i == GS_INDEX_SUMS)
            return gs_name_check_find(&job->writer->names, NULL, NULL,
                                      &job->writer->repeated, st);
        if (i > GS_INDEX_SUMS)
            return GS_OK;
        if (gs_index_header_has(&job->writer->header, order[i]))
            GS_TRY(write_file(job->writer, order[i], st));
    }
}

/* As many threads as files, unless one made all the parts. The sums come when all of
 * their files are there. */
static gs_code write_all_files(gs_index_writer *w, gs_status *st)
{
    commit_job job = {.writer = w};
    gs_team *team = NULL;
    const unsigned parts = w->options.part_count;
    GS_TRY(gs_team_new(&team, parts < GS_INDEX_SUMS ? 1 : GS_INDEX_SUMS, st));
    GS_NOTED(gs_team_run(team, write_files, &job, st));
    gs_team_free(team);
    return st->code == GS_OK ? write_file(w, GS_INDEX_SUMS, st) : st->code;
}

static gs_code check_base(const gs_index_writer *w, gs_status *st)
{
    const uint64_t base = w->options.doc_base, count = w->documents.count;
    return base <= GS_INDEX_DOCS_MAX - count
               ? GS_OK
               : GS_FAIL(st, GS_ERR_LIMIT, 0,
                         "%llu documents from docID %llu on come beyond 2^40",
                         (unsigned long long)count, (unsigned long long)base);
}

static gs_code put_together(gs_index_writer *w, gs_status *st)
{
    gs_index_header *const h = &w->header;
    for (unsigned i = 0; i < w->options.part_count; i++) {
        gs_assert(w->parts[i].is_finished);
        h->terms += w->parts[i].term_count;
        h->postings += w->parts[i].posting_count;
        h->tokens += w->parts[i].token_count;
    }
    GS_TRY(check_base(w, st));
    h->doc_base = w->options.doc_base;
    h->has_positions = w->options.has_positions;
    h->has_names = w->options.has_documents;
    h->has_texts = w->options.has_texts;
    h->has_impacts = w->options.has_impacts;
    GS_TRY(write_all_files(w, st));
    h->documents = w->documents.count;
    h->doc_bound = atomic_load(&w->doc_bound);
    if (h->doc_bound == 0) /* there is no part */
        h->doc_bound = h->documents;
    h->length_sum = w->options.has_documents ? w->documents.length_sum : h->tokens;
    /* Only read from, and not released. */
    h->tokenizer = (char *)(uintptr_t)w->options.tokenizer;
    return gs_index_header_write(h, w->folder.temporary, st);
}

/* Documents may have equal names, but seldom are meant to. The index tells the name;
 * should it not be readable, or the hashes of two names be the same, nothing is told. */
static void tell_repeated(const gs_index_writer *w)
{
    enum { NAME_SHOWN_BYTES = 200 };
    const gs_repeated_names *const r = &w->repeated;
    gs_status ignored = {.code = GS_OK};
    gs_index *index = NULL;
    gs_document_name first = {0}, again = {0};
    if (r->count > 0 && gs_index_open(&index, w->folder.temporary, &ignored) == GS_OK &&
        gs_index_document_name(index, r->first, &first, &ignored) == GS_OK &&
        gs_index_document_name(index, r->again, &again, &ignored) == GS_OK &&
        first.bytes == again.bytes && memcmp(first.text, again.text, first.bytes) == 0) {
        char name[NAME_SHOWN_BYTES + 1] = "";
        gs_quoted q;
        memcpy(name, first.text,
               first.bytes < NAME_SHOWN_BYTES ? first.bytes : NAME_SHOWN_BYTES);
        gs_log_say(w->options.log, GS_LOG_WARNING,
                   "%s%llu document%s the name of an earlier one: first %s, that of "
                   "documents %llu and %llu",
                   r->is_estimate ? "about " : "", (unsigned long long)r->count,
                   r->count == 1 ? " has" : "s have", gs_quote_argument(&q, name),
                   (unsigned long long)gs_index_doc_id(index, r->first),
                   (unsigned long long)gs_index_doc_id(index, r->again));
    }
    gs_document_name_release(&first);
    gs_document_name_release(&again);
    gs_index_close(index);
}

/* What is to be told, or refused, of names that come again. */
static gs_code look_at_names(const gs_index_writer *w, gs_status *st)
{
    gs_index *index = NULL;
    if (!w->options.unique_names) {
        tell_repeated(w);
        return GS_OK;
    }
    if (gs_index_open(&index, w->folder.temporary, st) == GS_OK)
        GS_NOTED(gs_unique_names_check(index, GS_NAMES_KEPT_MAX, st));
    gs_index_close(index);
    return st->code;
}

gs_code gs_index_writer_put_together(gs_index_writer *w, uint64_t *header_sum,
                                     gs_status *st)
{
    GS_TRY(put_together(w, st));
    w->is_together = true;
    *header_sum = gs_index_header_sum(&w->header);
    return GS_OK;
}

gs_code gs_index_writer_commit(gs_index_writer *w, gs_status *st)
{
    if (!w->is_together)
        GS_TRY(put_together(w, st));
    GS_TRY(look_at_names(w, st));
    return gs_index_folder_commit(&w->folder, st);
}

gs_code gs_index_writer_lend(gs_index_writer *w, const char **folder, gs_status *st)
{
    *folder = w->folder.temporary;
    GS_TRY(put_together(w, st));
    return look_at_names(w, st);
}
