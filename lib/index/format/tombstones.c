/* SPDX-License-Identifier: MIT */
#include "lib/index/format/tombstones.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "io/file_sync.h"
#include "io/write_all.h"
#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"

static uint64_t count_lines(uint64_t documents)
{
    return (documents + GS_TOMBSTONE_DOCS - 1) / GS_TOMBSTONE_DOCS;
}

static unsigned count_bits(uint64_t word)
{
    return (unsigned)__builtin_popcountll(word);
}

/* --- a file ------------------------------------------------------------------------ */

static uint64_t checksum_of(const gs_tombstone_head *head, const gs_tombstone_line *lines,
                            uint64_t count)
{
    return XXH3_64bits_withSeed(lines, count * sizeof *lines,
                                XXH3_64bits(head, sizeof *head));
}

uint64_t gs_tombstones_sum(const gs_tombstones *t)
{
    return checksum_of(&t->head, t->lines, count_lines(t->head.documents));
}

/* Do the counts agree, and is no document deleted that is not there? */
static bool adds_up(const gs_tombstones *t, uint64_t lines)
{
    uint64_t deleted = 0, last = UINT64_MAX;
    for (uint64_t i = 0; i < lines; i++) {
        if (t->lines[i].before != deleted)
            return false;
        for (unsigned k = 0; k < GS_TOMBSTONE_WORDS; k++) {
            const uint64_t word = t->lines[i].bits[k];
            deleted += count_bits(word);
            if (word != 0)
                last =
                    i * GS_TOMBSTONE_DOCS + k * 64 + 63 - (uint64_t)__builtin_clzll(word);
        }
    }
    return deleted == t->head.deleted && (deleted == 0 || last < t->head.documents);
}

static bool is_good(const gs_tombstones *t, uint64_t documents, uint64_t checksum)
{
    const uint64_t lines = count_lines(documents);
    return memcmp(t->head.magic, GS_TOMBSTONES_MAGIC, sizeof t->head.magic) == 0 &&
           t->head.documents == documents &&
           t->bytes == sizeof t->head + lines * sizeof *t->lines &&
           checksum_of(&t->head, t->lines, lines) == checksum && adds_up(t, lines);
}

static gs_code read_file(gs_tombstones *t, int fd, const char *path, gs_status *st)
{
    struct stat info;
    if (fstat(fd, &info) != 0)
        return GS_FAIL(st, GS_ERR_IO, errno, "cannot read: %s", path);
    if (info.st_size < (off_t)sizeof t->head)
        return GS_OK;
    /* A copy, since others may write to the file: what was checked is what is used. */
    t->bytes = (size_t)info.st_size;
    GS_TRY(gs_mem_map(&t->file, t->bytes, false, "deleted documents", st));
    size_t taken = 0;
    const int error = gs_pread_all(fd, t->file, t->bytes, 0, &taken);
    if (error != 0)
        return GS_FAIL(st, GS_ERR_IO, error, "read failed: %s", path);
    memcpy(&t->head, t->file, sizeof t->head);
    t->lines = (const gs_tombstone_line *)(const void *)(t->file + sizeof t->head);
    return GS_OK;
}

gs_code gs_tombstones_open(gs_tombstones *t, const char *path, uint64_t documents,
                           uint64_t checksum, gs_status *st)
{
    gs_quoted q;
    *t = (gs_tombstones){0};
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return GS_FAIL(st, errno == ENOENT ? GS_ERR_FORMAT : GS_ERR_IO, errno,
                       "cannot read: %s", path);
    GS_NOTED(read_file(t, fd, path, st));
    (void)close(fd);
    if (st->code == GS_OK && (t->lines == NULL || !is_good(t, documents, checksum))) {
        (void)GS_FAIL(st, GS_ERR_FORMAT, 0,
                      "%s is damaged: not the deletions that the "
                      "manifest names",
                      gs_quote_name(&q, path));
        (void)gs_status_hint(st, "build the index again, or restore it from a copy");
    }
    if (st->code != GS_OK)
        gs_tombstones_close(t);
    return st->code;
}

void gs_tombstones_close(gs_tombstones *t)
{
    gs_mem_unmap(t->file, t->bytes);
    gs_mem_unmap(t->own, t->bytes);
    *t = (gs_tombstones){0};
}

/* --- making one -------------------------------------------------------------------- */

gs_code gs_tombstones_make(gs_tombstones *t, const gs_tombstones *from,
                           uint64_t documents, gs_status *st)
{
    size_t bytes = 0;
    *t = (gs_tombstones){.head = {.magic = GS_TOMBSTONES_MAGIC, .documents = documents}};
    GS_TRY(gs_mem_size_mul(&bytes, (size_t)count_lines(documents), sizeof *t->lines, st));
    GS_TRY(gs_mem_map(&t->own, bytes > 0 ? bytes : sizeof *t->own, false,
                      "deleted documents", st));
    t->bytes = bytes > 0 ? bytes : sizeof *t->own;
    t->lines = t->own;
    if (from->lines != NULL) {
        gs_assert(from->head.documents == documents);
        memcpy(t->own, from->lines, bytes);
        t->head = from->head;
    }
    return GS_OK;
}

