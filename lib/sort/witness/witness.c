/* SPDX-License-Identifier: MIT */
/*
 * Each thread looks at the records of a piece by itself. Where two pieces meet, the last
 * string of the one and the first of the other are compared as soon as all pieces before
 * have ended; until then a piece that has ended waits with copies of its two strings.
 */
#include "lib/sort/witness/witness.h"

#include <pthread.h>
#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/sort/record/records.h"
#include "lib/sort/witness/record_hash.h"

/* A piece that has ended. */
typedef struct gs_ended_piece {
    uint64_t ticket, records, disorder;
    gs_witness_edge first, last;
} gs_ended_piece;

struct gs_witness {
    gs_witness_options options;
    pthread_mutex_t mutex; /* guards what follows */
    gs_multiset read, written, dropped;
    uint64_t counted;
    bool has_unknown, lacks_eol;
    uint64_t next_ticket; /* pieces before it are joined, */
    uint64_t joined;      /* so many records, */
    gs_witness_edge last; /* of which this is the last */
    uint64_t disorder;    /* number of the first record out of place, from 1; 0: none */
    bool has_objected, is_resumed;
    gs_ended_piece *waiting;
    size_t waiting_count, waiting_room;
};

gs_code gs_witness_new(gs_witness **out, const gs_witness_options *options, gs_status *st)
{
    *out = NULL;
    gs_witness *w = NULL;
    GS_TRY(gs_mem_new(&w, sizeof *w, "witness", st));
    w->options = *options;
    w->next_ticket = 1;
    pthread_mutex_init(&w->mutex, NULL);
    *out = w;
    return GS_OK;
}

static void release_edge(gs_witness_edge *e)
{
    gs_mem_free(e->data);
    *e = (gs_witness_edge){0};
}

static void release_ended(gs_ended_piece *e)
{
    release_edge(&e->first);
    release_edge(&e->last);
}

void gs_witness_forget(gs_witness *w)
{
    for (size_t i = 0; i < w->waiting_count; i++)
        release_ended(&w->waiting[i]);
    release_edge(&w->last);
    w->read = w->written = w->dropped = (gs_multiset){0};
    w->counted = w->joined = w->disorder = 0;
    w->has_objected = w->is_resumed = false;
    w->has_unknown = w->lacks_eol = false;
    w->waiting_count = 0;
    w->next_ticket = 1;
}

void gs_witness_free(gs_witness *w)
{
    if (w == NULL)
        return;
    gs_witness_forget(w);
    gs_mem_free(w->waiting);
    pthread_mutex_destroy(&w->mutex);
    gs_mem_free(w);
}

void gs_witness_make_full(gs_witness *w)
{
    w->options.is_full = true;
}

bool gs_witness_has_objected(const gs_witness *w)
{
    return w != NULL && w->has_objected;
}

bool gs_witness_is_full(const gs_witness *w)
{
    return w != NULL && w->options.is_full;
}

const char *gs_witness_extent(const gs_witness *w)
{
    if (w == NULL)
        return "nothing";
    if (!w->options.is_full)
        return "number of records";
    return w->options.has_top || w->has_unknown ? "order and number of records"
                                                : "records and order";
}

void gs_witness_read(gs_witness *w, const gs_multiset *records)
{
    if (w == NULL || records->records == 0)
        return;
    pthread_mutex_lock(&w->mutex);
    gs_multiset_join(&w->read, records);
    pthread_mutex_unlock(&w->mutex);
}

void gs_witness_read_text(gs_witness *w, const uint8_t *text, size_t bytes)
{
    gs_multiset records = {0};
    if (!gs_witness_is_full(w))
        return;
    gs_multiset_add_text(&records, &w->options.form, text, bytes);
    gs_witness_read(w, &records);
}

static uint64_t kind_of_sums(const gs_witness *w)
{
    enum {
        NOTHING,
        PRODUCTS,
        AES = 3
    }; /* 2 were of AES that was put together otherwise */
    if (!w->options.is_full || w->has_unknown)
        return NOTHING;
    return gs_hash_has_aes() ? AES : PRODUCTS;
}

gs_witness_state gs_witness_save(gs_witness *w)
{
    pthread_mutex_lock(&w->mutex);
    const gs_witness_state state = {w->read, w->dropped, kind_of_sums(w)};
    pthread_mutex_unlock(&w->mutex);
    return state;
}

void gs_witness_restore(gs_witness *w, const gs_witness_state *state)
{
    w->read = state->read;
    w->dropped = state->dropped;
    w->is_resumed = true;
    if (w->options.drops_equals || state->knows != kind_of_sums(w))
        w->has_unknown = true;
}

