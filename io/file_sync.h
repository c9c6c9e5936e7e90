/* SPDX-License-Identifier: MIT */
/*
 * file_sync: what was written is on the disk. Where a file system has no such thing to
 * promise (EINVAL) that is no failure; anything else is, for every file alike.
 */
#ifndef GS_IO_FILE_SYNC_H
#define GS_IO_FILE_SYNC_H

/* A file, or the names in a folder. 0, or errno. */
int gs_file_sync(int fd);
/* The same of bytes that are to be read again, whatever the times of the file. */
int gs_data_sync(int fd);

/* The name that was just given to what has the path: its entry in the folder above. Where
 * that folder cannot be read, its whole file system is synced. 0, or errno. */
int gs_name_sync(const char *path);

#endif
