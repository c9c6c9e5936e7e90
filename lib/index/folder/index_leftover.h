/* SPDX-License-Identifier: MIT */
/*
 * index_leftover: what a build that was killed leaves beside an index, and how the next
 * one tells it from what is in use.
 *
 * Beside an index NAME there can be, X being any letter or digit,
 *
 *     NAME.tmp-XXXXXX    a new index that has not got its name yet, or one that has been
 *                        replaced and is not quite gone
 *     NAME.old-XXXXXX    one that is being replaced where the file system cannot let two
 *                        names change places
 *
 * In such a folder there is a file that marks it, and the program that works on it holds
 * a lock on it (flock, of the folder itself). The lock goes with the program. So a folder
 * of such a name is a leftover if it is marked, belongs to us, holds nothing that is no
 * part of an index, and its lock can be had. Where the file system has no locks nothing
 * is touched, and an empty folder, which might be anybody's, stays as well.
 */
#ifndef GS_LIB_INDEX_FOLDER_INDEX_LEFTOVER_H
#define GS_LIB_INDEX_FOLDER_INDEX_LEFTOVER_H

#include <stdbool.h>

#include "lib/base/log.h"

#define GS_INDEX_MARK_NAME ".gpusort-unfinished"

/* How the name of a part begins, which it has only between its making and unlink. */
#define GS_INDEX_PART_NAME "part-"

/* Is it a name that the folder of an index may hold: a file of its own, or what it has
 * grown by (lib/index/format/index_manifest.h)? */
bool gs_index_owns_file(const char *name);

/* Removes the manifest and all that an index has grown by from the folder, but nothing
 * that is in those by another hand. */
void gs_index_remove_grown(int folder_fd);
/* The folder of a segment, also of one that is not finished: its files, and then its
 * name. */
void gs_index_remove_segment(int folder_fd, const char *name);
/* The files of segment 0, which is the folder itself. */
void gs_index_remove_first(int folder_fd);

/* Removes the files of an index from the folder behind `folder_fd`, its mark last, and
 * then its name, `folder` in `parent` (a descriptor, or AT_FDCWD). Async-signal-safe. */
void gs_index_remove_folder(int folder_fd, int parent, const char *folder);

/* 0 or errno. A finished index may still have its mark: only the name counts. */
int gs_index_mark(int folder_fd);
void gs_index_unmark(int folder_fd);

/* Waits for the lock of what has the name, and returns a descriptor that holds it; -1 and
 * errno if it cannot be opened, ECANCELED if *cancel (NULL is fine) becomes other than 0
 * first. */
int gs_index_lock(const char *folder, const volatile int *cancel);

/* Removes the leftovers beside `index`, a path without links at its end. If no index is
 * there, but one that was being replaced, that gets its name back. */
void gs_index_sweep(const char *index, const gs_log *log);

#endif
