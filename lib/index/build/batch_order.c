/* SPDX-License-Identifier: MIT */
#include "lib/index/build/batch_order.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

#include "lib/base/mem.h"

/* What a batch passes on, kept until the batches before it have passed on theirs. */
typedef struct held_batch {
    struct held_batch *next; /* by ticket */
    uint64_t ticket, first_line;
    size_t input_index;
    gs_name_pack names; /* of documents */
    size_t bad_count, item_count;
    /* Items of texts; then, of tuples, those gs_bad_document. */
    uint8_t data[];
} held_batch;

_Static_assert(offsetof(held_batch, data) % _Alignof(gs_bad_document) == 0, "aligned");
_Static_assert(offsetof(held_batch, data) % _Alignof(gs_text_item) == 0, "aligned");
_Static_assert(sizeof(gs_text_item) % _Alignof(gs_bad_document) == 0, "aligned");

struct gs_batch_order {
    gs_documents_fn *fn; /* NULL: tuples */
    void *context;
    gs_text_writer *texts; /* NULL: they are not stored */
    gs_bad_documents *bad;
    pthread_mutex_t mutex; /* guards what follows, and what is given on */
    uint64_t ticket;       /* of the batch that is given on next */
    held_batch *held;
};

gs_code gs_batch_order_new(gs_batch_order **out, gs_documents_fn *fn, void *context,
                           gs_text_writer *texts, gs_bad_documents *bad, gs_status *st)
{
    *out = NULL;
    gs_batch_order *o = NULL;
    GS_TRY(gs_mem_new(&o, sizeof *o, "order of batches", st));
    o->fn = fn;
    o->context = context;
    o->texts = texts;
    o->bad = bad;
    pthread_mutex_init(&o->mutex, NULL);
    *out = o;
    return GS_OK;
}

void gs_batch_order_free(gs_batch_order *o)
{
    if (o == NULL)
        return;
    while (o->held != NULL) {
        held_batch *const next = o->held->next;
        gs_name_pack_release(&o->held->names);
        gs_mem_free(o->held);
        o->held = next;
    }
    pthread_mutex_destroy(&o->mutex);
    gs_mem_free(o);
}

bool gs_batch_order_is_empty(const gs_batch_order *o)
{
    return o->held == NULL;
}

static const gs_text_item *held_items(const held_batch *h)
{
    return (const gs_text_item *)(const void *)h->data;
}

/* Behind those. */
static uint8_t *held_data(held_batch *h)
{
    return h->data + h->item_count * sizeof(gs_text_item);
}

static gs_code give_documents(const gs_batch_order *o, const gs_name_pack *names,
                              const gs_text_item *items, size_t item_count, gs_status *st)
{
    GS_TRY(o->fn(o->context, names, st));
    return o->texts != NULL ? gs_text_writer_take(o->texts, items, item_count, st)
                            : GS_OK;
}

static gs_code give_list(gs_batch_order *o, const gs_done_batch *done, gs_status *st)
{
    const gs_bad_place place = {done->batch->input_index, done->first_line, done->batch,
                                &o->bad->build->document};
    if (o->fn == NULL)
        return gs_bad_documents_tell(o->bad, &place, done->list->bad,
                                     done->list->bad_count, st);
    return give_documents(o, done->names, done->items, done->item_count, st);
}

static gs_code give_held(gs_batch_order *o, held_batch *h, gs_status *st)
{
    const gs_bad_place place = {h->input_index, h->first_line, NULL,
                                &o->bad->build->document};
    if (o->fn == NULL)
        return gs_bad_documents_tell(o->bad, &place,
                                     (const gs_bad_document *)(const void *)held_data(h),
                                     h->bad_count, st);
    return give_documents(o, &h->names, held_items(h), h->item_count, st);
}

/* Keeps what a worker has to give on, for later. */
static gs_code hold_locked(gs_batch_order *o, const gs_done_batch *done, gs_status *st)
{
    const size_t bad_count = o->fn == NULL ? done->list->bad_count : 0;
    const size_t bad_bytes = bad_count * sizeof *done->list->bad;
    const size_t item_bytes = done->item_count * sizeof(gs_text_item);
    held_batch *h = NULL;
    GS_TRY(gs_mem_new(&h, sizeof(held_batch) + item_bytes + bad_bytes,
                      "names of documents", st));
    h->item_count = done->item_count;
    if (item_bytes > 0)
        memcpy(h->data, done->items, item_bytes);
    h->ticket = done->batch->ticket;
    h->first_line = done->first_line;
    h->input_index = done->batch->input_index;
    h->bad_count = bad_count;
    if (bad_bytes > 0)
        memcpy(held_data(h), done->list->bad, bad_bytes);
    if (o->fn != NULL) {
        h->names = *done->names;
        *done->names = (gs_name_pack){0};
    }
    held_batch **place = &o->held;
    while (*place != NULL && (*place)->ticket < h->ticket)
        place = &(*place)->next;
    h->next = *place;
    *place = h;
    return GS_OK;
}

static gs_code give_locked(gs_batch_order *o, const gs_done_batch *done, gs_status *st)
{
    if (done->batch->ticket != o->ticket)
        return hold_locked(o, done, st);
    GS_TRY(give_list(o, done, st));
    o->ticket++;
    while (o->held != NULL && o->held->ticket == o->ticket) {
        held_batch *const h = o->held;
        GS_TRY(give_held(o, h, st));
        o->held = h->next;
        gs_name_pack_release(&h->names);
        gs_mem_free(h);
        o->ticket++;
    }
    return GS_OK;
}

gs_code gs_batch_order_give(gs_batch_order *o, const gs_done_batch *done, gs_status *st)
{
    pthread_mutex_lock(&o->mutex);
    const gs_code code = give_locked(o, done, st);
    pthread_mutex_unlock(&o->mutex);
    return code;
}
