/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as the manifest of an index or, if the first one is odd, as deleted
 * documents, with their checksum put right: they are refused, or what was read of them is
 * written and read again as the same, and each document is left once or deleted.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xxhash.h>

#include "lib/base/mem.h"
#include "lib/index/format/formats.h"

enum { DOCUMENTS_MAX = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_so)
{
    if (!is_so)
        abort();
}

static const char *scratch(void)
{
    static char folder[64];
    if (folder[0] == '\0') {
        (void)snprintf(folder, sizeof folder, "/tmp/gpusort-fuzz-XXXXXX");
        require(mkdtemp(folder) != NULL);
    }
    return folder;
}

static void put(const char *path, const void *first, size_t first_bytes,
                const void *second, size_t second_bytes)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    require(fd >= 0);
    require(first_bytes == 0 || write(fd, first, first_bytes) == (ssize_t)first_bytes);
    require(second_bytes == 0 ||
            write(fd, second, second_bytes) == (ssize_t)second_bytes);
    require(close(fd) == 0);
}

static void try_manifest(const uint8_t *data, size_t size)
{
    char path[128], seal[64];
    gs_index_manifest m, again;
    gs_status st = {.code = GS_OK};
    bool is_there;
    (void)snprintf(path, sizeof path, "%s/%s", scratch(), GS_INDEX_MANIFEST_NAME);
    const int bytes =
        snprintf(seal, sizeof seal, "  \"manifest_xxh3\": \"%016" PRIx64 "\"\n}\n",
                 (uint64_t)XXH3_64bits(data, size));
    put(path, data, size, seal, (size_t)bytes);
    if (gs_index_manifest_read(&m, scratch(), &is_there, &st) == GS_OK) {
        require(is_there && m.count > 0 && m.count <= GS_INDEX_SEGMENTS_MAX);
        require(gs_index_manifest_write(&m, scratch(), &st) == GS_OK);
        require(gs_index_manifest_read(&again, scratch(), &is_there, &st) == GS_OK);
        require(m.next == again.next && m.count == again.count &&
                memcmp(m.segments, again.segments, m.count * sizeof *m.segments) == 0);
        gs_index_manifest_release(&again);
    } else {
        require(st.code == GS_ERR_FORMAT && m.segments == NULL);
    }
    gs_index_manifest_release(&m);
}

static void look_at_all(const gs_tombstones *t)
{
    uint64_t before = 0;
    for (uint64_t doc = 0; doc < t->head.documents; doc++) {
        require(gs_tombstones_before(t, doc) == before);
        require((gs_tombstones_next(t, doc) == doc) == gs_tombstones_has(t, doc));
        if (gs_tombstones_has(t, doc))
            before++;
        else
            require(gs_tombstones_left(t, doc - before) == doc);
    }
    require(before == t->head.deleted);
}

static void try_tombstones(const uint8_t *data, size_t size)
{
    char path[128];
    gs_tombstones t;
    gs_status st = {.code = GS_OK};
    gs_tombstone_head head = {.magic = GS_TOMBSTONES_MAGIC};
    if (size < 8)
        return;
    head.documents = (uint64_t)(data[0] | data[1] << 8);
    head.deleted = (uint64_t)(data[2] | data[3] << 8);
    head.length_sum = data[4];
    const uint64_t sum =
        XXH3_64bits_withSeed(data + 8, size - 8, XXH3_64bits(&head, sizeof head));
    (void)snprintf(path, sizeof path, "%s/deleted", scratch());
    put(path, &head, sizeof head, data + 8, size - 8);
    if (gs_tombstones_open(&t, path, head.documents, sum, &st) == GS_OK)
        look_at_all(&t);
    else
        require(st.code == GS_ERR_FORMAT && t.lines == NULL);
    gs_tombstones_close(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    if (data[0] % 2 == 1)
        try_tombstones(data + 1, size - 1);
    else
        try_manifest(data + 1, size - 1);
    require(gs_mem_held_bytes() == 0);
    return 0;
}
