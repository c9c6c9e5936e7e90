/* SPDX-License-Identifier: MIT */
/*
 * early_split: every record comes out once, in a bucket between its neighbours, with both
 * words and its text, forwards and backwards, from lists of several workers; buckets that
 * have no room beside the others get their own; a string that comes often has a bucket
 * for itself; text that begins alike for long is refused. Keyed records come out with the
 * key that their line has. What is written to the file later does not matter. Of text
 * that does not fit, chunk after chunk comes out, and none takes much more than it may;
 * records that stay in the text come out as well, also beside others, and together;
 * or chunk after chunk goes to files, and all comes out in the end.
 */
#define CHECK_STARTS_THREADS

#include "lib/sort/form/early_bring.h"
#include "lib/sort/form/early_keep.h"
#include "lib/sort/form/early_state.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "tests/check.h"

enum {
    LINES_MIN = CHECK_HAS_ASAN ? 200000 : 1300000,
    LINES_MAX = 4000000,
    WORKERS = 3,
    MANY_WORKERS = 12, /* more than there is memory for lists of each */
    MOST = 1 << 30,
    KEYED_MOST = 220 << 20, /* not enough to keep keys */
    PART = 1 << 20,
    LONG_MAX_BYTES = 50000, /* which two bytes do not hold as a list has them */
};

/* As many as are enough to be split early in this build, and for every text to be. The
 * thread sanitizer does with less: there is one thread here. */
static unsigned lines;

/* Random lines of up to 40 bytes in a file without a name; mapped. All but one in
 * `others_in` begin with `prefix`, one in `bare_in` is that alone, and one in
 * `long_in` has thousands of bytes; 0: none. */
static size_t make_text(gs_file_map *map, const char *prefix, unsigned others_in,
                        unsigned bare_in, unsigned long_in, uint64_t *state)
{
    static const char *const names[] = {"text"};
    char path[] = "/tmp/test_early_split.XXXXXX";
    const int fd = mkstemp(path);
    REQUIRE(fd >= 0 && unlink(path) == 0);
    FILE *const f = fdopen(dup(fd), "w");
    REQUIRE(f != NULL);
    for (size_t i = 0; i < lines; i++) {
        char line[48];
        const size_t bytes = 30 + check_random(state) % 10;
        for (size_t b = 0; b < bytes; b += 8) {
            uint64_t r = check_random(state);
            for (size_t k = b; k < b + 8; k++, r >>= 8)
                line[k] = (char)('0' + (r & 0xff) * 75 / 256);
        }
        const bool is_other = check_random(state) % others_in == 0;
        const char *const begin = is_other ? "" : prefix;
        const bool is_bare = !is_other && check_random(state) % bare_in == 0;
        const int rest = is_bare ? 0 : is_other ? (int)(i % 39) : (int)bytes;
        const bool is_long =
            !is_bare && long_in > 0 && check_random(state) % long_in == 0;
        const int more = is_long ? (int)(check_random(state) % LONG_MAX_BYTES) : 0;
        REQUIRE(fprintf(f, "%s%.*s%*s\n", begin, rest, line, more, "") >= 0);
    }
    REQUIRE(fclose(f) == 0);
    struct stat info;
    REQUIRE(fstat(fd, &info) == 0);
    REQUIRE(info.st_size >= (off_t)GS_EARLY_SPLIT_MIN);
    const gs_mapped_file file = {.fd = fd, .bytes = (size_t)info.st_size};
    REQUIRE(gs_file_map_open(map, &file, 1, PART, false, names));
    return file.bytes;
}

/* The team of so many, made once. */
static gs_team *teams[MANY_WORKERS + 1];

static gs_team *team_of(unsigned workers)
{
    gs_status st = {.code = GS_OK};
    if (teams[workers] == NULL)
        REQUIRE_OK(gs_team_new(&teams[workers], workers, &st), &st);
    return teams[workers];
}

/* Whole lines, a part for each worker in turn. Pages are dear for every other part, if
 * the lists look at that. */
static void add_all(gs_early_split *s, const uint8_t *text, size_t bytes)
{
    uint64_t count = 0;
    unsigned worker = 0;
    for (size_t at = 0; at < bytes;) {
        size_t end = bytes - at > PART ? at + PART : bytes;
        while (text[end - 1] != '\n')
            end--;
        atomic_store(&s->lists.memory.is_dear, worker % 2 == 0);
        REQUIRE(
            gs_early_split_add(s, worker++ % WORKERS, text + at, end - at, at, &count));
        at = end;
    }
    CHECK(count == lines);
}

