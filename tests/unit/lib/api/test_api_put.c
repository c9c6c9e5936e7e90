/* SPDX-License-Identifier: MIT */
/*
 * Records and text that are put in turn, into a sorter and a stream. What would break: a
 * record that becomes the rest of a text that was cut, records of a fixed size that are
 * cut elsewhere from then on.
 */
#define CHECK_STARTS_THREADS

#include <string.h>

#include "lib/gpusort.h"
#include "tests/check_api.h"

/* --- a sorter ----------------------------------------------------------------------- */

static gpusort_sorter *sorter_of(size_t record_bytes)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_sort_options o = GPUSORT_SORT_OPTIONS;
    gpusort_sorter *sorter = NULL;
    o.job.memory_bytes = 4 << 20;
    o.order.record_bytes = record_bytes;
    GOOD(gpusort_sorter_new(&sorter, &o, &error));
    return sorter;
}

/* All that was put, sorted, with its line ends; the sorter is freed. */
static void gives(gpusort_sorter *sorter, const char *want)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    const void *text;
    size_t bytes, at = 0;
    GOOD(gpusort_sorter_sorted(sorter, &error));
    for (;;) {
        GOOD(gpusort_sorter_get_text(sorter, &text, &bytes, &error));
        if (bytes == 0)
            break;
        CHECK(bytes <= strlen(want) - at && memcmp(text, want + at, bytes) == 0);
        at += bytes;
    }
    CHECK(at == strlen(want));
    gpusort_sorter_free(sorter);
}

static void a_record_ends_a_line_that_is_cut(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_sorter *const sorter = sorter_of(0);
    GOOD(gpusort_sorter_put_text(sorter, "d\nb", 3, &error));
    GOOD(gpusort_sorter_put(sorter, "c", 1, &error));
    GOOD(gpusort_sorter_put_text(sorter, "a", 1, &error));
    gives(sorter, "a\nb\nc\nd\n");
}

/* The rest of it may still come. */
static void a_record_behind_half_of_one_is_refused(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_sorter *const sorter = sorter_of(2);
    GOOD(gpusort_sorter_put(sorter, "ef", 2, &error));
    GOOD(gpusort_sorter_put_text(sorter, "ghb", 3, &error));
    CHECK(gpusort_sorter_put(sorter, "cd", 2, &error) == GPUSORT_ARG);
    CHECK(strstr(error.message, "1 of 2 bytes") != NULL);
    error = (gpusort_error)GPUSORT_NO_ERROR;
    GOOD(gpusort_sorter_put_text(sorter, "a", 1, &error));
    GOOD(gpusort_sorter_put(sorter, "cd", 2, &error));
    gives(sorter, "bacdefgh");
}

/* --- a stream ----------------------------------------------------------------------- */

static gpusort_stream *stream_of(int is_csv)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_stream_options o = GPUSORT_STREAM_OPTIONS;
    gpusort_stream *stream = NULL;
    o.job.memory_bytes = 32 << 20;
    o.is_csv = is_csv;
    GOOD(gpusort_stream_new(&stream, &o, &error));
    return stream;
}

/* So many values, the greatest of which is that; the stream is freed. */
static void has_seen(gpusort_stream *stream, uint64_t count, double most)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_summary_info info = {.size = sizeof info};
    gpusort_summary *summary;
    gpusort_value value;
    GOOD(gpusort_stream_end(stream, &summary, NULL, &error));
    gpusort_summary_describe(summary, &info);
    CHECK(info.seen == count);
    GOOD(gpusort_summary_quantile(summary, 0, 1, &value, &error));
    CHECK(value.f64 == most);
    gpusort_stream_free(stream);
}

static void a_value_ends_a_line_that_is_cut(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    for (int is_csv = 0; is_csv < 2; is_csv++) {
        gpusort_stream *const stream = stream_of(is_csv);
        gpusort_summary *summary;
        GOOD(gpusort_stream_put_text(stream, "1\n2", 3, &error));
        GOOD(gpusort_stream_put_text(stream, "", 0, &error));
        GOOD(gpusort_stream_ask(stream, &summary, &error));
        GOOD(gpusort_stream_put(stream, "3", 1, &error));
        GOOD(gpusort_stream_put_text(stream, "1", 1, &error));
        GOOD(gpusort_stream_put_text(stream, "2\n", 2, &error));
        GOOD(gpusort_stream_put(stream, "4", 1, &error));
        has_seen(stream, 5, 12);
    }
}

/* There a line end is text. */
static void a_record_behind_an_open_quote_is_refused(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_stream *stream = stream_of(1);
    GOOD(gpusort_stream_put_text(stream, "1\n\"2", 4, &error));
    GOOD(gpusort_stream_put_text(stream, "\"", 1, &error));
    GOOD(gpusort_stream_put(stream, "3", 1, &error));
    has_seen(stream, 3, 3);
    stream = stream_of(1);
    GOOD(gpusort_stream_put_text(stream, "1\n\"2\n", 5, &error));
    CHECK(gpusort_stream_put(stream, "3", 1, &error) == GPUSORT_ARG);
    CHECK(strstr(error.message, "between quotes") != NULL);
    gpusort_stream_free(stream);
}

int main(void)
{
    a_record_ends_a_line_that_is_cut();
    a_record_behind_half_of_one_is_refused();
    a_value_ends_a_line_that_is_cut();
    a_record_behind_an_open_quote_is_refused();
    return check_result();
}
