/* SPDX-License-Identifier: MIT */
/*
 * order_layout: how records of an order are laid out and compared
 * (lib/sort/record/record.h).
 *
 * A backwards order is sorted by the forward strings and compared the other way round:
 * possible when the whole string, last resort included, is turned round by -r. Orders
 * without a last resort (-s, -u) and with keys have their reversed keys complemented
 * instead.
 */
#ifndef GS_LIB_SORT_KEY_ORDER_LAYOUT_H
#define GS_LIB_SORT_KEY_ORDER_LAYOUT_H

#include "lib/sort/key/order.h"
#include "lib/sort/record/records.h"

/* `counts`: equal lines are counted (--count), so whole lines decide what is equal. */
gs_record_layout gs_order_layout(const gs_order *order, bool counts);

#endif
