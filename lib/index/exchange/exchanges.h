/* SPDX-License-Identifier: MIT */
/*
 * exchanges: what others see of the room of exchange: the Common Index File Format, out
 * and in.
 */
#ifndef GS_LIB_INDEX_EXCHANGE_EXCHANGES_H
#define GS_LIB_INDEX_EXCHANGE_EXCHANGES_H

#include "lib/index/exchange/ciff_import.h"
#include "lib/index/exchange/ciff_write.h"

#endif
