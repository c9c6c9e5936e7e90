/* SPDX-License-Identifier: MIT */
/* sort_usage: the text of `gpusort sort --help`. */
#ifndef GS_CMD_SORT_USAGE_H
#define GS_CMD_SORT_USAGE_H

#include <stdio.h>

void gs_sort_usage_print(FILE *to);

#endif
