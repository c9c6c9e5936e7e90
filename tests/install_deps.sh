#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs what the build and the tests need and this machine lacks, through apt; without
# apt it prints the list and stops if something is missing.
set -u

packages=(gcc make libc6-dev liburing-dev libzstd-dev libxxhash-dev zlib1g-dev
          libutf8proc-dev libstemmer-dev python3 zstd gzip clang clang-format man-db)

have() {
    case $1 in
    libc6-dev) printf '#include <stdio.h>\n' | gcc -x c -fsyntax-only - 2>/dev/null ;;
    liburing-dev) printf '#include <liburing.h>\n' | gcc -x c -fsyntax-only - 2>/dev/null ;;
    libzstd-dev) printf '#include <zstd.h>\n' | gcc -x c -fsyntax-only - 2>/dev/null ;;
    libxxhash-dev) printf '#include <xxhash.h>\n' | gcc -x c -fsyntax-only - 2>/dev/null ;;
    zlib1g-dev) printf '#include <zlib.h>\n' | gcc -x c -fsyntax-only - 2>/dev/null ;;
    libutf8proc-dev) printf '#include <utf8proc.h>\n' | gcc -x c -fsyntax-only - 2>/dev/null ;;
    libstemmer-dev) printf '#include <libstemmer.h>\n' | gcc -x c -fsyntax-only - 2>/dev/null ;;
    man-db) command -v man >/dev/null ;;
    *) command -v "$1" >/dev/null ;;
    esac
}

missing=()
for package in "${packages[@]}"; do
    have "$package" || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if ! command -v apt-get >/dev/null; then
    echo "These packages are missing and there is no apt here to install them:" >&2
    printf '    %s\n' "${missing[@]}" >&2
    exit 1
fi
as_root=()
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || {
        echo "Run as root, or install: ${missing[*]}" >&2
        exit 1
    }
    as_root=(sudo)
fi
echo "Installing: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq >/dev/null &&
    "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null || {
    echo "apt could not install: ${missing[*]}" >&2
    exit 1
}
