/* SPDX-License-Identifier: MIT */
#include "lib/sort/form/early_split.h"

#include <stdatomic.h>
#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"

enum {
    PAGE = 4096,
    BLOCK_PLACES = PAGE / sizeof(uint64_t) - 1,
    SAMPLE_LINE_MAX = 4096, /* how far a sample looks for the end of a line */
    COMMON_MAX = 64,
    RECORD_MEAN_MAX = 1024, /* longer lines have pages of their own, */
    RECORD_MEAN_SOME = 56,  /* and these are better off in text that is not so large */
    ALIGN = 64,
    KEYED_LINE_MAX = SAMPLE_LINE_MAX, /* longer lines are not for this */
    KEY_BATCH = 64,                   /* records whose keys are made before any is used */
    KEY_BATCH_BYTES = 1 << 14,
    KEYED_PREFETCH_AHEAD = 12,
};

/* Text whose pages are more than the translations that the processor keeps at hand. */
static const size_t LARGE = (size_t)2 << 30;

typedef struct gs_list_block {
    uint64_t where[BLOCK_PLACES];
    struct gs_list_block *next;
} gs_list_block;

_Static_assert(sizeof(gs_list_block) == PAGE, "a page");

/* What one worker writes for every record is together; the rest once a block. */
typedef struct gs_early_lists {
    GS_MEM_APART uint64_t *tail[GS_SPLITTERS_BUCKETS_MAX]; /* next place; NULL: empty */
    gs_list_block *first[GS_SPLITTERS_BUCKETS_MAX];
    size_t blocks[GS_SPLITTERS_BUCKETS_MAX];
    size_t key_bytes[GS_SPLITTERS_BUCKETS_MAX]; /* of keyed records */
} gs_early_lists;

/* Keyed records of one worker on their way to lists. Bytes that were just written one by
 * one cannot be read as words without a stall. */
typedef struct gs_batched_key {
    uint64_t where;
    uint32_t begin, bytes; /* of the string, as much as is needed */
    uint32_t key_bytes;
} gs_batched_key;

typedef struct gs_key_batch {
    gs_batched_key records[KEY_BATCH];
    size_t count, used_bytes;
    uint8_t *strings;
} gs_key_batch;

struct gs_early_split {
    gs_buckets buckets; /* once all records were added */
    gs_record_layout layout;
    const gs_key_encoder *encoder; /* of keyed records */
    size_t key_room;               /* for the string of a line, however it comes out */
    size_t record_size;
    unsigned workers;
    uint8_t common[COMMON_MAX]; /* what all of the sample begin with, */
    size_t depth;               /* so many bytes */
    gs_splitters splitters;
    gs_early_lists *lists;   /* one a worker */
    gs_key_batch *key_batch; /* the same, of keyed records */
    gs_list_block *memory;
    size_t block_capacity;
    atomic_size_t blocks_used;
    const uint8_t *arena;
    uint16_t numbered[GS_SPLITTERS_BUCKETS_MAX]; /* buckets with records */
};

/* --- splitters -------------------------------------------------------------------- */

/* The word that decides on the bucket: of what follows the bytes that all of the sample
 * begin with, or the least or the greatest if the record begins with others. */
static inline uint64_t deciding_word(const gs_early_split *s, const uint8_t *string,
                                     size_t bytes)
{
    uint64_t word;
    if (s->depth == 0) {
        word = gs_string_word(string, bytes, 0);
    } else {
        const size_t shared = bytes < s->depth ? bytes : s->depth;
        const int d = memcmp(string, s->common, shared);
        word = d == 0 && bytes >= s->depth ? gs_string_word(string, bytes, s->depth)
               : d > 0                     ? UINT64_MAX
                                           : 0;
    }
    return word ^ (s->layout.is_backwards ? UINT64_MAX : 0);
}

