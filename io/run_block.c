/* SPDX-License-Identifier: MIT */
#include "io/run_block.h"

#include <errno.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"

struct gs_run_codec {
    int level;
    ZSTD_CCtx *compress;
    ZSTD_DCtx *decompress;
};

static const char magic[4] = {'G', 'S', 'R', 'B'};

gs_code gs_run_codec_new(gs_run_codec **out, int level, gs_status *st)
{
    *out = NULL;
    gs_run_codec *codec = NULL;
    GS_TRY(gs_mem_new(&codec, sizeof *codec, "run codec", st));
    codec->level = level;
    codec->compress = ZSTD_createCCtx();
    codec->decompress = ZSTD_createDCtx();
    if (codec->compress == NULL || codec->decompress == NULL) {
        gs_run_codec_free(codec);
        return GS_FAIL(st, GS_ERR_NOMEM, ENOMEM, "zstd context");
    }
    *out = codec;
    return GS_OK;
}

void gs_run_codec_free(gs_run_codec *codec)
{
    if (codec == NULL)
        return;
    (void)ZSTD_freeCCtx(codec->compress);
    (void)ZSTD_freeDCtx(codec->decompress);
    gs_mem_free(codec);
}

size_t gs_run_block_bound(size_t raw_bytes)
{
    return sizeof(gs_run_block_header) + ZSTD_compressBound(raw_bytes);
}

static uint64_t checksum_of(const gs_run_block_header *header, const uint8_t *payload)
{
    const uint64_t seed = XXH3_64bits(header, offsetof(gs_run_block_header, checksum));
    return XXH3_64bits_withSeed(payload, header->stored_bytes, seed);
}

gs_code gs_run_block_encode(gs_run_codec *codec, gs_codec how, const void *raw,
                            size_t raw_bytes, uint32_t record_count, uint8_t *to,
                            size_t *stored, gs_status *st)
{
    gs_assert(raw_bytes <= UINT32_MAX);
    uint8_t *const payload = to + sizeof(gs_run_block_header);
    size_t payload_bytes = 0;
    if (how == GS_CODEC_ZSTD) {
        payload_bytes =
            ZSTD_compressCCtx(codec->compress, payload, ZSTD_compressBound(raw_bytes),
                              raw, raw_bytes, codec->level);
        if (ZSTD_isError(payload_bytes))
            return GS_FAIL(st, GS_ERR_NOMEM, 0, "zstd: %s",
                           ZSTD_getErrorName(payload_bytes));
    }
    if (how == GS_CODEC_RAW || payload_bytes >= raw_bytes) {
        how = GS_CODEC_RAW;
        payload_bytes = raw_bytes;
        memcpy(payload, raw, raw_bytes);
    }
    gs_run_block_header header = {
        .version = GS_RUN_BLOCK_VERSION,
        .codec = (uint8_t)how,
        .raw_bytes = (uint32_t)raw_bytes,
        .stored_bytes = (uint32_t)payload_bytes,
        .record_count = record_count,
    };
    memcpy(header.magic, magic, sizeof magic);
    header.checksum = checksum_of(&header, payload);
    memcpy(to, &header, sizeof header);
    *stored = sizeof header + payload_bytes;
    return GS_OK;
}

static gs_code fail_damaged(const char *place, const char *what, gs_status *st)
{
    (void)GS_FAIL(st, GS_ERR_FORMAT, 0, "%s: damaged run: %s", place, what);
    return gs_status_hint(st, "the temporary files were changed or the disk is failing: "
                              "run again with another folder (-T), without "
                              "what was kept for going on");
}

gs_code gs_run_block_decode(gs_run_codec *codec, const uint8_t *from, size_t available,
                            const char *place, void *to, size_t capacity,
                            size_t *raw_bytes, uint32_t *record_count, size_t *stored,
                            gs_status *st)
{
    gs_run_block_header header;
    if (available < sizeof header)
        return fail_damaged(place, "cut off in a block header", st);
    memcpy(&header, from, sizeof header);
    if (memcmp(header.magic, magic, sizeof magic) != 0)
        return fail_damaged(place, "no block where one should be", st);
    if (header.version != GS_RUN_BLOCK_VERSION)
        return fail_damaged(place, "unknown block version", st);
    if (header.stored_bytes > available - sizeof header)
        return fail_damaged(place, "cut off in a block", st);
    const uint8_t *const payload = from + sizeof header;
    if (checksum_of(&header, payload) != header.checksum)
        return fail_damaged(place, "checksum does not match", st);
    if (header.raw_bytes > capacity)
        return fail_damaged(place, "block too large", st);
    if (header.codec == GS_CODEC_RAW && header.stored_bytes == header.raw_bytes) {
        memcpy(to, payload, header.raw_bytes);
    } else {
        const size_t n = ZSTD_decompressDCtx(codec->decompress, to, capacity, payload,
                                             header.stored_bytes);
        if (header.codec != GS_CODEC_ZSTD || n != header.raw_bytes)
            return fail_damaged(place, "payload does not decompress", st);
    }
    *raw_bytes = header.raw_bytes;
    *record_count = header.record_count;
    *stored = sizeof header + header.stored_bytes;
    return GS_OK;
}
