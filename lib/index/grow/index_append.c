/* SPDX-License-Identifier: MIT */
#include "lib/index/grow/index_append.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/quote.h"
#include "lib/index/grow/index_compact.h"
#include "lib/index/grow/index_growth.h"

/* --- does what was asked for agree with the index? -------------------------------- */

/* A rule in the header of an index as an option says it: "--stem=english"; "" is one that
 * does not hold. */
typedef struct said_rule {
    char text[160];
} said_rule;

static said_rule say_rule(const char *json, const char *rule, const char *option)
{
    said_rule said = {""};
    const char *at = gs_index_find_field(json, rule);
    if (at == NULL || strncmp(at, "null", 4) == 0 || strncmp(at, "0,", 2) == 0)
        return said;
    at += *at == '"';
    (void)snprintf(said.text, sizeof said.text, "%s=%.*s", option,
                   (int)strcspn(at, "\",}"), at);
    return said;
}

static said_rule say_kind(const gs_word_rules *rules)
{
    said_rule said;
    (void)snprintf(said.text, sizeof said.text, "--tokenizer=%s",
                   gs_word_kind_name(gs_word_rules_kind(rules)));
    return said;
}

static said_rule say_fold(const gs_word_rules *rules)
{
    return gs_word_rules_fold(rules) ? (said_rule){"--fold"} : (said_rule){"--no-fold"};
}

static gs_code compare_rules(const gs_growth *g, bool is_asked, said_rule asked,
                             said_rule own, gs_status *st)
{
    gs_quoted q;
    if (!is_asked || strcmp(asked.text, own.text) == 0)
        return GS_OK;
    (void)GS_FAIL(st, GS_ERR_ARG, 0, "%s, but %s was built with%s%s", asked.text,
                  gs_quote_name_always(&q, g->folder), own.text[0] == '\0' ? "out" : " ",
                  own.text);
    return st->code;
}

/* The list stands at the end. */
static gs_code compare_stop_words(const gs_growth *g, bool is_asked, const char *asked,
                                  const char *own, gs_status *st)
{
    gs_quoted q;
    const char *const a = gs_index_find_field(asked, "stopwords");
    const char *const b = gs_index_find_field(own, "stopwords");
    if (!is_asked || (a != NULL && b != NULL && strcmp(a, b) == 0))
        return GS_OK;
    return GS_FAIL(st, GS_ERR_ARG, 0, "--stopwords: not the words that %s was built with",
                   gs_quote_name_always(&q, g->folder));
}

static gs_code compare_all(const gs_growth *g, const gs_append_asked *is,
                           const gs_word_rules *asked, const gs_word_rules *own,
                           gs_status *st)
{
    static const char *const options[][2] = {
        {"stem", "--stem"}, {"min_len", "--min-len"}, {"max_len", "--max-len"}};
    const bool is_asked[] = {is->stem, is->min_len, is->max_len};
    const char *const a = gs_word_rules_json(asked), *const b = gs_word_rules_json(own);
    GS_TRY(compare_rules(g, is->kind, say_kind(asked), say_kind(own), st));
    GS_TRY(compare_rules(g, is->fold, say_fold(asked), say_fold(own), st));
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        GS_TRY(compare_rules(g, is_asked[i], say_rule(a, options[i][0], options[i][1]),
                             say_rule(b, options[i][0], options[i][1]), st));
    return compare_stop_words(g, is->stop_words, a, b, st);
}

/* An index that was imported knows no rules. */
static gs_code read_own_rules(const gs_growth *g, gs_word_rules **own, gs_status *st)
{
    gs_quoted q;
    *own = NULL;
    if (g->header.tokenizer != NULL)
        GS_TRY(gs_word_rules_read(own, g->header.tokenizer, st));
    return *own != NULL
               ? GS_OK
               : GS_FAIL(st, GS_ERR_ARG, 0,
                         "%s does not say how text became terms, as if it was imported",
                         gs_quote_name_always(&q, g->folder));
}

