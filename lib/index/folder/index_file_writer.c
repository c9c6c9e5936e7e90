/* SPDX-License-Identifier: MIT */
#include "lib/index/folder/index_file_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "io/file_pages.h"
#include "io/file_space.h"
#include "io/file_sync.h"
#include "io/write_all.h"
#include "lib/base/assertion.h"
#include "lib/base/checksum.h"
#include "lib/base/crew.h"
#include "lib/base/mem.h"
#include "lib/index/format/formats.h"

enum {
    BUFFER_BYTES = 1 << 20,
    STRETCH_BYTES = 4 << 20,
    PATH_BYTES = 4400,
    /* Of a file that is larger other threads sum up the pages and write: to copy to new
     * pages takes as long as all else. */
    ALONE_BYTES = 8 << 20,
    BUFFERS = 4,
    WRITERS = 2,
    /* Where others read as well: half of the buffers wait for this thread, the others to
     * be written. To read one takes two times and to write it to new pages five times as
     * long as this thread has it; while all write, more than that, so that each buffer
     * has a thread. */
    BUFFERS_AHEAD = 8,
    READS_AHEAD = BUFFERS_AHEAD / 2,
    COPIERS = BUFFERS_AHEAD,
    /* Of a file in memory, where writes wait for each other, others read right into its
     * pages: so many stretches of it, each as long as a buffer. */
    STRETCHES = 24,
    STRETCHES_AHEAD = 15, /* that are read before it is their turn */
    SLOTS = BUFFERS_AHEAD + STRETCHES,
    EXPECTED_OF_FREE = 4,
    AHEAD_BYTES_MIN = 4 << 20, /* less is read sooner than others are told to */
};

_Static_assert(BUFFER_BYTES % GS_SUM_PAGE_BYTES == 0, "sums are made of whole pages");
_Static_assert((int)GS_FILE_HEAD_BYTES <= (int)BUFFER_BYTES, "a head is flushed at once");
_Static_assert((BUFFERS_AHEAD - BUFFERS) * BUFFER_BYTES == GS_FILE_WRITER_AHEAD_BYTES,
               "the header says what reading ahead takes");

typedef enum buffer_use {
    USE_NONE,
    USE_FILL,  /* it is being filled, or others have filled it and it waits its turn */
    USE_READ,  /* others read into it */
    USE_STORE, /* others sum up its pages, and write it if it has to be written */
} buffer_use;

/* The first ones of a writer have memory of their own, which begins where a page does:
 * the kernel takes more than twice as long to copy a page of a file to memory that begins
 * 16 bytes after one, as malloc's large ones do. The others are stretches of the file. */
typedef struct writer_buffer {
    gs_crew_task task; /* first: others get no more to see */
    gs_file_writer *writer;
    uint8_t *memory; /* NULL: not needed yet */
    buffer_use use;
    /* What others read into it, from where; -errno, or how many have come: */
    int from_fd;
    uint64_t from_offset;
    size_t at, asked;
    int64_t got;
    /* What they store, at `offset`; 0 or errno: */
    uint64_t offset;
    size_t bytes, first_page;
    int error;
    uint32_t sums[BUFFER_BYTES / GS_SUM_PAGE_BYTES];
} writer_buffer;

struct gs_file_writer {
    int fd;
    char path[PATH_BYTES];
    uint64_t bytes; /* put so far */
    uint8_t head[GS_FILE_HEAD_BYTES];
    uint8_t first_page[GS_SUM_PAGE_BYTES]; /* whose head may be set at the end */
    gs_page_sums *pages;
    XXH3_state_t *hash;
    writer_buffer *filling; /* one of these */
    size_t used;            /* of it */
    writer_buffer slots[SLOTS];
    unsigned buffer_count; /* there may be so many buffers */
    bool reads_ahead;
    gs_crew *others;           /* NULL: none */
    bool is_alone;             /* there can be none */
    gs_file_pages *file_pages; /* of a file in memory that others read into, else NULL */
};

/* --- buffers ------------------------------------------------------------------------ */

static gs_code fail_write(const gs_file_writer *w, int error, gs_status *st)
{
    (void)GS_FAIL(st, GS_ERR_IO, error, "write failed: %s", w->path);
    return gs_status_hint(st, "free some space where the index goes");
}

