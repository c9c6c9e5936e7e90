/* SPDX-License-Identifier: MIT */
#include "io/run_block.h"

#include <errno.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

#include "lib/base/assertion.h"
#include "lib/base/checksum.h"
#include "lib/base/mem.h"

/* Negative levels are the fast ones. */
enum { ZSTD_LEVEL = -3 };

/* Of every thread that writes or merges runs; the plan of a sort (memory_plan.c) takes it
 * for little beside blocks and leaves it out. */
struct gs_run_coder {
    ZSTD_CCtx *compress;
    ZSTD_DCtx *decompress;
};

_Static_assert(GS_RUN_CODEC_COUNT == 2,
               "what a new one needs is little too, or the plan has to know");

static const char magic[4] = {'G', 'S', 'R', 'B'};

/* --- the codecs -------------------------------------------------------------- */

static size_t bound_raw(size_t raw_bytes)
{
    return raw_bytes;
}

static gs_code encode_raw(gs_run_coder *coder, const void *raw, size_t raw_bytes,
                          uint8_t *to, size_t *bytes, gs_status *st)
{
    (void)coder;
    memcpy(to, raw, raw_bytes);
    *bytes = raw_bytes;
    return st->code;
}

static size_t decode_raw(gs_run_coder *coder, const uint8_t *from, size_t bytes, void *to,
                         size_t capacity)
{
    (void)coder;
    if (bytes <= capacity)
        memcpy(to, from, bytes);
    return bytes;
}

static gs_code encode_zstd(gs_run_coder *coder, const void *raw, size_t raw_bytes,
                           uint8_t *to, size_t *bytes, gs_status *st)
{
    *bytes = ZSTD_compressCCtx(coder->compress, to, ZSTD_compressBound(raw_bytes), raw,
                               raw_bytes, ZSTD_LEVEL);
    return ZSTD_isError(*bytes)
               ? GS_FAIL(st, GS_ERR_NOMEM, 0, "zstd: %s", ZSTD_getErrorName(*bytes))
               : GS_OK;
}

static size_t decode_zstd(gs_run_coder *coder, const uint8_t *from, size_t bytes,
                          void *to, size_t capacity)
{
    return ZSTD_decompressDCtx(coder->decompress, to, capacity, from, bytes);
}

static const struct {
    const char *name;
    size_t raw_max;                    /* what is larger is stored as it is */
    size_t (*bound)(size_t raw_bytes); /* the most that encode makes of so many */
    gs_code (*encode)(gs_run_coder *coder, const void *raw, size_t raw_bytes, uint8_t *to,
                      size_t *bytes, gs_status *st);
    /* How many bytes come out; more than `capacity` if they cannot be decoded to it. */
    size_t (*decode)(gs_run_coder *coder, const uint8_t *from, size_t bytes, void *to,
                     size_t capacity);
} codecs[] = {
    [GS_RUN_CODEC_RAW] = {"raw", UINT32_MAX, bound_raw, encode_raw, decode_raw},
    [GS_RUN_CODEC_ZSTD] = {"zstd", UINT32_MAX, ZSTD_compressBound, encode_zstd,
                           decode_zstd},
};

_Static_assert(sizeof codecs / sizeof codecs[0] == GS_RUN_CODEC_COUNT, "a row each");
_Static_assert(ZSTD_COMPRESSBOUND((size_t)UINT32_MAX) >= UINT32_MAX,
               "zstd takes all that a block can have");

const char *gs_run_codec_name(gs_run_codec codec)
{
    return codecs[codec].name;
}

gs_run_codec gs_run_codec_named(const char *name)
{
    gs_run_codec codec = GS_RUN_CODEC_COUNT;
    while (--codec > GS_RUN_CODEC_RAW && strcmp(name, codecs[codec].name) != 0)
        continue;
    return codec;
}

