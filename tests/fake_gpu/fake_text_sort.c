/* SPDX-License-Identifier: MIT */
/*
 * fake_text_sort: a GPU for tests on machines that have none (make FAKE_GPU=1).
 *
 * It keeps the contract of gpu/text/text_sort.h with plain memory and qsort: the CPU twin
 * of the kernels, so that everything around them can be tested anywhere. Uploads are
 * copied late and fetches done late, as a device would, so that a caller that reuses
 * memory too early is found out. GS_FAKE_GPU_FAIL=STEP:N makes the N-th call of a step
 * fail: start, upload, run, fetch, records; GS_FAKE_GPU_WRONG=HOW gives a wrong answer
 * without a word: swap, drop, double (one, and drop another), byte, shared; HOW:N not
 * before the N-th run; GS_FAKE_GPU_MEMORY=BYTES is what a chunk may hold,
 * GS_FAKE_GPU_LINES=N of how many lines, and GS_FAKE_GPU_STRING_MAX=BYTES how long a key
 * with its line may be.
 */
#include "gpu/text/text_sort.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/device/device.h"
#include "gpu/text/text_key.h"
#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "tests/fake_gpu/fake_calls.h"
#include "tests/fake_gpu/fake_text.h"

enum { SYMBOL_BYTES = 6 };

static _Atomic unsigned runs_begun;

/* --- the device -------------------------------------------------------------------- */

unsigned gs_device_count(void)
{
    wake("gs_device_count");
    return 1;
}

bool gs_device_is_likely(void)
{
    return true;
}

gs_code gs_text_sort_new(gs_text_sort **out, const gs_text_sort_options *options,
                         gs_status *st)
{
    *out = NULL;
    wake("gs_text_sort_new");
    GS_TRY(pass("start", st));
    void *memory = NULL;
    GS_TRY(gs_mem_new(&memory, sizeof(gs_text_sort), "fake GPU", st));
    gs_text_sort *const t = memory;
    t->options = *options;
    const char *const limit = getenv("GS_FAKE_GPU_MEMORY");
    t->capacity = limit ? strtoul(limit, NULL, 10) : (size_t)1 << 30;
    if (gs_mem_map(&memory, t->capacity, false, "fake GPU", st) != GS_OK) {
        gs_mem_free(t);
        return st->code;
    }
    t->text = memory;
    *out = t;
    return GS_OK;
}

void fake_release_result(gs_text_sort *t)
{
    gs_mem_free(t->records);
    if (t->keys != NULL)
        gs_mem_unmap(t->keys, t->keys_bytes);
    t->records = NULL;
    t->keys = NULL;
    t->record_count = t->result_bytes = 0;
}

void gs_text_sort_free(gs_text_sort *t)
{
    if (t == NULL)
        return;
    fake_release_result(t);
    gs_mem_unmap(t->text, t->capacity);
    gs_mem_free(t);
}

/* --- uploads ------------------------------------------------------------------------ */

static void do_upload(gs_text_sort *t)
{
    const fake_upload *const u = &t->uploads[t->uploads_done % UPLOADS_MAX];
    memcpy(u->to, u->from, u->bytes);
    t->uploads_done++;
}

void fake_finish_uploads(gs_text_sort *t)
{
    while (t->uploads_done < t->upload_count)
        do_upload(t);
}

/* An empty chunk has room for any batch. */
static gs_code enlarge(gs_text_sort *t, size_t bytes, gs_status *st)
{
    void *memory = NULL;
    GS_TRY(gs_mem_map(&memory, bytes, false, "fake GPU", st));
    gs_mem_unmap(t->text, t->capacity);
    t->text = memory;
    t->capacity = bytes;
    return GS_OK;
}

static uint64_t count_lines(const gs_text_sort *t, const uint8_t *text, size_t bytes)
{
    uint64_t count = 0;
    for (size_t i = 0; i < bytes; i++)
        count += t->options.order.record_size == 0 && text[i] == t->options.order.eol;
    return count;
}

static uint64_t most_lines(void)
{
    const char *const limit = getenv("GS_FAKE_GPU_LINES");
    return limit != NULL ? strtoull(limit, NULL, 10) : UINT64_MAX;
}

