/* SPDX-License-Identifier: MIT */
#include "lib/stream/stream_input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/decode.h"
#include "io/wait_read.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"

enum {
    BLOCKS_IN_FLIGHT = 4,
    BLOCKS_AHEAD = 6, /* beyond one a worker */
    TICK_MS = 50,
    STORED_BYTES = 128 << 10,
    DECODE_BYTES_MAX = 64 << 20,
};

/* A pipe that is read as its bytes come. */
typedef struct live_pipe {
    int fd; /* -1: there is none */
    bool has_begun, is_ended;
    gs_decoder *decoder; /* NULL: plain */
    uint8_t *stored;     /* compressed bytes not decoded yet */
    size_t stored_at, stored_end;
} live_pipe;

struct gs_stream_input {
    gs_stream_input_options options;
    gs_block_pool *pool;
    gs_input *input;
    gs_line_feed *feed;
    gs_file_map map;
    live_pipe live;
};

static bool is_cancelled(const gs_stream_input *in)
{
    const volatile int *const cancel = in->options.cancel;
    return cancel != NULL && __atomic_load_n(cancel, __ATOMIC_RELAXED) != 0;
}

static bool is_stopped(const gs_stream_input *in)
{
    return (in->options.stop != NULL && *in->options.stop != 0) || is_cancelled(in);
}

/* --- a pipe ------------------------------------------------------------------------- */

static gs_code fail_read(const gs_stream_input *in, int error, gs_status *st)
{
    gs_quoted name;
    return GS_FAIL(st, GS_ERR_IO, error, "read failed: %s",
                   gs_quote_name(&name, in->options.names[0]));
}

/* Waits until there is something to read, or the end, or a reason to stop. */
static gs_code wait_for_bytes(gs_stream_input *in, gs_status *st)
{
    struct pollfd one = {.fd = in->live.fd, .events = POLLIN};
    while (!is_stopped(in)) {
        const int n = poll(&one, 1, TICK_MS);
        if (n > 0)
            return GS_OK;
        if (n < 0 && errno != EINTR)
            return fail_read(in, errno, st);
        if (in->options.idle != NULL)
            GS_TRY(in->options.idle(in->options.idle_context, st));
    }
    return GS_OK;
}

static gs_code read_some(gs_stream_input *in, void *to, size_t room, size_t *got,
                         gs_status *st)
{
    ssize_t n;
    *got = 0;
    while ((n = read(in->live.fd, to, room)) < 0) {
        if (errno != EINTR && errno != EAGAIN)
            return fail_read(in, errno, st);
        if (errno == EAGAIN) /* somebody else reads it too, and was faster */
            GS_TRY(wait_for_bytes(in, st));
        if (is_stopped(in))
            return GS_OK;
    }
    in->live.is_ended = n == 0;
    *got = (size_t)n;
    return GS_OK;
}

/* The first bytes say whether it is compressed. */
static gs_code begin_pipe(gs_stream_input *in, gs_block *block, gs_status *st)
{
    live_pipe *const p = &in->live;
    while (block->len < GS_DECODE_MAGIC_BYTES && !p->is_ended && !is_stopped(in)) {
        size_t n = 0;
        GS_TRY(wait_for_bytes(in, st));
        if (!is_stopped(in))
            GS_TRY(read_some(in, block->data + block->len,
                             GS_DECODE_MAGIC_BYTES - block->len, &n, st));
        block->len += n;
    }
    p->has_begun = true;
    const gs_compression kind = gs_decode_recognise(block->data, block->len);
    if (kind == GS_COMPRESSION_NONE)
        return GS_OK;
    GS_TRY(gs_mem_new(&p->stored, STORED_BYTES, "compressed input", st));
    GS_TRY(gs_decoder_new(&p->decoder, kind, in->options.names[0], st));
    memcpy(p->stored, block->data, block->len);
    p->stored_end = block->len;
    block->len = 0;
    return GS_OK;
}

/* Decodes what there is of compressed bytes; reads more of them first if there are none.
 */
static gs_code fill_decoded(gs_stream_input *in, gs_block *block, gs_status *st)
{
    live_pipe *const p = &in->live;
    for (;;) {
        size_t taken, made;
        GS_TRY(gs_decoder_run(
            p->decoder, p->stored + p->stored_at, p->stored_end - p->stored_at, &taken,
            block->data + block->len, block->capacity - block->len, &made, st));
        p->stored_at += taken;
        block->len += made;
        if (block->len == block->capacity)
            return GS_OK;
        if (taken > 0 || made > 0)
            continue;
        if (block->len > 0)
            return GS_OK;
        GS_TRY(wait_for_bytes(in, st));
        if (is_stopped(in))
            return GS_OK;
        p->stored_at = 0;
        GS_TRY(read_some(in, p->stored, STORED_BYTES, &p->stored_end, st));
        if (p->is_ended)
            return gs_decoder_end(p->decoder, st);
    }
}

