/* SPDX-License-Identifier: MIT */
/*
 * json_string: the ways to read strings and to make escapes what they stand for; which
 * is taken of them matters to tests alone. Others call json_reader.
 */
#ifndef GS_LIB_JSON_JSON_STRING_H
#define GS_LIB_JSON_JSON_STRING_H

#include "lib/json/json_reader.h"

typedef enum gs_json_way {
    GS_JSON_PLAIN,
    GS_JSON_AVX2,
    GS_JSON_AVX512,
    GS_JSON_WAY_COUNT,
} gs_json_way;

bool gs_json_has_way(gs_json_way way); /* this processor */

/* As gs_json_read_string and gs_json_unescape do. */
bool gs_json_read_string_by(gs_json_way way, gs_json_reader *r, gs_json_string *out);
uint8_t *gs_json_unescape_by(gs_json_way way, gs_text_span raw, uint8_t *to);

#endif
