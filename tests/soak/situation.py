# SPDX-License-Identifier: MIT
"""What a program of a soak case is up against: limits, a small disk, a user without rights, kills.

A Situation is a value. `milder` gives the ones that lack a part of it, for a case that is
being shrunk, and `shell` a prefix that makes the same for a person.
"""
import copy
import signal

from differential import CODECS

MEBIBYTE = 1 << 20
KILLERS = ["KILL", "KILL", "KILL", "INT", "TERM", "HUP"]


class Situation:
    def __init__(self):
        self.limits = {}       # name of a resource limit: value; of AS, what is left beside the program
        self.no_uring = False
        self.codec = None      # of all runs, whatever is best
        self.disk = None       # (folder of the case, bytes): a file system of that size
        self.is_poor = False   # a user without rights, where we are root
        self.kills = []        # (signal, when, as a part of what a whole run takes)
        self.is_resumed = False  # after each kill the same command goes on, by --checkpoint
        self.take = None       # standard output is a pipe; its reader takes so many bytes

    @classmethod
    def random(cls, r, input_bytes, resumed):
        """Mostly one trouble at a time; two thirds of the cases have none or only kills. So many of
        them as `resumed` says are to be stopped and gone on with."""
        self = cls()
        if r.random() < 0.15:
            self.no_uring = True
        if r.random() < 0.25:
            self.codec = r.choice(CODECS)
        draw = r.random()
        if draw < 0.3:
            self.draw_limit(r, input_bytes)
        elif draw < 0.36:
            self.disk = (r.choice(["tmp", "out"]), r.choice([64, 256, 1024, 4096, 16384]) * 1024)
        if r.random() < 0.15:
            self.is_poor = True
        self.is_resumed = r.random() < resumed
        if self.is_resumed or r.random() < 0.3:
            for _ in range(r.choice([1, 2, 4, 8, 12] if self.is_resumed else [1, 2, 3, 5])):
                # Soon after the beginning and just before the end more happens than between.
                when = r.choice([r.random(), r.random(), r.uniform(0.75, 1.05),
                                 r.uniform(0.3, 1) if self.is_resumed else r.random() ** 3])
                self.kills.append((r.choice(KILLERS), when))
        return self

    def draw_limit(self, r, input_bytes):
        name = r.choice(["AS", "AS", "NOFILE", "NPROC", "FSIZE"])
        if name == "AS":
            self.limits[name] = r.choice([24, 48, 64, 100, 160, 300, 600, 2000]) * MEBIBYTE
        elif name == "NOFILE":
            self.limits[name] = r.choice([4, 5, 6, 8, 10, 12, 16, 24, 40, 64])
        elif name == "NPROC":
            self.limits[name] = r.choice([1, 1, 2, 3, 5, 9])
            self.is_poor = True  # root has no such limit
        else:
            self.limits[name] = max(1, int(input_bytes * r.choice([0.1, 0.5, 0.9, 1.5, 4])))

    def may_fail(self, input_bytes):
        """Is there so little of something that an error is an answer?"""
        generous = {"AS": 512 * MEBIBYTE + 4 * input_bytes, "NOFILE": 32, "NPROC": 64,
                    "FSIZE": 4 * input_bytes + 65536}
        if any(value < generous[name] for name, value in self.limits.items()):
            return True
        return self.disk is not None and self.disk[1] < 4 * input_bytes + 4 * MEBIBYTE

    def milder(self):
        for name in ("limits", "no_uring", "codec", "disk", "is_poor", "is_resumed", "take"):
            if getattr(self, name):
                other = copy.deepcopy(self)
                setattr(other, name, getattr(Situation(), name))
                if not (name == "is_poor" and "NPROC" in self.limits):
                    yield other
        for i in range(len(self.kills)):
            other = copy.deepcopy(self)
            del other.kills[i]
            if other.kills or not other.is_resumed:
                yield other

    def environment(self):
        return {**({"GS_NO_URING": "1"} if self.no_uring else {}), **({"GS_SPILL_CODEC": self.codec} if self.codec else {})}

    def limits_of(self, program_bytes):
        """The limits as they are set: a program that carries code for GPUs has 40 MB more of it."""
        return {name: value + program_bytes if name == "AS" else value
                for name, value in self.limits.items()}

    def shell(self):
        """What stands in front of the command, and what a prefix cannot say."""
        parts = ["%s=%s" % pair for pair in self.environment().items()]
        if self.limits:
            beside = {"AS": "$((%d + $(stat -Lc %%s \"$(command -v gpusort)\")))"}
            parts.append("prlimit " + " ".join("--%s=%s" % (name.lower(), beside.get(name, "%d") % value)
                                               for name, value in self.limits.items()))
        if self.is_poor:
            parts[:0] = ["setpriv --reuid=65534 --regid=65534 --clear-groups"] + ["env"] * bool(parts)
        return " ".join(parts)

    def remarks(self):
        if self.disk:
            yield "%s/ is a tmpfs of %d bytes" % self.disk
        if self.take is not None:
            yield "standard output is a pipe that is closed after %d bytes" % self.take
        for name, when in self.kills:
            yield "%s after %.3f of the time%s" % (name, when, ", then again" if self.is_resumed else "")


def number_of(name):
    return getattr(signal, "SIG" + name)
