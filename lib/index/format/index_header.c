/* SPDX-License-Identifier: MIT */
#include "lib/index/format/index_header.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "lib/base/mem.h"
#include "lib/base/quote.h"
#include "lib/index/format/sealed_text.h"

enum { PATH_BYTES = 4400 };

static const char seal[] = "header_xxh3";

bool gs_index_header_has(const gs_index_header *header, gs_index_file file)
{
    switch (file) {
    case GS_INDEX_POSITIONS: return header->has_positions;
    case GS_INDEX_TEXTS: return header->has_texts;
    case GS_INDEX_TERMS:
    case GS_INDEX_POSTINGS:
    case GS_INDEX_DOCUMENTS:
    case GS_INDEX_SUMS: return true;
    case GS_INDEX_FILE_COUNT: break;
    }
    return false;
}

bool gs_index_file_is_of_documents(gs_index_file file)
{
    switch (file) {
    case GS_INDEX_DOCUMENTS:
    case GS_INDEX_TEXTS: return true;
    case GS_INDEX_TERMS:
    case GS_INDEX_POSTINGS:
    case GS_INDEX_POSITIONS:
    case GS_INDEX_SUMS:
    case GS_INDEX_FILE_COUNT: break;
    }
    return false;
}

/* --- writing ----------------------------------------------------------------------- */

/* The first that has all of it. All of them have has_positions and has_names. */
static int version_of(const gs_index_header *h)
{
    if (h->doc_base > 0 || h->has_impacts)
        return GS_INDEX_VERSION;
    return h->has_texts ? GS_INDEX_VERSION_NO_BASE : GS_INDEX_VERSION_NO_TEXTS;
}

static void print_fields(FILE *to, const void *context)
{
    const gs_index_header *const h = context;
    char base[48] = "";
    if (h->doc_base > 0)
        (void)snprintf(base, sizeof base, "  \"doc_base\": %" PRIu64 ",\n", h->doc_base);
    (void)fprintf(to,
                  "{\n  \"format\": \"gpusort index\", \"version\": %d,\n"
                  "  \"documents\": %" PRIu64 ",\n  \"doc_bound\": %" PRIu64 ",\n"
                  "  \"terms\": %" PRIu64 ",\n"
                  "  \"postings\": %" PRIu64 ",\n  \"tokens\": %" PRIu64 ",\n"
                  "  \"length_sum\": %" PRIu64 ",\n%s"
                  "  \"has_positions\": %s,\n  \"has_names\": %s,\n%s%s"
                  "  \"tokenizer\": %s,\n  \"files\": [\n",
                  version_of(h), h->documents, h->doc_bound, h->terms, h->postings,
                  h->tokens, h->length_sum, base, h->has_positions ? "true" : "false",
                  h->has_names ? "true" : "false",
                  h->has_texts ? "  \"has_texts\": true,\n" : "",
                  h->has_impacts ? "  \"has_impacts\": true,\n" : "",
                  h->tokenizer ? h->tokenizer : "{}");
    for (int i = 0; i < GS_INDEX_FILE_COUNT; i++) {
        if (!gs_index_header_has(h, (gs_index_file)i))
            continue;
        (void)fprintf(to,
                      "    {\"name\": \"%s\", \"bytes\": %" PRIu64
                      ", \"xxh3\": \"%016" PRIx64 "\"}%s\n",
                      gs_index_file_names[i], h->file_bytes[i], h->file_sums[i],
                      i + 1 < GS_INDEX_FILE_COUNT ? "," : "");
    }
    (void)fputs("  ],\n", to);
}

gs_code gs_index_header_write(const gs_index_header *header, const char *folder,
                              gs_status *st)
{
    char path[PATH_BYTES];
    (void)snprintf(path, sizeof path, "%s/%s", folder, GS_INDEX_HEADER_NAME);
    return gs_sealed_text_write(path, seal, print_fields, header, st);
}

/* --- reading ----------------------------------------------------------------------- */

/* There is no header: is it the folder that is not there, a file in its place, or an
 * index that has lost a part? */