/* A record at or behind `at`; NULL if none is near. */
static const uint8_t *sample_record(const gs_early_split_options *o,
                                    const gs_mapped_file *file, size_t at, size_t *bytes)
{
    const uint8_t *const text = o->map->base + file->begin;
    if (o->record_size > 0) {
        *bytes = o->record_size;
        return text + at / *bytes * *bytes;
    }
    const size_t left = file->bytes - at;
    const size_t most = left < SAMPLE_LINE_MAX ? left : SAMPLE_LINE_MAX;
    const size_t line = gs_line_find(text + at, most, o->layout->eol) + 1;
    if (line >= most)
        return NULL;
    *bytes = gs_line_find(text + at + line, most - line, o->layout->eol);
    return *bytes < most - line ? text + at + line : NULL;
}

/* What a sample says of all records. */
typedef struct gs_text_guess {
    size_t records;            /* how many there are */
    size_t key_bytes;          /* of one of them */
    uint8_t begin[COMMON_MAX]; /* what their strings begin with, */
    size_t begin_bytes;        /* so many bytes */
    bool has_begin;
} gs_text_guess;

static void note_begin(gs_text_guess *guess, const uint8_t *string, size_t bytes)
{
    if (!guess->has_begin) {
        guess->has_begin = true;
        guess->begin_bytes = bytes < COMMON_MAX ? bytes : COMMON_MAX;
        memcpy(guess->begin, string, guess->begin_bytes);
    }
    size_t same = 0;
    while (same < guess->begin_bytes && same < bytes &&
           string[same] == guess->begin[same])
        same++;
    guess->begin_bytes = same;
}

/* Fills the sample with words of records from all over the files; returns how many. */
static size_t take_sample(const gs_early_split *s, const gs_early_split_options *o,
                          uint64_t *sample, size_t want, uint8_t *key_room,
                          gs_text_guess *guess)
{
    const size_t text = gs_file_map_text_bytes(o->map), part = text / want + 1;
    uint64_t state = 1;
    size_t count = 0, file = 0, before = 0; /* text in the files before */
    double a_byte = 0; /* records, summed: a longer one is met more often */
    size_t key_bytes = 0;
    *guess = (gs_text_guess){0};
    for (size_t i = 0; i < want; i++) {
        const size_t at = i * (part - 1) + gs_splitters_place(&state, part);
        const gs_mapped_file *const files = o->map->files;
        while (file < o->map->file_count && at - before >= files[file].bytes)
            before += files[file++].bytes;
        if (file == o->map->file_count)
            break;
        size_t bytes;
        const uint8_t *const record =
            at >= before ? sample_record(o, &files[file], at - before, &bytes) : NULL;
        if (record == NULL)
            continue;
        const uint8_t *const string = s->encoder ? key_room : record;
        size_t string_bytes = bytes;
        if (s->encoder != NULL)
            string_bytes =
                gs_line_string_put(&s->layout, s->encoder, record, bytes, key_room);
        sample[count++] = deciding_word(s, string, string_bytes);
        note_begin(guess, string, string_bytes);
        key_bytes += string_bytes - bytes;
        a_byte += 1.0 / (double)(bytes + o->layout->has_eol);
    }
    guess->records =
        count > 0 ? (size_t)((double)text * (a_byte / (double)count)) + 1 : 0;
    guess->key_bytes = count > 0 ? key_bytes / count : 0;
    return count;
}

/* Would buckets be even? No word may fill more than two of them. */
static bool is_even(const uint64_t *sorted, size_t count, size_t a_bucket)
{
    for (size_t i = 2 * a_bucket; i < count; i++)
        if (sorted[i] == sorted[i - 2 * a_bucket])
            return false;
    return true;
}

/* Making every key a second time: to save memory that is not there, or much of it. */
static bool is_worth_two_keys(const gs_early_split *s, const gs_early_split_options *o,
                              const gs_text_guess *guess, size_t text)
{
    const size_t record_bytes =
        sizeof(gs_element) + GS_RECORD_HEAD_BYTES + guess->key_bytes;
    const size_t least = gs_key_encode_is_cheap(s->encoder)
                             ? GS_EARLY_SPLIT_KEYED_MIN
                             : GS_EARLY_SPLIT_DEAR_KEYS * GS_EARLY_SPLIT_KEYED_MIN;
    return text >= least || guess->records * record_bytes > o->memory_bytes;
}

