/* SPDX-License-Identifier: MIT */
/*
 * input and decode: the bytes of all files in order, whatever they are (plain, empty,
 * compressed, pipes), with small blocks and pools; damage is an error that names the
 * file.
 */
#define CHECK_STARTS_THREADS

#include "io/input.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "io/late_read.h"
#include "lib/base/mem.h"
#include "tests/check.h"

enum { TEXT = 700000, BLOCK = 65536 };

static uint8_t text[TEXT], packed[TEXT + 4096], joined[4 * TEXT];

/* The next look at a name finds what another file takes the place of right after it. */
static const char *replacement;

int stat(const char *name, struct stat *info)
{
    const int result = fstatat(AT_FDCWD, name, info, 0);
    const char *const other = replacement;
    replacement = NULL;
    if (other != NULL)
        REQUIRE(rename(other, name) == 0);
    return result;
}

static void write_file(const char *name, const void *data, size_t bytes)
{
    const int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    REQUIRE(fd >= 0 && write(fd, data, bytes) == (ssize_t)bytes);
    (void)close(fd);
}

/* Not that of a file system in memory. */
static void leave_page_cache(const char *name)
{
    const int fd = open(name, O_RDONLY);
    REQUIRE(fd >= 0);
    (void)fsync(fd);
    (void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    (void)close(fd);
}

/* Reads everything; the number of bytes in `joined`. */
static gs_code read_all(const char *const *names, size_t count, size_t blocks,
                        bool keep_compressed, size_t *bytes, gs_status *st)
{
    gs_block_pool *pool = NULL;
    gs_input *in = NULL;
    REQUIRE_OK(gs_block_pool_new(&pool, BLOCK, blocks, st), st);
    const gs_input_options options = {.pool = pool,
                                      .blocks_in_flight = (unsigned)blocks - 1,
                                      .decode_threads = 2,
                                      .decode_bytes_max = (size_t)64 << 20,
                                      .keep_compressed = keep_compressed};
    REQUIRE_OK(gs_input_new(&in, names, count, &options, st), st);
    *bytes = 0;
    size_t ended = 0;
    for (;;) {
        gs_block *block = NULL;
        if (gs_input_next(in, &block, st) != GS_OK || block == NULL)
            break;
        CHECK(block->input_index == ended);
        ended += block->ends_input;
        memcpy(joined + *bytes, block->data, block->len);
        *bytes += block->len;
        gs_block_release(block);
    }
    if (st->code == GS_OK)
        CHECK(ended == count);
    gs_input_free(in);
    gs_block_pool_free(pool);
    return st->code;
}

static void *feed_pipe(void *arg)
{
    const int fd = open(arg, O_WRONLY);
    for (size_t at = 0; at < TEXT; at += 1000) /* in small pieces */
        REQUIRE(write(fd, text + at, 1000) == 1000);
    (void)close(fd);
    return NULL;
}

static size_t pack_gzip(const uint8_t *from, size_t bytes, uint8_t *to)
{
    z_stream z = {0};
    REQUIRE(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, 0) == Z_OK);
    uint8_t copy[1000];
    z.next_out = to;
    z.avail_out = 1 << 20;
    for (size_t at = 0; at < bytes; at += sizeof copy) {
        const size_t n = bytes - at < sizeof copy ? bytes - at : sizeof copy;
        memcpy(copy, from + at, n);
        z.next_in = copy;
        z.avail_in = (unsigned)n;
        REQUIRE(deflate(&z, Z_NO_FLUSH) == Z_OK);
    }
    REQUIRE(deflate(&z, Z_FINISH) == Z_STREAM_END);
    const size_t n = z.total_out;
    REQUIRE(deflateEnd(&z) == Z_OK);
    return n;
}

static size_t pack_zstd(void)
{
    ZSTD_CCtx *const context = ZSTD_createCCtx();
    REQUIRE(!ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)));
    const size_t n = ZSTD_compress2(context, packed, sizeof packed, text, TEXT);
    (void)ZSTD_freeCCtx(context);
    REQUIRE(!ZSTD_isError(n));
    return n;
}