/* Waits until others are done with one of the buffers. */
static gs_code wait_for_one(gs_file_writer *w, gs_status *st)
{
    writer_buffer *const b = (writer_buffer *)(void *)gs_crew_wait(w->others);
    const bool was_read = b->use == USE_READ;
    b->use = was_read ? USE_FILL : USE_NONE;
    if (was_read)
        return GS_OK;
    if (w->pages != NULL)
        memcpy(w->pages->sums + b->first_page, b->sums,
               (size_t)gs_sum_pages(b->bytes) * sizeof *b->sums);
    return b->error == 0 ? GS_OK : fail_write(w, b->error, st);
}

static gs_code wait_for_all(gs_file_writer *w, gs_status *st)
{
    while (w->others != NULL && gs_crew_given(w->others) > 0)
        GS_TRY(wait_for_one(w, st));
    return GS_OK;
}

static writer_buffer *find_unused(writer_buffer *slots, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (slots[i].use == USE_NONE)
            return &slots[i];
    }
    return NULL;
}

/* One that nobody uses, for the caller to fill. */
static gs_code take_buffer(gs_file_writer *w, writer_buffer **out, gs_status *st)
{
    writer_buffer *b;
    while ((b = find_unused(w->slots, w->buffer_count)) == NULL)
        GS_TRY(wait_for_one(w, st));
    if (b->memory == NULL)
        GS_TRY(gs_mem_map(&b->memory, BUFFER_BYTES, false, "index file", st));
    b->use = USE_FILL;
    *out = b;
    return GS_OK;
}

static bool is_stretch(const gs_file_writer *w, const writer_buffer *b)
{
    return b >= w->slots + BUFFERS_AHEAD;
}

/* A stretch of the file, at `offset`; the file will have `file_bytes`. */
static gs_code take_stretch(gs_file_writer *w, uint64_t offset, uint64_t file_bytes,
                            writer_buffer **out, gs_status *st)
{
    writer_buffer *b;
    while ((b = find_unused(w->slots + BUFFERS_AHEAD, STRETCHES)) == NULL)
        GS_TRY(wait_for_one(w, st));
    const int error =
        gs_file_pages_place(w->file_pages, offset, BUFFER_BYTES, file_bytes, &b->memory);
    if (error != 0)
        return fail_write(w, error, st);
    b->use = USE_FILL;
    *out = b;
    return GS_OK;
}

/* --- a writer ----------------------------------------------------------------------- */

