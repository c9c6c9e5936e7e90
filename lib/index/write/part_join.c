/* SPDX-License-Identifier: MIT */
#include "lib/index/write/part_join.h"

#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"

void gs_part_join_init(gs_part_join *j, const char *folder, bool has_positions,
                       bool reads_ahead, gs_part_files *parts, unsigned part_count,
                       gs_page_sums *pages)
{
    *j = (gs_part_join){.folder = folder,
                        .has_positions = has_positions,
                        .reads_ahead = reads_ahead,
                        .parts = parts,
                        .part_count = part_count,
                        .pages = pages,
                        .files = {{.which = GS_INDEX_POSTINGS},
                                  {.which = GS_INDEX_POSITIONS},
                                  {.which = GS_INDEX_TERMS}}};
    pthread_mutex_init(&j->mutex, NULL);
}

void gs_part_join_release(gs_part_join *j)
{
    if (j->parts == NULL)
        return;
    for (int i = 0; i < GS_JOINED_FILES; i++) {
        gs_joined_file *const f = &j->files[i];
        gs_file_writer_free(f->file);
        if (f->terms != NULL)
            gs_term_writer_release(f->terms);
        gs_mem_free(f->terms);
    }
    pthread_mutex_destroy(&j->mutex);
    *j = (gs_part_join){.parts = NULL};
}

static gs_joined_file *file_of(gs_part_join *j, gs_index_file which)
{
    for (int i = 0; i < GS_JOINED_FILES; i++) {
        if (j->files[i].which == which)
            return &j->files[i];
    }
    return NULL;
}

bool gs_part_join_has(gs_index_file which)
{
    return which == GS_INDEX_POSTINGS || which == GS_INDEX_POSITIONS ||
           which == GS_INDEX_TERMS;
}

/* --- a part to a file --------------------------------------------------------------- */

static gs_code open_file(const gs_part_join *j, gs_joined_file *f, gs_status *st)
{
    if (f->file != NULL)
        return GS_OK;
    GS_TRY(gs_file_writer_new(&f->file, j->folder, gs_index_file_names[f->which],
                              &j->pages[f->which], st));
    if (f->which != GS_INDEX_TERMS) {
        if (j->reads_ahead)
            gs_file_writer_read_ahead(f->file);
        return GS_OK;
    }
    GS_TRY(gs_mem_new(&f->terms, sizeof *f->terms, "dictionary", st));
    return gs_term_writer_open(f->terms, f->file, j->has_positions, st);
}

static gs_code put_terms(gs_term_writer *terms, gs_append_file *from, uint64_t count,
                         gs_status *st)
{
    for (; count > 0; count--) {
        const uint8_t *data;
        uint32_t bytes;
        GS_TRY(gs_append_file_take(from, &data, sizeof bytes, st));
        memcpy(&bytes, data, sizeof bytes);
        gs_part_numbers numbers;
        GS_TRY(gs_append_file_take(from, &data, bytes + sizeof numbers, st));
        memcpy(&numbers, data + bytes, sizeof numbers);
        const gs_term_info info = {.df = numbers.df,
                                   .cf = numbers.cf,
                                   .only_doc = numbers.only_doc,
                                   .postings_bytes = numbers.postings_bytes,
                                   .skip_bytes = numbers.skip_bytes,
                                   .positions_bytes = numbers.positions_bytes};
        GS_TRY(gs_term_writer_add(terms, data, bytes, &info, st));
    }
    return GS_OK;
}

/* The next part, whose file gives its disk space back then. */
static gs_code put_next(const gs_part_join *j, gs_joined_file *f, gs_status *st)
{
    gs_part_files *const part = &j->parts[f->next];
    gs_append_file *const from = f->which == GS_INDEX_POSTINGS    ? &part->postings
                                 : f->which == GS_INDEX_POSITIONS ? &part->positions
                                                                  : &part->terms;
    GS_TRY(open_file(j, f, st));
    if (f->which == GS_INDEX_TERMS)
        GS_TRY(put_terms(f->terms, from, part->term_count, st));
    else
        GS_TRY(gs_file_writer_put_all(f->file, from, st));
    GS_TRY(gs_append_file_check(from, st));
    gs_append_file_close(from);
    f->next++;
    return GS_OK;
}

/* A file that cannot be made now is told when a part is put. */
void gs_part_join_expect(gs_part_join *j, gs_index_file which, uint64_t bytes)
{
    gs_status ignored = {.code = GS_OK};
    gs_joined_file *const f = file_of(j, which);
    gs_assert(f != NULL && !f->is_busy);
    if (f->next == 0 && open_file(j, f, &ignored) == GS_OK)
        gs_file_writer_expect(f->file, bytes);
}

/* --- on the way --------------------------------------------------------------------- */

/* Puts what may be put, with the mutex held but while it puts. After a failure the file
 * stays busy: nobody else goes on with it. */
static gs_code put_ready(gs_part_join *j, gs_joined_file *f, gs_status *st)
{
    while (!f->is_busy && f->next < j->part_count && j->parts[f->next].may_be_put) {
        f->is_busy = true;
        pthread_mutex_unlock(&j->mutex);
        GS_NOTED(put_next(j, f, st));
        pthread_mutex_lock(&j->mutex);
        GS_TRY(st->code);
        f->is_busy = false;
    }
    return GS_OK;
}

gs_code gs_part_join_note(gs_part_join *j, unsigned part, gs_status *st)
{
    pthread_mutex_lock(&j->mutex);
    j->parts[part].may_be_put = true;
    for (int i = 0; i < GS_JOINED_FILES && st->code == GS_OK; i++) {
        if (j->files[i].which != GS_INDEX_POSITIONS || j->has_positions)
            GS_NOTED(put_ready(j, &j->files[i], st));
    }
    pthread_mutex_unlock(&j->mutex);
    return st->code;
}

gs_code gs_part_join_finish(gs_part_join *j, gs_index_file which, uint64_t *bytes,
                            uint64_t *sum, gs_status *st)
{
    gs_joined_file *const f = file_of(j, which);
    gs_assert(f != NULL && !f->is_busy);
    GS_TRY(open_file(j, f, st)); /* of no parts, too */
    while (f->next < j->part_count) {
        gs_assert(j->parts[f->next].is_finished);
        GS_TRY(put_next(j, f, st));
    }
    if (f->terms != NULL)
        GS_TRY(gs_term_writer_finish(f->terms, st));
    GS_TRY(gs_file_writer_finish(f->file, bytes, sum, st));
    gs_file_writer_free(f->file);
    f->file = NULL;
    return GS_OK;
}
