/* SPDX-License-Identifier: MIT */
#include "lib/sort/run/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/file_sync.h"
#include "io/journal.h"
#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"
#include "lib/sort/record/records.h"

#define JOURNAL_NAME "gpusort-journal"
#define RUNS_NAME    "gpusort-runs"

enum { RECORD_JOB = 1, RECORD_RUNS, RECORD_MERGED, RECORD_NOTE };
enum { PATH_BYTES = 4400, WHOSE_BYTES = 4500, LINE_SHOWN_BYTES = 400 };

struct gs_checkpoint {
    gs_checkpoint_job job;
    char journal_path[PATH_BYTES], runs_path[PATH_BYTES];
    char whose[WHOSE_BYTES]; /* "DIR: a checkpoint": how its messages begin */
    bool has_made_folder;
    bool is_open;
    atomic_bool is_worth_keeping; /* set when something is kept */
    bool must_begin; /* what the journal says is over: it goes before more is added */
    int folder_fd, runs_fd;
    gs_journal *journal;
    gs_input_stamps inputs;
    gs_checkpoint_state found;
    uint8_t *extra; /* of the state, until close */
    size_t extra_capacity;
    gs_run_list runs; /* found, until they are given away */
    size_t saved;     /* runs of the list that the journal knows */
    uint64_t runs_bytes;
};

/* --- reading what is there ---------------------------------------------------------- */

static gs_code fail_damaged(const gs_checkpoint *c, const char *what, gs_status *st)
{
    gs_quoted q;
    (void)GS_FAIL(st, GS_ERR_FORMAT, 0, "%s: damaged at byte %llu: %s",
                  gs_quote_name(&q, c->journal_path),
                  (unsigned long long)gs_journal_offset(c->journal), what);
    return gs_status_hint(st, "remove the folder of --checkpoint to begin anew");
}

/* The first line in which two texts differ, of each, without its end. */
static void find_difference(const char *was, size_t was_bytes, const char *is,
                            gs_quoted *was_line, gs_quoted *is_line)
{
    char lines[2][LINE_SHOWN_BYTES + 1] = {"", ""};
    const char *ends[2] = {was + was_bytes, is + strlen(is)};
    const char *at[2] = {was, is};
    for (;;) {
        size_t bytes[2];
        for (int i = 0; i < 2; i++) {
            const size_t left = (size_t)(ends[i] - at[i]);
            const char *const end = left > 0 ? memchr(at[i], '\n', left) : NULL;
            bytes[i] = end != NULL ? (size_t)(end - at[i]) : left;
        }
        const bool is_same = bytes[0] == bytes[1] && memcmp(at[0], at[1], bytes[0]) == 0;
        if (!is_same || at[0] == ends[0] || at[1] == ends[1]) {
            for (int i = 0; i < 2; i++)
                memcpy(lines[i], at[i],
                       bytes[i] < LINE_SHOWN_BYTES ? bytes[i] : LINE_SHOWN_BYTES);
            (void)gs_quote_argument(was_line, lines[0]);
            (void)gs_quote_argument(is_line, lines[1]);
            return;
        }
        for (int i = 0; i < 2; i++)
            at[i] += bytes[i] < (size_t)(ends[i] - at[i]) ? bytes[i] + 1 : bytes[i];
    }
}

static gs_code compare_job(gs_checkpoint *c, gs_unpacker *u, gs_status *st)
{
    size_t bytes;
    c->has_made_folder = gs_unpack_number(u) != 0;
    const char *const was = (const char *)gs_unpack_string(u, &bytes);
    gs_quoted was_line, is_line;
    if (bytes != strlen(c->job.text) || memcmp(was, c->job.text, bytes) != 0) {
        find_difference(was, bytes, c->job.text, &was_line, &is_line);
        (void)GS_FAIL(st, GS_ERR_ARG, 0, "%s of another job: it has %s, and this one %s",
                      c->whose, was_line.text, is_line.text);
    } else if (gs_input_stamps_compare(&c->inputs, u, c->whose, st) == GS_OK) {
        return u->is_short ? fail_damaged(c, "what the job is", st) : GS_OK;
    }
    return gs_status_hint(st, "go on with what it was begun with, or remove the folder");
}

