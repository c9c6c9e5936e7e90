/* SPDX-License-Identifier: MIT */
#include "lib/sort/form/text_lists.h"

#include <sched.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"

static const uint32_t NO_PAGE = UINT32_MAX;

enum {
    STEP_PAGES = GS_FRESH_STEP / GS_TEXT_PAGE, /* taken from the system at once */
};

size_t gs_text_lists_pages(size_t records, size_t text_bytes, size_t lists)
{
    /* A record goes to the next page if it does not fit, or a short copy would not. */
    const size_t a_record = records > 0 ? text_bytes / records : 0;
    const size_t lost = a_record < GS_SHORT_COPY_BYTES ? GS_SHORT_COPY_BYTES : a_record;
    const size_t a_page =
        lost < GS_TEXT_PAGE / 2 ? GS_TEXT_PAGE - lost : GS_TEXT_PAGE / 2;
    return (text_bytes + records * (GS_TEXT_HEAD + 1)) / a_page + lists + 1;
}

gs_code gs_text_lists_init(gs_text_lists *t, size_t list_count, unsigned workers,
                           unsigned sets, size_t page_capacity, gs_places places,
                           gs_status *st)
{
    *t = (gs_text_lists){
        .list_count = list_count, .workers = workers, .sets = sets, .places = places};
    const size_t count = list_count * sets;
    GS_TRY(gs_mem_new_apart(&t->lists, count * sizeof *t->lists, "lists of text", st));
    if (gs_text_lists_are_shared(t))
        GS_TRY(gs_mem_new_apart(&t->repeats, list_count * workers * sizeof *t->repeats,
                                "counts of equal records", st));
    gs_assert(page_capacity < NO_PAGE);
    gs_text_lists_clear(t);
    t->page_capacity = page_capacity;
    GS_TRY(gs_fresh_memory_init(&t->memory, page_capacity * GS_TEXT_PAGE, "lists of text",
                                st));
    t->pages = (gs_text_page *)(void *)t->memory.bytes;
    gs_fresh_memory_take(&t->memory, 0);
    return GS_OK;
}

size_t gs_text_lists_most_pages(const gs_text_lists *t, size_t text_bytes)
{
    enum { LEAST = GS_TEXT_HEAD + 1, A_PAGE = GS_TEXT_PAGE - 2 * GS_SHORT_COPY_BYTES };
    const size_t lists = text_bytes < t->list_count ? text_bytes : t->list_count;
    return text_bytes * LEAST / A_PAGE * 2 + lists + 2;
}

void gs_text_lists_clear(gs_text_lists *t)
{
    const size_t used = gs_text_lists_bytes(t) / GS_TEXT_PAGE;
    const size_t taken = used > 0 ? (used - 1) / STEP_PAGES * STEP_PAGES + STEP_PAGES : 0;
    if (taken > t->pages_taken)
        t->pages_taken = taken;
    atomic_store(&t->pages_used, 0);
    atomic_store(&t->has_places, false);
    if (t->repeats != NULL)
        memset(t->repeats, 0, t->list_count * t->workers * sizeof *t->repeats);
    for (size_t i = 0; i < t->list_count * t->sets; i++)
        /* the end of a page, which asks for another */
        t->lists[i] = (gs_text_list){.tail = (uint8_t *)(uintptr_t)(GS_TEXT_PAGE - 1),
                                     .first_page = NO_PAGE,
                                     .is_one = t->lists[i].is_one};
}

void gs_text_lists_set_one(gs_text_lists *t, size_t number)
{
    for (unsigned s = 0; s < t->sets; s++)
        gs_text_list_of(t, s, number)->is_one = true;
}

void gs_text_lists_discard(gs_text_lists *t)
{
    gs_text_lists_clear(t);
    gs_fresh_memory_leave(&t->memory, t->pages_taken * GS_TEXT_PAGE, 0, 1);
    t->pages_taken = 0;
}

void gs_text_lists_release(gs_text_lists *t)
{
    gs_fresh_memory_release(&t->memory);
    gs_mem_free(t->lists);
    gs_mem_free(t->repeats);
    *t = (gs_text_lists){0};
}

size_t gs_text_lists_bytes(const gs_text_lists *t)
{
    const size_t used = atomic_load(&t->pages_used);
    return (used < t->page_capacity ? used : t->page_capacity) * GS_TEXT_PAGE;
}

