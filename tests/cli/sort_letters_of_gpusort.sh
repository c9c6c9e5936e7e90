#!/bin/bash
# SPDX-License-Identifier: MIT
# Called `sort`, the program has the letters of GNU sort and no others: neither of keys nor
# of options, since scripts ask so whether there is one.
. "$GS_CLI/try.inc"
echo line >in
for letter in {a..z} {A..Z}; do
    case $letter in
    [bdfghiMnrRV]) ;; # of keys
    *) sort -k1"$letter" in 2>/dev/null
       [ $? = 2 ] || echo "sort -k1$letter is taken" ;;
    esac
    case $letter in
    [bcCdfghikmMnorRsStTuVyz]) ;;
    *) sort -"$letter" in 2>/dev/null
       [ $? = 2 ] || echo "sort -$letter is taken" ;;
    esac
done
