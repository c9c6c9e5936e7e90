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
};

typedef struct string_job {
    const gs_strings *strings;
    uint64_t *order;
    const volatile int *cancel;
    gs_record_layout layout;
    uint8_t *arena;
    size_t arena_bytes, element_bytes;
    gs_bucket_split split;
    gs_bucket_list list;
    size_t *begins; /* in the arena, of each worker's strings */
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
        for (size_t i = 0; i < near.count; i++) {
            const uint8_t *const string =
                j->arena + gs_where_offset(near.elements[i].where);
            memcpy(&j->order[bucket->begin + i], string - NUMBER_BYTES, NUMBER_BYTES);
        }
    }
}

static size_t choose_bucket_elements(const string_job *j)
{
    const size_t share = j->strings->count / (BUCKETS_A_WORKER * j->workers);
    return share < GS_BUCKET_ELEMENTS_MIN ? GS_BUCKET_ELEMENTS_MIN
           : share > GS_BUCKET_ELEMENTS   ? GS_BUCKET_ELEMENTS
                                          : share;
}

gs_code gs_string_sort(const gs_strings *strings, bool is_backwards, uint64_t *order,
                       gs_team *team, const volatile int *cancel, gs_status *st)
{
    string_job j = {
        .strings = strings,
        .order = order,
        .cancel = cancel,
        .layout = {.is_backwards = is_backwards},
        .workers = gs_team_workers(team),
    };
    if (plan(&j, st) == GS_OK && gs_team_run(team, take_strings, &j, st) == GS_OK) {
        j.split.layout = &j.layout;
        j.split.arena = j.arena;
        j.split.element_count = strings->count;
        j.split.bucket_elements = choose_bucket_elements(&j);
        if (gs_bucket_split_run(&j.split, team, &j.list, st) == GS_OK)
            GS_NOTED(gs_team_run(team, order_buckets, &j, st));
    }
    gs_bucket_list_release(&j.list);
    gs_mem_unmap(j.split.bucket_ids, strings->count * sizeof *j.split.bucket_ids);
    gs_mem_unmap(j.split.scratch, j.element_bytes);
    gs_mem_unmap(j.split.elements, j.element_bytes);
    gs_mem_unmap(j.arena, j.arena_bytes);
    gs_mem_free(j.begins);
    return st->code;
}
