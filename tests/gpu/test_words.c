/* SPDX-License-Identifier: MIT */
/*
 * word_block: words of documents and ready tuples that are found, looked up and sorted on
 * the GPU must be the postings that a plain sort of the same tokens gives. What would
 * break: words and lines across the chunks of threads, terms of any length that several
 * threads meet for the first time at once, words that are left out, by their length or
 * since the block was told, terms that are joined to one, frequencies that are added up,
 * pieces that are refused, windows anywhere, blocks used again; postings that are stored:
 * blocks at places that terms share, with the bytes of the cores, and tails; and blocks
 * that share their terms out, of which each must have all postings of its own.
 *
 *     test_words [--few]        --few: a handful, for compute-sanitizer
 *
 * Exits 77 without a GPU.
 */
#define CHECK_STARTS_THREADS

#include <pthread.h>
#include <string.h>

#include "gpu/device/device.h"
#include "gpu/words/word_block.h"
#include "lib/base/ascii_word.h"
#include "lib/base/mem.h"
#include "lib/index/format/formats.h"
#include "tests/check.h"

enum {
    PIECE_BYTES = 1 << 20,
    DOCUMENTS = 1 << 12, /* of a piece, */
    WINDOW = 5000,       /* that are fetched at once */
    LANES = 3,
    PIECES_MAX = 6,
    TOKENS_MAX = PIECES_MAX * (PIECE_BYTES / 2 + 1),
    TERM_ROOM = 70000,
    STOPS_MAX = 20,
    STOP_ROOM = 128,
};

/* A token as it should be; of a tuple the position is its frequency. */
typedef struct token {
    const uint8_t *term; /* folded */
    uint32_t bytes, doc, position;
} token;

typedef struct setting {
    gs_word_source source;
    bool has_positions; /* of lines: some have frequencies */
    bool is_folding;
    uint64_t terms; /* that words are chosen from */
    /* Of texts: */
    unsigned stops;       /* the first so many terms are left out, */
    uint32_t least, most; /* and those of ASCII with fewer or more bytes; 0: none are */
    uint32_t joined;      /* terms with the same first bytes are one; 0: none are */
} setting;

static token *wanted;
static token stops[STOPS_MAX]; /* folded, if that is asked for */
static uint8_t stop_bytes[STOPS_MAX * STOP_ROOM];
static size_t wanted_count;
static size_t wanted_elsewhere; /* not of the block that is filled */
static uint8_t *term_bytes;     /* of all tokens */
static size_t term_used, term_room;
static size_t piece_bytes = PIECE_BYTES, piece_count = PIECES_MAX;
static bool is_few;
static uint64_t state;

static uint64_t below(uint64_t n)
{
    return check_random(&state) % n;
}

static bool chance(uint64_t in)
{
    return below(in) == 0;
}

/* --- what is wanted ----------------------------------------------------------------- */

/* Is it left out? */
static bool is_out(const setting *s, const uint8_t *term, size_t bytes)
{
    bool is_ascii = true;
    for (size_t i = 0; i < bytes && is_ascii; i++)
        is_ascii = term[i] < 0x80;
    if (is_ascii && (bytes < s->least || (s->most > 0 && bytes > s->most)))
        return true;
    for (unsigned i = 0; i < s->stops; i++) {
        if (stops[i].bytes == bytes && memcmp(stops[i].term, term, bytes) == 0)
            return true;
    }
    return false;
}

/* False: the token is left out. */
static bool want(const setting *s, const uint8_t *term, size_t bytes, uint32_t doc,
                 uint32_t position)
{
    REQUIRE(wanted_count < TOKENS_MAX && term_used + bytes <= term_room);
    uint8_t *const to = term_bytes + term_used;
    for (size_t i = 0; i < bytes; i++)
        to[i] = s->is_folding ? gs_ascii_fold(term[i]) : term[i];
    if (is_out(s, to, bytes))
        return false;
    if (s->joined > 0 && bytes > s->joined)
        bytes = s->joined;
    wanted[wanted_count++] = (token){to, (uint32_t)bytes, doc, position};
    term_used += bytes;
    return true;
}

