/* SPDX-License-Identifier: MIT */
/*
 * api_key: keys as gpusort.h has them, as those of ours.
 */
#ifndef GS_LIB_API_API_KEY_H
#define GS_LIB_API_API_KEY_H

#include "lib/gpusort.h"
#include "lib/sort/key/keys.h"

GS_MUST_CHECK gs_code gs_api_take_key(gs_key *out, const gpusort_key *key, gs_status *st);

/* A key that has a path in a table or in JSON is of no fields. */
GS_MUST_CHECK gs_code gs_api_take_path(gs_key *key, gs_json_path *out,
                                       const gpusort_path *path, gpusort_form form,
                                       gs_status *st);

GS_MUST_CHECK gs_code gs_api_take_byte_key(gs_byte_key *out, const gpusort_byte_key *key,
                                           size_t record_bytes, gs_status *st);

/* Has the form a header, with names of columns? */
bool gs_api_is_table(const gpusort_order *asked);

/* How fields are told apart. */
GS_MUST_CHECK gs_code gs_api_take_fields(gs_order *out, const gpusort_order *asked,
                                         gs_status *st);

#endif
