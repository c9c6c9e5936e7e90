/* SPDX-License-Identifier: MIT */
/*
 * temp_name: names that nobody can guess, for what is made beside a file of the user.
 *
 * The caller makes its file or folder so that the name must be new (O_EXCL, mkdir, link),
 * and tries another name while it is not. Unlike with mkostemp() and mkdtemp() the mode
 * is the caller's to give, so that the umask and the access list of the folder count as
 * for any other file. Any thread may call these.
 */
#ifndef GS_IO_TEMP_NAME_H
#define GS_IO_TEMP_NAME_H

#include <sys/types.h>

enum { GS_TEMP_NAME_TRIES = 100, GS_TEMP_NAME_TAIL = 6 };

/* Replaces the last GS_TEMP_NAME_TAIL characters by letters and digits. */
void gs_temp_name_draw(char *path);

/* A new, empty file to read and write under the path, whose tail is drawn; -1 and errno.
 */
int gs_temp_name_open(char *path, mode_t mode);

/* The same with a folder; 0, or -1 and errno. */
int gs_temp_name_make_folder(char *path, mode_t mode);

#endif
