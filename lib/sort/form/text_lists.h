/* SPDX-License-Identifier: MIT */
/*
 * text_lists: records of many buckets, each put at the end of its bucket's text as it is
 * read.
 *
 *      bucket 0    | page: 31 line.. 7 line.. 12 line.. |-->| page: 40 line.. |
 *      bucket 1    | page: 9 line.. 23 line.. |
 *
 * Every worker has lists of its own, in pages out of one map; where so many half-filled
 * pages would be too much some workers share a set of lists. A record is its length and
 * its text with the end-of-line byte; a very long one is no more than where it lies. To
 * bring a bucket close is to read its pages from the first to the last; to look for the
 * records of a bucket all over the input takes longer. The processor sees coming what
 * follows in a page, but not the next one: of that is asked for as much as has been read
 * of this one.
 *
 * So lists take as many pages as there is text. They may have places instead, 8 bytes a
 * record, which is copied once its bucket is brought close: all, or those that are added
 * while pages are dear (fresh_memory.h).
 *
 *      bucket 2    | page: 31 line.. 7 line.. |-->| page: where where where .. |
 *
 * A bucket may be known to have one string only: the first is kept, and how many more.
 * Of shared lists that is counted by each worker for itself, since all would wait for the
 * one list.
 */
#ifndef GS_LIB_SORT_FORM_TEXT_LISTS_H
#define GS_LIB_SORT_FORM_TEXT_LISTS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "lib/base/fresh_memory.h"
#include "lib/base/status.h"
#include "lib/sort/record/records.h"

enum {
    GS_TEXT_PAGE = 4096,
    GS_TEXT_HEAD = sizeof(uint16_t), /* the length, or GS_TEXT_FAR and a `where` */
    GS_TEXT_FAR = UINT16_MAX,
    GS_TEXT_HAS_KEY = 1 << 15, /* added to the length */
    GS_TEXT_NEAR_MAX = 4000,   /* longer records stay where they are */
};

/* Of lists of places one page in so many has them, which is all: builds that are for
 * testing mix them with pages of text. */
#ifndef GS_TEXT_PLACE_EVERY
#define GS_TEXT_PLACE_EVERY 1
#endif

/* Do records stay in the text, whatever their length? */
typedef enum gs_places {
    GS_PLACES_NEVER,
    GS_PLACES_IF_DEAR, /* those that are added while pages are */
    GS_PLACES_ALWAYS,
} gs_places;

typedef struct gs_text_page {
    struct gs_text_page *next;
    uint32_t used;   /* bytes, once there is a next one */
    bool has_places; /* a `where` each, and nothing else */
    _Alignas(uint64_t) uint8_t data[GS_TEXT_PAGE - sizeof(void *) - sizeof(uint64_t)];
} gs_text_page;

_Static_assert(sizeof(gs_text_page) == GS_TEXT_PAGE, "a page");

typedef struct gs_text_list {
    uint8_t *tail; /* in the last page, and never behind it */
    size_t count;  /* of records, */
    size_t bytes;  /* and their text, with all that is put with them beside it */
    uint32_t first_page;
    bool is_one;          /* one string, of which the first record is kept */
    bool has_others;      /* than records that lie here as they are sorted */
    bool takes_places;    /* the last page does */
    atomic_bool is_taken; /* by one of those who share it */
} gs_text_list;

_Static_assert(sizeof(gs_text_list) == 32, "two in a line of the cache");

typedef struct gs_text_lists {
    gs_text_list *lists; /* set by set */
    size_t list_count;   /* of one set */
    unsigned workers, sets;
    size_t *repeats; /* shared: worker by worker, of lists with one string: how often the
                        worker had it */
    gs_fresh_memory memory;
    gs_text_page *pages; /* all of it */
    size_t page_capacity;
    size_t pages_taken; /* from the system, before the lists were cleared */
    atomic_size_t pages_used;
    gs_places places;
    atomic_bool has_places; /* some page has */
} gs_text_lists;

/* How many pages records of so much text may take, if they are even. */
size_t gs_text_lists_pages(size_t records, size_t text_bytes, size_t lists);

