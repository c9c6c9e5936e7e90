/* SPDX-License-Identifier: MIT */
/*
 * dense_window: of places of terms in a text the stretch, of a length at most, that has
 * the most of them.
 *
 * What a term adds is its weight when it comes first in the stretch, and a tenth of that
 * when it comes again. Of stretches that are as good the first is taken. Places come in
 * their order. One thread.
 */
#ifndef GS_LIB_INDEX_QUERY_DENSE_WINDOW_H
#define GS_LIB_INDEX_QUERY_DENSE_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    GS_WINDOW_TERMS_MAX = 64,
    GS_WINDOW_PLACES_MAX = 128, /* at a time: more are forgotten, the first ones first */
};

typedef struct gs_term_place {
    uint64_t begin, end; /* bytes of the text */
    unsigned term;       /* below GS_WINDOW_TERMS_MAX */
} gs_term_place;

typedef struct gs_dense_window {
    uint64_t length; /* at most; a place that is longer is alone */
    uint32_t weights[GS_WINDOW_TERMS_MAX];
    gs_term_place places[GS_WINDOW_PLACES_MAX]; /* of the present stretch, a ring */
    size_t first, count;
    unsigned counts[GS_WINDOW_TERMS_MAX];
    uint64_t worth;
    /* The best so far: */
    uint64_t best; /* 0: there is none */
    uint64_t begin, end;
} gs_dense_window;

/* Weights are to be set. */
void gs_dense_window_begin(gs_dense_window *w, uint64_t length);
/* True if the best stretch is another one now, which ends here. */
bool gs_dense_window_add(gs_dense_window *w, const gs_term_place *place);

#endif
