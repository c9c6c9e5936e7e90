/* SPDX-License-Identifier: MIT */
/* md5: -R's order is defined by it. RFC 1321's own test suite, and lengths around a block
 * that the RFC does not try. */
#include "lib/encode/md5.h"

#include <string.h>

#include "tests/check.h"

static void digest_is(const char *text, size_t repeats, const char *hex)
{
    gs_md5 m;
    gs_md5_begin(&m);
    for (size_t r = 0; r < repeats; r++) {
        for (const char *p = text; *p != '\0'; p++)
            gs_md5_put(&m, (uint8_t)*p);
    }
    gs_md5_end(&m);
    char got[2 * GS_MD5_BYTES + 1] = "";
    for (unsigned i = 0; i < GS_MD5_BYTES; i++)
        (void)snprintf(got + 2 * i, 3, "%02x", gs_md5_byte(&m, i));
    CHECK(strcmp(got, hex) == 0);
}

int main(void)
{
    digest_is("", 1, "d41d8cd98f00b204e9800998ecf8427e");
    digest_is("a", 1, "0cc175b9c0f1b6a831c399e269772661");
    digest_is("abc", 1, "900150983cd24fb0d6963f7d28e17f72");
    digest_is("message digest", 1, "f96b697d7cb7938d525a2f31aaf161d0");
    digest_is("abcdefghijklmnopqrstuvwxyz", 1, "c3fcd3d76192e4007dfb496cca67e13b");
    digest_is("1234567890", 8, "57edf4a22be3c955ac49da2e2107b67a");
    digest_is("x", 55, "04364420e25c512fd958a70738aa8f72");
    digest_is("x", 56, "668a72d5ba17f08e62dabcafad6db14b");
    digest_is("x", 57, "693037871c4a9d3d8685018905cb530a");
    digest_is("x", 63, "7dc2ca208106a2f703567bdff99d8981");
    digest_is("x", 64, "c1bb4f81d892b2d57947682aeb252456");
    digest_is("x", 65, "1bc932052302d074bdec39795fe00cf6");
    digest_is("x", 119, "ab347a5f68c8a443cfcddc633f12c24f");
    digest_is("x", 120, "fb98667f98096de92620b64f46e1c5b5");
    digest_is("x", 128, "d69cb61a6ee87200676eb0d4b90edbcb");
    digest_is("x", 1000, "398533d48111e9f664b1f64cb10c4b63");
    return check_result();
}
