/* SPDX-License-Identifier: MIT */
#include "lib/base/text_out.h"

#include <string.h>

#include "lib/base/bits.h"
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

/* How many digits a number has: that of its bits, or one more. */
static inline unsigned digits_of(uint64_t x)
{
    static const uint64_t powers[NUMBER_BYTES] = {
        UINT64_C(1),
        UINT64_C(10),
        UINT64_C(100),
        UINT64_C(1000),
        UINT64_C(10000),
        UINT64_C(100000),
        UINT64_C(1000000),
        UINT64_C(10000000),
        UINT64_C(100000000),
        UINT64_C(1000000000),
        UINT64_C(10000000000),
        UINT64_C(100000000000),
        UINT64_C(1000000000000),
        UINT64_C(10000000000000),
        UINT64_C(100000000000000),
        UINT64_C(1000000000000000),
        UINT64_C(10000000000000000),
        UINT64_C(100000000000000000),
        UINT64_C(1000000000000000000),
        UINT64_C(10000000000000000000),
    };
    const unsigned least = gs_bit_length(x) * 1233 >> 12; /* times log10 of 2 */
    return least + (x >= powers[least]);
}

/* Puts the digits of a number, two at a time, where there is room for NUMBER_BYTES;
 * returns the end. */
static inline uint8_t *put_digits(uint8_t *to, uint64_t x)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";
    if (x < 10) {
        *to = (uint8_t)('0' + x);
        return to + 1;
    }
    uint8_t *const end = to + digits_of(x);
    uint8_t *at = end;
    for (; x >= 100; x /= 100) {
        at -= 2;
        memcpy(at, pairs + 2 * (x % 100), 2);
    }
    if (x >= 10)
        memcpy(to, pairs + 2 * x, 2);
    else
        *to = (uint8_t)('0' + x);
    return end;
}

gs_code gs_text_out_number(gs_text_out *out, uint64_t x, char after, gs_status *st)
{
    if (BUFFER_BYTES - out->used < NUMBER_BYTES + 1)
        GS_TRY(gs_text_out_flush(out, st));
    uint8_t *const end = put_digits(out->buffer + out->used, x);
    *end = (uint8_t)after;
    out->used = (size_t)(end + 1 - out->buffer);
    return GS_OK;
}

gs_code gs_text_out_two_numbers(gs_text_out *out, char before, uint64_t x, char between,
                                uint64_t y, gs_status *st)
{
    if (BUFFER_BYTES - out->used < 2 * (NUMBER_BYTES + 1))
        GS_TRY(gs_text_out_flush(out, st));
    uint8_t *to = out->buffer + out->used;
    *to = (uint8_t)before;
    to = put_digits(to + (before != 0), x);
    *to++ = (uint8_t)between;
    to = put_digits(to, y);
    out->used = (size_t)(to - out->buffer);
    return GS_OK;
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
