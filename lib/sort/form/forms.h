/* SPDX-License-Identifier: MIT */
/*
 * forms: what others see of the room where chunks are formed: batches of lines to
 * sorted buckets in memory.
 */
#ifndef GS_LIB_SORT_FORM_FORMS_H
#define GS_LIB_SORT_FORM_FORMS_H

#include "lib/sort/form/chunk.h"
#include "lib/sort/form/bucket_emit.h"
#include "lib/sort/form/chunk_buckets.h"
#include "lib/sort/form/ingest.h"

#endif
