/* SPDX-License-Identifier: MIT */
/*
 * name_check: do documents have the names of others?
 *
 * Of every name a hash of 64 bits is kept, of up to GS_NAMES_KEPT_MAX names. Where there
 * are more, the half of all possible hashes is given up, then a half of the rest, and so
 * on: equal names are kept or given up together, so what comes twice throughout is found,
 * in memory that does not grow, and only a few pairs among very many may be missed.
 *
 * Or names of one range of hashes are kept, and none given up (unique_names.h).
 *
 * Call order: [begin,] add*, find, release. One thread at a time; a zeroed check is
 * empty.
 */
#ifndef GS_LIB_INDEX_WRITE_NAME_CHECK_H
#define GS_LIB_INDEX_WRITE_NAME_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

enum { GS_NAMES_KEPT_MAX = 1 << 20 }; /* 16 MiB */

typedef struct gs_kept_name {
    uint64_t hash, doc;
} gs_kept_name;

typedef struct gs_name_check {
    gs_kept_name *kept; /* in the order of documents */
    size_t count;
    unsigned given_up; /* so many of the upper bits of a hash are the range, or it is not
                          kept */
    uint64_t range;
    bool is_range;    /* that is as it was begun; otherwise 0, and names are given up */
    bool is_full;     /* then: there were more names than are kept */
    size_t names_max; /* 0: GS_NAMES_KEPT_MAX; no more than that */
    uint64_t documents;
} gs_name_check;

/* Of the names that come, those whose hash begins with these bits are kept. */
void gs_name_check_begin(gs_name_check *c, unsigned bits, uint64_t range);

/* The names of documents 0, 1, 2 and so on. */
GS_MUST_CHECK gs_code gs_name_check_add(gs_name_check *c, const void *name, size_t bytes,
                                        gs_status *st);
/* The same, by the hash of the name. */
GS_MUST_CHECK gs_code gs_name_check_add_hash(gs_name_check *c, uint64_t hash,
                                             gs_status *st);
uint64_t gs_name_hash(const void *name, size_t bytes);

/* What came of it. */
typedef struct gs_repeated_names {
    uint64_t count;        /* documents with the name of an earlier one */
    uint64_t first, again; /* the first of those, `again`, and the one before it */
    bool is_estimate;      /* the count, since not all names were kept */
} gs_repeated_names;

/* Have two documents, whose hashes are the same, the same name? */
typedef gs_code gs_same_name_fn(void *context, uint64_t a, uint64_t b, bool *out,
                                gs_status *st);

/* `same` may be NULL: they have. */
GS_MUST_CHECK gs_code gs_name_check_find(const gs_name_check *c, gs_same_name_fn *same,
                                         void *context, gs_repeated_names *out,
                                         gs_status *st);
void gs_name_check_release(gs_name_check *c);

#endif
