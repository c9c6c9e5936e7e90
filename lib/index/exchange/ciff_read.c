/* SPDX-License-Identifier: MIT */
#include "lib/index/exchange/ciff_read.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/index/exchange/ciff_message.h"
#include "lib/index/read/readers.h"
#include "lib/index/text/documents.h"

enum { POSTING_BYTES_MAX = 32 }; /* that are looked at in one go */

/* --- the header -------------------------------------------------------------------- */

static gs_code read_double(gs_ciff_reader *r, const gs_ciff_message *m, double *x,
                           gs_status *st)
{
    uint64_t bits;
    GS_TRY(gs_ciff_need(r, sizeof bits, st));
    if (gs_ciff_clip(r, m->end, sizeof bits) < sizeof bits)
        return gs_ciff_bad_end(r, m->end, st);
    memcpy(&bits, r->p, sizeof bits);
    memcpy(x, r->p, sizeof *x);
    r->p += sizeof bits;
    if (bits == 0)
        return gs_ciff_doubt(r, st, "%s is written though it is 0",
                             gs_ciff_field_name(m));
    return GS_OK;
}

/* `numbers` by field number, 0 for those that are left out. */
static gs_code check_header(gs_ciff_reader *r, const uint64_t *numbers, double average,
                            gs_status *st)
{
    const uint64_t lists = numbers[2], documents = numbers[3], tokens = numbers[6];
    r->mark = 0;
    if (numbers[1] != 1)
        return gs_ciff_bad(r, st, "version is %" PRIu64 ", only 1 is known", numbers[1]);
    if (numbers[4] != lists)
        GS_TRY(gs_ciff_doubt(r, st, "%" PRIu64 " of %" PRIu64 " posting lists are here",
                             lists, numbers[4]));
    if (numbers[5] != documents)
        GS_TRY(gs_ciff_doubt(r, st, "%" PRIu64 " of %" PRIu64 " documents are here",
                             documents, numbers[5]));
    const double want = documents > 0 ? (double)tokens / (double)documents : 0;
    if (!(fabs(average - want) <= 1e-6 * (want > 1 ? want : 1)))
        GS_TRY(gs_ciff_doubt(
            r, st, "average_doclength is %.9g, but %" PRIu64 " / %" PRIu64 " is %.9g",
            average, tokens, documents, want));
    r->header.lists = (uint32_t)lists;
    r->header.documents = (uint32_t)documents;
    r->header.tokens = tokens;
    return GS_OK;
}

