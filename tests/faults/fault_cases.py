# SPDX-License-Identifier: MIT
"""One run of a command with a fault in it, and whether what it did was right."""
import dataclasses
import errno
import hashlib
import json
import os
import re
import shlex
import shutil
import struct
import subprocess

SECONDS_MAX = 120  # nothing here takes one: it hangs
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"

# What each kind of call can fail with. The first is for short walks too.
HOWS = {
    "read": ["EIO", "EINTR", "short", "EAGAIN"],
    "write": ["ENOSPC", "EINTR", "short", "EIO", "EDQUOT", "ENOSPC:on"],
    "open": ["EMFILE", "EACCES", "ENOSPC", "EMFILE:on"],
    "close": ["EIO", "EINTR"],
    "sync": ["EIO", "ENOSPC", "EROFS", "EINVAL", "EIO:on"],
    "rename": ["EIO", "ENOSPC", "EINVAL", "EIO:on"],
    "link": ["EIO", "EMLINK"],
    "unlink": ["EIO", "EIO:on"],
    "length": ["EIO", "ENOSPC"],
    "space": ["ENOSPC", "EOPNOTSUPP", "EIO"],
    "look": ["EIO", "ENOMEM"],
    "change": ["EPERM", "EINTR"],
    "map": ["ENOMEM", "ENOMEM:on"],
    "advise": ["EINVAL", "ENOMEM:on"],
    "memory": ["ENOMEM", "ENOMEM:on"],
    "thread": ["EAGAIN", "EAGAIN:on"],
    "child": ["EAGAIN", "EMFILE", "EINTR"],
    "ring": ["ENOMEM", "EPERM"],
    "submit": ["EAGAIN", "EINTR", "EBUSY", "ENOMEM", "ENOMEM:on"],
    "random": ["ENOSYS", "EAGAIN"],
    "cut": [],  # cut.py
}
# What is no failure: the call is made again, or for the rest.
HARMLESS = {("read", "EINTR"), ("read", "short"), ("write", "EINTR"), ("write", "short"),
            ("space", "EOPNOTSUPP"), ("submit", "EAGAIN"), ("submit", "EINTR"),
            ("submit", "EBUSY")}


@dataclasses.dataclass
class Result:
    code: int          # exit status; below 0 a signal; None: it hung
    out: bytes
    err: str
    state: dict        # of the folder and the one for temporary files
    counts: list        # of calls, a kind each
    has_happened: bool  # what was to fail has
    ended: int          # before the power was cut: 1 more than the exit status
    named: str          # what an index in `out` is made of, as a pattern


@dataclasses.dataclass
class Verdict:
    outcome: str       # exact, refused, unreached or wrong
    why: str = ""
    err: str = ""


class TextSums:
    """What files hold, as digests: of zstd the lines in it. How they are cut into frames
    depends on how many threads there were, and so on one that was refused."""

    def __init__(self, program):
        self.program = program
        self.texts = {}  # {digest of the frames: that of the lines}

    def of_file(self, path):
        with open(path, "rb") as f:
            data = f.read()
        digest = digest_of(data)
        if not data.startswith(ZSTD_MAGIC):
            return digest
        if digest not in self.texts:
            self.texts[digest] = self.of_frames(data) or digest
        return self.texts[digest]

    def of_frames(self, data):
        """What is no whole and sound zstd is "". A merge of one input is a copy of its
        lines; the program reads them, none of whose calls fail now."""
        done = subprocess.run([self.program, "sort", "-m", "-"], input=data,
                              capture_output=True, env={"LC_ALL": "C"}, timeout=SECONDS_MAX)
        return "zstd of " + digest_of(done.stdout) if done.returncode == 0 else ""


def digest_of(data):
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def state_of(folder, sum_of_file):
    """{path: what is there}, below the folder."""
    state = {}
    for here, folders, files in os.walk(folder):
        for name in folders:
            state[os.path.relpath(os.path.join(here, name), folder)] = "folder"
        for name in files:
            path = os.path.join(here, name)
            state[os.path.relpath(path, folder)] = sum_of_file(path)
    return state


