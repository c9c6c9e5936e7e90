/* SPDX-License-Identifier: MIT */
/*
 * gpu_plugin: what the plugin is: the functions of gpu/, in a table. Is no part of the
 * program or the library.
 */
#include "gpu/plugin/gpu_calls.h"

#define ENTRY(type, name, ...) .name = name,
#define VOID_ENTRY(name, ...)  .name = name,

__attribute__((visibility("default"))) extern const gs_gpu_table gs_gpu_table_1;
const gs_gpu_table gs_gpu_table_1 = {
    .version = GS_VERSION,
    .crossing = GS_GPU_CROSSING,
    GS_GPU_CALLS(ENTRY, VOID_ENTRY) /* */
};
