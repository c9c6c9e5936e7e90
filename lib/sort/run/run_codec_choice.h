/* SPDX-License-Identifier: MIT */
/*
 * run_codec_choice: should runs be compressed?
 *
 * Compression costs core time and saves disk time. A sample of the records is compressed
 * and timed, by each codec; the best is taken if the bytes it saves, written and read
 * back at the speed of a good disk, or of memory, outweigh its time spread over the
 * workers.
 */
#ifndef GS_LIB_SORT_RUN_RUN_CODEC_CHOICE_H
#define GS_LIB_SORT_RUN_RUN_CODEC_CHOICE_H

#include "io/run_block.h"
#include "lib/base/log.h"

typedef struct gs_run_codec_choice {
    gs_run_codec codec;
    double saved; /* of a byte, by it; 0 if that was not tried */
} gs_run_codec_choice;

/* Nanoseconds for a byte that is written to a run, and read again. */
double gs_run_disk_ns(bool is_in_memory);

/* `text` is some of the records that the runs will hold. The environment may name a codec
 * in GS_SPILL_CODEC, for measuring; a name that is not known means none. */
gs_run_codec_choice gs_run_codec_choose(const uint8_t *text, size_t text_bytes,
                                        unsigned workers, size_t block_bytes,
                                        double disk_ns, const gs_log *log);

#endif