static uint64_t hash_line(const uint8_t *line, size_t bytes)
{
    uint64_t h = bytes;
    for (size_t i = 0; i < bytes; i++)
        h = (h ^ line[i]) * UINT64_C(0x100000001b3);
    return h * h;
}

/* The last string so far, in the order. */
typedef struct last_string {
    uint8_t bytes[LONG_MAX_BYTES + 256];
    size_t length;
} last_string;

static int compare(const gs_record_layout *layout, const gs_record *r,
                   const last_string *last)
{
    const int d =
        gs_string_compare(r->string, r->string_bytes, last->bytes, last->length, 0);
    return layout->is_backwards ? -d : d;
}

/* The string is the line, or its key and then the line. */
static bool is_string_of_line(const gs_key_encoder *encoder, const gs_record *r)
{
    uint8_t key[1024];
    size_t key_bytes = 0;
    if (encoder != NULL) {
        REQUIRE(gs_key_encode_bound(encoder, r->line_bytes) <= sizeof key);
        key_bytes = gs_key_encode(encoder, r->line, r->line_bytes, key);
    }
    return r->string + key_bytes == r->line &&
           r->string_bytes == key_bytes + r->line_bytes &&
           memcmp(r->string, key, key_bytes) == 0;
}

/* No string of the bucket comes before `last`, which becomes the bucket's. */
static void check_bucket(const gs_record_layout *layout, const gs_key_encoder *encoder,
                         const gs_near_bucket *b, bool is_first, last_string *last,
                         uint64_t *hash)
{
    const uint64_t flip = layout->is_backwards ? UINT64_MAX : 0;
    last_string here = *last;
    const uint8_t *first = NULL;
    size_t line_bytes = 0;
    const size_t times = b->same_count > 0 ? b->same_count : 1;
    CHECK(times == 1 || (b->count == 1 && b->is_settled));
    for (size_t i = 0; i < b->copied_count; i++) {
        const gs_element *const e = &b->elements[i];
        const gs_record r = gs_record_at(layout, b->arena, e->where);
        const uint8_t *const string = r.string;
        first = i == 0 ? string : first;
        CHECK(is_string_of_line(encoder, &r));
        CHECK(e->prefix == (gs_string_word(string, r.string_bytes, b->depth) ^ flip));
        CHECK(e->next == (gs_string_word(string, r.string_bytes, b->depth + 8) ^ flip));
        CHECK(r.line[r.line_bytes] == '\n' && r.string_bytes < sizeof here.bytes);
        CHECK(is_first || compare(layout, &r, last) >= 0);
        CHECK(memcmp(string, first, b->depth) == 0);
        if ((is_first && i == 0) || compare(layout, &r, &here) > 0) {
            memcpy(here.bytes, string, r.string_bytes);
            here.length = r.string_bytes;
        }
        *hash += hash_line(r.line, r.line_bytes) * times;
        line_bytes += (r.line_bytes + layout->has_eol) * times;
    }
    CHECK(b->line_bytes == (encoder == NULL ? line_bytes : 0));
    *last = here;
}

/* What lines have together that stay in the text on any list. */
static size_t bytes_of_long(const uint8_t *text, size_t bytes)
{
    size_t sum = 0;
    for (size_t line = 0; line < bytes;) {
        const uint8_t *const end = memchr(text + line, '\n', bytes - line);
        const size_t length = (size_t)(end - (text + line));
        sum += length > GS_TEXT_NEAR_MAX ? length + 1 : 0;
        line += length + 1;
    }
    return sum;
}

/* How they are to come out. */
typedef struct way_out {
    bool keeps_keys, is_backwards;
    bool has_same; /* lines that come often */
    size_t room_bytes;
    gs_places places;
    bool is_together; /* as from so much text that windows of it are copied, */
    bool is_slow;     /* since a look at it is slow, and not since pages are dear */
} way_out;

