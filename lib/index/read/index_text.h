/* SPDX-License-Identifier: MIT */
/*
 * index_text: what an index holds, as lines of text.
 */
#ifndef GS_LIB_INDEX_READ_INDEX_TEXT_H
#define GS_LIB_INDEX_READ_INDEX_TEXT_H

#include "lib/base/text_out.h"
#include "lib/index/read/term_cursor.h"

/* Every posting: term TAB docID TAB tf, and with positions TAB p,p,p; by the bytes of the
 * term, then docID. */
GS_MUST_CHECK gs_code gs_index_dump(const gs_index *index, bool positions,
                                    gs_text_out *out, const volatile int *cancel,
                                    gs_status *st);

typedef enum gs_lookup_shape {
    GS_LOOKUP_TEXT, /* term TAB df TAB cf TAB docID:tf docID:tf ... */
    GS_LOOKUP_DF,   /* without postings */
    GS_LOOKUP_JSON,
    GS_LOOKUP_JSON_DF, /* without postings */
} gs_lookup_shape;

/* The line of one term, to which the cursor was sent; one that the index does not have
 * has 0 and 0. */
GS_MUST_CHECK gs_code gs_index_lookup_sought(gs_term_cursor *cursor, const void *term,
                                             size_t bytes, gs_lookup_shape shape,
                                             gs_text_out *out, gs_status *st);
/* The line of the term that the cursor stands at. */
GS_MUST_CHECK gs_code gs_index_lookup_here(gs_term_cursor *cursor, gs_lookup_shape shape,
                                           gs_text_out *out, gs_status *st);

/* What lines are made of, for who has the postings from elsewhere: counts, then postings
 * if the shape has any, then the end. */
bool gs_lookup_has_postings(gs_lookup_shape shape);
GS_MUST_CHECK gs_code gs_lookup_put_counts(const uint8_t *term, size_t bytes, uint64_t df,
                                           uint64_t cf, gs_lookup_shape shape,
                                           gs_text_out *out, gs_status *st);
GS_MUST_CHECK gs_code gs_lookup_put_posting(uint64_t doc, uint64_t tf, bool is_first,
                                            gs_lookup_shape shape, gs_text_out *out,
                                            gs_status *st);
GS_MUST_CHECK gs_code gs_lookup_put_end(gs_lookup_shape shape, gs_text_out *out,
                                        gs_status *st);

#endif
