/* SPDX-License-Identifier: MIT */
/* record: lengths come back as they were put, from empty lines to keys of more than 4
 * GiB, which several keys of a long line are together. */
#include "lib/sort/record/record.h"

#include <stdio.h>

#include "lib/base/mem.h"
#include "tests/check.h"

/* Nothing but the heads is touched: the rest are addresses without memory. */
static void lengths_come_back(uint8_t *arena, size_t offset, size_t key_bytes,
                              size_t line_bytes)
{
    for (unsigned kind = 0; kind < 3; kind++) {
        const gs_record_layout layout = {.is_keyed = kind > 0, .is_key_only = kind == 2};
        const size_t key = layout.is_keyed ? key_bytes : 0;
        const size_t string = key + (layout.is_key_only ? 0 : line_bytes);
        const size_t head = gs_record_head_bytes(&layout, string);
        gs_record_put_head(&layout, arena + offset, string,
                           layout.is_key_only ? line_bytes : key);
        const gs_record r = gs_record_at(&layout, arena, gs_where_pack(offset, string));
        CHECK(r.string == arena + offset + head && r.string_bytes == string);
        CHECK(r.line == r.string + key && r.line_bytes == line_bytes);
    }
}

int main(void)
{
    static const size_t keys[] = {0,
                                  1,
                                  65536,
                                  GS_WHERE_LENGTH_LONG - 1,
                                  GS_WHERE_LENGTH_LONG,
                                  (size_t)3 << 30,
                                  UINT32_MAX,
                                  (size_t)UINT32_MAX + 1,
                                  (size_t)9 << 30};
    static const size_t lines[] = {0, 1, GS_WHERE_LENGTH_LONG - 1, GS_WHERE_LENGTH_LONG,
                                   (size_t)2 << 30};
    const size_t bytes = (size_t)12 << 30;
    gs_status st = {.code = GS_OK};
    void *arena = NULL;
    if (gs_mem_map(&arena, bytes, false, "addresses", &st) != GS_OK)
        return 77; /* they are scarce here */
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        for (size_t n = 0; n < sizeof lines / sizeof *lines; n++)
            lengths_come_back(arena, 4096 + k, keys[k], lines[n]);
    gs_mem_unmap(arena, bytes);
    return check_result();
}
