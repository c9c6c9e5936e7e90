/* SPDX-License-Identifier: MIT */
/*
 * text_sort: sorts a chunk of lines or records that lies in the memory of a GPU.
 *
 * The host only moves bytes. Text is uploaded batch after batch; finding the lines,
 * taking out and encoding the keys, sorting, settling ties, dropping equals and gathering
 * the lines in their order all happen on the device.
 *
 *      upload*  -->  run  -->  fetch_text*   the output, any part of it
 *                              fetch_records*   what a run file holds
 *      reset, and the next chunk
 *
 * The order is that of lib/sort: the string of a record is its encoded key, then (unless
 * is_key_only) its line; without keys it is the line. Keys are encoded byte for byte as
 * the CPU does it, so that runs of both can be merged.
 *
 * Equal strings stay in input order. One thread at a time, different chunks share
 * nothing. new allocates the memory for the text; what a chunk needs besides is allocated
 * by the first run and kept, and all of it stays within the memory that the chunk may
 * use; the context of the driver with this program's code, some hundred megabytes, does
 * not count. A failure (GS_ERR_NOMEM, GS_ERR_GPU) loses the chunk: the caller sorts it
 * again in another way. GS_ERR_LIMIT: so does what has lines too long for the kernels, or
 * numbers that they cannot round (lib/encode/general_key.h).
 */
#ifndef GS_GPU_TEXT_SORT_H
#define GS_GPU_TEXT_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/log.h"
#include "lib/base/status.h"
#include "lib/base/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    GS_TEXT_KEYS_MAX = 16,
    GS_TEXT_BLANK_FIELDS = -1, /* delimiter: fields are separated by blanks */
    GS_TEXT_FETCHES = 4,       /* fetch_text in flight, each in a slot of its own, */
    GS_TEXT_FETCHES_MAX = 8,   /* or of a chunk that is one of several */
    GS_TEXT_CHUNKS_MAX = 8,    /* of one exchange */
    GS_TEXT_STRETCHES_MAX = 2048,
    GS_TEXT_SAMPLE_SLACK = 64, /* a sample is so much shorter than what is fetched */
};

/* What a key is compared as: its letter (lib/sort/key/order.h). GENERAL: where long
 * double has a mantissa of 64 bits. */
#define GS_TEXT_KINDS(X)                                                                 \
    X(BYTES) X(NUMERIC) X(GENERAL) X(HUMAN) X(MONTH) X(RANDOM) X(VERSION)
#define GS_TEXT_ONE(name)  +1
#define GS_TEXT_KIND(name) GS_TEXT_KIND_##name,
typedef enum gs_text_kind { GS_TEXT_KINDS(GS_TEXT_KIND) } gs_text_kind;
enum { GS_TEXT_KIND_COUNT = GS_TEXT_KINDS(GS_TEXT_ONE) };
#undef GS_TEXT_KIND

enum { GS_TEXT_SEED_BYTES = 16 };

/* What kernels do about what can be switched on for a key, by its name there. */
#define GS_TEXT_SWITCHES(X)                                                              \
    X(skip_start_blanks) X(skip_end_blanks) X(fold) X(dictionary) X(ignore_nonprint)
enum { GS_TEXT_SWITCH_COUNT = GS_TEXT_SWITCHES(GS_TEXT_ONE) };
#undef GS_TEXT_ONE

/* One key of a line; fields and characters count from 0 (see lib/sort/key/order.h). */
typedef struct gs_text_key {
    uint64_t start_field, start_char;
    uint64_t end_field; /* UINT64_MAX: to the end of the line */
    uint64_t end_char;  /* 0: to the end of that field */
    gs_text_kind kind;
#define GS_TEXT_SWITCH(name) bool name;
    GS_TEXT_SWITCHES(GS_TEXT_SWITCH)
#undef GS_TEXT_SWITCH
    bool is_complemented; /* the key's order is turned round */
} gs_text_key;

/* One key of a fixed-size record. */
typedef struct gs_text_field {
    uint32_t offset, length;
    bool is_little_endian, has_sign, is_float;
    bool is_complemented;
} gs_text_field;

