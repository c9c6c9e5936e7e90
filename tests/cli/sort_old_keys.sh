#!/bin/bash
# SPDX-License-Identifier: MIT
# Keys written +POS1 -POS2, and the environment that allows them.
. "$GS_CLI/try.inc"
make_files
printf 'x 3 c\ny 1 b\nz 2 a\n' >+1
printf 'x 3 c\ny 1 b\nz 2 a\n' >in
try_lines <<'X'
sort +1 in
sort +1 -2 in
sort +1n -2 in
sort +1n -2r in
sort +1.1 -1.2 in
sort +2 in
sort +0.2 in
sort +0 -1 in
sort +0 -0 in
sort +1 -0 in
sort +1.1b -2.1b in
sort +x in
sort +1x in
sort +1. in
sort +1.x -2 in
sort +1 -2.x in
sort +1 -2x in
sort +1 -2. in
sort -- +1
sort ./+1
sort +1 -- in
_POSIX2_VERSION=200112 sort +1
_POSIX2_VERSION=200112 sort +1 -2 in
_POSIX2_VERSION=200809 sort +1 in
_POSIX2_VERSION=200808 sort +1
_POSIX2_VERSION=199209 sort +1 in
_POSIX2_VERSION=x sort +1 in
_POSIX2_VERSION= sort +1 in
_POSIX2_VERSION=200112 POSIXLY_CORRECT=1 sort +1
_POSIX2_VERSION=200112 POSIXLY_CORRECT=1 sort +1 -2
POSIXLY_CORRECT=1 sort +1 in
X
