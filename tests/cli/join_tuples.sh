#!/bin/bash
# SPDX-License-Identifier: MIT
# Joins of binary tuples: fields of every kind, keys with zero bytes, floats that are equal
# though their bytes are not, what is missing, and what is said to what will not do.
. "$GS_CLI/try.inc"
python3 - <<'end'
import struct
nan = struct.pack("<d", float("nan"))
other_nan = b"\1" + nan[1:]
floats = [struct.pack("<d", x) for x in (0.0, -1.5, 0.1)] + [nan]
doubles = [struct.pack("<d", x) for x in (-0.0, 0.1, 1e300)] + [other_nan]
open("f1", "wb").write(b"".join(f + struct.pack("<h", i) for i, f in enumerate(floats)))
open("f2", "wb").write(b"".join(doubles))
open("b1", "wb").write(b"a\0b\0\0ab\0")
open("b2", "wb").write(b"\0\0b\0a\0xa")
open("i1", "wb").write(struct.pack("<4Q", 0, 5, 1 << 63, 255))
open("i2", "wb").write(struct.pack(">5b", 0, -1, 5, 6, -128))
open("part", "wb").write(b"12345678123")
open("one", "wb").write(struct.pack("<d", 1.0))
open("nan_then_part", "wb").write(struct.pack("<131071d", *range(131071)) + nan + b"123")
open("big", "wb").write(b"".join(struct.pack(">I", i * 7919 % 100000) for i in range(100000)))
end
: >empty
try_lines <<'end'
gpusort join --binary=f64,i16:f64 --text -a 1 -a 2 -e - f1 f2
gpusort join --binary=f64,i16:f64 -a 1 f1 f2 | od -An -tx1 -w10
gpusort join --binary=f64,i16:f64 -v 2 f1 f2 | od -An -tf8 -w8
gpusort join --binary=f64,i16:f64 --skip-bad --band=0:.1 --text -t, f1 f2
gpusort join --binary=f64,i16:f64 --band=0:.1 f1 f2
gpusort join --binary=b2 b1 b2 | od -An -c -w2
gpusort join --binary=b1,b1 -j 2 -o 1.1,0,2.1 b1 b2 | od -An -c -w3
gpusort join --binary=u64:i8 -o 1.1,2.1 i1 i2 | od -An -tx1 -w9
gpusort join --binary=u64:i8 --text -a 1 -a 2 i1 i2
gpusort join --binary=u64:i8 -a 2 i1 i2
gpusort join --binary=u64:i8 -v 2 i1 i2 | od -An -td1 -w1
gpusort join --binary=u64:i8 -v 2 -o 0,1.1 i1 i2 | od -An -tx1 -w9
gpusort join --binary=u64:i8 -a 2 -o 2.1,1.1 i1 i2 | od -An -tx1 -w9
gpusort join --binary=u64:i8 --band=0:1 --text i1 i2
gpusort join --binary=u64:i8 --skip-bad --band=0:1 -a 2 i1 i2 | od -An -tx1 -w9
gpusort join --binary=u64:i8 --skip-bad --semi --gt --text i1 i2
gpusort join --binary=u64:i8 --anti i1 - <i2 | od -An -tu8
gpusort join --binary=u64:i8 -a 1 i1 empty | od -An -tu8
gpusort join --binary=u32be big big | cmp - <(gpusort --record-size=4 big) && echo same
gpusort join --binary=u32be --text --band=1:1 -S 1M big big | awk '$2 != $1 + 1 || NR != $1 + 1' | wc -l
gpusort join --binary=u32be --text -z empty big
gpusort join --binary=u64 part i1
gpusort join --binary=u64 i1 part
gpusort join --binary=u64 -S 1M --band=0:0 i1 part
for n in 1 2 4; do gpusort join --binary=f64 --parallel=$n --gt nan_then_part one; done 2>&1 | sort | uniq -c
gpusort join --binary=u64:u24 i1 i2
gpusort join --binary=u64,:u8 i1 i2
gpusort join --binary= i1 i2
gpusort join --binary=f16 i1 i2
gpusort join --binary=b0 i1 i2
gpusort join --binary=b2000000 i1 i2
gpusort join --binary=b1048576,u8 i1 i2
gpusort join --binary=b8le i1 i2
gpusort join --binary=u8:u8:u8 i1 i2
gpusort join --binary=u8 -1 2 i1 i2
gpusort join --binary=u8 -o 1.1,2.7 i1 i2
gpusort join --binary=u64:f64 i1 f2
gpusort join --binary=b1:b2 i1 i2
gpusort join --binary=b1 --le i1 i2
gpusort join --binary=u8 --header i1 i2
gpusort join --binary=u8 --csv i1 i2
gpusort join --binary=u8 -i i1 i2
gpusort join --binary=u8 -o auto i1 i2
gpusort join --binary=u8 -t, i1 i2
gpusort join --binary=u8 -e 0 i1 i2
gpusort join --binary=u8 -z i1 i2
gpusort join --text i1 i2
gpusort join --binary=u8 --binary=u16 i1 i2
end
