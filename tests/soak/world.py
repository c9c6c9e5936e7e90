# SPDX-License-Identifier: MIT
"""Where a soak case runs: folders, the program under its names, disks of a given size, counts.

One World a process. What it counts is what the report at the end is made of.
"""
import collections
import contextlib
import ctypes
import hashlib
import json
import os
import shutil
import subprocess
import sys

import situation

SECONDS_MAX = 300
CLONE_NEWNS, MS_REC, MS_PRIVATE, MNT_DETACH = 0x20000, 0x4000, 1 << 18, 2
RESIDENT_BEYOND_S = 64 << 20

Outcome = collections.namedtuple("Outcome", "status is_killed has_hung seconds resident_bytes out err")


def tree(folder):
    """{path: what it holds} of all files below; of a folder, that it is one."""
    found = {}
    for root, folders, names in os.walk(folder):
        for name in folders:
            found[os.path.relpath(os.path.join(root, name), folder) + "/"] = b""
        for name in names:
            path = os.path.join(root, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = fingerprint(file.read())
    return found


def fingerprint(data):
    return hashlib.blake2b(data, digest_size=16).digest()


class World:
    def __init__(self, binary, number, options):
        self.number, self.options = number, options
        self.counts = collections.Counter()
        self.over_s_most = None   # bytes resident beyond -S, of the run that had most
        self.can_mount = os.geteuid() == 0 and self.leave_name_space()
        self.folder = os.path.join(options.scratch, "worker-%d" % number)
        os.mkdir(self.folder)
        os.chmod(self.folder, 0o755)
        self.links = {}
        os.mkdir(os.path.join(self.folder, "bin"))
        # A copy: what is built meanwhile does not come in between.
        program = shutil.copy(binary, os.path.join(self.folder, "bin", "gpusort"))
        self.program_bytes = os.path.getsize(program)
        os.symlink("gpusort", os.path.join(self.folder, "bin", "sort"))
        self.links = {"gpusort": program, "sort": os.path.join(self.folder, "bin", "sort")}
        self.environment = {"LC_ALL": "C", "PATH": os.environ.get("PATH", "/usr/bin:/bin")}
        here = os.path.dirname(os.path.abspath(__file__))
        self.launcher = subprocess.Popen([sys.executable, "-S", "-E", os.path.join(here, "launcher.py")],
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.can_resume = {command for command in ("sort", "index build", "index merge")
                           if "--checkpoint" in self.help_of(command)}

    def help_of(self, command):
        return subprocess.run([self.links["gpusort"]] + command.split() + ["--help"], capture_output=True, text=True,
                              check=False).stdout

    @staticmethod
    def leave_name_space():
        """File systems that are mounted from here on are seen by this process only."""
        libc = ctypes.CDLL(None, use_errno=True)
        return (libc.unshare(CLONE_NEWNS) == 0 and
                libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None) == 0)

    @contextlib.contextmanager
    def case_folder(self, trouble):
        """A folder with `tmp` and `out` in it, one of them perhaps a disk of its own."""
        folder = os.path.join(self.folder, "case")
        shutil.rmtree(folder, ignore_errors=True)
        mounted = None
        os.mkdir(folder)
        os.chmod(folder, 0o777)
        for name in ("tmp", "out"):
            os.mkdir(os.path.join(folder, name))
            os.chmod(os.path.join(folder, name), 0o777)
        try:
            if trouble.disk and self.can_mount:
                mounted = os.path.join(folder, trouble.disk[0])
                libc = ctypes.CDLL(None, use_errno=True)
                how = b"size=%d,mode=777" % trouble.disk[1]
                if libc.mount(b"none", mounted.encode(), b"tmpfs", 0, how) != 0:
                    raise OSError(ctypes.get_errno(), "cannot mount a tmpfs")
            yield folder
        finally:
            if mounted:
                ctypes.CDLL(None).umount2(mounted.encode(), MNT_DETACH)
            shutil.rmtree(folder, ignore_errors=True)

    def run(self, arguments, folder, trouble=None, kill=None, stdin=None, piece=0, called="gpusort"):
        """Runs the program; `kill` is (name of a signal, seconds)."""
        trouble = trouble or situation.Situation()
        # Of each process another one: what a user has running counts together.
        poor = 20000 + os.getpid() % 40000 if trouble.is_poor and os.geteuid() == 0 else None
        if poor:
            self.give(folder, poor)
        captured = [os.path.join(self.folder, name) for name in ("stdout", "stderr")]
        asked = {
            "argv": [called] + list(arguments), "program": self.links[called], "folder": folder,
            "environment": dict(self.environment, TMPDIR=os.path.join(folder, "tmp"), **trouble.environment()),
            "stdin": stdin and os.path.join(folder, stdin), "piece": piece, "stdout": captured[0],
            "stderr": captured[1], "take": trouble.take,
            "limits": trouble.limits_of(self.program_bytes), "user": poor,
            "kill": kill and [situation.number_of(kill[0]), kill[1]], "seconds_max": SECONDS_MAX}
        self.launcher.stdin.write(json.dumps(asked) + "\n")
        self.launcher.stdin.flush()
        line = self.launcher.stdout.readline()
        if not line:
            raise RuntimeError("the launcher has ended")
        answer = json.loads(line)
        data = []
        for path in captured:
            with open(path, "rb") as file:
                data.append(file.read())
        self.counts["runs"] += 1
        if answer["is_killed"]:
            self.counts["kills"] += 1
            self.counts["kills by " + kill[0]] += 1
        for name in trouble.limits:
            self.counts["runs under RLIMIT_" + name] += 1
        return Outcome(out=data[0], err=data[1], **answer)

    @staticmethod
    def give(folder, user):
        """All of the folder; what is the user's already is not touched: its time of change counts."""
        for root, folders, names in os.walk(folder):
            for path in [root] + [os.path.join(root, name) for name in folders + names]:
                if os.lstat(path).st_uid != user:
                    os.lchown(path, user, user)

    def note_resident(self, outcome, allowed_bytes):
        """Is what was resident within -S and what the manual allows beyond it?"""
        over = outcome.resident_bytes - allowed_bytes
        self.counts["runs with the resident bound checked"] += 1
        if self.over_s_most is None or over > self.over_s_most:
            self.over_s_most = over
        if over > RESIDENT_BEYOND_S and not self.options.without_rss:
            return "%d bytes were resident, %d more than -S" % (outcome.resident_bytes, over)
        return None

    def close(self):
        self.launcher.stdin.close()
        self.launcher.wait()
