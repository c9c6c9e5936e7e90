# SPDX-License-Identifier: MIT
"""The options that walk.py and stop.py have in common."""
import argparse
import os


def parser_of(what):
    """With which commands are run, where and how often; `what` is what is told of them."""
    parser = argparse.ArgumentParser(description=what.splitlines()[0])
    parser.add_argument("--binary", required=True, type=os.path.abspath,
                        help="a program of `make FAULTS=1`")
    parser.add_argument("--only", default="", help="commands whose name has this")
    parser.add_argument("--seed", type=int, default=1, help="of all that is left to chance")
    parser.add_argument("--jobs", type=int, default=(os.cpu_count() or 2) + 1,
                        help="so many commands at a time")
    parser.add_argument("--json", default="", help="write what was counted to this file")
    return parser
