/* SPDX-License-Identifier: MIT */
/*
 * document_vector: documents that come with weights of their terms, as learned sparse
 * retrieval makes them.
 *
 *      {"id": "d1", "vector": {"fish": 2.31, "chips": 1.7, "##s": 0.4}}
 *
 * Terms are taken as they are. A weight becomes an impact, a whole number that stands
 * where others have a frequency: weights times a scale, rounded to the nearest, or
 * without one whole numbers as they are and others times GS_WEIGHT_SCALE. What comes to
 * 0 is left out.
 *
 * A vector is read twice: it is checked when its document is parsed, and read once more
 * when its terms are wanted, so that a document takes no memory but its text. Weights are
 * numbers that are not negative, terms have 1 to 65535 bytes and come once, at most
 * GS_VECTOR_TERMS_MAX of them, and impacts add up to less than 2^32: a document's length
 * is their sum.
 */
#ifndef GS_LIB_INDEX_TEXT_DOCUMENT_VECTOR_H
#define GS_LIB_INDEX_TEXT_DOCUMENT_VECTOR_H

#include "lib/base/status.h"
#include "lib/index/text/token.h"
#include "lib/json/json_reader.h"

/* More than vocabularies of models have; what looks for terms that come twice takes 6 MiB
 * then. */
enum { GS_VECTOR_TERMS_MAX = 1 << 18 };

#define GS_VECTOR_FIELD "vector"
#define GS_WEIGHT_SCALE 100

typedef struct gs_vector_reader {
    gs_json_reader json;
    double scale; /* 0: as weights are written */
    bool ends;
} gs_vector_reader;

typedef struct gs_vector_weight {
    gs_json_string term;
    uint32_t impact; /* 0: the term is left out */
    bool is_whole;   /* written as a whole number */
} gs_vector_weight;

/* Terms of a vector that is checked, for what comes again; kept for the next one. */
typedef struct gs_vector_terms {
    struct gs_seen_term *slots;
    size_t slot_count, term_count;
    uint32_t stamp;       /* of this vector, */
    const uint8_t *begin; /* where it begins, */
    const uint8_t *end;   /* and that of its document */
    uint8_t *room[2];
    size_t room_capacity[2];
} gs_vector_terms;

/* How weights that count were written. */
typedef struct gs_weight_counts {
    uint64_t whole, decimal;
} gs_weight_counts;

void gs_vector_terms_release(gs_vector_terms *terms); /* a zeroed one is fine */

/* Stands on what is to be a vector: reads and checks it. false: it is none, and json->why
 * says why, or there is no memory and *st does. */
bool gs_vector_check(gs_json_reader *json, double scale, gs_vector_terms *terms,
                     gs_weight_counts *counts, gs_text_span *out, gs_status *st);

/* Does it begin as a vector does? *is_empty: as one without terms. */
bool gs_vector_looks(const gs_json_reader *json, bool *is_empty);

/* The weights of a vector that was checked, one after the other. */
void gs_vector_reader_begin(gs_vector_reader *r, gs_text_span vector, double scale);
/* false: there are no more. */
bool gs_vector_reader_next(gs_vector_reader *r, gs_vector_weight *out);

#endif
