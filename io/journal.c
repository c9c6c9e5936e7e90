/* SPDX-License-Identifier: MIT */
#include "io/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "io/file_sync.h"
#include "io/write_all.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"

static const char magic[16] = "gpusort journal";

typedef struct journal_head {
    uint32_t kind, zero;
    uint64_t bytes;
    uint64_t sum;
} journal_head;

_Static_assert(sizeof(journal_head) == 24, "on-disk layout");

enum {
    SUMMED_HEAD_BYTES = 16,
    KEPT_BYTES = 1 << 16,
    LOCK_STEP_MS = 20,
    LOCK_WAIT_MS = 3000,
};

struct gs_journal {
    int fd;
    char *path;
    uint32_t owner;
    uint64_t file_bytes;
    uint64_t end;    /* of the sound records, those that were read so far */
    uint64_t latest; /* where the last of them begins */
    uint64_t sum;    /* of the last of them */
    uint8_t *record; /* head and payload */
    size_t capacity;
};

/* --- life ------------------------------------------------------------------------ */

static gs_code fail_io(const gs_journal *j, const char *what, int error, gs_status *st)
{
    gs_quoted q;
    return GS_FAIL(st, GS_ERR_IO, error, "%s: %s", what, gs_quote_name(&q, j->path));
}

/* An empty file, and one of zeros or of a part of the magic, is what a power cut leaves
 * of a journal that was just being made. */
static bool is_beginning(const char *head, size_t bytes)
{
    size_t same = 0;
    while (same < bytes && head[same] == magic[same])
        same++;
    for (size_t i = same; i < bytes; i++) {
        if (head[i] != 0)
            return false;
    }
    return true;
}

static gs_code look_at_magic(gs_journal *j, gs_status *st)
{
    char head[sizeof magic];
    struct stat info;
    size_t taken;
    int error = fstat(j->fd, &info) != 0 ? errno : 0;
    if (error == 0)
        error = gs_pread_all(j->fd, head, sizeof head, 0, &taken);
    if (error != 0)
        return fail_io(j, "read failed", error, st);
    if (!S_ISREG(info.st_mode) || !is_beginning(head, taken)) {
        gs_quoted q;
        return GS_FAIL(st, GS_ERR_FORMAT, 0, "%s: not a journal of gpusort",
                       gs_quote_name(&q, j->path));
    }
    j->owner = info.st_uid;
    j->file_bytes = (uint64_t)info.st_size;
    const bool is_whole = taken == sizeof magic && memcmp(head, magic, sizeof magic) == 0;
    j->end = is_whole ? sizeof magic : 0;
    return GS_OK;
}

static gs_code fail_lock(const gs_journal *j, int error, gs_status *st)
{
    gs_quoted q;
    if (error == ENOLCK || error == EOPNOTSUPP) /* a file system without locks */
        return GS_OK;
    if (error != EWOULDBLOCK)
        return fail_io(j, "lock failed", error, st);
    return GS_FAIL(st, GS_ERR_ARG, 0, "%s: another process is using it",
                   gs_quote_name(&q, j->path));
}

/* One that was killed holds it until its memory is gone. */
static gs_code take_lock(gs_journal *j, gs_status *st)
{
    const struct timespec step = {.tv_nsec = LOCK_STEP_MS * 1000000};
    for (unsigned waited = 0; flock(j->fd, LOCK_EX | LOCK_NB) != 0;) {
        if (errno != EWOULDBLOCK || waited >= LOCK_WAIT_MS)
            return fail_lock(j, errno, st);
        (void)nanosleep(&step, NULL);
        waited += LOCK_STEP_MS;
    }
    return GS_OK;
}

gs_code gs_journal_open(gs_journal **out, const char *path, gs_status *st)
{
    *out = NULL;
    gs_journal *j = NULL;
    GS_TRY(gs_mem_new(&j, sizeof *j, "journal", st));
    j->fd = -1;
    GS_TRY_OR_FAIL(gs_mem_copy_string(&j->path, path, st));
    j->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (j->fd < 0) {
        (void)fail_io(j, "open failed", errno, st);
        goto fail;
    }
    GS_TRY_OR_FAIL(take_lock(j, st));
    GS_TRY_OR_FAIL(look_at_magic(j, st));
    *out = j;
    return GS_OK;
fail:
    gs_journal_close(j);
    return st->code;
}

void gs_journal_close(gs_journal *j)
{
    if (j == NULL)
        return;
    if (j->fd >= 0)
        (void)close(j->fd);
    gs_mem_free(j->path);
    gs_mem_free(j->record);
    gs_mem_free(j);
}