static int compare_terms(const token *a, const token *b)
{
    const uint32_t both = a->bytes < b->bytes ? a->bytes : b->bytes;
    const int d = memcmp(a->term, b->term, both);
    return d != 0 ? d : (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

static int compare_tokens(const void *x, const void *y)
{
    const token *const a = x, *const b = y;
    const int d = compare_terms(a, b);
    if (d != 0)
        return d;
    if (a->doc != b->doc)
        return a->doc < b->doc ? -1 : 1;
    return (a->position > b->position) - (a->position < b->position);
}

/* --- pieces ------------------------------------------------------------------------- */

/* Term `number` of the setting, of letters, digits and bytes that are not ASCII. */
static size_t make_term(uint64_t number, uint8_t *to)
{
    static const uint8_t bytes[] = "aBcdZ09\xc3\xa9z";
    uint64_t r = number * UINT64_C(0x9e3779b97f4a7c15) + 1;
    size_t n = 1 + (r >> 60);
    if (number % 97 == 3)
        n += 30 + (r >> 50) % 64;
    for (size_t i = 0; i < n; i++, r = r * UINT64_C(6364136223846793005) + 1)
        to[i] = bytes[(r >> 33) % (sizeof bytes - 1)];
    return n;
}

static uint64_t choose_term(const setting *s)
{
    const uint64_t most = 1 + below(s->terms); /* small numbers come more often */
    return below(most);
}

/* Tells a new block of the first terms, half of them at a time. */
static void leave_out(gs_word_block *w, const setting *s)
{
    gs_status st = {.code = GS_OK};
    uint8_t *const text = gs_word_block_lane(w, 1).text;
    size_t used = 0;
    for (unsigned i = 0; i < s->stops; i++) {
        uint8_t *const to = stop_bytes + i * STOP_ROOM;
        const size_t n = make_term(i, to);
        memcpy(text + used, to, n);
        used += n;
        text[used++] = ' ';
        for (size_t k = 0; k < n; k++)
            to[k] = s->is_folding ? gs_ascii_fold(to[k]) : to[k];
        stops[i] = (token){.term = to, .bytes = (uint32_t)n};
        if (i != s->stops / 2 && i + 1 != s->stops)
            continue;
        REQUIRE_OK(gs_word_block_leave_out(w, 1, (uint32_t)used, &st), &st);
        used = 0;
    }
}

/* What a piece of text should come to. */
typedef struct text_sums {
    uint32_t lengths[DOCUMENTS];
    uint32_t words, last_words, long_words, long_document;
} text_sums;

static size_t put_word(const setting *s, uint8_t *to, size_t room, uint32_t d,
                       const gs_word_piece *piece, text_sums *sums)
{
    uint32_t *const words = &sums->last_words;
    const uint32_t doc = piece->first_document + d,
                   position = *words + (d == 0 ? piece->first_position : 0);
    size_t n = make_term(choose_term(s), to);
    const bool is_gap = chance(200),
               is_long = !is_gap && room > 2 * TERM_ROOM && chance(20000);
    if (is_gap) {
        n = 1;
        to[0] = GS_WORD_GAP;
    } else if (is_long || (room > 2 * TERM_ROOM && chance(20000))) {
        n = GS_WORD_BYTES_MAX + is_long;
        memset(to, 'W', n);
    }
    if (!is_gap && !is_long && want(s, to, n, doc, position))
        sums->lengths[d]++;
    if (is_long && sums->long_words++ == 0)
        sums->long_document = d;
    ++*words;
    sums->words++;
    return n;
}

/* *document is that of the first, which has had *words before, and then the last one. */
static void add_texts(gs_word_block *w, const setting *s, unsigned lane,
                      uint32_t *document, uint32_t *words)
{
    static text_sums sums;
    const gs_word_lane memory = gs_word_block_lane(w, lane);
    gs_word_piece piece = {.first_document = *document, .first_position = *words};
    gs_status st = {.code = GS_OK};
    gs_word_counts counts;
    size_t used = 0;
    sums = (text_sums){.words = 0};
    while (piece.document_count < DOCUMENTS && used + 200 < piece_bytes) {
        const uint32_t d = piece.document_count++;
        memory.starts[d] = (uint32_t)used;
        sums.last_words = 0;
        for (uint64_t k = below(300); k > 0 && used + 200 < piece_bytes; k--) {
            used += put_word(s, memory.text + used, piece_bytes - used, d, &piece, &sums);
            do
                memory.text[used++] = (uint8_t) " ,.\n\t-\0"[below(7)];
            while (chance(3) && used + 200 < piece_bytes);
        }
    }
    piece.bytes = (uint32_t)used;
    *document += piece.document_count - 1;
    *words = sums.last_words + (piece.document_count == 1 ? piece.first_position : 0);
    REQUIRE_OK(gs_word_block_add(w, lane, &piece, &counts, &st), &st);
    CHECK(counts.words == sums.words && counts.last_words == sums.last_words);
    CHECK(counts.long_words == sums.long_words);
    CHECK(sums.long_words == 0 || counts.long_document == sums.long_document);
    CHECK(memcmp(memory.lengths, sums.lengths,
                 piece.document_count * sizeof *sums.lengths) == 0);
}

static size_t put_line(const setting *s, uint8_t *to, size_t room, gs_tuple_counts *sums)
{
    size_t n = make_term(choose_term(s), to);
    if (room > 2 * TERM_ROOM && chance(20000)) {
        n = GS_WORD_BYTES_MAX;
        memset(to, '~', n);
    }
    const uint32_t doc =
        chance(100) ? (uint32_t)check_random(&state) : (uint32_t)below(3000);
    const bool has_tf = s->has_positions && chance(3);
    const uint32_t tf = !has_tf ? 1 : chance(50) ? 30000 : 1 + (uint32_t)below(4);
    want(s, to, n, doc, tf);
    n += (size_t)sprintf((char *)to + n, has_tf ? "\t%u\t%u" : "\t%u", doc, tf);
    if (chance(50))
        to[n++] = '\r';
    to[n++] = '\n';
    sums->tuples++;
    sums->tokens += tf;
    sums->first_document = doc < sums->first_document ? doc : sums->first_document;
    sums->last_document = doc > sums->last_document ? doc : sums->last_document;
    return n;
}

static size_t put_pair(const setting *s, uint8_t *to, gs_tuple_counts *sums)
{
    const uint32_t pair[2] = {chance(20) ? (uint32_t)check_random(&state)
                                         : (uint32_t)choose_term(s),
                              (uint32_t)(check_random(&state) >> (32 + below(32)))};
    char digits[16];
    const int n = sprintf(digits, "%u", pair[0]);
    want(s, (const uint8_t *)digits, (size_t)n, pair[1], 1);
    memcpy(to, pair, sizeof pair);
    sums->tuples++;
    sums->tokens++;
    sums->first_document =
        pair[1] < sums->first_document ? pair[1] : sums->first_document;
    sums->last_document = pair[1] > sums->last_document ? pair[1] : sums->last_document;
    return sizeof pair;
}

/* One line is none: nothing of the piece may be in the block. */
static void refuse(gs_word_block *w, unsigned lane)
{
    static const char *const odd[] = {"a\t1\n\nb\t2\n",        "none\n",    "\t7\n",
                                      "a\t1\nb\t4294967296\n", "a\t1\t0\n", "a\t\n",
                                      "a\t1\nb\t2 \n"};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        gs_status st = {.code = GS_OK};
        gs_tuple_counts counts;
        const size_t bytes = strlen(odd[i]);
        memcpy(gs_word_block_lane(w, lane).text, odd[i], bytes);
        REQUIRE_OK(gs_word_block_add_tuples(w, lane, (uint32_t)bytes, &counts, &st), &st);
        CHECK(counts.is_refused && counts.tuples == 0);
    }
}

static void add_tuples(gs_word_block *w, const setting *s, unsigned lane,
                       uint32_t *first_document, uint32_t *last_document)
{
    uint8_t *const text = gs_word_block_lane(w, lane).text;
    gs_status st = {.code = GS_OK};
    gs_tuple_counts sums = {.first_document = UINT32_MAX}, counts;
    const uint64_t before = wanted_count - wanted_elsewhere;
    size_t used = 0;
    while (used + 200 < piece_bytes)
        used += s->source == GS_WORD_PAIRS
                    ? put_pair(s, text + used, &sums)
                    : put_line(s, text + used, piece_bytes - used, &sums);
    if (s->source == GS_WORD_LINES && chance(2))
        used--; /* the last line of a file may lack its end */
    REQUIRE_OK(gs_word_block_add_tuples(w, lane, (uint32_t)used, &counts, &st), &st);
    CHECK(!counts.is_refused && counts.tuples == sums.tuples);
    CHECK(counts.tokens == sums.tokens && counts.block_tokens >= counts.tokens);
    CHECK(counts.first_document == sums.first_document);
    CHECK(counts.last_document == sums.last_document);
    CHECK(counts.used.tokens == before + sums.tuples);
    *first_document = sums.first_document;
    *last_document = sums.last_document;
    if (s->source == GS_WORD_LINES)
        refuse(w, lane);
}

/* --- what came ---------------------------------------------------------------------- */

/* Postings [first, first + count) against the tokens from *at on. */
static void check_window(gs_word_block *w, const setting *s, unsigned lane,
                         uint64_t first, size_t count, size_t *at)
{
    gs_status st = {.code = GS_OK};
    const gs_word_lane memory = gs_word_block_lane(w, lane);
    REQUIRE_OK(gs_word_block_documents(w, lane, first, count, &st), &st);
    for (size_t i = 0; i < count; i++) {
        const token *const t = &wanted[*at];
        uint64_t tf = 0;
        size_t end = *at;
        for (; end < wanted_count && wanted[end].doc == t->doc &&
               compare_terms(&wanted[end], t) == 0;
             end++)
            tf += s->source == GS_WORD_TEXTS ? 1 : wanted[end].position;
        CHECK(memory.documents[i] == t->doc);
        CHECK(memory.tokens[i + 1] - memory.tokens[i] == tf);
        if (s->source == GS_WORD_TEXTS && s->has_positions && tf <= WINDOW) {
            REQUIRE_OK(
                gs_word_block_positions(w, lane, memory.tokens[i], (size_t)tf, &st), &st);
            for (size_t k = *at; k < end; k++)
                CHECK(memory.positions[k - *at] == wanted[k].position);
        }
        *at = end;
    }
}

static size_t count_terms(void)
{
    size_t terms = 0;
    for (size_t i = 0; i < wanted_count; i++)
        terms += i == 0 || compare_terms(&wanted[i - 1], &wanted[i]) != 0;
    return terms;
}

/* The terms that came, as tokens without documents. */
static token *fetch_terms(gs_word_block *w, const gs_word_sums *sums, uint8_t **bytes)
{
    gs_status st = {.code = GS_OK};
    token *out = NULL;
    gs_word_term *terms = NULL;
    REQUIRE_OK(gs_mem_new(bytes, sums->term_bytes, "bytes", &st), &st);
    REQUIRE_OK(gs_mem_new_array(&terms, sums->terms, sizeof *terms, "terms", &st), &st);
    REQUIRE_OK(gs_mem_new_array(&out, sums->terms, sizeof *out, "terms", &st), &st);
    REQUIRE_OK(gs_word_block_terms(w, *bytes, terms, &st), &st);
    for (size_t i = 0; i < sums->terms; i++) {
        out[i] = (token){.term = *bytes + (terms[i] >> GS_WORD_TERM_BITS),
                         .bytes = (uint32_t)(terms[i] & UINT16_MAX)};
        CHECK(i == 0 || compare_terms(&out[i - 1], &out[i]) < 0);
    }
    gs_mem_free(terms);
    return out;
}

/* Those with the same first bytes are one; how many there are then. */
static size_t join_terms(gs_word_block *w, const setting *s, token *terms, size_t count)
{
    gs_status st = {.code = GS_OK};
    uint32_t *to = NULL;
    size_t joined = 0;
    if (s->joined == 0)
        return count;
    REQUIRE_OK(gs_mem_new_array(&to, count, sizeof *to, "ranks", &st), &st);
    for (size_t i = 0; i < count; i++) {
        terms[i].bytes = terms[i].bytes < s->joined ? terms[i].bytes : s->joined;
        if (joined == 0 || compare_terms(&terms[joined - 1], &terms[i]) != 0)
            terms[joined++] = terms[i];
        to[i] = (uint32_t)joined - 1;
    }
    REQUIRE_OK(gs_word_block_join_terms(w, to, (uint32_t)joined, &st), &st);
    gs_mem_free(to);
    return joined;
}

/* Terms in order, each with its bytes; then all postings, in windows of any size. */
static void check_block(gs_word_block *w, const setting *s, const token *terms,
                        const gs_word_sums *sums)
{
    gs_status st = {.code = GS_OK};
    uint32_t *firsts = NULL;
    REQUIRE_OK(gs_mem_new_array(&firsts, sums->terms + 1, sizeof *firsts, "firsts", &st),
               &st);
    REQUIRE_OK(gs_word_block_first_postings(w, firsts, &st), &st);
    uint32_t posting = 0;
    for (size_t i = 0, term = 0; i < wanted_count; i++) {
        const token *const t = &wanted[i];
        const bool is_term = i == 0 || compare_terms(t - 1, t) != 0;
        if (is_term) {
            CHECK(compare_terms(&terms[term], t) == 0);
            CHECK(firsts[term++] == posting);
        }
        posting += is_term || t->doc != t[-1].doc;
    }
    CHECK(firsts[sums->terms] == posting && sums->postings == posting);
    size_t at = 0;
    for (uint64_t first = 0; first < posting;) {
        const uint64_t left = posting - first, most = 1 + below(WINDOW);
        const size_t count = (size_t)(left < most ? left : most);
        check_window(w, s, (unsigned)below(LANES), first, count, &at);
        first += count;
    }
    CHECK(at == wanted_count);
    gs_mem_free(firsts);
}

/* The block of postings from there on as the cores write it. */
static size_t put_block(uint8_t *to, const setting *s, const uint32_t *documents,
                        const uint32_t *tokens, const uint32_t *positions, uint32_t least)
{
    uint64_t docs[GS_INDEX_BLOCK], numbers[GS_INDEX_BLOCK], tfs[GS_INDEX_BLOCK];
    uint64_t places[GS_NUMBERS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < GS_INDEX_BLOCK; i++) {
        docs[i] = documents[i];
        numbers[i] = documents[i] - (i > 0 ? docs[i - 1] + 1 : least);
        tfs[i] = tokens[i + 1] - tokens[i] - 1;
    }
    uint8_t *end = gs_block_put(to, least, docs, numbers, tfs);
    if (s->source != GS_WORD_TEXTS || !s->has_positions)
        return (size_t)(end - to);
    for (size_t i = 0; i < GS_INDEX_BLOCK; i++) {
        for (uint32_t k = tokens[i]; k < tokens[i + 1]; k++) {
            const uint32_t at = k - tokens[0];
            places[count++] = positions[at] - (k > tokens[i] ? positions[at - 1] + 1 : 0);
            if (count == GS_NUMBERS_MAX) {
                end = gs_numbers_put(end, places, count);
                count = 0;
            }
        }
    }
    return (size_t)(gs_numbers_put(end, places, count) - to);
}

/* Of any documents, some behind the last that has one. */
static gs_word_lengths make_lengths(void)
{
    enum { CODES = 1 << 12 };
    static uint8_t codes[CODES];
    const unsigned shift = (unsigned)below(4);
    for (unsigned i = 0; i < CODES; i++)
        codes[i] = (uint8_t)(5 + below(60));
    return (gs_word_lengths){codes, below(((uint64_t)CODES << shift) + 1), shift};
}

static void check_head(const gs_word_stored *head, const gs_word_lengths *lengths,
                       const uint32_t *documents, const uint32_t *tokens)
{
    uint64_t tfs[GS_INDEX_BLOCK];
    uint8_t codes[GS_INDEX_BLOCK];
    gs_impacts impacts;
    for (size_t i = 0; i < GS_INDEX_BLOCK; i++) {
        tfs[i] = tokens[i + 1] - tokens[i] - 1;
        codes[i] = gs_word_length_code(lengths, documents[i]);
    }
    gs_impacts_of(&impacts, tfs, codes, GS_INDEX_BLOCK);
    CHECK(head->last == documents[GS_INDEX_BLOCK - 1]);
    CHECK(head->tokens == tokens[GS_INDEX_BLOCK] - tokens[0]);
    CHECK(head->impact_count == impacts.count);
    CHECK(memcmp(head->impacts, impacts.pairs, impacts.count * sizeof *impacts.pairs) ==
          0);
}

/* What stands at a place, of a term's block or of none. */
static void check_place(gs_word_block *w, const setting *s, const gs_word_made *made,
                        const gs_word_lengths *lengths, uint64_t place,
                        const uint32_t *first)
{
    enum { MOST = 1 << 17 };
    static uint8_t want[MOST];
    static uint32_t documents[GS_INDEX_BLOCK], tokens[GS_INDEX_BLOCK + 1],
        positions[WINDOW];
    gs_status st = {.code = GS_OK};
    const gs_word_lane memory = gs_word_block_lane(w, 0);
    const uint64_t group = place / GS_WORD_PLACE_GROUP;
    const uint8_t *at = memory.text;
    gs_word_stored head;
    uint32_t least = 0, token_count = 0;
    if (first != NULL) {
        if (first[1] > 0) {
            REQUIRE_OK(gs_word_block_documents(w, 0, first[0] - 1, 1, &st), &st);
            least = memory.documents[0] + 1;
        }
        REQUIRE_OK(gs_word_block_documents(w, 0, first[0], GS_INDEX_BLOCK, &st), &st);
        memcpy(documents, memory.documents, sizeof documents);
        memcpy(tokens, memory.tokens, sizeof tokens);
        token_count = tokens[GS_INDEX_BLOCK] - tokens[0];
        if (s->source == GS_WORD_TEXTS && s->has_positions && token_count <= WINDOW) {
            REQUIRE_OK(gs_word_block_positions(w, 0, tokens[0], token_count, &st), &st);
            memcpy(positions, memory.positions, token_count * sizeof *positions);
        }
    }
    REQUIRE_OK(gs_word_block_stored(w, 0, group, 1, &st), &st);
    for (uint64_t i = group * GS_WORD_PLACE_GROUP;; i++) {
        memcpy(&head, at, sizeof head);
        if (i == place)
            break;
        at += gs_word_stored_bytes(head.bytes);
    }
    CHECK(made->group_starts[group + 1] - made->group_starts[group] <= piece_bytes);
    if (first == NULL) {
        CHECK(head.bytes == 0);
    } else if (head.bytes > 0 && token_count <= WINDOW) {
        CHECK(head.bytes == put_block(want, s, documents, tokens, positions, least));
        CHECK(memcmp(want, at + sizeof head, head.bytes) == 0);
        check_head(&head, lengths, documents, tokens);
    } else if (head.bytes == 0) { /* too long, by its tokens or its bytes */
        CHECK(s->has_positions || token_count > GS_STEP_TOKENS_MAX);
    }
}

static void check_tail(gs_word_block *w, uint32_t in_list, uint32_t posting, size_t count)
{
    static uint32_t documents[GS_INDEX_BLOCK], tokens[GS_INDEX_BLOCK + 1];
    gs_status st = {.code = GS_OK};
    const gs_word_lane memory = gs_word_block_lane(w, 0);
    if (count == 0)
        return;
    REQUIRE_OK(gs_word_block_documents(w, 0, posting, count, &st), &st);
    memcpy(documents, memory.documents, count * sizeof *documents);
    memcpy(tokens, memory.tokens, (count + 1) * sizeof *tokens);
    REQUIRE_OK(gs_word_block_tails(w, 0, in_list, count, &st), &st);
    CHECK(memcmp(documents, memory.documents, count * sizeof *documents) == 0);
    CHECK(memcmp(tokens, memory.tokens, (count + 1) * sizeof *tokens) == 0);
}

/* Some blocks and tails, and what stands at places without. */
static void check_stored(gs_word_block *w, const setting *s, const gs_word_sums *sums)
{
    gs_status st = {.code = GS_OK};
    gs_word_made made;
    uint32_t *firsts = NULL, *tails = NULL;
    uint64_t next = 0; /* place */
    const uint64_t often = is_few ? 97 : 29;
    const gs_word_lengths lengths = make_lengths();
    REQUIRE_OK(gs_mem_new_array(&firsts, sums->terms + 1, sizeof *firsts, "firsts", &st),
               &st);
    REQUIRE_OK(gs_mem_new_array(&tails, sums->terms + 1, sizeof *tails, "tails", &st),
               &st);
    REQUIRE_OK(gs_word_block_first_postings(w, firsts, &st), &st);
    REQUIRE_OK(gs_word_block_encode(w, &lengths, &made, &st), &st);
    CHECK(made.has_blocks || sums->postings < GS_INDEX_BLOCK);
    if (made.has_tails)
        REQUIRE_OK(gs_word_block_tail_firsts(w, tails, &st), &st);
    for (size_t term = 0; made.has_blocks && term < sums->terms; term++) {
        const uint32_t begin = firsts[term], count = firsts[term + 1] - begin;
        const uint64_t place = begin / GS_INDEX_BLOCK;
        for (; next < place; next++) {
            if (chance(often))
                check_place(w, s, &made, &lengths, next, NULL);
        }
        for (uint32_t k = 0; k < count / GS_INDEX_BLOCK; k++, next = place + k) {
            const uint32_t first[2] = {begin + k * GS_INDEX_BLOCK, k};
            if (k == 0 || chance(often))
                check_place(w, s, &made, &lengths, place + k, first);
        }
        if (made.has_tails && chance(often))
            check_tail(w, tails[term], begin + count / GS_INDEX_BLOCK * GS_INDEX_BLOCK,
                       count % GS_INDEX_BLOCK);
    }
    gs_mem_free(firsts);
    gs_mem_free(tails);
}

static void sort_and_check(gs_word_block *w, const setting *s, uint32_t first,
                           uint32_t last)
{
    gs_status st = {.code = GS_OK};
    gs_word_sums sums;
    uint8_t *bytes = NULL;
    qsort(wanted, wanted_count, sizeof *wanted, compare_tokens);
    const size_t count = count_terms();
    REQUIRE_OK(gs_word_block_sort_terms(w, &sums, &st), &st);
    token *const terms = fetch_terms(w, &sums, &bytes);
    REQUIRE(join_terms(w, s, terms, sums.terms) == count);
    REQUIRE_OK(gs_word_block_sort(w, first, last, &sums, &st), &st);
    CHECK(sums.terms == count);
    check_block(w, s, terms, &sums);
    check_stored(w, s, &sums);
    gs_mem_free(terms);
    gs_mem_free(bytes);
}

static void fill_and_check(gs_word_block *w, const setting *s)
{
    gs_status st = {.code = GS_OK};
    uint32_t first = UINT32_MAX, last = 0, document = 1000, words = 0;
    wanted_count = term_used = 0;
    for (size_t i = 0; i < piece_count; i++) {
        uint32_t from = document, to = 0;
        if (s->source != GS_WORD_TEXTS) {
            add_tuples(w, s, (unsigned)(i % LANES), &from, &to);
        } else {
            add_texts(w, s, (unsigned)(i % LANES), &document, &words);
            to = document;
            if (chance(2)) { /* else it goes on in the next piece */
                document += 1 + (uint32_t)below(2);
                words = 0;
            }
        }
        first = from < first ? from : first;
        last = to > last ? to : last;
    }
    sort_and_check(w, s, first, last);
    REQUIRE_OK(gs_word_block_reset(w, &st), &st);
}

/* --- blocks that share terms out ---------------------------------------------------- */

enum { SHARERS_MAX = 3 };

/* The documents of a piece, and those that go on in the next, are of one block. */
static void fill_all(gs_word_block *const *blocks, unsigned count, const setting *s,
                     uint32_t *first, uint32_t *last)
{
    uint32_t document = 1000, words = 0;
    size_t filled[SHARERS_MAX] = {0};
    unsigned turn = 0;
    wanted_count = term_used = 0;
    *first = UINT32_MAX;
    *last = 0;
    for (size_t i = 0; i < piece_count; i++) {
        const size_t before = wanted_count;
        uint32_t from = document, to = 0;
        wanted_elsewhere = before - filled[turn];
        if (s->source != GS_WORD_TEXTS) {
            add_tuples(blocks[turn], s, (unsigned)(i % LANES), &from, &to);
        } else {
            add_texts(blocks[turn], s, (unsigned)(i % LANES), &document, &words);
            to = document;
        }
        filled[turn] += wanted_count - before;
        *first = from < *first ? from : *first;
        *last = to > *last ? to : *last;
        if (i + 1 < count || chance(2)) {
            document += 1 + (uint32_t)below(2);
            words = 0;
            turn = i + 1 < count ? (unsigned)i + 1 : (unsigned)below(count);
        }
    }
    wanted_elsewhere = 0;
}

/* The first token of each term, and where the last one ends. */
static size_t *list_terms(size_t *count)
{
    gs_status st = {.code = GS_OK};
    size_t *begins = NULL, n = 0;
    *count = count_terms();
    REQUIRE_OK(gs_mem_new_array(&begins, *count + 1, sizeof *begins, "terms", &st), &st);
    for (size_t i = 0; i < wanted_count; i++) {
        if (i == 0 || compare_terms(&wanted[i - 1], &wanted[i]) != 0)
            begins[n++] = i;
    }
    begins[n] = wanted_count;
    return begins;
}

static uint32_t find_rank(const token *t, const size_t *begins, size_t count)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_terms(&wanted[begins[middle]], t) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    REQUIRE(low < count && compare_terms(&wanted[begins[low]], t) == 0);
    return (uint32_t)low;
}

