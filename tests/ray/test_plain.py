# SPDX-License-Identifier: MIT
"""What of gpusort-ray needs no Ray: command lines, chunks cut at records, manifests, files
that appear whole or not at all. Run by `make test` with nothing but Python."""

from __future__ import annotations

import ast
import errno
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import zlib
from contextlib import nullcontext
from pathlib import Path
from unittest import mock

CMD = Path(__file__).resolve().parent.parent.parent / "cmd"
sys.path.insert(0, str(CMD / "ray"))

import model  # noqa: E402
from gpusort_ray import arguments, files, gpusort, manifest, out_folder, plan, records  # noqa: E402
from gpusort_ray.errors import PassingTrouble, Trouble, Usage  # noqa: E402
from gpusort_ray.index_options import _LINES, _TABLE, parse_index  # noqa: E402
from gpusort_ray.sort_options import SORT_TABLE, parse_sort  # noqa: E402

SEED = int(os.environ.get("GS_TEST_SEED", "1"))


def options_of(table: str) -> list[str]:
    """The long options of a command of gpusort, whose table is in a file of cmd/."""
    return re.findall(r'^ *\{[^",]*, "([a-z0-9-]+)",', (CMD / table).read_text(), re.MULTILINE)


class Scratch(unittest.TestCase):
    def setUp(self) -> None:
        held = tempfile.TemporaryDirectory(prefix="gpusort-ray-test.")
        self.addCleanup(held.cleanup)
        self.folder = Path(held.name)

    def file(self, name: str, text: bytes) -> files.File:
        (self.folder / name).write_bytes(text)
        return files.look(str(self.folder / name))


