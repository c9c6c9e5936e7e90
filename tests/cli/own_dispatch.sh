#!/bin/bash
# SPDX-License-Identifier: MIT
# Which command is meant; help and version.
. "$GS_CLI/try.inc"
make_files
echo sorted >gen
try_lines <<'X'
gpusort --version
gpusort sort --version | head -1
sort --version | head -1
gpusort --help | head -2
gpusort help | head -2
gpusort help sort | head -1
gpusort sort --help | head -1
sort --help | head -1
gpusort help nosuch
gpusort f
gpusort -r f g
gpusort sort f
gpusort sort gen
gpusort ./gen
gpusort -- gen
gpusort <f
gpusort nosuch
gpusort --foo
gpusort sort --foo
gpusort device extra
gpusort device --foo
gpusort device --help | head -1
gpusort device >/dev/full
gpusort device | sed -E 's/ .*//' | sed '/^$/d' | head -4
mkdir place; gpusort device --temporary-directory=place | grep -oE '^temporary +place: '; gpusort device -T nosuch | grep ^temporary
X
