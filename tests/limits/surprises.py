# SPDX-License-Identifier: MIT
"""What other sorts were caught by, on users' machines: for limits/run.py."""
import fcntl
import os
import signal
import struct
import subprocess
import termios
import threading
import time

import sandbox
from machine import script
from sandbox import MS_BIND, Skip, mount

BLOCKED_SECONDS = 0.6
BLOCKED_TRIES = 20


def start(s, *argv, **settings):
    return subprocess.Popen([s.binary, *argv], cwd=s.folder, stderr=subprocess.PIPE, **settings)


def compressor_is_missing(s):
    """--compress-program that is not there, or may not be run: without, and a word about
    it."""
    lines = s.made("lines", "3M")
    s.write("data", b"no program\n")
    for program in ("no-such-program", "./no/such", "./data", "."):
        done = s.run("-S", "1M", "-T", s.folder, f"--compress-program={program}", lines)
        assert done.code == 0 and "could not run compress program" in done.err, done
        s.write("got", done.out)
        s.sorted_into("got", lines)


def compressor_fails(s):
    """One that ends without reading, with an error, by a signal, or loses bytes: an error, no
    output, nothing left."""
    lines = s.made("lines", "3M")
    os.mkdir(s.path("tmp"))
    for text in ("exit 0", "exit 3", "kill -9 $$", "cat >/dev/null", "head -c 1000",
                 "[ $# = 0 ] || exit 1; exec cat", "cat; [ $# = 0 ] || echo more"):
        program = script(s, "program", text)
        done = s.run("-S", "1M", "-T", "tmp", f"--compress-program={program}", "-o", "out",
                     lines)
        s.refused(done)
        assert done.err, "not a word"
        assert sorted(os.listdir(s.folder)) == ["program", "tmp"]
        s.empty("tmp")


def compressor_hangs(s):
    """One that never reads: Ctrl-C and SIGTERM end the sort at once, and nothing is left."""
    lines = s.made("lines", "3M")
    os.mkdir(s.path("tmp"))
    program = script(s, "program", "exec sleep 30")
    for number in (signal.SIGINT, signal.SIGTERM):
        child = start(s, "-S", "1M", "-T", "tmp", f"--compress-program={program}", "-o", "out",
                      lines, start_new_session=True,
                      preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        time.sleep(0.3)
        assert child.poll() is None
        begun = time.monotonic()
        if number == signal.SIGINT:
            os.killpg(child.pid, number)  # a terminal sends it to all of them
        else:
            child.send_signal(number)
        code, _ = sandbox.wait(child, 5)
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        child.stderr.close()
        assert code == -number and time.monotonic() - begun < 1, code
        assert sorted(os.listdir(s.folder)) == ["program", "tmp"]
        s.empty("tmp")


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def held_by(pipe):
    """How many bytes have been written to a pipe and not been read."""
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))[0]


def computed(child):
    """Of some time, how much did it compute?"""
    before = cpu_seconds(child.pid)
    time.sleep(BLOCKED_SECONDS)
    assert child.poll() is None, "it has ended, instead of waiting"
    return cpu_seconds(child.pid) - before


def blocked(s, *argv, feeds=None, writes=False, setup=None):
    """Nobody reads what it writes, or writes what it reads: once it has come as far as it can,
    it computes next to nothing. How soon that is, is the machine's affair."""
    at_most = BLOCKED_SECONDS * 0.04
    to_read, to_write = os.pipe()
    in_read, in_write = os.pipe()
    child = start(s, "--parallel=2", "-T", s.folder, *argv, stdin=in_read, stdout=to_write,
                  preexec_fn=setup)
    os.close(to_write)
    os.close(in_read)
    if feeds is not None:
        with open(feeds, "rb") as file:
            os.write(in_write, file.read(60000))
    for _ in range(BLOCKED_TRIES):  # until it has come as far as it can
        is_at_rest = computed(child) < at_most
        is_there = not held_by(in_write) and (not writes or held_by(to_read))
        if is_there and is_at_rest:
            break
    used = computed(child)
    child.kill()
    for fd in (to_read, in_write):
        os.close(fd)
    sandbox.wait(child)
    child.stderr.close()
    assert is_there, "it has not read what it was given, or not written"
    assert used < at_most, f"{used:.2f} s of {BLOCKED_SECONDS} s"


def blocked_output(s):
    """Nobody reads what it writes: it waits, and no core is busy; in memory, merging runs, with
    -m, without io_uring, through a compressor, as zstd."""
    lines = s.made("lines", "3M")
    assert s.run("-o", "sorted", lines).code == 0
    no_uring = sandbox.deny(("io_uring_setup", 1))
    for argv in ((lines,), ("-S", "1M", lines), ("-m", "sorted", "sorted"),
                 ("-S", "1M", "--compress-program=" + script(s, "copy", "exec cat"), lines)):
        blocked(s, *argv, writes=True)
    blocked(s, "-S", "1M", lines, writes=True, setup=no_uring)
    blocked(s, "--output-compress=zstd", lines, writes=True)


