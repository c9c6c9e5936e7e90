/* SPDX-License-Identifier: MIT */
/*
 * text_sort_stub: gpu/text/text_sort.h for builds without CUDA: there is none.
 */
#include "gpu/text/text_sort.h"
#include "lib/base/assertion.h"

#pragma GCC diagnostic ignored "-Wunused-parameter" /* of all functions here */

static gs_code refuse(gs_status *st)
{
    return GS_FAIL(st, GS_ERR_GPU, 0, "this build has no GPU engines (CUDA=0)");
}

gs_code gs_text_sort_new(gs_text_sort **out, const gs_text_sort_options *options,
                         gs_status *st)
{
    *out = NULL;
    return refuse(st);
}

void gs_text_sort_free(gs_text_sort *t)
{
    gs_assert(t == NULL);
}

gs_code gs_text_sort_upload(gs_text_sort *t, const void *data, size_t bytes, bool add_eol,
                            bool *is_full, uint64_t *ticket, gs_status *st)
{
    *is_full = false;
    *ticket = 0;
    return refuse(st);
}

gs_code gs_text_sort_uploads_done(gs_text_sort *t, const uint64_t *wait_for,
                                  uint64_t *done, gs_status *st)
{
    *done = 0;
    return refuse(st);
}

gs_code gs_text_sort_run(gs_text_sort *t, gs_text_shape shape, bool drop_equals,
                         uint64_t keep, gs_text_result *out, gs_status *st)
{
    *out = (gs_text_result){0};
    return refuse(st);
}

gs_code gs_text_sort_fetch_text(gs_text_sort *t, unsigned slot, uint64_t offset,
                                size_t bytes, void *to, gs_status *st)
{
    return refuse(st);
}

gs_code gs_text_sort_fetch_wait(gs_text_sort *t, unsigned slot, gs_status *st)
{
    return refuse(st);
}

gs_code gs_text_sort_cut(gs_text_sort *t, uint64_t first, size_t bytes,
                         uint64_t count_max, uint64_t *count, uint64_t *out_bytes,
                         gs_status *st)
{
    *count = *out_bytes = 0;
    return refuse(st);
}

gs_code gs_text_sort_fetch_records(gs_text_sort *t, uint64_t first, uint64_t count,
                                   uint64_t bytes, gs_text_record *records, uint8_t *data,
                                   gs_status *st)
{
    return refuse(st);
}

void gs_text_sort_reset(gs_text_sort *t)
{
}

uint64_t gs_text_sort_bytes(const gs_text_sort *t)
{
    return 0;
}

size_t gs_text_sort_device_bytes(const gs_text_sort *t)
{
    return 0;
}

size_t gs_text_sort_memory_bytes(const gs_text_sort *t)
{
    return 0;
}

bool gs_text_sort_is_half(const gs_text_sort *t)
{
    return false;
}

void gs_text_pin(void *memory, size_t bytes)
{
}

void gs_text_unpin(void *memory)
{
}