typedef struct gs_text_order {
    size_t record_size; /* > 0: fixed-size records, `fields`; otherwise lines, `keys` */
    gs_text_key keys[GS_TEXT_KEYS_MAX];
    gs_text_field fields[GS_TEXT_KEYS_MAX];
    unsigned key_count; /* of either; 0: the whole line or record is the string */
    int delimiter;      /* 0..255, or GS_TEXT_BLANK_FIELDS */
    uint8_t eol;
    uint8_t random_seed[GS_TEXT_SEED_BYTES]; /* of GS_TEXT_KIND_RANDOM */
    bool is_key_only;
    bool is_backwards; /* the strings are in descending order */
} gs_text_order;

typedef struct gs_text_sort_options {
    int device;
    gs_text_order order;
    const char *engine;        /* that sorts words and rows; NULL: picked by size */
    uint64_t input_bytes;      /* expected in all; 0: unknown */
    bool is_exact;             /* that many; or it may unpack to more */
    size_t batch_bytes_max;    /* of one upload */
    size_t fetch_bytes_max;    /* of one fetch_text, and of one fetch_records's data */
    size_t memory_bytes_max;   /* on the device; 0: what is free less a reserve */
    unsigned chunks_there;     /* that share it on this device, this one too; 0: one */
    bool may_halve_memory;     /* takes half of that if the expected input needs more */
    bool may_drop_equals;      /* run may be told to */
    bool is_of_several;        /* may be exchanged, and has more fetches in flight */
    uint64_t unit_records_max; /* sorted at a time; 0: as many as there is memory for */
    const gs_log *log;         /* borrowed; may be NULL */
    gs_trace *trace;           /* borrowed; may be NULL */
    unsigned number;           /* of this chunk's lanes in the trace */
} gs_text_sort_options;

typedef struct gs_text_sort gs_text_sort;

GS_MUST_CHECK gs_code gs_text_sort_new(gs_text_sort **out,
                                       const gs_text_sort_options *options,
                                       gs_status *st);
void gs_text_sort_free(gs_text_sort *t); /* NULL is fine */

/* Starts to copy text behind what is there and does not wait; with add_eol the last line
 * gets the end-of-line byte that it lacks. A line may go on in the next upload, but ends
 * in the last. *is_full, and nothing taken, if the chunk has no room for them; a chunk
 * that is empty has room for any batch, or fails. The bytes are the caller's again when
 * uploads_done has passed *ticket. */
GS_MUST_CHECK gs_code gs_text_sort_upload(gs_text_sort *t, const void *data, size_t bytes,
                                          bool add_eol, bool *is_full, uint64_t *ticket,
                                          gs_status *st);
/* How many tickets are done; with `wait_for` it waits until that one is. */
GS_MUST_CHECK gs_code gs_text_sort_uploads_done(gs_text_sort *t, const uint64_t *wait_for,
                                                uint64_t *done, gs_status *st);

/* --- several chunks, each on a GPU of its own --------------------------------------- */

/* A stretch of all records in their order, which one chunk has. */
typedef struct gs_text_stretch {
    unsigned chunk;
    uint64_t bytes;
} gs_text_stretch;

/* Which chunk has which stretches. */
typedef enum gs_text_sharing {
    GS_SHARE_BALANCED, /* many stretches, the next for whoever has least */
    GS_SHARE_ONE_EACH, /* chunk 0 gets the first stretch, chunk 1 the second, and no more
                        */
    GS_SHARE_COUNT
} gs_text_sharing;

typedef struct gs_text_exchange_options {
    /* Records of all chunks, whole, one behind the other; their text and 8 bytes for each
     * are no more than what is fetched at a time. */
    const uint8_t *sample;
    size_t sample_bytes;
    uint32_t sample_count;
    gs_text_sharing sharing;
} gs_text_exchange_options;

typedef struct gs_text_stretches {
    gs_text_stretch all[GS_TEXT_STRETCHES_MAX];
    size_t count;
} gs_text_stretches;

