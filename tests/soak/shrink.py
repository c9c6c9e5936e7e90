# SPDX-License-Identifier: MIT
"""Makes a case that fails smaller, as long as it fails, and keeps what is needed to see it again."""
import copy
import os
import shlex
import shutil
import time

import differential


class Shrinkable:
    """A case: its `reductions` gives smaller ones, each the same `but` for some fields."""

    def but(self, **fields):
        other = copy.copy(self)
        for name, value in fields.items():
            setattr(other, name, value)
        return other


def fails(case, world, tries):
    """What is wrong with the case, or None: it is tried again where kills make it a matter of luck."""
    for _ in range(tries):
        problem = case.check(world)
        if problem:
            return problem
    return None


def shrink(case, problem, world, seconds):
    """(the smallest case that was found in that time, what is wrong with it)"""
    until = time.monotonic() + seconds
    tries = 4 if case.trouble.kills else 1
    is_smaller = True
    while is_smaller:
        is_smaller = False
        for smaller in case.reductions():
            if time.monotonic() > until:
                return case, problem
            try:
                other = fails(smaller, world, tries)
            except (RuntimeError, OSError):  # no case any more, for the reference
                continue
            if other:
                case, problem, is_smaller = smaller, other, True
                break
    return case, problem


def keep(case, problem, folder, seed, number, world):
    """A folder with the files of the case and a script that runs its command."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    case.save(folder, world)
    with open(os.path.join(folder, "again.sh"), "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write("#!/bin/bash\n# soak --seed %s --case %d, made smaller; run it in a copy of this folder.\n"
                   % (seed, number))
        for remark in [problem] + list(case.trouble.remarks()):
            file.write("# %s\n" % remark.replace("\n", "\n#   "))
        file.write("export LC_ALL=C TMPDIR=$PWD/tmp\nmkdir -p tmp out\n")
        for command in case.commands():
            file.write(command + "\n")


def quoted(words):
    return " ".join(differential.quote(word) for word in words)


def command_line(case, words, stdin=None, piped=False):
    text = " ".join(part for part in (case.trouble.shell(), quoted(words)) if part)
    if stdin is None:
        return text
    return "cat %s | %s" % (shlex.quote(stdin), text) if piped else "%s < %s" % (text, shlex.quote(stdin))
