/* SPDX-License-Identifier: MIT */
#include "lib/index/word_filter.h"

#include <errno.h>
#include <libstemmer.h>
#include <stdio.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"
#include "lib/index/word_set.h"

enum {
    JSON_BYTES = 512,
    LANGUAGE_BYTES_MAX = 64,
    STEM_CACHE_SLOTS = 4096,
    STEM_CACHE_BYTES = 24, /* longer words and stems are not remembered */
    STOP_FILE_BYTES_MAX = 64 << 20,
};

struct gs_word_rules {
    bool is_folding;
    size_t chars_min, chars_max;
    char language[LANGUAGE_BYTES_MAX];
    gs_word_set *stop_words; /* NULL: none */
    char json[JSON_BYTES];
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

/* --- the rules
 * -------------------------------------------------------------------------- */

bool gs_word_rules_folds(const gs_word_rules *rules)
{
    return rules->is_folding;
}

const char *gs_word_rules_json(const gs_word_rules *rules)
{
    return rules->json;
}

static gs_code check_language(gs_word_rules *rules, const char *language, gs_status *st)
{
    struct sb_stemmer *const stemmer = sb_stemmer_new(language, NULL);
    if (stemmer != NULL && strlen(language) < sizeof rules->language) {
        (void)snprintf(rules->language, sizeof rules->language, "%s", language);
        sb_stemmer_delete(stemmer);
        return GS_OK;
    }
    sb_stemmer_delete(stemmer);
    char names[512] = "";
    size_t used = 0;
    for (const char **name = sb_stemmer_list(); *name != NULL; name++) {
        const int n = snprintf(names + used, sizeof names - used, "%s%s",
                               used > 0 ? ", " : "", *name);
        if (n < 0 || (size_t)n >= sizeof names - used)
            break;
        used += (size_t)n;
    }
    gs_quoted quoted;
    return GS_FAIL(st, GS_ERR_ARG, 0, "there is no stemmer for %s; there are: %s",
                   gs_quote_argument(&quoted, language), names);
}

/* Reads the whole file, padded with zeros. */
static gs_code read_file(const char *name, uint8_t **out, size_t *bytes, gs_status *st)
{
    gs_quoted quoted;
    *out = NULL;
    *bytes = 0;
    FILE *const file = fopen(name, "re");
    if (file == NULL)
        return GS_FAIL(st, GS_ERR_IO, errno, "cannot read: %s",
                       gs_quote_name(&quoted, name));
    size_t capacity = 0;
    for (;;) {
        if (capacity - *bytes < GS_TEXT_SLACK + 1) {
            void *memory = *out;
            capacity = 2 * capacity + 65536;
            GS_TRY_OR_FAIL(gs_mem_resize(&memory, capacity, "stop words", st));
            *out = memory;
        }
        const size_t n = fread(*out + *bytes, 1, capacity - *bytes - GS_TEXT_SLACK, file);
        *bytes += n;
        if (n == 0)
            break;
        if (*bytes > STOP_FILE_BYTES_MAX) {
            (void)GS_FAIL(st, GS_ERR_LIMIT, 0, "%s: too long for a list of stop words",
                          gs_quote_name(&quoted, name));
            break;
        }
    }
    if (ferror(file))
        (void)GS_FAIL(st, GS_ERR_IO, errno, "read failed: %s",
                      gs_quote_name(&quoted, name));
    if (st->code == GS_OK)
        memset(*out + *bytes, 0, GS_TEXT_SLACK);
fail:
    (void)fclose(file);
    return st->code;
}

/* Stop words are cut and folded as text is: "don't" stops "don" and "t". */
static gs_code add_stop_words(gs_word_rules *rules, const uint8_t *text, size_t bytes,
                              gs_status *st)
{
    gs_tokenizer *tokenizer = NULL;
    gs_token_batch batch = {0};
    const gs_word_rules plain = {.is_folding = rules->is_folding};
    GS_TRY_OR_FAIL(gs_token_batch_init(&batch, st));
    GS_TRY_OR_FAIL(gs_tokenizer_new(&tokenizer, &plain, st));
    for (const uint8_t *p = text, *const end = text + bytes; p < end;) {
        const uint8_t *const eol = memchr(p, '\n', (size_t)(end - p));
        const uint8_t *const stop = eol != NULL ? eol : end;
        const uint8_t *const comment = memchr(p, '#', (size_t)(stop - p));
        gs_tokenizer_begin_text(tokenizer, p,
                                (size_t)((comment != NULL ? comment : stop) - p));
        do {
            GS_TRY_OR_FAIL(gs_tokenizer_next(tokenizer, &batch, st));
            for (size_t i = 0; i < batch.count; i++)
                GS_TRY_OR_FAIL(gs_word_set_add(rules->stop_words, &batch.tokens[i], st));
        } while (batch.count > 0);
        p = stop + 1;
    }
fail:
    gs_tokenizer_free(tokenizer);
    gs_token_batch_release(&batch);
    return st->code;
}

static gs_code load_stop_words(gs_word_rules *rules, const char *name, gs_status *st)
{
    uint8_t *text = NULL;
    size_t bytes = 0;
    GS_NOTED(gs_word_set_new(&rules->stop_words, st));
    if (st->code == GS_OK && read_file(name, &text, &bytes, st) == GS_OK)
        GS_NOTED(add_stop_words(rules, text, bytes, st));
    gs_mem_free(text);
    return st->code;
}

gs_code gs_word_rules_new(gs_word_rules **out, const gs_word_rules_options *options,
                          gs_status *st)
{
    void *memory = NULL;
    *out = NULL;
    GS_TRY(gs_mem_new(&memory, sizeof(gs_word_rules), "word rules", st));
    gs_word_rules *const rules = memory;
    rules->is_folding = options->is_folding;
    rules->chars_min = options->chars_min;
    rules->chars_max = options->chars_max;
    if (options->stem_language != NULL)
        GS_TRY_OR_FAIL(check_language(rules, options->stem_language, st));
    if (options->stop_file != NULL)
        GS_TRY_OR_FAIL(load_stop_words(rules, options->stop_file, st));
    (void)snprintf(
        rules->json, sizeof rules->json,
        "{\"words\": \"unicode\", \"fold\": %s, \"stem\": %s%s%s, \"stopwords\": %zu, "
        "\"min_len\": %zu, \"max_len\": %zu}",
        rules->is_folding ? "true" : "false", rules->language[0] ? "\"" : "",
        rules->language[0] ? rules->language : "null", rules->language[0] ? "\"" : "",
        rules->stop_words != NULL ? gs_word_set_count(rules->stop_words) : 0,
        rules->chars_min, rules->chars_max);
    *out = rules;
    return GS_OK;
fail:
    gs_word_rules_free(rules);
    return st->code;
}

void gs_word_rules_free(gs_word_rules *rules)
{
    if (rules == NULL)
        return;
    gs_word_set_free(rules->stop_words);
    gs_mem_free(rules);
}

/* --- the filter
 * --------------------------------------------------------------------------- */

gs_code gs_word_filter_new(gs_word_filter **out, const gs_word_rules *rules,
                           gs_status *st)
{
    void *memory = NULL;
    *out = NULL;
    if (rules->chars_min == 0 && rules->chars_max == 0 && rules->stop_words == NULL &&
        rules->language[0] == '\0')
        return GS_OK;
    GS_TRY(gs_mem_new(&memory, sizeof(gs_word_filter), "word filter", st));
    gs_word_filter *const filter = memory;
    filter->rules = rules;
    if (rules->language[0] != '\0') {
        filter->stemmer = sb_stemmer_new(rules->language, NULL);
        if (filter->stemmer == NULL)
            GS_TRY_OR_FAIL(GS_FAIL(st, GS_ERR_NOMEM, 0, "stemmer"));
        GS_TRY_OR_FAIL(
            gs_mem_new(&memory, STEM_CACHE_SLOTS * sizeof *filter->stems, "stems", st));
        filter->stems = memory;
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
    if (chars < rules->chars_min || (rules->chars_max != 0 && chars > rules->chars_max))
        return 0;
    if (rules->stop_words == NULL && filter->stemmer == NULL)
        return bytes;
    const uint32_t hash = gs_term_hash(word, bytes);
    if (rules->stop_words != NULL &&
        gs_word_set_has(rules->stop_words, word, bytes, hash))
        return 0;
    return filter->stemmer != NULL ? stem(filter, word, bytes, hash) : bytes;
}
