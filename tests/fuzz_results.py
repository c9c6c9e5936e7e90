#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How often each fuzzer was run, out of what they printed, as a JSON file.

    tests/fuzz_results.py FILE SECONDS PROGRAM...

Adds nothing up of itself: a fuzzer that failed, or printed no count, has 0 executions and
counts as failed.
"""
import os
import re
import sys

import results


def read_log(path):
    """(executions, inputs learnt, whether it failed)"""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
    except OSError:
        return 0, 0, True
    runs = re.search(r"^stat::number_of_executed_units: *(\d+)", text, re.M)
    learnt = re.findall(r" corp: (\d+)", text)
    is_done = re.search(r"^Done \d+ runs", text, re.M) is not None
    return int(runs.group(1)) if runs else 0, int(learnt[-1]) if learnt else 0, not (runs and is_done)


def main():
    path, seconds, programs = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    fuzzers, failed = {}, 0
    for program in programs:
        name = os.path.basename(program)
        runs, learnt, has_failed = read_log(os.path.join("build", "fuzz", name + ".log"))
        fuzzers[name] = {"executions": runs, "inputs_learnt": learnt, "failed": has_failed}
        failed += has_failed
    results.write(path, "fuzz", "make fuzz FUZZ_SECONDS=%d" % seconds, {
        "seconds_each": seconds, "executions": sum(one["executions"] for one in fuzzers.values()),
        "failed": failed, "fuzzers": fuzzers})


if __name__ == "__main__":
    main()
