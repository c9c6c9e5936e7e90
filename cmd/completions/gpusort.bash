# SPDX-License-Identifier: MIT
# bash completion for gpusort; `sort` keeps its own.

_gpusort_commands() {
    gpusort help 2>/dev/null | sed -n 's/^  \([a-z]\{1,\}\) .*/\1/p'
}

# The long options that a command's own help lists. A command may be two words.
_gpusort_options() {
    gpusort $1 --help 2>/dev/null | grep -oE -- '--[a-z0-9][a-z0-9-]*=?' | sort -u
}

_gpusort_stats_commands() {
    gpusort stats --help 2>/dev/null | sed -n 's/^  \([a-z]\{1,\}\)  .*/\1/p'
}

_gpusort_index_commands() {
    echo build append delete compact merge reorder info dump show export import verify
}

# What help may be asked for, behind the word before.
_gpusort_help() {
    local words=
    case $1 in
    help) words=$(_gpusort_commands) ;;
    index) words=$(_gpusort_index_commands) ;;
    stats) words=$(_gpusort_stats_commands) ;;
    bench) words='lookup stats' ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
}

# The languages that Snowball has here are in the message about one that it has not.
_gpusort_stemmers() {
    gpusort index build -o /dev/null/x --stem=? /dev/null 2>&1 | sed -n 's/.*there are: //p' | tr -d ,
}

# So are the distributions of generated data.
_gpusort_dists() {
    gpusort gen --dist=? lines 2>&1 | sed -n "s/^  - '\(.*\)'$/\1/p"
}

# The engines, or the distributions, that `gpusort bench` knows.
_gpusort_bench_list() {
    gpusort bench --list 2>/dev/null |
        awk -v part="$1:" '/^[a-z]/ { on = $1 == part; next } on { print $1 }'
}

_gpusort() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
    # bash splits words at '=': put "--option=" and what follows together again.
    if [[ $cur == '=' ]]; then
        cur='' prev=${COMP_WORDS[COMP_CWORD - 1]}
    elif [[ $prev == '=' && COMP_CWORD -ge 2 ]]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    local command=sort word
    word=${COMP_WORDS[1]}
    if [[ $COMP_CWORD -gt 1 && " $(_gpusort_commands) help " == *[[:space:]]"$word"[[:space:]]* ]]; then
        command=$word
    fi
    if [[ $command == help ]]; then
        _gpusort_help "$prev"
        return
    fi
    if [[ $command == index ]]; then
        if [[ $COMP_CWORD -eq 2 ]]; then
            COMPREPLY=($(compgen -W "$(_gpusort_index_commands)" -- "$cur"))
            return
        fi
        command="index ${COMP_WORDS[2]}"
    fi
    if [[ $command == stats ]]; then
        if [[ $COMP_CWORD -eq 2 ]]; then
            COMPREPLY=($(compgen -W "$(_gpusort_stats_commands)" -- "$cur"))
            return
        fi
        command="stats ${COMP_WORDS[2]}"
    fi
    if [[ $command == bench && ${COMP_WORDS[2]} == @(lookup|stats) && $COMP_CWORD -gt 2 ]]; then
        command="bench ${COMP_WORDS[2]}"
    elif [[ $command == bench && $COMP_CWORD -eq 2 && $cur != -* ]]; then
        COMPREPLY=($(compgen -W 'lookup stats' -- "$cur"))
        return
    fi
    case $prev in
    --sort)
        COMPREPLY=($(compgen -W 'general-numeric human-numeric month numeric random version' -- "$cur"))
        return ;;
    --check) COMPREPLY=($(compgen -W 'quiet silent diagnose-first' -- "$cur")); return ;;
    --progress) COMPREPLY=($(compgen -W 'always auto never' -- "$cur")); return ;;
    --output-compress) COMPREPLY=($(compgen -W 'zstd' -- "$cur")); return ;;
    --format)
        COMPREPLY=($(compgen -W 'jsonl json vectors tsv csv trec warc text html tuples tuples-bin' -- "$cur"))
        return ;;
    --doc-ids) COMPREPLY=($(compgen -W 'keep shift' -- "$cur")); return ;;
    --tokenizer) COMPREPLY=($(compgen -W 'bigrams words whitespace raw' -- "$cur")); return ;;
    --method) COMPREPLY=($(compgen -W 'auto bsbi spimi' -- "$cur")); return ;;
    --stem)
        COMPREPLY=($(compgen -W "$(_gpusort_stemmers)" -- "$cur"))
        return ;;
    --engine)
        local engines='auto cpu gpu'
        [[ $command == bench ]] && engines="all $(_gpusort_bench_list engines)"
        COMPREPLY=($(compgen -W "$engines" -- "$cur"))
        return ;;
    # In other commands these have no value.
    --count) [[ $command == gen ]] && return ;;
    --binary) [[ $command == join ]] && return ;;
    --dist) COMPREPLY=($(compgen -W "$(_gpusort_dists)" -- "$cur")); return ;;
    --distribution)
        COMPREPLY=($(compgen -W "all $(_gpusort_bench_list distributions)" -- "$cur"))
        return ;;
    --place) COMPREPLY=($(compgen -W 'device host' -- "$cur")); return ;;
    --agg) COMPREPLY=($(compgen -W 'avg min max quantile' -- "$cur")); return ;;
    --by) COMPREPLY=($(compgen -W 'dots slash domain ip' -- "$cur")); return ;;
    --type) COMPREPLY=($(compgen -W 'text f64 i64 u64 u32' -- "$cur")); return ;;
    -T | --temporary-directory) COMPREPLY=($(compgen -d -- "$cur")); return ;;
    --compress-program) COMPREPLY=($(compgen -c -- "$cur")); return ;;
    -k | --key | -t | --field-separator | -S | --buffer-size | --parallel | --batch-size | \
        --record-size | --key-bytes | --jsonl-key | --top | --gpu | --gpu-mem | --id-field | \
        --text-field | --min-len | --max-len | --k1 | --b | --trec | --runs | --size | \
        --size-max | --column | --phi | --eps | --every | \
        --records | --splitters | --seed | --range | --support | --step | --window | --time-column | --sum | --times | --plus | \
        --alphabet | --band | --begin | --bytes | --disorder | --distinct | --doc-base | \
        --doc-words | --docs | --expect | --exponent | --from | --from-term | --heads | --keys | --mean | --part | --parts | \
        --term-splitters | --terms | --to | --to-term | --values | --weight-scale)
        return ;;
    esac
    if [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W "$(_gpusort_options "$command")" -- "$cur"))
        [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace
        return
    fi
    [[ $COMP_CWORD -eq 1 ]] && COMPREPLY=($(compgen -W "$(_gpusort_commands) help" -- "$cur"))
    compopt -o filenames 2>/dev/null
    COMPREPLY+=($(compgen -f -- "$cur"))
}

complete -F _gpusort gpusort
