/* SPDX-License-Identifier: MIT */
/*
 * output: where the result goes, and that it appears there whole or not at all.
 *
 * A regular file (new or existing, through symlinks, dangling ones too) is written to a
 * temporary file in its folder, without a name where the system can, and renamed by
 * commit; its mode and owner are kept. What was there before stays until then.
 *
 * Commit copies the finished bytes into an existing file that another cannot stand for:
 * one with more hard links or access lists, with an owner that we may not give, on which
 * another is mounted, whose folder refuses new names, or that is named as a descriptor
 * (/dev/stdout, /dev/fd/N, /proc/PID/fd/N). While it does so, signals wait, and the
 * temporary file has a name beside the file (or in the folder for temporary files); it
 * keeps that name if the copy fails half-way, or if the program is killed.
 *
 * Devices, FIFOs, sockets, standard output and descriptors of empty files are written in
 * place, in order. Temporary names are removed by free, and where a signal ends the
 * program (io/pending_names.h).
 *
 * Call order: open, perhaps keep_apart, then bytes are written to fd (by gs_stream or
 * gs_output_write), commit, free.
 */
#ifndef GS_IO_OUTPUT_H
#define GS_IO_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/file_space.h"
#include "lib/base/status.h"

typedef struct gs_output gs_output;

/* `path` NULL is standard output. `temp_folder` is for a file whose own folder takes no
 * temporary files; NULL: $TMPDIR, else /tmp. Borrowed until free(). Fails with
 * "open failed: PATH". */
GS_MUST_CHECK gs_code gs_output_open(gs_output **out, const char *path,
                                     const char *temp_folder, gs_status *st);
/* The same for a descriptor that stays the caller's, as standard output is. */
GS_MUST_CHECK gs_code gs_output_open_descriptor(gs_output **out, int fd, gs_status *st);
/* For bytes that somebody else writes: it has no file, and is only freed. */
GS_MUST_CHECK gs_code gs_output_open_nowhere(gs_output **out, gs_status *st);
/* Is the output a file that is written in place, and one of `inputs` too? Then it is
 * written by commit instead, when they have been read. */
GS_MUST_CHECK gs_code gs_output_keep_apart(gs_output *o, const char *const *inputs,
                                           size_t input_count, gs_status *st);

/* The file to write to. Positioned writes are allowed when is_seekable; they start at
 * start_offset (standard output may be a file that is already partly written, or opened
 * to append, which is then not seekable). */
int gs_output_fd(const gs_output *o);
bool gs_output_is_seekable(const gs_output *o);
uint64_t gs_output_start_offset(const gs_output *o);
/* True if fd is ours alone (a temporary name), so that O_DIRECT may be set on it. */
bool gs_output_is_own_file(const gs_output *o);
/* So many bytes will come, or a little less: the disk space is taken from now on, beside
 * what the caller does, so that writes in flight do not wait for each other to lengthen
 * the file. Told again, it changes nothing; 0 is not known. */
void gs_output_expect(gs_output *o, uint64_t bytes);
/* What is being taken so, until commit or free; NULL if nothing is. */
gs_file_space *gs_output_space(const gs_output *o);
/* Would that leave at least as much free as it takes? */
bool gs_output_has_room(const gs_output *o, uint64_t bytes);
/* For who writes in order, and a little: puts the bytes behind `*written` others, which
 * are more then. Fails with "write failed: NAME". */
GS_MUST_CHECK gs_code gs_output_write(const gs_output *o, const void *data, size_t bytes,
                                      uint64_t *written, gs_status *st);
/* As messages name it: the path, or 'standard output' with its quotes. */
const char *gs_output_name(const gs_output *o);

/* All `total_bytes` have been written: cut the file to that length, make it durable
 * (`sync`), give it its final name. For standard output, leave the file position after
 * the bytes and report a failed close. Fails with "write failed: NAME",
 * "close failed: NAME" or "rename failed: NAME". */
GS_MUST_CHECK gs_code gs_output_commit(gs_output *o, uint64_t total_bytes, bool sync,
                                       gs_status *st);
/* Without a commit before, nothing is left under any name. NULL is fine. */
void gs_output_free(gs_output *o);

#endif
