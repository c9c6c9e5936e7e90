#!/bin/bash
# SPDX-License-Identifier: MIT
# -o on a disk that is too full for a second copy: what was there stays, whether the new
# file would take its name or be copied into it, and no temporary file is left.
. "$GS_CLI/try.inc"
[ "$(id -u)" = 0 ] || exit 77
mkdir disk tmp
mount -t tmpfs -o size=1m tmpfs disk 2>/dev/null || exit 77
trap 'umount disk' EXIT
export TMPDIR=$PWD/tmp
seq 99999 -1 1 >input # 576 KiB: sorted, more than is left
check() {
    head -c 600000 /dev/zero | tr '\0' x >disk/old
    cp disk/old old
    "$@" 2>err
    echo "exit $?: $(head -n 1 err)"
    cmp old disk/old && ls -A disk tmp
    rm -f disk/* tmp/*
}
check gpusort -o disk/old input
ln -s "$PWD/disk/old" link
check gpusort -o link input
check sh -c 'ln disk/old disk/second; exec gpusort -T tmp -o disk/old input'
check sh -c 'exec gpusort -o /dev/fd/3 input 3<>disk/old'
# Copied from elsewhere, since the file is mounted or its folder cannot be written to.
touch place
head -c 600000 /dev/zero >disk/more
seq 2 >disk/small
mount --bind disk/small place 2>/dev/null || exit 77
trap 'umount place disk' EXIT
gpusort -o place input 2>err
echo "exit $?: $(head -n 1 err)"
cat place disk/small
ls -A disk tmp
rm disk/more
gpusort -o place input && cmp <(sort input) disk/small && echo done
ls -A disk tmp .
