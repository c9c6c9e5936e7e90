/* SPDX-License-Identifier: MIT */
#include "lib/index/write/name_pack.h"

#include <string.h>

#include "lib/base/mem.h"
#include "lib/index/write/name_check.h"

static const char what[] = "names of documents";

void gs_name_pack_begin(gs_name_pack *p, uint64_t first, bool packs)
{
    const size_t over = (size_t)(first % GS_INDEX_NAME_BLOCK);
    p->first = first;
    p->lead_max = !packs ? SIZE_MAX : over == 0 ? 0 : GS_INDEX_NAME_BLOCK - over;
    p->count = p->lead = p->lead_bytes = 0;
    p->packed_bytes = p->start_count = p->last_bytes = 0;
}

void gs_name_pack_release(gs_name_pack *p)
{
    gs_mem_free(p->lengths);
    gs_mem_free(p->lead_names);
    gs_mem_free(p->lead_ends);
    gs_mem_free(p->packed);
    gs_mem_free(p->hashes);
    gs_mem_free(p->starts);
    gs_mem_free(p->last);
    *p = (gs_name_pack){0};
}

const uint8_t *gs_name_pack_lead(const gs_name_pack *p, size_t index, size_t *bytes)
{
    const size_t begin = index > 0 ? p->lead_ends[index - 1] : 0;
    *bytes = p->lead_ends[index] - begin;
    return p->lead_names + begin;
}

static gs_code add_lead(gs_name_pack *p, const uint8_t *name, size_t bytes, gs_status *st)
{
    GS_TRY(gs_mem_grow(&p->lead_names, &p->lead_capacity, p->lead_bytes + bytes + 1, what,
                       st));
    GS_TRY(gs_mem_grow(&p->lead_ends, &p->lead_end_capacity, p->lead + 1, what, st));
    if (bytes > 0)
        memcpy(p->lead_names + p->lead_bytes, name, bytes);
    p->lead_bytes += bytes;
    p->lead_ends[p->lead++] = p->lead_bytes;
    return GS_OK;
}

static gs_code pack(gs_name_pack *p, const uint8_t *name, size_t bytes, gs_status *st)
{
    const size_t index = p->count - p->lead;
    GS_TRY(gs_mem_grow(&p->packed, &p->packed_capacity,
                       p->packed_bytes + GS_NAME_HEAD_BYTES_MAX + bytes, what, st));
    GS_TRY(gs_mem_grow(&p->hashes, &p->hash_capacity, index + 1, what, st));
    GS_TRY(gs_mem_grow(&p->last, &p->last_capacity, bytes + 1, what, st));
    if (index % GS_INDEX_NAME_BLOCK == 0) {
        GS_TRY(gs_mem_grow(&p->starts, &p->start_capacity, p->start_count + 1, what, st));
        p->starts[p->start_count++] = p->packed_bytes;
        p->last_bytes = 0;
    }
    p->hashes[index] = gs_name_hash(name, bytes);
    const size_t shared = gs_name_shared(p->last, p->last_bytes, name, bytes);
    uint8_t *to = gs_name_head_put(p->packed + p->packed_bytes, shared, bytes);
    if (bytes > shared) {
        memcpy(to, name + shared, bytes - shared);
        memcpy(p->last + shared, name + shared, bytes - shared);
    }
    p->packed_bytes = (size_t)(to - p->packed) + (bytes - shared);
    p->last_bytes = bytes;
    return GS_OK;
}

gs_code gs_name_pack_add(gs_name_pack *p, const void *name, size_t bytes, uint32_t length,
                         gs_status *st)
{
    GS_TRY(gs_mem_grow(&p->lengths, &p->length_capacity, p->count + 1, what, st));
    if (p->lead < p->lead_max)
        GS_TRY(add_lead(p, name, bytes, st));
    else
        GS_TRY(pack(p, name, bytes, st));
    p->lengths[p->count++] = length;
    return GS_OK;
}
