#!/bin/bash
# SPDX-License-Identifier: MIT
# GNU sort: since 9.8
# Names of inputs from a file.
. "$GS_CLI/try.inc"
make_files
printf 'f\0g\0' >two
printf 'f\0g' >two-open
printf 'f\0\0g' >empty-name
printf '\0' >only-zero
printf -- '-\0' >minus
printf 'nofile\0f\0' >missing
printf 'f\n' >line
try_lines <<'X'
sort --files0-from=two
sort --files0-from=two-open
sort -r --files0-from=two
sort --files0-from=empty-name
sort --files0-from=only-zero
sort --files0-from=minus
sort --files0-from=missing
sort --files0-from=line
sort --files0-from=empty
sort --files0-from=/dev/null
sort --files0-from=nofile
sort --files0-from=dir
sort --files0-from=two f
sort --files0-from=two 'a b'
sort --files0-from=nofile f
sort --files0-from=- <two
sort --files0-from=- <empty
sort --files0-from=- <minus
sort --files0-from=- <only-zero
sort --files0-from=- <&-
sort -c --files0-from=two
sort -m --files0-from=two
sort --files0-from=two --files0-from=empty
X
