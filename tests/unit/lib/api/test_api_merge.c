/* SPDX-License-Identifier: MIT */
/*
 * Indexes made of indexes, as programs ask for them. What would break: an option that
 * does not reach the merge, a range that has terms of another, an index that is replaced
 * without a wish, an export that is there half.
 */
#define CHECK_STARTS_THREADS

#include <string.h>
#include <unistd.h>

#include "lib/gpusort.h"
#include "tests/check_api.h"

enum { DOCUMENTS = 200, CUTS_MAX = 8 };

static void build(const char *folder, int first, int end)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_build_options o = GPUSORT_BUILD_OPTIONS;
    const char *const inputs[] = {"docs.jsonl"};
    FILE *const f = fopen(inputs[0], "w");
    REQUIRE(f != NULL);
    for (int i = first; i < end; i++)
        fprintf(f, "{\"id\": \"d%d\", \"contents\": \"all of a%d number%d\"}\n", i,
                i % 13, i);
    REQUIRE(fclose(f) == 0);
    o.folder = folder;
    o.inputs = inputs;
    o.input_count = 1;
    GOOD(gpusort_index_build(&o, &error));
}

static gpusort_index_info info_of(const char *folder)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_index_info info = {.size = sizeof info};
    gpusort_index *index = NULL;
    GOOD(gpusort_index_open(&index, folder, &error));
    GOOD(gpusort_index_verify(index, 0, NULL, &error));
    gpusort_index_describe(index, &info);
    gpusort_index_close(index);
    info.word_rules = NULL;
    return info;
}

/* Their headers have the checksums of all files. */
static bool are_same(const char *one, const char *other)
{
    static char text[2][1 << 16];
    const char *const folders[] = {one, other};
    for (int i = 0; i < 2; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s/header.json", folders[i]);
        FILE *const f = fopen(name, "r");
        REQUIRE(f != NULL);
        text[i][fread(text[i], 1, sizeof text[i] - 1, f)] = '\0';
        REQUIRE(fclose(f) == 0);
    }
    return strcmp(text[0], text[1]) == 0 && text[0][0] == '{';
}

static const char *const parts[] = {"before", "behind"};

static gpusort_index_merge_options options_of(const char *folder)
{
    gpusort_index_merge_options o = GPUSORT_INDEX_MERGE_OPTIONS;
    o.folder = folder;
    o.inputs = parts;
    o.input_count = 2;
    return o;
}

static void a_merge_is_one_build(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_stats *stats = NULL;
    gpusort_figures figures = {.size = sizeof figures};
    gpusort_index_merge_options o = options_of("merged");
    GOOD(gpusort_stats_new(&stats, 0, &error));
    o.job.stats = stats;
    GOOD(gpusort_index_merge(&o, &error));
    CHECK(are_same("merged", "whole"));
    gpusort_stats_read(stats, &figures);
    CHECK(strcmp(figures.method, "merge") == 0 && figures.records == DOCUMENTS);
    gpusort_stats_free(stats);
    o.job.stats = NULL;
    CHECK(gpusort_index_merge(&o, &error) == GPUSORT_IO); /* it is there */
    o.replaces = 1;
    error.code = GPUSORT_OK;
    GOOD(gpusort_index_merge(&o, &error));
    CHECK(are_same("merged", "whole"));
    o.folder = "twice";
    o.inputs = (const char *const[]){"before", "before"};
    GOOD(gpusort_index_merge(&o, &error));
    CHECK(info_of("twice").documents == DOCUMENTS);
    o.unique_names = 1;
    CHECK(gpusort_index_merge(&o, NULL) != GPUSORT_OK);
    CHECK(info_of("twice").documents == DOCUMENTS); /* as it was */
}

static void merges_are_refused(void)
{
    gpusort_index_merge_options o = options_of("refused");
    const int stop = 1;
    o.joins_terms = 1;
    o.doc_ids = GPUSORT_IDS_KEEP;
    CHECK(gpusort_index_merge(&o, NULL) == GPUSORT_ARG);
    o.joins_terms = 0;
    o.doc_ids = (gpusort_doc_ids)3;
    CHECK(gpusort_index_merge(&o, NULL) == GPUSORT_ARG);
    o.doc_ids = GPUSORT_IDS_AUTO;
    o.input_count = 0;
    CHECK(gpusort_index_merge(&o, NULL) == GPUSORT_ARG);
    o.input_count = 2;
    o.folder = NULL;
    CHECK(gpusort_index_merge(&o, NULL) == GPUSORT_ARG);
    o.folder = "refused";
    o.job.cancel = &stop;
    CHECK(gpusort_index_merge(&o, NULL) == GPUSORT_CANCELLED);
    CHECK(gpusort_index_merge(NULL, NULL) == GPUSORT_ARG);
    CHECK(access("refused", F_OK) != 0);
}

