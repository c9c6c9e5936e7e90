/* SPDX-License-Identifier: MIT */
#include "lib/index/exchange/ciff_write.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/cancel.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"
#include "lib/index/exchange/ciff_read.h"
#include "lib/index/read/readers.h"
#include "lib/index/text/documents.h"
#include "lib/index/format/formats.h"

/* Field numbers of the messages, with how their values are written. */
enum {
    VARINT = 0,
    FIXED64 = 1,
    BYTES = 2,
    MESSAGE_MAX = INT32_MAX,
};

static unsigned tag(unsigned field, unsigned wire)
{
    return field << 3 | wire;
}

static size_t varint_bytes(uint64_t x)
{
    size_t n = 1;
    for (; x >= 0x80; x >>= 7)
        n++;
    return n;
}

/* A number as a field; zeros are left out, as proto3 does. Field numbers are below 16, so
 * a tag is one byte. */
static size_t number_bytes(uint64_t x)
{
    return x == 0 ? 0 : 1 + varint_bytes(x);
}

static gs_code put_varint(gs_text_out *out, uint64_t x, gs_status *st)
{
    uint8_t bytes[GS_VARINT_BYTES_MAX];
    return gs_text_out_put(out, bytes, (size_t)(gs_varint_put(bytes, x) - bytes), st);
}

static gs_code put_number(gs_text_out *out, unsigned field, uint64_t x, gs_status *st)
{
    if (x == 0)
        return GS_OK;
    GS_TRY(put_varint(out, tag(field, VARINT), st));
    return put_varint(out, x, st);
}

static gs_code put_bytes(gs_text_out *out, unsigned field, const void *data, size_t bytes,
                         gs_status *st)
{
    if (bytes == 0)
        return GS_OK;
    GS_TRY(put_varint(out, tag(field, BYTES), st));
    GS_TRY(put_varint(out, bytes, st));
    return gs_text_out_put(out, data, bytes, st);
}

/* --- the header -------------------------------------------------------------------- */

static gs_code put_header(const gs_index *index, gs_text_out *out, gs_status *st)
{
    const gs_index_header *const h = gs_index_header_of(index);
    const char *const description = h->has_impacts ? GS_CIFF_IMPACTS : "gpusort index";
    if (h->documents > INT32_MAX || h->terms > INT32_MAX)
        return GS_FAIL(st, GS_ERR_LIMIT, 0,
                       "%s: %llu documents and %llu terms: the format has 2^31 of each",
                       gs_index_folder_of(index), (unsigned long long)h->documents,
                       (unsigned long long)h->terms);
    const double average =
        h->documents > 0 ? (double)h->length_sum / (double)h->documents : 0;
    const size_t bytes = number_bytes(1) + 2 * number_bytes(h->terms) +
                         2 * number_bytes(h->documents) + number_bytes(h->length_sum) +
                         (average != 0 ? 1 + sizeof average : 0) + 2 +
                         strlen(description);
    GS_TRY(put_varint(out, bytes, st));
    GS_TRY(put_number(out, 1, 1, st));
    GS_TRY(put_number(out, 2, h->terms, st));
    GS_TRY(put_number(out, 3, h->documents, st));
    GS_TRY(put_number(out, 4, h->terms, st));
    GS_TRY(put_number(out, 5, h->documents, st));
    GS_TRY(put_number(out, 6, h->length_sum, st));
    if (average != 0) {
        GS_TRY(put_varint(out, tag(7, FIXED64), st));
        GS_TRY(gs_text_out_put(out, &average, sizeof average, st));
    }
    return put_bytes(out, 8, description, strlen(description), st);
}

/* --- posting lists ----------------------------------------------------------------- */

/* Calls for each posting of the term, with the docID as the format has it. */
typedef gs_code posting_fn(void *context, uint64_t number, uint64_t doc, uint64_t tf,
                           gs_status *st);

