/* SPDX-License-Identifier: MIT */
/*
 * apis: what commands see of the room of gpusort.h that have no call there yet: options
 * of that header as those of ours, and where a job counts.
 */
#ifndef GS_LIB_API_APIS_H
#define GS_LIB_API_APIS_H

#include "lib/api/api_files.h"
#include "lib/api/api_stats.h"

#endif
