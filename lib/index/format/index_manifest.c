/* SPDX-License-Identifier: MIT */
#include "lib/index/format/index_manifest.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/file_sync.h"
#include "io/temp_name.h"
#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"
#include "lib/index/format/index_header.h"
#include "lib/index/format/sealed_text.h"

enum { VERSION = 1 };

static const char seal[] = "manifest_xxh3";
static const char segment_name[] = "segment-";
static const char deletions_name[] = "deleted-";
static const char unfinished[] = ".tmp-";

/* --- names ------------------------------------------------------------------------- */

static bool make_path(char path[GS_INDEX_PATH_BYTES], const char *folder,
                      const char *name, uint64_t number)
{
    return snprintf(path, GS_INDEX_PATH_BYTES, "%s/%s%" PRIu64, folder, name, number) <
           GS_INDEX_PATH_BYTES;
}

bool gs_index_segment_path(char path[GS_INDEX_PATH_BYTES], const char *folder,
                           uint64_t number)
{
    return number > 0
               ? make_path(path, folder, segment_name, number)
               : snprintf(path, GS_INDEX_PATH_BYTES, "%s", folder) < GS_INDEX_PATH_BYTES;
}

bool gs_index_deletions_path(char path[GS_INDEX_PATH_BYTES], const char *folder,
                             uint64_t number)
{
    return make_path(path, folder, deletions_name, number);
}

/* Letters and digits of a temporary name, and nothing behind them? */
static bool is_unfinished(const char *tail)
{
    const size_t length = sizeof unfinished - 1;
    size_t n = 0;
    if (strncmp(tail, unfinished, length) != 0)
        return false;
    while (isalnum((unsigned char)tail[length + n]))
        n++;
    return n == GS_TEMP_NAME_TAIL && tail[length + n] == '\0';
}

/* A number as it is printed, from 1 on; NULL if there is none. */
static const char *read_number(const char *text, uint64_t *number)
{
    enum { DIGITS_MAX = 18 };
    size_t n = 0;
    *number = 0;
    for (; text[n] >= '0' && text[n] <= '9' && n <= DIGITS_MAX; n++)
        *number = *number * 10 + (uint64_t)(text[n] - '0');
    return n > 0 && n <= DIGITS_MAX && text[0] != '0' ? text + n : NULL;
}

/* What stands behind `begin` and a number; NULL: the name is another. */
static const char *behind(const char *name, const char *begin, uint64_t *number)
{
    const size_t length = strlen(begin);
    return strncmp(name, begin, length) == 0 ? read_number(name + length, number) : NULL;
}

gs_grown_name gs_index_grown_name(const char *name, uint64_t *number)
{
    const size_t manifest = sizeof GS_INDEX_MANIFEST_NAME - 1;
    const char *tail = behind(name, segment_name, number);
    if (tail != NULL)
        return *tail == '\0'         ? GS_GROWN_SEGMENT
               : is_unfinished(tail) ? GS_GROWN_UNFINISHED_SEGMENT
                                     : GS_GROWN_OTHER;
    tail = behind(name, deletions_name, number);
    if (tail != NULL && *tail == '\0')
        return GS_GROWN_DELETIONS;
    if (tail == NULL && strncmp(name, GS_INDEX_MANIFEST_NAME, manifest) == 0)
        tail = name + manifest;
    if (tail == NULL)
        return GS_GROWN_OTHER;
    return *tail == '\0'         ? GS_GROWN_MANIFEST
           : is_unfinished(tail) ? GS_GROWN_UNFINISHED
                                 : GS_GROWN_OTHER;
}

/* --- writing ----------------------------------------------------------------------- */

static void print(FILE *to, const void *context)
{
    const gs_index_manifest *const m = context;
    (void)fprintf(to,
                  "{\n  \"format\": \"gpusort index manifest\", \"version\": %d,\n"
                  "  \"next\": %" PRIu64 ",\n  \"segments\": [\n",
                  VERSION, m->next);
    for (size_t i = 0; i < m->count; i++) {
        const gs_manifest_segment *const s = &m->segments[i];
        (void)fprintf(to,
                      "    {\"segment\": %" PRIu64 ", \"header\": \"%016" PRIx64
                      "\", \"documents\": %" PRIu64 ", \"deleted\": %" PRIu64
                      ", \"deletions\": %" PRIu64 ", \"xxh3\": \"%016" PRIx64 "\"}%s\n",
                      s->number, s->header_sum, s->documents, s->deleted, s->deletions,
                      s->deletions_sum, i + 1 < m->count ? "," : "");
    }
    (void)fputs("  ],\n", to);
}

/* The old one has another name meanwhile, by which to go back if the new name may not be
 * on the disk: then it is as if nothing had been. */
static gs_code take_name(const char *temporary, const char *path, const char *old,
                         gs_status *st)
{
    const bool has_old = linkat(AT_FDCWD, path, AT_FDCWD, old, 0) == 0;
    if (!has_old && errno != ENOENT)
        return GS_FAIL(st, GS_ERR_IO, errno, "cannot link to %s", path);
    if (rename(temporary, path) != 0)
        return GS_FAIL(st, GS_ERR_IO, errno, "cannot rename to %s", path);
    const int error = gs_name_sync(path);
    if (error == 0)
        return GS_OK;
    if (has_old)
        (void)rename(old, path);
    else
        (void)unlink(path);
    return GS_FAIL(st, GS_ERR_IO, error, "cannot make %s durable", path);
}

static void draw(char name[GS_INDEX_PATH_BYTES + 16], const char *path)
{
    (void)snprintf(name, GS_INDEX_PATH_BYTES + 16, "%s%sXXXXXX", path, unfinished);
    gs_temp_name_draw(name);
}

