/* SPDX-License-Identifier: MIT */
/*
 * gpusort: finds out which command is meant and calls it.
 *
 * Called through a link named `sort` it is GNU sort: no subcommands, and messages begin
 * with the name it was called by. Otherwise the first word may name a command; any other
 * first word is an option or a file of `gpusort sort`. A file that has the name of a
 * command is written ./NAME, or `gpusort sort NAME`.
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "cmd/opt_scan.h"
#include "cmd/report.h"
#include "cmd/signals.h"
#include "lib/base/machine.h"

static const gs_command commands[] = {
    {"sort", cmd_sort, "sort, merge or check files of lines or records"},
    {"join", cmd_join, "lines of two files that have the same key, in one"},
    {"index", cmd_index, "build an inverted index of documents, and look into it"},
    {"lookup", cmd_lookup, "posting lists of terms"},
    {"search", cmd_search, "the best documents for a query"},
    {"stats", cmd_stats, "quantiles, frequencies and more of a stream of values"},
    {"sample", cmd_sample, "some of the records, and what cuts all into even parts"},
    {"partition", cmd_partition,
     "sort, and cut the result into parts for other machines"},
    {"gen", cmd_gen, "make test data by distribution and type"},
    {"check", cmd_check, "tell whether a file is in order, with its checksum"},
    {"device", cmd_device, "show what this machine offers and what would be used"},
    {"bench", cmd_bench, "measure the engines side by side"},
};

static const gs_command_table table = {"gpusort", GS_COUNTED(commands)};

/* A standard file that is closed would lend its number to the next file opened, and that
 * one would be written to by mistake. Put something there that fails as a closed one. */
static void guard_standard_files(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
            continue;
        const int got = open("/dev/null", fd == STDIN_FILENO ? O_PATH : O_RDONLY);
        if (got >= 0 && got != fd)
            close(got);
    }
}

/* Where address space is limited (ulimit -v, -d), threads count with the whole of their
 * stacks and heaps: small stacks do, and one heap. */
static void live_within_limits(void)
{
    if (gs_machine_address_space_left() == SIZE_MAX)
        return;
    enum { STACK_BYTES = 1 << 20 };
    pthread_attr_t attributes;
    (void)mallopt(M_ARENA_MAX, 1);
    (void)pthread_attr_init(&attributes);
    if (gs_machine_thread_stack_bytes() > STACK_BYTES &&
        pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0)
        (void)pthread_setattr_default_np(&attributes);
    (void)pthread_attr_destroy(&attributes);
}

static int print_help(void)
{
    fputs("Usage: gpusort [sort] [OPTION]... [FILE]...\n"
          "   or: gpusort COMMAND [OPTION]... [ARGUMENT]...\n"
          "Sort files larger than memory, on every core and on the GPU if there is one.\n"
          "\n"
          "Commands:\n",
          stdout);
    for (size_t i = 0; i < table.count; i++)
        printf("  %-8s %s\n", commands[i].name, commands[i].summary);
    fputs(
        "  help     show this, or the help of one command\n"
        "\n"
        "Without a command, `sort' is meant: `gpusort FILE' sorts FILE. A file that has\n"
        "the name of a command is written ./NAME.\n"
        "\n"
        "  --help     show this help and stop\n"
        "  --version  show the version and stop\n"
        "\n"
        "`gpusort help sort' lists the options of sort.\n",
        stdout);
    return gs_stdout_close(GS_EXIT_GOOD);
}

static int print_version(void)
{
    fputs("gpusort " GS_VERSION "\n", stdout);
    return gs_stdout_close(GS_EXIT_GOOD);
}

/* "help NAME", or "help NAME PART" of a command that has commands of its own. */
static int help_on(const char *name, char *part)
{
    const gs_command *const c = gs_command_find(&table, name);
    if (strcmp(name, "help") == 0)
        return print_help();
    if (!c)
        gs_command_refuse(&table, "command", name);
    char first[] = "";
    char option[] = "--help";
    char *argv[] = {first, part ? part : option, part ? option : NULL, NULL};
    return gs_command_run(&table, c, part ? 3 : 2, argv);
}

/* For a word that is no command, `sort` says that there is no such file. If the word
 * is nearly a command, the message names that too. */
static bool is_misspelt(const char *word)
{
    return word[0] != '-' && word[0] != '+' &&
           gs_command_close_to(&table, word) != NULL && access(word, F_OK) != 0 &&
           errno == ENOENT;
}

int main(int argc, char **argv)
{
    guard_standard_files();
    live_within_limits();
    gs_signals_install();
    if (gs_report_is_plain_sort())
        return cmd_sort(argc, argv);
    char name[] = "gpusort";
    program_invocation_name = name;
    if (argc < 2)
        return cmd_sort(argc, argv);

    const char *word = argv[1];
    if (strcmp(word, "help") == 0)
        return argc > 2 ? help_on(argv[2], argv[3]) : print_help();
    if (argc == 2 && strcmp(word, "--help") == 0)
        return print_help();
    if (argc == 2 && strcmp(word, "--version") == 0)
        return print_version();
    const gs_command *const c = gs_command_find(&table, word);
    if (!c && is_misspelt(word))
        gs_command_refuse(&table, "command or file", word);
    return c ? gs_command_run(&table, c, argc - 1, argv + 1) : cmd_sort(argc, argv);
}
