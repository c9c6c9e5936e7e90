/* SPDX-License-Identifier: MIT */
/*
 * Open indexes, as programs read them. What would break: counts of what was deleted,
 * names and texts of other documents, lines of terms in another order or of other terms,
 * a wish to stop that nobody hears, a damaged file that is taken for good.
 */
#define CHECK_STARTS_THREADS

#include <string.h>

#include "lib/gpusort.h"
#include "tests/check_api.h"

enum { DOCUMENTS = 300, TEXT_ROOM = 1 << 16 };

/* d0 to d299, in two segments; every third is deleted. */
static gpusort_index *open_grown(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_index *index = NULL;
    for (int half = 0; half < 2; half++) {
        const char *const inputs[] = {"half.jsonl"};
        gpusort_build_options o = GPUSORT_BUILD_OPTIONS;
        FILE *const f = fopen(inputs[0], "w");
        REQUIRE(f != NULL);
        for (int i = half * DOCUMENTS / 2; i < (half + 1) * DOCUMENTS / 2; i++)
            fprintf(f, "{\"id\": \"d%d\", \"contents\": \"cats n%d of %d\"}\n", i, i % 7,
                    i);
        REQUIRE(fclose(f) == 0);
        o.folder = "grown";
        o.inputs = inputs;
        o.input_count = 1;
        o.replaces = !half;
        o.has_texts = !half;
        GOOD(half ? gpusort_index_append(&o, GPUSORT_NO_MERGE, &error)
                  : gpusort_index_build(&o, &error));
    }
    char text[DOCUMENTS][8];
    const char *names[DOCUMENTS];
    size_t count = 0;
    for (int i = 0; i < DOCUMENTS; i += 3, count++) {
        snprintf(text[count], sizeof *text, "d%d", i);
        names[count] = text[count];
    }
    GOOD(gpusort_index_delete("grown", names, count, GPUSORT_NO_MERGE, NULL, NULL, NULL,
                              &error));
    GOOD(gpusort_index_open(&index, "grown", &error));
    return index;
}

static void counts_are_of_what_is_left(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_index *const index = open_grown();
    gpusort_index_info info = {.size = sizeof info}, all = {.size = sizeof all};
    gpusort_index_info old = {.size = offsetof(gpusort_index_info, has_texts),
                              .has_texts = 77};
    uint64_t bytes, sum = 0;
    size_t files = 0;
    gpusort_index_describe(index, &all);
    CHECK(all.documents == 200 && all.deleted == 100 && all.segments == 2);
    CHECK(all.tokens == 1200 && all.length_sum == 800 && all.has_texts);
    CHECK(all.word_rules != NULL && strstr(all.word_rules, "fold") != NULL);
    GOOD(gpusort_index_count(index, &info, &error));
    CHECK(info.tokens == 800 && info.postings == 800 && info.terms == 200 + 7 + 2);
    GOOD(gpusort_index_count(index, &old, &error));
    CHECK(old.terms == info.terms && old.has_texts == 77); /* it did not know that one */
    while (gpusort_index_file(index, files, &bytes) != NULL) {
        sum += bytes;
        files++;
    }
    CHECK(files >= 5 && sum > 1000);
    gpusort_index_close(index);
}

