#!/bin/bash
# SPDX-License-Identifier: MIT
# However many threads read, the first malformed line is the one that is told, and with
# --skip-bad the first ten, in their order.
seq 400000 | awk '{ print "w" $1 % 1000 "\t" ($1 % 9001 == 8000 ? "-" : "") $1 }' >in.tuples
seq 400000 | awk '{ print $1 ($1 % 9001 == 8000 ? " " : "\t") "w" $1 % 1000 }' >in.tsv
for format in tuples tsv; do
    for options in '-S 64M' '-S 1b' '-S 1b --method=bsbi'; do
        for threads in 1 2 7; do
            gpusort index build -o i --format=$format $options --parallel=$threads in.$format
            gpusort index build -o i --format=$format $options --parallel=$threads --skip-bad \
                --replace in.$format && gpusort index dump i | md5sum
            rm -rf i
        done 2>&1
    done
done | sort | uniq -c | sed 's/^ *//'
