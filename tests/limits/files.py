# SPDX-License-Identifier: MIT
"""Full disks, old file systems, pipes, folders that are missing: for limits/run.py."""
import errno
import fcntl
import os
import resource
import shutil
import signal
import subprocess
import threading

from machine import MIB, NO_DIRECT, same_index
from sandbox import (MS_BIND, MS_RDONLY, MS_REMOUNT, O_TMPFILE_BIT, Skip, all_of, deny,
                     limit, mount)

# What file systems and sandboxes do not know, and how they say it.
NO_TMPFILE = ("openat", errno.EOPNOTSUPP, 2, O_TMPFILE_BIT)
OLD_FILE_SYSTEM = (
    NO_TMPFILE, NO_DIRECT,
    ("renameat2", errno.EINVAL, 4, 7),        # any flag: exchange, not to replace
    ("fallocate", errno.EOPNOTSUPP), ("linkat", errno.EPERM), ("flock", errno.ENOLCK),
    ("flistxattr", errno.EOPNOTSUPP), ("fremovexattr", errno.EOPNOTSUPP))


def old_file_system(s):
    """No files without a name, direct transfers, exchange of names, links, space set aside or
    locks (vfat, NFS, FUSE): the same answers, and nothing is left."""
    lines, docs = s.made("lines", "3M"), s.made("docs", "1M")
    for name in ("tmp", "work"):
        os.mkdir(s.path(name))
    setup = deny(*OLD_FILE_SYSTEM)
    s.write("work/out", b"old\n")
    done = s.run("-S", "1M", "-T", s.path("tmp"), "-o", "work/out", lines, setup=setup)
    assert done.code == 0 and done.err == "", done
    s.sorted_into("work/out", lines)
    done = s.run("-S", "1M", "-T", s.path("tmp"), "-o", "work/out", "work/out", setup=setup)
    assert done.code == 0 and done.err == "", done
    s.sorted_into("work/out", lines)
    assert s.run("index", "build", "-o", "want", docs).code == 0
    for _ in range(2):  # new, and in place of another
        done = s.run("index", "build", "-S", "1M", "-T", s.path("tmp"), "--replace", "-o",
                     "work/got", docs, setup=setup)
        assert done.code == 0 and done.err == "", done
        same_index(s, "want", "work/got")
    assert sorted(os.listdir(s.path("work"))) == ["got", "out"], os.listdir(s.path("work"))
    s.empty("tmp")


def memory_file_system(s):
    """Inputs, outputs and temporary files in tmpfs."""
    s.mount("disk", "tmpfs", "size=64m")
    lines = s.made("lines", "3M")
    shutil.copy(lines, s.path("disk", "in"))
    os.mkdir(s.path("disk", "tmp"))
    done = s.run("-S", "1M", "-T", s.path("disk", "tmp"), "-o", "disk/in", "disk/in")
    assert done.code == 0 and done.err == "", done
    s.sorted_into("disk/in", lines)
    s.empty("disk", "tmp")
    assert sorted(os.listdir(s.path("disk"))) == ["in", "tmp"]


def layered_file_system(s):
    """An overlay, as containers have it: an output in place of a file of a lower layer."""
    lines = s.made("lines", "3M")
    s.mount("layers", "tmpfs")
    for name in ("low", "up", "work", "seen"):
        os.mkdir(s.path("layers", name))
    s.write("layers/low/f", s.read(lines))
    base = s.path("layers")
    mount("overlay", s.path("layers", "seen"), "overlay", 0,
          f"lowerdir={base}/low,upperdir={base}/up,workdir={base}/work")
    done = s.run("-S", "1M", "-T", s.path("layers", "seen"), "-o", "f", "f",
                 cwd=s.path("layers", "seen"))
    assert done.code == 0 and done.err == "", done
    s.sorted_into("layers/seen/f", lines)
    assert os.listdir(s.path("layers", "seen")) == ["f"]
    assert os.path.getsize(s.path("layers", "low", "f")) == os.path.getsize(lines)


