/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * prefix_cut: the prefixes of a value in a hierarchy, the value itself among them.
 *
 *      dots     a.b.c              a.b            a
 *      slash    /usr/lib/x         /usr/lib       /usr
 *      domain   www.example.com    example.com    com
 *      ip       10.1.2.3/32        10.1.2.0/24    10.1.0.0/16    10.0.0.0/8
 *
 * A prefix has a level: how many parts it has, or of an address how many steps of bits,
 * those of IPv6 behind those of IPv4. Prefixes of one level are not below each other.
 */
/* clang-format on */
#ifndef GS_LIB_STREAM_PREFIX_CUT_H
#define GS_LIB_STREAM_PREFIX_CUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/stream/column.h"

typedef enum gs_hierarchy_kind {
    GS_BY_DOTS,
    GS_BY_SLASH,
    GS_BY_DOMAIN, /* by dots, from the right */
    GS_BY_IP,
    GS_HIERARCHY_COUNT,
} gs_hierarchy_kind;

typedef struct gs_hierarchy {
    gs_hierarchy_kind kind;
    unsigned step; /* bits between prefixes of an address, GS_IP_STEP_MIN to _MAX */
} gs_hierarchy;

enum {
    GS_IP_STEP_MIN = 4,
    GS_IP_STEP_MAX = 32,
    GS_PREFIX_LEVELS_MAX = 40, /* deeper values count as their first so many parts */
    GS_PREFIX_TEXT_BYTES = 64, /* of an address */
};

typedef struct gs_prefixes {
    size_t count; /* the longest first */
    gs_slice texts[GS_PREFIX_LEVELS_MAX];
    unsigned levels[GS_PREFIX_LEVELS_MAX]; /* of each, below GS_PREFIX_LEVELS_MAX */
    char room[GS_PREFIX_LEVELS_MAX][GS_PREFIX_TEXT_BYTES]; /* for addresses */
} gs_prefixes;

/* Is it an address, of IPv4 or IPv6? */
bool gs_prefix_is_address(const uint8_t *text, size_t bytes);

/* The texts are good as long as the value and `out` are. An address is one, or a prefix
 * of one as it is told here. */
void gs_prefix_cut(const gs_hierarchy *by, const uint8_t *text, size_t bytes,
                   gs_prefixes *out);

/* Is this a prefix of that level? Then the first one of `cut` is it: an address as it is
 * written here, where another machine may have written it otherwise. */
bool gs_prefix_is_one(const gs_hierarchy *by, unsigned level, const uint8_t *text,
                      size_t bytes, gs_prefixes *cut);

#endif
