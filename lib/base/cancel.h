/* SPDX-License-Identifier: MIT */
/* cancel: whether who gave us the work wants it to stop. Long work looks often. The
 * commands stop in another way: cmd/signals.c ends the process. */
#ifndef GS_LIB_BASE_CANCEL_H
#define GS_LIB_BASE_CANCEL_H

#include <stddef.h>

#include "lib/base/status.h"

/* Fails with GS_ERR_CANCELLED when *cancel is not 0, as if that were the number of a
 * signal. NULL is fine: nothing can stop the work. */
GS_MUST_CHECK static inline gs_code gs_cancel_check(const volatile int *cancel,
                                                    gs_status *st)
{
    const int signal_number =
        cancel != NULL ? __atomic_load_n(cancel, __ATOMIC_RELAXED) : 0;
    return signal_number == 0
               ? GS_OK
               : GS_FAIL(st, GS_ERR_CANCELLED, 0, "stopped by signal %d", signal_number);
}

#endif
