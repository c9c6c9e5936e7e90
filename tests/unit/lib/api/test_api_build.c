/* SPDX-License-Identifier: MIT */
/*
 * How documents become an index, as programs ask for it. What would break: an option that
 * does not reach the build, one of the command's that contradicts another and is taken,
 * rules of words that an append asks for and the index has not.
 */
#define CHECK_STARTS_THREADS

#include <string.h>

#include "tests/check_api.h"

static void refuses(const gpusort_build_options *o, const char *why)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    CHECK(gpusort_index_build(o, &error) == GPUSORT_ARG);
    CHECK(strstr(error.message, why) != NULL);
}

static const char *const documents[] = {"docs.tsv"};

static void words_are_as_asked(void)
{
    write_text_file("docs.tsv", "d1\tGone with-it a\nd2\tgone\n");
    gpusort_build_options o = build_options_of("idx", documents);
    build_index(&o);
    CHECK(documents_with("idx", "gone") == 2 && documents_with("idx", "with") == 1 &&
          documents_with("idx", "a") == 1);
    o.keeps_case = 1;
    build_index(&o);
    CHECK(documents_with("idx", "gone") == 1 && documents_with("idx", "Gone") == 1);
    o.keeps_case = 0;
    o.tokenizer = "whitespace";
    build_index(&o);
    CHECK(documents_with("idx", "with-it") == 1 && documents_with("idx", "with") == 0);
    o.tokenizer = NULL;
    o.min_len = 2;
    o.max_len = 3;
    o.method = GPUSORT_BSBI;
    build_index(&o);
    CHECK(documents_with("idx", "gone") == 0 && documents_with("idx", "it") == 1 &&
          documents_with("idx", "a") == 0);
}

static void figures_are_of_the_build(void)
{
    gpusort_figures f = {.size = sizeof f};
    gpusort_build_options o = build_options_of("idx", documents);
    o.method = GPUSORT_SPIMI;
    REQUIRE(gpusort_stats_new(&o.job.stats, 0, NULL) == GPUSORT_OK);
    build_index(&o);
    gpusort_stats_read(o.job.stats, &f);
    CHECK(f.method != NULL && strcmp(f.method, "spimi") == 0);
    CHECK(f.tokens == 5 && f.terms == 4 && f.skipped == 0 && f.records == 2);
    gpusort_stats_free(o.job.stats);
}

static void names_may_be_unique(void)
{
    static const char *const twice[] = {"twice.tsv"};
    gpusort_error error = GPUSORT_NO_ERROR;
    write_text_file("twice.tsv", "same\tx\nsame\ty\n");
    gpusort_build_options o = build_options_of("twice", twice);
    build_index(&o);
    o.unique_names = 1;
    CHECK(gpusort_index_build(&o, &error) == GPUSORT_FORMAT &&
          strstr(error.message, "same") != NULL);
}

static void vectors_have_a_scale(void)
{
    static const char *const vectors[] = {"v.jsonl"};
    write_text_file("v.jsonl", "{\"id\": \"v\", \"vector\": {\"fish\": 1.26}}\n");
    gpusort_build_options o = build_options_of("v", vectors);
    gpusort_postings postings;
    o.format = "vectors";
    o.weight_scale = 10;
    build_index(&o);
    gpusort_index *const index = open_index("v");
    REQUIRE(gpusort_index_lookup(index, "fish", 4, &postings, NULL) == GPUSORT_OK);
    CHECK(postings.count == 1 && postings.frequencies[0] == 13);
    gpusort_postings_free(&postings);
    gpusort_index_close(index);
    o.weight_scale = 1e10;
    refuses(&o, "scale");
    o.weight_scale = 0;
    o.stem_language = "english";
    refuses(&o, "as they are");
}

static void contradictions_are_refused(void)
{
    gpusort_build_options o = build_options_of("never", documents);
    o.format = "sonnets";
    refuses(&o, "sonnets");
    o.format = NULL;
    o.tokenizer = "syllables";
    refuses(&o, "syllables");
    o.tokenizer = NULL;
    o.min_len = 3;
    o.max_len = 2;
    refuses(&o, "characters");
    o.min_len = o.max_len = 0;
    o.method = (gpusort_method)7;
    refuses(&o, "method");
    o.method = GPUSORT_AUTO;
    o.doc_base = (uint64_t)1 << 40;
    refuses(&o, "2^40");
    o.doc_base = 0;
    o.checkpoint = "kept";
    o.has_texts = 1;
    refuses(&o, "checkpoint");
    o.checkpoint = NULL;
    o.format = "tuples";
    refuses(&o, "tuples");
}

static void an_append_asks_for_rules(void)
{
    static const char *const more[] = {"more.tsv"};
    write_text_file("more.tsv", "d3\tGone\n");
    gpusort_build_options o = build_options_of("idx", documents);
    build_index(&o);
    o = build_options_of("idx", more);
    o.replaces = 0;
    o.folds_case = 1;
    REQUIRE(gpusort_index_append(&o, 0, NULL) == GPUSORT_OK);
    CHECK(documents_with("idx", "gone") == 3);
    o.keeps_case = 1;
    CHECK(gpusort_index_append(&o, 0, NULL) == GPUSORT_ARG); /* both */
    o.folds_case = 0;
    CHECK(gpusort_index_append(&o, 0, NULL) == GPUSORT_ARG); /* the index does not */
    o.keeps_case = 0;
    o.tokenizer = "raw";
    CHECK(gpusort_index_append(&o, 0, NULL) == GPUSORT_ARG);
    o.tokenizer = NULL;
    o.doc_base = 5;
    CHECK(gpusort_index_append(&o, 0, NULL) == GPUSORT_ARG);
    CHECK(documents_with("idx", "gone") == 3);
}

static void names_end(void)
{
    CHECK(strcmp(gpusort_format_name(0), "jsonl") == 0);
    CHECK(strcmp(gpusort_tokenizer_name(0), "bigrams") == 0);
    size_t formats = 0, tokenizers = 0;
    while (gpusort_format_name(formats) != NULL)
        formats++;
    while (gpusort_tokenizer_name(tokenizers) != NULL)
        tokenizers++;
    CHECK(formats == 11 && tokenizers == 4);
    CHECK(gpusort_format_name(SIZE_MAX) == NULL && gpusort_tokenizer_name(99) == NULL);
}

int main(void)
{
    words_are_as_asked();
    figures_are_of_the_build();
    names_may_be_unique();
    vectors_have_a_scale();
    contradictions_are_refused();
    an_append_asks_for_rules();
    names_end();
    return check_failures != 0;
}
