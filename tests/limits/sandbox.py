# SPDX-License-Identifier: MIT
"""What a process may have, and what the system denies it: for limits/run.py.

Everything here holds for a child only, or for mounts that this process alone sees.
"""
import ctypes
import errno
import fcntl
import os
import resource
import struct
import subprocess
import sys
import time

libc = ctypes.CDLL(None, use_errno=True)

CLONE_NEWNS, CLONE_NEWUSER = 0x00020000, 0x10000000
MS_RDONLY, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 1, 32, 4096, 16384, 1 << 18
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
O_TMPFILE_BIT = 0o20000000
O_DIRECT = os.O_DIRECT
F_SETFL = fcntl.F_SETFL

IS_ROOT = os.geteuid() == 0  # of the machine, and not of name spaces that are made here

# The calls that are denied here, by their numbers.
CALLS = {
    "x86_64": {"fcntl": 72, "fallocate": 285, "openat": 257, "linkat": 265, "flock": 73,
               "renameat2": 316, "io_uring_setup": 425, "mmap": 9, "fchown": 93,
               "fsetxattr": 190, "flistxattr": 196, "fremovexattr": 199,
               "copy_file_range": 326, "fadvise64": 221, "getrandom": 318},
    "aarch64": {"fcntl": 25, "fallocate": 47, "openat": 56, "linkat": 37, "flock": 32,
                "renameat2": 276, "io_uring_setup": 425, "mmap": 222, "fchown": 55,
                "fsetxattr": 7, "flistxattr": 13, "fremovexattr": 16,
                "copy_file_range": 285, "fadvise64": 223, "getrandom": 278},
}.get(os.uname().machine, {})


class Skip(Exception):
    """This machine cannot show it."""


def deny(*rules):
    """A function that lets calls fail from now on: rules are (name, errno), or (name, errno,
    argument, mask) if only a call of which that argument has one of these bits fails, or
    (name, errno, argument, mask, other argument, its value)."""
    if not CALLS:
        raise Skip("calls of this machine are not known here")
    ld, jeq, jset, ret = 0x20, 0x15, 0x45, 0x06
    program = []
    for name, error, *rest in rules:
        tests = [(ld, 0, 0, 0), (jeq, CALLS[name], "next", 0)]
        if len(rest) == 4:
            tests += [(ld, 16 + 8 * rest[2], 0, 0), (jeq, rest[3], "next", 0)]
        if len(rest) >= 2:
            tests += [(ld, 16 + 8 * rest[0], 0, 0), (jset, rest[1], "next", 0)]
        tests.append((ret, 0x00050000 | error, 0, 0))
        for at, (code, k, when_false, _) in enumerate(tests):
            away = len(tests) - at - 1 if when_false == "next" else 0
            program.append(struct.pack("HBBI", code, 0, away, k))
    program.append(struct.pack("HBBI", ret, 0, 0, 0x7FFF0000))
    filters = ctypes.create_string_buffer(b"".join(program))
    header = ctypes.create_string_buffer(
        struct.pack("HxxxxxxP", len(program), ctypes.addressof(filters)))

    def apply():
        if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 or \
                libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, header, 0, 0) != 0:
            raise OSError("no filter of calls here")
    apply.holds = filters
    return apply


def limit(kind, value):
    return lambda: resource.setrlimit(kind, (value, value))


def become(user):
    def apply():
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
    return apply


def join(cgroup):
    """The process goes into a control group before it runs anything."""
    def apply():
        with open(os.path.join(cgroup, "cgroup.procs"), "w") as file:
            file.write("0")
    return apply


def all_of(*functions):
    def apply():
        for function in functions:
            function()
    return apply


# --- mounts --------------------------------------------------------------------------

def own_mounts():
    """From now on what this process mounts is seen by it and its children alone. False if
    it may not."""
    uid, gid = os.geteuid(), os.getegid()
    if libc.unshare(CLONE_NEWNS | (0 if uid == 0 else CLONE_NEWUSER)) != 0:
        return False
    if uid != 0:
        for name, text in (("setgroups", "deny"), ("uid_map", f"0 {uid} 1"),
                           ("gid_map", f"0 {gid} 1")):
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)
    return libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None) == 0


