/* SPDX-License-Identifier: MIT */
#include "lib/index/text/document_json.h"

#include <stdio.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "lib/index/text/utf8.h"

enum {
    DEPTH_MAX = 1024,
    KEY_ROOM_BYTES = 256,
    FIELDS_TAIL_BYTES = 40, /* " and N more" */
};

const char gs_json_no_name[] = "no field with the name";
const char gs_json_no_text[] = "no field with text";

/* Where the reader of a line stands. Reading functions return false with `why` set. */
typedef struct json_reader {
    const uint8_t *at, *end;
    const char *why;
} json_reader;

/* A string between its quotation marks, as it is written. */
typedef struct json_string {
    gs_text_span raw;
    bool has_escapes;
} json_string;

/* What has been found of a document. */
typedef struct json_fields {
    const gs_document_options *options;
    bool has_id, has_other_id; /* the other: _id, unless a field was chosen */
    json_string id, other_id;
    bool is_there[GS_TEXT_FIELDS_MAX];
    json_string texts[GS_TEXT_FIELDS_MAX];
} json_fields;

static bool fail(json_reader *r, const char *why)
{
    if (r->why == NULL)
        r->why = why;
    return false;
}

static void skip_blanks(json_reader *r)
{
    while (r->at < r->end &&
           (*r->at == ' ' || *r->at == '\t' || *r->at == '\r' || *r->at == '\n'))
        r->at++;
}

