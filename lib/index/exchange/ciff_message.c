/* SPDX-License-Identifier: MIT */
#include "lib/index/exchange/ciff_message.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/quote.h"
#include "lib/index/read/readers.h"
#include "lib/index/text/documents.h"

enum {
    VARINT_BYTES_MAX = 10,
    SHOWN_BYTES = 60, /* of a term, in a message */
    PLACE_BYTES = 4 * SHOWN_BYTES + 80,
    WHAT_BYTES = 200,
};

_Static_assert(WHAT_BYTES + PLACE_BYTES + 2 <= GS_CIFF_DOUBT_BYTES, "what is said fits");

const gs_ciff_type gs_ciff_header_type = {
    "the header",
    8,
    false,
    {{"version", VARINT},
     {"num_postings_lists", VARINT},
     {"num_docs", VARINT},
     {"total_postings_lists", VARINT},
     {"total_docs", VARINT},
     {"total_terms_in_collection", VARINT},
     {"average_doclength", FIXED64},
     {"description", BYTES}},
};
const gs_ciff_type gs_ciff_list_type = {
    "posting list",
    4,
    true,
    {{"term", BYTES}, {"df", VARINT}, {"cf", VARINT}, {"postings", BYTES}},
};
const gs_ciff_type gs_ciff_posting_type = {
    "posting", 2, false, {{"docid", VARINT}, {"tf", VARINT}}};
const gs_ciff_type gs_ciff_document_type = {
    "document",
    3,
    false,
    {{"docid", VARINT}, {"collection_docid", BYTES}, {"doclength", VARINT}},
};

/* --- what is wrong ----------------------------------------------------------------- */

/* "posting list 5 ('term')" */
static void say_place(const gs_ciff_reader *r, char place[PLACE_BYTES])
{
    char shown[SHOWN_BYTES + 1];
    gs_quoted term;
    if (r->where == &gs_ciff_header_type) {
        (void)snprintf(place, PLACE_BYTES, "%s", gs_ciff_header_type.name);
    } else if (r->where == &gs_ciff_list_type && r->term_bytes > 0) {
        const size_t n = r->term_bytes < SHOWN_BYTES ? r->term_bytes : SHOWN_BYTES;
        memcpy(shown, r->term, n);
        shown[n] = '\0';
        (void)snprintf(place, PLACE_BYTES, "posting list %" PRIu64 " (%.*s)", r->number,
                       4 * SHOWN_BYTES, gs_quote_argument(&term, shown));
    } else {
        (void)snprintf(place, PLACE_BYTES, "%s %" PRIu64, r->where->name, r->number);
    }
}

/* "x.ciff: byte 1234: posting list 5 ('term'): tf is 0" */
gs_code gs_ciff_bad(gs_ciff_reader *r, gs_status *st, const char *fmt, ...)
{
    char what[240], place[PLACE_BYTES];
    gs_quoted name;
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    say_place(r, place);
    (void)GS_FAIL(st, GS_ERR_FORMAT, 0, "%s: byte %" PRIu64 ": %s: %s",
                  gs_quote_name(&name, r->name), r->mark, place, what);
    return gs_status_hint(st,
                          "is it a whole file in the Common Index File Format? lists, "
                          "postings, documents and unpacked bytes count from 0");
}

/* A rule that is broken, but what is meant is clear: an error only for a strict reader.
 */
gs_code gs_ciff_doubt(gs_ciff_reader *r, gs_status *st, const char *fmt, ...)
{
    char what[WHAT_BYTES], place[PLACE_BYTES];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    if (r->is_strict)
        return gs_ciff_bad(r, st, "%s", what);
    if (r->doubts++ > 0)
        return GS_OK;
    say_place(r, place);
    const bool is_header =
        r->where == &gs_ciff_header_type; /* its fields are known by name */
    (void)snprintf(r->doubt, sizeof r->doubt, "%s%s%s", is_header ? "" : place,
                   is_header ? "" : ": ", what);
    return GS_OK;
}

/* --- bytes ------------------------------------------------------------------------- */