static void documents_have_names_and_texts(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_index *const index = open_grown();
    gpusort_texts *texts = NULL;
    uint64_t documents[DOCUMENTS], offsets[DOCUMENTS + 1], found[3], bytes;
    char text[DOCUMENTS * 8];
    for (uint64_t i = 0; i < 200; i++)
        documents[i] = 199 - i;
    GOOD(gpusort_index_names(index, documents, 200, text, sizeof text, offsets, &error));
    CHECK(offsets[1] == 4 && memcmp(text, "d299", 4) == 0);
    CHECK(offsets[200] - offsets[199] == 2 && memcmp(text + offsets[199], "d1", 2) == 0);
    memset(text, '.', sizeof text);
    GOOD(gpusort_index_names(index, documents, 2, text, 5, offsets, &error));
    CHECK(offsets[2] == 8 && memcmp(text, "d299.", 5) == 0); /* and no more is written */
    documents[1] = 200;
    CHECK(gpusort_index_names(index, documents, 2, text, 5, offsets, NULL) ==
          GPUSORT_ARG);
    GOOD(gpusort_index_names(index, NULL, 0, NULL, 0, offsets, &error));
    CHECK(offsets[0] == 0);

    static const char *const names[] = {"d299", "d3", "d10x"};
    static const size_t lengths[] = {4, 2, 3};
    GOOD(gpusort_index_find(index, names, lengths, 3, found, &error));
    CHECK(found[0] == 199 && found[1] == UINT64_MAX && found[2] == 6);
    GOOD(gpusort_index_find(index, names, NULL, 3, found, &error));
    CHECK(found[2] == UINT64_MAX);

    GOOD(gpusort_texts_new(&texts, index, &error));
    for (int k = 0; k < 4; k++) {
        char want[32];
        const void *piece;
        size_t n, at = 0;
        const uint64_t document = k % 2 ? 199 : 6;
        GOOD(gpusort_texts_begin(texts, document, &bytes, &error));
        const int length =
            snprintf(want, sizeof want, k % 2 ? "cats n5 of 299" : "cats n3 of 10");
        CHECK(bytes == (uint64_t)length);
        do {
            GOOD(gpusort_texts_next(texts, &piece, &n, &error));
            REQUIRE(n <= (size_t)length - at && memcmp(want + at, piece, n) == 0);
            at += n;
        } while (n > 0);
        CHECK(at == (size_t)length);
    }
    CHECK(gpusort_texts_begin(texts, 200, NULL, NULL) == GPUSORT_ARG);
    gpusort_texts_free(texts);
    GOOD(gpusort_index_unchanged(index, &error));
    gpusort_index_close(index);
}

/* --- lines ------------------------------------------------------------------------ */

/* Terms that are asked for, and what is written. */
typedef struct asking {
    const char *const *terms;
    size_t count, next, longest;
    int stops_at;       /* the number of a line */
    size_t taken, used; /* bytes, and those that have room */
    char text[TEXT_ROOM];
} asking;

static int take(void *context, const void *text, size_t bytes)
{
    asking *const a = context;
    if (a->stops_at)
        return 1;
    a->taken += bytes;
    if (bytes < sizeof a->text - a->used) {
        memcpy(a->text + a->used, text, bytes);
        a->text[a->used += bytes] = '\0';
    }
    return 0;
}

static int give(void *context, int may_wait, const void **term, size_t *bytes)
{
    asking *const a = context;
    (void)may_wait;
    if (a->next == a->count)
        return a->count > 0 ? 0 : -1;
    *term = a->terms[a->next++];
    *bytes = a->longest != 0 ? a->longest : strlen(*term);
    return 1;
}

static gpusort_code ask(const gpusort_index *index, gpusort_lookup_options *o, asking *a,
                        gpusort_error *error)
{
    a->next = a->used = a->taken = 0;
    o->job.context = a;
    o->write = take;
    return gpusort_index_lookups(index, o, error);
}

static void terms_are_answered_in_their_order(void)
{
    static const char *const terms[] = {"n3", "nothing", "10", "9"};
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_index *const index = open_grown();
    static asking a;
    gpusort_lookup_options o = GPUSORT_LOOKUP_OPTIONS;
    a = (asking){.terms = terms, .count = 4};
    o.next = give;
    o.counts_only = 1;
    for (o.job.threads = 1; o.job.threads <= 2; o.job.threads++) {
        GOOD(ask(index, &o, &a, &error));
        CHECK(strcmp(a.text, "n3\t28\t28\nnothing\t0\t0\n10\t1\t1\n9\t0\t0\n") == 0);
    }
    o.counts_only = 0;
    o.as_json = 1;
    a.terms = &terms[2];
    a.count = 1;
    GOOD(ask(index, &o, &a, &error));
    CHECK(strcmp(a.text,
                 "{\"term\": \"10\", \"df\": 1, \"cf\": 1, \"postings\": [[6,1]]}\n") ==
          0);
    o.as_json = 0;
    o.is_prefix = o.counts_only = 1;
    a.terms = (const char *const[]){"29"};
    GOOD(ask(index, &o, &a, &error));
    CHECK(strcmp(a.text, "29\t1\t1\n290\t1\t1\n292\t1\t1\n293\t1\t1\n295\t1\t1\n296\t1\t1"
                         "\n298\t1\t1\n299\t1\t1\n") == 0);
    o.from_term = "n";
    CHECK(ask(index, &o, &a, NULL) == GPUSORT_ARG);
    o.next = NULL;
    o.is_prefix = 0;
    o.to_term = "n2";
    GOOD(ask(index, &o, &a, &error));
    CHECK(strcmp(a.text, "n0\t28\t28\nn1\t29\t29\n") == 0);
    o.from_term = o.to_term = NULL;
    CHECK(ask(index, &o, &a, NULL) == GPUSORT_ARG); /* no terms */
    gpusort_index_close(index);
}

