/* SPDX-License-Identifier: MIT */
#include "lib/index/text/document_warc.h"

#include <string.h>
#include <strings.h>

#include "lib/index/text/byte_find.h"
#include "lib/index/text/html_text.h"
#include "lib/base/hex_digit.h"
#include "lib/base/utf8.h"
#include "lib/sort/record/records.h"

/* --- cutting ----------------------------------------------------------------------- */

/* What the words of the cutter's state are. */
enum { PHASE, LEFT, COLUMN, LENGTH };

/* Where it stands: between records, in the header of one, in its content. */
enum { BETWEEN, IN_HEADER, IN_CONTENT };

static const char length_field[] = "content-length:";
enum {
    LENGTH_FIELD_BYTES = sizeof length_field - 1,
    /* What COLUMN says of a line of the header, beside how much of the field's name was
     * there so far. */
    OTHER_LINE = 1000,
    IN_LENGTH,
    BEHIND_LENGTH,
    /* The same as BLANK_SO_FAR, in the line behind a length that is not there yet. */
    BEFORE_LENGTH,
    BLANK_SO_FAR = 0,
};

/* A record may not be longer than this: sums of it and of places do not overflow. */
static const uint64_t content_bytes_max = (uint64_t)1 << 60;

static uint8_t lower(uint8_t c)
{
    return c >= 'A' && c <= 'Z' ? c | 0x20 : c;
}

/* One byte of a line of the header that does not end it. */
static void see_header_byte(gs_cut_state *s, uint8_t c)
{
    uint64_t *const column = &s->words[COLUMN];
    if (c == '\r')
        return;
    if (*column == BEFORE_LENGTH) { /* a blank goes on with the line before */
        *column = c == ' ' || c == '\t' ? IN_LENGTH : BLANK_SO_FAR;
    }
    if (*column < LENGTH_FIELD_BYTES) {
        const bool fits = lower(c) == (uint8_t)length_field[*column];
        *column = fits ? *column + 1 : OTHER_LINE;
        if (*column == LENGTH_FIELD_BYTES) {
            *column = IN_LENGTH;
            s->words[LENGTH] = 0;
        }
    } else if (*column == IN_LENGTH && c >= '0' && c <= '9') {
        if (s->words[LENGTH] < content_bytes_max)
            s->words[LENGTH] = s->words[LENGTH] * 10 + (c - '0');
    } else if (*column == IN_LENGTH && c != ' ' && c != '\t') {
        *column = BEHIND_LENGTH;
    }
}

/* Takes one line of the header, or what there is of it; true if it ends the header. */
static bool see_header_line(gs_cut_state *s, const uint8_t **at, const uint8_t *end)
{
    const uint8_t *p = *at;
    while (p < end && *p != '\n')
        see_header_byte(s, *p++);
    const bool is_blank =
        s->words[COLUMN] == BLANK_SO_FAR || s->words[COLUMN] == BEFORE_LENGTH;
    const bool wants_length = s->words[COLUMN] == IN_LENGTH && s->words[LENGTH] == 0;
    *at = p < end ? p + 1 : p;
    if (p == end)
        return false;
    s->words[COLUMN] = wants_length ? BEFORE_LENGTH : BLANK_SO_FAR;
    return is_blank;
}

static bool is_line_end(uint8_t c)
{
    return c == '\r' || c == '\n';
}

size_t gs_warc_cut(gs_cut_state *s, const uint8_t *data, size_t bytes)
{
    const uint8_t *const end = data + bytes;
    const uint8_t *p = data, *whole = data;
    while (p < end) {
        if (s->words[PHASE] == BETWEEN) {
            while (p < end && is_line_end(*p))
                p++;
            if (p < end)
                *s = (gs_cut_state){{[PHASE] = IN_HEADER}};
        } else if (s->words[PHASE] == IN_HEADER) {
            if (see_header_line(s, &p, end)) {
                s->words[PHASE] = IN_CONTENT;
                s->words[LEFT] = s->words[LENGTH];
            }
        } else {
            const size_t here =
                (size_t)(end - p) < s->words[LEFT] ? (size_t)(end - p) : s->words[LEFT];
            p += here;
            s->words[LEFT] -= here;
        }
        if (s->words[PHASE] == IN_CONTENT && s->words[LEFT] == 0) {
            whole = p;
            s->words[PHASE] = BETWEEN;
        }
    }
    return (size_t)(whole - data);
}

