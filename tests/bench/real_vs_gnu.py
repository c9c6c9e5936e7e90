#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make bench: real data (real_inputs.py), sorted by GNU sort and others (sort_bench.py).

    tests/bench/real_vs_gnu.py     variables as in sort_vs_gnu.sh, and
        BENCH_DATA=DIR             where real inputs are kept (default: BENCH_DIR/real)

Writes build/bench/sort-real.csv, .md and .svg, and its section of tests/bench/RESULTS.md,
unless only a part was measured (BENCH_ONLY: the first words of the calls below).
"""
import os
import subprocess
import sys

from real_inputs import RealInputs
from sort_bench import Bench

# Terms of 12 letters, of which the first two are the same.
LONGER = r'{ printf "te%s\t%s\n", substr($1 $1 $1 $1 $1, 1, 10), $2 }'


def sorted_by(bench, name, source, options):
    """The file, sorted."""
    target = bench.path(name)
    subprocess.run([bench.binary, "sort", "-o", target] + options + [source], check=True)
    return target


def ten_stretches(bench, source):
    """The file in ten parts, each sorted, one behind the other."""
    target = bench.path("stretches")
    with open(target, "wb") as out:
        for part in range(1, 11):  # not here: the peak of a program begins with that of its parent
            split = subprocess.Popen(["split", "--number=l/%d/10" % part, source], stdout=subprocess.PIPE)
            subprocess.run([bench.binary, "sort"], stdin=split.stdout, stdout=out, check=True)
            if split.wait() != 0:
                raise RuntimeError("split failed")
    return target


def in_order(bench, source):
    """What is in order already, somehow."""
    for name, title, make in (
            ("ordered", "paths in order", lambda: sorted_by(bench, "ordered", source, [])),
            ("reversed", "paths, the other way round", lambda: sorted_by(bench, "reversed", source, ["-r"])),
            ("stretches", "paths in ten sorted stretches", lambda: ten_stretches(bench, source))):
        if bench.is_wanted(name):
            made = make()
            bench.workload(name, title, [made], [], peers_of="lines", with_copy=True)
            os.unlink(made)


def tuples(bench):
    if bench.is_wanted("tuples"):
        target = bench.path("tuples")
        with open(target, "wb") as out:
            source = subprocess.Popen([bench.binary, "gen", "tuples", "--bytes=%d" % int(bench.gigabytes * 6e8)],
                                      stdout=subprocess.PIPE)
            subprocess.run(["awk", "-F\t", LONGER], stdin=source.stdout, stdout=out, check=True)
            if source.wait() != 0:
                raise RuntimeError("gpusort gen failed")
        bench.workload("tuples", "term TAB docID, Zipf terms of 12 letters", [target],
                       ["-t", "\t", "-k1,1", "-k2,2n"], peers_of="tuples")
        os.unlink(target)


def weblog(bench):
    if bench.is_wanted("weblog"):
        target = bench.path("weblog")
        subprocess.run([bench.binary, "gen", "weblog", "--bytes=%d" % int(bench.gigabytes * 5e8), "-o", target], check=True)
        bench.workload("weblog", "a web log by path and size, -k4,4 -k7,7nr", [target], ["-k4,4", "-k7,7nr"])
        os.unlink(target)


def main():
    bench = Bench("sort-real")
    real = RealInputs(os.environ.get("BENCH_DATA", os.path.join(bench.parent, "real")))

    def measure(name, title, source, options, **more):
        if bench.is_wanted(name):
            bench.workload(name, title, [source()], options, **more)

    try:
        bench.require_program()
        measure("paths", "paths of Debian's files", real.paths, [], peers_of="lines")
        measure("sources", "lines of Linux", real.source_lines, [], peers_of="lines")
        measure("paths-small", "paths, -S 128M", real.paths, [], memory=128, peers_of="lines")
        measure("sources-small", "lines of Linux, -S 128M", real.source_lines, [], memory=128, peers_of="lines")
        measure("paths-key", "paths by package, -k2,2", real.paths, ["-k2,2"])
        measure("paths-fold", "paths, -f", real.paths, ["-f"])
        measure("sources-unique", "lines of Linux, -u", real.source_lines, ["-u"])
        measure("versions", "names of files, -V", real.versions, ["-V"])
        measure("numbers", "numbers of Linux, -n", real.numbers, ["-n"])
        measure("sizes", "sizes with units, -h", real.sizes, ["-h"])
        measure("floats", "floats of Linux, -g", real.floats, ["-g"])
        measure("months", "a log, -k1,1M -k2,2n", real.log, ["-k1,1M", "-k2,2n"])
        weblog(bench)
        in_order(bench, real.paths() if any(map(bench.is_wanted, ("ordered", "reversed", "stretches"))) else "")
        tuples(bench)
        measure("table", "CSV by a text and a number", real.table, ["--csv", "--key=name", "--key=price:n", "--key=id:n"],
                peers_of="table", has_gnu=False)
    except (RuntimeError, OSError, subprocess.CalledProcessError) as trouble:
        sys.exit("real_vs_gnu: %s" % trouble)
    finally:
        bench.close()
    bench.write()


if __name__ == "__main__":
    main()
