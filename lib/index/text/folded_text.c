/* SPDX-License-Identifier: MIT */
#include "lib/index/text/folded_text.h"

#include "lib/base/mem.h"
#include "lib/base/utf8.h"
#include "lib/index/text/tokenizer.h"

static const char of_text[] = "folded text";

gs_code gs_folded_text_init(gs_folded_text *f, bool keeps_spaces, gs_status *st)
{
    *f = (gs_folded_text){.keeps_spaces = keeps_spaces};
    return gs_fold_new(&f->fold, true, st);
}

void gs_folded_text_release(gs_folded_text *f)
{
    gs_fold_free(f->fold);
    gs_mem_free(f->bytes);
    gs_mem_free(f->sources);
    *f = (gs_folded_text){0};
}

static gs_code put_point(gs_folded_text *f, uint32_t point, gs_folded_source from,
                         gs_status *st)
{
    GS_TRY(gs_mem_grow(&f->sources, &f->source_capacity, f->count + GS_UTF8_BYTES_MAX,
                       of_text, st));
    GS_TRY(gs_mem_grow(&f->bytes, &f->byte_capacity,
                       f->count + GS_UTF8_BYTES_MAX + GS_TEXT_SLACK, of_text, st));
    const uint8_t *const end = gs_utf8_encode(f->bytes + f->count, point);
    while (f->bytes + f->count < end)
        f->sources[f->count++] = from;
    return GS_OK;
}

static gs_code put_stretch(gs_folded_text *f, gs_folded_source from, gs_status *st)
{
    const int32_t *points;
    size_t count;
    GS_TRY(gs_fold_stretch(f->fold, from.begin, (size_t)(from.end - from.begin), &points,
                           &count, st));
    for (size_t i = 0; i < count; i++)
        GS_TRY(put_point(f, (uint32_t)points[i], from, st));
    return GS_OK;
}

/* A character, and what the table says of it. */
typedef struct character {
    const uint8_t *at, *end; /* the same: no UTF-8 begins there */
    uint32_t what;
} character;

static inline gs_code look(gs_folded_text *f, const uint8_t *at, const uint8_t *end,
                           character *out, gs_status *st)
{
    uint32_t point;
    *out = (character){at, at + gs_utf8_decode(at, end, &point), GS_FOLD_PLAIN};
    return out->end > at ? gs_fold_look(f->fold, point, &out->what, st) : GS_OK;
}

static inline bool may_join(const character *c)
{
    return (c->what & (GS_FOLD_PLAIN | GS_FOLD_APART)) == 0;
}

gs_code gs_folded_text_fill(gs_folded_text *f, const uint8_t *text, const uint8_t *end,
                            const uint8_t **next, gs_status *st)
{
    character now, after;
    f->count = 0;
    GS_TRY(look(f, text, end, &now, st));
    while (now.end > now.at && f->count < GS_FOLDED_BYTES_MAX) {
        const uint8_t *const begin = now.at;
        bool is_alone = true;
        GS_TRY(look(f, now.end, end, &after, st));
        for (; may_join(&after); is_alone = false)
            GS_TRY(look(f, after.end, end, &after, st));
        const gs_folded_source from = {begin, after.at};
        if (is_alone && (now.what & GS_FOLD_WORD) != 0)
            GS_TRY(put_point(f, now.what & GS_FOLD_POINT, from, st));
        else if (is_alone && (now.what & GS_FOLD_PLAIN) != 0 && !f->keeps_spaces)
            break;
        else
            GS_TRY(put_stretch(f, from, st));
        now = after;
    }
    if (f->count >= GS_FOLDED_BYTES_MAX)
        *next = now.at;
    else
        *next = now.end > now.at || now.at == end ? now.end : now.at + 1;
    return GS_OK;
}
