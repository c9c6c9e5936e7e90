/* SPDX-License-Identifier: MIT */
#include "lib/index/build/batch_texts.h"

/* A text a line. */
static uint64_t count_text(const gs_document_list *list, const gs_document *d)
{
    uint64_t bytes = d->text_count > 0 ? d->text_count - 1 : 0;
    for (size_t i = 0; i < d->text_count; i++)
        bytes += list->texts[d->first_text + i].bytes;
    return bytes;
}

gs_batch_texts gs_batch_texts_of(const gs_document_list *list)
{
    gs_batch_texts sum = {.begins_group = false};
    for (size_t i = 0; i < list->count; i++) {
        const gs_document *const d = &list->documents[i];
        const uint64_t bytes = count_text(list, d);
        const bool begins_group =
            gs_text_begins_group(d->name.data, d->name.bytes, bytes);
        sum.begins_group |= begins_group;
        if (sum.begins_group)
            sum.open_after = gs_text_after(sum.open_after, begins_group, bytes);
    }
    return sum;
}

size_t gs_batch_texts_after(const gs_batch_texts *texts, const gs_document_list *list,
                            size_t open_before)
{
    if (texts->begins_group)
        return texts->open_after;
    size_t open = open_before;
    for (size_t i = 0; i < list->count; i++)
        open = gs_text_after(open, false, count_text(list, &list->documents[i]));
    return open;
}

static gs_code pack_document(const gs_document_list *list, const gs_document *d,
                             gs_text_pack *pack, gs_status *st)
{
    GS_TRY(gs_text_pack_document(pack, d->name.data, d->name.bytes, count_text(list, d),
                                 st));
    for (size_t i = 0; i < d->text_count; i++) {
        const gs_text_span *const text = &list->texts[d->first_text + i];
        if (i > 0)
            GS_TRY(gs_text_pack_text(pack, "\n", 1, st));
        GS_TRY(gs_text_pack_text(pack, text->data, text->bytes, st));
    }
    return GS_OK;
}

gs_code gs_batch_texts_pack(const gs_document_list *list, size_t open_before,
                            gs_text_pack *pack, const gs_text_item **items,
                            size_t *item_count, gs_status *st)
{
    gs_text_pack_begin(pack, open_before);
    for (size_t i = 0; i < list->count; i++)
        GS_TRY(pack_document(list, &list->documents[i], pack, st));
    return gs_text_pack_end(pack, items, item_count, st);
}