def blocked_input(s):
    """Nobody writes what it reads, from the start or in the middle: it waits."""
    lines = s.made("lines", "3M")
    blocked(s)
    blocked(s, "-S", "1M", feeds=lines)
    blocked(s, "-", lines, feeds=lines)


def stale_child(s):
    """The shell that became the sort had a child, which ends meanwhile: it is not taken for a
    compressor."""
    lines = s.made("lines", "3M")
    program = script(s, "program", "exec cat")
    for ends in ("exit 7", "sleep 0.05; exit 7", "kill -9 $$"):
        child = script(s, "child", ends)
        done = sandbox.run(["sh", "-c", f'{child} & exec "$@"', "sh", s.binary, "-S", "1M",
                            "-T", s.folder, f"--compress-program={program}", lines], s.folder)
        s.exact(done, lines)


def fused_lines(s):
    """Files whose last line has no end, many and small, one after the other: no two lines
    become one, in the page cache and not, however the chunks are cut."""
    names, everything = [], []
    for number in range(300):
        text = [f"{(number * 7919 + at * 104729) % 1000003:06d}".encode() * (1 + at % 5)
                for at in range(number % 40)]
        everything += text
        names.append(s.write(f"f{number:03d}", b"\n".join(text)))
    want = b"".join(line + b"\n" for line in sorted(everything))
    for options in ([], ["-S", "1M"], ["-S", "1K"], ["--parallel=1", "-S", "1K"]):
        done = s.run(*options, "-T", s.folder, *names)
        assert done.code == 0 and done.err == "", done
        assert done.out == want, f"not the exact answer with {options}"
    for name in names:
        lines = sorted(s.read(name).split(b"\n")) if os.path.getsize(name) else []
        s.write(name, b"\n".join(lines))
    for options in (["-m"], ["-m", "--batch-size=3"], ["-m", "-S", "1K"]):
        done = s.run(*options, "-T", s.folder, *names)
        assert done.code == 0 and done.out == want, f"not the exact answer with {options}"
    big = b"\n".join(everything * 40)
    s.write("one", big)
    s.write("two", big + b"\nlast")
    want = b"".join(line + b"\n" for line in sorted(everything * 80 + [b"last"]))
    for options in ([], ["-S", "1M"], ["-S", "20K"]):
        done = s.run(*options, "-T", s.folder, "one", "two")
        assert done.code == 0 and done.out == want, f"not the exact answer with {options}"


def reader_goes(s):
    """yes | head -c N | gpusort | head: it ends by SIGPIPE as soon as the reader is gone, and
    what is left out with --top is not kept."""
    for options, text in (([], "y"), (["-S", "1M"], "a longer line")):
        command = (f'yes "{text}" | head -c 5600000 | "$0" -T . {" ".join(options)} | head -n 3; '
                   'echo "${PIPESTATUS[2]}"')
        done = sandbox.run(["bash", "-c", command, s.binary], s.folder,
                           setup=lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL))
        assert done.out.decode() == f"{text}\n" * 3 + "141\n" and done.err == "", done
    command = 'yes | head -c 40000000 | "$0" --top=3 -S 8M | cat'
    done = sandbox.run(["bash", "-c", command, s.binary], s.folder)
    assert done.out == b"y\ny\ny\n" and done.err == "", done
    assert sorted(os.listdir(s.folder)) == []


def reader_goes_unheard(s):
    """SIGPIPE is ignored, as under some servers: an error that says so, and exit code 2."""
    lines = s.made("lines", "3M")
    for options in ([], ["-S", "1M"]):
        to_read, to_write = os.pipe()
        os.close(to_read)
        done = s.run(*options, "-T", s.folder, lines, stdout=to_write,
                     setup=lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN))
        os.close(to_write)
        s.refused(done, "Broken pipe")


def one_temporary_folder(s):
    """Six sorts and two builds in one folder for temporary files, two of them killed: the
    others are exact, and the folder is empty."""
    inputs = [s.made("lines", "3M", seed) for seed in range(1, 7)]
    docs = s.made("docs", "1M")
    os.mkdir(s.path("tmp"))
    assert s.run("index", "build", "-o", "want", docs).code == 0
    children = [start(s, "-S", "1M", "--parallel=1", "-T", "tmp", "-o", f"out{number}", path)
                for number, path in enumerate(inputs)]
    builds = [start(s, "index", "build", "-S", "1M", "-T", "tmp", "-o", f"index{number}", docs)
              for number in range(2)]
    time.sleep(0.02)
    children[0].kill()
    children[1].terminate()
    for child in children[2:] + builds:
        assert child.wait() == 0, child.stderr.read()
    for child in children[:2]:
        child.wait()
    for child in children + builds:
        child.stderr.close()
    for number in range(2, len(inputs)):
        s.sorted_into(f"out{number}", inputs[number])
    for number in range(2):
        for name in os.listdir(s.path("want")):
            assert s.read(f"index{number}/{name}") == s.read(f"want/{name}")
    s.empty("tmp")