static bool take(json_reader *r, uint8_t c)
{
    if (r->at == r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

/* --- strings ---------------------------------------------------------------------- */

/* The first byte at or after `p` that ends a plain stretch of a string: a quotation mark,
 * a backslash or a control character; `end` if there is none. *has_high is set if a byte
 * before it is not ASCII. Reads up to 15 bytes beyond `end`. */
static const uint8_t *find_stop(const uint8_t *p, const uint8_t *end, bool *has_high)
{
#ifdef __SSE2__
    const __m128i quote = _mm_set1_epi8('"'), escape = _mm_set1_epi8('\\');
    const __m128i last_control = _mm_set1_epi8(0x1f);
    for (; p < end; p += 16) {
        const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
        const __m128i is_control =
            _mm_cmpeq_epi8(_mm_min_epu8(bytes, last_control), bytes);
        const __m128i stops =
            _mm_or_si128(is_control, _mm_or_si128(_mm_cmpeq_epi8(bytes, quote),
                                                  _mm_cmpeq_epi8(bytes, escape)));
        const unsigned mask = (unsigned)_mm_movemask_epi8(stops);
        const unsigned high = (unsigned)_mm_movemask_epi8(bytes);
        if (mask != 0) {
            const unsigned n = (unsigned)__builtin_ctz(mask);
            *has_high |= (high & ((1u << n) - 1)) != 0;
            return p + n < end ? p + n : end;
        }
        *has_high |= high != 0;
    }
    return end;
#else
    for (; p < end && *p != '"' && *p != '\\' && *p >= 0x20; p++)
        *has_high |= *p >= 0x80;
    return p;
#endif
}

/* Four hexadecimal digits; the value, or -1. */
static int32_t hex4(const uint8_t *p, const uint8_t *end)
{
    if (end - p < 4)
        return -1;
    int32_t value = 0;
    for (unsigned i = 0; i < 4; i++) {
        const uint8_t c = p[i], lower = c | 0x20;
        if (c >= '0' && c <= '9')
            value = value * 16 + (c - '0');
        else if (lower >= 'a' && lower <= 'f')
            value = value * 16 + (lower - 'a' + 10);
        else
            return -1;
    }
    return value;
}

static bool is_high_surrogate(int32_t x)
{
    return x >= 0xd800 && x < 0xdc00;
}

static bool is_low_surrogate(int32_t x)
{
    return x >= 0xdc00 && x < 0xe000;
}

/* Stands behind a backslash; checks one escape, or a pair that makes a code point. */
static bool check_escape(json_reader *r)
{
    if (r->at == r->end)
        return fail(r, "a string does not end");
    const uint8_t c = *r->at++;
    if (c != 'u')
        return strchr("\"\\/bfnrt", c) != NULL && c != '\0'
                   ? true
                   : fail(r, "an unknown escape in a string");
    const int32_t unit = hex4(r->at, r->end);
    if (unit < 0)
        return fail(r, "\\u without four hexadecimal digits");
    r->at += 4;
    if (is_low_surrogate(unit))
        return fail(r, "half of a surrogate pair");
    if (!is_high_surrogate(unit))
        return true;
    if (r->end - r->at < 6 || r->at[0] != '\\' || r->at[1] != 'u' ||
        !is_low_surrogate(hex4(r->at + 2, r->end)))
        return fail(r, "half of a surrogate pair");
    r->at += 6;
    return true;
}

/* Stands on the quotation mark that begins a string. */
static bool read_string(json_reader *r, json_string *out)
{
    const uint8_t *const begin = ++r->at;
    bool has_high = false;
    out->has_escapes = false;
    for (;;) {
        r->at = find_stop(r->at, r->end, &has_high);
        if (r->at == r->end)
            return fail(r, "a string does not end");
        const uint8_t stop = *r->at++;
        if (stop == '"')
            break;
        if (stop != '\\')
            return fail(r, "a control character in a string");
        out->has_escapes = true;
        if (!check_escape(r))
            return false;
    }
    out->raw = (gs_text_span){begin, (size_t)(r->at - 1 - begin)};
    if (has_high && !gs_utf8_is_valid(begin, out->raw.bytes))
        return fail(r, "a string is not UTF-8");
    return true;
}

/* Writes the string that checked escapes stand for, which may be where they are; returns
 * its end. */
static uint8_t *unescape(gs_text_span raw, uint8_t *to)
{
    const uint8_t *p = raw.data;
    const uint8_t *const end = p + raw.bytes;
    while (p < end) {
        const uint8_t *const escape = memchr(p, '\\', (size_t)(end - p));
        const size_t plain = (size_t)((escape != NULL ? escape : end) - p);
        memmove(to, p, plain);
        to += plain;
        if (escape == NULL)
            break;
        p = escape + 2;
        switch (escape[1]) {
        case 'b': *to++ = '\b'; break;
        case 'f': *to++ = '\f'; break;
        case 'n': *to++ = '\n'; break;
        case 'r': *to++ = '\r'; break;
        case 't': *to++ = '\t'; break;
        case 'u': {
            uint32_t point = (uint32_t)hex4(p, end);
            p += 4;
            if (is_high_surrogate((int32_t)point)) {
                const uint32_t low = (uint32_t)hex4(p + 2, end);
                point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
                p += 6;
            }
            to = gs_utf8_encode(to, point);
            break;
        }
        default: *to++ = escape[1]; break;
        }
    }
    return to;
}

/* The text of a string, unescaped if need be: where it is, it is not read again. */
static gs_text_span text_of(const json_string *s)
{
    if (!s->has_escapes)
        return s->raw;
    uint8_t *const to = (uint8_t *)(uintptr_t)s->raw.data;
    return (gs_text_span){to, (size_t)(unescape(s->raw, to) - to)};
}

/* The name of a field, which stays as it is written unless it is long. */
static gs_text_span name_of(const json_string *key, uint8_t room[KEY_ROOM_BYTES])
{
    if (!key->has_escapes || key->raw.bytes > KEY_ROOM_BYTES)
        return text_of(key);
    return (gs_text_span){room, (size_t)(unescape(key->raw, room) - room)};
}

/* --- other values ------------------------------------------------------------------ */

static bool read_word(json_reader *r, const char *word)
{
    const size_t n = strlen(word);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, word, n) != 0)
        return fail(r, "a value is missing or unknown");
    r->at += n;
    return true;
}

static size_t skip_digits(json_reader *r)
{
    const uint8_t *const begin = r->at;
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9')
        r->at++;
    return (size_t)(r->at - begin);
}

static bool read_number(json_reader *r, gs_text_span *out)
{
    const uint8_t *const begin = r->at;
    (void)take(r, '-');
    const bool has_zero = r->at < r->end && *r->at == '0';
    const size_t digits = skip_digits(r);
    if (digits == 0 || (has_zero && digits > 1))
        return fail(r, "not a number as JSON has them");
    if (take(r, '.') && skip_digits(r) == 0)
        return fail(r, "not a number as JSON has them");
    if (take(r, 'e') || take(r, 'E')) {
        if (!take(r, '+'))
            (void)take(r, '-');
        if (skip_digits(r) == 0)
            return fail(r, "not a number as JSON has them");
    }
    *out = (gs_text_span){begin, (size_t)(r->at - begin)};
    return true;
}

static bool is_number_start(uint8_t c)
{
    return c == '-' || (c >= '0' && c <= '9');
}