static void come_out(const gs_file_map *map, size_t text_bytes,
                     const gs_key_encoder *encoder, way_out way)
{
    enum { GROUP_MAX = 48 };
    gs_status st = {.code = GS_OK};
    gs_early_split *s = NULL;
    gs_bucket_copy room = {0};
    const gs_record_layout layout = {.is_keyed = encoder != NULL,
                                     .has_eol = true,
                                     .eol = '\n',
                                     .is_backwards = way.is_backwards};
    const gs_early_split_options options = {
        .layout = &layout,
        .encoder = encoder,
        .map = map,
        .team = team_of(WORKERS),
        .memory_bytes = encoder && !way.keeps_keys ? KEYED_MOST : MOST,
        .places = way.places};
    REQUIRE_OK(gs_early_split_new(&s, &options, &st), &st);
    REQUIRE(s != NULL);
    add_all(s, map->base, text_bytes);
    const gs_early_memory memory = {
        .arena = map->base,
        .record_bytes = way.is_together ? GS_BUCKET_COPY_ARENA_MIN : text_bytes,
        .spare_bytes = way.is_together ? 2 * (size_t)MOST : 0};
    atomic_store(&s->lists.memory.is_dear, way.is_together && !way.is_slow);
    s->slow_look_ns = way.is_slow ? 0 : UINT64_MAX / 2;
    const gs_buckets *const b = gs_early_split_finish(s, &memory);
    CHECK(b->count > lines >> 17 && b->scratch_elements < lines / b->count * 4);
    CHECK((b->together > 0) == way.is_together && b->together <= GROUP_MAX);
    const size_t list_bytes = gs_early_split_list_bytes(s);
    CHECK(gs_early_split_needs_text(s) == (way.places != GS_PLACES_NEVER));
    const size_t near_bytes = text_bytes - bytes_of_long(map->base, text_bytes);
    CHECK((list_bytes >= near_bytes) == (way.places == GS_PLACES_NEVER));
    CHECK(way.places != GS_PLACES_ALWAYS || GS_TEXT_PLACE_EVERY > 1 ||
          list_bytes < near_bytes / 2);
    CHECK((list_bytes > near_bytes / 2 * 3) == way.keeps_keys);
    if (way.is_together)
        way.room_bytes = b->room_bytes;
    if (way.room_bytes > 0)
        REQUIRE_OK(gs_bucket_copy_init(&room, way.room_bytes, &st), &st);
    uint64_t want = 0, got = 0;
    last_string last = {{0}, 0};
    size_t records = 0, own = 0, same = 0, most_same = 0, late = 0;
    gs_element *const elements = malloc(b->scratch_elements * sizeof *elements);
    REQUIRE(elements != NULL);
    for (size_t at = 0, line = 0; at < text_bytes; at++) {
        if (map->base[at] == '\n') {
            want += hash_line(map->base + line, at - line);
            line = at + 1;
        }
    }
    const size_t most = way.is_together ? b->together : 5;
    for (size_t at = 0; at < b->count; at += most) {
        gs_near_bucket group[GROUP_MAX] = {{0}};
        const size_t n = b->count - at < most ? b->count - at : most;
        REQUIRE_OK(b->bring(b, &room, at, n, group, &st), &st);
        for (size_t i = 0; i < n; i++) {
            if (group[i].elements == NULL) {
                CHECK(way.is_together && group[i].own == NULL);
                REQUIRE(group[i].count <= b->scratch_elements);
                b->put_elements(b, elements, &group[i]);
                late++;
            }
            check_bucket(&layout, encoder, &group[i], at + i == 0, &last, &got);
            records += group[i].same_count > 0 ? group[i].same_count : group[i].count;
            CHECK(group[i].copied_count == group[i].count);
            own += group[i].own != NULL;
            same += group[i].same_count > 0;
            if (group[i].same_count > most_same)
                most_same = group[i].same_count;
            CHECK((group[i].own != NULL) == (group[i].scratch != NULL));
            b->drop(b, &group[i]);
        }
    }
    CHECK(records == lines && got == want);
    CHECK(way.room_bytes > PART ? own == 0 : own + same >= b->count);
    CHECK(!way.has_same || most_same > lines / 200);
    CHECK((late > 0) == way.is_together && late + own + same <= b->count);
    free(elements);
    gs_bucket_copy_release(&room);
    gs_early_split_free(s);
}

/* From lists of all kinds. */
static void all_come_out(const gs_file_map *map, size_t text_bytes, bool is_backwards,
                         bool has_same, size_t room_bytes)
{
    way_out way = {
        .is_backwards = is_backwards, .has_same = has_same, .room_bytes = room_bytes};
    come_out(map, text_bytes, NULL, way);
    way.places = is_backwards ? GS_PLACES_ALWAYS : GS_PLACES_IF_DEAR;
    come_out(map, text_bytes, NULL, way);
    way.is_together = true;
    way.is_slow = is_backwards;
    way.places = is_backwards ? GS_PLACES_IF_DEAR : GS_PLACES_ALWAYS;
    come_out(map, text_bytes, NULL, way);
}

/* By what follows a letter of the line, from its end on and upwards; as it stands, and as
 * capitals, which take long to make: such keys are kept, if there is memory for them. */
