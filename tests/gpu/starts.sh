#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
#     tests/gpu/starts.sh PROGRAM
#
# CUDA begins where it can be used and nowhere else: whether a command of a build with CUDA
# looks for the driver's library, as the loader of programs tells. Needs no GPU.
set -u
program=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
failures=0 checks=0

# looks WANTED COMMAND: 1 if it is to look for the driver, 0 if not.
looks() {
    local wanted=$1 found=0
    shift
    checks=$((checks + 1))
    LD_DEBUG=libs LD_DEBUG_OUTPUT=loader "$@" >/dev/null 2>err </dev/null
    cat loader.* 2>/dev/null | grep -q 'find library=libcuda.so' && found=1
    rm -f loader.*
    [ $found = "$wanted" ] || {
        failures=$((failures + 1))
        echo "FAILED: looks for the driver: $found: $*"
        sed 's/^/    /' err
    }
}

"$program" gen lines --bytes=1M -o in
"$program" gen docs --bytes=1M -o docs
looks 1 "$program" device
looks 0 "$program" in -o sorted
looks 0 "$program" -m sorted sorted
looks 0 "$program" -c sorted
looks 0 "$program" --engine=cpu in
for method in auto spimi bsbi; do
    rm -rf index
    looks 0 "$program" index build --method=$method -o index docs
done
rm -rf index
looks 1 "$program" index build --engine=gpu -o index docs
rm -rf index
"$program" index build -o index docs
looks 0 "$program" index verify index
looks 0 "$program" lookup index a
looks 0 "$program" search index a
looks 0 "$program" bench --help
echo "$checks commands, $failures wrong about the driver"
[ $failures -eq 0 ]