/* A value that is neither an object nor an array. */
static bool skip_scalar(json_reader *r)
{
    json_string string;
    gs_text_span number;
    if (r->at == r->end)
        return fail(r, "the object does not end");
    const uint8_t c = *r->at;
    if (c == '"')
        return read_string(r, &string);
    if (is_number_start(c))
        return read_number(r, &number);
    return read_word(r, c == 't' ? "true" : c == 'f' ? "false" : "null");
}

/* A key and its colon. */
static bool read_key(json_reader *r, json_string *out)
{
    skip_blanks(r);
    if (r->at == r->end || *r->at != '"')
        return fail(r, "a field has no name between quotation marks");
    if (!read_string(r, out))
        return false;
    skip_blanks(r);
    if (!take(r, ':'))
        return fail(r, "no colon after the name of a field");
    skip_blanks(r);
    return true;
}

/* Behind a value: does the container go on? *ends tells; the closing byte is taken. */
static bool read_separator(json_reader *r, bool is_object, bool *ends)
{
    skip_blanks(r);
    *ends = take(r, is_object ? '}' : ']');
    if (*ends || take(r, ','))
        return true;
    return fail(r, r->at == r->end ? "the object does not end"
                                   : "neither a comma nor an end after a value");
}

/* Any value. Containers are kept on a stack of bits, so that no input makes the
 * program's stack grow. */
static bool skip_value(json_reader *r)
{
    bool is_object[DEPTH_MAX];
    size_t depth = 0;
    for (;;) {
        skip_blanks(r);
        const uint8_t c = r->at < r->end ? *r->at : 0;
        bool is_complete = true;
        if (c == '{' || c == '[') {
            if (depth == DEPTH_MAX)
                return fail(r, "values are nested more than 1024 deep");
            r->at++;
            is_object[depth++] = c == '{';
            skip_blanks(r);
            is_complete = take(r, c == '{' ? '}' : ']');
            depth -= is_complete;
        } else if (!skip_scalar(r)) {
            return false;
        }
        while (is_complete && depth > 0) {
            if (!read_separator(r, is_object[depth - 1], &is_complete))
                return false;
            depth -= is_complete;
        }
        if (is_complete)
            return true;
        json_string key;
        if (is_object[depth - 1] && !read_key(r, &key))
            return false;
    }
}

/* --- the document ------------------------------------------------------------------ */

static bool is_named(gs_text_span key, const char *name)
{
    return strlen(name) == key.bytes && memcmp(name, key.data, key.bytes) == 0;
}

static bool read_id(json_reader *r, bool *is_there, json_string *id)
{
    if (*is_there)
        return fail(r, "the name comes twice");
    *is_there = true;
    id->has_escapes = false;
    if (r->at < r->end && is_number_start(*r->at))
        return read_number(r, &id->raw);
    if (r->at == r->end || *r->at != '"')
        return fail(r, "the name is neither a string nor a number");
    return read_string(r, id);
}

static bool may_be_id(const json_reader *r)
{
    return r->at < r->end && (*r->at == '"' || is_number_start(*r->at));
}

static bool read_text(json_reader *r, json_fields *fields, size_t field)
{
    if (fields->is_there[field])
        return fail(r, "a text field comes twice");
    fields->is_there[field] = true;
    fields->texts[field] = (json_string){.raw = {r->at, 0}};
    if (r->at < r->end && *r->at == 'n')
        return read_word(r, "null");
    if (r->at == r->end || *r->at != '"')
        return fail(r, "a text field is not a string");
    return read_string(r, &fields->texts[field]);
}

static bool read_field(json_reader *r, json_fields *fields)
{
    json_string key;
    uint8_t room[KEY_ROOM_BYTES];
    if (!read_key(r, &key))
        return false;
    const gs_text_span name = name_of(&key, room);
    const gs_document_options *const o = fields->options;
    const bool is_id = is_named(name, o->id_field != NULL ? o->id_field : "id");
    const bool is_other_id = o->id_field == NULL && is_named(name, "_id") && may_be_id(r);
    size_t field = 0;
    while (field < o->text_field_count && !is_named(name, o->text_fields[field]))
        field++;
    const bool is_text = field < o->text_field_count;
    if (!is_id && !is_other_id)
        return is_text ? read_text(r, fields, field) : skip_value(r);
    json_string *const id = is_id ? &fields->id : &fields->other_id;
    if (!read_id(r, is_id ? &fields->has_id : &fields->has_other_id, id))
        return false;
    if (is_text) { /* names may be searched as well */
        fields->is_there[field] = true;
        fields->texts[field] = *id;
    }
    return true;
}