static void keyed_come_out(const gs_file_map *map, size_t text_bytes, bool is_thorough)
{
    for (unsigned is_dear = 0; is_dear < 2; is_dear++) {
        gs_status st = {.code = GS_OK};
        gs_key keys[] = {
            {.start_field = 1, .end_field = SIZE_MAX, .reverse = true},
            {.start_char = 3, .end_field = SIZE_MAX, .ignore_nonprint = is_dear != 0}};
        const gs_order order = {
            .keys = keys, .key_count = 2, .eol = '\n', .delimiter = 'b'};
        gs_key_encoder *encoder = NULL;
        REQUIRE_OK(gs_key_encoder_new(&encoder, &order, false, &st), &st);
        CHECK(gs_key_encode_is_cheap(encoder) == !is_dear);
        const way_out forwards = {.room_bytes = MOST}, little = {.room_bytes = 1000};
        const way_out backwards = {
            .keeps_keys = is_dear, .is_backwards = true, .room_bytes = MOST};
        if (check_is_long())
            come_out(map, text_bytes, encoder, forwards);
        if (is_dear || is_thorough)
            come_out(map, text_bytes, encoder, backwards);
        if (is_dear ? check_is_long() : is_thorough)
            come_out(map, text_bytes, encoder, little);
        gs_key_encoder_free(encoder);
    }
}

/* Bytes of the file become others, of which a key has two each; the lines stay. */
static void lengthen_keys(const gs_file_map *map)
{
    const size_t most = (size_t)16 << 20, all = map->files[0].bytes;
    const size_t bytes = all < most ? all : most;
    uint8_t *const text = malloc(bytes);
    REQUIRE(text != NULL);
    for (size_t i = 0; i < bytes; i++)
        text[i] = map->base[i] == '\n' ? '\n' : 1;
    REQUIRE(pwrite(map->files[0].fd, text, bytes, 0) == (ssize_t)bytes);
    free(text);
}

/* What was read is there, whatever becomes of the file. */
static void later_changes_do_nothing(const gs_file_map *map, size_t text_bytes)
{
    gs_status st = {.code = GS_OK};
    gs_key key = {.start_char = 1, .end_field = SIZE_MAX};
    const gs_order order = {
        .keys = &key, .key_count = 1, .eol = '\n', .delimiter = GS_ORDER_BLANK_FIELDS};
    const gs_record_layout layout = {.is_keyed = true, .has_eol = true, .eol = '\n'};
    gs_early_split_options options = {.layout = &layout,
                                      .map = map,
                                      .team = team_of(WORKERS),
                                      .memory_bytes = KEYED_MOST};
    gs_key_encoder *encoder = NULL;
    gs_early_split *s = NULL;
    gs_bucket_copy room = {0};
    REQUIRE_OK(gs_key_encoder_new(&encoder, &order, false, &st), &st);
    options.encoder = encoder;
    REQUIRE_OK(gs_early_split_new(&s, &options, &st), &st);
    REQUIRE(s != NULL);
    add_all(s, map->base, text_bytes);
    const gs_early_memory memory = {.arena = map->base, .record_bytes = text_bytes};
    const gs_buckets *const b = gs_early_split_finish(s, &memory);
    REQUIRE_OK(gs_bucket_copy_init(&room, MOST, &st), &st);
    lengthen_keys(map);
    size_t records = 0;
    for (size_t i = 0; i < b->count; i++) {
        gs_near_bucket bucket = {0};
        REQUIRE_OK(b->bring(b, &room, i, 1, &bucket, &st), &st);
        for (size_t k = 0; k < bucket.count; k++) {
            const gs_record r =
                gs_record_at(&layout, bucket.arena, bucket.elements[k].where);
            CHECK(memchr(r.line, 1, r.line_bytes) == NULL);
        }
        records += bucket.count;
        b->drop(b, &bucket);
    }
    CHECK(records == lines);
    gs_bucket_copy_release(&room);
    gs_early_split_free(s);
    gs_key_encoder_free(encoder);
}

