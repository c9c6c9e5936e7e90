#!/bin/bash
# SPDX-License-Identifier: MIT
# gpusort stats: a broken table is an error, in the words of a sort, and no answer.
. "$GS_CLI/try.inc"

printf 'size,v\n5"x,1\n6,2\n7,3\n8"y,4\n9,5\n' >opens.csv
printf 'size,v\n5,1\n6,"2\n7,3\n' >unclosed.csv
printf 'size,v\n5,1\n6,"2"x\n7,3\n' >behind.csv
printf 'size,v\n5,1\n"6\n"x,2\n7,3\n' >two_lines.csv
printf 'si"ze,v\n5,1\n' >header.csv
printf 'size,v\n5,1\n' >good.csv
printf 'size,v\n"5","1"\r\n"6\n7","a ""b"""\n"",3' >sound.csv
printf 'size,v\nx,1\n5"x,1\n' >bad_first.csv
printf 'size;v\n5,"1;1\n6;"2"\r\n' >semicolon.csv
for file in opens unclosed behind two_lines header; do
    expected=$(gpusort sort --csv -k size $file.csv 2>&1 >/dev/null)
    while read -r options; do
        got=$(gpusort stats $options --csv $file.csv 2>&1)
        code=$?
        [ $code = 2 ] && [ "${got#*: }" = "${expected#*: }" ] || echo "$options $file: $code, $got"
    done <<'LINES'
quantile -k size
quantile -k size --skip-bad
quantile -k size --window=10 --parallel=1
freq -k v
freq -k v --skip-bad
freq -k v --time-column=size --window=10s --skip-bad
hhh --by=dots -k v
corrsum -k size --sum=v --skip-bad
summary
LINES
done
try_lines <<'LINES'
gpusort stats freq --csv -k v opens.csv
gpusort stats freq --csv -k v unclosed.csv
gpusort stats freq --csv -k v <behind.csv
gpusort stats freq --csv --skip-bad -k v two_lines.csv
gpusort stats summary header.csv
gpusort stats summary good.csv unclosed.csv
gpusort stats freq --csv -k v --support=0.1 good.csv good.csv header.csv
gpusort stats freq --csv --no-header -k 2 --support=0.1 good.csv opens.csv
gpusort stats quantile --csv -k size bad_first.csv
gpusort stats quantile --csv -k size --skip-bad bad_first.csv
gpusort stats freq --csv -t ';' -k v --support=0.1 semicolon.csv
gpusort stats freq --csv -k v --support=0.1 sound.csv
gpusort stats freq --csv -k size --support=0.1 sound.csv
gpusort stats quantile --csv -k size --skip-bad --phi=1 sound.csv
LINES

# Far into a file, and whatever threads there are.
seq 400000 | sed 's/.*/&,"a, ""&"""/' >rows
{ echo n,t; cat rows rows; echo '7,"8"9'; cat rows; } >far.csv
for threads in 1 2 5; do
    try "gpusort stats quantile --csv -k n --parallel=$threads far.csv"
    try "gpusort stats freq --csv -k t --parallel=$threads - <far.csv"
    try "gpusort stats summary --parallel=$threads far.csv"
done
