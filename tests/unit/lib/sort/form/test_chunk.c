/* SPDX-License-Identifier: MIT */
/* chunk: however large the budget, no record is given an offset that its element cannot
 * hold. Terabytes are addresses here, of which no page is touched. */
#include "lib/sort/form/chunk.h"

#include "tests/check.h"

int main(void)
{
    const size_t tib = (size_t)1 << 40, step = tib / 8 - (1 << 20);
    const gs_record_layout layout = {.has_eol = true, .eol = '\n'};
    const gs_chunk_limits limits = {
        .budget_bytes = 3 * tib, .soft_bytes = 3 * tib, .workers = 2};
    gs_status st = {.code = GS_OK};
    gs_chunk chunk;
    if (gs_chunk_init(&chunk, &layout, &limits, NULL, &st) != GS_OK)
        return 77; /* addresses are scarce here */
    CHECK(gs_chunk_copy_bytes(&limits) <= tib);
    const gs_chunk_want want = {.copied_bytes = step, .count = 1, .text_bytes = step};
    size_t offset, index, count = 0;
    while (count < 100 && gs_chunk_reserve(&chunk, &want, &offset, &index)) {
        CHECK(offset == count * step && offset + step <= tib);
        CHECK(gs_where_offset(gs_where_pack(offset + step - 1, 1)) == offset + step - 1);
        count++;
    }
    CHECK(count == 8);
    gs_chunk_reset(&chunk);
    CHECK(gs_chunk_reserve(&chunk, &want, &offset, &index) && offset == 0);
    gs_chunk_release(&chunk);
    return check_result();
}
