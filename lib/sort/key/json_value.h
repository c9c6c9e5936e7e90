/* SPDX-License-Identifier: MIT */
/*
 * json_value: the values that keys are of, in a line that is a JSON object.
 *
 * A value is what the name at the end of a path has: a string is its text, unescaped; a
 * number and what else there is, as it is written; null is as nothing, which is empty. Of
 * a name that comes twice in an object the last one counts. A line of blanks has nothing;
 * a line that is no object is an error.
 */
#ifndef GS_LIB_SORT_KEY_JSON_VALUE_H
#define GS_LIB_SORT_KEY_JSON_VALUE_H

#include "lib/base/text_span.h"
#include "lib/sort/key/order.h"

enum {
    GS_JSON_PATHS_MAX = 32,
    GS_JSON_DEPTH_OF_PATH_MAX = 32,
    GS_JSON_NAME_BYTES_MAX = 255
};

typedef struct gs_json_value {
    gs_text_span raw;
    bool has_escapes;
} gs_json_value;

/* Finds the values of all paths of the order. NULL; or why the line is no object. */
const char *gs_json_values_find(const gs_order *order, const uint8_t *line, size_t bytes,
                                gs_json_value values[GS_JSON_PATHS_MAX]);

/* The text of a value; `room` takes one that has to be made, as long as it at most. */
gs_text_span gs_json_value_text(const gs_json_value *value, uint8_t *room);

/* NULL; or why the line is no object. */
const char *gs_json_line_why(const uint8_t *line, size_t bytes);

#endif
