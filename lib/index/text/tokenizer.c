/* SPDX-License-Identifier: MIT */
/*
 * How a text is walked.
 *
 *      fast     plain words, cut out of 64-bit masks
 *      slow     from the character before one that is not ASCII up to the next ASCII byte
 *               that is in no word: code points, in stretches that begin with a plain
 *               character in no word
 *      drain    a stretch that the table of plain characters could not fold, as folded
 *               code points; there may be several words in it
 *      spans    what stands between white space, or all of the text
 *
 * Each may be left when the batch is full and taken up again. No character makes more
 * than one term complete: there is room for that, or it is not taken.
 *
 * Of characters that are not told by spaces (dense ones) the last two are kept, each a
 * unit with its marks. When one of another kind, or none of a word, follows, the run of
 * them ends.
 */
#include "lib/index/text/tokenizer.h"

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/index/text/ascii_scan.h"
#include "lib/index/text/fold.h"
#include "lib/base/utf8.h"
#include "lib/index/text/word_filter.h"
#include "lib/index/text/word_rules.h"

/* A stretch of words longer than this is cut at any character: only junk is. Spans may be
 * as long as the text is, so a stretch of one ends before the next plain character; where
 * none comes until it is twice as long, at any. */
enum { STRETCH_BYTES_MAX = 256 * 1024 };

/* A character and its marks; those that do not fit are left out. */
enum { UNIT_BYTES_MAX = 64 };

typedef struct unit {
    uint8_t bytes[UNIT_BYTES_MAX];
    size_t count; /* 0: there is none */
} unit;

struct gs_tokenizer {
    const gs_word_rules *rules;
    gs_word_filter *filter; /* NULL: every word is kept as it is */
    gs_fold *fold;
    gs_word_kind kind;
    bool is_folding;
    unit before, now;   /* of a run: the last one that is complete, and what may grow */
    bool is_before_put; /* it is in a term */
    const uint8_t *at, *end; /* what is left of the text */
    uint32_t position;
    uint64_t long_words;   /* left out */
    const int32_t *points; /* to drain */
    size_t point_at, point_count;
    bool goes_on; /* their last word goes on at `at`: a span of several stretches */
};

static gs_code new_tokenizer(gs_tokenizer **out, const gs_word_rules *rules,
                             bool has_stems, gs_status *st)
{
    *out = NULL;
    gs_tokenizer *t = NULL;
    GS_TRY(gs_mem_new_apart(&t, sizeof *t, "tokenizer", st));
    t->rules = rules;
    t->kind = rules->kind;
    t->is_folding = rules->is_folding;
    GS_TRY_OR_FAIL(gs_fold_new(&t->fold, t->is_folding, st));
    GS_TRY_OR_FAIL(gs_word_filter_new(&t->filter, rules, has_stems, st));
    *out = t;
    return GS_OK;
fail:
    gs_tokenizer_free(t);
    return st->code;
}

gs_code gs_tokenizer_new(gs_tokenizer **out, const gs_word_rules *rules, gs_status *st)
{
    return new_tokenizer(out, rules, true, st);
}

gs_code gs_tokenizer_new_stemless(gs_tokenizer **out, const gs_word_rules *rules,
                                  gs_status *st)
{
    return new_tokenizer(out, rules, false, st);
}

void gs_tokenizer_free(gs_tokenizer *t)
{
    if (t == NULL)
        return;
    gs_word_filter_free(t->filter);
    gs_fold_free(t->fold);
    gs_mem_free(t);
}

uint64_t gs_tokenizer_long_words(const gs_tokenizer *t)
{
    return t->long_words;
}

uint32_t gs_tokenizer_position(const gs_tokenizer *t)
{
    return t->position;
}

void gs_tokenizer_begin_document(gs_tokenizer *t)
{
    t->position = 0;
    t->point_at = t->point_count = 0; /* should the last text have been given up */
    t->goes_on = false;
    t->before.count = t->now.count = 0;
}

void gs_tokenizer_begin_text(gs_tokenizer *t, const uint8_t *text, size_t bytes)
{
    gs_assert(t->point_at == t->point_count && !t->goes_on);
    t->at = text;
    t->end = text + bytes;
}

/* The word of `bytes` bytes and `chars` characters stands, padded, at the end of the
 * batch: keeps it, or what the filter makes of it. */
