/* SPDX-License-Identifier: MIT */
#include "gpu/plugin/forward.h"

GS_GPU_WORDS_CALLS(GS_GPU_FORWARD, GS_GPU_FORWARD_VOID)