/* At least so many bytes from p on, unless the file has fewer. */
gs_code gs_ciff_refill(gs_ciff_reader *r, size_t bytes, gs_status *st)
{
    size_t held = (size_t)(r->end - r->p);
    gs_assert(bytes <= GS_CIFF_BUFFER_BYTES);
    memmove(r->buffer, r->p, held);
    r->base += (uint64_t)(r->p - r->buffer);
    r->p = r->buffer;
    while (held < bytes && !r->has_ended) {
        if (r->given_bytes == 0) {
            GS_TRY(r->source.next(r->source.context, &r->given, &r->given_bytes, st));
            r->has_ended = r->given_bytes == 0;
        }
        const size_t room = GS_CIFF_BUFFER_BYTES - held;
        const size_t n = r->given_bytes < room ? r->given_bytes : room;
        if (n == 0)
            continue;
        memcpy(r->buffer + held, r->given, n);
        r->given += n;
        r->given_bytes -= n;
        held += n;
    }
    r->end = r->buffer + held;
    return GS_OK;
}

gs_code gs_ciff_bad_end(gs_ciff_reader *r, uint64_t end, gs_status *st)
{
    const bool is_file = r->has_ended && end > r->base + (uint64_t)(r->end - r->buffer);
    return gs_ciff_bad(
        r, st, is_file ? "the file ends here" : "a field is longer than its message");
}

static gs_code read_varint(gs_ciff_reader *r, uint64_t end, uint64_t *x, gs_status *st)
{
    GS_TRY(gs_ciff_need(r, VARINT_BYTES_MAX, st));
    const size_t most = gs_ciff_clip(r, end, VARINT_BYTES_MAX);
    const uint8_t *p = r->p;
    if (!gs_varint_read(&p, r->p + most, x))
        return most < VARINT_BYTES_MAX
                   ? gs_ciff_bad_end(r, end, st)
                   : gs_ciff_bad(r, st, "a number of more than 64 bits");
    r->p = p;
    return GS_OK;
}

/* --- messages ---------------------------------------------------------------------- */

gs_code gs_ciff_begin(gs_ciff_reader *r, gs_ciff_message *m, const gs_ciff_type *type,
                      uint64_t end, gs_status *st)
{
    uint64_t bytes;
    GS_TRY(read_varint(r, end, &bytes, st));
    if (bytes > INT32_MAX)
        return gs_ciff_bad(r, st, "a length of 2 GiB or more");
    if (bytes > end - gs_ciff_offset(r))
        return gs_ciff_bad(r, st, "a field is longer than its message");
    *m = (gs_ciff_message){.type = type, .end = gs_ciff_offset(r) + bytes};
    return GS_OK;
}

/* A message of the file itself. */
gs_code gs_ciff_begin_part(gs_ciff_reader *r, gs_ciff_message *m,
                           const gs_ciff_type *type, uint64_t number, gs_status *st)
{
    r->where = type;
    r->number = number;
    r->mark = gs_ciff_offset(r);
    r->term_bytes = 0;
    return gs_ciff_begin(r, m, type, UINT64_MAX, st);
}

/* Over a field that is written as `kind`. */
static gs_code skip_field(gs_ciff_reader *r, const gs_ciff_message *m, unsigned kind,
                          gs_status *st)
{
    uint64_t left = kind == FIXED64 ? 8 : kind == FIXED32 ? 4 : 0;
    if (kind == VARINT || kind == BYTES)
        GS_TRY(read_varint(r, m->end, &left, st));
    else if (left == 0)
        return gs_ciff_bad(r, st, "a field of an unknown type (%u)", kind);
    if (kind == VARINT)
        return GS_OK;
    if (left > m->end - gs_ciff_offset(r))
        return gs_ciff_bad(r, st, "a field is longer than its message");
    while (left > 0) {
        GS_TRY(gs_ciff_need(r, 1, st));
        const size_t held = (size_t)(r->end - r->p);
        const size_t n = left < held ? (size_t)left : held;
        if (n == 0)
            return gs_ciff_bad_end(r, m->end, st);
        r->p += n;
        left -= n;
    }
    return GS_OK;
}

