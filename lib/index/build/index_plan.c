/* SPDX-License-Identifier: MIT */
#include "lib/index/build/index_plan.h"

#include <errno.h>

#include "io/block.h"
#include "lib/base/machine.h"
#include "lib/index/block/blocks.h"
#include "lib/index/text/documents.h"

enum {
    KIB = 1024,
    MIB = 1024 * 1024,
    WORKERS_MAX = 256,
    BLOCKS_IN_FLIGHT = 6,
    WORKER_BYTES = 768 * 1024, /* tokens, caches, folding, coders */
    PARTS_A_WORKER = 4,
    FILES_BESIDE = 14, /* that are open while parts are: documents, runs, rings, ours */
    LONG_BYTES_MIN = 16 * MIB, /* for long documents, whatever S is */
};

static size_t clamp(size_t x, size_t least, size_t most)
{
    return x < least ? least : x > most ? most : x;
}

static size_t power_below(size_t x)
{
    size_t p = 1;
    while (p <= x / 2)
        p *= 2;
    return p;
}

/* All but blocks, dictionary and writer, while blocks are filled and spilled. */
static size_t fixed_bytes(const gs_index_plan *p)
{
    const size_t input =
        p->block_count * (p->block_bytes + GS_BLOCK_HEADROOM + GS_BLOCK_SLACK);
    const size_t texts = 2 * p->block_bytes; /* lists of documents */
    const size_t pieces = 2 * p->piece_bytes + 4 * p->run_block_bytes;
    return input + p->workers * (texts + pieces + WORKER_BYTES) +
           p->stream_blocks * p->block_bytes;
}

gs_index_plan gs_index_plan_make(size_t memory_bytes, unsigned threads,
                                 bool has_dictionary)
{
    gs_index_plan p = {0};
    const gs_memory_share memory = gs_machine_memory_share(memory_bytes);
    p.limit_bytes = memory.limit_bytes;
    p.workers = (unsigned)clamp(threads ? threads : gs_machine_cores(), 1, WORKERS_MAX);
    const size_t usable = memory.usable_bytes;
    p.block_bytes = clamp(power_below(usable / 256), 64 * KIB, MIB);
    p.run_block_bytes = clamp(p.block_bytes / 4, 32 * KIB, 64 * KIB);
    for (;;) {
        p.block_count = BLOCKS_IN_FLIGHT + 2 * (size_t)p.workers;
        p.stream_blocks = 4 + 2 * (size_t)p.workers;
        p.piece_bytes = clamp(usable / (64 * p.workers), 128 * KIB, 4 * MIB);
        if (p.workers == 1 || fixed_bytes(&p) < usable / 2)
            break;
        p.workers /= 2;
    }
    p.writer_bytes = clamp(usable / 8, 2 * MIB, 64 * MIB);
    p.decode_bytes = usable / 64;
    p.document_bytes_max =
        clamp(p.limit_bytes / 4, LONG_BYTES_MIN, GS_DOCUMENT_BYTES_MAX);
    p.long_bytes = clamp(usable / 16, LONG_BYTES_MIN, p.document_bytes_max);
    const size_t taken = fixed_bytes(&p) + p.writer_bytes + p.decode_bytes +
                         (p.long_bytes - LONG_BYTES_MIN);
    const size_t gather = clamp(usable > taken ? usable - taken : 0, 0, p.limit_bytes);
    if (has_dictionary)
        p.dictionary_bytes = clamp(gather / 4, GS_DICTIONARY_BYTES_MIN, (size_t)8 << 30);
    const size_t least = has_dictionary ? GS_BSBI_BYTES_MIN : GS_SPIMI_BYTES_MIN;
    const size_t blocks = gather > p.dictionary_bytes ? gather - p.dictionary_bytes : 0;
    p.gather_bytes = clamp(blocks / p.workers, least, SIZE_MAX);
    const size_t merge_fixed = p.writer_bytes + p.stream_blocks * p.block_bytes +
                               p.workers * (2 * p.piece_bytes + WORKER_BYTES);
    p.merge_bytes = clamp(usable > merge_fixed ? usable - merge_fixed : 0, 4 * MIB,
                          usable > 4 * MIB ? usable : 4 * MIB);
    const size_t room = (p.document_bytes_max - p.long_bytes) / p.workers;
    p.room_bytes = clamp(room, 0, p.gather_bytes - least);
    p.part_count = p.workers == 1 ? 1 : PARTS_A_WORKER * p.workers;
    return p;
}

gs_code gs_index_plan_parts(unsigned *out, unsigned wanted, bool has_positions,
                            gs_status *st)
{
    const size_t files = has_positions ? 3 : 2;
    const size_t left = gs_machine_files_left(wanted * files + FILES_BESIDE);
    *out = wanted;
    if (left < files + FILES_BESIDE) {
        (void)GS_FAIL(st, GS_ERR_LIMIT, EMFILE,
                      "%zu more files may be open, and %zu must", left,
                      files + FILES_BESIDE);
        return gs_status_hint(st, "raise the limit of open files with ulimit -n");
    }
    if ((left - FILES_BESIDE) / files < wanted)
        *out = (unsigned)((left - FILES_BESIDE) / files);
    return GS_OK;
}
