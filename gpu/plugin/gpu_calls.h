/* SPDX-License-Identifier: MIT */
/*
 * gpu_calls: every function of gpu/ that others call, for the plugin and for who calls
 * it.
 *
 *     CALL(type, name, (parameters), (arguments), what it does where there is no plugin)
 *     CALL_VOID(name, (parameters), (arguments))         nothing
 *
 * A function that is added to a header of gpu/ gets its line here, or a build without
 * CUDA does not link; what crosses with it and is no pointer belongs to GS_GPU_CROSSING
 * too.
 */
#ifndef GS_GPU_PLUGIN_GPU_CALLS_H
#define GS_GPU_PLUGIN_GPU_CALLS_H

#include "gpu/device/device.h"
#include "gpu/device/fault.h"
#include "gpu/engine/engine.h"
#include "gpu/generate/generate.h"
#include "gpu/lists/head_lists.h"
#include "gpu/network/bitonic.h"
#include "gpu/search/key_search.h"
#include "gpu/text/text_sort.h"
#include "gpu/words/word_block.h"

/* clang-format off */
#define GS_GPU_ENGINE_CALLS(CALL, CALL_VOID)                                            \
    CALL(unsigned, gs_device_count, (void), (), return 0)                               \
    CALL(bool, gs_device_is_likely, (void), (), return false)                           \
    CALL(gs_code, gs_device_get,                                                        \
         (unsigned index, gs_device *out, gs_status *st), (index, out, st),             \
         *out = (gs_device){0}; return gs_gpu_refuse(st))                               \
    CALL(bool, gs_device_reaches,                                                       \
         (unsigned to, unsigned from), (to, from), return false)                        \
    CALL(gs_code, gs_device_memory_new,                                                 \
         (void **out, unsigned device, size_t bytes, gs_status *st),                    \
         (out, device, bytes, st), *out = NULL; return gs_gpu_refuse(st))               \
    CALL_VOID(gs_device_memory_free, (void *memory), (memory))                          \
    CALL(gs_code, gs_device_copy,                                                       \
         (void *to, const void *from, size_t bytes, gs_status *st),                     \
         (to, from, bytes, st), return gs_gpu_refuse(st))                               \
    CALL(gs_code, gs_pinned_memory_new,                                                 \
         (void **out, size_t bytes, gs_status *st), (out, bytes, st),                   \
         *out = NULL; return gs_gpu_refuse(st))                                         \
    CALL_VOID(gs_pinned_memory_free, (void *memory), (memory))                          \
    CALL(const char *, gs_device_describe,                                              \
         (char *text, size_t text_bytes), (text, text_bytes),                           \
         return gs_gpu_describe_none(text, text_bytes))                                 \
    CALL(size_t, gs_engine_count, (void), (), return 0)                                 \
    CALL(const char *, gs_engine_name, (size_t index), (index), return NULL)            \
    CALL(const char *, gs_engine_summary, (size_t index), (index), return NULL)         \
    CALL(gs_code, gs_engine_needs,                                                      \
         (const gs_engine_options *options, gs_engine_memory *out, gs_status *st),      \
         (options, out, st),                                                            \
         *out = (gs_engine_memory){0}; return gs_gpu_refuse(st))                        \
    CALL(gs_code, gs_engine_fit,                                                        \
         (const gs_engine_options *options, size_t *out_count, gs_status *st),          \
         (options, out_count, st), *out_count = 0; return gs_gpu_refuse(st))            \
    CALL(gs_code, gs_engine_new,                                                        \
         (gs_engine **out, const gs_engine_options *options, gs_status *st),            \
         (out, options, st), *out = NULL; return gs_gpu_refuse(st))                     \
    CALL(gs_code, gs_engine_submit,                                                     \
         (gs_engine *engine, const gs_batch *batch, gs_status *st),                     \
         (engine, batch, st), return gs_gpu_refuse(st))                                 \
    CALL(gs_code, gs_engine_wait,                                                       \
         (gs_engine *engine, gs_status *st), (engine, st),                              \
         return gs_gpu_refuse(st))                                                      \
    CALL(double, gs_engine_device_ms, (const gs_engine *engine), (engine), return 0)    \
    CALL(size_t, gs_engine_device_bytes,                                                \
         (const gs_engine *engine), (engine), return 0)                                 \
    CALL(const char *, gs_engine_used,                                                  \
         (const gs_engine *engine), (engine), return "none")                            \
    CALL_VOID(gs_engine_free, (gs_engine *engine), (engine))                            \
    CALL(gs_code, gs_engine_take_every,                                                 \
         (const uint64_t *d_keys, size_t count, uint64_t stride, uint64_t *to,          \
          gs_status *st), (d_keys, count, stride, to, st), return gs_gpu_refuse(st))    \
    CALL(gs_code, gs_generate,                                                          \
         (gs_batch_type type, gs_distribution distribution, uint64_t seed, bool         \
          random_values, void *d_keys, uint32_t *d_values, size_t count, gs_status      \
          *st),                                                                         \
         (type, distribution, seed, random_values, d_keys, d_values, count, st),        \
         return gs_gpu_refuse(st))                                                      \
    CALL(gs_code, gs_fingerprint_take,                                                  \
         (gs_batch_type type, const void *d_keys, const uint32_t *d_values, size_t      \
          count, gs_fingerprint *out, gs_status *st),                                   \
         (type, d_keys, d_values, count, out, st),                                      \
         *out = (gs_fingerprint){0, 0}; return gs_gpu_refuse(st))                       \
    CALL(gs_code, gs_bitonic_merge,                                                     \
         (gs_batch_type type, const gs_batch *batch, size_t run_keys, gs_status         \
          *st), (type, batch, run_keys, st), return gs_gpu_refuse(st))                  \
    CALL_VOID(gs_fault_arm, (gs_fault_kind kind, uint64_t nth), (kind, nth))            \
    CALL(uint64_t, gs_fault_calls, (void), (), return 0)

