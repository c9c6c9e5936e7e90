/* SPDX-License-Identifier: MIT */
/*
 * file_map: files that are in the page cache, or go there, seen where they are instead of
 * copied.
 *
 *      base          page           page                  copies_begin        map_bytes
 *      | file 0 ...... 0 | file 1 ..... 0 | 0 ............. | room for copies ..... |
 *
 * The files follow each other in one area of addresses, so that one offset names any byte
 * of any of them; behind them is memory of ours. At least GS_FILE_MAP_SLACK bytes may be
 * read past the end of a file. The files' pages are read only and count as ours once
 * looked at.
 *
 * Others may change a file meanwhile. Whoever reads it here must be safe whatever the
 * bytes are at each look, and must not take a second look for the first: what was counted
 * or measured is a bound for what comes after. That a file was changed, or has grown, is
 * an error that gs_file_map_check gives. When somebody shortens a file, its pages are
 * gone and the kernel sends SIGBUS: see io/map_names.h.
 */
#ifndef GS_IO_FILE_MAP_H
#define GS_IO_FILE_MAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/file_stamp.h"
#include "io/map_names.h"
#include "lib/base/status.h"

enum { GS_FILE_MAP_FILES_MAX = 64, GS_FILE_MAP_SLACK = 4096 };

typedef struct gs_mapped_file {
    int fd;        /* the map's from now on */
    uint64_t from; /* so many bytes of the file are left out */
    size_t begin, bytes;
    size_t input_index;
    bool is_cached;      /* its pages are in the page cache */
    gs_file_stamp stamp; /* when it was opened */
    gs_map_name *name;   /* the map's own */
} gs_mapped_file;

typedef struct gs_file_map {
    uint8_t *base; /* NULL: nothing is mapped */
    size_t map_bytes, copies_begin;
    gs_mapped_file files[GS_FILE_MAP_FILES_MAX];
    size_t file_count;
    _Atomic uint64_t *taken_bytes; /* who gives out the bytes adds to it; may be NULL */
} gs_file_map;

/* Maps `files`, of which all but begin and name is set, with room for `copy_bytes`
 * behind them. False, and the files are still the caller's, if the system refuses.
 * With `small_pages` a look at a byte makes few pages around it ours; else it may be a
 * large one, which counts whole. `names` are by input_index. */
bool gs_file_map_open(gs_file_map *map, const gs_mapped_file *files, size_t file_count,
                      size_t copy_bytes, bool small_pages, const char *const *names);
/* Closes the files; a zeroed map is fine. */
void gs_file_map_close(gs_file_map *map);

/* Of all its files. */
size_t gs_file_map_text_bytes(const gs_file_map *map);

/* Copies `bytes` of a file from `at` on to `to`: a few bytes here and there cost a tenth
 * of what they cost in the map, where a look makes all pages around them ours. Returns
 * how many there were: fewer if the file ends, or cannot be read. */
size_t gs_file_map_read(const gs_mapped_file *file, size_t at, void *to, size_t bytes);

/* Has a part of a file read into the page cache, and does not wait for it. */
void gs_file_map_ask(const uint8_t *data, size_t bytes);
/* Asks for the pages of a part at once: faster than one by one. */
void gs_file_map_bring(const uint8_t *data, size_t bytes);
/* Pages of the files count as ours no more, until they are looked at again: the part-th
 * of `parts` of them. */
void gs_file_map_leave(const gs_file_map *map, unsigned part, unsigned parts);
/* The same for the pages that lie within a part. */
void gs_file_map_leave_part(const uint8_t *data, size_t bytes);
/* And for some before it, not before `begin`: a fault brings pages all around. */
void gs_file_map_leave_around(const uint8_t *begin, const uint8_t *data, size_t bytes);

/* Fails with "read failed: NAME: ..." if a file was changed since, or has grown. */
GS_MUST_CHECK gs_code gs_file_map_check(const gs_file_map *map, gs_status *st);

#endif
