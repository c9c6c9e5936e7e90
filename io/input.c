/* SPDX-License-Identifier: MIT */
/*
 * Each file of the list is opened when its turn comes and read in one of three ways:
 *
 *      cached   regular, its pages in the page cache: pread, which is a copy
 *      direct   regular, on the disk: several blocks in flight, O_DIRECT if possible
 *      pumped   pipes, terminals, compressed files: threads of their own (pump.h)
 */
#include "io/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/aio.h"
#include "io/file_look.h"
#include "io/input_map.h"
#include "io/late_read.h"
#include "io/pump.h"
#include "io/wait_read.h"
#include "io/write_all.h"
#include "lib/base/assertion.h"
#include "lib/base/machine.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"
#include "lib/base/share.h"

enum {
    IN_FLIGHT_MAX = 32,
    READS_A_READER = 2, /* one is at hand when another is done */
    SMALL_BYTES = 512 << 10,
    DIRECT_MIN_BYTES = 8 << 20, /* smaller files are not worth the set-up */
    ALIGN = GS_BLOCK_ALIGN,
};

typedef enum gs_input_way {
    GS_INPUT_CLOSED,
    GS_INPUT_CACHED,
    GS_INPUT_DIRECT,
    GS_INPUT_PUMPED,
} gs_input_way;

/* A block in flight. */
typedef struct gs_input_read {
    gs_block *block;
    uint64_t offset;
    uint64_t begin_ns; /* for the trace */
    bool is_done;
    int64_t result;
} gs_input_read;

struct gs_input {
    const char *const *names;
    size_t name_count;
    gs_input_options options;
    uint64_t size_hint;
    size_t unsized_count;            /* files that are not regular */
    _Atomic uint64_t own_bytes_read; /* if the options name no other */
    bool saw_compressed;
    gs_status failure; /* nothing is read after it */

    size_t next_name;    /* the file after the one that is open */
    size_t skip_index;   /* in this file these bytes */
    uint64_t skip_bytes; /* are left out */
    size_t index;        /* the one that is open */
    gs_input_way way;
    int fd;
    bool is_stdin;      /* read by position, maybe through another descriptor */
    unsigned in_flight; /* reads, at most */
    uint64_t offset;    /* of the next read */
    uint64_t end;       /* of all reads of a file */

    gs_aio *aio;
    gs_input_read reads[IN_FLIGHT_MAX];
    size_t reads_first, reads_count;
    bool at_end; /* a read met the end of the file */

    bool is_cached;     /* aio reads from the page cache */
    gs_late_file *late; /* what reads there were are the last, who takes blocks reads */
    gs_late_range late_range; /* them, of this */
    bool is_inside_record;    /* the block before had no end of one, as far as is known */

    gs_pumps *pumps;
    gs_block *ahead; /* what begin read and next has not given yet */
};

/* --- opening -------------------------------------------------------------------- */

/* How many bytes of the range a file of that size has. */
static uint64_t range_bytes(const gs_input_options *o, uint64_t size)
{
    const uint64_t to = size < o->to ? size : o->to;
    return to > o->from ? to - o->from : 0;
}

gs_code gs_input_new(gs_input **out, const char *const *names, size_t name_count,
                     const gs_input_options *options, gs_status *st)
{
    gs_assert(options->blocks_in_flight > 0);
    *out = NULL;
    gs_input *in = NULL;
    GS_TRY(gs_mem_new(&in, sizeof *in, "input", st));
    in->names = names;
    in->name_count = name_count;
    in->options = *options;
    if (in->options.blocks_in_flight > IN_FLIGHT_MAX)
        in->options.blocks_in_flight = IN_FLIGHT_MAX;
    in->fd = -1;
    in->end = options->has_range ? options->to : UINT64_MAX;
    in->skip_bytes = options->has_range ? options->from : 0;
    gs_assert(options->copy == NULL || (options->head == NULL && !options->any_order));
    gs_assert(!options->has_range || (name_count == 1 && options->from <= options->to));
    if (in->options.bytes_read == NULL)
        in->options.bytes_read = &in->own_bytes_read;
    for (size_t i = 0; i < name_count; i++) {
        struct stat info;
        const int error = strcmp(names[i], "-") == 0 ? fstat(STDIN_FILENO, &info)
                                                     : stat(names[i], &info);
        if (error == 0 && S_ISREG(info.st_mode))
            in->size_hint += (uint64_t)info.st_size;
        else
            in->unsized_count++;
    }
    if (options->has_range)
        in->size_hint = range_bytes(options, in->size_hint);
    *out = in;
    return GS_OK;
}

