/* SPDX-License-Identifier: MIT */
/*
 * Open indexes whose files somebody writes to. What would break: an answer half of what
 * was and half of what is. Each call of gpusort.h that takes an open index, or what was
 * made of one, is in the table below: it refuses, or says why it need not.
 */
#define CHECK_STARTS_THREADS

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/gpusort.h"
#include "tests/check_api.h"

enum { HEADER_ROOM = 1 << 18, HANDLES = 8, NAME_BYTES = 64, KEPT_BYTES = 4096 };

/* --- the calls ---------------------------------------------------------------------- */

typedef struct opened {
    gpusort_index *index;
    gpusort_searcher *searcher;
    gpusort_texts *texts;
    gpusort_heads *heads;
} opened;

static int take(void *context, const void *text, size_t bytes)
{
    (void)context, (void)text, (void)bytes;
    return 0;
}

static gpusort_code count(const opened *o, gpusort_error *error)
{
    gpusort_index_info info = {.size = sizeof info};
    return gpusort_index_count(o->index, &info, error);
}

static gpusort_code verify(const opened *o, gpusort_error *error)
{
    return gpusort_index_verify(o->index, 0, NULL, error);
}

static gpusort_code verify_sums(const opened *o, gpusort_error *error)
{
    return gpusort_index_verify(o->index, GPUSORT_SUMS_ONLY, NULL, error);
}

static gpusort_code unchanged(const opened *o, gpusort_error *error)
{
    return gpusort_index_unchanged(o->index, error);
}

static gpusort_code name(const opened *o, gpusort_error *error)
{
    char text[8];
    size_t bytes;
    return gpusort_index_name(o->index, 1, text, sizeof text, &bytes, error);
}

static gpusort_code find(const opened *o, gpusort_error *error)
{
    const char *const names[] = {"d1"};
    uint64_t document;
    return gpusort_index_find(o->index, names, NULL, 1, &document, error);
}

static gpusort_code lookup(const opened *o, gpusort_error *error)
{
    gpusort_postings postings;
    const gpusort_code code = gpusort_index_lookup(o->index, "cats", 4, &postings, error);
    gpusort_postings_free(&postings);
    return code;
}

static gpusort_code lookups(const opened *o, gpusort_error *error)
{
    gpusort_lookup_options options = GPUSORT_LOOKUP_OPTIONS;
    options.write = take;
    options.from_term = "c";
    return gpusort_index_lookups(o->index, &options, error);
}

/* Also if there is nothing to write. */
static gpusort_code lookups_of_none(const opened *o, gpusort_error *error)
{
    gpusort_lookup_options options = GPUSORT_LOOKUP_OPTIONS;
    options.write = take;
    options.from_term = "zz";
    return gpusort_index_lookups(o->index, &options, error);
}

static gpusort_code heads(const opened *o, gpusort_error *error)
{
    const uint64_t ends[] = {0, 4, 6};
    uint64_t counts[2], offsets[3], documents[8];
    gpusort_heads_lists lists = GPUSORT_HEADS_LISTS;
    lists.counts = counts;
    lists.offsets = offsets;
    lists.documents = documents;
    lists.room = 8;
    return gpusort_heads_find(o->heads, "catsn3", ends, 2, &lists, error);
}

static gpusort_code dump(const opened *o, gpusort_error *error)
{
    return gpusort_index_dump(o->index, 0, take, NULL, NULL, error);
}

static gpusort_code search(const opened *o, gpusort_error *error)
{
    gpusort_hit hits[3];
    size_t found;
    return gpusort_search(o->searcher, "cats", 4, hits, 3, &found, error);
}

static gpusort_code search_many(const opened *o, gpusort_error *error)
{
    gpusort_question questions[2] = {{.query = "cats", .bytes = 4},
                                     {.query = "n3", .bytes = 2}};
    return gpusort_search_many(o->searcher, questions, 2, 3, error);
}

static gpusort_code gather(const opened *o, gpusort_error *error)
{
    return gpusort_search_gather(o->searcher, "cats", 4, error);
}

static gpusort_code gathered(const opened *o, gpusort_error *error)
{
    return gpusort_search_gathered(o->searcher, take, NULL, error);
}

