/* SPDX-License-Identifier: MIT */
#include "lib/index/text/word_set.h"

#include "lib/base/mem.h"

typedef struct word_slot {
    uint32_t hash;
    uint32_t bytes; /* 0: free */
    size_t at;
} word_slot;

struct gs_word_set {
    word_slot *slots; /* a power of two, at most half full */
    size_t slot_count, count;
    uint8_t *text;
    size_t text_bytes, text_capacity;
};

gs_code gs_word_set_new(gs_word_set **out, gs_status *st)
{
    *out = NULL;
    GS_TRY(gs_mem_new(out, sizeof(gs_word_set), "set of words", st));
    return GS_OK;
}

void gs_word_set_free(gs_word_set *set)
{
    if (set == NULL)
        return;
    gs_mem_free(set->slots);
    gs_mem_free(set->text);
    gs_mem_free(set);
}

size_t gs_word_set_count(const gs_word_set *set)
{
    return set->count;
}

bool gs_word_set_next(const gs_word_set *set, size_t *slot, const uint8_t **word,
                      size_t *bytes)
{
    while (*slot < set->slot_count) {
        const word_slot *const s = &set->slots[(*slot)++];
        if (s->bytes != 0) {
            *word = set->text + s->at;
            *bytes = s->bytes;
            return true;
        }
    }
    return false;
}

/* The word's slot, or the free one where it would stand. */
static word_slot *find(const gs_word_set *set, const uint8_t *word, size_t bytes,
                       uint32_t hash)
{
    const size_t mask = set->slot_count - 1;
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        word_slot *const s = &set->slots[i];
        if (s->bytes == 0 || (s->hash == hash && s->bytes == bytes &&
                              memcmp(set->text + s->at, word, bytes) == 0))
            return s;
    }
}

bool gs_word_set_has(const gs_word_set *set, const uint8_t *word, size_t bytes,
                     uint32_t hash)
{
    return set->count > 0 && find(set, word, bytes, hash)->bytes != 0;
}

static gs_code grow(gs_word_set *set, gs_status *st)
{
    enum { FIRST = 64 };
    if (2 * (set->count + 1) <= set->slot_count)
        return GS_OK;
    const size_t old_count = set->slot_count;
    word_slot *const old = set->slots, *slots = NULL;
    const size_t slot_count = old_count > 0 ? 2 * old_count : FIRST;
    GS_TRY(gs_mem_new(&slots, slot_count * sizeof *slots, "set of words", st));
    set->slots = slots;
    set->slot_count = slot_count;
    for (size_t i = 0; i < old_count; i++) {
        if (old[i].bytes != 0)
            *find(set, set->text + old[i].at, old[i].bytes, old[i].hash) = old[i];
    }
    gs_mem_free(old);
    return GS_OK;
}

gs_code gs_word_set_add(gs_word_set *set, const gs_token *word, gs_status *st)
{
    GS_TRY(grow(set, st));
    word_slot *const slot = find(set, word->term, word->bytes, word->hash);
    if (slot->bytes != 0 || word->bytes == 0)
        return GS_OK;
    GS_TRY(gs_mem_grow(&set->text, &set->text_capacity, set->text_bytes + word->bytes,
                       "set of words", st));
    memcpy(set->text + set->text_bytes, word->term, word->bytes);
    *slot = (word_slot){word->hash, word->bytes, set->text_bytes};
    set->text_bytes += word->bytes;
    set->count++;
    return GS_OK;
}
