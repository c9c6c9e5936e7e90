/* SPDX-License-Identifier: MIT */
#include "lib/index/text/word_rules.h"

#include <errno.h>
#include <libstemmer.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/small_file.h"
#include "lib/base/late_relocations.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"
#include "lib/base/utf8.h"
#include "lib/index/format/formats.h"
#include "lib/sort/record/records.h"

enum {
    JSON_HEAD_BYTES = 512,
    STOP_FILE_BYTES_MAX = 64 << 20,
    STOP_JSON_BYTES_MAX = 16 << 20, /* the header is read whole */
};

/* In a word of JSON before the two digits of a byte, a quote too: so the next quote
 * always ends a word, whoever looks for it. */
#define ESCAPE "\\u00"
enum { ESCAPE_BYTES = sizeof ESCAPE - 1 + 2 };

/* Instead of the name of a kind, where there are no words but terms with weights. */
#define WEIGHTS "\"weights\""

/* As options have them, and as the header of an index has them. */
static const struct {
    const char *option, *header;
} kind_names[] = {
    [GS_WORDS_BIGRAMS] = {"bigrams", "bigrams"},
    [GS_WORDS_LETTERS] = {"words", "unicode"},
    [GS_WORDS_SPACED] = {"whitespace", "whitespace"},
    [GS_WORDS_RAW] = {"raw", "raw"},
};
_Static_assert(sizeof kind_names / sizeof *kind_names == GS_WORD_KINDS, "a name each");

const char *gs_word_kind_name(gs_word_kind kind)
{
    return kind < GS_WORD_KINDS ? kind_names[kind].option : NULL;
}

gs_word_kind gs_word_rules_kind(const gs_word_rules *rules)
{
    return rules->kind;
}

bool gs_word_rules_fold(const gs_word_rules *rules)
{
    return rules->is_folding;
}

bool gs_word_rules_stem(const gs_word_rules *rules)
{
    return rules->language[0] != '\0';
}

void gs_word_rules_limits(const gs_word_rules *rules, size_t *min_len, size_t *max_len)
{
    *min_len = rules->min_len;
    *max_len = rules->max_len;
}

bool gs_word_rules_next_stop(const gs_word_rules *rules, size_t *slot,
                             const uint8_t **word, size_t *bytes)
{
    return rules->stop_words != NULL &&
           gs_word_set_next(rules->stop_words, slot, word, bytes);
}

const char *gs_word_rules_json(const gs_word_rules *rules)
{
    return rules->json;
}

static gs_code check_language(gs_word_rules *rules, const char *language, gs_status *st)
{
    GS_TRY(gs_late_relocations_apply(st));
    struct sb_stemmer *const stemmer = sb_stemmer_new(language, NULL);
    if (stemmer != NULL && strlen(language) < sizeof rules->language) {
        (void)snprintf(rules->language, sizeof rules->language, "%s", language);
        sb_stemmer_delete(stemmer);
        return GS_OK;
    }
    char names[512] = "";
    size_t used = 0;
    for (const char **name = sb_stemmer_list(); *name != NULL; name++) {
        if (strcmp(*name, language) == 0 && stemmer == NULL)
            return GS_FAIL(st, GS_ERR_NOMEM, ENOMEM, "stemmer");
        const int n = snprintf(names + used, sizeof names - used, "%s%s",
                               used > 0 ? ", " : "", *name);
        if (n < 0 || (size_t)n >= sizeof names - used)
            break;
        used += (size_t)n;
    }
    sb_stemmer_delete(stemmer);
    gs_quoted quoted;
    return GS_FAIL(st, GS_ERR_ARG, 0, "there is no stemmer for %s; there are: %s",
                   gs_quote_argument(&quoted, language), names);
}

/* Where the words of a line end: before a comment, and before blanks, which would else be
 * part of a text that is not cut at all. */
static const uint8_t *stop_line_end(const uint8_t *p, const uint8_t *end)
{
    const uint8_t *const comment = memchr(p, '#', (size_t)(end - p));
    end = comment != NULL ? comment : end;
    while (end > p && (end[-1] == ' ' || (end[-1] >= '\t' && end[-1] <= '\r')))
        end--;
    return end;
}

/* Stop words are folded and cut as text is: "don't" stops "don" and "t" where words are
 * letters, and itself where they stand between white space. */
