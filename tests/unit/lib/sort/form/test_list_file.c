/* SPDX-License-Identifier: MIT */
/*
 * list_file: of each list comes out what was on it in all rounds, of every worker,
 * whether it is empty, as long as many buffers, or one string; files leave no names and
 * no descriptors; a byte that became another is noticed, and so is every call that fails.
 */
#include <limits.h>
#include <stdlib.h>

#include "lib/base/team.h"
#include "lib/sort/form/list_file.h"
#define CHECK_STARTS_THREADS
#include "tests/failing_calls.h"

enum {
    LISTS = 37,
    ONE = 11,   /* this list has one string */
    LARGE = 5,  /* this one has most of the text */
    EMPTY = 20, /* and this one nothing */
    WORKERS = 3,
    ROUNDS = 4,
    PAGES = 4000,
    ROUND_BYTES = 2 << 20,
    MOST = 24 << 20, /* of the largest list */
    MOST_OF_OTHERS = 1 << 20,
    OTHERS = 1 << 16, /* memory that does not grow */
    NOTHING = 2,      /* entries of an empty folder */
};

static const char *const folders[] = {"tmp", "."};
static const char one[] = "the same again";

/* What a list should hold. */
typedef struct expected {
    uint8_t *bytes;
    size_t count, capacity;
} expected;

static void expect(expected *e, const void *bytes, size_t count)
{
    REQUIRE(e->count + count <= e->capacity);
    memcpy(e->bytes + e->count, bytes, count);
    e->count += count;
}

/* A record for one of the lists, or the one string. */
static void add(gs_text_lists *t, unsigned worker, size_t number, expected *want,
                uint64_t *state)
{
    uint8_t text[GS_TEXT_NEAR_MAX + 2 * GS_SHORT_COPY_BYTES];
    const bool is_one = number == ONE;
    const size_t random = check_random(state);
    const size_t bytes = is_one ? sizeof one - 1 : random % (number == LARGE ? 900 : 60);
    gs_text_list *const list = gs_text_list_of(t, worker, number);
    memset(text, 'a' + (int)(random >> 32) % 26, bytes);
    if (is_one)
        memcpy(text, one, bytes);
    text[bytes] = '\n';
    if (number != LARGE && random % 64 == 0 && !is_one) {
        const uint16_t head = GS_TEXT_FAR;
        const uint64_t where = gs_where_pack(random % 1000, 5000);
        REQUIRE(gs_text_list_make_room(t, list, 0));
        gs_text_list_add_far(list, where, 5000);
        expect(want, &head, sizeof head);
        expect(want, &where, sizeof where);
        return;
    }
    const bool is_seen = is_one && list->count > 0;
    REQUIRE(gs_text_list_make_room(t, list, bytes + 1));
    gs_text_list_add(list, text, bytes, 1, 0, false);
    if (is_seen)
        return;
    const uint16_t head = (uint16_t)bytes;
    expect(want, &head, sizeof head);
    expect(want, text, bytes + 1);
}

typedef struct write_job {
    gs_list_file *file;
    const gs_text_lists *lists;
} write_job;

static gs_code write_share(void *context, unsigned worker, gs_status *st)
{
    const write_job *const job = context;
    return gs_list_file_write(job->file, job->lists, 1, worker, st);
}

/* One round of all workers. What is expected is in their order. */
static gs_code write_round(gs_list_file *f, gs_text_lists *t, expected *want,
                           uint64_t *state, gs_status *st)
{
    gs_text_lists_clear(t);
    GS_TRY(gs_list_file_begin(f, LISTS, st));
    for (unsigned w = 0; w < WORKERS; w++) {
        for (size_t bytes = 0; bytes < ROUND_BYTES / WORKERS; bytes += 100) {
            const size_t random = check_random(state), number = random / 2 % LISTS;
            if (number != EMPTY)
                add(t, w, random % 2 == 0 ? (size_t)LARGE : number,
                    &want[random % 2 == 0 ? (size_t)LARGE : number], state);
        }
    }
    gs_team *team = NULL;
    const write_job job = {f, t};
    GS_TRY(gs_team_new(&team, WORKERS, st));
    GS_NOTED(gs_team_run(team, write_share, (void *)(uintptr_t)&job, st));
    gs_team_free(team);
    return st->code;
}

static gs_code read_all(const gs_list_file *f, const expected *want, uint8_t *room,
                        gs_status *st)
{
    for (size_t i = 0; i < LISTS; i++) {
        size_t bytes = want[i].count;
        GS_TRY(gs_list_file_read(f, i, room, &bytes, st));
        CHECK(bytes == want[i].count && memcmp(room, want[i].bytes, bytes) == 0);
    }
    return GS_OK;
}

