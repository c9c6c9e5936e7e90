/* SPDX-License-Identifier: MIT */
#include "lib/index/text/token.h"

#include "lib/base/mem.h"

gs_code gs_token_batch_init(gs_token_batch *batch, gs_status *st)
{
    batch->count = batch->used = 0;
    batch->document = 0;
    batch->bytes = NULL;
    GS_TRY(gs_mem_new(&batch->bytes, GS_TOKEN_BYTES + 2 * GS_TERM_PAD, "tokens", st));
    return GS_OK;
}

void gs_token_batch_release(gs_token_batch *batch)
{
    gs_mem_free(batch->bytes);
    batch->bytes = NULL;
}