gs_code gs_text_sort_upload(gs_text_sort *t, const void *data, size_t bytes, bool add_eol,
                            bool *is_full, uint64_t *ticket, gs_status *st)
{
    GS_TRY(pass("upload", st));
    const char *const limit = getenv("GS_FAKE_GPU_STRING_MAX");
    const uint64_t most = limit != NULL ? strtoull(limit, NULL, 10) : GS_TEXT_STRING_MAX;
    if (gs_text_string_bound(&t->options.order, bytes + add_eol) > most)
        return GS_FAIL(st, GS_ERR_LIMIT, 0,
                       "GPU: lines of up to %zu bytes are too long for it", bytes);
    const uint64_t lines = count_lines(t, data, bytes) + add_eol;
    *is_full = t->text_bytes > 0 && (t->text_bytes + bytes + add_eol > t->capacity ||
                                     t->line_count + lines > most_lines());
    if (*is_full)
        return GS_OK;
    t->line_count += lines;
    if (t->text_bytes == 0 && bytes + add_eol > t->capacity)
        GS_TRY(enlarge(t, bytes + add_eol, st));
    if (t->upload_count - t->uploads_done == UPLOADS_MAX)
        do_upload(t);
    t->uploads[t->upload_count % UPLOADS_MAX] =
        (fake_upload){data, t->text + t->text_bytes, bytes};
    t->text_bytes += bytes;
    if (add_eol)
        t->text[t->text_bytes++] = t->options.order.eol;
    *ticket = t->upload_count++;
    return GS_OK;
}

gs_code gs_text_sort_uploads_done(gs_text_sort *t, const uint64_t *wait_for,
                                  uint64_t *done, gs_status *st)
{
    (void)st;
    while (wait_for != NULL && t->uploads_done <= *wait_for)
        do_upload(t);
    *done = t->uploads_done;
    return GS_OK;
}

/* --- sorting ------------------------------------------------------------------------ */

static uint64_t string_bytes(const gs_text_order *o, const fake_record *r)
{
    return r->key_bytes + (o->is_key_only ? 0 : r->line_bytes);
}

static uint8_t string_byte(const fake_record *r, uint64_t i)
{
    return i < r->key_bytes ? r->key[i] : r->line[i - r->key_bytes];
}

/* The first byte in which two strings differ, and the sign of their comparison. */
static uint64_t compare_strings(const gs_text_order *o, const fake_record *x,
                                const fake_record *y, int *sign)
{
    const uint64_t a = string_bytes(o, x), b = string_bytes(o, y);
    uint64_t i = 0;
    while (i < a && i < b && string_byte(x, i) == string_byte(y, i))
        i++;
    *sign = i < a && i < b ? (string_byte(x, i) < string_byte(y, i) ? -1 : 1)
                           : (a > b) - (a < b);
    return i;
}

int fake_compare(const void *a, const void *b, void *context)
{
    const gs_text_order *const o = context;
    const fake_record *const x = a, *const y = b;
    int sign;
    (void)compare_strings(o, x, y, &sign);
    if (sign != 0)
        return o->is_backwards ? -sign : sign;
    return (x->row > y->row) - (x->row < y->row);
}

gs_code fake_find_records(gs_text_sort *t, gs_status *st)
{
    const gs_text_order *const o = &t->options.order;
    const bool is_plain = gs_text_order_is_plain(o);
    uint64_t count = 0;
    for (uint64_t i = 0; o->record_size == 0 && i < t->text_bytes; i++)
        count += t->text[i] == o->eol;
    if (o->record_size > 0)
        count = t->text_bytes / o->record_size;
    void *memory = NULL;
    GS_TRY(gs_mem_new(&memory, (count + 1) * sizeof *t->records, "fake GPU", st));
    t->records = memory;
    const uint8_t *p = t->text;
    uint64_t key_bytes = 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint8_t *const end =
            o->record_size > 0 ? p + o->record_size
                               : memchr(p, o->eol, (size_t)(t->text + t->text_bytes - p));
        fake_record *const r = &t->records[i];
        *r = (fake_record){
            .line = p, .line_bytes = (uint64_t)(end - p), .row = i, .count = 1};
        r->key_bytes = gs_text_key_encode(o, is_plain, p, r->line_bytes, NULL);
        if (r->key_bytes == GS_TEXT_UNDECIDED)
            return GS_FAIL(st, GS_ERR_LIMIT, 0, GS_TEXT_UNDECIDED_WHY);
        key_bytes += r->key_bytes;
        p = end + (o->record_size == 0);
    }
    t->keys_bytes = key_bytes + 1;
    GS_TRY(gs_mem_map(&memory, t->keys_bytes, false, "fake GPU", st));
    t->keys = memory;
    uint8_t *to = t->keys;
    for (uint64_t i = 0; i < count; i++) {
        fake_record *const r = &t->records[i];
        r->key = to;
        to += gs_text_key_encode(o, is_plain, r->line, r->line_bytes, to);
    }
    t->record_count = count;
    return GS_OK;
}

