/* SPDX-License-Identifier: MIT */
#include "lib/sort/device/device_order.h"

static const char *line_key(const gs_key *key, bool flip, gs_text_key *out)
{
    if (key->type != GS_KEY_BYTES && key->type != GS_KEY_NUMERIC)
        return "there is no kernel for keys by -g, -h, -M, -R or -V";
    *out = (gs_text_key){
        .start_field = key->start_field,
        .start_char = key->start_char,
        .end_field = key->end_field == SIZE_MAX ? UINT64_MAX : key->end_field,
        .end_char = key->end_char,
        .is_number = key->type == GS_KEY_NUMERIC,
        .is_complemented = key->reverse != flip,
    };
#define TAKE(name, letter, mark, changes) out->name = key->name;
    GS_KEY_SWITCHES(TAKE)
#undef TAKE
    return NULL;
}

static void record_key(const gs_byte_key *key, bool flip, gs_text_field *out)
{
    _Static_assert(GS_FIELD_TYPE_COUNT == 4, "the kernels know each, or it is refused");
    const bool is_bytes = key->type == GS_FIELD_BYTES;
    *out = (gs_text_field){
        .offset = (uint32_t)key->offset,
        .length = (uint32_t)key->length,
        .is_little_endian = !is_bytes && key->is_little_endian,
        .has_sign = key->type == GS_FIELD_SIGNED || key->type == GS_FIELD_FLOAT,
        .is_float = key->type == GS_FIELD_FLOAT,
        .is_complemented = key->reverse != flip,
    };
}

const char *gs_device_order(const gs_order *order, const gs_record_layout *layout,
                            gs_text_order *out)
{
    *out = (gs_text_order){
        .record_size = order->record_size,
        .delimiter = order->delimiter == GS_ORDER_BLANK_FIELDS ? GS_TEXT_BLANK_FIELDS
                                                               : order->delimiter,
        .eol = order->eol,
        .is_key_only = layout->is_key_only,
        .is_backwards = layout->is_backwards,
    };
    if (order->collation != NULL)
        return "there is no kernel for the order of a locale";
    if (order->form == GS_FORM_CSV)
        return "there is no kernel for fields between quotes";
    if (order->form == GS_FORM_JSON)
        return "there is no kernel for JSON";
    if (order->record_size > UINT32_MAX)
        return "its records are too large";
    if (!layout->is_keyed)
        return NULL;
    const bool is_binary = order->record_size > 0;
    const size_t count = is_binary ? order->byte_key_count : order->key_count;
    if (count > GS_TEXT_KEYS_MAX)
        return "it has more keys than the kernels take";
    out->key_count = (unsigned)count;
    for (size_t i = 0; i < count; i++) {
        const char *why = NULL;
        if (is_binary)
            record_key(&order->byte_keys[i], layout->is_backwards, &out->fields[i]);
        else
            why = line_key(&order->keys[i], layout->is_backwards, &out->keys[i]);
        if (why != NULL)
            return why;
    }
    return NULL;
}
