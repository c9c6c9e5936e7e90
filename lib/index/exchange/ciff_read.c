/* SPDX-License-Identifier: MIT */
#include "lib/index/exchange/ciff_read.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"
#include "lib/index/read/readers.h"
#include "lib/index/text/documents.h"
#include "lib/sort/record/records.h"

enum {
    BUFFER_BYTES = 256 << 10,
    TEXT_BYTES_MAX = 65535, /* terms, names and the description are taken whole */
    VARINT_BYTES_MAX = 10,
    POSTING_BYTES_MAX = 32, /* that are looked at in one go */
    SHOWN_BYTES = 60,       /* of a term, in a message */
    PLACE_BYTES = 4 * SHOWN_BYTES + 80,
    WHAT_BYTES = 200,
    DOUBT_BYTES = WHAT_BYTES + PLACE_BYTES + 2,
};

/* How values are written. */
enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };

typedef struct message_type {
    const char *name;
    unsigned field_count;
    bool last_repeats;
    struct {
        const char *name;
        uint8_t kind;
    } fields[8]; /* field number less 1 */
} message_type;

static const message_type header_type = {
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
static const message_type list_type = {
    "posting list",
    4,
    true,
    {{"term", BYTES}, {"df", VARINT}, {"cf", VARINT}, {"postings", BYTES}},
};
static const message_type posting_type = {
    "posting", 2, false, {{"docid", VARINT}, {"tf", VARINT}}};
static const message_type document_type = {
    "document",
    3,
    false,
    {{"docid", VARINT}, {"collection_docid", BYTES}, {"doclength", VARINT}},
};

typedef struct message {
    const message_type *type;
    uint64_t end;   /* offset in the file */
    unsigned field; /* the present one; 0: none yet */
} message;

struct gs_ciff_reader {
    gs_byte_source source;
    const char *name;
    uint8_t *buffer;
    const uint8_t *p, *end; /* of what is in the buffer */
    uint64_t base;          /* offset of the buffer in the file */
    const uint8_t *given;   /* by the source, not in the buffer yet */
    size_t given_bytes;
    bool has_ended;

    bool is_strict;
    unsigned doubts; /* rules that were broken; what is said of the first: */
    char doubt[DOUBT_BYTES];

    gs_ciff_header header;
    const message_type *where; /* for messages: what is being read, */
    uint64_t number;           /* which one, */
    uint64_t mark;             /* and where its present field begins */
    uint64_t lists, documents; /* begun so far */
    uint64_t tokens, length_sum;

    message list;
    uint64_t df, cf;             /* as the list says */
    uint64_t df_found, cf_found; /* so far */
    uint64_t doc;
    size_t term_bytes;
    uint8_t term[TEXT_BYTES_MAX];
};

static uint64_t offset(const gs_ciff_reader *r)
{
    return r->base + (uint64_t)(r->p - r->buffer);
}

/* --- what is wrong ----------------------------------------------------------------- */

static gs_code bad(gs_ciff_reader *r, gs_status *st, const char *fmt, ...)
    GS_PRINTF(3, 4);

/* "posting list 5 ('term')" */
static void say_place(const gs_ciff_reader *r, char place[PLACE_BYTES])
{
    char shown[SHOWN_BYTES + 1];
    gs_quoted term;
    if (r->where == &header_type) {
        (void)snprintf(place, PLACE_BYTES, "%s", header_type.name);
    } else if (r->where == &list_type && r->term_bytes > 0) {
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
static gs_code bad(gs_ciff_reader *r, gs_status *st, const char *fmt, ...)
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
static gs_code doubt(gs_ciff_reader *r, gs_status *st, const char *fmt, ...)
    GS_PRINTF(3, 4);

static gs_code doubt(gs_ciff_reader *r, gs_status *st, const char *fmt, ...)
{
    char what[WHAT_BYTES], place[PLACE_BYTES];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    if (r->is_strict)
        return bad(r, st, "%s", what);
    if (r->doubts++ > 0)
        return GS_OK;
    say_place(r, place);
    const bool is_header = r->where == &header_type; /* its fields are known by name */
    (void)snprintf(r->doubt, sizeof r->doubt, "%s%s%s", is_header ? "" : place,
                   is_header ? "" : ": ", what);
    return GS_OK;
}

/* --- bytes ------------------------------------------------------------------------- */

/* At least so many bytes from p on, unless the file has fewer. */
static gs_code refill(gs_ciff_reader *r, size_t bytes, gs_status *st)
{
    size_t held = (size_t)(r->end - r->p);
    gs_assert(bytes <= BUFFER_BYTES);
    memmove(r->buffer, r->p, held);
    r->base += (uint64_t)(r->p - r->buffer);
    r->p = r->buffer;
    while (held < bytes && !r->has_ended) {
        if (r->given_bytes == 0) {
            GS_TRY(r->source.next(r->source.context, &r->given, &r->given_bytes, st));
            r->has_ended = r->given_bytes == 0;
        }
        const size_t room = BUFFER_BYTES - held;
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

static inline gs_code need(gs_ciff_reader *r, size_t bytes, gs_status *st)
{
    return (size_t)(r->end - r->p) >= bytes ? GS_OK : refill(r, bytes, st);
}

/* How many of so many bytes the file and the message have. */
static size_t clip(const gs_ciff_reader *r, uint64_t end, size_t bytes)
{
    const uint64_t left = end - offset(r);
    const size_t held = (size_t)(r->end - r->p);
    const size_t n = held < bytes ? held : bytes;
    return left < n ? (size_t)left : n;
}

static gs_code bad_end(gs_ciff_reader *r, uint64_t end, gs_status *st)
{
    const bool is_file = r->has_ended && end > r->base + (uint64_t)(r->end - r->buffer);
    return bad(r, st,
               is_file ? "the file ends here" : "a field is longer than its message");
}

static gs_code read_varint(gs_ciff_reader *r, uint64_t end, uint64_t *x, gs_status *st)
{
    GS_TRY(need(r, VARINT_BYTES_MAX, st));
    const size_t most = clip(r, end, VARINT_BYTES_MAX);
    const uint8_t *p = r->p;
    if (!gs_varint_read(&p, r->p + most, x))
        return most < VARINT_BYTES_MAX ? bad_end(r, end, st)
                                       : bad(r, st, "a number of more than 64 bits");
    r->p = p;
    return GS_OK;
}

/* --- messages ---------------------------------------------------------------------- */

static gs_code begin_message(gs_ciff_reader *r, message *m, const message_type *type,
                             uint64_t end, gs_status *st)
{
    uint64_t bytes;
    GS_TRY(read_varint(r, end, &bytes, st));
    if (bytes > INT32_MAX)
        return bad(r, st, "a length of 2 GiB or more");
    if (bytes > end - offset(r))
        return bad(r, st, "a field is longer than its message");
    *m = (message){.type = type, .end = offset(r) + bytes};
    return GS_OK;
}

/* A message of the file itself. */
static gs_code begin_part(gs_ciff_reader *r, message *m, const message_type *type,
                          uint64_t number, gs_status *st)
{
    r->where = type;
    r->number = number;
    r->mark = offset(r);
    r->term_bytes = 0;
    return begin_message(r, m, type, UINT64_MAX, st);
}

/* Over a field that is written as `kind`. */
static gs_code skip_field(gs_ciff_reader *r, const message *m, unsigned kind,
                          gs_status *st)
{
    uint64_t left = kind == FIXED64 ? 8 : kind == FIXED32 ? 4 : 0;
    if (kind == VARINT || kind == BYTES)
        GS_TRY(read_varint(r, m->end, &left, st));
    else if (left == 0)
        return bad(r, st, "a field of an unknown type (%u)", kind);
    if (kind == VARINT)
        return GS_OK;
    if (left > m->end - offset(r))
        return bad(r, st, "a field is longer than its message");
    while (left > 0) {
        GS_TRY(need(r, 1, st));
        const size_t held = (size_t)(r->end - r->p);
        const size_t n = left < held ? (size_t)left : held;
        if (n == 0)
            return bad_end(r, m->end, st);
        r->p += n;
        left -= n;
    }
    return GS_OK;
}

/* The next tag of a field that the format has, or 0 at the end of the message. */
static gs_code next_tag(gs_ciff_reader *r, const message *m, uint64_t *tag, gs_status *st)
{
    for (*tag = 0; offset(r) < m->end; *tag = 0) {
        r->mark = offset(r);
        GS_TRY(read_varint(r, m->end, tag, st));
        const uint64_t field = *tag >> 3;
        if (field > 0 && field <= m->type->field_count)
            return GS_OK;
        static const char what[] = "field %" PRIu64 ", which the format does not have";
        if (field == 0)
            return bad(r, st, what, field);
        GS_TRY(doubt(r, st, what, field));
        GS_TRY(skip_field(r, m, (unsigned)*tag & 7, st));
    }
    return GS_OK;
}

/* m->field is the next field's number, or 0 at the end of the message. */
static gs_code next_field(gs_ciff_reader *r, message *m, gs_status *st)
{
    const message_type *const type = m->type;
    const unsigned before = m->field;
    uint64_t tag;
    m->field = 0;
    GS_TRY(next_tag(r, m, &tag, st));
    if (tag == 0)
        return GS_OK;
    const uint64_t field = tag >> 3;
    const char *const name = type->fields[field - 1].name;
    if ((tag & 7) != type->fields[field - 1].kind)
        return bad(r, st, "%s is written as another type (%u)", name, (unsigned)tag & 7);
    if (field == before && !(type->last_repeats && field == type->field_count))
        return bad(r, st, "%s comes twice", name);
    if (field < before)
        return bad(r, st, "%s comes behind %s", name, type->fields[before - 1].name);
    m->field = (unsigned)field;
    return GS_OK;
}

static const char *field_name(const message *m)
{
    return m->type->fields[m->field - 1].name;
}

static gs_code read_number(gs_ciff_reader *r, const message *m, uint64_t most,
                           uint64_t *x, gs_status *st)
{
    GS_TRY(read_varint(r, m->end, x, st));
    if (*x == 0)
        return doubt(r, st, "%s is written though it is 0", field_name(m));
    if (*x > INT64_MAX)
        return bad(r, st, "%s is negative", field_name(m));
    if (*x > most)
        return bad(r, st, "%s is too large: %" PRIu64, field_name(m), *x);
    return GS_OK;
}

static gs_code read_text(gs_ciff_reader *r, const message *m, gs_ciff_text *out,
                         gs_status *st)
{
    uint64_t bytes;
    GS_TRY(read_varint(r, m->end, &bytes, st));
    if (bytes == 0)
        return bad(r, st, "%s is written though it is empty", field_name(m));
    if (bytes > m->end - offset(r))
        return bad(r, st, "a field is longer than its message");
    if (bytes > TEXT_BYTES_MAX)
        return bad(r, st, "%s has %" PRIu64 " bytes, at most %d are read", field_name(m),
                   bytes, TEXT_BYTES_MAX);
    GS_TRY(need(r, (size_t)bytes, st));
    if (clip(r, m->end, (size_t)bytes) < bytes)
        return bad_end(r, m->end, st);
    *out = (gs_ciff_text){r->p, (size_t)bytes};
    r->p += bytes;
    if (!gs_utf8_is_valid(out->data, out->bytes))
        return bad(r, st, "%s is not UTF-8", field_name(m));
    return GS_OK;
}

/* --- the header -------------------------------------------------------------------- */

static gs_code read_double(gs_ciff_reader *r, const message *m, double *x, gs_status *st)
{
    uint64_t bits;
    GS_TRY(need(r, sizeof bits, st));
    if (clip(r, m->end, sizeof bits) < sizeof bits)
        return bad_end(r, m->end, st);
    memcpy(&bits, r->p, sizeof bits);
    memcpy(x, r->p, sizeof *x);
    r->p += sizeof bits;
    if (bits == 0)
        return doubt(r, st, "%s is written though it is 0", field_name(m));
    return GS_OK;
}

/* `numbers` by field number, 0 for those that are left out. */
static gs_code check_header(gs_ciff_reader *r, const uint64_t *numbers, double average,
                            gs_status *st)
{
    const uint64_t lists = numbers[2], documents = numbers[3], tokens = numbers[6];
    r->mark = 0;
    if (numbers[1] != 1)
        return bad(r, st, "version is %" PRIu64 ", only 1 is known", numbers[1]);
    if (numbers[4] != lists)
        GS_TRY(doubt(r, st, "%" PRIu64 " of %" PRIu64 " posting lists are here", lists,
                     numbers[4]));
    if (numbers[5] != documents)
        GS_TRY(doubt(r, st, "%" PRIu64 " of %" PRIu64 " documents are here", documents,
                     numbers[5]));
    const double want = documents > 0 ? (double)tokens / (double)documents : 0;
    if (!(fabs(average - want) <= 1e-6 * (want > 1 ? want : 1)))
        GS_TRY(doubt(r, st,
                     "average_doclength is %.9g, but %" PRIu64 " / %" PRIu64 " is %.9g",
                     average, tokens, documents, want));
    r->header = (gs_ciff_header){(uint32_t)lists, (uint32_t)documents, tokens};
    return GS_OK;
}

static gs_code read_header(gs_ciff_reader *r, gs_status *st)
{
    message m;
    uint64_t numbers[9] = {0};
    double average = 0;
    gs_ciff_text ignored;
    GS_TRY(begin_part(r, &m, &header_type, 0, st));
    for (;;) {
        GS_TRY(next_field(r, &m, st));
        switch (m.field) {
        case 0: return check_header(r, numbers, average, st);
        case 6: GS_TRY(read_number(r, &m, INT64_MAX, &numbers[6], st)); break;
        case 7: GS_TRY(read_double(r, &m, &average, st)); break;
        case 8: GS_TRY(read_text(r, &m, &ignored, st)); break;
        default: GS_TRY(read_number(r, &m, INT32_MAX, &numbers[m.field], st));
        }
    }
}

gs_code gs_ciff_reader_new(gs_ciff_reader **out, const gs_byte_source *source,
                           const char *name, bool is_strict, gs_status *st)
{
    *out = NULL;
    gs_ciff_reader *r = NULL;
    GS_TRY(gs_mem_new(&r, sizeof *r, "reader", st));
    r->source = *source;
    r->name = name;
    r->is_strict = is_strict;
    GS_TRY_OR_FAIL(gs_mem_new(&r->buffer, BUFFER_BYTES, "reader", st));
    r->p = r->end = r->buffer;
    GS_TRY_OR_FAIL(read_header(r, st));
    *out = r;
    return GS_OK;
fail:
    gs_ciff_reader_free(r);
    return st->code;
}

void gs_ciff_reader_free(gs_ciff_reader *r)
{
    if (r == NULL)
        return;
    gs_mem_free(r->buffer);
    gs_mem_free(r);
}

gs_ciff_header gs_ciff_reader_header(const gs_ciff_reader *r)
{
    return r->header;
}

unsigned gs_ciff_reader_doubts(const gs_ciff_reader *r, const char **first)
{
    *first = r->doubt;
    return r->doubts;
}

/* --- posting lists ----------------------------------------------------------------- */

/* `before` is the last list's term. */
static gs_code check_term(gs_ciff_reader *r, gs_ciff_text term, size_t before_bytes,
                          gs_status *st)
{
    const bool ascends =
        gs_string_compare(r->term, before_bytes, term.data, term.bytes, 0) < 0;
    memcpy(r->term, term.data, term.bytes);
    r->term_bytes = term.bytes;
    if (!ascends)
        return bad(r, st, "the term does not come behind that of the list before");
    if (memchr(term.data, '\n', term.bytes) != NULL)
        return bad(r, st, "the term has a line feed");
    return GS_OK;
}

gs_code gs_ciff_reader_list(gs_ciff_reader *r, gs_ciff_text *term, gs_status *st)
{
    const size_t before_bytes = r->term_bytes;
    *term = (gs_ciff_text){0};
    if (r->lists == r->header.lists)
        return GS_OK;
    GS_TRY(begin_part(r, &r->list, &list_type, r->lists, st));
    r->lists++;
    r->df = r->cf = r->df_found = r->cf_found = r->doc = 0;
    GS_TRY(next_field(r, &r->list, st));
    if (r->list.field != 1)
        return bad(r, st, "no term");
    GS_TRY(read_text(r, &r->list, term, st));
    GS_TRY(check_term(r, *term, before_bytes, st));
    for (;;) {
        GS_TRY(next_field(r, &r->list, st));
        switch (r->list.field) {
        case 0: return bad(r, st, "no postings");
        case 2: GS_TRY(read_number(r, &r->list, INT64_MAX, &r->df, st)); break;
        case 3: GS_TRY(read_number(r, &r->list, INT64_MAX, &r->cf, st)); break;
        default: *term = (gs_ciff_text){r->term, r->term_bytes}; return GS_OK;
        }
    }
}

static gs_code read_posting(gs_ciff_reader *r, uint64_t *docid, uint64_t *tf,
                            gs_status *st)
{
    message m;
    *docid = *tf = 0;
    GS_TRY(begin_message(r, &m, &posting_type, r->list.end, st));
    for (;;) {
        GS_TRY(next_field(r, &m, st));
        if (m.field == 0)
            return GS_OK;
        GS_TRY(read_number(r, &m, INT32_MAX, m.field == 1 ? docid : tf, st));
    }
}

/* A posting as they mostly are: both fields there and all in the buffer. False: it is not
 * such a one, and read_posting is to look at it. */
static inline bool take_posting(gs_ciff_reader *r, uint64_t *docid, uint64_t *tf)
{
    if (clip(r, r->list.end, POSTING_BYTES_MAX) < POSTING_BYTES_MAX || r->p[0] > 24)
        return false;
    const uint8_t *p = r->p + 1;
    const uint8_t *const end = p + r->p[0];
    if (p == end || *p++ != (1 << 3 | VARINT) || !gs_varint_read(&p, end, docid) ||
        p == end || *p++ != (2 << 3 | VARINT) || !gs_varint_read(&p, end, tf) ||
        p != end || *docid == 0 || *docid > INT32_MAX || *tf == 0 || *tf > INT32_MAX)
        return false;
    r->p = p;
    return true;
}

static gs_code end_list(gs_ciff_reader *r, gs_status *st)
{
    if (r->df != r->df_found)
        GS_TRY(doubt(r, st, "df is %" PRIu64 ", but there are %" PRIu64 " postings",
                     r->df, r->df_found));
    if (r->cf != r->cf_found)
        GS_TRY(doubt(r, st, "cf is %" PRIu64 ", but the frequencies add up to %" PRIu64,
                     r->cf, r->cf_found));
    r->tokens += r->cf_found;
    return GS_OK;
}

static gs_code check_posting(gs_ciff_reader *r, uint64_t docid, uint64_t tf,
                             gs_status *st)
{
    if (tf == 0)
        return bad(r, st, "posting %" PRIu64 ": tf is 0", r->df_found);
    if (r->df_found > 0 && docid == 0)
        return bad(r, st, "posting %" PRIu64 ": its document is that of the one before",
                   r->df_found);
    if (docid >= r->header.documents - r->doc)
        return bad(r, st,
                   "posting %" PRIu64 ": docid %" PRIu64 ", but num_docs is %" PRIu32,
                   r->df_found, r->doc + docid, r->header.documents);
    return GS_OK;
}

static inline gs_code next_posting(gs_ciff_reader *r, gs_status *st)
{
    if (r->p == r->end || offset(r) == r->list.end || *r->p != (4 << 3 | BYTES))
        return next_field(r, &r->list, st);
    r->p++;
    return GS_OK;
}

gs_code gs_ciff_reader_postings(gs_ciff_reader *r, uint64_t *docs, uint32_t *tfs,
                                size_t most, size_t *count, gs_status *st)
{
    *count = 0;
    while (*count < most && r->list.field != 0) {
        uint64_t docid, tf;
        GS_TRY(need(r, POSTING_BYTES_MAX, st));
        r->mark = offset(r);
        if (!take_posting(r, &docid, &tf))
            GS_TRY(read_posting(r, &docid, &tf, st));
        GS_TRY(check_posting(r, docid, tf, st));
        r->doc += docid;
        r->df_found++;
        r->cf_found += tf;
        docs[*count] = r->doc;
        tfs[(*count)++] = (uint32_t)tf;
        GS_TRY(next_posting(r, st));
    }
    return r->list.field == 0 && *count == 0 ? end_list(r, st) : GS_OK;
}

/* --- documents --------------------------------------------------------------------- */

static gs_code check_end(gs_ciff_reader *r, gs_status *st)
{
    GS_TRY(need(r, 1, st));
    r->mark = offset(r);
    r->number = r->documents;
    r->where = &document_type;
    if (r->p != r->end)
        return bad(r, st, "there should be no more: num_docs is %" PRIu32,
                   r->header.documents);
    r->where = &header_type;
    r->mark = 0;
    if (r->tokens != r->header.tokens)
        GS_TRY(doubt(r, st,
                     "total_terms_in_collection is %" PRIu64
                     ", but the frequencies add up to %" PRIu64,
                     r->header.tokens, r->tokens));
    if (r->length_sum != r->header.tokens)
        GS_TRY(doubt(r, st,
                     "total_terms_in_collection is %" PRIu64
                     ", but the lengths of documents add up to %" PRIu64,
                     r->header.tokens, r->length_sum));
    return GS_OK;
}

/* Kept apart, since reading on may move the buffer; terms are not needed any more. */
static gs_code read_name(gs_ciff_reader *r, const message *m, gs_ciff_text *out,
                         gs_status *st)
{
    GS_TRY(read_text(r, m, out, st));
    if (memchr(out->data, '\n', out->bytes) != NULL)
        return bad(r, st, "collection_docid has a line feed");
    memcpy(r->term, out->data, out->bytes);
    out->data = r->term;
    return GS_OK;
}

static gs_code read_document(gs_ciff_reader *r, gs_ciff_document *out, gs_status *st)
{
    message m;
    uint64_t docid = 0, length = 0;
    *out = (gs_ciff_document){.name = {r->term, 0}};
    GS_TRY(begin_part(r, &m, &document_type, r->documents, st));
    const uint64_t begin = r->mark;
    do {
        GS_TRY(next_field(r, &m, st));
        switch (m.field) {
        case 1: GS_TRY(read_number(r, &m, INT32_MAX, &docid, st)); break;
        case 2: GS_TRY(read_name(r, &m, &out->name, st)); break;
        case 3: GS_TRY(read_number(r, &m, INT32_MAX, &length, st)); break;
        default: break;
        }
    } while (m.field != 0);
    r->mark = begin;
    if (docid != r->documents)
        return bad(r, st, "docid is %" PRIu64 ", but %" PRIu64 " is next", docid,
                   r->documents);
    out->length = (uint32_t)length;
    r->length_sum += length;
    r->documents++;
    return GS_OK;
}

gs_code gs_ciff_reader_document(gs_ciff_reader *r, gs_ciff_document *out,
                                bool *has_document, gs_status *st)
{
    gs_assert(r->lists == r->header.lists);
    *has_document = r->documents < r->header.documents;
    return *has_document ? read_document(r, out, st) : check_end(r, st);
}