/* --- a piece ----------------------------------------------------------------- */

static gs_code keep_edge(gs_witness_edge *edge, const gs_seen_string *string,
                         gs_status *st)
{
    edge->is_cut = string->bytes > GS_WITNESS_EDGE_MAX;
    edge->bytes = edge->is_cut ? GS_WITNESS_EDGE_MAX : string->bytes;
    if (edge->bytes > edge->room || edge->data == NULL) {
        const size_t room = edge->bytes + edge->bytes / 2 + 64;
        GS_TRY(gs_mem_resize(&edge->data, room + GS_MULTISET_SLACK, "string of a record",
                             st));
        edge->room = room;
    }
    if (edge->bytes > 0)
        memcpy(edge->data, string->data, edge->bytes);
    return GS_OK;
}

/* Where pieces of strings are equal it is not known which is first. */
static bool may_meet(const gs_witness *w, const gs_witness_edge *a, const uint8_t *b,
                     size_t b_bytes, bool is_b_cut)
{
    if (a->is_cut && b_bytes > a->bytes) {
        b_bytes = a->bytes;
        is_b_cut = true;
    }
    int d = gs_string_compare(a->data, a->bytes, b, b_bytes, 0);
    if (w->options.order.is_backwards)
        d = -d;
    const bool is_known = d != 0 || !(a->is_cut && is_b_cut);
    return d < 0 || !is_known || (d == 0 && !w->options.order.is_strict);
}

void gs_witness_begin(gs_witness_piece *p, gs_witness *w, uint64_t ticket,
                      bool has_strings)
{
    p->witness = w;
    p->ticket = ticket;
    p->has_strings = has_strings;
    p->noted = 0;
    p->written = p->dropped = (gs_multiset){0};
    p->counted = p->disorder = 0;
    p->has_unknown = p->lacks_eol = false;
}

/* What is needed of the record before, to look at records of which `first` is the first.
 * *disorder is 1 if that is known to be out of order already. */
static gs_code begin_look(gs_witness_piece *p, const gs_seen_string *first, gs_look *l,
                          size_t *disorder, gs_status *st)
{
    const gs_witness *const w = p->witness;
    const bool has_before = p->written.records > 0;
    *l = (gs_look){.has_before = has_before, .order = w->options.order};
    *disorder = 0;
    if (!has_before)
        GS_TRY(keep_edge(&p->first, first, st));
    if (has_before && p->last.is_cut) {
        if (!may_meet(w, &p->last, first->data, first->bytes, false))
            *disorder = 1;
        l->has_before = false;
    }
    l->before = (gs_seen_string){p->last.data, p->last.bytes};
    return GS_OK;
}

static gs_code end_look(gs_witness_piece *p, const gs_look *l, size_t disorder,
                        size_t count, const gs_seen_string *last, gs_status *st)
{
    disorder = disorder != 0 ? disorder : l->disorder;
    if (disorder != 0 && p->disorder == 0)
        p->disorder = p->written.records + disorder;
    p->written.sum += l->sum;
    p->written.bytes += l->bytes;
    p->lacks_eol |= l->lacks_eol && p->witness->options.form.record_size == 0;
    p->written.records += count;
    return keep_edge(&p->last, last, st);
}

gs_code gs_witness_look(gs_witness_piece *p, gs_status *st)
{
    const size_t count = p->noted;
    if (p->witness == NULL || count == 0)
        return GS_OK;
    p->noted = 0;
    const gs_seen_string *const lines = p->lines + 1;
    const gs_seen_string *const strings = p->has_strings ? p->strings + 1 : NULL;
    const gs_seen_string *const ordered = strings != NULL ? strings : lines;
    gs_look l;
    size_t disorder;
    GS_TRY(begin_look(p, &ordered[0], &l, &disorder, st));
    gs_look_at(&l, lines, strings, count, p->witness->options.form.eol);
    return end_look(p, &l, disorder, count, &ordered[count - 1], st);
}

gs_code gs_witness_look_at_text(gs_witness_piece *p, const uint8_t *text,
                                const uint32_t *ends, size_t count, gs_status *st)
{
    gs_assert(!p->has_strings);
    GS_TRY(gs_witness_look(p, st)); /* at what was noted before them */
    if (p->witness == NULL || count == 0)
        return GS_OK;
    const size_t begin_of_last = count > 1 ? (size_t)ends[count - 2] + 1 : 0;
    const gs_seen_string first = {text, ends[0]};
    const gs_seen_string last = {text + begin_of_last, ends[count - 1] - begin_of_last};
    gs_look l;
    size_t disorder;
    GS_TRY(begin_look(p, &first, &l, &disorder, st));
    gs_look_at_text(&l, text, ends, count);
    return end_look(p, &l, disorder, count, &last, st);
}

