/* SPDX-License-Identifier: MIT */
/*
 * line_ends: the places of many ends of lines at once.
 *
 * How many lines end in 64 bytes is random, and a loop over them is guessed wrong every
 * time it ends. Who looks at all lines of a text takes the places of some hundred ends
 * first, and then goes over lines in a loop that is guessed right.
 *
 *      while ((count = gs_line_ends(text, bytes, eol, ends, ROOM)) > 0) {
 *          ... lines end at text[ends[0]], text[ends[1]], ...
 *          text and bytes go on behind the last of them
 *      }
 */
#ifndef GS_LIB_SORT_RECORD_LINE_ENDS_H
#define GS_LIB_SORT_RECORD_LINE_ENDS_H

#include <stddef.h>
#include <stdint.h>

enum { GS_LINE_ENDS_LEAST = 64 }; /* of room: all of 64 bytes may be ends */

/* Writes where the first ends in the text are, as many as there are but for the last few
 * that there is room for, and returns how many; 0: no line ends in it. The text is less
 * than 4 GiB; up to 63 bytes behind it are read. */
size_t gs_line_ends(const uint8_t *text, size_t bytes, uint8_t eol, uint32_t *ends,
                    size_t room);

#endif