static void files_come_in_order(size_t blocks)
{
    gs_status st = {.code = GS_OK};
    const size_t zstd = pack_zstd();
    write_file("zstd", packed, zstd);
    /* Two members and padding. */
    size_t gzip = pack_gzip(text, 1000, packed);
    gzip += pack_gzip(text + 1000, TEXT - 1000, packed + gzip);
    memset(packed + gzip, 0, 100);
    write_file("gzip", packed, gzip + 100);
    write_file("plain", text, TEXT);
    write_file("empty", "", 0);
    (void)unlink("pipe");
    REQUIRE(mkfifo("pipe", 0600) == 0);
    pthread_t writer;
    char name[] = "pipe";
    pthread_create(&writer, NULL, feed_pipe, name);
    const char *const names[] = {"plain", "empty", "zstd", "pipe", "gzip"};
    size_t bytes = 0;
    REQUIRE_OK(read_all(names, 5, blocks, false, &bytes, &st), &st);
    pthread_join(writer, NULL);
    CHECK(bytes == 4 * TEXT);
    for (size_t i = 0; i < 4; i++)
        CHECK(memcmp(joined + i * TEXT, text, TEXT) == 0);
    REQUIRE_OK(read_all(&names[2], 1, blocks, true, &bytes, &st), &st);
    CHECK(bytes == zstd);
}

enum { LATE_EOL = 0xff, LATE_RECORD_MAX = 6 * BLOCK };

/* What of a cached file came late, and of that stands for a record longer than a block.
 */
typedef struct late_counts {
    size_t blocks, records;
} late_counts;

/* The bytes of the block, which came late or not: what comes late ends with the byte, and
 * the next begins there. */
static void check_late(gs_block *block, const uint8_t *want, late_counts *counts)
{
    static uint8_t record[LATE_RECORD_MAX];
    gs_status st = {.code = GS_OK};
    const bool is_late = block->late != NULL;
    const size_t rest = block->late_rest, bytes = block->len + rest;
    const uint8_t *data = block->data;
    CHECK(bytes <= LATE_RECORD_MAX && (rest == 0 || is_late));
    if (rest > 0) {
        REQUIRE_OK(gs_block_read_whole(block, record, &st), &st);
        data = record;
        CHECK(memchr(data, LATE_EOL, bytes) == data + bytes - 1);
    } else {
        REQUIRE_OK(gs_block_read_late(block, &st), &st);
    }
    CHECK(block->late == NULL && block->late_rest == 0);
    CHECK(!is_late || data[bytes - 1] == LATE_EOL);
    CHECK(memcmp(data, want, bytes) == 0);
    counts->blocks += is_late;
    counts->records += rest > 0;
}

/* Large files in the page cache, which threads read side by side, or who takes their
 * blocks: the bytes of each in order, also where one ends with a block, and where a block
 * has no end of a record, which is then looked for or not. */
static void cached_files_are_read_ahead(size_t blocks, bool is_late, size_t record_max)
{
    enum { NUMBERS = 129 * BLOCK / sizeof(uint32_t) };
    static uint32_t numbers[NUMBERS];
    gs_status st = {.code = GS_OK};
    gs_block_pool *pool = NULL;
    gs_input *in = NULL;
    gs_block *block = NULL;
    for (uint32_t i = 0; i < NUMBERS; i++)
        numbers[i] = i / (BLOCK / 4) % 50 >= 47 ? 0 : i;
    numbers[NUMBERS - 1] |= UINT32_C(0xff) << 24; /* a record ends with the file */
    write_file("even", numbers, sizeof numbers);
    write_file("odd", numbers, sizeof numbers - 12345);
    const char *const names[] = {"even", "odd", "even"};
    const size_t sizes[] = {sizeof numbers, sizeof numbers - 12345, sizeof numbers};
    REQUIRE_OK(gs_block_pool_new(&pool, BLOCK, blocks, &st), &st);
    const gs_input_options options = {.pool = pool,
                                      .blocks_in_flight = (unsigned)blocks - 1,
                                      .decode_threads = 1,
                                      .cached_readers = 3};
    REQUIRE_OK(gs_input_new(&in, names, 3, &options, &st), &st);
    late_counts late = {0};
    size_t bytes;
    for (size_t file = 0, at = 0;; at += bytes, gs_block_release(block)) {
        REQUIRE_OK(gs_input_next(in, &block, &st), &st);
        if (block == NULL) {
            CHECK(file == 3 && (late.blocks > 0) == is_late);
            CHECK((late.records > 0) == (record_max == LATE_RECORD_MAX));
            break;
        }
        bytes = block->len + block->late_rest;
        REQUIRE(block->input_index == file && at + bytes <= sizes[file]);
        check_late(block, (const uint8_t *)numbers + at, &late);
        if (is_late && at == 0)
            REQUIRE_OK(gs_input_read_late(in, LATE_EOL, record_max, &st), &st);
        if (block->ends_input) {
            CHECK(at + bytes == sizes[file++]);
            at = 0 - bytes;
        }
    }
    gs_input_free(in);
    gs_block_pool_free(pool);
    (void)unlink("even");
    (void)unlink("odd");
}

