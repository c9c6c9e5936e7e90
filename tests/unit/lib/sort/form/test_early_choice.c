/* SPDX-License-Identifier: MIT */
/*
 * early_split: which text goes to lists follows from its length, that of its lines, and
 * whether these begin alike; wide lines are not moved for nothing, nor left where lists
 * are better.
 */
#define CHECK_STARTS_THREADS

#include "lib/sort/form/early_split.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "tests/check.h"

enum { WORKERS = 3, MOST = 1 << 30, PART = 1 << 20 };

/* One of 999 numbers, behind zeros or, in place of the first, a word of its own. */
static void put_number(char *line, size_t bytes, unsigned number, bool begin_alike)
{
    enum { NUMBERS = 999, WORD = 8 };
    char word[WORD + 1];
    (void)snprintf(line, bytes + 1, "%0*u\n", (int)bytes - 1, number * 7919 % NUMBERS);
    (void)snprintf(word, sizeof word, "%08x", number * 2654435761U);
    if (!begin_alike)
        memcpy(line, word, WORD);
}

/* Of lines of one length. */
static void lines_are_taken(gs_team *team, size_t line_bytes, size_t text_bytes,
                            bool begin_alike, bool by_chunks,
                            const gs_key_encoder *encoder, bool are_taken)
{
    static const char *const names[] = {"text"};
    enum { BLOCK = 4096 };
    const gs_record_layout layout = {
        .is_keyed = encoder != NULL, .has_eol = true, .eol = '\n'};
    char path[] = "/tmp/test_early_choice.XXXXXX", block[BLOCK + 1] = "";
    gs_status st = {.code = GS_OK};
    gs_early_split *s = NULL;
    gs_file_map map;
    size_t written = 0;
    unsigned number = 0;
    const int fd = mkstemp(path);
    REQUIRE(fd >= 0 && unlink(path) == 0);
    while (written < text_bytes) {
        size_t bytes = 0;
        for (; bytes + line_bytes <= BLOCK; bytes += line_bytes)
            put_number(block + bytes, line_bytes, number++, begin_alike);
        REQUIRE(write(fd, block, bytes) == (ssize_t)bytes);
        written += bytes;
    }
    const gs_mapped_file file = {.fd = fd, .bytes = written};
    REQUIRE(gs_file_map_open(&map, &file, 1, PART, false, names));
    const gs_early_split_options options = {.layout = &layout,
                                            .encoder = encoder,
                                            .map = &map,
                                            .team = team,
                                            .memory_bytes = MOST,
                                            .by_chunks = by_chunks};
    REQUIRE_OK(gs_early_split_new(&s, &options, &st), &st);
    CHECK((s != NULL) == are_taken);
    gs_early_split_free(s);
    gs_file_map_close(&map);
}

/* What decides of short ones are the elements that they would have. Of wide ones these
 * are less than what is moved in their place, unless memory is short, keys are made or
 * all begin alike. */
static void lines_of_some_lengths(gs_team *team)
{
    enum { ENOUGH = GS_EARLY_SPLIT_MIN, LITTLE = ENOUGH / 4 };
    gs_key key = {.start_char = 1, .end_field = SIZE_MAX, .fold = true};
    const gs_order folded = {
        .keys = &key, .key_count = 1, .eol = '\n', .delimiter = GS_ORDER_BLANK_FIELDS};
    gs_status st = {.code = GS_OK};
    gs_key_encoder *encoder = NULL;
    REQUIRE_OK(gs_key_encoder_new(&encoder, &folded, false, &st), &st);
    lines_are_taken(team, 4, LITTLE, true, false, NULL, true);
    lines_are_taken(team, 40, LITTLE, false, false, NULL, false);
    lines_are_taken(team, 40, ENOUGH, false, false, NULL, true);
    lines_are_taken(team, 60, ENOUGH, false, false, NULL, false);
    lines_are_taken(team, 60, ENOUGH, true, false, NULL, true);
    lines_are_taken(team, 60, ENOUGH, false, true, NULL, true);
    lines_are_taken(team, 60, ENOUGH, false, false, encoder, true);
    gs_key_encoder_free(encoder);
}

int main(void)
{
    gs_status st = {.code = GS_OK};
    gs_team *team = NULL;
    REQUIRE_OK(gs_team_new(&team, WORKERS, &st), &st);
    lines_of_some_lengths(team);
    gs_team_free(team);
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
