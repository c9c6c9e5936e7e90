/* SPDX-License-Identifier: MIT */
/*
 * Joins, as programs ask for them. What would break: a side or a field that becomes
 * another on the way, a band whose ends are not what they say, an option that means
 * nothing and is taken, a join that goes on when nobody wants it any more.
 */
#define CHECK_STARTS_THREADS

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "lib/gpusort.h"
#include "tests/check_api.h"

enum { ROOM = 4096, TUPLE_BYTES = 12 };

static const char *const files[] = {"left", "right"};

static void put(const char *name, const void *data, size_t bytes)
{
    FILE *const f = fopen(name, "w");
    REQUIRE(f != NULL && fwrite(data, 1, bytes, f) == bytes && fclose(f) == 0);
}

static void put_text(const char *name, const char *text)
{
    put(name, text, strlen(text));
}

static size_t take(char *text)
{
    FILE *const f = fopen("out", "r");
    REQUIRE(f != NULL);
    const size_t bytes = fread(text, 1, ROOM - 1, f);
    REQUIRE(fclose(f) == 0);
    text[bytes] = '\0';
    return bytes;
}

/* The options stay good until the next call. */
static gpusort_join_options join_of_files(gpusort_sort_options **sort)
{
    static gpusort_sort_options s;
    gpusort_join_options o = GPUSORT_JOIN_OPTIONS;
    s = (gpusort_sort_options)GPUSORT_SORT_OPTIONS;
    s.inputs = files;
    s.input_count = 2;
    s.output = "out";
    o.sort = *sort = &s;
    return o;
}

static void gives(const gpusort_join_options *o, const char *wanted)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    char text[ROOM];
    GOOD(gpusort_join(o, &error));
    take(text);
    if (strcmp(text, wanted) != 0)
        fprintf(stderr, "wanted %s, got %s", wanted, text);
    CHECK(strcmp(text, wanted) == 0);
}

static void refuses(const gpusort_join_options *o, gpusort_code code)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    CHECK(gpusort_join(o, &error) == code && error.message[0] != '\0');
    if (error.code != code)
        fprintf(stderr, "refused by %d: %s\n", (int)error.code, error.message);
}

/* --- lines ---------------------------------------------------------------------- */

static void lines_have_partners(void)
{
    gpusort_sort_options *sort;
    gpusort_join_options o = join_of_files(&sort);
    put_text("left", "b 2\na 1\nc 3\n");
    put_text("right", "a x\nd y\nB z\n");
    gives(&o, "a 1 x\n");
    o.folds_case = 1;
    gives(&o, "a 1 x\nb 2 z\n");
    o.folds_case = 0;
    o.right_is_first = 1;
    gives(&o, "a x 1\n");
    o.right_is_first = 0;
    o.shows_unpaired[GPUSORT_RIGHT] = 1;
    gives(&o, "B z\na 1 x\nd y\n");
    o.hides_pairs = 1;
    gives(&o, "B z\nd y\n");
    o = join_of_files(&sort);
    o.is_semi = 1;
    gives(&o, "a 1\n");
    o.shows_unpaired[GPUSORT_LEFT] = 1;
    refuses(&o, GPUSORT_ARG);
}

static void fields_are_chosen(void)
{
    const gpusort_join_field fields[] = {{.side = GPUSORT_RIGHT, .number = 1},
                                         {.side = GPUSORT_LEFT, .number = 9},
                                         {.side = GPUSORT_RIGHT},
                                         {.side = GPUSORT_LEFT, .number = 1}};
    gpusort_sort_options *sort;
    gpusort_join_options o = join_of_files(&sort);
    put_text("left", "1,b\n2,a\n3,c\n");
    put_text("right", "a,b,c,a\na,b,c\n");
    sort->order.delimiter = ',';
    o.key_fields[GPUSORT_LEFT] = 2;
    o.key_fields[GPUSORT_RIGHT] = 4;
    o.fields = fields;
    o.field_count = 4;
    o.filler = "-";
    o.shows_unpaired[GPUSORT_LEFT] = 1;
    gives(&o, "a,-,a,2\n-,-,b,1\n-,-,c,3\n");
    o.field_count = 0;
    o.is_auto = 1;
    gives(&o, "a,2,a,b,c\nb,1,-,-,-\nc,3,-,-,-\n");
    o = join_of_files(&sort);
    sort->order.delimiter = '\n'; /* whole lines */
    put_text("right", "3,c\n1,b\n");
    gives(&o, "1,b\n3,c\n");
}