uint64_t gs_input_size_hint(const gs_input *in)
{
    return in->size_hint;
}

bool gs_input_is_sized(const gs_input *in)
{
    return in->unsized_count == 0;
}

bool gs_input_is_small(const gs_input *in)
{
    return gs_input_is_sized(in) && in->size_hint <= SMALL_BYTES;
}

uint64_t gs_input_bytes_read(const gs_input *in)
{
    return atomic_load(in->options.bytes_read);
}

void gs_input_skip_to(gs_input *in, size_t index, uint64_t offset)
{
    gs_assert(!in->options.any_order && in->next_name == 0 && index <= in->name_count);
    in->next_name = in->skip_index = index;
    in->skip_bytes = offset;
}

bool gs_input_saw_compressed(const gs_input *in)
{
    return in->saw_compressed;
}

/* These have names in their messages, which take pages of the stack: a small input is not
 * to pay for them. */
static __attribute__((noinline)) gs_code fail_read(const gs_input *in, size_t index,
                                                   int error, gs_status *st)
{
    gs_quoted name;
    return GS_FAIL(st, GS_ERR_IO, error, "read failed: %s",
                   gs_quote_name(&name, in->names[index]));
}

static __attribute__((noinline)) gs_code fail_open(const char *name, gs_status *st)
{
    const int error = errno;
    const bool may_read = faccessat(AT_FDCWD, name, R_OK, AT_EACCESS) == 0;
    gs_quoted quoted;
    return GS_FAIL(st, GS_ERR_IO, error, "%s: %s",
                   may_read ? "open failed" : "cannot read",
                   gs_quote_name(&quoted, name));
}

/* Our own description of the same file, on which O_DIRECT may be set. */
static int reopen_direct(int fd)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return open(path, O_RDONLY | O_CLOEXEC | O_DIRECT);
}

/* Files that come one after the other are read in the way of the first. */
static gs_code open_direct(gs_input *in, bool is_cached, gs_status *st)
{
    if (in->aio == NULL) {
        const unsigned readers = in->options.cached_readers;
        in->in_flight =
            is_cached ? (unsigned)gs_clamp(READS_A_READER * readers, 1, IN_FLIGHT_MAX)
                      : in->options.blocks_in_flight;
        GS_TRY(is_cached ? gs_aio_new_threads(&in->aio, IN_FLIGHT_MAX, readers, st)
                         : gs_aio_new(&in->aio, IN_FLIGHT_MAX, in->options.no_uring, st));
        void *area;
        size_t area_bytes;
        gs_block_pool_area(in->options.pool, &area, &area_bytes);
        gs_aio_register(in->aio, area, area_bytes);
    }
    const int direct = in->offset % ALIGN == 0 && !is_cached ? reopen_direct(in->fd) : -1;
    if (direct >= 0) {
        if (in->fd != STDIN_FILENO)
            (void)close(in->fd);
        in->fd = direct;
    }
    in->way = GS_INPUT_DIRECT;
    in->is_cached = is_cached;
    in->at_end = false;
    return GS_OK;
}

static void close_file(gs_input *in)
{
    /* Leave standard input where a plain reader would. */
    if (in->is_stdin && (in->way == GS_INPUT_CACHED || in->way == GS_INPUT_DIRECT))
        (void)lseek(STDIN_FILENO, (off_t)in->offset, SEEK_SET);
    if (in->late != NULL) {
        gs_late_file_release(in->late);
        in->late = NULL;
    } else if (in->fd >= 0 && in->fd != STDIN_FILENO) {
        (void)close(in->fd);
    }
    in->fd = -1;
    in->way = GS_INPUT_CLOSED;
}

