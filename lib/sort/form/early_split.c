/* SPDX-License-Identifier: MIT */
#include "lib/sort/form/early_split.h"

#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/sort/form/early_state.h"
#include "lib/sort/form/text_sample.h"

enum {
    RECORD_MEAN_MAX = 1024, /* longer lines have pages of their own */
    /* A bucket's elements, twice, and its text are to fit the cache. */
    BUCKET_RECORDS_MAX = 1 << 14,
    BUCKET_BYTES = 5 << 18,
    /* Of a chunk: near buckets are to take little of its memory. */
    CHUNK_BUCKET_RECORDS = 1 << 12,
    CHUNK_BATCH_BYTES = 1 << 20,       /* of most batches */
    KEYED_LINE_MAX = GS_TEXT_NEAR_MAX, /* longer lines are not for this */
    KEY_BATCH_BYTES = 1 << 14,
    SHORTER_MAX = 8,      /* than its elements, with them, text may be */
    PLACED_MEAN_MIN = 16, /* of shorter records a place would be as much */
    SLOW_LOOK_NS = 40,    /* lib/sort/NOTES.md has what it takes on some machines */
};

/* --- splitters -------------------------------------------------------------------- */

/* Would buckets be even? Those of one string may have any number. */
static bool is_even(const gs_string_splitters *splitters, size_t a_bucket)
{
    enum { LARGER_MAX = 3 };
    for (size_t i = 0; i < splitters->bucket_count; i++) {
        const gs_string_bucket *const b = &splitters->buckets[i];
        if (!b->is_one && b->sampled > LARGER_MAX * a_bucket)
            return false;
    }
    return true;
}

/* A tenth more pages than it seems, of records and so much of each beside its text. */
static size_t pages_for(const gs_early_split *s, const gs_text_guess *guess, size_t text,
                        size_t beside)
{
    const size_t lists = s->workers * s->splitters->bucket_count;
    const size_t bytes = text + guess->records * beside;
    return gs_text_lists_pages(guess->records + guess->records / 10, bytes + bytes / 10,
                               lists);
}

/* A chunk takes what there is, and has room beyond that for batches that turn out to take
 * more pages than usual. Where lists of each worker would be much of it, by their
 * half-filled pages, workers share them: that costs a look a record at who else is there.
 * False if it is much even so; more chunks cost less where they are only copied to files.
 */
static bool plan_chunk_pages(gs_early_split *s, size_t pages_max, bool has_file)
{
    const size_t part = has_file ? 2 : 4, count = s->splitters->bucket_count;
    s->lists.list_count = count;
    const size_t a_batch = gs_text_lists_most_pages(&s->lists, CHUNK_BATCH_BYTES);
    s->chunk_pages = pages_max;
    s->page_capacity = pages_max + s->workers * a_batch;
    s->sets = s->workers;
    while (s->sets > 1 && s->sets * count >= pages_max / part)
        s->sets = (s->sets + 1) / 2;
    return s->sets * count < pages_max / part;
}

/* Do so many records stay in the text? Then that is needed to the end, as what an input
 * that is mapped has of the memory, and lists are beside it. */
static gs_places choose_places(const gs_early_split *s, gs_places wanted,
                               const gs_text_guess *guess, size_t text, size_t pages_max)
{
    const size_t place_bytes = guess->records * sizeof(uint64_t);
    const size_t pages = pages_for(s, guess, place_bytes, 0) + text / GS_TEXT_PAGE;
    return s->encoder != NULL || text / guess->records < PLACED_MEAN_MIN ||
                   pages >= pages_max
               ? GS_PLACES_NEVER
               : wanted;
}

/* How many pages the lists may take; false if that is more than there are. Keys that take
 * longer to make than to keep are kept there, if there is room for them. */