class CommandLines(unittest.TestCase):
    def test_as_getopt_does(self) -> None:
        o, names = parse_sort(["-nrk2,2", "x", "-t", ",", "--uni", "--key=1", "--out", "d", "--", "-y"])
        self.assertEqual(names, ["x", "-y"])
        self.assertEqual(o.handed_on, ["-n", "-r", "-k", "2,2", "-t", ",", "--unique", "--key=1"])
        self.assertEqual(o.job.out, "d")

    def test_header_stays_with_the_driver_unless_of_a_table(self) -> None:
        o, _ = parse_sort(["--header=2"])
        self.assertEqual((o.header_lines, o.handed_on), (2, []))
        o, _ = parse_sort(["--csv", "--header=2"])
        self.assertEqual((o.header_lines, o.handed_on), (2, ["--csv", "--header=2"]))
        self.assertEqual(parse_sort(["--csv"])[0].header_lines, 1)
        self.assertEqual(parse_sort(["--csv", "--no-header"])[0].header_lines, 0)

    def test_refusals(self) -> None:
        for words in (
            ["-c"], ["-m"], ["--top=1"], ["--count"], ["-o", "x"], ["--parallel=2"], ["-q"],
            ["--random-source=a", "--random-source=b"], ["--key"], ["--no"], ["--unique=1"], ["--parts=0"], ["-S", "x"],
        ):  # fmt: skip
            with self.assertRaises(Usage, msg=str(words)):
                parse_sort(words)

    def test_what_shuffles(self) -> None:
        for words in (["-R"], ["-nuR"], ["--random-sort"], ["--sort=ran"], ["-k1R"], ["-k", "2,2Rr"], ["--key=a:R"]):
            self.assertTrue(parse_sort(words)[0].shuffles, words)
        for words in (["-r"], ["-k1n"], ["--sort=n"], ["--random-source=x"], ["-t", "R"]):
            self.assertFalse(parse_sort(words)[0].shuffles, words)
        o, _ = parse_sort(["--random-source=x", "-R", "--random-source", "x"])
        self.assertEqual((o.random_source, o.handed_on), ("x", ["-R"]))

    def test_every_option_of_sort_is_thought_of(self) -> None:
        rows = options_of("sort_args.c")
        self.assertGreater(len(rows), 45)
        # Of the command line itself, and of one output: unknown here.
        unknown = {"help", "version", "output-sum"}
        self.assertEqual({name for name in rows if "--" + name not in SORT_TABLE}, unknown)

    def test_every_letter_of_sort_is_thought_of(self) -> None:
        rows = dict(re.findall(r"^ *\{(?:[^',\"]*\? 0 : )?'(.)', \"([a-z0-9-]+)\",", (CMD / "sort_args.c").read_text(), re.MULTILINE))
        self.assertGreaterEqual(len(rows), 20)
        self.assertEqual({letter for letter in rows if "-" + letter not in SORT_TABLE}, set())

    def test_every_option_of_search_is_thought_of(self) -> None:
        rows = options_of("search_args.c")
        self.assertGreater(len(rows), 15)
        # Of one index, or what the two rounds are made of: unknown here.
        unknown = {"gather", "statistics", "parallel", "verbose"}
        search = CMD / "ray" / "gpusort_ray" / "search.py"  # which wants what is not installed everywhere
        table = re.search(r"^_TABLE = \{.*?^\}", search.read_text(), re.MULTILINE | re.DOTALL)
        self.assertTrue(table)
        known = set(re.findall(r"--([a-z0-9-]+)", table[0]))
        self.assertEqual(set(rows) - known, unknown)

    def test_every_option_of_index_build_is_thought_of(self) -> None:
        rows = options_of("index_build_args.c")
        self.assertGreater(len(rows), 30)
        # What shards have by themselves, or no format has that is cut into them: unknown here.
        unknown = {"doc-base", "gpu", "batch-size", "weight-scale"}
        self.assertEqual({name for name in rows if "--" + name not in _TABLE}, unknown)

    def test_what_tasks_are_handed_on(self) -> None:
        o, _ = parse_sort(["--sync", "--gpu-mem=3G", "--no-uring", "-r"])
        self.assertEqual((o.syncs, o.handed_on), (True, ["-r"]))
        self.assertEqual(o.job.of_programs, ["--gpu-mem=3G", "--no-uring"])
        o, _ = parse_index(["--gpu-mem=3G", "--no-uring"])
        self.assertEqual((o.handed_on, o.job.of_programs), ([], ["--gpu-mem=3G", "--no-uring"]))
        self.assertRaises(Usage, parse_index, ["--sync"])

    def test_sizes(self) -> None:
        self.assertEqual(parse_sort(["-S", "3"])[0].job.memory_bytes, 3 << 10)
        for text, size in (("7", 7), ("2b", 1024), ("5K", 5 << 10), ("1GiB", 1 << 30)):
            self.assertEqual(arguments.size_of(text, "-x"), size)


