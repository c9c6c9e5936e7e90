/* SPDX-License-Identifier: MIT */
/*
 * records: what others see of the room of records: how input is cut into them, and
 * how they lie in memory.
 */
#ifndef GS_LIB_SORT_RECORD_RECORDS_H
#define GS_LIB_SORT_RECORD_RECORDS_H

#include "lib/sort/record/copy_window.h"
#include "lib/sort/record/csv_scan.h"
#include "lib/sort/record/file_header.h"
#include "lib/sort/record/input_stamps.h"
#include "lib/sort/record/line_ends.h"
#include "lib/sort/record/line_feed.h"
#include "lib/sort/record/line_scan.h"
#include "lib/sort/record/record.h"
#include "lib/sort/record/record_fail.h"
#include "lib/sort/record/short_copy.h"

#endif