/* --- cached ----------------------------------------------------------------------- */

static gs_code next_cached(gs_input *in, gs_block **out, gs_status *st)
{
    gs_block *const block = gs_block_get(in->options.pool);
    block->input_index = in->index;
    const uint64_t begin_ns = gs_trace_begin(in->options.trace);
    const uint64_t left = in->end - in->offset;
    const size_t most = left < block->capacity ? (size_t)left : block->capacity;
    const int error = gs_pread_all(in->fd, block->data, most, in->offset, &block->len);
    if (error != 0) {
        gs_block_release(block);
        return fail_read(in, in->index, error, st);
    }
    block->ends_input = block->len < most || most == left;
    in->offset += block->len;
    gs_trace_end(in->options.trace, GS_LANE_READ, 0, "read from the page cache", begin_ns,
                 block->len);
    atomic_fetch_add(in->options.bytes_read, block->len);
    *out = block;
    return GS_OK;
}

/* --- direct ----------------------------------------------------------------------- */

/* Puts as many reads in flight as there may be; waits for a block only if none is. */
static gs_code submit_reads(gs_input *in, gs_status *st)
{
    if (in->late != NULL)
        return GS_OK;
    while (!in->at_end && in->offset < in->end && in->reads_count < in->in_flight) {
        gs_block *const block = in->reads_count == 0 ? gs_block_get(in->options.pool)
                                                     : gs_block_try_get(in->options.pool);
        if (block == NULL)
            return GS_OK;
        gs_input_read *const r =
            &in->reads[(in->reads_first + in->reads_count) % IN_FLIGHT_MAX];
        *r = (gs_input_read){.block = block,
                             .offset = in->offset,
                             .begin_ns = gs_trace_begin(in->options.trace)};
        if (gs_aio_read(in->aio, in->fd, block->data, block->capacity, in->offset, r,
                        st) != GS_OK) {
            gs_block_release(block);
            return st->code;
        }
        in->offset += block->capacity;
        in->reads_count++;
    }
    return GS_OK;
}

static gs_code wait_first_read(gs_input *in, gs_status *st)
{
    const gs_input_read *const first = &in->reads[in->reads_first];
    while (!first->is_done) {
        gs_aio_done done;
        GS_TRY(gs_aio_wait(in->aio, &done, st));
        gs_input_read *const r = done.tag;
        r->is_done = true;
        r->result = done.result;
        gs_trace_end(in->options.trace, GS_LANE_READ, (unsigned)(r - in->reads), "read",
                     r->begin_ns, r->result > 0 ? (uint64_t)r->result : 0);
        if (r->result >= 0 && (size_t)r->result < r->block->capacity)
            in->at_end = true;
    }
    return GS_OK;
}

/* Drops the reads that were submitted beyond the end of the file. */
static void drop_reads(gs_input *in)
{
    gs_status ignored = {.code = GS_OK};
    while (in->reads_count > 0) {
        if (wait_first_read(in, &ignored) != GS_OK)
            break;
        gs_block_release(in->reads[in->reads_first].block);
        in->reads_first = (in->reads_first + 1) % IN_FLIGHT_MAX;
        in->reads_count--;
    }
}

/* --- late ------------------------------------------------------------------------- */

gs_code gs_input_read_late(gs_input *in, uint8_t eol, size_t record_bytes_max,
                           gs_status *st)
{
    struct stat info;
    if (in->way != GS_INPUT_DIRECT || !in->is_cached || in->fd == STDIN_FILENO ||
        in->late != NULL || fstat(in->fd, &info) != 0)
        return GS_OK;
    const uint64_t bytes = (uint64_t)info.st_size;
    in->late_range = (gs_late_range){
        .begin = in->offset,
        .end = bytes < in->end ? bytes : in->end,
        .block_bytes = gs_block_pool_block_bytes(in->options.pool),
        .record_bytes_max = record_bytes_max,
        .eol = eol,
    };
    in->is_inside_record = true; /* where the last read ended is anywhere */
    return gs_late_file_new(&in->late, in->fd, in->names[in->index], &in->late_range, st);
}

