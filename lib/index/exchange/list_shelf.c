/* SPDX-License-Identifier: MIT */
#include "lib/index/exchange/list_shelf.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"
#include "lib/sort/record/records.h"

enum {
    CUT_BYTES = 1 << 20, /* between two places where parts may begin */
    NUMBERS_MAX = 2 * GS_VARINT_BYTES_MAX,
    TERM_SHOWN_BYTES = 60,
};

/* What the directory of a disordered shelf has of a list. */
struct gs_shelf_list {
    const uint8_t *term;
    uint64_t offset, bytes; /* in the file */
    uint32_t term_bytes;
};

static const char of_lists[] = "posting lists";

/* --- putting down ------------------------------------------------------------------ */

gs_code gs_list_shelf_open(gs_list_shelf *s, const char *folder, gs_status *st)
{
    GS_TRY(gs_mem_new(&s->buffer, GS_SHELF_BUFFER_BYTES, of_lists, st));
    GS_TRY(gs_mem_new(&s->last_term, GS_INDEX_TERM_MAX, of_lists, st));
    return gs_scatter_file_open(&s->file, folder, st);
}

void gs_list_shelf_close(gs_list_shelf *s)
{
    gs_scatter_file_close(&s->file);
    gs_mem_free(s->buffer);
    gs_mem_free(s->last_term);
    gs_mem_free(s->cuts);
    gs_mem_free(s->lists);
    gs_mem_free(s->terms);
    *s = (gs_list_shelf){0};
}

static gs_code flush(gs_list_shelf *s, gs_status *st)
{
    uint64_t offset;
    if (s->used == 0)
        return GS_OK;
    const size_t bytes = s->used;
    s->used = 0;
    return gs_scatter_file_put(&s->file, s->buffer, bytes, &offset, st);
}

/* So many bytes are free in the buffer then. */
static gs_code make_room(gs_list_shelf *s, size_t bytes, gs_status *st)
{
    gs_assert(bytes <= GS_SHELF_BUFFER_BYTES);
    return GS_SHELF_BUFFER_BYTES - s->used < bytes ? flush(s, st) : GS_OK;
}

static void put_number(gs_list_shelf *s, uint64_t x)
{
    const size_t before = s->used;
    s->used = (size_t)(gs_varint_put(s->buffer + s->used, x) - s->buffer);
    s->bytes += s->used - before;
}

static gs_code note_cut(gs_list_shelf *s, gs_status *st)
{
    if (s->cut_count > 0 && s->bytes - s->cuts[s->cut_count - 1] < CUT_BYTES)
        return GS_OK;
    GS_TRY(gs_mem_grow(&s->cuts, &s->cut_capacity, s->cut_count + 1, of_lists, st));
    s->cuts[s->cut_count++] = s->bytes;
    return GS_OK;
}

gs_code gs_list_shelf_term(gs_list_shelf *s, const void *term, size_t bytes,
                           gs_status *st)
{
    gs_assert(bytes > 0 && bytes <= GS_INDEX_TERM_MAX);
    s->is_disordered |=
        s->list_count > 0 &&
        gs_string_compare(s->last_term, s->last_term_bytes, term, bytes, 0) >= 0;
    memcpy(s->last_term, term, bytes);
    s->last_term_bytes = bytes;
    s->list_count++;
    s->term_bytes += bytes;
    s->last_doc = 0;
    GS_TRY(note_cut(s, st));
    GS_TRY(make_room(s, GS_VARINT_BYTES_MAX + bytes, st));
    put_number(s, bytes);
    memcpy(s->buffer + s->used, term, bytes);
    s->used += bytes;
    s->bytes += bytes;
    return GS_OK;
}

gs_code gs_list_shelf_postings(gs_list_shelf *s, const uint64_t *docs,
                               const uint32_t *tfs, size_t count, gs_status *st)
{
    if (count == 0)
        return GS_OK;
    GS_TRY(make_room(s, (count + 1) * NUMBERS_MAX, st));
    put_number(s, count);
    for (size_t i = 0; i < count; i++) {
        put_number(s, docs[i] - s->last_doc);
        put_number(s, tfs[i]);
        s->last_doc = docs[i];
    }
    return GS_OK;
}

