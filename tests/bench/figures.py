# SPDX-License-Identifier: MIT
"""What the benchmarks share of showing what they found."""
import platform


def cpu_name():
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as f:
        for line in f:
            if line.startswith("model name"):
                return " ".join(line.split(":", 1)[1].split())
    return platform.machine()


def bars(data, programs, colours, number):
    """What gnuplot plots: a bar for each program in each row of a data file, which has a
    title and then the programs' values; `number` is how a value is written above its bar."""
    middle = (len(programs) - 1) / 2
    drawn = ['"%s" using %d:xtic(1) title "%s" linecolor rgb "%s"' % (data, i + 2, p, colours[p])
             for i, p in enumerate(programs)]
    drawn += ['"%s" using ($0%+.3f):%d:(sprintf("%s", $%d)) with labels offset 0,0.6 notitle' % (
        data, (i - middle) / (len(programs) + 1), i + 2, number, i + 2) for i in range(len(programs))]
    return "plot " + ", ".join(drawn)