static gs_code read_header(gs_ciff_reader *r, gs_status *st)
{
    gs_ciff_message m;
    uint64_t numbers[9] = {0};
    double average = 0;
    gs_ciff_text text;
    GS_TRY(gs_ciff_begin_part(r, &m, &gs_ciff_header_type, 0, st));
    for (;;) {
        GS_TRY(gs_ciff_next_field(r, &m, st));
        switch (m.field) {
        case 0: return check_header(r, numbers, average, st);
        case 6: GS_TRY(gs_ciff_read_number(r, &m, INT64_MAX, &numbers[6], st)); break;
        case 7: GS_TRY(read_double(r, &m, &average, st)); break;
        case 8:
            GS_TRY(gs_ciff_read_text(r, &m, &text, st));
            r->header.has_impacts = text.bytes == strlen(GS_CIFF_IMPACTS) &&
                                    memcmp(text.data, GS_CIFF_IMPACTS, text.bytes) == 0;
            break;
        default: GS_TRY(gs_ciff_read_number(r, &m, INT32_MAX, &numbers[m.field], st));
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
    GS_TRY_OR_FAIL(gs_mem_new(&r->buffer, GS_CIFF_BUFFER_BYTES, "reader", st));
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
        GS_TRY(gs_ciff_doubt(r, st,
                             "the term does not come behind that of the list before"));
    if (memchr(term.data, '\n', term.bytes) != NULL)
        return gs_ciff_bad(r, st, "the term has a line feed");
    return GS_OK;
}

gs_code gs_ciff_reader_list(gs_ciff_reader *r, gs_ciff_text *term, gs_status *st)
{
    const size_t before_bytes = r->term_bytes;
    *term = (gs_ciff_text){0};
    if (r->lists == r->header.lists)
        return GS_OK;
    GS_TRY(gs_ciff_begin_part(r, &r->list, &gs_ciff_list_type, r->lists, st));
    r->lists++;
    r->df = r->cf = r->df_found = r->cf_found = r->doc = 0;
    GS_TRY(gs_ciff_next_field(r, &r->list, st));
    if (r->list.field != 1)
        return gs_ciff_bad(r, st, "no term");
    GS_TRY(gs_ciff_read_text(r, &r->list, term, st));
    GS_TRY(check_term(r, *term, before_bytes, st));
    for (;;) {
        GS_TRY(gs_ciff_next_field(r, &r->list, st));
        switch (r->list.field) {
        case 0: return gs_ciff_bad(r, st, "no postings");
        case 2: GS_TRY(gs_ciff_read_number(r, &r->list, INT64_MAX, &r->df, st)); break;
        case 3: GS_TRY(gs_ciff_read_number(r, &r->list, INT64_MAX, &r->cf, st)); break;
        default: *term = (gs_ciff_text){r->term, r->term_bytes}; return GS_OK;
        }
    }
}

static gs_code read_posting(gs_ciff_reader *r, uint64_t *docid, uint64_t *tf,
                            gs_status *st)
{
    gs_ciff_message m;
    *docid = *tf = 0;
    GS_TRY(gs_ciff_begin(r, &m, &gs_ciff_posting_type, r->list.end, st));
    for (;;) {
        GS_TRY(gs_ciff_next_field(r, &m, st));
        if (m.field == 0)
            return GS_OK;
        GS_TRY(gs_ciff_read_number(r, &m, INT32_MAX, m.field == 1 ? docid : tf, st));
    }
}

/* A posting as they mostly are: both fields there and all in the buffer. False: it is not
 * such a one, and read_posting is to look at it. */
static inline bool take_posting(gs_ciff_reader *r, uint64_t *docid, uint64_t *tf)
{
    if (gs_ciff_clip(r, r->list.end, POSTING_BYTES_MAX) < POSTING_BYTES_MAX ||
        r->p[0] > 24)
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
        GS_TRY(gs_ciff_doubt(r, st,
                             "df is %" PRIu64 ", but there are %" PRIu64 " postings",
                             r->df, r->df_found));
    if (r->cf != r->cf_found)
        GS_TRY(gs_ciff_doubt(r, st,
                             "cf is %" PRIu64 ", but the frequencies add up to %" PRIu64,
                             r->cf, r->cf_found));
    r->tokens += r->cf_found;
    return GS_OK;
}

static gs_code check_posting(gs_ciff_reader *r, uint64_t docid, uint64_t tf,
                             gs_status *st)
{
    if (tf == 0)
        return gs_ciff_bad(r, st, "posting %" PRIu64 ": tf is 0", r->df_found);
    if (r->df_found > 0 && docid == 0)
        return gs_ciff_bad(r, st,
                           "posting %" PRIu64 ": its document is that of the one before",
                           r->df_found);
    if (docid >= r->header.documents - r->doc)
        return gs_ciff_bad(
            r, st, "posting %" PRIu64 ": docid %" PRIu64 ", but num_docs is %" PRIu32,
            r->df_found, r->doc + docid, r->header.documents);
    return GS_OK;
}

static inline gs_code next_posting(gs_ciff_reader *r, gs_status *st)
{
    if (r->p == r->end || gs_ciff_offset(r) == r->list.end || *r->p != (4 << 3 | BYTES))
        return gs_ciff_next_field(r, &r->list, st);
    r->p++;
    return GS_OK;
}

gs_code gs_ciff_reader_postings(gs_ciff_reader *r, uint64_t *docs, uint32_t *tfs,
                                size_t most, size_t *count, gs_status *st)
{
    *count = 0;
    while (*count < most && r->list.field != 0) {
        uint64_t docid, tf;
        GS_TRY(gs_ciff_need(r, POSTING_BYTES_MAX, st));
        r->mark = gs_ciff_offset(r);
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
    GS_TRY(gs_ciff_need(r, 1, st));
    r->mark = gs_ciff_offset(r);
    r->number = r->documents;
    r->where = &gs_ciff_document_type;
    if (r->p != r->end)
        return gs_ciff_bad(r, st, "there should be no more: num_docs is %" PRIu32,
                           r->header.documents);
    r->where = &gs_ciff_header_type;
    r->mark = 0;
    if (r->tokens != r->header.tokens)
        GS_TRY(gs_ciff_doubt(r, st,
                             "total_terms_in_collection is %" PRIu64
                             ", but the frequencies add up to %" PRIu64,
                             r->header.tokens, r->tokens));
    if (r->length_sum != r->header.tokens)
        GS_TRY(gs_ciff_doubt(r, st,
                             "total_terms_in_collection is %" PRIu64
                             ", but the lengths of documents add up to %" PRIu64,
                             r->header.tokens, r->length_sum));
    return GS_OK;
}

/* Kept apart, since reading on may move the buffer; terms are not needed any more. */
static gs_code read_name(gs_ciff_reader *r, const gs_ciff_message *m, gs_ciff_text *out,
                         gs_status *st)
{
    GS_TRY(gs_ciff_read_text(r, m, out, st));
    if (memchr(out->data, '\n', out->bytes) != NULL)
        return gs_ciff_bad(r, st, "collection_docid has a line feed");
    memcpy(r->term, out->data, out->bytes);
    out->data = r->term;
    return GS_OK;
}

static gs_code read_document(gs_ciff_reader *r, gs_ciff_document *out, gs_status *st)
{
    gs_ciff_message m;
    uint64_t docid = 0, length = 0;
    *out = (gs_ciff_document){.name = {r->term, 0}};
    GS_TRY(gs_ciff_begin_part(r, &m, &gs_ciff_document_type, r->documents, st));
    const uint64_t begin = r->mark;
    do {
        GS_TRY(gs_ciff_next_field(r, &m, st));
        switch (m.field) {
        case 1: GS_TRY(gs_ciff_read_number(r, &m, INT32_MAX, &docid, st)); break;
        case 2: GS_TRY(read_name(r, &m, &out->name, st)); break;
        case 3: GS_TRY(gs_ciff_read_number(r, &m, INT32_MAX, &length, st)); break;
        default: break;
        }
    } while (m.field != 0);
    r->mark = begin;
    if (docid != r->documents)
        return gs_ciff_bad(r, st, "docid is %" PRIu64 ", but %" PRIu64 " is next", docid,
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
