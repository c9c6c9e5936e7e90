#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lines that speak of documents, each with the document's name and how its text begins.

    excerpt.py FILE... < LINES

LINES are fields with TABs between, of which one is a docID (#N) or a document's name. The
FILEs are the documents in the order in which they were indexed, an object a line.
"""
import json
import sys

WIDTH = 60


def documents(names):
    for name in names:
        with open(name, encoding="utf-8") as lines:
            for line in lines:
                yield json.loads(line)


def main():
    asked = [line.rstrip("\n").split("\t") for line in sys.stdin]
    wanted = {field for fields in asked for field in fields}
    found = {}
    for number, document in enumerate(documents(sys.argv[1:])):
        for key in (document["id"], "#%d" % number):
            if key in wanted:
                found.setdefault(key, document)
    for fields in asked:
        document = next((found[f] for f in fields if f in found), {"id": "?", "contents": ""})
        numbers = " ".join(f for f in fields if f not in found)
        print("%-9s %-24s %s" % (numbers, document["id"], document["contents"][:WIDTH]))


if __name__ == "__main__":
    main()
