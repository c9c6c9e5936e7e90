/* SPDX-License-Identifier: MIT */
/*
 * index_folder, index_leftover: whenever a program is killed, whatever fails and whatever
 * the file system cannot do, an index of that name is whole, and what is left beside it
 * goes with the next build; what is in use or not ours stays.
 */
#include "lib/index/folder/index_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/index/format/index_header.h"
#include "lib/index/folder/index_leftover.h"
#include "tests/check.h"

enum { PATH_BYTES = 300, EVENTS_MAX = 100, KILLED = 9, KILLS_MIN = 10 };

/* --- the system, watched ----------------------------------------------------------- */

typedef enum call { CALL_SYNC, CALL_RENAME, CALL_UNLINK, CALLS } call;

typedef struct event {
    call call;
    ino_t folder; /* that was synced, or lost a file */
} event;

static event events[EVENTS_MAX];
static unsigned event_count;
static unsigned fail_at[CALLS]; /* the nth call of a kind fails; 0: none does */
static unsigned seen[CALLS];
static unsigned die_at; /* the program ends at the nth call of any kind */
static bool keeps_failing, dies_after, has_exchange = true;
/* Of what asks for a path, and for a name in a folder; 0: it is answered. */
static int path_look_error, look_error;

static void note(call which, int fd)
{
    struct stat info = {0};
    if (fd >= 0)
        (void)fstat(fd, &info);
    if (event_count < EVENTS_MAX)
        events[event_count] = (event){which, info.st_ino};
    event_count++;
}

/* Is this the call at which something is to happen? */
static bool fails_now(call which, int fd)
{
    note(which, fd);
    if (event_count == die_at && !dies_after)
        _exit(KILLED);
    const unsigned nth = ++seen[which];
    return nth == fail_at[which] ||
           (keeps_failing && fail_at[which] > 0 && nth > fail_at[which]);
}

static long end_call(long result)
{
    if (event_count == die_at && dies_after)
        _exit(KILLED);
    return result;
}

int fsync(int fd)
{
    if (fails_now(CALL_SYNC, fd)) {
        errno = EIO;
        return -1;
    }
    return (int)end_call(syscall(SYS_fsync, fd));
}

int lstat(const char *path, struct stat *info)
{
    if (path_look_error != 0) {
        errno = path_look_error;
        return -1;
    }
    return (int)syscall(SYS_newfstatat, AT_FDCWD, path, info, AT_SYMLINK_NOFOLLOW);
}

int fstatat(int folder, const char *path, struct stat *info, int flags)
{
    if (look_error != 0) {
        errno = look_error;
        return -1;
    }
    return (int)syscall(SYS_newfstatat, folder, path, info, flags);
}

int renameat2(int from_fd, const char *from, int to_fd, const char *to,
              unsigned int flags)
{
    if (flags != 0 && !has_exchange) {
        errno = EINVAL;
        return -1;
    }
    if (fails_now(CALL_RENAME, -1)) {
        errno = EIO;
        return -1;
    }
    return (int)end_call(syscall(SYS_renameat2, from_fd, from, to_fd, to, flags));
}