static gs_code keep_extra(gs_checkpoint *c, const uint8_t *data, size_t bytes,
                          gs_status *st)
{
    if (bytes > c->extra_capacity) {
        GS_TRY(gs_mem_resize(&c->extra, bytes, "checkpoint", st));
        c->extra_capacity = bytes;
    }
    if (bytes > 0)
        memcpy(c->extra, data, bytes);
    c->found.extra = c->extra;
    c->found.extra_bytes = bytes;
    return GS_OK;
}

static gs_code add_runs(gs_checkpoint *c, gs_unpacker *u, gs_status *st)
{
    size_t extra_bytes;
    c->found.place.input_index = (size_t)gs_unpack_number(u);
    c->found.place.offset = gs_unpack_number(u);
    const uint8_t *const extra = gs_unpack_string(u, &extra_bytes);
    GS_TRY(keep_extra(c, extra, extra_bytes, st));
    for (uint64_t n = gs_unpack_number(u); n > 0; n--) {
        gs_run run;
        bool is_sound;
        GS_TRY(gs_run_unpack(u, c->runs_bytes, &run, &is_sound, st));
        if (!is_sound)
            return fail_damaged(c, "a run is not where it should be", st);
        GS_TRY(gs_run_list_add(&c->runs, &run, st));
    }
    return u->is_short || c->found.place.input_index > c->job.input_count
               ? fail_damaged(c, "its runs", st)
               : GS_OK;
}

static gs_code replace_runs(gs_checkpoint *c, gs_unpacker *u, gs_status *st)
{
    gs_run run;
    bool is_sound;
    const uint64_t first = gs_unpack_number(u);
    const uint64_t count = gs_unpack_number(u);
    GS_TRY(gs_run_unpack(u, c->runs_bytes, &run, &is_sound, st));
    if (!is_sound)
        return fail_damaged(c, "a merged run is not where it should be", st);
    if (count < 1 || count > c->runs.count || first > c->runs.count - count) {
        gs_run_release(&run);
        return fail_damaged(c, "merged runs that there are not", st);
    }
    gs_run_list_replace(&c->runs, (size_t)first, (size_t)count, &run);
    return GS_OK;
}

static gs_code take_record(gs_checkpoint *c, const gs_journal_record *r, gs_status *st)
{
    gs_unpacker u = {.at = r->payload, .left = r->bytes};
    switch (r->kind) {
    case RECORD_RUNS: return add_runs(c, &u, st);
    case RECORD_MERGED: return replace_runs(c, &u, st);
    case RECORD_NOTE:
        return c->job.note_fn == NULL
                   ? GS_OK
                   : c->job.note_fn(c->job.note_context, r->payload, r->bytes, st);
    default: return fail_damaged(c, "a record of an unknown kind", st);
    }
}

/* The runs have gone: it had ended, or only just begun, and is not gone on with. What a
 * job like this one noted last may tell that its result is there. */
static gs_code read_ended(gs_checkpoint *c, gs_unpacker *job, gs_status *st)
{
    gs_status difference = {.code = GS_OK};
    gs_journal_record record;
    bool has_note = false, has_record = true;
    const bool is_same = compare_job(c, job, &difference) == GS_OK;
    while (has_record) {
        GS_TRY(gs_journal_next(c->journal, &record, &has_record, st));
        if (has_record && record.kind == RECORD_NOTE) {
            GS_TRY(keep_extra(c, record.payload, record.bytes, st));
            has_note = true;
        }
    }
    const size_t bytes = c->found.extra_bytes;
    c->found = (gs_checkpoint_state){0};
    c->must_begin = true;
    return is_same && has_note && c->job.note_fn != NULL
               ? c->job.note_fn(c->job.note_context, c->extra, bytes, st)
               : GS_OK;
}