typedef struct cuts {
    char terms[CUTS_MAX][64];
    size_t count, most;
} cuts;

static int take_cut(void *context, const void *term, size_t bytes)
{
    cuts *const c = context;
    if (c->count == c->most)
        return 1;
    REQUIRE(bytes > 0 && bytes < sizeof *c->terms);
    memcpy(c->terms[c->count], term, bytes);
    c->terms[c->count++][bytes] = '\0';
    return 0;
}

/* Ranges between the cuts have all terms, and joined are what the merge is. */
static void ranges_join(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_index_merge_options o = options_of(NULL);
    static cuts c;
    char names[CUTS_MAX + 1][16];
    const char *ranges[CUTS_MAX + 1];
    c.most = CUTS_MAX;
    CHECK(gpusort_index_merge_cuts(&o, 0, take_cut, &c, NULL) == GPUSORT_ARG);
    GOOD(gpusort_index_merge_cuts(&o, 4, take_cut, &c, &error));
    REQUIRE(c.count <= 3);
    for (size_t i = 0; i <= c.count; i++) {
        snprintf(names[i], sizeof *names, "range%zu", i);
        o.folder = ranges[i] = names[i];
        o.from_term = i > 0 ? c.terms[i - 1] : NULL;
        o.to_term = i < c.count ? c.terms[i] : "";
        GOOD(gpusort_index_merge(&o, &error));
    }
    o = options_of("joined");
    o.inputs = ranges;
    o.input_count = c.count + 1;
    o.joins_terms = 1;
    GOOD(gpusort_index_merge(&o, &error));
    CHECK(are_same("joined", "whole"));
    o = options_of("middle");
    o.from_term = "number1";
    o.to_term = "number2";
    GOOD(gpusort_index_merge(&o, &error));
    CHECK(info_of("middle").terms == 1 + 10 + 100); /* 1, 10 to 19, 100 to 199 */
}

static void orders_are_new(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_job job = {.threads = 1};
    gpusort_figures figures = {.size = sizeof figures};
    GOOD(gpusort_stats_new(&job.stats, 0, &error));
    GOOD(gpusort_index_reorder("ordered", "whole", 0, &job, &error));
    gpusort_stats_read(job.stats, &figures);
    CHECK(strcmp(figures.method, "reorder") == 0 && figures.threads == 1);
    gpusort_stats_free(job.stats);
    job.stats = NULL;
    CHECK(info_of("ordered").postings == info_of("whole").postings);
    CHECK(gpusort_index_reorder("ordered", "whole", 0, NULL, NULL) == GPUSORT_IO);
    CHECK(gpusort_index_reorder("ordered", "whole", 2, NULL, NULL) == GPUSORT_ARG);
    GOOD(gpusort_index_reorder("before", "before", GPUSORT_REPLACE, &job, &error));
    CHECK(info_of("before").documents == DOCUMENTS / 2);
}

static void files_are_exchanged(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    const int stop = 1;
    const gpusort_job stopped = {.cancel = &stop};
    gpusort_import_options o = GPUSORT_IMPORT_OPTIONS;
    CHECK(gpusort_index_import(&o, NULL) == GPUSORT_ARG);
    CHECK(gpusort_index_export("whole", "whole.ciff", &stopped, NULL) ==
          GPUSORT_CANCELLED);
    CHECK(access("whole.ciff", F_OK) != 0);
    CHECK(gpusort_index_export("nowhere", "whole.ciff", NULL, NULL) != GPUSORT_OK);
    GOOD(gpusort_index_export("whole", "whole.ciff", NULL, &error));
    o.folder = "imported";
    o.input = "whole.ciff";
    o.is_strict = 1;
    GOOD(gpusort_index_import(&o, &error));
    CHECK(info_of("imported").postings == info_of("whole").postings);
    CHECK(gpusort_index_import(&o, NULL) == GPUSORT_IO); /* it is there */
    o.replaces = o.has_impacts = 1;
    GOOD(gpusort_index_import(&o, &error));
    CHECK(info_of("imported").has_impacts);
    o.input = "docs.jsonl";
    CHECK(gpusort_index_import(&o, NULL) == GPUSORT_FORMAT);
    CHECK(info_of("imported").has_impacts);
}

int main(void)
{
    build("whole", 0, DOCUMENTS);
    build("before", 0, DOCUMENTS / 2);
    build("behind", DOCUMENTS / 2, DOCUMENTS);
    a_merge_is_one_build();
    merges_are_refused();
    ranges_join();
    orders_are_new();
    files_are_exchanged();
    return check_failures != 0;
}
