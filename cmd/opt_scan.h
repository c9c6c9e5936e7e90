/* SPDX-License-Identifier: MIT */
/*
 * opt_scan: the options of a command as one table, and the walk along its arguments.
 *
 * A row of the table says what an option is called, what it takes and what is done with
 * it: one of the kinds GS_OPT_* of opt_kinds.h, which store a value, or a function.
 *
 *     const gs_opt options[] = {
 *         {'o', "output", GS_OPT_TEXT(&request->output)},
 *         {0, "replace", GS_OPT_FLAG(&request->replaces)},
 *         {0, NULL, GS_OPT_OPERANDS(&request->inputs, &request->input_count)},
 *     };
 *     gs_opt_parse(argc, argv, usage_text, GS_COUNTED(options));
 *
 * The walk answers as getopt_long does with a leading '-' in its short options, down to
 * the text of the messages, but keeps its state in a struct and knows options that came
 * later: an abbreviation is first looked for among the classic options alone, so that
 * what `--st` means does not change when gpusort grows an option of its own.
 *
 * A command that is not `sort` gives its usage. Then -h, --help and --version are known
 * beside its own options and answered here, and what follows `--` comes as operands.
 * `sort` has the options, messages and exit codes of GNU sort. A mistake ends the
 * program.
 */
#ifndef GS_CMD_OPT_SCAN_H
#define GS_CMD_OPT_SCAN_H

#include <stdbool.h>
#include <stddef.h>

typedef enum gs_opt_argument {
    GS_OPT_NONE,
    GS_OPT_REQUIRED,
    GS_OPT_OPTIONAL, /* long options only, after '=' */
} gs_opt_argument;

typedef struct gs_opt_scan gs_opt_scan;

/* What is done with an option or operand that was met: `to` is the row's. */
typedef void gs_opt_fn(void *to, gs_opt_scan *scan);

typedef struct gs_opt {
    char letter;      /* 0: none */
    const char *name; /* NULL: none; the row without both is what is done with operands */
    gs_opt_argument takes;
    gs_opt_fn *take;
    void *to;
    void *more; /* as the kind has it */
} gs_opt;

struct gs_opt_scan {
    int argc;
    char **argv;
    const gs_opt *options;
    size_t option_count;
    const gs_opt *extras; /* `sort`: gpusort's own options */
    size_t extra_count;
    const char *usage; /* NULL: this is `sort` */

    int index;             /* of the next element of argv; starts at 1 */
    bool has_ended;        /* `--` was met */
    char *cluster;         /* rest of a group of short options, or NULL */
    char *argument;        /* of the option just found, or the operand; NULL if none */
    const gs_opt *current; /* the row just found */
    bool is_long;          /* it was found by its name */
};

/* An array and its length, as two arguments. */
#define GS_COUNTED(array) (array), sizeof(array) / sizeof *(array)

/* Takes all the arguments of a command that is not `sort`. */
void gs_opt_parse(int argc, char **argv, const char *usage, const gs_opt *options,
                  size_t option_count);

/* The row of the next option or operand, which the caller takes; NULL at the end. For
 * `sort`, what is then left of argv from `index` on are operands. */
const gs_opt *gs_opt_next(gs_opt_scan *scan);

/* Will the walk meet the long option of that name, unless a mistake ends it before, or
 * the first operand does? */
bool gs_opt_is_to_come(const gs_opt_scan *scan, const char *name, bool ends_at_operands);

/* Ends the program because of the operand just found: the command takes none. */
_Noreturn void gs_opt_no_operand(const gs_opt_scan *scan);

#endif