static inline void finish_word(gs_tokenizer *t, gs_token_batch *batch, size_t bytes,
                               size_t chars)
{
    const uint32_t position = t->position++;
    if (t->filter != NULL)
        bytes = gs_word_filter_apply(t->filter, batch->bytes + batch->used, bytes, chars);
    if (bytes > 0)
        gs_token_batch_add(batch, bytes, position);
}

static inline void put_ascii_word(gs_tokenizer *t, gs_token_batch *batch,
                                  const uint8_t *word, size_t bytes)
{
    if (__builtin_expect(bytes > GS_TERM_BYTES_MAX, 0)) {
        t->position++;
        t->long_words++;
        return;
    }
    gs_ascii_copy_word(batch->bytes + batch->used, word, bytes, t->is_folding);
    finish_word(t, batch, bytes, bytes);
}

/* --- words, character by character ------------------------------------------------- */

/* A word that is being written to the end of the batch, character by character. */
typedef struct word_writer {
    uint8_t *to;
    size_t bytes, chars;
} word_writer;

static void put_point(word_writer *w, uint32_t point)
{
    uint8_t bytes[GS_UTF8_BYTES_MAX];
    const size_t n = (size_t)(gs_utf8_encode(bytes, point) - bytes);
    w->chars++;
    if (w->bytes + n > GS_TERM_BYTES_MAX) { /* too long, whatever follows */
        w->bytes = GS_TERM_BYTES_MAX + 1;
        return;
    }
    memcpy(w->to + w->bytes, bytes, n);
    w->bytes += n;
}

static void end_word(gs_tokenizer *t, gs_token_batch *batch, word_writer *w)
{
    if (w->chars == 0)
        return;
    if (w->bytes > GS_TERM_BYTES_MAX) {
        t->position++;
        t->long_words++;
    } else {
        memset(w->to + w->bytes, 0, GS_TERM_PAD);
        finish_word(t, batch, w->bytes, w->chars);
    }
    *w = (word_writer){.to = batch->bytes + batch->used};
}

/* --- runs of dense characters ------------------------------------------------------ */

static void put_in_unit(unit *u, uint32_t point)
{
    uint8_t bytes[GS_UTF8_BYTES_MAX];
    const size_t n = (size_t)(gs_utf8_encode(bytes, point) - bytes);
    if (u->count + n > UNIT_BYTES_MAX)
        return;
    memcpy(u->bytes + u->count, bytes, n);
    u->count += n;
}

static bool is_in_run(const gs_tokenizer *t)
{
    return t->now.count + t->before.count > 0;
}

/* `now` is complete: with the one before it makes a term. */
static void end_unit(gs_tokenizer *t, gs_token_batch *batch)
{
    if (t->now.count == 0)
        return;
    t->is_before_put = t->before.count > 0;
    if (t->is_before_put) {
        uint8_t *const to =
            mempcpy(batch->bytes + batch->used, t->before.bytes, t->before.count);
        memcpy(to, t->now.bytes, t->now.count);
        memset(to + t->now.count, 0, GS_TERM_PAD);
        finish_word(t, batch, t->before.count + t->now.count, 0);
    }
    t->before = t->now;
    t->now.count = 0;
}

/* One that is alone is a term. */
static void end_run(gs_tokenizer *t, gs_token_batch *batch)
{
    end_unit(t, batch);
    if (t->before.count > 0 && !t->is_before_put) {
        uint8_t *const to =
            mempcpy(batch->bytes + batch->used, t->before.bytes, t->before.count);
        memset(to, 0, GS_TERM_PAD);
        finish_word(t, batch, t->before.count, 0);
    }
    t->before.count = 0;
}

static void end_words(gs_tokenizer *t, gs_token_batch *batch, word_writer *w)
{
    end_word(t, batch, w);
    end_run(t, batch);
    w->to = batch->bytes + batch->used;
}

/* Does a character of words end what is before it? */
static bool is_seam(const gs_tokenizer *t, uint32_t point, bool is_dense)
{
    return is_dense || (is_in_run(t) && !(t->now.count > 0 && gs_fold_is_mark(point)));
}