#define GS_GPU_TEXT_CALLS(CALL, CALL_VOID)                                              \
    CALL(gs_code, gs_text_sort_new,                                                     \
         (gs_text_sort **out, const gs_text_sort_options *options, gs_status *st),      \
         (out, options, st), *out = NULL; return gs_gpu_refuse(st))                     \
    CALL_VOID(gs_text_sort_free, (gs_text_sort *t), (t))                                \
    CALL(gs_code, gs_text_sort_upload,                                                  \
         (gs_text_sort *t, const void *data, size_t bytes, bool add_eol, bool           \
          *is_full, uint64_t *ticket, gs_status *st),                                   \
         (t, data, bytes, add_eol, is_full, ticket, st),                                \
         *is_full = false; *ticket = 0; return gs_gpu_refuse(st))                       \
    CALL(gs_code, gs_text_sort_uploads_done,                                            \
         (gs_text_sort *t, const uint64_t *wait_for, uint64_t *done, gs_status          \
          *st), (t, wait_for, done, st), *done = 0; return gs_gpu_refuse(st))           \
    CALL(gs_code, gs_text_exchange,                                                     \
         (gs_text_sort *const *chunks, unsigned count, const                            \
          gs_text_exchange_options *options, gs_text_stretches *out, bool *fits,        \
          gs_status *st), (chunks, count, options, out, fits, st),                      \
         out->count = 0; *fits = false; return gs_gpu_refuse(st))                       \
    CALL(gs_code, gs_text_sort_run,                                                     \
         (gs_text_sort *t, gs_text_shape shape, bool drop_equals, uint64_t keep,        \
          gs_text_result *out, gs_status *st),                                          \
         (t, shape, drop_equals, keep, out, st),                                        \
         *out = (gs_text_result){0}; return gs_gpu_refuse(st))                          \
    CALL(gs_code, gs_text_sort_fetch_text,                                              \
         (gs_text_sort *t, unsigned slot, uint64_t offset, size_t bytes, void *to,      \
          gs_status *st), (t, slot, offset, bytes, to, st),                             \
         return gs_gpu_refuse(st))                                                      \
    CALL(gs_code, gs_text_sort_fetch_wait,                                              \
         (gs_text_sort *t, unsigned slot, gs_status *st), (t, slot, st),                \
         return gs_gpu_refuse(st))                                                      \
    CALL(gs_code, gs_text_sort_cut,                                                     \
         (gs_text_sort *t, uint64_t first, size_t bytes, uint64_t count_max,            \
          uint64_t *count, uint64_t *out_bytes, gs_status *st),                         \
         (t, first, bytes, count_max, count, out_bytes, st),                            \
         *count = *out_bytes = 0; return gs_gpu_refuse(st))                             \
    CALL(gs_code, gs_text_sort_fetch_records,                                           \
         (gs_text_sort *t, uint64_t first, uint64_t count, uint64_t bytes,              \
          gs_text_record *records, uint8_t *data, gs_status *st),                       \
         (t, first, count, bytes, records, data, st), return gs_gpu_refuse(st))         \
    CALL_VOID(gs_text_sort_reset, (gs_text_sort *t), (t))                               \
    CALL(uint64_t, gs_text_sort_bytes, (const gs_text_sort *t), (t), return 0)          \
    CALL(size_t, gs_text_sort_device_bytes, (const gs_text_sort *t), (t), return 0)     \
    CALL(size_t, gs_text_sort_memory_bytes, (const gs_text_sort *t), (t), return 0)     \
    CALL(bool, gs_text_sort_is_half, (const gs_text_sort *t), (t), return false)        \
    CALL_VOID(gs_text_pin, (void *memory, size_t bytes), (memory, bytes))               \
    CALL_VOID(gs_text_unpin, (void *memory), (memory))

