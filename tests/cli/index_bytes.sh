#!/bin/bash
# SPDX-License-Identifier: MIT
# The files of an index are the bytes that its version promises: indexes that are there are
# read by this layout. Who changes it raises GS_INDEX_LAYOUT (lib/index/format/index_format.h)
# and writes what is expected here anew. Of each kind of index a sum of its lines stands here
# beside the version that it was made for; `make lint` compares these, so that no other bytes
# come to be expected of the same version. Those of another version are new lines here.
# made for documents: "version": 4, 85382378 97
# made for with positions: "version": 4, 1918175052 126
# made for from a docID on: "version": 6, 85382378 97
# made for impacts: "version": 6, 857748747 99
# made for tuples: "version": 4, 827529931 92
awk 'BEGIN {
    for (i = 0; i < 3000; i++) {
        text = "all"
        for (j = 1; j < 12; j++)
            text = text " w" (i * j * j * 7919 + j) % (j * 97) (i % 3 ? "" : " all")
        printf "{\"id\": \"doc%d\", \"contents\": \"%s\"}\n", i * 17, text
    }
}' >docs.jsonl
awk 'BEGIN {
    for (i = 0; i < 3000; i++) {
        printf "{\"id\": \"%d\", \"vector\": {\"all\": %d", i, i * i % 1013 + 1
        for (j = 1; j < 6; j++)
            printf ", \"w%d\": %d", j * 1000 + i * 31 % (j * 89), (i + 1) * j % 251 + 1
        print "}}"
    }
}' >vectors.jsonl
awk 'BEGIN { for (i = 0; i < 9000; i++) print "w" i * 7919 % 311 "\t" i * i % 60013 }' >tuples.tsv

sums() { # WHAT [OPTION]... FILE
    local what=$1 file
    shift
    gpusort index build -o index --replace "$@" || exit
    grep -o '"version": [0-9]*' index/header.json | sed "s/^/$what: /"
    for file in index/*; do
        [ "$file" = index/header.json ] || echo "${file#index/}: $(cksum <"$file")"
    done
}
sums documents docs.jsonl
sums 'with positions' --positions docs.jsonl
sums 'from a docID on' --doc-base=1000 docs.jsonl
sums impacts vectors.jsonl
sums tuples --format=tuples tuples.tsv
# Texts are compressed as the library does it that is here: their bytes may differ.
gpusort index build --store -o index --replace docs.jsonl
grep -o '"version": [0-9]*' index/header.json | sed 's/^/with texts: /'
