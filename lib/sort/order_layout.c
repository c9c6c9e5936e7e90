/* SPDX-License-Identifier: MIT */
#include "lib/sort/order_layout.h"

gs_record_layout gs_order_layout(const gs_order *order, bool counts)
{
    const bool is_binary = order->record_size > 0;
    const bool has_keys = is_binary ? order->byte_key_count > 0 : order->key_count > 0;
    const bool is_key_only = has_keys && !counts && (order->stable || order->unique);
    return (gs_record_layout){
        .is_keyed = has_keys,
        .is_key_only = is_key_only,
        .is_backwards = order->reverse && !is_key_only,
        .has_eol = !is_binary,
        .eol = order->eol,
    };
}
