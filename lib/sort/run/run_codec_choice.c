/* SPDX-License-Identifier: MIT */
#include "lib/sort/run/run_codec_choice.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "lib/base/machine.h"
#include "lib/base/mem.h"

enum {
    SAMPLE_BLOCKS = 8,
    DECODE_SHARE = 3, /* reading back costs about a third of writing */
};

/* A byte written and read again, in nanoseconds, on a disk that does 1.5 GB/s each way.
 */
static const double disk_ns_per_byte = 2 / 1.5;

gs_codec gs_run_codec_choose(const uint8_t *text, size_t text_bytes, unsigned workers,
                             size_t block_bytes, const gs_log *log)
{
    gs_status st = {.code = GS_OK};
    const char *const forced = getenv("GS_SPILL_CODEC");
    if (forced != NULL)
        return forced[0] == 'z' ? GS_CODEC_ZSTD : GS_CODEC_RAW;
    if (text_bytes < SAMPLE_BLOCKS * block_bytes)
        return GS_CODEC_ZSTD;
    uint8_t *room = NULL;
    const size_t capacity = ZSTD_compressBound(block_bytes);
    ZSTD_CCtx *const context = ZSTD_createCCtx();
    if (context == NULL ||
        gs_mem_new(&room, capacity + block_bytes, "codec sample", &st) != GS_OK) {
        (void)ZSTD_freeCCtx(context);
        return GS_CODEC_RAW;
    }
    /* The first block warms up and is not counted. */
    size_t stored = 0;
    uint64_t begin = 0;
    const size_t step = text_bytes / SAMPLE_BLOCKS;
    for (size_t i = 0; i < SAMPLE_BLOCKS; i++) {
        if (i == 1)
            begin = gs_machine_now_ns();
        /* A copy: zstd counts on it that nobody writes to what it compresses. */
        uint8_t *const sample = room + capacity;
        memcpy(sample, text + i * step, block_bytes);
        const size_t n = ZSTD_compressCCtx(context, room, capacity, sample, block_bytes,
                                           GS_RUN_ZSTD_LEVEL);
        if (i > 0)
            stored += ZSTD_isError(n) ? block_bytes : n;
    }
    const double raw = (double)((SAMPLE_BLOCKS - 1) * block_bytes);
    const double ns = (double)(gs_machine_now_ns() - begin) / raw;
    const double saved = 1 - (double)stored / raw;
    (void)ZSTD_freeCCtx(context);
    gs_mem_free(room);
    const double cost = ns * (1 + 1.0 / DECODE_SHARE) / workers;
    const bool pays = saved * disk_ns_per_byte > cost;
    gs_log_say(log, GS_LOG_INFO,
               "runs are %s: zstd would save %.0f %% at %.2f ns a byte and core",
               pays ? "compressed" : "not compressed", saved * 100, ns);
    return pays ? GS_CODEC_ZSTD : GS_CODEC_RAW;
}
