/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * Strings become records of the sort of files, each with its number before it, and then
 * go its way: elements, buckets, each bucket in order in the cache (lib/sort/bucket).
 *
 *      arena   | 0 banana | 1 apple | 2 cherry | slack |      each thread its strings
 *      elements  "banana" at 8      "apple" at 22  ...
 *      buckets   | "apple" | "banana" "cherry" |              whoever is free the next one
 *      order     | 1 | 0 | 2 |                                what stands before each
 *      text      | apple | banana | cherry |                  or they themselves
 *
 * They are copied since a word of a string is taken with the bytes behind it, and behind
 * the caller's last one there need not be any.
 */
/* clang-format on */
#include "lib/api/string_sort.h"

#include <stdatomic.h>
#include <string.h>

#include "lib/base/cancel.h"
#include "lib/base/mem.h"
#include "lib/sort/bucket/buckets.h"

enum {
    NUMBER_BYTES = sizeof(uint64_t),
    SLACK = 64,
    BUCKETS_A_WORKER = 4,
    CANCEL_EVERY = 1 << 16, /* strings */
    AHEAD = 8,              /* strings that are on their way */
};

typedef struct string_job {
    const gs_strings *strings;
    const gs_sorted_strings *sorted;
    const volatile int *cancel;
    gs_record_layout layout;
    uint8_t *arena;
    size_t arena_bytes, element_bytes;
    gs_bucket_split split;
    gs_bucket_list list;
    size_t *begins;         /* in the arena, of each worker's strings */
    uint64_t *bucket_bytes; /* and then where each bucket's text begins */
    unsigned workers;
    atomic_size_t next_bucket;
} string_job;

static size_t first_of(const string_job *j, unsigned worker)
{
    return j->strings->count / j->workers * worker +
           (worker == j->workers ? j->strings->count % j->workers : 0);
}

static size_t bytes_of(const gs_strings *s, size_t i)
{
    return (size_t)(s->offsets[i + 1] - s->offsets[i]);
}

/* How much of the arena the strings from one to another take. */
static gs_code measure(string_job *j, unsigned worker, size_t *bytes, gs_status *st)
{
    const gs_strings *const s = j->strings;
    *bytes = 0;
    for (size_t i = first_of(j, worker); i < first_of(j, worker + 1); i++) {
        if (s->offsets[i + 1] < s->offsets[i])
            return GS_FAIL(st, GS_ERR_ARG, 0, "string %zu ends before it begins", i);
        *bytes += NUMBER_BYTES + gs_record_head_bytes(&j->layout, bytes_of(s, i)) +
                  bytes_of(s, i);
        if (*bytes > gs_arena_bytes_max)
            break;
    }
    return GS_OK;
}

static gs_code plan(string_job *j, gs_status *st)
{
    size_t sum = 0, bytes;
    GS_TRY(gs_mem_new_array(&j->begins, j->workers, sizeof *j->begins, "strings", st));
    for (unsigned w = 0; w < j->workers; w++) {
        j->begins[w] = sum;
        GS_TRY(measure(j, w, &bytes, st));
        sum += bytes;
        if (sum > gs_arena_bytes_max - SLACK)
            return GS_FAIL(st, GS_ERR_LIMIT, 0, "strings of more than %zu bytes",
                           gs_arena_bytes_max);
    }
    j->arena_bytes = sum + SLACK;
    GS_TRY(gs_mem_map(&j->arena, j->arena_bytes, true, "strings", st));
    gs_bucket_split *const split = &j->split;
    const size_t count = j->strings->count;
    GS_TRY(gs_mem_size_mul(&j->element_bytes, count, sizeof *split->elements, st));
    GS_TRY(gs_mem_map(&split->elements, j->element_bytes, true, "elements", st));
    GS_TRY(gs_mem_map(&split->scratch, j->element_bytes, true, "elements", st));
    return gs_mem_map(&split->bucket_ids, count * sizeof *split->bucket_ids, true,
                      "bucket ids", st);
}

/* --- what a worker does ------------------------------------------------------------- */

static gs_code take_strings(void *context, unsigned worker, gs_status *st)
{
    string_job *const j = context;
    const gs_strings *const s = j->strings;
    uint8_t *to = j->arena + j->begins[worker];
    for (size_t i = first_of(j, worker); i < first_of(j, worker + 1); i++) {
        const size_t bytes = bytes_of(s, i);
        const uint64_t number = i;
        gs_element *const e = &j->split.elements[i];
        if (i % CANCEL_EVERY == 0)
            GS_TRY(gs_cancel_check(j->cancel, st));
        memcpy(to, &number, sizeof number);
        to += NUMBER_BYTES;
        e->where = gs_where_pack((uint64_t)(to - j->arena), bytes);
        gs_record_put_head(&j->layout, to, bytes, 0);
        to += gs_record_head_bytes(&j->layout, bytes);
        if (bytes > 0)
            memcpy(to, s->text + s->offsets[i], bytes);
        /* Behind the string somebody else may be writing. */
        uint8_t start[2 * sizeof(uint64_t)] = {0};
        if (bytes > 0)
            memcpy(start, to, bytes < sizeof start ? bytes : sizeof start);
        gs_tie_put_words(&j->layout, e, start, bytes, 0);
        to += bytes;
    }
    return GS_OK;
}

