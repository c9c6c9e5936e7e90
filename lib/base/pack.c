/* SPDX-License-Identifier: MIT */
#include "lib/base/pack.h"

#include <string.h>

#include "lib/base/mem.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "records are little-endian");

void gs_packer_release(gs_packer *p)
{
    gs_mem_free(p->data);
    *p = (gs_packer){0};
}

static gs_code put(gs_packer *p, const void *data, size_t bytes, gs_status *st)
{
    GS_TRY(gs_mem_grow(&p->data, &p->capacity, p->bytes + bytes, "a record", st));
    if (bytes > 0)
        memcpy(p->data + p->bytes, data, bytes);
    p->bytes += bytes;
    return GS_OK;
}

gs_code gs_pack_number(gs_packer *p, uint64_t value, gs_status *st)
{
    return put(p, &value, sizeof value, st);
}

gs_code gs_pack_string(gs_packer *p, const void *data, size_t bytes, gs_status *st)
{
    GS_TRY(gs_pack_number(p, bytes, st));
    return put(p, data, bytes, st);
}

uint64_t gs_unpack_number(gs_unpacker *u)
{
    uint64_t value = 0;
    if (u->left < sizeof value) {
        u->is_short = true;
        u->left = 0;
        return 0;
    }
    memcpy(&value, u->at, sizeof value);
    u->at += sizeof value;
    u->left -= sizeof value;
    return value;
}

const uint8_t *gs_unpack_string(gs_unpacker *u, size_t *bytes)
{
    const uint64_t length = gs_unpack_number(u);
    const uint8_t *const data = u->at;
    if (length > u->left) {
        u->is_short = true;
        u->left = *bytes = 0;
        return data;
    }
    *bytes = (size_t)length;
    u->at += length;
    u->left -= (size_t)length;
    return data;
}