#define GS_GPU_SEARCH_CALLS(CALL, CALL_VOID)                                            \
    CALL(const char *, gs_key_way_name, (gs_key_way way), (way), return "none")         \
    CALL(gs_code, gs_key_search_new,                                                    \
         (gs_key_search **out, const gs_key_search_options *options, gs_status          \
          *st), (out, options, st), *out = NULL; return gs_gpu_refuse(st))              \
    CALL_VOID(gs_key_search_free, (gs_key_search *s), (s))                              \
    CALL(uint64_t *, gs_key_search_queries, (gs_key_search *s), (s), return NULL)       \
    CALL(const uint32_t *, gs_key_search_ranks,                                         \
         (const gs_key_search *s), (s), return NULL)                                    \
    CALL(size_t, gs_key_search_device_bytes,                                            \
         (const gs_key_search *s), (s), return 0)                                       \
    CALL(gs_code, gs_key_search_submit,                                                 \
         (gs_key_search *s, size_t query_count, gs_key_transport transport,             \
          unsigned flags, gs_status *st),                                               \
         (s, query_count, transport, flags, st), return gs_gpu_refuse(st))              \
    CALL(gs_code, gs_key_search_wait,                                                   \
         (gs_key_search *s, gs_status *st), (s, st), return gs_gpu_refuse(st))          \
    CALL(double, gs_key_search_device_ms, (const gs_key_search *s), (s), return 0)

#define GS_GPU_LISTS_CALLS(CALL, CALL_VOID)                                             \
    CALL(gs_code, gs_head_lists_new,                                                    \
         (gs_head_lists **out, const gs_head_lists_options *options, gs_status *st),    \
         (out, options, st), *out = NULL; return gs_gpu_refuse(st))                     \
    CALL_VOID(gs_head_lists_free, (gs_head_lists *h), (h))                              \
    CALL(gs_code, gs_head_lists_room,                                                   \
         (const gs_head_lists_options *options, uint64_t *needed, uint64_t *there,      \
          gs_status *st), (options, needed, there, st),                                 \
         *needed = *there = 0; return gs_gpu_refuse(st))                                \
    CALL(gs_head_lane, gs_head_lists_lane,                                              \
         (const gs_head_lists *h, unsigned lane), (h, lane), return (gs_head_lane){0})  \
    CALL(gs_code, gs_head_lists_submit,                                                 \
         (gs_head_lists *h, unsigned lane, uint32_t term_count, gs_status *st),         \
         (h, lane, term_count, st), return gs_gpu_refuse(st))                           \
    CALL(gs_code, gs_head_lists_wait,                                                   \
         (gs_head_lists *h, unsigned lane, gs_status *st), (h, lane, st),               \
         return gs_gpu_refuse(st))                                                      \
    CALL(size_t, gs_head_lists_device_bytes, (const gs_head_lists *h), (h), return 0)

