#!/bin/sh
# SPDX-License-Identifier: MIT
# use_packages.sh FOLDER: on a new Debian, as root: installs the packages of a folder, uses
# each, and removes them again; nothing is left.
set -eu
folder=$1
export DEBIAN_FRONTEND=noninteractive
said() {
    "$@" >/tmp/said 2>&1 || {
        cat /tmp/said
        exit 1
    }
}
apt-get -qq update
find / -xdev -name '*gpusort*' ! -path "$folder*" ! -path '/proc/*' ! -path '/gpusort*' >/tmp/before
dpkg --get-selections | sort >/tmp/packages-before
said apt-get -qq install --no-install-recommends "$folder"/*.deb gcc libc6-dev pkg-config

cd /tmp
printf 'b 2\na 10\nc 1\n' >in
[ "$(gpusort -k2,2n in | tr '\n' ,)" = 'c 1,b 2,a 10,' ]
ldd "$(command -v gpusort)" | grep -q 'not found' && exit 1
gpusort device | grep -q 'CUDA not compiled in'
# Where the plugin for GPUs is too it can be opened, says that there is none, and the cores sort.
plugin=$(dpkg-query -L libgpusort-gpu0 2>/dev/null | grep '/libgpusort-gpu\.so\.') || plugin=''
if [ -n "$plugin" ]; then
    ldd "$plugin" | grep -q 'not found' && exit 1
    export GPUSORT_GPU_LIBRARY="$plugin"
    gpusort device | grep -q '^GPU  *none'
    gpusort device | grep -q 'no GPU engines' && exit 1
    [ "$(gpusort -k2,2n in 2>said | tr '\n' ,)" = 'c 1,b 2,a 10,' ]
    [ ! -s said ]
    gpusort --engine=gpu in >/dev/null 2>said && exit 1
    grep -q 'cannot be used here' said
    unset GPUSORT_GPU_LIBRARY
    gpusort -k2,2n in >out 2>said
    [ ! -s said ]
    echo "with $plugin"
fi
printf '{"id": "x", "contents": "fish and chips"}\n' >docs.jsonl
gpusort index build -o idx docs.jsonl
gpusort search idx fish | grep -q x
python3 -c '
import gpusort
assert list(gpusort.sort("in", keys="2,2n")) == [b"c 1", b"b 2", b"a 10"]
assert gpusort.Index("idx").search("chips")[0].name == "x"'
cat >use.c <<'C'
#include <gpusort.h>
int main(void)
{
    unsigned long long n[] = {3, 1, 2};
    return gpusort_sort_numbers(n, 3, GPUSORT_U64, NULL, NULL) != GPUSORT_OK || n[0] != 1 || n[2] != 3;
}
C
# shellcheck disable=SC2046 # words
gcc use.c $(pkg-config --cflags --libs gpusort) -o use && ./use
for page in man1/gpusort.1 man3/gpusort_sort.3 man3/gpusort_merge.3 man7/gpusort.7; do
    dpkg -S "/usr/share/man/$page.gz" >/dev/null
done

said apt-get -qq purge '?name(gpusort)'
said apt-get -qq autoremove --purge
find / -xdev -name '*gpusort*' ! -path "$folder*" ! -path '/proc/*' ! -path '/gpusort*' >/tmp/after
diff /tmp/before /tmp/after
echo 'packages installed, used and removed'
