/* SPDX-License-Identifier: MIT */
/*
 * text_store: runs as text, for who wants a program of his own between them and the disk
 * (--compress-program). There is no checkpoint for them.
 */
#ifndef GS_LIB_SORT_TEXT_TEXT_STORE_H
#define GS_LIB_SORT_TEXT_TEXT_STORE_H

#include "lib/sort/run/runs.h"

GS_MUST_CHECK gs_code gs_text_store_new(gs_run_store **out,
                                        const gs_run_store_options *options,
                                        gs_status *st);

#endif
