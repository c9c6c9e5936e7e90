/* SPDX-License-Identifier: MIT */
#include "lib/index/read/index_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "io/file_stamp.h"
#include "io/map_names.h"
#include "lib/base/assertion.h"
#include "lib/base/machine.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"
#include "lib/index/folder/folders.h"
#include "lib/index/read/index_state.h"

enum { PATH_BYTES = 4400 };

/* For clocks of file systems that have whole seconds only. */
enum { STAMP_WAIT_MS = 2500, FILES_SPARE = 64 };

enum { PASSED_PAGES = 1024 };

static void path_of(const gs_index *index, gs_index_file file, char path[PATH_BYTES])
{
    (void)snprintf(path, PATH_BYTES, "%s/%s", index->folder, gs_index_file_names[file]);
}

/* If not, errno says why it cannot be looked at, or is 0. */
static bool is_unchanged(const gs_index *index, gs_index_file file)
{
    char path[PATH_BYTES];
    if (index->fds[file] >= 0)
        return gs_file_stamp_is_same(&index->stamps[file], index->fds[file]);
    path_of(index, file, path);
    errno = 0;
    return gs_file_stamp_is_same_at(&index->stamps[file], path);
}

gs_code gs_index_check_unchanged(const gs_index *index, gs_status *st)
{
    for (int i = 0; i < GS_INDEX_FILE_COUNT; i++) {
        if (index->files[i] != NULL && !is_unchanged(index, (gs_index_file)i))
            return gs_map_name_fail(index->files[i], errno, st);
    }
    return GS_OK;
}

gs_code gs_index_damaged(const gs_index *index, gs_index_file file, const char *what,
                         gs_status *st)
{
    gs_quoted q;
    GS_TRY(gs_index_check_unchanged(index, st));
    (void)GS_FAIL(st, GS_ERR_FORMAT, 0, "%s: %s is damaged: %s",
                  gs_quote_name(&q, index->folder), gs_index_file_names[file], what);
    return gs_status_hint(st, "build the index again, or restore it from a copy");
}

/* Maps the open file; it is the index's if that went well. */
static gs_code map_open_file(gs_index *index, gs_index_file file, int fd,
                             const char *path, gs_status *st)
{
    gs_file_stamp *const stamp = &index->stamps[file];
    if (!gs_file_stamp_take(stamp, fd, STAMP_WAIT_MS))
        return errno == EBUSY ? GS_FAIL(st, GS_ERR_IO, 0,
                                        "cannot read: %s: it is being written to", path)
                              : GS_FAIL(st, GS_ERR_IO, errno, "cannot read: %s", path);
    if (stamp->bytes != index->header.file_bytes[file] || stamp->bytes < GS_INDEX_SLACK)
        return gs_index_damaged(index, file, "its size is not what the header says", st);
    const size_t bytes = (size_t)stamp->bytes;
    void *const memory = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED)
        return GS_FAIL(st, GS_ERR_NOMEM, errno, "cannot map %s", path);
    if (gs_map_name_new(&index->names[file], memory, bytes, path, st) != GS_OK) {
        (void)munmap(memory, bytes);
        return st->code;
    }
    index->files[file] = memory;
    index->bytes[file] = bytes;
    index->fds[file] = fd;
    /* Kept open to see that it does not change, unless many indexes are merged with few
     * files: then its name has to do. */
    if (gs_machine_files_are_short(fd, FILES_SPARE)) {
        (void)close(fd);
        index->fds[file] = -1;
    }
    return GS_OK;
}

static gs_code map_file(gs_index *index, gs_index_file file, gs_status *st)
{
    char path[PATH_BYTES];
    path_of(index, file, path);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        const int error = errno;
        if (error == ENOENT)
            return gs_index_damaged(index, file, "it is missing", st);
        (void)GS_FAIL(st, GS_ERR_IO, error, "cannot read: %s", path);
        return error == EMFILE ? gs_status_hint(st, "merge fewer indexes at a time, or "
                                                    "raise the limit on open files")
                               : st->code;
    }
    if (map_open_file(index, file, fd, path, st) != GS_OK)
        (void)close(fd);
    return st->code;
}