gs_code gs_run_coder_new(gs_run_coder **out, gs_status *st)
{
    gs_run_coder *coder = NULL;
    *out = NULL;
    GS_TRY(gs_mem_new(&coder, sizeof *coder, "run codec", st));
    coder->compress = ZSTD_createCCtx();
    coder->decompress = ZSTD_createDCtx();
    if (coder->compress == NULL || coder->decompress == NULL) {
        gs_run_coder_free(coder);
        return GS_FAIL(st, GS_ERR_NOMEM, ENOMEM, "zstd context");
    }
    *out = coder;
    return GS_OK;
}

void gs_run_coder_free(gs_run_coder *coder)
{
    if (coder == NULL)
        return;
    (void)ZSTD_freeCCtx(coder->compress);
    (void)ZSTD_freeDCtx(coder->decompress);
    gs_mem_free(coder);
}

/* The codec that is used: what is too much for the wanted one stays as it is. */
static gs_run_codec codec_for(gs_run_codec codec, size_t raw_bytes)
{
    return raw_bytes <= codecs[codec].raw_max ? codec : GS_RUN_CODEC_RAW;
}

gs_code gs_run_payload_encode(gs_run_coder *coder, gs_run_codec codec, const void *raw,
                              size_t raw_bytes, uint8_t *to, size_t *bytes, gs_status *st)
{
    codec = codec_for(codec, raw_bytes);
    GS_TRY(codecs[codec].encode(coder, raw, raw_bytes, to, bytes, st));
    gs_assert(*bytes > 0 || raw_bytes == 0); /* nothing could be made of nothing again */
    return GS_OK;
}

/* --- blocks ------------------------------------------------------------------ */

size_t gs_run_codec_bound(gs_run_codec codec, size_t raw_bytes)
{
    return codecs[codec_for(codec, raw_bytes)].bound(raw_bytes);
}

size_t gs_run_block_bound(size_t raw_bytes)
{
    size_t most = 0;
    for (gs_run_codec i = GS_RUN_CODEC_RAW; i < GS_RUN_CODEC_COUNT; i++) {
        const size_t bound = gs_run_codec_bound(i, raw_bytes);
        most = bound > most ? bound : most;
    }
    return sizeof(gs_run_block_header) + most;
}

static uint64_t checksum_of(const gs_run_block_header *header, const uint8_t *payload)
{
    const uint64_t seed = XXH3_64bits(header, offsetof(gs_run_block_header, checksum));
    return gs_checksum(payload, header->stored_bytes, seed);
}

gs_code gs_run_block_encode(gs_run_coder *coder, gs_run_codec codec, const void *raw,
                            size_t raw_bytes, uint32_t record_count, uint8_t *to,
                            size_t *stored, gs_status *st)
{
    gs_assert(raw_bytes <= UINT32_MAX);
    uint8_t *const payload = to + sizeof(gs_run_block_header);
    size_t payload_bytes = 0;
    GS_TRY(
        gs_run_payload_encode(coder, codec, raw, raw_bytes, payload, &payload_bytes, st));
    if (codec != GS_RUN_CODEC_RAW && payload_bytes >= raw_bytes) {
        codec = GS_RUN_CODEC_RAW;
        GS_TRY(encode_raw(coder, raw, raw_bytes, payload, &payload_bytes, st));
    }
    gs_run_block_header header = {
        .version = GS_RUN_BLOCK_VERSION,
        .codec = (uint8_t)codec,
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

gs_code gs_run_block_decode(gs_run_coder *coder, const uint8_t *from, size_t available,
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
    if (header.codec >= GS_RUN_CODEC_COUNT ||
        codecs[header.codec].decode(coder, payload, header.stored_bytes, to, capacity) !=
            header.raw_bytes)
        return fail_damaged(place, "payload does not decompress", st);
    *raw_bytes = header.raw_bytes;
    *record_count = header.record_count;
    *stored = sizeof header + header.stored_bytes;
    return GS_OK;
}