static bool plan_pages(gs_early_split *s, gs_places places, const gs_text_guess *guess,
                       size_t text, size_t pages_max)
{
    s->sets = s->workers;
    s->places = choose_places(s, places, guess, text, pages_max);
    s->keeps_keys = s->encoder != NULL && !gs_key_encode_is_cheap(s->encoder);
    if (s->keeps_keys) {
        s->page_capacity =
            pages_for(s, guess, text, GS_RECORD_HEAD_BYTES + guess->key_bytes);
        s->keeps_keys = s->page_capacity < pages_max;
    }
    if (!s->keeps_keys)
        s->page_capacity = pages_for(s, guess, text, 0);
    return s->page_capacity < pages_max;
}

/* Is this for so much text, as a look at a few places has it? Text and its elements are
 * to be some. And wide records are moved to lists whole, twice and more what their
 * elements are, before any is written: where memory holds them they stay where they are
 * (lib/sort/NOTES.md), unless a key is to be made of each, since lists have it made when
 * its bucket is sorted, or what they begin with is in many of them: then they are looked
 * at again and again, which is best done in a bucket's own memory. */
static bool is_for_text(const gs_early_split_options *o,
                        const gs_text_sample_options *from, gs_string_sample *sample,
                        gs_status *st)
{
    enum { TRIED = 64, WIDE_BYTES = 48, SHARED_BYTES = 4 };
    const size_t text = gs_file_map_text_bytes(o->map);
    const bool is_by_width = !o->by_chunks && o->encoder == NULL;
    if (text >= GS_EARLY_SPLIT_MIN && !is_by_width)
        return true;
    const bool is_fixed = o->record_size > 0;
    gs_text_guess guess = {.records = is_fixed ? text / o->record_size + 1 : 1};
    if (!is_fixed && gs_text_sample_take(from, sample, TRIED, &guess, st) != GS_OK)
        return false;
    const size_t records = guess.records;
    const size_t mean = is_fixed ? o->record_size : text / records;
    const bool is_wide = is_by_width && mean > WIDE_BYTES;
    return text + records * sizeof(gs_element) >= GS_EARLY_SPLIT_MIN &&
           !(is_wide && (is_fixed || gs_string_sample_shared(sample) < SHARED_BYTES));
}

/* Of all that there are, as many as memory is for. */
static size_t records_of_chunk(const gs_early_split_options *o,
                               const gs_text_guess *guess)
{
    const size_t bytes =
        gs_file_map_text_bytes(o->map) + guess->records * (GS_TEXT_HEAD + 1);
    return guess->records / (bytes / o->memory_bytes + 1) + 1;
}

/* What is beside the lists where they go to files. */
static size_t file_memory(const gs_early_split *s, const gs_early_split_options *o,
                          size_t text)
{
    const size_t lists = s->splitters->bucket_count;
    const size_t rounds = text / o->memory_bytes * 2 + 2; /* more than it seems */
    return lists * sizeof(gs_listed) + gs_list_file_memory(lists, s->workers, rounds);
}

/* How much larger than the mean a bucket is expected to be at most. */
static size_t larger_max(const gs_early_split_options *o)
{
    enum { LARGER_MAX = 4, LARGER_IN_FILES_MAX = 6 };
    return o->file != NULL ? LARGER_IN_FILES_MAX : LARGER_MAX;
}

/* What the cache has room for; beside lists that are a chunk of the text, near buckets
 * take half of the memory at most. */
static size_t records_of_bucket(const gs_early_split_options *o, size_t text,
                                size_t records)
{
    const size_t share = o->memory_bytes / (2 * larger_max(o) * gs_team_workers(o->team));
    const size_t bytes = o->by_chunks && share < BUCKET_BYTES ? share : BUCKET_BYTES;
    const size_t most = bytes / (text / records + 2 * sizeof(gs_element)) + 1;
    return most < BUCKET_RECORDS_MAX ? most : BUCKET_RECORDS_MAX;
}

/* Chooses splitters, and how many pages the lists may take; false if this is not for such
 * text. */