static gs_code each_posting(const gs_term_cursor *term, gs_posting_list *c,
                            posting_fn *fn, void *context, gs_status *st)
{
    uint64_t last = 0;
    bool is_first = true;
    GS_TRY(gs_posting_list_start(c, term->index, &term->info, st));
    for (;;) {
        GS_TRY(gs_posting_list_block(c, st));
        if (c->count == 0)
            return GS_OK;
        for (size_t i = 0; i < c->count; i++) {
            GS_TRY(fn(context, is_first ? c->docs[i] : c->docs[i] - last, c->docs[i],
                      c->tfs[i], st));
            last = c->docs[i];
            is_first = false;
        }
    }
}

static size_t posting_bytes(uint64_t number, uint64_t tf)
{
    return number_bytes(number) + number_bytes(tf);
}

typedef struct ciff_sums {
    uint64_t bytes;
    uint32_t *lengths; /* of documents that are only numbers; else NULL */
} ciff_sums;

static gs_code fail_long_document(uint64_t doc, uint64_t length, gs_status *st)
{
    return GS_FAIL(st, GS_ERR_LIMIT, 0,
                   "document %llu has %llu tokens or more: the format has 2^31",
                   (unsigned long long)doc, (unsigned long long)length);
}

static gs_code add_posting(void *context, uint64_t number, uint64_t doc, uint64_t tf,
                           gs_status *st)
{
    ciff_sums *const sums = context;
    const size_t bytes = posting_bytes(number, tf);
    sums->bytes += 1 + varint_bytes(bytes) + bytes;
    if (tf > INT32_MAX)
        return GS_FAIL(st, GS_ERR_LIMIT, 0, "a frequency of %llu: the format has 2^31",
                       (unsigned long long)tf);
    if (sums->lengths == NULL)
        return GS_OK;
    const uint64_t length = sums->lengths[doc] + tf;
    if (length > INT32_MAX)
        return fail_long_document(doc, length, st);
    sums->lengths[doc] = (uint32_t)length;
    return GS_OK;
}

static gs_code put_posting(void *context, uint64_t number, uint64_t doc, uint64_t tf,
                           gs_status *st)
{
    (void)doc;
    gs_text_out *const out = context;
    GS_TRY(put_varint(out, tag(4, BYTES), st));
    GS_TRY(put_varint(out, posting_bytes(number, tf), st));
    GS_TRY(put_number(out, 1, number, st));
    return put_number(out, 2, tf, st);
}

static gs_code refuse_term(const gs_term_cursor *term, const char *why, gs_status *st)
{
    char text[120];
    gs_quoted q;
    const size_t n = term->bytes < sizeof text - 1 ? term->bytes : sizeof text - 1;
    memcpy(text, term->term, n);
    text[n] = '\0';
    return GS_FAIL(st, GS_ERR_LIMIT, 0, "term %s %s, which the format cannot hold",
                   gs_quote_argument(&q, text), why);
}

static gs_code put_list(const gs_term_cursor *term, gs_posting_list *c, ciff_sums *sums,
                        gs_text_out *out, gs_status *st)
{
    if (memchr(term->term, '\n', term->bytes) != NULL)
        return refuse_term(term, "has a line feed", st);
    if (!gs_utf8_is_valid(term->term, term->bytes))
        return refuse_term(term, "is not UTF-8", st);
    sums->bytes = 1 + varint_bytes(term->bytes) + term->bytes +
                  number_bytes(term->info.df) + number_bytes(term->info.cf);
    GS_TRY(each_posting(term, c, add_posting, sums, st));
    if (sums->bytes > MESSAGE_MAX)
        return refuse_term(term, "has a list of more than 2 GiB", st);
    GS_TRY(put_varint(out, sums->bytes, st));
    GS_TRY(put_bytes(out, 1, term->term, term->bytes, st));
    GS_TRY(put_number(out, 2, term->info.df, st));
    GS_TRY(put_number(out, 3, term->info.cf, st));
    return each_posting(term, c, put_posting, out, st);
}

