/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * fault_plan: which call to the system is to fail, and how many there were of each kind.
 *
 * The wrappers of the other sources here stand before the system's calls in a program of
 * `make FAULTS=1`, and ask for every call. The environment says what is wanted:
 *
 *     GS_FAULT=KIND:N[:HOW][:on]   the N-th call of the kind fails; with `on` all that
 *                                  come after it too. HOW is the name of an error (EIO,
 *                                  ...), or `short`: a read or write moves a part of the
 *                                  bytes. Left out it is the first that the kind can have.
 *     GS_FAULT_COUNT=FILE          an array of 64-bit numbers: how many calls there were
 *                                  of each kind, in the order of fault_kind, whether the
 *                                  fault came to pass, and of a program that is cut at
 *                                  its end one more than the exit status
 *
 * `gpusort` with GS_FAULT=help prints the kinds, a line each. All threads may call.
 */
/* clang-format on */
#ifndef GS_TESTS_FAULTS_FAULT_PLAN_H
#define GS_TESTS_FAULTS_FAULT_PLAN_H

#include <stdbool.h>
#include <stddef.h>

typedef enum fault_kind {
    FAULT_READ,   /* read, pread, preadv2; reads of a ring, when they complete */
    FAULT_WRITE,  /* write, pwrite, splice; writes of a ring, when they complete */
    FAULT_OPEN,   /* open, openat, opendir, and where a file is made for the program */
    FAULT_CLOSE,  /* the descriptor goes all the same */
    FAULT_SYNC,   /* fsync, fdatasync, syncfs */
    FAULT_RENAME, /* rename, renameat, renameat2 */
    FAULT_LINK,   /* linkat */
    FAULT_UNLINK, /* unlink, unlinkat, rmdir */
    FAULT_LENGTH, /* ftruncate */
    FAULT_SPACE,  /* fallocate */
    FAULT_LOOK,   /* the stat family, access, lseek, fcntl, realpath, readlink, readdir */
    FAULT_CHANGE, /* fchmod, fchown, fremovexattr, flock */
    FAULT_MAP,    /* mmap, mremap, mprotect */
    FAULT_ADVISE, /* madvise, posix_fadvise */
    FAULT_MEMORY, /* malloc, calloc, realloc, aligned_alloc; also of libraries inside */
    FAULT_THREAD, /* pthread_create */
    FAULT_CHILD,  /* posix_spawn, pipe2, waitpid, poll */
    FAULT_RING,   /* making a ring, and telling it of buffers and files */
    FAULT_SUBMIT, /* giving requests to a ring, and waiting for them */
    FAULT_RANDOM, /* getrandom */
    FAULT_CUT,    /* what changes a disk, after which nothing comes (power_cut.h) */
    FAULT_KINDS,
} fault_kind;

/* Counts a call of the kind. 0: it is to go ahead; else the error it is to fail with. A
 * call that may be short gives `is_short`, else NULL. */
int fault_of_call(fault_kind kind, bool *is_short);

/* True, and errno set, if the call is to fail. */
bool fault_is_due(fault_kind kind);

/* The program has come to its end, which GS_FAULT_COUNT says as well. */
void fault_note_end(int code);

/* How many of `bytes` a short transfer moves: direct ones can go on behind a block. */
size_t fault_short_bytes(size_t bytes);

#endif
