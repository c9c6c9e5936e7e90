/* SPDX-License-Identifier: MIT */
/*
 * md5: RFC 1321, for -R only, whose order is defined by it. Not for security.
 */
#ifndef GS_LIB_SORT_KEY_MD5_H
#define GS_LIB_SORT_KEY_MD5_H

#include <stddef.h>
#include <stdint.h>

enum { GS_MD5_BYTES = 16 };

/* The digest of `first` followed by `second`. */
void gs_md5_of_two(const uint8_t *first, size_t first_bytes, const uint8_t *second,
                   size_t second_bytes, uint8_t digest[GS_MD5_BYTES]);

#endif
