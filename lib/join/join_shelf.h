/* SPDX-License-Identifier: MIT */
/*
 * join_shelf: lines kept for a while, in the order in which they came, each with a key
 * or without. What the memory does not hold goes to a temporary file:
 *
 *      blocks   | 0: memory | 1: memory | 2: file | 3: file | 4: being filled |
 *
 * A line lies in one block. Blocks are read again as often as wanted, through readers.
 * One thread adds; then any number of readers, each of one thread. Blocks in memory come
 * from a store that all shelves of a join share, so that these together hold no more than
 * it allows, but for the block that each fills.
 */
#ifndef GS_LIB_JOIN_JOIN_SHELF_H
#define GS_LIB_JOIN_JOIN_SHELF_H

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "io/spill.h"
#include "lib/base/status.h"

typedef struct gs_join_store {
    gs_spill *spill; /* borrowed */
    size_t block_bytes;
    size_t memory_bytes;           /* that all shelves may have in whole blocks */
    atomic_size_t held_bytes;      /* of that */
    _Atomic uint64_t *spill_bytes; /* statistics; may be NULL */
} gs_join_store;

typedef struct gs_join_block {
    uint8_t *memory; /* NULL: it is in the file */
    size_t used, capacity;
    bool is_held;       /* the store counts it */
    int fd;             /* of the file, if it is there, */
    const char *folder; /* and where that is */
    uint64_t offset;
} gs_join_block;

/* Zeroed at first, but for the store. */
typedef struct gs_join_shelf {
    gs_join_store *store;
    gs_join_block *blocks;
    size_t block_count, block_capacity;
    uint8_t *spare;     /* memory of a block that was forgotten, of the usual size */
    int fd;             /* of the file; -1: none, once something was added */
    const char *folder; /* that it is in */
    bool has_file;
    bool is_sealed; /* the next line begins a block */
    uint64_t file_bytes;
    uint64_t line_count;
} gs_join_shelf;

typedef struct gs_join_kept {
    const uint8_t *key, *line;
    size_t key_bytes, line_bytes;
} gs_join_kept;

GS_MUST_CHECK gs_code gs_join_shelf_add(gs_join_shelf *shelf, const gs_join_kept *line,
                                        gs_status *st);
/* The next line begins a block. */
static inline void gs_join_shelf_seal(gs_join_shelf *shelf)
{
    shelf->is_sealed = true;
}
/* These blocks of another shelf become the last ones of this one, which has none of its
 * own; `lines` are in them. Those in a file stay there: `from` is released after `shelf`.
 */
GS_MUST_CHECK gs_code gs_join_shelf_take(gs_join_shelf *shelf, gs_join_shelf *from,
                                         size_t first, size_t count, uint64_t lines,
                                         gs_status *st);
/* Empties it; memory of usual size, and the file, stay for what comes next. */
void gs_join_shelf_forget(gs_join_shelf *shelf);
void gs_join_shelf_release(gs_join_shelf *shelf);

/* Is all of it in memory? */
static inline bool gs_join_shelf_is_near(const gs_join_shelf *shelf)
{
    return shelf->file_bytes == 0;
}

/* A place among the lines, and room for a block of the file. Zeroed at first. */
typedef struct gs_join_reader {
    size_t block, at;     /* the next line begins here */
    const uint8_t *bytes; /* of the block that was looked at last; NULL: none was */
    size_t bytes_block;
    size_t end; /* of these; 0: none */
    const gs_join_shelf *bytes_shelf;
    uint8_t *room;
    size_t capacity;
} gs_join_reader;

/* What stands before a key and its line. */
typedef struct gs_join_kept_head {
    uint32_t key_bytes, line_bytes;
} gs_join_kept_head;

/* To where the next line is, and has its block brought; *has_line is false behind the
 * last. */
GS_MUST_CHECK gs_code gs_join_reader_to_line(gs_join_reader *reader,
                                             const gs_join_shelf *shelf, bool *has_line,
                                             gs_status *st);

/* The next line, which stays until the reader or the shelf is used again, with bytes
 * behind it for copies to read (gs_copy_short); *has_line is false behind the last. */
GS_MUST_CHECK static inline gs_code gs_join_reader_next(gs_join_reader *r,
                                                        const gs_join_shelf *shelf,
                                                        gs_join_kept *line,
                                                        bool *has_line, gs_status *st)
{
    gs_join_kept_head head;
    *has_line = r->block == r->bytes_block && r->at < r->end && r->bytes_shelf == shelf;
    if (!*has_line) {
        *line = (gs_join_kept){0};
        GS_TRY(gs_join_reader_to_line(r, shelf, has_line, st));
        if (!*has_line)
            return GS_OK;
    }
    const uint8_t *const from = r->bytes + r->at;
    memcpy(&head, from, sizeof head);
    line->key = from + sizeof head;
    line->key_bytes = head.key_bytes;
    line->line = line->key + head.key_bytes;
    line->line_bytes = head.line_bytes;
    r->at += sizeof head + head.key_bytes + head.line_bytes;
    return GS_OK;
}

static inline void gs_join_reader_rewind(gs_join_reader *reader)
{
    reader->block = reader->at = 0;
}
/* What was read of a shelf is not good any more. */
static inline void gs_join_reader_forget(gs_join_reader *reader)
{
    gs_join_reader_rewind(reader);
    reader->bytes = NULL;
    reader->end = 0;
}
void gs_join_reader_release(gs_join_reader *reader);

#endif