/* The ranks of a block's terms among all, and what it then weighs. */
static void join_all(gs_word_block *w, const setting *s, const size_t *begins,
                     size_t count, gs_word_weight *sums)
{
    static gs_word_weight ranges[GS_WORD_RANGES];
    gs_status st = {.code = GS_OK};
    gs_word_sums own;
    uint8_t *bytes = NULL;
    uint32_t *to = NULL;
    REQUIRE_OK(gs_word_block_sort_terms(w, &own, &st), &st);
    token *const terms = fetch_terms(w, &own, &bytes);
    REQUIRE_OK(gs_mem_new_array(&to, own.terms, sizeof *to, "ranks", &st), &st);
    for (size_t i = 0; i < own.terms; i++) {
        if (s->joined > 0 && terms[i].bytes > s->joined)
            terms[i].bytes = s->joined;
        to[i] = find_rank(&terms[i], begins, count);
    }
    REQUIRE_OK(gs_word_block_join_terms(w, NULL, (uint32_t)own.terms, &st), &st);
    REQUIRE_OK(gs_word_block_join_terms(w, to, (uint32_t)count, &st), &st);
    REQUIRE_OK(gs_word_block_weigh(w, ranges, &st), &st);
    for (size_t i = 0; i < GS_WORD_RANGES; i++) {
        sums[i].tokens += ranges[i].tokens;
        sums[i].frequencies += ranges[i].frequencies;
    }
    gs_mem_free(to);
    gs_mem_free(terms);
    gs_mem_free(bytes);
}

