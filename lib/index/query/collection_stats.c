/* SPDX-License-Identifier: MIT */
#include "lib/index/query/collection_stats.h"

#include <stdlib.h>
#include <string.h>

#include "io/small_file.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"

static const char of_stats[] = "statistics";

void gs_collection_stats_release(gs_collection_stats *s)
{
    gs_mem_free(s->terms);
    gs_mem_free(s->text);
    *s = (gs_collection_stats){0};
}

/* --- terms ------------------------------------------------------------------------- */

static int compare_bytes(const uint8_t *a, size_t a_bytes, const uint8_t *b,
                         size_t b_bytes)
{
    const size_t shorter = a_bytes < b_bytes ? a_bytes : b_bytes;
    const int order = shorter > 0 ? memcmp(a, b, shorter) : 0;
    return order != 0 ? order : (a_bytes > b_bytes) - (a_bytes < b_bytes);
}

static int compare_terms(const void *a, const void *b, void *text)
{
    const gs_collection_term *const x = a, *const y = b;
    const uint8_t *const from = text;
    return compare_bytes(from + x->at, x->bytes, from + y->at, y->bytes);
}

gs_code gs_collection_stats_note(gs_collection_stats *s, const uint8_t *term,
                                 size_t bytes, uint64_t df, gs_status *st)
{
    GS_TRY(gs_mem_grow(&s->text, &s->text_capacity, s->text_bytes + bytes + 1, of_stats,
                       st));
    GS_TRY(gs_mem_grow(&s->terms, &s->term_capacity, s->term_count + 1, of_stats, st));
    memcpy(s->text + s->text_bytes, term, bytes);
    s->terms[s->term_count++] = (gs_collection_term){s->text_bytes, bytes, df};
    s->text_bytes += bytes;
    return GS_OK;
}

/* Sorted, with those that are equal in one; false if a sum is too large. */
static bool join_terms(gs_collection_stats *s, bool adds)
{
    size_t kept = 0;
    bool fits = true;
    if (s->term_count > 1)
        qsort_r(s->terms, s->term_count, sizeof *s->terms, compare_terms, s->text);
    for (size_t i = 0; i < s->term_count; i++) {
        gs_collection_term *const last = &s->terms[kept - (kept > 0)];
        if (kept == 0 || compare_terms(last, &s->terms[i], s->text) != 0)
            s->terms[kept++] = s->terms[i];
        else if (adds)
            fits &= !__builtin_add_overflow(last->df, s->terms[i].df, &last->df);
    }
    s->term_count = kept;
    return fits;
}

void gs_collection_stats_settle(gs_collection_stats *s)
{
    (void)join_terms(s, false);
}

