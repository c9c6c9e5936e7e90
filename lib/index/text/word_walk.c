/* SPDX-License-Identifier: MIT */
#include "lib/index/text/word_walk.h"

#include "lib/base/mem.h"
#include "lib/base/utf8.h"
#include "lib/index/text/ascii_scan.h"
#include "lib/index/text/fold.h"
#include "lib/index/text/folded_text.h"
#include "lib/index/text/word_rules.h"

/* A longer piece is none that anybody marks. */
enum { PIECE_BYTES_MAX = 4096 };

struct gs_word_walk {
    const gs_word_rules *rules;
    gs_tokenizer *tokenizer;
    gs_token_batch tokens;
    bool is_wanted[256];  /* by their first byte */
    bool goes_on_so[256]; /* of what is not ASCII by the second, too: few scripts have
                           * more than a few first bytes */
    /* Text that is not all ASCII is folded first, and what it becomes is cut: */
    gs_folded_text folded;
    gs_word_rules unfolding; /* the rules, but for folding */
    gs_tokenizer *unfolding_tokenizer;
    /* Of the walk: */
    const uint8_t *text;
    bool is_in_folded; /* pieces are of the folded text, not of the text */
    gs_word_fn *fn;
    void *context;
};

static gs_code make(gs_word_walk *w, const gs_word_rules *rules, gs_status *st)
{
    GS_TRY(gs_token_batch_init(&w->tokens, st));
    w->rules = rules;
    if (rules == NULL)
        return GS_OK;
    GS_TRY(gs_tokenizer_new(&w->tokenizer, rules, st));
    if (!rules->is_folding)
        return GS_OK;
    w->unfolding = *rules;
    w->unfolding.is_folding = false;
    GS_TRY(gs_tokenizer_new(&w->unfolding_tokenizer, &w->unfolding, st));
    return gs_folded_text_init(&w->folded, rules->kind == GS_WORDS_SPACED, st);
}

gs_code gs_word_walk_new(gs_word_walk **out, const gs_word_rules *rules, gs_status *st)
{
    *out = NULL;
    gs_word_walk *w = NULL;
    GS_TRY(gs_mem_new(&w, sizeof *w, "words", st));
    if (make(w, rules, st) == GS_OK)
        *out = w;
    else
        gs_word_walk_free(w);
    return st->code;
}

void gs_word_walk_free(gs_word_walk *w)
{
    if (w == NULL)
        return;
    gs_tokenizer_free(w->tokenizer);
    gs_tokenizer_free(w->unfolding_tokenizer);
    gs_folded_text_release(&w->folded);
    gs_token_batch_release(&w->tokens);
    gs_mem_free(w);
}

/* --- what is wanted ---------------------------------------------------------------- */

void gs_word_walk_want_none(gs_word_walk *w)
{
    memset(w->is_wanted, false, sizeof w->is_wanted);
    memset(w->goes_on_so, false, sizeof w->goes_on_so);
}

void gs_word_walk_want(gs_word_walk *w, const uint8_t *term, size_t bytes)
{
    const bool is_stemmed = w->rules != NULL && w->rules->language[0] != '\0';
    if (is_stemmed) /* some stemmers take the beginning away */
        memset(w->is_wanted, true, sizeof w->is_wanted);
    if (is_stemmed || bytes == 1)
        memset(w->goes_on_so, true, sizeof w->goes_on_so);
    if (bytes == 0)
        return;
    w->is_wanted[*term] = true;
    if (*term >= 'a' && *term <= 'z')
        w->is_wanted[*term - 'a' + 'A'] = true;
    if (bytes > 1)
        w->goes_on_so[term[1]] = true;
}

static inline bool may_be_wanted(const gs_word_walk *w, const uint8_t *begin,
                                 const uint8_t *end)
{
    return begin < end && w->is_wanted[*begin] &&
           (*begin < 0x80 || end - begin == 1 || w->goes_on_so[begin[1]]);
}

/* --- pieces ------------------------------------------------------------------------ */

