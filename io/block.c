/* SPDX-License-Identifier: MIT */
#include "io/block.h"

#include <pthread.h>

#include "io/late_read.h"
#include "lib/base/assertion.h"
#include "lib/base/mem.h"

struct gs_block_pool {
    gs_block *blocks;
    size_t block_count;
    uint8_t *area;
    size_t area_bytes;

    pthread_mutex_t mutex; /* guards what follows */
    pthread_cond_t released;
    gs_block *first_free;
    size_t free_count;
};

gs_code gs_block_pool_new(gs_block_pool **out, size_t block_bytes, size_t block_count,
                          gs_status *st)
{
    gs_assert(block_bytes > 0 && block_bytes % GS_BLOCK_ALIGN == 0);
    gs_assert(block_count > 0);
    *out = NULL;
    gs_block_pool *pool = NULL;
    GS_TRY(gs_mem_new(&pool, sizeof *pool, "block pool", st));
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->released, NULL);
    const size_t stride = GS_BLOCK_HEADROOM + block_bytes + GS_BLOCK_SLACK;
    size_t area_bytes = 0;
    GS_TRY_OR_FAIL(
        gs_mem_new(&pool->blocks, block_count * sizeof(gs_block), "block list", st));
    GS_TRY_OR_FAIL(gs_mem_size_mul(&area_bytes, stride, block_count, st));
    GS_TRY_OR_FAIL(gs_mem_map(&pool->area, area_bytes, false, "input blocks", st));
    pool->area_bytes = area_bytes;
    pool->block_count = pool->free_count = block_count;
    for (size_t i = block_count; i-- > 0;) {
        gs_block *const b = &pool->blocks[i];
        b->start = pool->area + i * stride + GS_BLOCK_HEADROOM;
        b->capacity = block_bytes;
        b->pool = pool;
        b->next_free = pool->first_free;
        pool->first_free = b;
    }
    *out = pool;
    return GS_OK;
fail:
    gs_block_pool_free(pool);
    return st->code;
}

void gs_block_pool_free(gs_block_pool *pool)
{
    if (pool == NULL)
        return;
    gs_assert(pool->free_count == pool->block_count);
    gs_mem_unmap(pool->area, pool->area_bytes);
    gs_mem_free(pool->blocks);
    pthread_cond_destroy(&pool->released);
    pthread_mutex_destroy(&pool->mutex);
    gs_mem_free(pool);
}

static gs_block *take_locked(gs_block_pool *pool)
{
    gs_block *const b = pool->first_free;
    if (b == NULL)
        return NULL;
    pool->first_free = b->next_free;
    pool->free_count--;
    b->data = b->start;
    b->len = 0;
    b->input_index = 0;
    b->ends_input = false;
    b->next_free = NULL;
    return b;
}

gs_block *gs_block_try_get(gs_block_pool *pool)
{
    pthread_mutex_lock(&pool->mutex);
    gs_block *const b = take_locked(pool);
    pthread_mutex_unlock(&pool->mutex);
    return b;
}

gs_block *gs_block_get(gs_block_pool *pool)
{
    pthread_mutex_lock(&pool->mutex);
    while (pool->first_free == NULL)
        pthread_cond_wait(&pool->released, &pool->mutex);
    gs_block *const b = take_locked(pool);
    pthread_mutex_unlock(&pool->mutex);
    return b;
}

void gs_block_release(gs_block *block)
{
    if (block == NULL)
        return;
    gs_block_pool *const pool = block->pool;
    gs_late_file_release(block->late);
    block->late = NULL;
    block->late_rest = 0;
    pthread_mutex_lock(&pool->mutex);
    block->next_free = pool->first_free;
    pool->first_free = block;
    pool->free_count++;
    pthread_cond_signal(&pool->released);
    pthread_mutex_unlock(&pool->mutex);
}

size_t gs_block_pool_block_bytes(const gs_block_pool *pool)
{
    return pool->blocks[0].capacity;
}

void gs_block_pool_area(const gs_block_pool *pool, void **start, size_t *bytes)
{
    *start = pool->area;
    *bytes = pool->area_bytes;
}
