/* SPDX-License-Identifier: MIT */
#include "gpu/device/fault.h"

#include <atomic>
#include <stdlib.h>
#include <string.h>

#include "gpu/device/gpu_try.cuh"

namespace
{

/* What a call fails with, once or from then on, and what the environment calls that. */
struct Fault {
    const char *name;
    cudaError_t error;
    bool stays;
};

Fault fault_of(gs_fault_kind kind)
{
    switch (kind) {
    case GS_FAULT_NONE:
    case GS_FAULT_KIND_COUNT: break;
    case GS_FAULT_MEMORY: return {"memory", cudaErrorMemoryAllocation, false};
    case GS_FAULT_LAUNCH: return {"launch", cudaErrorLaunchFailure, false};
    case GS_FAULT_LOST: return {"lost", cudaErrorLaunchFailure, true};
    }
    return {"", cudaSuccess, false};
}

gs_fault_kind armed_kind = GS_FAULT_NONE;
uint64_t armed_nth = 0;
std::atomic<uint64_t> calls{0};

/* What the environment asks for; anything else is no fault. */
bool arm_from_environment()
{
    const char *const text = getenv("GS_GPU_FAIL");
    const char *const colon = text ? strchr(text, ':') : nullptr;
    if (colon == nullptr)
        return false;
    const size_t length = (size_t)(colon - text);
    for (int k = GS_FAULT_NONE + 1; k < GS_FAULT_KIND_COUNT; k++) {
        const char *const name = fault_of((gs_fault_kind)k).name;
        if (strlen(name) == length && strncmp(text, name, length) == 0) {
            armed_kind = (gs_fault_kind)k;
            armed_nth = strtoull(colon + 1, nullptr, 10);
        }
    }
    return armed_kind != GS_FAULT_NONE;
}

} // namespace

bool gs_fault_is_armed = arm_from_environment();

cudaError_t gs_fault_next()
{
    const uint64_t call = ++calls;
    const Fault fault = fault_of(armed_kind);
    const bool fails = fault.stays ? call >= armed_nth : call == armed_nth;
    return fails ? fault.error : cudaSuccess;
}

void gs_fault_arm(gs_fault_kind kind, uint64_t nth)
{
    calls = 0;
    armed_kind = kind;
    armed_nth = nth;
    gs_fault_is_armed = kind != GS_FAULT_NONE;
}

uint64_t gs_fault_calls(void)
{
    return calls;
}