static bool plan(gs_early_split *s, const gs_early_split_options *o,
                 gs_string_sample *sample, gs_status *st)
{
    enum { TRIED = GS_STRING_SAMPLE_MAX / 8 };
    /* Lists make room for larger buckets when all that is on them can go to files. */
    enum { LARGER_BESIDE = 2 };
    const gs_text_sample_options from = {.layout = o->layout,
                                         .encoder = o->encoder,
                                         .key_room = s->key_room,
                                         .record_size = o->record_size,
                                         .map = o->map,
                                         .team = o->team};
    const size_t text = gs_file_map_text_bytes(o->map);
    gs_text_guess guess = {0}, last = {0};
    if (!is_for_text(o, &from, sample, st) ||
        gs_text_sample_take(&from, sample, TRIED, &guess, st) != GS_OK)
        return false;
    if (sample->count < TRIED / 2 || text / guess.records > RECORD_MEAN_MAX)
        return false;
    const bool is_part = o->by_chunks && o->file == NULL;
    const size_t records = is_part ? records_of_chunk(o, &guess) : guess.records;
    const unsigned levels =
        gs_splitters_levels(records, is_part ? CHUNK_BUCKET_RECORDS
                                             : records_of_bucket(o, text, guess.records));
    const size_t buckets = (size_t)1 << levels;
    const size_t want = buckets * GS_STRING_OVERSAMPLING;
    if (gs_text_sample_take(&from, sample, want, &last, st) != GS_OK ||
        sample->count == 0)
        return false;
    if (gs_string_splitters_choose(s->splitters, sample, buckets, s->layout.is_backwards,
                                   st) != GS_OK ||
        !is_even(s->splitters, sample->count / buckets + 1))
        return false;
    const size_t head_bytes = s->encoder ? GS_RECORD_HEAD_BYTES : 0;
    const double share = (double)records / (double)guess.records;
    const size_t record_bytes =
        (size_t)((double)text * share) + records * (head_bytes + guess.key_bytes);
    const size_t a_bucket =
        (records >> levels) * 2 * sizeof(gs_element) + (record_bytes >> levels);
    s->near_bytes = s->workers * a_bucket * (o->file ? LARGER_BESIDE : larger_max(o));
    const size_t taken = s->near_bytes + (o->file ? file_memory(s, o, text) : 0);
    if (taken >= o->memory_bytes)
        return false;
    const size_t pages_max = (o->memory_bytes - taken) / GS_TEXT_PAGE;
    return o->by_chunks ? plan_chunk_pages(s, pages_max, o->file != NULL)
                        : plan_pages(s, o->places, &guess, text, pages_max);
}

/* Records that compare equal must be the same bytes; room for strings is for lines of
 * some length, with so few keys that none becomes long. */
static bool is_for_records(const gs_early_split_options *o)
{
    if (o->by_chunks && o->encoder != NULL)
        return false;
    if (o->layout->is_key_only || o->encoder == NULL)
        return !o->layout->is_key_only;
    return o->record_size <= KEYED_LINE_MAX &&
           gs_key_encode_bound(o->encoder, KEYED_LINE_MAX) <
               GS_WHERE_LENGTH_LONG - KEYED_LINE_MAX;
}

static gs_code new_key_batches(gs_early_split *s, gs_status *st)
{
    GS_TRY(gs_mem_new_apart(&s->key_batch, s->workers * sizeof *s->key_batch,
                            "batches of keys", st));
    for (unsigned w = 0; w < s->workers; w++) {
        GS_TRY(gs_mem_new_apart(&s->key_batch[w].strings, KEY_BATCH_BYTES + s->key_room,
                                "keys", st));
    }
    return GS_OK;
}

