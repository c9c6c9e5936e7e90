/* SPDX-License-Identifier: MIT */
#include "lib/sort/run/run_codec_choice.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/machine.h"
#include "lib/base/mem.h"

enum {
    SAMPLE_BLOCKS = 8,
    DECODE_SHARE = 3, /* reading back costs about a third of writing */
};
_Static_assert(GS_RUN_CODEC_COUNT == 2, "DECODE_SHARE is zstd's, or holds of others too");

/* A disk that does 1.5 GB/s each way; a file in memory that one thread writes at 3.4 and
 * several read. */
double gs_run_disk_ns(bool is_in_memory)
{
    return is_in_memory ? 1 / 3.4 + 0.1 : 2 / 1.5;
}

/* What a codec does to the sample. */
typedef struct sample_result {
    double saved; /* of a byte */
    double ns;    /* a byte */
} sample_result;

/* `to` has room for a block, and behind that for a copy of what is compressed. */
static sample_result try_codec(gs_run_coder *coder, gs_run_codec codec,
                               const uint8_t *text, size_t text_bytes, size_t block_bytes,
                               uint8_t *to)
{
    uint8_t *const sample = to + gs_run_block_bound(block_bytes);
    const size_t step = text_bytes / SAMPLE_BLOCKS;
    const double raw = (double)((SAMPLE_BLOCKS - 1) * block_bytes);
    size_t stored = 0;
    uint64_t begin = 0;
    for (size_t i = 0; i < SAMPLE_BLOCKS; i++) {
        gs_status st = {.code = GS_OK};
        size_t bytes;
        if (i == 1) /* the first block warms up and is not counted */
            begin = gs_machine_now_ns();
        /* A copy: zstd relies on nothing being written to what it compresses. */
        memcpy(sample, text + i * step, block_bytes);
        if (gs_run_payload_encode(coder, codec, sample, block_bytes, to, &bytes, &st) !=
            GS_OK)
            bytes = block_bytes;
        stored += i > 0 ? bytes : 0;
    }
    return (sample_result){.saved = 1 - (double)stored / raw,
                           .ns = (double)(gs_machine_now_ns() - begin) / raw};
}

gs_run_codec_choice gs_run_codec_choose(const uint8_t *text, size_t text_bytes,
                                        unsigned workers, size_t block_bytes,
                                        double disk_ns, const gs_log *log)
{
    gs_status st = {.code = GS_OK};
    const char *const forced = getenv("GS_SPILL_CODEC");
    gs_run_codec_choice best = {GS_RUN_CODEC_RAW, 0};
    double best_gain = 0;
    uint8_t *room = NULL;
    gs_run_coder *coder = NULL;
    if (forced != NULL)
        return (gs_run_codec_choice){gs_run_codec_named(forced), 0};
    if (text_bytes < SAMPLE_BLOCKS * block_bytes) /* too little to be timed */
        return (gs_run_codec_choice){GS_RUN_CODEC_ZSTD, 0};
    if (gs_run_coder_new(&coder, &st) == GS_OK)
        GS_NOTED(gs_mem_new(&room, gs_run_block_bound(block_bytes) + block_bytes,
                            "codec sample", &st));
    for (gs_run_codec c = GS_RUN_CODEC_RAW + 1; room != NULL && c < GS_RUN_CODEC_COUNT;
         c++) {
        const sample_result r = try_codec(coder, c, text, text_bytes, block_bytes, room);
        const double cost = r.ns * (1 + 1.0 / DECODE_SHARE) / workers;
        const double gain = r.saved * disk_ns - cost;
        gs_log_say(log, GS_LOG_INFO,
                   "runs by %s: would save %.0f %% at %.2f ns a byte and core",
                   gs_run_codec_name(c), r.saved * 100, r.ns);
        if (gain > best_gain) {
            best = (gs_run_codec_choice){c, r.saved};
            best_gain = gain;
        }
    }
    gs_log_say(log, GS_LOG_INFO, "runs are written %s%s",
               best.codec == GS_RUN_CODEC_RAW ? "as they are" : "by ",
               best.codec == GS_RUN_CODEC_RAW ? "" : gs_run_codec_name(best.codec));
    gs_mem_free(room);
    gs_run_coder_free(coder);
    return best;
}
