/* SPDX-License-Identifier: MIT */
/*
 * Journals and checkpoints of any bytes: records that are sound up to the first that is
 * not, an error that names what is wrong, or a checkpoint of which every number is in
 * bounds; never a crash, and never a run beyond the end of the file of runs.
 *
 *      how u8 | bytes of runs u8 | the rest
 *
 * How: 0 the rest is a journal; 1 the rest is records, kind u8 and bytes u16 and payload
 * each, and gets sums that are right; 2 the same behind a record of the job that is asked
 * for; 3 the same for a merge of indexes, whose notes are read.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/journal.h"
#include "lib/base/mem.h"
#include "lib/index/merge/merge_checkpoint.h"
#include "lib/sort/run/checkpoint.h"
#include "tests/check.h"
#include "tests/scratch_folder.h"

enum { HEAD_BYTES = 2, PATH_BYTES = 80, RUNS_UNIT = 4096 };

static char folder[SCRATCH_FOLDER_BYTES];
static char journal_path[PATH_BYTES + 20], runs_path[PATH_BYTES + 20];
static char input_path[PATH_BYTES + 20];
/* The first record of a job, as the program writes it. */
typedef struct job_record {
    uint8_t data[4096];
    size_t bytes;
} job_record;
static job_record sort_job, merge_job;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

static void clean_up(void)
{
    (void)unlink(journal_path);
    (void)unlink(runs_path);
    (void)unlink(input_path);
    (void)rmdir(folder);
}

static void write_file(const char *path, const void *data, size_t bytes)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    REQUIRE(fd >= 0 && write(fd, data, bytes) == (ssize_t)bytes && close(fd) == 0);
}

static gs_code open_checkpoint(gs_checkpoint **c, gs_status *st)
{
    static const char *inputs[1];
    inputs[0] = input_path;
    static gs_checkpoint_job job;
    job = (gs_checkpoint_job){
        .folder = folder, .text = "program: test\n", .inputs = inputs, .input_count = 1};
    return gs_checkpoint_open(c, &job, st);
}

/* A merge of no indexes: what is noted of it does not depend on them. */
static gs_code open_merge(gs_merge_checkpoint **c, gs_status *st)
{
    static gs_index_merge_options options;
    options = (gs_index_merge_options){.folder = input_path, .checkpoint = folder};
    return gs_merge_checkpoint_open(c, &options, NULL, NULL, st);
}

/* Of the checkpoint that was just begun, and is open: closed with nothing in it, it goes.
 */
static void learn_job(job_record *job)
{
    enum { BEGIN = 16, HEAD = 24 }; /* as io/journal.h draws them */
    uint8_t text[BEGIN + HEAD + sizeof job->data];
    const int fd = open(journal_path, O_RDONLY | O_CLOEXEC);
    REQUIRE(fd >= 0);
    const ssize_t bytes = read(fd, text, sizeof text);
    REQUIRE(bytes > BEGIN + HEAD && bytes < (ssize_t)sizeof text && close(fd) == 0);
    job->bytes = (size_t)bytes - BEGIN - HEAD;
    memcpy(job->data, text + BEGIN + HEAD, job->bytes);
}

static void learn_jobs(void)
{
    gs_status st = {.code = GS_OK};
    gs_checkpoint *sort = NULL;
    gs_merge_checkpoint *merge = NULL;
    REQUIRE(open_checkpoint(&sort, &st) == GS_OK);
    learn_job(&sort_job);
    gs_checkpoint_close(sort);
    REQUIRE(open_merge(&merge, &st) == GS_OK);
    learn_job(&merge_job);
    gs_merge_checkpoint_close(merge);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    scratch_folder_new(folder);
    (void)snprintf(journal_path, sizeof journal_path, "%s/gpusort-journal", folder);
    (void)snprintf(runs_path, sizeof runs_path, "%s/gpusort-runs", folder);
    (void)snprintf(input_path, sizeof input_path, "%s/input", folder);
    write_file(input_path, "b\na\n", 4);
    learn_jobs();
    return atexit(clean_up);
}

/* --- the files ---------------------------------------------------------------------- */

static void write_records(const job_record *job, const uint8_t *from, size_t size)
{
    gs_status st = {.code = GS_OK};
    gs_journal *j = NULL;
    gs_journal_record r;
    bool has_record;
    REQUIRE(gs_journal_open(&j, journal_path, &st) == GS_OK);
    REQUIRE(gs_journal_next(j, &r, &has_record, &st) == GS_OK && !has_record);
    if (job != NULL)
        REQUIRE(gs_journal_append(j, 1, job->data, job->bytes, &st) == GS_OK);
    while (size >= 3) {
        size_t bytes = (size_t)from[1] | (size_t)from[2] << 8;
        if (bytes > size - 3)
            bytes = size - 3;
        REQUIRE(gs_journal_append(j, from[0], from + 3, bytes, &st) == GS_OK);
        from += 3 + bytes;
        size -= 3 + bytes;
    }
    gs_journal_close(j);
}

