#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads a file in the Common Index File Format, by the format's rules and with code of its
own, and holds it against what `gpusort index dump` prints; then imports it, which must
give the same postings, and exports that, which must give the same file.

    tests/ciff_check.py --binary build/gpusort
"""
import argparse
import collections
import json
import os
import random
import struct
import subprocess
import sys
import tempfile


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def varint(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    def take(self, count):
        if self.at + count > len(self.data):
            raise ValueError("ends early")
        self.at += count
        return self.data[self.at - count:self.at]

    def message(self):
        return Reader(self.take(self.varint()))

    def fields(self, known):
        """Values by field number; what proto3 leaves out is 0 or empty."""
        out = collections.defaultdict(list)
        while self.at < len(self.data):
            key = self.varint()
            number, wire = key >> 3, key & 7
            if known.get(number) != wire:
                raise ValueError("field %d of kind %d" % (number, wire))
            value = (self.varint() if wire == 0 else struct.unpack("<d", self.take(8))[0] if wire == 1
                     else self.take(self.varint()))
            if wire == 0 and value == 0:
                raise ValueError("field %d is 0 and not left out" % number)
            out[number].append(value)
        return out


def one(fields, number, otherwise=0):
    values = fields.get(number, [])
    if len(values) > 1:
        raise ValueError("field %d comes twice" % number)
    return values[0] if values else otherwise


def read_ciff(data):
    """(header, {term: [(docid, tf)]}, [(name, length)]), all rules checked."""
    file = Reader(data)
    head = file.message().fields({1: 0, 2: 0, 3: 0, 4: 0, 5: 0, 6: 0, 7: 1, 8: 2})
    if one(head, 1) != 1:
        raise ValueError("version")
    terms, last = {}, None
    for _ in range(one(head, 2)):
        fields = file.message().fields({1: 2, 2: 0, 3: 0, 4: 2})
        term = one(fields, 1).decode("utf-8")
        if last is not None and term.encode() <= last:
            raise ValueError("terms do not ascend")
        last = term.encode()
        postings, doc = [], 0
        for i, raw in enumerate(fields[4]):
            posting = Reader(raw).fields({1: 0, 2: 0})
            delta = one(posting, 1)
            if i > 0 and delta < 1:
                raise ValueError("docids do not ascend")
            doc += delta
            postings.append((doc, one(posting, 2)))
        if one(fields, 2) != len(postings) or one(fields, 3) != sum(tf for _, tf in postings):
            raise ValueError("df or cf of %r" % term)
        terms[term] = postings
    documents = []
    for number in range(one(head, 3)):
        fields = file.message().fields({1: 0, 2: 2, 3: 0})
        if one(fields, 1) != number:
            raise ValueError("documents are not in order")
        documents.append((one(fields, 2, b"").decode("utf-8"), one(fields, 3)))
    if file.at != len(data):
        raise ValueError("something follows the end")
    total = sum(length for _, length in documents)
    if one(head, 6) != total or total != sum(tf for p in terms.values() for _, tf in p):
        raise ValueError("tokens do not add up")
    if documents and abs(one(head, 7) - total / len(documents)) > 1e-9:
        raise ValueError("average length")
    return head, terms, documents


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--documents", type=int, default=2000)
    args = parser.parse_args()
    rng = random.Random(4)
    binary = os.path.abspath(args.binary)
    with tempfile.TemporaryDirectory(prefix="gpusort-ciff-") as folder:
        os.chdir(folder)
        words = ["w%d" % i for i in range(3000)] + ["ünï", "日本"]
        names = []
        with open("docs.jsonl", "w", encoding="utf-8") as file:
            for i in range(args.documents):
                names.append("doc/%d" % (i * 3))
                text = " ".join(words[min(int(rng.paretovariate(0.6)), len(words)) - 1]
                                for _ in range(rng.randrange(0, 60)))
                file.write(json.dumps({"id": names[-1], "contents": text}) + "\n")
        with open("tuples.tsv", "w", encoding="utf-8") as file:
            for i in range(5000):
                file.write("t%d\t%d\n" % (rng.randrange(300), rng.randrange(900)))
        for source, options in (("docs.jsonl", []), ("docs.jsonl", ["--positions", "--min-len=3"]),
                                ("tuples.tsv", ["--format=tuples"])):
            subprocess.run([binary, "index", "build", "-o", "index", "--replace"] + options + [source], check=True)
            subprocess.run([binary, "index", "export", "--ciff=out.ciff", "index"], check=True)
            with open("out.ciff", "rb") as file:
                _, terms, documents = read_ciff(file.read())
            want = collections.defaultdict(list)
            dump = subprocess.run([binary, "index", "dump", "index"], check=True, capture_output=True).stdout
            for line in dump.decode("utf-8").splitlines():
                term, doc, tf = line.split("\t")
                want[term].append((int(doc), int(tf)))
            if terms != want:
                sys.exit("%s: posting lists differ" % source)
            if source == "docs.jsonl" and [name for name, _ in documents] != names:
                sys.exit("names of documents differ")
            subprocess.run([binary, "index", "import", "--ciff", "--replace", "-o", "back", "out.ciff"], check=True)
            subprocess.run([binary, "index", "verify", "back"], check=True, stdout=subprocess.DEVNULL)
            if subprocess.run([binary, "index", "dump", "back"], check=True, capture_output=True).stdout != dump:
                sys.exit("%s: imported, other postings" % source)
            subprocess.run([binary, "index", "export", "--ciff=again.ciff", "back"], check=True)
            if open("again.ciff", "rb").read() != open("out.ciff", "rb").read():
                sys.exit("%s: exported again, another file" % source)
            print("%s: %d lists, %d documents as they should be" % (source, len(terms), len(documents)))


if __name__ == "__main__":
    main()
