/* SPDX-License-Identifier: MIT */
/*
 * Every bit of what is kept, flipped in turn: blocks of runs, indexes, packed inputs.
 *
 * What would break: a byte that a disk or a cable has changed is taken for the truth.
 * Each flip must be noticed, with the name of what is damaged, or make no difference; a
 * wrong answer, a crash and a hang are failures. Indexes are looked at by verify, and
 * again as lookups and searches do it.
 *
 *      test_flips [FLIPS [SEED]]     so many of each kind, of large files as a sample
 *
 * Several processes flip bits of copies of their own. Prints a line for each kind: flips,
 * noticed, without a difference, wrong. With checkpoints and a report: tests/flips.py.
 */
#define CHECK_STARTS_THREADS

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>
#include <zlib.h>
#include <zstd.h>

#include "io/run_block.h"
#include "lib/base/mem.h"
#include "lib/index/read/index_text.h"
#include "lib/index/read/index_verify.h"
#include "lib/index/read/text_reader.h"
#include "lib/index/query/searcher.h"
#include "lib/sort/sort.h"
#include "tests/check.h"
#include "tests/index_of_documents.h"
#include "tests/scratch_folder.h"

enum {
    WORKERS = 8, /* who opens a file that was just written to waits for the clock */
    PATH_BYTES = 128,
    FILE_MAX = 1 << 20,
    FLIP_SECONDS = 60, /* for one: else it hangs */
    RAW_BYTES = 4000,
    WORDS = 300,
};

typedef enum flip_result { NOTICED, HARMLESS, WRONG, UNNAMED, RESULTS } flip_result;

typedef struct tally {
    uint64_t counts[RESULTS];
    uint64_t first_wrong; /* bit */
} tally;

/* A file, or memory, whose bits are flipped, and what is asked after each flip. */
typedef struct subject {
    const char *kind;
    const char *path; /* relative to the worker's folder; NULL: `memory` */
    uint8_t *memory;
    size_t bytes;
    flip_result (*ask)(const struct subject *s, uint64_t bit);
} subject;

static char home[SCRATCH_FOLDER_BYTES]; /* all is in here */
static uint64_t flips_wanted = 300, seed = 1;
static bool has_failed;

/* --- files ------------------------------------------------------------------------- */

static size_t read_file(const char *path, uint8_t *to)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    const ssize_t n = read(fd, to, FILE_MAX);
    REQUIRE(n >= 0 && n < FILE_MAX && close(fd) == 0);
    return (size_t)n;
}

static void write_file(const char *path, const void *data, size_t bytes)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    REQUIRE(fd >= 0 && write(fd, data, bytes) == (ssize_t)bytes && close(fd) == 0);
}

static void flip(const subject *s, uint64_t bit)
{
    uint8_t byte;
    const off_t at = (off_t)(bit / 8);
    if (s->path == NULL) {
        s->memory[at] ^= (uint8_t)(1 << bit % 8);
        return;
    }
    const int fd = open(s->path, O_RDWR | O_CLOEXEC);
    REQUIRE(fd >= 0 && pread(fd, &byte, 1, at) == 1);
    byte ^= (uint8_t)(1 << bit % 8);
    REQUIRE(pwrite(fd, &byte, 1, at) == 1 && close(fd) == 0);
}

/* --- many flips -------------------------------------------------------------------- */

/* The i-th of `count` bits: one of each stretch. */
static uint64_t choose_bit(uint64_t bits, uint64_t i, uint64_t count)
{
    uint64_t state = seed * 1000003 + i;
    const uint64_t begin = (uint64_t)((double)bits * (double)i / (double)count);
    const uint64_t end = (uint64_t)((double)bits * (double)(i + 1) / (double)count);
    return count == bits ? i : begin + check_random(&state) % (end - begin);
}

static void work(const subject *s, unsigned worker, uint64_t count, tally *t)
{
    for (uint64_t i = worker; i < count; i += WORKERS) {
        const uint64_t bit = choose_bit(8 * (uint64_t)s->bytes, i, count);
        (void)alarm(FLIP_SECONDS);
        flip(s, bit);
        const flip_result r = s->ask(s, bit);
        flip(s, bit);
        t->counts[r]++;
        if (r >= WRONG && t->counts[WRONG] + t->counts[UNNAMED] == 1)
            t->first_wrong = bit;
    }
}