/* Chooses splitters, and how many blocks the lists may take; false if this is not for
 * such text. */
static bool plan(gs_early_split *s, const gs_early_split_options *o, uint64_t *sample,
                 uint8_t *key_room)
{
    enum { TRIED = GS_SPLITTERS_SAMPLE_MAX / 8, LARGER_MAX = 4, KEYED_MAX = 3 };
    const size_t text = gs_file_map_text_bytes(o->map);
    gs_text_guess guess;
    size_t count = take_sample(s, o, sample, TRIED, key_room, &guess);
    const size_t mean_max = text < LARGE ? RECORD_MEAN_SOME : RECORD_MEAN_MAX;
    if (count < TRIED / 2 || text / guess.records > mean_max)
        return false;
    if (s->encoder != NULL && !is_worth_two_keys(s, o, &guess, text))
        return false;
    s->depth = guess.begin_bytes;
    memcpy(s->common, guess.begin, s->depth);
    const size_t records = guess.records;
    const unsigned levels = gs_splitters_levels(records, GS_BUCKET_ELEMENTS);
    count = take_sample(s, o, sample, ((size_t)1 << levels) * GS_SPLITTERS_OVERSAMPLING,
                        key_room, &guess);
    if (count == 0)
        return false;
    gs_splitters_choose(&s->splitters, levels, sample, count);
    if (s->splitters.levels < levels || !is_even(sample, count, (count >> levels) + 1))
        return false;
    /* A block each for the lists that are begun, and half as much again as it seems. */
    s->block_capacity = s->workers * s->splitters.bucket_count +
                        (records + records / 2) / BLOCK_PLACES + 1;
    const size_t record_bytes = text * (s->encoder ? KEYED_MAX : 1);
    const size_t a_bucket = LARGER_MAX * ((records >> levels) * 2 * sizeof(gs_element) +
                                          (record_bytes >> levels));
    return s->block_capacity * PAGE + s->workers * a_bucket < o->memory_bytes;
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
    uint64_t *sample = NULL;
    if (s->encoder != NULL) {
        s->key_room = gs_key_encode_bound(s->encoder, KEYED_LINE_MAX) + KEYED_LINE_MAX +
                      GS_COPY_SLACK;
        GS_TRY(new_key_batches(s, st));
    }
    GS_TRY(gs_mem_new(&sample, GS_SPLITTERS_SAMPLE_MAX * sizeof *sample, "sample", st));
    *are_for_it = plan(s, o, sample, s->encoder ? s->key_batch[0].strings : NULL);
    gs_mem_free(sample);
    if (!*are_for_it)
        return GS_OK;
    GS_TRY(
        gs_mem_new_apart(&s->lists, s->workers * sizeof *s->lists, "lists of lines", st));
    return gs_mem_map(&s->memory, s->block_capacity * PAGE, true, "lists of lines", st);
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
    if (s->memory != NULL)
        gs_mem_unmap(s->memory, s->block_capacity * PAGE);
    for (unsigned w = 0; s->key_batch != NULL && w < s->workers; w++)
        gs_mem_free(s->key_batch[w].strings);
    gs_mem_free(s->key_batch);
    gs_mem_free(s->lists);
    gs_mem_free(s);
}

/* --- lists ------------------------------------------------------------------------ */

/* A list is empty or its block full: another block. */
static bool extend(gs_early_split *s, gs_early_lists *lists, size_t bucket)
{
    const size_t number = atomic_fetch_add(&s->blocks_used, 1);
    if (number >= s->block_capacity)
        return false;
    gs_list_block *const block = s->memory + number;
    uint64_t *const tail = lists->tail[bucket];
    if (tail == NULL)
        lists->first[bucket] = block;
    else
        ((gs_list_block *)(void *)(tail - BLOCK_PLACES))->next = block;
    lists->tail[bucket] = block->where;
    lists->blocks[bucket]++;
    return true;
}

