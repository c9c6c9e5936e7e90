# SPDX-License-Identifier: MIT
"""The GNU sort that tests compare with, and where it is older than what gpusort follows.

PROGRAM is $REFERENCE_SORT, or the first GNU sort in $PATH. gpusort follows coreutils FOLLOWED; an
older sort does some things otherwise. `lacking` probes which, and `outdated` tells which
of them a case would run into, so that it is left out and counted.
"""
import os
import re
import subprocess

FOLLOWED = (9, 12)
# Besides these only what a caller tells gpusort, or the driver of a GPU.
ENV = {name: text for name, text in os.environ.items() if name.startswith(("GS_", "CUDA_"))}
ENV.update(LC_ALL="C", PATH=os.environ.get("PATH", "/usr/bin:/bin"))


def version_of(program):
    """The numbers of a GNU sort's version, or None: another kind of sort, or none."""
    if not os.access(program, os.X_OK):
        return None
    done = subprocess.run([program, "--version"], capture_output=True, text=True, env=ENV, check=False)
    match = re.match(r"sort \(GNU coreutils\) (\d+)\.(\d+)", done.stdout)
    return (int(match.group(1)), int(match.group(2))) if match else None


def find_program():
    """gpusort itself may come first, under the name `sort`."""
    named = os.environ.get("REFERENCE_SORT")
    found = [named] if named else [os.path.join(folder, "sort") for folder in ENV["PATH"].split(":")]
    return next((program for program in found if version_of(program)), None)


PROGRAM = find_program()


def run(options, data):
    """What it writes, on standard output and standard error together."""
    done = subprocess.run(["sort"] + options, executable=PROGRAM, input=data, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env=ENV, check=False)
    return done.stdout


def orders(option, lines):
    return run([option], lines) == lines


def letters_of(arguments):
    """Every ordering letter that the arguments may mean; some too many do no harm."""
    text = ""
    for a in arguments:
        word = re.match(r"--(?:sort=)?([ghnv])", a)
        if word:
            text += word.group(1).replace("v", "V")
        elif re.match(r"--k|-[^-]|[+\d]", a):
            text += a
    return text


def has_debug(arguments):
    return any(a.startswith("--deb") or a == "--de" for a in arguments)


def numbers_of(arguments):
    """What stands for a number or a size in them."""
    found = re.findall(r"\0(?:-S|--(?:buf|par|bat)[a-z-]*=)\0?([^\0]*)", "\0" + "\0".join(arguments))
    return "".join(found)


def is_huge(argument):
    return re.search(r"\d{19}", argument) is not None


# What it is; whether PROGRAM does it as FOLLOWED; whether a case, of arguments and all
# bytes of input, is about it.
BEHAVIOURS = [
    ("the order of versions (-V)", lambda: orders("-V", b".6~.5x\n.a\n"),
     lambda arguments, data: "V" in letters_of(arguments) and re.search(rb"\.[^ -@[-`{-}]", data)),
    ("units R and Q (-h)", lambda: orders("-h", b"2\n1R\n1Q\n"),
     lambda arguments, data: "h" in letters_of(arguments) and re.search(rb"[0-9.][RQrq]", data)),
    ("not-a-numbers (-g)", lambda: orders("-gs", b"-nan(7)\n-nan(3)\nnan(5)\nnan(3)\n"),
     lambda arguments, data: "g" in letters_of(arguments) and b"nan" in data.lower()),
    ("the byte 0x80 in numbers (-n, -h)", lambda: orders("-n", b"1\x802\n7\n"),
     lambda arguments, data: b"\x80" in data and re.search("[nh]", letters_of(arguments))),
    ("--debug", lambda: b"note" not in run(["--debug", "-n"], b""),
     lambda arguments, data: has_debug(arguments)),
    ("keys that begin or end past any line", lambda: version_of(PROGRAM) >= (9, 8),
     lambda arguments, data: any(map(is_huge, arguments))),
    ("messages about numbers in options", lambda: b"\\t" in run(["-S", "\t"], b""),
     lambda arguments, data: re.search(r"[^ -&(-PS-[\]-~]", numbers_of(arguments))),
    ("messages about --files0-from", lambda: b"standard input" in run(["--files0-from=-"], b"-\0"),
     lambda arguments, data: any(a.startswith("--fi") and "minus" in a for a in arguments)),
    ("a --compress-program that is missing", lambda: version_of(PROGRAM) >= (9, 9),
     lambda arguments, data: re.search("--compress-program=(?!gzip)", "\0".join(arguments))),
]


def lacking():
    """The names of the behaviours that PROGRAM has not got. To be asked once: it runs them."""
    return [name for name, follows, _ in BEHAVIOURS if not follows()]


def outdated(names, arguments, data):
    """Which of the lacking behaviours makes the case no comparison, or None."""
    for name, _, concerns in BEHAVIOURS:
        if name in names and concerns(arguments, data):
            return name
    return None


def report_left_out(counts):
    """One line a reason, of a dict of reasons and how many cases each took."""
    for name, count in sorted(counts.items()):
        print("%d left out: the system's sort is older (%s)" % (count, name))
