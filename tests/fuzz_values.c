/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a batch of values: numbers or texts, or pairs of such and a time, from
 * lines, fields or CSV. Each record is good or bad and none is lost; a good number is
 * printed so that it reads back as the same, and is the one that strtod() sees.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/stream/time_text.h"
#include "lib/stream/value_batch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_so)
{
    if (!is_so)
        abort();
}

static void check_number(gs_number_type type, uint64_t key)
{
    char text[GS_NUMBER_TEXT_BYTES + GS_NUMBER_SLACK] = {0};
    uint64_t again;
    const size_t bytes = gs_number_print(type, key, text);
    require(bytes < GS_NUMBER_TEXT_BYTES &&
            gs_number_parse_text(type, (const uint8_t *)text, bytes, &again) &&
            again == key);
    if (type == GS_NUMBER_F64) {
        const double value = gs_number_as_double(type, key);
        require(!isnan(value) && strtod(text, NULL) == value);
    }
}

/* A line that is a number, by itself: as strtod() has it, unless that sees hexadecimals.
 */
static void check_line(const gs_value_iter *it)
{
    enum { MOST = 200 };
    char text[MOST + 1] = {0};
    uint64_t key;
    if (it->bytes > MOST || memchr(it->record, 0, it->bytes) != NULL ||
        !gs_number_parse_text(GS_NUMBER_F64, it->record, it->bytes, &key))
        return;
    memcpy(text, it->record, it->bytes);
    require(strtod(text, NULL) == gs_number_as_double(GS_NUMBER_F64, key));
}

static gs_value_options draw_options(const uint8_t *data)
{
    static const uint8_t separators[] = {',', '\t', ';', ' '};
    gs_value_options o = {.type = (gs_number_type)(data[0] % GS_NUMBER_TYPE_COUNT),
                          .skips_bad = true,
                          .has_header = data[0] & 16,
                          .is_text = data[0] & 32,
                          .column_count = 1};
    o.format.is_csv = data[0] & 64;
    o.format.has_separator = o.format.is_csv || data[0] & 128;
    o.format.separator = separators[data[1] % sizeof separators];
    o.columns[0].field = data[1] / 4 % 4;
    if (data[1] & 64) {
        o.column_count = 2;
        o.has_times = o.is_text || data[1] & 128;
        o.columns[0].field += o.columns[0].field == 0;
        o.columns[1].field = 1 + data[1] / 4 % 3;
    }
    return o;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    gs_status st = {.code = GS_OK};
    gs_value_batch values = {.count = 0};
    size_t records = 0;
    if (size < 2)
        return 0;
    const gs_value_options o = draw_options(data);
    uint8_t *const text = calloc(1, size + GS_BLOCK_SLACK); /* its end is guarded */
    require(text != NULL);
    memcpy(text, data + 2, size - 2);
    const gs_line_batch batch = {.data = text, .bytes = size - 2};
    require(gs_value_batch_parse(&values, &o, &batch, &st) == GS_OK);
    gs_value_iter it = gs_value_iter_begin(&o, &batch);
    for (; gs_value_iter_next(&it); records++)
        check_line(&it);
    require(values.count + values.bad_count == records);
    for (size_t i = 0; !o.is_text && i < values.count; i++) {
        check_number(o.type, values.keys[i * o.column_count]);
        if (o.has_times)
            require(isfinite(gs_number_as_double(GS_NUMBER_F64, values.keys[2 * i + 1])));
    }
    for (size_t i = 0; o.is_text && i < values.count; i++) {
        require(values.ends[i] >= (i > 0 ? values.ends[i - 1] : 0) &&
                values.ends[i] <= values.text_bytes);
        if (o.has_times)
            require(isfinite(gs_number_as_double(GS_NUMBER_F64, values.keys[i])));
    }
    gs_value_batch_release(&values);
    free(text);
    return 0;
}
