/* SPDX-License-Identifier: MIT */
#include "cmd/search_output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/index_read.h"
#include "cmd/report.h"
#include "lib/base/mem.h"

enum {
    NUMBER_BYTES = 64,
    DEL = 0x7f,
    C1_LEAD = 0xc2, /* the first byte of U+0080 to U+00BF in UTF-8 */
};

#define EACH_BYTE UINT64_C(0x0101010101010101)

/* Unless somebody does not want them, or there is nothing to show them with. */
static bool wants_marks(void)
{
    const char *const none = getenv("NO_COLOR"), *const terminal = getenv("TERM");
    return (none == NULL || *none == '\0') &&
           (terminal == NULL || strcmp(terminal, "dumb") != 0);
}

gs_code gs_search_output_open(gs_search_output *o, const gs_search_args *args,
                              gpusort_index *index, gpusort_searcher *searcher,
                              gs_status *st)
{
    *o = (gs_search_output){.args = args,
                            .index = index,
                            .searcher = searcher,
                            .info = {.size = sizeof o->info},
                            .has_qids = args->query_count != 1};
    gpusort_index_describe(index, &o->info);
    o->is_terminal = isatty(STDOUT_FILENO) == 1;
    o->has_marks = o->is_terminal && wants_marks();
    return gs_text_out_open(&o->out, gs_index_print, index, st);
}

void gs_search_output_release(gs_search_output *o)
{
    gs_text_out_release(&o->out);
    gs_mem_free(o->names);
}

static gs_code put(gs_search_output *o, const char *text, gs_status *st)
{
    return gs_text_out_put(&o->out, text, strlen(text), st);
}

/* The bytes of the control character that a text begins with: one below `least`, DEL, or
 * one of U+0080 to U+009F, which some terminals obey as they do ESC. 0: it is none. */
static size_t control_bytes(const uint8_t *text, size_t bytes, uint8_t least)
{
    if (text[0] < least || text[0] == DEL)
        return 1;
    const bool is_c1 =
        text[0] == C1_LEAD && bytes > 1 && text[1] >= 0x80 && text[1] < 0xa0;
    return is_c1 ? 2 : 0;
}

/* Not 0 if the word has a byte below `least`, which is at most 128. */
static uint64_t bytes_below(uint64_t word, uint8_t least)
{
    return (word - EACH_BYTE * least) & ~word & EACH_BYTE << 7;
}

/* How many bytes there are before a control character, eight at a time. */
static size_t plain_bytes(const uint8_t *text, size_t bytes, uint8_t least)
{
    size_t at = 0;
    for (uint64_t word; bytes - at >= sizeof word; at += sizeof word) {
        memcpy(&word, text + at, sizeof word);
        const uint64_t below = bytes_below(word, least);
        const uint64_t del = bytes_below(word ^ EACH_BYTE * DEL, 1);
        const uint64_t lead = bytes_below(word ^ EACH_BYTE * C1_LEAD, 1);
        if ((below | del | lead) != 0)
            break;
    }
    while (at < bytes && control_bytes(text + at, bytes - at, least) == 0)
        at++;
    return at;
}

/* A name as a column: nothing in it ends its line or, in a TREC run, its column. */
static gs_code put_column(gs_search_output *o, const void *name, size_t bytes,
                          gs_status *st)
{
    const bool is_trec = o->args->shape == GS_SEARCH_TREC;
    const uint8_t least = is_trec ? ' ' + 1 : ' ';
    const uint8_t *text = name;
    if (is_trec && bytes == 0)
        return put(o, "_", st);
    for (size_t plain; bytes > 0; text += plain, bytes -= plain) {
        plain = plain_bytes(text, bytes, least);
        GS_TRY(gs_text_out_put(&o->out, text, plain, st));
        if (plain == bytes)
            break;
        GS_TRY(put(o, is_trec ? "_" : " ", st));
        plain += control_bytes(text + plain, bytes - plain, least);
    }
    return GS_OK;
}

/* --- the documents of a page -------------------------------------------------------- */