/* Each file's sums lie behind those of the files before. */
static gs_code open_pages(gs_index *index, gs_status *st)
{
    uint64_t all = 0;
    for (int i = 0; i < GS_INDEX_SUMS; i++)
        all += gs_sum_pages(index->bytes[i]);
    if (index->bytes[GS_INDEX_SUMS] != all * sizeof(uint32_t) + GS_INDEX_SLACK)
        return gs_index_damaged(index, GS_INDEX_SUMS,
                                "it does not have a sum for each page", st);
    /* Aligned: the map is. */
    const uint32_t *sums = (const uint32_t *)(const void *)index->files[GS_INDEX_SUMS];
    for (int i = 0; i < GS_INDEX_SUMS; i++) {
        GS_TRY(gs_page_checks_open(&index->pages[i], index->files[i], index->bytes[i],
                                   sums, st));
        sums += gs_sum_pages(index->bytes[i]);
    }
    return GS_OK;
}

static gs_code damaged_page(const gs_index *index, gs_index_file file, uint64_t page,
                            gs_status *st)
{
    char what[96];
    /* Perhaps it is the sum that is not what it was. */
    GS_TRY(gs_index_check_sum(index, GS_INDEX_SUMS, st));
    (void)snprintf(what, sizeof what,
                   "the checksum of the page at byte %" PRIu64 " does not match",
                   page * GS_SUM_PAGE_BYTES);
    return gs_index_damaged(index, file, what, st);
}

gs_code gs_index_compare_pages(const gs_index *index, gs_index_file file,
                               const uint8_t *begin, const uint8_t *end, gs_status *st)
{
    const gs_page_checks *const pages = &index->pages[file];
    if (begin == end)
        return GS_OK;
    const uint64_t bad = gs_page_checks_find_bad(pages, (uint64_t)(begin - pages->data),
                                                 (uint64_t)(end - begin));
    return bad == UINT64_MAX ? GS_OK : damaged_page(index, file, bad, st);
}

const gs_page_checks *gs_index_pages(const gs_index *index, gs_index_file file)
{
    return &index->pages[file];
}

gs_code gs_index_bytes(const gs_index *index, gs_index_file file, uint64_t offset,
                       uint64_t bytes, const uint8_t **out, gs_status *st)
{
    GS_TRY(gs_index_place(index, file, offset, bytes, out, st));
    return gs_index_check_pages(index, file, &index->pages[file], *out, *out + bytes, st);
}

uint64_t gs_index_end(const gs_index *index, gs_index_file file)
{
    return index->files[file] == NULL ? 0 : index->bytes[file] - GS_INDEX_SLACK;
}

gs_code gs_index_place(const gs_index *index, gs_index_file file, uint64_t offset,
                       uint64_t bytes, const uint8_t **out, gs_status *st)
{
    const uint64_t all = index->bytes[file] - GS_INDEX_SLACK;
    if (index->files[file] == NULL || offset > all || bytes > all - offset)
        return gs_index_damaged(index, file, "something lies beyond its end", st);
    *out = index->files[file] + offset;
    return GS_OK;
}

static gs_code read_head(const gs_index *index, gs_index_file file, const char *magic,
                         gs_index_head *head, gs_status *st)
{
    const uint8_t *data = NULL;
    GS_TRY(gs_index_bytes(index, file, 0, sizeof *head, &data, st));
    memcpy(head, data, sizeof *head);
    if (memcmp(head->magic, magic, sizeof head->magic) != 0)
        return gs_index_damaged(index, file, "it begins with something else", st);
    if (head->table % sizeof(uint64_t) != 0 || head->offsets % sizeof(uint64_t) != 0)
        return gs_index_damaged(index, file, "its tables are out of place", st);
    return GS_OK;
}

