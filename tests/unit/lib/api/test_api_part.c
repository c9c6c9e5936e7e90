/* SPDX-License-Identifier: MIT */
/*
 * Surveys, samples and partitions, as programs ask for them. What would break: a checksum
 * that depends on the order, parts that are not what a sort gives, a part of another
 * number, an option that means nothing and is taken.
 */
#define CHECK_STARTS_THREADS

#include <string.h>
#include <unistd.h>

#include "lib/gpusort.h"
#include "tests/check_api.h"

enum { LINES = 5000, PARTS = 4, TEXT_ROOM = 1 << 17 };

static const char *const inputs[] = {"lines"}, *const sorted[] = {"sorted"};

static gpusort_sort_options options_of(const char *const *input, const char *output)
{
    gpusort_sort_options o = GPUSORT_SORT_OPTIONS;
    o.inputs = input;
    o.input_count = 1;
    o.output = output;
    return o;
}

/* Appends what the file has. */
static size_t take_file(const char *name, char *text, size_t used)
{
    FILE *const f = fopen(name, "r");
    REQUIRE(f != NULL);
    used += fread(text + used, 1, TEXT_ROOM - used, f);
    REQUIRE(fclose(f) == 0 && used < TEXT_ROOM);
    return used;
}

static void make_inputs(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    FILE *const f = fopen("lines", "w");
    REQUIRE(f != NULL);
    for (int i = 0; i < LINES; i++)
        fprintf(f, "line %04d\n", i * 7919 % 4000);
    REQUIRE(fclose(f) == 0);
    const gpusort_sort_options o = options_of(inputs, "sorted");
    GOOD(gpusort_sort(&o, &error));
}

static void surveys_tell_what_there_is(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_sort_options o = options_of(inputs, NULL);
    gpusort_tally of_lines = {.size = sizeof of_lines}, tally = {.size = sizeof tally};
    GOOD(gpusort_survey(&o, 0, &of_lines, &error));
    CHECK(of_lines.records == LINES && of_lines.bytes == LINES * 10);
    CHECK(of_lines.disorders > 1000 && of_lines.first_disorder == 3);
    o.inputs = sorted;
    GOOD(gpusort_survey(&o, 0, &tally, &error));
    CHECK(tally.records == LINES && tally.disorders == 0 && tally.first_disorder == 0);
    CHECK(tally.duplicates == 1000);
    CHECK(tally.sum_high == of_lines.sum_high && tally.sum_low == of_lines.sum_low);
    gpusort_tally old = {.size = offsetof(gpusort_tally, duplicates), .duplicates = 77};
    GOOD(gpusort_survey(&o, GPUSORT_NO_ORDER, &old, &error));
    CHECK(old.sum_low == tally.sum_low && old.duplicates == 77);
    CHECK(gpusort_survey(&o, 2, &tally, NULL) == GPUSORT_ARG);
    o.inputs = (const char *const[]){"lines", "sorted"};
    o.input_count = 2;
    CHECK(gpusort_survey(&o, 0, &tally, NULL) == GPUSORT_ARG);
    o.inputs = (const char *const[]){"nothing"};
    o.input_count = 1;
    CHECK(gpusort_survey(&o, 0, &tally, NULL) == GPUSORT_IO);
}

static void samples_cut(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    const gpusort_sort_options sort = options_of(inputs, "splitters");
    gpusort_sample_options o = GPUSORT_SAMPLE_OPTIONS;
    static char text[TEXT_ROOM];
    uint64_t records, seen;
    o.records = 100;
    CHECK(gpusort_sample(&o, NULL, NULL, NULL) == GPUSORT_ARG); /* of what? */
    o.sort = &sort;
    GOOD(gpusort_sample(&o, &records, &seen, &error));
    CHECK(records == 100 && seen >= 100 && take_file("splitters", text, 0) == 1000);
    o.has_range = 1;
    o.range_begin = 10;
    o.range_end = 31;
    GOOD(gpusort_sample(&o, &records, &seen, &error));
    CHECK(records == 3 && take_file("splitters", text, 0) == 30);
    CHECK(strncmp(text, "line 3919\n", 10) == 0);
    o.has_range = 0;
    o.records = 0;
    CHECK(gpusort_sample(&o, NULL, NULL, NULL) == GPUSORT_ARG);
    o.records = 1;
    o.parts = 2;
    CHECK(gpusort_sample(&o, NULL, NULL, NULL) == GPUSORT_ARG);
    o.parts = o.records = GPUSORT_PARTS_MAX + 1;
    CHECK(gpusort_sample(&o, NULL, NULL, NULL) == GPUSORT_LIMIT);
    o.parts = PARTS;
    o.records = 2000;
    GOOD(gpusort_sample(&o, NULL, NULL, &error)); /* for what follows */
    CHECK(take_file("splitters", text, 0) == 10 * (PARTS - 1));
}

