/* SPDX-License-Identifier: MIT */
/*
 * keys: what others see of the room of keys: what "sorted" means, and the string of
 * bytes whose order it is.
 */
#ifndef GS_LIB_SORT_KEY_KEYS_H
#define GS_LIB_SORT_KEY_KEYS_H

#include "lib/sort/key/collation.h"
#include "lib/sort/key/csv_value.h"
#include "lib/sort/key/json_value.h"
#include "lib/sort/key/key_encode.h"
#include "lib/sort/key/line_string.h"
#include "lib/sort/key/order.h"
#include "lib/sort/key/order_layout.h"

#endif
