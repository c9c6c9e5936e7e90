/* SPDX-License-Identifier: MIT */
/*
 * gpu_arg: --gpu, the numbers of GPUs.
 */
#ifndef GS_CMD_GPU_ARG_H
#define GS_CMD_GPU_ARG_H

#include <stddef.h>

/* Numbers with commas between them, in place of what *gpus had; grows it as gs_args_grow
 * does. Ends the program with a message if the text is something else. */
void gs_gpu_arg(const char *text, int **gpus, size_t *count);

#endif
