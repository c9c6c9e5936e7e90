/* SPDX-License-Identifier: MIT */
/*
 * What there is to work with: engines, GPUs, cores and memory.
 */
#include <stdio.h>
#include <string.h>

#include "gpu/device/device.h"
#include "gpu/engine/engine.h"
#include "io/aio.h"
#include "lib/api/api_call.h"
#include "lib/base/machine.h"
#include "lib/sort/plan/plans.h"

_Static_assert((int)GPUSORT_GPU_NAME_BYTES == (int)GS_DEVICE_NAME_BYTES,
               "names of others have the room of ours");

const char *gpusort_engine_name(size_t i)
{
    static const char *const usual[] = {"auto", "cpu", "gpu"};
    enum { USUAL = sizeof usual / sizeof *usual };
    if (i < USUAL)
        return usual[i];
    size_t left = i - USUAL;
    for (size_t k = 0; k < gs_engine_count(); k++) {
        const char *const name = gs_engine_name(k);
        if (strcmp(name, "auto") != 0 && left-- == 0)
            return name;
    }
    return NULL;
}

unsigned gpusort_gpus(char *text, size_t room)
{
    if (text != NULL && room > 0)
        (void)gs_device_describe(text, room);
    return gs_device_count();
}

gpusort_code gpusort_gpu_describe(unsigned i, gpusort_gpu *out, gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    gs_device device;
    if (i >= gs_device_count())
        (void)GS_FAIL(&st, GS_ERR_ARG, 0, "no GPU %u: there are %u", i,
                      gs_device_count());
    else
        GS_NOTED(gs_device_get(i, &device, &st));
    if (st.code == GS_OK) {
        gpusort_gpu all = {
            .size = out->size,
            .number = device.index,
            .is_usable = device.usable,
            .major = device.major,
            .minor = device.minor,
            .processors = device.processor_count,
            .memory_bytes = device.memory_bytes,
            .free_bytes = device.free_bytes,
        };
        (void)snprintf(all.name, sizeof all.name, "%s", device.name);
        gs_api_give(out, all.size, &all, sizeof all);
    }
    return gs_api_result(&st, error);
}

void gpusort_machine_describe(gpusort_machine *out)
{
    const gs_memory_plan plan = gs_memory_plan_make(0, 0, false);
    const gpusort_machine all = {
        .size = out->size,
        .cores = gs_machine_cores(),
        .threads = plan.workers,
        .memory_bytes = gs_machine_memory_total(),
        .available_bytes = gs_machine_memory_available(),
        .sort_bytes = plan.limit_bytes,
        .uring_refusal = gs_aio_uring_refusal(),
        .has_liburing = GS_HAVE_LIBURING,
        .has_cuda = GS_HAVE_CUDA,
        .gpus = gs_device_count(),
    };
    gs_api_give(out, all.size, &all, sizeof all);
}