int rename(const char *from, const char *to)
{
    return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int renameat(int from_fd, const char *from, int to_fd, const char *to)
{
    return renameat2(from_fd, from, to_fd, to, 0);
}

int unlinkat(int fd, const char *name, int flags)
{
    if (fails_now(CALL_UNLINK, fd)) {
        errno = EIO;
        return -1;
    }
    return (int)end_call(syscall(SYS_unlinkat, fd, name, flags));
}

static void all_works(void)
{
    memset(fail_at, 0, sizeof fail_at);
    memset(seen, 0, sizeof seen);
    event_count = die_at = 0;
    keeps_failing = dies_after = false;
}

/* --- indexes ----------------------------------------------------------------------- */

static char scratch[] = "/tmp/gpusort-test-folder-XXXXXX", index_name[PATH_BYTES];
static char last_warning[PATH_BYTES * 4];

static void hear(void *context, gs_log_level level, const char *text)
{
    (void)context;
    if (level == GS_LOG_WARNING)
        (void)snprintf(last_warning, sizeof last_warning, "%s", text);
}

static const gs_log log_heard = {hear, NULL};

static void touch(const char *folder, const char *name)
{
    char path[2 * PATH_BYTES];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    const int fd = open(path, O_CREAT | O_WRONLY, 0600);
    REQUIRE(fd >= 0 && close(fd) == 0);
}

/* Opens a folder for an index that its count of documents tells from others. */
static void begin_index(gs_index_folder *f, uint64_t documents)
{
    gs_status st = {.code = GS_OK};
    REQUIRE_OK(gs_index_folder_open(f, index_name, documents > 1, &log_heard, &st), &st);
    const gs_index_header header = {.documents = documents};
    REQUIRE_OK(gs_index_header_write(&header, f->temporary, &st), &st);
    touch(f->temporary, "terms");
    touch(f->temporary, "postings");
}

static gs_code make_index(uint64_t documents, gs_status *st)
{
    gs_index_folder f;
    *st = (gs_status){.code = GS_OK};
    begin_index(&f, documents);
    const gs_code code = gs_index_folder_commit(&f, st);
    gs_index_folder_close(&f);
    return code;
}

/* 0 if there is none. */
static uint64_t documents_of_index(void)
{
    gs_status st = {.code = GS_OK};
    gs_index_header header;
    if (gs_index_header_read(&header, index_name, &st) != GS_OK)
        return 0;
    const uint64_t documents = header.documents;
    gs_index_header_release(&header);
    return documents;
}

/* How many names in the scratch folder hold `text`. */
static unsigned count_names(const char *text)
{
    unsigned count = 0;
    DIR *const dir = opendir(scratch);
    REQUIRE(dir != NULL);
    for (const struct dirent *e; (e = readdir(dir)) != NULL;)
        count += e->d_name[0] != '.' && strstr(e->d_name, text) != NULL;
    (void)closedir(dir);
    return count;
}

static bool is_alone(void)
{
    return count_names("") == 1 && documents_of_index() > 0;
}

static bool is_marked(const char *folder)
{
    char path[2 * PATH_BYTES];
    (void)snprintf(path, sizeof path, "%s/%s", folder, GS_INDEX_MARK_NAME);
    return access(path, F_OK) == 0;
}

static void remove_all(void)
{
    char command[PATH_BYTES + 40];
    (void)snprintf(command, sizeof command, "rm -rf %s/*", scratch);
    REQUIRE(system(command) == 0);
}

static void have_old_index(void)
{
    gs_status st;
    remove_all();
    const bool had_exchange = has_exchange;
    has_exchange = true;
    all_works();
    REQUIRE_OK(make_index(1, &st), &st);
    has_exchange = had_exchange;
    all_works();
}

/* --- what is durable when ---------------------------------------------------------- */

static ino_t inode_of(const char *path)
{
    struct stat info;
    REQUIRE(stat(path, &info) == 0);
    return info.st_ino;
}

/* The place of the first such event at or after `from`, or EVENTS_MAX. */
static unsigned find_event(unsigned from, call which, ino_t folder)
{
    for (unsigned i = from; i < event_count && i < EVENTS_MAX; i++) {
        if (events[i].call == which && (folder == 0 || events[i].folder == folder))
            return i;
    }
    return EVENTS_MAX;
}

static void order_is_kept(bool replaces)
{
    gs_status st = {.code = GS_OK};
    gs_index_folder f;
    if (replaces)
        have_old_index();
    else
        remove_all();
    const ino_t old = replaces ? inode_of(index_name) : 0;
    begin_index(&f, replaces ? 2 : 1);
    const ino_t new = inode_of(f.temporary);
    all_works();
    REQUIRE_OK(gs_index_folder_commit(&f, &st), &st);
    gs_index_folder_close(&f);
    const unsigned entries = find_event(0, CALL_SYNC, new);
    const unsigned name = find_event(0, CALL_RENAME, 0);
    const unsigned named = find_event(name, CALL_SYNC, inode_of(scratch));
    CHECK(entries < name && name < named && named < EVENTS_MAX);
    CHECK(find_event(named, CALL_RENAME, 0) == EVENTS_MAX);
    if (replaces)
        CHECK(find_event(0, CALL_UNLINK, old) > named &&
              find_event(0, CALL_UNLINK, old) < EVENTS_MAX);
    CHECK(is_alone() && inode_of(index_name) == new && !is_marked(index_name));
    all_works();
}

/* The nth call of a kind fails while an index is being replaced. */
static void old_index_survives(call which, unsigned nth)
{
    gs_status st = {.code = GS_OK};
    gs_index_folder f;
    have_old_index();
    begin_index(&f, 2);
    all_works();
    fail_at[which] = nth;
    CHECK(gs_index_folder_commit(&f, &st) == GS_ERR_IO && st.msg[0] != '\0');
    CHECK(seen[which] >= nth);
    all_works();
    gs_index_folder_close(&f);
    CHECK(is_alone() && documents_of_index() == 1 && !is_marked(index_name));
}

/* Neither can the new one have the name, nor the old one have it back. */
static void old_index_is_told_of(void)
{
    gs_status st = {.code = GS_OK};
    gs_index_folder f;
    have_old_index();
    begin_index(&f, 2);
    all_works();
    fail_at[CALL_RENAME] = 2;
    keeps_failing = true;
    CHECK(gs_index_folder_commit(&f, &st) == GS_ERR_IO);
    CHECK(strstr(st.msg, "index.old-") != NULL);
    all_works();
    gs_index_folder_close(&f);
    CHECK(count_names("") == 1 && count_names("index.old-") == 1);
    /* The next build finds it, whether it may replace it or not. */
    gs_status_clear(&st);
    CHECK(gs_index_folder_open(&f, index_name, false, &log_heard, &st) == GS_ERR_IO);
    CHECK(strstr(last_warning, "index.old-") != NULL);
    CHECK(is_alone() && documents_of_index() == 1 && !is_marked(index_name));
}

/* Has everything in reach fail in turn, with and without exchange. */
static void failures_do_no_harm(void)
{
    old_index_survives(CALL_SYNC, 1);
    old_index_survives(CALL_SYNC, 2);
    old_index_survives(CALL_RENAME, 1);
    has_exchange = false;
    old_index_survives(CALL_SYNC, 1);
    old_index_survives(CALL_SYNC, 2);
    old_index_survives(CALL_RENAME, 1);
    old_index_survives(CALL_RENAME, 2);
    old_index_is_told_of();
    has_exchange = true;
}

/* --- killed ------------------------------------------------------------------------ */

/* Ends at the nth call, before or after it; false if there are not so many. */
static bool was_killed(unsigned nth, bool after)
{
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        gs_status st = {.code = GS_OK};
        gs_index_folder f;
        all_works();
        die_at = nth;
        dies_after = after;
        begin_index(&f, 2);
        if (gs_index_folder_commit(&f, &st) != GS_OK)
            _exit(1);
        _exit(0);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child && WIFEXITED(status));
    REQUIRE(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == KILLED);
    return WEXITSTATUS(status) == KILLED;
}

