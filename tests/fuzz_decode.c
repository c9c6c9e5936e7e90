/* SPDX-License-Identifier: MIT */
/*
 * Packed input of any bytes: no crash, no hang, no more memory than was said, and the
 * same text, or an error, in whatever pieces it comes and goes. What is packed here comes
 * back whole, and cut short it is an error.
 *
 *      kind u8 | bytes of a piece in u8 | out u8 | the rest
 *
 * Kinds: 0 as it is recognised, 1 zstd, 2 gzip, 3 the rest is text: packed as zstd, then
 * 4 as gzip, and read back.
 */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "io/decode.h"
#include "lib/base/mem.h"
#include "tests/check.h"

enum { HEAD_BYTES = 3, OUT_MAX = 1 << 20, KINDS = 5 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct outcome {
    gs_code code;
    size_t bytes; /* of text, of which OUT_MAX are kept */
    bool is_cut;  /* there was more */
} outcome;

/* All of it, in pieces of so many bytes in and out. */
static outcome decode(gs_compression kind, const uint8_t *from, size_t size, size_t in,
                      size_t out, uint8_t *text)
{
    gs_decoder *d = NULL;
    gs_status st = {.code = GS_OK};
    outcome o = {.code = GS_OK};
    size_t at = 0;
    REQUIRE(gs_decoder_new(&d, kind, "it", &st) == GS_OK);
    for (;;) {
        const size_t piece = size - at < in ? size - at : in;
        const size_t room = OUT_MAX - o.bytes < out ? OUT_MAX - o.bytes : out;
        size_t taken = 0, made = 0;
        /* As much as there is, and no more, for the address sanitizer. */
        void *copy = NULL;
        REQUIRE(gs_mem_new(&copy, piece + 1, "piece", &st) == GS_OK);
        memcpy(copy, from + at, piece);
        const gs_code code =
            gs_decoder_run(d, copy, piece, &taken, text + o.bytes, room, &made, &st);
        gs_mem_free(copy);
        if (code != GS_OK)
            break;
        REQUIRE(taken <= piece && made <= room);
        at += taken;
        o.bytes += made;
        o.is_cut = o.bytes == OUT_MAX;
        if (o.is_cut || (taken == 0 && made == 0))
            break;
    }
    if (st.code == GS_OK && !o.is_cut) {
        REQUIRE(at == size);
        GS_NOTED(gs_decoder_end(d, &st));
    }
    REQUIRE(st.code == GS_OK || st.msg[0] != '\0');
    REQUIRE(st.code == GS_OK || st.code == GS_ERR_FORMAT || st.code == GS_ERR_NOMEM);
    o.code = st.code;
    gs_decoder_free(d);
    return o;
}

/* Formats of zstd before its first release, which the library may read and which look no
 * further than they must. We never take an input for one. */
static bool is_legacy(const uint8_t *from, size_t size)
{
    return size >= 4 && from[0] >= 0x22 && from[0] <= 0x27 && from[1] == 0xb5 &&
           from[2] == 0x2f && from[3] == 0xfd;
}

/* However it is cut, the text is the same, and so is whether it is sound. */
static void decode_both_ways(gs_compression kind, const uint8_t *from, size_t size,
                             size_t in, size_t out)
{
    static uint8_t whole[OUT_MAX], cut[OUT_MAX];
    if (kind == GS_COMPRESSION_ZSTD && is_legacy(from, size))
        return;
    const outcome a = decode(kind, from, size, size, OUT_MAX, whole);
    const outcome b = decode(kind, from, size, in, out, cut);
    if (a.is_cut || b.is_cut)
        return;
    REQUIRE((a.code == GS_OK) == (b.code == GS_OK));
    if (a.code == GS_OK)
        REQUIRE(a.bytes == b.bytes && memcmp(whole, cut, a.bytes) == 0);
}

static size_t pack_gzip(const uint8_t *text, size_t size, uint8_t *to, size_t room)
{
    z_stream z = {0};
    REQUIRE(deflateInit2(&z, 1, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    z.next_in = (Bytef *)(uintptr_t)text;
    z.avail_in = (uInt)size;
    z.next_out = to;
    z.avail_out = (uInt)room;
    REQUIRE(deflate(&z, Z_FINISH) == Z_STREAM_END);
    const size_t bytes = z.total_out;
    REQUIRE(deflateEnd(&z) == Z_OK);
    return bytes;
}

/* There and back; then one byte less, and two of them one behind the other. */
static void pack(gs_compression kind, const uint8_t *text, size_t size, size_t in,
                 size_t out)
{
    static uint8_t packed[1 << 18], back[OUT_MAX];
    enum { ROOM = sizeof packed / 2 };
    if (size > 1 << 15)
        return;
    const size_t bytes = kind == GS_COMPRESSION_GZIP
                             ? pack_gzip(text, size, packed, ROOM)
                             : ZSTD_compress(packed, ROOM, text, size, 1);
    REQUIRE(bytes <= ROOM);
    REQUIRE(gs_decode_recognise(packed, bytes) == kind);
    outcome o = decode(kind, packed, bytes, in, out, back);
    REQUIRE(o.code == GS_OK && o.bytes == size && memcmp(back, text, size) == 0);
    REQUIRE(decode(kind, packed, bytes - 1, in, out, back).code == GS_ERR_FORMAT);
    memcpy(packed + bytes, packed, bytes);
    o = decode(kind, packed, 2 * bytes, in, out, back);
    REQUIRE(o.code == GS_OK && o.bytes == 2 * size);
    REQUIRE(memcmp(back, text, size) == 0 && memcmp(back + size, text, size) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEAD_BYTES)
        return 0;
    const size_t in = 1 + data[1], out = 1 + 16 * (size_t)data[2];
    const unsigned what = data[0] % KINDS;
    const uint8_t *const from = data + HEAD_BYTES;
    const size_t bytes = size - HEAD_BYTES;
    const gs_compression known = gs_decode_recognise(from, bytes);
    if (known != GS_COMPRESSION_NONE)
        (void)gs_decode_memory_bytes(known, from, bytes);
    if (what >= 3)
        pack(what == 3 ? GS_COMPRESSION_ZSTD : GS_COMPRESSION_GZIP, from, bytes, in, out);
    else if (what > 0 || known != GS_COMPRESSION_NONE)
        decode_both_ways(what == 0   ? known
                         : what == 1 ? GS_COMPRESSION_ZSTD
                                     : GS_COMPRESSION_GZIP,
                         from, bytes, in, out);
    return 0;
}
