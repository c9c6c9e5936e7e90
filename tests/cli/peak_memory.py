#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a command and writes the most memory that it had at once, in KiB, into a file.

    tests/cli/peak_memory.py FILE COMMAND [ARGUMENT]...

The exit status is the command's, 128 and the signal's number if one ended it.
"""
import os
import signal
import sys

# Python ignores SIGPIPE, and the command shall not.
child = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ, setsigdef=[signal.SIGPIPE])
_, status, usage = os.wait4(child, 0)
with open(sys.argv[1], "w") as file:
    print(usage.ru_maxrss, file=file)
sys.exit(128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status))
