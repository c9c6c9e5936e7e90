/* SPDX-License-Identifier: MIT */
/* band_join: joins of lines whose numbers differ by so much. One thread calls. */
#ifndef GS_LIB_JOIN_BAND_JOIN_H
#define GS_LIB_JOIN_BAND_JOIN_H

#include "lib/join/join_job.h"

/* The job is open, and stays so. */
GS_MUST_CHECK gs_code gs_band_join_run(gs_join_job *job, gs_status *st);

#endif