static gs_code count_bytes(void *context, unsigned worker, gs_status *st)
{
    string_job *const j = context;
    (void)worker;
    (void)st;
    for (size_t n; (n = atomic_fetch_add(&j->next_bucket, 1)) < j->list.count;) {
        const gs_near_bucket near = gs_bucket_near(&j->split, &j->list.buckets[n]);
        uint64_t sum = 0;
        for (size_t i = 0; i < near.count; i++)
            sum +=
                gs_record_at(&j->layout, j->arena, near.elements[i].where).string_bytes;
        j->bucket_bytes[n] = sum;
    }
    return GS_OK;
}

/* Where the text of each bucket begins. */
static gs_code place_texts(string_job *j, gs_team *team, gs_status *st)
{
    uint64_t at = 0;
    GS_TRY(gs_mem_new_array(&j->bucket_bytes, j->list.count, sizeof *j->bucket_bytes,
                            "strings", st));
    GS_TRY(gs_team_run(team, count_bytes, j, st));
    for (size_t n = 0; n < j->list.count; n++) {
        const uint64_t bytes = j->bucket_bytes[n];
        j->bucket_bytes[n] = at;
        at += bytes;
    }
    j->sorted->offsets[j->strings->count] = at;
    atomic_store(&j->next_bucket, 0);
    return GS_OK;
}

static void put_order(const string_job *j, const gs_near_bucket *near, uint64_t *order)
{
    for (size_t i = 0; i < near->count; i++) {
        const uint8_t *const string = j->arena + gs_where_offset(near->elements[i].where);
        memcpy(&order[i], string - NUMBER_BYTES, NUMBER_BYTES);
    }
}

static void put_text(const string_job *j, const gs_near_bucket *near, uint64_t at,
                     uint64_t *offsets)
{
    for (size_t i = 0; i < near->count; i++) {
        if (i + AHEAD < near->count)
            gs_record_prefetch(j->arena, near->elements[i + AHEAD].where);
        const gs_record r = gs_record_at(&j->layout, j->arena, near->elements[i].where);
        if (r.string_bytes > 0)
            memcpy(j->sorted->text + at, r.string, r.string_bytes);
        offsets[i] = at;
        at += r.string_bytes;
    }
}

static gs_code order_buckets(void *context, unsigned worker, gs_status *st)
{
    string_job *const j = context;
    const gs_bucket_scratch none = {0};
    (void)worker;
    for (;;) {
        const size_t number = atomic_fetch_add(&j->next_bucket, 1);
        if (number >= j->list.count)
            return GS_OK;
        GS_TRY(gs_cancel_check(j->cancel, st));
        const gs_bucket *const bucket = &j->list.buckets[number];
        const gs_near_bucket near = gs_bucket_near(&j->split, bucket);
        gs_near_bucket_sort(&near, &j->layout, &none);
        if (j->sorted->order != NULL)
            put_order(j, &near, j->sorted->order + bucket->begin);
        if (j->sorted->offsets != NULL)
            put_text(j, &near, j->bucket_bytes[number],
                     j->sorted->offsets + bucket->begin);
    }
}

static size_t choose_bucket_elements(const string_job *j)
{
    const size_t share = j->strings->count / (BUCKETS_A_WORKER * j->workers);
    return share < GS_BUCKET_ELEMENTS_MIN ? GS_BUCKET_ELEMENTS_MIN
           : share > GS_BUCKET_ELEMENTS   ? GS_BUCKET_ELEMENTS
                                          : share;
}

gs_code gs_string_sort(const gs_strings *strings, bool is_backwards,
                       const gs_sorted_strings *sorted, gs_team *team,
                       const volatile int *cancel, gs_status *st)
{
    string_job j = {
        .strings = strings,
        .sorted = sorted,
        .cancel = cancel,
        .layout = {.is_backwards = is_backwards},
        .workers = gs_team_workers(team),
    };
    if (plan(&j, st) == GS_OK && gs_team_run(team, take_strings, &j, st) == GS_OK) {
        j.split.layout = &j.layout;
        j.split.arena = j.arena;
        j.split.element_count = strings->count;
        j.split.bucket_elements = choose_bucket_elements(&j);
        if (gs_bucket_split_run(&j.split, team, &j.list, st) == GS_OK &&
            (sorted->offsets == NULL || place_texts(&j, team, st) == GS_OK))
            GS_NOTED(gs_team_run(team, order_buckets, &j, st));
    }
    gs_bucket_list_release(&j.list);
    gs_mem_unmap(j.split.bucket_ids, strings->count * sizeof *j.split.bucket_ids);
    gs_mem_unmap(j.split.scratch, j.element_bytes);
    gs_mem_unmap(j.split.elements, j.element_bytes);
    gs_mem_unmap(j.arena, j.arena_bytes);
    gs_mem_free(j.bucket_bytes);
    gs_mem_free(j.begins);
    return st->code;
}
