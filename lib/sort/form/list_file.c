/* SPDX-License-Identifier: MIT */
#include "lib/sort/form/list_file.h"

#include <errno.h>
#include <stdatomic.h>

#include "io/last_close.h"
#include "io/spill.h"
#include "io/write_all.h"
#include "lib/base/assertion.h"
#include "lib/base/cancel.h"
#include "lib/base/checksum.h"
#include "lib/base/mem.h"

/* Written at once: it stays in the cache of a core. Builds that are for testing have less
 * than a list is. */
#ifndef GS_LIST_FILE_BUFFER
#define GS_LIST_FILE_BUFFER (1 << 18)
#endif

enum {
    BUFFER = GS_LIST_FILE_BUFFER,
    SHARE = 16, /* lists that a worker takes at a time */
};

/* Where a piece is. */
typedef struct gs_list_piece {
    uint64_t offset, sum; /* the sum by steps of a buffer */
    size_t bytes;
    unsigned worker; /* whose file it is in */
} gs_list_piece;

typedef struct gs_list_writer {
    GS_MEM_APART uint64_t end; /* of the file, without what is in the buffer */
    int fd;                    /* -1: there is no file yet */
    const char *folder;
    uint8_t *buffer;
    size_t used, piece_begin; /* in the buffer */
    uint64_t sum;             /* of the piece, as far as its buffers were written */
} gs_list_writer;

struct gs_list_file {
    const gs_sort_options *options;
    gs_spill *spill;
    unsigned workers;
    size_t list_count;
    gs_list_writer *writers;
    gs_list_piece **rounds; /* of each a piece a list */
    size_t round_count, round_capacity;
    GS_MEM_APART atomic_size_t next; /* list of this round that no worker has yet */
};

gs_code gs_list_file_new(gs_list_file **out, const gs_sort_options *options,
                         unsigned workers, gs_status *st)
{
    gs_list_file *f = NULL;
    *out = NULL;
    GS_TRY(gs_mem_new_apart(&f, sizeof *f, "file of lists", st));
    f->options = options;
    GS_TRY_OR_FAIL(
        gs_spill_new(&f->spill, options->temp_folders, options->temp_folder_count, st));
    GS_TRY_OR_FAIL(gs_mem_new_apart(&f->writers, workers * sizeof *f->writers,
                                    "writers of lists", st));
    f->workers = workers;
    for (unsigned w = 0; w < workers; w++)
        f->writers[w].fd = -1;
    *out = f;
    return GS_OK;
fail:
    gs_list_file_free(f);
    return st->code;
}

void gs_list_file_free(gs_list_file *f)
{
    if (f == NULL)
        return;
    for (unsigned w = 0; w < f->workers; w++) {
        gs_last_close(f->writers[w].fd);
        gs_mem_free(f->writers[w].buffer);
    }
    for (size_t i = 0; i < f->round_count; i++)
        gs_mem_free(f->rounds[i]);
    gs_mem_free(f->rounds);
    gs_mem_free(f->writers);
    gs_spill_free(f->spill);
    gs_mem_free(f);
}

bool gs_list_file_has_room(const gs_list_file *f, uint64_t bytes)
{
    return !gs_spill_is_space_short(f->spill, bytes);
}

size_t gs_list_file_memory(size_t list_count, unsigned workers, size_t rounds)
{
    return workers * BUFFER + (rounds + 1) * list_count * sizeof(gs_list_piece);
}

uint64_t gs_list_file_bytes(const gs_list_file *f)
{
    uint64_t all = 0;
    for (unsigned w = 0; w < f->workers; w++)
        all += f->writers[w].end;
    return all;
}

size_t gs_list_file_rounds(const gs_list_file *f)
{
    return f->round_count;
}

/* --- writing ---------------------------------------------------------------------- */

/* Files are given to the folders in turn. */
static gs_code need_file(gs_list_file *f, unsigned worker, gs_status *st)
{
    gs_list_writer *const w = &f->writers[worker];
    if (w->buffer == NULL)
        GS_TRY(gs_mem_new_apart(&w->buffer, BUFFER, "lists to write", st));
    if (w->fd >= 0)
        return GS_OK;
    return gs_spill_file_new(f->spill, &w->fd, &w->folder, st);
}

gs_code gs_list_file_begin(gs_list_file *f, size_t list_count, gs_status *st)
{
    gs_assert(f->list_count == 0 || f->list_count == list_count);
    f->list_count = list_count;
    GS_TRY(gs_mem_grow(&f->rounds, &f->round_capacity, f->round_count + 1,
                       "pieces of lists", st));
    for (unsigned w = 0; w < f->workers; w++)
        GS_TRY(need_file(f, w, st));
    GS_TRY(gs_mem_new_array(&f->rounds[f->round_count], list_count, sizeof(gs_list_piece),
                            "pieces of lists", st));
    f->round_count++;
    atomic_store(&f->next, 0);
    return GS_OK;
}

static gs_code write_buffer(gs_list_writer *w, size_t bytes, gs_status *st)
{
    const int error = gs_pwrite_all(w->fd, w->buffer, bytes, w->end);
    w->end += bytes;
    if (error == 0)
        return GS_OK;
    (void)GS_FAIL(st, GS_ERR_IO, error, "write failed: temporary file in '%s'",
                  w->folder);
    return gs_status_hint_full_disk(st, "free some space, or choose another folder for "
                                        "temporary files with -T");
}

