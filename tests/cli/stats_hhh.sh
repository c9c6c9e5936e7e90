#!/bin/bash
# SPDX-License-Identifier: MIT
# gpusort stats hhh: prefixes of every hierarchy against a count of all of them.
. "$GS_CLI/try.inc"
cat >make.py <<'PY'
import ipaddress, random, sys
by, rows = sys.argv[1], int(sys.argv[2])
random.seed(by)
few = lambda: min(int(random.expovariate(.7)), 30)
for i in range(rows): # in all more than a window has, of values or of bytes
    if by == "ip" and i % 12 == 0:
        print(ipaddress.IPv6Address(sum(few() << 16 * k for k in range(8))))
    elif by == "ip":
        print(ipaddress.IPv4Address(sum(few() << 8 * k for k in range(4))))
    else:
        parts = [random.choice("abcdefghij") * 40 * (1 + few() % 3) for _ in range(random.randrange(1, 6))]
        if i % 97 == 0:
            parts *= 20
        print(("/" if by == "slash" and i % 2 else "") + ("/" if by == "slash" else ".").join(parts))
PY
cat >check.py <<'PY'
import collections, ipaddress, re, sys
by, values = sys.argv[1], open(sys.argv[2]).read().split("\n")[:-1]
def prefixes(v, step): # the longest first
    if by == "ip":
        address, _, bits = v.partition("/")
        address = ipaddress.ip_address(address)
        bits = int(bits or address.max_prefixlen)
        lengths = {bits} | set(range(step, bits, step))
        return [str(ipaddress.ip_network((address, b), strict=False)) for b in sorted(lengths, reverse=True)]
    if by == "domain":
        return ([v] + [v[m.end():] for m in re.finditer("[.]", v) if m.end() < len(v)])[-40:]
    cuts = [v[:m.start()] for m in re.finditer("/" if by == "slash" else "[.]", v) if m.start() > 0]
    return (cuts + [v])[:40][::-1]
counts, n, last = collections.Counter(values), len(values), 0
for at in range(3, len(sys.argv), 4):
    support, eps, step = float(sys.argv[at]), float(sys.argv[at + 1]), int(sys.argv[at + 2])
    if step != last:
        exact, last = collections.Counter(), step
        for v, c in counts.items():
            for p in prefixes(v, step):
                exact[p] += c
    got = {}
    for line in open(sys.argv[at + 3]):
        prefix, count, rest = line[:-1].split("\t")
        if by == "ip": # some write ::1:0 as ::0.1.0.0
            prefix = str(ipaddress.ip_network(prefix))
        got[prefix] = count, rest = int(count), int(rest)
        true = exact[prefix]
        if not true - eps * n <= count <= true or true < (support - eps) * n:
            print(by, prefix, count, "of", true)
    rests = {p: c for p, (c, r) in got.items()}
    for p, (c, r) in got.items():
        above = [q for q in prefixes(p, step)[1:] if q in got]
        if above:
            rests[above[0]] -= c
    for p, (c, r) in got.items():
        if r != max(0, rests[p]):
            print(by, p, "rest", r, rests[p])
    for p, true in exact.items():
        if true >= support * n and p not in got:
            print(by, p, "of", true, "is not there")
    order = [c for c, r in got.values()]
    if len(got) < 5 or order != sorted(order, reverse=True):
        print(by, "few, or in no order:", len(got))
PY
for by in dots slash domain ip; do
    rows=20000 times=1
    [ $by = ip ] && rows=67000
    [ -n "${GS_TEST_LONG:-}" ] ||
        case $by in ip) rows=6100 times=11 ;; dots) rows=5000 times=4 ;; *) rows=4000 ;; esac
    python3 make.py $by $rows >some
    for i in $(seq $times); do cat some; done >values
    for try in '0.02 0.01 8 got1' '0.001 0.0001 8 got2'; do
        set -- $try
        gpusort stats hhh --by=$by --support=$1 --eps=$2 --step=$3 values >$4
        gpusort stats hhh --by=$by --support=$1 --eps=$2 --step=$3 --parallel=1 <values | cmp - $4
    done
    python3 check.py $by values 0.02 0.01 8 got1 0.001 0.0001 8 got2
done
python3 make.py ip 3000 >values
gpusort stats hhh --by=ip --support=0.01 --step=12 values >got
python3 check.py ip values 0.01 0.001 12 got

printf '10.0.0.1 a\n10.0.0.2 b\n10.0.0.300 c\n' >log
try_lines <<'LINES'
gpusort stats hhh --by=ip -k 1 log
gpusort stats hhh --by=ip -k 1 --skip-bad log
gpusort stats hhh --by=ip --step=3 log
gpusort stats hhh --by=ports log
gpusort stats hhh --type=u64 log
printf 'a.b\na.c\n' | gpusort stats hhh --support=0.9 --json
printf 'a.b\na\n\n' | gpusort stats hhh --every=2
printf '.a.\n..a\na\n' | gpusort stats hhh --by=domain
gpusort stats hhh /dev/null
LINES
