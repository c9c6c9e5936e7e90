/* SPDX-License-Identifier: MIT */
#include "lib/base/fresh_memory.h"

#include "lib/base/assertion.h"
#include "lib/base/machine.h"

enum {
    PAUSE_FIRST = 4,
    PAUSE_GROWTH = 4,
    PAUSE_DECLINE = 2, /* less than it grows: dear and cheap ones may come in turn */
    PAUSE_MAX = 1024,
    MEAN_STEPS = 8,
    DEAR_NS =
        2500000, /* 0.5 to 1 ms where a machine has them, 4 to 10 where it has not */
    SMALL_AT_ONCE =
        GS_FRESH_STEP / 4, /* what was cleared is still near when it is used */
};

bool gs_page_prices_choose(gs_page_prices *p)
{
    if (p->small_ns == 0)
        return false;
    if (p->left_of_pause == 0)
        return true;
    p->left_of_pause--;
    return false;
}

void gs_page_prices_note(gs_page_prices *p, bool is_huge, uint64_t ns)
{
    if (!is_huge) {
        p->mean_ns = p->small_ns == 0
                         ? ns
                         : p->mean_ns - p->mean_ns / MEAN_STEPS + ns / MEAN_STEPS;
        if (p->small_ns == 0 || ns < p->small_ns)
            p->small_ns = ns > 0 ? ns : 1;
        return;
    }
    if (ns <= p->small_ns)
        p->pause /= PAUSE_DECLINE;
    else
        p->pause = p->pause == 0 ? PAUSE_FIRST : p->pause * PAUSE_GROWTH;
    if (p->pause > PAUSE_MAX)
        p->pause = PAUSE_MAX;
    p->left_of_pause = p->pause;
}

bool gs_page_prices_are_dear(const gs_page_prices *p)
{
    return p->mean_ns >= DEAR_NS;
}

gs_code gs_fresh_memory_init(gs_fresh_memory *m, size_t size, const char *what,
                             gs_status *st)
{
    *m = (gs_fresh_memory){0};
    GS_TRY(gs_mem_map(&m->map, size + GS_FRESH_STEP, false, what, st));
    const size_t beyond = (uintptr_t)m->map % GS_FRESH_STEP;
    m->bytes = m->map + (beyond > 0 ? GS_FRESH_STEP - beyond : 0);
    m->size = size;
    (void)pthread_mutex_init(&m->lock, NULL);
    return GS_OK;
}

void gs_fresh_memory_release(gs_fresh_memory *m)
{
    if (m->map != NULL) {
        gs_mem_unmap(m->map, m->size + GS_FRESH_STEP);
        (void)pthread_mutex_destroy(&m->lock);
    }
    *m = (gs_fresh_memory){0};
}

static void take_small(gs_fresh_memory *m, size_t offset, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += SMALL_AT_ONCE)
        gs_mem_populate(m->bytes + offset + at,
                        bytes - at < SMALL_AT_ONCE ? bytes - at : SMALL_AT_ONCE);
}

void gs_fresh_memory_take(gs_fresh_memory *m, size_t offset)
{
    gs_assert(offset % GS_FRESH_STEP == 0);
    if (offset >= m->size)
        return;
    const size_t left = m->size - offset;
    if (left < GS_FRESH_STEP) { /* no more than asked for */
        take_small(m, offset, left);
        return;
    }
    (void)pthread_mutex_lock(&m->lock);
    const bool is_huge = gs_page_prices_choose(&m->prices);
    (void)pthread_mutex_unlock(&m->lock);
    const uint64_t begin_ns = gs_machine_thread_ns();
    if (is_huge) {
        gs_mem_allow_huge(m->bytes + offset, GS_FRESH_STEP);
        gs_mem_populate(m->bytes + offset, GS_FRESH_STEP);
    } else {
        take_small(m, offset, GS_FRESH_STEP);
    }
    const uint64_t ns = gs_machine_thread_ns() - begin_ns;
    (void)pthread_mutex_lock(&m->lock);
    gs_page_prices_note(&m->prices, is_huge, ns);
    atomic_store_explicit(&m->is_dear, gs_page_prices_are_dear(&m->prices),
                          memory_order_relaxed);
    (void)pthread_mutex_unlock(&m->lock);
}

void gs_fresh_memory_leave(const gs_fresh_memory *m, size_t used_bytes, unsigned part,
                           unsigned parts)
{
    gs_assert(used_bytes <= m->size && part < parts);
    const size_t steps = (used_bytes + GS_FRESH_STEP - 1) / GS_FRESH_STEP;
    const size_t begin = steps * part / parts * GS_FRESH_STEP;
    const size_t end = steps * (part + 1) / parts * GS_FRESH_STEP;
    if (begin < end) /* the map may end within the last step */
        gs_mem_discard(m->bytes + begin, (end < m->size ? end : m->size) - begin);
}
