/* SPDX-License-Identifier: MIT */
#include "lib/sort/key/byte_key.h"

#include <string.h>

size_t gs_byte_key_bytes(const gs_order *order)
{
    size_t bytes = 0;
    for (size_t i = 0; i < order->byte_key_count; i++)
        bytes += order->byte_keys[i].length;
    return bytes;
}

static void encode_one(const gs_byte_key *key, bool reverse, const uint8_t *from,
                       uint8_t *to)
{
    const size_t n = key->length;
    _Static_assert(GS_FIELD_TYPE_COUNT == 4, "each becomes bytes in order here");
    if (key->is_little_endian && key->type != GS_FIELD_BYTES) {
        for (size_t i = 0; i < n; i++)
            to[i] = from[n - 1 - i];
    } else {
        memcpy(to, from, n);
    }
    const bool is_negative = (to[0] & 0x80) != 0;
    const bool has_sign = key->type == GS_FIELD_SIGNED || key->type == GS_FIELD_FLOAT;
    bool turns_all = reverse;
    if (has_sign) {
        to[0] ^= 0x80;
        /* Larger magnitudes of negative floats are smaller; the sign was turned already.
         */
        if (key->type == GS_FIELD_FLOAT && is_negative) {
            to[0] ^= 0x80;
            turns_all = !turns_all;
        }
    }
    for (size_t i = 0; turns_all && i < n; i++)
        to[i] = (uint8_t)~to[i];
}

void gs_byte_key_encode(const gs_order *order, bool flip, const uint8_t *record,
                        uint8_t *to)
{
    for (size_t i = 0; i < order->byte_key_count; i++) {
        const gs_byte_key *const key = &order->byte_keys[i];
        encode_one(key, key->reverse != flip, record + key->offset, to);
        to += key->length;
    }
}
