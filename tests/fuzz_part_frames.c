/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a stream of parts: it is refused with GS_ERR_FORMAT, or what it gives out
 * is in order and what its ends say.
 *
 *      mode u8 | bytes
 *
 * Mode, bit 0: they are the stream; else frames are made of them, of five bytes and their
 * payload each, whose checksums are right, so that what stands behind them is looked at.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xxhash.h>
#include <zstd.h>

#include "lib/base/mem.h"
#include "lib/part/frame_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FRAME_BYTES = 5, STREAM_MAX = 1 << 16 };

static void require(bool is_so)
{
    if (!is_so)
        abort();
}

static void put(int fd, const void *data, size_t bytes)
{
    require(bytes == 0 || write(fd, data, bytes) == (ssize_t)bytes);
}

/* kind | codec and how the numbers are wrong | part | payload | numbers */
static void put_frames(int fd, const uint8_t *data, size_t size)
{
    uint64_t last = 0, bytes = 0, records = 0, part_bytes = 0;
    while (size >= FRAME_BYTES) {
        static uint8_t packed[1024];
        gs_part_frame_head h = {.kind = data[0] & 7, .part = data[2], .records = data[4]};
        const uint8_t *payload = data + FRAME_BYTES;
        size_t n = data[3] < size - FRAME_BYTES ? data[3] : size - FRAME_BYTES;
        const size_t used = n;
        h.codec = data[1] & 3;
        h.bytes = n;
        if (h.codec == GS_PART_FRAME_ZSTD && (data[1] & 4) == 0) {
            n = ZSTD_compress(packed, sizeof packed, payload, n, 1);
            payload = packed;
        }
        if (h.kind == GS_PART_FRAME_PART_END || h.kind == GS_PART_FRAME_END)
            n = data[1] & 8 ? n : 0;
        if (h.kind == GS_PART_FRAME_BLOCK)
            part_bytes += h.bytes;
        if (h.kind == GS_PART_FRAME_PART_END) {
            h.bytes = part_bytes;
            bytes += part_bytes;
            records += h.records;
            part_bytes = 0;
        }
        if (h.kind == GS_PART_FRAME_END) {
            h.bytes = bytes;
            h.records = records;
        }
        h.bytes += data[1] >> 6;
        h.bytes <<= data[1] & 32 ? 40 : 0;
        h.stored_bytes = (uint32_t)n;
        memcpy(h.magic, GS_PART_FRAME_MAGIC, sizeof h.magic);
        h.payload_sum = XXH3_64bits(payload, n);
        h.head_sum = last = XXH3_64bits_withSeed(&h, GS_PART_FRAME_HEAD_SUMMED, last);
        put(fd, &h, sizeof h);
        put(fd, payload, n);
        data += FRAME_BYTES + used;
        size -= FRAME_BYTES + used;
    }
    put(fd, data, size);
}

static void read_frames(int fd)
{
    gs_frame_reader *r = NULL;
    gs_status st = {.code = GS_OK};
    const gs_part_frame_head *h = NULL;
    const uint8_t *text = NULL;
    uint64_t bytes = 0, all = 0, records = 0, sum = 0;
    uint32_t part = 0;
    if (gs_frame_reader_new(&r, fd, "stream", &st) == GS_OK) {
        const uint32_t parts = gs_frame_reader_part_count(r);
        while (gs_frame_reader_next(r, &h, &text, &st) == GS_OK) {
            if (h->kind == GS_PART_FRAME_END)
                break;
            for (uint64_t i = 0; h->kind <= GS_PART_FRAME_BLOCK && i < h->bytes; i++)
                sum += text[i]; /* all of it is there */
            if (h->kind == GS_PART_FRAME_BLOCK) {
                require(h->part == part && part < parts);
                bytes += h->bytes;
            } else if (h->kind == GS_PART_FRAME_PART_END) {
                require(h->part == part++ && h->bytes == bytes);
                all += bytes;
                records += h->records;
                bytes = 0;
            }
        }
        require(st.code != GS_OK ||
                (part == parts && h->bytes == all && h->records == records));
    }
    require(st.code == GS_OK || st.code == GS_ERR_FORMAT);
    require(st.code == GS_OK || strncmp(st.msg, "stream: frame ", 14) == 0);
    require(sum <= UINT64_MAX / 2);
    gs_frame_reader_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > STREAM_MAX)
        return 0;
    const int fd = memfd_create("stream", MFD_CLOEXEC);
    require(fd >= 0);
    if (data[0] & 1)
        put(fd, data + 1, size - 1);
    else
        put_frames(fd, data + 1, size - 1);
    require(lseek(fd, 0, SEEK_SET) == 0);
    read_frames(fd);
    (void)close(fd);
    require(gs_mem_held_bytes() == 0);
    return 0;
}