/* --- headers ----------------------------------------------------------------------- */

/* What of a header matters, of a record or of an answer of HTTP. */
typedef struct header_fields {
    gs_text_span first_line, type, uri, content_type;
    uint64_t length;
    bool has_length, is_chunked, is_packed;
} header_fields;

static bool is_space(uint8_t c)
{
    return c == ' ' || c == '\t' || is_line_end(c);
}

static gs_text_span trimmed(const uint8_t *from, const uint8_t *to)
{
    while (from < to && is_space(*from))
        from++;
    while (from < to && is_space(to[-1]))
        to--;
    return (gs_text_span){from, (size_t)(to - from)};
}

static bool is_text(gs_text_span span, const char *text)
{
    return strlen(text) == span.bytes &&
           strncasecmp((const char *)span.data, text, span.bytes) == 0;
}

static bool begins_with(gs_text_span span, const char *text)
{
    const size_t n = strlen(text);
    return span.bytes >= n && strncasecmp((const char *)span.data, text, n) == 0;
}

/* A list such as "gzip, chunked", of which more may follow in another line. */
static void take_codings(header_fields *f, gs_text_span list)
{
    const uint8_t *p = list.data;
    const uint8_t *const end = p + list.bytes;
    while (p < end) {
        const uint8_t *const stop = gs_find_either(p, end, ',', ';');
        const uint8_t *const comma = gs_find_either(stop, end, ',', ',');
        const gs_text_span coding = trimmed(p, stop); /* without its parameters */
        if (is_text(coding, "chunked"))
            f->is_chunked = true;
        else if (coding.bytes > 0 && !is_text(coding, "identity"))
            f->is_packed = true;
        p = comma + (comma < end);
    }
}

static void take_field(header_fields *f, gs_text_span name, gs_text_span value)
{
    if (is_text(name, "WARC-Type"))
        f->type = value;
    else if (is_text(name, "WARC-Target-URI"))
        f->uri = value;
    else if (is_text(name, "Content-Type"))
        f->content_type = value;
    else if (is_text(name, "Transfer-Encoding") || is_text(name, "Content-Encoding"))
        take_codings(f, value);
    else if (is_text(name, "Content-Length"))
        f->has_length = value.bytes > 0;
}

/* Takes the field that lies at from..to, the lines that go on with it among its value. */
static void take_lines(header_fields *f, const uint8_t *from, const uint8_t *to)
{
    const uint8_t *const colon =
        from < to ? memchr(from, ':', (size_t)(to - from)) : NULL;
    if (colon != NULL)
        take_field(f, trimmed(from, colon), trimmed(colon + 1, to));
}

/* Reads lines up to a blank one; where the content begins, or NULL if there is none. A
 * line that begins with a blank goes on with the one before. */
static const uint8_t *read_header(header_fields *f, const uint8_t *p, const uint8_t *end)
{
    gs_cut_state state = {{0}}; /* the length as the cutter sees it */
    const uint8_t *field = p, *field_end = p;
    *f = (header_fields){.first_line = {p, 0}};
    for (bool is_first = true; p < end; is_first = false) {
        const uint8_t *next = p;
        const bool is_last = see_header_line(&state, &next, end);
        if (next == end && (end == p || end[-1] != '\n'))
            return NULL;
        const bool goes_on = field < field_end && (*p == ' ' || *p == '\t');
        if (!goes_on || is_last) {
            take_lines(f, field, field_end);
            field = p;
        }
        if (is_last) {
            f->length = state.words[LENGTH];
            return next;
        }
        if (is_first) {
            f->first_line = trimmed(p, next);
            field = next;
        }
        field_end = p = next;
    }
    return NULL;
}

