#!/bin/bash
# SPDX-License-Identifier: MIT
# --locale-order: text, numbers and months of a locale, what it does not go with, and what is
# said where it is not asked for; locale_check.py compares with GNU sort.
locale_of() { # LANGUAGE CHARACTERS: made here, if no other test left it for all
    local shared=${GS_TEST_LOCALES:-/nowhere}/$1.$2
    if [ -d "$shared" ]; then
        ln -s "$shared" "$1.$2"
    else
        localedef -i "$1" -f "$2" --no-archive "./$1.$2"
    fi
}
locale_of en_US UTF-8 && locale_of de_DE UTF-8 && locale_of de_DE ISO-8859-1 || exit 77
export LOCPATH=$PWD
here() { LC_ALL=$1.UTF-8 gpusort "${@:2}" 2>&1; }
printf '%s\n' b a B A é e f -x ' y' z >words
here en_US --locale-order words | paste -sd, -
here en_US words | paste -sd, -
here en_US --locale-order -r -f words | paste -sd, -
here en_US --locale-order -u -f words | paste -sd, -
LC_ALL=en_US.UTF-8 gpusort -v words 2>&1 >/dev/null | grep -c 'not of the locale en_US.UTF-8'
LC_ALL=en_US.UTF-8 gpusort -v --locale-order words 2>&1 >/dev/null | grep -c 'not of the locale'
gpusort -v words 2>&1 >/dev/null | grep -c 'not of the locale'
(LC_ALL=en_US.UTF-8 sort --verbose words 2>&1 >/dev/null) | grep -c 'not of the locale'
gpusort --locale-order words | cmp - <(gpusort words) && echo 'C: bytes'
printf '%s\n' 1.000 2,5 2.5 999 1,5 | here de_DE --locale-order -n | paste -sd' ' -
printf '%s\n' 1.000 2,5 2.5 999 1,5 | here en_US --locale-order -n | paste -sd' ' -
printf '%s\n' Dez Mär Jan | here de_DE --locale-order -M | paste -sd' ' -
printf 'n,v\nb,1\n"A",2\na,3\n' | here en_US --locale-order --csv -k n
printf '{"n":"b"}\n{"n":"A"}\n{"n":"\\u0061"}\n' | here en_US --locale-order --jsonl-key=.n
here en_US --locale-order words >sorted && here en_US -c --locale-order sorted && here en_US -c sorted
here en_US --locale-order -m sorted sorted | uniq | cmp - sorted && echo merged
here en_US --locale-order -R words
here en_US --locale-order --count words
here en_US --locale-order --debug words
here en_US --locale-order --record-size=2 words
here xx_XX --locale-order words
LC_ALL=de_DE.ISO-8859-1 gpusort --locale-order words 2>&1
seq 40000 >numbers
here en_US --locale-order -S 1M --checkpoint=ck --verify numbers | cmp - <(gpusort numbers) && echo 'with a checkpoint'
