/* SPDX-License-Identifier: MIT */
#include "lib/index/text/document_objects.h"

#include <string.h>

#include "lib/index/text/byte_find.h"
#include "lib/index/text/document_json.h"
#include "lib/base/utf8.h"
#include "lib/sort/record/records.h"

/* What the words of the cutter's state are. What follows an array is not cut any more. */
enum { IS_ARRAY, DEPTH, STRING, ARRAY_ENDED };

/* Where it stands about a string. */
enum { OUTSIDE, INSIDE, BEHIND_BACKSLASH };

/* What ends an object. */
typedef enum object_end {
    END_NONE,
    END_OBJECT, /* the brace that closes one that is in no array, taken */
    END_COMMA,  /* the comma behind one of an array, not taken */
    END_ARRAY,  /* the bracket that closes the array, not taken */
} object_end;

gs_cut_state gs_objects_cut_begin(bool is_array, bool goes_on)
{
    return (gs_cut_state){{[IS_ARRAY] = is_array, [DEPTH] = is_array && goes_on}};
}

static const uint8_t *skip_string(gs_cut_state *s, const uint8_t *p, const uint8_t *end)
{
    while (p < end && s->words[STRING] != OUTSIDE) {
        if (s->words[STRING] == BEHIND_BACKSLASH) {
            s->words[STRING] = INSIDE;
            p++;
            continue;
        }
        p = gs_find_either(p, end, '"', '\\');
        if (p < end)
            s->words[STRING] = *p++ == '"' ? OUTSIDE : BEHIND_BACKSLASH;
    }
    return p;
}

/* Goes on from *at to where an object ends. */
static object_end find_end(gs_cut_state *s, const uint8_t **at, const uint8_t *end)
{
    const uint8_t *p = *at;
    object_end found = END_NONE;
    while ((p = skip_string(s, p, end)) < end && found == END_NONE) {
        switch (*p) {
        case '"': s->words[STRING] = INSIDE; break;
        case '{':
        case '[': s->words[DEPTH]++; break;
        case '}':
        case ']':
            s->words[DEPTH] -= s->words[DEPTH] > 0;
            if (s->words[DEPTH] == 0)
                found = s->words[IS_ARRAY] ? END_ARRAY : END_OBJECT;
            break;
        case ',':
            if (s->words[IS_ARRAY] && s->words[DEPTH] == 1)
                found = END_COMMA;
            break;
        default: break;
        }
        p += found == END_NONE || found == END_OBJECT;
    }
    *at = p;
    return found;
}

size_t gs_objects_cut(gs_cut_state *state, const uint8_t *data, size_t bytes)
{
    const uint8_t *const end = data + bytes;
    const uint8_t *p = data, *whole = data;
    object_end found;
    while (!state->words[ARRAY_ENDED] && (found = find_end(state, &p, end)) != END_NONE) {
        state->words[ARRAY_ENDED] = found == END_ARRAY;
        if (found != END_ARRAY)
            whole = p;
        p += found != END_OBJECT;
    }
    return (size_t)(whole - data);
}

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static const uint8_t *skip_blanks(const uint8_t *p, const uint8_t *end)
{
    while (p < end && is_blank(*p))
        p++;
    return p;
}

bool gs_objects_find_first(const uint8_t *data, size_t bytes, bool is_array,
                           gs_text_span *out)
{
    const uint8_t *const end = data + bytes;
    const uint8_t *begin = skip_blanks(gs_utf8_skip_mark(data, end), end), *p;
    gs_cut_state state = gs_objects_cut_begin(is_array, true);
    if (is_array && begin < end && *begin == '[')
        begin++;
    begin = p = skip_blanks(begin, end);
    const object_end found = find_end(&state, &p, end);
    *out = (gs_text_span){begin, (size_t)(p - begin)};
    return found != END_NONE;
}

/* --- a batch ----------------------------------------------------------------------- */

typedef struct objects_reader {
    gs_document_list *list;
    const gs_document_options *options;
    const uint8_t *at, *end;
    bool is_first_file_part; /* the batch is the beginning of its file, */
    bool ends_file;          /* or the end */
} objects_reader;

static void count_lines(objects_reader *r, const uint8_t *from, const uint8_t *to)
{
    r->list->line_count += gs_line_count(from, (size_t)(to - from), '\n');
}

