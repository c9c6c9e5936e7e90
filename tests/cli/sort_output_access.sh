#!/bin/bash
# SPDX-License-Identifier: MIT
# -o in a folder that has an access list for new files: a new output gets it, one that is
# replaced keeps what it had, and nobody else comes to read it.
. "$GS_CLI/try.inc"
umask 022
cat >list.py <<'X'
import os, struct, sys
DEFAULT, ACCESS = "system.posix_acl_default", "system.posix_acl_access"
def listed(*entries):
    none = 2**32 - 1
    return struct.pack("<I", 2) + b"".join(
        struct.pack("<HHI", tag, mode, none if who is None else who) for tag, mode, who in entries)
if sys.argv[1] == "give":
    try:
        os.setxattr(sys.argv[2], DEFAULT, listed((1, 7, None), (2, 6, 65534), (4, 5, None),
                                                 (16, 7, None), (32, 0, None)))
    except OSError:
        raise SystemExit(77)
    raise SystemExit
for name in sys.argv[2:]:
    info = os.stat(name)
    try:
        data = os.getxattr(name, ACCESS)
        entries = [struct.unpack_from("<HH", data, at) for at in range(4, len(data), 8)]
    except OSError:
        entries = "no list"
    print(name, oct(info.st_mode & 0o7777), entries)
X
mkdir shared
printf 'b\na\n' >shared/before
printf 'b\na\n' >in
chmod 660 shared/before
python3 list.py give shared || exit 77
try_lines <<'X'
sort -o shared/new in; python3 list.py show shared/new
sort -o shared/before in; python3 list.py show shared/before
sort -o plain in; python3 list.py show plain
umask 077; sort -o shared/closed in; python3 list.py show shared/closed
X
