/* SPDX-License-Identifier: MIT */
/*
 * forms: what others see of the room where chunks are formed: the interface of those who
 * do it, and those that do it on cores.
 */
#ifndef GS_LIB_SORT_FORM_FORMS_H
#define GS_LIB_SORT_FORM_FORMS_H

#include "lib/sort/form/core_former.h"
#include "lib/sort/form/former.h"
#include "lib/sort/form/line_sieve.h"
#include "lib/sort/form/record_sieve.h"

#endif
