/* SPDX-License-Identifier: MIT */
/*
 * index_reader: an index folder, mapped.
 *
 * Nothing is loaded whole and nothing is believed: every offset and length is checked
 * against the file before it is used, so a damaged or hostile index gives GS_ERR_FORMAT
 * and never a crash. And no byte is used before its page was compared with its sum
 * (lib/index/read/page_checks.h), so neither is there a wrong answer where a disk has
 * changed a bit. An open index is read-only and may be used by any number of threads.
 *
 * Others may write to the files meanwhile. So what was checked is what is used: a number
 * that is read from a file is read once (gs_index_once). And a result is good only if the
 * index was not changed up to then: callers ask gs_index_check_unchanged before they hand
 * results on. A file that is shortened is SIGBUS (io/map_names.h).
 */
#ifndef GS_LIB_INDEX_READ_INDEX_READER_H
#define GS_LIB_INDEX_READ_INDEX_READER_H

#include "lib/index/format/formats.h"
#include "lib/index/read/page_checks.h"

typedef struct gs_index gs_index;

/* GS_ERR_FORMAT: what is there is no index, or not all of one. A file that could not
 * be looked at gives another code. */
GS_MUST_CHECK gs_code gs_index_open(gs_index **out, const char *folder, gs_status *st);
void gs_index_close(gs_index *index); /* NULL is fine */

const gs_index_header *gs_index_header_of(const gs_index *index);
/* What a document is called outside, where its number in the index is `doc`. */
static inline uint64_t gs_index_doc_id(const gs_index *index, uint64_t doc)
{
    return gs_index_header_of(index)->doc_base + doc;
}
/* The head of `documents`, as it was checked. */
const gs_index_head *gs_index_documents_head(const gs_index *index);
const char *gs_index_folder_of(const gs_index *index);

/* Fails with "read failed: FILE: it was changed while it was read" if a file was written
 * to since the index was opened. A file that is replaced by another is not changed: the
 * one that was opened stays as it is. Any thread. */
GS_MUST_CHECK gs_code gs_index_check_unchanged(const gs_index *index, gs_status *st);

/* Where what can be asked of a file ends: 0 of one that the index does not have. */
uint64_t gs_index_end(const gs_index *index, gs_index_file file);
/* Where bytes of a file lie: offset and length as somebody claims. What they are must be
 * checked before they are used. */
GS_MUST_CHECK gs_code gs_index_place(const gs_index *index, gs_index_file file,
                                     uint64_t offset, uint64_t bytes, const uint8_t **out,
                                     gs_status *st);
/* The same, and their pages hold. */
GS_MUST_CHECK gs_code gs_index_bytes(const gs_index *index, gs_index_file file,
                                     uint64_t offset, uint64_t bytes, const uint8_t **out,
                                     gs_status *st);
/* The pages of a file, for callers that look at many places. */
const gs_page_checks *gs_index_pages(const gs_index *index, gs_index_file file);
/* Whether the pages hold that these bytes, which lie in the file, are in; of no bytes,
 * they do. */
GS_MUST_CHECK gs_code gs_index_compare_pages(const gs_index *index, gs_index_file file,
                                             const uint8_t *begin, const uint8_t *end,
                                             gs_status *st);
/* "DIR: FILE is damaged: what", or that it was changed. */
gs_code gs_index_damaged(const gs_index *index, gs_index_file file, const char *what,
                         gs_status *st);

/* Compares a file, or every file, with its checksum; its pages need not be compared then.
 * Leaves none of it in the process's memory. */
GS_MUST_CHECK gs_code gs_index_check_sum(const gs_index *index, gs_index_file file,
                                         gs_status *st);
GS_MUST_CHECK gs_code gs_index_check_sums(const gs_index *index, gs_status *st);
/* Compares every page with its sum, also those that need not be. */
GS_MUST_CHECK gs_code gs_index_check_page_sums(const gs_index *index, gs_status *st);

/* What has been read and is not wanted soon: its whole pages stop counting as memory
 * of this process. They come back from the file when any thread touches them. */
void gs_index_let_go(const uint8_t *begin, const uint8_t *end);
/* The same with all of a file. */
void gs_index_let_file_go(const gs_index *index, gs_index_file file);
/* Who goes through a file passes `at`: pages from *held on are let go when they are many,
 * and *held is then what comes next. Before, *held is NULL; who begins again somewhere
 * before it, begins there. */
static inline void gs_index_pass(const uint8_t **held, const uint8_t *at)
{
    enum { HELD_BYTES = 1 << 20 };
    if (*held == NULL || at < *held)
        *held = at;
    if (at - *held < HELD_BYTES)
        return;
    gs_index_let_go(*held, at);
    *held = at;
}

/* gs_index_compare_pages for callers that have the pages at hand, which are mostly known
 * to be good.
 */
GS_MUST_CHECK static inline gs_code
gs_index_check_pages(const gs_index *index, gs_index_file file,
                     const gs_page_checks *pages, const uint8_t *begin,
                     const uint8_t *end, gs_status *st)
{
    if (begin < end && gs_page_checks_know(pages, (uint64_t)(begin - pages->data),
                                           (uint64_t)(end - begin)))
        return GS_OK;
    return gs_index_compare_pages(index, file, begin, end, st);
}

/* A number that was read from a file. The compiler may not read it again, which could
 * give another one. */
static inline uint64_t gs_index_once(uint64_t x)
{
    __asm__("" : "+r"(x));
    return x;
}

/* A varint before `end`; false if there is none of at most 64 bits. */
static inline bool gs_varint_read(const uint8_t **p, const uint8_t *end, uint64_t *x)
{
    uint64_t value = 0;
    for (unsigned shift = 0; *p < end && shift < 64; shift += 7) {
        const uint64_t byte = gs_index_once(*(*p)++);
        value |= (byte & 0x7f) << shift;
        if ((byte & 0x80) == 0) {
            *x = value;
            return shift < 63 || byte <= 1;
        }
    }
    return false;
}

#endif
