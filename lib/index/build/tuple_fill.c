/* SPDX-License-Identifier: MIT */
#include "lib/index/build/tuple_fill.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/tuple_line.h"

enum { NUMBERS_BYTES = 40 }; /* of a plain line, behind its term */

void gs_tuple_fill_begin(gs_tuple_fill *f, const gs_line_batch *batch)
{
    gs_assert(!f->is_at_hand);
    f->batch = batch;
    f->at = batch->data;
    f->end = batch->data + batch->bytes;
    f->is_reading = false;
}

/* --- as they are -------------------------------------------------------------------- */

/* How much of what is left fits the piece in whole tuples; 0: not even one. */
static size_t whole_tuples(const gs_tuple_fill *f)
{
    const size_t left = (size_t)(f->end - f->at), room = f->piece->byte_capacity;
    if (left <= room)
        return left;
    if (f->format == GS_FORMAT_TUPLES_BIN)
        return room / GS_TUPLE_PAIR_BYTES * GS_TUPLE_PAIR_BYTES;
    const uint8_t *const eol = memrchr(f->at, '\n', room);
    return eol != NULL ? (size_t)(eol + 1 - f->at) : 0;
}

static void copy_tuples(gs_tuple_fill *f, size_t bytes)
{
    memcpy(f->piece->text, f->at, bytes);
    f->piece->bytes = bytes;
    f->first = f->at;
    f->at += bytes;
}

/* --- by the reader ------------------------------------------------------------------ */

/* The reader has what is left from `from` on. */
static void begin_reading(gs_tuple_fill *f, const uint8_t *from)
{
    const gs_line_batch *const b = f->batch;
    gs_tuple_reader_begin(&f->reader, f->format, b);
    f->reader.at = from;
    f->reader.line = gs_line_count(b->data, (size_t)(from - b->data), '\n');
    f->at = f->end;
    gs_tuple_batch_clear(f->tuples);
    f->placed = 0;
    f->is_reading = true;
}

/* A plain line; false: there is no room. */
static bool put_tuple(gs_text_piece *p, const gs_tuple *tuple)
{
    if (p->bytes + tuple->term.bytes + NUMBERS_BYTES > p->byte_capacity)
        return false;
    char numbers[NUMBERS_BYTES];
    const int bytes = snprintf(numbers, sizeof numbers, "\t%llu\t%u\n",
                               (unsigned long long)tuple->doc, tuple->tf);
    memcpy(p->text + p->bytes, tuple->term.term, tuple->term.bytes);
    p->bytes += tuple->term.bytes;
    memcpy(p->text + p->bytes, numbers, (size_t)bytes);
    p->bytes += (size_t)bytes;
    return true;
}

/* What the reader finds, until the piece is full or a line is no tuple. */
static gs_code read_tuples(gs_tuple_fill *f, gs_bad_document *bad, gs_status *st)
{
    while (bad->why == NULL) {
        for (; f->placed < f->tuples->count; f->placed++) {
            const gs_tuple *const tuple = &f->tuples->tuples[f->placed];
            if (tuple->doc > UINT32_MAX)
                return GS_FAIL(st, GS_ERR_LIMIT, 0, "GPU: docID %llu is beyond 2^32",
                               (unsigned long long)tuple->doc);
            if (!put_tuple(f->piece, tuple))
                return GS_OK;
        }
        if (f->reader.at >= f->reader.end)
            return GS_OK;
        gs_tuple_reader_next(&f->reader, f->tuples, bad);
        f->placed = 0;
    }
    return GS_OK;
}

void gs_tuple_fill_stop(gs_tuple_fill *f)
{
    f->reader.at = f->reader.end;
}

/* --- both --------------------------------------------------------------------------- */

gs_code gs_tuple_fill_next(gs_tuple_fill *f, gs_bad_document *bad, bool *has_more,
                           gs_status *st)
{
    gs_assert(!f->is_at_hand);
    *bad = (gs_bad_document){0};
    GS_TRY(gs_block_set_piece(f->blocks, f->worker, &f->piece, st));
    f->piece->bytes = 0;
    if (!f->is_reading) {
        const size_t bytes = whole_tuples(f);
        if (bytes > 0 || f->at == f->end)
            copy_tuples(f, bytes);
        else
            begin_reading(f, f->at);
    }
    if (f->is_reading)
        GS_TRY(read_tuples(f, bad, st));
    f->is_at_hand = f->piece->bytes > 0;
    *has_more = f->is_at_hand || bad->why != NULL;
    return GS_OK;
}

gs_code gs_tuple_fill_add(gs_tuple_fill *f, gs_tuple_piece *out, gs_status *st)
{
    GS_TRY(gs_block_set_add_tuple_piece(f->blocks, f->worker, out, st));
    if (out->is_refused && (f->is_reading || f->format == GS_FORMAT_TUPLES_BIN))
        return GS_FAIL(st, GS_ERR_GPU, 0,
                       "GPU: a wrong answer: plain tuples are refused");
    if (out->is_refused)
        begin_reading(f, f->first);
    f->is_at_hand = !out->is_taken && !out->is_refused;
    return GS_OK;
}
