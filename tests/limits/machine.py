# SPDX-License-Identifier: MIT
"""Little memory, few processes, few descriptors, old kernels: for limits/run.py."""
import errno
import gzip
import os
import resource
import shutil
import subprocess

from sandbox import (F_SETFL, IS_ROOT, O_DIRECT, ControlGroup, Skip, all_of, become, deny, join, limit)

MIB = 1 << 20
NO_DIRECT = ("fcntl", errno.EINVAL, 2, O_DIRECT, 1, F_SETFL)
STRANGER = 61234  # a user who runs nothing else


def script(s, name, text):
    """A program of the shell, by its path."""
    path = s.write(name, b"#!/bin/sh\n" + text.encode() + b"\n")
    os.chmod(path, 0o755)
    return path


def address_space(s):
    """64 MiB of addresses besides the program: sorted and indexed in smaller pieces."""
    space = os.path.getsize(s.binary) + 64 * MIB
    lines, docs = s.made("lines", "3M"), s.made("docs", "1M")
    for options in ([], ["--parallel=16"], ["-S", "1G"]):
        s.exact(s.run(*options, lines, setup=limit(resource.RLIMIT_AS, space)), lines)
    assert s.run("index", "build", "-o", "want", docs).code == 0
    got = s.run("index", "build", "-o", "got", docs, setup=limit(resource.RLIMIT_AS, space))
    assert got.code == 0 and got.err == "", got
    same_index(s, "want", "got")


def same_index(s, one, other):
    names = sorted(os.listdir(s.path(one)))
    assert names == sorted(os.listdir(s.path(other)))
    for name in names:
        assert s.read(os.path.join(one, name)) == s.read(os.path.join(other, name)), name


def small_stack(s):
    """A stack of 128 KiB, for every thread: the exact answer."""
    lines, docs = s.made("lines", "3M"), s.made("docs", "1M")
    small = limit(resource.RLIMIT_STACK, 128 << 10)
    s.exact(s.run("--parallel=4", "-S", "4M", lines, setup=small), lines)
    built = s.run("index", "build", "--positions", "-o", "index", docs, setup=small)
    assert built.code == 0, built
    found = s.run("index", "verify", "index", setup=small)
    assert found.code == 0, found


def without_threads(s, setup):
    lines, docs = s.made("lines", "3M"), s.made("docs", "1M")
    no_uring = dict(os.environ, GS_NO_URING="1")
    for options in (["--parallel=4"], ["--parallel=4", "-S", "1M"], []):
        s.exact(s.run(*options, lines, setup=setup), lines)
        s.exact(s.run(*options, lines, setup=setup, env=no_uring), lines)
        with open(lines, "rb") as file:
            cat = subprocess.Popen(["cat"], stdin=file, stdout=subprocess.PIPE)
        s.exact(s.run(*options, stdin=cat.stdout, setup=setup), lines)
        cat.stdout.close()
        cat.wait()
    packed = []
    for seed in range(1, 6):
        packed.append(s.path(f"p{seed}.gz"))
        with gzip.open(packed[-1], "wb", 1) as to, open(s.made("lines", "200K", seed), "rb") as of:
            to.write(of.read())
    together = s.write("together", b"".join(gzip.open(one).read() for one in packed))
    for options in ([], ["-s"], ["-S", "1M"]):
        s.exact(s.run(*options, *packed, setup=setup), together)
    parts = [s.path(f"p{seed}") for seed in range(1, 6)]
    for seed, part in enumerate(parts, 1):
        assert s.run("-o", part, s.made("lines", "200K", seed)).code == 0
    s.exact(s.run("--parallel=4", "-m", *parts, setup=setup), together)
    os.mkdir(s.path("open"))
    os.chmod(s.path("open"), 0o777)
    assert s.run("index", "build", "-o", "want", docs).code == 0
    got = s.run("index", "build", "-o", "open/got", "-T", s.path("open"), docs, setup=setup)
    assert got.code == 0 and got.err == "", got
    same_index(s, "want", "open/got")
    shutil.rmtree(s.path("open", "got"))
    s.empty("open")


def process_limit(s):
    """RLIMIT_NPROC of 1, so that no thread can be started: one thread does it all."""
    if not IS_ROOT:
        raise Skip("only root can become somebody else")
    without_threads(s, all_of(limit(resource.RLIMIT_NPROC, 1), become(STRANGER)))


def pids_of_a_container(s):
    """A control group with room for one task: one thread does it all."""
    group = ControlGroup("pids")
    try:
        group.set("pids.max", "pids.max", 1)
        without_threads(s, join(group.path))
    finally:
        group.remove()


def few_descriptors(s):
    """8 descriptors: runs are merged in steps; an index, which needs more, is refused."""
    lines, docs = s.made("lines", "3M"), s.made("docs", "1M")
    few = limit(resource.RLIMIT_NOFILE, 8)
    s.exact(s.run("-S", "1M", lines, setup=few), lines)
    parts = []
    for seed in range(1, 21):
        parts.append(s.path(f"p{seed}"))
        assert s.run("-o", parts[-1], s.made("lines", "20K", seed)).code == 0
    together = s.write("together", b"".join(s.read(part) for part in parts))
    s.exact(s.run("-m", *parts, setup=few), together)
    s.refused(s.run("index", "build", "-o", "index", docs, setup=few), "ulimit -n")
    assert not [name for name in os.listdir(s.folder) if name.startswith("index")]