static void drop_equal_records(gs_text_sort *t)
{
    uint64_t kept = 0;
    for (uint64_t i = 0; i < t->record_count; i++) {
        int sign = 1;
        if (kept > 0)
            (void)compare_strings(&t->options.order, &t->records[kept - 1],
                                  &t->records[i], &sign);
        if (sign == 0)
            t->records[kept - 1].count++;
        else
            t->records[kept++] = t->records[i];
    }
    t->record_count = kept;
}

/* Is the run that goes on now to be wrong in this way? */
static bool is_wrong(const char *how)
{
    const char *const wish = getenv("GS_FAKE_GPU_WRONG");
    const size_t n = strlen(how);
    if (wish == NULL || strncmp(wish, how, n) != 0)
        return false;
    return wish[n] == '\0' ||
           (wish[n] == ':' && runs_begun >= strtoul(wish + n + 1, NULL, 10));
}

/* Does what it was told to do wrong, in the middle of the records. */
static void spoil(gs_text_sort *t)
{
    const uint64_t at = t->record_count / 2;
    if (t->record_count < 3)
        return;
    fake_record *const r = &t->records[at];
    if (is_wrong("swap")) {
        const fake_record other = r[1];
        r[1] = r[0];
        r[0] = other;
    }
    if (is_wrong("double"))
        r[0] = r[1];
    if (is_wrong("drop"))
        memmove(r, r + 1, (size_t)(--t->record_count - at) * sizeof *r);
    if (is_wrong("byte") && r->line_bytes > 0)
        t->text[(size_t)(r->line - t->text) + r->line_bytes - 1] ^= 1;
}

gs_code gs_text_sort_run(gs_text_sort *t, gs_text_shape shape, bool drop_equals,
                         uint64_t keep, gs_text_result *out, gs_status *st)
{
    *out = (gs_text_result){.rounds = 1};
    GS_TRY(pass("run", st));
    runs_begun++;
    fake_finish_uploads(t);
    fake_release_result(t);
    t->shape = shape;
    GS_TRY(fake_find_records(t, st));
    out->input_count = t->record_count;
    qsort_r(t->records, t->record_count, sizeof *t->records, fake_compare,
            &t->options.order);
    if (drop_equals)
        drop_equal_records(t);
    spoil(t);
    if (keep < t->record_count)
        t->record_count = keep;
    const bool has_eol = t->options.order.record_size == 0;
    for (uint64_t i = 0; i < t->record_count; i++) {
        fake_record *const r = &t->records[i];
        r->offset = t->result_bytes;
        t->result_bytes +=
            (shape == GS_TEXT_RECORDS ? r->key_bytes : 0) + r->line_bytes + has_eol;
    }
    t->records[t->record_count].offset = t->result_bytes;
    out->record_count = t->record_count;
    out->bytes = t->result_bytes;
    return GS_OK;
}

/* --- fetching ----------------------------------------------------------------------- */

static void gather(const gs_text_sort *t, uint64_t begin, uint64_t end, uint8_t *to)
{
    uint64_t lo = 0, hi = t->record_count;
    while (hi - lo > 1) {
        const uint64_t middle = lo + (hi - lo) / 2;
        *(t->records[middle].offset <= begin ? &lo : &hi) = middle;
    }
    for (uint64_t i = lo, at = begin; at < end; i++) {
        const fake_record *const r = &t->records[i];
        const uint64_t key_bytes = t->shape == GS_TEXT_RECORDS ? r->key_bytes : 0;
        for (; at < end && at < t->records[i + 1].offset; at++) {
            const uint64_t in = at - r->offset;
            *to++ = in < key_bytes ? r->key[in] : r->line[in - key_bytes];
        }
    }
}