static void write_runs(size_t units)
{
    const int fd = open(runs_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    REQUIRE(fd >= 0 && ftruncate(fd, (off_t)(units * RUNS_UNIT)) == 0 && close(fd) == 0);
}

/* --- reading them ------------------------------------------------------------------- */

static void read_journal(void)
{
    gs_status st = {.code = GS_OK};
    gs_journal *j = NULL;
    struct stat info;
    REQUIRE(stat(journal_path, &info) == 0);
    if (gs_journal_open(&j, journal_path, &st) != GS_OK) {
        REQUIRE(st.msg[0] != '\0');
        return;
    }
    uint64_t total = 0;
    for (bool has_record = true; has_record;) {
        gs_journal_record r = {0};
        if (gs_journal_next(j, &r, &has_record, &st) != GS_OK || !has_record)
            break;
        total += r.bytes;
        REQUIRE(total <= (uint64_t)info.st_size);
        uint8_t sum = 0; /* all of it can be read */
        for (size_t i = 0; i < r.bytes; i++)
            sum ^= r.payload[i];
        __asm__ volatile("" : : "r"(sum));
    }
    REQUIRE(gs_journal_torn_bytes(j) <= (uint64_t)info.st_size);
    gs_journal_close(j);
}

/* Every block lies in the file, and they do not overlap. */
static void check_runs(const gs_run_list *list, size_t count, size_t runs_bytes)
{
    REQUIRE(list->count == count);
    for (size_t i = 0; i < count; i++) {
        const gs_run *const run = &list->runs[i];
        REQUIRE(run->extent.offset <= runs_bytes &&
                run->extent.bytes <= runs_bytes - run->extent.offset);
        uint64_t end = 0;
        for (size_t k = 0; k < run->entry_count; k++) {
            const gs_run_entry *const e = &run->entries[k];
            REQUIRE(e->offset >= end && e->stored_bytes <= run->extent.bytes &&
                    e->offset <= run->extent.bytes - e->stored_bytes);
            REQUIRE(e->key_bytes <= GS_RUN_KEY_BYTES &&
                    e->raw_bytes <= run->raw_bytes_max);
            end = e->offset + e->stored_bytes;
        }
    }
}

static void read_checkpoint(size_t runs_bytes)
{
    gs_status st = {.code = GS_OK};
    gs_checkpoint *c = NULL;
    if (open_checkpoint(&c, &st) != GS_OK) {
        REQUIRE(st.msg[0] != '\0');
        return;
    }
    const gs_checkpoint_state *const found = gs_checkpoint_found(c);
    REQUIRE(found->place.input_index <= 1);
    const size_t count = found->run_count;
    gs_run_list list = {0};
    if (gs_checkpoint_give_runs(c, &list, &st) == GS_OK)
        check_runs(&list, count, runs_bytes);
    gs_run_list_release(&list);
    gs_checkpoint_close(c);
}

static void read_merge(void)
{
    gs_status st = {.code = GS_OK};
    gs_merge_checkpoint *c = NULL;
    if (open_merge(&c, &st) != GS_OK) {
        REQUIRE(st.msg[0] != '\0');
        return;
    }
    unsigned count = 0;
    REQUIRE(!gs_merge_checkpoint_is_done(c)); /* there is no such index */
    if (gs_merge_checkpoint_parts(c, 3, &count, &st) == GS_OK) {
        REQUIRE(count > 0);
        for (unsigned i = 0; i < count; i++) {
            const gs_kept_part *const part = gs_merge_checkpoint_part(c, i);
            if (part != NULL) /* all of it can be read */
                __asm__ volatile("" : : "r"(part->terms), "r"(part->bytes[0]));
        }
    }
    gs_merge_checkpoint_close(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEAD_BYTES)
        return 0;
    const unsigned how = data[0] % 4;
    const size_t units = data[1];
    write_file(journal_path, "", 0);
    if (how == 0)
        write_file(journal_path, data + HEAD_BYTES, size - HEAD_BYTES);
    else
        write_records(how == 2   ? &sort_job
                      : how == 3 ? &merge_job
                                 : NULL,
                      data + HEAD_BYTES, size - HEAD_BYTES);
    write_runs(units);
    read_journal();
    if (how == 3)
        read_merge();
    else
        read_checkpoint(units * RUNS_UNIT);
    return 0;
}
