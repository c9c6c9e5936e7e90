/* SPDX-License-Identifier: MIT */
/*
 * journal: a file of records that outlives the program, appended to and read from the
 * beginning.
 *
 *      | "gpusort journal" 0 | head | payload | head | payload | head | pay.. torn
 *
 *      head    kind u32 | 0 u32 | payload bytes u64 | checksum u64
 *
 * The checksum (XXH3) is of the head before it and of the payload, seeded with that of
 * the record before: a record counts only where it was written, behind those that it was
 * written behind. A record whose checksum does not agree ends the journal: a power cut
 * left it so, or it was damaged. Callers must therefore be safe when the last records are
 * missing.
 *
 * A record is on the disk when append returns. The file is locked while it is open.
 * One thread.
 */
#ifndef GS_IO_JOURNAL_H
#define GS_IO_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

typedef struct gs_journal gs_journal;

typedef struct gs_journal_record {
    uint32_t kind;
    const uint8_t *payload; /* valid until the next call */
    size_t bytes;
} gs_journal_record;

/* Opens the journal at `path`, or makes an empty one. Fails if another process has it
 * open, or if the file is something else. */
GS_MUST_CHECK gs_code gs_journal_open(gs_journal **out, const char *path, gs_status *st);
/* The file stays. NULL is fine. */
void gs_journal_close(gs_journal *j);

/* The next of the records that are there; *has_record is false behind the last sound one.
 * All are read before the first append. */
GS_MUST_CHECK gs_code gs_journal_next(gs_journal *j, gs_journal_record *record,
                                      bool *has_record, gs_status *st);
/* Bytes behind the last sound record, which the next append writes over. */
uint64_t gs_journal_torn_bytes(const gs_journal *j);
/* Whose file it is. */
uint32_t gs_journal_owner(const gs_journal *j);
/* Where the last record that was read begins, for messages. */
uint64_t gs_journal_offset(const gs_journal *j);

/* Forgets all records, on the disk with the next append. */
void gs_journal_reset(gs_journal *j);
GS_MUST_CHECK gs_code gs_journal_append(gs_journal *j, uint32_t kind, const void *payload,
                                        size_t bytes, gs_status *st);

#endif