/* A keyed line for which there is no room is refused, but not a plain one. */
static void long_lines(const gs_file_map *map)
{
    static uint8_t text[6000];
    gs_status st = {.code = GS_OK};
    gs_key key = {.start_char = 1, .end_field = SIZE_MAX};
    const gs_order order = {
        .keys = &key, .key_count = 1, .eol = '\n', .delimiter = GS_ORDER_BLANK_FIELDS};
    gs_key_encoder *encoder = NULL;
    memset(text, 'x', sizeof text);
    text[5000] = '\n';
    REQUIRE_OK(gs_key_encoder_new(&encoder, &order, false, &st), &st);
    for (unsigned keyed = 0; keyed < 2; keyed++) {
        gs_early_split *s = NULL;
        uint64_t count = 0;
        const gs_record_layout layout = {.is_keyed = keyed, .has_eol = true, .eol = '\n'};
        const gs_early_split_options options = {.layout = &layout,
                                                .encoder = keyed ? encoder : NULL,
                                                .map = map,
                                                .team = team_of(WORKERS),
                                                .memory_bytes =
                                                    keyed ? KEYED_MOST : MOST};
        REQUIRE_OK(gs_early_split_new(&s, &options, &st), &st);
        REQUIRE(s != NULL);
        CHECK(gs_early_split_add(s, 0, text, 5001, 0, &count) == !keyed);
        gs_early_split_free(s);
    }
    gs_key_encoder_free(encoder);
}

/* So many keys that the string of a line of some length would be a long one. */
static void many_keys_are_refused(const gs_file_map *map)
{
    enum { KEYS = GS_WHERE_LENGTH_LONG / 4096 + 1 };
    static gs_key keys[KEYS];
    gs_status st = {.code = GS_OK};
    const gs_order order = {
        .keys = keys, .key_count = KEYS, .eol = '\n', .delimiter = GS_ORDER_BLANK_FIELDS};
    gs_key_encoder *encoder = NULL;
    gs_early_split *s = NULL;
    for (size_t k = 0; k < KEYS; k++)
        keys[k] = (gs_key){.start_char = 1, .end_field = SIZE_MAX};
    REQUIRE_OK(gs_key_encoder_new(&encoder, &order, false, &st), &st);
    const gs_record_layout layout = {.is_keyed = true, .has_eol = true, .eol = '\n'};
    const gs_early_split_options options = {.layout = &layout,
                                            .encoder = encoder,
                                            .map = map,
                                            .team = team_of(1),
                                            .memory_bytes = (size_t)1 << 40};
    REQUIRE_OK(gs_early_split_new(&s, &options, &st), &st);
    CHECK(s == NULL);
    gs_early_split_free(s);
    gs_key_encoder_free(encoder);
}

/* The records of a chunk. Returns how many they are. */
static size_t chunk_comes_out(gs_early_split *s, const gs_record_layout *layout,
                              gs_bucket_copy *room, uint64_t *hash)
{
    gs_status st = {.code = GS_OK};
    const gs_early_memory memory = {.spare_bytes = MOST};
    const gs_buckets *const b = gs_early_split_finish(s, &memory);
    last_string last = {{0}, 0};
    size_t records = 0;
    for (size_t i = 0; i < b->count; i++) {
        gs_near_bucket bucket = {0};
        REQUIRE_OK(b->bring(b, room, i, 1, &bucket, &st), &st);
        check_bucket(layout, NULL, &bucket, i == 0, &last, hash);
        records += bucket.same_count > 0 ? bucket.same_count : bucket.count;
        b->drop(b, &bucket);
    }
    return records;
}

/* Adds all lines, and when there is no more room for them calls `full`, which makes some.
 * Returns how often. */
static size_t add_in_turns(gs_early_split *s, const gs_file_map *map, size_t text_bytes,
                           unsigned workers, void (*full)(gs_early_split *s, void *),
                           void *context)
{
    enum { BATCH = 1 << 16 };
    uint64_t count = 0;
    size_t times = 0;
    for (size_t at = 0, number = 0; at < text_bytes; number++) {
        size_t end = text_bytes - at > BATCH ? at + BATCH : text_bytes;
        while (map->base[end - 1] != '\n')
            end--;
        while (!gs_early_split_reserve(s, end - at)) {
            REQUIRE(!gs_early_split_is_empty(s));
            full(s, context);
            REQUIRE(gs_early_split_is_empty(s));
            times++;
        }
        CHECK(gs_early_split_add(s, (unsigned)(number % workers), map->base + at,
                                 end - at, at, &count));
        gs_early_split_added(s, end - at);
        at = end;
    }
    CHECK(count == lines);
    return times;
}

static uint64_t hash_lines(const gs_file_map *map, size_t text_bytes)
{
    uint64_t hash = 0;
    for (size_t at = 0, line = 0; at < text_bytes; at++) {
        if (map->base[at] == '\n') {
            hash += hash_line(map->base + line, at - line);
            line = at + 1;
        }
    }
    return hash;
}

