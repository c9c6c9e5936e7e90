/* SPDX-License-Identifier: MIT */
#include "lib/index/format/posting_tail.h"

#include "lib/base/assertion.h"
#include "lib/base/bits.h"
#include "lib/index/format/interpolate.h"

enum { WIDTH_BITS = 6 };

uint8_t *gs_tail_put(uint8_t *to, const gs_tail_frame *frame, const uint64_t *docs,
                     const uint64_t *tfs_less_one)
{
    gs_bit_writer w = {.to = to};
    uint64_t sums[GS_TAIL_MAX], more = 0;
    gs_assert(frame->count <= GS_TAIL_MAX);
    for (size_t i = 0; i < frame->count; i++) {
        more += tfs_less_one[i];
        sums[i] = more + i + 1;
    }
    gs_assert(!frame->has_more || frame->more == more);
    if (frame->count == 0)
        return to;
    gs_interpolate_put(&w, docs, frame->count, frame->first, frame->below - 1);
    if (!frame->has_more) {
        const unsigned width = gs_bit_length(more);
        gs_bits_put(&w, width, WIDTH_BITS);
        gs_bits_put(&w, more, width);
    }
    if (more > 0)
        gs_interpolate_put(&w, sums, frame->count - 1, 1, more + frame->count - 1);
    return gs_bits_end(&w);
}

static bool get_more(gs_bit_reader *r, const gs_tail_frame *frame, uint64_t *more)
{
    *more = frame->more;
    if (!frame->has_more) {
        const unsigned width = (unsigned)gs_bits_get(r, WIDTH_BITS);
        if (width > GS_BITS_MAX)
            return false;
        *more = gs_bits_get(r, width);
    }
    return *more <= (UINT64_C(1) << 32) * GS_TAIL_MAX;
}

bool gs_tail_get(const uint8_t *from, const uint8_t *end, const gs_tail_frame *frame,
                 uint64_t *docs, uint64_t *tfs)
{
    gs_bit_reader r = {.begin = from, .end = end};
    const size_t count = frame->count;
    uint64_t more, before = 0;
    gs_assert(count <= GS_TAIL_MAX);
    if (count == 0)
        return from == end;
    if (frame->first > frame->below || frame->below - frame->first < count)
        return false;
    gs_interpolate_get(&r, docs, count, frame->first, frame->below - 1);
    if (!get_more(&r, frame, &more))
        return false;
    if (more == 0) {
        for (size_t i = 0; i < count; i++)
            tfs[i] = 1;
    } else {
        gs_interpolate_get(&r, tfs, count - 1, 1, more + count - 1);
        tfs[count - 1] = more + count;
        for (size_t i = 0; i < count; i++) {
            const uint64_t sum = tfs[i];
            tfs[i] = sum - before;
            before = sum;
            if (tfs[i] > UINT32_MAX)
                return false;
        }
    }
    return (r.at + 7) / 8 == (uint64_t)(end - from);
}
