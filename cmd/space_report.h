/* SPDX-License-Identifier: MIT */
/*
 * space_report: a disk is full. How much a sort takes there, how much is free now that it
 * has given back what it had, and what helps. One line a folder and one of advice, to
 * standard error.
 */
#ifndef GS_CMD_SPACE_REPORT_H
#define GS_CMD_SPACE_REPORT_H

#include <stdbool.h>

#include "lib/sort/sort.h"

/* Of temporary files, or of the output. options->stats says how far the sort came. */
void gs_space_report(const gs_sort_options *options, bool is_temporary);

#endif
