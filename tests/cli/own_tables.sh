#!/bin/bash
# SPDX-License-Identifier: MIT
# --csv and --tsv: records with quotes, keys by the names of columns, headers that stay on
# top and have to be the same, what is broken named by its line; what table_check.py does
# not try.
said() { # what a failure says
    "$@" 2>&1 >out
    echo "exit $?, $(wc -c <out) bytes"
}
cat >t.csv <<'EOF'
id,name,price,"a:b,c"
1,"Smith, J",10.5,x
2,"O""Neil",9,w
3,"two
lines",100,v
4,abel,9,u
EOF
echo '-- keys by name'
gpusort --csv --key=price:n:r t.csv
gpusort --csv -k price,n -k 'name:r' t.csv | head -n 4
gpusort --csv -k '"a:b,c"' t.csv | tail -n 2
gpusort --csv -k 3:nr t.csv | head -n 2
gpusort --csv -k 2.2,2.2 t.csv | head -n 3
gpusort --csv --key='name:f' --top=2 t.csv
gpusort --csv -s -u -k price:n t.csv
gpusort --csv -k price:n:r <t.csv | cmp - <(gpusort --csv -k price:nr t.csv) && echo piped

echo '-- other forms'
tr , '\t' <t.csv | gpusort --tsv --key=price:n | head -n 2
printf 'b;"1;2"\na;"3\n4"\n' | gpusort --csv -t ';' --no-header -k2r
printf 'k\n"b\na"\n' | gpusort --csv --no-quotes -k k
printf 'k\tv\nb\t"\na\tx\n' | gpusort --tsv --no-quotes -k v
printf 'title\nk,v\nb,1\na,2\n' | gpusort --csv --header=2 -k v:nr
printf 'k,v\r\nb,"1\r\n"\r\na,2\r\n' | gpusort --csv -k v | od -c | head -n 2
printf 'k,"v\nw"\0b,"1\0"\0a,2\0' | gpusort --csv -z -k $'"v\nw"' | tr '\0' '|' && echo
printf '\xef\xbb\xbf"k",v\nb,1\na,2\n' | gpusort --csv -k k | od -An -c | head -n 1
printf 'k,v' | gpusort --csv -k v
printf '' | gpusort --csv -k v && echo 'nothing'

echo '-- several files'
printf 'k,v\nd,4\nb,2\n' >a.csv
printf '\xef\xbb\xbfk,v\r\nc,3\n' >b.csv
gpusort +2 -3 -k price:n --csv t.csv | head -n 1
cp t.csv ./--csv; POSIXLY_CORRECT=1 said gpusort -k price t.csv --csv
: >empty.csv
gpusort --csv -k k empty.csv a.csv b.csv | tr -d '\r'
printf 'k,w\nc,3\n' >other.csv
said gpusort --csv -k k a.csv other.csv
said gpusort --csv -m a.csv other.csv
gpusort --csv -k k -o a.csv a.csv && cat a.csv
gpusort --csv -m -k k a.csv b.csv | tr -d '\r'
gpusort --csv -m -k v:n a.csv | tail -n 1
gpusort --csv -m -k k empty.csv b.csv empty.csv b.csv | tr -d '\r'
gpusort --csv -m -k k empty.csv empty.csv | wc -c

echo '-- order'
gpusort --csv -c -k k a.csv && echo good
said gpusort --csv -c -k name t.csv
said gpusort --csv -c -k price:n t.csv
said gpusort --csv -C -k price:n t.csv
printf 'k\n"a\n\n"\nc\nb\n' | said gpusort --csv -c

echo '-- what is wrong'
said gpusort --csv -k nam t.csv
said gpusort --csv -k a:b,c t.csv
said gpusort --csv -k '"a' t.csv
said gpusort --csv -k :n t.csv
said gpusort --csv -k name:q t.csv
said gpusort --csv -k 3:q t.csv
said gpusort --csv --no-header -k name t.csv
printf 'k,k\n' | said gpusort --csv -k k
said gpusort --csv --tsv t.csv
said gpusort --no-quotes t.csv
said gpusort --csv -t '"' t.csv
said gpusort --csv --record-size=8 t.csv
said gpusort --csv --debug t.csv
said gpusort -k name t.csv
printf 'a,"b"\n1,"x" y\n' | said gpusort --csv
printf 'a"b\n1,2\n' | said gpusort --csv
printf 'a,"b\n1,2\n' | said gpusort --csv
printf '"k""k,v\n""d,4\n' | said gpusort --csv
printf 'k,v"\nd,4\n' | said gpusort --csv -m - a.csv
printf 'a\n1\n"x\ny"z\n' | said gpusort --csv -c
printf 'a\n1\n"x\ny"z\n' >broken.csv
said gpusort --csv -m a.csv broken.csv
said gpusort --csv -m broken.csv
{ echo 'a,b' && echo '1,"2' && gpusort gen lines --bytes=9M --seed=1; } >open.csv
said gpusort --csv -k b -S 2M open.csv

echo '-- goes on from where it was'
{ echo id,text,n && seq 60000 | awk '{ printf "%d,\"%s\n%d\",%d\r\n", $1 * 7919 % 60013, $1, $1, $1 % 977 }'; } >big.csv
gpusort --csv -k n:n -k id:nr -o want.csv big.csv
gpusort --csv -k n:n -k id:nr -S 1M --parallel=2 big.csv | cmp - want.csv && echo spilled
gpusort --csv -k n:n -k id:nr -S 1M --checkpoint=ck --verify -o got.csv big.csv
cmp got.csv want.csv && echo 'with a checkpoint'
gpusort --csv -c -k n:n -k id:nr want.csv && echo 'in order'
gpusort --csv -m -S 1M -k n:n -k id:nr want.csv want.csv | wc -l
echo '-- what a key may be, however the option is called and wherever it is'
gpusort --cs -k price:n t.csv | head -n 1
gpusort -k price:n t.csv -rT/tmp --cs | head -n 1
said gpusort -o --csv -k price:n t.csv
said gpusort -uT --csv -k price:n t.csv
: >empty.csv
gpusort --csv -m -k price:n empty.csv <(head -n 2 t.csv)