/* The length of the block that comes next, and how many bytes of a record that it stands
 * for are behind it; false: its end is none of a record, as far as is known. */
static bool cut_late(const gs_input *in, size_t *bytes, size_t *rest)
{
    const gs_late_ends ends = gs_late_file_ends(in->late, in->offset);
    const uint64_t length = ends.end > 0 ? ends.end - in->offset : UINT64_MAX;
    *rest = 0;
    if (length <= *bytes)
        *bytes = (size_t)length;
    else if (ends.back > in->offset)
        *bytes = (size_t)(ends.back - in->offset);
    else if (!in->is_inside_record && length <= in->late_range.record_bytes_max)
        *rest = (size_t)length - *bytes;
    else
        return false;
    return true;
}

static gs_code next_late(gs_input *in, gs_block **out, gs_status *st)
{
    gs_block *const block = gs_block_get(in->options.pool);
    const uint64_t end = in->late_range.end;
    const uint64_t left = end > in->offset ? end - in->offset : 0;
    const bool is_last = left <= block->capacity;
    size_t bytes = is_last ? (size_t)left : block->capacity, rest = 0;
    in->is_inside_record = is_last || !cut_late(in, &bytes, &rest);
    block->input_index = in->index;
    block->ends_input = bytes + rest == left;
    gs_block_set_late(block, in->late, in->offset, bytes, rest);
    in->offset += bytes + rest;
    atomic_fetch_add(in->options.bytes_read, bytes + rest);
    *out = block;
    if (in->is_inside_record && gs_block_read_late(block, st) != GS_OK) {
        gs_block_release(block);
        *out = NULL;
    }
    return st->code;
}

static gs_code next_direct(gs_input *in, gs_block **out, gs_status *st)
{
    if (in->late != NULL && in->reads_count == 0)
        return next_late(in, out, st);
    GS_TRY(submit_reads(in, st));
    GS_TRY(wait_first_read(in, st));
    gs_input_read *const r = &in->reads[in->reads_first];
    if (r->result < 0)
        return fail_read(in, in->index, (int)-r->result, st);
    gs_block *const block = r->block;
    const uint64_t left = in->end - r->offset;
    block->len = (uint64_t)r->result < left ? (size_t)r->result : (size_t)left;
    block->input_index = in->index;
    block->ends_input = block->len < block->capacity || block->len == left;
    in->reads_first = (in->reads_first + 1) % IN_FLIGHT_MAX;
    in->reads_count--;
    atomic_fetch_add(in->options.bytes_read, block->len);
    if (block->ends_input) {
        drop_reads(in);
        in->offset = r->offset + block->len;
    } else if (submit_reads(in, st) != GS_OK) {
        gs_block_release(block);
        return st->code;
    }
    *out = block;
    return GS_OK;
}

/* --- pumped ----------------------------------------------------------------------- */

/* Is the next file compressed and no pipe? Then it is opened. */
static bool open_compressed(const gs_input *in, gs_pump_file *file)
{
    const char *const name = in->names[in->next_name];
    struct stat info;
    file->fd = strcmp(name, "-") == 0 ? -1 : gs_look_open_regular(name, &info);
    file->index = in->next_name;
    file->may_wait = false;
    file->head = NULL;
    if (file->fd < 0)
        return false; /* that is said in its turn */
    const bool is_compressed =
        gs_look_at_head(file, 0) == 0 && file->kind != GS_COMPRESSION_NONE;
    if (!is_compressed)
        (void)close(file->fd);
    return is_compressed;
}

