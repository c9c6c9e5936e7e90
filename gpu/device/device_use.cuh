/* SPDX-License-Identifier: MIT */
/*
 * device_use: what those do alike who work on a device. An allocation takes of its memory
 * what the driver hands out, pages of 2 MiB; pieces of less than half a page share one.
 */
#ifndef GS_GPU_DEVICE_USE_CUH
#define GS_GPU_DEVICE_USE_CUH

#include "gpu/device/device.h"

/* Makes a device current and says what it is, or why it cannot be used: if there is none
 * of this index, with the code `missing`. */
gs_code gs_device_use(int index, gs_code missing, gs_device *out, gs_status *st);

/* Copies between a device, which becomes current, and another go there directly if they
 * can; else through the host, by the driver. */
gs_code gs_device_open_way(int index, int other, gs_status *st);

/* Left free on a device for the driver and for other programs. */
const size_t GS_DEVICE_RESERVE_BYTES = (size_t)512 << 20;

const size_t GS_DEVICE_PAGE_BYTES = (size_t)2 << 20;

static inline size_t gs_device_taken(size_t bytes)
{
    if (bytes < GS_DEVICE_PAGE_BYTES / 2)
        return (bytes + 511) / 512 * 512;
    return (bytes + GS_DEVICE_PAGE_BYTES - 1) / GS_DEVICE_PAGE_BYTES *
           GS_DEVICE_PAGE_BYTES;
}

#endif
