/* SPDX-License-Identifier: MIT */
/*
 * opt_kinds: the kinds of options that more than one command has.
 *
 * Each macro is what follows letter and name in a row of a table (cmd/opt_scan.h). A
 * target of another type does not compile. What only one command does with an option is a
 * function there, in a row of GS_OPT_CALL; numbers with messages of their own are taken
 * by the functions of size_arg.
 */
#ifndef GS_CMD_OPT_KINDS_H
#define GS_CMD_OPT_KINDS_H

#include <stdint.h>

#include "cmd/opt_scan.h"
#include "cmd/word_arg.h"
#include "lib/gpusort.h"

/* `to`, which must be a `type *`. */
#define GS_OPT_TO(type, to) (1 ? (to) : (type *)NULL)

/* The function gets the argument, none, or NULL where that was left out. */
#define GS_OPT_CALL(fn, to)       GS_OPT_REQUIRED, (fn), (to), NULL
#define GS_OPT_CALL_BARE(fn, to)  GS_OPT_NONE, (fn), (to), NULL
#define GS_OPT_CALL_MAYBE(fn, to) GS_OPT_OPTIONAL, (fn), (to), NULL

/* Sets a bool. */
#define GS_OPT_FLAG(to) GS_OPT_NONE, gs_opt_set, GS_OPT_TO(bool, to), NULL
/* Sets a flag of gpusort.h to 1. */
#define GS_OPT_SWITCH(to) GS_OPT_NONE, gs_opt_switch, GS_OPT_TO(int, to), NULL
/* Keeps the argument; the last one counts. */
#define GS_OPT_TEXT(to) GS_OPT_REQUIRED, gs_opt_text, GS_OPT_TO(const char *, to), NULL
/* Keeps the argument; another one later ends the program with the complaint. */
#define GS_OPT_ONCE(to, complaint)                                                       \
    GS_OPT_REQUIRED, gs_opt_once, GS_OPT_TO(const char *, to),                           \
        (void *)(uintptr_t)(complaint)
/* Adds the argument to an array from gs_mem. */
#define GS_OPT_LIST(array, count)                                                        \
    GS_OPT_REQUIRED, gs_opt_list, GS_OPT_TO(const char **, array),                       \
        GS_OPT_TO(size_t, count)
/* The value of one of `words`, a static array, in an enum. */
#define GS_OPT_WORD(to, words)                                                           \
    GS_OPT_REQUIRED, gs_opt_word, (to), &(gs_word_list)                                  \
    {                                                                                    \
        (words), sizeof(words) / sizeof *(words)                                         \
    }
/* -S and its like, at least one byte; --gpu-mem, which has no per cents. */
#define GS_OPT_MEMORY(to) GS_OPT_REQUIRED, gs_opt_memory, GS_OPT_TO(size_t, to), NULL
#define GS_OPT_GPU_MEMORY(to)                                                            \
    GS_OPT_REQUIRED, gs_opt_gpu_memory, GS_OPT_TO(size_t, to), NULL
/* --parallel, --batch-size, and a count from 1 on. */
#define GS_OPT_THREADS(to) GS_OPT_REQUIRED, gs_opt_threads, GS_OPT_TO(unsigned, to), NULL
#define GS_OPT_BATCH(to)   GS_OPT_REQUIRED, gs_opt_batch, GS_OPT_TO(unsigned, to), NULL
#define GS_OPT_COUNT(to)   GS_OPT_REQUIRED, gs_opt_count, GS_OPT_TO(size_t, to), NULL
/* --no-uring, of a job. */
#define GS_OPT_NO_URING(to) GS_OPT_NONE, gs_opt_no_uring, GS_OPT_TO(gpusort_job, to), NULL
/* --engine of sorts, looked for at once; --gpu. */
#define GS_OPT_ENGINE(to)                                                                \
    GS_OPT_REQUIRED, gs_opt_engine, GS_OPT_TO(const char *, to), NULL
#define GS_OPT_GPUS(array, count)                                                        \
    GS_OPT_REQUIRED, gs_opt_gpus, GS_OPT_TO(int *, array), GS_OPT_TO(size_t, count)

/* Operands, in the row without letter and name: kept in an array from gs_mem, moved to
 * the front of argv and counted, or the only one there may be. */
#define GS_OPT_OPERANDS(array, count) GS_OPT_LIST(array, count)
#define GS_OPT_OPERANDS_IN_FRONT(count)                                                  \
    GS_OPT_REQUIRED, gs_opt_in_front, GS_OPT_TO(int, count), NULL
#define GS_OPT_OPERAND(to)                                                               \
    GS_OPT_REQUIRED, gs_opt_only_operand, GS_OPT_TO(const char *, to), NULL

gs_opt_fn gs_opt_set, gs_opt_switch, gs_opt_text, gs_opt_once, gs_opt_list, gs_opt_word,
    gs_opt_memory, gs_opt_gpu_memory, gs_opt_threads, gs_opt_batch, gs_opt_count,
    gs_opt_no_uring, gs_opt_engine, gs_opt_gpus, gs_opt_in_front, gs_opt_only_operand;

/* Is one of the inputs "-", standard input? */
bool gs_args_have_stdin(const char *const *inputs, size_t count);

/* The name of an output as the library has it: "-" is NULL, standard output. */
const char *gs_args_output(const char *name);

/* Room for one more item behind the `count` that `array` has; ends the program when
 * there is no memory. */
void *gs_args_grow(void *array, size_t count, size_t item_bytes);

#endif