gs_code gs_file_writer_new(gs_file_writer **out, const char *folder, const char *name,
                           gs_page_sums *pages, gs_status *st)
{
    *out = NULL;
    gs_file_writer *w = NULL;
    GS_TRY(gs_mem_new(&w, sizeof *w, "index file", st));
    w->fd = -1;
    w->pages = pages;
    for (unsigned i = 0; i < SLOTS; i++)
        w->slots[i].writer = w;
    w->buffer_count = BUFFERS;
    GS_TRY_OR_FAIL(take_buffer(w, &w->filling, st));
    w->hash = XXH3_createState();
    if (w->hash == NULL) {
        (void)GS_FAIL(st, GS_ERR_NOMEM, ENOMEM, "checksum");
        goto fail;
    }
    (void)XXH3_64bits_reset(w->hash);
    if (snprintf(w->path, sizeof w->path, "%s/%s", folder, name) >= PATH_BYTES) {
        (void)GS_FAIL(st, GS_ERR_ARG, ENAMETOOLONG, "open failed: %s", folder);
        goto fail;
    }
    w->fd = open(w->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (w->fd < 0) {
        (void)GS_FAIL(st, GS_ERR_IO, errno, "open failed: %s", w->path);
        goto fail;
    }
    *out = w;
    return GS_OK;
fail:
    gs_file_writer_free(w);
    return st->code;
}

void gs_file_writer_free(gs_file_writer *w)
{
    if (w == NULL)
        return;
    gs_crew_free(w->others);
    gs_file_pages_free(w->file_pages);
    if (w->fd >= 0)
        (void)close(w->fd);
    (void)XXH3_freeState(w->hash);
    for (int i = 0; i < BUFFERS_AHEAD; i++)
        gs_mem_unmap(w->slots[i].memory, BUFFER_BYTES);
    gs_mem_free(w);
}

void gs_file_writer_read_ahead(gs_file_writer *w)
{
    w->buffer_count = BUFFERS_AHEAD;
    w->reads_ahead = true;
}

static gs_code write_at(gs_file_writer *w, const void *data, size_t bytes,
                        uint64_t offset, gs_status *st)
{
    const int error = gs_pwrite_all(w->fd, data, bytes, offset);
    return error == 0 ? GS_OK : fail_write(w, error, st);
}

/* For a file that is to be so large. */
static bool has_others(gs_file_writer *w, uint64_t bytes)
{
    gs_status ignored = {.code = GS_OK};
    if (w->others != NULL || w->is_alone || bytes <= ALONE_BYTES)
        return w->others != NULL;
    w->is_alone =
        gs_crew_new(&w->others, w->reads_ahead ? COPIERS : WRITERS, &ignored) != GS_OK;
    if (!w->is_alone && w->reads_ahead && gs_file_pages_fit(w->fd) &&
        gs_file_pages_new(&w->file_pages, w->fd, 0, BUFFER_BYTES, NULL, &ignored) !=
            GS_OK)
        w->file_pages = NULL; /* it is written as any other */
    return !w->is_alone;
}

/* No more than a part of what is free there: other files grow beside it. */
void gs_file_writer_expect(gs_file_writer *w, uint64_t bytes)
{
    gs_assert(w->reads_ahead && w->bytes == 0);
    if (has_others(w, bytes) && w->file_pages != NULL &&
        bytes <= gs_file_space_free(w->fd) / EXPECTED_OF_FREE)
        gs_file_pages_take_ahead(w->file_pages, bytes);
}

/* --- in order ----------------------------------------------------------------------- */

/* Another thread's. */
static void store(gs_crew_task *task)
{
    writer_buffer *const b = (writer_buffer *)(void *)task;
    const gs_file_writer *const w = b->writer;
    if (w->pages != NULL)
        gs_page_sums_of(b->sums, b->memory, b->bytes);
    b->error = 0;
    if (is_stretch(w, b))
        gs_file_pages_drop(w->file_pages, b->offset);
    else
        b->error = gs_pwrite_all(w->fd, b->memory, b->bytes, b->offset);
}

static gs_code store_alone(gs_file_writer *w, const writer_buffer *b, gs_status *st)
{
    if (w->pages != NULL)
        GS_TRY(gs_page_sums_add(w->pages, b->memory, b->bytes, st));
    return write_at(w, b->memory, b->bytes, b->offset, st);
}

/* What is in the buffer begins at a whole page: it is flushed when it is full, and at the
 * end. The buffer may belong to others then. */
static gs_code flush(gs_file_writer *w, gs_status *st)
{
    writer_buffer *const b = w->filling;
    const size_t bytes = w->used;
    size_t head = 0;
    b->offset = w->bytes - bytes;
    b->bytes = bytes;
    if (b->offset == 0) {
        head = bytes < GS_FILE_HEAD_BYTES ? bytes : GS_FILE_HEAD_BYTES;
        memcpy(w->head, b->memory, head);
        memcpy(w->first_page, b->memory,
               bytes < GS_SUM_PAGE_BYTES ? bytes : GS_SUM_PAGE_BYTES);
    }
    /* What is of the head is hashed last. */
    gs_checksum_add(w->hash, b->memory + head, bytes - head);
    w->used = 0;
    if (!has_others(w, w->bytes)) {
        b->use = USE_NONE;
        return store_alone(w, b, st);
    }
    if (w->pages != NULL)
        GS_TRY(gs_page_sums_add_later(w->pages, bytes, &b->first_page, st));
    b->use = USE_STORE;
    b->task.run = store;
    gs_crew_give(w->others, &b->task);
    return GS_OK;
}

/* Goes on where there is room. */
static gs_code begin_buffer(gs_file_writer *w, gs_status *st)
{
    GS_TRY(flush(w, st));
    return take_buffer(w, &w->filling, st);
}

gs_code gs_file_writer_put(gs_file_writer *w, const void *data, size_t bytes,
                           gs_status *st)
{
    const uint8_t *from = data;
    while (bytes > 0) {
        if (w->used == BUFFER_BYTES)
            GS_TRY(begin_buffer(w, st));
        size_t n = BUFFER_BYTES - w->used;
        if (n > bytes)
            n = bytes;
        memcpy(w->filling->memory + w->used, from, n);
        w->used += n;
        w->bytes += n;
        from += n;
        bytes -= n;
    }
    return GS_OK;
}

gs_code gs_file_writer_align(gs_file_writer *w, size_t multiple, gs_status *st)
{
    const uint8_t zeros[64] = {0};
    gs_assert(multiple <= sizeof zeros);
    return gs_file_writer_put(w, zeros, (size_t)(-w->bytes % multiple), st);
}

gs_code gs_file_writer_set_head(gs_file_writer *w, const void *head, size_t bytes,
                                gs_status *st)
{
    gs_assert(bytes <= GS_FILE_HEAD_BYTES && w->bytes >= bytes);
    if (w->bytes == w->used) { /* nothing is written yet */
        memcpy(w->filling->memory, head, bytes);
        return GS_OK;
    }
    memcpy(w->head, head, bytes);
    memcpy(w->first_page, head, bytes);
    GS_TRY(wait_for_all(w, st));
    if (w->pages != NULL)
        w->pages->sums[0] = gs_page_sum(w->first_page, GS_SUM_PAGE_BYTES);
    return write_at(w, head, bytes, 0, st);
}

uint64_t gs_file_writer_bytes(const gs_file_writer *w)
{
    return w->bytes;
}

gs_code gs_file_writer_finish(gs_file_writer *w, uint64_t *bytes, uint64_t *checksum,
                              gs_status *st)
{
    const uint8_t slack[GS_INDEX_SLACK] = {0};
    GS_TRY(gs_file_writer_put(w, slack, sizeof slack, st));
    GS_TRY(flush(w, st));
    GS_TRY(wait_for_all(w, st));
    int error = w->file_pages != NULL ? gs_file_pages_end(w->file_pages, w->bytes) : 0;
    if (error == 0)
        error = gs_file_sync(w->fd);
    if (error != 0)
        return GS_FAIL(st, GS_ERR_IO, error, "write failed: %s", w->path);
    const size_t head =
        w->bytes < GS_FILE_HEAD_BYTES ? (size_t)w->bytes : GS_FILE_HEAD_BYTES;
    gs_checksum_add(w->hash, w->head, head);
    *checksum = XXH3_64bits_digest(w->hash);
    *bytes = w->bytes;
    return GS_OK;
}

/* --- all of a file ------------------------------------------------------------------ */

/* Buffers that others read into, or have, in the order of the file. */
typedef struct read_queue {
    writer_buffer *buffers[STRETCHES_AHEAD];
    unsigned first, count;
    uint64_t asked; /* bytes of the file, with what was taken from the queue */
} read_queue;

/* Another thread's. */
static void read_into(gs_crew_task *task)
{
    writer_buffer *const b = (writer_buffer *)(void *)task;
    size_t taken = 0;
    const int error =
        gs_pread_all(b->from_fd, b->memory + b->at, b->asked, b->from_offset, &taken);
    b->got = error != 0 ? -error : (int64_t)taken;
}

/* Has others read what comes next into a buffer, from `at` on. */
static void ask(gs_file_writer *w, const gs_append_file *from, read_queue *q,
                writer_buffer *b, size_t at)
{
    const uint64_t left = from->bytes - q->asked;
    const size_t room = BUFFER_BYTES - at;
    gs_assert(q->count < STRETCHES_AHEAD && left > 0 && room > 0);
    b->at = at;
    b->asked = left < room ? (size_t)left : room;
    b->from_fd = from->fd;
    b->from_offset = q->asked;
    b->use = USE_READ;
    b->task.run = read_into;
    q->asked += b->asked;
    q->buffers[(q->first + q->count++) % STRETCHES_AHEAD] = b;
    gs_crew_give(w->others, &b->task);
}

/* The file could not have the pages of the stretch that comes next when it was read: now,
 * or never. */
static gs_code take_pages(gs_file_writer *w, writer_buffer *b, gs_status *st)
{
    const int error = gs_file_pages_get(w->file_pages, w->bytes, BUFFER_BYTES,
                                        w->bytes + BUFFER_BYTES, &b->memory);
    b->got = 0; /* so all of it is read again */
    return error == 0 ? GS_OK : fail_write(w, error, st);
}

/* The first of the queue becomes the buffer that is filled, as far as it was asked. */
static gs_code take_first(gs_file_writer *w, gs_append_file *from, read_queue *q,
                          gs_status *st)
{
    writer_buffer *const b = q->buffers[q->first];
    q->first = (q->first + 1) % STRETCHES_AHEAD;
    q->count--;
    while (b->use == USE_READ)
        GS_TRY(wait_for_one(w, st));
    if (is_stretch(w, b) && b->got == -EFAULT)
        GS_TRY(take_pages(w, b, st));
    GS_TRY(gs_append_file_fill(from, b->memory + w->used, b->asked, b->got, st));
    w->filling = b;
    w->used += b->asked;
    w->bytes += b->asked;
    return GS_OK;
}

/* What comes behind what has been asked for, `at` in the file that is written: a stretch
 * of that, if it is whole. */
static gs_code ask_next(gs_file_writer *w, const gs_append_file *from, read_queue *q,
                        uint64_t at, gs_status *st)
{
    writer_buffer *b = NULL;
    if (w->file_pages != NULL && from->bytes - q->asked >= BUFFER_BYTES)
        GS_TRY(take_stretch(w, at, at + (from->bytes - q->asked), &b, st));
    else
        GS_TRY(take_buffer(w, &b, st));
    ask(w, from, q, b, 0);
    return GS_OK;
}

/* Others read ahead and write behind; this thread does what must be in order. */
static gs_code put_read_ahead(gs_file_writer *w, gs_append_file *from, gs_status *st)
{
    read_queue q = {.count = 0};
    const unsigned ahead = w->file_pages != NULL ? STRETCHES_AHEAD : READS_AHEAD;
    if (w->used == BUFFER_BYTES)
        GS_TRY(begin_buffer(w, st));
    const uint64_t begin = w->bytes; /* of `from`, in the file that is written */
    ask(w, from, &q, w->filling, w->used);
    while (q.count > 0) {
        while (q.count < ahead && q.asked < from->bytes)
            GS_TRY(ask_next(w, from, &q, begin + q.asked, st));
        GS_TRY(take_first(w, from, &q, st));
        if (q.count > 0)
            GS_TRY(flush(w, st));
    }
    return GS_OK;
}

static gs_code put_read(gs_file_writer *w, gs_append_file *from, gs_status *st)
{
    for (uint64_t left = from->bytes; left > 0;) {
        if (w->used == BUFFER_BYTES)
            GS_TRY(begin_buffer(w, st));
        const size_t room = BUFFER_BYTES - w->used;
        const size_t n = left < room ? (size_t)left : room;
        GS_TRY(gs_append_file_fill(from, w->filling->memory + w->used, n, 0, st));
        w->used += n;
        w->bytes += n;
        left -= n;
    }
    return GS_OK;
}

gs_code gs_file_writer_put_all(gs_file_writer *w, gs_append_file *from, gs_status *st)
{
    gs_assert(gs_append_file_left(from) == from->bytes);
    if (!w->reads_ahead || from->bytes < AHEAD_BYTES_MIN ||
        !has_others(w, w->bytes + from->bytes))
        return put_read(w, from, st);
    if (put_read_ahead(w, from, st) != GS_OK) {
        gs_status later = {.code = GS_OK}; /* nobody reads what may be closed now */
        while (gs_crew_given(w->others) > 0)
            GS_NOTED(wait_for_one(w, &later));
    }
    return st->code;
}

/* --- of a file in memory ------------------------------------------------------------ */

gs_code gs_file_checksum(uint64_t *checksum, const uint8_t *data, uint64_t bytes,
                         gs_file_passed_fn *passed, void *context, gs_status *st)
{
    const size_t head = bytes < GS_FILE_HEAD_BYTES ? (size_t)bytes : GS_FILE_HEAD_BYTES;
    XXH3_state_t *const hash = XXH3_createState();
    if (hash == NULL)
        return GS_FAIL(st, GS_ERR_NOMEM, ENOMEM, "checksum");
    (void)XXH3_64bits_reset(hash);
    for (uint64_t at = head; at < bytes;) {
        const size_t n =
            bytes - at < STRETCH_BYTES ? (size_t)(bytes - at) : STRETCH_BYTES;
        gs_checksum_add(hash, data + at, n);
        if (passed != NULL)
            passed(context, data + at, data + at + n);
        at += n;
    }
    gs_checksum_add(hash, data, head);
    *checksum = XXH3_64bits_digest(hash);
    (void)XXH3_freeState(hash);
    return GS_OK;
}
