/* SPDX-License-Identifier: MIT */
#include "io/decode.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"

enum {
    GZIP_WINDOW_BITS = 15 + 16,
    WINDOW_LOG_MAX = 31, /* `zstd --long=31` */
};

struct gs_decoder {
    gs_compression kind;
    const char *name;
    uint64_t taken_bytes;
    bool is_between; /* no frame is open */
    bool is_padding; /* zero bytes after the last gzip member */
    ZSTD_DStream *zstd;
    z_stream gzip;
    bool has_gzip;
};

gs_compression gs_decode_recognise(const uint8_t *bytes, size_t count)
{
    static const uint8_t zstd[] = {0x28, 0xb5, 0x2f, 0xfd};
    static const uint8_t skippable[] = {0x2a, 0x4d, 0x18};
    if (count >= 4 && memcmp(bytes, zstd, sizeof zstd) == 0)
        return GS_COMPRESSION_ZSTD;
    if (count >= 4 && (bytes[0] & 0xf0) == 0x50 &&
        memcmp(bytes + 1, skippable, sizeof skippable) == 0)
        return GS_COMPRESSION_ZSTD;
    if (count >= 3 && bytes[0] == 0x1f && bytes[1] == 0x8b && bytes[2] == 8)
        return GS_COMPRESSION_GZIP;
    return GS_COMPRESSION_NONE;
}

/* RFC 8878, 3.1.1.1: the window of a zstd frame, 0 if the bytes do not tell. */
static uint64_t zstd_window_bytes(const uint8_t *head, size_t count)
{
    enum { DESCRIPTOR = 4, SINGLE_SEGMENT = 0x20 };
    static const size_t id_bytes[] = {0, 1, 2, 4}, size_bytes[] = {1, 2, 4, 8};
    if (count < DESCRIPTOR + 2)
        return 0;
    const unsigned flags = head[DESCRIPTOR];
    if ((flags & SINGLE_SEGMENT) == 0) {
        const unsigned window = head[DESCRIPTOR + 1];
        const uint64_t base = (uint64_t)1 << (10 + (window >> 3));
        return base + base / 8 * (window & 7);
    }
    const size_t from = DESCRIPTOR + 1 + id_bytes[flags & 3],
                 bytes = size_bytes[flags >> 6];
    uint64_t size = 0;
    for (size_t i = 0; i < bytes && from + i < count; i++)
        size |= (uint64_t)head[from + i] << (8 * i);
    return size;
}

size_t gs_decode_memory_bytes(gs_compression kind, const uint8_t *head, size_t count)
{
    enum { TABLES = 256 * 1024, ZSTD_BLOCK = 128 * 1024, GZIP_WINDOW = 64 * 1024 };
    const uint64_t window =
        kind == GS_COMPRESSION_ZSTD ? zstd_window_bytes(head, count) : GZIP_WINDOW;
    const uint64_t most = (uint64_t)1 << WINDOW_LOG_MAX;
    return (size_t)(window < most ? window : most) + TABLES + 2 * ZSTD_BLOCK;
}

static gs_code fail_memory(const char *name, gs_status *st)
{
    return GS_FAIL(st, GS_ERR_NOMEM, ENOMEM, "%s: no memory to decompress", name);
}

