/* SPDX-License-Identifier: MIT */
/*
 * key_search: where numbers belong in a sorted array that lies in the memory of a GPU,
 * thousands of them at once.
 *
 * Call order: new, (fill the queries, submit, wait, read the ranks)*, free. One batch is
 * in flight at a time. One thread at a time; different searches share nothing. new takes
 * the keys to the device and allocates everything; submit and wait allocate nothing.
 *
 * The rank of a query is how many keys are less than it: the place of the first key that
 * is not, as it would be inserted before its equals. Keys that are not in order give
 * ranks without meaning, but none above the number of keys.
 *
 * Without a driver or a GPU, or in a build with CUDA=0, new fails with GS_ERR_GPU.
 */
#ifndef GS_GPU_KEY_SEARCH_H
#define GS_GPU_KEY_SEARCH_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GS_KEY_SEARCH_KEYS_MAX    (UINT32_MAX - 1023)
#define GS_KEY_SEARCH_QUERIES_MAX ((size_t)1 << 30)

/* The ways to search; what they cost is in gpu/NOTES.md. */
typedef enum gs_key_way {
    GS_KEY_AUTO,    /* the fastest that was measured */
    GS_KEY_BINARY,  /* a thread a query halves the array */
    GS_KEY_PARY_4,  /* 4 threads a query cut the array into 5 parts, and so on */
    GS_KEY_PARY_8,  /* (p-ary search as published) */
    GS_KEY_PARY_16, /* */
    GS_KEY_PARY_32, /* a warp a query */
    GS_KEY_TREE_4,  /* p-ary search where the separators of a step lie together: */
    GS_KEY_TREE_8,  /* every 8th key of a level is a key of the next, a query reads */
    GS_KEY_TREE_16, /* one node of 8 keys a level, two keys a thread */
    GS_KEY_TREE_32,
    GS_KEY_WAY_COUNT
} gs_key_way;

const char *gs_key_way_name(gs_key_way way);

typedef struct gs_key_search_options {
    int device;
    gs_key_way way;
    const uint64_t *keys; /* ascending; read by new only */
    size_t key_count;     /* at most GS_KEY_SEARCH_KEYS_MAX */
    size_t query_count_max;
} gs_key_search_options;

typedef struct gs_key_search gs_key_search;

GS_MUST_CHECK gs_code gs_key_search_new(gs_key_search **out,
                                        const gs_key_search_options *options,
                                        gs_status *st);
void gs_key_search_free(gs_key_search *s); /* NULL is fine */

/* Where the caller puts queries, and finds their ranks after wait: query_count_max of
 * each, in host memory that the device reads and writes at the full speed of the bus. */
uint64_t *gs_key_search_queries(gs_key_search *s);
const uint32_t *gs_key_search_ranks(const gs_key_search *s);

/* How queries and ranks travel. */
typedef enum gs_key_transport {
    GS_KEY_DIRECT, /* the kernel reads and writes the host's memory itself */
    GS_KEY_COPIED, /* copied before and after */
} gs_key_transport;

/* Parts of the work that a benchmark takes away: submit then leaves the ranks as they
 * were, or with GS_KEY_NO_COPY_IN searches for the queries that were copied last. */
enum {
    GS_KEY_NO_SEARCH = 1, /* an empty kernel instead */
    GS_KEY_NO_COPY_IN = 2,
    GS_KEY_NO_COPY_OUT = 4,
    GS_KEY_TIMED = 8, /* device_ms is wanted */
};

/* Starts to search for the first `query_count` queries and does not wait. */
GS_MUST_CHECK gs_code gs_key_search_submit(gs_key_search *s, size_t query_count,
                                           gs_key_transport transport, unsigned flags,
                                           gs_status *st);
GS_MUST_CHECK gs_code gs_key_search_wait(gs_key_search *s, gs_status *st);

/* Of the last batch's kernel; 0 unless it was GS_KEY_TIMED. From wait to submit. */
double gs_key_search_device_ms(const gs_key_search *s);
/* Of the device's memory, all that is held. */
size_t gs_key_search_device_bytes(const gs_key_search *s);

#ifdef __cplusplus
}
#endif
#endif
