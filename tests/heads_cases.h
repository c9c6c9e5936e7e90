/* SPDX-License-Identifier: MIT */
/*
 * heads_cases: heads of posting lists, as programs ask for them, beside what one lookup
 * of each term gives; by the cores and, where a test names that engine, by a GPU, which
 * then must not leave it to the cores.
 */
#ifndef GS_TESTS_HEADS_CASES_H
#define GS_TESTS_HEADS_CASES_H

#include <stdlib.h>
#include <string.h>

#include "lib/gpusort.h"
#include "tests/check_api.h"

enum { ASKED = 20000, TERM_ROOM = 64, DOCUMENTS = 120000, SEEDS = 2 };

static const char *engine = "cpu";
static size_t gpu_memory; /* 0: all */
static int said;          /* how often the log told that the cores do it instead */
static bool may_say;      /* that is no failure */
static int held_some;     /* a GPU told that it holds some of the lists, and not all */

static inline void hear(void *context, gpusort_level level, const char *text)
{
    unsigned long long held, all;
    (void)context;
    if (sscanf(text, "GPU %*d holds %llu of %llu KiB", &held, &all) == 2)
        held_some += held > 0 && held < all;
    if (level != GPUSORT_SAYS_WARNING)
        return;
    said++;
    if (!may_say)
        fprintf(stderr, "%s\n", text);
}

/* --- indexes ------------------------------------------------------------------------ */

static const int sizes[] = {1, 1, 2, 3, 100, 127, 128, 129, 255, 256, 257, 300, 1, 2, 1};
enum { SIZES = sizeof sizes / sizeof *sizes, TERMS = 3000 };

/* Terms that are prefixes of each other, of more and less than eight bytes, and whose
 * first eight bytes are those of others. */
static inline void name_term(char *to, int i)
{
    static const char *const shapes[][2] = {{"t", ""},
                                            {"aaaaaaaa", ""},
                                            {"aaaaaaaab", "c"},
                                            {"x", "yyyyyyyyy"},
                                            {"\xc3\xa4", ""}};
    if (i < 12) {
        memset(to, 'a', (size_t)i + 1);
        to[i + 1] = '\0';
    } else {
        (void)snprintf(to, TERM_ROOM, "%s%d%s", shapes[i % 5][0], i, shapes[i % 5][1]);
    }
}

static inline void build_tuples(const char *folder, int first_document, bool is_append)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    const char *const inputs[] = {"heads.tsv"};
    gpusort_build_options o = GPUSORT_BUILD_OPTIONS;
    FILE *const f = fopen(inputs[0], "w");
    REQUIRE(f != NULL);
    for (int i = 0; i < TERMS; i++) {
        char term[TERM_ROOM];
        name_term(term, i);
        const int df = i == 20 ? DOCUMENTS : i == 21 ? 5000 : sizes[rand() % SIZES];
        const int step = DOCUMENTS / df, is_often = rand() % 2;
        for (int k = 0, doc = rand() % step; k < df; k++, doc += 1 + rand() % step)
            fprintf(f, "%s\t%d\t%d\n", term, first_document + doc,
                    is_often ? 1 + rand() % (rand() % 9 == 0 ? 70000 : 3) : 1);
    }
    REQUIRE(fclose(f) == 0);
    o.folder = folder;
    o.inputs = inputs;
    o.input_count = 1;
    o.format = "tuples";
    o.replaces = !is_append;
    GOOD(is_append ? gpusort_index_append(&o, GPUSORT_NO_MERGE, &error)
                   : gpusort_index_build(&o, &error));
}

static inline void build_documents(const char *folder, int half, bool has_positions)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    const char *const inputs[] = {"heads.jsonl"};
    gpusort_build_options o = GPUSORT_BUILD_OPTIONS;
    FILE *const f = fopen(inputs[0], "w");
    REQUIRE(f != NULL);
    for (int i = half * 2000; i < (half + 1) * 2000; i++) {
        fprintf(f, "{\"id\": \"d%d\", \"contents\": \"", i);
        for (int k = 0; k < 12; k++) {
            char term[TERM_ROOM];
            name_term(term, rand() % (1 + rand() % 300));
            fprintf(f, "%s ", term);
        }
        fprintf(f, "\"}\n");
    }
    REQUIRE(fclose(f) == 0);
    o.folder = folder;
    o.inputs = inputs;
    o.input_count = 1;
    o.has_positions = has_positions;
    o.replaces = !half;
    GOOD(half ? gpusort_index_append(&o, GPUSORT_NO_MERGE, &error)
              : gpusort_index_build(&o, &error));
}

/* --- what is asked ------------------------------------------------------------------ */

typedef struct asking {
    char text[ASKED * TERM_ROOM];
    uint64_t ends[ASKED + 1];
    uint64_t counts[ASKED], offsets[ASKED + 1];
    uint64_t *documents;
    uint32_t *frequencies;
} asking;

