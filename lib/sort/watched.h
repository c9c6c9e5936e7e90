/* SPDX-License-Identifier: MIT */
/*
 * watched: what a witness has to know of a sort or merge, and what of it a checkpoint
 * keeps.
 */
#ifndef GS_LIB_SORT_WATCHED_H
#define GS_LIB_SORT_WATCHED_H

#include "lib/base/pack.h"
#include "lib/sort/record/records.h"
#include "lib/sort/sort.h"
#include "lib/sort/witness/witnesses.h"

/* Full if that is asked for. */
gs_witness_options gs_sort_watched(const gs_sort_options *options,
                                   const gs_record_layout *layout);

/* What a checkpoint has to tell a sort that goes on: what was read so far, and the
 * header. The header that comes out points into `data`. */
GS_MUST_CHECK gs_code gs_sort_pack_progress(gs_packer *p, gs_witness *w,
                                            const uint8_t *header, size_t header_bytes,
                                            gs_status *st);
GS_MUST_CHECK gs_code gs_sort_unpack_progress(const uint8_t *data, size_t bytes,
                                              gs_witness *w, const uint8_t **header,
                                              size_t *header_bytes, gs_status *st);

#endif
