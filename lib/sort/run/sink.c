/* SPDX-License-Identifier: MIT */
#include "lib/sort/run/sink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"
#include "lib/sort/record/records.h"
#include "lib/sort/run/run_record.h"

/* Of a piece whose place is known, which is still in the cache when it is written. */
enum { PLACED_BYTES = 128 << 10 };

/* Blocks have sizes of 32 bits. */
static const size_t run_record_max = UINT32_MAX / 2;

typedef struct gs_bytes {
    uint8_t *data;
    size_t used, capacity;
} gs_bytes;

/* Encoded, waiting for its turn. */
typedef struct gs_sink_batch {
    gs_bytes bytes;
    gs_run_entry *entries; /* of a run; offsets count from the start of the bytes */
    size_t entry_count, entry_capacity;
} gs_sink_batch;

struct gs_sink_held {
    gs_sink_batch batch; /* of one that is free: memory for the next */
    uint64_t ticket;
    bool is_taken;
};

struct gs_sink_piece {
    gs_sink *sink;
    uint64_t ticket;
    bool has_flowed;           /* a part of it is in the stream */
    bool has_place;            /* in the stream: its length was known when it began */
    uint64_t place, place_end; /* of what has not flowed */
    size_t buffer_bytes;       /* it flows when it holds this much */
    gs_bytes raw;              /* text, or the payload of the block being filled */
    gs_sink_batch ready;
    uint32_t block_records;
    size_t left_out_bytes; /* of these */
    uint64_t record_count;
    gs_run_entry block_entry; /* of the block being filled */
    gs_run_coder *coder;
    ZSTD_CCtx *zstd;
    gs_witness_piece seen;
    bool is_seen;     /* by a full witness */
    gs_bytes strings; /* of the records that were noted and not looked at yet */
};

void gs_sink_init(gs_sink *sink)
{
    pthread_mutex_init(&sink->run_mutex, NULL);
    atomic_store(&sink->record_count, 0);
}

static void release_batch(gs_sink_batch *batch)
{
    gs_mem_free(batch->bytes.data);
    gs_mem_free(batch->entries);
    *batch = (gs_sink_batch){0};
}

void gs_sink_release(gs_sink *sink)
{
    for (size_t i = 0; sink->held != NULL && i < sink->held_most; i++)
        release_batch(&sink->held[i].batch);
    gs_mem_free(sink->held);
    sink->held = NULL;
    pthread_mutex_destroy(&sink->run_mutex);
}

/* Levels above FREE_LEVEL have tables for the whole window, of up to 16 bytes for each of
 * its bytes, and some more beside. Where there is memory for a small window only, it is
 * one, which costs a high level little; where not even for that, it is FREE_LEVEL, which
 * takes 1.3 MiB. */
static void set_level(ZSTD_CCtx *zstd, int level, size_t bytes_max)
{
    enum {
        FREE_LEVEL = 3,
        BESIDE_BYTES = 5 << 18,
        LOG_LEAST = 16,
        LOG_MOST = 27, /* that zstd -d takes without an option */
        LOG_USUAL = 22,
        HUGE_LEVEL = 20, /* these have a larger one */
    };
    int log = LOG_LEAST - 1;
    while (log < LOG_MOST && ((size_t)16 << (log + 1)) + BESIDE_BYTES <= bytes_max)
        log++;
    if (level > FREE_LEVEL && log < LOG_LEAST)
        level = FREE_LEVEL;
    (void)ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, level);
    if (level > FREE_LEVEL && (log < LOG_USUAL || level >= HUGE_LEVEL))
        (void)ZSTD_CCtx_setParameter(zstd, ZSTD_c_windowLog, log);
    (void)ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
}

