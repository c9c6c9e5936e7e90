#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""RESULTS.md, the page of what was measured, and the lines about it in README.md.

A benchmark gives the text that it measured for its section, with its pictures; the page is
then written whole, with the text that other sections have had so far, since a machine
without a GPU cannot measure theirs. README.md has one line for each section, which is made
of the section's table.

    results_page.py --check    does README.md say what the page says? (make lint)
    results_page.py            writes page and lines anew, of the tables that are there

BENCH_RESULTS=0 leaves both alone, and so does BENCH_ONLY, which measures a part.
"""
import os
import re
import shutil
import sys
import textwrap

PAGE = "tests/bench/RESULTS.md"
FIGURES = "tests/bench/figures"

INTRODUCTION = """# What was measured

`make bench` writes this page (`results_page.py`), and a line for each table into the README.
Each table has its date and its machine; programs take turns on the same files. Sections that
need a GPU stay as they are where there is none.
"""

# What stands around what was measured, by the name of the section.
SECTIONS = {
    "sort": ("Sorting, on CPU cores", "`tests/bench/sort_vs_gnu.sh` says what can be chosen.", ""),
    "sort-real": ("Sorting real data, on CPU cores", """Paths of all files of Debian's packages, lines, numbers and sizes of
the sources of Linux, and logs and tables that are made (`tests/bench/real_vs_gnu.py`). How long
cp takes for the file stands where data is in order.""", ""),
    "python": ("Sorting from Python", """Arrays, lists and files, beside numpy, Polars, pyarrow and Python's own sort. `make bench` does
not measure them: `tests/bench/python_vs_others.py` does, and says what is compared.""", ""),
    "end-to-end": ("Sorting, with a GPU", "There the disk is the bound (`tests/bench/end_to_end.sh`).", ""),
    "memory-gpu": ("Sorting in memory, with a GPU", """From files in /dev/shm to /dev/null, /dev/shm and pipes, and where the
card's memory is small (`tests/bench/memory_to_memory.sh` says what can be chosen).""", ""),
    "join": ("Joins", """Of equal keys and of numbers near each other, beside DuckDB, Polars and GNU sort with
join(1) (`tests/bench/join_vs_others.py` says what is compared). CPU seconds are of all threads.""", ""),
    "stats": ("Streams", """Quantiles and frequencies, beside DataSketches, DDSketch, DuckDB and sort with uniq, and by the
error that is asked for (`tests/bench/stats_vs_others.py` says what is compared). Real values are
those of the machine: sizes of files and the folders of packages, over and over.""", ""),
    "index": ("Indexes of documents", """By both methods and beside Tantivy (`tests/bench/index_vs_tantivy.py` says what is
compared).""", ""),
    "search": ("Searches", """Words of real documents, any or all of them, beside Tantivy, PISA and Lucene
9.9 (`tests/bench/search_vs_others.py` says what is compared). Of gpusort it is the whole program that
is timed, names printed; of Tantivy and Lucene the searches alone, Java being warm; of PISA its
Python function, with its tables.""", ""),
    "index-gpu": ("Indexes, with a GPU", "The same with `BENCH_ENGINE=gpu`.", """
With a GPU and an input that is worth its start, `gpusort index build` finds words, sorts them
and encodes full blocks there: that wins from some hundred MB on, by more the larger the input
is. By cores growing lists (SPIMI) win for text: a word costs one look into a hash and a byte or
two, where a tuple (BSBI) takes eight bytes twice and has still to be sorted, so that it needs
several times the memory, spills earlier and merges more runs; 2 and 10 GB of these documents
take 16 cores 2.5 and 12.2 s by lists (`gpu/NOTES.md`). Ready tuples need no look for words: in
the order of their documents lists win by a quarter, in no order sorted tuples do, the more so
the more cores, up to twice. Of BSBI the sort is a small part, so that to have it alone on a GPU
wins nothing for text and little for tuples. The index is the same bytes each way. Published of
others: Lucene more than 800 GB an hour, 222 MB/s, on its web page; the best build on GPUs that was
found 262 MB/s, on 8 cores and two C1060 (Wei and JaJa, 2012). Tantivy is in the table above.
"""),
}

END = """
## The engines alone

In the memory of an H200 (`gpusort bench --svg`; radix and merge are CUB's;
[gpu/NOTES.md](../../gpu/NOTES.md) has the figures and what bounds them):

![engines](figures/engines.svg)

Searching for a million keys among 36 million takes an H200 58 µs in a tree by p-ary search,
195 by binary search (`gpusort bench lookup`, with the figures of the paper beside; tables in
`gpu/NOTES.md`).
"""


def rows(text):
    """The cells of the first table's rows, without its head."""
    table = text[text.index("\n|"):].split("\n\n")[0].strip()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]


def where(text):
    """The date, and what comes first of the machine."""
    date, machine = re.match(r"Measured (\S+) on: (.*)", text).groups()
    gpu = re.search(r"NVIDIA [^,;]+", machine)
    cores = re.search(r"\d+ cores", machine).group()
    return "%s, %s" % (date, gpu.group() + ", " + cores if gpu else cores)


def sort_line(text):
    found = rows(text)
    first = [row for row in found if row[0] == found[0][0]]
    seconds = next(row[3] for row in first if row[1] == "gpusort")
    ratios = ["%.1f times as fast as %s" % (float(row[6].split()[0]), row[1]) for row in first if row[6]]
    return "%s: %s s, %s" % (found[0][0], seconds, ", ".join(ratios))


def real_line(text):
    ratios = ["%s: %.1f" % (row[0], float(row[6].split()[0])) for row in rows(text) if row[1] == "GNU sort"]
    return "times as fast as GNU sort: " + "; ".join(ratios)


