/* SPDX-License-Identifier: MIT */
/*
 * unique_names: two documents with the same name must be found wherever they are, however
 * few names are kept at a time; none may be told of an index without any.
 */
#include <stdio.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/index/write/name_check.h"
#include "lib/index/write/unique_names.h"
#include "tests/check.h"
#include "tests/index_of_documents.h"
#include "tests/scratch_folder.h"

enum { ROUNDS = 30, NAMES = 400 };

static const size_t kept[] = {2, 7, 64, GS_NAMES_KEPT_MAX};

static void check_names(const char *folder, bool is_unique, unsigned one, unsigned other)
{
    gs_status st = {.code = GS_OK};
    gs_index *index = NULL;
    REQUIRE_OK(gs_index_open(&index, folder, &st), &st);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        char want[80];
        gs_status_clear(&st);
        const gs_code code = gs_unique_names_check(index, kept[i], &st);
        (void)snprintf(want, sizeof want, "documents %u and %u have the same name", one,
                       other);
        CHECK(code == (is_unique ? GS_OK : GS_ERR_FORMAT));
        CHECK(is_unique || strncmp(st.msg, want, strlen(want)) == 0);
    }
    gs_status_clear(&st);
    gs_mem_fail_nth(1);
    CHECK(gs_unique_names_check(index, kept[0], &st) == GS_ERR_NOMEM);
    gs_mem_fail_nth(0);
    gs_index_close(index);
}

/* Names but one, which may be that of an earlier document, are those of no other. */
static void are_looked_at(void)
{
    char folder[SCRATCH_FOLDER_BYTES], index[64], documents[64], remove[64];
    uint64_t seed = check_seed(31);
    scratch_folder_new(folder);
    (void)snprintf(index, sizeof index, "%s/index", folder);
    (void)snprintf(documents, sizeof documents, "%s/documents", folder);
    for (unsigned round = 0; round < check_often(ROUNDS); round++) {
        const bool is_unique = check_random(&seed) % 3 == 0;
        const unsigned count = 2 + (unsigned)(check_random(&seed) % (NAMES - 2));
        const unsigned other = 1 + (unsigned)(check_random(&seed) % (count - 1));
        const unsigned one = (unsigned)(check_random(&seed) % other);
        FILE *const file = fopen(documents, "w");
        REQUIRE(file != NULL);
        for (unsigned i = 0; i < count; i++)
            (void)fprintf(file, "{\"id\":\"name%u\",\"contents\":\"word\"}\n",
                          i == other && !is_unique ? one : i);
        REQUIRE(fclose(file) == 0);
        index_of_documents(index, documents);
        check_names(index, is_unique, one, other);
    }
    (void)snprintf(remove, sizeof remove, "rm -r %s", folder);
    CHECK(system(remove) == 0);
}

int main(void)
{
    are_looked_at();
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
