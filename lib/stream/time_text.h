/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * time_text: times as text, to seconds since 1970-01-01, in UTC.
 *
 *      1700000000.25                       seconds already
 *      2023-11-14                          its first second
 *      2023-11-14T22:13:20.25              or a blank for the T; .25 may be missing
 *      2023-11-14T22:13:20+01:00           so far ahead of UTC; Z: none
 *      [14/Nov/2023:22:13:20               as servers write it, with or without the bracket
 */
/* clang-format on */
#ifndef GS_LIB_STREAM_TIME_TEXT_H
#define GS_LIB_STREAM_TIME_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Blanks around it do not count. False: it is no time. Up to 16 bytes beyond may be read.
 */
bool gs_time_parse(const uint8_t *text, size_t bytes, double *seconds);

#endif
