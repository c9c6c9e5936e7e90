/* SPDX-License-Identifier: MIT */
#include "lib/index/text/word_filter.h"

#include <errno.h>
#include <libstemmer.h>

#include "lib/base/assertion.h"
#include "lib/base/late_relocations.h"
#include "lib/base/mem.h"
#include "lib/index/text/word_rules.h"

enum {
    STEM_CACHE_SLOTS = 4096,
    STEM_CACHE_BYTES = 24, /* longer words and stems are not remembered */
};

typedef struct stem_slot {
    uint8_t word[STEM_CACHE_BYTES], stem[STEM_CACHE_BYTES];
    uint8_t word_bytes, stem_bytes;
} stem_slot;

struct gs_word_filter {
    const gs_word_rules *rules;
    struct sb_stemmer *stemmer; /* NULL: none */
    stem_slot *stems;
};

gs_code gs_word_filter_new(gs_word_filter **out, const gs_word_rules *rules,
                           bool has_stems, gs_status *st)
{
    *out = NULL;
    const bool is_stemming = has_stems && rules->language[0] != '\0';
    if (rules->min_len == 0 && rules->max_len == 0 && rules->stop_words == NULL &&
        !is_stemming)
        return GS_OK;
    gs_word_filter *filter = NULL;
    GS_TRY(gs_mem_new(&filter, sizeof *filter, "word filter", st));
    filter->rules = rules;
    if (is_stemming) {
        GS_TRY_OR_FAIL(gs_late_relocations_apply(st));
        filter->stemmer = sb_stemmer_new(rules->language, NULL);
        if (filter->stemmer == NULL)
            GS_TRY_OR_FAIL(GS_FAIL(st, GS_ERR_NOMEM, ENOMEM, "stemmer"));
        GS_TRY_OR_FAIL(gs_mem_new(&filter->stems,
                                  STEM_CACHE_SLOTS * sizeof *filter->stems, "stems", st));
    }
    *out = filter;
    return GS_OK;
fail:
    gs_word_filter_free(filter);
    return st->code;
}

void gs_word_filter_free(gs_word_filter *filter)
{
    if (filter == NULL)
        return;
    sb_stemmer_delete(filter->stemmer);
    gs_mem_free(filter->stems);
    gs_mem_free(filter);
}

/* Puts a stem in the word's place. */
static size_t put_stem(uint8_t *word, const uint8_t *stem, size_t bytes)
{
    gs_assert(bytes <= GS_TERM_BYTES_MAX);
    memcpy(word, stem, bytes);
    memset(word + bytes, 0, GS_TERM_PAD);
    return bytes;
}

static size_t stem(gs_word_filter *filter, uint8_t *word, size_t bytes, uint32_t hash)
{
    stem_slot *const slot = &filter->stems[hash % STEM_CACHE_SLOTS];
    if (slot->word_bytes == bytes && memcmp(slot->word, word, bytes) == 0)
        return put_stem(word, slot->stem, slot->stem_bytes);
    const sb_symbol *const result = sb_stemmer_stem(filter->stemmer, word, (int)bytes);
    const int length = sb_stemmer_length(filter->stemmer);
    /* A word that the stemmer has no memory or no rule for stays as it is. */
    if (result == NULL || length <= 0 || length > GS_TERM_BYTES_MAX)
        return bytes;
    if (bytes <= STEM_CACHE_BYTES && length <= STEM_CACHE_BYTES) {
        memcpy(slot->word, word, bytes);
        memcpy(slot->stem, result, (size_t)length);
        slot->word_bytes = (uint8_t)bytes;
        slot->stem_bytes = (uint8_t)length;
    }
    return put_stem(word, result, (size_t)length);
}

size_t gs_word_filter_apply(gs_word_filter *filter, uint8_t *word, size_t bytes,
                            size_t chars)
{
    const gs_word_rules *const rules = filter->rules;
    const bool has_limit = chars > 0;
    if ((has_limit && chars < rules->min_len) ||
        (rules->max_len != 0 && chars > rules->max_len))
        return 0;
    if (rules->stop_words == NULL && filter->stemmer == NULL)
        return bytes;
    const uint32_t hash = gs_term_hash(word, bytes);
    if (rules->stop_words != NULL &&
        gs_word_set_has(rules->stop_words, word, bytes, hash))
        return 0;
    return filter->stemmer != NULL ? stem(filter, word, bytes, hash) : bytes;
}
