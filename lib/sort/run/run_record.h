/* SPDX-License-Identifier: MIT */
/*
 * run_record: a run as bytes: where it lies in its spill file, and where its blocks are.
 *
 * What is read is believed only as far as it fits: blocks that follow each other within
 * the extent, and an extent within the file. The blocks have checksums of their own.
 */
#ifndef GS_LIB_SORT_RUN_RUN_RECORD_H
#define GS_LIB_SORT_RUN_RUN_RECORD_H

#include "lib/base/pack.h"
#include "lib/sort/run/run.h"

GS_MUST_CHECK gs_code gs_run_pack(gs_packer *p, const gs_run *run, gs_status *st);

/* The run's extent has neither a file nor a folder yet. *is_sound is false, and there is
 * no run, if the bytes make none that fits a file of `file_bytes`. */
GS_MUST_CHECK gs_code gs_run_unpack(gs_unpacker *u, uint64_t file_bytes, gs_run *run,
                                    bool *is_sound, gs_status *st);

#endif
