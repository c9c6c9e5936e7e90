/* SPDX-License-Identifier: MIT */
#include "lib/join/join_writer.h"

void gs_join_writer_settle(gs_join_writer *w)
{
    if (w->at > w->begin)
        gs_sink_text_added(w->piece, (size_t)(w->at - w->begin), w->lines);
    w->begin = w->at = w->end = NULL;
    w->lines = 0;
}

gs_code gs_join_writer_more(gs_join_writer *w, size_t bytes, gs_status *st)
{
    enum { AT_ONCE = 32 << 10 };
    const size_t room = bytes > AT_ONCE ? bytes : AT_ONCE;
    uint8_t *to;
    gs_join_writer_settle(w);
    GS_TRY(gs_sink_text_room(w->piece, room, &to, st));
    w->begin = w->at = to;
    w->end = to + room;
    return GS_OK;
}
