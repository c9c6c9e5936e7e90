/* SPDX-License-Identifier: MIT */
#include "lib/part/sample_places.h"

#include <stdatomic.h>
#include <string.h>
#include <xxhash.h>

#include "io/write_all.h"
#include "lib/base/cancel.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"
#include "lib/part/part_share.h"

enum {
    BLOCK_BYTES = 4096,
    BLOCKS_MIN = 64,
    BEHIND_BYTES = 4096, /* of a block: its last record ends there, mostly */
    OFFERED_TIMES = 2,   /* as many records as are wanted, so that there is a choice */
    MORE_TIMES = 8,      /* as many blocks, if there were not */
    /* Blocks that stand so close are read as one. */
    CLOSE_BLOCKS = 256,
};

/* Bytes of a file that are in memory. */
typedef struct window {
    const gs_sample_area *area;
    uint8_t *data;
    size_t capacity;
    uint64_t begin;
    size_t bytes;
    bool is_end; /* of the file */
} window;

typedef struct visit {
    const gs_sample_places *places;
    gs_sample_pick *pick;
    window w;
} visit;

/* --- reading ---------------------------------------------------------------------- */

/* So many bytes, or all that are left, from `begin` on. What the window has of them
 * stays. */
static gs_code load(visit *v, const gs_sample_area *area, uint64_t begin, size_t bytes,
                    gs_status *st)
{
    window *const w = &v->w;
    size_t kept = 0, taken = 0;
    if (bytes + GS_SAMPLE_SLACK > w->capacity) {
        GS_TRY(gs_mem_resize(&w->data, 2 * bytes + GS_SAMPLE_SLACK, "block of a sample",
                             st));
        w->capacity = 2 * bytes + GS_SAMPLE_SLACK;
    }
    if (w->area == area && begin == w->begin)
        kept = w->bytes;
    const int error =
        gs_pread_all(area->fd, w->data + kept, bytes - kept, begin + kept, &taken);
    gs_quoted name;
    if (error != 0)
        return GS_FAIL(st, GS_ERR_IO, error, "read failed: %s",
                       gs_quote_name(&name, area->name));
    if (v->places->bytes_read != NULL)
        atomic_fetch_add(v->places->bytes_read, taken);
    w->area = area;
    w->begin = begin;
    w->bytes = kept + taken;
    w->is_end = w->bytes < bytes;
    return GS_OK;
}

static gs_code fail_too_long(const visit *v, uint64_t offset, gs_status *st)
{
    gs_quoted name;
    (void)GS_FAIL(st, GS_ERR_LIMIT, 0,
                  "%s: the line at byte %llu is longer than %zu bytes",
                  gs_quote_name(&name, v->w.area->name), (unsigned long long)offset,
                  v->places->record_bytes_max);
    return gs_status_hint(st, v->places->too_long_hint);
}

/* How long the record is, without its eol, that begins at `at` of the window; the window
 * has all of it then. */
static gs_code find_end(visit *v, size_t at, size_t *bytes, gs_status *st)
{
    const gs_sample_places *const p = v->places;
    window *const w = &v->w;
    if (p->record_size > 0) {
        *bytes = p->record_size;
        return w->bytes - at >= *bytes ? GS_OK
                                       : load(v, w->area, w->begin, at + *bytes, st);
    }
    for (size_t seen = at;;) {
        const uint8_t *const eol =
            w->bytes > seen ? memchr(w->data + seen, p->eol, w->bytes - seen) : NULL;
        *bytes = (eol != NULL ? (size_t)(eol - w->data) : w->bytes) - at;
        if (*bytes > p->record_bytes_max)
            return fail_too_long(v, w->begin + at, st);
        if (eol != NULL || w->is_end)
            return GS_OK;
        seen = w->bytes;
        GS_TRY(load(v, w->area, w->begin, 2 * w->bytes, st));
    }
}

/* --- the records of a block ------------------------------------------------------- */

/* Where the first record begins, from `from` on, in the window. */
static size_t first_record(const visit *v, uint64_t from)
{
    const gs_sample_places *const p = v->places;
    const window *const w = &v->w;
    if (p->record_size > 0) {
        const uint64_t over = from % p->record_size;
        return (size_t)(from - w->begin) + (over > 0 ? p->record_size - (size_t)over : 0);
    }
    if (from == 0)
        return 0;
    const size_t before = (size_t)(from - w->begin) - 1;
    const uint8_t *const eol =
        w->bytes > before ? memchr(w->data + before, p->eol, w->bytes - before) : NULL;
    return eol != NULL ? (size_t)(eol - w->data) + 1 : w->bytes;
}