static gs_word_weight weight_of(const setting *s, const size_t *begins, size_t first,
                                size_t end)
{
    gs_word_weight out = {begins[end] - begins[first], 0};
    for (size_t i = begins[first]; i < begins[end]; i++)
        out.frequencies += s->source == GS_WORD_TEXTS ? 1 : wanted[i].position;
    return out;
}

static void check_ranges(const setting *s, const size_t *begins, size_t count,
                         const gs_word_weight *got)
{
    const unsigned shift = gs_word_range_shift((uint32_t)count);
    for (size_t i = 0; i < GS_WORD_RANGES; i++) {
        const size_t first = i << shift < count ? i << shift : count;
        const size_t end = (i + 1) << shift < count ? (i + 1) << shift : count;
        const gs_word_weight w = weight_of(s, begins, first, end);
        CHECK(got[i].tokens == w.tokens && got[i].frequencies == w.frequencies);
    }
}

/* The block must be one of the tokens of its terms alone. */
static void check_share(gs_word_block *w, const setting *s, const size_t *begins,
                        const gs_word_share *share, uint32_t first, uint32_t last)
{
    gs_status st = {.code = GS_OK};
    gs_word_sums sums;
    token *const all = wanted, *terms = NULL;
    const size_t all_count = wanted_count, count = share->end - share->first;
    REQUIRE_OK(gs_mem_new_array(&terms, count + 1, sizeof *terms, "terms", &st), &st);
    for (size_t i = 0; i < count; i++)
        terms[i] = all[begins[share->first + i]];
    wanted = all + begins[share->first];
    wanted_count = (size_t)share->weight.tokens;
    REQUIRE_OK(gs_word_block_sort(w, first, last, &sums, &st), &st);
    CHECK(sums.terms == count && sums.tokens == share->weight.frequencies);
    if (count > 0) {
        check_block(w, s, terms, &sums);
        check_stored(w, s, &sums);
    }
    wanted = all;
    wanted_count = all_count;
    gs_mem_free(terms);
}