/* Copies of the text, packed by turns, and an empty one: each file's bytes are counted
 * and summed up in its own order. */
static void write_many(const char (*names)[8], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const size_t n = i % 2 ? pack_zstd() : pack_gzip(text, TEXT, packed);
        const size_t empty = pack_gzip(text, 0, packed + n);
        write_file(names[i], i == 3 ? packed + n : packed, i == 3 ? empty : n);
    }
}

enum { MANY = 9 };

/* Reads all of them; gives up after `blocks_max` blocks. */
static void read_interleaved(const char *const *names, unsigned threads, bool any_order,
                             size_t blocks, size_t blocks_max)
{
    gs_status st = {.code = GS_OK};
    gs_block_pool *pool = NULL;
    gs_input *in = NULL;
    REQUIRE_OK(gs_block_pool_new(&pool, BLOCK, blocks, &st), &st);
    const gs_input_options options = {.pool = pool,
                                      .blocks_in_flight = 6,
                                      .decode_threads = threads,
                                      .decode_bytes_max = (size_t)64 << 20,
                                      .any_order = any_order};
    REQUIRE_OK(gs_input_new(&in, names, MANY, &options, &st), &st);
    size_t at[MANY] = {0}, ended = 0, block_count = 0;
    gs_block *block = NULL;
    while (block_count < blocks_max && gs_input_next(in, &block, &st) == GS_OK && block) {
        const size_t i = block->input_index;
        REQUIRE(i < MANY && at[i] + block->len <= (i == 3 ? 0 : TEXT));
        CHECK(any_order || i == ended);
        CHECK(memcmp(block->data, text + at[i], block->len) == 0);
        at[i] += block->len;
        ended += block->ends_input;
        block_count++;
        gs_block_release(block);
    }
    CHECK(st.code == GS_OK);
    for (size_t i = 0; i < MANY && blocks_max == SIZE_MAX; i++)
        CHECK(at[i] == (i == 3 ? 0 : TEXT));
    CHECK(ended == MANY || blocks_max < SIZE_MAX);
    gs_input_free(in);
    gs_block_pool_free(pool);
}

static void several_are_decoded_at_once(void)
{
    static const char files[MANY][8] = {"m0", "m1", "m2", "m3", "m4",
                                        "m5", "m6", "m7", "m8"};
    const char *names[MANY];
    write_many(files, MANY);
    for (size_t i = 0; i < MANY; i++)
        names[i] = files[i];
    static const unsigned threads[] = {1, 2, 3, 8, 40};
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        for (int any_order = 0; any_order < 2; any_order++) {
            const size_t pool = any_order ? threads[i] + 2 : 7;
            read_interleaved(names, threads[i], any_order, pool, SIZE_MAX);
            read_interleaved(names, threads[i], any_order, pool, 5 + i);
        }
    }
}

static void damage_is_named(void)
{
    size_t bytes;
    size_t n = pack_zstd();
    const char *const name[] = {"hurt"};
    for (unsigned kind = 0; kind < 2; kind++) {
        if (kind == 1)
            n = pack_gzip(text, TEXT, packed);
        gs_status cut = {.code = GS_OK}, hurt = {.code = GS_OK};
        write_file("hurt", packed, n - 3);
        CHECK(read_all(name, 1, 3, false, &bytes, &cut) == GS_ERR_FORMAT);
        CHECK(strstr(cut.msg, "hurt: ") == cut.msg && strstr(cut.msg, "cut off") &&
              cut.hint);
        memset(packed + n / 2, 0x5a, 40);
        write_file("hurt", packed, n);
        CHECK(read_all(name, 1, 3, false, &bytes, &hurt) == GS_ERR_FORMAT);
    }
    gs_status st = {.code = GS_OK};
    const char *const missing[] = {"plain", "not there"};
    CHECK(read_all(missing, 2, 4, false, &bytes, &st) == GS_ERR_IO);
    CHECK(st.sys == ENOENT && strstr(st.msg, "'not there'") != NULL);
    gs_status_clear(&st);
    const char *const folder[] = {"."};
    CHECK(read_all(folder, 1, 4, false, &bytes, &st) == GS_ERR_IO && st.sys == EISDIR);
}

typedef struct piped {
    const uint8_t *data;
    size_t bytes;
} piped;

