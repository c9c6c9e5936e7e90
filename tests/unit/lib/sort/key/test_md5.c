/* SPDX-License-Identifier: MIT */
/* md5: -R's order is defined by it; RFC 1321's own test suite, cut in two at every place.
 */
#include "lib/sort/key/md5.h"

#include <string.h>

#include "tests/check.h"

static void digest_is(const char *text, const char *hex)
{
    const size_t n = strlen(text);
    for (size_t cut = 0; cut <= n; cut++) {
        uint8_t digest[GS_MD5_BYTES];
        char got[2 * GS_MD5_BYTES + 1] = "";
        gs_md5_of_two((const uint8_t *)text, cut, (const uint8_t *)text + cut, n - cut,
                      digest);
        for (size_t i = 0; i < GS_MD5_BYTES; i++)
            (void)snprintf(got + 2 * i, 3, "%02x", digest[i]);
        CHECK(strcmp(got, hex) == 0);
    }
}

int main(void)
{
    digest_is("", "d41d8cd98f00b204e9800998ecf8427e");
    digest_is("a", "0cc175b9c0f1b6a831c399e269772661");
    digest_is("abc", "900150983cd24fb0d6963f7d28e17f72");
    digest_is("message digest", "f96b697d7cb7938d525a2f31aaf161d0");
    digest_is("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b");
    digest_is(
        "12345678901234567890123456789012345678901234567890123456789012345678901234567"
        "890",
        "57edf4a22be3c955ac49da2e2107b67a");
    return check_result();
}
