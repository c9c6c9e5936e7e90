/* SPDX-License-Identifier: MIT */
/*
 * unique_names: proof that no two documents of an index have the same name.
 *
 * Of any number of them, in memory that does not grow: where more names than can be kept
 * share an index (lib/index/write/name_check.h), it is gone through once for each range
 * of their hashes. Names whose hashes are the same are compared themselves.
 */
#ifndef GS_LIB_INDEX_WRITE_UNIQUE_NAMES_H
#define GS_LIB_INDEX_WRITE_UNIQUE_NAMES_H

#include "lib/index/read/readers.h"

/* Fails if there are two, and tells their documents and the name. `names_max` is
 * GS_NAMES_KEPT_MAX but for tests. */
GS_MUST_CHECK gs_code gs_unique_names_check(const gs_index *index, size_t names_max,
                                            gs_status *st);

#endif
