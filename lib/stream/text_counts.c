/* SPDX-License-Identifier: MIT */
#include "lib/stream/text_counts.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/stream/nth_count.h"

enum { SLOTS_MIN = 1 << 10, AHEAD = 16 };

void gs_text_counts_release(gs_text_counts *t)
{
    gs_mem_free(t->entries);
    gs_mem_free(t->texts);
    gs_mem_free(t->slots);
    gs_mem_free(t->room);
    *t = (gs_text_counts){0};
}

uint64_t gs_text_hash(const void *text, size_t bytes)
{
    return XXH3_64bits(text, bytes);
}

size_t gs_text_counts_bytes(const gs_text_counts *t)
{
    return t->capacity * sizeof *t->entries + t->text_capacity +
           t->slot_capacity * sizeof *t->slots + t->room_capacity * sizeof *t->room;
}

/* --- the table ---------------------------------------------------------------------- */

static void put_in_slot(gs_text_counts *t, size_t i)
{
    size_t slot = t->entries[i].hash & (t->slot_count - 1);
    while (t->slots[slot] != 0)
        slot = (slot + 1) & (t->slot_count - 1);
    t->slots[slot] = (uint32_t)i + 1;
}

/* So many slots that half of them stay empty when so many entries are in them. */
static gs_code make_slots(gs_text_counts *t, size_t entries, gs_status *st)
{
    size_t slots = SLOTS_MIN;
    while (slots / 2 < entries)
        slots *= 2;
    if (entries >= UINT32_MAX / 2)
        return GS_FAIL(st, GS_ERR_LIMIT, 0, "more than %u different values",
                       UINT32_MAX / 2);
    if (slots > t->slot_capacity) {
        size_t bytes = 0;
        GS_TRY(gs_mem_size_mul(&bytes, slots, sizeof *t->slots, st));
        GS_TRY(gs_mem_resize(&t->slots, bytes, "table of values", st));
        t->slot_capacity = slots;
    }
    t->slot_count = slots;
    memset(t->slots, 0, slots * sizeof *t->slots);
    for (size_t i = 0; i < t->count; i++)
        put_in_slot(t, i);
    return GS_OK;
}

/* What there was the last time says how large it will be, so that clearing what is empty
 * anyway takes no time. */
void gs_text_counts_reset(gs_text_counts *t)
{
    size_t slots = SLOTS_MIN;
    while (slots < t->slot_count && slots / 2 < t->count)
        slots *= 2;
    if (slots < t->slot_count)
        t->slot_count = slots;
    t->count = 0;
    t->text_bytes = 0;
    t->values = t->lost = 0;
    if (t->slot_count > 0)
        memset(t->slots, 0, t->slot_count * sizeof *t->slots);
}

static gs_code add_new(gs_text_counts *t, uint64_t hash, const uint8_t *text,
                       size_t bytes, uint64_t count, gs_status *st)
{
    GS_TRY(gs_mem_grow(&t->entries, &t->capacity, t->count + 1, "counts of values", st));
    GS_TRY(gs_mem_grow(&t->texts, &t->text_capacity, t->text_bytes + bytes + 1,
                       "texts of values", st));
    if (bytes > 0)
        memcpy(t->texts + t->text_bytes, text, bytes);
    t->entries[t->count] = (gs_text_count){hash, count, t->text_bytes, bytes};
    t->text_bytes += bytes;
    t->count++;
    if (t->count > t->slot_count / 2)
        return make_slots(t, t->count, st);
    put_in_slot(t, t->count - 1);
    return GS_OK;
}

static inline uint64_t word_at(const uint8_t *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return word;
}

/* Are these two the same? They are, nearly always, where their hashes are. */
static inline bool is_same(const uint8_t *a, const uint8_t *b, size_t bytes)
{
    enum { WORD = sizeof(uint64_t) };
    if (bytes < WORD)
        return memcmp(a, b, bytes) == 0;
    for (size_t i = 0; i + WORD < bytes; i += WORD)
        if (word_at(a + i) != word_at(b + i))
            return false;
    return word_at(a + bytes - WORD) == word_at(b + bytes - WORD);
}

size_t gs_text_counts_find(const gs_text_counts *t, uint64_t hash, const uint8_t *text,
                           size_t bytes)
{
    const size_t mask = t->slot_count - 1;
    for (size_t slot = hash & mask; t->slot_count > 0; slot = (slot + 1) & mask) {
        if (t->slots[slot] == 0)
            break;
        const gs_text_count *const e = &t->entries[t->slots[slot] - 1];
        if (e->hash == hash && e->bytes == bytes &&
            is_same(t->texts + e->at, text, bytes))
            return t->slots[slot] - 1;
    }
    return SIZE_MAX;
}

gs_code gs_text_counts_add(gs_text_counts *t, uint64_t hash, const uint8_t *text,
                           size_t bytes, uint64_t count, gs_status *st)
{
    const size_t at = gs_text_counts_find(t, hash, text, bytes);
    if (at == SIZE_MAX)
        return add_new(t, hash, text, bytes, count, st);
    t->entries[at].count += count;
    return GS_OK;
}

/* Values that follow each other and are the same. */
typedef struct text_stretch {
    const uint8_t *text;
    size_t bytes;
    uint64_t hash, count;
} text_stretch;

