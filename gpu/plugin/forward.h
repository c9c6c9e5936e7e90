/* SPDX-License-Identifier: MIT */
/*
 * forward: a function that calls the one of the same name in the plugin.
 */
#ifndef GS_GPU_PLUGIN_FORWARD_H
#define GS_GPU_PLUGIN_FORWARD_H

#include "gpu/plugin/gpu_calls.h"

#define GS_GPU_FORWARD(type, name, parameters, arguments, ...)                           \
    type name parameters                                                                 \
    {                                                                                    \
        const gs_gpu_table *const gs_gpu_there = gs_gpu_plugin();                        \
        if (gs_gpu_there != NULL)                                                        \
            return gs_gpu_there->name arguments;                                         \
        __VA_ARGS__;                                                                     \
    }

#define GS_GPU_FORWARD_VOID(name, parameters, arguments)                                 \
    void name parameters                                                                 \
    {                                                                                    \
        const gs_gpu_table *const gs_gpu_there = gs_gpu_plugin();                        \
        if (gs_gpu_there != NULL)                                                        \
            gs_gpu_there->name arguments;                                                \
    }

#endif