bool gs_collection_stats_find(const gs_collection_stats *s, const uint8_t *term,
                              size_t bytes, uint64_t *df)
{
    size_t low = 0, high = s->term_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const gs_collection_term *const t = &s->terms[middle];
        const int order = compare_bytes(s->text + t->at, t->bytes, term, bytes);
        if (order == 0) {
            *df = t->df;
            return true;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

/* --- to text ----------------------------------------------------------------------- */

static gs_code put_word(gs_text_out *out, const char *word, gs_status *st)
{
    return gs_text_out_put(out, word, strlen(word), st);
}

static gs_code put_term(gs_text_out *out, const uint8_t *term, size_t bytes,
                        gs_status *st)
{
    for (size_t i = 0; i < bytes; i++) {
        if (term[i] == '\n')
            GS_TRY(put_word(out, "\\n", st));
        else if (term[i] == '\\')
            GS_TRY(put_word(out, "\\\\", st));
        else
            GS_TRY(gs_text_out_put(out, &term[i], 1, st));
    }
    return gs_text_out_put(out, "\n", 1, st);
}

gs_code gs_collection_stats_put(const gs_collection_stats *s, gs_text_out *out,
                                gs_status *st)
{
    GS_TRY(put_word(out, "documents\t", st));
    GS_TRY(gs_text_out_number(out, s->documents, '\n', st));
    GS_TRY(put_word(out, "length\t", st));
    GS_TRY(gs_text_out_number(out, s->length_sum, '\n', st));
    for (size_t i = 0; i < s->term_count; i++) {
        const gs_collection_term *const t = &s->terms[i];
        GS_TRY(put_word(out, "df\t", st));
        GS_TRY(gs_text_out_number(out, t->df, '\t', st));
        GS_TRY(put_term(out, s->text + t->at, t->bytes, st));
    }
    return GS_OK;
}

/* --- from text --------------------------------------------------------------------- */

static bool take_word(gs_text_span *line, const char *word)
{
    const size_t bytes = strlen(word);
    if (line->bytes < bytes || memcmp(line->data, word, bytes) != 0)
        return false;
    line->data += bytes;
    line->bytes -= bytes;
    return true;
}

static bool take_number(gs_text_span *line, uint64_t *x)
{
    size_t digits = 0;
    *x = 0;
    for (; digits < line->bytes; digits++) {
        const unsigned digit = (unsigned)line->data[digits] - '0';
        if (digit > 9)
            break;
        if (__builtin_mul_overflow(*x, UINT64_C(10), x) ||
            __builtin_add_overflow(*x, (uint64_t)digit, x))
            return false;
    }
    line->data += digits;
    line->bytes -= digits;
    return digits > 0;
}

/* Undone where it stands, which never makes it longer; false if it is not as put_term
 * writes it. */
static bool unescape(uint8_t *text, size_t *bytes)
{
    size_t to = 0;
    for (size_t from = 0; from < *bytes; from++) {
        uint8_t c = text[from];
        if (c == '\\') {
            if (++from == *bytes || (text[from] != 'n' && text[from] != '\\'))
                return false;
            c = text[from] == 'n' ? '\n' : '\\';
        }
        text[to++] = c;
    }
    *bytes = to;
    return true;
}

static bool add_number(gs_text_span *line, uint64_t *sum)
{
    uint64_t x;
    return take_number(line, &x) && line->bytes == 0 &&
           !__builtin_add_overflow(*sum, x, sum);
}

static gs_code take_line(gs_collection_stats *s, gs_text_span line, bool *is_good,
                         gs_status *st)
{
    gs_collection_term term;
    *is_good = true;
    if (take_word(&line, "documents\t")) {
        *is_good = add_number(&line, &s->documents);
        return GS_OK;
    }
    if (take_word(&line, "length\t")) {
        *is_good = add_number(&line, &s->length_sum);
        return GS_OK;
    }
    *is_good = take_word(&line, "df\t") && take_number(&line, &term.df) &&
               take_word(&line, "\t") && line.bytes <= GS_INDEX_TERM_MAX * 2;
    if (!*is_good)
        return GS_OK;
    term.at = (size_t)(line.data - s->text);
    term.bytes = line.bytes;
    *is_good = unescape(s->text + term.at, &term.bytes);
    GS_TRY(gs_mem_grow(&s->terms, &s->term_capacity, s->term_count + 1, of_stats, st));
    s->terms[s->term_count++] = term;
    return GS_OK;
}

/* No term may be in more documents than there are: its weight would be no weight. */
static bool makes_sense(const gs_collection_stats *s)
{
    for (size_t i = 0; i < s->term_count; i++) {
        if (s->terms[i].df > s->documents)
            return false;
    }
    return s->documents > 0 || s->length_sum == 0;
}

gs_code gs_collection_stats_read(gs_collection_stats *s, const char *name, gs_status *st)
{
    gs_quoted quoted;
    uint64_t number = 0;
    gs_small_file file = {.bytes = 0};
    GS_NOTED(gs_small_file_read(&file, name, SIZE_MAX, st));
    gs_mem_free(s->text);
    s->text = file.data;
    s->text_bytes = file.bytes;
    s->text_capacity = file.capacity;
    GS_TRY(st->code);
    for (size_t at = 0; at < s->text_bytes;) {
        const uint8_t *const end = memchr(s->text + at, '\n', s->text_bytes - at);
        const size_t bytes =
            end != NULL ? (size_t)(end - s->text) - at : s->text_bytes - at;
        bool is_good = false;
        number++;
        if (end != NULL)
            GS_TRY(take_line(s, (gs_text_span){s->text + at, bytes}, &is_good, st));
        if (!is_good)
            return GS_FAIL(st, GS_ERR_FORMAT, 0, "%s:%llu: is not a line of statistics",
                           gs_quote_name(&quoted, name), (unsigned long long)number);
        at += bytes + 1;
    }
    if (join_terms(s, true) && makes_sense(s))
        return GS_OK;
    return GS_FAIL(st, GS_ERR_FORMAT, 0,
                   "%s: terms or lengths of more documents than there are",
                   gs_quote_name(&quoted, name));
}
