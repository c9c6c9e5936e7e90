/* SPDX-License-Identifier: MIT */
/*
 * text_sample: one string of each part of the text, in the order of the text, of lines,
 * keyed lines and records; the same ones however many threads take them, and about as
 * many records guessed as there are. A file that is one line adds none.
 */
#define CHECK_STARTS_THREADS

#include "lib/sort/form/text_sample.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "tests/check.h"

enum {
    FILES = 3,
    LINES = 60000,
    WANT = 4000,
    FEW = 100,
    RECORD = 16,
    KEY_ROOM = 1 << 14
};

static const char *const names[FILES] = {"first", "endless", "last"};

/* A file without a name: so many lines, numbered from `number` on and of several lengths,
 * or one that does not end. */
static gs_mapped_file make_file(unsigned lines, unsigned number, unsigned endless_bytes)
{
    char path[] = "/tmp/test_text_sample.XXXXXX";
    const int fd = mkstemp(path);
    REQUIRE(fd >= 0 && unlink(path) == 0);
    FILE *const f = fdopen(dup(fd), "w");
    REQUIRE(f != NULL);
    for (unsigned i = 0; i < lines; i++)
        REQUIRE(fprintf(f, "%08u%.*s\n", number + i, (int)(i % 23),
                        "abcdefghijklmnopqrstuvwxyz") >= 0);
    for (unsigned i = 0; i < endless_bytes; i++)
        REQUIRE(fputc('x', f) == 'x');
    const long bytes = ftell(f);
    REQUIRE(bytes >= 0 && fclose(f) == 0);
    return (gs_mapped_file){.fd = fd, .bytes = (size_t)bytes};
}

static const char *string_of(const gs_string_sample *sample, size_t i)
{
    return (const char *)sample->text + gs_where_offset(sample->elements[i].where);
}

static size_t bytes_of(const gs_string_sample *sample, size_t i)
{
    return sample->elements[i].where & GS_WHERE_LENGTH_LONG;
}

static gs_text_guess take(const gs_text_sample_options *options, unsigned workers,
                          gs_string_sample *sample, size_t want)
{
    gs_status st = {.code = GS_OK};
    gs_text_sample_options o = *options;
    gs_text_guess guess = {0};
    REQUIRE_OK(gs_team_new(&o.team, workers, &st), &st);
    REQUIRE_OK(gs_text_sample_take(&o, sample, want, &guess, &st), &st);
    gs_team_free(o.team);
    return guess;
}

/* The same, whatever the number of threads. Returns the sample of one. */
static gs_text_guess take_by_several(const gs_text_sample_options *o,
                                     gs_string_sample *sample, size_t want)
{
    gs_status st = {.code = GS_OK};
    const gs_text_guess guess = take(o, 1, sample, want);
    for (unsigned workers = 2; workers < 9; workers += 3) {
        gs_string_sample other;
        REQUIRE_OK(gs_string_sample_init(&other, want, &st), &st);
        const gs_text_guess again = take(o, workers, &other, want);
        CHECK(again.records == guess.records && again.key_bytes == guess.key_bytes);
        REQUIRE(other.count == sample->count);
        for (size_t i = 0; i < other.count; i++) {
            REQUIRE(bytes_of(&other, i) == bytes_of(sample, i));
            REQUIRE(memcmp(string_of(&other, i), string_of(sample, i),
                           bytes_of(sample, i)) == 0);
        }
        gs_string_sample_release(&other);
    }
    return guess;
}

/* Lines of the first and the last file, in order, of which hardly one comes twice: two
 * places may be near each other. The one that does not end is none. */
static void check_lines(const gs_string_sample *sample, size_t want)
{
    long last = -1;
    size_t twice = 0;
    CHECK(sample->count <= want && sample->count > want - want / 10);
    for (size_t i = 0; i < sample->count; i++) {
        char digits[9] = "";
        REQUIRE(bytes_of(sample, i) >= 8);
        memcpy(digits, string_of(sample, i), 8);
        const long number = strtol(digits, NULL, 10);
        CHECK(number >= last && number < 2 * LINES);
        twice += number == last;
        CHECK(bytes_of(sample, i) == 8 + (size_t)(number % LINES) % 23);
        last = number;
    }
    CHECK(last > 2 * LINES - LINES / 10 && twice <= want / 100);
}

int main(void)
{
    gs_status st = {.code = GS_OK};
    gs_file_map map;
    gs_string_sample sample;
    gs_key_encoder *encoder = NULL;
    const gs_mapped_file files[FILES] = {make_file(LINES, 0, 0), make_file(0, 0, 20000),
                                         make_file(LINES, LINES, 0)};
    REQUIRE(gs_file_map_open(&map, files, FILES, 0, false, names));
    REQUIRE_OK(gs_string_sample_init(&sample, WANT, &st), &st);
    const gs_record_layout layout = {.has_eol = true, .eol = '\n'};
    gs_text_sample_options o = {.layout = &layout, .map = &map};

    gs_text_guess guess = take_by_several(&o, &sample, WANT);
    check_lines(&sample, WANT);
    CHECK(guess.records > 2 * LINES / 10 * 9 && guess.records < 2 * LINES / 9 * 10);
    CHECK(guess.key_bytes == 0);
    (void)take_by_several(&o, &sample, FEW);
    check_lines(&sample, FEW);

    /* Lines with their keys: what these take is guessed, too. */
    gs_key keys[] = {{.start_char = 3, .end_field = SIZE_MAX}};
    const gs_order order = {.keys = keys, .key_count = 1, .eol = '\n', .delimiter = 'b'};
    const gs_record_layout keyed = {.is_keyed = true, .has_eol = true, .eol = '\n'};
    REQUIRE_OK(gs_key_encoder_new(&encoder, &order, false, &st), &st);
    o.layout = &keyed;
    o.encoder = encoder;
    o.key_room = KEY_ROOM;
    guess = take_by_several(&o, &sample, WANT);
    CHECK(guess.key_bytes > 8 && guess.key_bytes < 30 && sample.count > WANT / 10 * 9);
    gs_key_encoder_free(encoder);
    o.encoder = NULL;

    o.record_size = RECORD;
    const gs_record_layout fixed = {.has_eol = false};
    o.layout = &fixed;
    guess = take_by_several(&o, &sample, WANT);
    CHECK(guess.records == gs_file_map_text_bytes(&map) / RECORD + 1);
    CHECK(sample.count > WANT - WANT / 10);
    for (size_t i = 0; i < sample.count; i++)
        CHECK(bytes_of(&sample, i) == RECORD);
    gs_string_sample_release(&sample);
    gs_file_map_close(&map);
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