/* Cut anywhere, at times so that a block has nothing. */
static void exchange_and_check(gs_word_block *const *blocks, unsigned count,
                               const setting *s)
{
    gs_status st = {.code = GS_OK};
    static gs_word_weight ranges[GS_WORD_RANGES];
    gs_word_share shares[SHARERS_MAX];
    uint32_t first, last, at = 0;
    size_t terms;
    bool is_done = false;
    fill_all(blocks, count, s, &first, &last);
    qsort(wanted, wanted_count, sizeof *wanted, compare_tokens);
    size_t *const begins = list_terms(&terms);
    memset(ranges, 0, sizeof ranges);
    for (unsigned i = 0; i < count; i++)
        join_all(blocks[i], s, begins, terms, ranges);
    check_ranges(s, begins, terms, ranges);
    for (unsigned i = 0; i < count; i++) {
        const uint32_t end = i + 1 < count && !chance(4)
                                 ? at + (uint32_t)below(terms - at + 1)
                             : i + 1 < count ? at
                                             : (uint32_t)terms;
        shares[i] = (gs_word_share){at, end, weight_of(s, begins, at, end)};
        at = end;
    }
    REQUIRE_OK(gs_word_blocks_exchange(blocks, count, shares, first, last, &is_done, &st),
               &st);
    CHECK(is_done);
    for (unsigned i = 0; is_done && i < count; i++) {
        check_share(blocks[i], s, begins, &shares[i], first, last);
        REQUIRE_OK(gs_word_block_reset(blocks[i], &st), &st);
    }
    gs_mem_free(begins);
}