gs_listed gs_text_lists_listed(const gs_text_lists *t, size_t number)
{
    gs_listed all = {0};
    for (unsigned s = 0; s < t->sets; s++) {
        const gs_text_list *const list = gs_text_list_of(t, s, number);
        all.count += list->count;
        all.bytes += list->bytes;
        all.has_others = all.has_others || list->has_others;
    }
    if (t->repeats == NULL || all.count == 0)
        return all;
    const size_t a_record = all.bytes / all.count; /* if it has one string */
    for (unsigned w = 0; w < t->workers; w++) {
        const size_t times = t->repeats[w * t->list_count + number];
        const size_t more = times > 0 ? times - 1 : 0; /* than were added */
        all.count += more;
        all.bytes += more * a_record;
    }
    return all;
}

/* Who has it may have been put to sleep. */
void gs_text_list_wait(gs_text_list *list)
{
    enum { LOOKS = 64 };
    do {
        unsigned looks = 0;
        while (looks < LOOKS &&
               atomic_load_explicit(&list->is_taken, memory_order_relaxed))
            looks++;
        if (looks == LOOKS)
            (void)sched_yield();
    } while (atomic_exchange_explicit(&list->is_taken, true, memory_order_acquire));
}

void gs_text_lists_leave(const gs_text_lists *t, unsigned part, unsigned parts)
{
    gs_fresh_memory_leave(&t->memory, gs_text_lists_bytes(t), part, parts);
}

static gs_text_page *page_of(const uint8_t *tail)
{
    return (gs_text_page *)((uintptr_t)tail / GS_TEXT_PAGE * GS_TEXT_PAGE);
}

static size_t used_of(const uint8_t *tail)
{
    return (size_t)(tail - page_of(tail)->data);
}

static bool is_for_places(const gs_text_lists *t, size_t page)
{
    switch (t->places) {
    case GS_PLACES_NEVER: return false;
    case GS_PLACES_IF_DEAR: return gs_fresh_memory_is_dear(&t->memory);
    case GS_PLACES_ALWAYS: return page % GS_TEXT_PLACE_EVERY == 0;
    }
    return false;
}

bool gs_text_list_extend(gs_text_lists *t, gs_text_list *list)
{
    const size_t number = atomic_fetch_add(&t->pages_used, 1);
    if (number >= t->page_capacity)
        return false;
    gs_text_page *const page = t->pages + number;
    /* Others take pages of this step meanwhile. */
    if (number % STEP_PAGES == 0 && number >= t->pages_taken)
        gs_fresh_memory_take(&t->memory, (number + STEP_PAGES) * GS_TEXT_PAGE);
    if (list->first_page == NO_PAGE) {
        list->first_page = (uint32_t)number;
    } else {
        gs_text_page *const last = page_of(list->tail);
        last->next = page;
        last->used = (uint32_t)used_of(list->tail);
    }
    page->has_places = list->takes_places = is_for_places(t, number);
    if (page->has_places)
        atomic_store_explicit(&t->has_places, true, memory_order_relaxed);
    list->tail = page->data;
    return true;
}

gs_list_cursor gs_list_cursor_begin(const gs_text_lists *t, const gs_text_list *list)
{
    gs_list_cursor c = {0};
    if (list->count == 0)
        return c;
    const gs_text_page *const page = t->pages + list->first_page;
    const bool is_last = page == page_of(list->tail);
    c = (gs_list_cursor){
        .page = page, .at = page->data, .tail = list->tail, .is_one = list->is_one};
    /* The one string was written at the tail of the only page. */
    c.end = c.is_one ? c.at + 1 : page->data + (is_last ? used_of(c.tail) : page->used);
    c.to_next = is_last ? 0 : (const uint8_t *)page->next - (const uint8_t *)page;
    c.is_at_places = page->has_places;
    return c;
}

bool gs_list_cursor_turn(gs_list_cursor *c)
{
    if (c->page == NULL || c->page == page_of(c->tail))
        return false;
    c->page = c->page->next;
    const bool is_last = c->page == page_of(c->tail);
    c->at = c->page->data;
    c->end = c->at + (is_last ? used_of(c->tail) : c->page->used);
    c->to_next = is_last ? 0 : (const uint8_t *)c->page->next - (const uint8_t *)c->page;
    c->is_at_places = c->page->has_places;
    gs_assert(c->at < c->end);
    return true;
}

bool gs_list_cursor_part(gs_list_cursor *c, size_t eol_bytes, const uint8_t **data,
                         size_t *bytes)
{
    gs_listed_record only;
    if (c->at == c->end && !gs_list_cursor_turn(c))
        return false;
    gs_assert(!c->is_at_places);
    *data = c->at;
    if (c->is_one && gs_list_cursor_next(c, &only, eol_bytes))
        c->end = c->at;
    else
        c->at = c->end;
    *bytes = (size_t)(c->at - *data);
    return true;
}
