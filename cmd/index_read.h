/* SPDX-License-Identifier: MIT */
/*
 * index_read: what the commands that read an index have in common; info, dump and verify
 * of `gpusort index` are beside it.
 */
#ifndef GS_CMD_INDEX_READ_H
#define GS_CMD_INDEX_READ_H

#include <stdbool.h>

#include "lib/base/status.h"
#include "lib/gpusort.h"

/* Opens the index that comes before `operands`; if it is among them, says so. Its
 * checksums are compared if it is small, or with `verifies`. On failure the caller still
 * closes *out. */
GS_MUST_CHECK gs_code gs_index_open_first(gpusort_index **out, const char *folder,
                                          char **operands, int count, bool verifies,
                                          gs_status *st);

/* Writes to standard output. `context` is the index that the data come from: if that was
 * changed since it was opened, nothing is written. */
gs_code gs_index_print(void *context, const void *data, size_t bytes, gs_status *st);

/* What became of a call of gpusort.h whose functions may have failed as `of_ours' says:
 * that comes first. */
GS_MUST_CHECK gs_code gs_index_called(gpusort_code code, const gpusort_error *error,
                                      const gs_status *of_ours, gs_status *st);

#endif