/* Blocks of one device, or of as many as there are. */
static void blocks_share_terms_out(const gs_word_options *options, const setting *s)
{
    gs_status st = {.code = GS_OK};
    gs_word_block *blocks[SHARERS_MAX] = {NULL};
    const unsigned devices = gs_device_count();
    for (unsigned count = 2; count <= SHARERS_MAX; count++) {
        for (unsigned i = 0; i < count; i++) {
            gs_word_options own = *options;
            own.device = (int)(i % devices);
            REQUIRE_OK(gs_word_block_new(&blocks[i], &own, &st), &st);
            leave_out(blocks[i], s);
        }
        exchange_and_check(blocks, count, s);
        exchange_and_check(blocks, count, s);
        for (unsigned i = 0; i < count; i++)
            gs_word_block_free(blocks[i]);
    }
}

static void postings_are_those_of_a_sort(const setting *s)
{
    gs_status st = {.code = GS_OK};
    gs_word_block *w = NULL;
    const gs_word_options options = {
        .source = s->source,
        .lanes = LANES,
        .piece_bytes = piece_bytes,
        .piece_documents = DOCUMENTS,
        .window_postings = WINDOW,
        .window_positions = WINDOW,
        .is_folding = s->is_folding,
        .ascii_bytes_min = s->least,
        .ascii_bytes_max = s->most,
        .left_out = {0, s->stops, s->stops * STOP_ROOM},
        .has_positions = s->source == GS_WORD_TEXTS && s->has_positions,
        .memory_bytes_max = (size_t)1 << 30,
        .input_bytes = (is_few ? 1 : 4) * piece_bytes * piece_count,
    };
    REQUIRE_OK(gs_word_block_new(&w, &options, &st), &st);
    leave_out(w, s);
    fill_and_check(w, s);
    fill_and_check(w, s);
    gs_word_block_free(w);
    blocks_share_terms_out(&options, s);
}

