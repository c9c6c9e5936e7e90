/* SPDX-License-Identifier: MIT */
#include "lib/sort/key/line_string.h"

#include "lib/base/mem.h"

enum { READ_SLACK = 8 };

static gs_code make_room(gs_line_string *string, size_t bytes, gs_status *st)
{
    if (bytes + READ_SLACK <= string->made_capacity)
        return GS_OK;
    const size_t capacity = 2 * bytes + 256;
    GS_TRY(gs_mem_resize(&string->made, capacity, "string of a line", st));
    string->made_capacity = capacity;
    return GS_OK;
}

gs_code gs_line_string_encode(gs_line_string *string, const gs_record_layout *layout,
                              const gs_key_encoder *encoder, const uint8_t *line,
                              size_t line_bytes, gs_status *st)
{
    GS_TRY(make_room(string, gs_key_encode_bound(encoder, line_bytes) + line_bytes, st));
    string->data = string->made;
    string->bytes = gs_line_string_put(layout, encoder, line, line_bytes, string->made);
    return GS_OK;
}

gs_code gs_line_string_keep(gs_line_string *string, gs_status *st)
{
    if (string->data == string->made)
        return GS_OK;
    GS_TRY(make_room(string, string->bytes, st));
    memcpy(string->made, string->data, string->bytes);
    string->data = string->made;
    return GS_OK;
}

void gs_line_string_release(gs_line_string *string)
{
    gs_mem_free(string->made);
    *string = (gs_line_string){0};
}
