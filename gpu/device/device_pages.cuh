/* SPDX-License-Identifier: MIT */
/*
 * device_pages: what an allocation takes of a device's memory. The driver hands out pages
 * of 2 MiB; pieces of less than half a page share one.
 */
#ifndef GS_GPU_DEVICE_PAGES_CUH
#define GS_GPU_DEVICE_PAGES_CUH

#include <stddef.h>

const size_t GS_DEVICE_PAGE_BYTES = (size_t)2 << 20;

static inline size_t gs_device_taken(size_t bytes)
{
    if (bytes < GS_DEVICE_PAGE_BYTES / 2)
        return (bytes + 511) / 512 * 512;
    return (bytes + GS_DEVICE_PAGE_BYTES - 1) / GS_DEVICE_PAGE_BYTES *
           GS_DEVICE_PAGE_BYTES;
}

#endif
