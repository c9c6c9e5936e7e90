/* SPDX-License-Identifier: MIT */
/*
 * devices: what others see of the room of devices: chunks sorted on a GPU.
 */
#ifndef GS_LIB_SORT_DEVICE_DEVICES_H
#define GS_LIB_SORT_DEVICE_DEVICES_H

#include "lib/sort/device/device_choice.h"
#include "lib/sort/device/device_feed.h"
#include "lib/sort/device/device_former.h"
#include "lib/sort/device/group_former.h"
#include "lib/sort/device/text_choice.h"

#endif
