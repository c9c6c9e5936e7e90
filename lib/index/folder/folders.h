/* SPDX-License-Identifier: MIT */
/*
 * folders: what others see of the room of folders: files with checksums, in a folder
 * that appears whole or not at all.
 */
#ifndef GS_LIB_INDEX_FOLDER_FOLDERS_H
#define GS_LIB_INDEX_FOLDER_FOLDERS_H

#include "lib/index/folder/index_file_writer.h"
#include "lib/index/folder/index_folder.h"
#include "lib/index/folder/index_leftover.h"
#include "lib/index/folder/append_file.h"
#include "lib/index/folder/scatter_file.h"

#endif
