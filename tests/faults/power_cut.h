/* SPDX-License-Identifier: MIT */
/*
 * power_cut: with GS_FAULT=cut:N the N-th call that changes what is on the disk does not
 * come back. The program is killed, and then a child of it brings files and folders to
 * what a disk might hold; it is done when standard output and error are closed.
 *
 *     written since the last fsync of the file    lost, there, or torn by sectors of 512
 *                                                 bytes; its length is the old one, the
 *                                                 new one or one between
 *     names made, changed or removed since the    undone from the last one backwards, as
 *     last fsync of the folder                    many as chance will have
 *
 * GS_FAULT_SEED is where chance begins. GS_FAULT_SIDE names a folder on the same file
 * system, to which removed files go, as they may have to come back. A program
 * that makes fewer such calls is cut at its end: what it promised to be durable must be
 * there then.
 *
 * Not covered is what is stored through maps (the program writes no file so). A write
 * that another thread or a ring has under way when the power goes may still arrive, as it
 * might.
 *
 * The functions do nothing unless a cut is asked for. Any thread may call.
 */
#ifndef GS_TESTS_FAULTS_POWER_CUT_H
#define GS_TESTS_FAULTS_POWER_CUT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

bool cut_is_asked_for(void);

/* Before bytes of a file change; nothing if it is no regular file. `offset` of -1: where
 * the descriptor stands. */
void cut_before_write(int fd, off_t offset, size_t bytes);
/* Before its length does. */
void cut_before_length(int fd, off_t length);
/* The same of a file that is emptied as it is opened. */
void cut_before_emptied(int folder, const char *path);

/* Around an fsync of a file or folder. */
void cut_before_sync(void);
void cut_after_sync(int fd);

/* Around what changes names: no other thread changes names meanwhile. */
void cut_names_begin(void);
void cut_names_end(void);
/* Within: this was made just now, */
void cut_made(int folder, const char *path, bool is_folder);
/* or is about to be renamed (again with `done`, if that went well): what has the name so
 * far goes aside, unless the two change places. */
typedef struct cut_rename {
    int from_folder, to_folder;
    const char *from, *to;
    bool exchanges;
    char aside[32]; /* the name of what was replaced, in the folder for such */
} cut_rename;
void cut_before_rename(cut_rename *r);
void cut_after_rename(const cut_rename *r, bool done);
/* In the place of unlinkat: a file, or an empty folder, goes aside. */
int cut_remove(int folder, const char *path, bool is_folder);

#endif
