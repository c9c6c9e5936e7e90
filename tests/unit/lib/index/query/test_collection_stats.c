/* SPDX-License-Identifier: MIT */
/*
 * collection_stats: what several indexes say must come back as its sum whatever bytes
 * terms are made of, and a file that anybody has changed must be read as something or
 * refused.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/index/query/collection_stats.h"
#include "tests/check.h"

enum { PATH_BYTES = 200, TERMS = 40, TERM_BYTES = 6 };

static uint64_t state;
static char scratch[] = "/tmp/gpusort-test-stats-XXXXXX";
static char path[PATH_BYTES];

static uint64_t below(uint64_t n)
{
    return check_random(&state) % n;
}

static gs_code append(void *context, const void *data, size_t bytes, gs_status *st)
{
    (void)st;
    CHECK(write(*(const int *)context, data, bytes) == (ssize_t)bytes);
    return GS_OK;
}

static void write_stats(const gs_collection_stats *s, int fd)
{
    gs_status st = {.code = GS_OK};
    gs_text_out out;
    REQUIRE_OK(gs_text_out_open(&out, append, &fd, &st), &st);
    REQUIRE_OK(gs_collection_stats_put(s, &out, &st), &st);
    REQUIRE_OK(gs_text_out_flush(&out, &st), &st);
    gs_text_out_release(&out);
}

static int open_file(void)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    REQUIRE(fd >= 0);
    return fd;
}

/* Few letters, so that the same terms come again, and those that have to be escaped. */
static size_t make_term(uint8_t *term)
{
    static const char letters[] = {'a', 'b', '\n', '\\', '\t', 'n', '\0'};
    const size_t bytes = 1 + below(TERM_BYTES - 1);
    for (size_t i = 0; i < bytes; i++)
        term[i] = (uint8_t)letters[below(sizeof letters)];
    return bytes;
}

static void sums_come_back(void)
{
    for (unsigned round = 0; round < check_often(300); round++) {
        gs_status st = {.code = GS_OK};
        gs_collection_stats parts[3] = {{0}}, all = {0};
        const int fd = open_file();
        uint64_t documents = 0, length = 0, df;
        for (unsigned i = 0; i < 3; i++) {
            parts[i].documents = 1000 + below(1000);
            parts[i].length_sum = below(UINT64_C(1) << 60);
            documents += parts[i].documents;
            length += parts[i].length_sum;
            for (size_t n = below(TERMS); n > 0; n--) {
                uint8_t term[TERM_BYTES];
                const size_t bytes = make_term(term);
                /* Of one index the same term has one number, noted twice or not. */
                const uint64_t same = bytes * 100 + term[0];
                REQUIRE_OK(gs_collection_stats_note(&parts[i], term, bytes, same, &st),
                           &st);
            }
            gs_collection_stats_settle(&parts[i]);
            write_stats(&parts[i], fd);
        }
        (void)close(fd);
        REQUIRE_OK(gs_collection_stats_read(&all, path, &st), &st);
        CHECK(all.documents == documents && all.length_sum == length);
        for (size_t i = 0; i < all.term_count; i++) {
            const gs_collection_term *const t = &all.terms[i];
            uint64_t sum = 0;
            for (unsigned p = 0; p < 3; p++)
                sum +=
                    gs_collection_stats_find(&parts[p], all.text + t->at, t->bytes, &df)
                        ? df
                        : 0;
            CHECK(sum == t->df && sum > 0);
        }
        for (unsigned p = 0; p < 3; p++) {
            for (size_t i = 0; i < parts[p].term_count; i++)
                CHECK(gs_collection_stats_find(&all, parts[p].text + parts[p].terms[i].at,
                                               parts[p].terms[i].bytes, &df));
            gs_collection_stats_release(&parts[p]);
        }
        CHECK(!gs_collection_stats_find(&all, (const uint8_t *)"zz", 2, &df));
        gs_collection_stats_release(&all);
    }
}

static const char good[] = "documents\t70\nlength\t900\ndf\t3\tfish\ndf\t9\ta\\nb\\\\\n"
                           "documents\t20\ndf\t1\tfish\n";

static void changed_files_are_harmless(void)
{
    for (unsigned round = 0; round < check_often(2000); round++) {
        gs_status st = {.code = GS_OK};
        gs_collection_stats s = {0};
        char text[sizeof good];
        const size_t bytes = sizeof good - 1 - (below(3) == 0 ? below(20) : 0);
        memcpy(text, good, sizeof good);
        for (uint64_t n = below(4); n > 0; n--)
            text[below(bytes)] = below(2) ? (char)below(256) : "9\n\t\\0"[below(5)];
        const int fd = open_file();
        CHECK(write(fd, text, bytes) == (ssize_t)bytes);
        (void)close(fd);
        const gs_code code = gs_collection_stats_read(&s, path, &st);
        CHECK(code == GS_OK || code == GS_ERR_FORMAT);
        for (size_t i = 0; code == GS_OK && i < s.term_count; i++)
            CHECK(s.terms[i].df <= s.documents);
        gs_collection_stats_release(&s);
    }
}

static void memory_may_end(void)
{
    const int fd = open_file();
    CHECK(write(fd, good, sizeof good - 1) == (ssize_t)sizeof good - 1);
    (void)close(fd);
    for (uint64_t nth = 1; nth < 6; nth++) {
        gs_status st = {.code = GS_OK};
        gs_collection_stats s = {0};
        gs_mem_fail_nth(nth);
        GS_NOTED(gs_collection_stats_read(&s, path, &st));
        gs_mem_fail_nth(0);
        CHECK(st.code == (nth <= 2 ? GS_ERR_NOMEM : GS_OK));
        gs_collection_stats_release(&s);
    }
}

int main(void)
{
    state = check_seed(22);
    REQUIRE(mkdtemp(scratch) != NULL);
    (void)snprintf(path, sizeof path, "%s/stats", scratch);
    sums_come_back();
    changed_files_are_harmless();
    memory_may_end();
    CHECK(unlink(path) == 0 && rmdir(scratch) == 0);
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