static gs_code read_texts_head(gs_index *index, gs_status *st)
{
    const uint8_t *ignored;
    gs_index_head *const t = &index->texts;
    GS_TRY(read_head(index, GS_INDEX_TEXTS, GS_INDEX_TEXTS_MAGIC, t, st));
    if (t->count != index->header.documents || !index->header.has_names ||
        t->blocks >= index->bytes[GS_INDEX_TEXTS] / sizeof(gs_text_entry) ||
        t->table < t->offsets)
        return gs_index_damaged(index, GS_INDEX_TEXTS, "its counts do not agree", st);
    return gs_index_place(index, GS_INDEX_TEXTS, t->table,
                          (t->blocks + 1) * sizeof(gs_text_entry), &ignored, st);
}

static gs_code read_heads(gs_index *index, gs_status *st)
{
    const uint8_t *ignored;
    gs_index_head *const t = &index->terms;
    GS_TRY(read_head(index, GS_INDEX_TERMS, GS_INDEX_TERMS_MAGIC, t, st));
    const uint64_t limit = index->bytes[GS_INDEX_TERMS] / sizeof(uint64_t);
    if (t->count != index->header.terms || t->blocks > limit ||
        t->blocks != (t->count + GS_INDEX_TERM_BLOCK - 1) / GS_INDEX_TERM_BLOCK)
        return gs_index_damaged(index, GS_INDEX_TERMS, "its counts do not agree", st);
    GS_TRY(gs_index_place(index, GS_INDEX_TERMS, t->table, t->blocks * sizeof(uint64_t),
                          &ignored, st));
    GS_TRY(gs_index_place(index, GS_INDEX_TERMS, t->offsets,
                          gs_index_place_groups(t->blocks) * sizeof(gs_index_places),
                          &ignored, st));
    gs_index_head *const d = &index->documents;
    GS_TRY(read_head(index, GS_INDEX_DOCUMENTS, GS_INDEX_DOCUMENTS_MAGIC, d, st));
    if (d->count != index->header.documents || d->count > GS_INDEX_DOCS_MAX ||
        (d->blocks != 0 &&
         d->count > index->bytes[GS_INDEX_DOCUMENTS] / sizeof(uint32_t)) ||
        index->header.doc_bound > GS_INDEX_DOCS_MAX ||
        index->header.doc_base > GS_INDEX_DOCS_MAX - d->count ||
        (d->blocks != 0) != index->header.has_names)
        return gs_index_damaged(index, GS_INDEX_DOCUMENTS, "its counts do not agree", st);
    const uint64_t names =
        d->blocks ? (d->count + GS_INDEX_NAME_BLOCK - 1) / GS_INDEX_NAME_BLOCK : 0;
    GS_TRY(gs_index_place(index, GS_INDEX_DOCUMENTS, sizeof *d,
                          (d->blocks ? d->count : 0) * sizeof(uint32_t), &ignored, st));
    GS_TRY(gs_index_place(index, GS_INDEX_DOCUMENTS, d->table, names * sizeof(uint64_t),
                          &ignored, st));
    if (d->end < d->offsets)
        return gs_index_damaged(index, GS_INDEX_DOCUMENTS, "its names end early", st);
    GS_TRY(gs_index_place(index, GS_INDEX_DOCUMENTS, d->offsets, d->end - d->offsets,
                          &ignored, st));
    return index->header.has_texts ? read_texts_head(index, st) : GS_OK;
}

