/* SPDX-License-Identifier: MIT */
/*
 * text_lists: whatever the records are, they take no more pages than was said they may,
 * and come out in the order that they came in, also from lists that were cleared; as text
 * or as places, or as these while pages are dear.
 */
#include "lib/base/team.h"
#include "lib/sort/form/text_lists.h"

#include <stdlib.h>

#include "lib/base/mem.h"
#define CHECK_STARTS_THREADS
#include "tests/check.h"

enum { LISTS = 7, WORKERS = 2, TEXT = 1 << 20, WHERE = 5 };
enum { PAGES = 24 * TEXT / GS_TEXT_PAGE };

static uint8_t text[TEXT + 2 * GS_TEXT_NEAR_MAX];

/* Of a record of some kind of text. */
static size_t length_of(uint64_t *state, unsigned kind)
{
    const size_t random = check_random(state);
    switch (kind) {
    case 0: return 0;
    case 1: return random % 4;
    case 2: /* two of them need two pages */ return GS_TEXT_PAGE / 2 - random % 40;
    case 3: /* little and much in turn */
        return random % 2 == 0 ? random / 2 % 8 : GS_TEXT_NEAR_MAX - random / 2 % 8;
    case 4: return random % 100;
    default: return random % (2 * GS_TEXT_NEAR_MAX);
    }
}

typedef struct added {
    size_t at, bytes, list;
    bool is_placed;
} added;

/* Pages become dear, or cheap again, whatever they cost. */
static void change_prices(gs_text_lists *t, uint64_t *state)
{
    if (check_random(state) % 64 == 0)
        atomic_store(&t->memory.is_dear, check_random(state) % 2 == 0);
}

/* Fills the lists of one worker with about `most` bytes. Returns how many records. */
static size_t fill(gs_text_lists *t, unsigned worker, unsigned kind, size_t most,
                   added *records, uint64_t *state)
{
    size_t at = 0, count = 0;
    for (; at < most; count++) {
        added *const r = &records[count];
        const size_t bytes = length_of(state, kind);
        *r = (added){at, bytes < most - at ? bytes : most - at - 1,
                     check_random(state) % LISTS, false};
        gs_text_list *const list = gs_text_list_of(t, worker, r->list);
        const uint64_t where = gs_where_pack(r->at * WHERE, r->bytes);
        const bool is_long = r->bytes > GS_TEXT_NEAR_MAX;
        change_prices(t, state);
        CHECK(gs_text_list_make_room(t, list, is_long ? 0 : r->bytes + 1));
        r->is_placed = is_long || list->takes_places;
        if (r->is_placed)
            gs_text_list_add_far(list, where, r->bytes + 1);
        else
            gs_text_list_add(list, text + r->at, r->bytes, 1, 0, false);
        at += r->bytes + 1;
    }
    CHECK(at == most);
    return count;
}

static void check_lists(const gs_text_lists *t, unsigned worker, const added *records,
                        size_t count)
{
    for (size_t l = 0; l < LISTS; l++) {
        const gs_text_list *const list = gs_text_list_of(t, worker, l);
        gs_list_cursor c = {0};
        gs_listed_record r;
        size_t seen = 0;
        if (list->count > 0)
            c = gs_list_cursor_begin(t, list);
        for (size_t i = 0; i < count; i++) {
            if (records[i].list != l)
                continue;
            REQUIRE(gs_list_cursor_next(&c, &r, 1));
            CHECK(r.bytes == records[i].bytes && !r.has_key);
            CHECK((r.text == NULL) == records[i].is_placed);
            CHECK(r.text == NULL
                      ? gs_where_offset(r.where) == records[i].at * WHERE
                      : memcmp(r.text, text + records[i].at, r.bytes + 1) == 0);
            CHECK(list->has_others || r.text != NULL);
            seen++;
        }
        CHECK(seen == list->count);
        CHECK(list->count == 0 || !gs_list_cursor_next(&c, &r, 1));
    }
}

/* How many of them stayed in the text. */
static size_t count_placed(const added *records, size_t count)
{
    size_t placed = 0;
    for (size_t i = 0; i < count; i++)
        placed += records[i].is_placed ? 1 : 0;
    return placed;
}