/* With places of some kind lists are not shared. */
GS_MUST_CHECK gs_code gs_text_lists_init(gs_text_lists *t, size_t list_count,
                                         unsigned workers, unsigned sets,
                                         size_t page_capacity, gs_places places,
                                         gs_status *st);
void gs_text_lists_release(gs_text_lists *t); /* zeroed ones are fine */

/* The lists of this number get one string each. Before anything is added to any. */
void gs_text_lists_set_one(gs_text_lists *t, size_t number);

/* Memory in use. */
size_t gs_text_lists_bytes(const gs_text_lists *t);

/* How many pages so much text, with its end-of-line bytes, may take at most, whatever its
 * records are: two that follow each other are more than one page full, and an empty one
 * takes three bytes for its one. */
size_t gs_text_lists_most_pages(const gs_text_lists *t, size_t text_bytes);

/* Empty again; the memory stays for what comes next. No other thread is at it. */
void gs_text_lists_clear(gs_text_lists *t);

/* The same, and the memory goes back. */
void gs_text_lists_discard(gs_text_lists *t);

/* All records are where they go to: one thread's part of the memory is given back. */
void gs_text_lists_leave(const gs_text_lists *t, unsigned part, unsigned parts);

static inline gs_text_list *gs_text_list_of(const gs_text_lists *t, unsigned set,
                                            size_t number)
{
    return &t->lists[set * t->list_count + number];
}

static inline bool gs_text_lists_are_shared(const gs_text_lists *t)
{
    return t->sets < t->workers;
}

static inline unsigned gs_text_lists_set_of(const gs_text_lists *t, unsigned worker)
{
    return gs_text_lists_are_shared(t) ? worker % t->sets : worker;
}

/* What is on the lists of a bucket together. */
typedef struct gs_listed {
    size_t count, bytes; /* as of a list */
    bool has_others;
} gs_listed;

gs_listed gs_text_lists_listed(const gs_text_lists *t, size_t number);

/* Around what is done with a list that is shared. */
void gs_text_list_wait(gs_text_list *list);

static inline void gs_text_list_take(gs_text_list *list)
{
    if (atomic_exchange_explicit(&list->is_taken, true, memory_order_acquire))
        gs_text_list_wait(list);
}

static inline void gs_text_list_leave(gs_text_list *list)
{
    atomic_store_explicit(&list->is_taken, false, memory_order_release);
}

/* Shared: another of a list with one string; false if it is the worker's first, and to be
 * added. */
static inline bool gs_text_lists_repeat(const gs_text_lists *t, unsigned worker,
                                        size_t number)
{
    return t->repeats[worker * t->list_count + number]++ > 0;
}

/* A record is put there soon. Where a shared list ends is not to be looked at. */
static inline void gs_text_list_prefetch(const gs_text_list *list, bool is_shared)
{
    if (is_shared) {
        __builtin_prefetch(list, 1);
        return;
    }
    __builtin_prefetch(list->tail, 1);
    __builtin_prefetch(list->tail + 64, 1);
}

/* Another page for the list; false if there is none. */
bool gs_text_list_extend(gs_text_lists *t, gs_text_list *list);

/* Finds room for a record of so many bytes, not more than GS_TEXT_NEAR_MAX and its end of
 * line, or for the place of any: it is added next. False if there is none. */
static inline bool gs_text_list_make_room(gs_text_lists *t, gs_text_list *list,
                                          size_t bytes)
{
    const size_t room = bytes < GS_SHORT_COPY_BYTES ? (size_t)GS_SHORT_COPY_BYTES : bytes;
    return __builtin_expect((uintptr_t)list->tail % GS_TEXT_PAGE + GS_TEXT_HEAD + room <
                                GS_TEXT_PAGE,
                            1) ||
           gs_text_list_extend(t, list);
}

/* Adds a record of `bytes` bytes, not more than GS_TEXT_NEAR_MAX, and `eol_bytes` that
 * follow it, unless the list takes places; with has_key it is a keyed record, with all
 * that goes before its line, and else `beside_bytes` will be put beside it. May read
 * GS_SHORT_COPY_BYTES behind the record. Nobody else adds to what the list counts: the
 * compiler loads both counts as one vector, and such a load waits long if one of its
 * halves was written alone just before. */