/* The next tag of a field that the format has, or 0 at the end of the message. */
static gs_code next_tag(gs_ciff_reader *r, const gs_ciff_message *m, uint64_t *tag,
                        gs_status *st)
{
    for (*tag = 0; gs_ciff_offset(r) < m->end; *tag = 0) {
        r->mark = gs_ciff_offset(r);
        GS_TRY(read_varint(r, m->end, tag, st));
        const uint64_t field = *tag >> 3;
        if (field > 0 && field <= m->type->field_count)
            return GS_OK;
        static const char what[] = "field %" PRIu64 ", which the format does not have";
        if (field == 0)
            return gs_ciff_bad(r, st, what, field);
        GS_TRY(gs_ciff_doubt(r, st, what, field));
        GS_TRY(skip_field(r, m, (unsigned)*tag & 7, st));
    }
    return GS_OK;
}

/* m->field is the next field's number, or 0 at the end of the message. */
gs_code gs_ciff_next_field(gs_ciff_reader *r, gs_ciff_message *m, gs_status *st)
{
    const gs_ciff_type *const type = m->type;
    const unsigned before = m->field;
    uint64_t tag;
    m->field = 0;
    GS_TRY(next_tag(r, m, &tag, st));
    if (tag == 0)
        return GS_OK;
    const uint64_t field = tag >> 3;
    const char *const name = type->fields[field - 1].name;
    if ((tag & 7) != type->fields[field - 1].kind)
        return gs_ciff_bad(r, st, "%s is written as another type (%u)", name,
                           (unsigned)tag & 7);
    if (field == before && !(type->last_repeats && field == type->field_count))
        return gs_ciff_bad(r, st, "%s comes twice", name);
    if (field < before)
        return gs_ciff_bad(r, st, "%s comes behind %s", name,
                           type->fields[before - 1].name);
    m->field = (unsigned)field;
    return GS_OK;
}

const char *gs_ciff_field_name(const gs_ciff_message *m)
{
    return m->type->fields[m->field - 1].name;
}

gs_code gs_ciff_read_number(gs_ciff_reader *r, const gs_ciff_message *m, uint64_t most,
                            uint64_t *x, gs_status *st)
{
    GS_TRY(read_varint(r, m->end, x, st));
    if (*x == 0)
        return gs_ciff_doubt(r, st, "%s is written though it is 0",
                             gs_ciff_field_name(m));
    if (*x > INT64_MAX)
        return gs_ciff_bad(r, st, "%s is negative", gs_ciff_field_name(m));
    if (*x > most)
        return gs_ciff_bad(r, st, "%s is too large: %" PRIu64, gs_ciff_field_name(m), *x);
    return GS_OK;
}

gs_code gs_ciff_read_text(gs_ciff_reader *r, const gs_ciff_message *m, gs_ciff_text *out,
                          gs_status *st)
{
    uint64_t bytes;
    GS_TRY(read_varint(r, m->end, &bytes, st));
    if (bytes == 0)
        return gs_ciff_bad(r, st, "%s is written though it is empty",
                           gs_ciff_field_name(m));
    if (bytes > m->end - gs_ciff_offset(r))
        return gs_ciff_bad(r, st, "a field is longer than its message");
    if (bytes > GS_CIFF_TEXT_BYTES_MAX)
        return gs_ciff_bad(r, st, "%s has %" PRIu64 " bytes, at most %d are read",
                           gs_ciff_field_name(m), bytes, GS_CIFF_TEXT_BYTES_MAX);
    GS_TRY(gs_ciff_need(r, (size_t)bytes, st));
    if (gs_ciff_clip(r, m->end, (size_t)bytes) < bytes)
        return gs_ciff_bad_end(r, m->end, st);
    *out = (gs_ciff_text){r->p, (size_t)bytes};
    r->p += bytes;
    if (!gs_utf8_is_valid(out->data, out->bytes))
        return gs_ciff_bad(r, st, "%s is not UTF-8", gs_ciff_field_name(m));
    return GS_OK;
}
