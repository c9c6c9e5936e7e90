/* SPDX-License-Identifier: MIT */
#include "lib/base/text_out.h"

#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/utf8.h"

enum { BUFFER_BYTES = 1 << 18, NUMBER_BYTES = 20 };

gs_code gs_text_out_open(gs_text_out *out, gs_text_write_fn *write, void *context,
                         gs_status *st)
{
    *out = (gs_text_out){.write = write, .context = context};
    GS_TRY(gs_mem_new(&out->buffer, BUFFER_BYTES, "text to be written", st));
    return GS_OK;
}

void gs_text_out_release(gs_text_out *out)
{
    gs_mem_free(out->buffer);
    out->buffer = NULL;
}

gs_code gs_text_out_flush(gs_text_out *out, gs_status *st)
{
    const size_t used = out->used;
    out->used = 0;
    return used > 0 ? out->write(out->context, out->buffer, used, st) : GS_OK;
}

gs_code gs_text_out_put(gs_text_out *out, const void *data, size_t bytes, gs_status *st)
{
    const uint8_t *from = data;
    if (BUFFER_BYTES - out->used < bytes)
        GS_TRY(gs_text_out_flush(out, st));
    /* A copy, since the bytes may lie in a file of the index: the writer asks whether
     * that file was changed and then writes, and must not look at the file again. */
    for (; bytes > BUFFER_BYTES; from += BUFFER_BYTES, bytes -= BUFFER_BYTES) {
        memcpy(out->buffer, from, BUFFER_BYTES);
        out->used = BUFFER_BYTES;
        GS_TRY(gs_text_out_flush(out, st));
    }
    memcpy(out->buffer + out->used, from, bytes);
    out->used += bytes;
    return GS_OK;
}

gs_code gs_text_out_number(gs_text_out *out, uint64_t x, char after, gs_status *st)
{
    char digits[NUMBER_BYTES + 1];
    size_t at = sizeof digits;
    digits[--at] = after;
    do {
        digits[--at] = (char)('0' + x % 10);
        x /= 10;
    } while (x != 0);
    return gs_text_out_put(out, digits + at, sizeof digits - at, st);
}

gs_code gs_text_out_json_part(gs_text_out *out, const uint8_t *text, size_t bytes,
                              gs_status *st)
{
    static const char hex[] = "0123456789abcdef";
    static const char unknown[] = "\xef\xbf\xbd"; /* U+FFFD */
    const uint8_t *const end = text + bytes;
    while (text < end) {
        const uint8_t c = *text;
        const char escape[6] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};
        uint32_t point;
        const unsigned n = gs_utf8_decode(text, end, &point);
        if (c == '"' || c == '\\')
            GS_TRY(gs_text_out_put(out, "\\", 1, st));
        if (n == 0)
            GS_TRY(gs_text_out_put(out, unknown, sizeof unknown - 1, st));
        else if (c < 0x20)
            GS_TRY(gs_text_out_put(out, escape, sizeof escape, st));
        else
            GS_TRY(gs_text_out_put(out, text, n, st));
        text += n > 0 ? n : 1;
    }
    return GS_OK;
}

gs_code gs_text_out_json(gs_text_out *out, const uint8_t *text, size_t bytes,
                         gs_status *st)
{
    GS_TRY(gs_text_out_put(out, "\"", 1, st));
    GS_TRY(gs_text_out_json_part(out, text, bytes, st));
    return gs_text_out_put(out, "\"", 1, st);
}