gs_code gs_sink_piece_new(gs_sink_piece **out, gs_sink *sink, gs_status *st)
{
    *out = NULL;
    gs_sink_piece *p = NULL;
    GS_TRY(gs_mem_new(&p, sizeof *p, "output piece", st));
    p->sink = sink;
    if (sink->run != NULL)
        GS_TRY_OR_FAIL(gs_run_coder_new(&p->coder, st));
    if (sink->is_zstd && (p->zstd = ZSTD_createCCtx()) == NULL) {
        (void)GS_FAIL(st, GS_ERR_NOMEM, ENOMEM, "zstd context");
        goto fail;
    }
    if (p->zstd != NULL)
        set_level(p->zstd, sink->zstd_level, sink->zstd_bytes);
    *out = p;
    return GS_OK;
fail:
    gs_sink_piece_free(p);
    return st->code;
}

void gs_sink_piece_free(gs_sink_piece *p)
{
    if (p == NULL)
        return;
    gs_run_coder_free(p->coder);
    (void)ZSTD_freeCCtx(p->zstd);
    gs_mem_free(p->raw.data);
    gs_mem_free(p->strings.data);
    gs_witness_release(&p->seen);
    release_batch(&p->ready);
    gs_mem_free(p);
}

static __attribute__((noinline)) gs_code grow(gs_bytes *b, size_t bytes, gs_status *st)
{
    const size_t capacity = b->used + bytes + (b->used + bytes) / 4 + 4096;
    GS_TRY(gs_mem_resize(&b->data, capacity, "output piece", st));
    b->capacity = capacity;
    return GS_OK;
}

/* Asked for each record. */
static inline gs_code make_room(gs_bytes *b, size_t bytes, gs_status *st)
{
    return b->capacity - b->used >= bytes ? GS_OK : grow(b, bytes, st);
}

void gs_sink_begin(gs_sink_piece *p, uint64_t ticket)
{
    gs_assert(p->raw.used == 0 && p->ready.bytes.used == 0 && p->ready.entry_count == 0);
    p->ticket = ticket;
    p->has_flowed = p->has_place = false;
    p->buffer_bytes = p->sink->buffer_bytes;
    p->record_count = 0;
    p->strings.used = 0;
    p->is_seen = !p->sink->is_passing && gs_witness_is_full(p->sink->witness);
    gs_witness_begin(&p->seen, p->sink->witness, ticket, p->sink->layout.is_keyed);
}

void gs_sink_hold_back(gs_sink_piece *p)
{
    p->buffer_bytes = SIZE_MAX;
}

gs_code gs_sink_take_place(gs_sink_piece *p, uint64_t bytes, gs_status *st)
{
    gs_assert(p->sink->run == NULL && p->zstd == NULL && !p->sink->has_counts);
    GS_TRY(gs_stream_reserve(p->sink->stream, p->ticket, bytes, true, &p->place, st));
    p->place_end = p->place + bytes;
    p->has_place = true;
    if (gs_stream_puts_write(p->sink->stream) && p->buffer_bytes > PLACED_BYTES)
        p->buffer_bytes = PLACED_BYTES;
    return GS_OK;
}

/* What is ready goes where it belongs. If that is written at once, whole units are, up to
 * the end of the piece, that begin at multiples of their length, of which the kernel
 * makes large pages. */
static gs_code put_in_place(gs_sink_piece *p, bool is_last, gs_status *st)
{
    gs_bytes *const ready = &p->ready.bytes;
    gs_assert(ready->used <= p->place_end - p->place);
    const size_t beyond = (size_t)((p->place + ready->used) % PLACED_BYTES);
    const bool is_whole =
        is_last || beyond > ready->used || !gs_stream_puts_write(p->sink->stream);
    const size_t kept = is_whole ? 0 : beyond;
    const size_t bytes = ready->used - kept;
    GS_TRY(gs_stream_put(p->sink->stream, p->place, ready->data, bytes, st));
    p->place += bytes;
    ready->used = 0;
    return kept > 0 ? gs_sink_add_bytes(p, ready->data + bytes, kept, st) : GS_OK;
}