static gs_code fill_plain(gs_stream_input *in, gs_block *block, gs_status *st)
{
    live_pipe *const p = &in->live;
    struct pollfd one = {.fd = p->fd, .events = POLLIN};
    if (block->len == 0)
        GS_TRY(wait_for_bytes(in, st));
    while (block->len < block->capacity && !p->is_ended && !is_stopped(in)) {
        size_t n = 0;
        GS_TRY(read_some(in, block->data + block->len, block->capacity - block->len, &n,
                         st));
        block->len += n;
        if (poll(&one, 1, 0) <= 0)
            break;
    }
    return GS_OK;
}

static gs_code next_of_pipe(void *context, gs_block **out, gs_status *st)
{
    gs_stream_input *const in = context;
    live_pipe *const p = &in->live;
    *out = NULL;
    if (p->is_ended || is_stopped(in))
        return GS_OK;
    gs_block *const block = gs_block_get(in->pool);
    block->input_index = 0;
    if (!p->has_begun)
        GS_TRY_OR_FAIL(begin_pipe(in, block, st));
    if (!p->is_ended)
        GS_TRY_OR_FAIL(p->decoder != NULL ? fill_decoded(in, block, st)
                                          : fill_plain(in, block, st));
    block->ends_input = p->is_ended;
    *out = block;
    return GS_OK;
fail:
    gs_block_release(block);
    return st->code;
}

static gs_code next_of_files(void *context, gs_block **out, gs_status *st)
{
    gs_stream_input *const in = context;
    *out = NULL;
    return is_stopped(in) ? GS_OK : gs_input_next(in->input, out, st);
}

/* The only input, if it is a pipe, a terminal or their like; -1 if not. */
static int open_live(const gs_stream_input_options *o)
{
    struct stat info;
    const bool is_stdin = strcmp(o->names[0], "-") == 0;
    if (o->name_count > 1)
        return -1;
    if ((is_stdin ? fstat(STDIN_FILENO, &info) : stat(o->names[0], &info)) != 0 ||
        S_ISREG(info.st_mode) || S_ISDIR(info.st_mode))
        return -1;
    return is_stdin ? STDIN_FILENO : gs_wait_open(o->names[0], o->cancel);
}

/* --- all inputs --------------------------------------------------------------------- */

static gs_code open_files(gs_stream_input *in, gs_status *st)
{
    const gs_stream_input_options *const o = &in->options;
    const gs_input_options input = {
        .pool = in->pool,
        .blocks_in_flight = BLOCKS_IN_FLIGHT,
        .decode_threads = o->workers,
        .decode_bytes_max = DECODE_BYTES_MAX,
        .log = o->log,
        .cancel = o->cancel,
    };
    return gs_input_new(&in->input, o->names, o->name_count, &input, st);
}

gs_code gs_stream_input_open(gs_stream_input **out, const gs_stream_input_options *o,
                             gs_status *st)
{
    gs_stream_input *in = NULL;
    *out = NULL;
    GS_TRY(gs_mem_new(&in, sizeof *in, "input", st));
    in->options = *o;
    in->live.fd = open_live(o);
    GS_TRY_OR_FAIL(gs_block_pool_new(&in->pool, GS_STREAM_BLOCK_BYTES,
                                     o->workers + BLOCKS_AHEAD, st));
    if (in->live.fd < 0)
        GS_TRY_OR_FAIL(open_files(in, st));
    const gs_block_source source = {in->live.fd < 0 ? next_of_files : next_of_pipe, in,
                                    NULL};
    const gs_csv_form csv = {.separator = ',', .eol = '\n'};
    const gs_line_feed_options feed = {
        .eol = '\n',
        .record_size = o->record_size,
        .record_bytes_max = GS_STREAM_RECORD_BYTES_MAX,
        .too_long_hint = "is it text?",
        .csv = o->has_quotes ? &csv : NULL,
        .names = o->names,
    };
    GS_TRY_OR_FAIL(gs_line_feed_new(&in->feed, &source, &feed, st));
    if (in->input != NULL && !o->has_quotes && gs_input_map(in->input, -1, 0, &in->map))
        gs_line_feed_map(in->feed, &in->map, 0);
    *out = in;
    return GS_OK;
fail:
    gs_stream_input_close(in);
    return st->code;
}

gs_code gs_stream_input_next(gs_stream_input *in, gs_line_batch *out, bool *has_batch,
                             gs_status *st)
{
    *has_batch = false;
    return is_stopped(in) ? GS_OK : gs_line_feed_next(in->feed, out, has_batch, st);
}

gs_code gs_stream_input_check(const gs_stream_input *in, gs_status *st)
{
    if (is_cancelled(in))
        return GS_FAIL(st, GS_ERR_CANCELLED, 0, "cancelled");
    return in->map.base != NULL ? gs_file_map_check(&in->map, st) : GS_OK;
}

void gs_stream_input_close(gs_stream_input *in)
{
    if (in == NULL)
        return;
    gs_line_feed_free(in->feed);
    gs_file_map_close(&in->map);
    gs_input_free(in->input);
    gs_block_pool_free(in->pool);
    gs_decoder_free(in->live.decoder);
    gs_mem_free(in->live.stored);
    if (in->live.fd > STDIN_FILENO)
        (void)close(in->live.fd);
    gs_mem_free(in);
}
