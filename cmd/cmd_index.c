/* SPDX-License-Identifier: MIT */
/*
 * gpusort index: which of its commands is meant.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/index_build.h"
#include "cmd/report.h"

int cmd_index(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "build") == 0) {
        static char name[] = "gpusort index build";
        program_invocation_name = name;
        argv[1] = name;
        return gs_index_build_command(argc - 1, argv + 1);
    }
    gs_report(0, "say what: build");
    return GS_EXIT_TROUBLE;
}