/* What comes out of chunks. */
typedef struct chunks_out {
    const gs_record_layout *layout;
    gs_bucket_copy room;
    uint64_t hash;
    size_t records, bytes_max;
} chunks_out;

static void empty_chunk(gs_early_split *s, void *context)
{
    chunks_out *const out = context;
    CHECK(gs_early_split_list_bytes(s) < out->bytes_max);
    out->records += chunk_comes_out(s, out->layout, &out->room, &out->hash);
    gs_early_split_clear(s);
}

/* By chunks, in memory for a part of the text. Little text allows for one worker. */
static void chunks_come_out(const gs_file_map *map, size_t text_bytes)
{
    enum { CHUNKS = CHECK_HAS_SANITIZER ? 3 : 5 };
    const unsigned workers = CHECK_HAS_SANITIZER ? 1 : WORKERS;
    gs_status st = {.code = GS_OK};
    gs_early_split *s = NULL;
    const gs_record_layout layout = {.has_eol = true, .eol = '\n'};
    const gs_early_split_options options = {.layout = &layout,
                                            .map = map,
                                            .team = team_of(workers),
                                            .memory_bytes = text_bytes / CHUNKS,
                                            .by_chunks = true};
    chunks_out out = {.layout = &layout, .bytes_max = text_bytes / CHUNKS + (4 << 20)};
    REQUIRE_OK(gs_early_split_new(&s, &options, &st), &st);
    REQUIRE(s != NULL);
    REQUIRE_OK(gs_bucket_copy_init(&out.room, MOST, &st), &st);
    CHECK(!gs_early_split_reserve(s, GS_WHERE_LENGTH_LONG));
    const size_t chunks = add_in_turns(s, map, text_bytes, workers, empty_chunk, &out);
    empty_chunk(s, &out);
    CHECK(chunks >= CHUNKS && chunks < 4 * CHUNKS);
    CHECK(out.records == lines && out.hash == hash_lines(map, text_bytes));
    gs_bucket_copy_release(&out.room);
    gs_early_split_free(s);
}

/* To files, by the threads of a team. */
typedef struct keeping {
    gs_team *team;
    uint64_t bytes;
} keeping;

static void keep_lists(gs_early_split *s, void *context)
{
    keeping *const k = context;
    gs_status st = {.code = GS_OK};
    uint64_t bytes = 0;
    CHECK(gs_early_split_is_even(s));
    REQUIRE_OK(gs_early_split_keep(s, k->team, &bytes, &st), &st);
    CHECK(bytes > 0);
    k->bytes += bytes;
}

/* What does not fit goes to files, and comes out of them: the last lists stay in memory,
 * unless buckets need it. Many workers share lists. */
static void kept_come_out(const gs_file_map *map, size_t text_bytes, unsigned workers,
                          bool is_backwards, bool has_same, bool is_made_room)
{
    enum { PARTS = CHECK_HAS_SANITIZER ? 2 : 3 };
    static const char *const folders[] = {"/tmp"};
    const gs_sort_options sort = {.temp_folders = folders, .temp_folder_count = 1};
    gs_status st = {.code = GS_OK};
    gs_early_split *s = NULL;
    gs_bucket_copy room = {0};
    keeping k = {0};
    const gs_record_layout layout = {
        .has_eol = true, .eol = '\n', .is_backwards = is_backwards};
    gs_early_split_options options = {.layout = &layout,
                                      .map = map,
                                      .team = team_of(workers),
                                      .memory_bytes = text_bytes / PARTS,
                                      .by_chunks = true};
    REQUIRE_OK(gs_list_file_new(&options.file, &sort, workers, &st), &st);
    k.team = team_of(workers);
    REQUIRE_OK(gs_early_split_new(&s, &options, &st), &st);
    REQUIRE(s != NULL);
    CHECK(s->sets == workers || workers == MANY_WORKERS);
    CHECK(s->sets < workers || workers != MANY_WORKERS);
    const size_t times = add_in_turns(s, map, text_bytes, workers, keep_lists, &k);
    CHECK(times >= PARTS - 1 && times < 4 * PARTS);
    CHECK(k.bytes > text_bytes / PARTS && k.bytes < text_bytes + 3 * (uint64_t)lines);
    uint64_t bytes = 0;
    REQUIRE_OK(gs_early_split_make_room(s, k.team, &bytes, &st), &st);
    /* The buckets are as even as the sample said, but many together, or of lines that are
     * alike, may need more than is kept for them. */
    CHECK(bytes == 0 || workers == MANY_WORKERS || has_same);
    if (is_made_room && bytes == 0)
        keep_lists(s, &k);
    REQUIRE_OK(gs_bucket_copy_init(&room, MOST, &st), &st);
    const gs_early_memory memory = {.arena = map->base, .spare_bytes = MOST};
    const gs_buckets *const b = gs_early_split_finish(s, &memory);
    CHECK(b->room_bytes > 0 && b->room_bytes * workers < text_bytes / PARTS);
    uint64_t got = 0;
    size_t records = 0, most_same = 0;
    last_string last = {{0}, 0};
    for (size_t i = 0; i < b->count; i++) {
        gs_near_bucket bucket = {0};
        REQUIRE_OK(b->bring(b, &room, i, 1, &bucket, &st), &st);
        check_bucket(&layout, NULL, &bucket, i == 0, &last, &got);
        records += bucket.same_count > 0 ? bucket.same_count : bucket.count;
        most_same = bucket.same_count > most_same ? bucket.same_count : most_same;
        b->drop(b, &bucket);
    }
    CHECK(records == lines && got == hash_lines(map, text_bytes));
    CHECK(!has_same || most_same > lines / 200);
    gs_bucket_copy_release(&room);
    gs_early_split_free(s);
}

