/* SPDX-License-Identifier: MIT */
#include "lib/sort/run/run.h"

#include <string.h>

#include "lib/base/mem.h"

_Static_assert(sizeof(gs_run_entry) == 88, "no padding");

void gs_run_release(gs_run *run)
{
    gs_mem_free(run->entries);
    *run = (gs_run){0};
}

/* Entries as they are in memory. */
static gs_code pack_entries(gs_packer *p, const gs_run *run, gs_status *st)
{
    GS_TRY(gs_pack_number(p, run->entry_count, st));
    for (size_t i = 0; i < run->entry_count; i++) {
        const gs_run_entry *const e = &run->entries[i];
        GS_TRY(gs_pack_number(p, e->offset, st));
        GS_TRY(gs_pack_number(p, (uint64_t)e->stored_bytes << 32 | e->raw_bytes, st));
        GS_TRY(gs_pack_number(p, (uint64_t)e->record_bytes << 32 | e->record_count, st));
        GS_TRY(gs_pack_string(p, e->key, e->key_bytes, st));
    }
    return GS_OK;
}

gs_code gs_run_pack(gs_packer *p, const gs_run *run, gs_status *st)
{
    GS_TRY(gs_pack_number(p, run->extent.offset, st));
    GS_TRY(gs_pack_number(p, run->extent.bytes, st));
    GS_TRY(gs_pack_number(p, run->stored_bytes, st));
    GS_TRY(gs_pack_number(p, run->record_count, st));
    GS_TRY(gs_pack_number(p, run->raw_bytes_max, st));
    return pack_entries(p, run, st);
}

/* False if the entry is none, or does not lie behind what `end` says. */
static bool unpack_entry(gs_unpacker *u, const gs_run *run, gs_run_entry *e,
                         uint64_t *end)
{
    size_t key_bytes;
    e->offset = gs_unpack_number(u);
    const uint64_t sizes = gs_unpack_number(u);
    const uint64_t counts = gs_unpack_number(u);
    const uint8_t *const key = gs_unpack_string(u, &key_bytes);
    e->stored_bytes = (uint32_t)(sizes >> 32);
    e->raw_bytes = (uint32_t)sizes;
    e->record_bytes = (uint32_t)(counts >> 32);
    e->record_count = (uint32_t)counts;
    if (u->is_short || key_bytes > GS_RUN_KEY_BYTES || e->offset < *end ||
        e->raw_bytes > run->raw_bytes_max || e->stored_bytes > run->stored_bytes ||
        e->offset > run->stored_bytes - e->stored_bytes)
        return false;
    e->key_bytes = (uint8_t)key_bytes;
    memcpy(e->key, key, key_bytes);
    *end = e->offset + e->stored_bytes;
    return true;
}

static bool unpack_entries(gs_unpacker *u, gs_run *run, size_t count)
{
    uint64_t end = 0, records = 0;
    for (size_t i = 0; i < count; i++) {
        if (!unpack_entry(u, run, &run->entries[i], &end))
            return false;
        records += run->entries[i].record_count;
    }
    run->entry_count = run->entry_capacity = count;
    return records == run->record_count;
}

gs_code gs_run_unpack(gs_unpacker *u, uint64_t file_bytes, gs_run *run, bool *is_sound,
                      gs_status *st)
{
    enum { ENTRY_BYTES_MIN = 4 * sizeof(uint64_t) };
    *run = (gs_run){.extent.fd = -1};
    run->extent.offset = gs_unpack_number(u);
    run->extent.bytes = gs_unpack_number(u);
    run->stored_bytes = gs_unpack_number(u);
    run->record_count = gs_unpack_number(u);
    const uint64_t raw_bytes_max = gs_unpack_number(u);
    const uint64_t count = gs_unpack_number(u);
    run->raw_bytes_max = (uint32_t)raw_bytes_max;
    *is_sound =
        !u->is_short && raw_bytes_max <= UINT32_MAX &&
        count <= u->left / ENTRY_BYTES_MIN && run->extent.offset % GS_SPILL_ALIGN == 0 &&
        run->extent.bytes % GS_SPILL_ALIGN == 0 && run->extent.bytes <= file_bytes &&
        run->extent.offset <= file_bytes - run->extent.bytes &&
        run->stored_bytes <= run->extent.bytes;
    if (!*is_sound)
        return GS_OK;
    GS_TRY(gs_mem_new_array(&run->entries, (size_t)count, sizeof *run->entries,
                            "run index", st));
    *is_sound = unpack_entries(u, run, (size_t)count);
    if (!*is_sound)
        gs_run_release(run);
    return GS_OK;
}
