/* SPDX-License-Identifier: MIT */
/*
 * fault: makes the n-th GPU call of this process fail, for tests of what happens then.
 *
 * Every call that gpu_try checks counts, from every thread; one that is made to fail is
 * not made. For whole programs GS_GPU_FAIL=KIND:N in the environment does the same, with
 * KIND one of memory, launch, lost.
 */
#ifndef GS_GPU_FAULT_H
#define GS_GPU_FAULT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gs_fault_kind {
    GS_FAULT_NONE,
    GS_FAULT_MEMORY, /* the n-th call: out of memory */
    GS_FAULT_LAUNCH, /* the n-th call: a kernel failed */
    GS_FAULT_LOST,   /* the n-th call and all after it, as after a kernel's bad access */
    GS_FAULT_KIND_COUNT
} gs_fault_kind;

/* Counts from here; 1 is the next call. GS_FAULT_NONE turns it off. Not while other
 * threads use a GPU. */
void gs_fault_arm(gs_fault_kind kind, uint64_t nth);
/* How many calls have been counted since. */
uint64_t gs_fault_calls(void);

#ifdef __cplusplus
}
#endif
#endif
