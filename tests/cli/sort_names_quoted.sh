#!/bin/bash
# SPDX-License-Identifier: MIT
# GNU sort: since 9.12
# File names that need quoting in messages.
. "$GS_CLI/try.inc"
try_lines <<'X'
sort 'no file'
sort no:file
sort "it's"
sort "it's \"x\""
sort "it's \$x"
sort "it's @x"
sort $'a\nb'
sort $'a\n\tb\303\251c'
sort $'\001'
sort $'x\001'
sort $'\001x'
sort $'a\001\002b'
sort $'\177'
sort 'a#b'
sort '#b'
sort '~b'
sort 'b~'
sort '{'
sort '{b}'
sort 'a?b'
sort 'a*b'
sort 'a[b]'
sort 'a\b'
sort 'a=b'
sort 'a@b%^&b'
sort 'a!b'
sort 'a;b'
sort 'a|b'
sort 'a"b'
sort 'a`b'
sort 'a,b+c-d_e/f.g'
sort -c 'no file'
sort --files0-from='no file'
sort --files0-from=x 'a b'
sort --files0-from=x "it's"
sort -c x 'y z'
sort -t 'a b'
sort -t "it's"
sort -k 'a\b'
sort -S $'a\tb'
X