/* Places may take more, of records that are shorter than they. */
static void pages_are_enough(gs_places places, unsigned kind, size_t most, added *records,
                             uint64_t *state)
{
    gs_status st = {.code = GS_OK};
    gs_text_lists t;
    size_t pages = 0;
    REQUIRE_OK(gs_text_lists_init(&t, LISTS, WORKERS, WORKERS, PAGES, places, &st), &st);
    for (unsigned round = 0; round < 3; round++) {
        gs_text_lists_clear(&t);
        CHECK(gs_text_lists_bytes(&t) == 0);
        for (unsigned w = 0; w < WORKERS; w++) {
            pages = gs_text_lists_bytes(&t) / GS_TEXT_PAGE;
            const size_t count = fill(&t, w, kind, most, records, state);
            const size_t taken = gs_text_lists_bytes(&t) / GS_TEXT_PAGE - pages;
            const size_t placed = count_placed(records, count);
            CHECK(places != GS_PLACES_NEVER ||
                  taken <= gs_text_lists_most_pages(&t, most));
            CHECK(places != GS_PLACES_ALWAYS || GS_TEXT_PLACE_EVERY > 1 ||
                  placed == count);
            if (kind == 4 && most == TEXT) { /* many, none of which is long */
                CHECK(places != GS_PLACES_NEVER || placed == 0);
                CHECK(places != GS_PLACES_IF_DEAR || (placed > 0 && placed < count));
                CHECK(atomic_load(&t.has_places) == (places != GS_PLACES_NEVER));
            }
            check_lists(&t, w, records, count);
        }
    }
    gs_text_lists_release(&t);
}

/* Records of all workers on one set of lists, and on one of them one string. */
enum { SHARED_EACH = 20000, SHARED_ONE = 3 };

static gs_code add_shared(void *context, unsigned worker, gs_status *st)
{
    gs_text_lists *const t = context;
    (void)st;
    for (unsigned i = 0; i < SHARED_EACH; i++) {
        char record[100] = "the same";
        const size_t number = (worker + i) % LISTS;
        const bool is_one = number == SHARED_ONE;
        gs_text_list *const list =
            gs_text_list_of(t, gs_text_lists_set_of(t, worker), number);
        if (is_one && gs_text_lists_repeat(t, worker, number))
            continue;
        const size_t bytes =
            is_one ? strlen(record)
                   : (size_t)snprintf(record, sizeof record, "%u %u", worker, i);
        gs_text_list_take(list);
        CHECK(gs_text_list_make_room(t, list, bytes + 1));
        gs_text_list_add(list, (const uint8_t *)record, bytes, 1, 0, false);
        gs_text_list_leave(list);
    }
    return GS_OK;
}

static void all_share(unsigned workers, unsigned sets)
{
    gs_status st = {.code = GS_OK};
    gs_text_lists t;
    gs_team *team = NULL;
    static bool is_seen[8][SHARED_EACH];
    size_t all = 0;
    memset(is_seen, 0, sizeof is_seen);
    REQUIRE_OK(gs_text_lists_init(&t, LISTS, workers, sets,
                                  8 * LISTS * TEXT / GS_TEXT_PAGE, GS_PLACES_NEVER, &st),
               &st);
    gs_text_lists_set_one(&t, SHARED_ONE);
    REQUIRE_OK(gs_team_new(&team, workers, &st), &st);
    REQUIRE_OK(gs_team_run(team, add_shared, &t, &st), &st);
    for (size_t l = 0; l < LISTS; l++) {
        const gs_listed listed = gs_text_lists_listed(&t, l);
        size_t count = 0, bytes = 0;
        for (unsigned s = 0; s < sets && l != SHARED_ONE; s++) {
            gs_list_cursor c = gs_list_cursor_begin(&t, gs_text_list_of(&t, s, l));
            for (gs_listed_record r; gs_list_cursor_next(&c, &r, 1); count++) {
                unsigned worker, number;
                REQUIRE(sscanf((const char *)r.text, "%u %u", &worker, &number) == 2);
                CHECK((worker + number) % LISTS == l && !is_seen[worker][number]);
                is_seen[worker][number] = true;
                bytes += r.bytes + 1;
            }
        }
        CHECK(l == SHARED_ONE ? listed.bytes == listed.count * sizeof "the same"
                              : listed.count == count && listed.bytes == bytes);
        all += listed.count;
    }
    CHECK(all == (size_t)workers * SHARED_EACH);
    gs_team_free(team);
    gs_text_lists_release(&t);
}

int main(void)
{
    all_share(5, 1);
    all_share(8, 3);
    uint64_t state = check_seed(1);
    added *const records = malloc(TEXT * sizeof *records);
    REQUIRE(records != NULL);
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (uint8_t)check_random(&state);
    for (unsigned kind = 0; kind < 6; kind++) {
        for (unsigned p = GS_PLACES_NEVER; p <= GS_PLACES_ALWAYS; p++) {
            pages_are_enough((gs_places)p, kind, 1, records, &state);
            pages_are_enough((gs_places)p, kind, 5000, records, &state);
            pages_are_enough((gs_places)p, kind, TEXT, records, &state);
        }
    }
    free(records);
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
