#!/bin/bash
# SPDX-License-Identifier: MIT
# -o over a file on which another is mounted, as containers have them: no new file can
# take its place.
printf 'a 10\nb 2\n' >f
touch place
mount --bind f place 2>/dev/null || exit 77
trap 'umount place' EXIT
sort -r -o place place
cat f
echo *
