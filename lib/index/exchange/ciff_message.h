/* SPDX-License-Identifier: MIT */
/*
 * ciff_message: the messages that a file in the Common Index File Format is made of,
 * field by field (protocol buffers), and what is said of those that break a rule. For
 * ciff_read.c alone, which knows what the fields mean.
 */
#ifndef GS_LIB_INDEX_EXCHANGE_CIFF_MESSAGE_H
#define GS_LIB_INDEX_EXCHANGE_CIFF_MESSAGE_H

#include "lib/index/exchange/ciff_read.h"

enum {
    GS_CIFF_BUFFER_BYTES = 256 << 10,
    GS_CIFF_TEXT_BYTES_MAX = 65535, /* terms, names and the description are taken whole */
    GS_CIFF_DOUBT_BYTES = 528,
};

/* How values are written. */
enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };

typedef struct gs_ciff_type {
    const char *name;
    unsigned field_count;
    bool last_repeats;
    struct {
        const char *name;
        uint8_t kind;
    } fields[8]; /* field number less 1 */
} gs_ciff_type;

extern const gs_ciff_type gs_ciff_header_type, gs_ciff_list_type, gs_ciff_posting_type,
    gs_ciff_document_type;

typedef struct gs_ciff_message {
    const gs_ciff_type *type;
    uint64_t end;   /* offset in the file */
    unsigned field; /* the present one; 0: none yet */
} gs_ciff_message;

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
    char doubt[GS_CIFF_DOUBT_BYTES];

    gs_ciff_header header;
    const gs_ciff_type *where; /* for messages: what is being read, */
    uint64_t number;           /* which one, */
    uint64_t mark;             /* and where its present field begins */
    uint64_t lists, documents; /* begun so far */
    uint64_t tokens, length_sum;

    gs_ciff_message list;
    uint64_t df, cf;             /* as the list says */
    uint64_t df_found, cf_found; /* so far */
    uint64_t doc;
    size_t term_bytes;
    uint8_t term[GS_CIFF_TEXT_BYTES_MAX];
};

static inline uint64_t gs_ciff_offset(const gs_ciff_reader *r)
{
    return r->base + (uint64_t)(r->p - r->buffer);
}

/* "x.ciff: byte 1234: posting list 5 ('term'): tf is 0" */
gs_code gs_ciff_bad(gs_ciff_reader *r, gs_status *st, const char *fmt, ...)
    GS_PRINTF(3, 4);
/* A rule that is broken, but what is meant is clear: an error only for a strict reader.
 */
gs_code gs_ciff_doubt(gs_ciff_reader *r, gs_status *st, const char *fmt, ...)
    GS_PRINTF(3, 4);

/* The file, or the message, ends too soon. */
gs_code gs_ciff_bad_end(gs_ciff_reader *r, uint64_t end, gs_status *st);

/* At least so many bytes from p on, unless the file has fewer. */
GS_MUST_CHECK gs_code gs_ciff_refill(gs_ciff_reader *r, size_t bytes, gs_status *st);
static inline gs_code gs_ciff_need(gs_ciff_reader *r, size_t bytes, gs_status *st)
{
    return (size_t)(r->end - r->p) >= bytes ? GS_OK : gs_ciff_refill(r, bytes, st);
}

/* How many of so many bytes the file and the message have. */
static inline size_t gs_ciff_clip(const gs_ciff_reader *r, uint64_t end, size_t bytes)
{
    const uint64_t left = end - gs_ciff_offset(r);
    const size_t held = (size_t)(r->end - r->p);
    const size_t n = held < bytes ? held : bytes;
    return left < n ? (size_t)left : n;
}

GS_MUST_CHECK gs_code gs_ciff_begin(gs_ciff_reader *r, gs_ciff_message *m,
                                    const gs_ciff_type *type, uint64_t end,
                                    gs_status *st);
/* A message of the file itself. */
GS_MUST_CHECK gs_code gs_ciff_begin_part(gs_ciff_reader *r, gs_ciff_message *m,
                                         const gs_ciff_type *type, uint64_t number,
                                         gs_status *st);
/* m->field is the next field's number, or 0 at the end of the message. */
GS_MUST_CHECK gs_code gs_ciff_next_field(gs_ciff_reader *r, gs_ciff_message *m,
                                         gs_status *st);
const char *gs_ciff_field_name(const gs_ciff_message *m);
GS_MUST_CHECK gs_code gs_ciff_read_number(gs_ciff_reader *r, const gs_ciff_message *m,
                                          uint64_t most, uint64_t *x, gs_status *st);
GS_MUST_CHECK gs_code gs_ciff_read_text(gs_ciff_reader *r, const gs_ciff_message *m,
                                        gs_ciff_text *out, gs_status *st);

#endif