gs_code gs_list_shelf_end(gs_list_shelf *s, gs_status *st)
{
    GS_TRY(make_room(s, GS_VARINT_BYTES_MAX, st));
    put_number(s, 0);
    return GS_OK;
}

/* --- bytes of the file ------------------------------------------------------------- */

/* At least so many bytes from p on, or all that are left. */
static gs_code fill(gs_shelf_reader *r, size_t bytes, gs_status *st)
{
    const size_t held = (size_t)(r->end - r->p);
    if (held >= bytes || r->next == r->stop)
        return GS_OK;
    memmove(r->buffer, r->p, held);
    const uint64_t left = r->stop - r->next;
    const size_t room = GS_SHELF_BUFFER_BYTES - held;
    const size_t n = left < room ? (size_t)left : room;
    GS_TRY(gs_scatter_file_get(&r->shelf->file, r->buffer + held, n, r->next, st));
    r->p = r->buffer;
    r->end = r->buffer + held + n;
    r->next += n;
    return GS_OK;
}

/* The file is ours, and nobody else has seen it. */
static uint64_t take_number(gs_shelf_reader *r)
{
    uint64_t x;
    gs_assert(r->p < r->end);
    r->p = gs_varint_get(r->p, &x);
    gs_assert(r->p <= r->end);
    return x;
}

static void stand_at(gs_shelf_reader *r, uint64_t begin, uint64_t stop)
{
    r->p = r->end = r->buffer;
    r->next = begin;
    r->stop = stop;
}

static uint64_t place_of(const gs_shelf_reader *r)
{
    return r->next - (uint64_t)(r->end - r->p);
}

/* The term of the list that comes next in the file, if there is one. */
static gs_code take_term(gs_shelf_reader *r, const uint8_t **term, size_t *bytes,
                         gs_status *st)
{
    *term = r->p;
    *bytes = 0;
    r->left = r->doc = 0;
    GS_TRY(fill(r, GS_VARINT_BYTES_MAX + GS_INDEX_TERM_MAX, st));
    if (r->p == r->end)
        return GS_OK;
    *bytes = (size_t)take_number(r);
    gs_assert(*bytes <= (size_t)(r->end - r->p));
    *term = r->p;
    r->p += *bytes;
    return GS_OK;
}

gs_code gs_shelf_reader_postings(gs_shelf_reader *r, uint64_t *docs, uint32_t *tfs,
                                 size_t most, size_t *count, gs_status *st)
{
    *count = 0;
    GS_TRY(fill(r, (most + 1) * NUMBERS_MAX, st));
    if (r->left == 0)
        r->left = take_number(r); /* 0: the end of the list */
    for (; *count < most && r->left > 0; r->left--, ++*count) {
        r->doc += take_number(r);
        docs[*count] = r->doc;
        tfs[*count] = (uint32_t)take_number(r);
    }
    return GS_OK;
}

static gs_code open_buffer(gs_shelf_reader *r, const gs_list_shelf *s, gs_status *st)
{
    *r = (gs_shelf_reader){.shelf = s};
    GS_TRY(gs_mem_new(&r->buffer, GS_SHELF_BUFFER_BYTES, of_lists, st));
    stand_at(r, 0, s->bytes);
    return GS_OK;
}

void gs_shelf_reader_close(gs_shelf_reader *r)
{
    gs_mem_free(r->buffer);
    *r = (gs_shelf_reader){0};
}

/* --- a directory ------------------------------------------------------------------- */

static gs_code skip_postings(gs_shelf_reader *r, gs_status *st)
{
    uint64_t docs[GS_POSTINGS_MAX];
    uint32_t tfs[GS_POSTINGS_MAX];
    size_t count;
    do {
        GS_TRY(gs_shelf_reader_postings(r, docs, tfs, GS_POSTINGS_MAX, &count, st));
    } while (count > 0);
    return GS_OK;
}

static gs_code list_all(gs_list_shelf *s, gs_shelf_reader *r, gs_status *st)
{
    uint8_t *to = s->terms;
    for (uint64_t i = 0; i < s->list_count; i++) {
        gs_shelf_list *const list = &s->lists[i];
        const uint8_t *term;
        size_t bytes;
        list->offset = place_of(r);
        GS_TRY(take_term(r, &term, &bytes, st));
        list->term = memcpy(to, term, bytes);
        list->term_bytes = (uint32_t)bytes;
        to += bytes;
        GS_TRY(skip_postings(r, st));
        list->bytes = place_of(r) - list->offset;
    }
    return GS_OK;
}

