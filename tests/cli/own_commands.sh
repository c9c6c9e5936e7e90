#!/bin/bash
# SPDX-License-Identifier: MIT
# Every command that stands in a table of commands is in the man pages, in the completions
# and among the commands whose calls are made to fail, and so is every distribution of gen.
root=$GS_CLI/../..
. "$GS_CLI/commands.inc"
zsh=$root/cmd/completions/_gpusort
fish=$root/cmd/completions/gpusort.fish
has() { [[ $2 =~ (^|[^a-z0-9-])$1([^a-z0-9-]|$) ]]; }
part() { sed -n "/$1/,/$2/p" "$3"; }
bash_lists() { # the words that bash offers behind these
    bash -c '. "$0"; COMP_WORDS=(gpusort "$@" ""); COMP_CWORD=$(($# + 1)); _gpusort; echo "${COMPREPLY[@]}"' \
        "$root/cmd/completions/gpusort.bash" "$@"
}

[ "$(every_command | wc -l)" -ge 23 ] || echo 'few commands were found'
# What every check here begins with: each function of a command has a row, and each row a name that is found.
for table in main.c cmd_index.c cmd_stats.c; do
    rows=$(grep -cE '^    \{"[^"]+", (cmd|gs)_[a-z_]+,' "$root/cmd/$table") found=$(commands_of "$table" | wc -l)
    [ "$rows" = "$found" ] || echo "cmd/$table: names of $((rows - found)) commands are not letters alone"
done
declared=$(grep -oE '^int (cmd_[a-z0-9_]+|gs_[a-z0-9_]+_command)\(' "$root/cmd/commands.h" | sed 's/^int //; s/($//')
[ "$(wc -w <<<"$declared")" -ge 30 ] || echo "only found these commands: $declared"
for function in $declared; do
    grep -qE "^    \{\"[^\"]+\", $function," "$root"/cmd/{main,cmd_index,cmd_stats}.c || echo "$function: no row of a table of commands has it"
done
page=$(part '^.SH COMMANDS' '^.SH [^C]' "$root/man/gpusort.1")
works=$(part '^## What works' '^## What was' "$root/README.md")
drawing=$(part 'main\.c ──►' '^$' "$root/cmd/README.md")
first=$(grep -- '-n $first -a' "$fish") help=$(grep 'from help' "$fish")
others=$(grep 'not contains -- $words' "$fish")
for command in $(commands_of main.c); do
    grep -q "^\.B $command$" <<<"$page" || echo "gpusort(1): $command"
    [ -f "$root/man/gpusort-$command.1" ] || echo "no page gpusort-$command(1)"
    has "$command" "$works" || echo "README.md, what works: $command"
    grep -q "cmd_$command\.c" <<<"$drawing" || echo "cmd/README.md, the table of commands: $command"
    part '^commands=' '^)' "$zsh" | grep -q "^    '$command:" || echo "zsh: $command"
    grep -q "^$command)$" "$zsh" || echo "zsh: nothing behind $command"
    has "-a $command" "$first" || echo "fish: $command"
    has "$command" "$help" || echo "fish: help $command"
    case $command in sort | check) ;; *) has "$command" "$others" || echo "fish: takes $command for a file" ;; esac
    has "$command" "$(bash_lists)" || echo "bash: $command"
done
walk_group() { # GROUP: its commands are in its page and behind it in each shell
    local of_zsh of_fish usage command
    of_zsh=$(part "^$1)$" '^    ;;' "$zsh")
    of_fish=$(grep -E "contains -- $1 |[$]${1}_first " "$fish")
    usage=$(gpusort "$1" --help)
    for command in $(commands_of "cmd_$1.c"); do
        has "$command" "$usage" || echo "gpusort $1 --help: $command"
        grep -qE "^\.B gpusort $1 $command|^\.SH ${command^^}" "$root/man/gpusort-$1.1" || echo "gpusort-$1(1): $command"
        has "$command" "$of_zsh" || echo "zsh: $1 $command"
        has "$command" "$of_fish" || echo "fish: $1 $command"
        has "$command" "$(bash_lists "$1")" || echo "bash: $1 $command"
    done
}
walk_group index
walk_group stats

