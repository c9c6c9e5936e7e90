/* SPDX-License-Identifier: MIT */
#include "cmd/opt_kinds.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/engine_arg.h"
#include "cmd/gpu_arg.h"
#include "cmd/report.h"
#include "cmd/size_arg.h"
#include "cmd/word_arg.h"
#include "lib/base/mem.h"

void gs_opt_set(void *to, gs_opt_scan *scan)
{
    (void)scan;
    *(bool *)to = true;
}

void gs_opt_switch(void *to, gs_opt_scan *scan)
{
    (void)scan;
    *(int *)to = 1;
}

void gs_opt_text(void *to, gs_opt_scan *scan)
{
    *(const char **)to = scan->argument;
}

void gs_opt_once(void *to, gs_opt_scan *scan)
{
    const char **const value = to;
    if (*value && strcmp(*value, scan->argument) != 0)
        gs_die(0, "%s", (const char *)scan->current->more);
    *value = scan->argument;
}

void gs_opt_list(void *to, gs_opt_scan *scan)
{
    const char ***const array = to;
    size_t *const count = scan->current->more;
    *array = gs_args_grow(*array, *count, sizeof **array);
    (*array)[(*count)++] = scan->argument;
}

void gs_opt_word(void *to, gs_opt_scan *scan)
{
    const gs_word_list *const list = scan->current->more;
    *(int *)to = gs_word_arg(scan, list->words, list->count);
}

bool gs_args_have_stdin(const char *const *inputs, size_t count)
{
    bool has = false;
    for (size_t i = 0; i < count; i++)
        has |= strcmp(inputs[i], "-") == 0;
    return has;
}

const char *gs_args_output(const char *name)
{
    return name != NULL && strcmp(name, "-") == 0 ? NULL : name;
}

void gs_opt_memory(void *to, gs_opt_scan *scan)
{
    const uint64_t bytes = gs_size_arg_buffer(scan);
    *(size_t *)to = bytes > SIZE_MAX ? SIZE_MAX : bytes == 0 ? 1 : (size_t)bytes;
}

void gs_opt_gpu_memory(void *to, gs_opt_scan *scan)
{
    if (strchr(scan->argument, '%')) /* of the machine's memory: not what is meant */
        gs_number_die(scan, GS_NUMBER_BAD_SUFFIX);
    gs_opt_memory(to, scan);
}

void gs_opt_no_uring(void *to, gs_opt_scan *scan)
{
    (void)scan;
    ((gpusort_job *)to)->flags |= GPUSORT_NO_URING;
}

void gs_opt_threads(void *to, gs_opt_scan *scan)
{
    *(unsigned *)to = gs_size_arg_threads(scan);
}

void gs_opt_batch(void *to, gs_opt_scan *scan)
{
    *(unsigned *)to = gs_size_arg_batch(scan);
}

void gs_opt_count(void *to, gs_opt_scan *scan)
{
    *(size_t *)to = gs_size_arg_count(scan, 1);
}

void gs_opt_engine(void *to, gs_opt_scan *scan)
{
    gs_engine_arg_check(scan->argument);
    gs_opt_text(to, scan);
}

void gs_opt_gpus(void *to, gs_opt_scan *scan)
{
    gs_gpu_arg(scan->argument, to, scan->current->more);
}

void gs_opt_in_front(void *to, gs_opt_scan *scan)
{
    scan->argv[(*(int *)to)++] = scan->argument;
}

void gs_opt_only_operand(void *to, gs_opt_scan *scan)
{
    if (*(const char **)to != NULL)
        gs_opt_no_operand(scan);
    gs_opt_text(to, scan);
}

void *gs_args_grow(void *array, size_t count, size_t item_bytes)
{
    enum { FIRST = 8 };
    const bool is_full = count == 0 || (count >= FIRST && (count & (count - 1)) == 0);
    if (!is_full)
        return array;
    gs_status st = {.code = GS_OK};
    size_t bytes = 0;
    void *grown = array;
    if (gs_mem_size_mul(&bytes, count ? 2 * count : FIRST, item_bytes, &st) != GS_OK ||
        gs_mem_resize(&grown, bytes, "arguments", &st) != GS_OK) {
        gs_report_status(&st, false);
        exit(GS_EXIT_TROUBLE);
    }
    return grown;
}