static void enter(unsigned worker)
{
    char path[2 * PATH_BYTES];
    (void)snprintf(path, sizeof path, "%s/%u", home, worker);
    REQUIRE(chdir(path) == 0);
}

static void run(const subject *s)
{
    const uint64_t bits = 8 * (uint64_t)s->bytes;
    const uint64_t count = bits < flips_wanted ? bits : flips_wanted;
    tally *const all = mmap(NULL, WORKERS * sizeof *all, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    REQUIRE(all != MAP_FAILED && bits > 0);
    pid_t pids[WORKERS];
    for (unsigned w = 0; w < WORKERS; w++) {
        pids[w] = fork();
        REQUIRE(pids[w] >= 0);
        if (pids[w] > 0)
            continue;
        enter(w);
        work(s, w, count, &all[w]);
        _exit(check_failures != 0);
    }
    tally sum = {0};
    for (unsigned w = 0; w < WORKERS; w++) {
        int status = 0;
        REQUIRE(waitpid(pids[w], &status, 0) == pids[w]);
        if (status != 0) {
            fprintf(stderr, "%s: a process ended with status %d\n", s->kind, status);
            has_failed = true;
        }
        for (unsigned r = 0; r < RESULTS; r++)
            sum.counts[r] += all[w].counts[r];
        if (all[w].counts[WRONG] + all[w].counts[UNNAMED] > 0)
            sum.first_wrong = all[w].first_wrong;
    }
    printf("%s\t%llu\t%llu\t%llu\t%llu\n", s->kind, (unsigned long long)count,
           (unsigned long long)sum.counts[NOTICED],
           (unsigned long long)sum.counts[HARMLESS],
           (unsigned long long)(sum.counts[WRONG] + sum.counts[UNNAMED]));
    if (sum.counts[WRONG] + sum.counts[UNNAMED] > 0) {
        fprintf(stderr, "%s: %llu wrong, %llu without a name, as with bit %llu\n",
                s->kind, (unsigned long long)sum.counts[WRONG],
                (unsigned long long)sum.counts[UNNAMED],
                (unsigned long long)sum.first_wrong);
        has_failed = true;
    }
    if (sum.counts[NOTICED] == 0)
        has_failed = true;
    (void)munmap(all, WORKERS * sizeof *all);
}

/* A failure is an answer if it names what is damaged. */
static flip_result judge(const gs_status *st, const char *name, bool is_same)
{
    if (st->code != GS_OK)
        return strstr(st->msg, name) != NULL ? NOTICED : UNNAMED;
    return is_same ? HARMLESS : WRONG;
}

/* --- blocks of runs ---------------------------------------------------------------- */

static uint8_t raw[RAW_BYTES], stored[2 * RAW_BYTES];

static flip_result ask_block(const subject *s, uint64_t bit)
{
    static gs_run_coder *coder;
    uint8_t back[RAW_BYTES];
    gs_status st = {.code = GS_OK};
    size_t bytes = 0, used = 0;
    uint32_t records = 0;
    (void)bit;
    if (coder == NULL)
        REQUIRE_OK(gs_run_coder_new(&coder, &st), &st);
    GS_NOTED(gs_run_block_decode(coder, s->memory, s->bytes, "spill 3", back, sizeof back,
                                 &bytes, &records, &used, &st));
    return judge(&st, "spill 3",
                 bytes == RAW_BYTES && records == 17 && used == s->bytes &&
                     memcmp(back, raw, RAW_BYTES) == 0);
}

static void flip_blocks(void)
{
    gs_status st = {.code = GS_OK};
    gs_run_coder *coder = NULL;
    uint64_t state = seed;
    REQUIRE_OK(gs_run_coder_new(&coder, &st), &st);
    for (gs_run_codec codec = 0; codec < GS_RUN_CODEC_COUNT; codec++) {
        const bool is_raw = codec == GS_RUN_CODEC_RAW;
        char kind[64] = "run block";
        if (!is_raw)
            (void)snprintf(kind, sizeof kind, "run block, %s", gs_run_codec_name(codec));
        for (size_t i = 0; i < RAW_BYTES; i++)
            raw[i] = (uint8_t)(is_raw ? check_random(&state) : check_random(&state) % 7);
        subject s = {.kind = kind, .memory = stored, .ask = ask_block};
        REQUIRE_OK(
            gs_run_block_encode(coder, codec, raw, RAW_BYTES, 17, stored, &s.bytes, &st),
            &st);
        REQUIRE(stored[offsetof(gs_run_block_header, codec)] == codec);
        REQUIRE(ask_block(&s, 0) == HARMLESS);
        run(&s);
    }
    gs_run_coder_free(coder);
}

/* --- packed inputs ----------------------------------------------------------------- */

static uint8_t sorted[FILE_MAX];
static size_t sorted_bytes;

static gs_code sort_file(const char *path, bool as_it_is, gs_status *st)
{
    const char *const inputs[] = {path};
    const gs_sort_options options = {
        .order = {.delimiter = GS_ORDER_BLANK_FIELDS, .eol = '\n'},
        .inputs = inputs,
        .input_count = 1,
        .output = "sorted",
        .memory_bytes = 8 << 20,
        .threads = 1,
        .no_uring = true,
        .keep_compressed = as_it_is,
        .engine = "cpu",
    };
    (void)unlink("sorted");
    return gs_sort_run(&options, st);
}

static flip_result ask_input(const subject *s, uint64_t bit)
{
    static uint8_t got[FILE_MAX], other[FILE_MAX];
    enum { MAGIC_BYTES = 4 };
    gs_status st = {.code = GS_OK};
    GS_NOTED(sort_file(s->path, false, &st));
    size_t bytes = read_file("sorted", got);
    CHECK(st.code == GS_OK || bytes == 0); /* nothing half-done */
    const flip_result r =
        judge(&st, s->path, bytes == sorted_bytes && memcmp(got, sorted, bytes) == 0);
    if (r != WRONG || bit / 8 >= MAGIC_BYTES)
        return r;
    /* By its first bytes it is not a packed file any more, but some other, which is
     * sorted as any file is. */
    REQUIRE_OK(sort_file(s->path, true, &st), &st);
    const size_t other_bytes = read_file("sorted", other);
    return other_bytes == bytes && memcmp(got, other, bytes) == 0 ? HARMLESS : WRONG;
}

static size_t pack_zstd(const uint8_t *text, size_t bytes, uint8_t *to)
{
    ZSTD_CCtx *const c = ZSTD_createCCtx();
    REQUIRE(c != NULL);
    (void)ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
    const size_t n = ZSTD_compress2(c, to, FILE_MAX, text, bytes);
    REQUIRE(!ZSTD_isError(n));
    (void)ZSTD_freeCCtx(c);
    return n;
}

static size_t pack_gzip(uint8_t *text, size_t bytes, uint8_t *to)
{
    enum { WINDOW = 15, AS_GZIP = 16, LEVEL = 8 };
    z_stream z = {
        .next_in = text, .avail_in = (uInt)bytes, .next_out = to, .avail_out = FILE_MAX};
    REQUIRE(deflateInit2(&z, 6, Z_DEFLATED, WINDOW + AS_GZIP, LEVEL, 0) == Z_OK);
    REQUIRE(deflate(&z, Z_FINISH) == Z_STREAM_END);
    const size_t n = (size_t)z.total_out;
    (void)deflateEnd(&z);
    return n;
}

static void flip_inputs(void)
{
    static uint8_t text[FILE_MAX], packed[FILE_MAX];
    size_t used = 0;
    uint64_t state = seed;
    gs_status st = {.code = GS_OK};
    while (used < 60000)
        used += (size_t)snprintf((char *)text + used, 64, "word%u other\n",
                                 (unsigned)(check_random(&state) % 5000));
    enter(0);
    write_file("text", text, used);
    REQUIRE_OK(sort_file("text", true, &st), &st);
    sorted_bytes = read_file("sorted", sorted);
    REQUIRE(sorted_bytes == used);
    static const char *const kinds[] = {"zstd input", "gzip input"};
    static const char *const paths[] = {"in.zst", "in.gz"};
    for (unsigned how = 0; how < 2; how++) {
        const size_t bytes =
            how == 0 ? pack_zstd(text, used, packed) : pack_gzip(text, used, packed);
        for (unsigned w = 0; w < WORKERS; w++) {
            enter(w);
            write_file(paths[how], packed, bytes);
        }
        const subject s = {
            .kind = kinds[how], .path = paths[how], .bytes = bytes, .ask = ask_input};
        run(&s);
    }
}

/* --- indexes ----------------------------------------------------------------------- */

static const char *const queries[] = {"w1 w7",     "w3 AND w5",   "\"w1 w2\"",
                                      "w2 NOT w4", "w250 w9 w33", "w1*"};
static uint64_t right_answer;

static gs_code mix_text(void *context, const void *data, size_t bytes, gs_status *st)
{
    uint64_t *const sum = context;
    *sum = XXH3_64bits_withSeed(data, bytes, *sum);
    return st->code;
}

static gs_code look_up(const gs_index *index, uint64_t *sum, gs_status *st)
{
    gs_term_cursor *cursor = NULL;
    gs_text_out out = {0};
    GS_TRY_OR_FAIL(gs_term_cursor_new(&cursor, index, st));
    GS_TRY_OR_FAIL(gs_text_out_open(&out, mix_text, sum, st));
    for (unsigned i = 0; i <= WORDS; i += 3) {
        char term[16];
        const int n = snprintf(term, sizeof term, "w%u", i);
        GS_TRY_OR_FAIL(gs_term_cursor_seek(cursor, term, (size_t)n, st));
        GS_TRY_OR_FAIL(
            gs_index_lookup_sought(cursor, term, (size_t)n, GS_LOOKUP_TEXT, &out, st));
    }
    GS_NOTED(gs_text_out_flush(&out, st));
fail:
    gs_text_out_release(&out);
    gs_term_cursor_free(cursor);
    return st->code;
}

static gs_code mix_answers(const gs_index *index, const gs_top_docs *top,
                           gs_document_name *name, uint64_t *sum, gs_status *st)
{
    for (size_t i = 0; i < top->count; i++) {
        GS_TRY(gs_index_document_name(index, top->docs[i].doc, name, st));
        GS_TRY(mix_text(sum, &top->docs[i].doc, sizeof top->docs[i].doc, st));
        GS_TRY(mix_text(sum, &top->docs[i].score, sizeof top->docs[i].score, st));
        GS_TRY(mix_text(sum, name->text, name->bytes, st));
    }
    return GS_OK;
}

static gs_code search(const gs_index *index, uint64_t *sum, gs_status *st)
{
    gs_word_rules *rules = NULL;
    gs_doc_presence *presence = NULL;
    gs_searcher *searcher = NULL;
    gs_top_docs top = {0};
    gs_document_name name = {0};
    gs_search_options options = {.k1 = 1.2, .b = 0.75, .limit = 10};
    const char *const tokenizer = gs_index_header_of(index)->tokenizer;
    if (tokenizer == NULL)
        return GS_OK;
    if (gs_word_rules_read(&rules, tokenizer, st) != GS_OK) {
        gs_status_clear(st); /* the command adds the name */
        return GS_FAIL(st, GS_ERR_FORMAT, 0,
                       "index: header.json: words by unknown rules");
    }
    GS_TRY_OR_FAIL(gs_doc_presence_new(&presence, index, st));
    options.presence = presence;
    GS_TRY_OR_FAIL(gs_searcher_new(&searcher, index, rules, &options, st));
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        GS_TRY_OR_FAIL(
            gs_searcher_rank(searcher, queries[i], strlen(queries[i]), &top, st));
        GS_TRY_OR_FAIL(mix_answers(index, &top, &name, sum, st));
    }
fail:
    gs_document_name_release(&name);
    gs_top_docs_release(&top);
    gs_searcher_free(searcher);
    gs_doc_presence_free(presence);
    gs_word_rules_free(rules);
    return st->code;
}

