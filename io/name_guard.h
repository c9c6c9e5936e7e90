/* SPDX-License-Identifier: MIT */
/*
 * name_guard: no signal comes between a file's temporary name and the note that it is to
 * be removed.
 *
 *     gs_name_guard guard;
 *     gs_name_guard_begin(&guard);
 *     ... make the name, and note it where a handler of signals looks, or unlink it ...
 *     gs_name_guard_end(&guard);
 *
 * Between begin and end signals wait on this thread; a handler on another one waits for
 * end, and from then on no thread gets past begin. Any thread may call these.
 */
#ifndef GS_IO_NAME_GUARD_H
#define GS_IO_NAME_GUARD_H

#include <signal.h>

typedef struct gs_name_guard {
    sigset_t signals; /* blocked before */
} gs_name_guard;

/* Does not return if the program is ending. errno stays as it is, of end too. */
void gs_name_guard_begin(gs_name_guard *guard);
void gs_name_guard_end(const gs_name_guard *guard);

/* For a handler that ends the program, before it removes what is noted.
 * Async-signal-safe; not between begin and end of the same thread. */
void gs_name_guard_close(void);

#endif
