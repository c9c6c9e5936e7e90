/* SPDX-License-Identifier: MIT */
#include "lib/sort/witness/part_witness.h"

#include <string.h>

#include "lib/base/mem.h"

enum { STRINGS_BYTES = 64 << 10 }; /* of some hundred records */

typedef struct gs_part_bytes {
    uint8_t *data;
    size_t used, room;
} gs_part_bytes;

typedef struct gs_part_worker {
    gs_witness_piece seen;
    gs_part_bytes cut;   /* the first record, if its beginning was in other parts; */
    const uint8_t *text; /* these are the others */
    size_t bytes;
    uint64_t ticket;
    gs_part_bytes strings; /* made of records that are noted */
    gs_keyed_look keyed;   /* instead, where they need not be made */
} gs_part_worker;

struct gs_part_witness {
    gs_witness *witness;
    gs_record_layout layout;
    const gs_key_encoder *encoder;
    size_t record_size;
    gs_part_worker *workers;
    unsigned worker_count;
    bool is_keyed_look;
    uint64_t next_ticket;
    gs_part_bytes rest; /* of the parts so far: the beginning of a record */
};

gs_code gs_part_witness_new(gs_part_witness **out, gs_witness *witness,
                            const gs_record_layout *layout, const gs_key_encoder *encoder,
                            size_t record_size, uint64_t first_ticket, unsigned workers,
                            gs_status *st)
{
    *out = NULL;
    gs_part_witness *w = NULL;
    GS_TRY(gs_mem_new(&w, sizeof *w, "witness of parts", st));
    w->witness = witness;
    w->layout = *layout;
    w->encoder = encoder;
    w->record_size = record_size;
    w->next_ticket = first_ticket;
    if (gs_mem_new_array(&w->workers, workers, sizeof *w->workers, "witness of parts",
                         st) != GS_OK) {
        gs_part_witness_free(w);
        return st->code;
    }
    w->worker_count = workers;
    for (unsigned i = 0; i < workers && encoder != NULL; i++)
        w->is_keyed_look = gs_keyed_look_init(&w->workers[i].keyed, &w->layout, encoder);
    *out = w;
    return GS_OK;
}

void gs_part_witness_free(gs_part_witness *w)
{
    if (w == NULL)
        return;
    for (unsigned i = 0; i < w->worker_count; i++) {
        gs_witness_release(&w->workers[i].seen);
        gs_mem_free(w->workers[i].cut.data);
        gs_mem_free(w->workers[i].strings.data);
        gs_keyed_look_release(&w->workers[i].keyed);
    }
    gs_mem_free(w->workers);
    gs_mem_free(w->rest.data);
    gs_mem_free(w);
}

static gs_code need_room(gs_part_bytes *b, size_t bytes, gs_status *st)
{
    if (b->room - b->used >= bytes)
        return GS_OK;
    const size_t room = b->used + bytes + b->used / 2 + 1024;
    GS_TRY(gs_mem_resize(&b->data, room, "witness of parts", st));
    b->room = room;
    return GS_OK;
}

static gs_code append(gs_part_bytes *to, const uint8_t *data, size_t bytes, gs_status *st)
{
    GS_TRY(need_room(to, bytes + GS_MULTISET_SLACK, st));
    if (bytes > 0)
        memcpy(to->data + to->used, data, bytes);
    to->used += bytes;
    return GS_OK;
}

/* Where the first record ends that begins in the text or, if `before` bytes of one are
 * elsewhere, the first that ends there; 0 if none ends. */
static size_t first_end(const gs_part_witness *w, size_t before, const uint8_t *text,
                        size_t bytes)
{
    if (w->record_size > 0) {
        const size_t missing = w->record_size - before % w->record_size;
        return missing <= bytes ? missing : 0;
    }
    const size_t at = gs_line_find(text, bytes, w->layout.eol);
    return at < bytes ? at + 1 : 0;
}

/* And the last in `bytes` bytes. */
static size_t last_end(const gs_part_witness *w, const uint8_t *text, size_t bytes)
{
    return w->record_size > 0 ? bytes / w->record_size * w->record_size
                              : gs_line_find_last(text, bytes, w->layout.eol);
}

/* What lies too close to the end of the part to be read with slack goes to the rest too.
 */
gs_code gs_part_witness_take(gs_part_witness *w, unsigned worker, const uint8_t *text,
                             size_t bytes, gs_status *st)
{
    gs_part_worker *const p = &w->workers[worker];
    p->ticket = w->next_ticket++;
    p->cut.used = 0;
    if (w->rest.used > 0) {
        const size_t end = first_end(w, w->rest.used, text, bytes);
        const size_t n = end > 0 ? end : bytes;
        GS_TRY(append(&w->rest, text, n, st));
        text += n;
        bytes -= n;
        if (end > 0) {
            const gs_part_bytes whole = w->rest;
            w->rest = p->cut;
            p->cut = whole;
        }
    }
    const size_t safe = bytes > GS_MULTISET_SLACK ? bytes - GS_MULTISET_SLACK : 0;
    p->text = text;
    p->bytes = last_end(w, text, safe);
    return append(&w->rest, text + p->bytes, bytes - p->bytes, st);
}

