/* SPDX-License-Identifier: MIT */
#include "lib/part/frame_reader.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include "lib/base/checksum.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"

struct gs_frame_reader {
    const char *name;
    int fd;
    uint64_t frames, at; /* that were read, and where the present one begins */
    uint64_t read_bytes;
    gs_part_frame_head head;
    uint64_t last_sum;
    uint32_t part_count;
    uint32_t part;           /* whose frames come */
    uint64_t part_bytes;     /* of its text so far */
    uint64_t bytes, records; /* of the parts that have ended */
    bool has_header, has_block;
    ZSTD_DCtx *zstd; /* made with the reader: want of memory is no damage */
    uint8_t *payload, *text;
    size_t payload_capacity, text_capacity;
};

static gs_code fail(const gs_frame_reader *r, const char *why, gs_status *st)
{
    gs_quoted q;
    (void)GS_FAIL(st, GS_ERR_FORMAT, 0, "%s: frame %llu, at byte %llu: %s",
                  gs_quote_name(&q, r->name), (unsigned long long)r->frames,
                  (unsigned long long)r->at, why);
    return gs_status_hint(st,
                          "`gpusort partition --framed' makes such a stream; this one "
                          "is damaged, or something else");
}

static gs_code read_bytes(gs_frame_reader *r, void *to, size_t bytes, gs_status *st)
{
    gs_quoted q;
    for (size_t done = 0; done < bytes;) {
        const ssize_t n = read(r->fd, (uint8_t *)to + done, bytes - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return GS_FAIL(st, GS_ERR_IO, errno, "read failed: %s",
                           gs_quote_name(&q, r->name));
        if (n == 0)
            return fail(r, "the stream ends there", st);
        done += (size_t)n;
        r->read_bytes += (uint64_t)n;
    }
    return GS_OK;
}

static gs_code read_head(gs_frame_reader *r, gs_status *st)
{
    gs_part_frame_head *const h = &r->head;
    r->at = r->read_bytes;
    GS_TRY(read_bytes(r, h, sizeof *h, st));
    if (memcmp(h->magic, GS_PART_FRAME_MAGIC, sizeof h->magic) != 0)
        return fail(r, "it does not begin as a frame does", st);
    if (XXH3_64bits_withSeed(h, GS_PART_FRAME_HEAD_SUMMED, r->last_sum) != h->head_sum)
        return fail(r, "the checksum of its head is wrong", st);
    r->last_sum = h->head_sum;
    return GS_OK;
}

/* Memory grows with what is really there. */
static gs_code read_payload(gs_frame_reader *r, gs_status *st)
{
    const size_t bytes = r->head.stored_bytes;
    for (size_t done = 0; done < bytes;) {
        const size_t n =
            bytes - done < GS_PART_FRAME_TEXT_MAX ? bytes - done : GS_PART_FRAME_TEXT_MAX;
        GS_TRY(gs_mem_grow(&r->payload, &r->payload_capacity, done + n, "a frame", st));
        GS_TRY(read_bytes(r, r->payload + done, n, st));
        done += n;
    }
    return gs_checksum(r->payload, bytes, 0) == r->head.payload_sum
               ? GS_OK
               : fail(r, "the checksum of its text is wrong", st);
}

static gs_code unpack(gs_frame_reader *r, const uint8_t **text, gs_status *st)
{
    const gs_part_frame_head *const h = &r->head;
    *text = r->payload;
    if (h->kind != GS_PART_FRAME_BLOCK && h->kind != GS_PART_FRAME_HEADER)
        return GS_OK; /* there is none */
    if (h->codec == GS_PART_FRAME_RAW)
        return h->bytes == h->stored_bytes ? GS_OK : fail(r, "its length is wrong", st);
    if (h->codec != GS_PART_FRAME_ZSTD || h->kind != GS_PART_FRAME_BLOCK)
        return fail(r, "its text is packed in an unknown way", st);
    GS_TRY(gs_mem_grow(&r->text, &r->text_capacity, (size_t)h->bytes + 1, "a frame", st));
    *text = r->text;
    const size_t bytes = ZSTD_decompressDCtx(r->zstd, r->text, (size_t)h->bytes,
                                             r->payload, h->stored_bytes);
    return bytes == h->bytes ? GS_OK : fail(r, "its text cannot be unpacked", st);
}

/* Does the frame stand where it may? */
static const char *why_misplaced(const gs_frame_reader *r)
{
    const gs_part_frame_head *const h = &r->head;
    const bool has_text =
        h->kind == GS_PART_FRAME_BLOCK || h->kind == GS_PART_FRAME_HEADER;
    if (!has_text && h->stored_bytes != 0)
        return "its length is wrong";
    switch (h->kind) {
    case GS_PART_FRAME_HEADER:
        return r->has_header || r->has_block || r->part > 0 ? "a header is out of place"
                                                            : NULL;
    case GS_PART_FRAME_BLOCK:
        if (h->bytes > GS_PART_FRAME_TEXT_MAX || h->stored_bytes > h->bytes)
            return "its length is wrong";
        return h->part != r->part || h->part >= r->part_count ? "its part is out of place"
                                                              : NULL;
    case GS_PART_FRAME_PART_END:
        if (h->part != r->part || h->part >= r->part_count)
            return "its part is out of place";
        return h->bytes != r->part_bytes ? "its part has another length" : NULL;
    case GS_PART_FRAME_END:
        if (r->part != r->part_count)
            return "parts are missing";
        return h->bytes != r->bytes || h->records != r->records
                   ? "the parts have another length"
                   : NULL;
    default: return "it is of an unknown kind";
    }
}

static void count_frame(gs_frame_reader *r)
{
    const gs_part_frame_head *const h = &r->head;
    r->has_header |= h->kind == GS_PART_FRAME_HEADER;
    r->has_block |= h->kind == GS_PART_FRAME_BLOCK;
    if (h->kind == GS_PART_FRAME_BLOCK)
        r->part_bytes += h->bytes;
    if (h->kind != GS_PART_FRAME_PART_END)
        return;
    r->part++;
    r->part_bytes = 0;
    r->bytes += h->bytes;
    r->records += h->records;
}

gs_code gs_frame_reader_next(gs_frame_reader *r, const gs_part_frame_head **head,
                             const uint8_t **text, gs_status *st)
{
    r->frames++;
    *head = &r->head;
    GS_TRY(read_head(r, st));
    const char *const why = why_misplaced(r);
    if (why != NULL)
        return fail(r, why, st);
    GS_TRY(read_payload(r, st));
    GS_TRY(unpack(r, text, st));
    count_frame(r);
    char behind;
    if (r->head.kind == GS_PART_FRAME_END && read(r->fd, &behind, 1) == 1)
        return fail(r, "something comes behind it, the last one", st);
    return GS_OK;
}

static gs_code read_start(gs_frame_reader *r, gs_status *st)
{
    const gs_part_frame_head *const h = &r->head;
    GS_TRY(read_head(r, st));
    if (h->kind != GS_PART_FRAME_START || h->stored_bytes != 0 || h->part == 0)
        return fail(r, "it is no start", st);
    if (h->records != GS_PART_FRAMES_VERSION)
        return fail(r, "a version of the format that this program does not read", st);
    r->part_count = h->part;
    return GS_OK;
}

gs_code gs_frame_reader_new(gs_frame_reader **out, int fd, const char *name,
                            gs_status *st)
{
    gs_frame_reader *r = NULL;
    *out = NULL;
    GS_TRY(gs_mem_new(&r, sizeof *r, "frames", st));
    r->fd = fd;
    r->name = name;
    r->zstd = ZSTD_createDCtx();
    if (r->zstd == NULL)
        (void)GS_FAIL(st, GS_ERR_NOMEM, ENOMEM, "zstd context");
    if (st->code == GS_OK && read_start(r, st) == GS_OK)
        *out = r;
    else
        gs_frame_reader_free(r);
    return st->code;
}

void gs_frame_reader_free(gs_frame_reader *r)
{
    if (r == NULL)
        return;
    (void)ZSTD_freeDCtx(r->zstd);
    gs_mem_free(r->payload);
    gs_mem_free(r->text);
    gs_mem_free(r);
}

uint32_t gs_frame_reader_part_count(const gs_frame_reader *r)
{
    return r->part_count;
}
