/* SPDX-License-Identifier: MIT */
#include "lib/sort/key/order_layout.h"

/* Does the first key compare whole lines byte by byte? Then nothing that comes after it
 * can tell two lines apart that it cannot. */
static bool is_whole_line(const gs_order *order)
{
    const gs_key *const k = order->keys;
    return gs_form_is_plain(order->form) && order->collation == NULL &&
           order->key_count > 0 && k->type == GS_KEY_BYTES && k->start_field == 0 &&
           k->start_char == 0 && k->end_field == SIZE_MAX &&
           !gs_key_has_change(k, GS_KEY_CHANGES_START | GS_KEY_CHANGES_TEXT);
}

/* Are the keys the record's first bytes, one range after the other, as they stand? With a
 * last resort they then say no more than the record itself. */
static bool is_record_prefix(const gs_order *order)
{
    size_t at = 0;
    for (size_t i = 0; i < order->byte_key_count; i++) {
        const gs_byte_key *const k = &order->byte_keys[i];
        const bool is_as_bytes =
            k->type == GS_FIELD_BYTES ||
            (k->type == GS_FIELD_UNSIGNED && !(k->is_little_endian && k->length > 1));
        if (k->offset != at || !is_as_bytes || k->reverse != order->reverse)
            return false;
        at += k->length;
    }
    return !order->stable && !order->unique;
}

gs_record_layout gs_order_layout(const gs_order *order, bool counts)
{
    const bool is_binary = order->record_size > 0;
    const bool is_plain = is_binary ? is_record_prefix(order) : is_whole_line(order);
    const bool has_keys =
        !is_plain && (is_binary ? order->byte_key_count > 0 : order->key_count > 0);
    const bool is_key_only = has_keys && !counts && (order->stable || order->unique);
    const bool reverse = is_plain && !is_binary ? order->keys[0].reverse : order->reverse;
    return (gs_record_layout){
        .is_keyed = has_keys,
        .is_key_only = is_key_only,
        .is_backwards = reverse && !is_key_only,
        .has_eol = !is_binary,
        .eol = order->eol,
    };
}