static void names_come_from_headers(void)
{
    const gpusort_join_field field = {.side = GPUSORT_RIGHT, .name = "n"};
    gpusort_sort_options *sort;
    gpusort_join_options o = join_of_files(&sort);
    put_text("left", "id,\"a,b\"\n1,\"x\"\"\n,y\"\n2,z\n");
    put_text("right", "n,key\nfive,\"1\"\n");
    sort->order.form = GPUSORT_CSV;
    o.key_names[GPUSORT_LEFT] = "id";
    o.key_names[GPUSORT_RIGHT] = "key";
    refuses(&o, GPUSORT_ARG); /* names of what? */
    sort->header_lines = 1;
    gives(&o, "id,\"a,b\",n\n1,\"x\"\"\n,y\",five\n");
    o.fields = &field;
    o.field_count = 1;
    gives(&o, "n\nfive\n");
    sort->header_lines = 2;
    refuses(&o, GPUSORT_ARG);
    sort->header_lines = 1;
    o.key_fields[GPUSORT_RIGHT] = 2;
    refuses(&o, GPUSORT_ARG); /* by number and by name */
    o.key_fields[GPUSORT_RIGHT] = 0;
    o.key_names[GPUSORT_RIGHT] = "none";
    refuses(&o, GPUSORT_FORMAT);
}

static void descriptors_are_sides(void)
{
    gpusort_sort_options *sort;
    gpusort_join_options o = join_of_files(&sort);
    gpusort_error error = GPUSORT_NO_ERROR;
    char text[ROOM];
    int ends[2];
    const int out = open("out", O_RDWR | O_CREAT | O_TRUNC, 0600);
    put_text("right", "a file\n");
    REQUIRE(pipe(ends) == 0 && out >= 0);
    REQUIRE(write(ends[1], "a pipe\n", 7) == 7 && close(ends[1]) == 0);
    sort->inputs = &files[1];
    sort->input_count = sort->input_fd_count = 1;
    sort->input_fds = &ends[0];
    sort->output = NULL;
    sort->output_fd = out + 1;
    o.right_is_first = 1;
    GOOD(gpusort_join(&o, &error));
    take(text);
    CHECK(strcmp(text, "a pipe file\n") == 0);
    (void)close(ends[0]);
    (void)close(out);
    sort->input_fd_count = 0;
    refuses(&o, GPUSORT_ARG);
}

/* --- numbers -------------------------------------------------------------------- */

/* Is there such a match, and which option belongs to it? The build asks for a new match
 * or option here, and the test for cases of it. */
typedef enum argument { BAND_ARGUMENT, ARGUMENTS, NO_ARGUMENT, NO_MATCH } argument;

static argument argument_of(int match)
{
    switch ((gpusort_match)match) {
    case GPUSORT_IN_BAND: return BAND_ARGUMENT;
    case GPUSORT_EQUAL:
    case GPUSORT_LESS:
    case GPUSORT_AT_MOST:
    case GPUSORT_GREATER:
    case GPUSORT_AT_LEAST: return NO_ARGUMENT;
    }
    return NO_MATCH;
}

static void give(gpusort_join_options *o, argument which)
{
    switch (which) {
    case BAND_ARGUMENT: o->band = "0:1"; break;
    case ARGUMENTS:
    case NO_ARGUMENT:
    case NO_MATCH: break;
    }
}

/* Every set of these options with every match: that of its own is taken, and no other. */
static void a_match_has_its_own_option(void)
{
    gpusort_sort_options *sort;
    gpusort_join_options o = join_of_files(&sort);
    gpusort_error error = GPUSORT_NO_ERROR;
    put_text("left", "2\n");
    put_text("right", "2\n");
    for (int match = 0; argument_of(match) != NO_MATCH; match++) {
        const argument own = argument_of(match);
        for (unsigned set = 0; set < 1u << ARGUMENTS; set++) {
            gpusort_join_options with = o;
            with.match = (gpusort_match)match;
            for (unsigned which = 0; which < ARGUMENTS; which++) {
                if (set & 1u << which)
                    give(&with, (argument)which);
            }
            if (set == (own == NO_ARGUMENT ? 0 : 1u << own))
                GOOD(gpusort_join(&with, &error));
            else
                refuses(&with, GPUSORT_ARG);
        }
    }
    o.match = (gpusort_match)77;
    refuses(&o, GPUSORT_ARG);
}

