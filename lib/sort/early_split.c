/* SPDX-License-Identifier: MIT */
#include "lib/sort/early_split.h"

#include <stdatomic.h>
#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/sort/bucket_split.h"
#include "lib/sort/copy_window.h"
#include "lib/sort/line_scan.h"
#include "lib/sort/splitters.h"

enum {
    PAGE = 4096,
    BLOCK_PLACES = PAGE / sizeof(uint64_t) - 1,
    SAMPLE_LINE_MAX = 4096, /* how far a sample looks for the end of a line */
    COMMON_MAX = 64,
    RECORD_MEAN_MAX = 1024, /* longer lines have pages of their own, */
    RECORD_MEAN_SOME = 56,  /* and these are better off in text that is not so large */
    ALIGN = 64,
};

/* Text whose pages are more than the translations that the processor keeps at hand. */
static const size_t LARGE = (size_t)2 << 30;

typedef struct gs_block {
    uint64_t where[BLOCK_PLACES];
    struct gs_block *next;
} gs_list_block;

_Static_assert(sizeof(gs_list_block) == PAGE, "a page");

/* What one worker writes for every record is together; the rest once a block. */
typedef struct gs_early_lists {
    GS_MEM_APART uint64_t *tail[GS_SPLITTERS_BUCKETS_MAX]; /* next place; NULL: empty */
    gs_list_block *first[GS_SPLITTERS_BUCKETS_MAX];
    size_t blocks[GS_SPLITTERS_BUCKETS_MAX];
} gs_early_lists;

struct gs_early_split {
    gs_record_layout layout;
    size_t record_size;
    unsigned workers;
    uint8_t common[COMMON_MAX]; /* what all of the sample begin with, */
    size_t depth;               /* so many bytes */
    gs_splitters splitters;
    gs_early_lists *lists; /* one a worker */
    gs_list_block *memory;
    size_t block_capacity;
    atomic_size_t blocks_used;
    uint16_t numbered[GS_SPLITTERS_BUCKETS_MAX]; /* buckets with records */
    size_t numbered_count, record_count, largest;
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
    const uint8_t *const end = text + at + most;
    const uint8_t *line = memchr(text + at, o->layout->eol, most);
    if (line++ == NULL || line >= end)
        return NULL;
    const uint8_t *const eol = memchr(line, o->layout->eol, (size_t)(end - line));
    if (eol == NULL)
        return NULL;
    *bytes = (size_t)(eol - line);
    return line;
}

/* What a sample says of all records. */
typedef struct gs_text_guess {
    size_t records;       /* how many there are */
    const uint8_t *begin; /* what they begin with */
    size_t begin_bytes;
} gs_text_guess;

static void note_begin(gs_text_guess *guess, const uint8_t *record, size_t bytes)
{
    if (guess->begin == NULL) {
        guess->begin = record;
        guess->begin_bytes = bytes < COMMON_MAX ? bytes : COMMON_MAX;
    }
    size_t same = 0;
    while (same < guess->begin_bytes && same < bytes &&
           record[same] == guess->begin[same])
        same++;
    guess->begin_bytes = same;
}

/* Fills the sample with words of records from all over the files; returns how many. */
static size_t take_sample(const gs_early_split *s, const gs_early_split_options *o,
                          uint64_t *sample, size_t want, gs_text_guess *guess)
{
    const size_t text = gs_file_map_text_bytes(o->map), part = text / want + 1;
    uint64_t state = 1;
    size_t count = 0, file = 0, before = 0; /* text in the files before */
    double a_byte = 0; /* records, summed: a longer one is met more often */
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
        sample[count++] = deciding_word(s, record, bytes);
        note_begin(guess, record, bytes);
        a_byte += 1.0 / (double)(bytes + o->layout->has_eol);
    }
    guess->records =
        count > 0 ? (size_t)((double)text * (a_byte / (double)count)) + 1 : 0;
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

/* Chooses splitters, and how many blocks the lists may take; false if this is not for
 * such text. */