/* The names of all of them, if there are names. */
static gs_code take_names(gs_search_output *o, size_t count, gs_status *st)
{
    enum { USUAL_BYTES = 32 };
    if (!o->info.has_names)
        return GS_OK;
    GS_TRY(gs_mem_grow(&o->names, &o->name_room, count * USUAL_BYTES, "names", st));
    for (;;) {
        if (gpusort_index_names(o->index, o->documents, count, o->names, o->name_room,
                                o->name_ends, &o->error) != GPUSORT_OK)
            return gs_status_of_error(st, &o->error);
        if (o->name_ends[count] <= o->name_room)
            return GS_OK;
        GS_TRY(gs_mem_grow(&o->names, &o->name_room, (size_t)o->name_ends[count], "names",
                           st));
    }
}

static const uint8_t *name_of(const gs_search_output *o, size_t i, size_t *bytes)
{
    *bytes = (size_t)(o->name_ends[i + 1] - o->name_ends[i]);
    return (const uint8_t *)o->names + o->name_ends[i];
}

/* Of the i-th of `count`: asked for in order, some that follow are made together with it.
 */
static gs_code take_snippet(gs_search_output *o, const gs_asked *asked, size_t i,
                            size_t count, const gpusort_snippet **out, gs_status *st)
{
    const size_t at = i % GS_SEARCH_SNIPPETS;
    const size_t left = count - i;
    *out = &o->snippets[at];
    if (at > 0)
        return GS_OK;
    return gpusort_search_snippets(o->searcher, asked->text, asked->bytes,
                                   o->documents + i,
                                   left < GS_SEARCH_SNIPPETS ? left : GS_SEARCH_SNIPPETS,
                                   o->snippets, &o->error) == GPUSORT_OK
               ? GS_OK
               : gs_status_of_error(st, &o->error);
}

static gs_code put_number(gs_search_output *o, size_t i, gs_status *st)
{
    GS_TRY(gs_text_out_number(&o->out, o->info.doc_base + o->documents[i], ' ', st));
    o->out.used--; /* the blank */
    return GS_OK;
}

/* The name of a document; its number, if it has none. */
static gs_code put_name(gs_search_output *o, size_t i, gs_status *st)
{
    size_t bytes;
    if (!o->info.has_names)
        return put_number(o, i, st);
    const uint8_t *const name = name_of(o, i, &bytes);
    return put_column(o, name, bytes, st);
}

/* --- numbers ------------------------------------------------------------------------ */

/* As by %.6f. False: too large, or so near to the middle between two of such numbers that
 * only all its digits tell which is nearer. */
static bool put_six_decimals(char *text, double score, size_t *bytes)
{
    enum { UNIT = 1000000 };
    if (!(score > 0 && score < UNIT))
        return false;
    const double scaled = score * UNIT; /* off by less than 1e-4 */
    const uint64_t below = (uint64_t)scaled;
    const double rest = scaled - (double)below;
    if (rest > 0.499 && rest < 0.501)
        return false;
    uint64_t left = below + (rest > 0.5);
    size_t at = NUMBER_BYTES;
    for (unsigned digit = 0; digit < 7 || left > 0; digit++) {
        if (digit == 6)
            text[--at] = '.';
        text[--at] = (char)('0' + left % 10);
        left /= 10;
    }
    *bytes = NUMBER_BYTES - at;
    memmove(text, text + at, *bytes);
    return true;
}

static gs_code put_score(gs_search_output *o, double score, gs_status *st)
{
    char text[NUMBER_BYTES];
    size_t bytes;
    if (!o->args->as_json && put_six_decimals(text, score, &bytes))
        return gs_text_out_put(&o->out, text, bytes, st);
    if (o->args->as_json) /* to the last bit */
        (void)snprintf(text, sizeof text, "%.17g", score);
    else
        (void)snprintf(text, sizeof text, "%.6f", score);
    return put(o, text, st);
}

static gs_code put_qid(gs_search_output *o, const gs_asked *asked, const char *after,
                       gs_status *st)
{
    GS_TRY(put_column(o, asked->qid, asked->qid_bytes, st));
    return put(o, after, st);
}

/* --- snippets ---------------------------------------------------------------------- */

