#!/bin/bash
# SPDX-License-Identifier: MIT
# Every long option of search is in the help, the man page and the completions.
root=$GS_CLI/../..
options=$(sed -n 's/^    {"\([a-z0-9-]*\)", GS_OPT_.*/\1/p' "$root/cmd/search_args.c")
[ "$(wc -w <<<"$options")" -ge 12 ] || echo "only found: $options"
man=$(sed 's/\\-/-/g' "$root/man/gpusort-search.1")
help=$(gpusort search --help)
zsh=$(sed -n '/^search_options=/,/^)/p' "$root/cmd/completions/_gpusort")
fish=$(grep '^__gpusort_search ' "$root/cmd/completions/gpusort.fish")
for option in $options; do
    grep -qE -- "--$option([^a-z0-9-]|$)" <<<"$help" || echo "help: --$option"
    grep -qE -- "--$option([^a-z0-9-]|$)" <<<"$man" || echo "man page: --$option"
    grep -qE -- "--$option([^a-z0-9-]|$)" <<<"$zsh" || echo "zsh: --$option"
    grep -qE -- "-l $option( |$)" <<<"$fish" || echo "fish: --$option"
done
awk 'length > 88 { print "help, too wide: " $0 }' <<<"$help"
bash -n "$root/cmd/completions/gpusort.bash"