/* --- lanes at once ------------------------------------------------------------------ */

typedef struct lane_job {
    gs_word_block *words;
    unsigned lane;
    pthread_t thread;
    gs_status st;
} lane_job;

enum { SAME_LINES = 20000, SAME_ROUNDS = 20 };

static void *add_same(void *context)
{
    lane_job *const job = context;
    uint8_t *const text = gs_word_block_lane(job->words, job->lane).text;
    gs_tuple_counts counts;
    for (unsigned round = 0; round < SAME_ROUNDS && job->st.code == GS_OK; round++) {
        size_t used = 0;
        for (unsigned i = 0; i < SAME_LINES; i++)
            used += (size_t)sprintf((char *)text + used, "term%u\t%u\n", i,
                                    round * LANES + job->lane);
        GS_NOTED(gs_word_block_add_tuples(job->words, job->lane, (uint32_t)used, &counts,
                                          &job->st));
    }
    return NULL;
}

/* All lanes meet the same terms for the first time at once: each has one number. */
static void terms_have_one_number(void)
{
    gs_status st = {.code = GS_OK};
    gs_word_block *w = NULL;
    gs_word_sums sums;
    lane_job jobs[LANES];
    const gs_word_options options = {.source = GS_WORD_LINES,
                                     .lanes = LANES,
                                     .piece_bytes = PIECE_BYTES,
                                     .piece_documents = 1,
                                     .window_postings = WINDOW,
                                     .window_positions = 1,
                                     .input_bytes = 32 << 20};
    REQUIRE_OK(gs_word_block_new(&w, &options, &st), &st);
    for (unsigned i = 0; i < LANES; i++) {
        jobs[i] = (lane_job){.words = w, .lane = i};
        REQUIRE(pthread_create(&jobs[i].thread, NULL, add_same, &jobs[i]) == 0);
    }
    for (unsigned i = 0; i < LANES; i++) {
        REQUIRE(pthread_join(jobs[i].thread, NULL) == 0);
        REQUIRE_OK(jobs[i].st.code, &jobs[i].st);
    }
    REQUIRE_OK(gs_word_block_sort_terms(w, &sums, &st), &st);
    REQUIRE_OK(gs_word_block_sort(w, 0, SAME_ROUNDS * LANES - 1, &sums, &st), &st);
    CHECK(sums.terms == SAME_LINES);
    CHECK(sums.postings == (uint64_t)SAME_LINES * SAME_ROUNDS * LANES);
    gs_word_block_free(w);
}

