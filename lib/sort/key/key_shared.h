/* SPDX-License-Identifier: MIT */
/*
 * key_shared: strings that kernels make too (lib/encode), for the cores.
 */
#ifndef GS_LIB_SORT_KEY_KEY_SHARED_H
#define GS_LIB_SORT_KEY_KEY_SHARED_H

#include "lib/encode/key_text.h"
#include "lib/encode/md5.h"
#include "lib/encode/version_key.h"
#include "lib/sort/key/order.h"

/* Of text that counts. Returns how long the string is. */
size_t gs_shared_version(const uint8_t *text, const uint8_t *end, uint8_t *to)
    __attribute__((nonnull));
/* The month, from 1, that it begins with; 0: none. */
uint8_t gs_shared_month(const uint8_t *text, const uint8_t *end);
/* The digest of the seed and the text. */
void gs_shared_digest(const uint8_t seed[GS_ORDER_SEED_BYTES], const uint8_t *text,
                      const uint8_t *end, uint8_t digest[GS_MD5_BYTES]);

#endif