static bool plan(gs_early_split *s, const gs_early_split_options *o, uint64_t *sample)
{
    enum { TRIED = GS_SPLITTERS_SAMPLE_MAX / 8, LARGER_MAX = 4 };
    const size_t text = gs_file_map_text_bytes(o->map);
    gs_text_guess guess;
    size_t count = take_sample(s, o, sample, TRIED, &guess);
    const size_t mean_max = text < LARGE ? RECORD_MEAN_SOME : RECORD_MEAN_MAX;
    if (count < TRIED / 2 || text / guess.records > mean_max)
        return false;
    s->depth = guess.begin_bytes;
    memcpy(s->common, guess.begin, s->depth);
    const size_t records = guess.records;
    const unsigned levels = gs_splitters_levels(records, GS_BUCKET_ELEMENTS);
    count = take_sample(s, o, sample, ((size_t)1 << levels) * GS_SPLITTERS_OVERSAMPLING,
                        &guess);
    if (count == 0)
        return false;
    gs_splitters_choose(&s->splitters, levels, sample, count);
    if (s->splitters.levels < levels || !is_even(sample, count, (count >> levels) + 1))
        return false;
    /* A block each for the lists that are begun, and half as much again as it seems. */
    s->block_capacity = s->workers * s->splitters.bucket_count +
                        (records + records / 2) / BLOCK_PLACES + 1;
    const size_t a_bucket =
        LARGER_MAX * ((records >> levels) * 2 * sizeof(gs_element) + (text >> levels));
    return s->block_capacity * PAGE + s->workers * a_bucket < o->memory_bytes;
}

gs_code gs_early_split_new(gs_early_split **out, const gs_early_split_options *options,
                           gs_status *st)
{
    void *memory = NULL;
    gs_early_split *s = NULL;
    uint64_t *sample = NULL;
    *out = NULL;
    if (gs_file_map_text_bytes(options->map) < GS_EARLY_SPLIT_MIN)
        return GS_OK;
    GS_TRY(gs_mem_new(&memory, sizeof *s, "early split", st));
    s = memory;
    s->layout = *options->layout;
    s->record_size = options->record_size;
    s->workers = options->workers;
    GS_TRY_OR_FAIL(
        gs_mem_new(&memory, GS_SPLITTERS_SAMPLE_MAX * sizeof *sample, "sample", st));
    sample = memory;
    if (!plan(s, options, sample))
        goto fail; /* no failure: it is not worth it */
    GS_TRY_OR_FAIL(
        gs_mem_new_apart(&memory, s->workers * sizeof *s->lists, "lists of lines", st));
    s->lists = memory;
    GS_TRY_OR_FAIL(
        gs_mem_map(&memory, s->block_capacity * PAGE, true, "lists of lines", st));
    s->memory = memory;
    gs_mem_free(sample);
    *out = s;
    return GS_OK;
fail:
    gs_mem_free(sample);
    gs_early_split_free(s);
    return st->code;
}

