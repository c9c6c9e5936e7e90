#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds `gpusort index import --ciff` against the rules of the Common Index File Format.

A good file is read and given back byte by byte; then each rule is broken, one at a time,
and the message must say where and what, with no index left. So must every file that ends
early; files with wrong bytes must be read or refused, and what is read must be sound.

    tests/ciff_rules.py --binary build/gpusort
"""
import argparse
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile


def varint(x):
    x &= (1 << 64) - 1
    out = bytearray()
    while x >= 0x80:
        out.append(x & 0x7F | 0x80)
        x >>= 7
    return bytes(out) + bytes([x])


def number(field, x, always=False):
    return varint(field << 3) + varint(x) if x or always else b""


def text(field, x, always=False):
    data = x.encode() if isinstance(x, str) else x
    return varint(field << 3 | 2) + varint(len(data)) + data if data or always else b""


def message(*parts):
    data = b"".join(parts)
    return varint(len(data)) + data


class Ciff:
    """A file to be, whose parts may be changed before it is written."""

    def __init__(self, documents):
        """`documents` are lists of words."""
        names = ["doc-%d" % i for i in range(len(documents))]
        index = {}
        for doc, words in enumerate(documents):
            for word in words:
                index.setdefault(word, {}).setdefault(doc, 0)
                index[word][doc] += 1
        self.tokens = sum(map(len, documents))
        self.header = {1: 1, 2: len(index), 3: len(documents), 4: len(index),
                       5: len(documents), 6: self.tokens}
        self.average = self.tokens / len(documents) if documents else 0.0
        self.description = "gpusort index"
        self.lists = [[term, len(index[term]), sum(index[term].values()),
                       sorted(index[term].items())] for term in sorted(index, key=str.encode)]
        self.documents = [[i, names[i], len(words)] for i, words in enumerate(documents)]
        self.raw_lists, self.raw_documents, self.raw_header, self.tail = {}, {}, None, b""

    def dump(self):
        return b"".join(b"%s\t%d\t%d\n" % (term.encode(), doc, tf)
                        for term, _, _, postings in self.lists for doc, tf in postings)

    def list_parts(self, i):
        term, df, cf, postings = self.lists[i]
        parts, last = [text(1, term), number(2, df), number(3, cf)], 0
        for k, (doc, tf) in enumerate(postings):
            parts.append(text(4, number(1, doc if k == 0 else doc - last) + number(2, tf), True))
            last = doc
        return parts

    def document_parts(self, i):
        doc, name, length = self.documents[i]
        return [number(1, doc), text(2, name), number(3, length)]

    def header_parts(self):
        parts = [number(field, self.header[field]) for field in range(1, 7)]
        if self.average:
            parts.append(varint(7 << 3 | 1) + struct.pack("<d", self.average))
        return parts + [text(8, self.description)]

    def bytes(self):
        out = [message(*(self.raw_header or self.header_parts()))]
        out += [message(*self.raw_lists.get(i, self.list_parts(i))) for i in range(len(self.lists))]
        out += [message(*self.raw_documents.get(i, self.document_parts(i)))
                for i in range(len(self.documents))]
        return b"".join(out) + self.tail


GOOD = [["apple", "bee", "bee", "cat", "Zoë"], ["bee", "dog", "dog", "emu", "emu", "fox"],
        ["cat", "bee", "gnu", "gnu", "日本"]]


class Broken:
    """Rules broken: each method changes a good file, its text is what must be said."""

    def header_version(c): "version is 2, only 1 is known"; c.header[1] = 2
    def header_no_version(c): "version is 0"; c.header[1] = 0
    def header_lists_negative(c): "num_postings_lists is negative"; c.header[2] = -1
    def header_lists_large(c): "num_postings_lists is too large"; c.header[2] = 1 << 31
    def header_docs_fewer(c): "num_docs is 2"; c.header[3] = c.header[5] = 2; c.average = 8.0
    def header_docs_more(c): "document 3: the file ends here"; c.header[3] = c.header[5] = 4; c.average = 4.0
    def header_lists_more(c): "posting list 9: df is written as another type"; c.header[2] = c.header[4] = 10
    def header_lists_fewer(c): "document 0: docid is written as another type"; c.header[2] = c.header[4] = 8
    def header_part_lists(c): "9 of 20 posting lists"; c.header[4] = 20
    def header_part_docs(c): "3 of 20 documents"; c.header[5] = 20
    def header_tokens(c): "total_terms_in_collection is 17, but the frequencies add up to 16"; c.header[6] = 17; c.average = 17 / 3
    def header_average(c): "average_doclength is 5, but 16 / 3 is 5.33333333"; c.average = 5.0
    def header_average_nan(c): "average_doclength is"; c.average = float("nan")
    def header_twice(c): "num_docs comes twice"; c.raw_header = c.header_parts(); c.raw_header.insert(3, number(3, 3))
    def header_order(c): "version comes behind num_postings_lists"; c.raw_header = c.header_parts(); c.raw_header[:2] = c.raw_header[1::-1]
    def header_extra(c): "field 9, which the format does not have"; c.raw_header = c.header_parts() + [number(9, 1)]
    def header_field_0(c): "field 0, which"; c.raw_header = c.header_parts() + [b"\0"]
    def header_zero(c): "total_terms_in_collection is written though it is 0"; c.raw_header = [number(1, 1), number(6, 0, True)]
    def header_average_zero(c): "average_doclength is written though it is 0"; c.raw_header = [number(1, 1), b"\x39" + bytes(8)]
    def header_description(c): "description is not UTF-8"; c.description = b"\xff"
    def header_description_empty(c): "description is written though it is empty"; c.raw_header = c.header_parts()[:7] + [text(8, "", True)]
    def list_order(c): "posting list 4 ('cat'): the term does not come behind"; c.lists[3:5] = c.lists[4:2:-1]
    def list_twice(c): "posting list 2 ('apple'): the term does not come behind"; c.lists[2][0] = "apple"
    def list_prefix(c): "posting list 3 ('b'): the term does not come behind"; c.lists[2][0], c.lists[3][0] = "bee", "b"
    def list_utf8(c): "posting list 8: term is not UTF-8"; c.lists[8][0] = b"\xe6\x97"
    def list_surrogate(c): "term is not UTF-8"; c.lists[8][0] = b"\xed\xa0\x80"
    def list_line_feed(c): "posting list 2 ('b\\nb'): the term has a line feed"; c.lists[2][0] = "b\nb"
    def list_no_term(c): "posting list 0: no term"; c.raw_lists[0] = c.list_parts(0)[1:]
    def list_empty_term(c): "posting list 0: term is written though it is empty"; c.raw_lists[0] = [text(1, "", True)] + c.list_parts(0)[1:]
    def list_long_term(c): "term has 65536 bytes, at most 65535"; c.lists[0][0] = "A" * 65536
    def list_df(c): "df is 5, but there are 3 postings"; c.lists[2][1] = 5
    def list_df_less(c): "df is 1, but there are 3 postings"; c.lists[2][1] = 1
    def list_no_df(c): "df is 0, but there are 3"; c.lists[2][1] = 0
    def list_df_negative(c): "df is negative"; c.lists[2][1] = -3
    def list_cf(c): "cf is 3, but the frequencies add up to 4"; c.lists[2][2] = 3
    def list_no_cf(c): "cf is 0, but"; c.lists[2][2] = 0
    def list_no_postings(c): "posting list 2 ('bee'): no postings"; c.lists[2][3] = []
    def list_extra(c): "field 5, which the format does not have"; c.raw_lists[2] = c.list_parts(2) + [text(5, bytes(300000))]
    def list_twice_df(c): "df comes twice"; c.raw_lists[2] = [text(1, "bee"), number(2, 3), number(2, 3)]
    def list_late_cf(c): "cf comes behind postings"; p = c.list_parts(2); c.raw_lists[2] = p[:2] + p[3:] + p[2:3]
    def list_kind(c): "term is written as another type (0)"; c.raw_lists[2] = [number(1, 5)]
    def list_group(c): "postings is written as another type (3)"; c.raw_lists[2] = c.list_parts(2) + [varint(4 << 3 | 3)]
    def posting_again(c): "posting 1: its document is that of the one before"; c.lists[2][3][1] = (0, 1)
    def posting_back(c): "docid is negative"; c.lists[2][3][:2] = [(1, 1), (0, 2)]
    def posting_docid(c): "posting 2: docid 3, but num_docs is 3"; c.lists[2][3][2] = (3, 1)
    def posting_first_docid(c): "posting 0: docid 7, but num_docs is 3"; c.lists[2][3] = [(7, 1)]
    def posting_huge(c): "docid is too large: 2147483648"; c.lists[2][3] = [(1 << 31, 1)]
    def posting_no_tf(c): "posting 0: tf is 0"; c.lists[2][3][0] = (0, 0)
    def posting_tf_negative(c): "tf is negative"; c.lists[2][3][0] = (0, -1)
    def posting_tf_large(c): "tf is too large"; c.lists[2][3][0] = (0, 1 << 31)
    def posting_zero(c): "docid is written though it is 0"; c.raw_lists[2] = c.list_parts(2)[:3] + [text(4, number(1, 0, True) + number(2, 1))]
    def posting_zero_tf(c): "tf is written though it is 0"; c.raw_lists[2] = c.list_parts(2)[:3] + [text(4, number(2, 0, True))]
    def posting_empty(c): "posting 0: tf is 0"; c.raw_lists[2] = c.list_parts(2)[:3] + [b"\x22\x00"]
    def posting_extra(c): "field 3, which"; c.raw_lists[2] = c.list_parts(2)[:3] + [text(4, number(2, 1) + number(3, 1))]
    def posting_twice(c): "tf comes twice"; c.raw_lists[2] = c.list_parts(2)[:3] + [text(4, number(2, 1) * 2)]
    def posting_order(c): "docid comes behind tf"; c.raw_lists[2] = c.list_parts(2)[:3] + [text(4, number(2, 1) + number(1, 1))]
    def posting_beyond(c): "a field is longer than its message"; c.raw_lists[2] = c.list_parts(2)[:3] + [b"\x22\x09\x10\x01"]
    def posting_number(c): "a number of more than 64 bits"; c.raw_lists[2] = c.list_parts(2)[:3] + [text(4, b"\x10" + b"\xff" * 10 + b"\1")]
    def document_order(c): "document 1: docid is 2, but 1 is next"; c.documents[1:] = c.documents[:0:-1]
    def document_gap(c): "document 2: docid is 3, but 2 is next"; c.documents[2][0] = 3
    def document_twice(c): "document 1: docid is 0, but 1 is next"; c.documents[1][0] = 0
    def document_length(c): "but the lengths of documents add up to 15"; c.documents[1][2] -= 1
    def document_length_negative(c): "doclength is negative"; c.documents[1][2] = -1
    def document_name(c): "document 1: collection_docid is not UTF-8"; c.documents[1][1] = b"\xc0\x80"
    def document_long_name(c): "collection_docid has 70000 bytes"; c.documents[1][1] = "x" * 70000
    def document_name_lines(c): "document 1: collection_docid has a line feed"; c.documents[1][1] = "x\ny"
    def document_extra(c): "field 4, which"; c.raw_documents[1] = c.document_parts(1) + [b"\x25abcd"]
    def document_zero(c): "doclength is written though it is 0"; c.raw_documents[1] = c.document_parts(1)[:2] + [number(3, 0, True)]
    def end_more(c): "there should be no more: num_docs is 3"; c.tail = b"\0"
    def end_record(c): "there should be no more"; c.tail = message(number(1, 3), text(2, "x"))


def import_file(binary, path, folder="imported", data=None, options=("--strict",)):
    shutil.rmtree(folder, ignore_errors=True)
    command = [binary, "index", "import", "--ciff", *options, "-o", folder, path]
    return subprocess.run(command, input=data, capture_output=True, timeout=60)


def refused(binary, what, path, *words):
    """Is it refused, with these words, and is nothing left?"""
    done = import_file(binary, path)
    said = done.stderr.decode(errors="replace")
    if done.returncode != 2 or done.stdout or any(word not in said for word in words):
        sys.exit("%s: exit %d\nwanted %s\ngot    %s" % (what, done.returncode, words, said))
    if [name for name in os.listdir(".") if name.startswith("imported")]:
        sys.exit("%s: something is left" % what)


def check_good(binary):
    several = [GOOD, [], [[]], [["a"]], [[], ["x"] * 300, []],
               [["w%d" % (i * k % 97) for k in range(40)] for i in range(700)]]
    for documents in several:
        good = Ciff(documents)
        with open("good.ciff", "wb") as file:
            file.write(good.bytes())
        for path in ("good.ciff", "good.ciff.gz", "good.ciff.zst", "-"):
            if path.endswith("gz"):
                subprocess.run(["gzip", "-kf", "good.ciff"], check=True)
            if path.endswith("zst"):
                subprocess.run(["zstd", "-qf", "good.ciff"], check=True)
            done = import_file(binary, path, data=good.bytes() if path == "-" else None)
            if done.returncode != 0:
                sys.exit("a good file is refused: %s" % done.stderr.decode())
            dump = subprocess.run([binary, "index", "dump", "imported"], capture_output=True, check=True).stdout
            if dump != good.dump():
                sys.exit("%s: other postings than the file has" % path)
        subprocess.run([binary, "index", "verify", "imported"], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([binary, "index", "export", "--ciff=again.ciff", "imported"], check=True)
        with open("again.ciff", "rb") as file:
            if file.read() != good.bytes():
                sys.exit("a file comes back with other bytes")
    shutil.rmtree("imported")
    print("%d good files, back as they were" % len(several))


def check_rules(binary):
    rules = [name for name in vars(Broken) if not name.startswith("__")]
    for name in rules:
        bad = Ciff(GOOD)
        rule = getattr(Broken, name)
        rule(bad)
        with open("bad.ciff", "wb") as file:
            file.write(bad.bytes())
        refused(binary, name, "bad.ciff", "bad.ciff: byte ", rule.__doc__)
    print("%d broken rules refused" % len(rules))


# Rules that other programs do not keep to: who is not strict is warned.
LENIENT = ("header_tokens", "header_average", "header_average_nan", "header_part_lists",
           "header_part_docs", "header_extra", "list_df", "list_df_less", "list_no_df", "list_cf",
           "list_no_cf", "list_extra", "document_length", "document_extra", "document_zero",
           "posting_extra", "posting_zero", "list_order", "list_prefix")
# Counted, but then something is refused.
SECOND = {"posting_zero_tf": "posting 0: tf is 0",
          "list_twice": "two posting lists have the term 'apple'",
          "header_zero": "there should be no more",
          "header_average_zero": "there should be no more"}
# What is then there is not what the file was made of.
OTHER = {"posting_extra": b"bee\t0\t1\n", "posting_zero": b"bee\t0\t1\n",
         "document_zero": b"bee\t0\t2\nbee\t1\t1\nbee\t2\t1\n",
         "list_order": b"bee\t0\t2\nbee\t1\t1\nbee\t2\t1\n", "list_prefix": b"bee\t0\t2\nbee\t1\t1\nbee\t2\t1\n"}


def check_lenient(binary):
    for name in (name for name in vars(Broken) if not name.startswith("__")):
        odd = Ciff(GOOD)
        rule = getattr(Broken, name)
        rule(odd)
        with open("odd.ciff", "wb") as file:
            file.write(odd.bytes())
        done = import_file(binary, "odd.ciff", options=())
        said = done.stderr.decode(errors="replace")
        wanted = SECOND.get(name, rule.__doc__)
        if done.returncode != (0 if name in LENIENT else 2) or wanted not in said:
            sys.exit("%s, not strict: exit %d\n%s" % (name, done.returncode, said))
        if name in OTHER:
            dump = subprocess.run([binary, "index", "dump", "imported"], capture_output=True, check=True).stdout
            if b"".join(line for line in dump.splitlines(True) if line.startswith(b"bee")) != OTHER[name]:
                sys.exit("%s: %r" % (name, dump))
        elif name in LENIENT:
            check_imported(binary, name, odd)
    print("%d breaks are counted and told" % len(LENIENT))


def check_imported(binary, what, file):
    """Postings and lengths are what the file says."""
    subprocess.run([binary, "index", "verify", "imported"], check=True, stdout=subprocess.DEVNULL)
    if subprocess.run([binary, "index", "dump", "imported"], capture_output=True, check=True).stdout != file.dump():
        sys.exit("%s: other postings than the file has" % what)
    subprocess.run([binary, "index", "export", "--ciff=again.ciff", "imported"], check=True)
    with open("again.ciff", "rb") as again:
        data = again.read()
    records = b"".join(message(*file.document_parts(i)) for i in range(len(file.documents)))
    if not data.endswith(records):
        sys.exit("%s: other names or lengths than the file has" % what)


def as_lucene(length):
    """A length as the norm of Lucene's similarities keeps it, in a byte (SmallFloat)."""
    if length < 24:
        return length
    rest = length - 24
    if rest < 16:
        return 24 + rest
    shift = rest.bit_length() - 4
    return 24 + (rest >> shift << shift)