int main(int argc, char **argv)
{
    static const setting settings[] = {
        {GS_WORD_TEXTS, false, true, 30000, 0, 0, 0, 0},
        {GS_WORD_TEXTS, true, true, 300, STOPS_MAX, 0, 0, 0},
        {GS_WORD_TEXTS, true, false, 1000000, 0, 0, 0, 0},
        {GS_WORD_TEXTS, true, true, 30000, STOPS_MAX, 2, 9, 5},
        {GS_WORD_TEXTS, false, false, 3000, 1, 4, 0, 2},
        {GS_WORD_LINES, false, false, 30000, 0, 0, 0, 0},
        {GS_WORD_LINES, true, false, 3000, 0, 0, 0, 0},
        {GS_WORD_PAIRS, false, false, 100000, 0, 0, 0, 0},
    };
    gs_status st = {.code = GS_OK};
    if (gs_device_count() == 0)
        return 77;
    is_few = argc > 1 && strcmp(argv[1], "--few") == 0;
    if (is_few) {
        piece_bytes = 1 << 13;
        piece_count = 3;
    }
    state = check_seed(29);
    term_room = (size_t)2 * PIECES_MAX * PIECE_BYTES;
    REQUIRE_OK(gs_mem_new_array(&wanted, TOKENS_MAX, sizeof *wanted, "tokens", &st), &st);
    REQUIRE_OK(gs_mem_new(&term_bytes, term_room, "terms", &st), &st);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        postings_are_those_of_a_sort(&settings[i]);
    if (!is_few)
        terms_have_one_number();
    gs_mem_free(wanted);
    gs_mem_free(term_bytes);
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
