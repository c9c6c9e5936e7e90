/* SPDX-License-Identifier: MIT */
/*
 * stats_args: what the commands of `gpusort stats` have in common: which values they look
 * at, when they report, and with what they work.
 */
#ifndef GS_CMD_STATS_ARGS_H
#define GS_CMD_STATS_ARGS_H

#include "cmd/opt_kinds.h"
#include "cmd/stats_output.h"
#include "lib/gpusort.h"

typedef struct stats_args {
    /* What was said here and below, after it is settled; the statistic and what that has
     * of its own are the command's. */
    gpusort_stream_options stream;
    const char *column, *second_column, *separator;
    gpusort_values type; /* of numbers */
    bool is_text, has_type, is_csv, has_header, has_no_header, is_binary, skips_bad;
    bool has_second; /* values are pairs */
    bool is_verbose;
    stats_output output; /* how answers are printed */
    double eps;
    size_t window;         /* of --window; 0: all values count */
    double window_seconds; /* instead, of time; 0: none */
    const char *save;      /* of --save; may be NULL */
    const char **inputs;
    size_t input_count;
    unsigned threads;
    size_t memory_bytes, gpu_memory_bytes;
    const char *engine;
    int *gpus;
    size_t gpu_count;
} stats_args;

/* Rows of an option table. */
#define STATS_INPUT_OPTIONS(a)                                                           \
    {'t', "field-separator", GS_OPT_TEXT(&(a)->separator)},                              \
        {'k', "column", GS_OPT_TEXT(&(a)->column)},                                      \
        {0, "header", GS_OPT_FLAG(&(a)->has_header)},                                    \
        {0, "no-header", GS_OPT_FLAG(&(a)->has_no_header)},                              \
        {0, "csv", GS_OPT_FLAG(&(a)->is_csv)},                                           \
        {0, "type", GS_OPT_CALL(stats_take_type, (a))},                                  \
        {0, "binary", GS_OPT_FLAG(&(a)->is_binary)},                                     \
        {0, "skip-bad", GS_OPT_FLAG(&(a)->skips_bad)},                                   \
    {                                                                                    \
        0, "every", GS_OPT_CALL(stats_take_every, (a))                                   \
    }
#define STATS_WORK_OPTIONS(a)                                                            \
    {0, "engine", GS_OPT_ENGINE(&(a)->engine)},                                          \
        {0, "gpu", GS_OPT_GPUS(&(a)->gpus, &(a)->gpu_count)},                            \
        {0, "gpu-mem", GS_OPT_GPU_MEMORY(&(a)->gpu_memory_bytes)},                       \
        {'S', "buffer-size", GS_OPT_MEMORY(&(a)->memory_bytes)},                         \
        {0, "parallel", GS_OPT_THREADS(&(a)->threads)},                                  \
        {'v', "verbose", GS_OPT_FLAG(&(a)->is_verbose)},                                 \
    {                                                                                    \
        0, NULL, GS_OPT_OPERANDS(&(a)->inputs, &(a)->input_count)                        \
    }

#define STATS_SAVE_USAGE                                                                 \
    "      --save=FILE          keep what is known in the end, for `stats merge'\n"

#define STATS_TIMES_USAGE                                                                \
    "      --time-column=N|NAME where times stand: seconds, or 2024-02-29T23:59:01Z\n"

#define STATS_COLUMN_USAGE                                                               \
    "  -t, --field-separator=C  what stands between fields (default: blanks); \\t: "     \
    "TAB\n"                                                                              \
    "  -k, --column=N|NAME      the N-th field, or that of this name in the header\n"    \
    "      --header             the first line of a file is a header\n"                  \
    "      --csv                comma-separated, with quotes; a header on top\n"         \
    "      --no-header          no header with --csv\n"
#define STATS_BINARY_USAGE                                                               \
    "      --binary             little-endian numbers of that type, no text\n"           \
    "      --skip-bad           leave out what is no value, and say how many in the "    \
    "end\n"
#define STATS_INPUT_USAGE                                                                \
    "Which values (a number a line, unless said otherwise):\n" STATS_COLUMN_USAGE        \
    "      --type=TYPE          f64 (default), i64, u64, u32\n" STATS_BINARY_USAGE
#define STATS_TEXT_INPUT_USAGE                                                           \
    "Which values (a line, unless said otherwise):\n" STATS_COLUMN_USAGE                 \
    "      --type=TYPE          text (default), or numbers: f64, i64, u64, "             \
    "u32\n" STATS_BINARY_USAGE
#define STATS_WORK_USAGE                                                                 \
    "When and how:\n"                                                                    \
    "      --every=N|TIME       report every N values (K, M, G), or every 5s, 2m\n"      \
    "      --json               a JSON object a report\n"                                \
    "      --engine=NAME        what sorts windows: auto, cpu, gpu, or an engine\n"      \
    "      --gpu=LIST           these GPUs\n"                                            \
    "      --gpu-mem=SIZE       at most so much memory of a GPU\n"                       \
    "  -S, --buffer-size=SIZE   at most so much memory\n"                                \
    "      --parallel=N         threads (default: one a core)\n"                         \
    "  -v, --verbose            say what was chosen and why\n"                           \
    "  -h, --help               this text\n"                                             \
    "      --version            show the version and stop\n"

gs_opt_fn stats_take_type, stats_take_every, stats_take_share, stats_take_window;

/* A share between 0 and 1: --eps and its like. */
#define STATS_OPT_SHARE(to) GS_OPT_CALL(stats_take_share, GS_OPT_TO(double, to))

/* --window of a count, or of a time too. */
#define STATS_OPT_WINDOW(a) GS_OPT_CALL(stats_take_window, (a))

/* The defaults, and after the options were parsed, what follows from them. Ends the
 * program where they do not go together. */
stats_args stats_args_default(void);
/* Of --type: "f64". */
const char *stats_type_name(gpusort_values type);
void stats_args_settle(stats_args *args);
/* The same where values are texts, unless a type of numbers was named. */
void stats_args_settle_texts(stats_args *args);
/* What --window and --time-column ask for together: pairs of value and time. Before the
 * others. */
void stats_settle_times(stats_args *args);
/* Ends the program if something cannot be saved. */
void stats_check_save_name(const char *name); /* NULL is fine */
void stats_check_save(const stats_args *args);
/* Ends the program if eps is out of its limits. */
void stats_check_eps(const stats_args *args);
/* The same where values of a share of `support` are asked for, a tenth of which eps is
 * unless it was named (it is negative before the options are parsed). */
void stats_settle_support(stats_args *args, double support);

/* Tells of what is known of the stream now. */
typedef gs_code stats_report_fn(void *request, gpusort_summary *summary, gs_status *st);

/* Reads the stream, as args->stream says, and reports of it; releases `args` and says
 * what failed or how many values were left out: what the program exits with. From now on
 * SIGUSR1 asks for a report, SIGINT for a last one; a second SIGINT ends the program. */
int stats_command_run(stats_args *args, stats_report_fn *report, void *request);

/* Writes to args->save, if there is one, what is known in the end. */
GS_MUST_CHECK gs_code stats_save(const stats_args *args, gpusort_summary *summary,
                                 gs_status *st);

#endif
