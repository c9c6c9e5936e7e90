/* SPDX-License-Identifier: MIT */
/*
 * The tokenizer against any bytes: the fast ways must find the words that folding all of
 * the text at once and cutting it by category gives. The first byte chooses folding.
 */
#include <stdlib.h>
#include <utf8proc.h>

#include "lib/base/mem.h"
#include "lib/index/text/fold.h"
#include "lib/index/text/tokenizer.h"
#include "lib/index/text/utf8.h"

enum { TEXT_MAX = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_so)
{
    if (!is_so)
        abort();
}

/* The words of the text, one after the other, each behind its position and length. */
typedef struct words {
    uint8_t bytes[64 * TEXT_MAX];
    size_t used;
    uint32_t count;
} words;

static void put_word(words *w, const uint8_t *word, uint32_t bytes, uint32_t position)
{
    require(w->used + bytes + 8 <= sizeof w->bytes);
    memcpy(w->bytes + w->used, &position, 4);
    memcpy(w->bytes + w->used + 4, &bytes, 4);
    memcpy(w->bytes + w->used + 8, word, bytes);
    w->used += 8 + bytes;
}

static void reference_stretch(words *w, const uint8_t *text, size_t bytes, bool folds)
{
    static int32_t points[20 * TEXT_MAX];
    static uint8_t word[80 * TEXT_MAX];
    const utf8proc_option_t options = folds ? UTF8PROC_STABLE | UTF8PROC_COMPAT |
                                                  UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD |
                                                  UTF8PROC_IGNORE
                                            : 0;
    utf8proc_ssize_t n =
        utf8proc_decompose(text, (utf8proc_ssize_t)bytes, points, 20 * TEXT_MAX, options);
    require(n >= 0 && n <= 20 * TEXT_MAX);
    if (folds)
        n = utf8proc_normalize_utf32(points, n, options);
    size_t used = 0;
    for (utf8proc_ssize_t i = 0; i <= n; i++) {
        if (i < n && gs_fold_is_word((uint32_t)points[i])) {
            used = (size_t)(gs_utf8_encode(word + used, (uint32_t)points[i]) - word);
        } else if (used > 0) {
            if (used <= GS_TERM_BYTES_MAX)
                put_word(w, word, (uint32_t)used, w->count);
            w->count++;
            used = 0;
        }
    }
}

static void reference(words *w, const uint8_t *text, size_t bytes, bool folds)
{
    const uint8_t *const end = text + bytes;
    const uint8_t *begin = text, *p = text;
    for (;;) {
        uint32_t point;
        const unsigned n = gs_utf8_decode(p, end, &point);
        if (n != 0) {
            p += n;
            continue;
        }
        reference_stretch(w, begin, (size_t)(p - begin), folds);
        if (p == end)
            return;
        begin = ++p;
    }
}

static void tokenize(words *w, const uint8_t *text, size_t bytes, bool folds)
{
    static gs_token_batch batch;
    static gs_word_rules *rules[2];
    gs_status st = {.code = GS_OK};
    gs_tokenizer *t = NULL;
    const gs_word_rules_options options = {.is_folding = folds};
    if (batch.bytes == NULL)
        require(gs_token_batch_init(&batch, &st) == GS_OK);
    if (rules[folds] == NULL)
        require(gs_word_rules_new(&rules[folds], &options, &st) == GS_OK);
    require(gs_tokenizer_new(&t, rules[folds], &st) == GS_OK);
    gs_tokenizer_begin_document(t);
    gs_tokenizer_begin_text(t, text, bytes);
    do {
        require(gs_tokenizer_next(t, &batch, &st) == GS_OK);
        for (size_t i = 0; i < batch.count; i++) {
            const gs_token *const token = &batch.tokens[i];
            put_word(w, token->term, token->bytes, token->position);
            require(token->hash == gs_term_hash(token->term, token->bytes));
        }
    } while (batch.count > 0);
    gs_tokenizer_free(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static words got, wanted;
    if (size == 0 || size > TEXT_MAX)
        return 0;
    const bool folds = data[0] & 1;
    data++;
    size--;
    gs_status st = {.code = GS_OK};
    void *memory = NULL;
    require(gs_mem_new(&memory, size + GS_TEXT_SLACK, "text", &st) == GS_OK);
    if (size > 0)
        memcpy(memory, data, size);
    memset((uint8_t *)memory + size, 'z', GS_TEXT_SLACK);
    got.used = wanted.used = got.count = wanted.count = 0;
    tokenize(&got, memory, size, folds);
    reference(&wanted, memory, size, folds);
    require(got.used == wanted.used && memcmp(got.bytes, wanted.bytes, got.used) == 0);
    gs_mem_free(memory);
    return 0;
}
