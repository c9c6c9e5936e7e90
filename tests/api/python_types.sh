#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Types of the Python package: mypy finds none that do not fit in the package itself, and of
# the wheel's gives a program those that typed_use.py says, and refuses what it says.
#
#     tests/api/python_types.sh WHEEL       as `make python-test` does it
set -u
wheel=$(realpath "$1")
cd "$(dirname "$0")/../.." || exit
if ! command -v mypy >/dev/null; then
    echo 'types of the Python package: not looked at, without mypy'
    exit 0
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# Old ones must be told of Unpack, and new ones say that they know it.
check() {
    mypy --strict --ignore-missing-imports --enable-incomplete-feature=Unpack --cache-dir="$scratch/cache" "$@" 2>&1 |
        grep -v 'Unpack is already enabled'
    return "${PIPESTATUS[0]}"
}

check cmd/python/gpusort || exit 1
# As it is installed, since there types count only with a py.typed.
python3 -m venv --without-pip "$scratch/venv" || exit 1
python3 -m zipfile -e "$wheel" "$scratch"/venv/lib/python3*/site-packages || exit 1
check --python-executable="$scratch/venv/bin/python3" tests/api/typed_use.py
