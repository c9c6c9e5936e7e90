/* SPDX-License-Identifier: MIT */
/*
 * ring_completions: put before the source that looks at completions of a ring, so that it
 * asks us for them. liburing takes them out of memory in its header, where no linker
 * could step between.
 */
#ifndef GS_TESTS_FAULTS_RING_COMPLETIONS_H
#define GS_TESTS_FAULTS_RING_COMPLETIONS_H

#if GS_HAVE_LIBURING
#include <liburing.h>

int fault_ring_wait(struct io_uring *ring, struct io_uring_cqe **out);
int fault_ring_peek(struct io_uring *ring, struct io_uring_cqe **out);

#define io_uring_wait_cqe fault_ring_wait
#define io_uring_peek_cqe fault_ring_peek
#endif

#endif