/* A chunk has no more than it takes memory for. */
static bool is_slot(const gs_text_sort *t, unsigned slot)
{
    return slot < (t->options.is_of_several ? (unsigned)GS_TEXT_FETCHES_MAX
                                            : (unsigned)GS_TEXT_FETCHES);
}

gs_code gs_text_sort_fetch_text(gs_text_sort *t, unsigned slot, uint64_t offset,
                                size_t bytes, void *to, gs_status *st)
{
    GS_TRY(pass("fetch", st));
    gs_assert(t->shape == GS_TEXT_OUTPUT && offset + bytes <= t->result_bytes);
    gs_assert(bytes <= t->options.fetch_bytes_max);
    gs_assert(is_slot(t, slot) && t->fetches[slot].to == NULL);
    t->fetches[slot] = (fake_fetch){offset, bytes, to};
    return GS_OK;
}

gs_code gs_text_sort_fetch_wait(gs_text_sort *t, unsigned slot, gs_status *st)
{
    (void)st;
    gs_assert(is_slot(t, slot));
    fake_fetch *const f = &t->fetches[slot];
    if (f->to != NULL)
        gather(t, f->offset, f->offset + f->bytes, f->to);
    f->to = NULL;
    return GS_OK;
}

gs_code gs_text_sort_cut(gs_text_sort *t, uint64_t first, size_t bytes,
                         uint64_t count_max, uint64_t *count, uint64_t *out_bytes,
                         gs_status *st)
{
    (void)st;
    gs_assert(first <= t->record_count);
    uint64_t end = first;
    const uint64_t base = t->records[first].offset;
    while (end < t->record_count && end - first < count_max &&
           (end == first || t->records[end + 1].offset - base <= bytes))
        end++;
    *count = end - first;
    *out_bytes = t->records[end].offset - base;
    return GS_OK;
}

gs_code gs_text_sort_fetch_records(gs_text_sort *t, uint64_t first, uint64_t count,
                                   uint64_t bytes, gs_text_record *records, uint8_t *data,
                                   gs_status *st)
{
    GS_TRY(pass("records", st));
    gs_assert(t->shape == GS_TEXT_RECORDS && first + count <= t->record_count);
    for (uint64_t i = 0; i < count; i++) {
        const fake_record *const r = &t->records[first + i];
        records[i] = (gs_text_record){.bytes = (uint32_t)(r->key_bytes + r->line_bytes),
                                      .key_bytes = (uint32_t)r->key_bytes,
                                      .shared = 1,
                                      .count = (uint32_t)r->count};
        if (i == 0)
            continue;
        int sign;
        const uint64_t same = compare_strings(&t->options.order, r - 1, r, &sign);
        records[i].shared = sign == 0 ? 0 : (uint32_t)(same / SYMBOL_BYTES) + 1;
        if (i == count / 2 && is_wrong("shared"))
            records[i].shared++;
    }
    const uint64_t base = t->records[first].offset;
    gather(t, base, base + bytes, data);
    return GS_OK;
}

void gs_text_sort_reset(gs_text_sort *t)
{
    gs_assert(t->uploads_done == t->upload_count);
    fake_release_result(t);
    t->text_bytes = t->upload_count = t->uploads_done = t->line_count = 0;
}

uint64_t gs_text_sort_bytes(const gs_text_sort *t)
{
    return t->text_bytes;
}

size_t gs_text_sort_device_bytes(const gs_text_sort *t)
{
    return t->capacity;
}

size_t gs_text_sort_memory_bytes(const gs_text_sort *t)
{
    return t->capacity;
}

bool gs_text_sort_is_half(const gs_text_sort *t)
{
    return t->options.may_halve_memory;
}

void gs_text_pin(void *memory, size_t bytes)
{
    (void)memory;
    (void)bytes;
}

void gs_text_unpin(void *memory)
{
    (void)memory;
}