/* What calls tell that need no file any more, as text. */
static char kept[KEPT_BYTES];

static gpusort_code describe(const opened *o, gpusort_error *error)
{
    gpusort_index_info i = {.size = sizeof i};
    (void)error;
    gpusort_index_describe(o->index, &i);
    (void)snprintf(kept, sizeof kept, "%ju %ju %ju %ju %s", (uintmax_t)i.documents,
                   (uintmax_t)i.terms, (uintmax_t)i.tokens, (uintmax_t)i.length_sum,
                   i.word_rules);
    return GPUSORT_OK;
}

static gpusort_code file(const opened *o, gpusort_error *error)
{
    size_t used = 0;
    uint64_t bytes;
    (void)error;
    for (size_t i = 0; gpusort_index_file(o->index, i, &bytes) != NULL; i++)
        used +=
            (size_t)snprintf(kept + used, sizeof kept - used, "%ju ", (uintmax_t)bytes);
    return GPUSORT_OK;
}

static gpusort_code figures(const opened *o, gpusort_error *error)
{
    gpusort_search_figures f = {.size = sizeof f};
    (void)error;
    gpusort_searcher_figures(o->searcher, &f);
    (void)snprintf(kept, sizeof kept, "%ju", (uintmax_t)f.queries);
    return GPUSORT_OK;
}

/* Why a call need not refuse: the header names those that are made again and again, a
 * beginning and an end are no answers, and what was kept when the index was opened stays
 * as it was. */
typedef enum excuse { NONE, OFTEN, BEGINS, ENDS, KEPT } excuse;

static const struct {
    const char *name;
    gpusort_code (*ask)(const opened *o, gpusort_error *error);
    excuse excuse;
} calls[] = {
    {"gpusort_index_close", NULL, ENDS},
    {"gpusort_index_describe", describe, KEPT},
    {"gpusort_index_count", count, NONE},
    {"gpusort_index_file", file, KEPT},
    {"gpusort_index_verify", verify, NONE},
    {"gpusort_index_verify", verify_sums, NONE},
    {"gpusort_index_unchanged", unchanged, NONE},
    {"gpusort_index_name", name, NONE},
    {"gpusort_index_names", NULL, OFTEN},
    {"gpusort_index_find", find, NONE},
    {"gpusort_texts_new", NULL, BEGINS},
    {"gpusort_texts_begin", NULL, OFTEN},
    {"gpusort_texts_next", NULL, OFTEN},
    {"gpusort_texts_free", NULL, ENDS},
    {"gpusort_index_lookup", lookup, NONE},
    {"gpusort_index_lookups", lookups, NONE},
    {"gpusort_index_lookups", lookups_of_none, NONE},
    {"gpusort_heads_new", NULL, BEGINS},
    {"gpusort_heads_find", heads, NONE},
    {"gpusort_heads_free", NULL, ENDS},
    {"gpusort_index_dump", dump, NONE},
    {"gpusort_searcher_new", NULL, BEGINS},
    {"gpusort_search", search, NONE},
    {"gpusort_search_many", search_many, NONE},
    {"gpusort_search_begin", NULL, BEGINS},
    {"gpusort_search_next", NULL, OFTEN},
    {"gpusort_search_count", NULL, OFTEN},
    {"gpusort_search_snippets", NULL, OFTEN},
    {"gpusort_search_gather", gather, NONE},
    {"gpusort_search_gathered", gathered, NONE},
    {"gpusort_searcher_figures", figures, KEPT},
    {"gpusort_searcher_free", NULL, ENDS},
};
enum { CALLS = sizeof calls / sizeof *calls };

/* --- what they do ------------------------------------------------------------------- */

static void build(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_build_options o = GPUSORT_BUILD_OPTIONS;
    const char *const inputs[] = {"docs.jsonl"};
    FILE *const f = fopen(inputs[0], "w");
    REQUIRE(f != NULL);
    for (int i = 0; i < 50; i++)
        fprintf(f, "{\"id\": \"d%d\", \"contents\": \"cats n%d of %d\"}\n", i, i % 7, i);
    REQUIRE(fclose(f) == 0);
    o.folder = "index";
    o.inputs = inputs;
    o.input_count = 1;
    o.replaces = o.has_texts = 1;
    GOOD(gpusort_index_build(&o, &error));
}