static void *feed_bytes(void *arg)
{
    const piped *const p = arg;
    const int fd = open("begun", O_WRONLY);
    for (size_t at = 0; at < p->bytes;) {
        const ssize_t n = write(fd, p->data + at, p->bytes - at);
        REQUIRE(n > 0);
        at += (size_t)n;
    }
    (void)close(fd);
    return NULL;
}

/* The pipe, its writer, and the input after its beginning. */
typedef struct begun_pipe {
    pthread_t writer;
    gs_block_pool *pool;
    gs_input *in;
} begun_pipe;

static void begin(begun_pipe *b, piped *p)
{
    static const char *const name[] = {"begun"};
    gs_status st = {.code = GS_OK};
    REQUIRE(pthread_create(&b->writer, NULL, feed_bytes, p) == 0);
    REQUIRE_OK(gs_block_pool_new(&b->pool, BLOCK, 3, &st), &st);
    const gs_input_options options = {
        .pool = b->pool, .blocks_in_flight = 2, .decode_threads = 1};
    REQUIRE_OK(gs_input_new(&b->in, name, 1, &options, &st), &st);
    CHECK(!gs_input_is_sized(b->in) && gs_input_size_hint(b->in) == 0);
    REQUIRE_OK(gs_input_begin(b->in, &st), &st);
}

static void end(begun_pipe *b)
{
    pthread_join(b->writer, NULL);
    gs_input_free(b->in);
    gs_block_pool_free(b->pool);
}

/* What is known of a pipe after its beginning, and that nothing of it gets lost. */
static void begin_pipe(piped *p, const uint8_t *expected, size_t expected_bytes)
{
    gs_status st = {.code = GS_OK};
    begun_pipe b;
    begin(&b, p);
    gs_input *const in = b.in;
    const bool is_all = expected_bytes < BLOCK;
    CHECK(gs_input_is_sized(in) == is_all);
    CHECK(gs_input_size_hint(in) == (is_all ? expected_bytes : 0));
    size_t at = 0;
    for (bool is_last = false; !is_last;) {
        gs_block *block = NULL;
        REQUIRE_OK(gs_input_next(in, &block, &st), &st);
        REQUIRE(block != NULL && at + block->len <= expected_bytes);
        CHECK(memcmp(block->data, expected + at, block->len) == 0);
        at += block->len;
        is_last = block->ends_input;
        gs_block_release(block);
    }
    CHECK(at == expected_bytes);
    gs_block *none = NULL;
    REQUIRE_OK(gs_input_next(in, &none, &st), &st);
    CHECK(none == NULL);
    end(&b);
}

static void the_beginning_of_a_pipe_may_be_all(void)
{
    static const size_t sizes[] = {0,     1,         5000,      BLOCK - 1,
                                   BLOCK, BLOCK + 1, 2 * BLOCK, 5 * BLOCK + 7};
    (void)unlink("begun");
    REQUIRE(mkfifo("begun", 0600) == 0);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        piped plain = {text, sizes[i]};
        begin_pipe(&plain, text, sizes[i]);
    }
    piped compressed = {packed, pack_gzip(text, 9000, packed)};
    begin_pipe(&compressed, text, 9000);
    begun_pipe left;
    piped some = {text, 100};
    begin(&left, &some);
    end(&left);
}

/* A file that is replaced between a look at its name and its opening. */
static void a_replaced_file_is_whole(void)
{
    static const char *const names[] = {"short"};
    const gs_input_options options = {
        .blocks_in_flight = 1, .decode_threads = 1, .maps_uncached = true};
    gs_status st = {.code = GS_OK};
    for (unsigned longer = 0; longer < 2; longer++) {
        const size_t bytes[] = {longer ? TEXT / 2 : TEXT, longer ? TEXT : TEXT / 2};
        static const uint8_t large[2 << 20]; /* enough to be mapped */
        write_file("short", large, sizeof large - bytes[0]);
        write_file("other", large, sizeof large - bytes[1]);
        gs_input *in = NULL;
        gs_file_map map = {0};
        const int output = open("/dev/null", O_WRONLY);
        REQUIRE_OK(gs_input_new(&in, names, 1, &options, &st), &st);
        replacement = "other";
        CHECK(gs_input_map(in, output, 0, &map));
        CHECK(replacement == NULL);
        CHECK(gs_file_map_text_bytes(&map) == sizeof large - bytes[1]);
        gs_file_map_close(&map);
        gs_input_free(in);
        (void)close(output);
    }
}