def container_memory(s):
    """A container of 64 MiB without swap and an input of 16 MB: smaller runs by default, and
    nothing is killed."""
    lines = s.made("lines", "16M")
    script(s, "packer", "exec cat")
    group = ControlGroup("memory")
    try:
        group.set("memory.limit_in_bytes", "memory.max", 24 * MIB)
        for options in ([], ["--compress-program=./packer", "-S", "8M"]):
            done = s.run(*options, "-o", "out", lines, setup=join(group.path))
            assert done.code == 0 and done.err == "", done
            s.sorted_into("out", lines)
    finally:
        group.remove()


def temporaries_of_a_container(s):
    """Temporary files of 16 MB: their pages are not kept, and so do not count against a
    container; nor is one of 24 MiB too small where direct writes are unknown."""
    lines = s.made("lines", "16M")
    group = ControlGroup("memory")
    try:
        child = subprocess.Popen([s.binary, "-S", "4M", "-T", s.folder, "-o", "out", lines],
                                 cwd=s.folder, preexec_fn=join(group.path))
        kept = 0
        while child.poll() is None:
            stat = dict(line.split() for line in
                        group.get("memory.stat", "memory.stat").splitlines())
            kept = max(kept, int(stat["cache" if group.version == 1 else "file"]))
        assert child.returncode == 0, child.returncode
        s.sorted_into("out", lines)
        assert kept < 8 * MIB, f"{kept >> 20} MiB of files were kept in memory"
        group.set("memory.limit_in_bytes", "memory.max", 24 * MIB)
        done = s.run("-S", "4M", "-T", s.folder, "-o", "out", lines,
                     setup=all_of(join(group.path), deny(NO_DIRECT)))
        assert done.code == 0 and done.err == "", done
        s.sorted_into("out", lines)
    finally:
        group.remove()


def no_io_uring(s):
    """io_uring is refused as a sandbox does (EPERM) or by an old kernel (ENOSYS): other
    threads read and write."""
    lines, docs = s.made("lines", "3M"), s.made("docs", "1M")
    for error in (errno.EPERM, errno.ENOSYS):
        setup = deny(("io_uring_setup", error))
        s.exact(s.run("-S", "1M", lines, setup=setup), lines)
        assert s.run("index", "build", "-S", "1M", "-o", f"index{error}", docs,
                     setup=setup).code == 0
        assert s.run("index", "verify", f"index{error}", setup=setup).code == 0


def no_random_bits(s):
    """getrandom is refused: names of temporary files are new all the same."""
    lines = s.made("lines", "3M")
    setup = deny(("getrandom", errno.ENOSYS))
    done = s.run("-S", "1M", "-o", "out", lines, setup=setup)
    assert done.code == 0, done
    assert sorted(os.listdir(s.folder)) == ["out"]


def small_memory(s):
    """-S from 1 MiB up: exact, and never more than 64 MiB beyond it."""
    sizes, long = ((1, 2, 3, 5, 8, 16, 24), ("24M", "6M")) if "GS_TEST_LONG" in os.environ \
        else ((1, 2, 16), ("8M", "1M"))
    lines, docs = s.made("lines", long[0]), s.made("docs", long[1])
    assert s.run("index", "build", "-o", "want", docs).code == 0

    def measured(size, *argv):
        done = s.run(*argv, "-S", f"{size}M", measures=True)
        assert done.code == 0 and done.err == "", done
        assert done.peak <= (size + 64) * MIB, f"{done.peak >> 20} MiB at -S {size}M"

    # Only what is longer than that can exceed it.
    longer = s.made("lines", "80M")
    measured(1, "-o", "out", longer)
    checked = s.run("check", "out")
    assert checked.code == 0 and os.path.getsize(s.path("out")) == os.path.getsize(longer)
    for size in sizes:
        measured(size, "-o", "out", lines)
        s.sorted_into("out", lines)
        if size == 1:
            measured(size, "-k2,2n", "-k1,1r", "-o", "out", lines)
            checked = s.run("-c", "-k2,2n", "-k1,1r", "out")
            assert checked.code == 0, checked
            assert os.path.getsize(s.path("out")) == os.path.getsize(lines)
        measured(size, "index", "build", "--replace", "-o", "got", docs)
        same_index(s, "want", "got")


def jumping_clock(s):
    """A clock that jumps by a day with every look: the same answer."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        raise Skip("no compiler")
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "jumping_clock.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", s.path("clock.so"), source],
                   check=True)
    environment = dict(os.environ, LD_PRELOAD=s.path("clock.so"))
    lines, docs = s.made("lines", "3M"), s.made("docs", "1M")
    s.exact(s.run(lines, env=environment), lines)
    s.exact(s.run("-S", "1M", lines, env=environment), lines)
    assert s.run("index", "build", "-o", "want", docs).code == 0
    done = s.run("index", "build", "-o", "got", docs, env=environment)
    assert done.code == 0 and done.err == "", done
    same_index(s, "want", "got")


SITUATIONS = (address_space, small_stack, process_limit, pids_of_a_container, few_descriptors,
              container_memory, temporaries_of_a_container, no_io_uring, no_random_bits,
              small_memory, jumping_clock)