gs_code gs_witness_look_at_keyed_text(gs_witness_piece *p, gs_keyed_look *k,
                                      const uint8_t *text, const uint32_t *ends,
                                      size_t count, gs_status *st)
{
    gs_assert(p->has_strings);
    GS_TRY(gs_witness_look(p, st)); /* at what was noted before them */
    if (p->witness == NULL || count == 0)
        return GS_OK;
    const gs_witness_options *const o = &p->witness->options;
    size_t disorder, among;
    gs_seen_string string;
    gs_multiset lines = {0};
    gs_look l;
    GS_TRY(gs_keyed_look_at_text(k, text, ends, count, o->order, &among, st));
    GS_TRY(gs_keyed_look_string(k, text, ends, 0, &string, st));
    GS_TRY(begin_look(p, &string, &l, &disorder, st));
    if (l.has_before && !may_meet(p->witness, &p->last, string.data, string.bytes, false))
        disorder = 1;
    gs_multiset_add_text(&lines, &o->form, text, (size_t)ends[count - 1] + 1);
    l.sum = lines.sum;
    l.bytes = lines.bytes;
    l.disorder = among;
    GS_TRY(gs_keyed_look_string(k, text, ends, count - 1, &string, st));
    return end_look(p, &l, disorder, count, &string, st);
}

void gs_witness_drop(gs_witness_piece *p, const uint8_t *line, size_t bytes,
                     uint64_t times)
{
    if (gs_witness_is_full(p->witness))
        gs_multiset_add(&p->dropped, line, bytes, times);
}

void gs_witness_drop_unknown(gs_witness_piece *p, uint64_t times)
{
    if (times == 0 || !gs_witness_is_full(p->witness))
        return;
    p->dropped.records += times;
    p->has_unknown = true;
}

static void settle_locked(gs_witness *w, gs_witness_piece *p)
{
    gs_multiset_join(&w->dropped, &p->dropped);
    w->has_unknown |= p->has_unknown;
    p->dropped = (gs_multiset){0};
    p->has_unknown = false;
}

void gs_witness_settle(gs_witness_piece *p)
{
    gs_witness *const w = p->witness;
    if (w == NULL || p->dropped.records == 0)
        return;
    pthread_mutex_lock(&w->mutex);
    settle_locked(w, p);
    pthread_mutex_unlock(&w->mutex);
}

/* --- pieces together --------------------------------------------------------- */

/* The piece of the next ticket. Takes its last string and leaves another. */
static void join_locked(gs_witness *w, gs_ended_piece *e)
{
    w->next_ticket++;
    if (e->records == 0)
        return;
    if (w->disorder == 0 && w->joined > 0 &&
        !may_meet(w, &w->last, e->first.data, e->first.bytes, e->first.is_cut))
        w->disorder = w->joined + 1;
    if (w->disorder == 0 && e->disorder != 0)
        w->disorder = w->joined + e->disorder;
    w->joined += e->records;
    const gs_witness_edge last = w->last;
    w->last = e->last;
    e->last = last;
}

static gs_code wait_locked(gs_witness *w, gs_ended_piece *e, gs_status *st)
{
    GS_TRY(gs_mem_grow(&w->waiting, &w->waiting_room, w->waiting_count + 1, "pieces seen",
                       st));
    w->waiting[w->waiting_count++] = *e;
    e->first = e->last = (gs_witness_edge){0};
    return GS_OK;
}

/* Those that waited for the next ticket. */
static void join_waiting_locked(gs_witness *w)
{
    for (size_t i = 0; i < w->waiting_count;) {
        if (w->waiting[i].ticket != w->next_ticket) {
            i++;
            continue;
        }
        join_locked(w, &w->waiting[i]);
        release_ended(&w->waiting[i]);
        w->waiting[i] = w->waiting[--w->waiting_count];
        i = 0;
    }
}