static inline void gs_text_list_add(gs_text_list *list, const uint8_t *text, size_t bytes,
                                    size_t eol_bytes, size_t beside_bytes, bool has_key)
{
    const size_t all = bytes + eol_bytes;
    const uint16_t head = (uint16_t)(bytes | (has_key ? GS_TEXT_HAS_KEY : 0));
    uint8_t *const to = list->tail;
    memcpy(to, &head, sizeof head);
    gs_copy_short(to + GS_TEXT_HEAD, text, all);
    list->tail = to + (list->is_one ? 0 : GS_TEXT_HEAD + all);
    list->count++;
    list->bytes += all + beside_bytes;
}

/* Adds one of any length, `bytes` with its end of line and what is put beside it, that
 * stays where it is. */
static inline void gs_text_list_add_far(gs_text_list *list, uint64_t where, size_t bytes)
{
    const uint16_t head = GS_TEXT_FAR;
    uint8_t *const to = list->tail;
    const size_t head_bytes = list->takes_places ? 0 : sizeof head;
    if (head_bytes > 0)
        memcpy(to, &head, sizeof head);
    memcpy(to + head_bytes, &where, sizeof where);
    list->tail = to + (list->is_one ? 0 : head_bytes + sizeof where);
    list->count++;
    list->bytes += bytes;
    list->has_others = true;
}

/* The records of a list, one after the other. */
typedef struct gs_list_cursor {
    const gs_text_page *page;
    const uint8_t *at, *end, *tail;
    ptrdiff_t to_next; /* from this page */
    bool is_at_places; /* from `at` to `end` */
    bool is_one;       /* as the list */
} gs_list_cursor;

gs_list_cursor gs_list_cursor_begin(const gs_text_lists *t, const gs_text_list *list);
/* False if there are no more pages. */
bool gs_list_cursor_turn(gs_list_cursor *c);
/* What a list without pages of places holds, as it lies on one page after the other; of
 * one string that is its record. False if there is no more. */
bool gs_list_cursor_part(gs_list_cursor *c, size_t eol_bytes, const uint8_t **data,
                         size_t *bytes);
/* Of such parts, one behind the other. */
static inline gs_list_cursor gs_list_cursor_of_parts(const uint8_t *data, size_t bytes,
                                                     bool is_one)
{
    return (gs_list_cursor){.at = data, .end = data + bytes, .is_one = is_one};
}

typedef struct gs_listed_record {
    const uint8_t *text;
    size_t bytes;   /* without the end-of-line byte */
    uint64_t where; /* if `text` is NULL */
    bool has_key;   /* the bytes are those of a keyed record */
} gs_listed_record;

/* The next record; false if there are no more. */
static inline bool gs_list_cursor_next(gs_list_cursor *c, gs_listed_record *record,
                                       size_t eol_bytes)
{
    if (c->at == c->end && !gs_list_cursor_turn(c))
        return false;
    const uint8_t *const ahead = c->at + c->to_next; /* as far in the next page */
    __builtin_prefetch(ahead);
    __builtin_prefetch(ahead + 64);
    uint16_t head = GS_TEXT_FAR;
    if (!c->is_at_places) {
        memcpy(&head, c->at, sizeof head);
        c->at += GS_TEXT_HEAD;
    }
    if (__builtin_expect(head == GS_TEXT_FAR, 0)) {
        uint64_t where;
        memcpy(&where, c->at, sizeof where);
        c->at += sizeof where;
        *record = (gs_listed_record){NULL, where & GS_WHERE_LENGTH_LONG, where, false};
        return true;
    }
    const size_t bytes = head & (GS_TEXT_HAS_KEY - 1);
    *record = (gs_listed_record){c->at, bytes, 0, (head & GS_TEXT_HAS_KEY) != 0};
    c->at += bytes + eol_bytes;
    return true;
}

#endif
