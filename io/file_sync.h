/* SPDX-License-Identifier: MIT */
/*
 * file_sync: what was written is on the disk. Where a file system has no such thing to
 * promise (EINVAL, EROFS) that is no failure.
 */
#ifndef GS_IO_FILE_SYNC_H
#define GS_IO_FILE_SYNC_H

/* A file, or the names in a folder. 0, or errno. */
int gs_file_sync(int fd);
/* The same of bytes that are to be read again, whatever the times of the file. */
int gs_data_sync(int fd);

#endif