/* Tells of a term where its piece stands in the text. */
static void tell(const gs_word_walk *w, const gs_token *token, const uint8_t *begin,
                 const uint8_t *end)
{
    if (w->is_in_folded) {
        const gs_folded_source *const sources = w->folded.sources;
        begin = sources[begin - w->folded.bytes].begin;
        end = sources[end - w->folded.bytes - 1].end;
    }
    w->fn(w->context, token, (size_t)(begin - w->text), (size_t)(end - w->text));
}

/* All terms of a piece stand where it does. */
static gs_code take_piece(gs_word_walk *w, const uint8_t *begin, const uint8_t *end,
                          gs_status *st)
{
    gs_tokenizer *const t = w->is_in_folded ? w->unfolding_tokenizer : w->tokenizer;
    if (end - begin > PIECE_BYTES_MAX)
        return GS_OK;
    gs_tokenizer_begin_document(t);
    gs_tokenizer_begin_text(t, begin, (size_t)(end - begin));
    do {
        GS_TRY(gs_tokenizer_next(t, &w->tokens, st));
        for (size_t i = 0; i < w->tokens.count; i++)
            tell(w, &w->tokens.tokens[i], begin, end);
    } while (w->tokens.count > 0);
    return GS_OK;
}

static inline gs_code take_wanted(gs_word_walk *w, const uint8_t *begin,
                                  const uint8_t *end, gs_status *st)
{
    return may_be_wanted(w, begin, end) ? take_piece(w, begin, end, st) : GS_OK;
}

/* What a character, which stays as it is, is to who cuts. */
typedef enum part { PART_NONE, PART_WORD, PART_DENSE, PART_MARK } part;

static part look(const gs_word_walk *w, uint32_t point)
{
    if (point < 0x80)
        return gs_ascii_is_word((uint8_t)point) ? PART_WORD : PART_NONE;
    if (!gs_fold_is_word(point))
        return PART_NONE;
    if (gs_fold_is_mark(point))
        return PART_MARK;
    return w->rules->kind == GS_WORDS_BIGRAMS && gs_fold_is_dense(point) ? PART_DENSE
                                                                         : PART_WORD;
}

/* Where words and dense characters are. */
typedef struct cutter {
    const uint8_t *word;         /* begins here; NULL: there is none */
    const uint8_t *before, *now; /* the last two dense characters */
} cutter;

/* The dense character that `now` is ends. */
static gs_code end_dense(gs_word_walk *w, cutter *c, const uint8_t *end, gs_status *st)
{
    if (c->now == NULL)
        return GS_OK;
    if (c->before != NULL)
        GS_TRY(take_wanted(w, c->before, end, st));
    c->before = c->now;
    c->now = NULL;
    return GS_OK;
}

static gs_code end_all(gs_word_walk *w, cutter *c, const uint8_t *end, gs_status *st)
{
    const uint8_t *const word = c->word;
    const bool is_alone = c->now != NULL && c->before == NULL;
    const uint8_t *const alone = c->now;
    c->word = NULL;
    GS_TRY(end_dense(w, c, end, st));
    c->before = NULL;
    if (is_alone)
        GS_TRY(take_wanted(w, alone, end, st));
    return word != NULL ? take_wanted(w, word, end, st) : GS_OK;
}

static gs_code take_character(gs_word_walk *w, cutter *c, part what, const uint8_t *at,
                              gs_status *st)
{
    switch (what) {
    case PART_NONE: return end_all(w, c, at, st);
    case PART_DENSE:
        if (c->word != NULL)
            GS_TRY(end_all(w, c, at, st));
        GS_TRY(end_dense(w, c, at, st));
        c->now = at;
        return GS_OK;
    case PART_MARK:
        if (c->now != NULL || c->word != NULL)
            return GS_OK;
        c->word = at;
        return GS_OK;
    case PART_WORD:
        if (c->now != NULL)
            GS_TRY(end_all(w, c, at, st));
        if (c->word == NULL)
            c->word = at;
        return GS_OK;
    }
    return GS_OK;
}