gs_code gs_index_manifest_write(const gs_index_manifest *m, const char *folder,
                                gs_status *st)
{
    char path[GS_INDEX_PATH_BYTES], temporary[GS_INDEX_PATH_BYTES + 16];
    char old[GS_INDEX_PATH_BYTES + 16];
    gs_assert(m->count > 0);
    if (snprintf(path, sizeof path, "%s/%s", folder, GS_INDEX_MANIFEST_NAME) >=
        (int)sizeof path)
        return GS_FAIL(st, GS_ERR_IO, ENAMETOOLONG, "cannot write: %s", folder);
    draw(temporary, path);
    draw(old, path);
    GS_NOTED(gs_sealed_text_write(temporary, seal, print, m, st));
    if (st->code == GS_OK)
        GS_NOTED(take_name(temporary, path, old, st));
    (void)unlink(old);
    if (st->code != GS_OK)
        (void)unlink(temporary);
    return st->code;
}

gs_code gs_index_manifest_settle(const char *folder, gs_status *st)
{
    char path[GS_INDEX_PATH_BYTES];
    gs_quoted q;
    (void)snprintf(path, sizeof path, "%s/%s", folder, GS_INDEX_MANIFEST_NAME);
    const int error = gs_name_sync(path);
    return error == 0 ? GS_OK
                      : GS_FAIL(st, GS_ERR_IO, error, "cannot make %s durable",
                                gs_quote_name(&q, path));
}

/* --- reading ----------------------------------------------------------------------- */

static bool get_segment(const char *line, gs_manifest_segment *s)
{
    return sscanf(line,
                  " {\"segment\": %" SCNu64 ", \"header\": \"%" SCNx64
                  "\", \"documents\": %" SCNu64 ", \"deleted\": %" SCNu64
                  ", \"deletions\": %" SCNu64 ", \"xxh3\": \"%" SCNx64 "\"}",
                  &s->number, &s->header_sum, &s->documents, &s->deleted, &s->deletions,
                  &s->deletions_sum) == 6 &&
           s->deleted <= s->documents && (s->deletions == 0) == (s->deleted == 0);
}

/* Of the text that is whole; *is_good is false if no manifest is like that. */
static gs_code parse(gs_index_manifest *m, const char *text, bool *is_good, gs_status *st)
{
    const char *line = gs_index_find_field(text, "segments");
    const char *const next = gs_index_find_field(text, "next");
    const char *const version = gs_index_find_field(text, "version");
    *is_good = false;
    if (line == NULL || next == NULL || version == NULL ||
        strstr(text, "\"format\": \"gpusort index manifest\"") == NULL ||
        strtoull(version, NULL, 10) != VERSION)
        return GS_OK;
    m->next = strtoull(next, NULL, 10);
    while ((line = strchr(line, '\n')) != NULL && strncmp(++line, "    {", 5) == 0) {
        gs_manifest_segment s;
        if (!get_segment(line, &s) || s.number >= m->next || s.deletions >= m->next ||
            m->count == GS_INDEX_SEGMENTS_MAX)
            return GS_OK;
        GS_TRY(gs_index_manifest_add(m, &s, st));
    }
    *is_good = m->count > 0;
    return GS_OK;
}

static gs_code read_open(gs_index_manifest *m, int fd, const char *path, gs_status *st)
{
    char *text = NULL;
    size_t bytes = 0;
    bool is_good = false;
    gs_quoted q;
    GS_TRY(gs_sealed_text_read(&text, &bytes, fd, path, st));
    if (gs_sealed_text_is_whole(text, bytes, seal))
        GS_NOTED(parse(m, text, &is_good, st));
    gs_mem_free(text);
    if (st->code != GS_OK || is_good)
        return st->code;
    (void)GS_FAIL(st, GS_ERR_FORMAT, 0,
                  "%s: the manifest is damaged, or of another version",
                  gs_quote_name(&q, path));
    return gs_status_hint(st, "build the index again, or restore it from a copy");
}

gs_code gs_index_manifest_read(gs_index_manifest *m, const char *folder, bool *is_there,
                               gs_status *st)
{
    char path[GS_INDEX_PATH_BYTES];
    *m = (gs_index_manifest){0};
    *is_there = false;
    if (snprintf(path, sizeof path, "%s/%s", folder, GS_INDEX_MANIFEST_NAME) >=
        (int)sizeof path)
        return GS_FAIL(st, GS_ERR_IO, ENAMETOOLONG, "cannot read: %s", folder);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT || errno == ENOTDIR
                   ? GS_OK
                   : GS_FAIL(st, GS_ERR_IO, errno, "cannot read: %s", path);
    GS_NOTED(read_open(m, fd, path, st));
    (void)close(fd);
    *is_there = st->code == GS_OK;
    if (st->code != GS_OK)
        gs_index_manifest_release(m);
    return st->code;
}

/* --- changing ---------------------------------------------------------------------- */

gs_code gs_index_manifest_add(gs_index_manifest *m, const gs_manifest_segment *segment,
                              gs_status *st)
{
    GS_TRY(gs_mem_grow(&m->segments, &m->capacity, m->count + 1, "segments of an index",
                       st));
    m->segments[m->count++] = *segment;
    return GS_OK;
}

void gs_index_manifest_replace(gs_index_manifest *m, size_t from, size_t to,
                               const gs_manifest_segment *instead)
{
    gs_assert(from < to && to <= m->count);
    if (instead != NULL)
        m->segments[from++] = *instead;
    memmove(&m->segments[from], &m->segments[to], (m->count - to) * sizeof *m->segments);
    m->count -= to - from;
}

void gs_index_manifest_release(gs_index_manifest *m)
{
    gs_mem_free(m->segments);
    *m = (gs_index_manifest){0};
}
