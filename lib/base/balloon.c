/* SPDX-License-Identifier: MIT */
#include "lib/base/balloon.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BALLOON = 5,        /* the device's number */
    TOLD_OF_FREE_AT = 5 /* among the features that it has agreed to */
};

/* The first line of a device's file; nothing of one that cannot be read. */
static void read_line(const char *folder, const char *device, const char *name,
                      char *line, int capacity)
{
    char path[1024];
    line[0] = '\0';
    const int n = snprintf(path, sizeof path, "%s/%s/%s", folder, device, name);
    FILE *const f = n > 0 && (size_t)n < sizeof path ? fopen(path, "re") : NULL;
    if (f == NULL)
        return;
    if (fgets(line, capacity, f) == NULL)
        line[0] = '\0';
    (void)fclose(f);
}

/* Features are digits, the lowest one first. */
static bool is_told_of_free(const char *folder, const char *device)
{
    char number[32], features[256];
    read_line(folder, device, "device", number, sizeof number);
    if (strtoul(number, NULL, 0) != BALLOON)
        return false;
    read_line(folder, device, "features", features, sizeof features);
    return strspn(features, "01") > TOLD_OF_FREE_AT && features[TOLD_OF_FREE_AT] == '1';
}

bool gs_balloon_takes_free_memory(const char *root)
{
    char folder[512];
    const int n = snprintf(folder, sizeof folder, "%s/sys/bus/virtio/devices", root);
    DIR *const devices = n > 0 && (size_t)n < sizeof folder ? opendir(folder) : NULL;
    bool takes = false;
    if (devices == NULL)
        return false;
    for (const struct dirent *d; !takes && (d = readdir(devices)) != NULL;)
        takes = d->d_name[0] != '.' && is_told_of_free(folder, d->d_name);
    (void)closedir(devices);
    return takes;
}