static opened open_all(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    opened o;
    GOOD(gpusort_index_open(&o.index, "index", &error));
    GOOD(gpusort_searcher_new(&o.searcher, o.index, NULL, &error));
    GOOD(gpusort_texts_new(&o.texts, o.index, &error));
    gpusort_heads_options options = GPUSORT_HEADS_OPTIONS;
    options.head = 4;
    GOOD(gpusort_heads_new(&o.heads, o.index, &options, &error));
    return o;
}

static void close_all(const opened *o)
{
    gpusort_heads_free(o->heads);
    gpusort_texts_free(o->texts);
    gpusort_searcher_free(o->searcher);
    gpusort_index_close(o->index);
}

/* Somebody writes to a file of it, the same that it has. */
static void write_to_it(void)
{
    const int fd = open("index/postings", O_RDWR | O_CLOEXEC);
    struct stat info;
    char byte;
    REQUIRE(fd >= 0 && fstat(fd, &info) == 0 && pread(fd, &byte, 1, 0) == 1);
    REQUIRE(pwrite(fd, &byte, 1, 0) == 1);
    const struct timespec times[] = {info.st_atim, {.tv_sec = info.st_mtim.tv_sec - 10}};
    REQUIRE(futimens(fd, times) == 0 && close(fd) == 0);
}

static void what_is_written_to_gives_no_answer(void)
{
    for (size_t i = 0; i < CALLS; i++) {
        gpusort_error error = GPUSORT_NO_ERROR;
        if (calls[i].excuse != NONE)
            continue;
        const opened o = open_all();
        GOOD(calls[i].ask(&o, &error));
        write_to_it();
        const gpusort_code code = calls[i].ask(&o, &error);
        const bool is_refused =
            code == GPUSORT_IO && strstr(error.message, "changed while "
                                                        "it was read");
        if (!is_refused)
            fprintf(stderr, "%s: %d, %s\n", calls[i].name, (int)code, error.message);
        CHECK(is_refused);
        close_all(&o);
    }
}

/* All that the files have is gone: a page of one that is touched ends the program. */
static void empty_the_files(void)
{
    char path[300];
    DIR *const names = opendir("index");
    REQUIRE(names != NULL);
    for (const struct dirent *e; (e = readdir(names)) != NULL;) {
        (void)snprintf(path, sizeof path, "index/%s", e->d_name);
        REQUIRE(e->d_name[0] == '.' || truncate(path, 0) == 0);
    }
    REQUIRE(closedir(names) == 0);
}

/* The last of all: nothing is left of the index. */
static void what_was_kept_stays(void)
{
    const opened o = open_all();
    char before[CALLS][KEPT_BYTES];
    for (size_t round = 0; round < 2; round++) {
        for (size_t i = 0; i < CALLS; i++) {
            gpusort_error error = GPUSORT_NO_ERROR;
            if (calls[i].excuse != KEPT)
                continue;
            kept[0] = '\0';
            GOOD(calls[i].ask(&o, &error));
            CHECK(kept[0] != '\0');
            if (round == 0)
                memcpy(before[i], kept, sizeof kept);
            CHECK(strcmp(before[i], kept) == 0);
        }
        empty_the_files();
    }
    close_all(&o);
}

/* --- which there are ---------------------------------------------------------------- */

/* gpusort.h, with one blank for all white space. */
static void read_header(char text[HEADER_ROOM])
{
    const char *const tests = getenv("GS_TESTS");
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/../lib/gpusort.h",
                   tests != NULL ? tests : "tests");
    FILE *const f = fopen(path, "r");
    size_t used = 0;
    bool is_blank = false;
    REQUIRE(f != NULL);
    for (int c; (c = fgetc(f)) != EOF;) {
        const bool was_blank = is_blank;
        is_blank = c == ' ' || c == '\n';
        if (is_blank && was_blank)
            continue;
        REQUIRE(used + 1 < HEADER_ROOM);
        text[used++] = is_blank ? ' ' : (char)c;
    }
    text[used] = '\0';
    REQUIRE(fclose(f) == 0);
}

