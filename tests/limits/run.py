#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Situations in which other programs fail: small limits, and what has bitten other sorts.

    tests/limits/run.py --binary PROGRAM [--json FILE] [NAME]...

In each of them gpusort must give the exact answer, or say clearly why not, and leave nothing
behind. With names, those that contain one of them. What a machine cannot show (without root
there are no mounts, say) is left out and counted. --json writes a list of all with what
came out, for other programs. Exit code 1 if one fails.
"""
import argparse
import os
import shutil
import sys
import tempfile
import time
import traceback

import files
import machine
import sandbox
import surprises

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import results  # noqa: E402  (it lies beside this folder)

GROUPS = {"limits": (machine, files), "what has bitten other sorts": (surprises,)}


class Scene:
    """What a situation is given: a folder of its own, inputs, and the program."""

    def __init__(self, binary, shared, folder, can_mount):
        self.binary, self.shared, self.folder = binary, shared, folder
        self.can_mount = can_mount

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)
        return self.path(name)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def made(self, kind, size, seed=1):
        """A generated input, the same for all who ask for it."""
        path = os.path.join(self.shared, f"{kind}-{size}-{seed}")
        if not os.path.exists(path):
            done = sandbox.run([self.binary, "gen", kind, f"--bytes={size}",
                                f"--seed={seed}", "-o", path], self.folder)
            assert done.code == 0, done
        return path

    def run(self, *argv, **settings):
        return sandbox.run([self.binary, *argv], self.folder, **settings)

    def exact(self, result, path):
        """The result must be all lines of the file, in order, without a word."""
        assert result.code == 0 and result.err == "", result
        assert result.out == sorted_lines(path), "not the exact answer"

    def sorted_into(self, name, path):
        assert self.read(name) == sorted_lines(path), "not the exact answer"

    def refused(self, result, *words):
        """An error that holds these words, exit code 2, and nothing in the folder that was
        not there."""
        assert result.code == 2, result
        for word in words:
            assert word in result.err, f"{word!r} is not said: {result.err!r}"

    def empty(self, *names):
        left = sorted(os.listdir(self.path(*names)))
        assert left == [], f"left behind: {left}"

    def mount(self, name, kind, options="", source="none", flags=0):
        if not self.can_mount:
            raise sandbox.Skip("may not mount")
        os.makedirs(self.path(name), exist_ok=True)
        sandbox.mount(source, self.path(name), kind, flags, options)
        return self.path(name)


known_answers = {}


def sorted_lines(path):
    if path not in known_answers:
        with open(path, "rb") as file:
            data = file.read()
        lines = data.split(b"\n")
        if lines[-1] == b"":
            lines.pop()
        lines.sort()
        known_answers[path] = b"".join(line + b"\n" for line in lines)
    return known_answers[path]


def unmount_below(folder):
    with open("/proc/self/mountinfo") as file:
        points = [line.split()[4] for line in file]
    for point in reversed(points):
        if point.startswith(folder + "/"):
            sandbox.unmount(point)


def play(situation, binary, scratch, can_mount):
    """What came of it: passed, skipped or failed, and why."""
    folder = tempfile.mkdtemp(dir=scratch)
    os.chmod(folder, 0o755)
    try:
        situation(Scene(binary, os.path.join(scratch, "made"), folder, can_mount))
        return "passed", ""
    except sandbox.Skip as why:
        return "skipped", str(why)
    except Exception as why:
        at = traceback.extract_tb(why.__traceback__)
        line = [frame for frame in at if frame.name == situation.__name__][-1]
        kind = "" if isinstance(why, AssertionError) else f"{type(why).__name__}: "
        return "failed", f"{kind}{why} (line {line.lineno}: {line.line})"
    finally:
        unmount_below(folder)
        shutil.rmtree(folder, ignore_errors=True)


def situations_of(modules):
    for module in modules:
        for function in module.SITUATIONS:
            yield function


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    for name in ("POSIXLY_CORRECT", "_POSIX2_VERSION", "TMPDIR", "GS_NO_URING"):
        os.environ.pop(name, None)
    os.environ["LC_ALL"] = "C"
    binary = os.path.realpath(args.binary)
    can_mount = sandbox.own_mounts()
    told = []
    with tempfile.TemporaryDirectory(prefix="gpusort-limits.") as scratch:
        os.chmod(scratch, 0o755)
        os.mkdir(os.path.join(scratch, "made"))
        shutil.copy(binary, os.path.join(scratch, "gpusort"))  # where everybody may run it
        for group, modules in GROUPS.items():
            for situation in situations_of(modules):
                name = situation.__name__
                if args.names and not any(part in name for part in args.names):
                    continue
                start = time.monotonic()
                result, why = play(situation, os.path.join(scratch, "gpusort"), scratch,
                                   can_mount)
                told.append({"group": group, "situation": name,
                             "expected": " ".join(situation.__doc__.split()),
                             "result": result, "why": why,
                             "seconds": round(time.monotonic() - start, 3)})
                if result != "passed":
                    print(f"{result} {name}: {why}", flush=True)
    counts = {kind: sum(one["result"] == kind for one in told)
              for kind in ("passed", "failed", "skipped")}
    if args.json:
        results.write(args.json, "limits", sys.argv, {**counts, "situations": told})
    slow = sorted(told, key=lambda one: -one["seconds"])[:5]
    print("longest: " + ", ".join(f"{one['situation']} {one['seconds']:.1f} s" for one in slow))
    print("limits: " + ", ".join(f"{count} {kind}" for kind, count in counts.items()))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