void gs_early_split_free(gs_early_split *s)
{
    if (s == NULL)
        return;
    if (s->memory != NULL)
        gs_mem_unmap(s->memory, s->block_capacity * PAGE);
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

static inline bool add_record(gs_early_split *s, gs_early_lists *lists,
                              const uint8_t *record, size_t bytes, size_t offset)
{
    const size_t bucket =
        gs_splitters_find(&s->splitters, deciding_word(s, record, bytes));
    uint64_t *tail = lists->tail[bucket];
    /* The place behind a block's last is that of `next`; so is the one of no block. */
    if (__builtin_expect(
            tail == NULL || (uintptr_t)tail % PAGE == BLOCK_PLACES * sizeof *tail, 0)) {
        if (!extend(s, lists, bucket))
            return false;
        tail = lists->tail[bucket];
    }
    *tail = gs_where_pack(offset, bytes);
    lists->tail[bucket] = tail + 1;
    return true;
}

bool gs_early_split_add(gs_early_split *s, unsigned worker, const uint8_t *data,
                        size_t bytes, size_t offset, uint64_t *count)
{
    gs_early_lists *const lists = &s->lists[worker];
    gs_assert(bytes < GS_WHERE_LENGTH_LONG);
    if (s->record_size > 0) {
        for (size_t at = 0; at < bytes; at += s->record_size)
            if (!add_record(s, lists, data + at, s->record_size, offset + at))
                return false;
        *count += bytes / s->record_size;
        return true;
    }
    size_t line = 0;
    uint64_t lines = 0;
    for (size_t at = 0; at < bytes; at += 64) {
        uint64_t mask = gs_line_mask(data + at, s->layout.eol);
        if (bytes - at < 64)
            mask &= UINT64_MAX >> (64 - (bytes - at));
        for (; mask != 0; mask &= mask - 1) {
            const size_t end = at + (size_t)__builtin_ctzll(mask);
            if (!add_record(s, lists, data + line, end - line, offset + line))
                return false;
            line = end + 1;
            lines++;
        }
    }
    if (line < bytes) {
        if (!add_record(s, lists, data + line, bytes - line, offset + line))
            return false;
        lines++;
    }
    *count += lines;
    return true;
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

size_t gs_early_split_finish(gs_early_split *s)
{
    s->numbered_count = s->record_count = s->largest = 0;
    for (size_t b = 0; b < s->splitters.bucket_count; b++) {
        const size_t count = bucket_count(s, b);
        s->record_count += count;
        if (count > s->largest)
            s->largest = count;
        if (count > 0)
            s->numbered[s->numbered_count++] = (uint16_t)b;
    }
    return s->numbered_count;
}

size_t gs_early_split_largest(const gs_early_split *s)
{
    return s->largest < GS_EARLY_BESIDE_MAX ? s->largest : GS_EARLY_BESIDE_MAX;
}

size_t gs_early_split_list_bytes(const gs_early_split *s)
{
    return atomic_load(&s->blocks_used) * PAGE;
}

size_t gs_early_split_bucket_bytes(const gs_early_split *s, size_t text_bytes)
{
    return (text_bytes + s->record_count * sizeof(gs_element)) / (s->numbered_count + 1) +
           GS_COPY_SLACK;
}

/* --- bringing buckets close --------------------------------------------------------- */

/* One worker's list of one bucket, as far as it has come. */
typedef struct gs_list_cursor {
    const gs_list_block *block;
    size_t at, left; /* place in the block, and how many there are from there on */
} gs_list_cursor;

/* The next few records, so far as they are in the block. */
static void prefetch_next(const gs_list_cursor *c, const uint8_t *arena)
{
    const size_t in_block = BLOCK_PLACES - c->at;
    size_t n = c->left < in_block ? c->left : in_block;
    if (n > GS_COPY_PREFETCH_AHEAD)
        n = GS_COPY_PREFETCH_AHEAD;
    for (size_t i = 0; i < n; i++)
        gs_record_prefetch(arena, c->block->where[c->at + i]);
}

/* Takes records until one that lies at or beyond `bound`, which is as in an element. */
static void take_until(const gs_record_layout *layout, const uint8_t *arena,
                       gs_list_cursor *c, gs_early_bucket *out, uint64_t bound)
{
    const uint64_t flip = layout->is_backwards ? UINT64_MAX : 0;
    gs_element *e = out->elements + out->element_count;
    size_t at = out->data_bytes;
    while (c->left > 0) {
        const uint64_t *const where = c->block->where;
        const size_t in_block = BLOCK_PLACES - c->at;
        const size_t end = c->at + (c->left < in_block ? c->left : in_block);
        size_t i = c->at;
        for (; i < end && where[i] < bound; i++) {
            if (i + GS_COPY_PREFETCH_AHEAD < end)
                gs_record_prefetch(arena, where[i + GS_COPY_PREFETCH_AHEAD]);
            const size_t length = where[i] & GS_WHERE_LENGTH_LONG;
            const uint8_t *const from = arena + gs_where_offset(where[i]);
            e->prefix = gs_string_word(from, length, out->depth) ^ flip;
            e->next = gs_string_word(from, length, out->depth + 8) ^ flip;
            e->where = gs_where_pack(at, length);
            e++;
            gs_copy_short(out->data + at, from, length + layout->has_eol);
            at += length + layout->has_eol;
        }
        c->left -= i - c->at;
        c->at = i;
        if (i < end || c->left == 0)
            break;
        c->block = c->block->next;
        c->at = 0;
        prefetch_next(c, arena);
    }
    out->element_count = (size_t)(e - out->elements);
    out->data_bytes = at;
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
static gs_code find_room(gs_early_bucket *out, size_t count, size_t text_bytes,
                         const gs_bucket_copy *room, size_t *used, gs_status *st)
{
    const size_t element_bytes = round_up(count * sizeof(gs_element));
    const size_t bytes = element_bytes + round_up(text_bytes + GS_COPY_SLACK);
    void *memory = NULL;
    *out = (gs_early_bucket){0};
    if (count <= GS_EARLY_BESIDE_MAX && bytes <= room->capacity - *used) {
        memory = room->data + *used;
        *used += bytes;
    } else {
        out->own_bytes = bytes + element_bytes;
        GS_TRY(gs_mem_map(&memory, out->own_bytes, true, "a large bucket", st));
        out->own = memory;
        out->scratch = (gs_element *)(void *)((uint8_t *)memory + bytes);
    }
    out->elements = memory;
    out->data = (uint8_t *)memory + element_bytes;
    return GS_OK;
}

gs_code gs_early_split_take(const gs_early_split *s, const uint8_t *arena,
                            gs_bucket_copy *room, size_t first, size_t count,
                            gs_early_bucket *out, gs_status *st)
{
    void *memory = NULL;
    const unsigned workers = s->workers;
    size_t used = 0, live = 0;
    uint64_t begin = UINT64_MAX;
    GS_TRY(gs_mem_new(&memory, (count * workers + 1) * sizeof(gs_list_cursor),
                      "places in lists", st));
    gs_list_cursor *const cursors = memory;
    for (size_t i = 0; i < count && st->code == GS_OK; i++) {
        const size_t bucket = s->numbered[first + i];
        size_t records = 0, bytes = 0;
        for (unsigned w = 0; w < workers; w++) {
            gs_list_cursor *const c = &cursors[i * workers + w];
            *c = (gs_list_cursor){s->lists[w].first[bucket], 0,
                                  list_count(&s->lists[w], bucket)};
            records += c->left;
            bytes += list_text_bytes(c);
            live += c->left > 0;
            if (c->left > 0 && gs_where_offset(c->block->where[0]) < begin)
                begin = gs_where_offset(c->block->where[0]);
        }
        (void)find_room(&out[i], records, bytes + (s->layout.has_eol ? records : 0), room,
                        &used, st);
        out[i].depth = depth_of(s, bucket);
    }
    for (uint64_t end = begin + GS_COPY_WINDOW_BYTES; live > 0 && st->code == GS_OK;
         end += GS_COPY_WINDOW_BYTES) {
        const uint64_t bound = gs_copy_window_bound(end);
        live = 0;
        for (size_t i = 0; i < count * workers; i++) {
            gs_list_cursor *const c = &cursors[i];
            if (i + 1 < count * workers)
                prefetch_next(c + 1, arena);
            if (c->left > 0)
                take_until(&s->layout, arena, c, &out[i / workers], bound);
            live += c->left > 0;
        }
    }
    gs_mem_free(cursors);
    return st->code;
}

void gs_early_bucket_release(gs_early_bucket *bucket)
{
    if (bucket->own != NULL)
        gs_mem_unmap(bucket->own, bucket->own_bytes);
    *bucket = (gs_early_bucket){0};
}
