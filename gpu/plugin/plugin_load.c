/* SPDX-License-Identifier: MIT */
/*
 * Finds the plugin. It is opened where there is a GPU it could be for; so a machine
 * without one never looks for it. What it says must fit: it is of this very build.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/plugin/gpu_calls.h"

static const char no_cuda[] = "this build has no GPU engines (CUDA=0)";

/* Set once. */
static struct {
    pthread_once_t once;
    const gs_gpu_table *table;
    char why[256]; /* there is none */
} plugin = {.once = PTHREAD_ONCE_INIT};

#if GS_HAVE_PLUGIN
/* A file that somebody names is taken at once; programs with more rights than their
 * caller have none named. */
static const char *find_file(void)
{
    const char *const named = secure_getenv("GPUSORT_GPU_LIBRARY");
    if (named != NULL)
        return named;
    return gs_device_has_driver() ? GS_GPU_PLUGIN_FILE : NULL;
}

static void load(void)
{
    const char *const file = find_file();
    (void)snprintf(plugin.why, sizeof plugin.why, "%s", no_cuda);
    void *const opened = file != NULL ? dlopen(file, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (file == NULL)
        return;
    if (opened == NULL) {
        (void)snprintf(plugin.why, sizeof plugin.why, "%s, and %s", no_cuda, dlerror());
        return;
    }
    const gs_gpu_table *const table = dlsym(opened, GS_GPU_TABLE_NAME);
    if (table == NULL || strcmp(table->version, GS_VERSION) != 0 ||
        table->crossing != GS_GPU_CROSSING)
        (void)snprintf(plugin.why, sizeof plugin.why, "%s, and %s is not of this build",
                       no_cuda, file);
    else
        plugin.table = table;
}
#else
static void load(void)
{
    (void)snprintf(plugin.why, sizeof plugin.why, "%s", no_cuda);
}
#endif

const gs_gpu_table *gs_gpu_plugin(void)
{
    (void)pthread_once(&plugin.once, load);
    return plugin.table;
}

gs_code gs_gpu_refuse(gs_status *st)
{
    return GS_FAIL(st, GS_ERR_GPU, 0, "%s", plugin.why);
}

const char *gs_gpu_describe_none(char *text, size_t text_bytes)
{
    if (text_bytes != 0)
        (void)snprintf(text, text_bytes, "gpu: none, %s; the CPU engine sorts\n",
                       plugin.why);
    return text;
}
