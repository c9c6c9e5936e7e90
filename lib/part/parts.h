/* SPDX-License-Identifier: MIT */
/*
 * parts: what others see of the room of parts: how data is cut so that several machines
 * can sort it.
 */
#ifndef GS_LIB_PART_PARTS_H
#define GS_LIB_PART_PARTS_H

#include "lib/part/partitioner.h"
#include "lib/part/sampler.h"
#include "lib/part/unframer.h"

#endif