def mount(source, target, kind, flags=0, options=""):
    if libc.mount(source.encode(), str(target).encode(), kind.encode() if kind else None,
                  flags, options.encode()) != 0:
        raise Skip(f"cannot mount {kind or source}: {os.strerror(ctypes.get_errno())}")


def unmount(target):
    libc.umount2(str(target).encode(), 2)


# --- control groups ------------------------------------------------------------------

class ControlGroup:
    """A group of its own below this process's, with a limit; of version 1 or 2."""

    def __init__(self, controller):
        self.version = 0
        for line in open("/proc/self/cgroup"):
            number, names, path = line.strip().split(":", 2)
            if controller in names.split(","):
                self.version, base = 1, f"/sys/fs/cgroup/{controller}{path}"
                break
            if number == "0" and os.path.exists("/sys/fs/cgroup/cgroup.controllers"):
                self.version, base = 2, f"/sys/fs/cgroup{path}"
        if self.version == 0:
            raise Skip(f"no control group of {controller}")
        self.path = os.path.join(base, f"gpusort-limits-{os.getpid()}")
        try:
            if self.version == 2:
                with open(os.path.join(base, "cgroup.subtree_control"), "w") as file:
                    file.write("+" + controller)
            os.mkdir(self.path)
        except OSError as error:
            raise Skip(f"no control group can be made: {error.strerror}") from error

    def set(self, name_1, name_2, value):
        try:
            with open(os.path.join(self.path, name_1 if self.version == 1 else name_2),
                      "w") as file:
                file.write(str(value))
        except OSError as error:
            raise Skip(f"{name_2}: {error.strerror}") from error

    def get(self, name_1, name_2):
        with open(os.path.join(self.path, name_1 if self.version == 1 else name_2)) as file:
            return file.read()

    def remove(self):
        for _ in range(100):
            try:
                os.rmdir(self.path)
                return
            except OSError as error:
                if error.errno != errno.EBUSY:
                    return
            time.sleep(0.02)


# --- running ---------------------------------------------------------------------------

class Result:
    def __init__(self, code, out, err, usage, seconds):
        self.code, self.out, self.err, self.seconds = code, out, err, seconds
        self.cpu = usage.ru_utime + usage.ru_stime

    def __repr__(self):
        return f"exit {self.code}, {len(self.out)} bytes, {self.err[:300]!r}"


# The memory of a child that this process starts would hold this process's own.
PEAK_MEMORY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli",
                           "peak_memory.py")


def run(argv, folder, setup=None, stdin=subprocess.DEVNULL, timeout=60, measures=False,
        **settings):
    """Runs a command in the folder: what it wrote, its status (minus the signal if one ended
    it) and what it used, with `measures` of memory as well. A command that takes too long is
    ended, and that is a fault."""
    peak = os.path.join(folder, ".peak")
    if measures:
        argv = [sys.executable, PEAK_MEMORY, peak, *argv]
    with open(os.path.join(folder, ".out"), "w+b") as out, \
            open(os.path.join(folder, ".err"), "w+b") as err:
        start = time.monotonic()
        child = subprocess.Popen(argv, cwd=settings.pop("cwd", folder), stdin=stdin,
                                 stdout=settings.pop("stdout", out), stderr=err,
                                 preexec_fn=setup, **settings)
        code, usage = wait(child, timeout)
        for file in (out, err):
            file.seek(0)
        result = Result(code, out.read(), err.read().decode(errors="replace"), usage,
                        time.monotonic() - start)
    if measures:
        with open(peak) as file:
            result.peak = int(file.read()) << 10
        os.unlink(peak)
    for name in (".out", ".err"):
        os.unlink(os.path.join(folder, name))
    return result


def wait(child, timeout=60):
    """The exit code of a child, as of subprocess, and its use of the machine."""
    end = time.monotonic() + timeout
    while True:
        pid, status, usage = os.wait4(child.pid, os.WNOHANG)
        if pid == child.pid:
            break
        if time.monotonic() > end:
            child.kill()
            os.wait4(child.pid, 0)
            child.returncode = -9
            raise AssertionError(f"still running after {timeout} s")
        time.sleep(0.002)
    child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, usage