/* *is_over if there was a job, and nothing of it is gone on with. */
static gs_code read_journal(gs_checkpoint *c, bool *is_over, gs_status *st)
{
    gs_journal_record record;
    bool has_record;
    *is_over = false;
    GS_TRY(gs_journal_next(c->journal, &record, &has_record, st));
    c->must_begin = !has_record;
    if (!has_record)
        return GS_OK;
    gs_unpacker job = {.at = record.payload, .left = record.bytes};
    if (record.kind != RECORD_JOB)
        return fail_damaged(c, "the job is missing", st);
    *is_over = c->runs_fd < 0;
    if (*is_over)
        return read_ended(c, &job, st);
    GS_TRY(compare_job(c, &job, st));
    for (;;) {
        GS_TRY(gs_journal_next(c->journal, &record, &has_record, st));
        if (!has_record)
            return GS_OK;
        GS_TRY(take_record(c, &record, st));
        c->is_worth_keeping = true;
    }
}

/* --- opening ------------------------------------------------------------------------ */

static gs_code fail_name(const char *what, const char *name, int error, gs_status *st)
{
    gs_quoted q;
    return GS_FAIL(st, GS_ERR_IO, error, "%s: %s", what, gs_quote_name(&q, name));
}

static gs_code open_folder(gs_checkpoint *c, gs_status *st)
{
    const char *const folder = c->job.folder;
    c->has_made_folder = mkdir(folder, 0700) == 0;
    if (!c->has_made_folder && errno != EEXIST)
        return fail_name("cannot make the folder", folder, errno, st);
    c->folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (c->folder_fd < 0)
        return fail_name("open failed", folder, errno, st);
    const int a =
        snprintf(c->journal_path, sizeof c->journal_path, "%s/" JOURNAL_NAME, folder);
    const int b = snprintf(c->runs_path, sizeof c->runs_path, "%s/" RUNS_NAME, folder);
    if (a >= PATH_BYTES || b >= PATH_BYTES)
        return fail_name("open failed", folder, ENAMETOOLONG, st);
    return GS_OK;
}

/* What is kept becomes the result, so that it is not taken from anybody else. To whom all
 * files are as good as his own, the folder tells who can have put them there. */
static gs_code check_owner(const gs_checkpoint *c, uint32_t owner, const char *path,
                           gs_status *st)
{
    enum { OTHERS_WRITE = S_IWGRP | S_IWOTH };
    struct stat folder;
    gs_quoted q;
    const uid_t user = geteuid();
    if (owner == user || (user == 0 && fstat(c->folder_fd, &folder) == 0 &&
                          (folder.st_mode & OTHERS_WRITE) == 0))
        return GS_OK;
    return GS_FAIL(st, GS_ERR_ARG, 0, "%s: it is somebody else's",
                   gs_quote_name(&q, path));
}