def read_only_folder(s):
    """A working folder that takes no files: what is written elsewhere is, what is to go there
    is refused."""
    lines = s.made("lines", "3M")
    s.mount("place", "tmpfs")
    shutil.copy(lines, s.path("place", "in"))
    mount("none", s.path("place"), None, MS_REMOUNT | MS_RDONLY)
    where = s.path("place")
    s.exact(s.run("-S", "1M", "in", cwd=where), lines)
    done = s.run("-S", "1M", "-o", s.path("out"), "in", cwd=where)
    assert done.code == 0 and done.err == "", done
    s.sorted_into("out", lines)
    s.refused(s.run("-o", "out", "in", cwd=where), "out", "Read-only file system")
    s.refused(s.run("-o", "in", "in", cwd=where), "in", "Read-only file system")
    s.refused(s.run("-S", "1M", "-T", ".", "in", cwd=where), "Read-only file system", "-T")
    s.refused(s.run("index", "build", "-o", "index", s.made("docs", "1M"), cwd=where),
              "Read-only file system")


def no_temporary_folder(s):
    """$TMPDIR or -T name nothing: what fits into memory is sorted, what does not is refused
    with the folder's name and -T."""
    lines, docs = s.made("lines", "3M"), s.made("docs", "1M")
    nowhere = dict(os.environ, TMPDIR="/no/such/folder")
    s.exact(s.run(lines, env=nowhere), lines)
    s.refused(s.run("-S", "1M", lines, env=nowhere), "/no/such/folder", "-T")
    s.refused(s.run("-S", "1M", "-T", "/no/such/other", lines), "/no/such/other", "-T")
    s.exact(s.run("-S", "1M", "-T", s.folder, lines, env=nowhere), lines)
    built = s.run("index", "build", "-o", "index", docs, env=nowhere)
    assert built.code == 0, built


def bare_root(s):
    """A root with neither /tmp, /proc, /dev nor /sys, as of an empty container."""
    if not s.can_mount:
        raise Skip("may not mount")
    lines, docs = s.made("lines", "3M"), s.made("docs", "1M")
    s.mount("root", "tmpfs", "mode=755")
    for name in ("lib", "lib64", "usr"):
        if os.path.islink("/" + name):
            os.symlink(os.readlink("/" + name), s.path("root", name))
        elif os.path.isdir("/" + name):
            os.mkdir(s.path("root", name))
            mount("/" + name, s.path("root", name), None, MS_BIND)
    os.mkdir(s.path("root", "work"))
    for source, name in ((s.binary, "gpusort"), (lines, "in"), (docs, "docs")):
        shutil.copy(source, s.path("root", "work", name))

    def enter():
        os.chroot(s.path("root"))
        os.chdir("/work")

    def inside(*argv):
        done = subprocess.run(["/work/gpusort", *argv], preexec_fn=enter, env={},
                              input=b"", stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=60)
        return done.returncode, done.stdout, done.stderr.decode()

    code, out, err = inside("in")
    assert code == 0 and err == "", err
    s.write("got", out)
    s.sorted_into("got", lines)
    code, out, err = inside("-S", "1M", "in")
    assert code == 2 and "/tmp" in err and "-T" in err, err
    for argv in (["-S", "1M", "-T", "/work", "-o", "out", "in"], ["-o", "in", "in"],
                 ["index", "build", "--format=jsonl", "-o", "index", "docs"],
                 ["index", "verify", "index"]):
        code, out, err = inside(*argv)
        assert code == 0 and err == "", (argv, err)
    s.sorted_into("root/work/out", lines)
    s.sorted_into("root/work/in", lines)
    left = sorted(os.listdir(s.path("root", "work")))
    assert left == ["docs", "gpusort", "in", "index", "out"], left


def full_output(s):
    """A disk that is too full for the output: the old one stays, nothing is left beside it,
    and the message says how much is needed."""
    lines = s.made("lines", "6M")
    s.mount("disk", "tmpfs", "size=4m")
    s.write("disk/out", b"old\n")
    for options, setup in ((["-S", "1M"], None), ([], None), ([], deny(*OLD_FILE_SYSTEM))):
        done = s.run(*options, "-T", s.folder, "-o", "disk/out", lines, setup=setup)
        s.refused(done, "disk/out", "No space left on device", "the output takes about 6.0 MiB",
                  f"'disk/' has 4.0 MiB free", "-o")
        assert s.read("disk/out") == b"old\n"
        assert os.listdir(s.path("disk")) == ["out"]


