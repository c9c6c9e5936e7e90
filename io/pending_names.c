/* SPDX-License-Identifier: MIT */
#include "io/pending_names.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "io/link_chain.h"

enum { PENDING_MAX = 8, PATH_BYTES = GS_LINK_CHAIN_BYTES };

/* A slot is set after its name is complete. */
enum { SLOT_FREE, SLOT_TAKEN, SLOT_SET };
static struct {
    atomic_int state;
    char path[PATH_BYTES];
} pending[PENDING_MAX];

int gs_pending_name_set(const char *path)
{
    for (int i = 0; i < PENDING_MAX && strlen(path) < PATH_BYTES; i++) {
        if (atomic_compare_exchange_strong(&pending[i].state, &(int){SLOT_FREE},
                                           SLOT_TAKEN)) {
            (void)snprintf(pending[i].path, PATH_BYTES, "%s", path);
            atomic_store(&pending[i].state, SLOT_SET);
            return i;
        }
    }
    return -1;
}

void gs_pending_name_clear(int *slot)
{
    if (*slot >= 0)
        atomic_store(&pending[*slot].state, SLOT_FREE);
    *slot = -1;
}

void gs_pending_names_unlink(void)
{
    for (int i = 0; i < PENDING_MAX; i++) {
        if (atomic_load(&pending[i].state) == SLOT_SET)
            (void)unlink(pending[i].path);
    }
}
