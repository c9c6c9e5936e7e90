/* SPDX-License-Identifier: MIT */
/*
 * input: a list of files, read in order as one sequence of blocks.
 *
 * Regular files that are large and not in the page cache are read by io_uring with
 * several blocks in flight, past the cache (O_DIRECT) where the file system allows it;
 * others by pread, large ones by several threads if the caller wants that. Pipes,
 * terminals and odd files take plain reads. zstd and gzip files are recognised by their
 * first bytes and decoded by threads of their own, several files at once: the order of
 * the blocks stays, or, if the caller does not need it, the files' blocks come
 * interleaved and decoding never waits. "-" is standard input.
 *
 * Call order: new, next* (one thread at a time), free. Files are opened when their
 * turn (or their read-ahead) comes.
 *
 * Failures: GS_ERR_IO with "cannot read: NAME" (open) or "read failed: NAME" (read);
 * GS_ERR_FORMAT with "NAME: ..., at compressed byte N" for damaged or cut-off data;
 * GS_ERR_CANCELLED where a pipe, a terminal or a FIFO without a writer was waited for.
 */
#ifndef GS_IO_INPUT_H
#define GS_IO_INPUT_H

#include "io/block.h"
#include "io/file_map.h"
#include "io/input_copy.h"
#include "io/input_head.h"
#include "lib/base/log.h"
#include "lib/base/trace.h"

typedef struct gs_input gs_input;

enum { GS_INPUT_FILES_MAX = 32 };

/* Files of fewer bytes together are not worth a map. Builds that are for testing map all.
 */
#ifndef GS_INPUT_MAP_MIN
#define GS_INPUT_MAP_MIN ((uint64_t)1 << 20)
#endif

typedef struct gs_input_options {
    gs_block_pool *pool;       /* borrowed until free() */
    unsigned blocks_in_flight; /* at most; at least 1 */
    unsigned decode_threads;   /* compressed files decoded at once, at least 1 */
    size_t decode_bytes_max;   /* memory for decoding more than one at once */
    bool any_order;            /* blocks of up to GS_INPUT_FILES_MAX files interleaved */
    bool keep_compressed;      /* give compressed files as they are */
    /* Of the only file, which is regular and plain, just bytes `from` to `to`. */
    bool has_range;
    uint64_t from, to;
    bool no_uring;           /* as if the kernel had none */
    unsigned cached_readers; /* large files in the page cache are read by so many threads
                                side by side: where one core cannot copy as fast as
                                others take; 0: when a block is asked for */
    bool maps_uncached;      /* by gs_input_map: who looks at them asks ahead */
    bool maps_small_pages;   /* see gs_file_map_open */
    size_t map_bytes_max;    /* of what gs_input_map makes; 0: any */
    const gs_input_head *head; /* what was looked at before; NULL: nothing */
    gs_input_copy *copy; /* has what an input before this one read of pipes, and keeps
                            what this one does; NULL: nothing. Not with a head */
    const gs_log *log;   /* may be NULL */
    gs_trace *trace;     /* lane GS_LANE_READ; may be NULL */
    _Atomic uint64_t *bytes_read; /* as stored; added to; may be NULL */
    const volatile int *cancel;   /* not 0: who waits for a pipe stops; may be NULL */
} gs_input_options;

/* Borrows the names until free(). */
GS_MUST_CHECK gs_code gs_input_new(gs_input **out, const char *const *names,
                                   size_t name_count, const gs_input_options *options,
                                   gs_status *st);

/* Waits for the beginning of the only input if its size is not known, as that of a pipe:
 * a block, or all of it, which is then sized. Nothing for other inputs. Before the first
 * next. */
GS_MUST_CHECK gs_code gs_input_begin(gs_input *in, gs_status *st);

/* Begins with byte `offset` of file `index`, unpacked if it is compressed, as if what
 * comes before had been read. In order, and before anything else is asked for. */
void gs_input_skip_to(gs_input *in, size_t index, uint64_t offset);

/* The next block of the sequence, now the caller's, who releases it; NULL after the
 * last. Those of one file come in order, and every file ends with a block that has
 * ends_input set (an empty one if need be), so that the caller sees where a file without
 * a final newline stops. After a failure all that is given is that failure. */
GS_MUST_CHECK gs_code gs_input_next(gs_input *in, gs_block **out, gs_status *st);

/* The records of the open file end with `eol`: if it is one that cached_readers read, who
 * takes its blocks reads them from now on (io/late_read.h), each up to the last `eol` in
 * so many bytes, or one record of at most record_bytes_max. A block without an end of a
 * record, and the last one, come with their content. After a next. */
GS_MUST_CHECK gs_code gs_input_read_late(gs_input *in, uint8_t eol,
                                         size_t record_bytes_max, gs_status *st);

/* Instead of reading: if every file is regular, plain, in the page cache and not what
 * `output_fd` (-1: none) writes to, and they are neither small nor too large, maps them
 * all, with room for `copy_bytes` behind them, and gs_input_next has nothing more to
 * give. False if they have to be read. Before the first next. */
bool gs_input_map(gs_input *in, int output_fd, size_t copy_bytes, gs_file_map *map);

/* Sum of the sizes of the regular files in the list, as stored, or of what begin found to
 * be all; 0 if none is. */
uint64_t gs_input_size_hint(const gs_input *in);
/* True if the hint is all there is: every file is regular, or begin found the end. */
bool gs_input_is_sized(const gs_input *in);
/* True if it is known that so little comes that it is not worth a second thread. */
bool gs_input_is_small(const gs_input *in);
/* Bytes taken from the files so far, as stored. Any thread. */
uint64_t gs_input_bytes_read(const gs_input *in);
/* True if at least one file so far was compressed. */
bool gs_input_saw_compressed(const gs_input *in);

/* Cancels what is in flight. NULL is fine. */
void gs_input_free(gs_input *in);

#endif
