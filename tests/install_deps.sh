#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# install_deps: what the build and the tests need and this machine lacks.
#
#   tests/install_deps.sh           install it through apt; without apt, print it and fail
#   tests/install_deps.sh --check   say what `make` alone lacks, and fail if it is anything
#   tests/install_deps.sh --list    the packages that are missing, a line each
#
# The list of packages below is the only one. What counts is whether the thing itself
# works, with the compiler in CC where that is set, not whether a package of that name is
# installed.
set -u
read -ra cc <<<"${CC:-gcc}"
compiler=gcc
[[ ${cc[*]} == *clang* ]] && compiler=clang

build_needs=("$compiler" libc6-dev libzstd-dev libxxhash-dev zlib1g-dev libutf8proc-dev libstemmer-dev)
test_needs=(make gcc liburing-dev python3 zstd gzip clang libclang-rt-dev clang-format man-db pkg-config python3-cffi python3-numpy mypy locales)

# compiles HEADER
compiles() {
    "${cc[@]}" -x c -fsyntax-only - <<<"#include <$1>"
}

# The sanitizers and the fuzzer are libraries of clang's own.
fuzzer_links() {
    local scratch status
    scratch=$(mktemp -d)
    clang -fsanitize=fuzzer,address,undefined -x c -o "$scratch/probe" - <<'C'
int LLVMFuzzerTestOneInput(const unsigned char *bytes, unsigned long count);
int LLVMFuzzerTestOneInput(const unsigned char *bytes, unsigned long count)
{
    return count > 1 && bytes[0] == bytes[1] ? 0 : 0;
}
C
    status=$?
    rm -rf "$scratch"
    return $status
}

# One of the pythons of this machine has all that the wheel and its tests need.
python_has_all() {
    python3 -c 'import cffi, numpy' || /usr/bin/python3 -c 'import cffi, numpy'
}

have() {
    case $1 in
    "$compiler") "${cc[@]}" --version ;;
    libc6-dev) compiles stdio.h ;;
    libzstd-dev) compiles zstd.h ;;
    libxxhash-dev) compiles xxhash.h ;;
    zlib1g-dev) compiles zlib.h ;;
    libutf8proc-dev) compiles utf8proc.h ;;
    libstemmer-dev) compiles libstemmer.h ;;
    liburing-dev) compiles liburing.h ;;
    libclang-rt-dev) fuzzer_links ;;
    man-db) command -v man ;;
    python3-*) python_has_all ;;
    locales) [ -d /usr/share/i18n/locales ] && command -v localedef ;;
    *) command -v "$1" ;;
    esac
} >/dev/null 2>&1

# Leaves in `missing` those of the packages that are not here.
find_missing() {
    local package
    missing=()
    for package; do
        [[ " ${missing[*]} " == *" $package "* ]] || have "$package" || missing+=("$package")
    done
}

# apt-get ARGUMENT...: what it says is shown only if it fails.
apt() {
    local said
    said=$("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq "$@" 2>&1) || {
        printf '%s\n' "$said" >&2
        echo "'apt-get $*' failed" >&2
        exit 1
    }
}

case ${1:-} in
--check)
    find_missing "${build_needs[@]}"
    [ ${#missing[@]} -eq 0 ] && exit 0
    [ "${missing[0]}" != "$compiler" ] || echo "There is no compiler '${cc[*]}' here." >&2
    echo "To build gpusort, this machine lacks (by Debian's names): ${missing[*]}" >&2
    echo "'make deps' installs them and what the tests need, as root or with sudo." >&2
    exit 1
    ;;
--list)
    find_missing "${build_needs[@]}" "${test_needs[@]}"
    [ ${#missing[@]} -eq 0 ] || printf '%s\n' "${missing[@]}"
    exit 0
    ;;
'') ;;
*)
    echo "usage: tests/install_deps.sh [--check | --list]" >&2
    exit 2
    ;;
esac

find_missing "${build_needs[@]}" "${test_needs[@]}"
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
apt update
apt install -y --no-install-recommends "${missing[@]}"
find_missing "${missing[@]}"
[ ${#missing[@]} -eq 0 ] || {
    echo "Installed by apt, but still not usable: ${missing[*]}" >&2
    exit 1
}
