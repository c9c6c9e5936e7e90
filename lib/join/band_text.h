/* SPDX-License-Identifier: MIT */
/*
 * band_text: a band as people write it: LO:HI, two numbers that belong to it. An end that
 * is left out is open.
 */
#ifndef GS_LIB_JOIN_BAND_TEXT_H
#define GS_LIB_JOIN_BAND_TEXT_H

#include "lib/base/status.h"
#include "lib/join/join_number.h"

/* Fails if it is none, or nothing can be in it. */
GS_MUST_CHECK gs_code gs_band_text_parse(const char *text, gs_join_number *low,
                                         gs_join_number *high, gs_status *st);

#endif
