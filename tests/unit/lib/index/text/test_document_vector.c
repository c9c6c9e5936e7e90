/* SPDX-License-Identifier: MIT */
/*
 * document_vector: each weight must become the impact that it says, and each vector that
 * breaks a rule must be refused for that, or scores are wrong without a word. What was
 * checked must read the same again, whatever escapes its terms have and however little
 * memory there was before.
 */
#include "lib/index/text/document_vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "tests/check.h"

enum { VECTOR_BYTES = 1 << 20, TERMS_MAX = 3000 };

static uint64_t state;

static uint64_t below(uint64_t n)
{
    return check_random(&state) % n;
}

typedef struct example {
    const char *vector;
    double scale;
    const char *said; /* impacts with blanks between, or why it is none */
} example;

/* Checks and reads a vector, as `said`. */
static void tell(const char *text, double scale, char *said, size_t capacity)
{
    char padded[400] = {0};
    gs_vector_terms terms = {0};
    gs_weight_counts counts = {0};
    gs_status st = {.code = GS_OK};
    gs_text_span vector;
    (void)snprintf(padded, sizeof padded, "%s", text);
    gs_json_reader json = {.at = (const uint8_t *)padded,
                           .end = (const uint8_t *)padded + strlen(padded)};
    *said = '\0';
    if (!gs_vector_check(&json, scale, &terms, &counts, &vector, &st)) {
        (void)snprintf(said, capacity, "%s", json.why != NULL ? json.why : st.msg);
    } else {
        gs_vector_reader reader;
        gs_vector_weight weight;
        size_t used = 0;
        gs_vector_reader_begin(&reader, vector, scale);
        while (gs_vector_reader_next(&reader, &weight))
            used += (size_t)snprintf(said + used, capacity - used, "%s%u",
                                     used > 0 ? " " : "", weight.impact);
    }
    gs_vector_terms_release(&terms);
}

static void weights_become_impacts(void)
{
    static const example examples[] = {
        {"{}", 0, ""},
        {"{ \"a\" : 1 , \"b\":22 }", 0, "1 22"},
        {"{\"a\":0,\"b\":0.0,\"c\":-0,\"d\":-0.0}", 0, "0 0 0 0"},
        {"{\"a\":1.0,\"b\":0.29,\"c\":1e0,\"d\":2.5E-1}", 0, "100 29 100 25"},
        {"{\"a\":0.004,\"b\":0.006}", 0, "0 1"},
        {"{\"a\":1,\"b\":1.0,\"c\":0.25}", 8, "8 8 2"},
        {"{\"a\":4294967295}", 0, "4294967295"},
        {"{\"a\":3.14159265358979323846264338327950288}", 1000, "3142"},
        {"{\"a\":0.00000000000000000000000000000001e33}", 0, "1000"},
        {"{\"a\":4294967296}", 0, "a weight becomes an impact of more than 2^32 - 1"},
        {"{\"a\":42949672.96}", 0, "a weight becomes an impact of more than 2^32 - 1"},
        {"{\"a\":1e999}", 0, "a weight becomes an impact of more than 2^32 - 1"},
        {"{\"a\":4294967295,\"b\":1}", 0, "impacts add up to more than 2^32 - 1"},
        {"{\"a\":-1}", 0, "a weight is negative"},
        {"{\"a\":-1e-9}", 0, "a weight is negative"},
        {"{\"a\":\"1\"}", 0, "a weight is not a number"},
        {"{\"a\":null}", 0, "a weight is not a number"},
        {"{\"a\":NaN}", 0, "a weight is not a number"},
        {"{\"a\":{}}", 0, "a weight is not a number"},
        {"{\"\":1}", 0, "a term is empty"},
        {"{\"a\":1,\"b\":1,\"a\":1}", 0, "a term comes twice"},
        {"{\"a\":1,\"\\u0061\":1}", 0, "a term comes twice"},
        {"{\"\\u0061\":1,\"a\":1}", 0, "a term comes twice"},
        {"{\"\\/\":1,\"\\u002f\":0}", 0, "a term comes twice"},
        {"[1]", 0, "the vector is not an object of terms and weights"},
    };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        char said[400];
        tell(examples[i].vector, examples[i].scale, said, sizeof said);
        if (strcmp(said, examples[i].said) != 0) {
            fprintf(stderr, "%s\n  wanted %s\n  got    %s\n", examples[i].vector,
                    examples[i].said, said);
            check_failures++;
        }
    }
}

typedef struct pair {
    char term[24];
    bool has_escape; /* its first letter is written as one */
    uint32_t impact;
} pair;

/* All terms differ: a number is in each. */
static size_t make_vector(char *to, pair *pairs, size_t count)
{
    size_t bytes = (size_t)sprintf(to, "{");
    for (size_t i = 0; i < count; i++) {
        pair *const p = &pairs[i];
        const unsigned hundredths = (unsigned)below(100000);
        p->has_escape = below(4) == 0;
        (void)snprintf(p->term, sizeof p->term, "%c%zu", (int)('a' + below(20)), i);
        p->impact = hundredths;
        bytes += (size_t)sprintf(to + bytes,
                                 p->has_escape ? "%s\"\\u00%02x%s\": %u.%02u"
                                               : "%s\"%c%s\":%u.%02u",
                                 i > 0 ? "," : "", p->term[0], p->term + 1,
                                 hundredths / 100, hundredths % 100);
    }
    return bytes + (size_t)sprintf(to + bytes, "}");
}