/* Makes room in a buffer that is full: a piece that has begun goes to its beginning, and
 * one that fills it leaves with it. */
static gs_code empty_buffer(gs_list_writer *w, gs_status *st)
{
    const size_t begun = w->used - w->piece_begin;
    if (w->piece_begin > 0) {
        GS_TRY(write_buffer(w, w->piece_begin, st));
        memmove(w->buffer, w->buffer + w->piece_begin, begun);
        w->used = begun;
    } else {
        w->sum = gs_checksum(w->buffer, w->used, w->sum);
        GS_TRY(write_buffer(w, w->used, st));
        w->used = 0;
    }
    w->piece_begin = 0;
    return GS_OK;
}

static gs_code put(gs_list_writer *w, const uint8_t *data, size_t bytes, gs_status *st)
{
    while (bytes > 0) {
        if (w->used == BUFFER)
            GS_TRY(empty_buffer(w, st));
        const size_t room = BUFFER - w->used, n = bytes < room ? bytes : room;
        memcpy(w->buffer + w->used, data, n);
        w->used += n;
        data += n;
        bytes -= n;
    }
    return GS_OK;
}

/* What a list holds, of every set. */
static gs_code put_list(gs_list_writer *w, const gs_text_lists *lists, size_t number,
                        size_t eol_bytes, gs_status *st)
{
    for (unsigned s = 0; s < lists->sets; s++) {
        const gs_text_list *const list = gs_text_list_of(lists, s, number);
        gs_list_cursor c = gs_list_cursor_begin(lists, list);
        const uint8_t *data;
        size_t bytes;
        while (gs_list_cursor_part(&c, eol_bytes, &data, &bytes))
            GS_TRY(put(w, data, bytes, st));
    }
    return GS_OK;
}

static gs_code write_piece(gs_list_file *f, const gs_text_lists *lists, size_t number,
                           size_t eol_bytes, unsigned worker, gs_status *st)
{
    gs_list_writer *const w = &f->writers[worker];
    w->piece_begin = w->used;
    w->sum = 0;
    const uint64_t begin = w->end + w->used;
    GS_TRY(put_list(w, lists, number, eol_bytes, st));
    f->rounds[f->round_count - 1][number] = (gs_list_piece){
        .offset = begin,
        .sum = gs_checksum(w->buffer + w->piece_begin, w->used - w->piece_begin, w->sum),
        .bytes = (size_t)(w->end + w->used - begin),
        .worker = worker,
    };
    return GS_OK;
}

gs_code gs_list_file_write(gs_list_file *f, const gs_text_lists *lists, size_t eol_bytes,
                           unsigned worker, gs_status *st)
{
    gs_list_writer *const w = &f->writers[worker];
    size_t first;
    w->used = 0;
    while ((first = atomic_fetch_add(&f->next, SHARE)) < f->list_count) {
        GS_TRY(gs_cancel_check(f->options->cancel_signal, st));
        for (size_t i = first; i < f->list_count && i < first + SHARE; i++)
            GS_TRY(write_piece(f, lists, i, eol_bytes, worker, st));
    }
    return write_buffer(w, w->used, st);
}

/* --- reading ---------------------------------------------------------------------- */

static uint64_t sum_of(const uint8_t *data, size_t bytes)
{
    uint64_t sum = 0;
    for (; bytes > BUFFER; data += BUFFER, bytes -= BUFFER)
        sum = gs_checksum(data, BUFFER, sum);
    return gs_checksum(data, bytes, sum);
}

static gs_code read_piece(const gs_list_file *f, const gs_list_piece *piece, uint8_t *to,
                          gs_status *st)
{
    const gs_list_writer *const w = &f->writers[piece->worker];
    static const char hint[] =
        "the temporary files were changed or the disk is failing: run again with another "
        "folder (-T)";
    size_t taken;
    const int error = gs_pread_all(w->fd, to, piece->bytes, piece->offset, &taken);
    if (error != 0 || taken < piece->bytes)
        (void)GS_FAIL(st, GS_ERR_IO, error != 0 ? error : EIO,
                      "read failed: temporary file in '%s'", w->folder);
    else if (sum_of(to, piece->bytes) != piece->sum)
        (void)GS_FAIL(st, GS_ERR_FORMAT, 0,
                      "temporary file in '%s': damaged at byte %llu", w->folder,
                      (unsigned long long)piece->offset);
    else
        return GS_OK;
    return gs_status_hint(st, hint);
}

gs_code gs_list_file_read(const gs_list_file *f, size_t list, uint8_t *to, size_t *bytes,
                          gs_status *st)
{
    size_t at = 0;
    gs_assert(list < f->list_count || f->round_count == 0);
    for (size_t i = 0; i < f->round_count; i++) {
        const gs_list_piece *const piece = &f->rounds[i][list];
        gs_assert(piece->bytes <= *bytes - at);
        if (piece->bytes > 0)
            GS_TRY(read_piece(f, piece, to + at, st));
        at += piece->bytes;
    }
    *bytes = at;
    return GS_OK;
}