static gs_code add_stop_words(gs_word_rules *rules, const uint8_t *text, size_t bytes,
                              gs_status *st)
{
    gs_tokenizer *tokenizer = NULL;
    gs_token_batch batch = {0};
    const gs_word_rules plain = {.kind = rules->kind, .is_folding = rules->is_folding};
    GS_TRY_OR_FAIL(gs_token_batch_init(&batch, st));
    GS_TRY_OR_FAIL(gs_tokenizer_new(&tokenizer, &plain, st));
    const uint8_t *const end = text + bytes;
    for (const uint8_t *p = gs_utf8_skip_mark(text, end); p < end;) {
        const uint8_t *const eol = memchr(p, '\n', (size_t)(end - p));
        const uint8_t *const stop = eol != NULL ? eol : end;
        gs_tokenizer_begin_text(tokenizer, p, (size_t)(stop_line_end(p, stop) - p));
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
    _Static_assert((int)GS_SMALL_FILE_SLACK >= (int)GS_TEXT_SLACK, "text is read so");
    gs_quoted quoted;
    gs_small_file file = {.bytes = 0};
    GS_TRY_OR_FAIL(gs_word_set_new(&rules->stop_words, st));
    GS_TRY_OR_FAIL(gs_small_file_read(&file, name, STOP_FILE_BYTES_MAX, st));
    if (file.bytes > STOP_FILE_BYTES_MAX)
        (void)GS_FAIL(st, GS_ERR_LIMIT, 0, "%s: too long for a list of stop words",
                      gs_quote_name(&quoted, name));
    else
        GS_NOTED(add_stop_words(rules, file.data, file.bytes, st));
fail:
    gs_small_file_release(&file);
    return st->code;
}

/* --- as text ----------------------------------------------------------------------- */

typedef struct word_ref {
    const uint8_t *word;
    size_t bytes;
} word_ref;

static int compare_words(const void *a, const void *b)
{
    const word_ref *const x = a, *const y = b;
    return gs_string_compare(x->word, x->bytes, y->word, y->bytes, 0);
}

/* What JSON does not have in a string as it is. */
static bool needs_escape(uint8_t c)
{
    return c < 0x20 || c == '"' || c == '\\';
}

static size_t escaped_bytes(const uint8_t *word, size_t bytes)
{
    size_t escaped = 0;
    for (size_t i = 0; i < bytes; i++)
        escaped += needs_escape(word[i]) ? ESCAPE_BYTES : 1;
    return escaped;
}

static char *put_escaped(char *to, const uint8_t *word, size_t bytes)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < bytes; i++) {
        if (needs_escape(word[i])) {
            to = stpcpy(to, ESCAPE);
            *to++ = digits[word[i] >> 4];
            *to++ = digits[word[i] & 15];
        } else {
            *to++ = (char)word[i];
        }
    }
    return to;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The word that `bytes` bytes of JSON are, if it is none that is too long; 0 if they make
 * no sense. */
static size_t read_escaped(uint8_t *to, const char *from, size_t bytes)
{
    size_t used = 0;
    for (size_t i = 0; i < bytes && used < GS_TERM_BYTES_MAX; used++) {
        if (from[i] != '\\') {
            to[used] = (uint8_t)from[i++];
            continue;
        }
        if (bytes - i < ESCAPE_BYTES || strncmp(from + i, ESCAPE, strlen(ESCAPE)) != 0)
            return 0;
        const int high = hex_digit(from[i + ESCAPE_BYTES - 2]);
        const int low = hex_digit(from[i + ESCAPE_BYTES - 1]);
        if (high < 0 || low < 0)
            return 0;
        to[used] = (uint8_t)(high << 4 | low);
        i += ESCAPE_BYTES;
    }
    return escaped_bytes(to, used) == bytes ? used : 0;
}

/* The words in their order, and the bytes of all. */
static gs_code sort_stop_words(const gs_word_set *set, word_ref **out, size_t *bytes,
                               gs_status *st)
{
    GS_TRY(gs_mem_new(out, gs_word_set_count(set) * sizeof **out, "stop words", st));
    size_t count = 0, slot = 0;
    word_ref ref;
    while (gs_word_set_next(set, &slot, &ref.word, &ref.bytes)) {
        (*out)[count++] = ref;
        *bytes += escaped_bytes(ref.word, ref.bytes);
    }
    qsort(*out, count, sizeof **out, compare_words);
    return GS_OK;
}

static gs_code print_json(gs_word_rules *rules, gs_status *st)
{
    const char *const quote = rules->language[0] ? "\"" : "";
    const size_t count =
        rules->stop_words != NULL ? gs_word_set_count(rules->stop_words) : 0;
    word_ref *words = NULL;
    char *json = NULL;
    size_t bytes = JSON_HEAD_BYTES + 4 * count;
    if (count > 0)
        GS_TRY(sort_stop_words(rules->stop_words, &words, &bytes, st));
    if (bytes > STOP_JSON_BYTES_MAX)
        (void)GS_FAIL(st, GS_ERR_LIMIT, 0, "too many stop words: %zu", count);
    else
        GS_NOTED(gs_mem_new(&json, bytes, "word rules", st));
    if (st->code == GS_OK) {
        char *to = json;
        to +=
            snprintf(to, JSON_HEAD_BYTES,
                     "{\"words\": \"%s\", \"fold\": %s, \"stem\": %s%s%s, "
                     "\"min_len\": %zu, \"max_len\": %zu, \"stopwords\": [",
                     kind_names[rules->kind].header, rules->is_folding ? "true" : "false",
                     quote, rules->language[0] ? rules->language : "null", quote,
                     rules->min_len, rules->max_len);
        for (size_t i = 0; i < count; i++) {
            to = stpcpy(to, i > 0 ? ", \"" : "\"");
            to = put_escaped(to, words[i].word, words[i].bytes);
            *to++ = '"';
        }
        memcpy(to, "]}", sizeof "]}");
        rules->json = json;
    }
    gs_mem_free(words);
    return st->code;
}

