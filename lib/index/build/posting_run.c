/* SPDX-License-Identifier: MIT */
#include "lib/index/build/posting_run.h"

#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/index/text/documents.h"
#include "lib/index/format/formats.h"

enum {
    DOC_BYTES = 5,
    END_BYTES = 2,
    ESCAPED_BYTES_MAX = 2 * GS_TERM_BYTES_MAX,
    KEY_BYTES_MAX = ESCAPED_BYTES_MAX + END_BYTES + DOC_BYTES,
    KEY_SLACK = 64,                /* readable beyond a key and beyond a record */
    RECORD_SOFT_BYTES = 16 * 1024, /* a longer record is cut before its next posting */
    POSTING_BYTES_MAX = 2 * GS_VARINT_BYTES_MAX,
    POSITION_BYTES_MAX = 5,
};

gs_record_layout gs_posting_run_layout(void)
{
    return (gs_record_layout){.is_keyed = true, .is_key_only = true};
}

size_t gs_posting_run_kept_together(const uint8_t *key, size_t bytes)
{
    for (size_t i = 0; i + 1 < bytes; i++) {
        if (key[i] == 0 && key[i + 1] == 0)
            return i + END_BYTES;
        i += key[i] == 0; /* an escaped 00 */
    }
    return bytes;
}

/* --- writing ----------------------------------------------------------------------- */

struct gs_posting_writer {
    bool has_positions;
    gs_sink_piece *piece;
    uint8_t *key, *last_key; /* KEY_BYTES_MAX each */
    size_t prefix_bytes;     /* of the key, up to the document */
    size_t last_key_bytes;   /* 0: the next record is the first of its piece */
    uint8_t *record;         /* the key, then the value */
    size_t record_capacity;
};

gs_code gs_posting_writer_new(gs_posting_writer **out, bool has_positions, gs_status *st)
{
    *out = NULL;
    gs_posting_writer *w = NULL;
    GS_TRY(gs_mem_new(&w, sizeof *w, "posting writer", st));
    w->has_positions = has_positions;
    GS_TRY_OR_FAIL(gs_mem_new(&w->key, KEY_BYTES_MAX + KEY_SLACK, "posting key", st));
    GS_TRY_OR_FAIL(
        gs_mem_new(&w->last_key, KEY_BYTES_MAX + KEY_SLACK, "posting key", st));
    *out = w;
    return GS_OK;
fail:
    gs_posting_writer_free(w);
    return st->code;
}

void gs_posting_writer_free(gs_posting_writer *w)
{
    if (w == NULL)
        return;
    gs_mem_free(w->key);
    gs_mem_free(w->last_key);
    gs_mem_free(w->record);
    gs_mem_free(w);
}

void gs_posting_writer_begin(gs_posting_writer *w, gs_sink_piece *piece)
{
    w->piece = piece;
    w->last_key_bytes = 0;
}

static gs_code write_term(void *context, const uint8_t *term, size_t bytes, gs_status *st)
{
    (void)st;
    gs_posting_writer *const w = context;
    gs_assert(bytes <= GS_TERM_BYTES_MAX);
    uint8_t *to = w->key;
    if (memchr(term, 0, bytes) == NULL) {
        memcpy(to, term, bytes);
        to += bytes;
    } else {
        for (size_t i = 0; i < bytes; i++) {
            *to++ = term[i];
            if (term[i] == 0)
                *to++ = 1;
        }
    }
    *to++ = 0;
    *to++ = 0;
    w->prefix_bytes = (size_t)(to - w->key);
    return GS_OK;
}

static void put_doc(uint8_t *to, uint64_t doc)
{
    for (unsigned i = 0; i < DOC_BYTES; i++)
        to[i] = (uint8_t)(doc >> 8 * (DOC_BYTES - 1 - i));
}

static gs_code make_record_room(gs_posting_writer *w, size_t bytes, gs_status *st)
{
    if (w->record_capacity >= bytes)
        return GS_OK;
    const size_t capacity = bytes + bytes / 2 + 4096;
    GS_TRY(gs_mem_resize(&w->record, capacity, "record of postings", st));
    w->record_capacity = capacity;
    return GS_OK;
}

/* Puts a record whose value ends at record + bytes into the run. */
static gs_code add_record(gs_posting_writer *w, size_t key_bytes, size_t bytes,
                          gs_status *st)
{
    gs_sink_record r = {.data = w->record, .length = bytes, .key_bytes = key_bytes};
    r.shared = 1;
    if (w->last_key_bytes > 0) {
        int order;
        const size_t index = gs_ovc_first_difference(w->last_key, w->last_key_bytes,
                                                     w->key, key_bytes, 0, &order);
        gs_assert(order < 0);
        r.shared = index + 1;
    }
    GS_TRY(gs_sink_add(w->piece, &r, st));
    uint8_t *const swap = w->last_key;
    w->last_key = w->key;
    w->last_key_bytes = key_bytes;
    w->key = swap;
    memcpy(w->key, w->last_key, w->prefix_bytes);
    return GS_OK;
}

