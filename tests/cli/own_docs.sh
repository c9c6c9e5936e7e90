#!/bin/bash
# SPDX-License-Identifier: MIT
# Every long option is in the help, the man page and the three completions.
root=$GS_CLI/../..
options=$(sed -n 's/^    {"\([a-z0-9-]*\)", GS_OPT_.*/\1/p' "$root/cmd/sort_args.c")
[ "$(wc -w <<<"$options")" -gt 40 ] || echo "only found: $options"
man=$(sed 's/\\-/-/g' "$root/man/gpusort-sort.1")
help=$(gpusort sort --help)
for option in $options; do
    grep -qE -- "--$option([^a-z0-9-]|$)" <<<"$help" || echo "help: --$option"
    grep -qE -- "--$option([^a-z0-9-]|$)" <<<"$man" || echo "man page: --$option"
    grep -qE -- "--$option([^a-z0-9-]|$)" "$root/cmd/completions/_gpusort" || echo "zsh: --$option"
    grep -qE -- "-l $option( |$)" "$root/cmd/completions/gpusort.fish" || echo "fish: --$option"
done
awk 'length > 80 { print "help, too wide: " $0 }' <<<"$help"