static gs_code fail_open(const char *folder, const char *path, int error, gs_status *st)
{
    gs_quoted q;
    struct stat info;
    const bool has_name = stat(folder, &info) == 0;
    (void)gs_quote_name(&q, folder);
    if (has_name && !S_ISDIR(info.st_mode))
        (void)GS_FAIL(st, GS_ERR_ARG, 0, "%s: not an index, which is a folder", q.text);
    else if (has_name && error == ENOENT)
        (void)GS_FAIL(st, GS_ERR_FORMAT, 0,
                      "%s: not an index, or one that is damaged: it has no %s", q.text,
                      GS_INDEX_HEADER_NAME);
    else if (has_name)
        return GS_FAIL(st, GS_ERR_IO, error, "cannot read: %s", path);
    else
        (void)GS_FAIL(st, GS_ERR_IO, errno, "cannot open the index %s", q.text);
    return gs_status_hint(st, "`gpusort index build' makes an index");
}

static gs_code read_text(const char *folder, const char *path, char **text, size_t *bytes,
                         gs_status *st)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fail_open(folder, path, errno, st);
    GS_NOTED(gs_sealed_text_read(text, bytes, fd, path, st));
    (void)close(fd);
    return st->code;
}

const char *gs_index_find_field(const char *text, const char *name)
{
    char key[64];
    (void)snprintf(key, sizeof key, "\"%s\": ", name);
    const char *const at = strstr(text, key);
    return at ? at + strlen(key) : NULL;
}

static bool get_number(const char *text, const char *name, uint64_t *out)
{
    const char *const at = gs_index_find_field(text, name);
    if (at == NULL || *at < '0' || *at > '9')
        return false;
    *out = strtoull(at, NULL, 10);
    return true;
}

static bool get_flag(const char *text, const char *name, bool *out)
{
    const char *const at = gs_index_find_field(text, name);
    *out = at != NULL && strncmp(at, "true", 4) == 0;
    return at != NULL;
}

static bool get_file(const char *text, gs_index_file file, uint64_t *bytes, uint64_t *sum)
{
    char key[64];
    (void)snprintf(key, sizeof key, "{\"name\": \"%s\"", gs_index_file_names[file]);
    const char *const at = strstr(text, key);
    const char *const hex = at ? gs_index_find_field(at, "xxh3") : NULL;
    if (hex == NULL || *hex != '"')
        return false;
    *sum = strtoull(hex + 1, NULL, 16);
    return get_number(at, "bytes", bytes);
}

static gs_code get_tokenizer(const char *text, gs_index_header *h, gs_status *st)
{
    const char *const at = gs_index_find_field(text, "tokenizer");
    const char *const end = at ? strstr(at, ",\n  \"files\"") : NULL;
    if (end == NULL)
        return GS_OK;
    GS_TRY(gs_mem_new(&h->tokenizer, (size_t)(end - at) + 1, "tokenizer settings", st));
    memcpy(h->tokenizer, at, (size_t)(end - at));
    return GS_OK;
}

/* *version is what the header says, 0 if it is none of ours. */
static bool parse(const char *text, size_t bytes, gs_index_header *h, uint64_t *version)
{
    *version = 0;
    if (!gs_sealed_text_is_whole(text, bytes, seal) ||
        strstr(text, "\"format\": \"gpusort index\"") == NULL ||
        !get_number(text, "version", version) || *version > GS_INDEX_VERSION ||
        *version < GS_INDEX_LAYOUT)
        return false;
    (void)get_flag(text, "has_texts", &h->has_texts);
    (void)get_flag(text, "has_impacts", &h->has_impacts);
    (void)get_number(text, "doc_base", &h->doc_base);
    bool is_good = get_number(text, "documents", &h->documents) &&
                   get_number(text, "doc_bound", &h->doc_bound) &&
                   get_number(text, "terms", &h->terms) &&
                   get_number(text, "postings", &h->postings) &&
                   get_number(text, "tokens", &h->tokens) &&
                   get_number(text, "length_sum", &h->length_sum) &&
                   get_flag(text, "has_positions", &h->has_positions) &&
                   get_flag(text, "has_names", &h->has_names);
    for (int i = 0; i < GS_INDEX_FILE_COUNT && is_good; i++) {
        if (gs_index_header_has(h, (gs_index_file)i))
            is_good =
                get_file(text, (gs_index_file)i, &h->file_bytes[i], &h->file_sums[i]);
    }
    return is_good;
}