static gs_code copy_entries(gs_run *run, gs_sink_batch *batch, uint64_t offset,
                            gs_status *st)
{
    GS_TRY(gs_mem_grow(&run->entries, &run->entry_capacity,
                       run->entry_count + batch->entry_count, "run index", st));
    for (size_t i = 0; i < batch->entry_count; i++) {
        gs_run_entry *const e = &run->entries[run->entry_count++];
        *e = batch->entries[i];
        e->offset += offset;
        if (e->raw_bytes > run->raw_bytes_max)
            run->raw_bytes_max = e->raw_bytes;
    }
    batch->entry_count = 0;
    return GS_OK;
}

/* Gives a batch to the stream; waits for the turn. */
static gs_code put_batch(gs_sink *sink, gs_sink_batch *batch, uint64_t ticket,
                         bool is_last, gs_status *st)
{
    uint64_t offset;
    const size_t bytes = batch->bytes.used;
    GS_TRY(gs_stream_reserve(sink->stream, ticket, bytes, is_last, &offset, st));
    GS_TRY(gs_stream_put(sink->stream, offset, batch->bytes.data, bytes, st));
    batch->bytes.used = 0;
    if (sink->run == NULL)
        return GS_OK;
    pthread_mutex_lock(&sink->run_mutex);
    const gs_code code = copy_entries(sink->run, batch, offset, st);
    pthread_mutex_unlock(&sink->run_mutex);
    return code;
}

static gs_sink_held *find_held_locked(gs_sink *sink, bool is_taken, uint64_t ticket)
{
    for (size_t i = 0; sink->held != NULL && i < sink->held_most; i++) {
        gs_sink_held *const h = &sink->held[i];
        if (h->is_taken == is_taken && (!is_taken || h->ticket == ticket))
            return h;
    }
    return NULL;
}

/* Leaves a whole piece to the thread that brings the turn to it. False if the turn is
 * here, or there is no place. */
static bool hold(gs_sink_piece *p)
{
    gs_sink *const sink = p->sink;
    gs_sink_held *place = NULL;
    if (sink->run == NULL || sink->held_most == 0 || p->has_flowed)
        return false;
    pthread_mutex_lock(&sink->run_mutex);
    /* The lock is needed for the answer to stand: the turn may come at any time, but then
     * its bringer looks here, next. */
    if (!gs_stream_is_turn(sink->stream, p->ticket)) {
        gs_status ignored = {.code = GS_OK}; /* without memory pieces wait */
        if (sink->held == NULL)
            (void)!gs_mem_new(&sink->held, sink->held_most * sizeof *sink->held,
                              "pieces of a run", &ignored);
        place = find_held_locked(sink, false, 0);
    }
    if (place != NULL) {
        const gs_sink_batch batch = place->batch;
        *place = (gs_sink_held){p->ready, p->ticket, true};
        p->ready = batch;
    }
    pthread_mutex_unlock(&sink->run_mutex);
    return place != NULL;
}

/* Puts the held pieces into the stream that are next, from `ticket` on. */
static gs_code put_held(gs_sink *sink, uint64_t ticket, gs_status *st)
{
    for (;; ticket++) {
        pthread_mutex_lock(&sink->run_mutex);
        gs_sink_held *const h = find_held_locked(sink, true, ticket);
        pthread_mutex_unlock(&sink->run_mutex);
        if (h == NULL)
            return GS_OK;
        GS_TRY(put_batch(sink, &h->batch, ticket, true, st));
        pthread_mutex_lock(&sink->run_mutex);
        h->is_taken = false;
        pthread_mutex_unlock(&sink->run_mutex);
    }
}

/* Gives what is ready to the stream: at its turn, or by another thread. */
static gs_code flush(gs_sink_piece *p, bool is_last, gs_status *st)
{
    if (p->has_place)
        return put_in_place(p, is_last, st);
    if (is_last && hold(p))
        return GS_OK;
    p->has_flowed = true;
    GS_TRY(put_batch(p->sink, &p->ready, p->ticket, is_last, st));
    return is_last ? put_held(p->sink, p->ticket + 1, st) : GS_OK;
}