gs_code gs_index_open(gs_index **out, const char *folder, gs_status *st)
{
    *out = NULL;
    gs_index *index = NULL;
    GS_TRY(gs_mem_new(&index, sizeof *index, "index", st));
    GS_TRY_OR_FAIL(gs_mem_copy_string(&index->folder, folder, st));
    GS_TRY_OR_FAIL(gs_index_header_read(&index->header, folder, st));
    for (int i = 0; i < GS_INDEX_FILE_COUNT; i++) {
        if (gs_index_header_has(&index->header, (gs_index_file)i))
            GS_TRY_OR_FAIL(map_file(index, (gs_index_file)i, st));
    }
    GS_TRY_OR_FAIL(open_pages(index, st));
    GS_TRY_OR_FAIL(read_heads(index, st));
    *out = index;
    return GS_OK;
fail:
    gs_index_close(index);
    return st->code;
}

void gs_index_close(gs_index *index)
{
    if (index == NULL)
        return;
    for (int i = 0; i < GS_INDEX_FILE_COUNT; i++) {
        gs_map_name_free(index->names[i]);
        if (index->files[i] == NULL)
            continue;
        (void)munmap((void *)(uintptr_t)index->files[i], index->bytes[i]);
        if (index->fds[i] >= 0)
            (void)close(index->fds[i]);
    }
    for (int i = 0; i < GS_INDEX_SUMS; i++)
        gs_page_checks_close(&index->pages[i]);
    gs_index_header_release(&index->header);
    gs_mem_free(index->folder);
    gs_mem_free(index);
}

const gs_index_header *gs_index_header_of(const gs_index *index)
{
    return &index->header;
}

const gs_index_head *gs_index_documents_head(const gs_index *index)
{
    return &index->documents;
}

const char *gs_index_folder_of(const gs_index *index)
{
    return index->folder;
}

void gs_index_let_go(const uint8_t *begin, const uint8_t *end)
{
    const uintptr_t in_page = (uintptr_t)sysconf(_SC_PAGESIZE) - 1;
    const uintptr_t from = (uintptr_t)begin & ~in_page, to = (uintptr_t)end & ~in_page;
    if (from < to)
        (void)madvise((void *)from, to - from, MADV_DONTNEED); /* advice, no more */
}

void gs_index_let_file_go(const gs_index *index, gs_index_file file)
{
    const uint8_t *const data = index->files[file];
    if (data != NULL)
        gs_index_let_go(data, data + index->bytes[file]);
}

static void let_go(void *context, const uint8_t *begin, const uint8_t *end)
{
    (void)context;
    gs_index_let_go(begin, end);
}

gs_code gs_index_check_sum(const gs_index *index, gs_index_file file, gs_status *st)
{
    uint64_t checksum;
    if (index->files[file] == NULL)
        return GS_OK;
    GS_TRY(gs_file_checksum(&checksum, index->files[file], index->bytes[file], let_go,
                            NULL, st));
    if (checksum != index->header.file_sums[file])
        return gs_index_damaged(index, file, "its checksum is wrong", st);
    if (file != GS_INDEX_SUMS)
        gs_page_checks_trust(&index->pages[file]);
    return GS_OK;
}

gs_code gs_index_check_sums(const gs_index *index, gs_status *st)
{
    for (int i = 0; i < GS_INDEX_FILE_COUNT; i++)
        GS_TRY(gs_index_check_sum(index, (gs_index_file)i, st));
    return GS_OK;
}

gs_code gs_index_check_page_sums(const gs_index *index, gs_status *st)
{
    for (int i = 0; i < GS_INDEX_SUMS; i++) {
        const gs_page_checks *const pages = &index->pages[i];
        for (uint64_t page = 0; page < gs_sum_pages(pages->bytes); page++) {
            if (!gs_page_checks_is_good(pages, page))
                return damaged_page(index, (gs_index_file)i, page, st);
            if (page % PASSED_PAGES == PASSED_PAGES - 1)
                gs_index_let_go(pages->data +
                                    (page + 1 - PASSED_PAGES) * GS_SUM_PAGE_BYTES,
                                pages->data + (page + 1) * GS_SUM_PAGE_BYTES);
        }
    }
    return GS_OK;
}
