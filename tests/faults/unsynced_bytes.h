/* SPDX-License-Identifier: MIT */
/*
 * unsynced_bytes: for every file that is written to, what its sectors and its length were
 * at its last fsync, in memory, so that they can be had again when the power goes.
 *
 * One thread at a time.
 */
#ifndef GS_TESTS_FAULTS_UNSYNCED_BYTES_H
#define GS_TESTS_FAULTS_UNSYNCED_BYTES_H

#include <stdint.h>
#include <sys/stat.h>

/* The bytes [begin, end) of the file, or its length, are about to change. */
void unsynced_keep(int fd, const struct stat *info, off_t begin, off_t end);
/* What has been written is on the disk. */
void unsynced_forget(const struct stat *info);
/* Of each file all that is unsynced is lost, none of it, or some sectors. */
void unsynced_lose(void);

/* The next of a row of numbers that begins with GS_FAULT_SEED. */
uint64_t unsynced_chance(void);

#endif
