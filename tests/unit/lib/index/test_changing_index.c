/* SPDX-License-Identifier: MIT */
/*
 * Indexes that somebody writes to while they are open.
 *
 * What is written, appended or cut off is told, and what only gives the files other names
 * is not; a merge of such an index fails and leaves nothing. Then a thread that writes
 * into the files all the time, which no file system need tell: whatever is read of the
 * index, by every reader there is, may be wrong or fail, but none may read or write where
 * it should not, which the address sanitizer sees.
 */
#define CHECK_STARTS_THREADS

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/machine.h"
#include "lib/base/mem.h"
#include "lib/index/exchange/ciff_write.h"
#include "lib/index/read/document_cursor.h"
#include "lib/index/merge/index_merger.h"
#include "lib/index/read/index_verify.h"
#include "lib/index/query/searcher.h"
#include "tests/check.h"
#include "tests/index_of_documents.h"

enum { DOCUMENTS = 3000, WORDS = 400, PATH_BYTES = 64 };

static const uint64_t writing_ns = 1200000000, writing_short_ns = 500000000;
static const char *const indexes[] = {"index", "other"};

/* --- the index --------------------------------------------------------------------- */

static void build(const char *folder, uint64_t *state)
{
    static const char documents[] = "docs.jsonl";
    FILE *const docs = fopen(documents, "w");
    REQUIRE(docs != NULL);
    for (unsigned i = 0; i < DOCUMENTS; i++) {
        (void)fprintf(docs, "{\"id\":\"name%u\",\"contents\":\"", i);
        for (uint64_t k = check_random(state) % 40; k > 0; k--) {
            const uint64_t r = check_random(state);
            (void)fprintf(docs, "w%u ", (unsigned)(r % (1 + (r >> 40) % WORDS)));
        }
        (void)fputs("\"}\n", docs);
    }
    REQUIRE(fclose(docs) == 0);
    index_of_documents(folder, documents);
}

static gs_index *open_index(const char *folder)
{
    gs_status st = {.code = GS_OK};
    gs_index *index = NULL;
    REQUIRE_OK(gs_index_open(&index, folder, &st), &st);
    return index;
}

static void path_of(char *path, const char *folder, int file)
{
    (void)snprintf(path, PATH_BYTES, "%s/%s", folder, gs_index_file_names[file]);
}

/* --- one change -------------------------------------------------------------------- */

typedef void change_fn(const char *path);

static int open_file(const char *path, int flags)
{
    const int fd = open(path, flags);
    REQUIRE(fd >= 0);
    return fd;
}

static void overwrite(const char *path)
{
    const int fd = open_file(path, O_WRONLY);
    REQUIRE(pwrite(fd, "x", 1, 100) == 1 && close(fd) == 0);
}

static void append(const char *path)
{
    const int fd = open_file(path, O_WRONLY | O_APPEND);
    REQUIRE(write(fd, "more", 4) == 4 && close(fd) == 0);
}

static void cut_off(const char *path)
{
    struct stat info;
    REQUIRE(stat(path, &info) == 0 && truncate(path, info.st_size - 1) == 0);
}

static void replace(const char *path)
{
    const int fd = open("new", O_WRONLY | O_CREAT | O_EXCL, 0644);
    REQUIRE(fd >= 0 && close(fd) == 0 && rename("new", path) == 0);
}

static void change_mode(const char *path)
{
    REQUIRE(chmod(path, 0600) == 0);
}

static void is_told(change_fn *change, bool is_change, uint64_t *state)
{
    for (int file = 0; file < GS_INDEX_FILE_COUNT; file++) {
        char path[PATH_BYTES], want[2 * PATH_BYTES + 64];
        gs_status st = {.code = GS_OK};
        if (file == 0 || change != change_mode)
            build("index", state);
        gs_index *const index = open_index("index");
        CHECK(gs_index_check_unchanged(index, &st) == GS_OK);
        path_of(path, "index", file);
        change(path);
        const gs_code code = gs_index_check_unchanged(index, &st);
        (void)snprintf(want, sizeof want,
                       "read failed: %s: it was changed while it was read", path);
        CHECK(is_change ? code == GS_ERR_IO && strcmp(st.msg, want) == 0 : code == GS_OK);
        gs_index_close(index);
    }
    CHECK(gs_mem_held_bytes() == 0);
}

