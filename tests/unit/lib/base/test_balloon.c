/* SPDX-License-Identifier: MIT */
/* balloon: of a machine's devices only a balloon counts that is told of free pages, and
 * what cannot be read is none. Machines are made of plain files. */
#include "lib/base/balloon.h"

#include <stdio.h>
#include <string.h>

#include "tests/check.h"
#include "tests/told_machine.h"

static void put_of(const char *device, const char *name, const char *text)
{
    char path[256];
    (void)snprintf(path, sizeof path, "/sys/bus/virtio/devices/%s/%s", device, name);
    told_machine_put(path, text);
}

static void put_device(const char *device, const char *number, const char *features)
{
    put_of(device, "device", number);
    put_of(device, "features", features);
}

static void no_virtual_machine(void)
{
    told_machine_new();
    CHECK(!gs_balloon_takes_free_memory(told_machine_root));
}

static void others_do_not_count(void)
{
    told_machine_new();
    put_device("virtio0", "0x0002\n", "1111111111111111\n"); /* a disk */
    put_device("virtio1", "0x0005\n", "1110101111111111\n"); /* all but that */
    CHECK(!gs_balloon_takes_free_memory(told_machine_root));
    put_device("virtio2", "0x0005\n", "0110010100000000\n");
    CHECK(gs_balloon_takes_free_memory(told_machine_root));
}

static void what_cannot_be_read(void)
{
    told_machine_new();
    put_of("virtio0", "features", "0110010100000000\n"); /* of what? */
    put_of("virtio1", "device", "0x0005\n");
    put_device("virtio2", "0x0005\n", "");
    put_device("virtio3", "0x0005\n", "01100\n");
    put_device("virtio4", "", "0110010100000000\n");
    CHECK(!gs_balloon_takes_free_memory(told_machine_root));
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