static gs_code check_rules(const gs_growth *g, const gs_index_append_options *o,
                           gs_status *st)
{
    gs_word_rules *asked = NULL, *own = NULL;
    if (read_own_rules(g, &own, st) == GS_OK &&
        gs_word_rules_new(&asked, &o->build.words, st) == GS_OK &&
        compare_all(g, &o->asked, asked, own, st) != GS_OK)
        (void)gs_status_hint(st, "leave it out: the index knows how it was built");
    gs_word_rules_free(asked);
    gs_word_rules_free(own);
    return st->code;
}

static gs_code refuse(const gs_growth *g, const char *option, gs_status *st)
{
    gs_quoted q;
    return GS_FAIL(st, GS_ERR_ARG, 0, "%s, but %s was built without", option,
                   gs_quote_name_always(&q, g->folder));
}

static gs_code check_asked(const gs_growth *g, const gs_index_append_options *o,
                           gs_status *st)
{
    gs_quoted q;
    if (g->header.has_impacts) {
        (void)GS_FAIL(st, GS_ERR_ARG, 0, "%s has weights of terms, and cannot grow",
                      gs_quote_name_always(&q, g->folder));
        return gs_status_hint(st,
                              "build another index of the new vectors, and merge both");
    }
    if (o->build.has_positions && !g->header.has_positions)
        return refuse(g, "--positions", st);
    if (o->build.has_texts && !g->header.has_texts)
        return refuse(g, "--store", st);
    if (g->manifest.count < GS_INDEX_SEGMENTS_MAX)
        return check_rules(g, o, st);
    (void)GS_FAIL(st, GS_ERR_LIMIT, 0, "%s has %d segments, and can have no more",
                  g->folder, GS_INDEX_SEGMENTS_MAX);
    return gs_status_hint(st, "`gpusort index compact' makes them one");
}

/* --- the flow --------------------------------------------------------------------- */

/* Of an input without documents there is no segment. */
static gs_code add_segment(gs_growth *g, uint64_t number, gs_status *st)
{
    gs_manifest_segment segment;
    GS_TRY(gs_growth_describe(g, number, &segment, st));
    if (segment.documents == 0) {
        gs_growth_give_back(g, number);
        return GS_OK;
    }
    GS_TRY(gs_index_manifest_add(&g->manifest, &segment, st));
    return gs_growth_commit(g, st);
}

static gs_code build_segment(gs_growth *g, const gs_index_append_options *options,
                             gs_status *st)
{
    char path[GS_INDEX_PATH_BYTES];
    gs_index_build_options o = options->build;
    const uint64_t number = gs_growth_take_number(g);
    if (!gs_index_segment_path(path, g->folder, number))
        return GS_FAIL(st, GS_ERR_IO, ENAMETOOLONG, "cannot write: %s", g->folder);
    o.folder = path;
    o.replace = false;
    o.rules_json = g->header.tokenizer;
    o.has_positions = g->header.has_positions;
    o.has_texts = g->header.has_texts;
    GS_TRY(gs_index_build(&o, st));
    return add_segment(g, number, st);
}

static gs_code merge(gs_growth *g, const gs_index_build_options *build, gs_status *st)
{
    const gs_index_merge_options o = {
        .memory_bytes = build->memory_bytes,
        .threads = build->threads,
        .log = build->log,
        .trace = build->trace,
        .cancel_signal = build->cancel_signal,
    };
    return gs_growth_merge(g, &o, st);
}

gs_code gs_index_append(const gs_index_append_options *options, gs_status *st)
{
    gs_growth g;
    GS_TRY(gs_growth_open(&g, options->build.folder, options->build.log, st));
    if (check_asked(&g, options, st) == GS_OK &&
        build_segment(&g, options, st) == GS_OK && !options->no_merge)
        GS_NOTED(merge(&g, &options->build, st));
    gs_growth_close(&g);
    return st->code;
}
