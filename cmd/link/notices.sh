#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# notices: the licences of the libraries that a program has inside, as its copies must carry them.
#
#   cmd/link/notices.sh LIBRARY...      by the names that -l takes; prints them, or fails
#
# They are those of the packages that the archives are of. Elsewhere than on Debian
# GS_NOTICES names a folder that has them, as LIBRARY each.
set -u
read -ra cc <<<"${CC:-gcc}"
for library; do
    archive=$(realpath "$("${cc[@]}" -print-file-name="lib$library.a")")
    notice=${GS_NOTICES:+$GS_NOTICES/$library}
    if [ -z "$notice" ]; then
        package=$(dpkg -S "$archive" 2>/dev/null | head -n 1)
        notice=/usr/share/doc/${package%%:*}/copyright
    fi
    if [ ! -s "$notice" ]; then
        echo "no licence found of $archive, which goes inside; GS_NOTICES=FOLDER names one with a file $library" >&2
        exit 1
    fi
    printf '===== lib%s =====\n\n' "$library"
    cat "$notice"
    echo
done
