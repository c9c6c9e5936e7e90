#!/bin/bash
# SPDX-License-Identifier: MIT
# Every stemmer that there is has its tables, which only who stems has addresses put into.
export LC_ALL=C.UTF-8
printf '1\trunning easily nationalité chevaux Häuser бегущие книгами caminando correndo\n' >words
printf '2\tτραγουδούσαν књигама springer kirjastoissa olvasni kitaplardan leabhair čitajući\n' >>words
languages=$(gpusort index build -o no --stem=klingon words 2>&1 | sed 's/.*there are: //; s/,//g')
for language in $languages; do
    gpusort index build -o "$language" --format=tsv --stem="$language" words || echo "$language failed"
    gpusort index dump "$language" >stems && [ "$(wc -l <stems)" -ge 12 ] || echo "$language: few stems"
done
for language in english german russian french; do
    echo "$language:" $(gpusort index dump "$language" | cut -f1 | grep -E '^(runn?|eas|бег|книг|cheva|h[aä]us)')
done
