/* SPDX-License-Identifier: MIT */
/*
 * string_splitters: splitters of strings, as words one below the other.
 *
 * Real text is not told apart by one word: of file paths half begin with "usr/share". So
 * a word that would fill more than a bucket has one of its own, and below it splitters of
 * the next eight bytes, as deep as a sample of the strings asks for:
 *
 *      depth 0      "etc/"   "usr/lib/"  =  "usr/shar"   "usr/src/"
 *                                        |
 *      depth 8                "e/doc/a"  =  "e/doc/li"  "e/man/"
 *                                        |
 *      depth 16                      "bc" ...
 *
 * Each bucket knows how many bytes all its strings begin with, which need not be looked
 * at again: what follows them tells its strings apart. A string that comes often, as the
 * empty line and "}" do, gets a bucket that holds nothing else.
 *
 * Call order: add strings to a sample, choose; then any number of threads may find
 * (string_find.h).
 */
#ifndef GS_LIB_SORT_BUCKET_STRING_SPLITTERS_H
#define GS_LIB_SORT_BUCKET_STRING_SPLITTERS_H

#include "lib/base/status.h"
#include "lib/sort/bucket/element.h"
#include "lib/sort/record/records.h"

enum {
    GS_STRING_LEVELS_MAX = 11, /* buckets that are asked for, as a power of two */
    GS_STRING_BUCKETS_MAX = 4096,
    GS_STRING_NODES_MAX = GS_STRING_BUCKETS_MAX / 8 * 9,
    GS_STRING_WAYS = 8,
    GS_STRING_KNOTS_MAX = GS_STRING_BUCKETS_MAX / (GS_STRING_WAYS - 1),
    GS_STRING_NODE = 1 << 15,
    GS_STRING_OVERSAMPLING = 16,
    GS_STRING_SAMPLE_MAX = GS_STRING_OVERSAMPLING << GS_STRING_LEVELS_MAX,
    GS_STRING_REACH = 128, /* bytes of a string that a sample knows */
};

/* Splitters of the word at one depth, or some of them, each with more below it. Their
 * number is small, and all are compared: there is no branch to be guessed. */
typedef struct gs_string_node {
    uint64_t least[GS_STRING_WAYS - 1]; /* words, of all parts but the first */
    uint32_t depth;
    int16_t ended;      /* bucket of strings that end in the word above, were it empty, */
    int16_t ended_step; /* and from there to that of those with a byte more */
    uint16_t ways[GS_STRING_WAYS]; /* a bucket, or GS_STRING_NODE + a node */
} gs_string_node;

typedef struct gs_string_bucket {
    uint32_t depth;   /* so many bytes are the same in all of its strings */
    uint32_t sampled; /* how many strings of the sample it has */
    bool is_one;      /* it has one string, however often */
} gs_string_bucket;

/* Some of the tree of first words that stand below each other, three levels of them, in
 * their order. */
typedef struct gs_string_knot {
    uint64_t least[GS_STRING_WAYS]; /* the last is not looked at */
} gs_string_knot;

/* The first words have a tree for themselves (splitters.h). */
typedef struct gs_string_splitters {
    size_t bucket_count, node_count;
    size_t reach;    /* nobody looks further into a string */
    unsigned levels; /* of the tree */
    uint64_t tree[GS_STRING_BUCKETS_MAX];
    uint16_t ways[GS_STRING_BUCKETS_MAX];      /* of the tree's parts, as in a node */
    gs_string_knot knots[GS_STRING_KNOTS_MAX]; /* the same tree, for who compares many */
    gs_string_bucket buckets[GS_STRING_BUCKETS_MAX];
    gs_string_node nodes[GS_STRING_NODES_MAX];
} gs_string_splitters;

/* Strings to choose by. */
typedef struct gs_string_sample {
    gs_element *elements, *scratch;
    uint8_t *text;
    size_t count, capacity;
} gs_string_sample;

/* Room of a sample from some string on, which one thread fills while others fill theirs.
 */
typedef struct gs_string_sample_part {
    const gs_string_sample *of;
    size_t first, count, text_bytes;
} gs_string_sample_part;

GS_MUST_CHECK gs_code gs_string_sample_init(gs_string_sample *sample, size_t capacity,
                                            gs_status *st);
void gs_string_sample_release(gs_string_sample *sample); /* a zeroed one is fine */
void gs_string_sample_add(gs_string_sample_part *part, const uint8_t *string,
                          size_t bytes);
/* The sample has the strings of the part from now on, behind those that it had; part
 * after part, and none may begin before the sample ends. */
void gs_string_sample_join(gs_string_sample *sample, const gs_string_sample_part *part);

/* How many bytes neighbours in the order share, on average; the sample is put in order.
 */
size_t gs_string_sample_shared(gs_string_sample *sample);

/* Chooses about as many buckets, of about as many strings of the sample each; the sample
 * is put in order. Buckets are numbered in the order of strings, or against it. */
GS_MUST_CHECK gs_code gs_string_splitters_choose(gs_string_splitters *s,
                                                 gs_string_sample *sample, size_t buckets,
                                                 bool is_backwards, gs_status *st);

#endif