/* Other lines, which all begin alike and go to one bucket, and of which none is another.
 * Returns how many. */
static size_t add_alike(gs_early_split *s, keeping *k, size_t number)
{
    enum { LINES = 4000, LINE = 40 };
    static char text[LINES * LINE + GS_SHORT_COPY_BYTES];
    uint64_t count = 0;
    for (size_t i = 0; i < LINES; i++)
        (void)snprintf(text + i * LINE, LINE + 1, "~~%037zu\n", number + i);
    if (!gs_early_split_reserve(s, sizeof text)) {
        keep_lists(s, k);
        REQUIRE(gs_early_split_reserve(s, sizeof text));
    }
    CHECK(gs_early_split_add(s, 0, (const uint8_t *)text, LINES * LINE, 0, &count));
    gs_early_split_added(s, sizeof text);
    CHECK(count == LINES);
    return count;
}

/* A bucket that is more than was planned for comes out of files as long as there is
 * memory for it without the lists; and it is said when there is none. */
static void large_bucket_comes_out(const gs_file_map *map, size_t text_bytes)
{
    static const char *const folders[] = {"/tmp"};
    const gs_sort_options sort = {.temp_folders = folders, .temp_folder_count = 1};
    gs_status st = {.code = GS_OK};
    gs_early_split *s = NULL;
    keeping k = {0};
    const gs_record_layout layout = {.has_eol = true, .eol = '\n'};
    gs_early_split_options options = {.layout = &layout,
                                      .map = map,
                                      .team = team_of(1),
                                      .memory_bytes = text_bytes / 2,
                                      .by_chunks = true};
    REQUIRE_OK(gs_list_file_new(&options.file, &sort, 1, &st), &st);
    k.team = team_of(1);
    REQUIRE_OK(gs_early_split_new(&s, &options, &st), &st);
    REQUIRE(s != NULL);
    size_t added = 0;
    uint64_t bytes = 0;
    while (bytes == 0) {
        added += add_alike(s, &k, added);
        REQUIRE(gs_early_split_is_even(s));
        REQUIRE_OK(gs_early_split_make_room(s, k.team, &bytes, &st), &st);
    }
    CHECK(gs_early_split_is_empty(s));
    const gs_early_memory memory = {.arena = map->base};
    const gs_buckets *const b = gs_early_split_finish(s, &memory);
    gs_bucket_copy room = {0};
    gs_near_bucket bucket = {0};
    CHECK(b->count == 1);
    REQUIRE_OK(b->bring(b, &room, 0, 1, &bucket, &st), &st);
    CHECK(bucket.count == added && bucket.own != NULL);
    uint64_t hash = 0;
    last_string last = {{0}, 0};
    check_bucket(&layout, NULL, &bucket, true, &last, &hash);
    b->drop(b, &bucket);
    while (gs_early_split_is_even(s))
        added += add_alike(s, &k, added);
    CHECK(added * 2 * sizeof(gs_element) < text_bytes);
    gs_early_split_free(s);
}

/* NULL, and no failure. */
static void is_refused(const gs_file_map *map, size_t memory_bytes, bool by_chunks,
                       bool is_key_only)
{
    gs_status st = {.code = GS_OK};
    gs_early_split *s = NULL;
    const gs_record_layout layout = {
        .has_eol = true, .eol = '\n', .is_key_only = is_key_only};
    const gs_early_split_options options = {.layout = &layout,
                                            .map = map,
                                            .team = team_of(WORKERS),
                                            .memory_bytes = memory_bytes,
                                            .by_chunks = by_chunks};
    REQUIRE_OK(gs_early_split_new(&s, &options, &st), &st);
    CHECK(s == NULL);
}