#define GS_GPU_WORDS_CALLS(CALL, CALL_VOID)                                             \
    CALL(gs_code, gs_word_block_new,                                                    \
         (gs_word_block **out, const gs_word_options *options, gs_status *st),          \
         (out, options, st), *out = NULL; return gs_gpu_refuse(st))                     \
    CALL_VOID(gs_word_block_free, (gs_word_block *w), (w))                              \
    CALL(gs_word_lane, gs_word_block_lane,                                              \
         (const gs_word_block *w, unsigned lane), (w, lane),                            \
         return (gs_word_lane){0})                                                      \
    CALL(gs_word_room, gs_word_block_room, (const gs_word_block *w), (w),               \
         return (gs_word_room){0})                                                      \
    CALL(gs_code, gs_word_block_add,                                                    \
         (gs_word_block *w, unsigned lane, const gs_word_piece *piece,                  \
          gs_word_counts *out, gs_status *st),                                          \
         (w, lane, piece, out, st),                                                     \
         *out = (gs_word_counts){0}; return gs_gpu_refuse(st))                          \
    CALL(gs_code, gs_word_block_add_tuples,                                             \
         (gs_word_block *w, unsigned lane, uint32_t bytes, gs_tuple_counts *out,        \
          gs_status *st), (w, lane, bytes, out, st),                                    \
         *out = (gs_tuple_counts){0}; return gs_gpu_refuse(st))                         \
    CALL(gs_code, gs_word_block_leave_out,                                              \
         (gs_word_block *w, unsigned lane, uint32_t bytes, gs_status *st),              \
         (w, lane, bytes, st), return gs_gpu_refuse(st))                                \
    CALL(gs_code, gs_word_block_sort_terms,                                             \
         (gs_word_block *w, gs_word_sums *out, gs_status *st), (w, out, st),            \
         *out = (gs_word_sums){0}; return gs_gpu_refuse(st))                            \
    CALL(gs_code, gs_word_block_terms,                                                  \
         (gs_word_block *w, uint8_t *bytes, gs_word_term *terms, gs_status *st),        \
         (w, bytes, terms, st), return gs_gpu_refuse(st))                               \
    CALL(gs_code, gs_word_block_join_terms,                                             \
         (gs_word_block *w, const uint32_t *to, uint32_t count, gs_status *st),         \
         (w, to, count, st), return gs_gpu_refuse(st))                                  \
    CALL(gs_code, gs_word_block_weigh,                                                   \
         (gs_word_block *w, gs_word_weight *ranges, gs_status *st), (w, ranges, st),     \
         return gs_gpu_refuse(st))                                                       \
    CALL(gs_code, gs_word_blocks_exchange,                                               \
         (gs_word_block *const *blocks, unsigned count, const gs_word_share *shares,     \
          uint32_t first, uint32_t last, bool *is_done, gs_status *st),                  \
         (blocks, count, shares, first, last, is_done, st),                              \
         *is_done = false; return gs_gpu_refuse(st))                                     \
    CALL(gs_code, gs_word_block_sort,                                                   \
         (gs_word_block *w, uint32_t first, uint32_t last, gs_word_sums *out,           \
          gs_status *st), (w, first, last, out, st),                                    \
         *out = (gs_word_sums){0}; return gs_gpu_refuse(st))                            \
    CALL(gs_code, gs_word_block_first_postings,                                         \
         (gs_word_block *w, uint32_t *first_postings, gs_status *st),                   \
         (w, first_postings, st), return gs_gpu_refuse(st))                             \
    CALL(gs_code, gs_word_block_documents,                                              \
         (gs_word_block *w, unsigned lane, uint64_t first, size_t count,                \
          gs_status *st), (w, lane, first, count, st), return gs_gpu_refuse(st))        \
    CALL(gs_code, gs_word_block_positions,                                              \
         (gs_word_block *w, unsigned lane, uint64_t first, size_t count,                \
          gs_status *st), (w, lane, first, count, st), return gs_gpu_refuse(st))        \
    CALL(gs_code, gs_word_block_encode,                                                 \
         (gs_word_block *w, const gs_word_lengths *lengths, gs_word_made *out,          \
          gs_status *st), (w, lengths, out, st),                                        \
         *out = (gs_word_made){0}; return gs_gpu_refuse(st))                            \
    CALL(gs_code, gs_word_block_stored,                                                 \
         (gs_word_block *w, unsigned lane, uint64_t first, size_t count,                \
          gs_status *st), (w, lane, first, count, st), return gs_gpu_refuse(st))        \
    CALL(gs_code, gs_word_block_tail_firsts,                                            \
         (gs_word_block *w, uint32_t *firsts, gs_status *st), (w, firsts, st),          \
         return gs_gpu_refuse(st))                                                      \
    CALL(gs_code, gs_word_block_tails,                                                  \
         (gs_word_block *w, unsigned lane, uint64_t first, size_t count,                \
          gs_status *st), (w, lane, first, count, st), return gs_gpu_refuse(st))        \
    CALL(gs_code, gs_word_block_reset, (gs_word_block *w, gs_status *st), (w, st),      \
         return gs_gpu_refuse(st))                                                      \
    CALL(size_t, gs_word_block_device_bytes, (const gs_word_block *w), (w), return 0)

