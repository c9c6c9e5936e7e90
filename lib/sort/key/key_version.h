/* SPDX-License-Identifier: MIT */
/*
 * key_version: names with version numbers (-V) as byte strings in version order.
 *
 * Version order compares the names without their suffixes (".tar.gz"; never all of a
 * name), then whole. Each is cut into runs of other bytes and numbers, in turn:
 *
 *      "foo-1.10~rc"  ->  f o o - T | 1 "1" | . T | 2 "10" | ~ r c T | 0 | T
 *
 * Other bytes get codes in this order: '~', T (a number or the end follows), letters, all
 * else. A number is its count of digits, without leading zeros, and the digits. The end
 * is one more T where another byte would stand. In front stands a class: empty, ".",
 * "..", hidden, the rest.
 */
#ifndef GS_LIB_SORT_KEY_KEY_VERSION_H
#define GS_LIB_SORT_KEY_KEY_VERSION_H

#include <stddef.h>
#include <stdint.h>

/* An encoding of n bytes is no longer than 4 * n + this. */
enum { GS_VERSION_EXTRA_BYTES = 48 };

size_t gs_version_encode(const uint8_t *text, size_t bytes, uint8_t *to);

#endif
