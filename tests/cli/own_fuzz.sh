#!/bin/bash
# SPDX-License-Identifier: MIT
# Random command lines against GNU sort; see tests/cli_fuzz.py.
command -v python3 >/dev/null || exit 77
python3 "$GS_CLI/../cli_fuzz.py" "${GS_TEST_SEED:-1}" 400 "$(command -v gpusort)" >log
code=$?
[ $code = 1 ] && cat log
exit $code