static gs_code cut_characters(gs_word_walk *w, const uint8_t *begin, const uint8_t *end,
                              gs_status *st)
{
    cutter c = {0};
    for (const uint8_t *p = begin; p < end;) {
        uint32_t point;
        const unsigned n = gs_utf8_decode(p, end, &point);
        GS_TRY(take_character(w, &c, n > 0 ? look(w, point) : PART_NONE, p, st));
        p += n > 0 ? n : 1;
    }
    return end_all(w, &c, end, st);
}

/* --- texts ------------------------------------------------------------------------- */

static bool is_space(uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

size_t gs_word_walk_seam(const uint8_t *text, size_t least, size_t bytes)
{
    for (size_t at = bytes; at > least; at--) {
        if (is_space(text[at - 1]))
            return at;
    }
    while (bytes > least && (text[bytes] & 0xc0) == 0x80)
        bytes--;
    return bytes;
}

/* Other blanks and what is not UTF-8 end words, too. */
static gs_code cut_at_spaces(gs_word_walk *w, const uint8_t *begin, const uint8_t *end,
                             gs_status *st)
{
    for (const uint8_t *p = begin; p < end;) {
        uint32_t point;
        const unsigned n = gs_utf8_decode(p, end, &point);
        if (n == 0 || gs_fold_is_space(point)) {
            GS_TRY(take_wanted(w, begin, p, st));
            begin = p + (n > 0 ? n : 1);
        }
        p += n > 0 ? n : 1;
    }
    return take_wanted(w, begin, end, st);
}

static gs_code cut(gs_word_walk *w, const uint8_t *begin, const uint8_t *end,
                   gs_status *st)
{
    return w->rules->kind == GS_WORDS_SPACED ? cut_at_spaces(w, begin, end, st)
                                             : cut_characters(w, begin, end, st);
}

/* A stretch that is not all ASCII, and ends where a byte of ASCII is in no word. */
static gs_code take_stretch(gs_word_walk *w, const uint8_t *begin, const uint8_t *end,
                            gs_status *st)
{
    const gs_folded_text *const f = &w->folded;
    if (!w->rules->is_folding)
        return cut(w, begin, end, st);
    w->is_in_folded = true;
    while (begin < end && st->code == GS_OK) {
        if (gs_folded_text_fill(&w->folded, begin, end, &begin, st) == GS_OK &&
            f->count > 0)
            GS_NOTED(cut(w, f->bytes, f->bytes + f->count, st));
    }
    w->is_in_folded = false;
    return st->code;
}

static gs_code walk_spans(gs_word_walk *w, const uint8_t *end, gs_status *st)
{
    for (const uint8_t *p = w->text; p < end;) {
        const uint8_t *const begin = p;
        uint8_t all = 0;
        while (p < end && !is_space(*p))
            all |= *p++;
        GS_TRY(all < 0x80 ? take_wanted(w, begin, p, st) : take_stretch(w, begin, p, st));
        p += p < end;
    }
    return GS_OK;
}

static gs_code walk_words(gs_word_walk *w, const uint8_t *end, gs_status *st)
{
    for (const uint8_t *p = w->text; p < end;) {
        const uint8_t *const begin = p;
        uint8_t all = 0;
        while (p < end && (*p >= 0x80 || gs_ascii_is_word(*p)))
            all |= *p++;
        /* A mark may join the character before it, of whatever kind. */
        if (all >= 0x80)
            GS_TRY(take_stretch(w, begin - (begin > w->text), p, st));
        else if (p > begin && w->is_wanted[*begin])
            GS_TRY(take_piece(w, begin, p, st));
        p += p < end;
    }
    return GS_OK;
}

gs_code gs_word_walk_text(gs_word_walk *w, const uint8_t *text, size_t bytes,
                          gs_word_fn *fn, void *context, gs_status *st)
{
    if (w->rules == NULL || w->rules->kind == GS_WORDS_RAW)
        return GS_OK;
    w->text = text;
    w->fn = fn;
    w->context = context;
    return w->rules->kind == GS_WORDS_SPACED ? walk_spans(w, text + bytes, st)
                                             : walk_words(w, text + bytes, st);
}
