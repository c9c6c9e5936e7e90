/* SPDX-License-Identifier: MIT */
/*
 * gpusort device: what this machine offers, what would be used, and why not if not.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "cmd/opt_kinds.h"
#include "cmd/report.h"
#include "lib/base/quote.h"
#include "lib/base/temp_folder.h"
#include "lib/gpusort.h"

enum { TEXT_BYTES = 8192 };

static const char usage_text[] =
    "Usage: gpusort device [-T DIR]\n"
    "Show the processor, memory, I/O path and GPUs that a sort would use here.\n"
    "\n"
    "  -T, --temporary-directory=DIR  look at DIR instead of $TMPDIR or /tmp\n"
    "  -h, --help                     show this help and stop\n"
    "      --version                  show the version and stop\n";

static double mebibytes(size_t bytes)
{
    return (double)bytes / 1048576.0;
}

static void print_build(const gpusort_machine *m)
{
    struct utsname system;
    if (uname(&system) == 0)
        printf("system      %s %s, %s\n", system.sysname, system.release, system.machine);
    printf("build       gpusort %s, liburing %s, CUDA %s\n", gpusort_version(),
           m->has_liburing ? "compiled in" : "not compiled in",
           m->has_cuda ? "compiled in" : "not compiled in");
}

static void print_cpu_features(void)
{
    printf("features    ");
#if defined(__x86_64__)
    __builtin_cpu_init();
    const struct {
        const char *name;
        int is_there;
    } features[] = {
        {"sse4.2", __builtin_cpu_supports("sse4.2")},
        {"avx2", __builtin_cpu_supports("avx2")},
        {"bmi2", __builtin_cpu_supports("bmi2")},
        {"avx512f", __builtin_cpu_supports("avx512f")},
        {"avx512bw", __builtin_cpu_supports("avx512bw")},
        {"avx512vl", __builtin_cpu_supports("avx512vl")},
        {"avx512vbmi2", __builtin_cpu_supports("avx512vbmi2")},
    };
    const char *space = "";
    for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
        if (!features[i].is_there)
            continue;
        printf("%s%s", space, features[i].name);
        space = " ";
    }
    puts(*space ? "" : "x86-64 and no more");
#elif defined(__aarch64__)
    puts("neon");
#else
    puts("none known");
#endif
}

static void print_machine(const gpusort_machine *m)
{
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    printf("cores       %u of %ld, after affinity and cgroup quota\n", m->cores, online);
    print_cpu_features();
    printf("memory      %.0f MiB in all, %.0f MiB available to this process\n",
           mebibytes(m->memory_bytes), mebibytes(m->available_bytes));
    printf("a sort      %.0f MiB without -S, %u threads without --parallel\n",
           mebibytes(m->sort_bytes), m->threads);
}

static void print_io(const gpusort_machine *m, const char *folder)
{
    if (m->uring_refusal != NULL)
        printf("I/O         threads, because io_uring: %s\n", m->uring_refusal);
    else
        puts("I/O         io_uring");

    gs_quoted q;
    gs_quote_name(&q, folder);
    const int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0 && errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL) {
        printf("temporary   %s: %s\n", q.text, strerror(errno));
        return;
    }
    const bool is_direct = fd >= 0 && fcntl(fd, F_SETFL, O_DIRECT) == 0;
    printf("temporary   %s: %s, %s\n", q.text,
           fd >= 0 ? "nameless files" : "files unlinked at once",
           is_direct ? "O_DIRECT" : "through the page cache, no O_DIRECT");
    if (fd >= 0)
        close(fd);
}

static void print_gpus(void)
{
    char text[TEXT_BYTES];
    (void)gpusort_gpus(text, sizeof text);
    /* The first line beside the label, the others below it. */
    const char *label = "GPU         ";
    char *save = NULL;
    for (char *line = strtok_r(text, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save)) {
        const char *rest = strncmp(line, "gpu", 3) == 0 ? line + 3 : line;
        printf("%s%s\n", label, rest + strspn(rest, ": "));
        label = "            ";
    }
}

int cmd_device(int argc, char **argv)
{
    gpusort_machine machine = {.size = sizeof machine};
    const char *folder = gs_temp_folder();
    const gs_opt options[] = {
        {'T', "temporary-directory", GS_OPT_TEXT(&folder)},
    };
    gs_opt_parse(argc, argv, usage_text, GS_COUNTED(options));
    gpusort_machine_describe(&machine);
    print_build(&machine);
    print_machine(&machine);
    print_io(&machine, folder);
    print_gpus();
    return gs_stdout_close(GS_EXIT_GOOD);
}
