/* SPDX-License-Identifier: MIT */
#include "lib/index/format/stored_text.h"

#include <xxhash.h>

bool gs_text_begins_group(const void *name, size_t name_bytes, uint64_t text_bytes)
{
    const uint64_t chance = XXH3_64bits(name, name_bytes) % GS_TEXT_GROUP_BYTES;
    return chance < text_bytes;
}