/* Takes a folded character of words; false if it has to wait, the batch being full. */
static bool take_point(gs_tokenizer *t, gs_token_batch *batch, word_writer *w,
                       uint32_t point, bool is_dense)
{
    if (is_seam(t, point, is_dense)) {
        if (is_dense) {
            end_word(t, batch, w);
            end_unit(t, batch);
        } else {
            end_run(t, batch);
        }
        if (!gs_token_batch_has_room(batch))
            return false;
        w->to = batch->bytes + batch->used;
    }
    if (is_dense || t->now.count > 0)
        put_in_unit(&t->now, point);
    else
        put_point(w, point);
    return true;
}

/* --- drain ------------------------------------------------------------------------- */

static bool is_in_word(const gs_tokenizer *t, uint32_t point)
{
    if (t->kind == GS_WORDS_RAW)
        return true;
    return t->kind == GS_WORDS_SPACED ? !gs_fold_is_space(point) : gs_fold_is_word(point);
}

/* Takes words out of the folded stretch, the last of which may be unfinished then; false
 * if the batch is full before the stretch ends, or with it: then no word is unfinished.
 */
static bool drain_points(gs_tokenizer *t, gs_token_batch *batch, word_writer *w)
{
    while (t->point_at < t->point_count) {
        const uint32_t point = (uint32_t)t->points[t->point_at];
        const bool is_word = is_in_word(t, point);
        if (!is_word)
            end_words(t, batch, w);
        else if (!take_point(t, batch, w, point,
                             t->kind == GS_WORDS_BIGRAMS && gs_fold_is_dense(point)))
            return false;
        t->point_at++;
        if (!is_word && !gs_token_batch_has_room(batch))
            return false;
    }
    return true;
}

/* Takes words out of the folded stretch until it or the batch ends. */
static void drain(gs_tokenizer *t, gs_token_batch *batch)
{
    word_writer w = {.to = batch->bytes + batch->used};
    if (t->point_at < t->point_count && drain_points(t, batch, &w))
        end_words(t, batch, &w);
}

/* --- slow -------------------------------------------------------------------------- */

/* One stretch: it ends before the next plain character that is in no word (other than its
 * own first), before bytes that are not UTF-8, or at the end of the text. Where a plain
 * character makes something complete, another stretch begins. */
static gs_code take_stretch(gs_tokenizer *t, gs_token_batch *batch, gs_status *st)
{
    const uint8_t *begin = t->at;
    word_writer w = {.to = batch->bytes + batch->used};
    const uint32_t dense_flag = t->kind == GS_WORDS_BIGRAMS ? GS_FOLD_DENSE : 0;
    bool is_plain = true;
    const uint8_t *p = begin;
    while (p < t->end && (is_plain || (size_t)(p - begin) < STRETCH_BYTES_MAX)) {
        uint32_t point, what;
        const unsigned n = gs_utf8_decode(p, t->end, &point);
        if (n == 0)
            break;
        GS_TRY(gs_fold_look(t->fold, point, &what, st));
        if ((what & (GS_FOLD_WORD | GS_FOLD_PLAIN)) == GS_FOLD_PLAIN && p > begin)
            break;
        is_plain &= (what & GS_FOLD_PLAIN) != 0;
        point = what & GS_FOLD_POINT;
        if ((what & dense_flag) == 0 && !is_in_run(t)) {
            if (what & GS_FOLD_WORD)
                put_point(&w, point);
        } else if (is_plain && (what & GS_FOLD_WORD) != 0) {
            const bool is_dense = (what & dense_flag) != 0;
            begin = is_seam(t, point, is_dense) ? p : begin;
            if (!take_point(t, batch, &w, point, is_dense)) {
                t->at = p;
                return GS_OK;
            }
        }
        p += n;
    }
    t->at = p;
    if (is_plain) {
        end_words(t, batch, &w);
    } else {
        t->now.count = 0; /* it may be another one with what follows */
        t->point_at = 0;
        GS_TRY(gs_fold_stretch(t->fold, begin, (size_t)(p - begin), &t->points,
                               &t->point_count, st));
        drain(t, batch);
    }
    if (p == begin)
        t->at++; /* no UTF-8 */
    return GS_OK;
}

static bool ends_slow_way(const gs_tokenizer *t)
{
    return t->at >= t->end || (*t->at < 0x80 && !gs_ascii_is_word(*t->at));
}

