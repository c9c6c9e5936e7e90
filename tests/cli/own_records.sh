#!/bin/bash
# SPDX-License-Identifier: MIT
# Fixed-size records and the types of their keys.
. "$GS_CLI/try.inc"
show() { od -An -v -tx1 -w"$1"; }
try "printf '\\003\\000a\\001\\000c\\002\\001b' | gpusort --record-size=3 | od -An -tx1 -w3"
try "printf '\\003\\000a\\001\\000c\\002\\001b' | gpusort --record-size=3 -r | od -An -tx1 -w3"
try "printf '\\003\\000a\\001\\000c\\002\\001b' | gpusort --record-size=3 --key-bytes=0:2:ule | od -An -tx1 -w3"
try "printf '\\003\\000a\\001\\000c\\002\\001b' | gpusort --record-size=3 --key-bytes=0:2:uler | od -An -tx1 -w3"
try "printf '\\003\\000a\\001\\000c\\002\\001b' | gpusort --record-size=3 --key-bytes=0:2:ule:r | od -An -tx1 -w3"
try "printf '\\003\\000a\\001\\000c\\002\\001b' | gpusort --record-size=3 --key-bytes=2:1 | od -An -tx1 -w3"
try "printf '\\003\\000a\\001\\000c\\002\\001b' | gpusort --record-size=3 --key-bytes=2:1:bytes:r | od -An -tx1 -w3"
try "printf '\\003\\000a\\001\\000c\\002\\001b' | gpusort --record-size=3 --key-bytes=2:1 -r | od -An -tx1 -w3"
try "printf '\\001\\377\\000\\200' | gpusort --record-size=1 --key-bytes=0:1:i | od -An -tx1 -w1"
try "printf '\\001\\377\\000\\200' | gpusort --record-size=1 --key-bytes=0:1:u | od -An -tx1 -w1"
try "printf '\\377\\376\\000\\001\\200\\000\\177\\377' | gpusort --record-size=2 --key-bytes=0:2:ibe | od -An -tx1 -w2"
try "printf '\\377\\376\\000\\001\\200\\000\\177\\377' | gpusort --record-size=2 --key-bytes=0:2:ile | od -An -tx1 -w2"
# 1.0, -1.0, 0.5, -2.0 as big-endian floats
try "printf '\\077\\200\\000\\000\\277\\200\\000\\000\\077\\000\\000\\000\\300\\000\\000\\000' | gpusort --record-size=4 --key-bytes=0:4:fbe | od -An -tx1 -w4"
try "printf '\\077\\200\\000\\000\\277\\200\\000\\000\\077\\000\\000\\000\\300\\000\\000\\000' | gpusort --record-size=4 --key-bytes=0:4:fbe:r | od -An -tx1 -w4"
try "printf 'b1a1b0a0' | gpusort --record-size=2 --key-bytes=1:1 --key-bytes=0:1:r"
echo
try "printf 'b1a1b0a1' | gpusort --record-size=2 --key-bytes=0:1 -u"
echo
try "printf 'b1a1b0a0' | gpusort --record-size=2 --key-bytes=0:1 -s"
echo
try "printf 'b1a1b0a0' | gpusort --record-size=2 --top=2"
echo
try "printf 'a0a1b0b1' | gpusort --record-size=2 -c"
try "printf 'a0' > p; printf 'a1b0' > q; gpusort --record-size=2 -m p q"
echo
try "printf '' | gpusort --record-size=2"
