/* SPDX-License-Identifier: MIT */
/*
 * index_read: what the commands that read an index have in common; info, dump and verify
 * of `gpusort index` are beside it.
 */
#ifndef GS_CMD_INDEX_READ_H
#define GS_CMD_INDEX_READ_H

#include "lib/index/segment/segments.h"

/* Opens the index that comes before `operands`; if it is among them, says so. Its
 * checksums are compared if it is small, or with `verifies`. On failure the caller still
 * closes *out. */
GS_MUST_CHECK gs_code gs_index_open_first(gs_segments **out, const char *folder,
                                          char **operands, int count, bool verifies,
                                          gs_status *st);

/* GS_ERR_ARG, and what to do, if it has no texts. */
GS_MUST_CHECK gs_code gs_index_need_texts(const gs_segments *index, gs_status *st);

/* Writes to standard output. `context` is the index that the data come from, or NULL:
 * if that was changed since it was opened, nothing is written. */
gs_code gs_index_print(void *context, const void *data, size_t bytes, gs_status *st);

#endif
