/* SPDX-License-Identifier: MIT */
/*
 * opt_scan: walk the arguments of a command, options and operands in the order given.
 *
 * It answers as getopt_long does with a leading '-' in its short options, down to the
 * text of the messages, but keeps its state in a struct and knows options that came
 * later: an abbreviation is first looked for among the classic options alone, so that
 * what `--st` means does not change when gpusort grows an option of its own.
 *
 * A command that is not `sort` gives its usage. Then -h, --help and --version are known
 * beside its own options and answered here, a mistake ends the program, and what follows
 * `--` comes as operands. `sort` has the options, messages and exit codes of GNU sort.
 *
 * Call order: fill the struct, then next until GS_OPT_END; for `sort`, what is left of
 * argv from `index` on are operands.
 */
#ifndef GS_CMD_OPT_SCAN_H
#define GS_CMD_OPT_SCAN_H

#include <stdbool.h>
#include <stddef.h>

enum { GS_OPT_END = -1, GS_OPT_OPERAND = 1, GS_OPT_BAD = '?' };

typedef enum gs_opt_argument {
    GS_OPT_NONE,
    GS_OPT_REQUIRED,
    GS_OPT_OPTIONAL, /* long options only, after '=' */
} gs_opt_argument;

typedef struct gs_opt {
    const char *name;
    gs_opt_argument takes;
    int code;
    bool is_extra; /* gpusort's own */
} gs_opt;

typedef struct gs_opt_scan {
    int argc;
    char **argv;
    const gs_opt *options;
    size_t option_count;
    const char *letters; /* short options; a ':' after one that takes an argument */
    const char *usage;   /* NULL: this is `sort` */

    int index;             /* of the next element of argv; starts at 1 */
    bool has_ended;        /* `--` was met */
    char *cluster;         /* rest of a group of short options, or NULL */
    char *argument;        /* of the option just found, or the operand; NULL if none */
    const gs_opt *current; /* the long option just found; NULL for a short one */
} gs_opt_scan;

/* The code of the next option (its letter, or `code`), GS_OPT_OPERAND, GS_OPT_END, or,
 * for `sort`, GS_OPT_BAD after a message. */
int gs_opt_next(gs_opt_scan *scan);

/* Ends the program because of the operand just found: the command takes none. */
_Noreturn void gs_opt_no_operand(const gs_opt_scan *scan);
/* Keeps the operand just found as the only one; a second operand ends the program. */
void gs_opt_only_operand(const gs_opt_scan *scan, const char **operand);

#endif
