#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# make.sh VERSION CUDA: the Debian packages, in build/deb. What git tracks is the source,
# where this is a checkout, else all but build/.
set -eu
cd "$(dirname "$0")/../.."
version=$1 cuda=$2
for tool in dpkg-buildpackage dh dh_python3; do
    command -v "$tool" >/dev/null || {
        echo "there is no $tool here: the packages dpkg-dev, debhelper and dh-python have it" >&2
        exit 2
    }
done
out=build/deb
tree=$out/gpusort-$version
rm -rf $out
mkdir -p "$tree"
if [ -e .git ]; then
    git -c safe.directory="$PWD" ls-files -z
else
    find . -path ./build -prune -o -type f -print0
fi | tar --null -T - --ignore-failed-read -cf - | tar -xf - -C "$tree"

tar --sort=name --mtime='2026-01-01 UTC' --owner=0 --group=0 --numeric-owner \
    -C $out -czf "$out/gpusort_$version.orig.tar.gz" "gpusort-$version"
mkdir -p "$tree/debian/source"
cp cmd/deb/* "$tree/debian/"
rm "$tree/debian/README.md" "$tree/debian/make.sh" "$tree/debian/control.gpu"
echo '3.0 (quilt)' >"$tree/debian/source/format"
if [ "$cuda" = 1 ]; then
    cat cmd/deb/control.gpu >>"$tree/debian/control"
    touch "$tree/debian/with-gpu"
else
    rm "$tree/debian/libgpusort-gpu0.install"
fi
sed -i "s/@VERSION@/$version/; s/@DATE@/$(date -R)/" "$tree/debian/changelog"
sed 's/^/ /; s/^ $/ ./' LICENSE | sed '1,/Copyright/d; /./,$!d; 1{/^ \.$/d}' >>"$tree/debian/copyright"

# What the rules need is looked at by what they run, since not all of it is in packages.
(cd "$tree" && dpkg-buildpackage -us -uc -d)
rm -rf "$tree"
ls $out/*.deb