/* The next of them up to AHEAD, with what their hashes will ask for on its way; adds the
 * values that are in them to `at`. */
static size_t look_ahead(const gs_text_counts *t, const uint8_t *texts,
                         const uint32_t *ends, size_t count, size_t *at, text_stretch *to)
{
    size_t n = 0, i = *at;
    size_t begin = i > 0 ? ends[i - 1] : 0;
    while (i < count && n < AHEAD) {
        text_stretch *const s = &to[n++];
        *s = (text_stretch){.text = texts + begin, .bytes = ends[i] - begin};
        do {
            begin = ends[i++];
            s->count++;
        } while (i < count && ends[i] - begin == s->bytes &&
                 is_same(s->text, texts + begin, s->bytes));
        s->hash = gs_text_hash(s->text, s->bytes);
        if (t->slot_count > 0)
            __builtin_prefetch(&t->slots[s->hash & (t->slot_count - 1)]);
    }
    *at = i;
    return n;
}

gs_code gs_text_counts_add_all(gs_text_counts *t, const uint8_t *texts,
                               const uint32_t *ends, size_t count, gs_status *st)
{
    text_stretch next[AHEAD];
    for (size_t at = 0; at < count;) {
        const size_t n = look_ahead(t, texts, ends, count, &at, next);
        for (size_t i = 0; i < n; i++)
            GS_TRY(gs_text_counts_add(t, next[i].hash, next[i].text, next[i].bytes,
                                      next[i].count, st));
    }
    t->values += count;
    return GS_OK;
}

gs_code gs_text_counts_merge(gs_text_counts *t, const gs_text_counts *other,
                             gs_status *st)
{
    for (size_t i = 0; i < other->count; i++) {
        const gs_text_count *const e = &other->entries[i];
        GS_TRY(
            gs_text_counts_add(t, e->hash, other->texts + e->at, e->bytes, e->count, st));
    }
    t->values += other->values;
    t->lost += other->lost;
    return GS_OK;
}

/* --- thinning out ------------------------------------------------------------------- */

gs_code gs_text_counts_prune(gs_text_counts *t, size_t counters, gs_status *st)
{
    gs_assert(counters > 0);
    if (t->count <= counters)
        return GS_OK;
    GS_TRY(gs_mem_grow(&t->room, &t->room_capacity, t->count, "counts of values", st));
    for (size_t i = 0; i < t->count; i++)
        t->room[i] = t->entries[i].count;
    const uint64_t cut = gs_nth_largest(t->room, t->count, counters);
    size_t kept = 0, text_bytes = 0;
    for (size_t i = 0; i < t->count; i++) {
        gs_text_count e = t->entries[i];
        if (e.count <= cut)
            continue;
        if (e.bytes > 0)
            memmove(t->texts + text_bytes, t->texts + e.at, e.bytes);
        e.count -= cut;
        e.at = text_bytes;
        text_bytes += e.bytes;
        t->entries[kept++] = e;
    }
    t->count = kept;
    t->text_bytes = text_bytes;
    t->lost += cut;
    return t->slot_count > 0 ? make_slots(t, kept, st) : GS_OK;
}

/* --- storing ------------------------------------------------------------------------ */

/* Just so many items: growing leaves room for more. */
#define FIT(array, capacity, count, what)                                                \
    do {                                                                                 \
        if ((capacity) != (count)) {                                                     \
            GS_TRY(gs_mem_resize(&(array), (count) * sizeof *(array), what, st));        \
            (capacity) = (count);                                                        \
        }                                                                                \
    } while (0)

gs_code gs_text_counts_store(gs_text_counts *to, const gs_text_counts *from,
                             gs_status *st)
{
    gs_text_counts_release(to);
    FIT(to->entries, to->capacity, from->count, "counts of values");
    FIT(to->texts, to->text_capacity, from->text_bytes + 1, "texts of values");
    if (from->count > 0)
        memcpy(to->entries, from->entries, from->count * sizeof *to->entries);
    if (from->text_bytes > 0)
        memcpy(to->texts, from->texts, from->text_bytes);
    to->count = from->count;
    to->text_bytes = from->text_bytes;
    to->values = from->values;
    to->lost = from->lost;
    return GS_OK;
}

gs_code gs_text_counts_trim(gs_text_counts *t, gs_status *st)
{
    gs_mem_free(t->room);
    t->room = NULL;
    t->room_capacity = 0;
    if (t->count == 0)
        return GS_OK;
    FIT(t->entries, t->capacity, t->count, "counts of values");
    FIT(t->texts, t->text_capacity, t->text_bytes + 1, "texts of values");
    return GS_OK;
}

static int compare_entries(const void *a, const void *b, void *context)
{
    const gs_text_count *const x = a, *const y = b;
    const uint8_t *const texts = context;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    const size_t least = x->bytes < y->bytes ? x->bytes : y->bytes;
    const int order = memcmp(texts + x->at, texts + y->at, least);
    if (order != 0)
        return order;
    return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

void gs_text_counts_rank(gs_text_counts *t)
{
    if (t->count > 1)
        qsort_r(t->entries, t->count, sizeof *t->entries, compare_entries, t->texts);
}
