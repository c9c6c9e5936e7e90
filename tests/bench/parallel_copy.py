#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Copy a file with several threads that read into the mapped output.

    tests/bench/parallel_copy.py FROM TO THREADS

Beside a sort from memory to memory this is what the machine allows: the pages of the output
have to be taken and filled once. Python does no work on the bytes; threads wait in preadv.
"""
import concurrent.futures
import mmap
import os
import sys

PIECE = 8 << 20


def copy(source, target, threads):
    size = os.path.getsize(source)
    with open(source, "rb") as given, open(target, "w+b") as made:
        os.ftruncate(made.fileno(), size)
        with mmap.mmap(made.fileno(), size) as mapped, memoryview(mapped) as pages:

            def fill(begin):
                end = min(begin + PIECE, size)
                while begin < end:
                    with pages[begin:end] as rest:
                        count = os.preadv(given.fileno(), [rest], begin)
                    if count == 0:
                        raise RuntimeError(source + " became shorter")
                    begin += count

            with concurrent.futures.ThreadPoolExecutor(threads) as pool:
                for _ in pool.map(fill, range(0, size, PIECE)):
                    pass


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    copy(sys.argv[1], sys.argv[2], int(sys.argv[3]))