/* Ends the block being filled. */
static gs_code end_block(gs_sink_piece *p, gs_status *st)
{
    gs_sink_batch *const ready = &p->ready;
    if (p->block_records == 0)
        return GS_OK;
    GS_TRY(make_room(&ready->bytes, gs_run_block_bound(p->raw.used), st));
    size_t stored = 0;
    GS_TRY(gs_run_block_encode(p->coder, p->sink->codec, p->raw.data, p->raw.used,
                               p->block_records, ready->bytes.data + ready->bytes.used,
                               &stored, st));
    GS_TRY(gs_mem_grow(&ready->entries, &ready->entry_capacity, ready->entry_count + 1,
                       "run index", st));
    p->block_entry.offset = ready->bytes.used;
    p->block_entry.stored_bytes = (uint32_t)stored;
    p->block_entry.raw_bytes = (uint32_t)p->raw.used;
    p->block_entry.record_bytes = (uint32_t)(p->raw.used + p->left_out_bytes);
    p->block_entry.record_count = p->block_records;
    ready->entries[ready->entry_count++] = p->block_entry;
    ready->bytes.used += stored;
    p->raw.used = 0;
    p->left_out_bytes = 0;
    p->block_records = 0;
    return GS_OK;
}

/* By the beginning of its line: where that came from is not known any more. */
static gs_code fail_too_long(const gs_sink_record *r, size_t bytes, gs_status *st)
{
    enum { SHOWN_BYTES = 40 };
    char begin[SHOWN_BYTES + 1] = "";
    gs_quoted quoted;
    const size_t line_bytes = r->length - r->key_bytes;
    const size_t shown = line_bytes < SHOWN_BYTES ? line_bytes : SHOWN_BYTES;
    memcpy(begin, r->data + r->key_bytes, shown);
    (void)GS_FAIL(
        st, GS_ERR_LIMIT, 0,
        "a record of %zu bytes with its keys, whose line begins with %s, is too "
        "long for a temporary file, where the limit is %zu",
        bytes, gs_quote_name_always(&quoted, begin), run_record_max);
    return gs_status_hint(st, "give more memory with -S, so that nothing is spilled, or "
                              "fewer keys");
}

/* A block begins, with a record whose string it is found by. */
static void begin_block(gs_run_entry *e, const gs_sink_record *r, size_t string_bytes)
{
    const size_t kept = string_bytes < GS_RUN_KEY_BYTES ? string_bytes : GS_RUN_KEY_BYTES;
    memset(e->key, 0, sizeof e->key);
    memcpy(e->key, r->data, kept);
    e->key_bytes = (uint8_t)kept;
}

/* Is there room in the block for a record? Ranges are cut at blocks: what is left out
 * does not make them much larger. */
static inline bool has_room(const gs_sink_piece *p, size_t own_bytes, size_t left_out)
{
    enum { LEFT_OUT_TIMES = 8 };
    const size_t most = p->sink->block_raw_bytes;
    return p->raw.used + own_bytes <= most &&
           (left_out == 0 || p->left_out_bytes + left_out <= LEFT_OUT_TIMES * most);
}

static gs_code add_to_run(gs_sink_piece *p, const gs_sink_record *r, gs_status *st)
{
    const gs_record_layout *const layout = &p->sink->layout;
    const size_t bytes = r->length + layout->has_eol;
    const size_t string_bytes = gs_run_string_bytes(layout, r->length, r->key_bytes);
    size_t left_out = gs_run_left_out(r->shared, r->length, string_bytes);
    if (bytes > run_record_max)
        return fail_too_long(r, bytes, st);
    if (p->block_records > 0 && !has_room(p, bytes - left_out, left_out))
        GS_TRY(end_block(p, st));
    if (p->buffer_bytes < p->ready.bytes.used)
        GS_TRY(flush(p, false, st));
    size_t shared = r->shared;
    if (p->block_records == 0) {
        begin_block(&p->block_entry, r, string_bytes);
        shared = GS_RUN_SHARED_FIRST;
        left_out = 0;
    }
    const size_t own = bytes - left_out;
    GS_TRY(make_room(&p->raw, GS_RUN_RECORD_HEAD_MAX + own + GS_SHORT_COPY_BYTES, st));
    uint8_t *const to =
        gs_run_put_head(p->raw.data + p->raw.used, layout, p->sink->has_counts, shared,
                        r->length, r->key_bytes, r->count);
    gs_copy_short(to, r->data + left_out, own);
    p->raw.used = (size_t)(to - p->raw.data) + own;
    p->left_out_bytes += left_out;
    p->block_records++;
    return GS_OK;
}

