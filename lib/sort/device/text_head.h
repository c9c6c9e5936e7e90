/* SPDX-License-Identifier: MIT */
/*
 * text_head: the beginning of the text that goes to a GPU, for whoever wants to know what
 * it is like.
 */
#ifndef GS_LIB_SORT_DEVICE_TEXT_HEAD_H
#define GS_LIB_SORT_DEVICE_TEXT_HEAD_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lib/base/mem.h"

enum { GS_TEXT_HEAD_MAX = 1 << 20 };

/* Zeroed at first. */
typedef struct gs_text_head {
    uint8_t *text;
    size_t bytes;
} gs_text_head;

static inline GS_MUST_CHECK gs_code gs_text_head_new(gs_text_head *h, gs_status *st)
{
    return gs_mem_new(&h->text, GS_TEXT_HEAD_MAX, "sample of the text", st);
}

/* Of what comes next, as much as there is room for. */
static inline void gs_text_head_add(gs_text_head *h, const uint8_t *text, size_t bytes)
{
    const size_t room = GS_TEXT_HEAD_MAX - h->bytes, n = bytes < room ? bytes : room;
    memcpy(h->text + h->bytes, text, n);
    h->bytes += n;
}

#endif