gs_code gs_index_header_read(gs_index_header *header, const char *folder, gs_status *st)
{
    char path[PATH_BYTES];
    char *text = NULL;
    size_t bytes = 0;
    *header = (gs_index_header){0};
    if (snprintf(path, sizeof path, "%s/%s", folder, GS_INDEX_HEADER_NAME) >= PATH_BYTES)
        return GS_FAIL(st, GS_ERR_IO, ENAMETOOLONG, "cannot read: %s", folder);
    GS_TRY(read_text(folder, path, &text, &bytes, st));
    uint64_t version;
    gs_quoted q;
    if (parse(text, bytes, header, &version)) {
        GS_NOTED(get_tokenizer(text, header, st));
    } else if (version != 0 &&
               (version > GS_INDEX_VERSION || version < GS_INDEX_LAYOUT)) {
        (void)GS_FAIL(
            st, GS_ERR_FORMAT, 0,
            "%s: an index of format %" PRIu64 ", and this program reads %d to %d",
            gs_quote_name(&q, path), version, GS_INDEX_LAYOUT, GS_INDEX_VERSION);
        (void)gs_status_hint(st, "build the index again");
    } else {
        (void)GS_FAIL(st, GS_ERR_FORMAT, 0,
                      "%s: the header is damaged, or not of an index",
                      gs_quote_name(&q, path));
    }
    gs_mem_free(text);
    if (st->code != GS_OK) {
        gs_index_header_release(header);
        return st->code;
    }
    return GS_OK;
}

/* Manifests have such sums, so that an index of before keeps its own: what comes to the
 * header later is put behind these numbers, and only of an index that has it. */
uint64_t gs_index_header_sum(const gs_index_header *h)
{
    /* Not looked at here: has_impacts, since the tokenizer of such an index says that its
     * words are weights. */
    const char *const tokenizer = h->tokenizer ? h->tokenizer : "{}";
    static const gs_index_file first_files[] = {GS_INDEX_TERMS,     GS_INDEX_POSTINGS,
                                                GS_INDEX_POSITIONS, GS_INDEX_DOCUMENTS,
                                                GS_INDEX_TEXTS,     GS_INDEX_SUMS};
    enum { COUNTS = 10, FILES = sizeof first_files / sizeof *first_files };
    _Static_assert((int)FILES == (int)GS_INDEX_FILE_COUNT,
                   "another file goes behind these, where the header has it");
    uint64_t numbers[COUNTS + 2 * FILES] = {
        h->documents,     h->terms,     h->postings,  h->tokens,    h->length_sum,
        h->has_positions, h->has_names, h->doc_bound, h->has_texts, h->doc_base,
    };
    for (int i = 0; i < FILES; i++) {
        numbers[COUNTS + 2 * i] = h->file_bytes[first_files[i]];
        numbers[COUNTS + 1 + 2 * i] = h->file_sums[first_files[i]];
    }
    return XXH3_64bits_withSeed(tokenizer, strlen(tokenizer),
                                XXH3_64bits(numbers, sizeof numbers));
}

void gs_index_header_release(gs_index_header *header)
{
    gs_mem_free(header->tokenizer);
    *header = (gs_index_header){0};
}

bool gs_index_has_header_sum(const char *folder, uint64_t sum)
{
    gs_index_header header;
    gs_status ignored = {.code = GS_OK};
    if (gs_index_header_read(&header, folder, &ignored) != GS_OK)
        return false;
    const bool is_same = gs_index_header_sum(&header) == sum;
    gs_index_header_release(&header);
    return is_same;
}
