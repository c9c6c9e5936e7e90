/* SPDX-License-Identifier: MIT */
#include "lib/base/assertion.h"

#include <stdio.h>
#include <stdlib.h>

void gs_assert_failed(const char *expr, const char *file, int line)
{
    (void)fprintf(stderr, "gpusort: internal error at %s:%d: %s\n", file, line, expr);
    abort();
}