static void numbers_are_in_a_band(void)
{
    static const struct {
        gpusort_match match;
        const char *band, *wanted;
    } cases[] = {
        {GPUSORT_IN_BAND, "-.1:0", "1 1.0\n2 1.9\n"},
        {GPUSORT_IN_BAND, "0.9:", "1 1.9\n"},
        {GPUSORT_LESS, NULL, "1 1.9\n"},
        {GPUSORT_AT_MOST, NULL, "1 1.0\n1 1.9\n"},
        {GPUSORT_GREATER, NULL, "2 1.0\n2 1.9\n"},
        {GPUSORT_AT_LEAST, NULL, "1 1.0\n2 1.0\n2 1.9\n"},
        {GPUSORT_EQUAL, NULL, ""},
    };
    gpusort_sort_options *sort;
    gpusort_join_options o = join_of_files(&sort);
    put_text("left", "2\n1\n");
    put_text("right", "1.9\n1.0\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        o.match = cases[i].match;
        o.band = cases[i].band;
        gives(&o, cases[i].wanted);
    }
    for (int match = 0; argument_of(match) != NO_MATCH; match++) {
        size_t shown = 0;
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            shown += cases[i].match == (gpusort_match)match;
        CHECK(shown > 0);
    }
    o.match = GPUSORT_IN_BAND;
    o.band = "0:1";
    gives(&o, "1 1.0\n1 1.9\n");
    o.folds_case = 1;
    refuses(&o, GPUSORT_ARG);
}

static void bands_are_checked(void)
{
    static const char *const good[] = {"0:0", ":", "-1e3:", ":5", " -0.5 : .5 "};
    static const char *const bad[] = {"", "5", "a:", ":b", "1:2:3", "1:0", "1e-30:-1"};
    gpusort_error error = GPUSORT_NO_ERROR;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        GOOD(gpusort_join_band(good[i], &error));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK(gpusort_join_band(bad[i], NULL) == GPUSORT_ARG);
    CHECK(gpusort_join_band("1:0", &error) == GPUSORT_ARG);
    CHECK(strcmp(error.message, "nothing is in the band '1:0'") == 0);
}

static unsigned warnings;

static void hear(void *context, gpusort_level level, const char *text)
{
    (void)context;
    warnings += level == GPUSORT_SAYS_WARNING && strstr(text, "1") != NULL;
}

static void bad_numbers_are_left_out(void)
{
    gpusort_sort_options *sort;
    gpusort_join_options o = join_of_files(&sort);
    put_text("left", "2\nx\n");
    put_text("right", "2\n");
    o.skips_bad = 1;
    refuses(&o, GPUSORT_ARG); /* where keys are equal none is bad */
    o.match = GPUSORT_AT_MOST;
    sort->job.log = hear;
    gives(&o, "2 2\n");
    CHECK(warnings == 1);
    o.skips_bad = 0;
    refuses(&o, GPUSORT_FORMAT);
}

/* --- tuples --------------------------------------------------------------------- */

static void tuples_have_fields(void)
{
    /* The right ones have a hole, which does not come out. */
    const gpusort_byte_key left[] = {
        {.length = 2, .number = GPUSORT_UNSIGNED, .is_little_endian = 1},
        {.offset = 2, .length = 1},
    };
    const gpusort_byte_key right[] = {
        {.offset = 8, .length = 4, .number = GPUSORT_SIGNED},
        {.offset = 0, .length = 1},
    };
    static const uint8_t tuples[] = "\7\0a\1\0b";
    static const uint8_t others[] = "x.......\0\0\0\7y.......\xff\xff\xff\xff";
    gpusort_sort_options *sort;
    gpusort_join_options o = join_of_files(&sort);
    gpusort_error error = GPUSORT_NO_ERROR;
    char got[ROOM];
    put("left", tuples, sizeof tuples - 1);
    put("right", others, sizeof others - 1);
    o.tuples[GPUSORT_LEFT] = (gpusort_tuple){3, left, 2};
    refuses(&o, GPUSORT_ARG); /* tuples and lines */
    o.tuples[GPUSORT_RIGHT] = (gpusort_tuple){TUPLE_BYTES, right, 2};
    GOOD(gpusort_join(&o, &error));
    CHECK(take(got) == 4 && memcmp(got, "\7\0ax", 4) == 0);
    o.shows_unpaired[GPUSORT_RIGHT] = 1;
    refuses(&o, GPUSORT_ARG); /* keys of which type? */
    o.prints_text = 1;
    gives(&o, "-1 y\n7 a x\n");
    o.key_fields[GPUSORT_LEFT] = 2;
    refuses(&o, GPUSORT_ARG); /* bytes and a number */
    o.key_fields[GPUSORT_LEFT] = 3;
    refuses(&o, GPUSORT_ARG);
    o.key_fields[GPUSORT_LEFT] = SIZE_MAX;
    refuses(&o, GPUSORT_ARG);
    o.key_fields[GPUSORT_LEFT] = 1;
    o.is_auto = 1;
    refuses(&o, GPUSORT_ARG);
    o.is_auto = 0;
    o.tuples[GPUSORT_RIGHT].bytes = TUPLE_BYTES - 1;
    refuses(&o, GPUSORT_ARG); /* a field beyond its end */
    o.tuples[GPUSORT_RIGHT].bytes = GPUSORT_TUPLE_BYTES_MAX + 1;
    refuses(&o, GPUSORT_LIMIT);
    const gpusort_byte_key wide = {.length = 16, .number = GPUSORT_UNSIGNED};
    o.tuples[GPUSORT_RIGHT] = (gpusort_tuple){16, &wide, 1};
    refuses(&o, GPUSORT_ARG);
    o.tuples[GPUSORT_LEFT] = o.tuples[GPUSORT_RIGHT] = (gpusort_tuple){0};
    refuses(&o, GPUSORT_ARG); /* text of what? */
}