enum { COUNT_TEXT_MAX = 24 };

/* `count` as uniq -c prints it, with the blank behind; returns the length. Records
 * without counts, which are most, should not pay for the registers that it takes. */
static __attribute__((noinline)) size_t format_count(char *to, uint64_t count)
{
    char digits[COUNT_TEXT_MAX];
    size_t n = 0;
    do {
        digits[n++] = (char)('0' + count % 10);
        count /= 10;
    } while (count != 0);
    size_t at = 0;
    while (at + n < 7)
        to[at++] = ' ';
    while (n > 0)
        to[at++] = digits[--n];
    to[at++] = ' ';
    return at;
}

/* Text, compressed or not, moves from raw to ready. */
static gs_code encode_text(gs_sink_piece *p, gs_status *st)
{
    gs_bytes *const ready = &p->ready.bytes;
    if (p->zstd == NULL) {
        const gs_bytes swap = *ready;
        *ready = p->raw;
        p->raw = swap;
        return GS_OK;
    }
    /* Frames follow each other; an output without text is still one frame. */
    if (p->raw.used == 0 && p->ticket > 0)
        return GS_OK;
    GS_TRY(make_room(ready, ZSTD_compressBound(p->raw.used), st));
    const size_t n =
        ZSTD_compress2(p->zstd, ready->data, ready->capacity, p->raw.data, p->raw.used);
    if (ZSTD_isError(n))
        return GS_FAIL(st, GS_ERR_NOMEM, 0, "zstd: %s", ZSTD_getErrorName(n));
    ready->used = n;
    p->raw.used = 0;
    return GS_OK;
}

gs_code gs_sink_add_bytes(gs_sink_piece *p, const void *data, size_t bytes, gs_status *st)
{
    if (bytes == 0)
        return GS_OK;
    GS_TRY(make_room(&p->raw, bytes, st));
    memcpy(p->raw.data + p->raw.used, data, bytes);
    p->raw.used += bytes;
    return GS_OK;
}

gs_code gs_sink_text_room(gs_sink_piece *p, size_t bytes, uint8_t **to, gs_status *st)
{
    if (p->raw.used > p->buffer_bytes) {
        GS_TRY(encode_text(p, st));
        GS_TRY(flush(p, false, st));
    }
    GS_TRY(make_room(&p->raw, bytes + GS_SHORT_COPY_BYTES, st));
    *to = p->raw.data + p->raw.used;
    return GS_OK;
}

void gs_sink_text_added(gs_sink_piece *p, size_t bytes, uint64_t lines)
{
    p->raw.used += bytes;
    p->record_count += lines;
}

gs_code gs_sink_add_records(gs_sink_piece *p, const uint8_t *text, size_t bytes,
                            uint64_t records, gs_status *st)
{
    gs_assert(p->sink->run == NULL && !gs_witness_is_full(p->sink->witness));
    p->record_count += records;
    return gs_sink_add_bytes(p, text, bytes, st);
}

enum { STRINGS_BYTES = 32 << 10 }; /* of some hundred records */

/* Has the witness look at what was noted: it lies in memory that is needed. */
static gs_code look(gs_sink_piece *p, gs_status *st)
{
    GS_TRY(gs_witness_look(&p->seen, st));
    p->strings.used = 0;
    return GS_OK;
}

