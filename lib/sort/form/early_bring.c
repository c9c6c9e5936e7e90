/* SPDX-License-Identifier: MIT */
#include "lib/sort/form/early_bring.h"

#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/machine.h"
#include "lib/base/mem.h"
#include "lib/base/share.h"
#include "lib/sort/form/early_state.h"

enum { ALIGN = 64 };

/* How much a bucket is. */
typedef struct gs_bucket_size {
    size_t count;
    size_t bytes;     /* of records */
    bool is_one;      /* all of it is one record, again and again */
    bool is_in_place; /* the records stay on the lists */
} gs_bucket_size;

static gs_bucket_size size_of(const gs_early_split *s, size_t bucket)
{
    const gs_listed on_lists = gs_text_lists_listed(&s->lists, bucket);
    const gs_listed in_files = s->file != NULL ? s->kept[bucket] : (gs_listed){0};
    const bool has_others = on_lists.has_others || in_files.has_others;
    return (gs_bucket_size){
        .count = on_lists.count + in_files.count,
        .bytes = on_lists.bytes + in_files.bytes,
        .is_one = s->splitters->buckets[bucket].is_one,
        .is_in_place = (s->encoder == NULL || s->keeps_keys) && !has_others,
    };
}

/* Of a bucket that is one record, that; they are all as long. */
static gs_bucket_size size_of_one(const gs_bucket_size *size)
{
    gs_bucket_size one = *size;
    one.bytes = size->bytes / size->count;
    one.count = 1;
    return one;
}

/* Are its records copied, more than one of them? */
static bool is_copied(const gs_bucket_size *size)
{
    return !size->is_one && !size->is_in_place;
}

/* What of a bucket comes from files and lists together, at most; of one string each has a
 * record. One that stays in the text is longer than what says where it is. */
static size_t parts_room(const gs_early_split *s, const gs_bucket_size *size)
{
    const size_t times =
        size->is_one ? (gs_list_file_rounds(s->file) + 1) * s->sets : size->count;
    const size_t bytes = size->is_one ? size->bytes * times : size->bytes;
    return bytes + times * GS_TEXT_HEAD;
}

/* The copies that are made of a bucket. Of a long record the head has a `where` too. */
static size_t copies_room(const gs_early_split *s, const gs_bucket_size *size)
{
    const size_t long_max = size->bytes / GS_TEXT_NEAR_MAX;
    const size_t heads = size->count * GS_TEXT_HEAD + long_max * sizeof(uint64_t);
    return size->is_in_place ? 0 : size->bytes + (s->encoder == NULL ? heads : 0);
}

/* How much text a bucket is brought with: none if it stays on the lists. What was in
 * files is read behind copies that are made of it, if there are some. */
static size_t text_room(const gs_early_split *s, const gs_bucket_size *size)
{
    return copies_room(s, size) + (s->file != NULL ? parts_room(s, size) : 0);
}

size_t gs_early_split_list_bytes(const gs_early_split *s)
{
    return gs_text_lists_bytes(&s->lists);
}

void gs_early_split_leave(const gs_early_split *s, unsigned part, unsigned parts)
{
    gs_text_lists_leave(&s->lists, part, parts);
}

/* Takes a record that stays on its list. */
static inline void take_in_place(const gs_early_split *s, bool is_keyed,
                                 const gs_listed_record *r, gs_near_bucket *out)
{
    const size_t head_bytes = is_keyed ? GS_RECORD_HEAD_BYTES : 0;
    const size_t string_bytes = r->bytes - head_bytes;
    gs_element *const e = &out->elements[out->copied_count++];
    gs_tie_put_words(&s->layout, e, r->text + head_bytes, string_bytes, out->depth);
    e->where = gs_where_pack((uint64_t)(r->text - out->arena), string_bytes);
}

