#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the seeds of tests/fuzz_index.c and tests/fuzz_ciff.c, which change with the format
of the index: small indexes of every kind, packed as the fuzzers take them.

    tests/fuzz_seeds/make_index_seeds.py build/gpusort
"""
import json
import os
import struct
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(here))

import index_kinds  # noqa: E402


def pack(folder, flags):
    with open(os.path.join(folder, "header.json")) as file:
        header = json.load(file)
    files = []
    for name in ("terms", "postings", "positions", "texts", "documents"):
        path = os.path.join(folder, name)
        data = b""
        if os.path.exists(path):
            with open(path, "rb") as file:
                data = file.read()
        files.append(data)
    flags |= (header["has_positions"] | header["has_names"] << 1 | header.get("has_texts", False) << 4 |
              header.get("has_impacts", False) << 5)
    head = struct.pack("<BIIIIHHHH", flags, header["documents"], header["terms"], header["postings"],
                       header["tokens"], *map(len, files[:4]))
    return head + b"".join(files)


def main():
    binary = os.path.abspath(sys.argv[1])
    few = "".join("d%d\t%s\n" % (i, " ".join("w%d" % (i * k % 7) for k in range(i % 5)))
                  for i in range(20))
    block = "".join("%d\t%s\n" % (i, "a " * (1 + i % 3 // 2)) for i in range(150))
    texts = "".join("%d\t%s\n" % (i, "w%d " % (i % 7) * (i % 9 * 900)) for i in range(40))
    terms = "".join("%d\tprefixed%03d q\n" % (i % 4, i) for i in range(40))
    tuples = "".join("t%d\t%d\t%d\n" % (i % 6, i * i % 61, 1 + i % 3) for i in range(300))
    vectors = "".join('{"id":"d%d","vector":{%s}}\n' % (i, ",".join('"w%d":%d' % (k, i * k % 9) for k in range(1 + i % 4)))
                      for i in range(200))
    sources = {"few": (few, []), "few-positions": (few, ["--positions"]),
               "block": (block, []), "block-positions": (block, ["--positions"]),
               "terms": (terms, []), "empty": ("", []),
               "few-texts": (few, ["--store"]), "texts": (texts, ["--store"]),
               "tuples": (tuples, ["--format=tuples"]),
               "vectors": (vectors, ["--format=vectors"])}
    kinds = index_kinds.Kinds("seeds")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, (text, options) in sources.items():
            with open("in.tsv", "w") as file:
                file.write(text)
            subprocess.run([binary, "index", "build", "--replace", "-o", "i"] + options + ["in.tsv"], check=True)
            subprocess.run([binary, "index", "export", "--ciff=i.ciff", "i"], check=True)
            kinds.meet("i")
            for flags in (0, 4):
                with open(os.path.join(here, "fuzz_index", "%s-%d" % (name, flags)), "wb") as file:
                    file.write(pack("i", flags))
            if "--store" in options: # which such a file does not have
                continue
            with open("i.ciff", "rb") as source:
                with open(os.path.join(here, "fuzz_ciff", name), "wb") as file:
                    file.write(b"\x20" + source.read())
    if kinds.missing():
        sys.exit("\n".join(kinds.missing()))


if __name__ == "__main__":
    main()
