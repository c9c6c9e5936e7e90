#!/bin/bash
# SPDX-License-Identifier: MIT
# Two programs change an index at the same time and others read it meanwhile: none of the
# changes is lost, each reader sees one index, and documents that were there stay there.
rounds=${GS_TEST_LONG:+60}
rounds=${rounds:-8}
printf '{"id": "first", "text": "often"}\n' | gpusort index build -o idx --format=jsonl
change() {
    local i
    for ((i = 1; i <= rounds; i++)); do
        printf '{"id": "%s%d", "text": "often word%d"}\n' "$1" "$i" "$i" |
            gpusort index append --format=jsonl idx || echo "append $1 $i"
        case $1$((i % 4)) in
        ?0) gpusort index compact idx || echo "compact $1 $i" ;;
        a1) gpusort index merge --replace -o idx idx || echo "merge $1 $i" ;;
        b1) gpusort index reorder --replace -o idx idx || echo "reorder $1 $i" ;;
        esac
        if ((i % 2 == 0)); then gpusort index delete idx "$1$((i - 1))" || echo "delete $1 $i"; fi
    done
    : >"$1.done"
}
change a &
change b &
while [ ! -e a.done ] || [ ! -e b.done ]; do
    gpusort search idx often | grep -q first || echo 'the first is not found'
    gpusort index dump idx | cut -f 2 | sort -un | awk '$1 != NR - 1 { print "number " $1 " of " NR }'
done
wait
[ "$(gpusort search --boolean --count idx often)" -eq $((1 + rounds)) ] || echo 'another number is left'
gpusort index verify idx | sed 's/[0-9]* postings/some postings/; s/[0-9]* terms/some terms/; s/[0-9]* documents/all documents/'
