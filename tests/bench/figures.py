# SPDX-License-Identifier: MIT
"""What the benchmarks share of showing what they found."""
import os
import platform
import re
import subprocess


def cpu_name():
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as f:
        for line in f:
            if line.startswith("model name"):
                return " ".join(line.split(":", 1)[1].split())
    return platform.machine()


def gpus(binary):
    """What `gpusort device` says of each."""
    described = subprocess.run([binary, "device"], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^(?:GPU)? +\d+: (.*)", described, re.MULTILINE)
    return [gpu.split(", compute")[0] for gpu in found]


def machine_with_gpu(binary):
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2 ** 30
    version = subprocess.run(["sort", "--version"], capture_output=True, text=True, check=True).stdout.split("\n")[0]
    threads = len(os.sched_getaffinity(0))
    return "%d cores, %.0f GiB, %s; %s with %d threads" % (
        threads, memory, (gpus(binary) or ["no GPU"])[0], version, threads)


def bars(data, programs, colours, number):
    """What gnuplot plots: a bar for each program in each row of a data file, which has a
    title and then the programs' values; `number` is how a value is written above its bar."""
    middle = (len(programs) - 1) / 2
    drawn = ['"%s" using %d:xtic(1) title "%s" linecolor rgb "%s"' % (data, i + 2, p, colours[p])
             for i, p in enumerate(programs)]
    drawn += ['"%s" using ($0%+.3f):%d:(sprintf("%s", $%d)) with labels font ",11" offset 0,0.6 notitle' % (
        data, (i - middle) / (len(programs) + 1), i + 2, number, i + 2) for i in range(len(programs))]
    return "plot " + ", ".join(drawn)