/* Makes the lists, if they are for such text. */
static gs_code prepare(gs_early_split *s, const gs_early_split_options *o,
                       bool *are_for_it, gs_status *st)
{
    gs_string_sample sample = {0};
    if (s->encoder != NULL) {
        s->key_room = GS_RECORD_HEAD_BYTES +
                      gs_key_encode_bound(s->encoder, KEYED_LINE_MAX) + KEYED_LINE_MAX +
                      s->layout.has_eol + GS_COPY_SLACK;
        GS_TRY(new_key_batches(s, st));
    }
    GS_TRY(gs_mem_new(&s->splitters, sizeof *s->splitters, "splitters", st));
    GS_TRY(gs_string_sample_init(&sample, GS_STRING_SAMPLE_MAX, st));
    *are_for_it = plan(s, o, &sample, st);
    gs_string_sample_release(&sample);
    if (!*are_for_it)
        return st->code;
    if (o->file != NULL)
        GS_TRY(gs_mem_new_array(&s->kept, s->splitters->bucket_count, sizeof *s->kept,
                                "lists in files", st));
    GS_TRY(gs_text_lists_init(&s->lists, s->splitters->bucket_count, s->workers, s->sets,
                              s->page_capacity, s->places, st));
    for (size_t i = 0; i < s->splitters->bucket_count; i++)
        if (s->splitters->buckets[i].is_one)
            gs_text_lists_set_one(&s->lists, i);
    return GS_OK;
}

gs_code gs_early_split_new(gs_early_split **out, const gs_early_split_options *options,
                           gs_status *st)
{
    gs_early_split *s = NULL;
    bool are_for_it = false;
    *out = NULL;
    if (gs_file_map_text_bytes(options->map) < GS_EARLY_SPLIT_MIN / SHORTER_MAX ||
        !is_for_records(options))
        return GS_OK;
    GS_TRY(gs_mem_new(&s, sizeof *s, "early split", st));
    s->layout = *options->layout;
    s->encoder = options->encoder;
    s->record_size = options->record_size;
    s->workers = gs_team_workers(options->team);
    s->memory_bytes = options->memory_bytes;
    s->mapped_end = options->map->copies_begin;
    s->slow_look_ns = SLOW_LOOK_NS;
    if (prepare(s, options, &are_for_it, st) == GS_OK && are_for_it) {
        s->file = options->file;
        *out = s;
    } else {
        gs_early_split_free(s);
    }
    return st->code;
}

void gs_early_split_free(gs_early_split *s)
{
    if (s == NULL)
        return;
    gs_list_file_free(s->file);
    gs_mem_free(s->kept);
    gs_text_lists_release(&s->lists);
    for (unsigned w = 0; s->key_batch != NULL && w < s->workers; w++)
        gs_mem_free(s->key_batch[w].strings);
    gs_mem_free(s->key_batch);
    gs_mem_free(s->splitters);
    gs_mem_free(s);
}

/* --- lists ------------------------------------------------------------------------ */

/* Puts a record on a list; with its key it will take key_bytes more. */
static inline __attribute__((always_inline)) bool
add_to_list(gs_early_split *s, gs_text_list *list, const uint8_t *record, size_t bytes,
            uint64_t offset, size_t key_bytes)
{
    const size_t all = bytes + s->layout.has_eol;
    const bool is_long = bytes > GS_TEXT_NEAR_MAX;
    if (s->keeps_keys)
        list->has_others = true;
    if (!gs_text_list_make_room(&s->lists, list, is_long ? 0 : all))
        return false;
    if (__builtin_expect(is_long || list->takes_places, 0))
        gs_text_list_add_far(list, gs_where_pack(offset, bytes), all + key_bytes);
    else
        gs_text_list_add(list, record, bytes, s->layout.has_eol, key_bytes, false);
    return true;
}

/* The same, on the list of its bucket. */
static inline bool add_to_bucket(gs_early_split *s, unsigned worker, size_t bucket,
                                 const uint8_t *record, size_t bytes, uint64_t offset,
                                 size_t key_bytes)
{
    const unsigned set = gs_text_lists_set_of(&s->lists, worker);
    gs_text_list *const list = gs_text_list_of(&s->lists, set, bucket);
    if (!gs_text_lists_are_shared(&s->lists))
        return add_to_list(s, list, record, bytes, offset, key_bytes);
    if (list->is_one && gs_text_lists_repeat(&s->lists, worker, bucket))
        return true;
    gs_text_list_take(list);
    const bool is_added = add_to_list(s, list, record, bytes, offset, key_bytes);
    gs_text_list_leave(list);
    return is_added;
}

