/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * part_frame: all parts of a partition in one stream, for a pipe to another machine.
 *
 *      +-------+--------+ +-------+------+-----+----------+ +-----+ ... +-----+
 *      | start | header | | block | text | ... | part end | |  .. part 1  ... | end |
 *      +-------+--------+ +-------+------+-----+----------+ +-----+ ... +-----+
 *                          part 0
 *
 * Every frame has a head of 48 bytes, and some have a payload behind it. All numbers are
 * little-endian.
 *
 *       0        4       5        6      8          12              16
 *      +--------+-------+--------+------+----------+---------------+
 *      | "gsPF" | kind  | codec  | 0    | part     | stored bytes  |
 *      +--------+-------+--------+------+----------+---------------+
 *      | bytes                          | records                  |
 *      +--------------------------------+--------------------------+
 *      | XXH3-64 of the payload         | XXH3-64 of bytes 0..39   |
 *      +--------------------------------+--------------------------+
 *
 *      start     part: how many parts there are; records: the version of this format
 *      header    lines that are on top of every part; only if there are some
 *      block     text of a part, cut anywhere: `bytes` of it, as they are (codec 0) or one
 *                zstd frame (codec 1)
 *      part end  bytes and records of the part; parts come in order, all of them
 *      end       bytes and records of all parts; nothing comes behind it
 *
 * The sum of a head is seeded with that of the head before it, of the first with 0: a frame
 * that is missing, comes twice or comes from another stream is damage as any other. Who
 * reads has the head and the payload of each frame checked before any of it is used, and a
 * stream that was cut off has no end.
 */
/* clang-format on */
#ifndef GS_LIB_PART_PART_FRAME_H
#define GS_LIB_PART_PART_FRAME_H

#include <stdint.h>

enum {
    GS_PART_FRAMES_VERSION = 1,
    GS_PART_FRAME_TEXT_MAX = 1 << 20, /* of a block; of a header what memory holds */
    GS_PART_FRAME_HEAD_SUMMED = 40,   /* bytes of a head that its sum is of */
};

typedef enum gs_part_frame_kind {
    GS_PART_FRAME_START = 1,
    GS_PART_FRAME_HEADER,
    GS_PART_FRAME_BLOCK,
    GS_PART_FRAME_PART_END,
    GS_PART_FRAME_END,
} gs_part_frame_kind;

typedef enum gs_part_frame_codec {
    GS_PART_FRAME_RAW,
    GS_PART_FRAME_ZSTD,
} gs_part_frame_codec;

typedef struct gs_part_frame_head {
    char magic[4];
    uint8_t kind, codec;
    uint16_t reserved;
    uint32_t part, stored_bytes;
    uint64_t bytes, records;
    uint64_t payload_sum, head_sum;
} gs_part_frame_head;

_Static_assert(sizeof(gs_part_frame_head) == 48, "in the stream");

#define GS_PART_FRAME_MAGIC "gsPF"

#endif
