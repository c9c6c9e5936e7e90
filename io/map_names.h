/* SPDX-License-Identifier: MIT */
/*
 * map_names: which file is mapped at an address.
 *
 * When a mapped file is shortened, some of its pages are gone, and a thread that reads
 * one of them gets SIGBUS. The same happens when the disk cannot give a page. The library
 * leaves that signal to the program. A program that handles it asks here whose page it
 * was, and gets the name of the file.
 *
 * Any thread, and the handler of a signal that the kernel sent for an access to memory.
 */
#ifndef GS_IO_MAP_NAMES_H
#define GS_IO_MAP_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/status.h"

typedef struct gs_map_name gs_map_name;

/* From now on these bytes are known to be of the file `name`. */
GS_MUST_CHECK gs_code gs_map_name_new(gs_map_name **out, const void *begin, size_t bytes,
                                      const char *name, gs_status *st);
void gs_map_name_free(gs_map_name *name); /* NULL is fine */

/* Fills `name` with what the file at this address is called, with quotes where it needs
 * them, cut to `room`. False if none is mapped there. */
bool gs_map_name_at(const void *address, char *name, size_t room);

/* Fails with "read failed: NAME: it was changed while it was read", of the file there. */
gs_code gs_map_name_fail_changed(const void *address, gs_status *st);
/* The same if `error` is 0, else fails with "read failed: NAME" and that errno. */
gs_code gs_map_name_fail(const void *address, int error, gs_status *st);

#endif