/* `at` is on the first character of a stretch; goes on to an ASCII byte in no word. */
static __attribute__((noinline)) gs_code
take_any_words(gs_tokenizer *t, gs_token_batch *batch, gs_status *st)
{
    do {
        GS_TRY(take_stretch(t, batch, st));
    } while (!ends_slow_way(t) && t->point_at == t->point_count &&
             gs_token_batch_has_room(batch));
    return GS_OK;
}

/* --- fast -------------------------------------------------------------------------- */

/* Where the word at `p` ends, of whatever length; *is_ascii tells if nothing but ASCII
 * touches it. */
static const uint8_t *find_word_end(const gs_tokenizer *t, const uint8_t *p,
                                    bool *is_ascii)
{
    while (p < t->end && gs_ascii_is_word(*p))
        p++;
    *is_ascii = p == t->end || *p < 0x80;
    return p;
}

/* Where the slow way has to start for the byte at `p`, which is not ASCII and no word
 * before it touches: at the ASCII character before it, for a mark may join that, unless
 * it was taken already (it is before `from`). */
static const uint8_t *slow_start(const uint8_t *from, const uint8_t *p)
{
    return p > from && p[-1] < 0x80 ? p - 1 : p;
}

typedef enum step { STEP_FULL, STEP_SLOW, STEP_END } step;

/* Takes ASCII words until the batch is full, the text ends, or `at` needs the slow way.
 */
static step take_ascii_words(gs_tokenizer *t, gs_token_batch *batch)
{
    const uint8_t *const start = t->at;
    const uint8_t *base = start;
    while (base < t->end) {
        gs_ascii_masks m = gs_ascii_classify(base);
        const size_t left = (size_t)(t->end - base);
        const uint64_t valid = left < 64 ? (UINT64_C(1) << left) - 1 : UINT64_MAX;
        m.word &= valid;
        m.high &= valid;
        const unsigned high = m.high != 0 ? (unsigned)__builtin_ctzll(m.high) : 64;
        const uint8_t *next = base + 64;
        uint64_t words = m.word;
        while (words != 0) {
            const unsigned from = (unsigned)__builtin_ctzll(words);
            if (from > high)
                break;
            const uint64_t after = ~(words >> from);
            size_t bytes = (unsigned)__builtin_ctzll(after | UINT64_C(1) << 63);
            const size_t to = from + bytes;
            if (high < 64 && to == high) { /* the word goes on with other characters */
                t->at = base + from;
                return STEP_SLOW;
            }
            if (from + bytes >= 63 && left > 63) {
                if (from > 0) { /* it may go on in the next bytes: look again from it */
                    next = base + from;
                    break;
                }
                bool is_ascii;
                next = find_word_end(t, base, &is_ascii);
                if (!is_ascii) {
                    t->at = base;
                    return STEP_SLOW;
                }
                bytes = (size_t)(next - base);
                words = 0;
            } else {
                words &= UINT64_MAX << to;
            }
            put_ascii_word(t, batch, base + from, bytes);
            if (!gs_token_batch_has_room(batch)) {
                t->at = base + from + bytes;
                return STEP_FULL;
            }
        }
        if (high < 64 && base + high < next) {
            t->at = slow_start(start, base + high);
            return STEP_SLOW;
        }
        base = next;
    }
    t->at = t->end;
    return STEP_END;
}

/* --- spans ------------------------------------------------------------------------- */

