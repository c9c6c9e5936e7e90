/* SPDX-License-Identifier: MIT */
/*
 * sort_options: what a sort, a merge or a check is told to do.
 */
#ifndef GS_LIB_SORT_PLAN_SORT_OPTIONS_H
#define GS_LIB_SORT_PLAN_SORT_OPTIONS_H

#include "lib/base/log.h"
#include "lib/base/trace.h"
#include "lib/sort/key/keys.h"
#include "lib/sort/plan/sort_stats.h"
#include "lib/sort/plan/text_taker.h"

typedef struct gs_sort_options {
    gs_order order;
    const char *const *inputs; /* "-" is standard input; at least one */
    size_t input_count;
    /* One an input, of fixed-size records, in place of that of the order, which is not 0
     * either; only for what is read and not mapped. NULL: all have that. */
    const size_t *input_record_sizes;
    /* Of the only input, which is a plain file, just bytes `from` to `to`: whole records.
     * Not of tables, without a header, no merge. */
    bool has_range;
    uint64_t from, to;
    const char *output; /* NULL: output_fd */
    int output_fd;      /* written in place; 0: standard output */
    /* Gets the text in place of an output; borrowed, NULL: nobody. Without checkpoint,
     * and if it begins again (text_taker.h) without output_zstd. */
    const gs_text_taker *taker;

    size_t memory_bytes; /* -S; 0: chosen from what the machine or cgroup has */
    unsigned threads;    /* --parallel; 0: every core */
    unsigned batch_size; /* --batch-size: runs merged at once; 0: as memory allows */
    const char *const *temp_folders; /* -T; none: $TMPDIR, else /tmp */
    size_t temp_folder_count;
    const char *compress_program; /* --compress-program; NULL: codecs of ours */
    /* Keeps what is done in this folder, and goes on from what is there; NULL: does not.
     * Inputs are regular files and none of them the output, runs are ours (no
     * compress_program), and an order drawn at random is given. By the CPU. */
    const char *checkpoint;

    uint64_t header_lines; /* kept on top, not sorted */
    bool header_of_each;   /* every input has so many, and not only the first */
    /* Inputs are tables: each has the header, which is the same in all of them, and its
     * last line names their columns. `columns`, if not NULL, has for each key of the
     * order the name of the one column that it is of, or NULL: by its number. */
    bool has_columns;
    const char *const *columns;
    uint64_t top_count; /* with has_top: only the first N are kept */
    bool has_top;
    bool count;            /* each distinct line once, as uniq -c prints it */
    bool output_zstd;      /* --output-compress=zstd */
    int output_zstd_level; /* 0: the default */
    bool sums_output;      /* stats tell the XXH3-64 of its bytes */
    bool sync_output;      /* fsync before the rename */
    bool no_uring;
    bool ends_by_pipe;    /* who closes the output's pipe ends the program by SIGPIPE */
    bool no_map;          /* inputs are read, also where to map them is faster */
    bool keep_compressed; /* do not look into compressed inputs */
    bool verify;          /* every record and the order, not only their numbers */

    const char *engine; /* --engine: NULL or "auto", "cpu", "gpu", an engine's name */
    size_t gpu_memory_bytes; /* --gpu-mem, on each; 0: what is free less a reserve */
    const int *gpus;         /* --gpu: their numbers; none: every usable one */
    size_t gpu_count;

    const gs_log *log;                 /* may be NULL */
    gs_sort_stats *stats;              /* filled as the job goes on; may be NULL */
    gs_trace *trace;                   /* a timeline of every stage; may be NULL */
    const volatile int *cancel_signal; /* becomes non-zero: stop; may be NULL */
} gs_sort_options;

#endif