/* A folder that is empty carries no mark, and might be anybody's: one that was killed
 * right there leaves it. */
static void remove_empty_folder(void)
{
    char path[2 * PATH_BYTES];
    DIR *const dir = opendir(scratch);
    REQUIRE(dir != NULL);
    for (const struct dirent *e; (e = readdir(dir)) != NULL;) {
        (void)snprintf(path, sizeof path, "%s/%s", scratch, e->d_name);
        if (e->d_name[0] != '.' && rmdir(path) == 0)
            break;
    }
    (void)closedir(dir);
}

static void kills_do_no_harm(bool after)
{
    unsigned nth = 1;
    for (;; nth++) {
        gs_status st;
        have_old_index();
        if (!was_killed(nth, after))
            break;
        const bool is_aside = documents_of_index() == 0;
        CHECK(!is_aside || (!has_exchange && count_names("index.old-") == 1));
        last_warning[0] = '\0';
        REQUIRE_OK(make_index(3, &st), &st);
        remove_empty_folder();
        CHECK(is_alone() && documents_of_index() == 3 && !is_marked(index_name));
        CHECK(is_aside == (strstr(last_warning, "has its name again") != NULL));
    }
    CHECK(nth > KILLS_MIN && is_alone() && documents_of_index() == 2);
}

/* --- left alone -------------------------------------------------------------------- */

static void make_leftover(char *path, const char *name, bool has_mark)
{
    (void)snprintf(path, PATH_BYTES, "%s/%s", scratch, name);
    REQUIRE(mkdir(path, 0700) == 0);
    touch(path, "terms");
    touch(path, "part-a1B2c3");
    if (has_mark)
        touch(path, GS_INDEX_MARK_NAME);
}