class Programs(Scratch):
    def starts(self, path: str) -> None:
        """What a killed process had started is gone soon."""
        script = (
            "from gpusort_ray import gpusort\n"
            "with gpusort.Run(['sh', '-c', 'echo $$; exec sleep 60']) as r:\n"
            "    for block in r.blocks(): print(block.decode(), flush=True)\n"
        )
        where = Path(arguments.__file__).parent.parent
        with subprocess.Popen(
            [sys.executable, "-B", "-c", script], stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(where), "PATH": path},
        ) as job:  # fmt: skip
            assert job.stdout is not None
            child = Path("/proc", job.stdout.readline().decode().strip(), "cmdline")
            self.assertTrue(child.exists())
            job.kill()
        for _ in range(200):
            try:
                if b"sleep" not in child.read_bytes():
                    return
            except OSError:  # not there any more, or gone while it was read
                return
            time.sleep(0.02)
        self.fail("it lives on")

    def test_a_program_dies_with_who_started_it(self) -> None:
        self.starts(os.environ["PATH"])
        for name in ("sh", "sleep"):  # and no setpriv
            (self.folder / name).symlink_to(shutil.which(name) or "")
        self.starts(str(self.folder))

    def test_failures_name_the_program(self) -> None:
        with self.assertRaisesRegex(Trouble, "sh: .*nosuch"):
            gpusort.run(["sh", "-c", "echo sh: no nosuch >&2; exit 2"])
        with self.assertRaisesRegex(PassingTrouble, "sh -c was ended by signal 9"):
            gpusort.run(["sh", "-c", "kill -9 $$"])


    def test_a_node_with_another_gpusort_is_named(self) -> None:
        program = self.folder / "gpusort"
        program.write_text("#!/bin/sh\necho gpusort 8\n")
        program.chmod(0o755)
        self.assertEqual(gpusort.find_same(str(program), "gpusort 8"), str(program))
        here = re.escape(os.uname().nodename)
        with self.assertRaisesRegex(Trouble, f"on {here} is gpusort 8, and the job's is gpusort 7: "):
            gpusort.find_same(str(program), "gpusort 7")
        with mock.patch.dict(sys.modules, {"xxhash": sys}):  # which is not asked for anything here
            from gpusort_ray import sort_tasks
        o, _ = parse_sort([f"--gpusort={program}"])
        for version, is_told in (("gpusort 8", True), ("gpusort 7", False)):
            work = sort_tasks.Work(o, 1, b"", 1 << 20, 1, "cpu", "out", version)
            with nullcontext() if is_told else self.assertRaises(Trouble):
                self.assertEqual(work.words("sort", str(self.folder))[:2], [str(program), "sort"])

    def test_every_task_asks_which_gpusort_it_has(self) -> None:
        """Whoever takes the program as it is, is the driver or puts nothing in order."""
        allowed = {
            ("chunks", "text_of"), ("sort_tasks", "check_options"), ("search", "ask_shard"),
            ("sort_job", "run"), ("index_job", "run"),
        }  # fmt: skip
        found = set()
        for path in Path(gpusort.__file__).parent.glob("*.py"):
            for function in ast.walk(ast.parse(path.read_text())):
                if isinstance(function, ast.FunctionDef) and "gpusort.find(" in ast.unparse(function):
                    found.add((path.stem, function.name))
        self.assertEqual(found, allowed, "gpusort.find_same")


class Folders(Scratch):
    """Of a task, on its node's disk; it may be cancelled or killed at any time."""

    def left(self) -> list[str]:
        return sorted(str(p.relative_to(self.folder)) for p in self.folder.rglob("*"))

    def test_what_others_left_goes(self) -> None:
        (self.folder / "gpusort-ray.begun").mkdir()  # and no lock made
        killed = self.folder / "gpusort-ray.killed"
        (killed / "inside").mkdir(parents=True)
        for name in (".lock", "file", "inside/file"):
            (killed / name).write_bytes(b"x")
        (self.folder / "gpusort-ray.strange").mkdir()
        (self.folder / "gpusort-ray.strange" / "file").write_bytes(b"x")
        with gpusort.scratch(str(self.folder), 0) as held:
            Path(held, "file").write_bytes(b"x")
            gpusort.room_in(str(self.folder))
            here = os.path.basename(held)
            kept = [here, f"{here}/.lock", f"{here}/file"]
            kept += ["gpusort-ray.strange", "gpusort-ray.strange/file"]
            self.assertEqual(self.left(), sorted(kept))
        self.assertEqual(self.left(), kept[3:])

    def test_one_who_sweeps_is_faster(self) -> None:
        made: list[str] = []
        really = tempfile.mkdtemp

        def swept(**asked: str) -> str:
            made.append(really(**asked))
            if len(made) == 1:
                gpusort.room_in(str(self.folder))
            return made[-1]

        with mock.patch.object(gpusort.tempfile, "mkdtemp", swept):
            with gpusort.scratch(str(self.folder), 0) as held:
                self.assertEqual([held], made[1:])
                self.assertFalse(os.path.exists(made[0]))
        self.assertEqual(self.left(), [])

    def test_who_is_cancelled_while_removing_leaves_the_lock(self) -> None:
        with self.assertRaises(KeyboardInterrupt):
            with mock.patch.object(gpusort.shutil, "rmtree", side_effect=KeyboardInterrupt):
                with gpusort.scratch(str(self.folder), 0) as held:
                    Path(held, "file").write_bytes(b"x")
        self.assertEqual([os.path.basename(name) for name in self.left()], [os.path.basename(held), ".lock"])
        gpusort.room_in(str(self.folder))
        self.assertEqual(self.left(), [])