static uint8_t *put_positions(uint8_t *to, const uint32_t *positions, uint32_t count)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < count; i++) {
        to = gs_varint_put(to, positions[i] - last);
        last = positions[i];
    }
    return to;
}

/* How many of the postings from `begin` on go into one record, and the room they need. */
static size_t measure_record(const gs_posting_writer *w, const gs_posting_batch *batch,
                             size_t begin, size_t *bytes)
{
    size_t end = begin;
    *bytes = GS_VARINT_BYTES_MAX;
    while (end < batch->count && (end == begin || *bytes < RECORD_SOFT_BYTES)) {
        *bytes += POSTING_BYTES_MAX;
        if (w->has_positions)
            *bytes += (size_t)batch->tfs[end] * POSITION_BYTES_MAX;
        end++;
    }
    return end - begin;
}

static gs_code write_postings(void *context, const gs_posting_batch *batch, gs_status *st)
{
    gs_posting_writer *const w = context;
    const uint32_t *positions = batch->positions;
    for (size_t begin = 0; begin < batch->count;) {
        size_t bytes;
        const size_t n = measure_record(w, batch, begin, &bytes);
        const size_t key_bytes = w->prefix_bytes + DOC_BYTES;
        GS_TRY(make_record_room(w, key_bytes + bytes + KEY_SLACK, st));
        put_doc(w->key + w->prefix_bytes, batch->docs[begin]);
        memcpy(w->record, w->key, key_bytes);
        uint8_t *to = gs_varint_put(w->record + key_bytes, n);
        uint64_t last = batch->docs[begin];
        for (size_t i = begin; i < begin + n; i++) {
            const uint32_t tf = batch->tfs[i];
            to = gs_gap_put(to, batch->docs[i] - last, tf);
            last = batch->docs[i];
            if (w->has_positions) {
                to = put_positions(to, positions, tf);
                positions += tf;
            }
        }
        GS_TRY(add_record(w, key_bytes, (size_t)(to - w->record), st));
        begin += n;
    }
    return GS_OK;
}

gs_posting_target gs_posting_writer_target(gs_posting_writer *w)
{
    return (gs_posting_target){
        .term = write_term, .postings = write_postings, .context = w};
}

/* --- joining ----------------------------------------------------------------------- */

/* A decoded stretch. */
typedef struct stretch {
    gs_posting_batch batch;
    size_t at;
    const uint32_t *positions; /* of the posting at `at` */
} stretch;

struct gs_posting_joiner {
    bool has_positions, has_term;
    gs_posting_gather *gather;
    uint8_t *prefix; /* of the term's keys */
    size_t prefix_bytes;
    uint8_t *term;  /* scratch */
    stretch **open; /* not gathered to their ends, in the order they came; then spare */
    size_t open_count, spare_count, capacity;
};

gs_code gs_posting_joiner_new(gs_posting_joiner **out, bool has_positions, gs_status *st)
{
    *out = NULL;
    gs_posting_joiner *j = NULL;
    GS_TRY(gs_mem_new(&j, sizeof *j, "posting joiner", st));
    j->has_positions = has_positions;
    GS_TRY_OR_FAIL(gs_mem_new(&j->prefix, KEY_BYTES_MAX, "posting key", st));
    GS_TRY_OR_FAIL(gs_mem_new(&j->term, KEY_BYTES_MAX, "posting key", st));
    *out = j;
    return GS_OK;
fail:
    gs_posting_joiner_free(j);
    return st->code;
}

void gs_posting_joiner_free(gs_posting_joiner *j)
{
    if (j == NULL)
        return;
    for (size_t i = 0; i < j->open_count + j->spare_count; i++) {
        gs_posting_batch_release(&j->open[i]->batch);
        gs_mem_free(j->open[i]);
    }
    gs_mem_free(j->open);
    gs_mem_free(j->prefix);
    gs_mem_free(j->term);
    gs_mem_free(j);
}

void gs_posting_joiner_begin(gs_posting_joiner *j, gs_posting_gather *gather)
{
    j->gather = gather;
    j->has_term = false;
    j->spare_count += j->open_count;
    j->open_count = 0;
}

/* Makes open[open_count] a stretch that may be filled. */
static gs_code make_stretch(gs_posting_joiner *j, gs_status *st)
{
    if (j->spare_count > 0)
        return GS_OK;
    GS_TRY(gs_mem_grow(&j->open, &j->capacity, j->open_count + 1, "open stretches", st));
    GS_TRY(
        gs_mem_new(&j->open[j->open_count], sizeof(stretch), "stretch of postings", st));
    j->spare_count = 1;
    return GS_OK;
}

