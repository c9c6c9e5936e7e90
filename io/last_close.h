/* SPDX-License-Identifier: MIT */
/*
 * last_close: the end of a file that nobody will read again, without the wait for it.
 *
 * To close a file without a name, or to remove the name of a file, takes until the file
 * system has freed its blocks; on a disk that is told of every freed block this takes
 * about a second a gigabyte. An io_uring that knows the file is taken down by the kernel
 * in its own time, and the file with it.
 *
 *     fd = open(old)          io_uring knows it too
 *     rename(new, old)        the name is the new file's
 *     gs_last_close(fd)       returns at once; the blocks are freed behind
 *
 * Any thread. Where io_uring is refused it is close().
 */
#ifndef GS_IO_LAST_CLOSE_H
#define GS_IO_LAST_CLOSE_H

/* Closes `fd`, whatever it is; -1 is fine. */
void gs_last_close(int fd);

/* A descriptor of the file `path`, to hold it while its name goes away; -1 if there is
 * none, or it is so small that freeing it takes no time. */
int gs_last_close_hold(const char *path);

#endif
