# SPDX-License-Identifier: MIT
"""Runs commands under limits and kills them, and says what they took.

A server of its own, forked by nobody large: what a child is said to have had resident at
most includes what its parent had when it was forked, so the parent must be small. A line
of JSON on standard input asks for a run, a line on standard output answers:

    {"argv": [...], "program": FILE, "folder": DIR, "environment": {...},
     "stdin": null | FILE, "piece": 0 | BYTES, "stdout": FILE, "stderr": FILE,
     "take": null | BYTES, "limits": {"AS": N, ...}, "user": null | UID,
     "kill": null | [SIGNAL, SECONDS], "seconds_max": SECONDS}

With "piece" standard input is a pipe, fed so many bytes at a time; with "take" standard
output is one whose reader goes away after so many bytes. "kill" sends the signal so long
after the start; after "seconds_max" the run counts as one that hangs.

    {"status": EXIT CODE or -SIGNAL, "is_killed": was the signal sent before the end,
     "has_hung": bool, "seconds": S, "resident_bytes": N}
"""
import json
import os
import resource
import signal
import sys
import time

PIPE_PIECE_MAX = 1 << 16


def in_child(main):
    """Forks; `main` is what the child does, and it does nothing after that."""
    child = os.fork()
    if child == 0:
        try:
            signal.pthread_sigmask(signal.SIG_SETMASK, [])
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)
            main()
        except BaseException as trouble:  # pylint: disable=broad-except
            os.write(2, ("launcher: %r\n" % trouble).encode())
        finally:
            os._exit(126)
    return child


def feed(path, piece, to):
    with open(path, "rb", buffering=0) as file:
        while data := file.read(min(piece, PIPE_PIECE_MAX)):
            while data:
                data = data[os.write(to, data):]
    os._exit(0)


def drain(source, path, most):
    """Takes `most` bytes, and closes with the rest unread."""
    with open(path, "wb", buffering=0) as file:
        while most > 0 and (data := os.read(source, min(most, PIPE_PIECE_MAX))):
            file.write(data)
            most -= len(data)
    os._exit(0)


class Run:
    def __init__(self, asked):
        self.asked = asked
        self.feeder = self.reader = None

    def open_stdin(self):
        path, piece = self.asked["stdin"], self.asked["piece"]
        if path is None:
            return os.open("/dev/null", os.O_RDONLY)
        if not piece:
            return os.open(path, os.O_RDONLY)
        source, sink = os.pipe()
        self.feeder = in_child(lambda: (os.close(source), feed(path, piece, sink)))
        os.close(sink)
        return source

    def open_stdout(self):
        path, take = self.asked["stdout"], self.asked["take"]
        if take is None:
            return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
        source, sink = os.pipe()
        self.reader = in_child(lambda: (os.close(sink), drain(source, path, take)))
        os.close(source)
        return sink

    def become(self, files):
        """In the child: from here on it is the command."""
        asked = self.asked
        os.setsid()
        for number, fd in enumerate(files):
            os.dup2(fd, number)
        os.closerange(3, 256)
        os.chdir(asked["folder"])
        for name, value in asked["limits"].items():
            resource.setrlimit(getattr(resource, "RLIMIT_" + name), (value, value))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if asked["user"] is not None:
            os.setgroups([])
            os.setresgid(asked["user"], asked["user"], asked["user"])
            os.setresuid(asked["user"], asked["user"], asked["user"])
        os.execve(asked["program"], asked["argv"], asked["environment"])

    def wait(self, child, started):
        kill, is_killed, has_hung = self.asked["kill"], False, False
        while True:
            pid, status, usage = os.wait4(child, os.WNOHANG)
            if pid:
                break
            now = time.monotonic() - started
            if kill and not is_killed:
                left = kill[1] - now
                if left <= 0:
                    os.kill(child, kill[0])
                    is_killed = True
                    continue
            else:
                left = self.asked["seconds_max"] - now
                if left <= 0:
                    has_hung = True
                    os.killpg(child, signal.SIGKILL)
                    left = 10
            signal.sigtimedwait([signal.SIGCHLD], left)
        return {"status": os.waitstatus_to_exitcode(status), "is_killed": is_killed, "has_hung": has_hung,
                "seconds": time.monotonic() - started, "resident_bytes": usage.ru_maxrss * 1024}

    def do(self):
        files = [self.open_stdin(), self.open_stdout(),
                 os.open(self.asked["stderr"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)]
        started = time.monotonic()
        child = in_child(lambda: self.become(files))
        for fd in files:
            os.close(fd)
        answer = self.wait(child, started)
        if self.feeder:
            os.kill(self.feeder, signal.SIGKILL)
            os.waitpid(self.feeder, 0)
        if self.reader:
            os.waitpid(self.reader, 0)
        return answer


def main():
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for line in sys.stdin:
        print(json.dumps(Run(json.loads(line)).do()), flush=True)


if __name__ == "__main__":
    main()
