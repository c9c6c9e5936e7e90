/* SPDX-License-Identifier: MIT */
#include "lib/index/build/index_plan.h"

#include "io/block.h"
#include "io/input_copy.h"
#include "lib/base/share.h"
#include "lib/index/block/blocks.h"
#include "lib/index/build/block_fill.h"
#include "lib/index/text/documents.h"

enum {
    KIB = 1024,
    MIB = 1024 * 1024,
    WORKER_BYTES = 768 * 1024, /* tokens, caches, folding, coders */
    PARTS_A_WORKER = 4,
    RANGES_A_WORKER = 4,
    RANGES_MAX = 4096,
    DEVICE_PIECES = 256,
    LONG_BYTES_MIN = 16 * MIB, /* for long documents, whatever S is */
};

/* That a worker has at a time. */
static size_t batches(const gs_index_plan *p)
{
    return p->text_piece_bytes > 0 ? GS_FILL_BATCHES : 1;
}

/* All but blocks, dictionary and writer, while blocks are filled and spilled. */
static size_t fixed_bytes(const gs_index_plan *p)
{
    const gs_memory_plan *const r = &p->runs;
    const size_t input =
        p->block_count * (r->block_bytes + GS_BLOCK_HEADROOM + GS_BLOCK_SLACK);
    const size_t texts = batches(p) * 2 * r->block_bytes; /* lists of documents */
    const size_t pieces = 2 * p->piece_bytes + 4 * r->run_block_bytes;
    const size_t lane =
        p->text_piece_bytes > 0
            ? p->gpu_count * gs_device_block_worker_bytes(p->text_piece_bytes)
            : 0;
    const size_t copy = p->text_piece_bytes > 0 ? GS_INPUT_COPY_BYTES : 0; /* of pipes */
    return input + copy +
           p->workers * (texts + pieces + WORKER_BYTES + p->text_bytes + lane) +
           r->stream_blocks * r->block_bytes;
}

/* Most batches are one piece, also of tuples, which go as they are; on a GPU of little
 * memory, whose blocks have room for any piece whatever it holds, more. */
static size_t piece_bytes(const gs_index_build_options *build, size_t block_bytes)
{
    const size_t memory = build->sorter.gpu_memory_bytes;
    const size_t most = memory > 0 ? memory / DEVICE_PIECES : SIZE_MAX;
    return gs_clamp(block_bytes < most ? block_bytes : most, GS_TEXT_PIECE_BYTES_MIN,
                    2 * (size_t)MIB);
}

/* Workers, and what is the same for each, however much there is for blocks. */
static void plan_workers(gs_index_plan *p, const gs_index_build_options *build,
                         gs_block_kind kind, size_t usable)
{
    gs_memory_plan *const r = &p->runs;
    p->workers = gs_share_workers(build->threads);
    r->block_bytes = gs_clamp(gs_power_below(usable / 256), 64 * KIB, MIB);
    r->stream_block_bytes = r->block_bytes;
    r->run_block_bytes = gs_clamp(r->block_bytes / 4, 32 * KIB, 64 * KIB);
    p->gpu_count = build->sorter.gpu_count > 0 ? build->sorter.gpu_count : 1;
    if (kind == GS_BLOCKS_DEVICE)
        p->text_piece_bytes = piece_bytes(build, r->block_bytes + GS_BLOCK_HEADROOM);
    for (;; p->workers /= 2) {
        p->block_count = GS_BLOCKS_IN_FLIGHT + (1 + batches(p)) * (size_t)p->workers;
        r->stream_blocks = 4 + 2 * (size_t)p->workers;
        p->piece_bytes = gs_clamp(usable / (64 * p->workers), 128 * KIB, 4 * MIB);
        if (p->workers == 1 || fixed_bytes(p) < usable / 2)
            break;
    }
    r->workers = p->workers;
}

/* The rest: blocks, their dictionary, and what they give up for the longest documents. */
static void plan_blocks(gs_index_plan *p, gs_block_kind kind, size_t usable)
{
    p->document_bytes_max =
        gs_clamp(p->limit_bytes / 4, LONG_BYTES_MIN, GS_DOCUMENT_BYTES_MAX);
    p->long_bytes = gs_clamp(usable / 16, LONG_BYTES_MIN, p->document_bytes_max);
    const size_t taken = fixed_bytes(p) + p->writer_bytes + p->decode_bytes +
                         (p->long_bytes - LONG_BYTES_MIN);
    const size_t gather =
        gs_clamp(usable > taken ? usable - taken : 0, 0, p->limit_bytes);
    if (kind == GS_BLOCKS_TUPLES)
        p->dictionary_bytes =
            gs_clamp(gather / 4, GS_DICTIONARY_BYTES_MIN, (size_t)8 << 30);
    else if (kind == GS_BLOCKS_DEVICE) /* and the rest for documents that are long */
        p->dictionary_bytes =
            gs_clamp(gather / 2, GS_DICTIONARY_BYTES_MIN, (size_t)64 << 30);
    const size_t least = gs_block_set_bytes_min(kind);
    const size_t blocks = gather > p->dictionary_bytes ? gather - p->dictionary_bytes : 0;
    p->gather_bytes = gs_clamp(blocks / p->workers, least, SIZE_MAX);
    const size_t room = (p->document_bytes_max - p->long_bytes) / p->workers;
    p->room_bytes = gs_clamp(room, 0, p->gather_bytes - least);
}

static void plan_runs(gs_index_plan *p, size_t usable)
{
    const gs_memory_plan *const r = &p->runs;
    /* A range should fit a piece, so that no worker waits for its turn for long. */
    const size_t fitting = 2 * (p->gather_bytes * p->workers / p->piece_bytes);
    p->range_count =
        gs_clamp(fitting, (size_t)RANGES_A_WORKER * p->workers, (size_t)RANGES_MAX);
    const size_t fixed = p->writer_bytes + r->stream_blocks * r->block_bytes +
                         p->workers * (2 * p->piece_bytes + WORKER_BYTES);
    p->merge_bytes = gs_clamp(usable > fixed ? usable - fixed : 0, 4 * MIB,
                              usable > 4 * MIB ? usable : 4 * MIB);
}

gs_code gs_index_plan_make(gs_index_plan *p, const gs_index_build_options *build,
                           gs_block_kind kind, gs_status *st)
{
    const gs_memory_share memory = gs_machine_memory_share(build->memory_bytes);
    const size_t usable = memory.usable_bytes;
    *p = (gs_index_plan){.limit_bytes = memory.limit_bytes,
                         .text_bytes = build->has_texts ? GS_TEXT_PACK_BYTES : 0};
    plan_workers(p, build, kind, usable);
    p->writer_bytes = gs_clamp(usable / 8, 2 * MIB, 64 * MIB);
    p->decode_bytes = usable / 64;
    plan_blocks(p, kind, usable);
    plan_runs(p, usable);
    return gs_index_parts_fit(&p->part_count,
                              p->workers == 1 ? 1 : PARTS_A_WORKER * p->workers,
                              build->has_positions, st);
}
