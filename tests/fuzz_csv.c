/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as CSV: the records, their values, what is broken and where must be what the
 * state machine of tests/slow_csv.h says; keys stay in the room that they have. The first
 * byte chooses the separator and the end of records.
 */
#include <stdlib.h>

#include "lib/base/mem.h"
#include "tests/slow_csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_so)
{
    if (!is_so)
        abort();
}

/* Keys of all kinds and of every shape, of a record that is good. */
static void encode(const uint8_t *record, size_t bytes, gs_csv_form form, uint8_t mode)
{
    gs_key keys[] = {
        {.start_field = 1,
         .end_field = 1,
         .type = (gs_key_type)(mode % GS_KEY_TYPE_COUNT)},
        {.start_field = 0, .end_field = SIZE_MAX, .fold = true, .reverse = true},
        {.start_field = 0,
         .end_field = 2,
         .start_char = 1,
         .end_char = 3,
         .skip_end_blanks = true},
    };
    const gs_order order = {.form = GS_FORM_CSV,
                            .keys = keys,
                            .key_count = sizeof keys / sizeof *keys,
                            .delimiter = form.separator,
                            .eol = form.eol};
    gs_key_encoder *e = NULL;
    gs_status st = {.code = GS_OK};
    require(gs_key_encoder_new(&e, &order, mode % 2 != 0, &st) == GS_OK);
    const size_t bound = gs_key_encode_bound(e, bytes);
    uint8_t *const to = malloc(bound); /* its end is guarded */
    require(to != NULL && gs_key_encode(e, record, bytes, to) <= bound);
    free(to);
    gs_key_encoder_free(e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t separators[] = {',', '\t', ';', ' ', 0xff};
    if (size < 2)
        return 0;
    const gs_csv_form form = {.separator = separators[data[0] % sizeof separators],
                              .eol = data[0] & 64 ? 0 : '\n'};
    const size_t bytes = size - 1;
    uint8_t *const text = calloc(1, bytes + GS_CSV_SLACK),
                   *const room = malloc(bytes + 1), *const other = malloc(bytes + 1);
    require(text != NULL && room != NULL && other != NULL);
    memcpy(text, data + 1, bytes);
    require(slow_csv_differs(text, bytes, form, room, other) == NULL);
    require(slow_csv_ends_differ(text, bytes, form, false) == NULL);
    require(slow_csv_ends_differ(text, bytes, form, true) == NULL);
    slow_csv_state state;
    const size_t end = slow_csv_record(text, bytes, form, &state);
    if (state != SLOW_CSV_BAD_QUOTE && state != SLOW_CSV_BAD_TEXT &&
        state != SLOW_CSV_QUOTED)
        encode(text, end, form, data[0]);
    free(text);
    free(room);
    free(other);
    return 0;
}
