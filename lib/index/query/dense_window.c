/* SPDX-License-Identifier: MIT */
#include "lib/index/query/dense_window.h"

#include "lib/base/assertion.h"

enum { AGAIN = 10 /* of what a term is worth that comes again, a tenth */ };

void gs_dense_window_begin(gs_dense_window *w, uint64_t length)
{
    *w = (gs_dense_window){.length = length};
}

static uint64_t worth_of(const gs_dense_window *w, unsigned term, bool is_first)
{
    return is_first ? (uint64_t)w->weights[term] * AGAIN : w->weights[term];
}

static void drop_first(gs_dense_window *w)
{
    const unsigned term = w->places[w->first].term;
    w->worth -= worth_of(w, term, --w->counts[term] == 0);
    w->first = (w->first + 1) % GS_WINDOW_PLACES_MAX;
    w->count--;
}

bool gs_dense_window_add(gs_dense_window *w, const gs_term_place *place)
{
    gs_assert(place->term < GS_WINDOW_TERMS_MAX);
    while (w->count > 0 && (w->count == GS_WINDOW_PLACES_MAX ||
                            place->end - w->places[w->first].begin > w->length))
        drop_first(w);
    w->places[(w->first + w->count++) % GS_WINDOW_PLACES_MAX] = *place;
    w->worth += worth_of(w, place->term, w->counts[place->term]++ == 0);
    if (w->worth <= w->best)
        return false;
    w->best = w->worth;
    w->begin = w->places[w->first].begin;
    w->end = place->end;
    return true;
}
