#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The work behind sort_vs_gnu.sh: data that `gpusort gen` makes, sorted by GNU sort and
others (sort_bench.py)."""
import os
import shutil
import statistics
import subprocess
import sys

from sort_bench import Bench

TUPLES = ["-t", "\t", "-k1,1", "-k2,2n"]
RECORDS = ["--record-size=100", "--key-bytes=0:10"]


def generate(bench, name, kind, gigabytes):
    target = bench.path(name)
    subprocess.run([bench.binary, "gen"] + kind + ["--bytes=%d" % int(gigabytes * 1e9), "-o", target], check=True)
    return target


def generate_sorted(bench, kind, count):
    """As many files, each sorted, and each of other data."""
    names = []
    for i in range(count):
        name = generate(bench, "input%d" % i, kind + ["--seed=%d" % (i + 1)], bench.gigabytes / count)
        subprocess.run([bench.binary, "sort", "-o", name, name], check=True)
        names.append(name)
    return names


def measure(bench, name, title, kind, options, our_options=None, sorted_files=0, **more):
    if not bench.is_wanted(name):
        return
    sources = (generate_sorted(bench, kind, sorted_files) if sorted_files else
               [generate(bench, "input", kind, bench.gigabytes)])
    bench.workload(name, title, sources, options, our_options, **more)
    for source in sources:
        os.unlink(source)


def scale(bench):
    if not bench.is_wanted("scaling"):
        return
    for gigabytes in (0.1, 0.3, 1, 3, 10):
        if gigabytes > bench.max_gigabytes:
            break
        free = shutil.disk_usage(bench.folder).free / 1e9
        if free < 3.2 * gigabytes + 1:
            print("scaling stops at %g GB: %.0f GB of disk are free" % (gigabytes, free))
            break
        source, target = generate(bench, "input", ["lines"], gigabytes), bench.path("gpusort.out")
        runs = [bench.run("scaling %g GB" % gigabytes, "gpusort", bench.ours([], [source], target), [source], target)
                for _ in range(bench.runs)]
        seconds = statistics.median(run.seconds for run in runs)
        print("scaling: %g GB in %.2f s" % (gigabytes, seconds), flush=True)
        bench.scaling.append((gigabytes, seconds, max(run.peak for run in runs)))
        os.unlink(source)
        os.unlink(target)


def main():
    bench = Bench("sort")
    try:
        bench.require_program()
        measure(bench, "lines", "random lines of 10 to 50 bytes", ["lines"], [], peers_of="lines")
        measure(bench, "tuples", "term TAB docID, -k1,1 -k2,2n", ["tuples"], TUPLES, peers_of="tuples")
        measure(bench, "records", "100-byte records by 10-byte key", ["records", "-a"], [], RECORDS)
        measure(bench, "spill", "random lines, -S 128M", ["lines"], [], memory=128, peers_of="lines")
        measure(bench, "merge", "lines in four sorted files, -m", ["lines"], ["-m"], sorted_files=4)
        scale(bench)
    except (RuntimeError, subprocess.CalledProcessError) as trouble:
        sys.exit("sort_vs_gnu: %s" % trouble)
    finally:
        bench.close()
    bench.write()


if __name__ == "__main__":
    main()
