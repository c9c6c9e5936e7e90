/* SPDX-License-Identifier: MIT */
#include "lib/index/text/document_kind.h"

#include <string.h>
#include <strings.h>

#include "lib/base/utf8.h"
#include "lib/sort/record/records.h"

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

/* What stands in quotation marks separates nothing. */
static size_t count(const uint8_t *from, const uint8_t *to, uint8_t separator)
{
    size_t n = 0;
    bool is_quoted = false;
    for (const uint8_t *p = from; p < to; p++) {
        is_quoted ^= *p == GS_CSV_QUOTE;
        n += !is_quoted && *p == separator;
    }
    return n;
}

/* As many of a separator in the second line as in the first. */
static bool has_columns(const kind_view *v, uint8_t separator)
{
    const size_t in_first = count(v->at, v->eol, separator);
    return in_first > 0 && v->eol < v->next_eol &&
           count(v->eol + 1, v->next_eol, separator) == in_first;
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

/* Where the object ends that begins at `p`, and its line: are those the same? */
static bool is_object_line(const kind_view *v)
{
    const uint8_t *p = v->at + 1;
    while (p < v->eol && (*p == ' ' || *p == '\t' || *p == '\r'))
        p++;
    return p < v->eol;
}

static gs_document_kind kind_of_columns(const kind_view *v)
{
    const uint8_t *const tab =
        v->line < v->eol ? memchr(v->line, '\t', (size_t)(v->eol - v->line)) : NULL;
    if (tab != NULL)
        return is_tuple(v, tab) ? GS_LOOKS_TUPLES : GS_LOOKS_TABS;
    return has_columns(v, ',') || has_columns(v, ';') ? GS_LOOKS_COMMAS : GS_LOOKS_PROSE;
}

gs_document_kind gs_document_kind_of(const uint8_t *data, size_t bytes)
{
    const kind_view v = view_of(data, bytes);
    if (is_utf16(data, bytes))
        return GS_LOOKS_UTF16;
    if (v.at == v.end)
        return GS_LOOKS_NOTHING;
    if (begins(&v, "WARC/"))
        return GS_LOOKS_WARC;
    if (memchr(v.at, 0, (size_t)(v.end - v.at)) != NULL)
        return GS_LOOKS_BINARY;
    if (*v.at == '[')
        return GS_LOOKS_ARRAY;
    if (*v.at == '{')
        return is_object_line(&v) ? GS_LOOKS_OBJECT_LINES : GS_LOOKS_OBJECTS;
    if (begins(&v, "<doc>") || begins(&v, "<doc "))
        return GS_LOOKS_TREC;
    if (begins(&v, "<!doctype html") || begins(&v, "<html"))
        return GS_LOOKS_HTML;
    return *v.at == '<' ? GS_LOOKS_XML : kind_of_columns(&v);
}

typedef struct kind_hint {
    gs_document_format as; /* what it is if it is read as this, */
    const char *text;      /* and what it looks like otherwise */
} kind_hint;

static kind_hint hint_of(gs_document_kind kind)
{
    switch (kind) {
    case GS_LOOKS_UTF16:
        return (kind_hint){GS_FORMAT_COUNT, "it looks like UTF-16: `iconv -f UTF-16 -t "
                                            "UTF-8' makes it what is read"};
    case GS_LOOKS_BINARY:
        return (kind_hint){GS_FORMAT_TUPLES_BIN, "it looks like binary data, not text"};
    case GS_LOOKS_WARC:
        return (kind_hint){GS_FORMAT_WARC, "it looks like a WARC archive: --format=warc"};
    case GS_LOOKS_ARRAY:
        return (kind_hint){GS_FORMAT_JSON,
                           "it looks like a JSON array: --format=json reads that"};
    case GS_LOOKS_OBJECTS:
        return (kind_hint){GS_FORMAT_JSON, "it looks like JSON over several lines: "
                                           "--format=json reads that"};
    case GS_LOOKS_OBJECT_LINES:
        return (kind_hint){GS_FORMAT_JSONL, "it looks like JSON: --format=jsonl reads an "
                                            "object a line"};
    case GS_LOOKS_TREC:
        return (kind_hint){GS_FORMAT_TREC, "it looks like TREC: say --format=trec"};
    case GS_LOOKS_HTML:
        return (kind_hint){GS_FORMAT_HTML, "it looks like HTML: --format=html makes each "
                                           "file a document"};
    case GS_LOOKS_XML:
        return (kind_hint){GS_FORMAT_HTML,
                           "it looks like XML: --format=html makes each file a document, "
                           "without the tags, and --format=trec reads <DOC> elements"};
    case GS_LOOKS_TUPLES:
        return (kind_hint){GS_FORMAT_TUPLES, "it looks like terms and numbers of "
                                             "documents: say --format=tuples"};
    case GS_LOOKS_TABS:
        return (kind_hint){GS_FORMAT_TSV, "it looks like columns with TABs between: "
                                          "--format=tsv reads a name, a TAB and text"};
    case GS_LOOKS_COMMAS:
        return (kind_hint){GS_FORMAT_CSV,
                           "it looks like comma-separated values: --format=csv reads "
                           "them, with a header that names the columns"};
    case GS_LOOKS_PROSE:
        return (kind_hint){GS_FORMAT_TEXT, "it looks like plain text: --format=text "
                                           "makes each file a document"};
    case GS_LOOKS_NOTHING:
    case GS_LOOKS_COUNT: break;
    }
    return (kind_hint){GS_FORMAT_COUNT, NULL};
}

const char *gs_document_kind_hint(const uint8_t *data, size_t bytes,
                                  gs_document_format format)
{
    const gs_document_kind kind = gs_document_kind_of(data, bytes);
    const kind_hint hint = hint_of(kind);
    const bool is_so = format < GS_FORMAT_COUNT &&
                       (hint.as == format ||
                        (kind == GS_LOOKS_OBJECT_LINES && format == GS_FORMAT_VECTORS));
    return is_so ? NULL : hint.text;
}
