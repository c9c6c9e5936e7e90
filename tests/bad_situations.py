#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What gpusort, GNU sort, DuckDB and Tantivy do in the same bad situations.

    tests/bad_situations.py [--binary PROGRAM] [--venv DIR] [--json FILE] [--only PART]

Sorts 40 MB of lines in 32 MiB and indexes 20 MB of documents, each program as its manual
says (DuckDB: COPY of an ORDER BY with temp_directory and a memory_limit of 96 MiB, which is
what it needs to spill and go on; Tantivy: one writer, one commit), while something goes
wrong. Prints a table of what came of it:

    exact          the whole answer, exit status 0
    error          exit status not 0, and a message
    LOSS           exit status 0 and another answer, without a word
    crash          ended by a signal that nobody sent
    mute           exit status not 0 without a message
    ended          by the signal that it was sent
    + half         what is under the name of the output is neither the old nor the new one
    + N MB left    files that nobody asked for, where it worked or in its temporary folder

DIR is a Python environment with duckdb and tantivy (pip install duckdb tantivy); who is not
there has no column. As root, full disks and control groups are real. A run takes minutes.
"""
import argparse
import collections
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "limits"))
import bad_programs  # noqa: E402
import results  # noqa: E402
import sandbox  # noqa: E402
from bad_programs import MIB, sorted_text  # noqa: E402


class Place:
    """A folder of its own for one program in one situation."""

    def __init__(self, folder, made, can_mount):
        self.folder, self.made, self.can_mount = folder, made, can_mount
        self.environment = dict(os.environ, LC_ALL="C")
        os.mkdir(self.path("tmp"))

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def input(self, program, name="in"):
        shutil.copy(self.made["lines" if program.sorts else "docs"], self.path(name))
        return self.path(name)

    def disk(self, name, mebibytes):
        if not self.can_mount:
            raise sandbox.Skip("no mounts")
        os.makedirs(self.path(name), exist_ok=True)
        sandbox.mount("none", self.path(name), "tmpfs", 0, f"size={mebibytes}m")
        return self.path(name)

    def left(self, *expected):
        """Bytes of files that nobody asked for."""
        total = 0
        for folder, _, names in os.walk(self.folder):
            for name in names:
                path = os.path.join(folder, name)
                if not any(path == one or path.startswith(one + "/") for one in expected):
                    total += os.lstat(path).st_size
        return total


def verdict(program, place, done, inputs, output, sent=None, old=None):
    """The words of the table."""
    is_new = old is None
    if done.code == "hangs":
        word = "hangs"
    elif sent is not None and done.code == -sent:
        word = "ended"
    elif isinstance(done.code, int) and done.code < 0:
        word = f"crash ({signal.Signals(-done.code).name})"
    elif done.code == 0:
        word = "exact" if os.path.exists(output) and program.is_exact(output, inputs) else "LOSS"
    else:
        word = "error" if done.err.strip() else "mute"
    more = ""
    if done.code != 0:
        there = os.path.exists(output)
        if there and not is_new:
            with open(output, "rb") as file:
                data = file.read()
            more += "" if data == old else " + old one lost"
        elif there and (os.path.isdir(output) or os.path.getsize(output) > 0):
            more += " + half"
        elif not there and not is_new:
            more += " + old one lost"
    left = place.left(*inputs, output)
    if left > 0:
        more += f" + {max(left / MIB, 0.1):.1f} MB left"
    return word + more


# --- the situations: each says in its first line what is wrong -------------------------

def plain(program, place):
    """Nothing is wrong"""
    source, output = place.input(program), place.path("out")
    return verdict(program, place, program.run(place, [source], output), [source], output)


def output_disk_full(program, place):
    """The disk of the output is too small"""
    source = place.input(program)
    output = os.path.join(place.disk("disk", 4), "out")
    return verdict(program, place, program.run(place, [source], output), [source], output)


def replaced_disk_full(program, place):
    """The same, and the output was there before"""
    if not program.sorts:
        return None
    source = place.input(program)
    output = os.path.join(place.disk("disk", 20), "out")
    with open(output, "wb") as file:
        file.write(b"old\n" * 1000)
    return verdict(program, place, program.run(place, [source], output), [source], output,
                   old=b"old\n" * 1000)


def temporary_disk_full(program, place):
    """The folder for temporary files is too small"""
    if not program.sorts:
        return None
    source, output = place.input(program), place.path("out")
    done = program.run(place, [source], output, folder=place.disk("tmp", 4))
    return verdict(program, place, done, [source], output)


def temporary_folder_missing(program, place):
    """The folder for temporary files cannot be made"""
    if not program.sorts:
        return None
    source, output = place.input(program), place.path("out")
    done = program.run(place, [source], output, folder="/proc/no/such")
    return verdict(program, place, done, [source], output)


def time_of(program, place, source):
    begun = time.monotonic()
    program.run(place, [source], place.path("trial"))
    shutil.rmtree(place.path("trial"), ignore_errors=True)
    if os.path.exists(place.path("trial")):
        os.unlink(place.path("trial"))
    return time.monotonic() - begun


def stopped_by(program, place, number):
    source, output = place.input(program), place.path("out")
    wait = time_of(program, place, source) * 0.6

    def during(child):
        time.sleep(wait)
        child.send_signal(number)

    done = program.run(place, [source], output, during=during,
                       setup=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    return verdict(program, place, done, [source], output, sent=number)


def interrupted(program, place):
    """Ctrl-C in the middle"""
    return stopped_by(program, place, signal.SIGINT)


def killed(program, place):
    """kill -9 in the middle"""
    return stopped_by(program, place, signal.SIGKILL)


def while_read(program, place, change):
    """Stops the program as soon as it has read some of the input, and changes that."""
    source, output = place.input(program), place.path("out")
    before = sorted_text([source]) if program.sorts else b""

    def during(child):
        opened = time.monotonic()
        while time.monotonic() < opened + 10 and child.poll() is None:
            if any(os.path.realpath(f"/proc/{child.pid}/fd/{fd}") == source
                   for fd in os.listdir(f"/proc/{child.pid}/fd")):
                break
        time.sleep(0.03)
        child.send_signal(signal.SIGSTOP)
        change(source)
        child.send_signal(signal.SIGCONT)

    done = program.run(place, [source], output, during=during)
    if done.code == 0 and program.sorts:
        with open(output, "rb") as file:
            got = file.read()
        if got == before:
            return "exact"
    return verdict(program, place, done, [source], output)


def cut_off(program, place):
    """The input is cut off while it is read"""
    def change(source):
        os.truncate(source, os.path.getsize(source) // 2)
    word = while_read(program, place, change)
    # Half of the answer is no answer, although it is that of the half that is left.
    source = place.path("in")
    if word == "exact" and program.sorts and os.path.getsize(place.path("out")) <= os.path.getsize(source) + 1:
        return "LOSS"
    return "LOSS" if word == "exact" and not program.sorts else word


def overwritten(program, place):
    """Lines of the input are changed while it is read"""
    def change(source):
        with open(source, "r+b") as file:
            text = file.read()
            middle = text.index(b"\n", len(text) // 2) + 1
            piece = text[middle:text.rindex(b"\n", 0, middle + MIB) + 1]
            file.seek(middle)
            file.write(piece.translate(bytes(range(97)) + b"b" * 26 + bytes(range(123, 256)))
                       if program.sorts else piece.replace(b"e", b"a"))
    return while_read(program, place, change) if program.sorts else None


def little_address_space(program, place):
    """64 MiB of address space beyond what it maps for a line"""
    source, output = place.input(program), place.path("out")
    small, peak = place.path("small"), [0]
    with open(source, "rb") as file, open(small, "wb") as to:
        to.write(file.readline())

    def during(child):
        while child.poll() is None:
            try:
                with open(f"/proc/{child.pid}/status") as file:
                    peak[0] = max([peak[0]] + [int(line.split()[1]) for line in file
                                               if line.startswith("VmPeak")])
            except OSError:
                break

    program.run(place, [small], place.path("trial"), during=during)
    shutil.rmtree(place.path("trial"), ignore_errors=True)
    if os.path.exists(place.path("trial")):
        os.unlink(place.path("trial"))
    os.unlink(small)
    space = (peak[0] << 10) + 64 * MIB
    done = program.run(place, [source], output, setup=sandbox.limit(resource.RLIMIT_AS, space))
    return verdict(program, place, done, [source], output)


def small_container(program, place):
    """A container of 128 MiB, nothing said about memory, 160 MB of input"""
    source, output = place.input(program), place.path("out")
    with open(source, "rb") as file:
        text = file.read()
    with open(source, "wb") as file:
        for _ in range(4 if program.sorts else 8):
            file.write(text)
    group = sandbox.ControlGroup("memory")
    try:
        group.set("memory.limit_in_bytes", "memory.max", 128 * MIB)
        done = program.run(place, [source], output, memory=0, setup=sandbox.join(group.path))
    finally:
        group.remove()
    return verdict(program, place, done, [source], output)


def few_descriptors(program, place):
    """16 descriptors, 40 inputs"""
    source, output = place.input(program), place.path("out")
    with open(source, "rb") as file:
        lines = file.readlines()
    os.unlink(source)
    inputs = []
    for number in range(40):
        inputs.append(place.path(f"in{number}"))
        with open(inputs[-1], "wb") as file:
            file.writelines(lines[number::40])
    done = program.run(place, inputs, output, setup=sandbox.limit(resource.RLIMIT_NOFILE, 16))
    return verdict(program, place, done, inputs, output)


def file_size_limit(program, place):
    """No file may be longer than 2 MiB"""
    source, output = place.input(program), place.path("out")
    done = program.run(place, [source], output, setup=sandbox.all_of(
        sandbox.limit(resource.RLIMIT_FSIZE, 2 * MIB),
        lambda: signal.signal(signal.SIGXFSZ, signal.SIG_DFL)))
    return verdict(program, place, done, [source], output)


def closed_output(program, place):
    """Standard output is closed (>&-)"""
    if not program.sorts:
        return None
    source = place.input(program)
    done = program.run(place, [source], "/dev/stdout", setup=lambda: os.close(1))
    return verdict(program, place, done, [source], place.path("out"))


def device_full(program, place):
    """Standard output is /dev/full"""
    if not program.sorts:
        return None
    source = place.input(program)
    with open("/dev/full", "wb") as full:
        done = program.run(place, [source], "/dev/stdout", stdout=full)
    return verdict(program, place, done, [source], place.path("out"))


def reader_gone(program, place):
    """Who reads its output goes away, as head does"""
    if not program.sorts:
        return None
    source = place.input(program)
    to_read, to_write = os.pipe()

    def during(_child):
        os.close(to_write)
        os.read(to_read, 10)
        os.close(to_read)

    done = program.run(place, [source], "/dev/stdout", stdout=to_write, during=during,
                       setup=lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL))
    return verdict(program, place, done, [source], place.path("out"), sent=signal.SIGPIPE)


def output_is_input(program, place):
    """The output is the input"""
    if not program.sorts:
        return None
    source = place.input(program)
    before = sorted_text([source])
    done = program.run(place, [source], source)
    with open(source, "rb") as file:
        return "exact" if done.code == 0 and file.read() == before else \
            "error" if done.code and sorted_text([source]) == before else "LOSS"


def input_missing(program, place):
    """One of three inputs is not there"""
    source, output = place.input(program), place.path("out")
    other = place.input(program, "in2")
    done = program.run(place, [source, place.path("missing"), other], output)
    return verdict(program, place, done, [source, other], output)


def no_last_newline(program, place):
    """Two inputs whose last lines have no end"""
    source, output, other = place.input(program), place.path("out"), place.path("in2")
    with open(source, "rb") as file:
        text = file.read()
    middle = text.index(b"\n", len(text) // 2)
    for name, part in ((source, text[:middle]), (other, text[middle + 1:-1])):
        with open(name, "wb") as file:
            file.write(part)
    done = program.run(place, [source, other], output)
    return verdict(program, place, done, [source, other], output)


def odd_bytes(program, place):
    """Bytes that are no UTF-8, and NUL"""
    if not program.sorts:
        return None
    source, output = place.input(program), place.path("out")
    with open(source, "ab") as file:
        file.write(b"\xff\xfe\n\x80abc\nx\0y\n\0\n")
    return verdict(program, place, program.run(place, [source], output), [source], output)


def long_line(program, place):
    """A line of 48 MB in 32 MiB of memory"""
    if not program.sorts:
        return None
    source, output = place.input(program), place.path("out")
    with open(source, "ab") as file:
        file.write(b"m" * (48 * MIB) + b"\n")
    return verdict(program, place, program.run(place, [source], output), [source], output)


def flipped_temporary(program, place):
    """A bit of a temporary file is flipped"""
    if not program.sorts:
        return None
    source, output = place.input(program), place.path("out")

    def files(child):
        """Temporary files, also those without a name."""
        for fd in os.listdir(f"/proc/{child.pid}/fd"):
            path = f"/proc/{child.pid}/fd/{fd}"
            try:
                if os.readlink(path).startswith(place.path("tmp")) and os.path.isfile(path):
                    yield path
            except OSError:
                pass
        for folder, _, names in os.walk(place.path("tmp")):
            yield from (os.path.join(folder, name) for name in names)

    def during(child):
        end = time.monotonic() + 10
        while child.poll() is None and time.monotonic() < end:
            child.send_signal(signal.SIGSTOP)
            for path in files(child):
                if os.stat(path).st_size > 6 * MIB:
                    with open(path, "r+b") as file:
                        file.seek(MIB)
                        piece = bytearray(file.read(64))
                        if any(piece):
                            piece[20] ^= 1
                            file.seek(MIB)
                            file.write(piece)
                            child.send_signal(signal.SIGCONT)
                            return
            child.send_signal(signal.SIGCONT)
            time.sleep(0.003)

    return verdict(program, place, program.run(place, [source], output, during=during), [source],
                   output)


def flipped_index(program, place):
    """A bit of the stored postings is flipped, one of 30 in turn, and 300 words are looked up"""
    if program.sorts:
        return None
    source, output = place.input(program), place.path("out")
    program.run(place, [source], output)
    with open(source) as file:
        words = collections.Counter(re.findall(r"[a-z]+", file.read(2 * MIB).lower()))
    words = [word for word, _ in words.most_common(300)]
    before = program.postings(output, words)
    largest = max((os.path.join(output, name) for name in os.listdir(output)
                   if not name.endswith((".store", ".fieldnorm"))), key=os.path.getsize)
    size, told = os.path.getsize(largest), {"exact": 0, "error": 0, "LOSS": 0}
    for number in range(30):
        with open(largest, "r+b") as file:
            at = size * (2 * number + 1) // 60
            file.seek(at)
            byte = file.read(1)[0]
            file.seek(at)
            file.write(bytes([byte ^ 1 << number % 8]))
            file.flush()
            try:
                told["exact" if program.postings(output, words) == before else "LOSS"] += 1
            except RuntimeError:
                told["error"] += 1
            file.seek(at)
            file.write(bytes([byte]))
    return ", ".join(f"{count} {word}" for word, count in told.items() if count)


SITUATIONS = (plain, output_disk_full, replaced_disk_full, temporary_disk_full,
              temporary_folder_missing, interrupted, killed, cut_off, overwritten,
              little_address_space, small_container, few_descriptors, file_size_limit,
              closed_output, device_full, reader_gone, output_is_input, input_missing,
              no_last_newline, odd_bytes, long_line, flipped_temporary, flipped_index)


def play(situation, program, scratch, made, can_mount):
    folder = tempfile.mkdtemp(dir=scratch)
    os.chmod(folder, 0o755)
    try:
        return situation(program, Place(folder, made, can_mount)) or "–"
    except sandbox.Skip as why:
        return f"not shown: {why}"
    finally:
        with open("/proc/self/mountinfo") as file:
            for point in [line.split()[4] for line in file]:
                if point.startswith(folder + "/"):
                    sandbox.unmount(point)
        shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", default="build/gpusort")
    parser.add_argument("--venv", default=os.environ.get("BENCH_VENV"))
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    options.binary = os.path.realpath(options.binary)
    options.reference = shutil.which(os.environ.get("REFERENCE_SORT", "sort"))
    can_mount = sandbox.own_mounts()
    programs = bad_programs.programs_of(options)
    table = []
    with tempfile.TemporaryDirectory(prefix="gpusort-bad.") as scratch:
        os.chmod(scratch, 0o755)
        made = {kind: os.path.join(scratch, kind) for kind in ("lines", "docs")}
        subprocess.run([options.binary, "gen", "lines", "--bytes=40M", "-o", made["lines"]], check=True)
        subprocess.run([options.binary, "gen", "docs", "--bytes=20M", "--format=jsonl",
                        "-o", made["docs"]], check=True)
        print("| | " + " | ".join(program.name for program in programs) + " |")
        print("|---|" + "---|" * len(programs))
        for situation in SITUATIONS:
            if options.only not in situation.__name__:
                continue
            row = [play(situation, program, scratch, made, can_mount) for program in programs]
            table.append({"situation": situation.__name__, "what": situation.__doc__,
                          **{program.name: word for program, word in zip(programs, row)}})
            print(f"| {situation.__doc__} | " + " | ".join(row) + " |", flush=True)
    if options.json:
        results.write(options.json, "bad situations", sys.argv, {"table": table})


if __name__ == "__main__":
    main()
