/* SPDX-License-Identifier: MIT */
/*
 * api_merge: a merge of indexes as a part of a longer call.
 */
#ifndef GS_LIB_API_API_MERGE_H
#define GS_LIB_API_API_MERGE_H

#include "lib/api/api_job.h"
#include "lib/index/merge/merges.h"

/* To this folder, with what the job has of memory, threads, messages, figures and the
 * wish to stop. */
gs_index_merge_options gs_api_merge_options(const char *folder,
                                            const gs_api_job *running);

#endif
