/* SPDX-License-Identifier: MIT */
/*
 * join_job: what every join has, whatever its keys mean: threads, temporary files, the
 * output and what its lines look like.
 *
 * Call order: open; header or first lines side by side, once they are known; write;
 * close. One thread calls.
 */
#ifndef GS_LIB_JOIN_JOIN_JOB_H
#define GS_LIB_JOIN_JOIN_JOB_H

#include "lib/base/team.h"
#include "lib/join/join_format.h"
#include "lib/join/join_options.h"
#include "lib/join/join_shelf.h"
#include "lib/join/join_sorted.h"
#include "lib/sort/text/texts.h"

typedef struct gs_join_job {
    gs_join_options *options; /* a copy, in which fields get numbers for their names */
    gs_join_item *items;      /* of that */
    gs_sort_options sort;     /* inputs are the caller's to set */
    gs_memory_plan plan;      /* of a sort that has all */
    gs_team *team;
    gs_spill *spill;
    gs_join_store store; /* its memory is the caller's to set */
    gs_output *output;
    gs_join_fields first[GS_JOIN_SIDES]; /* the first line, or header */
    bool has_first[GS_JOIN_SIDES];
    gs_join_text header_lines[GS_JOIN_SIDES]; /* copies: an input may be gone */
    gs_join_format format;
    gs_join_text header;
} gs_join_job;

/* `job` is zeroed; close it also after a failure. */
GS_MUST_CHECK gs_code gs_join_job_open(gs_join_job *job, const gs_join_options *options,
                                       gs_status *st);
void gs_join_job_close(gs_join_job *job);

/* A plan with so much less for what is sorted. */
gs_memory_plan gs_join_job_plan_less(const gs_join_job *job, size_t bytes);
/* What a plan has for that. */
size_t gs_join_job_sort_bytes(const gs_join_job *job);

/* Bytes of an input; UINT64_MAX: nobody knows. */
uint64_t gs_join_job_input_bytes(const gs_join_job *job, gs_join_side side);
/* Do lines of a side count only if they have a partner? Not where the first line of all
 * says how many fields there are. */
bool gs_join_job_may_leave_out(const gs_join_job *job, gs_join_side side);

/* A header was read: what is called by a name of it has its number from now on. */
GS_MUST_CHECK gs_code gs_join_job_see_header(gs_join_job *job, gs_join_side side,
                                             const uint8_t *header, size_t bytes,
                                             gs_status *st);
/* The same as what a sort of the side alone calls. */
typedef struct gs_join_header_place {
    gs_join_job *job;
    gs_join_side side;
} gs_join_header_place;
GS_MUST_CHECK gs_code gs_join_header_seen(void *place, size_t input,
                                          const uint8_t *header, size_t bytes,
                                          gs_status *st);
/* The header of a side, without eol; NULL: it has none. */
GS_MUST_CHECK gs_code gs_join_job_take_header(gs_join_job *job, gs_join_side side,
                                              const uint8_t *header, size_t bytes,
                                              gs_status *st);
/* The format from these first lines, and the header of the output. Once again where a
 * side was not known before. */
GS_MUST_CHECK gs_code gs_join_job_make_format(gs_join_job *job, gs_status *st);

/* The output: `make` fills the sink, each thread by pieces of about so many bytes. */
GS_MUST_CHECK gs_code gs_join_job_write(gs_join_job *job, const gs_memory_plan *plan,
                                        size_t piece_bytes, gs_text_output_fn *make,
                                        void *context, gs_status *st);

#endif
