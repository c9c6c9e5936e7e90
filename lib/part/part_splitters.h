/* SPDX-License-Identifier: MIT */
/*
 * part_splitters: records that say where one part ends and the next begins, as
 * `gpusort sample --splitters' writes them: in order, and perhaps some of them again.
 *
 * Zeroed at first; read, then arrange once it is known where keys are; release.
 */
#ifndef GS_LIB_PART_PART_SPLITTERS_H
#define GS_LIB_PART_PART_SPLITTERS_H

#include "lib/sort/key/keys.h"

typedef struct gs_part_splitter {
    size_t at, bytes;               /* of the record in the text, without its end */
    size_t string_at, string_bytes; /* of what orders it, among the strings */
    uint64_t line;                  /* where it begins in the file, for messages */
} gs_part_splitter;

typedef struct gs_part_splitters {
    const char *name; /* of the file */
    uint8_t *text;    /* with GS_KEY_READ_SLACK bytes behind it */
    size_t text_bytes;
    gs_part_splitter *list;
    size_t count, capacity;
    uint8_t *strings;
    size_t strings_used, strings_capacity;
} gs_part_splitters;

/* All records of the file `name`, "-" for standard input; of the order form, eol,
 * delimiter and record_size are looked at. Keeps the name. Fails with GS_ERR_LIMIT if
 * they take more than bytes_max. */
GS_MUST_CHECK gs_code gs_part_splitters_read(gs_part_splitters *s, const char *name,
                                             const gs_order *order, size_t bytes_max,
                                             gs_status *st);
/* Their strings; fails if they are not in order. May be called again. */
GS_MUST_CHECK gs_code gs_part_splitters_arrange(gs_part_splitters *s,
                                                const gs_order *order, gs_status *st);
/* How two of them compare in the order: as memcmp says, or the other way round. */
int gs_part_splitters_compare(const gs_part_splitters *s, size_t a, size_t b,
                              bool is_backwards);
void gs_part_splitters_release(gs_part_splitters *s);

#endif