class Chunks(Scratch):
    room = plan.Room(2, 64 << 20)

    def texts(self, made: plan.Plan, o) -> list[bytes]:
        """What tasks read of each chunk."""
        found = []
        for c in made.chunks:
            if c.is_whole:
                found.append(b"".join(Path(f.url).read_bytes() for f in c.files))
                continue
            a, b = (records.first_from(c.files[0], at, o) for at in (c.begin, c.end))
            found.append(Path(c.files[0].url).read_bytes()[a:b])
        return found

    def test_every_record_is_in_one_chunk(self) -> None:
        chance = random.Random(SEED)
        for case in range(150):
            end = chance.choice([b"\n", b"\0"])
            size = chance.choice([0, 0, 3, 7])
            words = [f"--chunk={chance.randrange(1, 60)}", *(["-z"] if end == b"\0" else [])]
            names, whole = [], b""
            for i in range(chance.randrange(1, 4)):
                if size:
                    text = chance.randbytes(size * chance.randrange(0, 50))
                else:
                    text = b"".join(b"x" * chance.randrange(0, 90) + end for _ in range(chance.randrange(9)))
                    text += b"rest" * chance.randrange(2)
                names.append(self.file(f"{case}.{i}", text))
                whole += text
            o, _ = parse_sort(words + ([f"--record-size={size}"] if size else []))
            got = self.texts(plan.make(names, o, self.room), o)
            self.assertEqual(b"".join(got), whole)
            for text, after in zip(got, got[1:]):
                if text and after and not size:
                    self.assertIn(text[-1:], (end, b"t"), f"seed {SEED}, case {case}")
                self.assertEqual(len(text) % size if size else 0, 0)

    def test_a_header_is_in_no_chunk(self) -> None:
        a = self.file("a", b"head\n" + b"%d\n" * 50 % tuple(range(50)))
        o, _ = parse_sort(["--header", "--chunk=40"])
        made = plan.make([a], o, self.room)
        self.assertEqual(made.header_bytes, 5)
        self.assertEqual(b"".join(self.texts(made, o)), (self.folder / "a").read_bytes()[5:])

    def test_a_quoted_header(self) -> None:
        text = b'"a\n""b""",c\n1,2\n'
        o, _ = parse_sort(["--csv"])
        self.assertEqual(records.header_bytes(self.file("q", text), o), 12)
        o, _ = parse_sort(["--csv", "--no-quotes"])
        self.assertEqual(records.header_bytes(self.file("q", text), o), 3)

    def test_small_files_are_grouped_and_tables_stay_whole(self) -> None:
        small = [self.file(f"s{i}", b"line\n") for i in range(1000)]
        o, _ = parse_sort(["--chunk=1000"])
        self.assertEqual(len(plan.make(small, o, self.room).chunks), 5)
        o, _ = parse_sort(["--csv", "--chunk=10"])
        self.assertEqual(len(plan.make([self.file("t", b"a,b\n" * 90)], o, self.room).chunks), 1)

    def test_too_many_pieces_and_ragged_records(self) -> None:
        a = self.file("a", b"line\n" * 1000)
        with self.assertRaisesRegex(Trouble, "pieces"):
            plan.make([a], parse_sort(["--chunk=5", "--parts=9999"])[0], self.room)
        with self.assertRaisesRegex(Trouble, "multiple"):
            plan.make([a], parse_sort(["--record-size=3"])[0], self.room)

    def test_a_sample_is_of_records(self) -> None:
        lines = [b"%d\n" % i for i in range(100_000)]
        a = self.file("a", b"".join(lines))
        o, _ = parse_sort([])
        got = records.sample(a, 0, a.bytes, 1000, o, SEED)
        self.assertTrue(set(got) <= set(lines))
        self.assertTrue(900 <= len(got) <= 1100, len(got))
        middle = sorted(int(g) for g in got)[len(got) // 2]
        self.assertTrue(40_000 < middle < 60_000, middle)


class WrittenFiles(Scratch):
    def test_whole_or_not_at_all(self) -> None:
        target = str(self.folder / "new" / "x")
        with files.Writer(target) as w:
            w.write(b"abc")
            self.assertFalse(os.path.exists(target))
            w.commit()
        self.assertEqual(files.read_whole(target), b"abc")
        with self.assertRaises(KeyError):
            with files.Writer(target) as w:
                w.write(b"other")
                raise KeyError
        self.assertEqual(files.read_whole(target), b"abc")
        self.assertEqual(files.names_in(str(self.folder / "new")), ["x"])

    def test_what_killed_writers_leave_is_known(self) -> None:
        for name in ("part-00000", "part-1234567", manifest.NAME):
            with files.Writer(str(self.folder / name)):
                left = files.names_in(str(self.folder))
                self.assertEqual((len(left), out_folder.left_of(left)), (1, left))
        names = ["part-00000", "part-0000", "part-00000.x", "part-r-00000", ".part-00000", manifest.NAME]
        self.assertEqual((out_folder.left_of(names), out_folder.parts_of(names)), ([], ["part-00000"]))

    def test_errors_name_the_file(self) -> None:
        with self.assertRaisesRegex(Trouble, "none: No such file"):
            files.look(str(self.folder / "none"))
        a = self.file("a", b"123")
        with self.assertRaisesRegex(Trouble, "ends at byte 3, before 5"):
            list(files.read_blocks(a.url, 0, 5))
        self.assertEqual(files.read_at(a.url, 1, 9), b"23")

    def test_folders_are_read_in_order(self) -> None:
        for name in ("b", "a", "c/d"):
            (self.folder / "in" / name).parent.mkdir(parents=True, exist_ok=True)
            self.file(f"in/{name}", b"x\n")
        found = [f.url[len(str(self.folder)) :] for f in files.expand(str(self.folder / "in"))]
        self.assertEqual(found, ["/in/a", "/in/b", "/in/c/d"])

    def test_what_cannot_be_looked_at_is_not_left_out(self) -> None:
        folder = self.folder / "in"
        (folder / "c").mkdir(parents=True)
        self.file("in/a", b"x\n")
        os.mkfifo(folder / "pipe")
        self.assertEqual(len(files.expand(str(folder))), 1)
        (folder / "c" / "broken").symlink_to(folder / "none")
        with self.assertRaisesRegex(Trouble, "in/c/broken: No such file"):
            files.expand(str(folder))
        # As one who is not root finds it.
        denied = PermissionError(errno.EACCES, "", str(folder / "c"))
        true_scan = os.scandir

        def scan(path: str) -> object:
            if path == str(folder / "c"):
                raise denied
            return true_scan(path)

        with mock.patch.object(os, "scandir", scan):
            with self.assertRaisesRegex(Trouble, "in/c: Permission denied"):
                files.expand(str(folder))


class Manifests(Scratch):
    VERSION = "gpusort 7"

    def made(self) -> tuple[manifest.Manifest, plan.Plan]:
        a = self.file("a", b"line\n" * 100)
        made = plan.make([a], parse_sort(["--chunk=100"])[0], Chunks.room)
        return manifest.Manifest.begin(str(self.folder), manifest.SORT, ["-n"], made, self.VERSION), made

    def test_comes_back_as_it_was(self) -> None:
        m, made = self.made()
        m.cut(3, b"\xff\0\n")
        m.add(1, 7, "abc")
        m.complete()
        again = manifest.Manifest.read(str(self.folder), manifest.SORT)
        again.check_same(["-n"], made, self.VERSION)
        self.assertEqual(again.splitters, b"\xff\0\n")
        self.assertEqual((again.done, again.parts, again.is_complete), ({1: (7, "abc")}, 3, True))
        self.assertEqual(again.plan.chunks, made.chunks)

    def test_another_job_is_refused(self) -> None:
        m, made = self.made()
        with self.assertRaisesRegex(Trouble, "other options"):
            m.check_same(["-r"], made, self.VERSION)
        b = self.file("a", b"line\n" * 101)
        with self.assertRaisesRegex(Trouble, "changed"):
            m.check_same(["-n"], plan.make([b], parse_sort([])[0], Chunks.room), self.VERSION)

    def test_another_gpusort_is_refused(self) -> None:
        """Parts of two versions may be in two orders."""
        m, made = self.made()
        with self.assertRaisesRegex(Trouble, "was begun with gpusort 7, and this is gpusort 8: .*--replace"):
            m.check_same(["-n"], made, "gpusort 8")

    def test_what_was_written_before_is_read(self) -> None:
        for format in (manifest.SORT, manifest.INDEX, manifest.INDEX_OF_TERMS):
            m, made = self.made()
            body = {**m._body, "format": format.replace(" 2", " 1")}
            del body["gpusort"]
            self.file(manifest.NAME, json.dumps(body).encode())
            again = manifest.Manifest.read(str(self.folder), format)
            self.assertEqual((again.kind, again.plan), (format, made))
            with self.assertRaisesRegex(Trouble, "does not name"):
                again.check_same(["-n"], made, self.VERSION)

    def test_waits_for_the_disk_only_with_parts_that_do(self) -> None:
        made = plan.make([self.file("a", b"line\n")], parse_sort([])[0], Chunks.room)
        for syncs in (False, True):
            with mock.patch("os.fsync", wraps=os.fsync) as waited:
                m = manifest.Manifest.begin(
                    str(self.folder), manifest.SORT, [], made, self.VERSION, syncs=syncs
                )
                m.complete()
                manifest.Manifest.read(str(self.folder), manifest.SORT, syncs=syncs).complete()
            self.assertEqual(waited.call_count, 3 if syncs else 0)

    def test_other_keys_come_with_another_format(self) -> None:
        """What there is in manifests of these formats, as a sum of all keys: who reads one
        takes it for what it was written as."""
        known = {("gpusort-ray sort 2", "gpusort-ray index 2", "gpusort-ray index by terms 2"): 2317842619}
        keys = set()
        for node in ast.walk(ast.parse(Path(manifest.__file__).read_text())):
            if isinstance(node, ast.Dict):
                keys.update(ast.literal_eval(key) for key in node.keys if key is not None)
            elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
                keys.add(node.slice.value)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                if node.func.attr in ("get", "setdefault", "pop") and isinstance(node.args[0], ast.Constant):
                    keys.add(node.args[0].value)
        keys = {key for key in keys if isinstance(key, str)}
        self.assertGreater(len(keys), 10)
        formats = (manifest.SORT, manifest.INDEX, manifest.INDEX_OF_TERMS)
        found = zlib.crc32(" ".join(sorted(keys)).encode())
        self.assertEqual(known.get(formats), found, f"other keys come with another format, and a line here: {found}, of {sorted(keys)}")

    def test_what_is_no_manifest(self) -> None:
        for text in (b"", b"[]", b'{"format": "other"}', b"{"):
            self.file(manifest.NAME, text)
            with self.assertRaisesRegex(Trouble, manifest.NAME):
                manifest.Manifest.read(str(self.folder), manifest.SORT)


class Formats(unittest.TestCase):
    """Of each format of documents it is known whether files of it may be cut at lines."""

    WHOLE = {"json", "csv", "trec", "warc", "text", "html", "tuples", "tuples-bin", "vectors"}

    ROOT = Path(__file__).resolve().parent.parent.parent

    def source(self) -> str:
        return (self.ROOT / "lib" / "index" / "text" / "document.c").read_text()

    def test_all_are_known(self) -> None:
        told = re.findall(r"Files of lines \(([^)]*)\)", (self.ROOT / "cmd" / "ray" / "README.md").read_text())
        self.assertEqual([set(lines.lower().split(", ")) for lines in told], [set(_LINES.values())])
        rows = re.findall(r'\[GS_FORMAT_\w+\] = \{\s*"([\w-]+)"', self.source())
        self.assertGreater(len(rows), 5)
        self.assertEqual(set(rows), self.WHOLE | set(_LINES.values()))

    def test_so_are_all_endings_of_lines(self) -> None:
        """A file whose ending is not known here would be one shard, whole."""
        rows = re.findall(r'\[GS_FORMAT_\w+\] = \{\s*"([\w-]+)",\s*\{([^}]*)\}', self.source())
        found = {end: name for name, ends in rows for end in re.findall(r'"\.(\w+)"', ends)}
        self.assertGreater(len(found), 10)
        self.assertEqual({end: name for end, name in found.items() if name in _LINES.values()}, _LINES)


class Phases(unittest.TestCase):
    """Each task of a job is in a phase of its own, and each phase that a job tells of is one
    in which the other tests let something die."""

    PACKAGE = Path(__file__).resolve().parent.parent.parent / "cmd" / "ray" / "gpusort_ray"

    def test_each_task_has_one(self) -> None:
        for path in sorted(self.PACKAGE.glob("*_job.py")):
            for function in ast.walk(ast.parse(path.read_text())):
                if not isinstance(function, ast.FunctionDef):
                    continue
                calls = [(node.lineno, node.func.attr) for node in ast.walk(function)
                         if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
                names = [name for _, name in sorted(calls) if name in ("phase", "task")]
                where = f"{path.name}: {function.name}: a phase before each task"
                self.assertEqual(names, ["phase", "task"] * (len(names) // 2), where)
            # What Ray runs is asked for by `task` of cluster.py, and no other way.
            self.assertNotIn("ray.remote(", path.read_text(), path.name)

    def test_all_are_met(self) -> None:
        here = Path(__file__).resolve().parent

        def killed_in(test: str) -> list[tuple[str, int]]:
            """The phases of its table, which it goes through, and after how many steps."""
            for line in ast.parse((here / f"{test}.py").read_text()).body:
                if isinstance(line, ast.Assign) and ast.unparse(line.targets[0]) == "_PHASES":
                    return list(ast.literal_eval(line.value))
            self.fail(f"{test} has no _PHASES")

        tests = {"sort_job": "test_ray_faults", "index_job": "test_ray_index", "terms_job": "test_ray_index"}
        self.assertEqual({path.stem for path in self.PACKAGE.glob("*_job.py")}, set(tests))
        for job, test in tests.items():
            text = (self.PACKAGE / f"{job}.py").read_text()
            phases = re.findall(r'\.phase\("(\w+)"', text)
            self.assertTrue(phases, job)
            self.assertEqual(text.count(".phase("), len(phases), f"{job}: a phase is named by a literal")
            phases = set(phases)
            self.assertLessEqual(phases, {phase for phase, _ in killed_in(test)}, test)
            if job == "sort_job":  # each also when there is something to lose, and each costs something
                self.assertLessEqual(phases, {phase for phase, step in killed_in(test) if step > 0}, test)
                self.assertLessEqual(phases, {*model.PHASES, *model.BESIDE}, "cmd/ray/model.py")

    def test_the_model_is_written(self) -> None:
        written = (self.PACKAGE.parent / "MODEL.md").read_text()
        self.assertEqual(written, model.page(), "cmd/ray/model.py > cmd/ray/MODEL.md")


if __name__ == "__main__":
    unittest.main()