static size_t read_number(const char *json, const char *name)
{
    const char *const at = gs_index_find_field(json, name);
    return at != NULL && *at >= '0' && *at <= '9' ? (size_t)strtoull(at, NULL, 10) : 0;
}

static gs_code damaged(gs_status *st)
{
    return GS_FAIL(st, GS_ERR_FORMAT, 0, "the word rules of the index make no sense");
}

static bool read_kind(gs_word_rules *rules, const char *words)
{
    for (unsigned i = 0; i < GS_WORD_KINDS; i++) {
        const char *const name = kind_names[i].header;
        const size_t bytes = strlen(name);
        rules->kind = (gs_word_kind)i;
        if (words[0] == '"' && strncmp(words + 1, name, bytes) == 0 &&
            words[1 + bytes] == '"')
            return true;
    }
    return false;
}

static gs_code read_language(gs_word_rules *rules, const char *json, gs_status *st)
{
    const char *const at = gs_index_find_field(json, "stem");
    if (at == NULL || *at != '"')
        return at != NULL && strncmp(at, "null", 4) == 0 ? GS_OK : damaged(st);
    char language[GS_STEM_LANGUAGE_BYTES];
    const size_t bytes = strcspn(at + 1, "\"");
    if (bytes >= sizeof language)
        return damaged(st);
    memcpy(language, at + 1, bytes);
    language[bytes] = '\0';
    return check_language(rules, language, st);
}

static gs_code read_stop_words(gs_word_rules *rules, const char *json, gs_status *st)
{
    const char *at = gs_index_find_field(json, "stopwords");
    if (at == NULL || *at++ != '[')
        return damaged(st);
    if (*at == ']')
        return GS_OK;
    uint8_t *padded = NULL;
    GS_TRY(gs_mem_new(&padded, GS_TERM_BYTES_MAX + GS_TERM_PAD, "stop word", st));
    GS_NOTED(gs_word_set_new(&rules->stop_words, st));
    while (st->code == GS_OK) {
        const size_t in_json = *at == '"' ? strcspn(at + 1, "\"") : 0;
        const size_t bytes = read_escaped(padded, at + 1, in_json);
        if (bytes == 0 || at[1 + in_json] != '"') {
            (void)damaged(st);
            break;
        }
        memset(padded + bytes, 0, GS_TERM_PAD);
        const gs_token word = {.term = padded,
                               .bytes = (uint32_t)bytes,
                               .hash = gs_term_hash(padded, bytes)};
        GS_NOTED(gs_word_set_add(rules->stop_words, &word, st));
        at += in_json + 2;
        if (*at == ']')
            break;
        at += strncmp(at, ", ", 2) == 0 ? 2 : 0;
    }
    gs_mem_free(padded);
    return st->code;
}

void gs_weight_rules_json(char *to, size_t capacity, double scale)
{
    char number[40] = "null";
    if (scale != 0)
        (void)snprintf(number, sizeof number, "%.17g", scale);
    (void)snprintf(to, capacity, "{\"words\": " WEIGHTS ", \"scale\": %s}", number);
}

/* --- the rules --------------------------------------------------------------------- */

gs_code gs_word_rules_new(gs_word_rules **out, const gs_word_rules_options *options,
                          gs_status *st)
{
    *out = NULL;
    gs_word_rules *rules = NULL;
    GS_TRY(gs_mem_new(&rules, sizeof *rules, "word rules", st));
    rules->kind = options->kind;
    rules->is_folding = options->is_folding;
    rules->min_len = options->min_len;
    rules->max_len = options->max_len;
    if (options->stem_language != NULL)
        GS_TRY_OR_FAIL(check_language(rules, options->stem_language, st));
    if (options->stop_file != NULL)
        GS_TRY_OR_FAIL(load_stop_words(rules, options->stop_file, st));
    GS_TRY_OR_FAIL(print_json(rules, st));
    *out = rules;
    return GS_OK;
fail:
    gs_word_rules_free(rules);
    return st->code;
}

gs_code gs_word_rules_read(gs_word_rules **out, const char *json, gs_status *st)
{
    *out = NULL;
    const char *const words = gs_index_find_field(json, "words");
    const char *const fold = gs_index_find_field(json, "fold");
    if (words == NULL || strncmp(words, WEIGHTS, strlen(WEIGHTS)) == 0)
        return GS_OK;
    gs_word_rules *rules = NULL;
    GS_TRY(gs_mem_new(&rules, sizeof *rules, "word rules", st));
    if (!read_kind(rules, words) || fold == NULL)
        GS_TRY_OR_FAIL(damaged(st));
    rules->is_folding = strncmp(fold, "true", 4) == 0;
    rules->min_len = read_number(json, "min_len");
    rules->max_len = read_number(json, "max_len");
    GS_TRY_OR_FAIL(read_language(rules, json, st));
    GS_TRY_OR_FAIL(read_stop_words(rules, json, st));
    GS_TRY_OR_FAIL(print_json(rules, st));
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
    gs_mem_free(rules->json);
    gs_mem_free(rules);
}