/* --- content ----------------------------------------------------------------------- */

/* The chunk that begins at `p` with its size: where its content does, or NULL if none
 * begins there. Of one that is cut off *size is more than what is there. */
static const uint8_t *open_chunk(const uint8_t *p, const uint8_t *end, size_t *size)
{
    const size_t size_max = (size_t)(end - p);
    const uint8_t *const digits = p;
    int digit;
    *size = 0;
    for (; p < end && (digit = gs_hex_digit(*p)) >= 0; p++) {
        if (*size <= size_max)
            *size = *size * 16 + (size_t)digit;
    }
    const bool has_size = p > digits;
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    const uint8_t *const eol = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
    if (eol == NULL || !has_size || (*p != ';' && !is_line_end(*p)))
        return NULL;
    return eol + 1;
}

/* Is the body of an answer in chunks? Many crawlers put them together and leave the
 * header that names them. The first chunk tells: a line end stands behind it, or if it is
 * cut off CR LF behind its size, since texts begin with numbers, too. */
static bool is_in_chunks(const uint8_t *data, size_t bytes)
{
    const uint8_t *const end = data + bytes;
    size_t size;
    const uint8_t *const content = open_chunk(data, end, &size);
    if (content == NULL)
        return false;
    const bool has_crlf = content - data > 1 && content[-2] == '\r';
    return size < (size_t)(end - content) ? is_line_end(content[size]) : has_crlf;
}

/* Puts the chunks of an answer together, where they are; what is malformed ends them. */
static size_t join_chunks(uint8_t *data, size_t bytes)
{
    uint8_t *to = data;
    const uint8_t *p = data;
    const uint8_t *const end = data + bytes;
    while (p < end) {
        size_t size;
        const uint8_t *const content = open_chunk(p, end, &size);
        if (content == NULL || size == 0)
            break;
        p = content;
        if (size > (size_t)(end - p))
            size = (size_t)(end - p);
        memmove(to, p, size);
        to += size;
        p += size;
        while (p < end && is_line_end(*p))
            p++;
    }
    return (size_t)(to - data);
}

/* HTTP/1.1 200 OK */
static bool is_success(gs_text_span status_line)
{
    const uint8_t *const end = status_line.data + status_line.bytes;
    const uint8_t *p =
        status_line.bytes > 0 ? memchr(status_line.data, ' ', status_line.bytes) : NULL;
    if (p == NULL || !begins_with(status_line, "HTTP/"))
        return false;
    while (p < end && *p == ' ')
        p++;
    return end - p >= 3 && *p == '2';
}

static bool is_xml(gs_text_span type, const uint8_t *data, size_t bytes)
{
    return begins_with(type, "application/xhtml") || begins_with(type, "text/xml") ||
           begins_with(type, "application/xml") ||
           (type.bytes == 0 && gs_html_is_xml(data, bytes));
}

static bool is_html(gs_text_span type, const uint8_t *data, size_t bytes)
{
    return begins_with(type, "text/html") ||
           (type.bytes == 0 && bytes > 0 && data[0] == '<');
}

static bool is_known_text(gs_text_span type)
{
    return type.bytes == 0 || begins_with(type, "text/") ||
           begins_with(type, "application/xhtml") ||
           begins_with(type, "application/xml") || begins_with(type, "application/json");
}

/* Takes the headers of HTTP and its encoding off; false if the answer is no text. */
static bool open_answer(header_fields *record, uint8_t **data, size_t *bytes)
{
    header_fields http;
    const uint8_t *const end = *data + *bytes;
    const uint8_t *const body = read_header(&http, *data, end);
    if (body == NULL || !is_success(http.first_line) || http.is_packed)
        return false;
    *data = (uint8_t *)(uintptr_t)body;
    *bytes = (size_t)(end - body);
    if (http.is_chunked && is_in_chunks(*data, *bytes))
        *bytes = join_chunks(*data, *bytes);
    record->content_type = http.content_type;
    return true;
}