static gs_code put_lists(const gs_index *index, ciff_sums *sums, gs_text_out *out,
                         const volatile int *cancel, gs_status *st)
{
    gs_term_cursor *term = NULL;
    gs_posting_list c = {0};
    GS_TRY(gs_term_cursor_new(&term, index, st));
    GS_TRY_OR_FAIL(gs_term_cursor_first(term, st));
    while (term->has_term) {
        GS_TRY_OR_FAIL(gs_cancel_check(cancel, st));
        GS_TRY_OR_FAIL(put_list(term, &c, sums, out, st));
        GS_TRY_OR_FAIL(gs_term_cursor_next(term, st));
    }
fail:
    gs_posting_list_release(&c);
    gs_term_cursor_free(term);
    return st->code;
}

/* --- documents --------------------------------------------------------------------- */

static gs_code refuse_name(uint64_t doc, const uint8_t *name, size_t bytes,
                           const char *why, gs_status *st)
{
    char text[120];
    gs_quoted q;
    const size_t n = bytes < sizeof text - 1 ? bytes : sizeof text - 1;
    memcpy(text, name, n);
    text[n] = '\0';
    return GS_FAIL(st, GS_ERR_LIMIT, 0, "the name of document %llu, %s, %s",
                   (unsigned long long)doc, gs_quote_argument(&q, text), why);
}

static gs_code put_document(const gs_index *index, uint64_t doc, const ciff_sums *sums,
                            gs_document_name *made, gs_text_out *out, gs_status *st)
{
    uint32_t length = 0;
    char digits[24] = "";
    GS_TRY(gs_index_document_name(index, doc, made, st));
    GS_TRY(gs_index_document_length(index, doc, &length, st));
    size_t bytes = made->bytes;
    const uint8_t *name = bytes > 0 ? made->text : (const uint8_t *)digits;
    if (sums->lengths != NULL) {
        bytes = (size_t)snprintf(digits, sizeof digits, "%llu", (unsigned long long)doc);
        name = (const uint8_t *)digits;
        length = sums->lengths[doc];
    }
    if (!gs_utf8_is_valid(name, bytes))
        return refuse_name(doc, name, bytes, "is not UTF-8, which the format cannot hold",
                           st);
    if (memchr(name, '\n', bytes) != NULL)
        return refuse_name(doc, name, bytes,
                           "has a line feed, and other programs make it a line", st);
    if (length > INT32_MAX)
        return fail_long_document(doc, length, st);
    GS_TRY(put_varint(out,
                      number_bytes(doc) +
                          (bytes > 0 ? 1 + varint_bytes(bytes) + bytes : 0) +
                          number_bytes(length),
                      st));
    GS_TRY(put_number(out, 1, doc, st));
    GS_TRY(put_bytes(out, 2, name, bytes, st));
    return put_number(out, 3, length, st);
}

gs_code gs_ciff_write(const gs_index *index, gs_text_out *out, const volatile int *cancel,
                      gs_status *st)
{
    const gs_index_header *const h = gs_index_header_of(index);
    ciff_sums sums = {0};
    gs_document_name name = {0};
    GS_TRY(put_header(index, out, st));
    const size_t lengths_bytes = (size_t)h->documents * sizeof *sums.lengths;
    if (!h->has_names && lengths_bytes > 0)
        GS_TRY(gs_mem_map(&sums.lengths, lengths_bytes, false, "document lengths", st));
    if (put_lists(index, &sums, out, cancel, st) == GS_OK) {
        for (uint64_t doc = 0; doc < h->documents && st->code == GS_OK; doc++)
            GS_NOTED(put_document(index, doc, &sums, &name, out, st));
    }
    gs_document_name_release(&name);
    gs_mem_unmap(sums.lengths, lengths_bytes);
    return st->code == GS_OK ? gs_text_out_flush(out, st) : st->code;
}
