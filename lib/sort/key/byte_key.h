/* SPDX-License-Identifier: MIT */
/*
 * byte_key: the keys of fixed-size binary records (--key-bytes) as byte strings in order.
 *
 * Each range has a fixed length, so the ranges one after the other are prefix-free.
 * Signed numbers get their sign turned, floats are put in total order (-NaN < -inf ...
 * inf < NaN).
 */
#ifndef GS_LIB_SORT_KEY_BYTE_KEY_H
#define GS_LIB_SORT_KEY_BYTE_KEY_H

#include "lib/sort/key/order.h"

/* Sum of the ranges' lengths. */
size_t gs_byte_key_bytes(const gs_order *order);
/* Writes that many bytes. With `flip` every direction is turned round. */
void gs_byte_key_encode(const gs_order *order, bool flip, const uint8_t *record,
                        uint8_t *to);

#endif
