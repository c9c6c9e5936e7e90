/* SPDX-License-Identifier: MIT */
/*
 * line_string: the string that orders a line that is looked at where it is, outside an
 * arena (lib/sort/record/record.h says which string that is): the line, or made in a
 * buffer.
 */
#ifndef GS_LIB_SORT_KEY_LINE_STRING_H
#define GS_LIB_SORT_KEY_LINE_STRING_H

#include "lib/base/assertion.h"
#include "lib/sort/key/key_encode.h"
#include "lib/sort/record/records.h"

typedef struct gs_line_string {
    const uint8_t *data;
    size_t bytes;
    uint8_t *made; /* kept from one line to the next */
    size_t made_capacity;
} gs_line_string;

/* Lines of GS_FORM_JSON are known to be objects.
 *
 * Writes the key, and the line behind it unless the key is all of the string, to where
 * there is room for the bound and the line; returns how long that is. */
static inline size_t gs_line_string_put(const gs_record_layout *layout,
                                        const gs_key_encoder *encoder,
                                        const uint8_t *line, size_t line_bytes,
                                        uint8_t *to)
{
    const size_t key_bytes = gs_key_encode(encoder, line, line_bytes, to);
    gs_assert(key_bytes != GS_KEY_BAD);
    if (layout->is_key_only)
        return key_bytes;
    memcpy(to + key_bytes, line, line_bytes);
    return key_bytes + line_bytes;
}

GS_MUST_CHECK gs_code gs_line_string_encode(gs_line_string *string,
                                            const gs_record_layout *layout,
                                            const gs_key_encoder *encoder,
                                            const uint8_t *line, size_t line_bytes,
                                            gs_status *st);

/* `encoder` is NULL if the line is its string. The string is there until the next make or
 * the line goes, and up to 8 bytes past it may be read; the line has GS_KEY_READ_SLACK.
 */
static inline gs_code gs_line_string_make(gs_line_string *string,
                                          const gs_record_layout *layout,
                                          const gs_key_encoder *encoder,
                                          const uint8_t *line, size_t line_bytes,
                                          gs_status *st)
{
    if (encoder != NULL)
        return gs_line_string_encode(string, layout, encoder, line, line_bytes, st);
    string->data = line;
    string->bytes = line_bytes;
    return GS_OK;
}

/* The string becomes a copy, for a line that goes. */
GS_MUST_CHECK gs_code gs_line_string_keep(gs_line_string *string, gs_status *st);
void gs_line_string_release(gs_line_string *string); /* a zeroed one is fine */

#endif