# What measures or tells of this machine is no matter of data.
failing=$(PYTHONPATH=$root/tests/faults python3 -Bc 'import fault_commands as f
print(*(c.words for c in f.COMMANDS), sep="\n")')
every_command | grep -vxE 'index|stats|device|bench' | while read -r command; do
    grep -q "^$command " <<<"$failing" || echo "tests/faults: no calls of $command fail"
done

# The error of a distribution that there is not lists those that there are.
page=$(sed 's/\\-/-/g' "$root/man/gpusort-gen.1") help=$(gpusort gen --help)
shapes=$(sed -n '/names\[\] = /,/;/p' "$root/lib/data/gen_dist.c" | grep -o '"[a-z-]*"' | tr -d '"')
[ "$(wc -w <<<"$shapes")" -ge 9 ] || echo "distributions found: $shapes"
for shape in $shapes; do
    gpusort gen u32 --dist="$shape" -n 1 >shaped || echo "gen --dist=$shape: exit $?"
    has "$shape" "$page" || echo "gpusort-gen(1): $shape"
    has "$shape" "$(grep '^for dist in' "$GS_CLI/gen_kinds.sh")" || echo "gen_kinds.sh: $shape"
    has "\"$shape\"" "$(part '    distribution    "' '^$' "$root/cmd/python/gpusort/_machine.py")" || echo "Python's generate(): $shape"
    has "$shape" "$help" || echo "gen --help: $shape"
    has "$shape" "$(part '^gen_options=' '^)' "$zsh")" || echo "zsh: gen --dist=$shape"
    has "$shape" "$(grep '^__gpusort_gen ' "$fish")" || echo "fish: gen --dist=$shape"
done

# So does gen_kinds.sh try each kind of data.
kinds=$(sed -n '/names\[\] = /,/;/p' "$root/lib/data/gen_data.c" | grep -o '"[a-z0-9-]*"' | tr -d '"')
[ "$(wc -w <<<"$kinds")" -ge 7 ] || echo "kinds of data found: $kinds"
for kind in $kinds; do
    grep -qE "^gpusort gen (.* )?$kind( |$)" "$GS_CLI/gen_kinds.sh" || echo "gen_kinds.sh: $kind"
done

# Engines of a GPU: the table has one line for each that is defined, and no two have a
# name, nor one that a person says for something else.
defined=$(grep -rhoE '^const gs_engine_ops gs_engine_[a-z0-9_]+' "$root/gpu" | sed 's/.*gs_engine_//' | sort)
listed=$(sed -n 's/^ *ENGINE(\([a-z0-9_]*\)).*/\1/p' "$root/gpu/engine/engine_ops.cuh" | sort)
[ "$(wc -w <<<"$listed")" -ge 9 ] || echo "engines found: $listed"
[ "$defined" = "$listed" ] || echo "engines that are defined and listed differ: $defined; $listed"
named=$(grep -rhzoE 'const gs_engine_ops gs_engine_[a-z0-9_]+ = \{\s*"[^"]*"' "$root/gpu" | tr '\0' '\n' | grep -o '"[^"]*"' | tr -d '"' | sort)
[ "$(wc -l <<<"$named")" = "$(wc -l <<<"$listed")" ] || echo "engines without a name: $named"
uniq -d <<<"$named" | sed 's/^/two engines are named /'
# The sanitizers look at each, or do not on purpose; what papers are measured by is there.
looked_at=$(sed -n 's/^engines=${[*]:-\(.*\)}$/\1/p; s/^# left out: //p' "$root/tests/gpu/sanitize.sh")
for engine in $listed; do
    has "$engine" "$looked_at" || echo "tests/gpu/sanitize.sh: engine $engine"
    ! grep "^# left out:" "$root/tests/gpu/sanitize.sh" | grep -qw "$engine" ||
        sed -n '/^# Only when named:/,/^# left out:/p' "$root/tests/gpu/sanitize.sh" | sed '$d' | grep -qw "$engine" ||
        echo "tests/gpu/sanitize.sh: why is engine $engine left out?"
    grep -qw "$engine" "$root/tests/bench/figures/engines.svg" || echo "tests/bench/figures/engines.svg: engine $engine"
done
of_papers=$(sed -n '/engines\[.*\] = {/{:more; /};/!{N; b more}; p}' "$root/cmd/bench_papers.c" | grep -o '"[a-z0-9_]*"' | tr -d '"' | sort -u)
[ "$(wc -w <<<"$of_papers")" -ge 8 ] || echo "engines of papers found: $of_papers"
comm -23 - <(echo "$named") <<<"$of_papers" | sed 's/^/bench_papers.c: no engine is named /'
grep -xE 'cpu|gpu' <<<"$named" | sed 's/^/no name for one engine: /'
