/* SPDX-License-Identifier: MIT */
/*
 * device_order: an order as the GPU's text sort takes it, where that has a kernel for it.
 *
 * Lines by any -k and -t, of every type, and every range of a binary record have kernels.
 * Fields between quotes, JSON, the order of a locale, and more keys than the device takes
 * have not, nor has -g where long double has another mantissa than the kernels': such
 * orders are for the CPU.
 */
#ifndef GS_LIB_SORT_DEVICE_DEVICE_ORDER_H
#define GS_LIB_SORT_DEVICE_DEVICE_ORDER_H

#include "gpu/text/text_sort.h"
#include "lib/sort/key/keys.h"
#include "lib/sort/record/records.h"

/* NULL if *out now holds the order, otherwise why it is one for the CPU (static). */
const char *gs_device_order(const gs_order *order, const gs_record_layout *layout,
                            gs_text_order *out);

#endif
