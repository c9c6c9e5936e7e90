/* SPDX-License-Identifier: MIT */
#include "lib/index/reorder/name_gain.h"

#include "lib/base/share.h"

enum {
    ASKED_MAX = 1000,
    /* Documents that share terms lie close in any order, and so do their names: of eight
     * bits a byte some are not lost. */
    BITS_A_BYTE = 2,
    BITS_MAX = 64,
};

static uint64_t count_shared(const gs_document_name *a, const gs_document_name *b)
{
    const size_t most = a->bytes < b->bytes ? a->bytes : b->bytes;
    size_t shared = 0;
    while (shared < most && a->text[shared] == b->text[shared])
        shared++;
    return shared;
}

static gs_code ask(const gs_index *index, gs_document_name *names, uint64_t *near,
                   uint64_t *far, uint64_t *asked, gs_status *st)
{
    const uint64_t docs = gs_index_header_of(index)->documents;
    const uint64_t step = docs / ASKED_MAX + 1;
    for (uint64_t doc = 0; doc + 1 < docs; doc += step) {
        const uint64_t other = (doc + docs / 2) % docs;
        GS_TRY(gs_index_document_name(index, doc, &names[0], st));
        GS_TRY(gs_index_document_name(index, doc + 1, &names[1], st));
        GS_TRY(gs_index_document_name(index, other, &names[2], st));
        *near += count_shared(&names[0], &names[1]);
        *far += count_shared(&names[0], &names[2]);
        ++*asked;
    }
    return GS_OK;
}

gs_code gs_name_gain(unsigned *bits, const gs_index *index, gs_status *st)
{
    gs_document_name names[3] = {{0}};
    uint64_t near = 0, far = 0, asked = 0;
    *bits = 0;
    if (gs_index_header_of(index)->has_names)
        GS_NOTED(ask(index, names, &near, &far, &asked, st));
    for (unsigned i = 0; i < 3; i++)
        gs_document_name_release(&names[i]);
    if (near > far)
        *bits =
            (unsigned)gs_clamp((size_t)((near - far) * BITS_A_BYTE / asked), 0, BITS_MAX);
    return st->code;
}
