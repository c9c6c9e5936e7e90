#!/bin/bash
# SPDX-License-Identifier: MIT
# -o over a file that another file cannot stand for: it keeps its owner, access list
# and attributes.
. "$GS_CLI/try.inc"
[ "$(id -u)" = 0 ] || exit 77
umask 022
make_files
chmod 777 .
mkdir sticky own
chmod 1777 sticky
for name in theirs sticky/theirs group bits listed named; do
    printf 'b 2\na 10\n' >$name
done
chmod 666 theirs sticky/theirs
chown 65534:0 group
chown 65534:65534 bits
chmod 6755 bits
python3 - <<'X' || exit 77
import os, struct
entries = (1, 6, 2**32 - 1), (2, 4, 65534), (4, 4, 2**32 - 1), (16, 4, 2**32 - 1), (32, 0, 2**32 - 1)
try:
    os.setxattr("listed", "system.posix_acl_access",
                struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries))
    os.setxattr("named", "user.colour", b"red")
except OSError:
    raise SystemExit(1)
X
cp "$(command -v sort)" program # our folder is closed to others, but for those within
as_nobody() {
    python3 -c 'import os, sys
os.setgroups([]), os.setgid(65534), os.setuid(65534)
os.execv("program", ["sort"] + sys.argv[1:])' "$@"
}
try_lines <<'X'
as_nobody -o theirs theirs; stat -c %u:%g:%a theirs; cat theirs
as_nobody -o sticky/theirs sticky/theirs; stat -c %u:%g:%a sticky/theirs; cat sticky/theirs
as_nobody -o group group; stat -c %u:%g:%a group; cat group
as_nobody -o bits bits; stat -c %u:%g:%a bits; cat bits
as_nobody -o own/new theirs
sort -o group group; stat -c %u:%g:%a group
sort -o listed listed; as_nobody listed
sort -o named named; python3 -c 'import os; print(os.getxattr("named", "user.colour"))'
ls
X