static bool read_object(json_reader *r, json_fields *fields)
{
    if (!take(r, '{'))
        return fail(r, "not a JSON object");
    skip_blanks(r);
    bool ends = take(r, '}');
    while (!ends) {
        if (!read_field(r, fields) || !read_separator(r, true, &ends))
            return false;
    }
    skip_blanks(r);
    return r->at == r->end ? true : fail(r, "something follows the object");
}

/* The texts of a document that is sound. Lines that are not stay as they are, for whoever
 * explains them. */
static size_t unescape_fields(json_fields *fields, gs_text_span *id, gs_text_span *texts)
{
    size_t count = 0;
    *id = text_of(&fields->id);
    for (size_t i = 0; i < fields->options->text_field_count; i++) {
        if (!fields->is_there[i])
            continue;
        const bool is_id = fields->texts[i].raw.data == fields->id.raw.data;
        texts[count++] = is_id ? *id : text_of(&fields->texts[i]);
    }
    return count;
}

static bool has_texts(const json_fields *fields)
{
    size_t i = 0;
    while (i < fields->options->text_field_count && !fields->is_there[i])
        i++;
    return i < fields->options->text_field_count;
}

static gs_code add_bad(gs_document_list *list, gs_text_span line, const char *why,
                       gs_status *st)
{
    GS_TRY(gs_document_list_add_bad(list, list->line_count, why, st));
    list->bad[list->bad_count - 1].text = line;
    return GS_OK;
}

gs_code gs_json_parse_line(gs_document_list *list, const gs_document_options *options,
                           const uint8_t *line, size_t bytes, gs_status *st)
{
    json_reader r = {.at = line, .end = line + bytes};
    skip_blanks(&r);
    if (r.at == r.end)
        return GS_OK;
    json_fields fields;
    gs_text_span id = {0}, texts[GS_TEXT_FIELDS_MAX];
    size_t text_count = 0;
    fields.options = options;
    fields.has_id = fields.has_other_id = false;
    fields.other_id = (json_string){0};
    memset(fields.is_there, 0, options->text_field_count);
    (void)read_object(&r, &fields);
    if (!fields.has_id && fields.has_other_id) {
        fields.has_id = true;
        fields.id = fields.other_id;
    }
    if (r.why == NULL && !fields.has_id)
        (void)fail(&r, gs_json_no_name);
    if (r.why == NULL && !has_texts(&fields))
        (void)fail(&r, gs_json_no_text);
    if (r.why == NULL)
        text_count = unescape_fields(&fields, &id, texts);
    if (r.why == NULL && id.bytes == 0)
        (void)fail(&r, gs_document_empty_name);
    if (r.why == NULL && id.bytes > GS_DOCUMENT_NAME_BYTES_MAX)
        (void)fail(&r, "the name is longer than 65535 bytes");
    if (r.why == NULL)
        return gs_document_list_add(list, id, texts, text_count, st);
    return add_bad(list, (gs_text_span){line, bytes}, r.why, st);
}

/* As they are written, with their quotation marks: in sound JSON that is plain text. */
void gs_json_list_fields(const uint8_t *line, size_t bytes, char *to, size_t capacity)
{
    json_reader r = {.at = line, .end = line + bytes};
    size_t used = 0, more = 0;
    skip_blanks(&r);
    bool ends = !take(&r, '{');
    *to = '\0';
    while (!ends) {
        json_string key;
        if (!read_key(&r, &key) || !skip_value(&r) || !read_separator(&r, true, &ends))
            break;
        if (more == 0 && used + key.raw.bytes + FIELDS_TAIL_BYTES < capacity)
            used += (size_t)snprintf(to + used, capacity - used, "%s\"%.*s\"",
                                     used > 0 ? ", " : "", (int)key.raw.bytes,
                                     (const char *)key.raw.data);
        else
            more++;
    }
    if (more > 0)
        (void)snprintf(to + used, capacity - used, " and %zu more", more);
}

bool gs_json_find_name(const gs_document_options *options, const uint8_t *line,
                       size_t bytes, gs_text_span *name)
{
    json_reader r = {.at = line, .end = line + bytes};
    json_fields fields = {.options = options};
    bool ends = false;
    skip_blanks(&r);
    (void)take(&r, '{');
    while (!fields.has_id && !ends && read_field(&r, &fields) &&
           read_separator(&r, true, &ends)) {
    }
    if (!fields.has_id || r.why != NULL)
        return false;
    *name = text_of(&fields.id);
    return name->bytes > 0;
}
