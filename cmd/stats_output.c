/* SPDX-License-Identifier: MIT */
#include "cmd/stats_output.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cmd/json_text.h"

/* What ends a line, and what stands for it in a text: it is known here only. */
static const struct {
    char byte;
    const char *escaped;
} line_end = {'\n', "\\n"};

bool stats_output_begin(stats_output *o, uint64_t values, bool is_end)
{
    if (is_end && o->has_reported && o->reported == values)
        return false;
    if (!is_end)
        o->has_groups = true;
    o->has_reported = true;
    o->reported = values;
    if (o->as_json)
        printf("{\"n\": %" PRIu64, values);
    else if (o->has_groups)
        printf("# %" PRIu64 " values", values);
    if (o->has_groups)
        stats_output_end_line(o);
    return true;
}

void stats_output_number(const stats_output *o, const gpusort_value *number)
{
    char text[GPUSORT_NUMBER_BYTES];
    (void)gpusort_number_text(number, text);
    const bool is_quoted = o->as_json && isinf(number->f64);
    printf(is_quoted ? "\"%s\"" : "%s", text);
}

void stats_output_double(const stats_output *o, double number)
{
    stats_output_number(o, &(gpusort_value){.type = GPUSORT_VALUES_F64, .f64 = number});
}

static size_t find_end(const uint8_t *p, size_t bytes)
{
    const uint8_t *const end = memchr(p, line_end.byte, bytes);
    return end != NULL ? (size_t)(end - p) : bytes;
}

void stats_output_text(const stats_output *o, const void *text, size_t bytes)
{
    if (o->as_json)
        gs_json_text(stdout, text, bytes);
    const uint8_t *p = text;
    for (size_t n = 0; !o->as_json && bytes > 0; p += n, bytes -= n) {
        n = find_end(p, bytes);
        (void)fwrite(p, 1, n, stdout);
        if (n < bytes) {
            fputs(line_end.escaped, stdout);
            n++;
        }
    }
}

void stats_output_value(const stats_output *o, const gpusort_value *value)
{
    if (value->type == GPUSORT_VALUES_TEXT)
        stats_output_text(o, value->text, value->bytes);
    else
        stats_output_number(o, value);
}

void stats_output_end_line(const stats_output *o)
{
    if (!o->as_json)
        putchar(line_end.byte);
}

gs_code stats_output_end(stats_output *o, gs_status *st)
{
    if (o->as_json)
        printf("}%c", line_end.byte);
    if (fflush(stdout) != 0)
        return GS_FAIL(st, GS_ERR_IO, errno, "write failed: 'standard output'");
    return GS_OK;
}