/* Notes the line that is in the text at `line` now. Its string is copied: it lies where
 * the next record of its source will be. */
static gs_code note(gs_sink_piece *p, const gs_sink_record *r, const uint8_t *line,
                    gs_status *st)
{
    const gs_record_layout *const layout = &p->sink->layout;
    const gs_seen_string seen = {line, r->length - r->key_bytes};
    gs_seen_string string = r->string;
    if (layout->is_keyed && string.data == NULL)
        string = (gs_seen_string){r->data,
                                  gs_run_string_bytes(layout, r->length, r->key_bytes)};
    if (layout->is_keyed) {
        const size_t room = string.bytes + 2 * GS_SHORT_COPY_BYTES;
        if (p->strings.capacity - p->strings.used < room)
            GS_TRY(look(p, st)); /* makes room, if all that is there is not too little */
        if (p->strings.capacity - p->strings.used < room)
            GS_TRY(
                make_room(&p->strings, room > STRINGS_BYTES ? room : STRINGS_BYTES, st));
        uint8_t *const to = p->strings.data + p->strings.used;
        gs_copy_short(to, string.data, string.bytes);
        p->strings.used += string.bytes;
        string.data = to;
    }
    p->seen.counted += r->count;
    return gs_witness_note(&p->seen, seen, string) ? look(p, st) : GS_OK;
}

static gs_code add_to_text(gs_sink_piece *p, const gs_sink_record *r, gs_status *st)
{
    const gs_record_layout *const layout = &p->sink->layout;
    const size_t bytes = r->length - r->key_bytes + layout->has_eol;
    const size_t room = COUNT_TEXT_MAX + bytes + GS_SHORT_COPY_BYTES;
    if (p->is_seen &&
        (p->raw.used > p->buffer_bytes || p->raw.capacity - p->raw.used < room))
        GS_TRY(look(p, st));
    if (p->raw.used > p->buffer_bytes) {
        GS_TRY(encode_text(p, st));
        GS_TRY(flush(p, false, st));
    }
    GS_TRY(make_room(&p->raw, room, st));
    if (p->sink->has_counts)
        p->raw.used += format_count((char *)p->raw.data + p->raw.used, r->count);
    uint8_t *const to = p->raw.data + p->raw.used;
    gs_copy_short(to, r->data + r->key_bytes, bytes);
    p->raw.used += bytes;
    return p->is_seen ? note(p, r, to, st) : GS_OK;
}

void gs_sink_drop_unknown(gs_sink_piece *p, uint64_t times)
{
    gs_witness_drop_unknown(&p->seen, times);
}

void gs_sink_drop(gs_sink_piece *p, const uint8_t *line, size_t bytes, uint64_t times)
{
    gs_witness_drop(&p->seen, line, bytes, times);
}

gs_code gs_sink_add(gs_sink_piece *p, const gs_sink_record *r, gs_status *st)
{
    p->record_count++;
    return p->sink->run != NULL ? add_to_run(p, r, st) : add_to_text(p, r, st);
}

gs_code gs_sink_end(gs_sink_piece *p, gs_status *st)
{
    if (p->sink->run != NULL || p->sink->is_passing)
        gs_witness_settle(&p->seen);
    else if (p->ticket > 0)
        GS_TRY(gs_witness_end(&p->seen, st));
    GS_TRY(p->sink->run != NULL ? end_block(p, st) : encode_text(p, st));
    GS_TRY(flush(p, true, st));
    gs_assert(!p->has_place || p->place == p->place_end);
    atomic_fetch_add(&p->sink->record_count, p->record_count);
    p->record_count = 0;
    return GS_OK;
}

static int compare_entries(const void *a, const void *b)
{
    const gs_run_entry *const x = a, *const y = b;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

void gs_sink_finish_run(gs_sink *sink)
{
    if (sink->run->entry_count > 0)
        qsort(sink->run->entries, sink->run->entry_count, sizeof(gs_run_entry),
              compare_entries);
    sink->run->record_count = atomic_load(&sink->record_count);
}