bool gs_tombstones_add(gs_tombstones *t, uint64_t doc, uint32_t length)
{
    gs_assert(doc < t->head.documents);
    const uint64_t bit = doc % GS_TOMBSTONE_DOCS;
    if (gs_tombstones_has(t, doc))
        return false;
    t->own[doc / GS_TOMBSTONE_DOCS].bits[bit / 64] |= UINT64_C(1) << bit % 64;
    t->head.deleted++;
    t->head.length_sum += length;
    return true;
}

static int write_open(const gs_tombstones *t, int fd, uint64_t lines)
{
    int error = gs_write_all(fd, &t->head, sizeof t->head);
    if (error == 0)
        error = gs_write_all(fd, t->lines, lines * sizeof *t->lines);
    return error == 0 ? gs_file_sync(fd) : error;
}

gs_code gs_tombstones_write(gs_tombstones *t, const char *path, uint64_t *checksum,
                            gs_status *st)
{
    const uint64_t lines = count_lines(t->head.documents);
    uint64_t before = 0;
    for (uint64_t i = 0; i < lines; i++) {
        t->own[i].before = before;
        for (unsigned k = 0; k < GS_TOMBSTONE_WORDS; k++)
            before += count_bits(t->own[i].bits[k]);
    }
    gs_assert(before == t->head.deleted);
    *checksum = checksum_of(&t->head, t->lines, lines);
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    int error = fd < 0 ? errno : write_open(t, fd, lines);
    if (fd >= 0 && close(fd) != 0 && error == 0)
        error = errno;
    if (error == 0)
        return GS_OK;
    if (fd >= 0)
        (void)unlink(path);
    return GS_FAIL(st, GS_ERR_IO, error, "write failed: %s", path);
}

/* --- asking ------------------------------------------------------------------------ */

uint64_t gs_tombstones_before(const gs_tombstones *t, uint64_t doc)
{
    if (t->lines == NULL)
        return 0;
    const gs_tombstone_line *const line = &t->lines[doc / GS_TOMBSTONE_DOCS];
    const uint64_t bit = doc % GS_TOMBSTONE_DOCS;
    uint64_t count = line->before;
    for (uint64_t k = 0; k < bit / 64; k++)
        count += count_bits(line->bits[k]);
    return count + count_bits(line->bits[bit / 64] & ((UINT64_C(1) << bit % 64) - 1));
}

/* The place of the n-th bit that is not set. */
static unsigned clear_bit(uint64_t word, uint64_t n)
{
    for (word = ~word; n > 0; n--)
        word &= word - 1;
    return (unsigned)__builtin_ctzll(word);
}

uint64_t gs_tombstones_left(const gs_tombstones *t, uint64_t number)
{
    if (t->lines == NULL)
        return number;
    gs_assert(number < t->head.documents - t->head.deleted);
    uint64_t first = 0;
    for (uint64_t n = count_lines(t->head.documents); n > 1;) {
        const uint64_t half = n / 2, at = first + half;
        const bool is_behind = at * GS_TOMBSTONE_DOCS - t->lines[at].before <= number;
        first = is_behind ? at : first;
        n = is_behind ? n - half : half;
    }
    const gs_tombstone_line *const line = &t->lines[first];
    number -= first * GS_TOMBSTONE_DOCS - line->before;
    for (unsigned k = 0;; k++) {
        const uint64_t left = 64 - count_bits(line->bits[k]);
        gs_assert(k < GS_TOMBSTONE_WORDS);
        if (number < left)
            return first * GS_TOMBSTONE_DOCS + k * 64 + clear_bit(line->bits[k], number);
        number -= left;
    }
}

uint64_t gs_tombstones_next(const gs_tombstones *t, uint64_t doc)
{
    const uint64_t lines = t->lines != NULL ? count_lines(t->head.documents) : 0;
    uint64_t at = doc / GS_TOMBSTONE_DOCS, k = doc % GS_TOMBSTONE_DOCS / 64;
    if (at >= lines)
        return UINT64_MAX;
    uint64_t word = t->lines[at].bits[k] >> doc % GS_TOMBSTONE_DOCS % 64
                                                << doc % GS_TOMBSTONE_DOCS % 64;
    while (word == 0) {
        if (++k == GS_TOMBSTONE_WORDS) {
            k = 0;
            if (++at == lines)
                return UINT64_MAX;
        }
        word = t->lines[at].bits[k];
    }
    return at * GS_TOMBSTONE_DOCS + k * 64 + (uint64_t)__builtin_ctzll(word);
}