static inline bool add_to_bucket(gs_early_split *s, gs_early_lists *lists, size_t bucket,
                                 uint64_t where)
{
    uint64_t *tail = lists->tail[bucket];
    /* The place behind a block's last is that of `next`; so is the one of no block. */
    if (__builtin_expect(
            tail == NULL || (uintptr_t)tail % PAGE == BLOCK_PLACES * sizeof *tail, 0)) {
        if (!extend(s, lists, bucket))
            return false;
        tail = lists->tail[bucket];
    }
    *tail = where;
    lists->tail[bucket] = tail + 1;
    return true;
}

/* The records of the batch go to their buckets. */
static bool add_batch(gs_early_split *s, unsigned worker)
{
    enum { FOUR = GS_SPLITTERS_TOGETHER };
    gs_key_batch *const batch = &s->key_batch[worker];
    gs_early_lists *const lists = &s->lists[worker];
    for (size_t i = 0; i < batch->count; i += FOUR) {
        const size_t n = batch->count - i < FOUR ? batch->count - i : FOUR;
        uint64_t words[FOUR] = {0};
        size_t buckets[FOUR];
        for (size_t k = 0; k < n; k++) {
            const gs_batched_key *const r = &batch->records[i + k];
            words[k] = deciding_word(s, batch->strings + r->begin, r->bytes);
        }
        gs_splitters_find_four(&s->splitters, words, buckets);
        for (size_t k = 0; k < n; k++) {
            const gs_batched_key *const r = &batch->records[i + k];
            if (!add_to_bucket(s, lists, buckets[k], r->where))
                return false;
            lists->key_bytes[buckets[k]] += r->key_bytes;
        }
    }
    batch->count = batch->used_bytes = 0;
    return true;
}

/* Of a string that the line is a part of, no more of the line is needed than the word
 * takes that decides. */
static bool add_keyed(gs_early_split *s, unsigned worker, const uint8_t *record,
                      size_t bytes, size_t offset)
{
    gs_key_batch *const batch = &s->key_batch[worker];
    if (bytes > KEYED_LINE_MAX)
        return false;
    uint8_t *const string = batch->strings + batch->used_bytes;
    const size_t key_bytes = gs_key_encode(s->encoder, record, bytes, string);
    size_t string_bytes = key_bytes;
    if (key_bytes < s->depth + sizeof(uint64_t)) {
        gs_copy_short(string + key_bytes, record, bytes);
        string_bytes += bytes;
    }
    batch->records[batch->count++] =
        (gs_batched_key){.where = gs_where_pack(offset, bytes),
                         .begin = (uint32_t)batch->used_bytes,
                         .bytes = (uint32_t)string_bytes,
                         .key_bytes = (uint32_t)key_bytes};
    batch->used_bytes += string_bytes;
    return (batch->count < KEY_BATCH && batch->used_bytes < KEY_BATCH_BYTES) ||
           add_batch(s, worker);
}

static inline bool add_record(gs_early_split *s, unsigned worker, const uint8_t *record,
                              size_t bytes, size_t offset)
{
    if (s->encoder != NULL)
        return add_keyed(s, worker, record, bytes, offset);
    const size_t bucket =
        gs_splitters_find(&s->splitters, deciding_word(s, record, bytes));
    return add_to_bucket(s, &s->lists[worker], bucket, gs_where_pack(offset, bytes));
}

static bool add_records(gs_early_split *s, unsigned worker, const uint8_t *data,
                        size_t bytes, size_t offset, uint64_t *count)
{
    if (s->record_size > 0) {
        for (size_t at = 0; at < bytes; at += s->record_size)
            if (!add_record(s, worker, data + at, s->record_size, offset + at))
                return false;
        *count += bytes / s->record_size;
        return true;
    }
    uint64_t lines = 0;
    gs_line_iter it = gs_line_iter_begin(data, bytes, s->layout.eol);
    while (gs_line_iter_load(&it)) {
        while (gs_line_iter_next(&it)) {
            const size_t at = it.begin;
            if (!add_record(s, worker, data + at, it.end - at, offset + at))
                return false;
            lines++;
        }
    }
    if (it.rest < bytes) {
        if (!add_record(s, worker, data + it.rest, bytes - it.rest, offset + it.rest))
            return false;
        lines++;
    }
    *count += lines;
    return true;
}

