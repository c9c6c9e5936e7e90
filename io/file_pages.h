/* SPDX-License-Identifier: MIT */
/*
 * file_pages: a file in memory (tmpfs) that is written by filling its pages.
 *
 * write() to such a file is one thread at a time, whoever calls, since the kernel locks
 * the file; its pages can be filled by as many as there are. The file is mapped in long
 * stretches, and what is filled is dropped from this process's memory in units:
 *
 *      file     | stretch, all dropped | stretch ............... |
 *      mapped                          | dropped | unit | unit | |
 *
 * get takes the pages of what will be filled, so that a disk that is too full is an error
 * there, and never a signal later on. The file grows with what is asked for. No more than
 * some threads take pages at once, however many fill them. What only the kernel fills,
 * since it is read() there, may be placed without its pages.
 *
 * Any number of threads; each byte is got before it is filled, and its unit dropped once,
 * when all of it is full. Functions return 0 or errno.
 *
 * Where cores have nothing to do before the content is there, they may take pages ahead:
 *
 *      file     | filled ....... | taken .............. | being taken | | |
 *                                                       ahead          ahead_end
 */
#ifndef GS_IO_FILE_PAGES_H
#define GS_IO_FILE_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/file_space.h"
#include "lib/base/status.h"

typedef struct gs_file_pages gs_file_pages;

/* Can this file be written so? It must be on tmpfs, and be open to be read and written.
 */
bool gs_file_pages_fit(int fd);

/* Of `fd`, from `begin` on, which offsets and lengths count from; both it and
 * `unit_bytes` are multiples of 4096. Borrows fd, and `space`, or NULL: what is being
 * taken of the file, until the first get. */
GS_MUST_CHECK gs_code gs_file_pages_new(gs_file_pages **out, int fd, uint64_t begin,
                                        size_t unit_bytes, gs_file_space *space,
                                        gs_status *st);
void gs_file_pages_free(gs_file_pages *p); /* NULL is fine */

/* *memory is where the file's byte `offset` is: `bytes` from there on, which are in one
 * unit, may be filled. The file gets to have `file_bytes` at least, which is beyond them.
 */
GS_MUST_CHECK int gs_file_pages_get(gs_file_pages *p, uint64_t offset, size_t bytes,
                                    uint64_t file_bytes, uint8_t **memory);
/* The same without taking pages: a read() to there takes them, and says EFAULT where it
 * may not; then get says why. */
GS_MUST_CHECK int gs_file_pages_place(gs_file_pages *p, uint64_t offset, size_t bytes,
                                      uint64_t file_bytes, uint8_t **memory);
/* The file is going to have about so many bytes: threads take its pages meanwhile, until
 * somebody fills what they have not come to. What they may not take whoever fills it
 * hears of. Once, before the others are called. */
void gs_file_pages_take_ahead(gs_file_pages *p, uint64_t bytes);
/* The unit at `offset` is full. */
void gs_file_pages_drop(gs_file_pages *p, uint64_t offset);
/* All is filled: the file has this length, if it got to have more. */
GS_MUST_CHECK int gs_file_pages_end(gs_file_pages *p, uint64_t file_bytes);

#endif
