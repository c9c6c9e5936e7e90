/* SPDX-License-Identifier: MIT */
/*
 * file_look: what can be known of a file of the input before it is read.
 */
#ifndef GS_IO_FILE_LOOK_H
#define GS_IO_FILE_LOOK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "io/pump.h"

enum {
    GS_LOOK_PROBES = 16,
    GS_LOOK_FILES_LEFT = 12, /* descriptors, to others by files that are opened ahead */
};

/* Has the file, or the folder, no other place than memory (tmpfs)? Its pages are taken
 * when they are written, and reads that do not wait may not be had, for want of a reason
 * to wait. */
bool gs_look_is_in_memory(int fd);
bool gs_look_is_folder_in_memory(const char *name);

/* Are so many of GS_LOOK_PROBES pages of these bytes of the file in the page cache? Asked
 * by reads that do not wait. */
bool gs_look_is_cached(int fd, uint64_t from, uint64_t bytes, unsigned hits_min);

/* Opens a file by name if it is regular, and looks at it anew: another file may have
 * taken the name since the first look. A file that is not regular is not opened at all
 * (a FIFO would notice), and the result is -1. */
int gs_look_open_regular(const char *name, struct stat *info);

/* What the first bytes of a regular file say of it; 0, or errno. */
int gs_look_at_head(gs_pump_file *file, uint64_t offset);

#endif
