/* SPDX-License-Identifier: MIT */
/* joins: what others see of the room of joins: the job, and what it is told. */
#ifndef GS_LIB_JOIN_JOINS_H
#define GS_LIB_JOIN_JOINS_H

#include "lib/join/band_text.h"
#include "lib/join/join_check.h"
#include "lib/join/join_options.h"
#include "lib/join/joiner.h"

#endif
