/* SPDX-License-Identifier: MIT */
#include "lib/index/document_trec.h"

#include <string.h>
#include <strings.h>

#include "lib/base/mem.h"
#include "lib/sort/line_scan.h"

typedef struct trec_reader {
    gs_document_list *list;
    const uint8_t *at, *end;
    const uint8_t *counted; /* lines before this are in list->line_count */
} trec_reader;

/* Is the tag `text`, such as "</doc>", at `p`? */
static bool is_tag_at(const uint8_t *p, const uint8_t *end, const char *text)
{
    const size_t n = strlen(text);
    return (size_t)(end - p) >= n && strncasecmp((const char *)p, text, n) == 0;
}

/* The first such tag at or after `p`, or NULL. */
static const uint8_t *find_tag(const uint8_t *p, const uint8_t *end, const char *text)
{
    while (p < end && (p = memchr(p, '<', (size_t)(end - p))) != NULL) {
        if (is_tag_at(p, end, text))
            return p;
        p++;
    }
    return NULL;
}

size_t gs_trec_whole_bytes(const uint8_t *data, size_t bytes)
{
    static const char tag[] = "</doc>";
    const size_t tag_bytes = sizeof tag - 1;
    const uint8_t *const end = data + bytes;
    size_t left = bytes;
    const uint8_t *last;
    while (left > 0 && (last = memrchr(data, '<', left)) != NULL) {
        if (is_tag_at(last, end, tag))
            return (size_t)(last - data) + tag_bytes;
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

/* Where the mark-up that begins at `p`, a '<', ends; NULL if it is none. */
static const uint8_t *end_of_markup(const uint8_t *p, const uint8_t *end)
{
    if (is_tag_at(p, end, "<!--")) {
        const uint8_t *const close = memmem(p + 4, (size_t)(end - p) - 4, "-->", 3);
        return close != NULL ? close + 3 : end;
    }
    const uint8_t *name = p + 1;
    if (name < end && *name == '/')
        name++;
    if (name == end || !is_letter(*name))
        return NULL;
    const uint8_t *const close = memchr(name, '>', (size_t)(end - name));
    return close != NULL ? close + 1 : NULL;
}

static bool is_blank(uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static gs_text_span trim(const uint8_t *from, const uint8_t *to)
{
    while (from < to && is_blank(*from))
        from++;
    while (from < to && is_blank(to[-1]))
        to--;
    return (gs_text_span){from, (size_t)(to - from)};
}

static gs_code add_text(gs_document_list *list, gs_document *document,
                        const uint8_t *from, const uint8_t *to, gs_status *st)
{
    if (trim(from, to).bytes == 0)
        return GS_OK;
    if (list->text_count == list->text_capacity) {
        const size_t capacity = 2 * list->text_capacity + 256;
        void *memory = list->texts;
        GS_TRY(gs_mem_resize(&memory, capacity * sizeof *list->texts, "list of documents",
                             st));
        list->texts = memory;
        list->text_capacity = capacity;
    }
    list->texts[list->text_count++] = (gs_text_span){from, (size_t)(to - from)};
    document->text_count++;
    return GS_OK;
}

/* Adds the texts between the tags of [from, to) to the document. */
static gs_code add_texts(gs_document_list *list, gs_document *document,
                         const uint8_t *from, const uint8_t *to, gs_status *st)
{
    const uint8_t *p = from;
    while (p < to && (p = memchr(p, '<', (size_t)(to - p))) != NULL) {
        const uint8_t *const after = end_of_markup(p, to);
        if (after == NULL) {
            p++;
            continue;
        }
        GS_TRY(add_text(list, document, from, p, st));
        from = p = after;
    }
    return add_text(list, document, from, to, st);
}

/* One document, between its <DOC> (at `begin`) and its </DOC>. */
static gs_code parse_document(trec_reader *r, const uint8_t *begin, const uint8_t *body,
                              const uint8_t *end, gs_status *st)
{
    static const char open[] = "<docno>", close[] = "</docno>";
    gs_document_list *const list = r->list;
    const uint8_t *const name_tag = find_tag(body, end, open);
    const uint8_t *const name_at = name_tag != NULL ? name_tag + sizeof open - 1 : NULL;
    const uint8_t *const name_end =
        name_at != NULL ? find_tag(name_at, end, close) : NULL;
    if (name_end == NULL)
        return gs_document_list_add_bad(list, line_of(r, begin),
                                        "a <DOC> without <DOCNO>...</DOCNO>", st);
    const gs_text_span name = trim(name_at, name_end);
    if (name.bytes == 0)
        return gs_document_list_add_bad(list, line_of(r, begin), "an empty <DOCNO>", st);
    if (name.bytes > GS_DOCUMENT_NAME_BYTES_MAX)
        return gs_document_list_add_bad(list, line_of(r, begin),
                                        "the name is longer than 65535 bytes", st);
    const uint8_t *const rest = name_end + sizeof close - 1;
    if (find_tag(rest, end, open) != NULL)
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
        const gs_text_span gap = trim(from, to);
        if (gap.bytes == 0)
            return GS_OK;
        if (!is_tag_at(gap.data, to, "<!") && !is_tag_at(gap.data, to, "<?"))
            return gs_document_list_add_bad(r->list, line_of(r, gap.data),
                                            "text outside of <DOC>...</DOC>", st);
        const uint8_t *const close = memchr(gap.data, '>', gap.bytes);
        if (close == NULL)
            return gs_document_list_add_bad(r->list, line_of(r, gap.data),
                                            "a declaration does not end", st);
        from = is_tag_at(gap.data, to, "<!--") ? end_of_markup(gap.data, to) : close + 1;
    }
}

gs_code gs_trec_parse(gs_document_list *list, const gs_line_batch *batch, gs_status *st)
{
    static const char open[] = "<doc>", close[] = "</doc>";
    const uint8_t *const end = batch->data + batch->bytes;
    trec_reader r = {list, batch->data, end, batch->data};
    while (r.at < end) {
        const uint8_t *const begin = find_tag(r.at, end, open);
        GS_TRY(check_gap(&r, r.at, begin != NULL ? begin : end, st));
        if (begin == NULL)
            break;
        const uint8_t *const body = begin + sizeof open - 1;
        const uint8_t *const body_end = find_tag(body, end, close);
        const uint8_t *const second =
            find_tag(body, body_end != NULL ? body_end : end, open);
        if (body_end == NULL || second != NULL) {
            GS_TRY(gs_document_list_add_bad(list, line_of(&r, begin),
                                            "a <DOC> without </DOC>", st));
            r.at = second != NULL ? second : end;
            continue;
        }
        GS_TRY(parse_document(&r, begin, body, body_end, st));
        r.at = body_end + sizeof close - 1;
    }
    (void)line_of(&r, end);
    return GS_OK;
}