static asking a;

/* Terms as they are, a byte longer or shorter, or of no index; one is empty. */
static inline void choose_terms(size_t count)
{
    a.ends[0] = 0;
    for (size_t i = 0; i < count; i++) {
        char term[TERM_ROOM] = "";
        if (i != 7)
            name_term(term, rand() % TERMS);
        size_t bytes = strlen(term);
        if (bytes > 0 && rand() % 5 == 0)
            bytes--;
        else if (bytes > 0 && rand() % 5 == 0)
            term[bytes++] = (char)('0' + rand() % 10);
        memcpy(a.text + a.ends[i], term, bytes);
        a.ends[i + 1] = a.ends[i] + bytes;
    }
}

/* Beside one lookup of each term, up to the first list that ends beyond the room. */
static inline void compare(const gpusort_index *index, size_t count, uint64_t head,
                           size_t room)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    uint64_t begin = 0;
    for (size_t i = 0; i < count; i++) {
        gpusort_postings p;
        GOOD(gpusort_index_lookup(index, a.text + a.ends[i],
                                  (size_t)(a.ends[i + 1] - a.ends[i]), &p, &error));
        const size_t n = p.count < head ? p.count : (size_t)head;
        REQUIRE(a.counts[i] == p.count && a.offsets[i] == begin);
        if (begin + n <= room && n > 0) {
            REQUIRE(memcmp(a.documents + begin, p.documents, n * 8) == 0);
            REQUIRE(a.frequencies == NULL ||
                    memcmp(a.frequencies + begin, p.frequencies, n * 4) == 0);
        }
        begin += n;
        gpusort_postings_free(&p);
    }
    CHECK(a.offsets[count] == begin);
}

static inline void ask(const char *folder, unsigned threads, uint64_t head, size_t count)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_index *index = NULL;
    gpusort_heads *heads = NULL;
    gpusort_heads_options o = GPUSORT_HEADS_OPTIONS;
    gpusort_heads_lists lists = GPUSORT_HEADS_LISTS;
    const size_t room = (size_t)(head < 1000 ? head * ASKED : 8000000);
    GOOD(gpusort_index_open(&index, folder, &error));
    o.head = head;
    o.job.threads = threads;
    o.job.engine = engine;
    o.job.gpu_memory_bytes = gpu_memory;
    o.job.log = hear;
    const bool may = may_say;
    const int before = said;
    may_say |= head == 0; /* all postings are for the cores */
    GOOD(gpusort_heads_new(&heads, index, &o, &error));
    may_say = may;
    said = head == 0 ? before : said;
    a.documents = malloc(room * sizeof *a.documents);
    a.frequencies = malloc(room * sizeof *a.frequencies);
    REQUIRE(a.documents != NULL && a.frequencies != NULL);
    lists.counts = a.counts;
    lists.offsets = a.offsets;
    lists.documents = a.documents;
    lists.frequencies = a.frequencies;
    lists.room = room;
    for (int k = 0; k < 2; k++) {
        choose_terms(count);
        memset(a.counts, 0xff, sizeof a.counts);
        GOOD(gpusort_heads_find(heads, a.text, a.ends, count, &lists, &error));
        compare(index, count, head == 0 ? UINT64_MAX : head, room);
        lists.room = room / 7 / (head + 1); /* what has no room is counted all the same */
        GOOD(gpusort_heads_find(heads, a.text, a.ends, count, &lists, &error));
        compare(index, count, head == 0 ? UINT64_MAX : head, lists.room);
        lists.room = room;
    }
    lists.documents = NULL;
    lists.frequencies = NULL;
    GOOD(gpusort_heads_find(heads, a.text, a.ends, count, &lists, &error));
    compare(index, count, head == 0 ? UINT64_MAX : head, 0);
    free(a.documents);
    free(a.frequencies);
    gpusort_heads_free(heads);
    gpusort_index_close(index);
}

static inline void tuples_are_found(void)
{
    for (int seed = 0; seed < SEEDS; seed++) {
        srand((unsigned)seed);
        build_tuples("heads", 0, false);
        ask("heads", 1, 10, 3000);
        ask("heads", 4, 1, ASKED);
        ask("heads", 3, 128, ASKED / 4);
        ask("heads", 2, 1000, 500);
        ask("heads", 2, 0, 300);
        ask("heads", 4, 10, 5);
        ask("heads", 4, 10, 0);
    }
}

static inline void documents_are_found(void)
{
    for (int has_positions = 0; has_positions < 2; has_positions++) {
        build_documents("docs", 0, has_positions != 0);
        ask("docs", 3, 10, 5000);
        ask("docs", 2, 300, 2000);
    }
}

