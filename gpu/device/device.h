/* SPDX-License-Identifier: MIT */
/*
 * device: which GPUs there are, found when the program runs.
 *
 * The same binary runs where there is no driver: then there are no devices, and that is
 * no error. A build with CUDA=0 has none either. Thread-safe.
 */
#ifndef GS_GPU_DEVICE_H
#define GS_GPU_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

#include "lib/base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { GS_DEVICE_NAME_BYTES = 256 };

typedef struct gs_device {
    int index;   /* as CUDA numbers it, for gs_engine_options.devices */
    bool usable; /* this build has code for it */
    char name[GS_DEVICE_NAME_BYTES];
    int major, minor; /* compute capability */
    unsigned processor_count;
    size_t memory_bytes, free_bytes, l2_bytes;
} gs_device;

/* Whether a driver is loaded; the second file is how Windows lends its GPU to programs of
 * Linux. */
static inline bool gs_device_has_driver(void)
{
    return access("/dev/nvidiactl", F_OK) == 0 || access("/dev/dxg", F_OK) == 0;
}
/* Whether looking for GPUs is worth the tenth of a second that it takes: a driver is
 * loaded. */
bool gs_device_is_likely(void);
/* How many GPUs the driver shows; 0 without a driver. */
unsigned gs_device_count(void);
GS_MUST_CHECK gs_code gs_device_get(unsigned index, gs_device *out, gs_status *st);
/* Whether device `to` reads the memory of device `from` directly. */
bool gs_device_reaches(unsigned to, unsigned from);

/* Whether a failure is of the device, of its memory or of its limits, so that a CPU can
 * do the work instead. */
static inline bool gs_device_is_to_blame(gs_code code)
{
    switch (code) {
    case GS_ERR_NOMEM:
    case GS_ERR_LIMIT:
    case GS_ERR_GPU: return true;
    case GS_OK:
    case GS_ERR_IO:
    case GS_ERR_FORMAT:
    case GS_ERR_ARG:
    case GS_ERR_CANCELLED: return false;
    }
    return false;
}

/* Of those, is it one way or one engine that cannot, so that others are worth a try? */
static inline bool gs_device_is_too_small(gs_code code)
{
    switch (code) {
    case GS_ERR_NOMEM:
    case GS_ERR_LIMIT: return true;
    case GS_ERR_GPU:
    case GS_OK:
    case GS_ERR_IO:
    case GS_ERR_FORMAT:
    case GS_ERR_ARG:
    case GS_ERR_CANCELLED: return false;
    }
    return false;
}

/* Plain memory of a device, for callers that keep keys there, and copies that wait. */
GS_MUST_CHECK gs_code gs_device_memory_new(void **out, unsigned device, size_t bytes,
                                           gs_status *st);
void gs_device_memory_free(void *memory); /* NULL is fine */
/* Between device and host, or within a device. Threads that copy at once do not wait for
 * each other. */
GS_MUST_CHECK gs_code gs_device_copy(void *to, const void *from, size_t bytes,
                                     gs_status *st);
/* Host memory that is locked in place: copies to and from it are several times faster. */
GS_MUST_CHECK gs_code gs_pinned_memory_new(void **out, size_t bytes, gs_status *st);
void gs_pinned_memory_free(void *memory); /* NULL is fine */

/* Lines of text for `gpusort device`: the devices, or why there are none. Always
 * zero-terminated; returns `text`. */
const char *gs_device_describe(char *text, size_t text_bytes);

#ifdef __cplusplus
}
#endif
#endif
