/* SPDX-License-Identifier: MIT */
/* journal: what is read must be what was appended, as far as the file holds: a record
 * that was never written, or not there, would have a job go on from where it never was.
 */
#include "io/journal.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "tests/check.h"

enum { RECORDS = 12, PAYLOAD_MAX = 300 };

typedef struct written {
    uint8_t payload[RECORDS][PAYLOAD_MAX];
    size_t bytes[RECORDS];
    uint64_t end[RECORDS]; /* of the file, behind each */
} written;

static uint64_t file_bytes(const char *path)
{
    const int fd = open(path, O_RDONLY);
    const off_t end = lseek(fd, 0, SEEK_END);
    (void)close(fd);
    return (uint64_t)end;
}

static void write_journal(written *w, uint64_t *seed)
{
    gs_status st = {.code = GS_OK};
    gs_journal *j = NULL;
    gs_journal_record record;
    bool has_record;
    (void)unlink("j");
    REQUIRE_OK(gs_journal_open(&j, "j", &st), &st);
    REQUIRE_OK(gs_journal_next(j, &record, &has_record, &st), &st);
    CHECK(!has_record);
    for (size_t i = 0; i < RECORDS; i++) {
        w->bytes[i] = i == 3 ? 0 : (size_t)(check_random(seed) % PAYLOAD_MAX);
        for (size_t k = 0; k < w->bytes[i]; k++)
            w->payload[i][k] = (uint8_t)check_random(seed);
        REQUIRE_OK(gs_journal_append(j, (uint32_t)i, w->payload[i], w->bytes[i], &st),
                   &st);
        w->end[i] = file_bytes("j");
    }
    gs_journal_close(j);
}

/* How many records it has; each must be the one that was written there. */
static size_t read_journal(const char *path, const written *w)
{
    gs_status st = {.code = GS_OK};
    gs_journal *j = NULL;
    size_t count = 0;
    if (gs_journal_open(&j, path, &st) != GS_OK) {
        CHECK(st.code == GS_ERR_FORMAT && strstr(st.msg, path) != NULL);
        return 0;
    }
    for (;;) {
        gs_journal_record r;
        bool has_record;
        REQUIRE_OK(gs_journal_next(j, &r, &has_record, &st), &st);
        if (!has_record)
            break;
        REQUIRE(count < RECORDS);
        CHECK(r.kind == count && r.bytes == w->bytes[count] &&
              memcmp(r.payload, w->payload[count], r.bytes) == 0);
        count++;
    }
    CHECK(count == RECORDS ? gs_journal_torn_bytes(j) == 0 : true);
    gs_journal_close(j);
    return count;
}

static void copy_journal(const uint8_t *data, size_t bytes)
{
    const int fd = open("k", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    REQUIRE(fd >= 0 && write(fd, data, bytes) == (ssize_t)bytes);
    (void)close(fd);
}

static size_t load(uint8_t *data, size_t capacity)
{
    const int fd = open("j", O_RDONLY);
    const ssize_t n = read(fd, data, capacity);
    (void)close(fd);
    REQUIRE(n > 0 && (size_t)n < capacity);
    return (size_t)n;
}

/* A file that ends early has the records before that, and takes more. */
static void cut_off_anywhere(const written *w, uint8_t *data, size_t bytes)
{
    for (size_t cut = 0; cut < bytes; cut++) {
        size_t whole = 0;
        while (whole < RECORDS && w->end[whole] <= cut)
            whole++;
        copy_journal(data, cut);
        CHECK(read_journal("k", w) == whole);
    }
}

/* A flipped bit ends it there, wherever that is: no other record comes of it. */
static void flipped_anywhere(const written *w, uint8_t *data, size_t bytes)
{
    for (size_t at = 0; at < bytes; at++) {
        const uint8_t mask = (uint8_t)(1 << at % 8);
        size_t before = 0;
        while (before < RECORDS && w->end[before] <= at)
            before++;
        data[at] ^= mask;
        copy_journal(data, bytes);
        data[at] ^= mask;
        const size_t count = read_journal("k", w);
        CHECK(at < 16 ? count == 0 : count == before);
    }
}

/* What was torn is written over, and nothing of it comes back. */
static void goes_on_behind(written *w, const uint8_t *data)
{
    gs_status st = {.code = GS_OK};
    gs_journal *j = NULL;
    gs_journal_record r;
    bool has_record = true;
    copy_journal(data, (size_t)w->end[RECORDS - 1] - 1);
    REQUIRE_OK(gs_journal_open(&j, "k", &st), &st);
    while (has_record)
        REQUIRE_OK(gs_journal_next(j, &r, &has_record, &st), &st);
    CHECK(gs_journal_torn_bytes(j) > 0);
    w->bytes[RECORDS - 1] = 5;
    REQUIRE_OK(gs_journal_append(j, RECORDS - 1, w->payload[RECORDS - 1], 5, &st), &st);
    gs_journal *other = NULL;
    CHECK(gs_journal_open(&other, "k", &st) == GS_ERR_ARG); /* it is in use */
    CHECK(strstr(st.msg, "another process") != NULL);
    gs_status_clear(&st);
    gs_journal_close(j);
    CHECK(read_journal("k", w) == RECORDS);

    REQUIRE_OK(gs_journal_open(&j, "k", &st), &st);
    REQUIRE_OK(gs_journal_next(j, &r, &has_record, &st), &st);
    CHECK(has_record);
    gs_journal_reset(j);
    REQUIRE_OK(gs_journal_append(j, 0, w->payload[0], w->bytes[0], &st), &st);
    gs_journal_close(j);
    CHECK(read_journal("k", w) == 1);
}

static void other_files_are_left_alone(void)
{
    static const char text[] = "gpusort is what this is about\n";
    gs_status st = {.code = GS_OK};
    gs_journal *j = NULL;
    copy_journal((const uint8_t *)text, sizeof text - 1);
    CHECK(gs_journal_open(&j, "k", &st) == GS_ERR_FORMAT && j == NULL);
    CHECK(file_bytes("k") == sizeof text - 1);
}

int main(void)
{
    static written w;
    static uint8_t data[1 << 16];
    uint64_t seed = check_seed(17);
    write_journal(&w, &seed);
    CHECK(read_journal("j", &w) == RECORDS);
    const size_t bytes = load(data, sizeof data);
    cut_off_anywhere(&w, data, bytes);
    flipped_anywhere(&w, data, bytes);
    goes_on_behind(&w, data);
    other_files_are_left_alone();
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
