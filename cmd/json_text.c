/* SPDX-License-Identifier: MIT */
#include "cmd/json_text.h"

#include <stdint.h>

#include "lib/base/utf8.h"

void gs_json_text(FILE *to, const void *text, size_t bytes)
{
    const uint8_t *p = text;
    const uint8_t *const end = p + bytes;
    (void)putc('"', to);
    while (p < end) {
        uint32_t point;
        const unsigned n = gs_utf8_decode(p, end, &point);
        if (*p == '"' || *p == '\\')
            (void)fprintf(to, "\\%c", *p);
        else if (*p < 0x20)
            (void)fprintf(to, "\\u%04x", (unsigned)*p);
        else
            (void)fprintf(to, "%.*s", n > 0 ? (int)n : 3,
                          n > 0 ? (const char *)p : "\xef\xbf\xbd");
        p += n > 0 ? n : 1;
    }
    (void)putc('"', to);
}