/* If they are there; with O_CREAT among the flags they are made. */
static gs_code open_runs(gs_checkpoint *c, int flags, gs_status *st)
{
    struct stat info;
    c->runs_fd = open(c->runs_path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
    if (c->runs_fd < 0 && errno == ENOENT && (flags & O_CREAT) == 0)
        return GS_OK;
    if (c->runs_fd < 0 || fstat(c->runs_fd, &info) != 0)
        return fail_name("open failed", c->runs_path, errno, st);
    if (!S_ISREG(info.st_mode))
        return fail_name("open failed", c->runs_path, EINVAL, st);
    c->runs_bytes = (uint64_t)info.st_size;
    return check_owner(c, info.st_uid, c->runs_path, st);
}

/* The folder that the folder is in knows it durably. */
static gs_code sync_own_name(const gs_checkpoint *c, gs_status *st)
{
    const int error = gs_name_sync(c->job.folder);
    return error == 0 ? GS_OK : fail_name("write failed", c->job.folder, error, st);
}

static gs_code sync_names(const gs_checkpoint *c, gs_status *st)
{
    const int error = gs_file_sync(c->folder_fd);
    return error == 0 ? GS_OK : fail_name("write failed", c->job.folder, error, st);
}

/* The journal is of this job, and of no other any more, before there are runs again. */
static gs_code begin(gs_checkpoint *c, gs_status *st)
{
    gs_packer p = {0};
    if (!c->must_begin)
        return GS_OK;
    gs_journal_reset(c->journal);
    if (gs_pack_number(&p, c->has_made_folder, st) == GS_OK &&
        gs_pack_string(&p, c->job.text, strlen(c->job.text), st) == GS_OK &&
        gs_input_stamps_pack(&c->inputs, &p, st) == GS_OK)
        GS_NOTED(gs_journal_append(c->journal, RECORD_JOB, p.data, p.bytes, st));
    gs_packer_release(&p);
    GS_TRY(st->code);
    if (c->runs_fd < 0)
        GS_TRY(open_runs(c, O_CREAT, st));
    c->must_begin = false;
    GS_TRY(sync_names(c, st));
    return c->has_made_folder ? sync_own_name(c, st) : GS_OK;
}

static void tell(const gs_checkpoint *c)
{
    const gs_log *const log = c->job.log;
    const uint64_t torn = gs_journal_torn_bytes(c->journal);
    if (torn > 0)
        gs_log_say(
            log, GS_LOG_WARNING,
            "%s: the last %llu bytes of its journal do not hold, and what they told "
            "is done again",
            c->whose, (unsigned long long)torn);
    if (c->runs.count > 0)
        gs_log_say(log, GS_LOG_INFO, "%s: going on behind %zu runs", c->whose,
                   c->runs.count);
}

static gs_code open_all(gs_checkpoint *c, gs_status *st)
{
    bool is_over;
    gs_quoted q;
    (void)snprintf(c->whose, sizeof c->whose, "%s: a checkpoint",
                   gs_quote_name(&q, c->job.folder));
    GS_TRY(gs_input_stamps_take(&c->inputs, c->job.inputs, c->job.input_count, st));
    if (c->job.output != NULL)
        GS_TRY(gs_input_stamps_refuse_output(&c->inputs, c->job.output, st));
    GS_TRY(open_folder(c, st));
    GS_TRY(gs_journal_open(&c->journal, c->journal_path, st));
    GS_TRY(check_owner(c, gs_journal_owner(c->journal), c->journal_path, st));
    GS_TRY(open_runs(c, 0, st));
    GS_TRY(read_journal(c, &is_over, st));
    tell(c);
    c->found.run_count = c->runs.count;
    return is_over ? GS_OK : begin(c, st);
}

gs_code gs_checkpoint_open(gs_checkpoint **out, const gs_checkpoint_job *job,
                           gs_status *st)
{
    *out = NULL;
    gs_checkpoint *c = NULL;
    GS_TRY(gs_mem_new(&c, sizeof *c, "checkpoint", st));
    c->job = *job;
    c->folder_fd = c->runs_fd = -1;
    c->is_open = open_all(c, st) == GS_OK;
    if (c->is_open)
        *out = c;
    else
        gs_checkpoint_close(c);
    return st->code;
}

void gs_checkpoint_close(gs_checkpoint *c)
{
    if (c == NULL)
        return;
    if (c->is_open && !c->is_worth_keeping)
        gs_checkpoint_finish(c);
    gs_run_list_release(&c->runs);
    gs_journal_close(c->journal);
    gs_input_stamps_release(&c->inputs);
    if (c->runs_fd >= 0)
        (void)close(c->runs_fd);
    if (c->folder_fd >= 0)
        (void)close(c->folder_fd);
    gs_mem_free(c->extra);
    gs_mem_free(c);
}

/* --- going on ----------------------------------------------------------------------- */

const gs_checkpoint_state *gs_checkpoint_found(const gs_checkpoint *c)
{
    return &c->found;
}

/* What lies behind the runs was being written when everything stopped. */
static gs_code cut_runs(const gs_checkpoint *c, uint64_t *end, gs_status *st)
{
    *end = 0;
    for (size_t i = 0; i < c->runs.count; i++) {
        const gs_spill_extent *const e = &c->runs.runs[i].extent;
        if (*end < e->offset + e->bytes)
            *end = e->offset + e->bytes;
    }
    return ftruncate(c->runs_fd, (off_t)*end) == 0
               ? GS_OK
               : fail_name("write failed", c->runs_path, errno, st);
}

gs_code gs_checkpoint_give_runs(gs_checkpoint *c, gs_run_list *list, gs_status *st)
{
    uint64_t end;
    gs_assert(list->count == 0 && list->spill == NULL);
    GS_TRY(begin(c, st));
    gs_assert(c->runs_fd >= 0);
    GS_TRY(cut_runs(c, &end, st));
    const int fd = c->runs_fd;
    c->runs_fd = -1;
    GS_TRY(gs_spill_new_kept(&list->spill, c->job.folder, fd, end, st));
    gs_mem_free(list->runs);
    list->runs = c->runs.runs;
    list->count = c->runs.count;
    list->capacity = c->runs.capacity;
    c->saved = list->count;
    c->runs = (gs_run_list){0};
    for (size_t i = 0; i < list->count; i++)
        gs_spill_extent_adopt(list->spill, &list->runs[i].extent);
    return GS_OK;
}

static gs_code append(gs_checkpoint *c, uint32_t kind, gs_packer *p, gs_status *st)
{
    if (st->code == GS_OK && begin(c, st) == GS_OK)
        GS_NOTED(gs_journal_append(c->journal, kind, p->data, p->bytes, st));
    c->is_worth_keeping = true;
    gs_packer_release(p);
    return st->code;
}

static gs_code pack_runs(gs_packer *p, const gs_run_list *list, size_t first,
                         gs_status *st)
{
    GS_TRY(gs_pack_number(p, list->count - first, st));
    for (size_t i = first; i < list->count; i++)
        GS_TRY(gs_run_pack(p, &list->runs[i], st));
    return GS_OK;
}

gs_code gs_checkpoint_save(gs_checkpoint *c, const gs_run_list *list,
                           const gs_input_place *place, const void *extra,
                           size_t extra_bytes, gs_status *st)
{
    gs_packer p = {0};
    gs_assert(c->saved <= list->count);
    GS_TRY(gs_spill_sync(list->spill, st));
    if (gs_pack_number(&p, place->input_index, st) == GS_OK &&
        gs_pack_number(&p, place->offset, st) == GS_OK &&
        gs_pack_string(&p, extra, extra_bytes, st) == GS_OK)
        GS_NOTED(pack_runs(&p, list, c->saved, st));
    c->saved = list->count;
    return append(c, RECORD_RUNS, &p, st);
}

gs_code gs_checkpoint_save_merge(gs_checkpoint *c, const gs_run_list *list,
                                 const gs_run *run, size_t first, size_t count,
                                 gs_status *st)
{
    gs_packer p = {0};
    gs_assert(c->saved == list->count && first + count <= list->count);
    c->saved -= count - 1;
    GS_TRY(gs_spill_sync(list->spill, st));
    if (gs_pack_number(&p, first, st) == GS_OK && gs_pack_number(&p, count, st) == GS_OK)
        GS_NOTED(gs_run_pack(&p, run, st));
    return append(c, RECORD_MERGED, &p, st);
}

gs_code gs_checkpoint_note(gs_checkpoint *c, const void *data, size_t bytes,
                           gs_status *st)
{
    GS_TRY(begin(c, st));
    c->is_worth_keeping = true;
    return gs_journal_append(c->journal, RECORD_NOTE, data, bytes, st);
}

gs_code gs_checkpoint_sync_names(gs_checkpoint *c, gs_status *st)
{
    c->is_worth_keeping = true;
    return sync_names(c, st);
}

gs_code gs_checkpoint_check_inputs(const gs_checkpoint *c, gs_status *st)
{
    return gs_input_stamps_check(&c->inputs, st);
}

void gs_checkpoint_finish(gs_checkpoint *c)
{
    /* The journal last, so that what was noted in it is known as long as anything is
     * there to be removed; that its runs have gone says that all is over. */
    const char *const names[] = {RUNS_NAME, JOURNAL_NAME};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (unlinkat(c->folder_fd, names[i], 0) == 0)
            (void)fsync(c->folder_fd);
        else if (errno != ENOENT)
            gs_log_say(c->job.log, GS_LOG_WARNING, "%s cannot be removed: %s", c->whose,
                       strerror(errno));
    }
    if (c->has_made_folder)
        (void)rmdir(c->job.folder);
}