static void callers_stop_it(void)
{
    static const char *const terms[] = {"cats"};
    static char longest[GPUSORT_TERM_BYTES_MAX + 1];
    gpusort_index *const index = open_grown();
    static asking a;
    gpusort_lookup_options o = GPUSORT_LOOKUP_OPTIONS;
    o.next = give;
    a = (asking){.terms = terms, .count = 1, .stops_at = 1};
    CHECK(ask(index, &o, &a, NULL) == GPUSORT_CANCELLED);
    a = (asking){.terms = terms, .count = 0};
    CHECK(ask(index, &o, &a, NULL) == GPUSORT_CANCELLED);
    a = (asking){.terms = (const char *const[]){longest}, .count = 1};
    a.longest = sizeof longest;
    CHECK(ask(index, &o, &a, NULL) == GPUSORT_LIMIT);
    a.longest--;
    CHECK(ask(index, &o, &a, NULL) == GPUSORT_OK);
    CHECK(a.taken == GPUSORT_TERM_BYTES_MAX + strlen("\t0\t0\t\n"));
    const int stop = 1;
    a = (asking){.terms = terms, .count = 1};
    o.job.cancel = &stop;
    CHECK(ask(index, &o, &a, NULL) == GPUSORT_CANCELLED && a.used == 0);
    a.stops_at = 1;
    CHECK(gpusort_index_dump(index, 0, take, &a, NULL, NULL) == GPUSORT_CANCELLED);
    a.stops_at = 0;
    CHECK(gpusort_index_dump(index, GPUSORT_POSITIONS, take, &a, NULL, NULL) ==
          GPUSORT_ARG); /* it has none */
    CHECK(gpusort_index_dump(index, 8, take, &a, NULL, NULL) == GPUSORT_ARG);
    a.used = 0;
    CHECK(gpusort_index_dump(index, 0, take, &a, NULL, NULL) == GPUSORT_OK);
    CHECK(strncmp(a.text, "1\t0\t1\n", 6) == 0);
    gpusort_index_close(index);
}

/* --- damage ----------------------------------------------------------------------- */

static void damage_is_found(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_index *index = open_grown();
    GOOD(gpusort_index_verify(index, 0, NULL, &error));
    GOOD(gpusort_index_verify(index, GPUSORT_SUMS_ONLY, NULL, &error));
    CHECK(gpusort_index_verify(index, 2, NULL, NULL) == GPUSORT_ARG);
    gpusort_index_close(index);
    GOOD(gpusort_index_compact("grown", NULL, &error));
    GOOD(gpusort_index_open(&index, "grown", &error));
    FILE *const f = fopen("grown/postings", "r+");
    REQUIRE(f != NULL && fseek(f, 20, SEEK_SET) == 0);
    const int c = fgetc(f);
    REQUIRE(fseek(f, 20, SEEK_SET) == 0 && fputc(c ^ 1, f) != EOF && fclose(f) == 0);
    gpusort_index_close(index);
    error.code = GPUSORT_OK;
    if (gpusort_index_open(&index, "grown", &error) == GPUSORT_OK) {
        CHECK(gpusort_index_verify(index, GPUSORT_SUMS_ONLY, NULL, NULL) ==
              GPUSORT_FORMAT);
        CHECK(gpusort_index_verify(index, 0, NULL, NULL) == GPUSORT_FORMAT);
    } else {
        CHECK(error.code == GPUSORT_FORMAT);
    }
    gpusort_index_close(index);
}

int main(void)
{
    counts_are_of_what_is_left();
    documents_have_names_and_texts();
    terms_are_answered_in_their_order();
    callers_stop_it();
    damage_is_found();
    return check_failures != 0;
}
