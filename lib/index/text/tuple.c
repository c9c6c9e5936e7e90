/* SPDX-License-Identifier: MIT */
#include "lib/index/text/tuple.h"

#include <string.h>

#include "lib/index/text/document_kind.h"
#include "lib/index/format/formats.h"

void gs_tuple_reader_begin(gs_tuple_reader *r, gs_document_format format,
                           const gs_line_batch *input)
{
    *r = (gs_tuple_reader){format, input->data, input->data + input->bytes, 0};
}

/* A decimal number below `limit`, without sign or blanks, that takes all the bytes. */
static bool parse_decimal(const uint8_t *p, const uint8_t *end, uint64_t limit,
                          uint64_t *out)
{
    uint64_t value = 0;
    if (p == end)
        return false;
    for (; p < end; p++) {
        const uint8_t digit = (uint8_t)(*p - '0');
        if (digit > 9)
            return false;
        value = value * 10 + digit;
        if (value >= limit)
            return false;
    }
    *out = value;
    return true;
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
    if (end[-1] == '\r')
        end--;
    const uint8_t *const number = tab + 1;
    const uint8_t *const second =
        number < end ? memchr(number, '\t', (size_t)(end - number)) : NULL;
    uint64_t doc, tf = 1;
    if (!parse_decimal(number, second != NULL ? second : end, GS_DOCUMENTS_MAX, &doc))
        return "the docID is no decimal number below 2^40";
    if (second != NULL &&
        (!parse_decimal(second + 1, end, UINT64_C(1) << 32, &tf) || tf == 0))
        return "the frequency is no decimal number from 1 to 2^32 - 1";
    const size_t bytes = (size_t)(tab - line);
    uint8_t *const to = batch->terms.bytes + batch->terms.used;
    memcpy(to, line, bytes);
    memset(to + bytes, 0, GS_TERM_PAD);
    gs_tuple_batch_add(batch, bytes, doc, (uint32_t)tf);
    return NULL;
}

static uint32_t load_u32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
           (uint32_t)p[3] << 24;
}

static void take_pair(gs_tuple_batch *batch, const uint8_t *pair)
{
    uint8_t digits[GS_TERM_PAD] = {0};
    size_t bytes = 0;
    uint32_t id = load_u32(pair);
    do {
        digits[bytes++] = (uint8_t)('0' + id % 10);
        id /= 10;
    } while (id != 0);
    uint8_t *const to = batch->terms.bytes + batch->terms.used;
    memset(to, 0, GS_TERM_PAD);
    for (size_t i = 0; i < bytes; i++)
        to[i] = digits[bytes - 1 - i];
    gs_tuple_batch_add(batch, bytes, load_u32(pair + 4), 1);
}

void gs_tuple_reader_next(gs_tuple_reader *r, gs_tuple_batch *batch, gs_bad_document *bad)
{
    enum { PAIR_BYTES = 8 };
    gs_tuple_batch_clear(batch);
    *bad = (gs_bad_document){0};
    while (r->at < r->end && gs_token_batch_has_room(&batch->terms)) {
        if (r->format == GS_FORMAT_TUPLES_BIN) {
            take_pair(batch, r->at);
            r->at += PAIR_BYTES;
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