/* The same with its key, as a keyed record. */
static inline bool add_with_key(gs_early_split *s, unsigned worker, size_t bucket,
                                const uint8_t *record, size_t bytes)
{
    gs_text_list *const list = gs_text_list_of(&s->lists, worker, bucket);
    if (!gs_text_list_make_room(&s->lists, list, bytes + s->layout.has_eol))
        return false;
    gs_text_list_add(list, record, bytes, s->layout.has_eol, 0, true);
    return true;
}

/* The records of the batch go to their buckets. */
static bool add_batch(gs_early_split *s, unsigned worker)
{
    gs_key_batch *const batch = &s->key_batch[worker];
    bool is_added = true;
    gs_string_splitters_find(s->splitters, batch->strings_of, batch->count);
    for (size_t i = 0; i < batch->count; i++)
        gs_text_list_prefetch(
            gs_text_list_of(&s->lists, worker, batch->strings_of[i].bucket), false);
    for (size_t i = 0; i < batch->count && is_added; i++) {
        const gs_batched_key *const r = &batch->records[i];
        const gs_placed_string *const string = &batch->strings_of[i];
        const size_t whole = GS_RECORD_HEAD_BYTES + r->key_bytes + r->record_bytes;
        is_added =
            s->keeps_keys && whole <= GS_TEXT_NEAR_MAX
                ? add_with_key(s, worker, string->bucket,
                               string->string - GS_RECORD_HEAD_BYTES, whole)
                : add_to_bucket(s, worker, string->bucket, r->record, r->record_bytes, 0,
                                r->key_bytes + GS_RECORD_HEAD_BYTES);
    }
    batch->count = batch->used_bytes = 0;
    return is_added;
}

/* Of a string that the line is a part of, no more of the line is needed than decides on
 * the bucket, unless the keyed record goes to the list as it is made here. */
static bool add_keyed(gs_early_split *s, unsigned worker, const uint8_t *record,
                      size_t bytes)
{
    gs_key_batch *const batch = &s->key_batch[worker];
    if (bytes > KEYED_LINE_MAX)
        return false;
    uint8_t *const string = batch->strings + batch->used_bytes + GS_RECORD_HEAD_BYTES;
    const size_t key_bytes = gs_key_encode(s->encoder, record, bytes, string);
    const uint32_t head = (uint32_t)key_bytes;
    size_t string_bytes = key_bytes;
    if (s->keeps_keys || key_bytes < s->splitters->reach) {
        gs_copy_short(string + key_bytes, record, bytes + s->layout.has_eol);
        string_bytes += bytes;
    }
    memcpy(string - sizeof head, &head, sizeof head);
    batch->strings_of[batch->count] =
        (gs_placed_string){.string = string, .bytes = (uint32_t)string_bytes};
    batch->records[batch->count++] = (gs_batched_key){.record = record,
                                                      .record_bytes = (uint32_t)bytes,
                                                      .key_bytes = (uint32_t)key_bytes};
    batch->used_bytes += GS_RECORD_HEAD_BYTES + string_bytes + s->layout.has_eol;
    return (batch->count < GS_STRING_BATCH && batch->used_bytes < KEY_BATCH_BYTES) ||
           add_batch(s, worker);
}

/* Plain records on their way to lists. */
typedef struct gs_plain_batch {
    gs_placed_string records[GS_STRING_BATCH];
    size_t count;
    const uint8_t *arena;
} gs_plain_batch;

