#!/bin/bash
# SPDX-License-Identifier: MIT
# Which two options of a command, and which two letters of a key, are refused together: whoever adds one
# finds here that it was not said what it does beside the others.
cd "$(mktemp -d -p .)" || exit
: >empty
echo b >f
head -c 4096 /dev/zero >seed
gpusort index build -o one --store empty 2>/dev/null
gpusort search --gather one a >statistics
"$GS_CLI/option_pairs.py"
