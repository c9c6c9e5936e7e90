/* SPDX-License-Identifier: MIT */
#include "lib/sort/device/device_order.h"

#include <float.h>
#include <string.h>

static gs_text_kind kind_of(gs_key_type type)
{
    switch (type) {
    case GS_KEY_NUMERIC: return GS_TEXT_KIND_NUMERIC;
    case GS_KEY_GENERAL: return GS_TEXT_KIND_GENERAL;
    case GS_KEY_HUMAN: return GS_TEXT_KIND_HUMAN;
    case GS_KEY_MONTH: return GS_TEXT_KIND_MONTH;
    case GS_KEY_RANDOM: return GS_TEXT_KIND_RANDOM;
    case GS_KEY_VERSION: return GS_TEXT_KIND_VERSION;
    case GS_KEY_BYTES:
    case GS_KEY_TYPE_COUNT: break;
    }
    return GS_TEXT_KIND_BYTES;
}

static const char *line_key(const gs_key *key, bool flip, gs_text_key *out)
{
    if (key->type == GS_KEY_GENERAL && LDBL_MANT_DIG != 64)
        return "there is no kernel for -g where long double has a mantissa of other than "
               "64 bits";
    *out = (gs_text_key){
        .start_field = key->start_field,
        .start_char = key->start_char,
        .end_field = key->end_field == SIZE_MAX ? UINT64_MAX : key->end_field,
        .end_char = key->end_char,
        .kind = kind_of(key->type),
        .is_complemented = key->reverse != flip,
    };
#define TAKE(name, ...) out->name = key->name;
    GS_KEY_SWITCHES(TAKE)
#undef TAKE
    _Static_assert((int)GS_TEXT_SWITCH_COUNT == (int)GS_KEY_SWITCH_COUNT,
                   "GS_TEXT_SWITCHES tells a plugin that lacks one");
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
    _Static_assert(sizeof out->random_seed == sizeof order->random_seed, "one a byte");
    memcpy(out->random_seed, order->random_seed, sizeof out->random_seed);
    if (order->collation != NULL)
        return "there is no kernel for the order of a locale";
    if (gs_form_has_quotes(order->form))
        return "there is no kernel for fields between quotes";
    if (gs_form_is_objects(order->form))
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
