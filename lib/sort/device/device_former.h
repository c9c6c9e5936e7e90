/* SPDX-License-Identifier: MIT */
/*
 * device_former: chunks formed on GPUs, of an input of any size.
 *
 *      slot 0   | fill chunk 0 | sort, encode, write | fill chunk 2 | ...
 *      slot 1                  | fill chunk 1        | sort, ...
 *
 * A slot is a part of a GPU's memory; several GPUs have one each and take chunks in turn.
 * The calling thread sorts and emits chunks; from the first one that is emitted on, a
 * thread beside it reads and fills free slots in their order. So reading, uploads, sorts,
 * downloads, compression and writes all go on at once. With one slot there is no such
 * thread.
 */
#ifndef GS_LIB_SORT_DEVICE_DEVICE_FORMER_H
#define GS_LIB_SORT_DEVICE_DEVICE_FORMER_H

#include "lib/sort/device/device_choice.h"
#include "lib/sort/form/forms.h"

/* NULL without a forming->device. */
GS_MUST_CHECK gs_code gs_device_former_new(gs_former **out, const gs_forming *forming,
                                           gs_status *st);
/* Whichever former gives GPUs their first chunk: figures name the engine, and what comes
 * back is not believed. */
void gs_device_former_begin(const gs_forming *forming);

#endif
