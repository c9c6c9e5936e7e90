/* SPDX-License-Identifier: MIT */
/*
 * write_all: write(), pwrite() and pread() until all is gone, however little each call
 * takes and whatever interrupts it.
 */
#ifndef GS_IO_WRITE_ALL_H
#define GS_IO_WRITE_ALL_H

#include <stddef.h>
#include <stdint.h>

/* 0, or errno. */
int gs_write_all(int fd, const void *data, size_t bytes);
int gs_pwrite_all(int fd, const void *data, size_t bytes, uint64_t offset);
/* *taken is less only at the end of the file, and after a failure. */
int gs_pread_all(int fd, void *to, size_t bytes, uint64_t offset, size_t *taken);

#endif
