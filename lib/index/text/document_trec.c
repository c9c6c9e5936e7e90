/* SPDX-License-Identifier: MIT */
#include "lib/index/text/document_trec.h"

#include <string.h>
#include <strings.h>

#include "lib/base/mem.h"
#include "lib/base/utf8.h"
#include "lib/sort/record/records.h"

typedef struct trec_reader {
    gs_document_list *list;
    const uint8_t *at, *end;
    const uint8_t *counted; /* lines before this are in list->line_count */
} trec_reader;

/* Of more texts in a document the mark-up between them is blanked, which separates words
 * as well as the end of a text does: so what is known of a document takes no more memory
 * than the document. */
enum { TEXTS_MAX = 4096 };

static const char doc_open[] = "<doc", doc_close[] = "</doc";
static const char docno_open[] = "<docno", docno_close[] = "</docno";

static bool is_blank(uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Does `text`, such as "<!--", stand at `p`? */
static bool is_at(const uint8_t *p, const uint8_t *end, const char *text)
{
    const size_t n = strlen(text);
    return (size_t)(end - p) >= n && strncasecmp((const char *)p, text, n) == 0;
}

/* Where the tag that begins at `p` with `name`, such as "</doc", ends; NULL if there is
 * none. Attributes may follow the name. */
static const uint8_t *end_of_tag(const uint8_t *p, const uint8_t *end, const char *name)
{
    if (!is_at(p, end, name))
        return NULL;
    p += strlen(name);
    if (p == end || (*p != '>' && !is_blank(*p)))
        return NULL;
    while (p < end && *p != '>' && *p != '<')
        p++;
    return p < end && *p == '>' ? p + 1 : NULL;
}

/* The first such tag at or after `p`, and what follows it; or NULL. */
static const uint8_t *find_tag(const uint8_t *p, const uint8_t *end, const char *name,
                               const uint8_t **after)
{
    while (p < end && (p = memchr(p, '<', (size_t)(end - p))) != NULL) {
        if ((*after = end_of_tag(p, end, name)) != NULL)
            return p;
        p++;
    }
    return NULL;
}

size_t gs_trec_whole_bytes(const uint8_t *data, size_t bytes)
{
    const uint8_t *const end = data + bytes;
    size_t left = bytes;
    const uint8_t *last;
    while (left > 0 && (last = memrchr(data, '<', left)) != NULL) {
        const uint8_t *const after = end_of_tag(last, end, doc_close);
        if (after != NULL)
            return (size_t)(after - data);
        left = (size_t)(last - data);
    }
    return 0;
}

/* Counts the lines before `p`. */
static uint64_t line_of(trec_reader *r, const uint8_t *p)
{
    r->list->line_count += gs_line_count(r->counted, (size_t)(p - r->counted), '\n');
    r->counted = p;
    return r->list->line_count;
}

static bool is_letter(uint8_t c)
{
    const uint8_t lower = c | 0x20;
    return lower >= 'a' && lower <= 'z';
}

/* Where the mark-up that begins at `p`, a '<', ends; NULL if it is none. `last` is the
 * last '>' before the end, or NULL: behind it nothing is searched for. */
static const uint8_t *end_of_markup(const uint8_t *p, const uint8_t *end,
                                    const uint8_t *last)
{
    if (is_at(p, end, "<!--")) {
        const uint8_t *const close = memmem(p + 4, (size_t)(end - p) - 4, "-->", 3);
        return close != NULL ? close + 3 : end;
    }
    const uint8_t *name = p + 1;
    if (name < end && *name == '/')
        name++;
    if (name == end || !is_letter(*name) || last == NULL || name > last)
        return NULL;
    const uint8_t *const close = memchr(name, '>', (size_t)(end - name));
    return close + 1;
}

static gs_text_span trim(const uint8_t *from, const uint8_t *to)
{
    while (from < to && is_blank(*from))
        from++;
    while (from < to && is_blank(to[-1]))
        to--;
    return (gs_text_span){from, (size_t)(to - from)};
}

/* Adds the text from..to of a stretch that begins at `floor`. */
static gs_code add_text(gs_document_list *list, gs_document *document,
                        const uint8_t *floor, const uint8_t *from, const uint8_t *to,
                        gs_status *st)
{
    if (trim(from, to).bytes == 0)
        return GS_OK;
    if (document->text_count >= TEXTS_MAX) {
        gs_text_span *const last = &list->texts[list->text_count - 1];
        uint8_t *const gap = (uint8_t *)(uintptr_t)(last->data + last->bytes);
        if (gap >= floor) {
            memset(gap, ' ', (size_t)(from - gap));
            last->bytes = (size_t)(to - last->data);
            return GS_OK;
        }
    }
    GS_TRY(gs_mem_grow(&list->texts, &list->text_capacity, list->text_count + 1,
                       "list of documents", st));
    list->texts[list->text_count++] = (gs_text_span){from, (size_t)(to - from)};
    document->text_count++;
    return GS_OK;
}

/* Adds the texts between the tags of [from, to) to the document. */
static gs_code add_texts(gs_document_list *list, gs_document *document,
                         const uint8_t *from, const uint8_t *to, gs_status *st)
{
    const uint8_t *const floor = from;
    const uint8_t *p = from;
    const uint8_t *const last =
        from < to ? memrchr(from, '>', (size_t)(to - from)) : NULL;
    while (p < to && (p = memchr(p, '<', (size_t)(to - p))) != NULL) {
        const uint8_t *const after = end_of_markup(p, to, last);
        if (after == NULL) {
            p++;
            continue;
        }
        GS_TRY(add_text(list, document, floor, from, p, st));
        from = p = after;
    }
    return add_text(list, document, floor, from, to, st);
}

/* One document, which begins at `begin`, between its tags. */
static gs_code parse_document(trec_reader *r, const uint8_t *begin, const uint8_t *body,
                              const uint8_t *end, gs_status *st)
{
    gs_document_list *const list = r->list;
    const uint8_t *name_at, *rest, *ignored;
    const uint8_t *const name_tag = find_tag(body, end, docno_open, &name_at);
    const uint8_t *const name_end =
        name_tag != NULL ? find_tag(name_at, end, docno_close, &rest) : NULL;
    if (name_end == NULL)
        return gs_document_list_add_bad(list, line_of(r, begin),
                                        "a <DOC> without <DOCNO>...</DOCNO>", st);
    const gs_text_span name = trim(name_at, name_end);
    if (name.bytes == 0)
        return gs_document_list_add_bad(list, line_of(r, begin), "an empty <DOCNO>", st);
    if (name.bytes > GS_DOCUMENT_NAME_BYTES_MAX)
        return gs_document_list_add_bad(list, line_of(r, begin),
                                        "the name is longer than 65535 bytes", st);
    if (find_tag(rest, end, docno_open, &ignored) != NULL)
        return gs_document_list_add_bad(list, line_of(r, begin),
                                        "a <DOC> with two <DOCNO>", st);
    GS_TRY(gs_document_list_add(list, name, NULL, 0, st));
    gs_document *const document = &list->documents[list->count - 1];
    GS_TRY(add_texts(list, document, body, name_tag, st));
    return add_texts(list, document, rest, end, st);
}

/* What stands between documents must be blank, a comment or a declaration. */
static gs_code check_gap(trec_reader *r, const uint8_t *from, const uint8_t *to,
                         gs_status *st)
{
    for (;;) {
        const gs_text_span gap = trim(gs_utf8_skip_mark(trim(from, to).data, to), to);
        if (gap.bytes == 0)
            return GS_OK;
        if (!is_at(gap.data, to, "<!") && !is_at(gap.data, to, "<?"))
            return gs_document_list_add_bad(r->list, line_of(r, gap.data),
                                            "text outside of <DOC>...</DOC>", st);
        const uint8_t *const close = memchr(gap.data, '>', gap.bytes);
        if (close == NULL)
            return gs_document_list_add_bad(r->list, line_of(r, gap.data),
                                            "a declaration does not end", st);
        from =
            is_at(gap.data, to, "<!--") ? end_of_markup(gap.data, to, NULL) : close + 1;
    }
}

/* The tag that ends a document, of which `p` is behind the first; NULL if another one
 * begins before, or none ends. *next is where to go on. */
static const uint8_t *find_doc_end(const uint8_t *p, const uint8_t *end,
                                   const uint8_t **next)
{
    while (p < end && (p = memchr(p, '<', (size_t)(end - p))) != NULL) {
        if ((*next = end_of_tag(p, end, doc_close)) != NULL)
            return p;
        *next = p;
        if (end_of_tag(p, end, doc_open) != NULL)
            return NULL;
        p++;
    }
    *next = end;
    return NULL;
}

gs_code gs_trec_parse(gs_document_list *list, const gs_line_batch *batch, gs_status *st)
{
    const uint8_t *const end = batch->data + batch->bytes;
    trec_reader r = {list, batch->data, end, batch->data};
    while (r.at < end) {
        const uint8_t *body, *next;
        const uint8_t *const begin = find_tag(r.at, end, doc_open, &body);
        GS_TRY(check_gap(&r, r.at, begin != NULL ? begin : end, st));
        if (begin == NULL)
            break;
        const uint8_t *const body_end = find_doc_end(body, end, &next);
        r.at = next;
        if (body_end == NULL)
            GS_TRY(gs_document_list_add_bad(list, line_of(&r, begin),
                                            "a <DOC> without </DOC>", st));
        else
            GS_TRY(parse_document(&r, begin, body, body_end, st));
    }
    (void)line_of(&r, end);
    return GS_OK;
}

bool gs_trec_find_name(const uint8_t *data, size_t bytes, gs_text_span *name,
                       uint64_t *line)
{
    const uint8_t *const end = data + bytes;
    const uint8_t *after, *rest;
    const uint8_t *const doc = find_tag(data, end, doc_open, &after);
    *line = doc != NULL ? gs_line_count(data, (size_t)(doc - data), '\n') : 0;
    const uint8_t *const tag =
        doc != NULL ? find_tag(after, end, docno_open, &after) : NULL;
    const uint8_t *const close =
        tag != NULL ? find_tag(after, end, docno_close, &rest) : NULL;
    if (close == NULL)
        return false;
    *name = trim(after, close);
    return name->bytes > 0;
}
