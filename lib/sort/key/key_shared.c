/* SPDX-License-Identifier: MIT */
#include "lib/sort/key/key_shared.h"

#include "lib/encode/month_unit.h"

size_t gs_shared_version(const uint8_t *text, const uint8_t *end, uint8_t *to)
{
    gs_key_writer w = {.to = to};
    gs_version_put((gs_key_reader){.at = text, .end = end}, &w);
    return w.bytes;
}

uint8_t gs_shared_month(const uint8_t *text, const uint8_t *end)
{
    return gs_month_of((gs_key_reader){.at = text, .end = end});
}

void gs_shared_digest(const uint8_t seed[GS_ORDER_SEED_BYTES], const uint8_t *text,
                      const uint8_t *end, uint8_t digest[GS_MD5_BYTES])
{
    gs_md5 m;
    gs_md5_begin(&m);
    for (unsigned i = 0; i < GS_ORDER_SEED_BYTES; i++)
        gs_md5_put(&m, seed[i]);
    for (; text < end; text++)
        gs_md5_put(&m, *text);
    gs_md5_end(&m);
    for (unsigned i = 0; i < GS_MD5_BYTES; i++)
        digest[i] = gs_md5_byte(&m, i);
}