void gs_part_witness_moved(gs_part_witness *w, unsigned worker, const uint8_t *from,
                           const uint8_t *text)
{
    gs_part_worker *const p = &w->workers[worker];
    p->text = text + (p->text - from);
}

/* The string of a line, made in memory that stays until it was looked at. */
static gs_code make_string(const gs_part_witness *w, gs_part_worker *p,
                           gs_seen_string line, gs_seen_string *out, gs_status *st)
{
    const size_t bound =
        gs_key_encode_bound(w->encoder, line.bytes) + line.bytes + GS_MULTISET_SLACK;
    if (p->strings.room - p->strings.used < bound) {
        GS_TRY(gs_witness_look(&p->seen, st));
        p->strings.used = 0;
        GS_TRY(need_room(&p->strings, bound > STRINGS_BYTES ? bound : STRINGS_BYTES, st));
    }
    uint8_t *const to = p->strings.data + p->strings.used;
    const size_t bytes =
        gs_line_string_put(&w->layout, w->encoder, line.data, line.bytes, to);
    p->strings.used += bytes;
    *out = (gs_seen_string){to, bytes};
    return GS_OK;
}

static gs_code note(const gs_part_witness *w, gs_part_worker *p, const uint8_t *line,
                    size_t bytes, gs_status *st)
{
    const gs_seen_string seen = {line, bytes};
    gs_seen_string string = seen;
    if (w->encoder != NULL)
        GS_TRY(make_string(w, p, seen, &string, st));
    if (!gs_witness_note(&p->seen, seen, string))
        return GS_OK;
    p->strings.used = 0;
    return gs_witness_look(&p->seen, st);
}

/* Lines of which nothing is noted but where each ends: they are their own strings, or
 * strings need not be made. */
static gs_code look_at_lines(const gs_part_witness *w, gs_part_worker *p,
                             const uint8_t *text, size_t bytes, gs_status *st)
{
    uint32_t ends[GS_WITNESS_BATCH];
    size_t count;
    while ((count = gs_line_ends(text, bytes, w->layout.eol, ends, GS_WITNESS_BATCH)) >
           0) {
        const size_t all = (size_t)ends[count - 1] + 1;
        if (w->is_keyed_look)
            GS_TRY(gs_witness_look_at_keyed_text(&p->seen, &p->keyed, text, ends, count,
                                                 st));
        else
            GS_TRY(gs_witness_look_at_text(&p->seen, text, ends, count, st));
        text += all;
        bytes -= all;
    }
    return GS_OK;
}

static gs_code note_text(const gs_part_witness *w, gs_part_worker *p, const uint8_t *text,
                         size_t bytes, gs_status *st)
{
    for (size_t at = 0; w->record_size > 0 && at < bytes; at += w->record_size)
        GS_TRY(note(w, p, text + at, w->record_size, st));
    if (w->record_size > 0)
        return GS_OK;
    if ((w->encoder == NULL || w->is_keyed_look) && bytes <= UINT32_MAX)
        return look_at_lines(w, p, text, bytes, st);
    gs_line_iter it = gs_line_iter_begin(text, bytes, w->layout.eol);
    while (gs_line_iter_load(&it)) {
        while (gs_line_iter_next(&it))
            GS_TRY(note(w, p, text + it.begin, it.end - it.begin, st));
    }
    return GS_OK;
}

gs_code gs_part_witness_look(gs_part_witness *w, unsigned worker, gs_code code,
                             gs_status *st)
{
    gs_part_worker *const p = &w->workers[worker];
    gs_witness_begin(&p->seen, w->witness, p->ticket, w->encoder != NULL);
    p->strings.used = 0;
    GS_TRY(note_text(w, p, p->cut.data, p->cut.used, st));
    GS_TRY(note_text(w, p, p->text, p->bytes, st));
    GS_TRY(gs_witness_look(&p->seen, st));
    if (p->seen.disorder != 0)
        return GS_FAIL(st, code, 0, "verify: the text is not in order");
    return gs_witness_end(&p->seen, st);
}

gs_code gs_part_witness_finish(gs_part_witness *w, gs_code code, gs_status *st)
{
    gs_part_worker *const p = &w->workers[0];
    if (last_end(w, w->rest.data, w->rest.used) != w->rest.used)
        return GS_FAIL(st, code, 0, "verify: the text ends within a record");
    const gs_part_bytes cut = p->cut;
    p->cut = w->rest;
    w->rest = cut;
    w->rest.used = 0;
    p->bytes = 0;
    p->ticket = w->next_ticket++;
    return gs_part_witness_look(w, 0, code, st);
}

uint64_t gs_part_witness_next_ticket(const gs_part_witness *w)
{
    return w->next_ticket;
}
