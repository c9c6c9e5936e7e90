/* SPDX-License-Identifier: MIT */
/*
 * cub_launch: CUB's device-wide calls, launched one kernel after the other.
 *
 * Include this before any other header of CUB. From 2.8 to 3.0 CUB lets the kernels of
 * its merge sort begin while the one before them still runs, and the merge then reads
 * where its parts begin before they have been written (NVIDIA/cccl issue 5297): where
 * other work is on the device, as with several engines there, about one sort in some
 * thousands ended with an illegal access.
 */
#ifndef GS_GPU_CUB_LAUNCH_CUH
#define GS_GPU_CUB_LAUNCH_CUH

#define CCCL_DISABLE_PDL /* what later versions heed; it has to come first */
#include <cub/version.cuh>

#if CUB_VERSION >= 200800 && CUB_VERSION < 300100
#include <cuda/std/__cccl/cuda_capabilities.h>
#undef _CCCL_HAS_PDL
#define _CCCL_HAS_PDL 0
#endif

#endif
