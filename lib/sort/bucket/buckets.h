/* SPDX-License-Identifier: MIT */
/*
 * buckets: what others see of the room of buckets: elements, and how they come in
 * order on cores.
 */
#ifndef GS_LIB_SORT_BUCKET_BUCKETS_H
#define GS_LIB_SORT_BUCKET_BUCKETS_H

#include "lib/sort/bucket/bucket_copy.h"
#include "lib/sort/bucket/bucket_set.h"
#include "lib/sort/bucket/bucket_split.h"
#include "lib/sort/bucket/bucket_twins.h"
#include "lib/sort/bucket/element.h"
#include "lib/sort/bucket/splitters.h"
#include "lib/sort/bucket/string_find.h"
#include "lib/sort/bucket/string_splitters.h"
#include "lib/sort/bucket/tie_sort.h"

#endif
