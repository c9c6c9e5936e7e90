/* SPDX-License-Identifier: MIT */
/*
 * Data for tests, to a file, a descriptor or a function.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "io/output.h"
#include "io/stream.h"
#include "lib/api/api_call.h"
#include "lib/api/api_pipe.h"
#include "lib/api/api_taker.h"
#include "lib/base/machine.h"
#include "lib/data/gen_data.h"
#include "lib/data/gen_write.h"

const char *gpusort_data_name(size_t i)
{
    return i < GS_GEN_KIND_COUNT ? gs_gen_kind_name((gs_gen_kind)i) : NULL;
}

const char *gpusort_distribution_name(size_t i)
{
    return i < GS_GEN_SHAPE_COUNT ? gs_gen_shape_name((gs_gen_shape)i) : NULL;
}

/* --- what is asked for, as ours ----------------------------------------------------- */

typedef const char *name_fn(size_t i);

/* The number of a name. */
static gs_code find_name(size_t *out, name_fn *name_of, const char *name,
                         const char *what, gs_status *st)
{
    for (*out = 0; name_of(*out) != NULL; ++*out) {
        if (strcmp(name_of(*out), name) == 0)
            return GS_OK;
    }
    return GS_FAIL(st, GS_ERR_ARG, 0, "no known %s: '%.100s'", what, name);
}

static gs_gen_shape usual_shape(gs_gen_kind kind)
{
    switch (kind) {
    case GS_GEN_TUPLES:
    case GS_GEN_DOCS:
    case GS_GEN_WEBLOG: return GS_GEN_ZIPF;
    case GS_GEN_LINES:
    case GS_GEN_U32:
    case GS_GEN_U64:
    case GS_GEN_RECORDS:
    case GS_GEN_KIND_COUNT: break;
    }
    return GS_GEN_UNIFORM;
}

static void set_numbers(gpusort_generate_options *o)
{
    const gs_gen_options usual = gs_gen_options_default();
    o->has_zeros = 1;
    o->records = usual.record_count;
    o->bytes = usual.bytes;
    o->seed = usual.seed;
    o->exponent = usual.exponent;
    o->mean = usual.mean;
    o->disorder = usual.disorder;
    o->line_bytes_min = usual.line_bytes_min;
    o->line_bytes_max = usual.line_bytes_max;
    o->documents = usual.doc_count;
    o->document_words = usual.doc_words;
}

void gpusort_generate_defaults(gpusort_generate_options *options)
{
    gpusort_generate_options all = {.size = 0};
    const size_t bytes = options->size < sizeof all ? options->size : sizeof all;
    memcpy(&all, options, bytes);
    set_numbers(&all);
    memcpy(options, &all, bytes);
}

/* A number is what it is, or what its 0 stands for. */
static void replace_zeros(gpusort_generate_options *o)
{
    gpusort_generate_options usual = {.size = 0};
    if (o->has_zeros)
        return;
    set_numbers(&usual);
    o->records = o->records != 0 ? o->records : usual.records;
    o->bytes = o->bytes != 0 ? o->bytes : usual.bytes;
    o->seed = o->seed != 0 ? o->seed : usual.seed;
    o->exponent = o->exponent != 0 ? o->exponent : usual.exponent;
    o->mean = o->mean != 0 ? o->mean : usual.mean;
    o->disorder = o->disorder != 0 ? o->disorder : usual.disorder;
    o->line_bytes_min = o->line_bytes_min != 0 ? o->line_bytes_min : usual.line_bytes_min;
    o->line_bytes_max = o->line_bytes_max != 0 ? o->line_bytes_max : usual.line_bytes_max;
    o->documents = o->documents != 0 ? o->documents : usual.documents;
    o->document_words = o->document_words != 0 ? o->document_words : usual.document_words;
}

