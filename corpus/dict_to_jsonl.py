#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A dictionary as the DICT servers have it, to documents, one JSON object a line.

    dict_to_jsonl.py NAME INDEX TEXT > NAME.jsonl

INDEX has a line for every headword: the word, and where its article is in TEXT and how
long, in base 64. TEXT may be compressed (.dz is gzip). Articles come in the order of TEXT,
each once and under its first headword, named NAME/headword; what the index says about the
dictionary itself is left out. Runs of blanks and line ends become one blank.
"""
import gzip
import json
import sys

DIGITS = {c: i for i, c in enumerate(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")}


def number(text):
    value = 0
    for c in text:
        value = value * 64 + DIGITS[c]
    return value


def articles(index):
    """Where each article is, to its first headword."""
    found = {}
    with open(index, encoding="utf-8") as lines:
        for line in lines:
            word, begin, length = line.rstrip("\n").split("\t")[:3]
            if not word.replace("-", "").startswith("00database"):
                found.setdefault((number(begin), number(length)), word)
    return sorted(found.items())


def main():
    name, index, text = sys.argv[1:]
    with (gzip.open if text.endswith(".dz") else open)(text, "rb") as file:
        everything = file.read()
    for (begin, length), word in articles(index):
        article = everything[begin:begin + length].decode("utf-8", "replace")
        document = {"id": name + "/" + word, "contents": " ".join(article.split())}
        print(json.dumps(document, ensure_ascii=False))


if __name__ == "__main__":
    main()