static bool add_plain_batch(gs_early_split *s, unsigned worker, gs_plain_batch *batch)
{
    const unsigned set = gs_text_lists_set_of(&s->lists, worker);
    const bool is_shared = gs_text_lists_are_shared(&s->lists);
    gs_string_splitters_find(s->splitters, batch->records, batch->count);
    for (size_t i = 0; i < batch->count; i++)
        gs_text_list_prefetch(gs_text_list_of(&s->lists, set, batch->records[i].bucket),
                              is_shared);
    for (size_t i = 0; i < batch->count; i++) {
        const gs_placed_string *const r = &batch->records[i];
        const uint64_t offset = (uint64_t)(r->string - batch->arena);
        if (!add_to_bucket(s, worker, r->bucket, r->string, r->bytes, offset, 0))
            return false;
    }
    batch->count = 0;
    return true;
}

static inline bool add_record(gs_early_split *s, unsigned worker, gs_plain_batch *plain,
                              const uint8_t *record, size_t bytes)
{
    if (s->encoder != NULL)
        return add_keyed(s, worker, record, bytes);
    plain->records[plain->count++] =
        (gs_placed_string){.string = record, .bytes = (uint32_t)bytes};
    return plain->count < GS_STRING_BATCH || add_plain_batch(s, worker, plain);
}

static bool add_records(gs_early_split *s, unsigned worker, const uint8_t *arena,
                        const uint8_t *data, size_t bytes, uint64_t *count)
{
    gs_plain_batch plain;
    plain.count = 0;
    plain.arena = arena;
    if (s->record_size > 0) {
        for (size_t at = 0; at < bytes; at += s->record_size)
            if (!add_record(s, worker, &plain, data + at, s->record_size))
                return false;
        *count += bytes / s->record_size;
        return add_plain_batch(s, worker, &plain);
    }
    uint64_t lines = 0;
    gs_line_iter it = gs_line_iter_begin(data, bytes, s->layout.eol);
    while (gs_line_iter_load(&it)) {
        while (gs_line_iter_next(&it)) {
            if (!add_record(s, worker, &plain, data + it.begin, it.end - it.begin))
                return false;
            lines++;
        }
    }
    if (it.rest < bytes) {
        if (!add_record(s, worker, &plain, data + it.rest, bytes - it.rest))
            return false;
        lines++;
    }
    *count += lines;
    return add_plain_batch(s, worker, &plain);
}

bool gs_early_split_add(gs_early_split *s, unsigned worker, const uint8_t *data,
                        size_t bytes, size_t offset, uint64_t *count)
{
    gs_assert(bytes < GS_WHERE_LENGTH_LONG && offset + bytes <= gs_arena_bytes_max);
    const uint8_t *const arena = data - offset;
    return add_records(s, worker, arena, data, bytes, count) &&
           (s->encoder == NULL || add_batch(s, worker));
}

bool gs_early_split_needs_text(const gs_early_split *s)
{
    return atomic_load_explicit(&s->lists.has_places, memory_order_relaxed);
}

/* --- by chunks -------------------------------------------------------------------- */

bool gs_early_split_reserve(gs_early_split *s, size_t bytes)
{
    const size_t used = gs_text_lists_bytes(&s->lists) / GS_TEXT_PAGE;
    const size_t pages = gs_text_lists_most_pages(&s->lists, bytes);
    const size_t taken = used + s->reserved_pages;
    if (bytes >= GS_WHERE_LENGTH_LONG || taken > s->page_capacity ||
        pages > s->page_capacity - taken || used >= s->chunk_pages)
        return false;
    s->reserved_pages += pages;
    return true;
}

void gs_early_split_added(gs_early_split *s, size_t bytes)
{
    s->reserved_pages -= gs_text_lists_most_pages(&s->lists, bytes);
}

bool gs_early_split_is_empty(const gs_early_split *s)
{
    return gs_text_lists_bytes(&s->lists) == 0;
}

void gs_early_split_clear(gs_early_split *s)
{
    gs_assert(s->reserved_pages == 0);
    gs_text_lists_clear(&s->lists);
}
