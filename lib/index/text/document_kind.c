/* SPDX-License-Identifier: MIT */
#include "lib/index/text/document_kind.h"

#include <string.h>
#include <strings.h>

#include "lib/base/utf8.h"

enum { LOOK_BYTES_MAX = 65536 };

/* The bytes that are looked at, from the first that is not blank, and the lines there. */
typedef struct kind_view {
    const uint8_t *at, *end;
    const uint8_t *line;     /* the first, with what is blank in it */
    const uint8_t *eol;      /* of the first line */
    const uint8_t *next_eol; /* of the second; the same if there is none */
} kind_view;

static const uint8_t *line_end(const uint8_t *p, const uint8_t *end)
{
    const uint8_t *const eol = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
    return eol != NULL ? eol : end;
}

static kind_view view_of(const uint8_t *data, size_t bytes)
{
    const uint8_t *const end = data + (bytes < LOOK_BYTES_MAX ? bytes : LOOK_BYTES_MAX);
    kind_view v = {.at = gs_utf8_skip_mark(data, end), .end = end};
    v.line = v.at;
    for (; v.at < end && (*v.at == ' ' || (*v.at >= '\t' && *v.at <= '\r')); v.at++) {
        if (*v.at == '\n')
            v.line = v.at + 1;
    }
    v.eol = line_end(v.at, end);
    v.next_eol = v.eol < end ? line_end(v.eol + 1, end) : v.eol;
    return v;
}

static bool begins(const kind_view *v, const char *text)
{
    const size_t n = strlen(text);
    return (size_t)(v->end - v->at) >= n &&
           strncasecmp((const char *)v->at, text, n) == 0;
}

static bool is_utf16(const uint8_t *data, size_t bytes)
{
    return bytes >= 2 &&
           ((data[0] == 0xff && data[1] == 0xfe) || (data[0] == 0xfe && data[1] == 0xff));
}

static size_t count(const uint8_t *from, const uint8_t *to, uint8_t c)
{
    size_t n = 0;
    for (const uint8_t *p = from; p < to; p++)
        n += *p == c;
    return n;
}

/* As many commas in the second line as in the first. */
static bool has_commas(const kind_view *v)
{
    const size_t commas = count(v->at, v->eol, ',');
    return commas > 0 && v->eol < v->next_eol &&
           count(v->eol + 1, v->next_eol, ',') == commas;
}

/* term TAB number, and perhaps one more number */
static bool is_tuple(const kind_view *v, const uint8_t *tab)
{
    const uint8_t *p = tab + 1;
    const uint8_t *const end = v->eol - (v->eol > p && v->eol[-1] == '\r');
    if (p == end)
        return false;
    while (p < end && ((*p >= '0' && *p <= '9') || *p == '\t'))
        p++;
    return p == end;
}

static const char *look_at_braces(const kind_view *v, gs_document_format format)
{
    if (*v->at == '[')
        return "it looks like a JSON array; what is read is an object a line, as "
               "`jq -c .[]' makes them";
    if (format != GS_FORMAT_JSONL)
        return "it looks like JSON: --format=jsonl reads an object a line";
    for (const uint8_t *p = v->at + 1; p < v->eol; p++) {
        if (*p != ' ' && *p != '\t' && *p != '\r')
            return NULL;
    }
    return "it looks like JSON over several lines; what is read is an object a line, as "
           "`jq -c .' makes them";
}

static const char *look_at_tags(const kind_view *v, gs_document_format format)
{
    if (begins(v, "<doc>") || begins(v, "<doc "))
        return format != GS_FORMAT_TREC ? "it looks like TREC: say --format=trec" : NULL;
    return "it looks like XML or HTML: --format=text makes each file a document, tags "
           "included, and --format=trec reads <DOC> elements";
}

static const char *look_at_columns(const kind_view *v, gs_document_format format)
{
    const uint8_t *const tab =
        v->line < v->eol ? memchr(v->line, '\t', (size_t)(v->eol - v->line)) : NULL;
    if (tab != NULL && is_tuple(v, tab))
        return format != GS_FORMAT_TUPLES
                   ? "it looks like terms and numbers of documents: say --format=tuples"
                   : NULL;
    if (tab != NULL)
        return format != GS_FORMAT_TSV ? "it looks like columns with TABs between: "
                                         "--format=tsv reads a name, "
                                         "a TAB and text"
                                       : NULL;
    if (has_commas(v))
        return "it looks like comma-separated values, which are not read: --format=tsv "
               "reads a name, a TAB and text";
    return "it looks like plain text: --format=text makes each file a document";
}

const char *gs_document_kind_hint(const uint8_t *data, size_t bytes,
                                  gs_document_format format)
{
    const kind_view v = view_of(data, bytes);
    if (is_utf16(data, bytes))
        return "it looks like UTF-16: `iconv -f UTF-16 -t UTF-8' makes it what is read";
    if (v.at == v.end)
        return NULL;
    if (begins(&v, "WARC/"))
        return "it looks like a WARC archive, which is not read: make JSON lines or TREC "
               "of its texts first";
    if (*v.at == '[' || *v.at == '{')
        return look_at_braces(&v, format);
    if (*v.at == '<')
        return look_at_tags(&v, format);
    if (memchr(v.at, 0, (size_t)(v.end - v.at)) != NULL)
        return "it looks like binary data, not text";
    return look_at_columns(&v, format);
}
