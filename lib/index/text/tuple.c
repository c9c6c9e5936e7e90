/* SPDX-License-Identifier: MIT */
#include "lib/index/text/tuple.h"

#include <string.h>

#include "lib/base/tuple_line.h"
#include "lib/index/format/formats.h"
#include "lib/index/text/document_kind.h"

_Static_assert(GS_TUPLE_DOCS_MAX == GS_DOCUMENTS_MAX,
               "docIDs of tuples are those of all");
_Static_assert((int)GS_TUPLE_DIGITS_MAX <= (int)GS_TERM_PAD,
               "the term of a termID is short");

void gs_tuple_reader_begin(gs_tuple_reader *r, gs_document_format format,
                           const gs_line_batch *input)
{
    *r = (gs_tuple_reader){format, input->data, input->data + input->bytes, 0};
}

void gs_tuple_batch_clear(gs_tuple_batch *batch)
{
    gs_token_batch_clear(&batch->terms);
    batch->count = 0;
}

void gs_tuple_batch_add(gs_tuple_batch *batch, size_t term_bytes, uint64_t doc,
                        uint32_t tf)
{
    gs_token_batch *const terms = &batch->terms;
    const uint8_t *const term = terms->bytes + terms->used;
    batch->tuples[batch->count++] =
        (gs_tuple){.term = {.term = term,
                            .bytes = (uint32_t)term_bytes,
                            .hash = gs_term_hash(term, term_bytes)},
                   .tf = tf,
                   .doc = doc};
    terms->used += gs_term_padded_bytes(term_bytes);
    terms->count = batch->count;
}

static void add_weight(gs_tuple_batch *batch, const gs_vector_weight *weight,
                       uint64_t doc)
{
    const gs_text_span raw = weight->term.raw;
    uint8_t *const to = batch->terms.bytes + batch->terms.used;
    uint8_t *const end = weight->term.has_escapes ? gs_json_unescape(raw, to)
                                                  : mempcpy(to, raw.data, raw.bytes);
    memset(end, 0, GS_TERM_PAD);
    gs_tuple_batch_add(batch, (size_t)(end - to), doc, weight->impact);
}

bool gs_tuple_batch_add_vector(gs_tuple_batch *batch, gs_vector_reader *vector,
                               uint64_t doc)
{
    gs_vector_weight weight;
    while (gs_token_batch_has_room(&batch->terms)) {
        if (!gs_vector_reader_next(vector, &weight))
            return true;
        if (weight.impact > 0)
            add_weight(batch, &weight, doc);
    }
    return false;
}

/* NULL, or why the line is no tuple. */
static const char *parse_line(gs_tuple_batch *batch, const uint8_t *line,
                              const uint8_t *end)
{
    const uint8_t *const tab = memchr(line, '\t', (size_t)(end - line));
    if (tab == NULL)
        return "no TAB between term and docID";
    if (tab == line)
        return "no term before the TAB";
    if (tab - line > GS_TERM_BYTES_MAX)
        return "the term is longer than 65535 bytes";
    uint64_t doc;
    uint32_t tf;
    switch (gs_tuple_numbers(tab + 1, end, &doc, &tf)) {
    case GS_TUPLE_BAD_DOC: return "the docID is no decimal number below 2^40";
    case GS_TUPLE_BAD_TF: return "the frequency is no decimal number from 1 to 2^32 - 1";
    case GS_TUPLE_IS_FINE: break;
    }
    const size_t bytes = (size_t)(tab - line);
    uint8_t *const to = batch->terms.bytes + batch->terms.used;
    memcpy(to, line, bytes);
    memset(to + bytes, 0, GS_TERM_PAD);
    gs_tuple_batch_add(batch, bytes, doc, tf);
    return NULL;
}

static void take_pair(gs_tuple_batch *batch, const uint8_t *pair)
{
    uint8_t *const to = batch->terms.bytes + batch->terms.used;
    memset(to, 0, GS_TERM_PAD);
    const uint32_t bytes = gs_tuple_digits(gs_tuple_u32(pair), to);
    gs_tuple_batch_add(batch, bytes, gs_tuple_u32(pair + 4), 1);
}

void gs_tuple_reader_next(gs_tuple_reader *r, gs_tuple_batch *batch, gs_bad_document *bad)
{
    gs_tuple_batch_clear(batch);
    *bad = (gs_bad_document){0};
    while (r->at < r->end && gs_token_batch_has_room(&batch->terms)) {
        if (r->format == GS_FORMAT_TUPLES_BIN) {
            take_pair(batch, r->at);
            r->at += GS_TUPLE_PAIR_BYTES;
            continue;
        }
        const uint8_t *const eol = memchr(r->at, '\n', (size_t)(r->end - r->at));
        const uint8_t *const stop = eol != NULL ? eol : r->end;
        const uint8_t *const line = r->at;
        const char *const why = parse_line(batch, line, stop);
        r->at = stop + 1;
        r->line++;
        if (why != NULL && !gs_document_line_is_blank(line, stop)) {
            *bad = (gs_bad_document){.line = r->line - 1, .why = why};
            if (bad->line == 0)
                bad->hint =
                    gs_document_kind_hint(line, (size_t)(r->end - line), r->format);
            return;
        }
    }
}