/* All texts, as they are stored. */
static gs_code show(const gs_index *index, uint64_t *sum, gs_status *st)
{
    gs_text_reader *r = NULL;
    GS_TRY(gs_text_reader_new(&r, index, 1, st));
    for (uint64_t b = 0; b < gs_index_text_blocks(index) && st->code == GS_OK; b++) {
        gs_text_span bytes;
        if (gs_text_reader_block(r, b, &bytes, st) == GS_OK)
            GS_NOTED(mix_text(sum, bytes.data, bytes.bytes, st));
    }
    gs_text_reader_free(r);
    return st->code;
}

/* What lookups and searches give, and texts. */
static gs_code answer(uint64_t *sum, gs_status *st)
{
    gs_index *index = NULL;
    *sum = 0;
    if (gs_index_open(&index, "index", st) == GS_OK && look_up(index, sum, st) == GS_OK &&
        search(index, sum, st) == GS_OK && show(index, sum, st) == GS_OK)
        GS_NOTED(gs_index_check_unchanged(index, st));
    gs_index_close(index);
    return st->code;
}

static flip_result ask_verify(const subject *s, uint64_t bit)
{
    gs_status st = {.code = GS_OK};
    gs_index *index = NULL;
    uint64_t sum = 0;
    (void)bit;
    if (gs_index_open(&index, "index", &st) == GS_OK)
        GS_NOTED(gs_index_verify(index, NULL, &st));
    gs_index_close(index);
    if (st.code != GS_OK)
        return judge(&st, strrchr(s->path, '/') + 1, false);
    return answer(&sum, &st) == GS_OK && sum == right_answer ? HARMLESS : WRONG;
}

