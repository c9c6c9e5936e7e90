/* SPDX-License-Identifier: MIT */
/*
 * gpu_stub: the GPU headers for builds without CUDA. There are no devices and no
 * engines; everything that needs one says so.
 */
#include <stdio.h>

#include "gpu/network/bitonic.h"
#include "gpu/device/device.h"
#include "gpu/engine/engine.h"
#include "gpu/device/fault.h"
#include "gpu/generate/generate.h"
#include "lib/base/assertion.h"

#pragma GCC diagnostic ignored "-Wunused-parameter" /* of all functions here */

static const char no_cuda[] = "this build has no GPU engines (CUDA=0)";

static gs_code refuse(gs_status *st)
{
    return GS_FAIL(st, GS_ERR_GPU, 0, "%s", no_cuda);
}

unsigned gs_device_count(void)
{
    return 0;
}

bool gs_device_is_likely(void)
{
    return false;
}

gs_code gs_device_get(unsigned index, gs_device *out, gs_status *st)
{
    *out = (gs_device){0};
    return refuse(st);
}

bool gs_device_reaches(unsigned to, unsigned from)
{
    return false;
}

gs_code gs_device_memory_new(void **out, unsigned device, size_t bytes, gs_status *st)
{
    *out = NULL;
    return refuse(st);
}

void gs_device_memory_free(void *memory)
{
}

gs_code gs_device_copy(void *to, const void *from, size_t bytes, gs_status *st)
{
    return refuse(st);
}

gs_code gs_pinned_memory_new(void **out, size_t bytes, gs_status *st)
{
    *out = NULL;
    return refuse(st);
}

void gs_pinned_memory_free(void *memory)
{
}

const char *gs_device_describe(char *text, size_t text_bytes)
{
    if (text_bytes != 0)
        (void)snprintf(text, text_bytes, "gpu: none, %s; the CPU engine sorts\n",
                       no_cuda);
    return text;
}

size_t gs_engine_count(void)
{
    return 0;
}

const char *gs_engine_name(size_t index)
{
    gs_assert(index < gs_engine_count()); /* there are no engines */
    return NULL;
}

const char *gs_engine_summary(size_t index)
{
    gs_assert(index < gs_engine_count()); /* there are no engines */
    return NULL;
}

gs_code gs_engine_needs(const gs_engine_options *options, gs_engine_memory *out,
                        gs_status *st)
{
    *out = (gs_engine_memory){0};
    return refuse(st);
}

gs_code gs_engine_fit(const gs_engine_options *options, size_t *out_count, gs_status *st)
{
    *out_count = 0;
    return refuse(st);
}

gs_code gs_engine_new(gs_engine **out, const gs_engine_options *options, gs_status *st)
{
    *out = NULL;
    return refuse(st);
}

gs_code gs_engine_submit(gs_engine *engine, const gs_batch *batch, gs_status *st)
{
    return refuse(st);
}

gs_code gs_engine_wait(gs_engine *engine, gs_status *st)
{
    return refuse(st);
}

double gs_engine_device_ms(const gs_engine *engine)
{
    return 0;
}

size_t gs_engine_device_bytes(const gs_engine *engine)
{
    return 0;
}

const char *gs_engine_used(const gs_engine *engine)
{
    return "none";
}

void gs_engine_free(gs_engine *engine)
{
}

gs_code gs_generate(gs_batch_type type, gs_distribution distribution, uint64_t seed,
                    bool random_values, void *d_keys, uint32_t *d_values, size_t count,
                    gs_status *st)
{
    return refuse(st);
}

gs_code gs_fingerprint_take(gs_batch_type type, const void *d_keys,
                            const uint32_t *d_values, size_t count, gs_fingerprint *out,
                            gs_status *st)
{
    *out = (gs_fingerprint){0, 0};
    return refuse(st);
}

gs_code gs_bitonic_merge(gs_batch_type type, const gs_batch *batch, size_t run_keys,
                         gs_status *st)
{
    return refuse(st);
}

void gs_fault_arm(gs_fault_kind kind, uint64_t nth)
{
}

uint64_t gs_fault_calls(void)
{
    return 0;
}
