#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What does not go together: each option of a command beside each other, each letter of a key likewise.

Every option of a command's table in cmd/ is given beside every other, on inputs that are empty: what is
refused then is refused for the options alone. An option that takes a value needs one here that is good
alone, or what it needs beside it; one that has none is printed.
"""
import itertools
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

CMD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "cmd")

# The table of a command; what it is called with, * for a new name; options that stand there already, or
# that end the program before it looks at others.
COMMANDS = {
    "sort": ("sort_args.c", ["sort", "empty"], ["help", "version", "files0-from"]),
    "join": ("join_args.c", ["join", "empty", "empty"], ["verify", "checkpoint", "json"]),
    "index build": ("index_build_args.c", ["index", "build", "-o", "*", "empty"], ["output", "files0-from"]),
    "index merge": ("index_merge_command.c", ["index", "merge", "-o", "*", "one"], ["output", "term-splitters"]),
    "search": ("search_args.c", ["search", "one", "a"], []),
    "lookup": ("cmd_lookup.c", ["lookup", "one"], []),
}
# Values, of every command and of one.
VALUES = {
    "": {"gpu": "0", "gpu-mem": "1G", "engine": "cpu", "parallel": "2", "buffer-size": "64M", "batch-size": "4",
         "temporary-directory": ".", "checkpoint": "*", "output-compress": "zstd", "output": "*", "top": "1",
         "doc-base": "9", "min-len": "2", "max-len": "9"},
    "sort": {"record-size": "4", "key-bytes": "0:2", "jsonl-key": ".a", "compress-program": "cat", "key": "1,1",
             "random-source": "seed", "sort": "numeric", "field-separator": ",", "y": "1"},
    "join": {"1": "2", "2": "2", "j": "2", "t": ",", "band": "0:1", "a": "1", "v": "1", "o": "0", "e": "x",
             "binary": "u32"},
    "index build": {"format": "jsonl", "id-field": "a", "text-field": "t", "weight-scale": "2",
                    "tokenizer": "whitespace", "stopwords": "empty", "stem": "english", "method": "bsbi"},
    "index merge": {"doc-ids": "keep", "from-term": "a", "to-term": "b"},
    "search": {"k1": "1", "b": "0.5", "trec": "x", "statistics": "statistics"},
    "lookup": {"from": "a", "to": "b"},
}
# Values that are something else each, so that each is given beside every option. A file that is empty is
# no csv, which has a header, and a tsv without columns that could be chosen.
EACH_VALUE = {("index build", "format"): "jsonl json vectors tsv trec warc text html tuples tuples-bin".split()}
# What an option must have beside it.
NEEDS = {"sort --key-bytes": ["--record-size=4"], "sort --no-quotes": ["--tsv"], "sort --output-sum": ["--stats=/dev/null"],
         "index build --weight-scale": ["--format=vectors"], "join --text": ["--binary=u32"],
         "join --skip-bad": ["--band=0:1"]}
NUMBER = itertools.count()


def run(words, **how):
    """With new names for each *."""
    fresh = [word.replace("*", f"new{next(NUMBER)}") for word in words]
    return subprocess.run(["gpusort", *fresh], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False, **how)


def is_good(words):
    """Taken, and not refused; whatever else becomes of it is told."""
    code = run(words, stderr=subprocess.DEVNULL).returncode
    if code not in (0, 2):
        print(f"exit {code}: {' '.join(words)}")
    return code == 0


def show(things, refuses):
    """Behind each of some things, those that are refused beside it."""
    pairs = list(itertools.combinations(things, 2))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        refused = {pair for pair, is_refused in zip(pairs, pool.map(refuses, pairs)) if is_refused}
    for thing in things:
        print(f"{thing}:", *(other for other in things if {(thing, other), (other, thing)} & refused))


def show_options(command):
    file, base, left_out = COMMANDS[command]
    given = {}
    with open(os.path.join(CMD, file), encoding="utf-8") as source:
        table = re.findall(r"""^ *\{(?:0|'(.)'[^,]*|[^",]*), (?:"([a-z0-9][a-z0-9-]*)"|NULL),\s""", source.read(), re.M)
    for letter, long in table:
        name = long or letter
        if not name or name in left_out:
            continue
        value = VALUES[command].get(name, VALUES[""].get(name))
        values = EACH_VALUE.get((command, name), [value])
        for value in values:
            option = f"--{name}" if long else f"-{name}"
            word = f"{option}={value}" if len(values) > 1 else option
            words = [option + ("" if value is None else f"={value}" if long else value)]
            words += NEEDS.get(f"{command} {word}", [])
            if is_good([*base, *words]):
                given[word] = words
            else:
                print(f"{' '.join(words)} alone is refused: does option_pairs.py need a value, or what it needs?")
    print(f"{command}, {len(given)} options")
    show(list(given), lambda pair: not is_good([*base, *given[pair[0]], *given[pair[1]]]))


def show_letters():
    """Those that one key does not have together, and what --debug warns of."""
    with open(os.path.join(CMD, "key_spec.h"), encoding="utf-8") as source:
        letters = list(dict.fromkeys(re.findall(r"^ +X\([A-Z_]+, +'([A-Za-z])',", source.read(), re.M)))
    print(f"sort -k, {len(letters)} letters")
    show(letters, lambda pair: not is_good(["sort", "empty", f"-k1,1{''.join(pair)}"]))
    for letter in letters:
        for options in ([f"-k1,1{letter}"], ["-k1", f"-{letter}"], [f"-{letter}", "-k1,1n"]):
            told = run(["sort", "--debug", "f", *options], stderr=subprocess.PIPE, text=True).stderr
            warnings = [line.split(": ", 1)[1] for line in told.splitlines()[1:]]
            print(" ".join(options) + ":", "; ".join(warnings) or "no warning")


def check_formats():
    """Each format of documents is one of EACH_VALUE."""
    told = subprocess.run(["gpusort", "index", "build", "--format=?", "-o", "x", "x"], stderr=subprocess.PIPE, text=True,
                          check=False).stderr
    lacks = set(re.findall(r"^  - '(.*)'$", told, re.M)) - {*EACH_VALUE["index build", "format"], "csv"}
    if lacks:
        print("option_pairs.py lacks the formats", *sorted(lacks))


if __name__ == "__main__":
    check_formats()
    for name in COMMANDS:
        show_options(name)
    show_letters()
