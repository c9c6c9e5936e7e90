/* SPDX-License-Identifier: MIT */
/* equi_join: joins of lines with equal keys. One thread calls. */
#ifndef GS_LIB_JOIN_EQUI_JOIN_H
#define GS_LIB_JOIN_EQUI_JOIN_H

#include "lib/join/join_job.h"

/* The job is open, and stays so. */
GS_MUST_CHECK gs_code gs_equi_join_run(gs_join_job *job, gs_status *st);

#endif