bool gs_early_split_add(gs_early_split *s, unsigned worker, const uint8_t *data,
                        size_t bytes, size_t offset, uint64_t *count)
{
    gs_assert(bytes < GS_WHERE_LENGTH_LONG && offset + bytes <= gs_arena_bytes_max);
    return add_records(s, worker, data, bytes, offset, count) &&
           (s->encoder == NULL || add_batch(s, worker));
}

static size_t list_count(const gs_early_lists *lists, size_t bucket)
{
    const size_t blocks = lists->blocks[bucket];
    if (blocks == 0)
        return 0;
    const uint64_t *const tail = lists->tail[bucket];
    const uintptr_t last = ((uintptr_t)tail - 1) / PAGE * PAGE;
    return (blocks - 1) * BLOCK_PLACES + ((uintptr_t)tail - last) / sizeof *tail;
}

static size_t bucket_count(const gs_early_split *s, size_t bucket)
{
    size_t count = 0;
    for (unsigned w = 0; w < s->workers; w++)
        count += list_count(&s->lists[w], bucket);
    return count;
}

/* What the records of a bucket take besides their text. */
static size_t bucket_key_bytes(const gs_early_split *s, size_t bucket, size_t count)
{
    size_t bytes = s->encoder != NULL ? count * GS_RECORD_HEAD_BYTES : 0;
    for (unsigned w = 0; w < s->workers; w++)
        bytes += s->lists[w].key_bytes[bucket];
    return bytes;
}

size_t gs_early_split_list_bytes(const gs_early_split *s)
{
    return atomic_load(&s->blocks_used) * PAGE;
}

/* --- bringing buckets close --------------------------------------------------------- */

/* One worker's list of one bucket, as far as it has come. */
typedef struct gs_list_cursor {
    const gs_list_block *block;
    size_t at, left; /* place in the block, and how many there are from there on */
} gs_list_cursor;

/* To make a key takes longer than to copy a line. */
static inline size_t prefetch_ahead(bool is_keyed)
{
    return is_keyed ? KEYED_PREFETCH_AHEAD : GS_COPY_PREFETCH_AHEAD;
}

/* The next few records, so far as they are in the block. */
static void prefetch_next(const gs_list_cursor *c, const uint8_t *arena, size_t most)
{
    const size_t in_block = BLOCK_PLACES - c->at;
    size_t n = c->left < in_block ? c->left : in_block;
    if (n > most)
        n = most;
    for (size_t i = 0; i < n; i++)
        gs_record_prefetch(arena, c->block->where[c->at + i]);
}

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
 * bytes that were just written one by one are not to be read. False if there is no room
 * for it: the keys are longer than they were, since somebody writes to a mapped file. */
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
    gs_element *const e = &out->elements[out->copied_count++];
    const uint32_t head = (uint32_t)key_bytes;
    memcpy(to, &head, sizeof head);
    gs_copy_short(to + sizeof head + key_bytes, from, length + s->layout.has_eol);
    e->where = gs_where_pack(out->copied_bytes, key_bytes + length);
    out->copied_bytes += key_bytes + others;
    return true;
}

/* Takes records until one that lies at or beyond `bound`, which is as in an element.
 * Compiled for plain and for keyed records; `key_room` is for the latter. Returns the
 * record for which there is no room, or NULL. */