static void close_stretch(gs_posting_joiner *j, size_t index)
{
    stretch *const closed = j->open[index];
    j->open_count--;
    for (size_t i = index; i < j->open_count; i++)
        j->open[i] = j->open[i + 1];
    j->open[j->open_count] = closed;
    j->spare_count++;
}

static uint64_t head_of(const stretch *s)
{
    return s->batch.docs[s->at];
}

/* Gathers postings of the stretch with the smallest document, up to where another has a
 * smaller one, and before `limit`. False if none is before it. */
static gs_code gather_stretch(gs_posting_joiner *j, uint64_t limit, bool *did,
                              gs_status *st)
{
    size_t first = 0;
    uint64_t smallest = UINT64_MAX, stop = limit;
    for (size_t i = 0; i < j->open_count; i++) {
        const uint64_t doc = head_of(j->open[i]);
        if (doc < smallest) {
            if (smallest < stop)
                stop = smallest;
            smallest = doc;
            first = i;
        } else if (doc < stop) {
            stop = doc;
        }
    }
    *did = smallest < limit;
    if (!*did)
        return GS_OK;
    stretch *const s = j->open[first];
    gs_posting_batch *const b = &s->batch;
    size_t end = s->at + 1;
    while (end < b->count && b->docs[end] < stop)
        end++;
    GS_TRY(gs_posting_gather_add(j->gather, b, s->at, end, s->positions, st));
    for (size_t i = s->at; j->has_positions && i < end; i++)
        s->positions += b->tfs[i];
    s->at = end;
    if (s->at == b->count)
        close_stretch(j, first);
    return GS_OK;
}

static gs_code gather_before(gs_posting_joiner *j, uint64_t limit, gs_status *st)
{
    bool did = true;
    while (did)
        GS_TRY(gather_stretch(j, limit, &did, st));
    return GS_OK;
}

/* The next term, from the part of its keys before the document. */
static gs_code change_term(gs_posting_joiner *j, const uint8_t *key, size_t prefix_bytes,
                           gs_status *st)
{
    if (j->has_term)
        GS_TRY(gather_before(j, UINT64_MAX, st));
    memcpy(j->prefix, key, prefix_bytes);
    j->prefix_bytes = prefix_bytes;
    j->has_term = true;
    size_t n = 0;
    for (size_t i = 0; i < prefix_bytes - END_BYTES; i++) {
        j->term[n++] = key[i];
        i += key[i] == 0;
    }
    return gs_posting_gather_term(j->gather, j->term, n, st);
}

static gs_code decode(gs_posting_joiner *j, stretch *s, uint64_t doc, const uint8_t *p,
                      gs_status *st)
{
    gs_posting_batch *const b = &s->batch;
    uint64_t count, x, tf;
    gs_posting_batch_clear(b);
    p = gs_varint_get(p, &count);
    gs_assert(count > 0 && count <= GS_POSTINGS_MAX);
    for (uint64_t i = 0; i < count; i++) {
        p = gs_varint_get(p, &x);
        tf = 1;
        if (!gs_gap_is_once(x))
            p = gs_varint_get(p, &tf);
        doc += gs_gap_of(x);
        gs_posting_batch_add(b, doc, (uint32_t)tf);
        if (!j->has_positions)
            continue;
        GS_TRY(gs_posting_batch_grow(b, (size_t)tf, st));
        uint32_t position = 0;
        for (uint64_t k = 0; k < tf; k++) {
            p = gs_varint_get(p, &x);
            position += (uint32_t)x;
            b->positions[b->position_count++] = position;
        }
    }
    s->at = 0;
    s->positions = b->positions;
    return GS_OK;
}

gs_code gs_posting_joiner_add(gs_posting_joiner *j, const uint8_t *key, size_t key_bytes,
                              const uint8_t *value, gs_status *st)
{
    const size_t prefix_bytes = key_bytes - DOC_BYTES;
    uint64_t doc = 0;
    for (unsigned i = 0; i < DOC_BYTES; i++)
        doc = doc << 8 | key[prefix_bytes + i];
    if (!j->has_term || j->prefix_bytes != prefix_bytes ||
        memcmp(j->prefix, key, prefix_bytes) != 0)
        GS_TRY(change_term(j, key, prefix_bytes, st));
    else
        GS_TRY(gather_before(j, doc, st));
    GS_TRY(make_stretch(j, st));
    GS_TRY(decode(j, j->open[j->open_count], doc, value, st));
    j->open_count++;
    j->spare_count--;
    return GS_OK;
}

gs_code gs_posting_joiner_end(gs_posting_joiner *j, gs_status *st)
{
    GS_TRY(gather_before(j, UINT64_MAX, st));
    j->has_term = false;
    return gs_posting_gather_end(j->gather, st);
}
