#!/bin/bash
# SPDX-License-Identifier: MIT
# Options that are unknown, ambiguous or lack their argument.
. "$GS_CLI/try.inc"
make_files
try_lines <<'X'
sort --s
sort --s=x
sort --foo
sort --foo=bar
sort --debug=x
sort --key
sort -k
sort -t
sort -o
sort -T
sort -S
sort --output
sort --field-separator
sort -Q
sort -rx
sort -:
sort -@
sort -v
sort --st=x f
sort --stable=
sort --z=1
sort --r
sort --ver
sort --i
sort --h
sort --m
sort --c
sort --o
sort --t=x
sort --p=x
sort --pa=0
sort --bu=x
sort --ba=x
sort --st f
sort --u f
sort --n f
sort --re f
sort --ver f
sort --version-sort f
sort --version=1
sort --sort=foo
sort --sort=
sort --sort=r f
sort --sort=num f
sort --sort=general-numeric f
sort --check=x
sort --check=
sort --check=q f
sort --check=s f
sort --check=d f
sort --check=quiet f
sort --foo --help
sort -k0 --help
X
