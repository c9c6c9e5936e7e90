/* SPDX-License-Identifier: MIT */
#include "lib/part/frame_packer.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <zstd.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/base/team.h"

enum {
    ZSTD_LEVEL = 1, /* a network is seldom faster */
    THREADS_MAX = 16,
    BLOCKS_A_THREAD = 2,
    FRAMES_A_BLOCK = 4, /* of small parts, whose blocks are small too */
};

typedef struct waiting_frame {
    gs_part_frame_head head;
    size_t text_at, packed_at;
} waiting_frame;

struct gs_frame_packer {
    gs_frame_put_fn *put;
    void *context;
    gs_team *team;
    unsigned threads;
    ZSTD_CCtx **zstd; /* one a thread */
    waiting_frame *frames;
    size_t count, count_max;
    uint8_t *text, *packed;
    size_t text_used, text_bytes, packed_used, packed_bytes;
    atomic_size_t next;
};

gs_code gs_frame_packer_new(gs_frame_packer **out, unsigned threads, gs_frame_put_fn *put,
                            void *context, gs_status *st)
{
    gs_frame_packer *p = NULL;
    *out = NULL;
    GS_TRY(gs_mem_new(&p, sizeof *p, "parts", st));
    p->put = put;
    p->context = context;
    p->threads = threads > THREADS_MAX ? THREADS_MAX : threads;
    const size_t blocks = (size_t)p->threads * BLOCKS_A_THREAD;
    p->count_max = blocks * FRAMES_A_BLOCK;
    p->text_bytes = blocks * GS_PART_FRAME_TEXT_MAX;
    p->packed_bytes = blocks * ZSTD_compressBound(GS_PART_FRAME_TEXT_MAX);
    GS_TRY_OR_FAIL(gs_team_new(&p->team, p->threads, st));
    GS_TRY_OR_FAIL(
        gs_mem_new_array(&p->zstd, p->threads, sizeof(ZSTD_CCtx *), "zstd contexts", st));
    for (unsigned i = 0; i < p->threads; i++) {
        p->zstd[i] = ZSTD_createCCtx();
        if (p->zstd[i] == NULL) {
            (void)GS_FAIL(st, GS_ERR_NOMEM, ENOMEM, "zstd context");
            goto fail;
        }
    }
    GS_TRY_OR_FAIL(
        gs_mem_new_array(&p->frames, p->count_max, sizeof *p->frames, "frames", st));
    GS_TRY_OR_FAIL(gs_mem_map(&p->text, p->text_bytes, false, "frames", st));
    GS_TRY_OR_FAIL(gs_mem_map(&p->packed, p->packed_bytes, false, "packed frames", st));
    *out = p;
    return GS_OK;
fail:
    gs_frame_packer_free(p);
    return st->code;
}

void gs_frame_packer_free(gs_frame_packer *p)
{
    if (p == NULL)
        return;
    gs_team_free(p->team);
    for (unsigned i = 0; p->zstd != NULL && i < p->threads; i++)
        (void)ZSTD_freeCCtx(p->zstd[i]);
    gs_mem_free(p->zstd);
    gs_mem_free(p->frames);
    if (p->text != NULL)
        gs_mem_unmap(p->text, p->text_bytes);
    if (p->packed != NULL)
        gs_mem_unmap(p->packed, p->packed_bytes);
    gs_mem_free(p);
}

void gs_frame_packer_drop(gs_frame_packer *p)
{
    p->count = p->text_used = p->packed_used = 0;
}

/* One that would not become smaller stays as it is. */
static gs_code pack(void *context, unsigned worker, gs_status *st)
{
    gs_frame_packer *const p = context;
    for (;;) {
        const size_t i = atomic_fetch_add(&p->next, 1);
        if (i >= p->count)
            return GS_OK;
        waiting_frame *const f = &p->frames[i];
        const size_t bytes = (size_t)f->head.bytes;
        if (f->head.kind != GS_PART_FRAME_BLOCK)
            continue;
        const size_t n = ZSTD_compressCCtx(p->zstd[worker], p->packed + f->packed_at,
                                           ZSTD_compressBound(bytes),
                                           p->text + f->text_at, bytes, ZSTD_LEVEL);
        if (ZSTD_isError(n))
            return GS_FAIL(st, GS_ERR_NOMEM, 0, "zstd: %s", ZSTD_getErrorName(n));
        f->head.codec = n < bytes ? GS_PART_FRAME_ZSTD : GS_PART_FRAME_RAW;
        f->head.stored_bytes = (uint32_t)(n < bytes ? n : bytes);
    }
}

gs_code gs_frame_packer_flush(gs_frame_packer *p, gs_status *st)
{
    atomic_store(&p->next, 0);
    GS_TRY(gs_team_run(p->team, pack, p, st));
    for (size_t i = 0; i < p->count; i++) {
        waiting_frame *const f = &p->frames[i];
        const bool is_packed = f->head.codec == GS_PART_FRAME_ZSTD;
        GS_TRY(p->put(p->context, &f->head,
                      is_packed ? p->packed + f->packed_at : p->text + f->text_at, st));
    }
    gs_frame_packer_drop(p);
    return GS_OK;
}

gs_code gs_frame_packer_add(gs_frame_packer *p, const gs_part_frame_head *head,
                            const uint8_t *text, gs_status *st)
{
    const size_t bytes = head->kind == GS_PART_FRAME_BLOCK ? (size_t)head->bytes : 0;
    const size_t most = bytes > 0 ? ZSTD_compressBound(bytes) : 0;
    gs_assert(bytes <= GS_PART_FRAME_TEXT_MAX);
    if (p->count == p->count_max || p->text_bytes - p->text_used < bytes ||
        p->packed_bytes - p->packed_used < most)
        GS_TRY(gs_frame_packer_flush(p, st));
    p->frames[p->count++] = (waiting_frame){*head, p->text_used, p->packed_used};
    if (bytes > 0)
        memcpy(p->text + p->text_used, text, bytes);
    p->text_used += bytes;
    p->packed_used += most;
    return GS_OK;
}
