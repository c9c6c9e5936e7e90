/* SPDX-License-Identifier: MIT */
/*
 * size_arg: numbers and sizes as options take them, with GNU's messages.
 *
 * Every function but gs_number_parse ends the program with a message when the text will
 * not do.
 */
#ifndef GS_CMD_SIZE_ARG_H
#define GS_CMD_SIZE_ARG_H

#include <stddef.h>
#include <stdint.h>

#include "cmd/opt_scan.h"

/* Bits, because a number may be too large and have a bad suffix too. */
enum { GS_NUMBER_TOO_LARGE = 1, GS_NUMBER_BAD_SUFFIX = 2, GS_NUMBER_INVALID = 4 };

/* Decimal digits and one letter of `suffixes` (K, M, G ...: powers of 1024), which may
 * also stand alone. *rest is where reading stopped, *value is capped when too large. */
int gs_number_parse(const char *text, const char *suffixes, uint64_t *value,
                    const char **rest);

/* "invalid -S argument 'x'" and its like, for the option that `scan` just found. */
_Noreturn void gs_number_die(const gs_opt_scan *scan, int fault);

/* -S: KiB unless there is a unit; 'b' for bytes, '%' of physical memory. */
uint64_t gs_size_arg_buffer(const gs_opt_scan *scan);
/* --parallel: at least 1. */
unsigned gs_size_arg_threads(const gs_opt_scan *scan);
/* --batch-size: at least 2, at most what the limit of open files leaves. */
unsigned gs_size_arg_batch(const gs_opt_scan *scan);
/* A plain count, K, M, G and so on allowed, of at least `least`. */
uint64_t gs_size_arg_count(const gs_opt_scan *scan, uint64_t least);

#endif