def check_lucene(binary, rng):
    """As its exporter writes files: lengths from the norm, the total from frequencies."""
    exact = [0, 1, 23, 24, 39, 40, 41, 55, 56, 58, 100, 1000, 30000]
    if [as_lucene(n) for n in exact] != [0, 1, 23, 24, 39, 40, 40, 54, 56, 56, 96, 984, 28696]:
        sys.exit("not the lengths of Lucene: %s" % [as_lucene(n) for n in exact])
    file = Ciff([["w%d" % rng.randrange(400) for _ in range(n)] for n in exact])
    for document in file.documents:
        document[2] = as_lucene(document[2])
    file.average = sum(exact) / len(exact)
    file.description = "Anserini v0.9.5-SNAPSHOT, default settings"
    with open("lucene.ciff", "wb") as out:
        out.write(file.bytes())
    refused(binary, "lengths of Lucene, strictly", "lucene.ciff", "lengths of documents add up to")
    done = import_file(binary, "lucene.ciff", options=())
    said = done.stderr.decode()
    if done.returncode != 0 or "1 break of" not in said or said.count("\n") != 1:
        sys.exit("lengths of Lucene: exit %d\n%s" % (done.returncode, said))
    check_imported(binary, "lengths of Lucene", file)
    print("a file as Lucene has it is taken")


