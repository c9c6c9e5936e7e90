#!/bin/bash
# SPDX-License-Identifier: MIT
# gpusort stats: which column is meant is what the header of a file says.
. "$GS_CLI/try.inc"

printf 'a,a,b\n1,2,3\n' >twice.csv
printf 'x y x\n1 2 3\n' >twice
try_lines <<'LINES'
gpusort stats quantile --csv -k a twice.csv
gpusort stats freq --csv -k a twice.csv
gpusort stats quantile --csv -k b --phi=0 twice.csv
gpusort stats quantile --csv -k 2 --phi=0 twice.csv
gpusort stats corrsum -k x --sum=y twice
gpusort stats corrsum -k y --sum=x twice
gpusort stats summary --csv -k a twice.csv
LINES

# Of several files each header says for its own; what is told of whole records is of the
# columns of one.
printf 'a,b\n1,2\n' >ab.csv
printf 'b,a\n30,40\n' >ba.csv
printf 'a,b\r\n5,6\r\n' >crlf.csv
printf 'b\n7\n' >b.csv
printf 'foo\n' >foo
printf '5\n3\n9\n1\n' >four
printf 'a,b\nx,1\n' >bad.csv
: >empty.csv
seq 300000 | awk '{ printf "%d,%d\n", ($1 * 7919) % 300007, -$1 }' >rows
{ echo 'p,n' && cat rows; } >large.csv
awk -F, 'BEGIN { print "n;x,p" } { print $2 ";x," $1 }' rows >other.csv
try_lines <<'LINES'
gpusort stats quantile --csv -k a --phi=0,1 ab.csv ba.csv crlf.csv
gpusort stats quantile --csv -k a --phi=0,1 empty.csv ba.csv ab.csv
gpusort stats quantile --csv -k 1 --phi=0,1 ab.csv ba.csv
gpusort stats freq --csv -k b --support=0.1 ab.csv ba.csv b.csv
gpusort stats freq --csv -k a --support=0.1 ab.csv ba.csv b.csv
gpusort stats corrsum --csv -k a --sum=b ab.csv ba.csv
gpusort stats quantile --csv -k a ab.csv bad.csv b.csv
gpusort stats quantile --csv -k b --phi=0,1 ab.csv bad.csv b.csv
gpusort stats quantile -k foo foo four
gpusort stats summary --csv ab.csv ba.csv
gpusort stats summary --csv ab.csv b.csv
gpusort stats summary --csv ab.csv crlf.csv | grep -E '(values|first|last)'
gpusort stats summary --csv --no-header ab.csv ba.csv | grep -E '(values|first|last)'
gpusort stats quantile --csv -k p --phi=0,1 --exact large.csv other.csv large.csv
gpusort stats quantile --csv -k p --phi=0,1 --exact large.csv
LINES

# The mark of UTF-8 that some programs write before a table is no part of it, in any file.
mark='\xef\xbb\xbf'
printf "$mark"'id,v\n1,2\n' >marked.csv
printf 'id,v\n3,4\n' >plain.csv
printf "$mark"'"id, no",v,w\n1,2,100\n3,4,200\n' >quoted.csv
printf "$mark"'"5",6\n7,8\n' >values.csv
printf "$mark"'x\ty\n1\t2\n' >marked.tsv
printf "$mark" >only.csv
try_lines <<'LINES'
gpusort stats quantile --csv -k id --phi=1 marked.csv
gpusort stats quantile --csv -k id --phi=0,1 marked.csv plain.csv
gpusort stats quantile --csv -k id --phi=0,1 plain.csv marked.csv
gpusort stats quantile --csv -k v --phi=1 quoted.csv
gpusort stats quantile --csv -k 2 --phi=1 quoted.csv
gpusort stats quantile --csv -k 1 --phi=1 <quoted.csv
gpusort stats freq --csv -k 'id, no' --support=0.1 quoted.csv
gpusort stats quantile --csv -k nope quoted.csv
gpusort stats quantile --csv --no-header -k 1 --phi=0,1 values.csv values.csv
gpusort stats freq --csv --no-header -k 1 --support=0.1 values.csv
gpusort stats quantile -t '\t' -k x --phi=1 marked.tsv
gpusort stats summary marked.tsv | grep values
gpusort stats summary marked.csv plain.csv | grep values
gpusort stats summary plain.csv marked.csv | grep values
gpusort stats summary quoted.csv | grep values
gpusort stats summary --no-header values.csv | grep -E '(values|min)'
gpusort stats summary only.csv
printf "1\nx\n" >bad.csv; for i in 1 2 3 4 5 6 7 8; do gpusort stats quantile --parallel=4 --csv --no-header -k 1 bad.csv missing.csv; done 2>&1 | sort | uniq -c
gpusort stats summary --csv --no-header only.csv values.csv | grep -E "(values|more)"
gpusort stats quantile --csv -k id only.csv
LINES
