/* SPDX-License-Identifier: MIT */
/*
 * api_pipe: bytes between a caller and a job that reads and writes files by their names.
 *
 * A descriptor of a file or pipe has a name in /proc, and the job opens it anew. What has
 * none that can be opened (a socket), does not stand at its beginning, or may wait for
 * another writer if it is opened anew (a FIFO), is carried into a pipe by a thread. If
 * that cannot read on, the end that the job sees is none: it stops the job first.
 */
#ifndef GS_LIB_API_API_PIPE_H
#define GS_LIB_API_API_PIPE_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "lib/api/api_job.h"

enum { GS_API_NAME_BYTES = 32 };

/* The name by which this process opens the descriptor anew. */
void gs_api_descriptor_name(int fd, char name[static GS_API_NAME_BYTES]);

/* A pipe of a megabyte where the system gives so much. */
GS_MUST_CHECK gs_code gs_api_pipe_new(int *read_fd, int *write_fd, gs_status *st);

/* Between the two no write of this thread is a SIGPIPE: it fails with EPIPE. */
typedef struct gs_api_hush {
    sigset_t before;
    bool was_pending;
} gs_api_hush;
void gs_api_hush_pipes(gs_api_hush *hush);
void gs_api_unhush_pipes(const gs_api_hush *hush);

/* As write(2), but without SIGPIPE where nobody reads any more: then errno is EPIPE. */
ssize_t gs_api_write(int fd, const void *data, size_t bytes);

/* A descriptor as an input. Call order: open, the job reads `name`, close. */
typedef struct gs_api_source {
    char name[GS_API_NAME_BYTES];
    gs_api_job *job;
    int from, read_fd, write_fd;
    bool is_carried;
    atomic_bool is_over;
    pthread_t carrier;
    int error; /* errno of the reading; after close */
} gs_api_source;

/* Borrows the job, which is open, until close. */
GS_MUST_CHECK gs_code gs_api_source_open(gs_api_source *s, int fd, gs_api_job *job,
                                         gs_status *st);
/* Nobody reads any more. Fails if not all could be read, and then says so instead of
 * "cancelled", which is what the job made of it. */
GS_MUST_CHECK gs_code gs_api_source_close(gs_api_source *s, gs_status *st);

#endif
