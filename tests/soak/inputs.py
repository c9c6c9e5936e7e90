# SPDX-License-Identifier: MIT
"""Lines of a soak case: those of the differential test, and what has been hard on sorts."""
import functools
import os

import differential

CORPUS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "corpus")
TEXTS = ["weblog.txt", "words.txt", "zones.tab", "tuples.tsv", "docs.jsonl", "devil.jsonl"]


@functools.lru_cache(maxsize=None)
def text_lines(name):
    with open(os.path.join(CORPUS, name), "rb") as file:
        return file.read().split(b"\n")


def repeated(r, lines, most):
    """As many of the lines, drawn at random, as make up to `most` bytes."""
    average = sum(map(len, lines)) // len(lines) + 1
    return r.choices(lines, k=max(1, most // average))


def of_options(r, order, most):
    sample = order.lines.many(r, 60)
    average = sum(map(len, sample)) // len(sample) + 1
    return order.lines.many(r, most // average)


def of_texts(r, order, most):
    del order
    return repeated(r, text_lines(r.choice(TEXTS)), most)


def few_keys(r, order, most):
    keys = order.lines.many(r, r.randrange(1, 8)) or [b"key"]
    tails = [b"", b"", order.lines.delimiter + b"%d" % r.randrange(1000)]
    return [line + r.choice(tails) for line in repeated(r, keys, most // 2)]


def long_prefixes(r, order, most):
    """Most bytes of most lines are those of the line before."""
    prefixes = [bytes(r.choices(b"abc/ ", k=8)) * r.choice([1, 4, 16, 100, 600]) for _ in range(r.choice([1, 1, 3]))]
    pool = [r.choice(prefixes) + order.lines.one(r) for _ in range(300)]
    return [line + b"%d" % r.randrange(10 ** 6) for line in repeated(r, pool, most)]


def stretches(r, order, most):
    """In order for a while, one way or the other, then again from somewhere."""
    lines = of_options(r, order, most)
    out = []
    while lines:
        length = r.randrange(1, len(lines) + 1)
        piece, lines = lines[:length], lines[length:]
        out += sorted(piece, reverse=r.random() < 0.4)
    return out


def long_lines(r, order, most):
    lines = of_options(r, order, most // 8)
    for _ in range(r.randrange(1, 6)):
        length = r.choice([4096, 65535, 65536, 65537, 131072, 400000, 1 << 20])
        piece = r.choice([b"a", b"\0", b" ", b"1", b"ab 1.,\t", r.randbytes(70).replace(b"\n", b"")])
        line = (piece * (length // len(piece) + 1))[:min(length, max(most, 64))] + r.choice([b"", order.lines.one(r)])
        for _ in range(r.choice([1, 1, 2])):
            lines.insert(r.randrange(len(lines) + 1), line)
    return lines


def empty_lines(r, order, most):
    return r.choices([b"", b"", b"", b"", b"\0", b" ", order.lines.one(r)], k=max(1, most // 2))


def any_bytes(r, order, most):
    del order
    pool = [r.randbytes(r.randrange(0, 30)).replace(b"\n", b"") for _ in range(2000)]
    return repeated(r, pool + [b"\0", b"\xff" * 20, b"\0" * 40], most)


def all_equal(r, order, most):
    line = order.lines.one(r)
    return [line] * max(1, most // (len(line) + 1))


RECIPES = [of_options, of_options, of_options, of_texts, of_texts, few_keys, long_prefixes, stretches,
           long_lines, empty_lines, any_bytes, all_equal]
SIZES = [0, 200, 4000, 4000, 40000, 40000, 150000, 400000]
# How often again, with other letters and digits: so much of so few lines takes no time to make.
COPIES = [1] * 30 + [2, 4, 8, 8, 20, 40]


def draw_lines(r, order, is_long=False):
    most = SIZES[-1] if is_long else r.choice(SIZES)
    if most == 0:
        return []
    return r.choice(RECIPES)(r, order, r.randrange(most // 2, most))


def grown(r, data, copies):
    """The data, and it again and again with letters and digits that have changed places."""
    out = [data]
    for _ in range(copies - 1):
        table = bytearray(range(256))
        for some in (b"abcdefghijklmnopqrstuvwxyz", b"0123456789"):
            shuffled = bytes(r.sample(some, len(some)))
            for one, other in zip(some, shuffled):
                table[one] = other
        out.append(data.translate(table))
    return b"".join(out)


def cut(r, lines):
    """The lines of each of some files, some of which may be empty."""
    count = r.choice([1, 1, 1, 1, 2, 2, 3, 5, 9, r.randrange(2, 40)])
    if count == 1:
        return [lines]
    if r.random() < 0.5:
        return [lines[i::count] for i in range(count)]
    places = sorted(r.randrange(len(lines) + 1) for _ in range(count - 1))
    return [lines[a:b] for a, b in zip([0] + places, places + [len(lines)])]


def join(r, lines, end):
    """The bytes of a file, often with no end of line at its end."""
    data = end.join(lines)
    if data.count(end) != max(len(lines) - 1, 0):
        return differential.join(r, lines, end)
    return data + end if lines and not (lines[-1] and r.random() < 0.15) else data
