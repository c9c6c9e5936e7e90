/* SPDX-License-Identifier: MIT */
/*
 * joiner: the whole job, from two inputs to a finished output.
 *
 * Call from one thread; the workers are inside. The options are borrowed.
 */
#ifndef GS_LIB_JOIN_JOINER_H
#define GS_LIB_JOIN_JOINER_H

#include "lib/join/join_options.h"

GS_MUST_CHECK gs_code gs_join_run(const gs_join_options *options, gs_status *st);

#endif
