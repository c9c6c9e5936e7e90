#!/bin/bash
# SPDX-License-Identifier: MIT
# --top of what was spilled: the first lines are found on all cores, in rounds of ranges
# that surely hold no more, also where equals are dropped and few lines are many times there.
gpusort gen lines --bytes=12000000 --seed=7 -o lines
seq 700000 | sed 's/..$//' >thrice # every line up to a hundred times
{ cat lines thrice; for i in 1 2 3 4; do seq 20000; done; } >mixed
same() { # FILE OPTION...
    local file=$1
    shift
    gpusort "$@" $file >all
    for top in 5000 60000 140000; do
        gpusort -S 1M --parallel=3 --top=$top "$@" $file >got
        head -n $top all | cmp - got || echo "--top=$top $* $file: not the first"
    done
}
same lines
same lines -r
same thrice -u
same mixed --count
same mixed -r -k1.2,1.4 -s
same mixed -n -r
gpusort -S 1M --parallel=3 --top=140000 lines --stats=stats >/dev/null
grep -q '"runs": [1-9]' stats || echo 'nothing was spilled'
