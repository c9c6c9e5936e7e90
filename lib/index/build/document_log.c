/* SPDX-License-Identifier: MIT */
#include "lib/index/build/document_log.h"

#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/quote.h"

enum { BUFFER_BYTES = 1 << 18 };

typedef struct log_head {
    uint32_t name_bytes, length;
} log_head;

_Static_assert(sizeof(log_head) == 8, "on-disk layout");

static gs_code fail_damaged(const gs_document_log *log, gs_status *st)
{
    gs_quoted q;
    (void)GS_FAIL(st, GS_ERR_FORMAT, 0, "%s: damaged: a document ends behind it",
                  gs_quote_name(&q, log->file.path));
    return gs_status_hint(st, "remove the folder of --checkpoint to begin anew");
}

/* A name may be longer than what is taken at once. */
static gs_code take_name(gs_document_log *log, size_t bytes, void **name,
                         size_t *capacity, gs_status *st)
{
    if (gs_append_file_left(&log->file) < bytes)
        return fail_damaged(log, st);
    if (*capacity < bytes) {
        GS_TRY(gs_mem_resize(name, bytes, "name of a document", st));
        *capacity = bytes;
    }
    for (size_t at = 0; at < bytes;) {
        const size_t n = bytes - at < BUFFER_BYTES ? bytes - at : BUFFER_BYTES;
        const uint8_t *data;
        GS_TRY(gs_append_file_take(&log->file, &data, n, st));
        memcpy((uint8_t *)*name + at, data, n);
        at += n;
    }
    return GS_OK;
}

static gs_code replay_one(gs_document_log *log, void **name, size_t *capacity,
                          gs_document_fn *fn, void *context, gs_status *st)
{
    const uint8_t *data;
    log_head head;
    if (gs_append_file_left(&log->file) < sizeof head)
        return fail_damaged(log, st);
    GS_TRY(gs_append_file_take(&log->file, &data, sizeof head, st));
    memcpy(&head, data, sizeof head);
    GS_TRY(take_name(log, head.name_bytes, name, capacity, st));
    return fn(context, *name, head.name_bytes, head.length, st);
}

static gs_code replay(gs_document_log *log, gs_document_fn *fn, void *context,
                      gs_status *st)
{
    void *name = NULL;
    size_t capacity = 0;
    while (st->code == GS_OK && gs_append_file_left(&log->file) > 0)
        GS_NOTED(replay_one(log, &name, &capacity, fn, context, st));
    gs_mem_free(name);
    return st->code;
}

gs_code gs_document_log_open(gs_document_log *log, const char *path,
                             const gs_document_mark *mark, gs_document_fn *fn,
                             void *context, gs_status *st)
{
    *log = (gs_document_log){.file.fd = -1};
    GS_TRY(gs_append_file_open_kept(&log->file, path, mark->bytes, mark->sum,
                                    BUFFER_BYTES, st));
    if (mark->bytes == 0)
        return GS_OK;
    GS_TRY(replay(log, fn, context, st));
    GS_TRY(gs_append_file_check(&log->file, st));
    return gs_append_file_go_on(&log->file, st);
}

void gs_document_log_close(gs_document_log *log)
{
    gs_append_file_close(&log->file);
}

gs_code gs_document_log_add(gs_document_log *log, const void *name, size_t name_bytes,
                            uint32_t length, gs_status *st)
{
    const log_head head = {(uint32_t)name_bytes, length};
    GS_TRY(gs_append_file_put(&log->file, &head, sizeof head, st));
    return gs_append_file_put(&log->file, name, name_bytes, st);
}

gs_code gs_document_log_sync(gs_document_log *log, gs_document_mark *mark, gs_status *st)
{
    GS_TRY(gs_append_file_sync(&log->file, st));
    mark->sum = gs_append_file_sum_so_far(&log->file);
    mark->bytes = log->file.bytes;
    return GS_OK;
}