/* More compressed files that follow, as many as threads and memory allow. */
static gs_code open_ahead(gs_input *in, gs_status *st)
{
    unsigned files_max = in->options.decode_threads;
    if (files_max > GS_INPUT_FILES_MAX)
        files_max = GS_INPUT_FILES_MAX;
    if (!in->options.any_order && in->options.blocks_in_flight <= GS_PUMPS_HEAD_BLOCKS)
        return GS_OK;
    while (in->next_name < in->name_count && gs_pumps_count(in->pumps) < files_max) {
        gs_pump_file file;
        if (!open_compressed(in, &file))
            return GS_OK;
        if (gs_machine_files_are_short(file.fd, GS_LOOK_FILES_LEFT) ||
            gs_pumps_decode_bytes(in->pumps) + file.decode_bytes >
                in->options.decode_bytes_max) {
            (void)close(file.fd);
            return GS_OK;
        }
        in->next_name++;
        GS_TRY(gs_pumps_open(in->pumps, &file, st));
    }
    return GS_OK;
}

static gs_code open_pumped(gs_input *in, const gs_pump_file *file, gs_status *st)
{
    gs_quoted q;
    if (in->options.has_range)
        return GS_FAIL(st, GS_ERR_ARG, 0, "%s: only of a plain file can a range be read",
                       gs_quote_name(&q, in->names[file->index]));
    in->fd = -1; /* the pump's, from now on */
    in->way = GS_INPUT_PUMPED;
    if (in->pumps == NULL &&
        gs_pumps_new(&in->pumps, in->names, &in->options, st) != GS_OK) {
        in->fd = file->fd;
        return st->code;
    }
    GS_TRY(gs_pumps_open(in->pumps, file, st));
    if (file->kind == GS_COMPRESSION_NONE)
        return GS_OK;
    in->saw_compressed = true;
    return open_ahead(in, st);
}

static gs_code next_pumped(gs_input *in, gs_block **out, gs_status *st)
{
    GS_TRY(gs_pumps_next(in->pumps, out, st));
    if (!(*out)->ends_input)
        return GS_OK;
    if (gs_pumps_count(in->pumps) == 0)
        in->way = GS_INPUT_CLOSED;
    else if (open_ahead(in, st) != GS_OK) {
        gs_block_release(*out);
        *out = NULL;
    }
    return st->code;
}

/* --- mapped ----------------------------------------------------------------------- */

bool gs_input_map(gs_input *in, int output_fd, size_t copy_bytes, gs_file_map *map)
{
    const gs_input_files files = {in->names, in->name_count, &in->options};
    if (in->size_hint < GS_INPUT_MAP_MIN ||
        !gs_input_map_all(&files, output_fd, copy_bytes, map))
        return false;
    in->next_name = in->name_count;
    return true;
}

/* --- going on in the middle -------------------------------------------------------- */

/* A plain file is read from there on. */
static void skip_plain(gs_input *in)
{
    if (in->index != in->skip_index)
        return;
    in->offset += in->skip_bytes;
    in->skip_bytes = 0;
}

/* Of a compressed one all is unpacked, and the beginning left out. */
static __attribute__((noinline)) gs_code skip_unpacked(gs_input *in, gs_block *block,
                                                       gs_status *st)
{
    const size_t n = in->skip_bytes < block->len ? (size_t)in->skip_bytes : block->len;
    block->data += n;
    block->len -= n;
    in->skip_bytes -= n;
    gs_quoted q;
    if (in->skip_bytes > 0 && block->ends_input)
        return GS_FAIL(st, GS_ERR_FORMAT, 0,
                       "%s: it ends before where it was read before",
                       gs_quote_name(&q, in->names[block->input_index]));
    return GS_OK;
}

/* --- all ---------------------------------------------------------------------------- */

