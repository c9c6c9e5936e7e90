/* SPDX-License-Identifier: MIT */
/*
 * space_report: a disk is full. How much a sort takes there, how much is free now that it
 * has given back what it had, and what helps. One line a folder and one of advice, to
 * standard error.
 */
#ifndef GS_CMD_SPACE_REPORT_H
#define GS_CMD_SPACE_REPORT_H

#include "lib/gpusort.h"

/* `failure` is the message of what failed: of temporary files, of what --checkpoint
 * keeps, or of the output; for anything else nothing is said. The stats of the job say
 * how far the sort came. */
void gs_space_report(const gpusort_sort_options *options, const char *failure);

#endif