def check_weights(binary):
    """As from weights of terms: frequencies are impacts, the total counts something else."""
    file = Ciff(GOOD)
    file.lists = [[term, df, 25 * cf, [(doc, 25 * tf) for doc, tf in postings]]
                  for term, df, cf, postings in file.lists]
    file.average = 0.0
    with open("weights.ciff", "wb") as out:
        out.write(file.bytes())
    done = import_file(binary, "weights.ciff", options=())
    said = done.stderr.decode()
    if done.returncode != 0 or "2 breaks of" not in said or "the first: average" not in said:
        sys.exit("weights: exit %d\n%s" % (done.returncode, said))
    check_imported(binary, "weights", file)
    print("a file of weights is taken")


def check_damage(binary, rng, count):
    good = Ciff(GOOD).bytes()
    lengths = sorted(rng.sample(range(len(good)), min(count, len(good))))
    for length in lengths:
        with open("cut.ciff", "wb") as file:
            file.write(good[:length])
        refused(binary, "cut at %d" % length, "cut.ciff", "the file ends here", "byte ")
    sound = 0
    for _ in range(count):
        data = bytearray(good)
        for _ in range(rng.randint(1, 2)):
            data[rng.randrange(len(data))] = rng.choice([0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)])
        with open("odd.ciff", "wb") as file:
            file.write(data)
        done = import_file(binary, "odd.ciff")
        if done.returncode not in (0, 2):
            sys.exit("exit %d for %r\n%s" % (done.returncode, bytes(data), done.stderr.decode()))
        if done.returncode == 0:
            subprocess.run([binary, "index", "verify", "imported"], check=True, stdout=subprocess.DEVNULL)
            sound += 1
    shutil.rmtree("imported", ignore_errors=True)
    print("%d files that end early refused, of %d odd ones %d are sound" % (len(lengths), count, sound))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--damage", type=int, default=300, help="files that end early, and odd ones")
    args = parser.parse_args()
    binary = os.path.abspath(args.binary)
    shape = Ciff(GOOD)
    if (shape.tokens, len(shape.lists), len(shape.documents)) != (16, 9, 3):
        sys.exit("the good file is not 9 terms, 3 documents and 16 tokens")
    with tempfile.TemporaryDirectory(prefix="gpusort-ciff-") as folder:
        os.chdir(folder)
        check_good(binary)
        check_rules(binary)
        check_lenient(binary)
        check_lucene(binary, random.Random(6))
        check_weights(binary)
        check_damage(binary, random.Random(5), args.damage)


if __name__ == "__main__":
    main()
