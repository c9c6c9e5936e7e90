/* SPDX-License-Identifier: MIT */
/*
 * join_check: is there such a join? What contradicts itself in the options, and whether
 * tuples have the fields that are asked for.
 *
 * Nothing is read: names of fields are looked for when the headers are.
 */
#ifndef GS_LIB_JOIN_JOIN_CHECK_H
#define GS_LIB_JOIN_JOIN_CHECK_H

#include "lib/join/join_options.h"

GS_MUST_CHECK gs_code gs_join_check(const gs_join_options *options, gs_status *st);

#endif
