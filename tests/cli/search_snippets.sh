#!/bin/bash
# SPDX-License-Identifier: MIT
# Snippets: what is shown of the texts that were found, in each shape of the output, and
# where they cannot be had.
. "$GS_CLI/try.inc"
{
    printf 'one\tThe quick <b>brown</b> fox jumps over the lazy dog.\n'
    printf 'two\t%s A fox, and behind it a dog. %s\n' "$(seq -s ' ' 200)" "$(seq -s ' ' 201 400)"
    printf 'three\tdogs \033[31mred\033[0m and caf\303\251s\n'
    printf '\xe6\x9d\xb1\t\xe6\x9d\xb1\xe4\xba\xac\xe9\x83\xbd\xe3\x81\xae\xe5\x9c\xb0\n'
} >docs.tsv
gpusort index build --store --positions --stem=english -o i docs.tsv
gpusort index build --positions -o plain docs.tsv
gpusort index build --store --tokenizer=whitespace -o spaced docs.tsv
gpusort index build --store --tokenizer=raw -o raw docs.tsv
try_lines <<'LINES'
gpusort search --snippets i 'fox dog'
gpusort search --snippets i 'dogs -lazy' 'cafés'
gpusort search --snippets i '"lazy dog"'
gpusort search --snippets i 'ca*'
gpusort search --snippets --boolean i 'fox AND dog'
gpusort search --snippets --boolean i 'NOT fox'
gpusort search --snippets --json -k 2 i 'dog fox' 'nothing'
gpusort search --snippets --json i '東京'
gpusort search --snippets --json --boolean i 'red'
printf 'q1\tfox\nq2\t(dog\nq3\tdog\n' | gpusort search --snippets -k 1 --parallel=2 i
gpusort search --snippets spaced 'dog.'
gpusort search --snippets raw 'dogs'
gpusort search --snippets --plain --all i 'fox brown'
gpusort search --snippets plain 'fox'
gpusort search --snippets --trec=run i 'fox'
gpusort search --snippets --count i 'fox'
LINES
# Of terms with weights: a query that is answered is one that snippets are made of, too.
printf '{"id":"a","contents":"a fish","vector":{"\\"":2,"fish":1,"+":3}}\n' >vectors.jsonl
gpusort index build --store -o vectors vectors.jsonl
try_lines <<'LINES'
printf '{"\\"":1,"+":2}\nfish\n' | gpusort search --snippets vectors
printf '{"\\"":1}\nfish^2\n' | gpusort search --snippets --json vectors
LINES
# Words that are others in the text, before it is folded, and far behind its beginning.
far=$(printf 'x %.0s' {1..400})
printf '%s E\xcc\x81cole Bluetooth\xe2\x84\xa2 \xef\xbe\x8a\xef\xbe\x9f\xef\xbe\x9d \xe3\x8d\xbf %s\n' "$far" "$far" |
    sed 's/^/1\t/' >folded.tsv
gpusort index build --store --tokenizer=whitespace -o folded-spaced folded.tsv
gpusort index build --store -o folded folded.tsv
try_lines <<'LINES'
gpusort search --snippets --json folded-spaced École | grep -o '"marks.*'
gpusort search --snippets --json folded École | grep -o '"marks.*'
gpusort search --snippets --json folded Bluetooth™ | grep -o '"marks.*'
gpusort search --snippets --json folded パン | grep -o '"marks.*'
gpusort search --snippets --json folded 株式会社 | grep -o '"marks.*'
LINES
# Many queries by many threads: the same as one after the other.
seq 1 400 | sed 's/$/ dog fox/' >queries
gpusort search --snippets --parallel=1 i <queries >one
gpusort search --snippets --parallel=5 i <queries | cmp - one
grep -c ' 199 200 A fox, and behind it a dog. 201' one
# On a terminal, which bold words are for.
python3 - <<'PYTHON'
import os, pty, sys
for environment in ({"TERM": "xterm"}, {"TERM": "xterm", "NO_COLOR": "1"}, {"TERM": "dumb"},
                    {"TERM": "xterm", "NO_COLOR": ""}):
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.pop("NO_COLOR", None)
        os.environ.update(environment)
        os.execvp("gpusort", ["gpusort", "search", "--snippets", "-k", "1", "i", "lazy dog"])
    text = b""
    try:
        while piece := os.read(terminal, 4096):
            text += piece
    except OSError:
        pass
    os.waitpid(pid, 0)
    print(environment, text)
PYTHON
# Damage in a text that is shown.
printf '\377' | dd of=i/texts bs=1 seek=80 conv=notrunc status=none
try 'gpusort search i fox | cut -f 1,2'
try 'gpusort search --snippets i fox'