def named_in(folder):
    """What of an index that has grown, or was about to, its manifest names, as a pattern."""
    try:
        with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as f:
            segments = [json.loads(line.strip().rstrip(",")) for line in f
                        if line.startswith("    {")]
    except OSError:
        return r"work/out(/\w+(\.json)?)?$"
    names = [r"manifest\.json"]
    for s in segments:
        names += [fr"segment-{s['segment']}(/.*)?" if s["segment"] else r"\w+|header\.json"]
        names += [f"deleted-{s['deletions']}"] if s["deletions"] else []
    return f"work/out(/({'|'.join(names)}))?$"


def without_leftovers(command, result):
    """The state without what a change of an index has left in its folder or beside it:
    nobody reads that, and the next change removes it."""
    if not command.words.startswith(("index append", "index delete", "index compact")):
        return result.state
    return {path: what for path, what in result.state.items()
            if not path.startswith(("work/out/", "work/out.tmp-")) or
            re.match(result.named, path)}


class Place:
    """A folder in which one command after the other runs."""

    def __init__(self, program, inputs, folder):
        self.program, self.inputs, self.folder = program, inputs, folder
        self.work, self.tmp = os.path.join(folder, "work"), os.path.join(folder, "tmp")
        self.sums = TextSums(program)

    def prepare(self, command):
        """All is as before the first run of the command."""
        for folder in (self.work, self.tmp):
            shutil.rmtree(folder, ignore_errors=True)
            os.makedirs(folder)
        if command.before:
            subprocess.run(["bash", "-c", command.before.replace("{in}", self.inputs)],
                           cwd=self.work, check=True)

    def state(self):
        return {f"{name}/{path}": what for name in ("work", "tmp")
                for path, what in state_of(os.path.join(self.folder, name),
                                           self.sums.of_file).items()}

    def words(self, command):
        return [self.program,
                *shlex.split(command.words.replace("{in}", self.inputs))]

    def run(self, command, fault="", extra=(), kill_after=None):
        """The command once more where it ran before, killed after so many seconds."""
        counted = os.path.join(self.folder, "counts")
        if os.path.exists(counted):
            os.unlink(counted)
        environment = dict(os.environ, TMPDIR=self.tmp, LC_ALL="C", GS_FAULT=fault,
                           GS_FAULT_COUNT=counted, **dict(command.environment), **dict(extra))
        stdin = open(os.path.join(self.inputs, command.stdin) if command.stdin
                     else os.devnull, "rb")
        with stdin, subprocess.Popen(self.words(command), cwd=self.work, env=environment,
                                     stdin=stdin, stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE) as child:
            try:
                out, err = child.communicate(timeout=kill_after or SECONDS_MAX)
                code = child.returncode
            except subprocess.TimeoutExpired:
                child.kill()
                out, err = child.communicate()
                code = None if kill_after is None else child.returncode
        counts = [0, 0]
        if os.path.exists(counted):
            with open(counted, "rb") as f:
                data = f.read()
            counts = list(struct.unpack(f"{len(data) // 8}Q", data)) or counts
        return Result(code, out, err.decode(errors="replace"), self.state(), counts[:-2],
                      counts[-2] != 0, counts[-1], named_in(os.path.join(self.work, "out")))


@dataclasses.dataclass
class Reference:
    """What a command does when nothing fails."""
    before: dict
    result: Result
    between: dict  # the result of what the command does first; else that of all


def reference_of(place, command):
    place.prepare(command)
    before = place.state()
    result = place.run(command)
    between = state_between(place, command, result)
    if result.code not in (0, 1) or result.code == 1 and result.state != before:
        raise SystemExit(f"{command.name}: exit {result.code} though nothing fails: "
                         f"{result.err}")
    return Reference(before, result, between)


def state_between(place, command, result):
    """Leaves the folder as it was."""
    if not command.between:
        return result.state
    place.prepare(command)
    done = place.run(dataclasses.replace(command, words=command.between))
    if done.code != 0 or done.state == result.state:
        raise SystemExit(f"{command.between}: exit {done.code}, or all was done: {done.err}")
    place.prepare(command)
    place.run(command)
    return done.state


def reasons_of(how):
    """What the message may say: in the words of the C library, of zstd for want of memory,
    of GNU sort about a child."""
    name = how.split(":")[0]
    return [os.strerror(getattr(errno, name)), "not enough memory", "terminated abnormally"]


def litter(reference, wanted, state):
    """Names that are neither from before nor wanted."""
    return [name for name in state if name not in wanted and name not in reference.before]


