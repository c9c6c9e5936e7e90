#!/bin/bash
# SPDX-License-Identifier: MIT
# Every long option of every command is in its help, its man page and the completions of
# zsh and fish; bash takes them from the help, and knows those whose value is no file. So are the formats of documents, those of
# append once more.
root=$GS_CLI/../..
zsh=$root/cmd/completions/_gpusort
fish=$root/cmd/completions/gpusort.fish
bash=$root/cmd/completions/gpusort.bash
bash -n "$bash"
bash_values=$(sed -n '/^    case $prev in/,/^    esac/p' "$bash" | sed '/[[] .command ==/d; /^        [^ -]/d; s/).*//')
has() { [[ $2 =~ $1([^a-z0-9-]|$) ]]; }
table() { # the long options that stand in the table of options of a file, and in macros of rows
    local macro body
    sed -n 's/^ *{[^",]*, "\([a-z0-9-]*\)",.*/\1/p' "$1"
    while IFS='(' read -r macro body; do
        ! grep -q "\<$macro(" "$1" || grep -oE '"[a-z0-9-]+", +GS_OPT' <<<"$body" | cut -d'"' -f2
    done <<<"$row_macros"
}
own() { sed -n 's/^ *{"--\([a-z-]*\)", .*/\1/p' "$1"; } # beside those of sort
reader() { sed -n "s/.*parse(argc, argv, $1_usage, \"\([a-z]*\)\".*/\1/p" index_read.c; }
part() { sed -n "/$1/,/$2/p" "$3"; }

