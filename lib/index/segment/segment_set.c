/* SPDX-License-Identifier: MIT */
#include "lib/index/segment/segment_set.h"

#include <errno.h>
#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"

/* As often as an index can change while it is being opened. */
enum { TRIES = 100 };

/* --- opening ----------------------------------------------------------------------- */

static gs_code damaged(const gs_segments *s, uint64_t number, const char *what,
                       gs_status *st)
{
    gs_quoted q;
    (void)GS_FAIL(st, GS_ERR_FORMAT, 0, "%s: segment %llu is damaged: %s",
                  gs_quote_name(&q, s->folder), (unsigned long long)number, what);
    return gs_status_hint(st, "build the index again, or restore it from a copy");
}

static bool are_alike(const gs_index_header *a, const gs_index_header *b)
{
    return a->has_names == b->has_names && a->has_positions == b->has_positions &&
           a->has_texts == b->has_texts && a->has_impacts == b->has_impacts &&
           strcmp(a->tokenizer ? a->tokenizer : "{}",
                  b->tokenizer ? b->tokenizer : "{}") == 0;
}

/* One that the manifest names. */
static gs_code open_segment(gs_segments *s, const gs_manifest_segment *from,
                            gs_status *st)
{
    char path[GS_INDEX_PATH_BYTES];
    gs_status why = {.code = GS_OK};
    gs_segment *const to = &s->items[s->count];
    if (!gs_index_segment_path(path, s->folder, from->number))
        return GS_FAIL(st, GS_ERR_IO, ENAMETOOLONG, "cannot read: %s", s->folder);
    if (gs_index_open(&to->index, path, &why) != GS_OK) {
        if (why.code == GS_ERR_IO && why.sys == ENOENT)
            return damaged(s, from->number, "it is missing", st);
        gs_status_keep_first(st, &why);
        return st->code;
    }
    s->count++;
    const gs_index_header *const h = gs_index_header_of(to->index);
    if (gs_index_header_sum(h) != from->header_sum || h->documents != from->documents)
        return damaged(s, from->number, "it is not the one that the manifest names", st);
    if (!are_alike(gs_segments_header(s), h) || !h->has_names)
        return damaged(s, from->number, "it is of another kind than the first", st);
    if (from->deletions == 0)
        return GS_OK;
    if (!gs_index_deletions_path(path, s->folder, from->deletions))
        return GS_FAIL(st, GS_ERR_IO, ENAMETOOLONG, "cannot read: %s", s->folder);
    GS_TRY(
        gs_tombstones_open(&to->deleted, path, from->documents, from->deletions_sum, st));
    return to->deleted.head.deleted == from->deleted &&
                   to->deleted.head.length_sum <= h->length_sum
               ? GS_OK
               : damaged(s, from->number, "its deletions are not what they should be",
                         st);
}

static gs_code number_documents(gs_segments *s, gs_status *st)
{
    for (size_t i = 0; i < s->count; i++) {
        gs_segment *const segment = &s->items[i];
        const gs_index_header *const h = gs_index_header_of(segment->index);
        segment->base = s->documents;
        segment->documents = h->documents - segment->deleted.head.deleted;
        s->length_sum += h->length_sum - segment->deleted.head.length_sum;
        if (segment->documents > GS_INDEX_DOCS_MAX - s->documents)
            return GS_FAIL(st, GS_ERR_LIMIT, 0, "more than 2^40 documents in all");
        s->documents += segment->documents;
    }
    s->is_plain = s->count == 1 && s->items[0].deleted.lines == NULL;
    return GS_OK;
}

static gs_code open_all(gs_segments *s, const gs_index_manifest *m, bool has_manifest,
                        gs_status *st)
{
    GS_TRY(gs_mem_new_array(&s->items, has_manifest ? m->count : 1, sizeof *s->items,
                            "segments of an index", st));
    if (has_manifest) {
        for (size_t i = 0; i < m->count; i++)
            GS_TRY(open_segment(s, &m->segments[i], st));
    } else {
        GS_TRY(gs_index_open(&s->items[0].index, s->folder, st));
        s->count = 1;
    }
    return number_documents(s, st);
}

static gs_code open_once(gs_segments **out, const char *folder,
                         const gs_index_manifest *m, bool has_manifest, gs_status *st)
{
    gs_segments *s = NULL;
    GS_TRY(gs_mem_new(&s, sizeof *s, "index", st));
    if (gs_mem_copy_string(&s->folder, folder, st) == GS_OK)
        GS_NOTED(open_all(s, m, has_manifest, st));
    if (st->code == GS_OK)
        *out = s;
    else
        gs_segments_close(s);
    return st->code;
}

