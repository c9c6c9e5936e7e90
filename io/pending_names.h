/* SPDX-License-Identifier: MIT */
/*
 * pending_names: temporary names that a signal handler must remove, of all outputs of the
 * process. Any thread; between a name and its note no signal comes (io/name_guard.h).
 */
#ifndef GS_IO_PENDING_NAMES_H
#define GS_IO_PENDING_NAMES_H

/* Notes the name; returns the slot that it has, or -1: it is too long, or there are too
 * many. */
int gs_pending_name_set(const char *path);
/* The name is gone, or is to stay; *slot is -1 then, and may be so before. */
void gs_pending_name_clear(int *slot);

/* Async-signal-safe: removes the names that are noted. */
void gs_pending_names_unlink(void);

#endif