def python_line(text):
    ratios = {}
    for row in rows(text):
        if row[4]:
            ratios.setdefault(row[0], []).append("%s (%.1f)" % (row[1], float(row[4].split()[0])))
    return "time of others, as a multiple: " + "; ".join(
        "%s: %s" % (what, ", ".join(found)) for what, found in ratios.items())


def join_line(text):
    found = rows(text)
    peers = [row for row in found if row[1] == "DuckDB" and row[5]]
    ratios = ["%s: %.1f" % (row[0], float(row[5].split()[0])) for row in peers]
    return "times as fast as DuckDB: " + "; ".join(ratios)


def stats_line(text):
    ratios = {}
    for row in rows(text):
        if row[5]:
            ratios.setdefault(row[0], []).append("%s (%.1f)" % (row[1], float(row[5].split()[0])))
    return "CPU time of others, as a multiple: " + "; ".join(
        "%s: %s" % (what, ", ".join(found)) for what, found in ratios.items())


def end_to_end_line(text):
    found = rows(text)
    title = found[0][0]
    size = re.search(r"\| (\S+ GB) of", text).group(1)
    seconds = {row[1]: row[2] for row in found if row[0] == title}
    others = ["%s %s" % (program.replace("gpusort ", ""), seconds[program]) for program in seconds if program != "gpusort --engine gpu"]
    return "%s of %s, file to file: --engine gpu %s s; %s" % (size, title, seconds["gpusort --engine gpu"], ", ".join(others))


def memory_line(text):
    """The seconds of the first program of each row, and how many times those of the cores and of GNU sort are."""
    found = rows(text)
    parts = []
    for title in dict.fromkeys(row[0] for row in found):
        first, *others = [row for row in found if row[0] == title]
        ratios = [row[5] for row in others if row[1] in ("gpusort --engine cpu", "GNU sort")]
        parts.append("%s: %s s%s" % (title, first[2].split()[0], " (" + ", ".join(ratios) + ")" if ratios else ""))
    return "in brackets how many times that the cores take, and GNU sort: " + "; ".join(parts)


def index_line(text):
    found = rows(text)
    title, memory = found[-1][0], max((row[1] for row in found), key=lambda m: int(m.split()[0]))
    last = [row for row in found if row[:2] == [title, memory]]
    peers = ["%s %.2f" % (row[2], float(row[3])) for row in last[1:]]
    return "%s, %s: gpusort %.2f s%s" % (title, memory, float(last[0][3]), "".join("; " + p for p in peers))


def search_line(text):
    titles = re.search(r"\| words \| gpusort \| (.*) \| gpusort is faster by \|", text).group(1)
    return "times as fast as %s: " % titles.replace(" | ", ", ") + "; ".join(
        "%s: %s" % (row[0], row[-1]) for row in rows(text))


LINES = {"sort": sort_line, "sort-real": real_line, "python": python_line, "join": join_line, "stats": stats_line, "end-to-end": end_to_end_line, "memory-gpu": memory_line, "index": index_line, "search": search_line, "index-gpu": index_line}


def marked(name, text):
    return "<!-- %s:begin -->\n%s<!-- %s:end -->\n" % (name, text, name)


def between(text, name):
    return text.split("<!-- %s:begin -->\n" % name)[1].split("<!-- %s:end -->" % name)[0]


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def whole_page(measured):
    parts = [INTRODUCTION]
    for name, (title, before, after) in SECTIONS.items():
        if name not in measured:  # nobody has so far
            continue
        parts.append("\n## %s\n\n%s\n\n%s%s" % (title, before, marked(name, measured[name]), after))
    return "".join(parts) + END


def in_order(measured):
    return [(name, measured[name]) for name in SECTIONS if name in measured]


def readme_lines(measured):
    lines = ["- **%s** (%s): %s." % (SECTIONS[name][0], where(text), LINES[name](text))
             for name, text in in_order(measured)]
    return "".join(textwrap.fill(line, 94, subsequent_indent="  ") + "\n" for line in lines)


def measured_so_far():
    page = read(PAGE)
    return {name: between(page, name) for name in SECTIONS if "<!-- %s:begin -->" % name in page}


def write_all(measured):
    write(PAGE, whole_page(measured))
    readme = read("README.md")
    old = marked("results", between(readme, "results"))
    write("README.md", readme.replace(old, marked("results", readme_lines(measured))))


def update(name, text, pictures):
    """Takes what was measured for a section. `pictures`: source file to the name it has in
    the folder of figures."""
    if os.environ.get("BENCH_RESULTS") == "0" or os.environ.get("BENCH_ONLY"):
        return
    os.makedirs(FIGURES, exist_ok=True)
    lines = [text.rstrip("\n"), ""]
    for source, target in pictures.items():
        if os.path.exists(source):
            shutil.copyfile(source, os.path.join(FIGURES, target))
        if os.path.exists(os.path.join(FIGURES, target)):
            lines.append("![%s](figures/%s)" % (target.rsplit(".", 1)[0].replace("_", " "), target))
    write_all(dict(measured_so_far(), **{name: "\n".join(lines) + "\n"}))


def differences():
    measured = measured_so_far()
    if whole_page(measured) != read(PAGE):
        yield PAGE + ": not as results_page.py writes it"
    if readme_lines(measured) != between(read("README.md"), "results"):
        yield "README.md: the lines of results are not those of " + PAGE
    links = re.findall(r"\]\((figures/[^)]*)\)", read(PAGE))
    for link in links:
        if not os.path.exists(os.path.join(os.path.dirname(PAGE), link)):
            yield "%s: no %s" % (PAGE, link)


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        for difference in differences():
            print(difference)
    else:
        write_all(measured_so_far())