def full_temporaries(s):
    """A folder for temporary files that is too small: the message says how much was needed,
    and that -T and --compress-program=zstd help; nothing is left."""
    lines = s.made("lines", "12M")
    s.mount("tmp", "tmpfs", "size=2m")
    done = s.run("-S", "1M", "-T", s.path("tmp"), "-o", "out", lines)
    s.refused(done, "No space left on device", f"'{s.path('tmp')}' has 2.0 MiB free",
              "temporary files take about 12.0 MiB", "-T", "--compress-program=zstd")
    s.empty("tmp")
    assert os.listdir(s.folder) == ["tmp"]
    two = s.run("-S", "1M", "-T", s.path("tmp"), "-T", s.folder, "-o", "out", lines)
    s.refused(two, "No space left on device", s.path("tmp"))
    s.empty("tmp")


def full_index(s):
    """A disk that is too full for the index, new or in place of another."""
    small, docs = s.made("docs", "100K"), s.made("docs", "6M")
    s.mount("disk", "tmpfs", "size=1m")
    for replaces in (False, True):
        if replaces:
            assert s.run("index", "build", "-o", "disk/index", small).code == 0
            before = {name: s.read(f"disk/index/{name}")
                      for name in os.listdir(s.path("disk", "index"))}
        done = s.run("index", "build", "--replace", "-o", "disk/index", docs)
        s.refused(done, "No space left on device", "free some space")
        assert os.listdir(s.path("disk")) == (["index"] if replaces else [])
    for name, data in before.items():
        assert s.read(f"disk/index/{name}") == data


def file_size_limit(s):
    """RLIMIT_FSIZE: a message that says so instead of a signal (SIGXFSZ), and nothing is
    left."""
    lines, docs = s.made("lines", "3M"), s.made("docs", "1M")
    os.mkdir(s.path("tmp"))
    small = all_of(limit(resource.RLIMIT_FSIZE, MIB),
                   lambda: signal.signal(signal.SIGXFSZ, signal.SIG_DFL))
    s.refused(s.run("-o", "out", lines, setup=small), "out", "File too large")
    s.refused(s.run("-S", "1M", "-T", "tmp", "-o", "out", lines, setup=small), "tmp",
              "File too large")
    s.refused(s.run("index", "build", "--positions", "-o", "index", docs,
                    setup=all_of(limit(resource.RLIMIT_FSIZE, 1000),
                                 lambda: signal.signal(signal.SIGXFSZ, signal.SIG_DFL))),
              "File too large")
    s.empty("tmp")
    assert os.listdir(s.folder) == ["tmp"]


def pipes(s):
    """Pipes of a page and of a mebibyte, in and out, written and read in odd pieces."""
    lines = s.made("lines", "3M")
    with open(lines, "rb") as file:
        data = file.read()
    for size in (4096, MIB):
        for options in ([], ["-S", "1M"]):
            (to_read, to_write), (out_read, out_write) = os.pipe(), os.pipe()
            for end in (to_write, out_write):
                fcntl.fcntl(end, 1031, size)  # F_SETPIPE_SZ
            child = subprocess.Popen([s.binary, *options, "-T", s.folder], stdin=to_read,
                                     stdout=out_write)
            os.close(to_read)
            os.close(out_write)

            def feed():
                with open(to_write, "wb", buffering=0) as to:
                    for at in range(0, len(data), 70001):
                        to.write(data[at:at + 70001])

            feeder = threading.Thread(target=feed)
            feeder.start()
            with open(out_read, "rb", buffering=0) as file:
                s.write("got", b"".join(iter(lambda: file.read(5003), b"")))
            feeder.join()
            assert child.wait() == 0
            s.sorted_into("got", lines)


SITUATIONS = (old_file_system, memory_file_system, layered_file_system, read_only_folder,
              no_temporary_folder, bare_root, full_output, full_temporaries, full_index,
              file_size_limit, pipes)