static inline __attribute__((always_inline)) const uint8_t *
take_until(const gs_early_split *s, bool is_keyed, const uint8_t *arena,
           gs_list_cursor *c, gs_near_bucket *out, uint64_t bound, uint8_t *key_room)
{
    const size_t before = out->copied_count, ahead = prefetch_ahead(is_keyed);
    gs_near_bucket b = *out;
    while (c->left > 0) {
        const uint64_t *const where = c->block->where;
        const size_t in_block = BLOCK_PLACES - c->at;
        const size_t end = c->at + (c->left < in_block ? c->left : in_block);
        size_t i = c->at;
        for (; i < end && where[i] < bound; i++) {
            if (i + ahead < end)
                gs_record_prefetch(arena, where[i + ahead]);
            const size_t length = where[i] & GS_WHERE_LENGTH_LONG;
            const uint8_t *const from = arena + gs_where_offset(where[i]);
            if (!is_keyed)
                take_plain(s, from, length, &b);
            else if (__builtin_expect(!take_keyed(s, from, length, key_room, &b), 0))
                return from;
        }
        c->left -= i - c->at;
        c->at = i;
        if (i < end || c->left == 0)
            break;
        c->block = c->block->next;
        c->at = 0;
        prefetch_next(c, arena, ahead);
    }
    for (size_t i = before; is_keyed && i < b.copied_count; i++)
        gs_tie_load(&s->layout, b.arena, &b.elements[i], b.depth);
    *out = b;
    return NULL;
}

static size_t list_text_bytes(const gs_list_cursor *list)
{
    size_t sum = 0;
    for (gs_list_cursor c = *list; c.left > 0; c.block = c.block->next) {
        const size_t n = c.left < BLOCK_PLACES ? c.left : BLOCK_PLACES;
        for (size_t i = 0; i < n; i++)
            sum += c.block->where[i] & GS_WHERE_LENGTH_LONG;
        c.left -= n;
        if (c.left == 0)
            break;
    }
    return sum;
}

/* Where the records of a bucket may differ: those that do not begin like the sample have
 * the least word or the greatest. */
static size_t depth_of(const gs_early_split *s, size_t bucket)
{
    const bool has_others = bucket == gs_splitters_find(&s->splitters, 0) ||
                            bucket == gs_splitters_find(&s->splitters, UINT64_MAX);
    return has_others ? 0 : s->depth;
}