/* Is there another manifest than the one that was read? */
static bool has_changed(const char *folder, bool had_one, uint64_t next)
{
    gs_index_manifest now;
    gs_status ignored = {.code = GS_OK};
    bool has_one;
    if (gs_index_manifest_read(&now, folder, &has_one, &ignored) != GS_OK)
        return false;
    const bool is_other = has_one != had_one || now.next != next;
    gs_index_manifest_release(&now);
    return is_other;
}

gs_code gs_segments_open(gs_segments **out, const char *folder, gs_status *st)
{
    *out = NULL;
    for (int tries = 1;; tries++) {
        gs_index_manifest m;
        bool has_manifest;
        GS_TRY(gs_index_manifest_read(&m, folder, &has_manifest, st));
        const uint64_t next = m.next;
        GS_NOTED(open_once(out, folder, &m, has_manifest, st));
        gs_index_manifest_release(&m);
        if (st->code == GS_OK || tries == TRIES ||
            !has_changed(folder, has_manifest, next))
            return st->code;
        gs_status_clear(st);
    }
}

void gs_segments_close(gs_segments *s)
{
    if (s == NULL)
        return;
    for (size_t i = 0; i < s->count; i++) {
        gs_index_close(s->items[i].index);
        gs_tombstones_close(&s->items[i].deleted);
    }
    gs_mem_free(s->items);
    gs_mem_free(s->folder);
    gs_mem_free(s);
}

/* --- all of them ------------------------------------------------------------------- */

const gs_index_header *gs_segments_header(const gs_segments *s)
{
    return gs_index_header_of(s->items[0].index);
}

gs_code gs_segments_check_unchanged(const gs_segments *s, gs_status *st)
{
    for (size_t i = 0; i < s->count; i++)
        GS_TRY(gs_index_check_unchanged(s->items[i].index, st));
    return GS_OK;
}

gs_code gs_segments_check_sums(const gs_segments *s, gs_status *st)
{
    for (size_t i = 0; i < s->count; i++)
        GS_TRY(gs_index_check_sums(s->items[i].index, st));
    return GS_OK;
}

/* --- documents -------------------------------------------------------------------- */

const gs_segment *gs_segments_find(const gs_segments *s, uint64_t doc, uint64_t *there)
{
    size_t at = 0;
    gs_assert(doc < s->documents);
    if (s->is_plain) {
        *there = doc;
        return s->items;
    }
    for (size_t n = s->count; n > 1;) {
        const size_t half = n / 2;
        const bool is_behind = s->items[at + half].base <= doc;
        at = is_behind ? at + half : at;
        n = is_behind ? n - half : half;
    }
    *there = gs_tombstones_left(&s->items[at].deleted, doc - s->items[at].base);
    return &s->items[at];
}

gs_code gs_segments_name(const gs_segments *s, uint64_t doc, gs_document_name *name,
                         gs_status *st)
{
    uint64_t there;
    const gs_segment *const segment = gs_segments_find(s, doc, &there);
    return gs_index_document_name(segment->index, there, name, st);
}

void gs_segments_name_soon(const gs_segments *s, uint64_t doc)
{
    uint64_t there;
    const gs_segment *const segment = gs_segments_find(s, doc, &there);
    gs_index_document_name_soon(segment->index, there);
}

typedef struct name_search {
    const gs_segment *segment;
    uint64_t *docs;
} name_search;

static gs_code take_first(void *context, uint64_t doc, uint32_t length, size_t number,
                          gs_status *st)
{
    const name_search *const n = context;
    (void)length;
    if (n->docs[number] == GS_NO_SUCH_NAME &&
        !gs_tombstones_has(&n->segment->deleted, doc))
        n->docs[number] = gs_segment_number(n->segment, doc);
    return st->code;
}

gs_code gs_segments_find_names(const gs_segments *s, const gs_text_span *names,
                               size_t count, uint64_t *docs, gs_status *st)
{
    for (size_t i = 0; i < count; i++)
        docs[i] = GS_NO_SUCH_NAME;
    for (size_t i = 0; i < s->count; i++) {
        name_search search = {&s->items[i], docs};
        GS_TRY(gs_index_each_named(s->items[i].index, names, count, take_first, &search,
                                   st));
    }
    return GS_OK;
}