def signals_stay_ignored(s):
    """nohup, and shells that run it behind: what was ignored when it began stays so, for what
    it starts too."""
    lines = s.made("lines", "3M")
    program = script(s, "program", "kill -HUP $$; kill -INT $$; exec cat")
    ignored = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGQUIT)

    def ignore():
        for number in ignored:
            signal.signal(number, signal.SIG_IGN)

    to_read, to_write = os.pipe()
    child = start(s, "-S", "1M", "-T", s.folder, f"--compress-program={program}", "-o", "out",
                  stdin=to_read, preexec_fn=ignore)
    os.close(to_read)

    def feed():
        with open(to_write, "wb") as to, open(lines, "rb") as file:
            data = file.read()
            for at in range(0, len(data), 1 << 20):
                to.write(data[at:at + (1 << 20)])
                for number in ignored:
                    child.send_signal(number)
                time.sleep(0.02)

    feeder = threading.Thread(target=feed)
    feeder.start()
    code, _ = sandbox.wait(child, 30)
    feeder.join()
    said = child.stderr.read()
    child.stderr.close()
    assert code == 0 and said == b"", (code, said)
    s.sorted_into("out", lines)


def output_is_input(s):
    """The output is an input by another name, through links, descriptors and mounts: read
    before it is lost."""
    lines = s.made("lines", "3M")

    def fresh():
        with open(lines, "rb") as file:
            return s.write("f", file.read())

    names = ["f", "./f", s.path("f"), "folder/../f", "linked/f"]
    os.mkdir(s.path("folder"))
    os.symlink(".", s.path("linked"))
    os.symlink("f", s.path("soft"))
    names.append("soft")
    fresh()
    os.link(s.path("f"), s.path("hard"))
    names.append("hard")
    for name in names:
        for options in ([], ["-S", "1M", "-T", s.folder]):
            fresh()
            done = s.run(*options, "-o", name, "f")
            assert done.code == 0 and done.err == "", (name, done)
            s.sorted_into("f", lines)
    os.unlink(s.path("hard"))
    for flags in (os.O_RDWR, os.O_RDWR | os.O_APPEND):
        for where in ("/proc/self/fd/1", "/dev/stdout", None):
            if where is not None and flags & os.O_APPEND:
                continue  # what is appended to keeps what it had
            fd = os.open(fresh(), flags)
            done = s.run(*(["-o", where] if where else []), "-S", "1M", "-T", s.folder, "f",
                         stdout=fd)
            os.close(fd)
            assert done.code == 0 and done.err == "", (where, done)
            got = s.read("f")
            s.write("f", got[os.path.getsize(lines):] if flags & os.O_APPEND else got)
            s.sorted_into("f", lines)
    fresh()
    assert s.run("-o", "f", "f").code == 0  # and merged with others over itself
    others = s.path("g")
    assert s.run("-o", others, s.made("lines", "3M", 2)).code == 0
    both = s.write("both", s.read("g") + s.read("f"))
    with open(s.path("f"), "r+b") as file:
        done = s.run("-m", "g", "f", stdout=file)
    assert done.code == 0 and done.err == "", done
    s.sorted_into("f", both)


def output_is_mounted_input(s):
    """The same file, mounted a second time at another place."""
    if not s.can_mount:
        raise Skip("may not mount")
    lines = s.made("lines", "3M")
    with open(lines, "rb") as file:
        s.write("f", file.read())
    s.write("place", b"")
    mount(s.path("f"), s.path("place"), None, MS_BIND)
    for one, other in (("f", "place"), ("place", "f")):
        done = s.run("-r", "-o", one, one)
        assert done.code == 0, done
        done = s.run("-S", "1M", "-T", s.folder, "-o", one, other)
        assert done.code == 0 and done.err == "", done
        s.sorted_into("f", lines)
    assert sorted(os.listdir(s.folder)) == ["f", "place"]


def closed_descriptors(s):
    """Standard input, output or error are closed: nothing is written into a file that took
    their place."""
    lines = s.made("lines", "3M")
    for numbers in ((0,), (2,), (0, 2), (0, 1, 2)):
        def close(numbers=numbers):
            for number in numbers:
                os.close(number)
        child = subprocess.run([s.binary, "-S", "1M", "-T", s.folder, "-o", "out", lines],
                               cwd=s.folder, preexec_fn=close)
        assert child.returncode == 0, numbers
        s.sorted_into("out", lines)
        os.unlink(s.path("out"))
    done = subprocess.run([s.binary, lines], cwd=s.folder, stderr=subprocess.PIPE,
                          preexec_fn=lambda: os.close(1))
    assert done.returncode == 2 and b"Bad file descriptor" in done.stderr, done


SITUATIONS = (compressor_is_missing, compressor_fails, compressor_hangs, blocked_output,
              blocked_input, stale_child, fused_lines, reader_goes, reader_goes_unheard,
              one_temporary_folder, signals_stay_ignored, output_is_input,
              output_is_mounted_input, closed_descriptors)
