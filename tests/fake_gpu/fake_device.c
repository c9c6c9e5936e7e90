/* SPDX-License-Identifier: MIT */
/*
 * fake_device: memory of a device and locked memory (gpu/device/device.h) on machines
 * without a GPU: what malloc gives. GS_FAKE_GPU_FAIL=STEP:N: memory, locked, copy; and
 * with `flip:N` the N-th copy changes a bit of what it moves.
 */
#include "gpu/device/device.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "tests/fake_gpu/fake_calls.h"

gs_code gs_device_memory_new(void **out, unsigned device, size_t bytes, gs_status *st)
{
    (void)device;
    *out = NULL;
    wake("gs_device_memory_new");
    GS_TRY(pass("memory", st));
    return gs_mem_new(out, bytes, "memory of a fake GPU", st);
}

void gs_device_memory_free(void *memory)
{
    gs_mem_free(memory);
}

gs_code gs_pinned_memory_new(void **out, size_t bytes, gs_status *st)
{
    *out = NULL;
    GS_TRY(pass("locked", st));
    return gs_mem_new(out, bytes, "locked memory of a fake GPU", st);
}

void gs_pinned_memory_free(void *memory)
{
    gs_mem_free(memory);
}

gs_code gs_device_copy(void *to, const void *from, size_t bytes, gs_status *st)
{
    gs_status flip = {.code = GS_OK};
    GS_TRY(pass("copy", st));
    memcpy(to, from, bytes);
    if (pass("flip", &flip) != GS_OK)
        ((uint8_t *)to)[bytes / 2] ^= 1;
    return GS_OK;
}