/* Of records that are wider than what is moved in their place, unless memory is short. */
static void wide_records_are_left(const gs_file_map *map)
{
    static const struct {
        size_t record_size;
        bool by_chunks, are_taken;
    } cases[] = {
        {48, false, true}, {49, false, false}, {100, false, false}, {100, true, true}};
    const gs_record_layout layout = {.eol = '\n'};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gs_status st = {.code = GS_OK};
        gs_early_split *s = NULL;
        const gs_early_split_options options = {.layout = &layout,
                                                .record_size = cases[i].record_size,
                                                .map = map,
                                                .team = team_of(WORKERS),
                                                .memory_bytes = MOST,
                                                .by_chunks = cases[i].by_chunks};
        REQUIRE_OK(gs_early_split_new(&s, &options, &st), &st);
        CHECK((s != NULL) == cases[i].are_taken);
        gs_early_split_free(s);
    }
}

int main(void)
{
    const unsigned few = CHECK_HAS_SANITIZER ? 1 : WORKERS;
    uint64_t state = check_seed(3);
    gs_file_map map;
    lines = check_often(LINES_MAX);
    if (!CHECK_HAS_TSAN && lines < LINES_MIN)
        lines = LINES_MIN;
    lines = lines < GS_EARLY_SPLIT_MIN / 34 ? (unsigned)(GS_EARLY_SPLIT_MIN / 34) : lines;
    /* A sanitizer has less text, and with it all of these in short runs too. */
    const bool is_long = check_is_long(), is_thorough = is_long || CHECK_HAS_SANITIZER;
    size_t bytes = make_text(&map, "", 50, lines, 0, &state);
    all_come_out(&map, bytes, false, false, MOST);
    if (is_long)
        all_come_out(&map, bytes, true, false, MOST);
    if (is_thorough)
        all_come_out(&map, bytes, false, false, 0);
    keyed_come_out(&map, bytes, is_thorough);
    if (!CHECK_HAS_TSAN) {
        chunks_come_out(&map, bytes);
        kept_come_out(&map, bytes, few, false, false, false);
        if (!CHECK_HAS_SANITIZER) /* with more text */
            kept_come_out(&map, bytes, MANY_WORKERS, false, false, false);
        large_bucket_comes_out(&map, bytes);
    }
    long_lines(&map);
    many_keys_are_refused(&map);
    is_refused(&map, lines * sizeof(uint64_t), false, false);
    is_refused(&map, MOST, false, true);
    wide_records_are_left(&map);
    later_changes_do_nothing(&map, bytes);
    gs_file_map_close(&map);
    /* So few others that the sample has none, and some long lines. */
    bytes = make_text(&map, "https://", lines / 20, lines, lines / 20, &state);
    if (is_long)
        all_come_out(&map, bytes, false, false, MOST);
    all_come_out(&map, bytes, true, false, MOST);
    gs_file_map_close(&map);
    if (is_thorough) {
        /* More than a bucket of lines with nothing behind it, whose word is the least. */
        bytes = make_text(&map, "https://", lines / 20, 80, 0, &state);
        all_come_out(&map, bytes, false, true, MOST);
        if (!CHECK_HAS_TSAN)
            kept_come_out(&map, bytes, few, true, true, true);
        if (!CHECK_HAS_SANITIZER)
            kept_come_out(&map, bytes, MANY_WORKERS, false, true, false);
        if (is_long)
            all_come_out(&map, bytes, true, true, MOST);
        gs_file_map_close(&map);
        bytes = make_text(&map, "https://", 30, lines, 0, &state);
        all_come_out(&map, bytes, false, false, MOST);
        gs_file_map_close(&map);
    }
    /* All that a sample knows of the lines is the same. */
    char same[GS_STRING_REACH + 1] = "";
    memset(same, 'x', sizeof same - 1);
    lines = CHECK_HAS_TSAN ? lines : (unsigned)(GS_EARLY_SPLIT_MIN / GS_STRING_REACH);
    (void)make_text(&map, same, lines, lines, 0, &state);
    is_refused(&map, MOST, true, false);
    gs_file_map_close(&map);
    for (unsigned i = 0; i <= MANY_WORKERS; i++)
        gs_team_free(teams[i]);
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