/* A column of the line; on a terminal a line of its own. */
static gs_code put_snippet(gs_search_output *o, const gpusort_snippet *s, gs_status *st)
{
    size_t at = 0;
    GS_TRY(put(o, o->is_terminal ? "\n    " : "\t", st));
    GS_TRY(put(o, s->is_cut_before ? "... " : "", st));
    for (size_t i = 0; i < s->mark_count && o->has_marks; i++) {
        const gpusort_mark *const m = &s->marks[i];
        GS_TRY(gs_text_out_put(&o->out, s->text + at, m->begin - at, st));
        GS_TRY(put(o, "\033[1m", st));
        GS_TRY(gs_text_out_put(&o->out, s->text + m->begin, m->end - m->begin, st));
        GS_TRY(put(o, "\033[0m", st));
        at = m->end;
    }
    GS_TRY(gs_text_out_put(&o->out, s->text + at, s->bytes - at, st));
    return put(o, s->is_cut_behind ? " ..." : "", st);
}

/* Characters before a byte. */
static size_t count_characters(const gpusort_snippet *s, size_t bytes)
{
    size_t count = 0;
    for (size_t i = 0; i < bytes; i++)
        count += ((unsigned char)s->text[i] & 0xc0) != 0x80;
    return count;
}

static gs_code put_json_snippet(gs_search_output *o, const gpusort_snippet *s,
                                gs_status *st)
{
    GS_TRY(put(o, ", \"snippet\": ", st));
    GS_TRY(gs_text_out_json(&o->out, (const uint8_t *)s->text, s->bytes, st));
    GS_TRY(put(o, ", \"marks\": [", st));
    for (size_t i = 0; i < s->mark_count; i++) {
        char text[NUMBER_BYTES];
        (void)snprintf(text, sizeof text, "%s[%zu, %zu]", i > 0 ? ", " : "",
                       count_characters(s, s->marks[i].begin),
                       count_characters(s, s->marks[i].end));
        GS_TRY(put(o, text, st));
    }
    return put(o, "]", st);
}

/* --- JSON -------------------------------------------------------------------------- */

static gs_code put_json_head(gs_search_output *o, const gs_asked *asked, gs_status *st)
{
    GS_TRY(put(o, "{\"qid\": ", st));
    GS_TRY(gs_text_out_json(&o->out, (const uint8_t *)asked->qid, asked->qid_bytes, st));
    GS_TRY(put(o, ", \"query\": ", st));
    return gs_text_out_json(&o->out, (const uint8_t *)asked->text, asked->bytes, st);
}

/* A document up to where its score may come. */
static gs_code put_json_document(gs_search_output *o, size_t i, gs_status *st)
{
    size_t bytes;
    GS_TRY(put(o, o->printed++ > 0 ? ", {\"doc\": " : "{\"doc\": ", st));
    GS_TRY(put_number(o, i, st));
    if (!o->info.has_names)
        return GS_OK;
    const uint8_t *const name = name_of(o, i, &bytes);
    GS_TRY(put(o, ", \"name\": ", st));
    return gs_text_out_json(&o->out, name, bytes, st);
}

gs_code gs_search_output_refused(gs_search_output *o, const gs_asked *asked,
                                 const char *why, gs_status *st)
{
    if (!o->args->as_json)
        return GS_OK;
    GS_TRY(put_json_head(o, asked, st));
    GS_TRY(put(o, ", \"error\": ", st));
    GS_TRY(gs_text_out_json(&o->out, (const uint8_t *)why, strlen(why), st));
    return put(o, "}\n", st);
}

/* --- ranked ------------------------------------------------------------------------ */

static gs_code put_ranked_line(gs_search_output *o, const gs_asked *asked, size_t rank,
                               size_t i, double score, const gpusort_snippet *snippet,
                               gs_status *st)
{
    const bool is_trec = o->args->shape == GS_SEARCH_TREC;
    if (is_trec || o->has_qids)
        GS_TRY(put_qid(o, asked, is_trec ? " Q0 " : "\t", st));
    if (!is_trec)
        GS_TRY(gs_text_out_number(&o->out, rank, '\t', st));
    GS_TRY(put_name(o, i, st));
    GS_TRY(put(o, is_trec ? " " : "\t", st));
    if (is_trec)
        GS_TRY(gs_text_out_number(&o->out, rank, ' ', st));
    GS_TRY(put_score(o, score, st));
    if (is_trec) {
        GS_TRY(put(o, " ", st));
        GS_TRY(put(o, o->args->tag, st));
    }
    if (snippet != NULL)
        GS_TRY(put_snippet(o, snippet, st));
    return put(o, "\n", st);
}