static void only_leftovers_go(void)
{
    static const char *const other_names[] = {
        "index.tmp-12345",   "index.tmp-1234567", "index.tmp-12345.", "index.tmp_123456",
        "index2.tmp-a1b2c3", "index.tmp-",        "ndex.tmp-a1b2c3",
    };
    gs_status st;
    char path[PATH_BYTES], link[PATH_BYTES], inner[2 * PATH_BYTES];
    have_old_index();
    make_leftover(path, "index.tmp-a1B2c3", true);
    make_leftover(path, "index.old-a1B2c3", true);
    REQUIRE_OK(make_index(2, &st), &st);
    CHECK(is_alone());
    for (size_t i = 0; i < sizeof other_names / sizeof *other_names; i++) {
        make_leftover(path, other_names[i], true);
        REQUIRE_OK(make_index(2, &st), &st);
        CHECK(access(path, F_OK) == 0 && count_names("") == 2 + i);
    }
    remove_all();
    /* A copy that somebody keeps has no mark, and more in it is not ours. */
    make_leftover(path, "index.tmp-000001", false);
    make_leftover(path, "index.tmp-000002", true);
    touch(path, "notes");
    /* Neither the folder nor its mark may be a link. */
    make_leftover(path, "elsewhere", true);
    (void)snprintf(link, sizeof link, "%s/index.tmp-000003", scratch);
    REQUIRE(symlink(path, link) == 0);
    make_leftover(path, "index.tmp-000004", false);
    (void)snprintf(inner, sizeof inner, "%s/%s", path, GS_INDEX_MARK_NAME);
    REQUIRE(symlink("terms", inner) == 0);
    REQUIRE_OK(make_index(1, &st), &st);
    REQUIRE_OK(make_index(2, &st), &st);
    CHECK(count_names("index.tmp-") == 4 && count_names("") == 6);
    (void)snprintf(inner, sizeof inner, "%s/elsewhere/terms", scratch);
    CHECK(access(inner, F_OK) == 0);
    /* Of two that were moved aside neither can be chosen. */
    remove_all();
    make_leftover(path, "index.old-000001", true);
    make_leftover(path, "index.old-000002", true);
    REQUIRE_OK(make_index(1, &st), &st);
    CHECK(count_names("index.old-") == 2 && documents_of_index() == 1);
}

/* An index that nobody can look at may be there: nothing is built only to find its
 * name taken, no build waits for ever to hold it, and what went wrong is told. */
static void unknown_is_not_missing(void)
{
    gs_index_folder f;
    gs_status st = {.code = GS_OK};
    have_old_index();
    path_look_error = EIO;
    CHECK(gs_index_folder_open(&f, index_name, true, &log_heard, &st) == GS_ERR_IO);
    CHECK(st.sys == EIO);
    path_look_error = 0;
    look_error = ENOMEM;
    errno = 0;
    CHECK(gs_index_lock(index_name, NULL) < 0 && errno == ENOMEM);
    look_error = 0;
    CHECK(is_alone() && documents_of_index() == 1);
}

/* Another's folder that belongs to us too, as far as its name and owner go. */
static void what_is_in_use_stays(void)
{
    gs_status st = {.code = GS_OK};
    gs_index_folder slow;
    have_old_index();
    begin_index(&slow, 2);
    REQUIRE_OK(make_index(3, &st), &st);
    CHECK(documents_of_index() == 3 && count_names("") == 2);
    REQUIRE_OK(gs_index_folder_commit(&slow, &st), &st);
    CHECK(is_alone() && documents_of_index() == 2);
}

/* A signal came, and its handler was first. */
static void signals_prevent_commits(void)
{
    gs_status st = {.code = GS_OK};
    gs_index_folder f;
    have_old_index();
    begin_index(&f, 2);
    gs_index_folder_remove_pending();
    CHECK(gs_index_folder_commit(&f, &st) == GS_ERR_CANCELLED);
    gs_index_folder_close(&f);
    CHECK(is_alone() && documents_of_index() == 1);
}

int main(void)
{
    REQUIRE(mkdtemp(scratch) != NULL);
    (void)snprintf(index_name, sizeof index_name, "%s/index", scratch);
    order_is_kept(false);
    order_is_kept(true);
    has_exchange = false;
    order_is_kept(false);
    kills_do_no_harm(false);
    kills_do_no_harm(true);
    has_exchange = true;
    kills_do_no_harm(false);
    kills_do_no_harm(true);
    failures_do_no_harm();
    only_leftovers_go();
    unknown_is_not_missing();
    what_is_in_use_stays();
    signals_prevent_commits();
    remove_all();
    CHECK(rmdir(scratch) == 0);
    return check_result();
}