# COMMAND, what of zsh and of fish is about it, the width of its help, the section of the
# man page ("": all of it); then its options
walk() {
    local command=$1 of_zsh=$2 of_fish=$3 width=$4 section=$5 option help man
    shift 5
    walked=$((walked + 1))
    [ $# -gt 0 ] || echo "$command: no options found"
    help=$(gpusort $command --help)
    man=$(part "^.SH ${section:-NAME}" "${section:+^.SH [^${section:0:1}]}" "$root/man/gpusort-${command%% *}.1" | sed 's/\\-/-/g')
    for option in "$@" help version; do
        has "--$option" "$help" || echo "$command: help: --$option"
        has "--$option" "$of_zsh" || [[ $option = @(help|version) ]] || echo "$command: zsh: --$option"
        has "-l $option" "$of_fish" || echo "$command: fish: --$option"
        has "--$option" "$man" || [[ $option = @(help|version) ]] || echo "$command: man page: --$option"
    done
    while IFS='=' read -r option value; do # what has a value in bash, and no file
        has "$option" "$bash_values" || grep -qF -- "    $option) [[ \$command == $command ]]" "$bash"
        case $?$value in
        0) echo "$command: bash: a value of $option" ;;
        1F | 1FILE | 1DIR | 1PREFIX | 1LIST) ;;
        1?*) echo "$command: bash: files as the value of $option" ;;
        esac
    done < <(grep -oE -- '(^ +|, )--[a-z0-9][a-z0-9-]*(=[A-Z]+|[ :]|$)' <<<"$help" | grep -oE -- '--[^ :]+')
    awk -v width="$width" -v c="$command" 'length > width { print c ": help, too wide: " $0 }' <<<"$help"
}
array() { part "^$1_options=" '^)' "$zsh"; }
arm() { part "^$1)" '^    ;;' "$zsh"; }
line() { grep "^    $1)" "$zsh"; }
of() { grep -- "$1" "$fish"; }
walked=0
scratch=$PWD
cd "$root/cmd" || exit
# Whatever macro of a header has rows of options, each on one line; the formatter cuts them as it likes.
row_macros=$(sed -z 's/\\\n//g' ./*.h | sed -nE 's/^#define ([A-Z_0-9]+\(.*", +GS_OPT)/\1/p')
[ "$(wc -l <<<"$row_macros")" -ge 4 ] || echo "only found: $row_macros"
walk sort "$(array sort)" "$(of '^__gpusort_option ')" 80 '' $(table sort_args.c)
walk gen "$(array gen)" "$(of '^__gpusort_gen ')" 88 '' $(table cmd_gen.c)
walk check "$(array check)" "$(of '^__gpusort_check ')" 88 '' $(own cmd_check.c)
walk sample "$(array sample)$(array sort)" "$(of '^__gpusort_sample ')" 88 '' $(own cmd_sample.c) output verbose
walk partition "$(array partition)$(array sort)" "$(of '^__gpusort_partition ')" 88 '' $(own cmd_partition.c) output merge verbose
walk device "$(arm device)" "$(of 'from device')" 88 '' $(table cmd_device.c)
walk join "$(array join)" "$(of '^__gpusort_join ')" 88 '' $(table join_args.c)
walk lookup "$(arm lookup)" "$(of '^__gpusort_lookup ')" 88 '' $(table cmd_lookup.c)
walk search "$(array search)" "$(of '^__gpusort_search ')" 88 '' $(table search_args.c)
stats() { walk "stats $1" "$(array stats)" "$(of '^__gpusort_stats ')" 88 '' $(table "stats_$1.c"); }
stats summary
stats quantile
stats freq
stats hhh
stats corrsum
stats merge
walk bench "$(array bench)" "$(of '^__gpusort_bench_option ')" 88 '' $(table bench_args.c)
walk 'bench stats' "$(arm bench)" "$(of '^__gpusort_bench_stats ')" 88 '' $(table bench_stats.c)
walk 'bench lookup' "$(arm bench)" "$(of '^__gpusort_bench_lookup ')" 88 '' $(table bench_lookup.c)
walk 'index build' "$(array build)" "$(of '^__gpusort_build ')" 88 BUILD $(table index_build_args.c)
append() { table index_build_args.c | grep -vxE 'output|replace|unique-ids|docnames|checkpoint|doc-base|weight-scale' && echo update no-merge; }
walk 'index append' "$(array append)" "$(of '^__gpusort_append ')" 88 APPEND $(append)
walk 'index delete' "$(array delete)" "$(of '^__gpusort_delete ')" 88 DELETE $(table index_delete_command.c)
walk 'index compact' "$(array compact)" "$(of '^__gpusort_compact ')" 88 COMPACT $(table index_compact_command.c)
walk 'index merge' "$(array merge)" "$(of '^__gpusort_merge ')" 88 MERGE $(table index_merge_command.c)
walk 'index reorder' "$(array reorder)" "$(of '^__gpusort_reorder ')" 88 REORDER $(table index_reorder_command.c)
walk 'index import' "$(array import)" "$(of '^__gpusort_import ')" 88 IMPORT $(table index_import.c)
readers=$(of '__gpusort_index_reader \$reader')
walk 'index export' "$(line export)" "$readers$(of ' export ')" 88 EXPORT $(table index_export.c)
walk 'index show' "$(line show)" "$readers$(of ' show ')" 88 SHOW $(table index_show.c)
walk 'index info' "$(line info)" "$readers$(of ' info ')" 88 INFO $(reader info)
walk 'index dump' "$(line dump)" "$readers$(of ' dump ')" 88 DUMP $(reader dump)
# So does its letter, beside the name.
letters=$(grep -hoE "'.', \"[a-z0-9-]+\", +GS_OPT" ./*.c ./*.h | sed -E "s/'(.)', \"(.*)\".*/\1 \2/" | sort -u)
[ "$(wc -l <<<"$letters")" -ge 24 ] || echo "only found these letters: $letters"
while read -r letter option; do
    grep -E -- "[{ (']-$letter[+=]?[,) ']" "$root/cmd/completions/_gpusort" | grep -qE -- "--$option\b" || echo "zsh: -$letter, --$option"
    grep -qE -- " -s $letter -l $option( |\$)" "$root/cmd/completions/gpusort.fish" || echo "fish: -$letter, --$option"
done <<<"$letters"
# What can be saved can be merged: `stats merge` names it, its cases do, and the pages on all answers.
saved=0
for file in $(grep -l '"save"' stats_*.c); do
    name=${file#stats_} name=${name%.c} saved=$((saved + 1))
    [ "$name" != merge ] || continue
    grep -qw "$name" <<<"$(gpusort stats merge --help)" || echo "stats merge --help: $name"
    grep -qE "^ *parts $name\b" "$GS_CLI/stats_merge.sh" || echo "stats_merge.sh: no sample of $name"
    for page in README.md man/gpusort-stats.1; do
        grep -qw "$name" "$root/$page" || echo "$page: stats $name"
    done
done
[ "$saved" -ge 5 ] || echo "only $saved commands of stats save something"
# What changes the output is of all commands of `stats`. How they work is of `stats merge` too, but for these: it
# reads no values and sorts nothing.
not_of_merge=' engine gpu gpu-mem parallel verbose '
for file in $(grep -l 'const gs_opt options' stats_*.c); do
    grep -q 'STATS_OUTPUT_OPTIONS(' "$file" || echo "$file: has no STATS_OUTPUT_OPTIONS"
done
of_work=$(grep '^STATS_WORK_OPTIONS(' <<<"$row_macros" | grep -oE '"[a-z0-9-]+", +GS_OPT' | cut -d'"' -f2)
[ "$(wc -w <<<"$of_work")" -ge 5 ] || echo "only found in STATS_WORK_OPTIONS: $of_work"
for option in $of_work; do
    [[ $not_of_merge = *" $option "* ]] || table stats_merge.c | grep -qx -- "$option" ||
        echo "stats merge: --$option is of the other commands, and nothing says why not of this one"
done
# Each option of `sort`, `search`, `stats` and `join` is in a case of the command line: of its own command, or if a macro gives it to several,
# of any. The letters of orders are drawn by the tests that tests/key_letters.py asks.
cases_of() ( # files whose names begin so; each case is one line
    shopt -s nullglob
    for begin; do cat /dev/null "$GS_CLI/$begin"*.sh; done | sed ':join; /\\$/ { N; s/\\\n//; b join }'
)
with_options() { grep -lE '^ *\{[^",]*, "[a-z0-9-]+",' "$@"; }
cases=$(cases_of sort own search stats join)
cased=0
need_cases() { # COMMANDS, as cases begin with them; rows of options
    local letter option
    while read -r letter option; do
        cased=$((cased + 1))
        [ "$letter" != 0 ] || letter="-$option$"
        grep -qaE "($1) (.* )?-(-$option([ =]|$)|[[:alnum:]]*$letter)" <<<"$cases" || echo "$1: no case of --$option"
    done < <(grep -oE "('.'|0), \"[a-z0-9-]+\"," <<<"$2" | sed -E "s/'?(.)'?, \"(.*)\",/\1 \2/")
}
for file in stats_*.c; do
    need_cases "gpusort stats $(basename "${file#stats_}" .c)" "$(grep '^ *{' "$file")"
done
while IFS='(' read -r macro rows; do
    ! grep -q "\<$macro(" stats_*.c || need_cases 'gpusort stats (summary|quantile|freq|hhh|corrsum|merge)' "$rows"
done <<<"$row_macros"
need_cases 'gpusort join' "$(grep '^ *{' join_args.c)"
need_cases '^sort|gpusort( sort)?' "$(grep '^ *{' sort_args.c | grep -v GS_OPT_ORDERING)"
need_cases 'gpusort search' "$(grep '^ *{' search_args.c)"
[ "$cased" -ge 108 ] || echo "only found $cased options of sort, search, stats and join"
cases=$(cases_of gen index lookup)
need_cases 'gpusort gen' "$(grep '^ *{' cmd_gen.c)"
need_cases 'gpusort lookup' "$(grep '^ *{' cmd_lookup.c)"
# One that is on its way to the command from a function or a loop is a case too.
need_cases '.*' "$(grep '^ *{' index_build_args.c)"
for file in $(with_options index_*.c | grep -v index_build_args.c); do
    command=${file#index_}
    command=${command%.c}
    need_cases "(gpusort index|is_same) ${command%_command}" "$(grep '^ *{' "$file")"
done
# Of other commands whose options stand in a file of their own, in tests of that name or of conventions.
for file in $(with_options cmd_*.c | grep -vxE 'cmd_(gen|lookup)\.c'); do
    command=$(basename "${file#cmd_}" .c)
    cases=$(cases_of own "$command")
    need_cases "gpusort $command" "$(grep '^ *{' "$file")"
done
[ "$cased" -ge 175 ] || echo "only found $cased options of all commands"
# Each is drawn by a random test too, or named here: devices are what --extra of differential.py is for, and the others tell
# of a job and change nothing.
drawn=$(cat "$root"/tests/{differential,table_check,json_check,locale_check,cli_fuzz}.py "$root"/tests/soak/*.py)
for option in $(table sort_args.c); do
    [[ ' gpu gpu-mem verbose output-sum stats trace ' = *" $option "* ]] || grep -qE -- "[\"' ]--$option\\b" <<<"$drawn" ||
        echo "no random test draws --$option of sort"
done
# Another file with options is one more line above; check, sample, partition, info and dump have no tables, append that of build,
# and opt_scan.c has what is in all of them.
[ "$(with_options ./*.c | wc -l)" -eq $((walked - 5)) ] || echo 'a file has options that are not looked at'

# What a record is and what order means is told by options of sort, in what takes them too:
# each of its options is one of those, or is named here, as no matter of order.
not_of_order=' check compress-program debug files0-from merge output batch-size buffer-size temporary-directory
    parallel count top output-compress no-decompress verify progress stats trace output-sum engine gpu-mem gpu
    verbose no-uring sync checkpoint help version '
of_order=$(for option in $(table sort_args.c); do
    [[ ! $not_of_order =~ [[:space:]]$option[[:space:]] ]] || continue
    letter=$(sed -nE "s/^ *\{([^',]*\? 0 : )?'(.)', \"$option\",.*/-\2/p" sort_args.c)
    printf '%s\n' "${letter:---$option}"
done)
[ "$(wc -w <<<"$of_order")" -ge 27 ] || echo "options about order found: $of_order"
# The others `check`, `sample` and `partition` refuse, have a use for, or take as what changes nothing there.
taken=' compress-program files0-from batch-size buffer-size temporary-directory parallel no-decompress verify progress output-sum
    engine gpu-mem gpu verbose no-uring sync help version '
for option in $not_of_order; do
    letter=$(sed -nE "s/^ *\{([^',]*\? 0 : )?'(.)', \"$option\",.*/\2/p" sort_args.c)
    [[ $taken =~ [[:space:]]$option[[:space:]] ]] || grep -qE "^ *\{\"-(-$option|${letter:-$option})\"," own_options.c ||
        [ "$option" = check ] || echo "own_options.c: --$option of sort is not refused where it has no meaning, or named as taken"
done
has_order() { # WHO TEXT
    local option
    for option in $of_order; do
        case "$1 $option" in *sample*' -n') option=--numeric-sort ;; esac # it has another -n
        [[ $2 =~ (^|[^a-z0-9-])$option([^A-Za-z0-9-]|$) ]] || echo "$1, options that say what order means: $option"
    done
}
for command in check sample partition; do
    has_order "$command: help" "$(gpusort "$command" --help | sed -n '/with the options of/,/as are/p')"
done
for command in check sample; do # partition has all but those that it names
    has_order "gpusort-$command(1)" "$(sed 's/\\-/-/g' "$root/man/gpusort-$command.1" | sed -n '/with the options of/,/ \.$/p')"
done
has_order 'gpusort-ray --help' "$(sed -n '/^Other options are those of `gpusort sort`/,/^$/p' ray/gpusort_ray/cli.py)"
# Each letter of keys is an option, too.
key_of_python=$(part '`options` are letters' '\.' "$root/cmd/python/gpusort/_order.py" | grep -o 'letters of.*')
letters=$(sed -nE "s/^ +X\([A-Z_]+, +'([A-Za-z])',.*/\1/p" key_spec.h)
[ "$(wc -w <<<"$letters")" -ge 12 ] || echo "only found these letters of keys: $letters"
for letter in $letters; do
    gpusort sort -"$letter" /dev/null || echo "-$letter is no option"
    [[ $key_of_python = *[\ :]$letter[,.]* ]] || echo "Key of the Python package: does not name $letter"
done

# Each letter of an option of sort stands where its word does.
while read -r letter option; do
    for where in help man; do
        [ $where = help ] && text=$(gpusort sort --help) || text=$(sed 's/\\-/-/g' "$root/man/gpusort-sort.1")
        grep -qE -- "-$letter([^A-Za-z0-9]|$)" <<<"$text" || echo "$where of sort: -$letter of --$option"
    done
done < <(sed -nE "s/^ *\{([^',]*\? 0 : )?'(.)', \"([a-z0-9-]+)\",.*/\2 \3/p" sort_args.c)

# Each word of --sort in whatever has a list of them, and in the top README each letter that goes to a GPU.
words=$(sed -n '/^#define GS_LETTER_KINDS/,/[^\\]$/p' key_spec.h | grep -oE '"[a-z-]+"' | tr -d '"')
[ "$(wc -w <<<"$words")" -ge 6 ] || echo "only found these words of --sort: $words"
for word in $words; do
    has "[ (']$word" "$(gpusort sort --help | grep -A3 -e '--sort=WORD')" || echo "help of sort: --sort=$word"
    has "$word" "$(sed 's/\\-/-/g' "$root/man/gpusort-sort.1" | grep -A16 '^.BI --sort')" || echo "gpusort-sort(1): --sort=$word"
    has "[( ]$word" "$(grep -e "'--sort=" "$zsh")" || echo "zsh: --sort=$word"
    has "[' ]$word" "$(of '-l sort ')" || echo "fish: --sort=$word"
    has "[' ]$word" "$(grep -A1 -e '--sort)' "$bash")" || echo "bash: --sort=$word"
done
on_gpu=$(sed -n '/^## What works/,/^## /p' "$root/README.md" | sed -z 's/\n/ /g' | grep -oE 'every type of key, .* are sorted')
for letter in $(sed -nE "s/^ +X\([A-Z_]+, +'([A-Za-z])', +GPUSORT_.*/\1/p" key_spec.h); do
    [[ $on_gpu = *" -$letter"[\ ,]* ]] || echo "README.md: does -$letter go to a GPU?"
done

# Each kind of data, and each language of stems, in whatever has a list of them.
kinds=$(sed -n '/^static const char \*const names\[\]/,/;/p' "$root/lib/data/gen_data.c" | grep -oE '"[a-z0-9]+"' | tr -d '"')
[ "$(wc -w <<<"$kinds")" -ge 7 ] || echo "only found these kinds of data: $kinds"
for kind in $kinds; do
    has " $kind" "$(gpusort gen --help | sed -n '/^Kinds/,/^$/p')" || echo "gen --help: kind $kind"
    has "$kind" "$(part '^.SS Kinds' '^.SH' "$root/man/gpusort-gen.1")" || echo "gpusort-gen(1): kind $kind"
    has "[( ]$kind" "$(grep "'1:kind:" "$zsh")" || echo "zsh: kind $kind"
    has "[' ]$kind" "$(grep '^__gpusort_gen -x -a' "$fish")" || echo "fish: kind $kind"
    for message in "$(gpusort gen -n 1 2>&1)" "$(gpusort gen -n 1 nosuch 2>&1)"; do
        has " $kind" "$message" || echo "gen: kind $kind is not in: ${message%%$'\n'*}"
    done
done
languages=$(echo a | gpusort index build -o no --stem=klingon - 2>&1 | sed -n 's/.*there are: //p' | tr -d ,)
[ "$(wc -w <<<"$languages")" -ge 20 ] || echo "only found these languages: $languages"
for language in $languages; do
    [ "$(grep -c "language:(.*\b$language\b" "$zsh")" -eq 2 ] || echo "zsh: language $language"
    [ "$(grep -c "stem -x -a '.*\b$language\b" "$fish")" -eq 2 ] || echo "fish: language $language"
done

named() { # FORMAT FILE HELP: has it a name of its own? Then it stands at --id-field
    case $1 in trec | warc | text | html | tuples | tuples-bin) return ;; esac
    has "[( .]$1" "$3" || echo "$2: --id-field: $1"
}
formats=$(gpusort index build --format=? -o x x 2>&1 | sed -n "s/^  - '\(.*\)'/\1/p")
[ "$(wc -w <<<"$formats")" -ge 10 ] || echo "only found: $formats"
man=$(sed 's/\\-/-/g' "$root/man/gpusort-index.1") help=$(gpusort index build --help)
number=0
for format in $formats; do
    has " $format" "$help" || echo "help: format $format"
    has $'\n\\.B '"$format" "$man" || echo "man page: format $format"
    named "$format" help "$(grep -A1 -e '--id-field=' <<<"$help" | tr -d '\n')"
    [ "$format" = vectors ] || named "$format" 'help of append' "$(gpusort index append --help | grep -e '--id-field=')"
    named "$format" 'man page' "$(grep -A1 -e '--id-field=' <<<"$man" | tr '\n' ' ')"
    [[ $format = tuples* ]] || grep -q "^ \*      $format  " "$root/lib/index/text/document.h" || echo "the drawing in document.h: $format"
    seed=$root/tests/fuzz_seeds/fuzz_document/$format # the first byte is the number of the format
    [ "$(od -An -tu1 -N1 "$seed" | tr -d ' ')" = "$number" ] || echo "$seed: does not begin with $number"
    number=$((number + 1))
    # What stands behind it are documents, or where it is damaged on purpose, some.
    tail -c +2 "$seed" >"$scratch/seed"
    rm -rf "$scratch/built"
    gpusort index build --skip-bad --format="$format" -o "$scratch/built" "$scratch/seed" 2>/dev/null &&
        gpusort index info --json "$scratch/built" | grep -q '"terms": [1-9]' || echo "$seed: has no documents of the format"
    grep -qE -- "--format=$format\b|\.$format\b" "$GS_CLI"/index*.sh || echo "tests/cli/index*.sh: no case of $format"
    for shell in _gpusort gpusort.fish gpusort.bash; do
        has "[( ']$format" "$(grep 'jsonl json vectors' "completions/$shell")" || echo "$shell: format $format"
        [[ $shell = gpusort.bash || $format = @(vectors|tuples|tuples-bin) ]] || # one list; not for append
            has "[( ']$format" "$(grep 'jsonl json tsv' "completions/$shell")" || echo "$shell: format $format of append"
    done
done
for seed in "$root"/tests/fuzz_seeds/fuzz_document/any*; do # which none is the number of
    [ "$(od -An -tu1 -N1 "$seed" | tr -d ' ')" = "$number" ] || echo "$seed: does not begin with $number"
done

# Operators of queries, in whatever tells of them, and in a seed of the fuzzer.
query=$root/lib/index/query
operators=$(sed -n '/^#define OPERATORS/{:more; /\\$/{N; b more}; p}' "$query/query_parser.c" | grep -oE 'X\([A-Z]+,' | grep -oE '[A-Z]{2,}')
[ "$(wc -w <<<"$operators")" -ge 3 ] || echo "operators found: $operators"
for operator in $operators; do
    grep -qw "$operator" <<<"$(gpusort search --help)" || echo "search --help: $operator"
    grep -qw "$operator" "$root/man/gpusort-search.1" || echo "gpusort-search(1): $operator"
    part '^ \*      group ' '^ \*$' "$query/query_parser.h" | grep -qw "$operator" || echo "the grammar in query_parser.h: $operator"
    cat "$root"/tests/fuzz_seeds/fuzz_query/* | grep -aqw "$operator" || echo "tests/fuzz_seeds/fuzz_query: no seed with $operator"
    sed -n '/const pieces\[\] = {/,/};/p' "$root/tests/unit/lib/index/query/test_query.c" | grep -qE "\" ?$operator ?\"" ||
        echo "test_query.c: no piece $operator of what anything goes into"
    grep -qE "\\{\"([^\"]* )?$operator[^\"]*\", \"column " "$root/tests/unit/lib/index/query/test_query.c" ||
        echo "test_query.c: nothing with $operator is refused"
    sed -n '/marks\[\] = {/,/};/p' "$root/tests/unit/lib/index/query/test_search.c" | grep -q "\"$operator \"" ||
        echo "test_search.c: no searches with $operator"
    sed -n '/^static void grammar/,/^}/p' "$root/tests/unit/lib/index/query/test_query.c" | grep -qE "\{\"([^\"]* )?$operator [^\"]*\", *\"[(]" ||
        echo "test_query.c: nothing with $operator is taken"
    grep -qE "\"([^\"]* )?$operator [^\"]*\"" "$root/tests/unit/lib/index/query/test_snippet.c" || echo "test_snippet.c: no snippet for $operator"
    grep -qE "^gpusort search .*\b$operator " "$GS_CLI/search.sh" || echo "tests/cli/search.sh: no search with $operator"
    [ "$(grep -ow "$operator" "$root/man/gpusort-search.1" | wc -l)" -ge 2 ] || echo "gpusort-search(1): what $operator does, or binds"
    grep -A1 "are words in capitals" "$query/query_parser.h" | grep -qw "$operator" || echo "query_parser.h: $operator is a word in capitals, too"
done
# What needs positions is named on the pages of who makes them, and its refusal is tried.
placed=$(sed -n '/gs_query_placed_name/,/^}/p' "$query/query.h" | grep -oE 'return "[a-z ]+"' | cut -d'"' -f2)
[ -n "$placed" ] || echo 'query.h: found nothing that needs positions'
while read -r name; do
    for page in gpusort-search.1 gpusort-index.1 gpusort_index_build.3; do
        grep -qi "${name##* }" "$root/man/$page" || echo "$page: ${name##* } needs positions"
    done
    grep -q "which $name needs" "$root/tests/unit/lib/index/query/test_query.c" || echo "test_query.c: $name without positions is not refused"
done <<<"$placed"

# What decides a score does so of several indexes as of one.
not_of_scores=' top all plain boolean count json snippets trec gather statistics parallel exhaustive verify verbose '
for option in $(table search_args.c); do
    [[ $not_of_scores = *" $option "* ]] || grep -q "^as_one --$option" "$GS_CLI/search_several.sh" ||
        echo "search_several.sh: --$option decides scores, or stands in not_of_scores of own_docs.sh"
done

# The units of -h, as gs_unit_rank has them, by rank: "K or k", "M" and on; and all capitals.
units=$(sed -n '/int gs_unit_rank/,/^}/p' "$root/lib/encode/month_unit.h" | awk -F"'" '
    /case/ { letters = letters ? $2 " or " letters : $2 }
    /return/ { match($0, /return [0-9]+/); print substr($0, RSTART + 7, RLENGTH - 7) "\t" letters; letters = "" }' |
    sort -n | cut -f2 | grep .)
[ "$(wc -l <<<"$units")" -ge 10 ] || echo "only found these units: $units"
grep -qF "(none, $(paste -sd, <<<"$units" | sed 's/,/, /g'))" "$root/man/gpusort-sort.1" || echo "man page: the units of -h"
capitals=$(grep -o '[A-Z]' <<<"$units" | tr -d '\n')
for file in cmd/sort_debug.c tests/fuzz_keys.c; do
    grep -qE "\"${capitals}k?\"" "$root/$file" || echo "$file: the units of -h are $capitals"
done
[ "$(grep -cE "\[${capitals}k\]|\"$capitals\"" "$root/tests/table_check.py")" -eq 2 ] || echo "tests/table_check.py: the units of -h are $capitals"
