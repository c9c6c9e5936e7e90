/* SPDX-License-Identifier: MIT */
/*
 * folder_walk: the files of folders, for commands that read those instead.
 *
 * Folders are walked down to the last one, what is in each in the order of the bytes of
 * its names, so that it is the same order everywhere. Hidden files and folders, symbolic
 * links and what is no regular file are left out, and counted.
 */
#ifndef GS_CMD_FOLDER_WALK_H
#define GS_CMD_FOLDER_WALK_H

#include <stdbool.h>
#include <stddef.h>

typedef struct gs_folder_walk {
    char **names; /* of the files that were found */
    size_t count;
    size_t folders, hidden, links, odd; /* how many were walked, and left out */
} gs_folder_walk;

/* Replaces the folders among the inputs by their files. *is_found, from gs_mem, then says
 * which inputs were found and not named; NULL if there was no folder. `avoided` is a
 * folder that is not walked, should it be there. Ends the program if a folder cannot be
 * read, or nothing was found at all. */
void gs_folder_walk_inputs(gs_folder_walk *walk, const char ***inputs, size_t *count,
                           const char *avoided, unsigned char **is_found);
void gs_folder_walk_release(gs_folder_walk *walk);

#endif
