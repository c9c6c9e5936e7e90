/* SPDX-License-Identifier: MIT */
/*
 * gpusort index: which of its commands is meant.
 */
#include "cmd/commands.h"
#include "cmd/opt_kinds.h"

static const gs_command commands[] = {
    {"build", gs_index_build_command, NULL},
    {"append", gs_index_append_command, NULL},
    {"delete", gs_index_delete_command, NULL},
    {"compact", gs_index_compact_command, NULL},
    {"merge", gs_index_merge_command, NULL},
    {"info", gs_index_info_command, NULL},
    {"dump", gs_index_dump_command, NULL},
    {"show", gs_index_show_command, NULL},
    {"export", gs_index_export_command, NULL},
    {"import", gs_index_import_command, NULL},
    {"verify", gs_index_verify_command, NULL},
    {"reorder", gs_index_reorder_command, NULL},
};

static const gs_command_table table = {"gpusort index", GS_COUNTED(commands)};

static const char usage_text[] =
    "Usage: gpusort index COMMAND [OPTION]... [ARGUMENT]...\n"
    "Makes and reads inverted indexes.\n\nCommands:\n"
    "  build    documents or tuples to an index\n"
    "  append   more documents to an index\n"
    "  delete   documents of an index, by their names\n"
    "  compact  one segment of all, nothing deleted\n"
    "  merge    several indexes to one\n"
    "  reorder  the same index, smaller and faster\n"
    "  info     counts and sizes of an index\n"
    "  dump     every posting as a line of text\n"
    "  show     documents whose texts are stored\n"
    "  export   to the Common Index File Format\n"
    "  import   from the Common Index File Format\n"
    "  verify   check every checksum, order and count\n\n"
    "  -h, --help  this text; `gpusort index COMMAND --help' lists the options of one\n"
    "      --version  show the version and stop\n\n"
    "See also `gpusort lookup' and `gpusort search'.\n";

int cmd_index(int argc, char **argv)
{
    return gs_command_run_one(&table, argc, argv, usage_text);
}
