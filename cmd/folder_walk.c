/* SPDX-License-Identifier: MIT */
#include "cmd/folder_walk.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/opt_kinds.h"
#include "cmd/report.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"

/* What is being made of the inputs. */
typedef struct walker {
    gs_folder_walk *walk;
    const char **inputs;
    unsigned char *is_found;
    size_t count;
    bool has_avoided;
    struct stat avoided;
} walker;

static void add_input(walker *w, const char *name, bool is_found)
{
    w->inputs = gs_args_grow(w->inputs, w->count, sizeof *w->inputs);
    w->is_found = gs_args_grow(w->is_found, w->count, sizeof *w->is_found);
    w->inputs[w->count] = name;
    w->is_found[w->count++] = is_found;
}

/* The name of something in a folder, which the walk keeps or the caller frees. */
static char *join(const char *folder, const char *name)
{
    const size_t a = strlen(folder), b = strlen(name);
    const bool has_slash = a > 0 && folder[a - 1] == '/';
    gs_status st = {.code = GS_OK};
    char *path = NULL;
    if (gs_mem_new(&path, a + b + 2, "names of files", &st) != GS_OK) {
        gs_report_status(&st, false);
        exit(GS_EXIT_TROUBLE);
    }
    (void)snprintf(path, a + b + 2, "%s%s%s", folder, has_slash ? "" : "/", name);
    return path;
}

static _Noreturn void fail(const char *folder, int error)
{
    gs_quoted q;
    gs_die(error, "cannot read folder: %s", gs_quote_name(&q, folder));
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* What is in a folder, sorted, but for what is hidden. */
static char **list_folder(walker *w, const char *folder, size_t *count)
{
    char **paths = NULL;
    DIR *const dir = opendir(folder);
    *count = 0;
    if (dir == NULL)
        fail(folder, errno);
    for (;;) {
        errno = 0;
        const struct dirent *const entry = readdir(dir);
        if (entry == NULL && errno != 0)
            fail(folder, errno);
        if (entry == NULL)
            break;
        const char *const name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            continue;
        if (*name == '.') {
            w->walk->hidden++;
            continue;
        }
        paths = gs_args_grow(paths, *count, sizeof *paths);
        paths[(*count)++] = join(folder, name);
    }
    (void)closedir(dir);
    if (*count > 0)
        qsort(paths, *count, sizeof *paths, compare_names);
    return paths;
}

static void keep_file(walker *w, char *path)
{
    gs_folder_walk *const walk = w->walk;
    walk->names = gs_args_grow(walk->names, walk->count, sizeof *walk->names);
    walk->names[walk->count++] = path;
    add_input(w, path, true);
}

/* No deeper than names may be long. */
static void walk_folder(walker *w, const char *folder)
{
    size_t count;
    char **const paths = list_folder(w, folder, &count);
    w->walk->folders++;
    for (size_t i = 0; i < count; i++) {
        struct stat info;
        if (lstat(paths[i], &info) != 0)
            fail(paths[i], errno);
        if (S_ISREG(info.st_mode)) {
            keep_file(w, paths[i]);
            continue;
        }
        const bool is_avoided = w->has_avoided && info.st_ino == w->avoided.st_ino &&
                                info.st_dev == w->avoided.st_dev;
        if (S_ISLNK(info.st_mode))
            w->walk->links++;
        else if (!S_ISDIR(info.st_mode))
            w->walk->odd++;
        else if (!is_avoided)
            walk_folder(w, paths[i]);
        gs_mem_free(paths[i]);
    }
    gs_mem_free(paths);
}

/* Looks at a name; false if nothing is there, which those say who read it. */
static bool look(const char *name, struct stat *info)
{
    gs_quoted q;
    if (stat(name, info) == 0)
        return true;
    if (errno != ENOENT && errno != ENOTDIR)
        gs_die(errno, "cannot read: %s", gs_quote_name(&q, name));
    return false;
}

static bool is_folder(const char *name)
{
    struct stat info;
    return strcmp(name, "-") != 0 && look(name, &info) && S_ISDIR(info.st_mode);
}

void gs_folder_walk_inputs(gs_folder_walk *walk, const char ***inputs, size_t *count,
                           const char *avoided, unsigned char **is_found)
{
    size_t first = 0;
    while (first < *count && !is_folder((*inputs)[first]))
        first++;
    *is_found = NULL;
    if (first == *count)
        return;
    walker w = {.walk = walk};
    w.has_avoided = look(avoided, &w.avoided);
    for (size_t i = 0; i < *count; i++) {
        if (is_folder((*inputs)[i]))
            walk_folder(&w, (*inputs)[i]);
        else
            add_input(&w, (*inputs)[i], false);
    }
    if (w.count == 0)
        gs_die(0, "no files in the folders named");
    gs_mem_free(*inputs);
    *inputs = w.inputs;
    *count = w.count;
    *is_found = w.is_found;
}

void gs_folder_walk_release(gs_folder_walk *walk)
{
    for (size_t i = 0; i < walk->count; i++)
        gs_mem_free(walk->names[i]);
    gs_mem_free(walk->names);
    *walk = (gs_folder_walk){0};
}