static size_t round_up(size_t bytes)
{
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

/* Finds room for a bucket: with the others, or of its own, then with scratch too. */
static gs_code find_room(gs_near_bucket *out, size_t count, size_t text_bytes,
                         const gs_bucket_copy *room, size_t *used, gs_status *st)
{
    const size_t element_bytes = round_up(count * sizeof(gs_element));
    const size_t bytes = element_bytes + round_up(text_bytes + GS_COPY_SLACK);
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

/* Where the first record lies of lists that are not begun. */
static uint64_t first_offset(const gs_list_cursor *lists, size_t count)
{
    uint64_t first = UINT64_MAX;
    for (const gs_list_cursor *c = lists; c < lists + count; c++)
        if (c->left > 0 && gs_where_offset(c->block->where[0]) < first)
            first = gs_where_offset(c->block->where[0]);
    return first;
}

/* Buckets that are filled from their lists, one a worker each. */
typedef struct gs_list_job {
    const gs_early_split *split;
    gs_list_cursor *cursors;
    size_t count;
    uint8_t *key_room;
    gs_near_bucket *out;
    gs_status *st;
} gs_list_job;

static bool copy_window(void *context, size_t which, uint64_t bound)
{
    const gs_list_job *const job = context;
    const gs_early_split *const s = job->split;
    const bool is_keyed = s->encoder != NULL;
    gs_list_cursor *const c = &job->cursors[which];
    gs_near_bucket *const bucket = &job->out[which / s->workers];
    const uint8_t *changed = NULL;
    if (job->st->code != GS_OK)
        return false;
    if (which + 1 < job->count)
        prefetch_next(c + 1, s->arena, prefetch_ahead(is_keyed));
    if (c->left > 0 && is_keyed)
        changed = take_until(s, true, s->arena, c, bucket, bound, job->key_room);
    else if (c->left > 0)
        changed = take_until(s, false, s->arena, c, bucket, bound, NULL);
    if (changed != NULL)
        GS_NOTED(gs_map_name_fail_changed(changed, job->st));
    return c->left > 0;
}

/* Begins the lists of a bucket, and finds room for it. */
static gs_code begin_bucket(const gs_early_split *s, size_t bucket,
                            gs_list_cursor *cursors, gs_near_bucket *out,
                            const gs_bucket_copy *room, size_t *used, gs_status *st)
{
    size_t records = 0, bytes = 0;
    for (unsigned w = 0; w < s->workers; w++) {
        cursors[w] = (gs_list_cursor){s->lists[w].first[bucket], 0,
                                      list_count(&s->lists[w], bucket)};
        records += cursors[w].left;
        bytes += list_text_bytes(&cursors[w]);
    }
    bytes += (s->layout.has_eol ? records : 0) + bucket_key_bytes(s, bucket, records);
    GS_TRY(find_room(out, records, bytes, room, used, st));
    out->depth = depth_of(s, bucket);
    return GS_OK;
}

static gs_code bring(const gs_buckets *buckets, gs_bucket_copy *room, size_t first,
                     size_t count, gs_near_bucket *out, gs_status *st)
{
    const gs_early_split *const s = (const gs_early_split *)(const void *)buckets;
    gs_list_job job = {.split = s, .count = count * s->workers, .out = out, .st = st};
    size_t used = 0;
    GS_TRY(gs_mem_new(&job.cursors, (job.count + 1) * sizeof *job.cursors,
                      "places in lists", st));
    if (s->encoder != NULL)
        GS_NOTED(gs_mem_new(&job.key_room, s->key_room, "key", st));
    for (size_t i = 0; i < count && st->code == GS_OK; i++)
        GS_NOTED(begin_bucket(s, s->numbered[first + i], &job.cursors[i * s->workers],
                              &out[i], room, &used, st));
    if (st->code == GS_OK)
        gs_copy_windows(first_offset(job.cursors, job.count), job.count, copy_window,
                        &job);
    gs_mem_free(job.key_room);
    gs_mem_free(job.cursors);
    return st->code;
}

static void drop(const gs_buckets *buckets, gs_near_bucket *bucket)
{
    (void)buckets;
    if (bucket->own != NULL)
        gs_mem_unmap(bucket->own, bucket->own_bytes);
    *bucket = (gs_near_bucket){0};
}

/* Buckets of lists are always copied, as many together as the room takes. */
static void plan_room(gs_early_split *s, const gs_early_memory *memory,
                      size_t element_bytes_and_text)
{
    gs_buckets *const b = &s->buckets;
    const size_t workers = b->count < 2 ? 1 : s->workers;
    const size_t taken =
        gs_early_split_list_bytes(s) + workers * b->scratch_elements * sizeof(gs_element);
    const size_t more =
        memory->spare_bytes > taken ? (memory->spare_bytes - taken) / workers : 0;
    const size_t most = 2 * GS_BUCKET_COPY_ROOM_MAX;
    const size_t bucket_bytes = element_bytes_and_text / (b->count + 1) + GS_COPY_SLACK;
    b->room_bytes = memory->room_bytes + (more < most ? more : most);
    b->together = gs_bucket_copy_together(b->room_bytes, bucket_bytes);
    if (b->together == 0)
        b->together = 1; /* which then has memory of its own */
}

const gs_buckets *gs_early_split_finish(gs_early_split *s, const gs_early_memory *memory)
{
    gs_buckets *const b = &s->buckets;
    size_t largest = 0, bytes = memory->record_bytes;
    *b = (gs_buckets){
        .bring = bring, .drop = drop, .layout = s->layout, .may_change = true};
    for (size_t i = 0; i < s->splitters.bucket_count; i++) {
        const size_t count = bucket_count(s, i);
        bytes += count * sizeof(gs_element) + bucket_key_bytes(s, i, count);
        if (count > largest)
            largest = count;
        if (count > 0)
            s->numbered[b->count++] = (uint16_t)i;
    }
    s->arena = memory->arena;
    b->scratch_elements = largest < GS_EARLY_BESIDE_MAX ? largest : GS_EARLY_BESIDE_MAX;
    plan_room(s, memory, bytes);
    return b;
}