/* What the head of a file says was checked when it was opened, and is not read again. */
static void heads_are_read_once(uint64_t *state)
{
    gs_index_head head;
    char path[PATH_BYTES];
    gs_document_cursor c;
    gs_status st = {.code = GS_OK};
    build("index", state);
    gs_index *const index = open_index("index");
    path_of(path, "index", GS_INDEX_DOCUMENTS);
    const int fd = open_file(path, O_RDWR);
    REQUIRE(pread(fd, &head, sizeof head, 0) == sizeof head);
    head.offsets += UINT64_C(1) << 40;
    head.end += UINT64_C(1) << 41;
    REQUIRE(pwrite(fd, &head, sizeof head, 0) == sizeof head && close(fd) == 0);
    REQUIRE_OK(gs_document_cursor_open(&c, index, &st), &st);
    REQUIRE_OK(gs_document_cursor_next(&c, &st), &st);
    CHECK(c.has_document && c.name_bytes == 5 && memcmp(c.name, "name0", 5) == 0);
    gs_document_cursor_close(&c);
    CHECK(gs_index_check_unchanged(index, &st) == GS_ERR_IO);
    gs_index_close(index);
}

/* --- a merge ----------------------------------------------------------------------- */

/* The merge says how many indexes it has opened. */
static void append_to_postings(void *context, gs_log_level level, const char *text)
{
    unsigned *const heard = context;
    (void)level;
    if (strstr(text, "indexes, ") == NULL || (*heard)++ > 0)
        return;
    append("index/postings");
}

static void merge_fails(uint64_t *state)
{
    unsigned heard = 0;
    gs_status st = {.code = GS_OK};
    const gs_log log = {.fn = append_to_postings, .context = &heard};
    const gs_index_merge_options options = {.folder = "merged",
                                            .inputs = indexes,
                                            .input_count = 2,
                                            .memory_bytes = 32 << 20,
                                            .threads = 2,
                                            .log = &log};
    build("index", state);
    build("other", state);
    CHECK(gs_index_merge(&options, &st) == GS_ERR_IO);
    CHECK(strstr(st.msg, "index/postings: it was changed while it was read") != NULL);
    CHECK(heard > 0 && access("merged", F_OK) != 0);
    CHECK(gs_mem_held_bytes() == 0);
}

/* --- changes all the time ---------------------------------------------------------- */

typedef struct writer {
    uint8_t *maps[GS_INDEX_FILE_COUNT];
    size_t bytes[GS_INDEX_FILE_COUNT];
    uint64_t seed;
    atomic_bool is_over;
} writer;

