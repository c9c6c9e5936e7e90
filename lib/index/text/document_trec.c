/* SPDX-License-Identifier: MIT */
#include "lib/index/text/document_trec.h"

#include <string.h>
#include <strings.h>

#include "lib/base/mem.h"
#include "lib/base/utf8.h"
#include "lib/index/text/byte_find.h"
#include "lib/sort/record/records.h"

/* A text in which comments are told from text. Those that begin in open_from..open_to do
 * not end, so that however many they are, their end is searched for once. */
typedef struct trec_text {
    const uint8_t *begin, *end;
    const uint8_t *open_from, *open_to; /* NULL: none was found */
} trec_text;

typedef struct trec_reader {
    gs_document_list *list;
    trec_text text;
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

/* --- comments ---------------------------------------------------------------------- */

/* A byte order mark before `p` counts as nothing. */
static const uint8_t *before_mark(const uint8_t *begin, const uint8_t *p)
{
    return p - begin >= 3 && gs_utf8_skip_mark(p - 3, p) == p ? p - 3 : p;
}

/* Is the <DOC> at `p` the first thing on a line, or behind a </DOC>? No comment goes on
 * there. */
static bool is_fence(const uint8_t *begin, const uint8_t *p, const uint8_t *end)
{
    if (end_of_tag(p, end, doc_open) == NULL)
        return false;
    p = before_mark(begin, p);
    for (; p > begin && is_blank(p[-1]); p = before_mark(begin, p - 1)) {
        if (p[-1] == '\n')
            return true;
    }
    if (p == begin || p[-1] != '>')
        return false;
    const uint8_t *const tag = memrchr(begin, '<', (size_t)(p - begin));
    return tag != NULL && end_of_tag(tag, end, doc_close) == p;
}

/* Do the bytes before `p`, a '>', make it the end of a comment? */
static bool is_comment_end(const uint8_t *from, const uint8_t *p)
{
    return p - from >= 2 && p[-1] == '-' && p[-2] == '-';
}

/* Behind the comment that begins at `p`, or NULL if none does: what does not end before
 * such a <DOC> is text, so that an end that was forgotten hides no other documents. */
static const uint8_t *end_of_comment(trec_text *t, const uint8_t *p)
{
    if (t->end - p < 4 || memcmp(p, "<!--", 4) != 0)
        return NULL;
    const uint8_t *const from = p + 2; /* <!--> is one, too */
    if (t->open_to != NULL && from >= t->open_from && from <= t->open_to)
        return NULL;
    /* From open_from on no comment ends: the search stops two bytes behind it, since an
     * end that begins before may reach so far. */
    const bool is_before = t->open_to != NULL && from < t->open_from;
    const uint8_t *const limit =
        is_before && t->end - t->open_from > 2 ? t->open_from + 2 : t->end;
    const uint8_t *stop = gs_find_either(from, limit, '<', '>');
    while (stop < limit && !is_fence(t->begin, stop, t->end)) {
        if (*stop == '>' && is_comment_end(from, stop))
            return stop + 1;
        stop = gs_find_either(stop + 1, limit, '<', '>');
    }
    t->open_from = from;
    if (!is_before || stop < limit)
        t->open_to = stop;
    return NULL;
}

/* The first such tag in p..end of the text, outside of comments, and what follows it; or
 * NULL. */
static const uint8_t *find_tag(trec_text *t, const uint8_t *p, const uint8_t *end,
                               const char *name, const uint8_t **after)
{
    while (p < end && (p = memchr(p, '<', (size_t)(end - p))) != NULL) {
        if ((*after = end_of_tag(p, end, name)) != NULL)
            return p;
        const uint8_t *const behind = end_of_comment(t, p);
        p = behind != NULL ? behind : p + 1;
    }
    return NULL;
}

/* Reads from the end, as far as it takes to know that no comment goes on where the last
 * document ends. Where that cannot be known, since `data` begins too late or ends too
 * early, its end does not count, and the next one is waited for: so comments are the same
 * wherever files are cut. */
size_t gs_trec_whole_bytes(const uint8_t *data, size_t bytes)
{
    const uint8_t *const end = data + bytes;
    const uint8_t *last = NULL;   /* behind the last </DOC> that may be in no comment */
    bool is_before_fence = false; /* which comes next, before any end of a comment */
    for (const uint8_t *p = end; p-- > data;) {
        if (*p != '<' && *p != '>')
            continue;
        const bool is_at_fence = is_fence(data, p, end);
        const uint8_t *const after = end_of_tag(p, end, doc_close);
        if (is_at_fence || (*p == '>' && is_comment_end(data, p))) {
            if (last != NULL)
                return (size_t)(last - data);
            is_before_fence = is_at_fence;
        } else if (after != NULL && last == NULL) {
            if (is_before_fence)
                return (size_t)(after - data);
            last = after;
        } else if (is_at(p, end, "<!--")) {
            last = NULL;
        }
    }
    return 0;
}

/* --- documents --------------------------------------------------------------------- */

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
static const uint8_t *end_of_markup(trec_text *t, const uint8_t *p, const uint8_t *end,
                                    const uint8_t *last)
{
    const uint8_t *const behind = end_of_comment(t, p);
    if (behind != NULL)
        return behind < end ? behind : end;
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
static gs_code add_texts(trec_reader *r, gs_document *document, const uint8_t *from,
                         const uint8_t *to, gs_status *st)
{
    gs_document_list *const list = r->list;
    const uint8_t *const floor = from;
    const uint8_t *p = from;
    const uint8_t *const last =
        from < to ? memrchr(from, '>', (size_t)(to - from)) : NULL;
    while (p < to && (p = memchr(p, '<', (size_t)(to - p))) != NULL) {
        const uint8_t *const after = end_of_markup(&r->text, p, to, last);
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
    const uint8_t *const name_tag = find_tag(&r->text, body, end, docno_open, &name_at);
    const uint8_t *const name_end =
        name_tag != NULL ? find_tag(&r->text, name_at, end, docno_close, &rest) : NULL;
    if (name_end == NULL)
        return gs_document_list_add_bad(list, line_of(r, begin),
                                        "a <DOC> without <DOCNO>...</DOCNO>", st);
    const gs_text_span name = trim(name_at, name_end);
    if (name.bytes == 0)
        return gs_document_list_add_bad(list, line_of(r, begin), "an empty <DOCNO>", st);
    if (name.bytes > GS_DOCUMENT_NAME_BYTES_MAX)
        return gs_document_list_add_bad(list, line_of(r, begin),
                                        "the name is longer than 65535 bytes", st);
    if (find_tag(&r->text, rest, end, docno_open, &ignored) != NULL)
        return gs_document_list_add_bad(list, line_of(r, begin),
                                        "a <DOC> with two <DOCNO>", st);
    GS_TRY(gs_document_list_add(list, name, NULL, 0, st));
    gs_document *const document = &list->documents[list->count - 1];
    GS_TRY(add_texts(r, document, body, name_tag, st));
    return add_texts(r, document, rest, end, st);
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
        const bool is_comment = is_at(gap.data, to, "<!--");
        const uint8_t *const close = memchr(gap.data, '>', gap.bytes);
        const uint8_t *const behind = is_comment      ? end_of_comment(&r->text, gap.data)
                                      : close != NULL ? close + 1
                                                      : NULL;
        if (behind == NULL)
            return gs_document_list_add_bad(
                r->list, line_of(r, gap.data),
                is_comment ? "a comment does not end" : "a declaration does not end", st);
        from = behind < to ? behind : to;
    }
}

/* The tag that ends a document, of which `p` is behind the first; NULL if another one
 * begins before, or none ends. *next is where to go on. */
static const uint8_t *find_doc_end(trec_text *t, const uint8_t *p, const uint8_t **next)
{
    const uint8_t *const end = t->end;
    while (p < end && (p = memchr(p, '<', (size_t)(end - p))) != NULL) {
        if ((*next = end_of_tag(p, end, doc_close)) != NULL)
            return p;
        *next = p;
        if (end_of_tag(p, end, doc_open) != NULL)
            return NULL;
        const uint8_t *const behind = end_of_comment(t, p);
        p = behind != NULL ? behind : p + 1;
    }
    *next = end;
    return NULL;
}

gs_code gs_trec_parse(gs_document_list *list, const gs_line_batch *batch, gs_status *st)
{
    const uint8_t *const end = batch->data + batch->bytes;
    trec_reader r = {
        list, {.begin = batch->data, .end = end}, batch->data, end, batch->data};
    while (r.at < end) {
        const uint8_t *body, *next;
        const uint8_t *const begin = find_tag(&r.text, r.at, end, doc_open, &body);
        GS_TRY(check_gap(&r, r.at, begin != NULL ? begin : end, st));
        if (begin == NULL)
            break;
        const uint8_t *const body_end = find_doc_end(&r.text, body, &next);
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
    trec_text text = {.begin = data, .end = end};
    const uint8_t *after, *rest;
    const uint8_t *const doc = find_tag(&text, data, end, doc_open, &after);
    *line = doc != NULL ? gs_line_count(data, (size_t)(doc - data), '\n') : 0;
    const uint8_t *const tag =
        doc != NULL ? find_tag(&text, after, end, docno_open, &after) : NULL;
    const uint8_t *const close =
        tag != NULL ? find_tag(&text, after, end, docno_close, &rest) : NULL;
    if (close == NULL)
        return false;
    *name = trim(after, close);
    return name->bytes > 0;
}
