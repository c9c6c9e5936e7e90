#!/bin/bash
# SPDX-License-Identifier: MIT
# Every long option of index build, merge and import is in the help, the man page and the
# three completions.
root=$GS_CLI/../..
man=$(sed 's/\\-/-/g' "$root/man/gpusort-index.1")
check() {
    local command=$1 file=$2 least=$3 help zsh fish option options
    options=$(sed -n 's/^ *{[^",]*, "\([a-z0-9-]*\)",.*/\1/p' "$root/cmd/$file" "$root/cmd/watch.h")
    [ "$(wc -w <<<"$options")" -ge "$least" ] || echo "$command: only found $options"
    help=$(gpusort index "$command" --help)
    zsh=$(sed -n "/^${command}_options=/,/^)/p" "$root/cmd/completions/_gpusort")
    fish=$(grep "^__gpusort_$command " "$root/cmd/completions/gpusort.fish")
    for option in $options; do
        grep -qE -- "--$option([^a-z0-9-]|$)" <<<"$help" || echo "help of $command: --$option"
        grep -qE -- "--$option([^a-z0-9-]|$)" <<<"$man" || echo "man page: --$option"
        grep -qE -- "--$option([^a-z0-9-]|$)" <<<"$zsh" || echo "zsh, $command: --$option"
        grep -qE -- "-l $option( |$)" <<<"$fish" || echo "fish, $command: --$option"
    done
    awk 'length > 88 { print "help, too wide: " $0 }' <<<"$help"
}
check build index_build_args.c 26
check merge index_merge_command.c 9
check import index_import.c 9
# Every command is in the list of commands, the man page and the completions.
gpusort index --help | sed -n 's/^  \([a-z]*\) .*/\1/p' | while read -r command; do
    grep -q "gpusort index $command" <<<"$man" || echo "man page: $command"
    for file in _gpusort gpusort.bash gpusort.fish; do
        grep -qw "$command" "$root/cmd/completions/$file" || echo "$file: $command"
    done
done
bash -n "$root/cmd/completions/gpusort.bash"
