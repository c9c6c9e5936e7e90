/* SPDX-License-Identifier: MIT */
#include "lib/sort/form/early_split.h"

#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/sort/form/text_lists.h"
#include "lib/sort/form/text_sample.h"

enum {
    RECORD_MEAN_MAX = 1024,   /* longer lines have pages of their own */
    BUCKET_RECORDS = 1 << 14, /* a bucket's elements and text are to fit the cache */
    ALIGN = 64,
    KEYED_LINE_MAX = GS_TEXT_NEAR_MAX, /* longer lines are not for this */
    KEY_BATCH_BYTES = 1 << 14,
};

/* Keyed records of one worker on their way to lists. Bytes that were just written one by
 * one cannot be read as words without a stall. */
typedef struct gs_batched_key {
    const uint8_t *record;
    uint32_t record_bytes, key_bytes;
} gs_batched_key;

typedef struct gs_key_batch {
    gs_placed_string strings_of[GS_STRING_BATCH]; /* as much as is needed of each */
    gs_batched_key records[GS_STRING_BATCH];
    size_t count, used_bytes;
    uint8_t *strings;
} gs_key_batch;

struct gs_early_split {
    gs_buckets buckets; /* once all records were added */
    gs_record_layout layout;
    const gs_key_encoder *encoder; /* of keyed records */
    size_t key_room;               /* for the string of a line, however it comes out */
    bool keeps_keys;               /* on the lists, before the lines */
    size_t record_size;
    unsigned workers;
    gs_string_splitters *splitters; /* one bucket each has a list */
    size_t page_capacity;
    gs_text_lists lists;
    gs_key_batch *key_batch; /* one a worker, of keyed records */
    const uint8_t *arena;
    uint16_t numbered[GS_STRING_BUCKETS_MAX]; /* buckets with records */
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

/* How many pages the lists may take; false if that is more than there are. Keys that take
 * long are kept there, if there is room for them. */
static bool plan_pages(gs_early_split *s, const gs_text_guess *guess, size_t text,
                       size_t pages_max)
{
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

/* Chooses splitters, and how many pages the lists may take; false if this is not for such
 * text. */
static bool plan(gs_early_split *s, const gs_early_split_options *o,
                 gs_string_sample *sample, uint8_t *key_room, gs_status *st)
{
    enum { TRIED = GS_STRING_SAMPLE_MAX / 8, LARGER_MAX = 4, KEYED_MAX = 3 };
    const gs_text_sample_options from = {o->layout, o->encoder, o->record_size, o->map};
    const size_t text = gs_file_map_text_bytes(o->map);
    const gs_text_guess guess = gs_text_sample_take(&from, sample, TRIED, key_room);
    if (sample->count < TRIED / 2 || text / guess.records > RECORD_MEAN_MAX)
        return false;
    const size_t records = guess.records;
    const unsigned levels = gs_splitters_levels(records, BUCKET_RECORDS);
    const size_t buckets = (size_t)1 << levels;
    (void)gs_text_sample_take(&from, sample, buckets * GS_STRING_OVERSAMPLING, key_room);
    if (sample->count == 0)
        return false;
    if (gs_string_splitters_choose(s->splitters, sample, buckets, s->layout.is_backwards,
                                   st) != GS_OK ||
        !is_even(s->splitters, sample->count / buckets + 1))
        return false;
    const size_t record_bytes = text * (s->encoder ? KEYED_MAX : 1);
    const size_t a_bucket = LARGER_MAX * ((records >> levels) * 2 * sizeof(gs_element) +
                                          (record_bytes >> levels));
    const size_t near_bytes = s->workers * a_bucket;
    return near_bytes < o->memory_bytes &&
           plan_pages(s, &guess, text, (o->memory_bytes - near_bytes) / GS_TEXT_PAGE);
}

/* Records that compare equal must be the same bytes; room for strings is for lines of
 * some length, with so few keys that none becomes long. */
static bool is_for_records(const gs_early_split_options *o)
{
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
    *are_for_it = plan(s, o, &sample, s->encoder ? s->key_batch[0].strings : NULL, st);
    gs_string_sample_release(&sample);
    if (!*are_for_it)
        return st->code;
    return gs_text_lists_init(&s->lists, s->splitters->bucket_count, s->workers,
                              s->page_capacity, st);
}

gs_code gs_early_split_new(gs_early_split **out, const gs_early_split_options *options,
                           gs_status *st)
{
    gs_early_split *s = NULL;
    bool are_for_it = false;
    *out = NULL;
    if (gs_file_map_text_bytes(options->map) < GS_EARLY_SPLIT_MIN ||
        !is_for_records(options))
        return GS_OK;
    GS_TRY(gs_mem_new(&s, sizeof *s, "early split", st));
    s->layout = *options->layout;
    s->encoder = options->encoder;
    s->record_size = options->record_size;
    s->workers = options->workers;
    if (prepare(s, options, &are_for_it, st) == GS_OK && are_for_it)
        *out = s;
    else
        gs_early_split_free(s);
    return st->code;
}

void gs_early_split_free(gs_early_split *s)
{
    if (s == NULL)
        return;
    gs_text_lists_release(&s->lists);
    for (unsigned w = 0; s->key_batch != NULL && w < s->workers; w++)
        gs_mem_free(s->key_batch[w].strings);
    gs_mem_free(s->key_batch);
    gs_mem_free(s->splitters);
    gs_mem_free(s);
}

/* --- lists ------------------------------------------------------------------------ */

/* Puts a record on the list of its bucket; with its key it will take key_bytes more. */
static inline bool add_to_bucket(gs_early_split *s, unsigned worker, size_t bucket,
                                 const uint8_t *record, size_t bytes, uint64_t offset,
                                 size_t key_bytes)
{
    gs_text_list *const list = gs_text_list_of(&s->lists, worker, bucket);
    const bool is_one = s->splitters->buckets[bucket].is_one;
    list->bytes += key_bytes;
    if (__builtin_expect(bytes > GS_TEXT_NEAR_MAX, 0))
        return gs_text_list_add_far(&s->lists, list, gs_where_pack(offset, bytes),
                                    bytes + s->layout.has_eol, is_one);
    return gs_text_list_add(&s->lists, list, record, bytes, s->layout.has_eol, false,
                            is_one);
}

/* The same with its key, as a keyed record. */
static inline bool add_with_key(gs_early_split *s, unsigned worker, size_t bucket,
                                const uint8_t *record, size_t bytes)
{
    gs_text_list *const list = gs_text_list_of(&s->lists, worker, bucket);
    return gs_text_list_add(&s->lists, list, record, bytes, s->layout.has_eol, true,
                            s->splitters->buckets[bucket].is_one);
}

/* The records of the batch go to their buckets. */
static bool add_batch(gs_early_split *s, unsigned worker)
{
    gs_key_batch *const batch = &s->key_batch[worker];
    bool is_added = true;
    gs_string_splitters_find(s->splitters, batch->strings_of, batch->count);
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
    gs_string_splitters_find(s->splitters, batch->records, batch->count);
    for (size_t i = 0; i < batch->count; i++)
        gs_text_list_prefetch(
            gs_text_list_of(&s->lists, worker, batch->records[i].bucket));
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

/* How much a bucket is. */
typedef struct gs_bucket_size {
    size_t count;
    size_t bytes; /* of records */
    bool is_one;  /* all of it is one record, again and again */
} gs_bucket_size;

static gs_bucket_size size_of(const gs_early_split *s, size_t bucket)
{
    gs_bucket_size size = {.is_one = s->splitters->buckets[bucket].is_one};
    for (unsigned w = 0; w < s->workers; w++) {
        const gs_text_list *const list = gs_text_list_of(&s->lists, w, bucket);
        size.count += list->count;
        size.bytes += list->bytes;
    }
    return size;
}

size_t gs_early_split_list_bytes(const gs_early_split *s)
{
    return gs_text_lists_bytes(&s->lists);
}

/* --- bringing buckets close --------------------------------------------------------- */

/* Copies a plain record to the end of the bucket. */
static inline void take_plain(const gs_early_split *s, const uint8_t *from, size_t length,
                              gs_near_bucket *out)
{
    gs_element *const e = &out->elements[out->copied_count++];
    gs_tie_put_words(&s->layout, e, from, length, out->depth);
    e->where = gs_where_pack(out->copied_bytes, length);
    gs_copy_short(out->to + out->copied_bytes, from, length + s->layout.has_eol);
    out->copied_bytes += length + s->layout.has_eol;
}

/* Makes a keyed record at the end of the bucket. What comes behind it in the bucket is
 * free to be written to, but not what comes behind the bucket. Its words are taken later:
 * bytes that were just written one by one are not to be read. False if its key is another
 * now: somebody wrote to the file between the first time that it was made and the copy.
 */
static inline bool take_keyed(const gs_early_split *s, const uint8_t *from, size_t length,
                              uint8_t *key_room, gs_near_bucket *out)
{
    uint8_t *const to = out->to + out->copied_bytes;
    const size_t room = out->to_bytes - out->copied_bytes;
    const size_t others = sizeof(uint32_t) + length + s->layout.has_eol;
    size_t key_bytes;
    if (gs_key_encode_bound(s->encoder, length) + others <= room) {
        key_bytes = gs_key_encode(s->encoder, from, length, to + sizeof(uint32_t));
    } else {
        key_bytes = gs_key_encode(s->encoder, from, length, key_room);
        if (key_bytes + others > room)
            return false;
        gs_copy_short(to + sizeof(uint32_t), key_room, key_bytes);
    }
    if (key_bytes + length < out->depth)
        return false;
    gs_element *const e = &out->elements[out->copied_count++];
    const uint32_t head = (uint32_t)key_bytes;
    memcpy(to, &head, sizeof head);
    gs_copy_short(to + sizeof head + key_bytes, from, length + s->layout.has_eol);
    e->where = gs_where_pack(out->copied_bytes, key_bytes + length);
    out->copied_bytes += key_bytes + others;
    return true;
}

/* Copies a keyed record to the end of the bucket, as it is on the list. */
static inline bool take_with_key(const gs_listed_record *r, size_t eol_bytes,
                                 gs_near_bucket *out)
{
    const size_t all = r->bytes + eol_bytes;
    if (all > out->to_bytes - out->copied_bytes)
        return false;
    gs_element *const e = &out->elements[out->copied_count++];
    e->where = gs_where_pack(out->copied_bytes, r->bytes - GS_RECORD_HEAD_BYTES);
    gs_copy_short(out->to + out->copied_bytes, r->text, all);
    out->copied_bytes += all;
    return true;
}

/* Takes a worker's records of a bucket; of one string only the first. Compiled for plain
 * and for keyed records; `key_room` is for the latter. False as above. */
static inline __attribute__((always_inline)) bool
take_list(const gs_early_split *s, bool is_keyed, const gs_text_list *list, bool is_one,
          gs_near_bucket *out, uint8_t *key_room)
{
    const size_t before = out->copied_count, eol_bytes = s->layout.has_eol;
    gs_list_cursor c = gs_list_cursor_begin(list, is_one);
    gs_near_bucket b = *out;
    gs_listed_record r;
    while (gs_list_cursor_next(&c, &r, eol_bytes)) {
        bool is_as_read = true;
        if (!is_keyed)
            take_plain(s, r.text != NULL ? r.text : s->arena + gs_where_offset(r.where),
                       r.bytes, &b);
        else
            is_as_read = r.has_key ? take_with_key(&r, eol_bytes, &b)
                                   : take_keyed(s, r.text, r.bytes, key_room, &b);
        if (__builtin_expect(!is_as_read, 0))
            return false;
        if (is_one)
            break;
    }
    for (size_t i = before; is_keyed && i < b.copied_count; i++)
        gs_tie_load(&s->layout, b.arena, &b.elements[i], b.depth);
    *out = b;
    return true;
}

static size_t round_up(size_t bytes)
{
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

static size_t room_for(size_t count, size_t text_bytes)
{
    return round_up(count * sizeof(gs_element)) + round_up(text_bytes + GS_COPY_SLACK);
}

/* Finds room for a bucket: with the others, or of its own, then with scratch too. */
static gs_code find_room(gs_near_bucket *out, size_t count, size_t text_bytes,
                         const gs_bucket_copy *room, size_t *used, gs_status *st)
{
    const size_t element_bytes = round_up(count * sizeof(gs_element));
    const size_t bytes = room_for(count, text_bytes);
    uint8_t *memory = room->data + *used;
    gs_assert(text_bytes <= gs_arena_bytes_max);
    *out = (gs_near_bucket){.count = count, .has_next = true, .to_bytes = text_bytes};
    if (count <= GS_EARLY_BESIDE_MAX && bytes <= room->capacity - *used) {
        *used += bytes;
    } else {
        out->own_bytes = bytes + element_bytes;
        GS_TRY(gs_mem_map(&out->own, out->own_bytes, true, "a large bucket", st));
        memory = out->own;
        out->scratch = (gs_element *)(void *)(memory + bytes);
    }
    out->elements = (gs_element *)(void *)memory;
    out->arena = out->to = memory + element_bytes;
    return GS_OK;
}

static gs_code bring_bucket(const gs_early_split *s, size_t bucket, gs_near_bucket *out,
                            const gs_bucket_copy *room, size_t *used, uint8_t *key_room,
                            gs_status *st)
{
    gs_bucket_size size = size_of(s, bucket);
    if (size.is_one) {
        size.bytes = size.bytes / size.count; /* they are all as long */
        GS_TRY(find_room(out, 1, size.bytes, room, used, st));
        out->same_count = size.count;
        out->is_settled = true;
    } else {
        GS_TRY(find_room(out, size.count, size.bytes, room, used, st));
    }
    out->depth = s->splitters->buckets[bucket].depth;
    bool is_as_read = true;
    for (unsigned w = 0; w < s->workers && out->copied_count < out->count; w++) {
        const gs_text_list *const list = gs_text_list_of(&s->lists, w, bucket);
        is_as_read =
            is_as_read &&
            (s->encoder != NULL ? take_list(s, true, list, size.is_one, out, key_room)
                                : take_list(s, false, list, size.is_one, out, NULL));
    }
    if (!is_as_read || out->copied_bytes > size.bytes)
        return gs_map_name_fail_changed(s->arena, st);
    gs_assert(out->copied_count == out->count);
    return GS_OK;
}

static gs_code bring(const gs_buckets *buckets, gs_bucket_copy *room, size_t first,
                     size_t count, gs_near_bucket *out, gs_status *st)
{
    const gs_early_split *const s = (const gs_early_split *)(const void *)buckets;
    uint8_t *key_room = NULL;
    size_t used = 0;
    if (s->encoder != NULL)
        GS_TRY(gs_mem_new(&key_room, s->key_room, "key", st));
    for (size_t i = 0; i < count && st->code == GS_OK; i++)
        GS_NOTED(
            bring_bucket(s, s->numbered[first + i], &out[i], room, &used, key_room, st));
    gs_mem_free(key_room);
    return st->code;
}

static void drop(const gs_buckets *buckets, gs_near_bucket *bucket)
{
    (void)buckets;
    if (bucket->own != NULL)
        gs_mem_unmap(bucket->own, bucket->own_bytes);
    *bucket = (gs_near_bucket){0};
}

/* A worker has room for a bucket, but for one that is much larger than others. */
static void plan_room(gs_early_split *s, const gs_early_memory *memory, size_t largest)
{
    gs_buckets *const b = &s->buckets;
    const size_t workers = b->count < 2 ? 1 : s->workers;
    const size_t lists = gs_early_split_list_bytes(s);
    const size_t taken =
        (lists > memory->record_bytes ? lists - memory->record_bytes : 0) +
        workers * b->scratch_elements * sizeof(gs_element);
    const size_t more =
        memory->spare_bytes > taken ? (memory->spare_bytes - taken) / workers : 0;
    const size_t most = memory->room_bytes + more;
    b->room_bytes = largest < most ? largest : most;
}

const gs_buckets *gs_early_split_finish(gs_early_split *s, const gs_early_memory *memory)
{
    gs_buckets *const b = &s->buckets;
    size_t most_records = 0, most_bytes = 0;
    *b = (gs_buckets){
        .bring = bring, .drop = drop, .layout = s->layout, .may_change = true};
    for (size_t i = 0; i < s->splitters->bucket_count; i++) {
        const gs_bucket_size size = size_of(s, i);
        if (size.count > 0)
            s->numbered[b->count++] = (uint16_t)i;
        if (size.count == 0 || size.is_one || size.count > GS_EARLY_BESIDE_MAX)
            continue;
        const size_t bytes = room_for(size.count, size.bytes);
        most_records = size.count > most_records ? size.count : most_records;
        most_bytes = bytes > most_bytes ? bytes : most_bytes;
    }
    s->arena = memory->arena;
    b->scratch_elements = most_records;
    plan_room(s, memory, most_bytes);
    return b;
}