static bool is_ascii_space(uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Is it white space that ends a span? */
static bool ends_span(const gs_tokenizer *t, uint32_t point)
{
    if (t->kind == GS_WORDS_RAW)
        return false;
    return point < 0x80 ? is_ascii_space((uint8_t)point) : gs_fold_is_space(point);
}

/* Where the ASCII characters end that a span begins with; *is_all tells if they are all
 * of it. No further is looked, for the rest is looked at again, and may be many words. */
static const uint8_t *find_ascii_end(const gs_tokenizer *t, const uint8_t *p,
                                     bool *is_all)
{
    while (p < t->end && *p < 0x80 && (t->kind == GS_WORDS_RAW || !is_ascii_space(*p)))
        p++;
    *is_all = p == t->end || *p < 0x80;
    return p;
}

/* Takes the span, which stays as it is, and what is before it and in no word. */
static void take_unfolded(gs_tokenizer *t, gs_token_batch *batch)
{
    word_writer w = {.to = batch->bytes + batch->used};
    uint32_t point;
    unsigned n;
    for (; (n = gs_utf8_decode(t->at, t->end, &point)) > 0; t->at += n) {
        if (!ends_span(t, point))
            put_point(&w, point);
        else if (w.chars > 0)
            break;
    }
    end_word(t, batch, &w);
    t->at += t->at < t->end && n == 0;
}

/* Goes on to where the stretch ends that begins at `at`: at the end of the span, or, once
 * it is long, where it can be cut. *end_bytes are those of what ends the span, white
 * space or what is not UTF-8, which are in no word. */
static gs_code skip_stretch(gs_tokenizer *t, size_t *end_bytes, gs_status *st)
{
    const uint8_t *const begin = t->at;
    uint32_t point, what;
    unsigned n;
    *end_bytes = 0;
    t->goes_on = false;
    for (; (n = gs_utf8_decode(t->at, t->end, &point)) > 0; t->at += n) {
        const size_t bytes = (size_t)(t->at - begin);
        if (ends_span(t, point))
            break;
        if (bytes < STRETCH_BYTES_MAX)
            continue;
        GS_TRY(gs_fold_look(t->fold, point, &what, st));
        t->goes_on = (what & GS_FOLD_PLAIN) != 0 || bytes >= 2 * STRETCH_BYTES_MAX;
        if (t->goes_on)
            return GS_OK;
    }
    if (t->at < t->end)
        *end_bytes = n > 0 ? n : 1;
    return GS_OK;
}

/* Folds the next stretch of a span. */
static gs_code fold_span(gs_tokenizer *t, gs_status *st)
{
    const uint8_t *const begin = t->at;
    size_t end_bytes;
    GS_TRY(skip_stretch(t, &end_bytes, st));
    t->point_at = 0;
    GS_TRY(gs_fold_stretch(t->fold, begin, (size_t)(t->at - begin), &t->points,
                           &t->point_count, st));
    t->at += end_bytes;
    return GS_OK;
}

/* Takes words out of what was folded of a span, and folds on while its last word does. */
static gs_code drain_span(gs_tokenizer *t, gs_token_batch *batch, gs_status *st)
{
    word_writer w = {.to = batch->bytes + batch->used};
    while (drain_points(t, batch, &w) && t->goes_on)
        GS_TRY(fold_span(t, st));
    end_words(t, batch, &w);
    return GS_OK;
}

/* Apart, so that the fast way has the registers. */
static __attribute__((noinline)) gs_code take_spans(gs_tokenizer *t,
                                                    gs_token_batch *batch, gs_status *st)
{
    while (gs_token_batch_has_room(batch)) { /* what was folded may have filled it */
        GS_TRY(drain_span(t, batch, st));
        if (!gs_token_batch_has_room(batch))
            return GS_OK;
        while (t->at < t->end && t->kind != GS_WORDS_RAW && is_ascii_space(*t->at))
            t->at++;
        if (t->at == t->end)
            return GS_OK;
        bool is_ascii;
        const uint8_t *const end = find_ascii_end(t, t->at, &is_ascii);
        if (is_ascii) {
            put_ascii_word(t, batch, t->at, (size_t)(end - t->at));
            t->at = end;
        } else if (t->is_folding) {
            GS_TRY(fold_span(t, st));
        } else {
            take_unfolded(t, batch);
        }
    }
    return GS_OK;
}

/* --- all --------------------------------------------------------------------------- */

gs_code gs_tokenizer_add(gs_tokenizer *t, gs_token_batch *batch, gs_status *st)
{
    if (t->kind == GS_WORDS_SPACED || t->kind == GS_WORDS_RAW)
        return take_spans(t, batch, st);
    for (;;) {
        drain(t, batch);
        if (!gs_token_batch_has_room(batch))
            return GS_OK;
        const step what = take_ascii_words(t, batch);
        if (what != STEP_SLOW)
            return GS_OK;
        GS_TRY(take_any_words(t, batch, st));
        if (!gs_token_batch_has_room(batch))
            return GS_OK;
    }
}

gs_code gs_tokenizer_next(gs_tokenizer *t, gs_token_batch *batch, gs_status *st)
{
    gs_token_batch_clear(batch);
    return gs_tokenizer_add(t, batch, st);
}