def is_kept_whole(reference, result):
    """Is the output lost, but all of it where the message says? (io/output.h)"""
    if "but all of it is in" not in result.err:
        return False
    whole = reference.result.state["work/out"]
    return any(result.state[name] == whole
               for name in litter(reference, reference.result.state, result.state))


def are_parts(command, reference, state):
    """Is each of several outputs as it was, or whole?"""
    wanted, before = reference.result.state, reference.before
    return command.has_parts and set(before) - set(state) == set() and \
        all(content in (wanted.get(name), before.get(name)) for name, content in state.items())


# Where these fail it can be that nothing can be looked at or removed, or that what should go
# may be what is on the disk.
KEEPING = ("unlink", "change", "open", "memory", "map", "look", "sync")


def judge_success(command, reference, kind, result):
    wanted = reference.result
    if result.out != wanted.out:
        return Verdict("wrong", f"exit {result.code}, and standard output differs")
    state = dict(without_leftovers(command, result) if kind in KEEPING else result.state)
    if kind == "unlink":  # what cannot be removed stays
        for name in litter(reference, wanted.state, state):
            del state[name]
    if state == reference.between and "could not be merged" in result.err:
        return Verdict("exact")
    if state != wanted.state:
        return Verdict("wrong", f"exit {result.code}, and the files differ: "
                       f"{sorted(set(state.items()) ^ set(wanted.state.items()))}")
    return Verdict("exact")


def judge_refusal(command, reference, kind, how, result):
    if (kind, how) in HARMLESS:
        return Verdict("wrong", "refused for what is no failure")
    if command.is_streaming and not reference.result.out.startswith(result.out):
        return Verdict("wrong", "what was printed is not the beginning of the result")
    if not command.is_streaming and result.out:
        return Verdict("wrong", "something was printed")
    if not result.err.startswith("gpusort"):
        return Verdict("wrong", "no message")
    if not any(reason in result.err for reason in reasons_of(how)):
        return Verdict("wrong", f"the message does not say: {reasons_of(how)[0]}")
    state = dict(without_leftovers(command, result) if kind in KEEPING else result.state)
    for name in litter(reference, {}, state):
        if kind == "unlink" or command.keeps and name.startswith(f"work/{command.keeps}"):
            del state[name]
    # The result has its name already if what fails comes behind it, such as --trace.
    if state not in (reference.before, reference.result.state) and \
            not is_kept_whole(reference, result) and not are_parts(command, reference, state):
        return Verdict("wrong", "refused, and the files differ from before: "
                       f"{sorted(set(state.items()) ^ set(reference.before.items()))}")
    return Verdict("refused")


def is_lost_promise(command, kind, how):
    """Does it say that the result is on the disk, and the fsync failed? With --checkpoint
    the last ones come when it is, and stop.py looks at that."""
    is_durable = not command.keeps and ("--sync" in command.words or command.words.startswith(
        ("index build", "index merge", "index import", "index append", "index delete",
         "index compact")))
    return is_durable and kind == "sync" and how.split(":")[0] in ("EIO", "ENOSPC", "EROFS")


def judge(command, reference, kind, how, result):
    if result.code is None:
        verdict = Verdict("wrong", "it hung")
    elif result.code == reference.result.code:
        verdict = judge_success(command, reference, kind, result)
        if is_lost_promise(command, kind, how) and result.has_happened and \
                "could not be merged" not in result.err:
            verdict = Verdict("wrong", "what could not be made durable is passed over")
        if verdict.outcome == "exact" and not result.has_happened:
            verdict.outcome = "unreached"
    elif result.code == 2:
        verdict = judge_refusal(command, reference, kind, how, result)
    else:
        verdict = Verdict("wrong", f"exit {result.code}")
    verdict.err = result.err
    return verdict


def walk_to(place, command, reference, kind, n, how):
    """The command with its n-th call of the kind failing, and then again."""
    if not os.path.isdir(place.work) or place.state() != reference.before:
        place.prepare(command)
    verdict = judge(command, reference, kind, how, place.run(command, f"{kind}:{n}:{how}"))
    # From what is as it was before, nobody needs to be shown that it works.
    state = place.state()
    if verdict.outcome == "refused" and state not in (reference.before, reference.between):
        again = judge_success(command, reference, "unlink", place.run(command))
        if again.outcome != "exact":
            return Verdict("wrong", f"the next run: {again.why}")
    return verdict