/* Puts a head at the end of the bucket, of a record that follows. */
static inline void put_head(size_t length, gs_near_bucket *out)
{
    const bool is_long = length > GS_TEXT_NEAR_MAX;
    const uint16_t head = is_long ? GS_TEXT_FAR : (uint16_t)length;
    uint8_t *const to = out->to + out->copied_bytes;
    memcpy(to, &head, sizeof head);
    out->copied_bytes += GS_TEXT_HEAD;
    if (__builtin_expect(is_long, 0)) {
        const uint64_t where = gs_where_pack(0, length);
        memcpy(to + GS_TEXT_HEAD, &where, sizeof where);
        out->copied_bytes += sizeof where;
    }
}

/* Copies a plain record to the end of the bucket. Its element is put, with room for a
 * head before the copy; or else its head, as on a list. */
static inline __attribute__((always_inline)) void
take_plain(const gs_early_split *s, bool has_elements, const uint8_t *from, size_t length,
           gs_near_bucket *out)
{
    if (has_elements) {
        gs_element *const e = &out->elements[out->copied_count++];
        out->copied_bytes += GS_TEXT_HEAD;
        gs_tie_put_words(&s->layout, e, from, length, out->depth);
        e->where = gs_where_pack(out->copied_bytes, length);
    } else {
        put_head(length, out);
    }
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

/* Takes records of a bucket, which stay where they are; of one string only the first.
 * Compiled for plain and for keyed records. */
static inline __attribute__((always_inline)) void
take_list_in_place(const gs_early_split *s, bool is_keyed, gs_list_cursor c,
                   gs_near_bucket *out)
{
    gs_near_bucket b = *out;
    gs_listed_record r;
    while (gs_list_cursor_next(&c, &r, s->layout.has_eol)) {
        take_in_place(s, is_keyed, &r, &b);
        if (c.is_one)
            break;
    }
    *out = b;
}

/* A record that stayed in the text is needed no more there, nor are pages around it. */
static void leave_far(const gs_early_split *s, size_t offset, size_t bytes)
{
    enum { AROUND = 1 << 16 };
    const size_t begin = offset < AROUND ? 0 : offset - AROUND;
    const size_t end = offset + bytes + AROUND;
    if (offset + bytes <= s->mapped_end)
        gs_file_map_leave_part(s->arena + begin,
                               (end < s->mapped_end ? end : s->mapped_end) - begin);
}

/* Copies a plain record that stayed in the text. */
static void take_far(const gs_early_split *s, bool has_elements,
                     const gs_listed_record *r, gs_near_bucket *out)
{
    const size_t offset = gs_where_offset(r->where);
    take_plain(s, has_elements, s->arena + offset, r->bytes, out);
    if (s->file != NULL)
        leave_far(s, offset, r->bytes);
}

/* Takes records of a page of places, those before `bound`, which is as in an element. */
static inline __attribute__((always_inline)) void
take_places(const gs_early_split *s, bool has_elements, gs_list_cursor *c, uint64_t bound,
            gs_near_bucket *out)
{
    const uint64_t *where = (const uint64_t *)(const void *)c->at;
    const uint64_t *const end = (const uint64_t *)(const void *)c->end;
    for (; where < end && *where < bound; where++) {
        if (end - where > GS_COPY_PREFETCH_AHEAD)
            gs_record_prefetch(s->arena, where[GS_COPY_PREFETCH_AHEAD]);
        take_plain(s, has_elements, s->arena + gs_where_offset(*where),
                   *where & GS_WHERE_LENGTH_LONG, out);
    }
    c->at = (const uint8_t *)where;
}

/* Copies plain records of a list, of one string only the first: those whose text is on
 * the list, and of others those before `bound`. Returns if there are more. Compiled for
 * buckets with elements, and for those that get them later. */
static inline __attribute__((always_inline)) bool
take_until_as(const gs_early_split *s, bool has_elements, gs_list_cursor *c,
              uint64_t bound, gs_near_bucket *out)
{
    gs_near_bucket b = *out;
    gs_listed_record r;
    while (c->at < c->end || gs_list_cursor_turn(c)) {
        if (c->is_at_places && !c->is_one) {
            take_places(s, has_elements, c, bound, &b);
            if (c->at < c->end) {
                *out = b;
                return true;
            }
        } else if (gs_list_cursor_next(c, &r, s->layout.has_eol)) {
            if (r.text != NULL)
                take_plain(s, has_elements, r.text, r.bytes, &b);
            else
                take_far(s, has_elements, &r, &b);
            if (c->is_one)
                break;
        }
    }
    *out = b;
    return false;
}

static bool take_until(const gs_early_split *s, gs_list_cursor *c, uint64_t bound,
                       gs_near_bucket *out)
{
    return out->elements != NULL ? take_until_as(s, true, c, bound, out)
                                 : take_until_as(s, false, c, bound, out);
}

/* Makes keyed records of those of a list, of one string only of the first; `key_room` is
 * for their keys. False as above. */
static bool take_keyed_list(const gs_early_split *s, gs_list_cursor c, uint8_t *key_room,
                            gs_near_bucket *out)
{
    const size_t before = out->copied_count, eol_bytes = s->layout.has_eol;
    gs_near_bucket b = *out;
    gs_listed_record r;
    while (gs_list_cursor_next(&c, &r, eol_bytes)) {
        const bool is_as_read = r.has_key ? take_with_key(&r, eol_bytes, &b)
                                          : take_keyed(s, r.text, r.bytes, key_room, &b);
        if (__builtin_expect(!is_as_read, 0))
            return false;
        if (c.is_one)
            break;
    }
    for (size_t i = before; i < b.copied_count; i++)
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

/* Finds room for a bucket: with the others, and with its elements unless it `is_late` and
 * gets them later; or of its own, with elements and scratch. */
static gs_code find_room(gs_near_bucket *out, size_t count, bool is_late,
                         size_t text_bytes, const gs_bucket_copy *room, size_t *used,
                         gs_status *st)
{
    size_t elements = is_late ? 0 : count;
    uint8_t *memory;
    gs_assert(text_bytes <= gs_arena_bytes_max);
    *out = (gs_near_bucket){.count = count, .has_next = true, .to_bytes = text_bytes};
    if (count <= GS_EARLY_BESIDE_MAX &&
        room_for(elements, text_bytes) <= room->capacity - *used) {
        memory = room->data + *used;
        *used += room_for(elements, text_bytes);
    } else {
        elements = count;
        const size_t bytes = room_for(elements, text_bytes);
        out->own_bytes = bytes + round_up(elements * sizeof(gs_element));
        GS_TRY(gs_mem_map(&out->own, out->own_bytes, true, "a large bucket", st));
        memory = out->own;
        out->scratch = (gs_element *)(void *)(memory + bytes);
    }
    out->elements = elements > 0 ? (gs_element *)(void *)memory : NULL;
    out->arena = out->to = memory + round_up(elements * sizeof(gs_element));
    return GS_OK;
}

/* Takes all records of a bucket; false if they are not as they were read. */
static bool take_bucket(const gs_early_split *s, size_t bucket,
                        const gs_bucket_size *size, gs_near_bucket *out,
                        uint8_t *key_room)
{
    const bool is_keyed = s->encoder != NULL;
    for (unsigned i = 0; i < s->sets && out->copied_count < out->count; i++) {
        const gs_text_list *const list = gs_text_list_of(&s->lists, i, bucket);
        if (list->count == 0)
            continue;
        gs_list_cursor c = gs_list_cursor_begin(&s->lists, list);
        if (size->is_in_place && is_keyed)
            take_list_in_place(s, true, c, out);
        else if (size->is_in_place)
            take_list_in_place(s, false, c, out);
        else if (!is_keyed)
            (void)take_until(s, &c, UINT64_MAX, out);
        else if (!take_keyed_list(s, c, key_room, out))
            return false;
    }
    return out->copied_bytes <= out->to_bytes;
}

/* What is on the lists of a bucket, behind what came from files. */
static size_t copy_lists(const gs_early_split *s, size_t bucket, uint8_t *to)
{
    const uint8_t *data;
    size_t all = 0, bytes;
    for (unsigned i = 0; i < s->sets; i++) {
        const gs_text_list *const list = gs_text_list_of(&s->lists, i, bucket);
        gs_list_cursor c = gs_list_cursor_begin(&s->lists, list);
        while (gs_list_cursor_part(&c, s->layout.has_eol, &data, &bytes)) {
            memcpy(to + all, data, bytes);
            all += bytes;
        }
    }
    return all;
}

/* The same as take_bucket of plain records, some of which are in files. */
static gs_code take_kept(const gs_early_split *s, size_t bucket,
                         const gs_bucket_size *size, gs_near_bucket *out, gs_status *st)
{
    const size_t copies = copies_room(s, size);
    uint8_t *const parts = out->to + copies;
    size_t bytes = out->to_bytes - copies;
    gs_assert(s->encoder == NULL);
    GS_TRY(gs_list_file_read(s->file, bucket, parts, &bytes, st));
    bytes += copy_lists(s, bucket, parts + bytes);
    gs_assert(copies + bytes <= out->to_bytes);
    gs_list_cursor c = gs_list_cursor_of_parts(parts, bytes, size->is_one);
    if (size->is_in_place)
        take_list_in_place(s, false, c, out);
    else
        (void)take_until(s, &c, UINT64_MAX, out);
    return GS_OK;
}

/* What is known of a bucket before its records are taken, with room for them; of one
 * string *size is that of its record from here on. */
static gs_code begin_bucket(const gs_early_split *s, size_t bucket, gs_bucket_size *size,
                            gs_near_bucket *out, const gs_bucket_copy *room, size_t *used,
                            gs_status *st)
{
    const bool is_late = s->buckets.together > 0 && is_copied(size);
    const size_t same_count = size->is_one ? size->count : 0;
    const size_t line_bytes = s->encoder == NULL ? size->bytes : 0;
    const bool is_on_lists = size->is_in_place && s->file == NULL;
    if (size->is_one)
        *size = size_of_one(size);
    GS_TRY(find_room(out, size->count, is_late, text_room(s, size), room, used, st));
    if (is_on_lists)
        out->arena = (const uint8_t *)s->lists.pages;
    if (s->encoder == NULL)
        out->heads = is_on_lists ? (uint8_t *)s->lists.pages : out->to;
    out->same_count = same_count;
    out->line_bytes = line_bytes;
    out->is_settled = size->is_one;
    out->depth = s->splitters->buckets[bucket].depth;
    return GS_OK;
}

static gs_code bring_bucket(const gs_early_split *s, size_t bucket, gs_near_bucket *out,
                            const gs_bucket_copy *room, size_t *used, uint8_t *key_room,
                            gs_status *st)
{
    gs_bucket_size size = size_of(s, bucket);
    GS_TRY(begin_bucket(s, bucket, &size, out, room, used, st));
    if (s->file != NULL)
        GS_TRY(take_kept(s, bucket, &size, out, st));
    else if (!take_bucket(s, bucket, &size, out, key_room))
        return gs_map_name_fail_changed(s->arena, st);
    gs_assert(out->copied_count == out->count);
    return GS_OK;
}

/* Buckets that are copied together, window by window of the text. */
typedef struct window_job {
    const gs_early_split *split;
    gs_list_cursor *cursors; /* of each bucket its lists, set by set */
    gs_near_bucket *buckets;
} window_job;

static bool take_window(void *context, size_t list, uint64_t bound)
{
    const window_job *const job = context;
    gs_list_cursor *const c = &job->cursors[list];
    return c->page != NULL &&
           take_until(job->split, c, bound, &job->buckets[list / job->split->sets]);
}

/* The same for plain buckets with records that stayed in the text, which get their
 * elements later. */
static gs_code bring_together(const gs_early_split *s, gs_bucket_copy *room, size_t first,
                              size_t count, gs_near_bucket *out, gs_status *st)
{
    window_job job = {.split = s, .buckets = out};
    size_t used = 0;
    GS_TRY(gs_mem_new_array(&job.cursors, count * s->sets, sizeof *job.cursors,
                            "places in lists", st));
    for (size_t i = 0; i < count && st->code == GS_OK; i++) {
        const size_t bucket = s->numbered[first + i];
        gs_bucket_size size = size_of(s, bucket);
        if (!is_copied(&size)) {
            GS_NOTED(bring_bucket(s, bucket, &out[i], room, &used, NULL, st));
            continue;
        }
        GS_NOTED(begin_bucket(s, bucket, &size, &out[i], room, &used, st));
        for (unsigned set = 0; set < s->sets; set++)
            job.cursors[i * s->sets + set] =
                gs_list_cursor_begin(&s->lists, gs_text_list_of(&s->lists, set, bucket));
    }
    if (st->code == GS_OK)
        gs_copy_windows(0, count * s->sets, take_window, &job);
    gs_mem_free(job.cursors);
    return st->code;
}

static gs_code bring(const gs_buckets *buckets, gs_bucket_copy *room, size_t first,
                     size_t count, gs_near_bucket *out, gs_status *st)
{
    const gs_early_split *const s = (const gs_early_split *)(const void *)buckets;
    uint8_t *key_room = NULL;
    size_t used = 0;
    if (buckets->together > 0)
        return bring_together(s, room, first, count, out, st);
    if (s->encoder != NULL)
        GS_TRY(gs_mem_new(&key_room, s->key_room, "key", st));
    for (size_t i = 0; i < count && st->code == GS_OK; i++)
        GS_NOTED(
            bring_bucket(s, s->numbered[first + i], &out[i], room, &used, key_room, st));
    gs_mem_free(key_room);
    return st->code;
}

/* Of a bucket whose copies are as they would be on a list. */
static void put_elements(const gs_buckets *buckets, gs_element *elements,
                         gs_near_bucket *bucket)
{
    const gs_early_split *const s = (const gs_early_split *)(const void *)buckets;
    const size_t eol_bytes = s->layout.has_eol;
    gs_near_bucket b = *bucket;
    gs_list_cursor c = gs_list_cursor_of_parts(b.to, b.copied_bytes, false);
    gs_listed_record r;
    b.elements = elements;
    while (gs_list_cursor_next(&c, &r, eol_bytes)) {
        if (r.text == NULL) { /* a long one, which follows */
            r.text = c.at;
            c.at += r.bytes + eol_bytes;
        }
        take_in_place(s, false, &r, &b);
    }
    gs_assert(b.copied_count == b.count && b.copied_bytes <= b.to_bytes);
    *bucket = b;
}

static void drop(const gs_buckets *buckets, gs_near_bucket *bucket)
{
    (void)buckets;
    if (bucket->own != NULL)
        gs_mem_unmap(bucket->own, bucket->own_bytes);
    *bucket = (gs_near_bucket){0};
}

/* Looks at records in the text whose places are on a page, from the first to the last. */
static size_t look_at_page(const gs_early_split *s, const gs_list_cursor *c)
{
    const uint64_t *const where = (const uint64_t *)(const void *)c->at;
    const size_t count = (size_t)(c->end - c->at) / sizeof *where;
    for (size_t i = 0; i < count; i++) {
        if (count - i > GS_COPY_PREFETCH_AHEAD)
            gs_record_prefetch(s->arena, where[i + GS_COPY_PREFETCH_AHEAD]);
        (void)*(const volatile uint8_t *)(s->arena + gs_where_offset(where[i]));
    }
    return count;
}

/* What it takes to look at a record in the text as for a copy of its bucket alone; 0 if
 * there is none. */
static uint64_t look_ns(const gs_early_split *s)
{
    enum { LOOKS = 1 << 16 };
    size_t looks = 0;
    const uint64_t begin_ns = gs_machine_thread_ns();
    for (size_t i = 0; i < s->buckets.count && looks < LOOKS; i++) {
        const gs_text_list *const list = gs_text_list_of(&s->lists, 0, s->numbered[i]);
        if (list->count == 0 || list->is_one)
            continue;
        gs_list_cursor c = gs_list_cursor_begin(&s->lists, list);
        for (; c.at < c.end || gs_list_cursor_turn(&c); c.at = c.end)
            if (c.is_at_places)
                looks += look_at_page(s, &c);
    }
    return looks == 0 ? 0 : (gs_machine_thread_ns() - begin_ns) / looks;
}

/* Records that stayed in so much text are copied window by window where a look at one of
 * them is slow: where pages are dear, since the host of such a machine maps its memory in
 * small ones, and where it is seen to be (lib/sort/NOTES.md). */
static void plan_together(gs_early_split *s, const gs_early_memory *memory, size_t most)
{
    gs_buckets *const b = &s->buckets;
    size_t all = 0;
    if (!gs_early_split_needs_text(s) ||
        memory->record_bytes < GS_BUCKET_COPY_ARENA_MIN / 2 ||
        (!gs_fresh_memory_is_dear(&s->lists.memory) && look_ns(s) < s->slow_look_ns))
        return;
    for (size_t i = 0; i < b->count; i++) {
        gs_bucket_size size = size_of(s, s->numbered[i]);
        size = size.is_one ? size_of_one(&size) : size;
        all += room_for(is_copied(&size) ? 0 : size.count, text_room(s, &size));
    }
    const size_t later = b->scratch_elements * sizeof(gs_element);
    most = most > later ? gs_clamp(most - later, 0, GS_BUCKET_COPY_ROOM_MAX) : 0;
    b->together = gs_bucket_copy_together(most, all / b->count);
    if (b->together == 0)
        return;
    b->put_elements = put_elements;
    if (b->room_bytes < most)
        b->room_bytes = most;
}

/* A worker has room for a bucket, but for one that is much larger than others. */
static void plan_room(gs_early_split *s, const gs_early_memory *memory, size_t largest)
{
    gs_buckets *const b = &s->buckets;
    const size_t workers = b->count < 2 ? 1 : s->workers;
    const size_t lists = gs_early_split_list_bytes(s);
    /* What is on the lists is not needed in the text, unless it is places. */
    const size_t instead = gs_early_split_needs_text(s) ? 0 : memory->record_bytes;
    const size_t taken = (lists > instead ? lists - instead : 0) +
                         workers * b->scratch_elements * sizeof(gs_element);
    const size_t more =
        memory->spare_bytes > taken ? (memory->spare_bytes - taken) / workers : 0;
    const size_t most = memory->room_bytes + more;
    b->room_bytes = s->file != NULL || largest < most ? largest : most;
    plan_together(s, memory, most);
}

gs_bucket_need gs_early_split_need(const gs_early_split *s, size_t count_max)
{
    gs_bucket_need need = {0};
    for (size_t i = 0; i < s->splitters->bucket_count; i++) {
        const gs_bucket_size size = size_of(s, i);
        if (size.count == 0 || size.is_one || size.count > count_max)
            continue;
        const size_t bytes = room_for(size.count, text_room(s, &size));
        need.records = size.count > need.records ? size.count : need.records;
        need.bytes = bytes > need.bytes ? bytes : need.bytes;
    }
    return need;
}

const gs_buckets *gs_early_split_finish(gs_early_split *s, const gs_early_memory *memory)
{
    gs_buckets *const b = &s->buckets;
    const gs_bucket_need need = gs_early_split_need(s, GS_EARLY_BESIDE_MAX);
    *b = (gs_buckets){
        .bring = bring, .drop = drop, .layout = s->layout, .may_change = true};
    for (size_t i = 0; i < s->splitters->bucket_count; i++)
        if (size_of(s, i).count > 0)
            s->numbered[b->count++] = (uint16_t)i;
    s->arena = memory->arena;
    b->scratch_elements = need.records;
    plan_room(s, memory, need.bytes);
    return b;
}
