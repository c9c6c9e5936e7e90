/* SPDX-License-Identifier: MIT */
/*
 * head_device: an index on a GPU, which finds terms and reads the beginnings of their
 * lists (gpu/lists/head_lists.h).
 *
 * The device has the dictionary and, where they do not fit, not all posting lists: of
 * each no more than a head needs, and those of most documents first, since words are
 * asked for about as often as they come. What is taken there is compared with its sums
 * before.
 *
 * Only of an index of one segment of which nothing is deleted.
 */
#ifndef GS_LIB_INDEX_LOOKUP_HEAD_DEVICE_H
#define GS_LIB_INDEX_LOOKUP_HEAD_DEVICE_H

#include "gpu/lists/head_lists.h"
#include "lib/base/log.h"
#include "lib/base/team.h"
#include "lib/index/segment/segments.h"

typedef struct gs_head_device_options {
    const gs_index *index;
    int device;
    size_t memory_bytes; /* on it, at most; 0: what is free less a reserve */
    uint64_t head;
    unsigned lanes;
    gs_team *team; /* that looks at the dictionary, if not all fits */
    const gs_log *log;
} gs_head_device_options;

/* Why a GPU cannot have it, whatever it is; NULL: it may. */
const char *gs_head_device_unfit(const gs_segments *segments, uint64_t head);

GS_MUST_CHECK gs_code gs_head_device_new(gs_head_lists **out,
                                         const gs_head_device_options *options,
                                         gs_status *st);

#endif