/* Moves to `to`. */
static void go_to(objects_reader *r, const uint8_t *to)
{
    count_lines(r, r->at, to);
    r->at = to;
}

/* The object up to `stop`; *is_empty if there is none. */
static gs_code take_object(objects_reader *r, const uint8_t *stop, bool *is_empty,
                           gs_status *st)
{
    go_to(r, gs_utf8_skip_mark(skip_blanks(r->at, stop), stop));
    const uint8_t *const begin = r->at;
    const uint64_t line = r->list->line_count;
    *is_empty = skip_blanks(begin, stop) == stop;
    go_to(r, stop); /* counted before what is escaped becomes line ends */
    const uint64_t line_behind = r->list->line_count;
    r->list->line_count = line;
    if (!*is_empty)
        GS_TRY(
            gs_json_parse_line(r->list, r->options, begin, (size_t)(stop - begin), st));
    r->list->line_count = line_behind;
    return GS_OK;
}

static gs_code add_bad(objects_reader *r, const char *why, gs_status *st)
{
    return gs_document_list_add_bad(r->list, r->list->line_count, why, st);
}

/* One after the other. */
static gs_code parse_sequence(objects_reader *r, gs_status *st)
{
    gs_cut_state state = gs_objects_cut_begin(false, true);
    bool is_empty;
    for (const uint8_t *stop = r->at; stop < r->end;) {
        (void)find_end(&state, &stop, r->end);
        GS_TRY(take_object(r, stop, &is_empty, st));
    }
    return GS_OK;
}

/* What follows the bracket that ends an array. */
static gs_code end_array(objects_reader *r, gs_status *st)
{
    go_to(r, skip_blanks(r->at + 1, r->end));
    if (r->at < r->end)
        GS_TRY(add_bad(r, "something follows the array", st));
    go_to(r, r->end);
    return GS_OK;
}

static gs_code parse_array(objects_reader *r, gs_status *st)
{
    gs_cut_state state = gs_objects_cut_begin(true, true);
    go_to(r, skip_blanks(gs_utf8_skip_mark(r->at, r->end), r->end));
    const uint8_t opening = r->is_first_file_part ? '[' : ',';
    if (r->at < r->end && *r->at != opening) {
        GS_TRY(add_bad(r, "no array begins here", st));
        go_to(r, r->end);
        return GS_OK;
    }
    bool may_be_empty = r->is_first_file_part, is_empty;
    while (r->at < r->end) {
        const uint8_t *stop = ++r->at;
        const object_end found = find_end(&state, &stop, r->end);
        GS_TRY(take_object(r, stop, &is_empty, st));
        const bool is_cut_off = found == END_NONE && r->ends_file; /* else at a comma */
        if (is_empty && !is_cut_off && !(may_be_empty && found == END_ARRAY))
            GS_TRY(add_bad(r, "a value is missing in the array", st));
        may_be_empty = false;
        if (found == END_ARRAY)
            return end_array(r, st);
        if (is_cut_off)
            GS_TRY(add_bad(r, "the array does not end", st));
    }
    return GS_OK;
}

gs_code gs_objects_parse(gs_document_list *list, const gs_document_options *options,
                         const gs_line_batch *batch, gs_status *st)
{
    objects_reader r = {
        .list = list,
        .options = options,
        .at = batch->data,
        .end = batch->data + batch->bytes,
        .is_first_file_part = batch->offset == 0,
        .ends_file = batch->lacks_final_eol,
    };
    const bool has_last_line = batch->bytes > 0 && r.end[-1] != '\n';
    GS_TRY(options->is_array ? parse_array(&r, st) : parse_sequence(&r, st));
    list->line_count += has_last_line && r.ends_file;
    return GS_OK;
}

bool gs_objects_find_name(const gs_document_options *options, const gs_line_batch *batch,
                          gs_text_span *name, uint64_t *line)
{
    const uint8_t *const end = batch->data + batch->bytes;
    const uint8_t *p = skip_blanks(gs_utf8_skip_mark(batch->data, end), end);
    if (p < end && (*p == '[' || *p == ','))
        p = skip_blanks(p + 1, end);
    *line += gs_line_count(batch->data, (size_t)(p - batch->data), '\n');
    return gs_json_find_name(options, p, (size_t)(end - p), name);
}
