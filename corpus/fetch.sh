#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Real text to search: free dictionaries that Debian packages, as JSON lines.
#   corpus/fetch.sh FOLDER
# What FOLDER has already is kept. Packages are downloaded and unpacked there, never
# installed. Without apt or a network there is what this folder ships, devil.jsonl.
# The first package that cannot be had ends it: the others would only wait as long.
set -eu
[ $# -eq 1 ] || { echo "usage: corpus/fetch.sh FOLDER" >&2; exit 2; }
here=$(dirname "$(realpath "$0")")
mkdir -p "$1"
cd "$1"
cp "$here/devil.jsonl" .

# Leaves NAME.jsonl and NAME.copyright, or fails and leaves nothing.
fetch() {
    local name=$1 scratch share good=true
    scratch=$(mktemp -d)
    share=$scratch/files/usr/share
    if (cd "$scratch" && timeout 60 apt-get -o Acquire::http::Timeout=10 \
            -o Acquire::Retries=1 download "dict-$name" >/dev/null 2>&1 &&
            dpkg-deb -x dict-*.deb files) &&
        python3 "$here/dict_to_jsonl.py" "$name" "$share/dictd/$name.index" \
            "$share/dictd/$name.dict.dz" >"$scratch/jsonl"; then
        cp "$share/doc/dict-$name/copyright" "$name.copyright"
        mv "$scratch/jsonl" "$name.jsonl"
    else
        good=false
    fi
    rm -rf "$scratch"
    $good
}

if command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null; then
    # A fresh system may not know of any package.
    if [ "$(id -u)" -eq 0 ] && ! apt-cache show dict-jargon >/dev/null 2>&1; then
        timeout 60 apt-get update -qq >/dev/null 2>&1 || true
    fi
    for name in jargon foldoc wn; do
        [ -e "$name.jsonl" ] || fetch "$name" || {
            echo "dict-$name could not be fetched; the texts are: $(echo *.jsonl)" >&2
            break
        }
    done
else
    echo 'no apt here: the texts are what corpus/ ships' >&2
fi
