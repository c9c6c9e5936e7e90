/* SPDX-License-Identifier: MIT */
/*
 * file_merge: merge any number of sorted text files and text runs into one sink, in as
 * many passes as the limit on open files and the memory ask for.
 */
#ifndef GS_LIB_SORT_TEXT_FILE_MERGE_H
#define GS_LIB_SORT_TEXT_FILE_MERGE_H

#include "lib/sort/plan/plans.h"
#include "lib/sort/text/text_merge.h"

/* One of the two. */
typedef struct gs_merge_input {
    const char *const *name; /* a file */
    gs_text_run *run;        /* from gs_mem_new, released here */
} gs_merge_input;

/* Looks at the header of a file that was opened, before its first line is. */
typedef gs_code gs_merge_header_fn(void *context, const char *const *name,
                                   const gs_text_source *source, gs_status *st);

typedef struct gs_file_merge {
    const gs_sort_options *options;
    const gs_memory_plan *plan;
    gs_text_source_options source;
    gs_text_merge_options merge;
    gs_spill *spill;
    gs_text_filter filter; /* of the runs */
    size_t fan_in;
    gs_merge_input *inputs; /* changed as passes go on */
    size_t input_count;
    gs_merge_header_fn *see_header; /* with source.shares_header */
    void *header_context;
    gs_text_source first;   /* the first input, opened for its header; or not open */
    size_t next_early;      /* where merging goes on when a run needs room */
    bool is_sort;           /* the inputs need not be sorted: mapped_merge or none */
    bool has_guessed_wrong; /* how they are sorted: mapped_merge looks at all lines */
} gs_file_merge;

/* How many sources at once, by memory and by --batch-size. */
size_t gs_file_merge_fan_in(const gs_sort_options *options, const gs_memory_plan *plan);

/* Before a run is added to the inputs, which are all runs. A run that went through a
 * program holds a descriptor as long as it is there, since temporary files have no names.
 * Where few may be open, some of the runs are merged now. It is an error if even two of
 * them are too many. */
GS_MUST_CHECK gs_code gs_file_merge_make_room(gs_file_merge *merge, gs_status *st);
/* Opens the first input and looks at its header, before anything is merged. */
GS_MUST_CHECK gs_code gs_file_merge_begin(gs_file_merge *merge, gs_status *st);
/* Passes until fan_in inputs are left, or as many as may be open at once. */
GS_MUST_CHECK gs_code gs_file_merge_reduce(gs_file_merge *merge, gs_status *st);
/* The last pass, as piece `ticket` of the sink. */
GS_MUST_CHECK gs_code gs_file_merge_last(gs_file_merge *merge, gs_sink *sink,
                                         uint64_t ticket, gs_status *st);
/* Releases the runs that are left. */
void gs_file_merge_release(gs_file_merge *merge);

#endif