static flip_result ask_as_readers(const subject *s, uint64_t bit)
{
    gs_status st = {.code = GS_OK};
    uint64_t sum = 0;
    (void)bit;
    GS_NOTED(answer(&sum, &st));
    return judge(&st, strrchr(s->path, '/') + 1, sum == right_answer);
}

static void build_index(void)
{
    static const char documents[] = "docs.jsonl";
    uint64_t state = seed;
    FILE *const docs = fopen(documents, "w");
    REQUIRE(docs != NULL);
    for (unsigned i = 0; i < 400; i++) {
        (void)fprintf(docs, "{\"id\":\"name%u\",\"contents\":\"", i);
        for (uint64_t k = 5 + check_random(&state) % 30; k > 0; k--) {
            const uint64_t r = check_random(&state);
            (void)fprintf(docs, "w%u ", (unsigned)(r % (1 + (r >> 40) % WORDS)));
        }
        (void)fputs("\"}\n", docs);
    }
    REQUIRE(fclose(docs) == 0);
    index_of_documents("index", documents);
}

static void flip_index(void)
{
    static const char *const files[] = {"header.json", "terms", "postings", "positions",
                                        "documents",   "texts", "sums"};
    static uint8_t data[FILE_MAX];
    gs_status st = {.code = GS_OK};
    for (unsigned w = 0; w < WORKERS; w++) {
        enter(w);
        build_index();
    }
    REQUIRE_OK(answer(&right_answer, &st), &st);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[PATH_BYTES], kinds[2][2 * PATH_BYTES];
        (void)snprintf(path, sizeof path, "index/%s", files[i]);
        (void)snprintf(kinds[0], sizeof kinds[0], "%s, verify", path);
        (void)snprintf(kinds[1], sizeof kinds[1], "%s, lookup and search", path);
        subject s = {.kind = kinds[0], .path = path, .ask = ask_verify};
        s.bytes = read_file(path, data);
        run(&s);
        s.kind = kinds[1];
        s.ask = ask_as_readers;
        run(&s);
    }
}

