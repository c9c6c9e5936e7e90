/* SPDX-License-Identifier: MIT */
/*
 * witnesses: what others see of the room of witnesses: is what is written what was
 * read, and in order?
 */
#ifndef GS_LIB_SORT_WITNESS_WITNESSES_H
#define GS_LIB_SORT_WITNESS_WITNESSES_H

#include "lib/sort/witness/multiset.h"
#include "lib/sort/witness/part_witness.h"
#include "lib/sort/witness/witness.h"

#endif