/* Under a sanitizer, or a limit, addresses may be scarce. */
static bool has_addresses(size_t bytes)
{
    gs_status ignored = {.code = GS_OK};
    void *memory = NULL;
    const bool has = gs_mem_map(&memory, bytes, false, "addresses", &ignored) == GS_OK;
    gs_mem_unmap(memory, bytes);
    return has;
}

/* A sparse file of a terabyte and a half: nothing of it is looked at. */
static void a_map_has_bounds(void)
{
    static const char *const names[] = {"sparse"};
    const size_t tib = (size_t)1 << 40, copies = (size_t)1 << 30;
    const int fd = open("sparse", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    REQUIRE(fd >= 0);
    const bool is_made =
        has_addresses(2 * tib) && ftruncate(fd, (off_t)(tib + tib / 2)) == 0;
    (void)close(fd);
    const size_t most[] = {0, 2 * tib, tib + tib / 2 + copies, tib};
    for (size_t i = 0; is_made && i < sizeof most / sizeof *most; i++) {
        const gs_input_options options = {.blocks_in_flight = 1,
                                          .decode_threads = 1,
                                          .maps_uncached = true,
                                          .map_bytes_max = most[i]};
        gs_status st = {.code = GS_OK};
        gs_input *in = NULL;
        gs_file_map map = {0};
        const int output = open("/dev/null", O_WRONLY);
        REQUIRE_OK(gs_input_new(&in, names, 1, &options, &st), &st);
        const bool is_mapped = gs_input_map(in, output, copies, &map);
        CHECK(!is_mapped || most[i] == 0 || map.map_bytes <= most[i]);
        CHECK(is_mapped == (i < 2));
        gs_file_map_close(&map);
        gs_input_free(in);
        (void)close(output);
    }
}

/* In blocks, with and without the page cache, and mapped: the bytes from one to another,
 * wherever blocks and pages end. */
static void check_range(const char *name, const uint8_t *whole, size_t size, size_t from,
                        size_t to)
{
    const char *const names[] = {name};
    gs_status st = {.code = GS_OK};
    gs_block_pool *pool = NULL;
    gs_input *in = NULL;
    REQUIRE_OK(gs_block_pool_new(&pool, BLOCK, 4, &st), &st);
    const gs_input_options options = {.pool = pool,
                                      .blocks_in_flight = 3,
                                      .decode_threads = 1,
                                      .maps_uncached = true,
                                      .has_range = true,
                                      .from = from,
                                      .to = to};
    const size_t end = to < size ? to : size, bytes = end > from ? end - from : 0;
    REQUIRE_OK(gs_input_new(&in, names, 1, &options, &st), &st);
    CHECK(gs_input_size_hint(in) == bytes);
    size_t at = from;
    bool is_end = false;
    while (!is_end) {
        gs_block *block = NULL;
        REQUIRE_OK(gs_input_next(in, &block, &st), &st);
        REQUIRE(block != NULL && at + block->len <= from + bytes);
        CHECK(memcmp(block->data, whole + at, block->len) == 0);
        at += block->len;
        is_end = block->ends_input;
        gs_block_release(block);
    }
    CHECK(at == from + bytes);
    gs_input_free(in);

    gs_file_map map = {0};
    REQUIRE_OK(gs_input_new(&in, names, 1, &options, &st), &st);
    CHECK(gs_input_map(in, -1, 0, &map) == (bytes >= GS_INPUT_MAP_MIN && end == to));
    CHECK(map.base == NULL ||
          (map.files[0].bytes == bytes &&
           memcmp(map.base + map.files[0].begin, whole + from, bytes) == 0));
    gs_file_map_close(&map);
    gs_input_free(in);
    gs_block_pool_free(pool);
}

static void ranges_are_what_they_say(uint64_t *state)
{
    enum { SIZE = 9 << 20 }; /* as large as what is read past the page cache */
    uint8_t *whole = NULL;
    gs_status st = {.code = GS_OK};
    REQUIRE_OK(gs_mem_new(&whole, SIZE, "text", &st), &st);
    for (size_t i = 0; i < SIZE; i += TEXT)
        memcpy(whole + i, text, SIZE - i < TEXT ? SIZE - i : TEXT);
    write_file("ranged", whole, SIZE);
    static const size_t bounds[][2] = {
        {0, 0},
        {0, SIZE},
        {7, 7},
        {1, SIZE},
        {4096, 2 * BLOCK + 4096},
        {SIZE, SIZE},
        {SIZE - 1, SIZE + 5},
        {5, SIZE + 5},
        {SIZE + 3, SIZE + 9},
        {2 << 20, 4 << 20},
    };
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
        check_range("ranged", whole, SIZE, bounds[i][0], bounds[i][1]);
    for (unsigned i = 0; i < 12; i++) {
        const size_t a = check_random(state) % SIZE, b = check_random(state) % SIZE;
        leave_page_cache("ranged");
        check_range("ranged", whole, SIZE, a < b ? a : b, a < b ? b : a);
    }
    const char *const gz[] = {"packed.gz"};
    gs_input *in = NULL;
    gs_block *block = NULL;
    gs_block_pool *pool = NULL;
    write_file(gz[0], packed, pack_gzip(whole, TEXT / 2, packed));
    REQUIRE_OK(gs_block_pool_new(&pool, BLOCK, 4, &st), &st);
    const gs_input_options options = {.pool = pool,
                                      .blocks_in_flight = 3,
                                      .decode_threads = 1,
                                      .has_range = true,
                                      .to = 9};
    REQUIRE_OK(gs_input_new(&in, gz, 1, &options, &st), &st);
    CHECK(gs_input_next(in, &block, &st) == GS_ERR_ARG && block == NULL);
    gs_input_free(in);
    gs_block_pool_free(pool);
    gs_mem_free(whole);
}

/* However it is read, the second time it has nothing more to give, to whoever reads it
 * after us neither. */
static void standard_input_is_left_at_its_end(bool is_cached, off_t from)
{
    enum {
        TIMES = 14,
        SIZE = TIMES * TEXT
    }; /* so large that it is read past the cache */
    static const char *const names[] = {"-", "-"};
    gs_status st = {.code = GS_OK};
    gs_block_pool *pool = NULL;
    gs_input *in = NULL;
    int fd = open("stdin", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    for (size_t i = 0; i < TIMES; i++)
        REQUIRE(write(fd, text, TEXT) == TEXT);
    (void)close(fd);
    if (!is_cached)
        leave_page_cache("stdin");
    const int own = dup(STDIN_FILENO);
    fd = open("stdin", O_RDONLY);
    REQUIRE(own >= 0 && fd >= 0 && dup2(fd, STDIN_FILENO) == STDIN_FILENO);
    (void)close(fd);
    REQUIRE(lseek(STDIN_FILENO, from, SEEK_SET) == from);

    REQUIRE_OK(gs_block_pool_new(&pool, BLOCK, 4, &st), &st);
    const gs_input_options options = {
        .pool = pool, .blocks_in_flight = 3, .decode_threads = 1};
    REQUIRE_OK(gs_input_new(&in, names, 2, &options, &st), &st);
    size_t bytes = 0, ended = 0;
    for (;;) {
        gs_block *block = NULL;
        REQUIRE_OK(gs_input_next(in, &block, &st), &st);
        if (block == NULL)
            break;
        CHECK(block->input_index == ended);
        ended += block->ends_input;
        bytes += block->len;
        gs_block_release(block);
    }
    CHECK(ended == 2 && bytes == SIZE - (size_t)from);
    gs_input_free(in);
    gs_block_pool_free(pool);
    CHECK(lseek(STDIN_FILENO, 0, SEEK_CUR) == SIZE);
    REQUIRE(dup2(own, STDIN_FILENO) == STDIN_FILENO);
    (void)close(own);
}

int main(void)
{
    uint64_t state = check_seed(8);
    for (size_t i = 0; i < TEXT; i++)
        text[i] = "abcdefgh\n"[check_random(&state) % 9] & 0x7f;
    files_come_in_order(3);
    files_come_in_order(9);
    cached_files_are_read_ahead(3, false, 0);
    cached_files_are_read_ahead(9, false, 0);
    for (size_t blocks = 3; blocks <= 9; blocks += 6) {
        cached_files_are_read_ahead(blocks, true, 0);
        cached_files_are_read_ahead(blocks, true, 2 * BLOCK); /* some are longer */
        cached_files_are_read_ahead(blocks, true, LATE_RECORD_MAX);
    }
    several_are_decoded_at_once();
    damage_is_named();
    the_beginning_of_a_pipe_may_be_all();
    a_replaced_file_is_whole();
    a_map_has_bounds();
    ranges_are_what_they_say(&state);
    for (unsigned i = 0; i < 4; i++)
        standard_input_is_left_at_its_end(i % 2 > 0, i < 2 ? 0 : 4097);
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