/* --- what is not of a join ------------------------------------------------------ */

static void options_of_sorts_are_refused(void)
{
    const gpusort_key key = {.start_field = 1};
    gpusort_sort_options *sort;
    gpusort_join_options o = join_of_files(&sort);
    put_text("left", "a\n");
    put_text("right", "a\n");
    const gpusort_sort_options good = *sort;
    gives(&o, "a\n");
    sort->order.keys = &key;
    sort->order.key_count = 1;
    refuses(&o, GPUSORT_ARG);
#define REFUSED(member, value)                                                           \
    do {                                                                                 \
        *sort = good;                                                                    \
        sort->member = (value);                                                          \
        refuses(&o, GPUSORT_ARG);                                                        \
    } while (0)
    REFUSED(order.record_bytes, 2);
    REFUSED(order.is_unique, 1);
    REFUSED(order.is_reverse, 1);
    REFUSED(counts, 1);
    REFUSED(has_top, 1);
    REFUSED(verifies, 1);
    REFUSED(checkpoint, "folder");
    REFUSED(compress_program, "gzip");
    REFUSED(inputs, ((const char *const[]){"-", "-"}));
    REFUSED(input_count, 1);
    REFUSED(size, 3);
    *sort = good;
    sort->inputs = (const char *const[]){"left", "nothing"};
    refuses(&o, GPUSORT_IO);
    o.size += 8; /* of a newer library, whose new member says something */
    struct {
        gpusort_join_options known;
        long beyond;
    } newer = {o, 1};
    refuses(&newer.known, GPUSORT_ARG);
    newer.beyond = 0;
    *sort = good;
    gives(&newer.known, "a\n");
    CHECK(gpusort_join(NULL, NULL) == GPUSORT_ARG);
    o = join_of_files(&sort);
    o.sort = NULL;
    refuses(&o, GPUSORT_ARG);
}

static void joins_are_counted_and_stopped(void)
{
    gpusort_sort_options *sort;
    gpusort_join_options o = join_of_files(&sort);
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_figures figures = {.size = sizeof figures};
    const int wish = 1;
    put_text("left", "a 1\nb 2\n");
    put_text("right", "b 3\n");
    GOOD(gpusort_stats_new(&sort->job.stats, 0, &error));
    gives(&o, "b 2 3\n");
    gpusort_stats_read(sort->job.stats, &figures);
    CHECK(figures.output_records == 1 && figures.output_bytes == 6);
    CHECK(figures.engine != NULL && strcmp(figures.engine, "cpu") == 0);
    CHECK(figures.phase == GPUSORT_FINISHING);
    gpusort_stats_free(sort->job.stats);
    sort->job.stats = NULL;
    REQUIRE(unlink("out") == 0);
    sort->job.cancel = &wish;
    refuses(&o, GPUSORT_CANCELLED);
    CHECK(access("out", F_OK) != 0);
}

int main(void)
{
    lines_have_partners();
    fields_are_chosen();
    names_come_from_headers();
    descriptors_are_sides();
    a_match_has_its_own_option();
    numbers_are_in_a_band();
    bands_are_checked();
    bad_numbers_are_left_out();
    tuples_have_fields();
    options_of_sorts_are_refused();
    joins_are_counted_and_stopped();
    return check_failures != 0;
}