/* --- records ----------------------------------------------------------------------- */

static gs_code need_room(gs_journal *j, size_t bytes, gs_status *st)
{
    if (bytes <= j->capacity)
        return GS_OK;
    GS_TRY(gs_mem_resize(&j->record, bytes, "a record of the journal", st));
    j->capacity = bytes;
    return GS_OK;
}

/* A record may be long, and there are not many: the room is not kept. */
static void trim_room(gs_journal *j)
{
    if (j->capacity <= KEPT_BYTES)
        return;
    gs_mem_free(j->record);
    j->record = NULL;
    j->capacity = 0;
}

/* The sum stands between what it is of. */
static uint64_t sum_of(const gs_journal *j, const uint8_t *record, size_t payload_bytes)
{
    const uint64_t head = XXH3_64bits_withSeed(record, SUMMED_HEAD_BYTES, j->sum);
    return XXH3_64bits_withSeed(record + sizeof(journal_head), payload_bytes, head);
}

gs_code gs_journal_next(gs_journal *j, gs_journal_record *record, bool *has_record,
                        gs_status *st)
{
    journal_head head;
    size_t taken;
    *has_record = false;
    if (j->end < sizeof magic || j->file_bytes - j->end < sizeof head)
        return GS_OK;
    int error = gs_pread_all(j->fd, &head, sizeof head, j->end, &taken);
    if (error != 0)
        return fail_io(j, "read failed", error, st);
    const uint64_t left = j->file_bytes - j->end - sizeof head;
    if (taken < sizeof head || head.zero != 0 || head.bytes > left)
        return GS_OK;
    const size_t bytes = sizeof head + (size_t)head.bytes;
    GS_TRY(need_room(j, bytes, st));
    error = gs_pread_all(j->fd, j->record, bytes, j->end, &taken);
    if (error != 0)
        return fail_io(j, "read failed", error, st);
    if (taken < bytes || sum_of(j, j->record, (size_t)head.bytes) != head.sum)
        return GS_OK;
    *record = (gs_journal_record){head.kind, j->record + sizeof head, (size_t)head.bytes};
    *has_record = true;
    j->latest = j->end;
    j->end += bytes;
    j->sum = head.sum;
    return GS_OK;
}

uint64_t gs_journal_torn_bytes(const gs_journal *j)
{
    return j->file_bytes - j->end;
}

uint32_t gs_journal_owner(const gs_journal *j)
{
    return j->owner;
}

uint64_t gs_journal_offset(const gs_journal *j)
{
    return j->latest;
}

void gs_journal_reset(gs_journal *j)
{
    j->end = j->sum = 0;
}

/* What is torn, or was reset, goes before anything is written over it: else an old record
 * might stand where it fits. */
static gs_code begin_appending(gs_journal *j, gs_status *st)
{
    if (j->file_bytes > j->end && ftruncate(j->fd, (off_t)j->end) != 0)
        return fail_io(j, "write failed", errno, st);
    j->file_bytes = j->end;
    if (j->end > 0)
        return GS_OK;
    const int error = gs_pwrite_all(j->fd, magic, sizeof magic, 0);
    if (error != 0)
        return fail_io(j, "write failed", error, st);
    j->end = j->file_bytes = sizeof magic;
    return GS_OK;
}

gs_code gs_journal_append(gs_journal *j, uint32_t kind, const void *payload, size_t bytes,
                          gs_status *st)
{
    const size_t whole = sizeof(journal_head) + bytes;
    journal_head head = {.kind = kind, .bytes = bytes};
    GS_TRY(begin_appending(j, st));
    GS_TRY(need_room(j, whole, st));
    memcpy(j->record, &head, sizeof head);
    if (bytes > 0)
        memcpy(j->record + sizeof head, payload, bytes);
    head.sum = sum_of(j, j->record, bytes);
    memcpy(j->record, &head, sizeof head);
    int error = gs_pwrite_all(j->fd, j->record, whole, j->end);
    if (error == 0)
        error = gs_data_sync(j->fd);
    trim_room(j);
    if (error != 0) {
        j->file_bytes = UINT64_MAX; /* perhaps a part of it is there */
        (void)fail_io(j, "write failed", error, st);
        return gs_status_hint_full_disk(st, "free some space there, and start again: "
                                            "what is done is kept");
    }
    j->latest = j->end;
    j->end = j->file_bytes = j->end + whole;
    j->sum = head.sum;
    return GS_OK;
}
