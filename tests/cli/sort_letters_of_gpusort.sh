#!/bin/bash
# SPDX-License-Identifier: MIT
# Called `sort`, the program has the letters of GNU sort and no others: neither of keys nor
# of options, since scripts ask so whether there is one.
. "$GS_CLI/try.inc"
echo line >in
for word in $(sed -n '/^#define GS_LETTER_KINDS/,/[^\\]$/p' "$GS_CLI/../../cmd/key_spec.h" | grep -oE '"[a-z-]+"' | tr -d '"'); do
    case $word in
    general-numeric | human-numeric | month | numeric | random | version) ;;
    *) sort --sort="$word" in 2>/dev/null
       [ $? = 2 ] || echo "sort --sort=$word is taken" ;;
    esac
done
for letter in g h m n r v; do # no word of ours begins like one of these
    sort --sort="$letter" in >out 2>&1 || cat out
done
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
