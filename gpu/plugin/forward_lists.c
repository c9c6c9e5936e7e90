/* SPDX-License-Identifier: MIT */
#include "gpu/plugin/forward.h"

GS_GPU_LISTS_CALLS(GS_GPU_FORWARD, GS_GPU_FORWARD_VOID)
