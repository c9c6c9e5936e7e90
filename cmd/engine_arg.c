/* SPDX-License-Identifier: MIT */
#include "cmd/engine_arg.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/quote.h"
#include "cmd/report.h"
#include "lib/gpusort.h"

enum { REASON_BYTES = 1024 };

/* Ends the program if there is no GPU to do that. */
static void check_gpu(const char *name, const char *verb)
{
    char reason[REASON_BYTES];
    if (gpusort_gpus(NULL, 0) > 0)
        return;
    (void)gpusort_gpus(reason, sizeof reason);
    /* "gpu: none, WHY; what happens without" */
    reason[strcspn(reason, ";\n")] = '\0';
    static const char none[] = "gpu: none, ";
    const bool has_why = strncmp(reason, none, sizeof none - 1) == 0;
    gs_report(0, "engine '%s' cannot be used here: %s", name,
              has_why ? reason + sizeof none - 1 : reason);
    gs_die(0, "leave out --engine to %s with what there is", verb);
}

static bool is_known(const char *name)
{
    size_t i = 0;
    while (gpusort_engine_name(i) != NULL && strcmp(gpusort_engine_name(i), name) != 0)
        i++;
    return gpusort_engine_name(i) != NULL;
}

void gs_engine_arg_check(const char *name)
{
    if (strcmp(name, "auto") == 0 || strcmp(name, "cpu") == 0)
        return;
    if (!is_known(name)) {
        gs_quoted q;
        gs_report(0, "unknown engine %s", gs_quote_argument(&q, name));
        fputs("Engines of this build are: ", stderr);
        for (size_t i = 0; gpusort_engine_name(i) != NULL; i++)
            fprintf(stderr, "%s%s", i > 0 ? ", " : "", gpusort_engine_name(i));
        putc('\n', stderr);
        gs_die_try_help(GS_EXIT_TROUBLE);
    }
    check_gpu(name, "sort");
}

void gs_engine_arg_check_search(const char *name)
{
    if (strcmp(name, "auto") == 0 || strcmp(name, "cpu") == 0)
        return;
    if (strcmp(name, "gpu") != 0) {
        gs_quoted q;
        gs_report(0, "unknown engine %s", gs_quote_argument(&q, name));
        fputs("Engines for searches are: auto, cpu, gpu\n", stderr);
        gs_die_try_help(GS_EXIT_TROUBLE);
    }
    check_gpu(name, "search");
}
