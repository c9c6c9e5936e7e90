/* SPDX-License-Identifier: MIT */
#include "cmd/gpu_arg.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>

#include "cmd/report.h"
#include "cmd/opt_kinds.h"
#include "lib/base/quote.h"

void gs_gpu_arg(const char *text, int **gpus, size_t *count)
{
    *count = 0;
    for (const char *c = text;; c++) {
        char *end = NULL;
        const long index = isdigit((unsigned char)*c) ? strtol(c, &end, 10) : -1;
        if (index < 0 || index > INT_MAX || (*end != ',' && *end != '\0')) {
            gs_quoted q;
            gs_die(0, "invalid --gpu argument %s: numbers as in 0,1 expected",
                   gs_quote_argument(&q, text));
        }
        *gpus = gs_args_grow(*gpus, *count, sizeof **gpus);
        (*gpus)[(*count)++] = (int)index;
        c = end;
        if (*c == '\0')
            return;
    }
}