/* clang-format on */

#define GS_GPU_CALLS(CALL, CALL_VOID)                                                    \
    GS_GPU_ENGINE_CALLS(CALL, CALL_VOID)                                                 \
    GS_GPU_TEXT_CALLS(CALL, CALL_VOID)                                                   \
    GS_GPU_SEARCH_CALLS(CALL, CALL_VOID)                                                 \
    GS_GPU_LISTS_CALLS(CALL, CALL_VOID)                                                  \
    GS_GPU_WORDS_CALLS(CALL, CALL_VOID)

/* Counts up when what kernels make changes and no structure does: bytes of a block
 * (lib/base/block_steps.h), of which test_block_steps has a sum; how keys compare
 * (lib/encode, gpu/text/text_key.h), of which test_stored_keys has sums; how records are
 * shared out. */
enum { GS_GPU_KERNELS = 1 };

/* Their sizes, and that of the table, tell a plugin of another build. */
#define GS_GPU_CROSSING                                                                  \
    (sizeof(gs_status) + sizeof(gs_log) * 3 + sizeof(gs_device) * 5 +                    \
     sizeof(gs_engine_options) * 7 + sizeof(gs_engine_memory) * 11 +                     \
     sizeof(gs_batch) * 13 + sizeof(gs_fingerprint) * 17 +                               \
     sizeof(gs_text_sort_options) * 19 + sizeof(gs_text_result) * 23 +                   \
     sizeof(gs_text_exchange_options) * 67 + sizeof(gs_text_stretches) * 71 +            \
     sizeof(gs_text_record) * 29 + sizeof(gs_key_search_options) * 31 +                  \
     sizeof(gs_word_options) * 37 + sizeof(gs_word_lane) * 41 +                          \
     sizeof(gs_word_room) * 43 + sizeof(gs_word_piece) * 47 +                            \
     sizeof(gs_word_counts) * 53 + sizeof(gs_word_sums) * 59 +                           \
     sizeof(gs_tuple_counts) * 61 + sizeof(gs_word_made) * 73 +                          \
     sizeof(gs_word_stored) * 79 + sizeof(gs_word_lengths) * 83 +                        \
     sizeof(gs_word_weight) * 109 + sizeof(gs_word_share) * 113 +                        \
     sizeof(gs_gpu_table) * 89 + (size_t)GS_SHARE_COUNT * 97 +                           \
     (size_t)GS_GPU_KERNELS * 101 + (size_t)GS_TEXT_SWITCH_COUNT * 103 +                 \
     (size_t)GS_TEXT_KIND_COUNT * 107 + sizeof(gs_head_lists_options) * 109 +            \
     sizeof(gs_head_lane) * 113 + (size_t)GS_HEAD_TERMS * 127 +                          \
     (size_t)GS_HEAD_POSTINGS * 131)

#define GS_GPU_MEMBER(type, name, parameters, ...) type(*name) parameters;
#define GS_GPU_VOID_MEMBER(name, parameters, ...)  void(*name) parameters;
typedef struct gs_gpu_table {
    const char *version; /* GS_VERSION */
    size_t crossing;     /* GS_GPU_CROSSING */
    GS_GPU_CALLS(GS_GPU_MEMBER, GS_GPU_VOID_MEMBER)
} gs_gpu_table;

#define GS_GPU_PLUGIN_FILE "libgpusort-gpu.so.0"
#define GS_GPU_TABLE_NAME  "gs_gpu_table_1"

/* What the plugin has; NULL: there is none, or no GPU it could be for. Loaded by the
 * first call, and stays. */
const gs_gpu_table *gs_gpu_plugin(void);

/* For lack of it. */
gs_code gs_gpu_refuse(gs_status *st);
const char *gs_gpu_describe_none(char *text, size_t text_bytes);

#endif
