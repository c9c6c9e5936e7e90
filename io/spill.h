/* SPDX-License-Identifier: MIT */
/*
 * spill: the temporary files that runs live in.
 *
 * A nameless file a folder (O_TMPFILE, or created 0600 and unlinked at once), so that
 * nothing is left behind however the program ends. Runs are extents of these files, one
 * after the other, given to the folders in turn: any number of runs needs no more file
 * descriptors than there are folders. Files are opened when first needed, with O_DIRECT
 * where the file system takes it, unless they are to stay in the page cache: then a
 * folder may have several, over which each extent is spread (io/spread.h). Thread-safe.
 */
#ifndef GS_IO_SPILL_H
#define GS_IO_SPILL_H

#include <stddef.h>
#include <stdint.h>

#include "io/spread.h"
#include "io/stream.h"
#include "lib/base/status.h"

typedef struct gs_spill gs_spill;

enum { GS_SPILL_ALIGN = 4096 };

typedef struct gs_spill_extent {
    int fd;           /* -1 if there are several */
    gs_spread spread; /* of one too */
    bool is_direct;   /* offsets, sizes and addresses must be aligned */
    size_t folder;    /* index into the folders */
    uint64_t offset;  /* multiple of GS_SPILL_ALIGN; the same in several */
    uint64_t bytes;   /* as given to extent_close, rounded up to GS_SPILL_ALIGN */
} gs_spill_extent;

/* Borrows the folder names until free(). With none: $TMPDIR, else /tmp. */
GS_MUST_CHECK gs_code gs_spill_new(gs_spill **out, const char *const *folders,
                                   size_t folder_count, gs_status *st);
/* Instead: runs go to `fd`, a file with a name that stays (lib/sort/run/checkpoint.h),
 * from `end_offset` on; `folder` names it in messages. Takes the descriptor, also on
 * failure.
 */
GS_MUST_CHECK gs_code gs_spill_new_kept(gs_spill **out, const char *folder, int fd,
                                        uint64_t end_offset, gs_status *st);
void gs_spill_free(gs_spill *s); /* NULL is fine */
/* Before the first file: all go through the page cache, for what is gone again before the
 * kernel begins to write it to the disk. Each folder has `files` of them, or as many as
 * there are descriptors for, which take units in turn (a multiple of GS_SPILL_ALIGN). */
void gs_spill_stay_cached(gs_spill *s, unsigned files, size_t unit_bytes);

/* Starts an extent at the end of the next folder's file; its length is unknown yet, so
 * one extent a folder is open at a time (a second open goes to another folder; if
 * there is none it does not wait, but fails with GS_ERR_ARG). "cannot create temporary
 * file in 'DIR'". */
GS_MUST_CHECK gs_code gs_spill_extent_open(gs_spill *s, gs_spill_extent *out,
                                           gs_status *st);
/* For a stream that fills it; `failure` has GS_STREAM_FAILURE_BYTES for the message and
 * is needed as long as the stream. */
gs_stream_target gs_spill_extent_target(const gs_spill *s, const gs_spill_extent *extent,
                                        char *failure);
void gs_spill_extent_close(gs_spill *s, gs_spill_extent *extent, uint64_t bytes);
/* Of an extent that is closed, from its byte `at` on: as many of `bytes` as there are,
 * *taken. As it must be for an extent that is direct. 0 or errno. */
GS_MUST_CHECK int gs_spill_extent_read(const gs_spill_extent *extent, uint64_t at,
                                       uint8_t *to, size_t bytes, size_t *taken);
/* An extent that was there before: completes what has an offset and a length. */
void gs_spill_extent_adopt(const gs_spill *s, gs_spill_extent *extent);
/* Everything that was written is on the disk when it returns. */
GS_MUST_CHECK gs_code gs_spill_sync(const gs_spill *s, gs_status *st);
/* Is there less free disk space than `bytes` in some folder? Giving space back early
 * slows the reads and writes beside it, so it is worth doing only then. */
bool gs_spill_is_space_short(const gs_spill *s, uint64_t bytes);
/* Are all its folders in memory (tmpfs)? */
bool gs_spill_is_in_memory(const gs_spill *s);
/* Bytes [from, to) of an extent are not needed any more: their disk space is given back,
 * where the file system can punch holes, by a thread of its own, since that may take as
 * long as the reading did. */
void gs_spill_drop(gs_spill *s, const gs_spill_extent *extent, uint64_t from,
                   uint64_t to);
/* The same for all of it. */
void gs_spill_extent_drop(gs_spill *s, const gs_spill_extent *extent);

/* A nameless file of the caller's own, in the next folder; the caller closes it. *folder
 * is which, for messages; NULL: nobody asks. */
GS_MUST_CHECK gs_code gs_spill_file_new(gs_spill *s, int *fd, const char **folder,
                                        gs_status *st);

const char *gs_spill_folder_name(const gs_spill *s, size_t folder);

#endif
