/* SPDX-License-Identifier: MIT */
#include "lib/index/format/length_table.h"

#include "lib/base/mem.h"

static uint8_t lesser(uint8_t a, uint8_t b)
{
    return a < b ? a : b;
}

static void share_places(gs_length_table *t)
{
    for (size_t i = 0; i < GS_LENGTH_TABLE_PLACES / 2; i++)
        t->codes[i] = lesser(t->codes[2 * i], t->codes[2 * i + 1]);
    t->shift++;
}

gs_code gs_length_table_add(gs_length_table *t, uint32_t length, gs_status *st)
{
    if (t->codes == NULL) {
        GS_TRY(
            gs_mem_map(&t->codes, GS_LENGTH_TABLE_PLACES, false, "document lengths", st));
    }
    if (t->count >> t->shift == GS_LENGTH_TABLE_PLACES)
        share_places(t);
    const uint8_t code = gs_code_below(length);
    uint8_t *const place = &t->codes[t->count >> t->shift];
    const bool is_first = (t->count & ((UINT64_C(1) << t->shift) - 1)) == 0;
    *place = is_first ? code : lesser(*place, code);
    t->count++;
    return GS_OK;
}

void gs_length_table_release(gs_length_table *t)
{
    gs_mem_unmap(t->codes, GS_LENGTH_TABLE_PLACES);
    *t = (gs_length_table){0};
}
