/* SPDX-License-Identifier: MIT */
/*
 * late_relocations: tables of pointers that few commands use get their addresses when
 * they are first used, and not whenever the program starts.
 *
 * A program at any address has a list of its pointers, and the loader goes through all of
 * it: of gpusort nearly all of them lie in the tables of the stemmers, in eighty pages
 * that a sort never looks at. Once the program is linked, cmd/link/defer_tables.c puts
 * those at the end of the list, tells the loader that it ends before them, and notes here
 * where they are. A program or library to which that was not done has none.
 */
#ifndef GS_LIB_BASE_LATE_RELOCATIONS_H
#define GS_LIB_BASE_LATE_RELOCATIONS_H

#include <stdint.h>

#include "lib/base/status.h"

typedef struct gs_late_relocations {
    uint64_t own_address; /* of this, as linked */
    uint64_t first;       /* address of the list, as linked */
    uint64_t count;
} gs_late_relocations;

/* Before anything of libstemmer is called. Any thread, any number of times. */
GS_MUST_CHECK gs_code gs_late_relocations_apply(gs_status *st);

#endif