/* Of several segments, of which documents are deleted. */
static inline void what_is_left_is_found(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    static char names[1000][8];
    static const char *all[1000];
    build_documents("grown", 0, false);
    build_documents("grown", 1, false);
    ask("grown", 3, 10, 3000);
    for (int i = 0; i < 1000; i++) {
        (void)snprintf(names[i], sizeof *names, "d%d", i * 4);
        all[i] = names[i];
    }
    GOOD(gpusort_index_delete("grown", all, 1000, GPUSORT_NO_MERGE, NULL, NULL, NULL,
                              &error));
    ask("grown", 3, 10, 3000);
    ask("grown", 1, 0, 500);
}

/* --- what is refused ---------------------------------------------------------------- */

static inline void misuse_is_refused(void)
{
    static char longest[GPUSORT_TERM_BYTES_MAX + 1];
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_index *index = NULL;
    gpusort_heads *heads = NULL;
    gpusort_heads_options o = GPUSORT_HEADS_OPTIONS;
    gpusort_heads_lists lists = GPUSORT_HEADS_LISTS;
    uint64_t ends[] = {0, 3, 1}, counts[2], offsets[3];
    build_tuples("heads", 0, false);
    GOOD(gpusort_index_open(&index, "heads", &error));
    o.job.engine = "teapot";
    CHECK(gpusort_heads_new(&heads, index, &o, NULL) == GPUSORT_ARG && heads == NULL);
    o.job.engine = engine;
    GOOD(gpusort_heads_new(&heads, index, &o, &error));
    CHECK(gpusort_heads_find(heads, "abc", ends, 1, &lists, NULL) == GPUSORT_ARG);
    lists.counts = counts;
    lists.offsets = offsets;
    CHECK(gpusort_heads_find(heads, "abc", ends, 2, &lists, NULL) == GPUSORT_ARG);
    CHECK(gpusort_heads_find(heads, NULL, ends, 2, &lists, NULL) == GPUSORT_ARG);
    ends[1] = sizeof longest;
    CHECK(gpusort_heads_find(heads, longest, ends, 1, &lists, NULL) == GPUSORT_LIMIT);
    ends[1]--;
    GOOD(gpusort_heads_find(heads, longest, ends, 1, &lists, &error));
    CHECK(counts[0] == 0 && offsets[1] == 0);
    lists.frequencies = (uint32_t[1]){0};
    CHECK(gpusort_heads_find(heads, "abc", ends, 1, &lists, NULL) == GPUSORT_ARG);
    gpusort_heads_free(heads);
    const int stop = 1;
    o.job.cancel = &stop;
    CHECK(gpusort_heads_new(&heads, index, &o, NULL) == GPUSORT_CANCELLED);
    gpusort_index_close(index);
}

/* A list that the disk has changed fails, and others are there as they were. */
static inline void damage_is_said(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_index *index = NULL;
    gpusort_heads *heads = NULL;
    gpusort_heads_options o = GPUSORT_HEADS_OPTIONS;
    gpusort_heads_lists lists = GPUSORT_HEADS_LISTS;
    srand(1);
    build_tuples("heads", 0, false);
    FILE *const f = fopen("heads/postings", "r+");
    REQUIRE(f != NULL && fseek(f, 5000, SEEK_SET) == 0);
    const int c = fgetc(f);
    REQUIRE(fseek(f, 5000, SEEK_SET) == 0 && fputc(c ^ 1, f) != EOF && fclose(f) == 0);
    GOOD(gpusort_index_open(&index, "heads", &error));
    o.head = 10;
    o.job.threads = 3;
    o.job.engine = engine;
    GOOD(gpusort_heads_new(&heads, index, &o, &error));
    a.documents = malloc(ASKED * 10 * sizeof *a.documents);
    REQUIRE(a.documents != NULL);
    a.frequencies = NULL;
    lists.counts = a.counts;
    lists.offsets = a.offsets;
    lists.documents = a.documents;
    lists.room = (size_t)ASKED * 10;
    choose_terms(ASKED);
    CHECK(gpusort_heads_find(heads, a.text, a.ends, ASKED, &lists, &error) ==
          GPUSORT_FORMAT);
    CHECK(strstr(error.message, "postings is damaged") != NULL);
    int bad = 0;
    for (int i = 0; i < TERMS; i++) {
        name_term(a.text, i);
        a.ends[1] = strlen(a.text);
        const gpusort_code code =
            gpusort_heads_find(heads, a.text, a.ends, 1, &lists, NULL);
        bad += code == GPUSORT_FORMAT;
        if (code == GPUSORT_OK)
            compare(index, 1, 10, lists.room);
    }
    CHECK(bad > 0 && bad < TERMS / 2);
    free(a.documents);
    gpusort_heads_free(heads);
    gpusort_index_close(index);
}

#endif