static void map_all(writer *w, const char *folder)
{
    for (int file = 0; file < GS_INDEX_FILE_COUNT; file++) {
        char path[PATH_BYTES];
        struct stat info;
        path_of(path, folder, file);
        const int fd = open_file(path, O_RDWR);
        REQUIRE(fstat(fd, &info) == 0);
        w->bytes[file] = (size_t)info.st_size;
        void *const map =
            mmap(NULL, w->bytes[file], PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        REQUIRE(map != MAP_FAILED && close(fd) == 0);
        w->maps[file] = map;
        w->maps[file][0] = w->maps[file][0]; /* its times change now, and not later */
    }
}

static void unmap_all(writer *w)
{
    for (int file = 0; file < GS_INDEX_FILE_COUNT; file++)
        REQUIRE(munmap(w->maps[file], w->bytes[file]) == 0);
}

/* A byte becomes another for a moment. What stands behind the heads of files is meant:
 * most else is refused at once. */
static void *write_on(void *context)
{
    writer *const w = context;
    uint64_t state = w->seed;
    while (!atomic_load(&w->is_over)) {
        const uint64_t r = check_random(&state);
        const size_t file = r % GS_INDEX_FILE_COUNT;
        volatile uint8_t *const at = w->maps[file] + (r >> 8) % w->bytes[file];
        const uint8_t before = *at;
        for (unsigned i = 0; i < 8; i++)
            *at = (uint8_t)check_random(&state);
        *at = before;
    }
    return NULL;
}

/* Of the first name of a block nothing is shared, which its first byte says: reading of
 * the others ends there. */
static void *write_heads(void *context)
{
    writer *const w = context;
    uint8_t *const documents = w->maps[GS_INDEX_DOCUMENTS];
    gs_index_head head;
    memcpy(&head, documents, sizeof head);
    const uint64_t *const table = (const uint64_t *)(void *)(documents + head.table);
    uint64_t state = w->seed;
    while (!atomic_load(&w->is_over)) {
        const uint64_t block = check_random(&state) % head.blocks;
        volatile uint8_t *const at = documents + head.offsets + table[block];
        const uint8_t before = *at;
        *at = (uint8_t)check_random(&state);
        *at = before;
    }
    return NULL;
}

/* Names are read into the same room again and again, meanwhile. */
static void read_names(uint64_t *state)
{
    enum { READ = 3000 };
    writer w = {.seed = *state};
    gs_document_name name = {0};
    gs_status st = {.code = GS_OK};
    uint64_t good = 0;
    pthread_t thread;
    build("index", state);
    map_all(&w, "index");
    gs_index *const index = open_index("index");
    REQUIRE_OK(gs_index_document_name(index, 0, &name, &st), &st);
    REQUIRE(pthread_create(&thread, NULL, write_heads, &w) == 0);
    const uint64_t begin_ns = gs_machine_now_ns();
    while (gs_machine_now_ns() - begin_ns <
           (check_is_long() ? writing_ns : writing_short_ns)) {
        for (unsigned i = 0; i < READ; i++) {
            gs_status_clear(&st);
            good += gs_index_document_name(index, check_random(state) % DOCUMENTS, &name,
                                           &st) == GS_OK;
        }
    }
    CHECK(good > 0);
    atomic_store(&w.is_over, true);
    REQUIRE(pthread_join(thread, NULL) == 0);
    gs_document_name_release(&name);
    gs_index_close(index);
    unmap_all(&w);
    CHECK(gs_mem_held_bytes() == 0);
}

static gs_code write_nothing(void *context, const void *data, size_t bytes, gs_status *st)
{
    (void)data;
    *(size_t *)context += bytes;
    return st->code;
}

static void look_up(const gs_index *index, uint64_t *state, gs_text_out *out)
{
    gs_term_cursor *cursor = NULL;
    gs_status st = {.code = GS_OK};
    REQUIRE_OK(gs_term_cursor_new(&cursor, index, &st), &st);
    for (unsigned i = 0; i < 100; i++) {
        char term[16];
        const int bytes = snprintf(term, sizeof term, "w%u",
                                   (unsigned)(check_random(state) % (WORDS + 10)));
        gs_status_clear(&st);
        if (gs_term_cursor_seek(cursor, term, (size_t)bytes, &st) == GS_OK)
            GS_NOTED(gs_index_lookup_sought(cursor, term, (size_t)bytes, GS_LOOKUP_JSON,
                                            out, &st));
    }
    gs_term_cursor_free(cursor);
}

static void search(const gs_index *index, const gs_word_rules *rules, uint64_t *state)
{
    /* What stands before, between and behind the first two of three words. */
    static const char *const forms[][3] = {{"", " ", " "},   {"\"", " ", "\" "},
                                           {"+", " +", " "}, {"+", " -", " "},
                                           {"", "* ", " "},  {"-", " -", " -"}};
    gs_doc_presence *presence = NULL;
    gs_searcher *s = NULL;
    gs_top_docs top = {0};
    gs_status st = {.code = GS_OK};
    REQUIRE_OK(gs_doc_presence_new(&presence, index, &st), &st);
    const gs_search_options options = {
        .k1 = 0.9, .b = 0.4, .limit = 10, .presence = presence};
    REQUIRE_OK(gs_searcher_new(&s, index, rules, &options, &st), &st);
    for (unsigned i = 0; i < 40; i++) {
        char text[64];
        uint64_t doc = 0, counted;
        const uint64_t r = check_random(state);
        const char *const *const form = forms[i % 6];
        const int bytes = snprintf(text, sizeof text, "%sw%u%sw%u%sw%u", form[0],
                                   (unsigned)(r % 20), form[1], (unsigned)(r >> 20) % 60,
                                   form[2], (unsigned)(r >> 40) % WORDS);
        gs_status_clear(&st);
        GS_NOTED(gs_searcher_rank(s, text, (size_t)bytes, &top, &st));
        for (size_t d = 0; st.code == GS_OK && d < top.count; d++) {
            gs_document_name name = {0};
            GS_NOTED(gs_index_document_name(index, top.docs[d].doc, &name, &st));
            gs_document_name_release(&name);
        }
        gs_status_clear(&st);
        GS_NOTED(gs_searcher_count(s, text, (size_t)bytes, &counted, &st));
        gs_status_clear(&st);
        GS_NOTED(gs_searcher_begin(s, text, (size_t)bytes, &st));
        while (st.code == GS_OK && doc != GS_NO_DOC)
            GS_NOTED(gs_searcher_next(s, &doc, &st));
    }
    gs_top_docs_release(&top);
    gs_searcher_free(s);
    gs_doc_presence_free(presence);
}

static void read_all(const gs_index *index, const gs_word_rules *rules, uint64_t *state,
                     size_t *written)
{
    gs_text_out out = {0};
    gs_status st = {.code = GS_OK};
    REQUIRE_OK(gs_text_out_open(&out, write_nothing, written, &st), &st);
    GS_NOTED(gs_index_dump(index, true, &out, NULL, &st));
    gs_status_clear(&st);
    GS_NOTED(gs_ciff_write(index, &out, NULL, &st));
    gs_status_clear(&st);
    GS_NOTED(gs_index_verify(index, NULL, &st));
    look_up(index, state, &out);
    search(index, rules, state);
    gs_status_clear(&st);
    REQUIRE_OK(gs_text_out_flush(&out, &st), &st);
    gs_text_out_release(&out);
}

/* Opening one may fail too, and a merge will mostly. */
static void merge_or_fail(void)
{
    gs_status st = {.code = GS_OK};
    const gs_index_merge_options options = {.folder = "merged",
                                            .replace = true,
                                            .inputs = indexes,
                                            .input_count = 2,
                                            .memory_bytes = 32 << 20,
                                            .threads = 2};
    GS_NOTED(gs_index_merge(&options, &st));
}

static void read_on(uint64_t *state)
{
    build("index", state);
    build("other", state);
    size_t written = 0;
    writer w = {.seed = *state};
    gs_word_rules *rules = NULL;
    gs_status st = {.code = GS_OK};
    pthread_t thread;
    map_all(&w, "index");
    gs_index *const index = open_index("index");
    REQUIRE_OK(gs_word_rules_read(&rules, gs_index_header_of(index)->tokenizer, &st),
               &st);
    REQUIRE(pthread_create(&thread, NULL, write_on, &w) == 0);
    const uint64_t begin_ns = gs_machine_now_ns();
    while (gs_machine_now_ns() - begin_ns <
           (check_is_long() ? writing_ns : writing_short_ns)) {
        read_all(index, rules, state, &written);
        merge_or_fail();
    }
    CHECK(written > 0);
    atomic_store(&w.is_over, true);
    REQUIRE(pthread_join(thread, NULL) == 0);
    gs_word_rules_free(rules);
    gs_index_close(index);
    unmap_all(&w);
    CHECK(gs_mem_held_bytes() == 0);
}

int main(void)
{
    char folder[] = "/tmp/gpusort-test-index-XXXXXX", command[64];
    REQUIRE(mkdtemp(folder) != NULL && chdir(folder) == 0);
    uint64_t state = check_seed(5);
    is_told(overwrite, true, &state);
    is_told(append, true, &state);
    is_told(cut_off, true, &state);
    is_told(replace, false, &state);
    is_told(change_mode, false, &state);
    heads_are_read_once(&state);
    merge_fails(&state);
    read_names(&state);
    read_on(&state);
    (void)snprintf(command, sizeof command, "rm -r %s", folder);
    REQUIRE(chdir("/") == 0 && system(command) == 0);
    return check_result();
}
