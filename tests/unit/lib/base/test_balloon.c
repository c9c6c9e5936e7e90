/* SPDX-License-Identifier: MIT */
/* balloon: of a machine's devices only a balloon counts that is told of free pages, and
 * what cannot be read is none. Machines are made of plain files. */
#include "lib/base/balloon.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/check.h"

static char root[64]; /* of the machine that is told about; a new one each time */

static void begin(void)
{
    static unsigned number;
    (void)snprintf(root, sizeof root, "machine%u", number++);
    REQUIRE(mkdir(root, 0700) == 0);
}

static void put(const char *device, const char *name, const char *text)
{
    static const char *const folders[] = {"/sys", "/bus", "/virtio", "/devices"};
    char path[512];
    size_t n = (size_t)snprintf(path, sizeof path, "%s", root);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        n += (size_t)snprintf(path + n, sizeof path - n, "%s", folders[i]);
        (void)mkdir(path, 0700);
    }
    n += (size_t)snprintf(path + n, sizeof path - n, "/%s", device);
    (void)mkdir(path, 0700);
    (void)snprintf(path + n, sizeof path - n, "/%s", name);
    FILE *const f = fopen(path, "w");
    REQUIRE(f != NULL && fputs(text, f) >= 0 && fclose(f) == 0);
}

static void put_device(const char *device, const char *number, const char *features)
{
    put(device, "device", number);
    put(device, "features", features);
}

static void no_virtual_machine(void)
{
    begin();
    CHECK(!gs_balloon_takes_free_memory(root));
}

static void others_do_not_count(void)
{
    begin();
    put_device("virtio0", "0x0002\n", "1111111111111111\n"); /* a disk */
    put_device("virtio1", "0x0005\n", "1110101111111111\n"); /* all but that */
    CHECK(!gs_balloon_takes_free_memory(root));
    put_device("virtio2", "0x0005\n", "0110010100000000\n");
    CHECK(gs_balloon_takes_free_memory(root));
}

static void what_cannot_be_read(void)
{
    begin();
    put("virtio0", "features", "0110010100000000\n"); /* of what? */
    put("virtio1", "device", "0x0005\n");
    put_device("virtio2", "0x0005\n", "");
    put_device("virtio3", "0x0005\n", "01100\n");
    put_device("virtio4", "", "0110010100000000\n");
    CHECK(!gs_balloon_takes_free_memory(root));
}

static void a_name_too_long(void)
{
    char far[600];
    memset(far, 'x', sizeof far - 1);
    far[sizeof far - 1] = '\0';
    CHECK(!gs_balloon_takes_free_memory(far));
}

int main(void)
{
    no_virtual_machine();
    others_do_not_count();
    what_cannot_be_read();
    a_name_too_long();
    return check_result();
}