static int compare_lists(const void *a, const void *b)
{
    const gs_shelf_list *const x = a, *const y = b;
    return gs_string_compare(x->term, x->term_bytes, y->term, y->term_bytes, 0);
}

static gs_code check_different(const gs_list_shelf *s, const char *input, gs_status *st)
{
    for (uint64_t i = 1; i < s->list_count; i++) {
        const gs_shelf_list *const list = &s->lists[i];
        char shown[TERM_SHOWN_BYTES + 1] = "";
        gs_quoted q, name;
        if (compare_lists(list - 1, list) != 0)
            continue;
        memcpy(shown, list->term,
               list->term_bytes < TERM_SHOWN_BYTES ? list->term_bytes : TERM_SHOWN_BYTES);
        return GS_FAIL(st, GS_ERR_FORMAT, 0, "%s: two posting lists have the term %s",
                       gs_quote_name(&name, input), gs_quote_argument(&q, shown));
    }
    return GS_OK;
}

static gs_code make_directory(gs_list_shelf *s, const char *input, size_t memory_bytes,
                              gs_status *st)
{
    gs_shelf_reader r;
    gs_quoted name;
    const uint64_t bytes = s->list_count * sizeof *s->lists + s->term_bytes;
    if (bytes > memory_bytes) {
        (void)GS_FAIL(st, GS_ERR_LIMIT, 0,
                      "%s: %llu posting lists are not in the order of their terms: to "
                      "sort them takes %llu MiB",
                      gs_quote_name(&name, input), (unsigned long long)s->list_count,
                      (unsigned long long)bytes >> 20);
        return gs_status_hint(st, "allow more memory with -S");
    }
    GS_TRY(gs_mem_new(&s->lists, s->list_count * sizeof *s->lists, of_lists, st));
    GS_TRY(gs_mem_new(&s->terms, (size_t)s->term_bytes, of_lists, st));
    if (open_buffer(&r, s, st) == GS_OK)
        GS_NOTED(list_all(s, &r, st));
    gs_shelf_reader_close(&r);
    GS_TRY(st->code);
    qsort(s->lists, s->list_count, sizeof *s->lists, compare_lists);
    return check_different(s, input, st);
}

gs_code gs_list_shelf_arrange(gs_list_shelf *s, const char *input, unsigned part_count,
                              size_t memory_bytes, gs_status *st)
{
    gs_assert(part_count > 0);
    s->part_count = part_count;
    GS_TRY(flush(s, st));
    return s->is_disordered ? make_directory(s, input, memory_bytes, st) : GS_OK;
}

/* --- parts ------------------------------------------------------------------------- */

/* Where the share of a part begins, of so many. */
static uint64_t share(uint64_t count, unsigned part, unsigned part_count)
{
    return count / part_count * part + count % part_count * part / part_count;
}

static uint64_t cut_of(const gs_list_shelf *s, unsigned part)
{
    const uint64_t at = share(s->cut_count, part, s->part_count);
    return at < s->cut_count ? s->cuts[at] : s->bytes;
}

gs_code gs_shelf_reader_open(gs_shelf_reader *r, const gs_list_shelf *s, unsigned part,
                             gs_status *st)
{
    gs_assert(part < s->part_count);
    GS_TRY(open_buffer(r, s, st));
    if (s->is_disordered) {
        r->list = (size_t)share(s->list_count, part, s->part_count);
        r->list_end = (size_t)share(s->list_count, part + 1, s->part_count);
        stand_at(r, 0, 0);
    } else {
        stand_at(r, cut_of(s, part), cut_of(s, part + 1));
    }
    return GS_OK;
}

gs_code gs_shelf_reader_term(gs_shelf_reader *r, const uint8_t **term, size_t *bytes,
                             gs_status *st)
{
    const gs_list_shelf *const s = r->shelf;
    if (s->is_disordered) {
        *bytes = 0;
        if (r->list == r->list_end)
            return GS_OK;
        const gs_shelf_list *const list = &s->lists[r->list++];
        stand_at(r, list->offset, list->offset + list->bytes);
    }
    return take_term(r, term, bytes, st);
}