/* What the chunks have, all uploaded, goes to and fro between their devices until each
 * has the records of some stretches and, whichever are equal, of no other. The order in
 * which records came is that of the chunks, and in each as it was. Then each chunk is run
 * by itself: its stretches lie one behind the other in its result. *fits is false, and
 * the chunks are to be emptied, if there is no memory for it or the sample is too small.
 * Waits; a failure is one of all chunks. */
GS_MUST_CHECK gs_code gs_text_exchange(gs_text_sort *const *chunks, unsigned count,
                                       const gs_text_exchange_options *options,
                                       gs_text_stretches *out, bool *fits, gs_status *st);

/* --- the result --------------------------------------------------------------------- */

typedef enum gs_text_shape {
    GS_TEXT_OUTPUT,  /* lines with their end-of-line bytes: fetch_text */
    GS_TEXT_RECORDS, /* key, line and end-of-line byte: fetch_records */
} gs_text_shape;

typedef struct gs_text_result {
    uint64_t input_count;  /* records of the chunk */
    uint64_t record_count; /* that are left when equals are dropped */
    uint64_t bytes;        /* of them all in the shape asked for */
    unsigned rounds;       /* of sorting, the first included */
} gs_text_result;

/* Sorts what was uploaded; waits. With drop_equals only the first of equal strings stays
 * and is counted. `keep` is how many records are wanted at most. */
GS_MUST_CHECK gs_code gs_text_sort_run(gs_text_sort *t, gs_text_shape shape,
                                       bool drop_equals, uint64_t keep,
                                       gs_text_result *out, gs_status *st);

/* Starts to put bytes [offset, offset + bytes) of the result into host memory. The slot
 * must be free: each start is followed by a wait on that slot. */
GS_MUST_CHECK gs_code gs_text_sort_fetch_text(gs_text_sort *t, unsigned slot,
                                              uint64_t offset, size_t bytes, void *to,
                                              gs_status *st);
GS_MUST_CHECK gs_code gs_text_sort_fetch_wait(gs_text_sort *t, unsigned slot,
                                              gs_status *st);

typedef struct gs_text_record {
    uint32_t bytes;     /* key and line, without the end-of-line byte */
    uint32_t key_bytes; /* of them */
    uint32_t shared; /* 1 + the symbol in which it differs from the one before, 0: equal
                        (lib/sort/run/ovc.h); of a fetch's first record: 1 */
    uint32_t count;  /* how often it came, at most UINT32_MAX */
} gs_text_record;

/* Where records are cut: the greatest count such that records [first, first + count) have
 * at most `bytes` bytes and number at most `count_max`; at least 1 if any is left.
 * *out_bytes is what they have. */
GS_MUST_CHECK gs_code gs_text_sort_cut(gs_text_sort *t, uint64_t first, size_t bytes,
                                       uint64_t count_max, uint64_t *count,
                                       uint64_t *out_bytes, gs_status *st);
/* Records [first, first + count) and their bytes, one after the other; waits. `data` has
 * room for what cut said. */
GS_MUST_CHECK gs_code gs_text_sort_fetch_records(gs_text_sort *t, uint64_t first,
                                                 uint64_t count, uint64_t bytes,
                                                 gs_text_record *records, uint8_t *data,
                                                 gs_status *st);

/* Empties the chunk. Uploads and fetches must be done. */
void gs_text_sort_reset(gs_text_sort *t);

uint64_t gs_text_sort_bytes(const gs_text_sort *t);      /* of text in the chunk */
size_t gs_text_sort_device_bytes(const gs_text_sort *t); /* held on the device */
size_t gs_text_sort_memory_bytes(const gs_text_sort *t); /* may be held there */
bool gs_text_sort_is_half(const gs_text_sort *t);        /* it was halved */

/* Locks host memory in place, so that copies are several times faster. A refusal is no
 * error: it is only slower. */
void gs_text_pin(void *memory, size_t bytes);
void gs_text_unpin(void *memory);

#ifdef __cplusplus
}
#endif
#endif