static void reads_as_checked(gs_text_span vector, const pair *pairs, size_t count)
{
    gs_vector_reader reader;
    gs_vector_weight weight;
    size_t read = 0;
    gs_vector_reader_begin(&reader, vector, 0);
    for (; gs_vector_reader_next(&reader, &weight); read++) {
        uint8_t term[64];
        REQUIRE(read < count && weight.term.raw.bytes < sizeof term);
        const size_t bytes = (size_t)(gs_json_unescape(weight.term.raw, term) - term);
        CHECK(bytes == strlen(pairs[read].term));
        CHECK(memcmp(term, pairs[read].term, bytes) == 0);
        CHECK(weight.impact == pairs[read].impact && !weight.is_whole);
    }
    CHECK(read == count);
}

/* One table for vectors of any length, one after the other; a request for memory that
 * fails fails its vector alone. */
static void many_terms(void)
{
    static char text[VECTOR_BYTES];
    static pair pairs[TERMS_MAX];
    gs_vector_terms terms = {0};
    gs_weight_counts counts = {0};
    uint64_t wanted = 0;
    state = check_seed(31);
    for (unsigned round = 0; round < check_often(600); round++) {
        const size_t count = below(8) ? below(300) : below(TERMS_MAX);
        const size_t bytes = make_vector(text, pairs, count);
        const bool fails = round % 3 == 0;
        gs_status st = {.code = GS_OK};
        gs_text_span vector;
        gs_json_reader json = {.at = (const uint8_t *)text,
                               .end = (const uint8_t *)text + bytes};
        gs_weight_counts ignored = {0};
        if (fails)
            gs_mem_fail_nth(1 + below(3));
        const bool is_good =
            gs_vector_check(&json, 0, &terms, fails ? &ignored : &counts, &vector, &st);
        gs_mem_fail_nth(0);
        CHECK(is_good ? st.code == GS_OK : fails && st.code == GS_ERR_NOMEM);
        if (is_good) {
            CHECK(vector.bytes == bytes);
            reads_as_checked(vector, pairs, count);
        }
        for (size_t i = 0; !fails && i < count; i++)
            wanted += pairs[i].impact > 0;
        if (round % 50 == 0) /* memory is asked for anew */
            gs_vector_terms_release(&terms);
    }
    CHECK(counts.decimal == wanted && counts.whole == 0);
    gs_vector_terms_release(&terms);
}

/* A term that comes again is found among any number of others. */
static void repeats_are_found(void)
{
    static char text[VECTOR_BYTES];
    static pair pairs[TERMS_MAX];
    gs_vector_terms terms = {0};
    for (unsigned round = 0; round < check_often(200); round++) {
        const size_t count = 1 + below(below(4) ? 40 : TERMS_MAX);
        size_t bytes = make_vector(text, pairs, count) - 1;
        gs_weight_counts counts = {0};
        gs_status st = {.code = GS_OK};
        gs_text_span vector;
        bytes += (size_t)sprintf(text + bytes, ",\"%s\":1}", pairs[below(count)].term);
        gs_json_reader json = {.at = (const uint8_t *)text,
                               .end = (const uint8_t *)text + bytes};
        CHECK(!gs_vector_check(&json, 0, &terms, &counts, &vector, &st));
        CHECK(json.why != NULL && strcmp(json.why, "a term comes twice") == 0);
    }
    gs_vector_terms_release(&terms);
}

/* As many terms as there may be, and one more. */
static void terms_are_limited(void)
{
    enum { TERM_BYTES = 16 };
    gs_vector_terms terms = {0};
    gs_status st = {.code = GS_OK};
    char *text = NULL;
    REQUIRE_OK(
        gs_mem_new(&text, (GS_VECTOR_TERMS_MAX + 2) * (size_t)TERM_BYTES, "text", &st),
        &st);
    for (size_t count = GS_VECTOR_TERMS_MAX; count < GS_VECTOR_TERMS_MAX + 2; count++) {
        size_t bytes = (size_t)sprintf(text, "{");
        gs_weight_counts counts = {0};
        gs_text_span vector;
        for (size_t i = 0; i < count; i++)
            bytes += (size_t)sprintf(text + bytes, "%s\"%zx\":1", i > 0 ? "," : "", i);
        bytes += (size_t)sprintf(text + bytes, "}");
        gs_json_reader json = {.at = (const uint8_t *)text,
                               .end = (const uint8_t *)text + bytes};
        const bool is_good = gs_vector_check(&json, 0, &terms, &counts, &vector, &st);
        CHECK(is_good == (count <= GS_VECTOR_TERMS_MAX));
        CHECK(is_good || strcmp(json.why, "a vector has more than 262144 terms") == 0);
    }
    gs_mem_free(text);
    gs_vector_terms_release(&terms);
}

int main(void)
{
    weights_become_impacts();
    many_terms();
    repeats_are_found();
    terms_are_limited();
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
