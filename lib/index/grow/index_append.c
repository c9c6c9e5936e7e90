/* SPDX-License-Identifier: MIT */
#include "lib/index/grow/index_append.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/quote.h"
#include "lib/index/grow/deletions.h"
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

/* The rules that were asked for. Stop words are folded and cut as the text of the index
 * is, unless something else is asked for, which is refused. */
static gs_code make_asked_rules(const gs_index_append_options *o,
                                const gs_word_rules *own, gs_word_rules **asked,
                                gs_status *st)
{
    gs_word_rules_options words = o->build.words;
    if (!o->asked.kind)
        words.kind = gs_word_rules_kind(own);
    if (!o->asked.fold)
        words.is_folding = gs_word_rules_fold(own);
    return gs_word_rules_new(asked, &words, st);
}

static gs_code check_rules(const gs_growth *g, const gs_index_append_options *o,
                           gs_status *st)
{
    gs_word_rules *asked = NULL, *own = NULL;
    if (read_own_rules(g, &own, st) == GS_OK &&
        make_asked_rules(o, own, &asked, st) == GS_OK &&
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
    if (!g->header.has_names) {
        (void)GS_FAIL(st, GS_ERR_ARG, 0, "%s was made of tuples, and cannot grow",
                      gs_quote_name_always(&q, g->folder));
        return gs_status_hint(st, "build another index of the new ones, and merge both");
    }
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

/* Names of new documents, so many at a time. */
enum { BATCH_NAMES = 1 << 16, BATCH_BYTES = 8 << 20 };

typedef struct name_batch {
    gs_text_span *names;
    uint8_t *text;
    size_t count, bytes;
} name_batch;

static gs_code delete_batch(name_batch *b, gs_deletions *d, gs_status *st)
{
    GS_TRY(gs_deletions_names(d, b->names, b->count, NULL, st));
    b->count = b->bytes = 0;
    return GS_OK;
}

/* A name has at most 65535 bytes. */
static gs_code delete_each(name_batch *b, gs_document_cursor *c, gs_deletions *d,
                           gs_status *st)
{
    for (;;) {
        GS_TRY(gs_document_cursor_next(c, st));
        if (!c->has_document)
            return delete_batch(b, d, st);
        if (b->count == BATCH_NAMES || BATCH_BYTES - b->bytes < c->name_bytes)
            GS_TRY(delete_batch(b, d, st));
        if (c->name_bytes > BATCH_BYTES)
            return GS_FAIL(st, GS_ERR_LIMIT, 0, "a name of %zu bytes is too long",
                           c->name_bytes);
        uint8_t *const to = b->text + b->bytes;
        memcpy(to, c->name, c->name_bytes);
        b->names[b->count++] = (gs_text_span){to, c->name_bytes};
        b->bytes += c->name_bytes;
    }
}

/* What the segment that was just built has the names of. */
static gs_code delete_named(name_batch *b, const gs_growth *g, uint64_t number,
                            gs_deletions *d, gs_status *st)
{
    char path[GS_INDEX_PATH_BYTES];
    gs_index *index = NULL;
    gs_document_cursor c = {0};
    GS_TRY(gs_mem_new_array(&b->names, BATCH_NAMES, sizeof *b->names, "names", st));
    GS_TRY(gs_mem_map(&b->text, BATCH_BYTES, false, "names", st));
    GS_TRY(gs_deletions_open(d, g, st));
    if (gs_index_segment_path(path, g->folder, number) &&
        gs_index_open(&index, path, st) == GS_OK &&
        gs_document_cursor_open(&c, index, st) == GS_OK)
        GS_NOTED(delete_each(b, &c, d, st));
    gs_document_cursor_close(&c);
    gs_index_close(index);
    return st->code;
}

static gs_code update(gs_growth *g, uint64_t number, gs_status *st)
{
    name_batch b = {.count = 0};
    gs_deletions d = {.count = 0};
    if (delete_named(&b, g, number, &d, st) == GS_OK)
        GS_NOTED(gs_deletions_write(&d, g, st));
    if (st->code == GS_OK)
        gs_log_say(g->log, GS_LOG_INFO, "%llu document%s replaced",
                   (unsigned long long)d.count, d.count == 1 ? " is" : "s are");
    gs_deletions_close(&d);
    gs_mem_free(b.names);
    gs_mem_unmap(b.text, BATCH_BYTES);
    return st->code;
}

/* Do all that are left have docIDs with those of the new segment? */
static gs_code check_limit(const gs_growth *g, const gs_manifest_segment *segment,
                           gs_status *st)
{
    uint64_t room = GS_INDEX_DOCS_MAX - g->header.doc_base;
    gs_quoted q;
    for (size_t i = 0; i < g->manifest.count; i++) {
        const gs_manifest_segment *const s = &g->manifest.segments[i];
        const uint64_t left = s->documents - s->deleted;
        room -= left < room ? left : room;
    }
    return segment->documents <= room
               ? GS_OK
               : GS_FAIL(st, GS_ERR_LIMIT, 0,
                         "%s has docIDs, below 2^40, for %llu more, but %llu come",
                         gs_quote_name_always(&q, g->folder), (unsigned long long)room,
                         (unsigned long long)segment->documents);
}

/* Of an input without documents there is no segment. */
static gs_code add_segment(gs_growth *g, uint64_t number, bool updates, gs_status *st)
{
    gs_manifest_segment segment;
    GS_TRY(gs_growth_describe(g, number, &segment, st));
    if (segment.documents == 0) {
        gs_growth_give_back(g, number);
        return GS_OK;
    }
    if (updates)
        GS_TRY(update(g, number, st));
    GS_TRY(check_limit(g, &segment, st));
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
    o.doc_base = g->header.doc_base; /* the segment may be the first one day */
    GS_TRY(gs_index_build(&o, st));
    return add_segment(g, number, options->updates, st);
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
    GS_TRY(gs_growth_open(&g, options->build.folder, options->build.log,
                          options->build.cancel_signal, st));
    if (check_asked(&g, options, st) == GS_OK &&
        build_segment(&g, options, st) == GS_OK && !options->no_merge)
        GS_NOTED(merge(&g, &options->build, st));
    gs_growth_close(&g);
    return st->code;
}