/* --- all --------------------------------------------------------------------------- */

static void make_home(void)
{
    scratch_folder_new(home);
    for (unsigned w = 0; w < WORKERS; w++) {
        char path[2 * PATH_BYTES];
        (void)snprintf(path, sizeof path, "%s/%u", home, w);
        REQUIRE(mkdir(path, 0700) == 0);
    }
}

static void remove_home(void)
{
    static const char *const names[] = {"text",
                                        "sorted",
                                        "in.zst",
                                        "in.gz",
                                        "docs.jsonl",
                                        "index/header.json",
                                        "index/terms",
                                        "index/postings",
                                        "index/positions",
                                        "index/documents",
                                        "index/texts",
                                        "index/sums"};
    char path[4 * PATH_BYTES];
    REQUIRE(chdir("/") == 0);
    for (unsigned w = 0; w < WORKERS; w++) {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            (void)snprintf(path, sizeof path, "%s/%u/%s", home, w, names[i]);
            (void)unlink(path);
        }
        (void)snprintf(path, sizeof path, "%s/%u/index", home, w);
        (void)rmdir(path);
        (void)snprintf(path, sizeof path, "%s/%u", home, w);
        (void)rmdir(path);
    }
    CHECK(rmdir(home) == 0);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        flips_wanted = strtoull(argv[1], NULL, 10);
    else if (CHECK_HAS_SANITIZER)
        flips_wanted = 60;
    else if (check_is_long())
        flips_wanted = 3000;
    seed = argc > 2 ? strtoull(argv[2], NULL, 10) : check_seed(1);
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    make_home();
    flip_blocks();
    flip_inputs();
    flip_index();
    remove_home();
    return check_failures != 0 || has_failed;
}
