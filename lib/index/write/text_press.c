/* SPDX-License-Identifier: MIT */
#include "lib/index/write/text_press.h"

#include <errno.h>
#include <zstd.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"

struct gs_text_press {
    ZSTD_CCtx *zstd;
    uint8_t stored[ZSTD_COMPRESSBOUND(GS_TEXT_BLOCK_BYTES)];
};

gs_code gs_text_press_new(gs_text_press **out, gs_status *st)
{
    *out = NULL;
    gs_text_press *p = NULL;
    GS_TRY(gs_mem_new(&p, sizeof *p, "texts", st));
    p->zstd = ZSTD_createCCtx();
    if (p->zstd == NULL) {
        gs_text_press_free(p);
        return GS_FAIL(st, GS_ERR_NOMEM, ENOMEM, "zstd context");
    }
    *out = p;
    return GS_OK;
}

void gs_text_press_free(gs_text_press *p)
{
    if (p == NULL)
        return;
    (void)ZSTD_freeCCtx(p->zstd);
    gs_mem_free(p);
}

gs_code gs_text_press_run(gs_text_press *p, const uint8_t *block, size_t bytes,
                          gs_text_span *out, gs_status *st)
{
    gs_assert(bytes > 0 && bytes <= GS_TEXT_BLOCK_BYTES);
    const size_t n = ZSTD_compressCCtx(p->zstd, p->stored, sizeof p->stored, block, bytes,
                                       GS_TEXT_LEVEL);
    if (ZSTD_isError(n))
        return GS_FAIL(st, GS_ERR_NOMEM, 0, "zstd: %s", ZSTD_getErrorName(n));
    *out = (gs_text_span){p->stored, n};
    return GS_OK;
}
