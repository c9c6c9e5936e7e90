#!/bin/bash
# SPDX-License-Identifier: MIT
# Every option of gen and check that the help names is in the man page.
for command in gen check; do
    man=$(sed 's/\\-/-/g' "$GS_CLI/../../man/gpusort-$command.1")
    for option in $(gpusort $command --help | grep -o -- '--[a-z][a-z-]*' | sort -u); do
        grep -qE -- "$option([^a-z-]|$)" <<<"$man" || echo "gpusort-$command.1: $option"
    done
    gpusort $command --help | awk -v c=$command 'length > 88 { print c " help, too wide: " $0 }'
done
