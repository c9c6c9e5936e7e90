/* SPDX-License-Identifier: MIT */
/*
 * signals: no half-written output stays when a signal ends the program.
 */
#ifndef GS_CMD_SIGNALS_H
#define GS_CMD_SIGNALS_H

/* For every signal that would end the program and is not ignored already: remove the
 * temporary names of outputs and folders, then die of the signal, so that the exit status
 * shows it. Temporary files of the sort have no names and need nothing. A page of a
 * mapped file that is gone (gpusort_mapped_name) ends the program with a message that
 * names the file, and GS_EXIT_TROUBLE. */
void gs_signals_install(void);

/* From now on SIGPIPE ends nothing: a compressor that has gone is an error like another.
 * Where SIGPIPE would have ended the program all the same, at standard output, the second
 * function does; it returns if SIGPIPE is ignored. */
void gs_signals_survive_pipes(void);
void gs_signals_end_by_pipe(void);

#endif
