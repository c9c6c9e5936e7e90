#!/bin/bash
# SPDX-License-Identifier: MIT
# Little input is sorted without asking the machine what it has; what looks little and is
# not is sorted as ever. From files and pipes, as it is and packed, by whatever options.
export LC_ALL=C
gpusort gen lines --bytes=300K --seed=7 >all
for bytes in 0 1 2 99 6400 65535 65536 65537 70000 131072 300000; do
    head -c $bytes all >some
    sort some >expected
    gpusort some | cmp - expected && cat some | gpusort | cmp - expected || echo "$bytes"
    (head -c 5000 some; sleep 0.01; tail -c +5001 some) | gpusort | cmp - expected || echo "slow $bytes"
    zstd -qc some | gpusort | cmp - expected || echo "packed $bytes"
    gzip -c some >some.gz && gpusort some.gz | cmp - expected || echo "packed file $bytes"
done
head -c 60000 all >some
for options in -r -u -n '-k2,2' '-s -f' '-S 1M' '-S 10K' '--parallel=4' '-R --random-source=all' -z; do
    sort $options some >expected 2>/dev/null
    gpusort sort $options some | cmp - expected || echo "file $options"
    gpusort sort $options <some | cmp - expected || echo "regular standard input $options"
    cat some | gpusort sort $options | cmp - expected || echo "pipe $options"
done
# A little file that unpacks to much, and files of the kernel, which have no size.
gpusort gen lines --bytes=64K --seed=8 >one
for _ in {1..200}; do cat one; done >many
zstd -q -19 many -o many.zst && [ "$(stat -c %s many.zst)" -lt 65536 ] || echo 'it is large'
sort many >expected
gpusort many.zst | cmp - expected
gpusort <many.zst | cmp - expected
cat many.zst | gpusort | cmp - expected
gpusort /proc/self/status | wc -l | grep -qx 0 && echo 'nothing in /proc'
# Many little files are not.
split -n l/12 all part. && sort all >expected && gpusort part.* | cmp - expected
gpusort sort --verify --stats=stats one -o out && sort one | cmp - out && grep -o '"verified": "[^"]*"' stats
(ulimit -v 200000 && gpusort one) | cmp - out
echo done