/* Some bytes become others in a file without a name that this process has open. */
static void damage_a_file(void)
{
    DIR *const open_files = opendir("/proc/self/fd");
    unsigned damaged = 0;
    REQUIRE(open_files != NULL);
    for (const struct dirent *e; (e = readdir(open_files)) != NULL && damaged == 0;) {
        char name[300], target[PATH_MAX] = "", bytes[2];
        (void)snprintf(name, sizeof name, "/proc/self/fd/%s", e->d_name);
        if (readlink(name, target, sizeof target - 1) <= 0 ||
            strstr(target, "(deleted)") == NULL)
            continue;
        const int fd = (int)strtol(e->d_name, NULL, 10);
        if (pread(fd, bytes, sizeof bytes, 4321) != (ssize_t)sizeof bytes)
            continue; /* of a worker that others left nothing */
        bytes[0] = (char)(bytes[0] ^ 4);
        REQUIRE(pwrite(fd, bytes, sizeof bytes, 4321) == (ssize_t)sizeof bytes);
        damaged++;
    }
    (void)closedir(open_files);
    CHECK(damaged == 1);
}

static const gs_sort_options options = {.temp_folders = folders, .temp_folder_count = 2};

/* All rounds, and all that comes out; *f is for the caller to free. */
static gs_code run(gs_list_file **f, gs_text_lists *t, expected *want, uint8_t *room,
                   uint64_t seed, gs_status *st)
{
    uint64_t state = seed;
    for (size_t i = 0; i < LISTS; i++)
        want[i].count = 0;
    GS_TRY(gs_list_file_new(f, &options, WORKERS, st));
    CHECK(gs_list_file_has_room(*f, 1) && !gs_list_file_has_room(*f, UINT64_MAX));
    for (unsigned round = 0; round < ROUNDS; round++)
        GS_TRY(write_round(*f, t, want, &state, st));
    CHECK(gs_list_file_rounds(*f) == ROUNDS);
    uint64_t all = 0;
    for (size_t i = 0; i < LISTS; i++)
        all += want[i].count;
    CHECK(gs_list_file_bytes(*f) == all);
    return read_all(*f, want, room, st);
}

int main(void)
{
    char folder[] = "/tmp/gpusort-test-list-file-XXXXXX", command[100];
    REQUIRE(mkdtemp(folder) != NULL && chdir(folder) == 0 && mkdir("tmp", 0700) == 0);
    const uint64_t seed = check_seed(5);
    gs_status st = {.code = GS_OK};
    gs_text_lists t;
    static expected want[LISTS];
    uint8_t *const room = malloc(MOST);
    REQUIRE(room != NULL);
    for (size_t i = 0; i < LISTS; i++) {
        want[i].capacity = i == LARGE ? MOST : MOST_OF_OTHERS;
        want[i].bytes = malloc(want[i].capacity);
        REQUIRE(want[i].bytes != NULL);
    }
    REQUIRE_OK(
        gs_text_lists_init(&t, LISTS, WORKERS, WORKERS, PAGES, GS_PLACES_NEVER, &st),
        &st);
    gs_text_lists_set_one(&t, ONE);
    const size_t held = gs_mem_held_bytes(), descriptors = count_entries("/proc/self/fd");

    gs_list_file *f = NULL;
    REQUIRE_OK(run(&f, &t, want, room, seed, &st), &st);
    CHECK(want[EMPTY].count == 0 && want[ONE].count > 0);
    CHECK(want[LARGE].count > 4 * 1024 * 1024);
    CHECK(gs_mem_held_bytes() - held <=
          gs_list_file_memory(LISTS, WORKERS, ROUNDS) + OTHERS);
    CHECK(count_entries("tmp") == NOTHING && count_entries(".") == NOTHING + 1);
    damage_a_file();
    CHECK(read_all(f, want, room, &st) == GS_ERR_FORMAT);
    CHECK(strstr(st.msg, "temporary file in '") != NULL &&
          strstr(st.msg, "damaged") != NULL);
    gs_list_file_free(f);
    gs_status_clear(&st);

    atomic_store(&restless_calls, 1);
    REQUIRE_OK(run(&f, &t, want, room, seed, &st), &st);
    gs_list_file_free(f);
    atomic_store(&restless_calls, 0);

    for (int what = FAILS_MEMORY; what <= FAILS_SYSTEM; what++) {
        bool was_reached = true;
        for (uint64_t nth = 1; was_reached; nth = next_to_fail(nth)) {
            f = NULL;
            fail_nth((failing)what, nth);
            const gs_code code = run(&f, &t, want, room, seed, &st);
            gs_list_file_free(f);
            was_reached = end_failing((failing)what);
            CHECK(code == GS_OK || st.msg[0] != '\0');
            CHECK(gs_mem_held_bytes() == held);
            CHECK(count_entries("/proc/self/fd") == descriptors);
            CHECK(count_entries("tmp") == NOTHING);
            gs_status_clear(&st);
        }
    }
    gs_text_lists_release(&t);
    for (size_t i = 0; i < LISTS; i++)
        free(want[i].bytes);
    free(room);
    CHECK(gs_mem_held_bytes() == 0);
    (void)snprintf(command, sizeof command, "rm -r %s", folder);
    CHECK(chdir("/") == 0 && system(command) == 0);
    return check_result();
}
