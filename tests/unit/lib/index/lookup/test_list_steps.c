/* SPDX-License-Identifier: MIT */
/*
 * list_steps: what a thread of a GPU reads of an index must be what the cores read, of
 * every term, list and tail, and none may be refused. What would break: the format in
 * this second reader of it; and, in files of which any byte may be wrong, a read beyond
 * what there is, or more postings than were wanted.
 */
#define CHECK_STARTS_THREADS

#include "gpu/lists/list_steps.h"
#include "lib/index/format/formats.h"
#include "tests/heads_cases.h"

enum { HEAD_MOST = 1000, GUARD = 8, DAMAGES = 60000 };

typedef struct loaded {
    uint8_t *terms, *postings;
    gs_list_view view;
} loaded;

static uint8_t *read_file(const char *name, uint64_t *bytes)
{
    FILE *const f = fopen(name, "rb");
    REQUIRE(f != NULL && fseek(f, 0, SEEK_END) == 0);
    *bytes = (uint64_t)ftell(f) - GS_INDEX_SLACK;
    rewind(f);
    uint8_t *const data = malloc(*bytes + GS_LIST_SLACK);
    REQUIRE(data != NULL && fread(data, 1, *bytes, f) == *bytes && fclose(f) == 0);
    memset(data + *bytes, 0xff, GS_LIST_SLACK); /* nothing that counts */
    return data;
}

static loaded load(const char *folder, bool has_positions)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_index *index = NULL;
    gpusort_index_info info = {.size = sizeof info};
    gs_index_head head;
    char name[64];
    loaded l = {0};
    gs_list_view *const v = &l.view;
    GOOD(gpusort_index_open(&index, folder, &error));
    gpusort_index_describe(index, &info);
    gpusort_index_close(index);
    (void)snprintf(name, sizeof name, "%s/terms", folder);
    l.terms = read_file(name, &v->terms_bytes);
    (void)snprintf(name, sizeof name, "%s/postings", folder);
    l.postings = read_file(name, &v->postings_end);
    memcpy(&head, l.terms, sizeof head);
    v->prefixes = (const uint64_t *)(const void *)(l.terms + head.table);
    v->block_count = head.blocks;
    v->term_count = head.count;
    v->terms = l.terms;
    v->places = head.offsets;
    v->postings = l.postings;
    v->positions_end = has_positions ? UINT64_MAX : 0;
    v->document_count = v->doc_bound = info.documents;
    v->has_positions = has_positions;
    return l;
}

static void unload(const loaded *l)
{
    free(l->terms);
    free(l->postings);
}

static uint64_t rank_of(const gs_list_view *v, uint64_t prefix)
{
    uint64_t rank = 0;
    while (rank < v->block_count && v->prefixes[rank] < prefix)
        rank++;
    return rank;
}

/* What is wanted of a term, with a guard behind it; false: it is refused. */
static bool read_head(const gs_list_view *v, uint64_t rank, const char *term,
                      uint32_t bytes, uint32_t *df, uint32_t *docs, uint32_t *tfs)
{
    gs_list_info info = {0};
    gs_list_find(v, rank, (const uint8_t *)term, bytes, &info);
    const uint32_t n = gs_list_wanted(v, &info);
    *df = info.df;
    memset(docs + n, 0x5a, GUARD * sizeof *docs);
    memset(tfs + n, 0x5a, GUARD * sizeof *tfs);
    const bool is_read = info.df == 0 || (n > 0 && gs_list_read(v, &info, docs, tfs));
    for (uint32_t i = n; i < n + GUARD; i++)
        REQUIRE(docs[i] == 0x5a5a5a5a && tfs[i] == 0x5a5a5a5a);
    return is_read;
}

static void every_term_is_read(const char *folder, bool has_positions)
{
    static const uint32_t heads[] = {1, 2, 10, 127, 128, 129, 1000};
    static uint32_t docs[HEAD_MOST + GUARD], tfs[HEAD_MOST + GUARD];
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_index *index = NULL;
    loaded l = load(folder, has_positions);
    GOOD(gpusort_index_open(&index, folder, &error));
    for (int i = 0; i < 2 * TERMS; i++) {
        char term[TERM_ROOM];
        gpusort_postings p;
        uint32_t df;
        name_term(term, i / 2);
        const size_t bytes = strlen(term) + (i % 2 ? 1 : 0); /* with a zero behind it */
        GOOD(gpusort_index_lookup(index, term, bytes, &p, &error));
        l.view.head = heads[i / 2 % 7];
        const uint64_t rank =
            rank_of(&l.view, gs_list_prefix((const uint8_t *)term, (uint32_t)bytes));
        REQUIRE(read_head(&l.view, rank, term, (uint32_t)bytes, &df, docs, tfs));
        REQUIRE(df == p.count);
        for (size_t k = 0; k < p.count && k < l.view.head; k++)
            REQUIRE(docs[k] == p.documents[k] && tfs[k] == p.frequencies[k]);
        gpusort_postings_free(&p);
    }
    gpusort_index_close(index);
    unload(&l);
}

/* Some bytes of either file are others; and ranks are any. What was hit by nothing is
 * read as before, or that would be no test. */
static void damage_stays_inside(const char *folder, bool has_positions)
{
    static uint32_t docs[HEAD_MOST + GUARD], tfs[HEAD_MOST + GUARD];
    loaded l = load(folder, has_positions);
    size_t read = 0, refused = 0;
    for (int i = 0; i < DAMAGES; i++) {
        char term[TERM_ROOM];
        uint32_t df;
        uint8_t *const file = rand() % 2 ? l.terms : l.postings;
        const uint64_t bytes = file == l.terms ? l.view.terms_bytes : l.view.postings_end;
        uint8_t *const at = file + sizeof(gs_index_head) +
                            (uint64_t)rand() % (bytes - sizeof(gs_index_head));
        const uint8_t was = *at;
        name_term(term, rand() % 3 ? rand() % TERMS : rand() % 30);
        l.view.head = rand() % 2 ? 10 : HEAD_MOST;
        *at = (uint8_t)(rand() % 2 ? rand() : was ^ 1 << rand() % 8);
        const uint64_t rank =
            rand() % 8 == 0 ? (uint64_t)rand() % (l.view.block_count + 2)
                            : rank_of(&l.view, gs_list_prefix((const uint8_t *)term,
                                                              (uint32_t)strlen(term)));
        if (read_head(&l.view, rank, term, (uint32_t)strlen(term), &df, docs, tfs))
            read += df > 0;
        else
            refused++;
        if (rand() % 40 != 0) /* it stays, now and then */
            *at = was;
    }
    CHECK(read > 1000 && refused > 100);
    unload(&l);
}

int main(void)
{
    srand((unsigned)check_seed(3));
    build_tuples("heads", 0, false);
    every_term_is_read("heads", false);
    damage_stays_inside("heads", false);
    for (int has_positions = 0; has_positions < 2; has_positions++) {
        build_documents("docs", 0, has_positions != 0);
        every_term_is_read("docs", has_positions != 0);
        damage_stays_inside("docs", has_positions != 0);
    }
    return check_result();
}