static gs_code put_ranked_page(gs_search_output *o, const gs_asked *asked, size_t first,
                               const gpusort_hit *hits, size_t count, gs_status *st)
{
    const gpusort_snippet *snippet = NULL;
    for (size_t i = 0; i < count; i++)
        o->documents[i] = hits[i].document;
    GS_TRY(take_names(o, count, st));
    for (size_t i = 0; i < count; i++) {
        if (o->args->has_snippets)
            GS_TRY(take_snippet(o, asked, i, count, &snippet, st));
        if (o->args->shape != GS_SEARCH_JSON) {
            GS_TRY(
                put_ranked_line(o, asked, first + i + 1, i, hits[i].score, snippet, st));
            continue;
        }
        GS_TRY(put_json_document(o, i, st));
        GS_TRY(put(o, ", \"score\": ", st));
        GS_TRY(put_score(o, hits[i].score, st));
        if (snippet != NULL)
            GS_TRY(put_json_snippet(o, snippet, st));
        GS_TRY(put(o, "}", st));
    }
    return GS_OK;
}

gs_code gs_search_output_ranked(gs_search_output *o, const gs_asked *asked,
                                const gpusort_question *answer, gs_status *st)
{
    const bool as_json = o->args->shape == GS_SEARCH_JSON;
    o->printed = 0;
    if (as_json) {
        GS_TRY(put_json_head(o, asked, st));
        GS_TRY(put(o, ", \"documents\": [", st));
    }
    for (size_t i = 0; i < answer->hit_count; i += GS_SEARCH_PAGE) {
        const size_t left = answer->hit_count - i;
        GS_TRY(put_ranked_page(o, asked, i, answer->hits + i,
                               left < GS_SEARCH_PAGE ? left : GS_SEARCH_PAGE, st));
    }
    return as_json ? put(o, "]}\n", st) : GS_OK;
}

/* --- Boolean ----------------------------------------------------------------------- */

gs_code gs_search_output_begin(gs_search_output *o, const gs_asked *asked, gs_status *st)
{
    o->printed = 0;
    if (!o->args->as_json)
        return GS_OK;
    GS_TRY(put_json_head(o, asked, st));
    return o->args->shape == GS_SEARCH_JSON ? put(o, ", \"documents\": [", st) : GS_OK;
}

static gs_code put_document(gs_search_output *o, const gs_asked *asked, size_t i,
                            const gpusort_snippet *snippet, gs_status *st)
{
    if (o->args->as_json) {
        GS_TRY(put_json_document(o, i, st));
        if (snippet != NULL)
            GS_TRY(put_json_snippet(o, snippet, st));
        return put(o, "}", st);
    }
    if (o->has_qids)
        GS_TRY(put_qid(o, asked, "\t", st));
    GS_TRY(put_name(o, i, st));
    if (snippet != NULL)
        GS_TRY(put_snippet(o, snippet, st));
    return put(o, "\n", st);
}

gs_code gs_search_output_page(gs_search_output *o, const gs_asked *asked, size_t count,
                              gs_status *st)
{
    const gpusort_snippet *snippet = NULL;
    GS_TRY(take_names(o, count, st));
    for (size_t i = 0; i < count; i++) {
        if (o->args->has_snippets)
            GS_TRY(take_snippet(o, asked, i, count, &snippet, st));
        GS_TRY(put_document(o, asked, i, snippet, st));
    }
    return GS_OK;
}

gs_code gs_search_output_end(gs_search_output *o, const gs_asked *asked, uint64_t count,
                             gs_status *st)
{
    if (o->args->as_json) {
        GS_TRY(put(
            o,
            o->args->shape == GS_SEARCH_JSON ? "], \"count\": " : ", \"count\": ", st));
        GS_TRY(gs_text_out_number(&o->out, count, '}', st));
        return put(o, "\n", st);
    }
    if (o->args->shape != GS_SEARCH_COUNT)
        return GS_OK;
    if (o->has_qids)
        GS_TRY(put_qid(o, asked, "\t", st));
    return gs_text_out_number(&o->out, count, '\n', st);
}