/* Line ends in a value become blanks. */
static void join_lines(gs_text_span value)
{
    uint8_t *const p = (uint8_t *)(uintptr_t)value.data;
    for (size_t i = 0; i < value.bytes; i++)
        p[i] = is_line_end(p[i]) ? ' ' : p[i];
}

/* An address as some write it, <http://example.org/>. */
static gs_text_span name_of(const header_fields *f)
{
    gs_text_span name = f->uri;
    if (name.bytes >= 2 && name.data[0] == '<' && name.data[name.bytes - 1] == '>') {
        name.data++;
        name.bytes -= 2;
    }
    return name;
}

/* --- records ----------------------------------------------------------------------- */

typedef struct warc_reader {
    gs_document_list *list;
    const uint8_t *at, *end;
} warc_reader;

/* A sound record of which the content lies in `data`. */
static gs_code take_record(warc_reader *r, header_fields *f, uint8_t *data, size_t bytes,
                           uint64_t line, gs_status *st)
{
    const bool is_answer = is_text(f->type, "response");
    const bool is_content =
        is_text(f->type, "resource") || is_text(f->type, "conversion");
    if (!is_answer && !is_content) {
        r->list->left_out++;
        return GS_OK;
    }
    if ((is_answer && !open_answer(f, &data, &bytes)) ||
        !is_known_text(f->content_type)) {
        r->list->left_out++;
        return GS_OK;
    }
    const uint8_t *const begin = gs_utf8_skip_mark(data, data + bytes);
    bytes -= (size_t)(begin - data);
    data += begin - data;
    const bool is_of_xml = is_xml(f->content_type, data, bytes);
    if (is_of_xml || is_html(f->content_type, data, bytes))
        bytes = gs_html_to_text(data, bytes, is_of_xml);
    const gs_text_span text = {data, bytes};
    return gs_document_list_take(r->list, line, NULL, name_of(f), &text, 1, st);
}

static gs_code parse_record(warc_reader *r, gs_status *st)
{
    header_fields f;
    const uint8_t *const begin = r->at;
    const uint64_t line = r->list->line_count;
    const uint8_t *const content = read_header(&f, begin, r->end);
    const char *why = content == NULL                       ? "the record is cut off"
                      : !begins_with(f.first_line, "WARC/") ? "no WARC record begins here"
                      : !f.has_length ? "a record without its length"
                      : f.length > (size_t)(r->end - content) ? "the record is cut off"
                                                              : NULL;
    const size_t left = content != NULL ? (size_t)(r->end - content) : 0;
    const size_t bytes = f.length < left ? (size_t)f.length : left;
    r->at = content != NULL ? content + bytes : r->end;
    r->list->line_count += gs_line_count(begin, (size_t)(r->at - begin), '\n');
    if (why != NULL)
        return gs_document_list_add_bad(r->list, line, why, st);
    join_lines(f.uri); /* once they are counted */
    return take_record(r, &f, (uint8_t *)(uintptr_t)content, bytes, line, st);
}

gs_code gs_warc_parse(gs_document_list *list, const gs_line_batch *batch, gs_status *st)
{
    warc_reader r = {list, batch->data, batch->data + batch->bytes};
    for (;;) {
        for (; r.at < r.end && is_line_end(*r.at); r.at++)
            list->line_count += *r.at == '\n';
        if (r.at == r.end)
            return GS_OK;
        GS_TRY(parse_record(&r, st));
    }
}

bool gs_warc_find_name(const uint8_t *data, size_t bytes, gs_text_span *name,
                       uint64_t *line)
{
    header_fields f;
    const uint8_t *const end = data + bytes;
    for (; data < end && is_line_end(*data); data++)
        *line += *data == '\n';
    if (read_header(&f, data, end) == NULL)
        return false;
    *name = name_of(&f);
    return name->bytes > 0;
}
