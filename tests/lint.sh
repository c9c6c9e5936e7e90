#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What a script can check of the style: formatting, the direction of includes, banned
# calls, licence lines, names that are unique, lengths. Prints each finding.
set -u
cd "$(dirname "$0")/.."

findings=0
complain() {
    findings=$((findings + 1))
    echo "$*"
}

mapfile -t sources < <(find cmd lib io gpu tests -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh')
mapfile -t product < <(find cmd lib io gpu -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh')

# What a test or an example leaves where it is started is not of the tree.
while read -r name; do complain "$name: no such name belongs at the top"; done \
    < <(git ls-files 2>/dev/null | sed 's|/.*||' | sort -u |
        grep -vxE 'cmd|lib|gpu|io|tests|corpus|man|Makefile|README\.md|LICENSE|SECURITY\.md|\..*')

# Which top rooms a file may include, by where it lives.
allowed() {
    case $1 in
    lib/base/*) echo 'lib/base' ;;
    io/*) echo 'io|lib/base' ;;
    gpu/*) echo 'gpu|lib/base|lib/encode' ;;
    lib/*) echo 'lib|io|gpu' ;;
    cmd/*) echo 'cmd|lib|io|gpu' ;;
    *) echo '.*' ;;
    esac
}
# The rooms of gpu and lib, from the ground up: each may include those before it, and of
# another room only the header for those outside, which is named behind the colon. Rooms of
# gpu share kernels: they may include every header of a room before them.
floors=(
    lib/base: lib/encode:
    gpu/device:device gpu/engine:engine gpu/network:bitonic gpu/sample:- gpu/search:key_search gpu/lists:head_lists
    gpu/text:text_sort gpu/words:word_block gpu/generate:generate gpu/plugin:-
    lib/data: lib/json:json_reader
    lib/sort/record:records lib/sort/key:keys lib/sort/witness:witnesses
    lib/sort/bucket:buckets lib/sort/plan:plans lib/sort/run:runs lib/sort/form:forms
    lib/sort/text:texts lib/sort/device:devices lib/sort:
    lib/part:parts
    lib/join:joins
    lib/index/format:formats lib/index/folder:folders lib/index/text:documents
    lib/index/read:readers lib/index/segment:segments
    lib/index/lookup:lookups lib/index/query:queries
    lib/index/write:writers lib/index/reorder:reorders lib/index/block:blocks lib/index/build:builds
    lib/index/merge:merges lib/index/grow:growths lib/index/exchange:exchanges
    lib/stream:streams
    lib/api:- lib:gpusort
)
declare -A floor_of door_of
for i in "${!floors[@]}"; do
    floor_of[${floors[i]%:*}]=$i
    door_of[${floors[i]%:*}]=${floors[i]#*:}
done
check_room() { # FILE INCLUDE
    local from=${1%/*} to=${2%/*} door
    [ "$from" != "$to" ] && [[ $to == lib/* || $to == gpu* ]] || return
    if [ -z "${floor_of[$to]+is}" ]; then
        complain "$1: \"$2\" is in no room of tests/lint.sh"
        return
    fi
    door=${door_of[$to]}
    [ -z "$door" ] || [ "$2" = "$to/$door.h" ] || [[ $from == gpu/* && $to == gpu/* ]] ||
        complain "$1: may not include \"$2\" but \"$to/$door.h\""
    [[ $from != @(lib|gpu)/* ]] || [ "${floor_of[$to]}" -lt "${floor_of[$from]:--1}" ] ||
        complain "$1: may not include \"$2\", which is on a floor above"
}
for file in "${product[@]}"; do
    rooms=$(allowed "$file")
    while read -r include; do
        [[ $include =~ ^($rooms)/ ]] || complain "$file: may not include \"$include\""
        check_room "$file" "$include"
    done < <(sed -n 's/^#include "\(.*\)"/\1/p' "$file")
done
# All of the command but the bench of the kernels has only what every program has: of the
# library lib/gpusort.h and what lib/base has, and of cmd/ only each other.
for file in cmd/*.[ch]; do
    [[ $file != cmd/@(bench*|cmd_bench.c) ]] || continue
    while read -r include; do
        [[ $include == @(lib/gpusort.h|lib/base/*) || ($include == cmd/* && $include != cmd/bench*) ]] ||
            complain "$file: has only what every program has, and may not include \"$include\""
    done < <(sed -n 's/^#include "\(.*\)"/\1/p' "$file")
done
while read -r room; do
    [ -f "$room/README.md" ] || complain "$room: no README.md"
done < <(printf '%s\n' "${!floor_of[@]}" cmd io gpu tests)
for room in gpu/*/; do
    grep -qF "| \`${room#gpu/}\` |" gpu/README.md || complain "gpu/README.md: its table of rooms has no row of $room"
done
# A README names every module of its room, or a pattern of such names; what its list names
# is there.
declare -A words_of named
for file in "${product[@]}"; do
    room=${file%/*} name=${file##*/}
    name=${name%%.*}
    [ -n "${words_of[$room]+is}" ] ||
        words_of[$room]=" $(grep -oE '[[:alnum:]_*]+' "$room/README.md" | tr '\n' ' ')"
    [ -z "${named[$room/$name]+is}" ] || continue
    named[$room/$name]=1
    [[ ${words_of[$room]} != *" $name "* ]] || continue
    while read -r pattern; do
        # shellcheck disable=SC2053 # a pattern it is
        [[ $name != $pattern ]] || continue 2
    done < <(grep -E '^    |^\|' "$room/README.md" | grep -oE '[[:alnum:]_]*[[:alnum:]_]\*[[:alnum:]_]*')
    complain "$room/README.md: does not say what $name is"
done
for room in "${!words_of[@]}"; do
    while read -r name; do
        compgen -G "$room/$name.*" >/dev/null || compgen -G "$room/$name" >/dev/null ||
            complain "$room/README.md: names $name, which is not there"
    done < <(sed -nE 's/^    ([a-z0-9_*]+(, [a-z0-9_*]+)*)  .*/\1/p' "$room/README.md" | tr -d , |
        tr ' ' '\n')
done

# A file that a comment or a README names is there.
mapfile -t pages < <(git ls-files '*.md' 2>/dev/null | grep -viE 'RESULTS|reliability')
while IFS=: read -r file name; do
    [ -e "$name" ] || [ -e "${file%/*}/$name" ] || [ -e "lib/$name" ] ||
        complain "$file: names $name, which is not there"
done < <(grep -oHE '\b(lib|io|gpu|cmd|tests)/[a-zA-Z0-9_/]+\.(h|c|cuh?|inc|sh|py|md)\b' \
    "${product[@]}" "${pages[@]}")

# The text by which a checkpoint knows its job has every field of the options, or the
# comment above says why it has not.
fields_of() { # STRUCT HEADER
    sed -n "/^typedef struct $1 {/,/^} $1;/p" "$2" | sed '1d; $d; /^ *#/d; /^ *GS_[A-Z_]*(.*)$/d' |
        sed -z 's|/[*][^*]*[*]*\([^/*][^*]*[*]*\)*/||g' | tr '\n;' ' \n' |
        sed -E 's/\[[^]]*\]//g; s/\(\*([a-z0-9_]+)\)\(.*/\1/; s/[[:space:]]*$//' | grep -oE '[a-z0-9_]+(,|$)' | tr -d ,
}
check_fields() { # STRUCT HEADER LEAST SOURCE...: each field, or each of $only_of, is in one of the sources
    local struct=$1 header=$2 least=$3 fields excused field
    shift 3
    fields=$(fields_of "$struct" "$header")
    [ "$(wc -w <<<"$fields")" -ge "$least" ] || complain "$header: only found these fields of $struct: $fields"
    excused=" $(cat "$@" | sed -nE '/Not (in the text|looked at here)/,/\*\//p' | grep -oE '[a-z0-9_]+' | tr '\n' ' ')"
    for field in $fields; do
        [ -z "${only_of+is}" ] || [[ $only_of = *" $field "* ]] || continue
        grep -qE "(->|\.)$field\b" "$@" || [[ $excused = *" $field "* ]] ||
            complain "$*: nothing is done with $field of $struct, and no reason is given"
    done
}
check_fields gs_sort_options lib/sort/plan/sort_options.h 37 lib/sort/plan/sort_job.c
check_fields gs_order lib/sort/key/order.h 14 lib/sort/plan/sort_job.c
check_fields gs_key lib/sort/key/order.h 6 lib/sort/plan/sort_job.c
check_fields gs_byte_key lib/sort/key/order.h 5 lib/sort/plan/sort_job.c
check_fields gs_index_build_options lib/index/build/index_builder.h 28 lib/index/build/build_checkpoint.c
check_fields gs_document_options lib/index/text/document.h 9 lib/index/build/build_checkpoint.c
check_fields gs_index_merge_options lib/index/merge/index_merger.h 19 lib/index/merge/merge_checkpoint.c

# What the library is told of a sort reaches it, and a way that is shorter than a sort asks for
# whatever decides the result, or the comment there says why not.
check_fields gs_sort_options lib/sort/plan/sort_options.h 37 lib/api/api_order.c
check_fields gpusort_order lib/gpusort.h 15 lib/api/api_order.c lib/api/api_key.c
decides=" $(comm -23 <(fields_of gs_sort_options lib/sort/plan/sort_options.h | sort) \
    <(sed -n '/^\/\* Not in the text/,/\*\//p' lib/sort/plan/sort_job.c | grep -oE '[a-z0-9_]+' | sort -u) | tr '\n' ' ')"
[ "$(wc -w <<<"$decides")" -ge 7 ] || complain "lib/sort/plan/sort_job.c: only these options decide a result: $decides"
only_of="$decides output_zstd "
check_fields gs_sort_options lib/sort/plan/sort_options.h 37 lib/sort/sorter.c
check_fields gs_sort_options lib/sort/plan/sort_options.h 37 lib/sort/merge_job.c lib/sort/text/mapped_texts.c
unset only_of
# Jobs that take an order with all its options say of each that decides a result that it means nothing there, but
# for what goes with one of those.
goes_along=' columns top_count has_columns keep_compressed '
for field in $decides; do
    [[ $goes_along != *" $field "* ]] || continue
    grep -qE "(->|\.)$field\b" lib/api/api_join.c || complain "lib/api/api_join.c: nothing is said of $field, which decides a result"
    grep -qE "(->|\.)$field\b" lib/api/api_part.c lib/part/partitioner.c ||
        complain "lib/part/partitioner.c: nothing is said of $field, which decides a result"
done

# What else the library is told is looked at by who takes it, and what data is made of reaches
# who makes it.
while read -r struct; do
    mapfile -t takers < <(grep -lw "$struct" lib/api/*.c)
    only_of=" $(fields_of "$struct" lib/gpusort.h | grep -vx size | tr '\n' ' ')" # which gs_api_take_options looks at
    check_fields "$struct" lib/gpusort.h 3 "${takers[@]}"
    # A test of programs asks for it, too: the command line has cases of its own.
    check_fields "$struct" lib/gpusort.h 3 tests/unit/lib/api/*.c
done < <(sed -nE 's/^typedef struct (gpusort_[a-z_]+_options) \{/\1/p' lib/gpusort.h)
unset only_of
check_fields gs_gen_options lib/data/gen_data.h 8 lib/api/api_generate.c
check_fields gs_gen_dist_options lib/data/gen_dist.h 8 lib/data/gen_data.c
check_fields gpusort_generate_options lib/gpusort.h 24 cmd/cmd_gen.c

# A counter is shown, and counts from 0 where a sort or a build begins again.
check_fields gs_sort_stats lib/sort/plan/sort_stats.h 19 lib/api/api_stats.c
check_fields gs_sort_stats lib/sort/plan/sort_stats.h 19 lib/sort/plan/sort_stats.c
only_of=" $(sed -n '/but a build of an index does:$/,/\*\//p' lib/sort/plan/sort_stats.c | sed 1d | grep -oE '[a-z_]{2,}' | tr '\n' ' ')"
[ "$(wc -w <<<"$only_of")" -eq 3 ] || complain "lib/sort/plan/sort_stats.c: what a build takes back, as found:$only_of"
check_fields gs_sort_stats lib/sort/plan/sort_stats.h 19 lib/index/build/device_try.c
unset only_of
check_fields gpusort_figures lib/gpusort.h 20 cmd/stats_json.c
# Who stops after so many records is named where one looks for how an option changes what comes out.
check_asking() { # README BEGINNING WHAT LEAST FILE...: its paragraph names all files, which ask for that
    local readme=$1 paragraph what=$3 least=$4 file
    paragraph=$(sed -n "/^$2/,/^$/p" "$readme")
    shift 4
    [ $# -ge "$least" ] || complain "$readme: who asks $what, as found: $*"
    for file; do
        grep -qw "$(basename "${file%.*}")" <<<"$paragraph" || complain "$readme: does not name $file, which asks $what, where it should"
    done
}
check_asking lib/sort/plan/README.md '' has_top 8 $(grep -lw has_top "${product[@]}")

# What only some indexes have is written, read and told by their version, and kept or refused
# by who makes an index of indexes; where it is not looked at, the comment there says why not.
only_of=" $(fields_of gs_index_header lib/index/format/index_header.h | grep '^has_' | tr '\n' ' ')"
[ "$(wc -w <<<"$only_of")" -ge 4 ] || complain "lib/index/format/index_header.h: only found these:$only_of"
for file in lib/index/merge/merge_inputs.c lib/index/merge/index_merger.c lib/index/segment/segment_set.c \
    lib/index/grow/index_append.c lib/index/reorder/index_reorder.c lib/index/write/index_writer.c \
    lib/index/read/index_verify.c lib/api/api_index.c cmd/index_read.c cmd/python/gpusort/_index.py tests/fuzz_index.c; do
    check_fields gs_index_header lib/index/format/index_header.h 10 "$file"
done
for function in '\/\* The first that has all of it' 'static void print_fields(' 'static bool parse(' 'uint64_t gs_index_header_sum('; do
    body=$(sed -n "/^$function/,/^}/p" lib/index/format/index_header.c)
    fields=$only_of
    [[ $function != *_sum* ]] || fields=$(fields_of gs_index_header lib/index/format/index_header.h)
    for field in $fields; do
        grep -qw "$field" <<<"$body" || complain "lib/index/format/index_header.c: nothing is done with $field behind $function"
    done
done
for field in $only_of; do
    grep -qF "\"$field\"" tests/fuzz_seeds/make_index_seeds.py ||
        complain "tests/fuzz_seeds/make_index_seeds.py: makes no index that has $field"
    grep -qF "\\\"$field\\\"" cmd/index_read.c || complain "cmd/index_read.c: index info --json does not tell $field"
done
# What an append asks for and the index has not is refused.
for field in $(fields_of gs_index_build_options lib/index/build/index_builder.h | grep '^has_'); do
    grep -qF "build.$field && !g->header.$field" lib/index/grow/index_append.c ||
        complain "lib/index/grow/index_append.c: $field is not refused where the index was built without"
done
# Each file of an index is read by somebody.
for file in $(sed -n '/^typedef enum gs_index_file/,/^}/p' lib/index/format/index_format.h | grep -oE '^ +GS_INDEX_[A-Z]+,' | tr -d ' ,'); do
    grep -qrw --include='*.c' -- "$file" lib/index/read || complain "lib/index/read: nobody reads $file"
done
index_kinds_least=$((1 + $(wc -w <<<"$only_of"))) # one without any of them
unset only_of

# Each way to score is chosen for some index, and tried.
scorings=$(sed -n '/^typedef enum gs_scoring_kind/,/^}/p' lib/index/read/scoring.h | grep -oE 'GS_SCORING_[A-Z0-9_]+')
[ "$(wc -w <<<"$scorings")" -ge 2 ] || complain "lib/index/read/scoring.h: only found these ways to score: $scorings"
for kind in $scorings; do
    grep -qw "$kind" lib/index/query/search_plan.c || complain "lib/index/query/search_plan.c: nothing is scored by $kind"
    grep -qF "is_bounded($kind)" tests/unit/lib/index/read/test_bm25.c ||
        complain "tests/unit/lib/index/read/test_bm25.c: does not try the bounds of $kind"
    [ "$(grep -ow "$kind" tests/unit/lib/index/query/test_score_block.c | wc -l)" -ge 2 ] ||
        complain "tests/unit/lib/index/query/test_score_block.c: never draws $kind"
    name=${kind#GS_SCORING_}
    sed -n '/^ \* scoring:/,/^ \*\//p' lib/index/read/scoring.h | grep -qi "${name%S}" || complain "lib/index/read/scoring.h: its comment has no $name"
    grep -qi "${name%S}" man/gpusort-search.1 || complain "man/gpusort-search.1: does not say what $name comes to"
done
# What decides answers of a search is asked by the fuzzer, but for what other indexes have.
only_of=" $(fields_of gs_search_options lib/index/query/searcher.h | grep -vx collection | tr '\n' ' ')"
check_fields gs_search_options lib/index/query/searcher.h 8 tests/fuzz_index.c
unset only_of
# Which lines a join shows, and when they are partners, the fuzzer counts with every flag.
only_of=" $(sed -n '/^typedef struct gs_join_options {/,/^}/p' lib/join/join_options.h | sed -n '/gs_join_partners match;/,/items;/p' |
    grep -oE '^ +(bool|gs_join_partners|gs_join_number) [a-z_, ]+' | sed -E 's/^ +[a-z_]+ //' | tr -d ',' | tr '\n' ' ')"
[ "$(wc -w <<<"$only_of")" -ge 7 ] || complain "lib/join/join_options.h: only found these flags:$only_of"
check_fields gs_join_options lib/join/join_options.h 15 tests/fuzz_join.c
join_flags=$(for flag in $only_of; do [[ $flag = @(match|low|high|skips_bad) ]] || printf '%s|' "$flag"; done)
unset only_of
# So is who asks which lines a join shows: one more flag may matter there.
check_asking lib/join/README.md 'To add a kind of join' 'what a join shows' 13 \
    $(grep -lwE "${join_flags%|}" lib/join/*.c lib/api/*.c cmd/*.c cmd/python/gpusort/*.py)

# Each way in which a GPU can be made to fail is tried on whole programs.
faults=$(sed -nE 's/.*case (GS_FAULT_[A-Z]+): return \{"([a-z]+)".*/\1 \2/p' gpu/device/fault.cu)
[ "$(wc -l <<<"$faults")" -ge 3 ] || complain "gpu/device/fault.cu: only found these faults: $faults"
while read -r fault name; do
    grep -E '^for kind in ' tests/gpu/faults.sh | head -n 1 | grep -qw "$name" ||
        complain "tests/gpu/faults.sh: does not try $name on a sort of files"
    grep -q "fail_each(&options, $fault)" tests/gpu/test_faults.c || complain "tests/gpu/test_faults.c: no call fails by $fault"
done <<<"$faults"
# So is, on a pretended one, each code that it may fail with.
while read -r way; do
    grep -E '^failures_by=' tests/fake_gpu/run.sh | grep -qw "$way" || complain "tests/fake_gpu/run.sh: no GPU fails by its $way"
done < <(sed -n '/fake_failure_name/,/^}/p' tests/fake_gpu/fake_calls.h | grep -oE 'return "[a-z]+"' | grep -oE '[a-z]{4,}"' | tr -d '"')

# Each type of key and each switch is run in a kernel, since differential.py draws there only what GNU sort has, as blanks.
drawn_there=' skip_start_blanks skip_end_blanks '
of_keys=$(sed -n '/^#define GS_KEY_TYPES(/,/[^\\]$/p' lib/sort/key/order.h | sed -nE 's/^ +X\(([A-Z]+),.*/GS_KEY_\1/p'
    sed -n '/^#define GS_KEY_SWITCHES(/,/[^\\]$/p' lib/sort/key/order.h | sed -nE 's/^ +X\(([a-z_]+),.*/\1/p')
[ "$(wc -w <<<"$of_keys")" -ge 11 ] || complain "lib/sort/key/order.h: only found these types and switches of keys: $of_keys"
for what in $of_keys; do
    grep -qE "= (keys\[[0-9]\]\.)?$what;|\.$what = " tests/gpu/test_text.c || [[ $drawn_there = *" $what "* ]] ||
        complain "tests/gpu/test_text.c: no kernel runs $what"
done

# Joins whose lines are partners by more than one number are left out where all is done by numbers in memory, or taken.
while read -r partners; do
    grep -qw "$partners" lib/join/near_join.c || complain "lib/join/near_join.c: is it for $partners, or left to others?"
done < <(sed -n '/^typedef enum gs_join_partners/,/^}/p' lib/join/join_options.h | grep -oE 'GS_JOIN_[A-Z_]+' |
    grep -vxE 'GS_JOIN_(EQUAL|BAND|PARTNERS_COUNT)')

# A new share of -S goes into every plan of memory, so the README of plans names them all.
while read -r file; do
    grep -qF "$file" lib/sort/plan/README.md ||
        complain "lib/sort/plan/README.md: does not name $file, which has a plan of memory"
done < <(grep -lE '\bgs_(memory_plan_(make|sort|lists|small)|machine_memory_share)\(' "${product[@]}" |
    grep -vE '^lib/(sort/plan|base)/')

# What a query's node knows, the plan's takes over; what it has no use for is named here.
not_of_plan=' last '
for field in $(fields_of gs_query_node lib/index/query/query.h); do
    grep -qE "(from|q|query->nodes\[[^]]*\])(->|\.)$field\b" lib/index/query/search_plan.c || [[ $not_of_plan = *" $field "* ]] ||
        complain "lib/index/query/search_plan.c: does nothing with $field of gs_query_node"
done

# The bytes that a version of the index has are kept beside it: others come with another version.
index_kind= index_lines= index_kinds=0
check_index_bytes() {
    [ -n "$index_lines" ] || return # of this kind only the version is told
    index_kinds=$((index_kinds + 1))
    grep -qxF "# made for $index_kind, $(printf %s "$index_lines" | cksum)" tests/cli/index_bytes.sh ||
        complain "tests/cli/index_bytes.stdout: other bytes than index_bytes.sh has for $index_kind: does it say a new version?" \
            "Then it is a new line there: # made for $index_kind, $(printf %s "$index_lines" | cksum)"
}
while read -r line; do
    if [[ $line = *'"version": '* ]]; then
        check_index_bytes
        index_kind=$line index_lines=
    else
        index_lines+=$line$'\n'
    fi
done <tests/cli/index_bytes.stdout
check_index_bytes
while read -r kind; do complain "tests/cli/index_bytes.sh: twice something else made for $kind"; done \
    < <(sed -n 's/^# made for \(.*\), .*/\1/p' tests/cli/index_bytes.sh | sort | uniq -d)
[ "$index_kinds" -ge "$index_kinds_least" ] ||
    complain "tests/cli/index_bytes.stdout: only $index_kinds kinds of index, where $((index_kinds_least - 1)) things are only in some"
# Bytes that are no longer expected are of versions that are no longer read.
layout=$(sed -nE 's/^ *GS_INDEX_LAYOUT = ([0-9]+),.*/\1/p' lib/index/format/index_format.h)
[ -n "$layout" ] || complain "lib/index/format/index_format.h: found no GS_INDEX_LAYOUT"
while read -r kind; do
    grep -qxF "$kind" tests/cli/index_bytes.stdout || [ "${kind##* }" -lt "${layout:-0}" ] ||
        complain "tests/cli/index_bytes.sh: no longer made is $kind, which GS_INDEX_LAYOUT = $layout reads:" \
            "it becomes more than each version that other bytes had"
done < <(sed -n 's/^# made for \(.*\), .*/\1/p' tests/cli/index_bytes.sh)

# Flipped bits were counted in the blocks of each codec of runs.
while read -r codec; do
    [ "$codec" = raw ] || grep -q "^| run block, $codec |" tests/RELIABILITY.md ||
        complain "tests/RELIABILITY.md: has no row of blocks by $codec (make flips reliability)"
done < <(sed -nE 's/^    \[GS_RUN_CODEC_[A-Z0-9]+\] = \{"([a-z0-9]+)",.*/\1/p' io/run_block.c)

# What a saved summary holds is drawn for every kind.
while read -r kind; do
    grep -q "^ \*      $kind  " lib/stream/saved_summary.h || complain "lib/stream/saved_summary.h: draws no summary of $kind"
done < <(sed -n '/^typedef enum gs_saved_kind/,/^}/p' lib/stream/saved_summary.h | grep -oE 'GS_SAVED_[A-Z]+' |
    grep -vx GS_SAVED_KINDS | sed 's/GS_SAVED_//' | tr '[:upper:]' '[:lower:]')

# Answers of `stats` are lines or JSON: who ends a line by itself does so in JSON too. What
# ends one stands once in stats_output.c, so that there is one place to change.
while read -r line; do complain "$line: stats_output_end_line ends a line"; done \
    < <(grep -nF '\n' cmd/*_answer.c
        # stats_json.c is of --stats, which is JSON alone; usage has lines of its own.
        find cmd -name 'stats_*.c' ! -name stats_json.c ! -name stats_output.c -exec \
            grep -HnE '\b(putc|fputc|putchar|fputs|printf|fprintf)\(.*\\n|\bputs\(' {} +
        grep -HnF '\n' cmd/stats_output.c | grep -vF "line_end = {'\n', \"\\\\n\"};")

# \b keeps gs_strtok or my_sprintf out of it.
banned='\b(strcpy|strcat|sprintf|vsprintf|gets|strtok|atoi|atol)[[:space:]]*\('
while read -r line; do complain "$line: banned call"; done \
    < <(grep -nE "$banned" "${product[@]}" | grep -vE ':[0-9]+:[[:space:]]*(/?\*|//)')
while read -r line; do complain "$line: memory comes from lib/base/mem.h"; done \
    < <(grep -nE '\b(malloc|calloc|realloc)[[:space:]]*\(' "${product[@]}" |
        grep -vE '^(lib/base/mem\.c|[^:]*:[0-9]+:[[:space:]]*(/?\*|//))')
while read -r line; do complain "$line: use lib/base/assertion.h"; done \
    < <(grep -n 'assert\.h>' "${product[@]}")
while read -r file; do
    grep -q '^#include "gpu/device/cub_launch.cuh"' "$file" ||
        complain "$file: CUB's device-wide calls come behind gpu/device/cub_launch.cuh"
done < <(grep -lE '^#include <cub/(device/|cub\.cuh)' "${sources[@]}")

for file in "${sources[@]}"; do
    head -n 1 "$file" | grep -q 'SPDX-License-Identifier: MIT' ||
        complain "$file: no licence line"
done
while read -r name; do complain "$name: more than one file of this name"; done \
    < <(printf '%s\n' "${sources[@]}" | sed 's|.*/||' | sort | uniq -d)
# But for the one header of the library, which is promised to be one.
for file in "${product[@]}"; do
    lines=$(wc -l <"$file")
    [ "$lines" -le 800 ] || [ "$file" = lib/gpusort.h ] || complain "$file: $lines lines, cut it by idea"
done
while read -r line; do complain "$line: a rule that goes on"; done \
    < <(grep -nE '^/\* --- .*-$|^ \* -+ \*/$' "${sources[@]}")
while read -r line; do complain "$line: unfinished"; done \
    < <(grep -nE 'TODO|FIXME|XXX[^X]' "${product[@]}" | grep -v XXXXXX)

# What the build needs is named by who makes packages and the image, once more: in Debian's
# control file for the build and for who links the archive; and by the README, in a word.
stanza() { awk -v RS= -v name="$1" 'index("\n" $0, "\n" name "\n")' cmd/deb/control; }
while read -r package; do
    for name in 'Source: gpusort' 'Package: libgpusort-dev'; do
        stanza "$name" | sed -z 's/\n / /g' | grep -E '^(Build-)?Depends:' | grep -qw -- "$package" ||
            complain "cmd/deb/control: of '$name' depends not on $package, which the build needs"
    done
    grep -qw -- "$package" cmd/container/Containerfile ||
        complain "cmd/container/Containerfile: lacks $package, which the build needs"
    word=${package%-dev} word=${word%1g}
    sed -n '/^## Building/,/^## /p' README.md | grep -qwE "$word|${word#lib}" ||
        complain "README.md: Building does not name $word"
done < <(sed -n 's/^build_needs=(\(.*\))/\1/p' tests/install_deps.sh | tr ' ' '\n' | grep -- '-dev$' | grep -vx libc6-dev)

# Each library that is linked is of a package that the build needs.
mapfile -t libraries < <(sed -nE 's/^LDLIBS := .*foreach l,.*\(LIBURING\)\),(uring)\)(.*),\$\(call lib.*/\1\2/p' Makefile | tr ' ' '\n')
[ ${#libraries[@]} -ge 6 ] || complain "Makefile: only found these libraries: ${libraries[*]}"
for library in "${libraries[@]}"; do
    grep '_needs=(' tests/install_deps.sh | grep -qE " (lib$library|$library(lib)?)(1g)?-dev[ )]" ||
        complain "tests/install_deps.sh: no package has the library $library, which is linked"
done

while read -r line; do complain "$line"; done \
    < <(python3 -B tests/bench/results_page.py --check 2>&1)

if command -v clang-format >/dev/null; then
    while read -r file; do complain "$file: not formatted (make format)"; done \
        < <(printf '%s\n' "${sources[@]}" | xargs -r clang-format -n -Werror 2>&1 |
            sed -n -e 's/^\([^:]*\):.*code should be clang-formatted.*/\1/p' \
                -e 's/^Configuration.*not support \([^:]*\):.*/a file taken for \1/p' | sort -u)
else
    echo 'clang-format is not here: formatting was not checked' >&2
fi
echo "lint: ${#sources[@]} files, $findings findings"
[ "$findings" -eq 0 ]
