/* SPDX-License-Identifier: MIT */
/*
 * pack: numbers and strings to bytes and back, for records on a disk.
 *
 * A packer grows as it is put to. An unpacker never reads past its bytes: what is not
 * there is 0 or empty, and `is_short` says so in the end. Numbers are little-endian, of
 * 64 bits; strings have their length in front.
 */
#ifndef GS_LIB_BASE_PACK_H
#define GS_LIB_BASE_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

typedef struct gs_packer {
    uint8_t *data; /* from gs_mem; zeroed is an empty one */
    size_t bytes, capacity;
} gs_packer;

void gs_packer_release(gs_packer *p);
GS_MUST_CHECK gs_code gs_pack_number(gs_packer *p, uint64_t value, gs_status *st);
GS_MUST_CHECK gs_code gs_pack_string(gs_packer *p, const void *data, size_t bytes,
                                     gs_status *st);

typedef struct gs_unpacker {
    const uint8_t *at;
    size_t left;
    bool is_short;
} gs_unpacker;

uint64_t gs_unpack_number(gs_unpacker *u);
/* Points into the bytes. */
const uint8_t *gs_unpack_string(gs_unpacker *u, size_t *bytes);

#endif