/* One behind the other they are what the sort gives; framed too. */
static void parts_are_the_sort(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_sort_options sort = options_of(inputs, "part");
    gpusort_partition_options o = GPUSORT_PARTITION_OPTIONS;
    gpusort_parts parts, again;
    static char want[TEXT_ROOM], got[TEXT_ROOM];
    const size_t all = take_file("sorted", want, 0);
    o.sort = &sort;
    CHECK(gpusort_partition(&o, &parts, NULL) == GPUSORT_ARG); /* where? */
    o.splitters = "splitters";
    o.packs = 1;
    CHECK(gpusort_partition(&o, &parts, NULL) == GPUSORT_ARG);
    o.packs = 0;
    o.parts = PARTS + 1;
    CHECK(gpusort_partition(&o, &parts, NULL) != GPUSORT_OK && parts.count == 0);
    o.parts = PARTS;
    sort.has_top = 1; /* parts have all records */
    CHECK(gpusort_partition(&o, &parts, NULL) == GPUSORT_ARG);
    sort.has_top = 0;
    sort.counts = 1;
    CHECK(gpusort_partition(&o, &parts, NULL) == GPUSORT_ARG);
    sort.counts = 0;
    sort.output_zstd = 1;
    CHECK(gpusort_partition(&o, &parts, NULL) == GPUSORT_ARG);
    sort.output_zstd = 0;
    sort.checkpoint = "kept";
    CHECK(gpusort_partition(&o, &parts, NULL) == GPUSORT_ARG &&
          access("kept", F_OK) != 0);
    sort.checkpoint = NULL;
    GOOD(gpusort_partition(&o, &parts, &error));
    CHECK(parts.count == PARTS);
    size_t used = 0;
    for (size_t i = 0; i < PARTS; i++) {
        char name[16];
        snprintf(name, sizeof name, "part.%04zu", i);
        const size_t before = used;
        used = take_file(name, got, used);
        CHECK(parts.parts[i].bytes == used - before);
        CHECK(parts.parts[i].records == (used - before) / 10 && used > before);
    }
    CHECK(used == all && memcmp(got, want, all) == 0);

    o.is_framed = o.packs = o.is_merge = 1;
    sort = options_of(sorted, "stream");
    gpusort_parts_free(&parts);
    GOOD(gpusort_partition(&o, &parts, &error));
    const char *const stream[] = {"stream"};
    sort = options_of(stream, NULL);
    CHECK(gpusort_unframe(&sort, NULL, &again, NULL) == GPUSORT_ARG);
    sort.output = "one";
    const uint64_t only = 2;
    GOOD(gpusort_unframe(&sort, &only, &again, &error));
    CHECK(again.count == 1 && again.parts[0].bytes == parts.parts[2].bytes);
    CHECK(take_file("one", got, 0) == again.parts[0].bytes);
    CHECK(memcmp(got, want + parts.parts[0].bytes + parts.parts[1].bytes,
                 again.parts[0].bytes) == 0);
    gpusort_parts_free(&again);
    sort.output = "all";
    GOOD(gpusort_unframe(&sort, NULL, &again, &error));
    CHECK(again.count == PARTS && access("all.0003", F_OK) == 0);
    gpusort_parts_free(&again);
    gpusort_parts_free(&parts);
    sort.inputs = inputs;
    CHECK(gpusort_unframe(&sort, NULL, &again, NULL) == GPUSORT_FORMAT);
    CHECK(again.count == 0 && again.parts == NULL);
}

int main(void)
{
    make_inputs();
    surveys_tell_what_there_is();
    samples_cut();
    parts_are_the_sort();
    return check_failures != 0;
}
