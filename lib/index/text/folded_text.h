/* SPDX-License-Identifier: MIT */
/*
 * folded_text: what a stretch of text is folded to, and which characters of it each byte
 * of that comes from, for who shows where a term stands.
 *
 *      text      E  U+0301  c  o  l  e  U+2122 (the sign for "trade mark")
 *                \   /      |  |  |  |   |
 *      folded    U+00E9     c  o  l  e  t m
 *
 * The stretch is cut where folding leaves both sides as they are (lib/index/text/fold.h),
 * and what is between two cuts is folded by itself: all of what it becomes comes from all
 * of it. So the folded text is what the tokenizer makes of the stretch.
 *
 * Call order: init, fill*, release. One thread.
 */
#ifndef GS_LIB_INDEX_TEXT_FOLDED_TEXT_H
#define GS_LIB_INDEX_TEXT_FOLDED_TEXT_H

#include "lib/index/text/fold.h"

/* About so many bytes are folded at a time: only junk has no blank or stop for so long.
 */
enum { GS_FOLDED_BYTES_MAX = 64 << 10 };

typedef struct gs_folded_source {
    const uint8_t *begin, *end; /* in the text */
} gs_folded_source;

typedef struct gs_folded_text {
    gs_fold *fold;
    bool keeps_spaces;
    /* The bytes are readable GS_TEXT_SLACK beyond their end. */
    uint8_t *bytes;
    gs_folded_source *sources; /* of each byte */
    size_t count, byte_capacity, source_capacity;
} gs_folded_text;

/* With `keeps_spaces` words go on over all but spaces, which are among what text is
 * folded to; else a character that makes no word ends what is folded at a time. */
GS_MUST_CHECK gs_code gs_folded_text_init(gs_folded_text *f, bool keeps_spaces,
                                          gs_status *st);
void gs_folded_text_release(gs_folded_text *f); /* a zeroed one is fine */

/* Holds what the text is folded to afterwards, up to a place that no word goes over
 * (bytes that are not UTF-8, say), or up to the greatest length; *next is behind that. */
GS_MUST_CHECK gs_code gs_folded_text_fill(gs_folded_text *f, const uint8_t *text,
                                          const uint8_t *end, const uint8_t **next,
                                          gs_status *st);

#endif
