/* SPDX-License-Identifier: MIT */
/*
 * join_writer: lines of text that go into a piece of the sink. It asks for room for many
 * at a time. One thread.
 */
#ifndef GS_LIB_JOIN_JOIN_WRITER_H
#define GS_LIB_JOIN_JOIN_WRITER_H

#include "lib/sort/run/runs.h"

typedef struct gs_join_writer {
    gs_sink_piece *piece;      /* borrowed; the rest is zeroed at first */
    uint8_t *begin, *at, *end; /* lines that were made, and room */
    uint64_t lines;
} gs_join_writer;

/* What was made is the piece's. */
void gs_join_writer_settle(gs_join_writer *w);
/* Room for so many bytes; what was there before is settled. */
GS_MUST_CHECK gs_code gs_join_writer_more(gs_join_writer *w, size_t bytes, gs_status *st);

/* Room for a line, and for what copies write beyond (gs_copy_short); then how long it
 * is. */
GS_MUST_CHECK static inline gs_code gs_join_writer_room(gs_join_writer *w, size_t bytes,
                                                        uint8_t **to, gs_status *st)
{
    if (__builtin_expect((size_t)(w->end - w->at) < bytes, 0))
        GS_TRY(gs_join_writer_more(w, bytes, st));
    *to = w->at;
    return GS_OK;
}
static inline void gs_join_writer_added(gs_join_writer *w, size_t bytes)
{
    w->at += bytes;
    w->lines++;
}

#endif
