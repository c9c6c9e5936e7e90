/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a line of JSON: what is an object for one reader is one for all, and keys
 * of values stay in the room that they have. The first byte chooses how keys are
 * compared.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/sort/key/keys.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_so)
{
    if (!is_so)
        abort();
}

static void encode(const uint8_t *line, size_t bytes, uint8_t mode)
{
    static const gs_json_path paths[] = {{"a", 1}, {"a\0b", 2}, {"a\0b\0c", 3}, {"", 1}};
    gs_key keys[] = {
        {.type = (gs_key_type)(mode % GS_KEY_TYPE_COUNT)},
        {.fold = true, .reverse = true},
        {.skip_start_blanks = true, .type = GS_KEY_GENERAL},
        {.type = GS_KEY_BYTES},
    };
    const gs_order order = {.form = GS_FORM_JSON,
                            .keys = keys,
                            .key_count = sizeof keys / sizeof *keys,
                            .json_paths = paths,
                            .delimiter = GS_ORDER_BLANK_FIELDS,
                            .eol = '\n'};
    gs_key_encoder *e = NULL;
    gs_status st = {.code = GS_OK};
    require(gs_key_encoder_new(&e, &order, mode % 2 != 0, &st) == GS_OK);
    const size_t bound = gs_key_encode_bound(e, bytes);
    uint8_t *const to = malloc(bound); /* its end is guarded */
    require(to != NULL);
    const size_t key_bytes = gs_key_encode(e, line, bytes, to);
    require(key_bytes == GS_KEY_BAD || key_bytes <= bound);
    require((key_bytes == GS_KEY_BAD) == (gs_json_line_why(line, bytes) != NULL));
    free(to);
    gs_key_encoder_free(e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    uint8_t *const line = calloc(1, size - 1 + GS_KEY_READ_SLACK);
    require(line != NULL);
    memcpy(line, data + 1, size - 1);
    encode(line, size - 1, data[0]);
    free(line);
    return 0;
}