gs_code gs_witness_end(gs_witness_piece *p, gs_status *st)
{
    gs_witness *const w = p->witness;
    if (w == NULL)
        return GS_OK;
    GS_TRY(gs_witness_look(p, st));
    gs_ended_piece e = {p->ticket, p->written.records, p->disorder, p->first, p->last};
    pthread_mutex_lock(&w->mutex);
    gs_multiset_join(&w->written, &p->written);
    w->counted += p->counted;
    w->lacks_eol |= p->lacks_eol;
    settle_locked(w, p);
    if (p->ticket == w->next_ticket) {
        join_locked(w, &e);
        join_waiting_locked(w);
    } else {
        GS_NOTED(wait_locked(w, &e, st));
    }
    pthread_mutex_unlock(&w->mutex);
    p->first = e.first;
    p->last = e.last;
    return st->code;
}

void gs_witness_release(gs_witness_piece *p)
{
    release_edge(&p->first);
    release_edge(&p->last);
}

/* --- what there is to say ---------------------------------------------------- */

static const char advice[] =
    "memory or a processor that fails can do this; do not use the output";

static gs_code judge_order(const gs_witness *w, gs_code code, gs_status *st)
{
    if (w->waiting_count > 0)
        return GS_FAIL(st, code, 0, "verify: piece %llu of the output is missing",
                       (unsigned long long)w->next_ticket);
    if (w->lacks_eol)
        return GS_FAIL(st, code, 0, "verify: a line of the output lacks its end");
    if (w->disorder == 0)
        return GS_OK;
    (void)GS_FAIL(st, code, 0, "verify: the output is not in order at record %llu",
                  (unsigned long long)w->disorder);
    return w->options.order_hint ? gs_status_hint(st, w->options.order_hint) : code;
}

static gs_code judge_number(const gs_witness *w, uint64_t records, gs_code code,
                            gs_status *st)
{
    const gs_witness_options *const o = &w->options;
    const uint64_t read = w->read.records;
    uint64_t expected = read - w->dropped.records;
    bool is_good = records == expected;
    if (o->drops_equals && (!o->is_full || w->is_resumed)) /* not all is known of them */
        is_good = records <= read;
    if (o->has_top && o->drops_equals)
        is_good = records <= o->top_count && records <= read;
    else if (o->has_top)
        is_good = records == (read < o->top_count ? read : o->top_count);
    if (is_good)
        return GS_OK;
    return GS_FAIL(st, code, 0,
                   "verify: of %llu records that were read, %llu were written and %llu "
                   "left out as equals",
                   (unsigned long long)read, (unsigned long long)records,
                   (unsigned long long)w->dropped.records);
}

static gs_code judge_bytes(const gs_witness *w, uint64_t records, uint64_t bytes,
                           gs_code code, gs_status *st)
{
    const gs_witness_options *const o = &w->options;
    const uint64_t text_bytes = bytes - (o->form.record_size > 0 ? 0 : records);
    const bool is_comparable = bytes != UINT64_MAX && !o->has_counts && !o->has_top &&
                               (o->is_full ? !w->has_unknown : !o->drops_equals);
    if (!is_comparable || text_bytes == w->read.bytes - w->dropped.bytes)
        return GS_OK;
    return GS_FAIL(st, code, 0,
                   "verify: records of %llu bytes were read, but of %llu written",
                   (unsigned long long)w->read.bytes, (unsigned long long)text_bytes);
}

static gs_code judge_content(const gs_witness *w, uint64_t records, gs_code code,
                             gs_status *st)
{
    const gs_witness_options *const o = &w->options;
    gs_multiset all = w->written;
    if (w->written.records != records)
        return GS_FAIL(st, code, 0, "verify: %llu of %llu written records were seen",
                       (unsigned long long)w->written.records,
                       (unsigned long long)records);
    if (o->has_top)
        return GS_OK;
    gs_multiset_join(&all, &w->dropped);
    if (o->has_counts && w->counted != w->read.records) /* runs keep counts */
        return GS_FAIL(st, code, 0,
                       "verify: the counts are %llu together, but %llu records were read",
                       (unsigned long long)w->counted,
                       (unsigned long long)w->read.records);
    if (w->has_unknown || gs_multiset_is_equal(&all, &w->read))
        return GS_OK;
    return GS_FAIL(st, code, 0,
                   "verify: the records that were written are not those that were read");
}

gs_code gs_witness_judge(gs_witness *w, uint64_t records, uint64_t bytes, gs_code code,
                         gs_status *st)
{
    if (w == NULL)
        return GS_OK;
    if (judge_number(w, records, code, st) != GS_OK ||
        judge_bytes(w, records, bytes, code, st) != GS_OK ||
        (w->options.is_full && (judge_content(w, records, code, st) != GS_OK ||
                                judge_order(w, code, st) != GS_OK))) {
        w->has_objected = true;
        return gs_status_hint(st, advice);
    }
    return GS_OK;
}