static gs_code take_options(gs_gen_options *out, gpusort_generate_options *asked,
                            gs_status *st)
{
    size_t kind = GS_GEN_LINES, shape;
    replace_zeros(asked);
    if (asked->kind != NULL)
        GS_TRY(find_name(&kind, gpusort_data_name, asked->kind, "kind of data", st));
    shape = usual_shape((gs_gen_kind)kind);
    if (asked->distribution != NULL)
        GS_TRY(find_name(&shape, gpusort_distribution_name, asked->distribution,
                         "distribution", st));
    *out = gs_gen_options_default();
    out->kind = (gs_gen_kind)kind;
    out->shape = (gs_gen_shape)shape;
    out->record_count = asked->records;
    out->bytes = asked->bytes;
    out->seed = asked->seed;
    out->distinct = asked->distinct;
    out->exponent = asked->exponent;
    out->mean = asked->mean;
    out->disorder = asked->disorder;
    out->line_bytes_min = asked->line_bytes_min;
    out->line_bytes_max = asked->line_bytes_max;
    if (asked->alphabet != NULL)
        out->alphabet = asked->alphabet;
    out->doc_count = asked->documents;
    out->doc_words = asked->document_words;
    out->first_record = asked->first_record;
    out->docs_ascend = asked->documents_ascend != 0;
    out->is_tsv = asked->has_tabs != 0;
    out->is_text = asked->is_text != 0;
    out->is_binary = asked->is_binary != 0;
    return GS_OK;
}

/* --- the call ----------------------------------------------------------------------- */

/* More threads than that have no cores. */
enum { THREADS_MAX = 1024 };

typedef struct generating {
    gpusort_generate_options asked;
    int fd; /* 0: standard output */
    gs_gen_data *data;
    gs_api_job job;
    gs_api_taker taker;
} generating;

static gs_code write_to(generating *g, gs_gen_target *target, uint64_t *total,
                        gs_status *st)
{
    const unsigned asked = g->asked.job.threads;
    const unsigned threads = asked > 0 ? asked : gs_machine_cores();
    target->bytes_limit = g->asked.bytes;
    target->cancel = &g->job.cancel;
    target->written = &g->job.stats->index.sort.output_bytes;
    return gs_gen_write(g->data, target, threads < THREADS_MAX ? threads : THREADS_MAX,
                        total, st);
}

static gs_code give(generating *g, gs_status *st)
{
    uint64_t total;
    g->taker = (gs_api_taker){g->asked.write, g->asked.job.context};
    gs_gen_target target = {.take = gs_api_take, .take_context = &g->taker};
    return write_to(g, &target, &total, st);
}

static gs_code write_output(generating *g, gs_status *st)
{
    gs_output *output = NULL;
    char failure[GS_STREAM_FAILURE_BYTES];
    uint64_t total;
    GS_TRY(g->fd > 0 ? gs_output_open_descriptor(&output, g->fd, st)
                     : gs_output_open(&output, g->asked.output, NULL, st));
    (void)snprintf(failure, sizeof failure, "write failed: %s", gs_output_name(output));
    gs_gen_target target = {
        .fd = gs_output_fd(output),
        .is_seekable = gs_output_is_seekable(output),
        .offset = gs_output_start_offset(output),
        .failure = failure,
    };
    if (write_to(g, &target, &total, st) == GS_OK)
        GS_NOTED(gs_output_commit(output, total, false, st));
    gs_output_free(output);
    return st->code;
}

/* Threads that make data hear no SIGPIPE: the one that calls does. */
static void end_by_pipe(const generating *g, const gs_status *st)
{
    if (st->sys == EPIPE && (g->asked.job.flags & GPUSORT_ENDS_BY_PIPE) != 0)
        (void)raise(SIGPIPE);
}

static gs_code run(generating *g, gs_status *st)
{
    gs_api_hush hush;
    if (g->asked.write != NULL)
        return give(g, st);
    gs_api_hush_pipes(&hush);
    GS_NOTED(write_output(g, st));
    gs_api_unhush_pipes(&hush);
    end_by_pipe(g, st);
    return st->code;
}

gpusort_code gpusort_generate(const gpusort_generate_options *options,
                              gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    gs_gen_options o;
    generating g = {.data = NULL};
    if (gs_api_take_options(&g.asked, sizeof g.asked, options, &st) == GS_OK &&
        gs_api_check_output(g.asked.output, g.asked.output_fd, g.asked.write != NULL,
                            &g.fd, &st) == GS_OK &&
        take_options(&o, &g.asked, &st) == GS_OK &&
        gs_gen_data_new(&g.data, &o, &st) == GS_OK &&
        gs_api_job_open(&g.job, &g.asked.job, &st) == GS_OK) {
        GS_NOTED(run(&g, &st));
        gs_api_job_close(&g.job);
    }
    gs_gen_data_free(g.data);
    return gs_api_result(&st, error);
}
