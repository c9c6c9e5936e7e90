/* SPDX-License-Identifier: MIT */
/*
 * temp_folder: where temporary files lie that no option sends elsewhere.
 */
#ifndef GS_LIB_BASE_TEMP_FOLDER_H
#define GS_LIB_BASE_TEMP_FOLDER_H

#include <stdlib.h>

/* $TMPDIR, else /tmp. The text is the environment's, and not to be freed. */
static inline const char *gs_temp_folder(void)
{
    const char *const from_environment = getenv("TMPDIR");
    return from_environment != NULL && from_environment[0] != '\0' ? from_environment
                                                                   : "/tmp";
}

#endif
