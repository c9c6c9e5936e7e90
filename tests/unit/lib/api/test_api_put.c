/* SPDX-License-Identifier: MIT */
/*
 * Records and text that are put in turn, into a stream. What would break: a record that
 * becomes the rest of a text that was cut.
 */
#define CHECK_STARTS_THREADS

#include <string.h>

#include "lib/gpusort.h"
#include "tests/check_api.h"

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
    a_value_ends_a_line_that_is_cut();
    a_record_behind_an_open_quote_is_refused();
    return check_result();
}