/* Offers the records that begin at bytes `from` to `to` of the area. */
static gs_code visit_bytes(visit *v, const gs_sample_area *area, uint64_t from,
                           uint64_t to, gs_status *st)
{
    const gs_sample_places *const p = v->places;
    const size_t eol_bytes = p->record_size == 0;
    const uint64_t begin = p->record_size == 0 && from > 0 ? from - 1 : from;
    v->w.area = NULL;
    GS_TRY(gs_cancel_check(p->cancel, st));
    GS_TRY(load(v, area, begin, (size_t)(to - begin) + BEHIND_BYTES, st));
    size_t bytes = 0;
    for (size_t at = first_record(v, from); at < v->w.bytes && v->w.begin + at < to;
         at += bytes + eol_bytes) {
        const uint64_t offset = v->w.begin + at;
        const uint64_t rank = gs_sample_pick_rank(v->pick, area->input, offset);
        const uint8_t *const eol =
            eol_bytes > 0 ? memchr(v->w.data + at, p->eol, v->w.bytes - at) : NULL;
        bytes = p->record_size;
        if (eol_bytes > 0)
            bytes = eol != NULL ? (size_t)(eol - v->w.data) - at : SIZE_MAX / 2;
        if (!gs_sample_pick_wants(v->pick, rank))
            continue; /* nor is the end of the last one looked for */
        GS_TRY(find_end(v, at, &bytes, st));
        if (at + bytes > v->w.bytes)
            break; /* a record that is not whole: the file has become shorter */
        GS_TRY(gs_sample_pick_add(v->pick, rank, area->input, offset, v->w.data + at,
                                  bytes, st));
    }
    return GS_OK;
}

/* --- which blocks ----------------------------------------------------------------- */

static uint64_t blocks_of(const gs_sample_area *a)
{
    return (a->to - a->from + BLOCK_BYTES - 1) / BLOCK_BYTES;
}

/* Blocks `block` to `end` of all, which are of one area or of several. */
static gs_code visit_blocks(visit *v, uint64_t block, uint64_t end, gs_status *st)
{
    const gs_sample_area *area = v->places->areas;
    for (uint64_t before = 0; block < end; before += blocks_of(area++)) {
        if (block >= before + blocks_of(area))
            continue;
        uint64_t last = before + blocks_of(area);
        if (last > end)
            last = end;
        uint64_t to = area->from + (last - before) * BLOCK_BYTES;
        if (to > area->to)
            to = area->to;
        GS_TRY(visit_bytes(v, area, area->from + (block - before) * BLOCK_BYTES, to, st));
        block = last;
    }
    return GS_OK;
}

/* `wanted` of `all` blocks, as evenly as can be, from a place in the first stretch on. */
static gs_code visit_some(visit *v, uint64_t wanted, uint64_t all, gs_status *st)
{
    const uint64_t shift = XXH3_64bits_withSeed(&all, sizeof all, v->pick->seed) % all;
    for (uint64_t i = 0; i < wanted; i++) {
        const uint64_t block = gs_part_share(i, all, shift, wanted);
        GS_TRY(visit_blocks(v, block, block + 1, st));
    }
    return GS_OK;
}

static gs_code visit_all(visit *v, uint64_t all, gs_status *st)
{
    for (uint64_t block = 0; block < all; block += CLOSE_BLOCKS) {
        const uint64_t end = all - block < CLOSE_BLOCKS ? all : block + CLOSE_BLOCKS;
        GS_TRY(visit_blocks(v, block, end, st));
    }
    return GS_OK;
}

gs_code gs_sample_places_run(const gs_sample_places *places, gs_sample_pick *pick,
                             gs_status *st)
{
    visit v = {.places = places, .pick = pick};
    uint64_t all = 0;
    for (size_t i = 0; i < places->area_count; i++)
        all += blocks_of(&places->areas[i]);
    uint64_t wanted = pick->count_max > BLOCKS_MIN ? pick->count_max : BLOCKS_MIN;
    for (; st->code == GS_OK; wanted *= MORE_TIMES) {
        gs_sample_pick_restart(pick);
        if (wanted >= all / 2) {
            GS_NOTED(visit_all(&v, all, st));
            break;
        }
        GS_NOTED(visit_some(&v, wanted, all, st));
        if (pick->offered / OFFERED_TIMES >= pick->count_max)
            break;
    }
    gs_mem_free(v.w.data);
    return st->code;
}