/* Opens the next file and chooses the way to read it. */
static gs_code open_next(gs_input *in, gs_status *st)
{
    in->index = in->next_name++;
    const char *const name = in->names[in->index];
    const bool is_stdin = strcmp(name, "-") == 0;
    gs_input_copy *const copy = in->options.copy;
    const int again = copy != NULL ? gs_input_copy_reopen(copy, in->index) : -1;
    in->fd = again >= 0 ? again
             : is_stdin
                 ? STDIN_FILENO
                 : gs_wait_open(name, in->unsized_count > 0 ? in->options.cancel : NULL);
    if (in->fd < 0)
        return fail_open(name, st);
    in->is_stdin = in->fd == STDIN_FILENO;
    struct stat info;
    const off_t at = is_stdin ? lseek(in->fd, 0, SEEK_CUR) : 0;
    const bool is_regular = fstat(in->fd, &info) == 0 && S_ISREG(info.st_mode) && at >= 0;
    in->offset = is_regular ? (uint64_t)at : 0;
    /* Files of no size may still have content (/proc). */
    gs_pump_file file = {.fd = in->fd, .index = in->index, .may_wait = !is_regular};
    if (is_stdin && in->options.head != NULL && in->options.head->data != NULL)
        file.head = in->options.head;
    if (copy != NULL && !is_regular && again < 0)
        gs_input_copy_open(copy, in->index, in->fd);
    if (!is_regular || (info.st_size == 0 && !in->options.has_range))
        return open_pumped(in, &file, st);
    const uint64_t size = in->options.has_range
                              ? range_bytes(&in->options, (uint64_t)info.st_size)
                              : (uint64_t)info.st_size;
    const int error =
        in->options.keep_compressed ? 0 : gs_look_at_head(&file, in->offset);
    if (error != 0)
        return fail_read(in, in->index, error, st);
    if (file.kind != GS_COMPRESSION_NONE)
        return open_pumped(in, &file, st);
    skip_plain(in);
    if (size >= DIRECT_MIN_BYTES && in->options.blocks_in_flight > 1) {
        const bool is_cached =
            gs_look_is_cached(in->fd, in->offset, size, GS_LOOK_PROBES / 4 * 3);
        if (!is_cached || in->options.cached_readers > 0)
            return open_direct(in, is_cached, st);
    }
    in->way = GS_INPUT_CACHED;
    return GS_OK;
}

gs_code gs_input_begin(gs_input *in, gs_status *st)
{
    if (in->name_count != 1 || in->size_hint > 0 || in->next_name == in->name_count)
        return GS_OK;
    GS_TRY(gs_input_next(in, &in->ahead, st));
    if (in->ahead->ends_input) {
        in->unsized_count = 0;
        in->size_hint = in->ahead->len;
    }
    return GS_OK;
}

static gs_code next_block(gs_input *in, gs_block **out, gs_status *st)
{
    *out = in->ahead;
    in->ahead = NULL;
    if (*out != NULL)
        return GS_OK;
    if (in->way == GS_INPUT_CLOSED) {
        if (in->next_name == in->name_count)
            return GS_OK;
        GS_TRY(open_next(in, st));
    }
    switch (in->way) {
    case GS_INPUT_CACHED: GS_TRY(next_cached(in, out, st)); break;
    case GS_INPUT_DIRECT: GS_TRY(next_direct(in, out, st)); break;
    case GS_INPUT_PUMPED: GS_TRY(next_pumped(in, out, st)); break;
    case GS_INPUT_CLOSED: gs_assert(false);
    }
    if ((*out)->ends_input && in->way != GS_INPUT_PUMPED)
        close_file(in);
    if (in->skip_bytes > 0 && skip_unpacked(in, *out, st) != GS_OK) {
        gs_block_release(*out);
        *out = NULL;
    }
    return st->code;
}

gs_code gs_input_next(gs_input *in, gs_block **out, gs_status *st)
{
    *out = NULL;
    if (in->failure.code == GS_OK && next_block(in, out, st) == GS_OK)
        return GS_OK;
    /* Another thread may ask before it hears of the failure. */
    gs_status_keep_first(&in->failure, st);
    gs_status_keep_first(st, &in->failure);
    return st->code;
}

void gs_input_free(gs_input *in)
{
    if (in == NULL)
        return;
    drop_reads(in);
    gs_block_release(in->ahead);
    gs_pumps_free(in->pumps);
    close_file(in);
    gs_aio_free(in->aio);
    gs_mem_free(in);
}