gs_code gs_decoder_new(gs_decoder **out, gs_compression kind, const char *name,
                       gs_status *st)
{
    gs_assert(kind != GS_COMPRESSION_NONE);
    *out = NULL;
    gs_decoder *d = NULL;
    GS_TRY(gs_mem_new(&d, sizeof *d, "decoder", st));
    d->kind = kind;
    d->name = name;
    d->is_between = true;
    if (kind == GS_COMPRESSION_ZSTD)
        d->zstd = ZSTD_createDStream();
    else
        d->has_gzip = inflateInit2(&d->gzip, GZIP_WINDOW_BITS) == Z_OK;
    if (d->zstd == NULL && !d->has_gzip) {
        gs_decoder_free(d);
        return fail_memory(name, st);
    }
    if (d->zstd != NULL)
        (void)ZSTD_DCtx_setParameter(d->zstd, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
    *out = d;
    return GS_OK;
}

void gs_decoder_free(gs_decoder *d)
{
    if (d == NULL)
        return;
    (void)ZSTD_freeDStream(d->zstd);
    if (d->has_gzip)
        (void)inflateEnd(&d->gzip);
    gs_mem_free(d);
}

static gs_code fail_damaged(const gs_decoder *d, const char *what, gs_status *st)
{
    (void)GS_FAIL(st, GS_ERR_FORMAT, 0,
                  "%s: damaged %s data (%s), at compressed byte %llu", d->name,
                  d->kind == GS_COMPRESSION_ZSTD ? "zstd" : "gzip", what,
                  (unsigned long long)d->taken_bytes);
    return gs_status_hint(st, "fetch the file again, or read it as it is with "
                              "--no-decompress");
}

static gs_code run_zstd(gs_decoder *d, const uint8_t *in, size_t in_bytes, size_t *taken,
                        uint8_t *out, size_t out_bytes, size_t *made, gs_status *st)
{
    *taken = *made = 0;
    if (in_bytes == 0 && d->is_between)
        return GS_OK; /* asking for more would begin a new frame */
    ZSTD_inBuffer from = {in, in_bytes, 0};
    ZSTD_outBuffer to = {out, out_bytes, 0};
    const size_t left = ZSTD_decompressStream(d->zstd, &to, &from);
    d->taken_bytes += from.pos;
    if (ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation)
        return fail_memory(d->name, st);
    if (ZSTD_isError(left))
        return fail_damaged(d, ZSTD_getErrorName(left), st);
    d->is_between = left == 0;
    *taken = from.pos;
    *made = to.pos;
    return GS_OK;
}

static gs_code run_gzip(gs_decoder *d, const uint8_t *in, size_t in_bytes, size_t *taken,
                        uint8_t *out, size_t out_bytes, size_t *made, gs_status *st)
{
    *taken = *made = 0;
    if (d->is_between && d->taken_bytes > 0) {
        /* Between members: padding to the end, or another member. */
        while (*taken < in_bytes && in[*taken] == 0) {
            ++*taken;
            d->is_padding = true;
        }
        d->taken_bytes += *taken;
        if (*taken == in_bytes)
            return GS_OK;
        if (d->is_padding)
            return fail_damaged(d, "garbage after the padding", st);
        (void)inflateReset(&d->gzip);
    }
    union {
        const uint8_t *readable;
        uint8_t *bytes; /* zlib only reads it */
    } source = {in + *taken};
    const size_t in_left = in_bytes - *taken;
    d->gzip.next_in = source.bytes;
    d->gzip.avail_in = in_left < UINT_MAX ? (unsigned)in_left : UINT_MAX;
    d->gzip.next_out = out;
    d->gzip.avail_out = out_bytes < UINT_MAX ? (unsigned)out_bytes : UINT_MAX;
    const unsigned in_before = d->gzip.avail_in, out_before = d->gzip.avail_out;
    if (in_before == 0 && d->is_between)
        return GS_OK;
    const int result = inflate(&d->gzip, Z_NO_FLUSH);
    *taken += in_before - d->gzip.avail_in;
    d->taken_bytes += in_before - d->gzip.avail_in;
    *made = out_before - d->gzip.avail_out;
    if (result == Z_MEM_ERROR)
        return fail_memory(d->name, st);
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
        return fail_damaged(d, d->gzip.msg ? d->gzip.msg : "not gzip", st);
    d->is_between = result == Z_STREAM_END;
    return GS_OK;
}

gs_code gs_decoder_run(gs_decoder *d, const uint8_t *in, size_t in_bytes, size_t *taken,
                       uint8_t *out, size_t out_bytes, size_t *made, gs_status *st)
{
    return d->kind == GS_COMPRESSION_ZSTD
               ? run_zstd(d, in, in_bytes, taken, out, out_bytes, made, st)
               : run_gzip(d, in, in_bytes, taken, out, out_bytes, made, st);
}

gs_code gs_decoder_end(const gs_decoder *d, gs_status *st)
{
    return d->is_between ? GS_OK : fail_damaged(d, "cut off", st);
}
