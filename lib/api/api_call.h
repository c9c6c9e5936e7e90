/* SPDX-License-Identifier: MIT */
/*
 * api_call: what every call of gpusort.h does first and last: options of another version
 * are made ours, and a status of ours is told as an error of theirs.
 */
#ifndef GS_LIB_API_API_CALL_H
#define GS_LIB_API_API_CALL_H

#include <stddef.h>

#include "lib/base/status.h"
#include "lib/gpusort.h"

/* Copies options that begin with their size into `to`, a zeroed struct of `bytes`. Fails
 * if they say something in members that this library does not have. */
GS_MUST_CHECK gs_code gs_api_take_options(void *to, size_t bytes, const void *options,
                                          gs_status *st);

/* Copies a struct of `bytes` to a caller's, which has `given` of them. */
void gs_api_give(void *to, size_t given, const void *from, size_t bytes);

/* Fails if a member kept for later versions says something. */
GS_MUST_CHECK gs_code gs_api_check_reserved(const void *const *members, size_t count,
                                            gs_status *st);

/* Fails if there are others than those that are known. */
GS_MUST_CHECK gs_code gs_api_check_flags(unsigned flags, unsigned known, gs_status *st);

/* The code that others know. */
gpusort_code gs_api_code(gs_code code);

/* What became of the call; `error` may be NULL. */
gpusort_code gs_api_result(const gs_status *st, gpusort_error *error);

#endif