/* Is one of these parameters a pointer to such a thing? */
static bool takes(const char *call, const char *handle)
{
    char pattern[NAME_BYTES + 4];
    (void)snprintf(pattern, sizeof pattern, "%s *", handle);
    for (const char *p = call; (p = strstr(p, pattern)) != NULL; p++) {
        const char before = p[-1];
        if (p[strlen(pattern)] != '*' && (before == ' ' || before == '('))
            return true;
    }
    return false;
}

/* What is made of an index, by `gpusort_x **out', may not be what it was, either. */
static void note_handle(const char *call, char handles[HANDLES][NAME_BYTES],
                        size_t *handle_count)
{
    const char *const out = strstr(call, " **out");
    const char *begin = out;
    if (out == NULL)
        return;
    while (begin[-1] != '(' && begin[-1] != ' ')
        begin--;
    REQUIRE(*handle_count < HANDLES);
    (void)snprintf(handles[(*handle_count)++], NAME_BYTES, "%.*s", (int)(out - begin),
                   begin);
}

static bool is_in_table(const char *call)
{
    for (size_t i = 0; i < CALLS; i++) {
        if (strcmp(calls[i].name, call) == 0)
            return true;
    }
    return false;
}

/* The next call from p on, up to its `;', which is *end; NULL: there is none. */
static char *next_call(char *p, char **end, char name[NAME_BYTES])
{
    while ((p = strstr(p, " GPUSORT_API ")) != NULL) {
        if (strncmp(p - strlen("#define"), "#define", strlen("#define")) != 0)
            break;
        p++;
    }
    if (p == NULL)
        return NULL;
    *end = strchr(p, ';');
    char *const open = strchr(p, '(');
    REQUIRE(*end != NULL && open != NULL && open < *end);
    const char *begin = open;
    while (begin[-1] != ' ' && begin[-1] != '*')
        begin--;
    (void)snprintf(name, NAME_BYTES, "%.*s", (int)(open - begin), begin);
    REQUIRE(strncmp(name, "gpusort_", strlen("gpusort_")) == 0);
    return p;
}

/* Each call that takes an index or what was made of one, whatever it returns. */
static void each_call_is_in_the_table(char text[HEADER_ROOM])
{
    char handles[HANDLES][NAME_BYTES] = {"gpusort_index"}, call[NAME_BYTES], *end;
    size_t handle_count = 1, found = 0, distinct = 0;
    for (char *p = text; (p = next_call(p, &end, call)) != NULL; p = end) {
        *end = '\0';
        bool is_asked = false;
        for (size_t h = 0; h < handle_count; h++)
            is_asked |= takes(p, handles[h]);
        if (is_asked) {
            note_handle(p, handles, &handle_count);
            found++;
            if (!is_in_table(call))
                fprintf(stderr, "%s: does it refuse an index that was changed?\n", call);
            CHECK(is_in_table(call));
        }
        *end = ';';
    }
    for (size_t i = 0; i < CALLS; i++)
        distinct += i == 0 || strcmp(calls[i].name, calls[i - 1].name) != 0;
    CHECK(handle_count == 4 && found == distinct);
}

/* Those that the header excuses, and no others. */
static void the_header_names_those_that_do_not(const char *text)
{
    const char *const begin = strstr(text, "made again and again:");
    const char *const end = strstr(text, "Who hands on what they gave");
    char list[1024];
    size_t named = 0, often = 0;
    REQUIRE(begin != NULL && end > begin && end - begin < (int)sizeof list);
    (void)snprintf(list, sizeof list, "%.*s", (int)(end - begin), begin);
    for (const char *p = list; (p = strstr(p, "gpusort_")) != NULL; p++)
        named++;
    for (size_t i = 0; i < CALLS; i++) {
        const bool is_tried = calls[i].excuse == NONE || calls[i].excuse == KEPT;
        CHECK(is_tried == (calls[i].ask != NULL));
        often += calls[i].excuse == OFTEN;
        CHECK(calls[i].excuse != OFTEN || strstr(list, calls[i].name) != NULL);
    }
    CHECK(named == often);
}

int main(void)
{
    static char text[HEADER_ROOM];
    read_header(text);
    each_call_is_in_the_table(text);
    the_header_names_those_that_do_not(text);
    build();
    what_is_written_to_gives_no_answer();
    what_was_kept_stays();
    return check_result();
}
