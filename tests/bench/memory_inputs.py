# SPDX-License-Identifier: MIT
"""Files in memory, or on a disk, to measure with: generated ones, and real text in many copies.

Each is made when a row first asks for it. Where memory has no room for another one beside
what the row needs, those that are there go first; where that is not enough, the row is
left out.
"""
import os
import shutil
import subprocess

from timed_rows import LeftOut

# Small, since the peak of a program begins with that of its parent.
BLOCK = 1 << 20
# What a sort itself may take besides its files, pinned blocks above all.
SPARE = 4 << 30


def available_bytes():
    with open("/proc/meminfo", encoding="ascii") as f:
        return next(int(line.split()[1]) << 10 for line in f if line.startswith("MemAvailable"))


class MemoryInputs:
    def __init__(self, folder, program, data, scale, in_memory=True):
        self.folder, self.program, self.data, self.in_memory = folder, program, data, in_memory
        self.spare = min(SPARE, int(SPARE * scale))

    def generated(self, kind, options, size, room):
        """`room`: bytes that outputs and the sort's own memory need beside the file."""
        return self._made("%s-%d" % (kind, size), size, room, lambda target: subprocess.run(
            [self.program, "gen"] + options + ["--bytes=%d" % size, "-o", target], check=True))

    def copies(self, name, size, room, change=None, tells_copies=True):
        """A real file over and over, up to a size; each copy but the first has its number at
        the end of its lines, unless they are to be equal. `change`: what a line becomes, or
        None if it is left out."""
        source = os.path.join(self.data, name) if self.data else ""
        if not os.path.exists(source):
            raise LeftOut("no file '%s' in BENCH_DATA" % name)
        label = "%s-%s-%d-%d" % (name, change.__name__ if change else "all", tells_copies, size)

        def make(target):
            with open(target, "wb") as out:
                number = 0
                while out.tell() < size:
                    before = out.tell()
                    self._add_copy(source, out, b" %d\n" % number if number and tells_copies else b"\n", size, change)
                    if out.tell() == before:
                        raise RuntimeError("nothing in '%s'" % source)
                    number += 1
        return self._made(label, size, room, make)

    @staticmethod
    def _add_copy(source, out, line_end, size, change):
        with open(source, "rb") as text:
            while (lines := text.readlines(BLOCK)) and out.tell() < size:
                if change:
                    lines = [made for made in map(change, lines) if made]
                block = b"".join(lines)
                if block and not block.endswith(b"\n"):
                    block += b"\n"
                out.write(block if line_end == b"\n" else block.replace(b"\n", line_end))

    def _made(self, label, size, room, make):
        target = os.path.join(self.folder, label)
        is_there = os.path.exists(target)
        needed = (0 if is_there else size) + room + self.spare
        if not self._has_room(needed):
            for name in os.listdir(self.folder):
                if name != label:
                    os.unlink(os.path.join(self.folder, name))
        if not self._has_room(needed):
            raise LeftOut("%.1f GB of %s are needed, and %.1f are left" % (
                needed / 1e9, "memory" if self.in_memory else "the disk", self._left() / 1e9))
        if not is_there:
            print("    making %s" % label, flush=True)
            try:
                make(target + ".part")
                os.replace(target + ".part", target)
            finally:
                if os.path.exists(target + ".part"):
                    os.unlink(target + ".part")
        return target

    def _left(self, more=0):
        free = shutil.disk_usage(self.folder).free + more
        return min(available_bytes(), free) if self.in_memory else free

    def _has_room(self, needed):
        return self._left(self.spare) >= needed
