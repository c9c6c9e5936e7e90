#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The Python package, as its wheel has it: unpacked into a folder, compared with the command.

    tests/api/python.py WHEEL PROGRAM
"""

import array
import gzip
import inspect
import io
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import zipfile
from pathlib import Path
from typing import Callable

HERE = Path(__file__).resolve().parent
WHEEL, PROGRAM = (Path(a).resolve() for a in sys.argv[1:3])
SCRATCH = Path(tempfile.mkdtemp())
PACKAGE = SCRATCH / "package"
zipfile.ZipFile(WHEEL).extractall(PACKAGE)
sys.path.insert(0, str(PACKAGE))
os.chdir(SCRATCH)

import numpy  # noqa: E402

import gpusort  # noqa: E402
from gpusort import _join, _library, _order, _sort, _stream, _strings, _summary  # noqa: E402
from gpusort._library import ffi, lib  # noqa: E402

RANDOM = random.Random(7)


def write(name: str, lines: list[bytes]) -> str:
    Path(name).write_bytes(b"".join(line + b"\n" for line in lines))
    return name


def words(count: int) -> list[bytes]:
    return [b"w%d %d.%d" % (RANDOM.randrange(count), RANDOM.randrange(99), i % 7) for i in range(count)]


def script(text: str) -> bytes:
    """What a program says that has the package: one that may be interrupted, hang or crash.
    What a shell starts in the background ignores SIGINT, and with it all that it starts."""
    text = f"import gc, os, signal, sys, threading, time; sys.path.insert(0, {str(PACKAGE)!r})\nimport gpusort\n" + text
    text = text.replace("INTERRUPT_ONCE", """
may_interrupt = True
def interrupt(_):
    global may_interrupt
    if may_interrupt:
        may_interrupt = False
        os.kill(os.getpid(), signal.SIGINT)
""")
    done = subprocess.run([sys.executable, "-X", "faulthandler", "-c", text], capture_output=True, timeout=60,
                          preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))  # fmt: skip
    return done.stdout if done.returncode == 0 else b"%d: " % done.returncode + done.stderr


def command(*args: str) -> bytes:
    return subprocess.run([PROGRAM, *args], check=True, capture_output=True).stdout


class Names(unittest.TestCase):
    """What gpusort.h says of keys, the package knows by a letter; of numbers and failures,
    by a name."""

    def test_cases(self) -> None:
        """Each call that is public is made in this file, and typed_use.py has a line for it."""
        calls = []
        for name in gpusort.__all__:
            known = getattr(gpusort, name)
            if isinstance(known, type):
                calls += [n for n, of in vars(known).items() if not n.startswith("_") and
                          (callable(of) or isinstance(of, (classmethod, staticmethod)))]  # fmt: skip
            else:
                calls.append(name)
        calls = [c for c in calls if c != "fill"]  # of keys, for the package
        self.assertGreater(len(calls), 40)
        for file in ("python.py", "typed_use.py"):
            text = Path(HERE, file).read_text()
            self.assertEqual([c for c in calls if not re.search(rf"[.]{c}\b", text)], [], file)

    def test_exports(self) -> None:
        """What a module defines without an underscore is a name of the package, or is for
        another module, or is named here."""
        package = Path(gpusort.__file__).parent
        shared = {name.split(" as ")[0].strip()
                  for file in package.glob("_[a-z]*.py")
                  for names in re.findall(r"^from [.]_[a-z]+ import (\([^)]*\)|.*)", file.read_text(), re.M)
                  for name in names.strip("()").split(",")}  # fmt: skip
        of_one = {"StreamOptions", "String", "StringOptions", "JoinOptions"}
        modules = [of for of in vars(gpusort).values() if getattr(of, "__name__", "").startswith("gpusort._")]
        self.assertGreater(len(modules), 8)
        public = {name for module in modules for name, of in vars(module).items()
                  if not name.startswith("_") and getattr(of, "__module__", "") == module.__name__}  # fmt: skip
        self.assertGreater(len(public), 60)
        self.assertEqual(public - set(gpusort.__all__) - shared, of_one)

    def test_keys_as_text(self) -> None:
        self.assertEqual(gpusort.Key.parse("2,2n"), gpusort.Key(2, 0, 2, end_options="n"))
        self.assertEqual(gpusort.Key.parse("1.3b,1.5r"), gpusort.Key(1, 3, 1, 5, "b", "r"))
        self.assertEqual(gpusort.Key.parse("7"), gpusort.Key(7))
        for text in ("", "0", "1.0", "1x", "1,", ",2", "1,2,3", " 1", "1,2nz"):
            self.assertRaises(ValueError, gpusort.Key.parse, text)

    def test_options(self) -> None:
        """Each option that a call takes by its name is given in this file, and typed_use.py has it."""
        kinds = [of for module in (_join, _library, _order, _sort, _stream, _strings) for of in vars(module).values()
                 if isinstance(of, type) and hasattr(of, "__total__")]  # fmt: skip
        options = {name for kind in kinds for name in kind.__annotations__}
        self.assertGreater(len(options), 45)
        for file in ("python.py", "typed_use.py"):
            text = Path(HERE, file).read_text()
            self.assertEqual([n for n in sorted(options) if not re.search(rf"[ (]{n}=|\"{n}\":", text)], [], file)

    def test_generated_kinds(self) -> None:
        """The kinds and distributions of data stand where one looks for them."""
        for name_of in lib.gpusort_data_name, lib.gpusort_distribution_name:
            names = []
            while name := name_of(len(names)):
                names.append(ffi.string(name).decode())
            self.assertGreater(len(names), 6)
            self.assertEqual([n for n in names if f'"{n}"' not in gpusort.generate.__doc__], [])

    def test_numbers(self) -> None:
        self.assertEqual(members("gpusort_number"), {"GPUSORT_" + n.upper() for n in _order._numbers})

    def test_failures(self) -> None:
        self.assertEqual(members("gpusort_code"), {"GPUSORT_OK", *_library._exceptions})

    def test_kinds(self) -> None:
        self.assertEqual(members("gpusort_kind"), {"GPUSORT_BYTES", *_order._kinds.values()})

    def test_doc_ids(self) -> None:
        self.assertEqual(members("gpusort_doc_ids"), set(gpusort._index._doc_ids.values()))

    def test_flags(self) -> None:
        of_blanks = {"GPUSORT_SKIP_START_BLANKS", "GPUSORT_SKIP_END_BLANKS"}
        of_indexes = {"GPUSORT_UPDATE", "GPUSORT_NO_MERGE", "GPUSORT_TEXT_FIELDS_MAX"}
        of_indexes |= {"GPUSORT_SUMS_ONLY", "GPUSORT_POSITIONS", "GPUSORT_TERM_BYTES_MAX", "GPUSORT_REPLACE"}
        of_indexes |= {"GPUSORT_NO_ORDER", "GPUSORT_PARTS_MAX"}
        of_jobs = {"GPUSORT_NO_URING", "GPUSORT_ENDS_BY_PIPE", "GPUSORT_SPANS", "GPUSORT_SEED_BYTES"}
        of_json = {"GPUSORT_JSON_KEYS_MAX", "GPUSORT_JSON_DEPTH_MAX", "GPUSORT_JSON_NAME_BYTES_MAX"}
        of_joins = {"GPUSORT_TUPLE_BYTES_MAX", "GPUSORT_GPU_NAME_BYTES"}
        of_streams = {f"GPUSORT_{name}" for name in ("STEP_MIN", "STEP_MAX", "LEVELS_MAX", "NUMBER_BYTES", "BINS_MAX")}
        of_types = {name for type in ffi.list_types()[0] for name in members(type)}
        unnamed = {name for name in dir(lib) if isinstance(getattr(lib, name), int)} - of_types
        known = of_blanks | of_indexes | of_jobs | of_json | of_joins | of_streams
        self.assertEqual(unnamed, known | set(_order._flags.values()))

    def test_calls(self) -> None:
        """A call that the package does without is named here, with what does it instead."""
        names_only = {f"gpusort_{what}_name" for what in ("data", "distribution", "engine", "format", "index", "mapped", "tokenizer")}
        by_arrays = {"gpusort_sorter_get", "gpusort_stream_run", "gpusort_number_text"}
        by_many = {f"gpusort_{what}" for what in ("search", "search_count", "search_gather", "search_gathered", "index_lookups")}
        by_folder = {f"gpusort_deletion_{what}" for what in ("commit", "free", "names", "open")}
        of_command = {f"gpusort_stats_{what}" for what in ("free", "new", "read", "span")}
        of_command |= {"gpusort_abandon", "gpusort_index_count", "gpusort_index_dump", "gpusort_index_file"}
        of_command |= {"gpusort_join_band", "gpusort_key_locate", "gpusort_searcher_figures", "gpusort_index_merge_cuts"}
        calls = {name for name in dir(lib) if name.startswith("gpusort_")}
        self.assertGreater(len(calls), 60)
        without = names_only | by_arrays | by_many | by_folder | of_command
        self.assertEqual(calls - set(re.findall(r"\b_?lib\.(gpusort_\w+)", package_source())), without)

    def test_members(self) -> None:
        """What is asked of a job and the package does not pass on is named here."""
        tuned = {"batch_size", "keeps_packed", "method"}
        of_command = {"compress_program", "context", "has_zeros", "inputs_found", "right_is_first", "stats"}
        of_command |= {"as_json", "counts_only", "from_term", "is_exhaustive", "is_prefix", "joins_terms", "to_term"}
        by_many = {"asked", "next", "statistics", "stop"}
        without = {"output_level", "reserved", "sums_output"}
        asked = [name for name in ffi.list_types()[0] if name.endswith("_options")]
        self.assertGreater(len(asked), 9)
        asked += ["gpusort_job", "gpusort_order", "gpusort_key", "gpusort_byte_key", "gpusort_join_field"]
        wanted = {member for name in asked for member, _ in ffi.typeof(name).fields}
        self.assertGreater(len(wanted), 120)
        passed_on = set(re.findall(r"(?<=[.\"'])\w+|\b\w+(?==)", package_source()))
        self.assertEqual(wanted - passed_on, tuned | of_command | by_many | without)

    def test_matches(self) -> None:
        by_argument = _join._matches_by_argument
        names = {"GPUSORT_" + n.upper() for n in (*_join._matches, *by_argument)}
        self.assertEqual(members("gpusort_match"), names)
        write("numbers", [b"1", b"2"])
        # A match of a name only is asked for by that, and the library wants no more of it.
        for match in _join._matches:
            self.assertGreater(len(list(gpusort.join("numbers", "numbers", match=match))), 0, match)
        # Another one has an argument, which goes with none of a name but the default.
        samples = {"in_band": (0, 1)}
        self.assertEqual(samples.keys(), by_argument.keys())
        for match, argument in by_argument.items():
            options = {argument: samples[match]}
            self.assertGreater(len(list(gpusort.join("numbers", "numbers", **options))), 0, match)
            for name in _join._matches[1:]:
                with self.assertRaises(ValueError):
                    gpusort.join("numbers", "numbers", match=name, **options)
        self.assertEqual(members("gpusort_side"), {"GPUSORT_LEFT", "GPUSORT_RIGHT"})

    def test_what_is_told(self) -> None:
        """A name that an argument takes, and each argument of what has a list of them, stand where they are told of."""
        told = set(re.findall(r'"(\w+)"', gpusort.join.__doc__ or ""))
        self.assertLessEqual({*_join._ways, *_join._matches}, told)
        of_search = [set(inspect.signature(call).parameters) for call in (gpusort.Index.search, gpusort.Index.search_many)]
        self.assertEqual(of_search[0] - {"query"}, of_search[1] - {"queries"})
        told = set(re.findall(r"`(\w+)`", gpusort.Index.search.__doc__ or ""))
        self.assertLessEqual(of_search[0] - {"self", "query", "top"}, told)

    def test_streams(self) -> None:
        self.assertEqual(in_order("gpusort_statistic"), ["GPUSORT_" + n.upper() for n in _summary.statistics])
        self.assertEqual(in_order("gpusort_values"), ["GPUSORT_VALUES_" + n.upper() for n in _summary.types])
        named = set(re.findall(r'"(\w+)"', gpusort.Stream.__doc__ or ""))
        self.assertLessEqual({*_summary.statistics, *_summary.types, *_stream._hierarchies}, named)
        self.assertEqual(members("gpusort_aggregate"), {"GPUSORT_" + n.upper() for n in _summary._aggregates})
        self.assertEqual(members("gpusort_hierarchy"), set(_stream._hierarchies.values()))
        fields = {name for name, _ in ffi.typeof("gpusort_summary_info").fields}
        self.assertEqual(fields, {"size", *_summary.Info._fields})

    def test_notices(self) -> None:
        """The wheel carries the licence of each library that is linked into it."""
        asked = ["make", "-s", "--no-print-directory", "print-inside"]
        inside = subprocess.run(asked, cwd=HERE.parent.parent, check=True, capture_output=True, text=True).stdout.split()
        (notices,) = PACKAGE.glob("*.dist-info/licenses/NOTICES")
        of_each = re.split(r"^===== lib(\w+) =====\n", notices.read_text(), flags=re.M)[1:]
        self.assertEqual(of_each[::2], inside)
        for library, text in zip(of_each[::2], of_each[1::2]):
            self.assertRegex(text, r"(?i)copyright", library)
        script = HERE.parent.parent / "cmd/link/notices.sh"
        self.assertNotEqual(subprocess.run([script, "nosuch"], capture_output=True, check=False).returncode, 0)

    def test_forms(self) -> None:
        self.assertEqual(members("gpusort_form"), {"GPUSORT_" + n.upper() for n in _order._forms})


def turns_beside(call: Callable[[], object]) -> int:
    """How often this thread has its turn while another one is in the call."""
    turns = 0
    done = threading.Event()

    def work() -> None:
        call()
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.is_set():
        turns += 1
        time.sleep(0.001)
    thread.join()
    return turns


def package_source() -> str:
    return "".join(path.read_text() for path in Path(gpusort.__file__).parent.glob("*.py"))


def members(type_name: str) -> set[str]:
    type = ffi.typeof(type_name)
    return set(type.relements) if type.kind == "enum" else set()


def in_order(type_name: str) -> list[str]:
    """Of an enum whose values count from 0: what the package finds by them."""
    return [name for _, name in sorted(ffi.typeof(type_name).elements.items())]


class Sorting(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.lines = words(30000)
        write("in", cls.lines)

    def test_files_as_the_command(self) -> None:
        cases: list[tuple[dict, list[str]]] = [
            ({}, []),
            ({"keys": "2,2n"}, ["-k2,2n"]),
            ({"keys": ["2.1,2nr", "1.2,1"], "stable": True}, ["-s", "-k2.1,2nr", "-k1.2,1"]),
            ({"keys": gpusort.Key(2, options="b"), "unique": True}, ["-u", "-k2b"]),
            ({"delimiter": ".", "keys": ["2,2", "1,1V"]}, ["-t.", "-k2,2", "-k1,1V"]),
            ({"reverse": True, "top": 20, "header": 3}, ["-r", "--top=20", "--header=3"]),
            ({"counts": True, "memory": "8M"}, ["--count", "-S8M"]),
        ]
        for options, args in cases:
            with self.subTest(args):
                expected = command(*args, "in")
                self.assertIsNone(gpusort.sort("in", "out", **options))
                self.assertEqual(Path("out").read_bytes(), expected)
                with open("in2", "wb") as out, open("in", "rb") as source:
                    gpusort.sort(source, out, **options)
                self.assertEqual(Path("in2").read_bytes(), expected)
                self.assertEqual(b"".join(r + b"\n" for r in gpusort.sort(["in"], **options)), expected)

    def test_ways_to_the_same(self) -> None:
        expected = command("in")
        ways = [dict(sync=True), dict(verify=True), dict(mapped=True), dict(gpu_memory="64M"), dict(checkpoint="kept"),
                dict(engine="cpu", gpus=[0])]  # fmt: skip
        for options in ways:
            with self.subTest(options):
                gpusort.sort("in", "out", **options)
                self.assertEqual(Path("out").read_bytes(), expected)
                Path("out").unlink()
        gpusort.sort("in", "out.zst", compress=True)
        self.assertEqual(Path("out.zst").read_bytes()[:4], b"\x28\xb5\x2f\xfd")
        self.assertEqual(command("out.zst"), expected)
        gpusort.sort("in", "out", locale=True)
        self.assertEqual(Path("out").read_bytes(), command("--locale-order", "in"))

    def test_tables_and_json(self) -> None:
        write("t.csv", [b'name,size\n"a, b",10', b"c,9", b"b,100"])
        write("o.jsonl", [b'{"a": {"b": 10}}', b'{"a": {"b": 9}}'])
        size = gpusort.Key(path="size", options="nr")
        gpusort.sort("t.csv", "out", keys=size, form="csv")
        self.assertEqual(Path("out").read_bytes(), command("--csv", "-k", "size:nr", "t.csv"))
        gpusort.sort("o.jsonl", "out", keys=gpusort.Key(path=("a", "b"), options="n"), form="json")
        self.assertEqual(Path("out").read_bytes(), command("--jsonl-key=.a.b:n", "o.jsonl"))
        with self.assertRaisesRegex(ValueError, "no form"):
            gpusort.sort("o.jsonl", "out", form="xml")
        with self.assertRaises(gpusort.ArgumentError):
            gpusort.sort("t.csv", "out", keys=size, form="csv", header=0)

    def test_random_order(self) -> None:
        Path("seed").write_bytes(bytes(range(16)))
        gpusort.sort("in", "out", keys=gpusort.Key(options="R"), seed=bytes(range(16)))
        self.assertEqual(Path("out").read_bytes(), command("-R", "--random-source=seed", "in"))
        with self.assertRaisesRegex(ValueError, "16 bytes"):
            gpusort.sort("in", "out", seed=b"short")

    def test_merge_and_check(self) -> None:
        write("a", sorted(self.lines[:100]))
        write("b", sorted(self.lines[100:200]))
        gpusort.merge([Path("a"), "b"], "m")
        self.assertEqual(Path("m").read_bytes(), command("-m", "a", "b"))
        self.assertEqual(gpusort.check_order("m"), 0)
        write("bad", [b"a", b"c", b"b"])
        self.assertEqual(gpusort.check_order("bad"), 3)

    def test_a_function_gets_the_output(self) -> None:
        pieces: list[bytes] = []
        gpusort.sort("in", pieces.append, memory="4M", keys="2,2n")
        self.assertEqual(b"".join(pieces), command("-k2,2n", "in"))
        pieces.clear()
        gpusort.merge(["in"], pieces.append)
        self.assertEqual(b"".join(pieces), command("-m", "in"))
        pieces.clear()
        gpusort.join("in", "in", pieces.append, fields="0")
        self.assertEqual(b"".join(pieces), command("join", "-o0", "in", "in"))
        pieces.clear()
        gpusort.generate("lines", pieces.append, records=20000)
        self.assertEqual(b"".join(pieces), command("gen", "lines", "-n20000"))

        def fails(_: bytes) -> None:
            raise KeyError("mine")

        for call in (lambda: gpusort.sort("in", fails), lambda: gpusort.generate("lines", fails, records=9)):
            with self.assertRaisesRegex(KeyError, "mine"):
                call()
        with self.assertRaises(gpusort.ArgumentError):
            gpusort.sample("in", pieces.append, 10)

    def test_an_iterator_may_be_left(self) -> None:
        before = len(os.listdir("/proc/self/fd"))
        for _ in range(20):
            rows = gpusort.sort("in")
            self.assertEqual(next(rows), min(self.lines))
            rows.close()
        self.assertEqual(len(os.listdir("/proc/self/fd")), before)

    def test_strings(self) -> None:
        for strings in (
            [], [b""], self.lines, [b"a\0", b"a", b"\xff", b"", b"a\n", b"a"],
            ["", "z", "\u00e9", "e\u0301", "\U0001f600", "\ud800", "\uffff"] * 3,
            ["b\0", "b", "\0", "b\x01", ""], ["b\x01", "b", "\x01", ""], [b"b\x01", b"b", b"", b"\x01"], ["", ""],
        ):  # fmt: skip
            with self.subTest(strings[:3]):
                self.assertEqual(gpusort.sort_strings(strings), sorted(strings))
                self.assertEqual(gpusort.sort_strings(iter(strings), reverse=True), sorted(strings, reverse=True))
                order = gpusort.argsort_strings(strings, threads=3)
                self.assertEqual(list(order), sorted(range(len(strings)), key=strings.__getitem__))
        for wrong in ([1, 2], ["a", b"b"], ["a", 1]):
            with self.assertRaises(TypeError):
                gpusort.sort_strings(wrong)
        class Named(str):
            pass
        self.assertIs(type(gpusort.sort_strings([Named("b"), Named("a")])[0]), Named)

    def test_arrays_of_strings(self) -> None:
        few = [b"b\0c", b"b", b"", b"\xff", b"ab"] * 50
        for array in (
            numpy.array(self.lines), numpy.array([s.decode() + "\u00e9" for s in self.lines]),
            numpy.array(few), numpy.array(["\U0001f600", "\uffff", "a"] * 9), numpy.array([], dtype="S3"),
            numpy.array(self.lines[:500])[::3], numpy.array(["b", "a"]).astype(">U4"),
        ):  # fmt: skip
            with self.subTest(array.dtype):
                want, order = numpy.sort(array), numpy.argsort(array, kind="stable")
                numpy.testing.assert_array_equal(gpusort.argsort_strings(array), order)
                numpy.testing.assert_array_equal(gpusort.sort_strings(array), want)
                numpy.testing.assert_array_equal(gpusort.sort_strings(array, reverse=True), want[::-1])
                copy = array.copy()
                self.assertIs(gpusort.sort(copy), copy)
                numpy.testing.assert_array_equal(copy, want)
        objects = numpy.array(["b", "a", "c"], dtype=object)
        self.assertEqual(gpusort.sort_strings(objects).tolist(), ["a", "b", "c"])
        for wrong, kind in ((numpy.zeros(3), TypeError), (numpy.array([["a"]]), ValueError)):
            with self.assertRaises(kind):
                gpusort.sort_strings(wrong)
        with self.assertRaises(ValueError):
            locked = numpy.array([b"b", b"a"])
            locked.flags.writeable = False
            gpusort.sort(locked)

    def test_strings_of_arrow(self) -> None:
        try:
            import pyarrow
        except ImportError:
            self.skipTest("no pyarrow")
        text = [s.decode() for s in self.lines[:3000]]
        for kind in (pyarrow.string(), pyarrow.large_string(), pyarrow.binary(), pyarrow.large_binary()):
            array = pyarrow.array(text, type=kind)
            want = sorted(array.to_pylist())
            for made in (array, pyarrow.chunked_array([array[:7], array[7:]])):
                got = gpusort.sort_strings(made)
                self.assertEqual(got.to_pylist(), want)
                self.assertEqual(got.type, kind)
            self.assertEqual(gpusort.sort_strings(array[5:50]).to_pylist(), sorted(array[5:50].to_pylist()))
            self.assertEqual(len(gpusort.sort_strings(array[:0])), 0)
        with self.assertRaises(ValueError):
            gpusort.sort_strings(pyarrow.array(["a", None]))
        with self.assertRaises(TypeError):
            gpusort.sort_strings(pyarrow.array([1]))

    def test_strings_of_polars(self) -> None:
        try:
            import polars
            import pyarrow  # noqa: F401
        except ImportError:
            self.skipTest("no polars, or no pyarrow")
        text = [s.decode() for s in self.lines[:3000]] + ["\u00e9", "", "z" * 40]
        series = polars.Series("words", text)
        for reverse in (False, True):
            got = gpusort.sort_strings(series, reverse=reverse)
            self.assertIsInstance(got, polars.Series)
            self.assertEqual((got.name, got.to_list()), ("words", sorted(text, reverse=reverse)))
        self.assertEqual(series.to_list(), text)
        order = sorted(range(len(text)), key=text.__getitem__)
        self.assertEqual(gpusort.argsort_strings(series).tolist(), order)
        for wrong, kind in ((polars.Series(["a", None]), ValueError), (polars.Series([1]), TypeError)):
            with self.assertRaises(kind):
                gpusort.sort_strings(wrong)

    def test_records(self) -> None:
        expected = sorted(self.lines)
        self.assertEqual(list(gpusort.sort_records(self.lines)), expected)
        self.assertEqual(list(gpusort.sort_records(iter(self.lines), memory="4M")), expected)
        fixed = [os.urandom(12) for _ in range(5000)]
        key = gpusort.ByteKey(4, 4, "unsigned")
        with gpusort.Sorter(record_bytes=12, keys=key, stable=True) as s:
            s.put_text(b"".join(fixed[:100]))
            s.put_many(fixed[100:])
            self.assertEqual(list(s), sorted(fixed, key=lambda r: int.from_bytes(r[4:8], "little")))
        self.assertEqual(list(gpusort.sort_records([])), [])

    def test_what_is_no_record(self) -> None:
        """It is refused at once, and the others stay."""
        with gpusort.Sorter() as s:
            for record in (b"b", b"two\nlines", b"\n", "text", 7, b"a"):
                if isinstance(record, bytes) and b"\n" not in record:
                    s.put(record)
                    continue
                with self.assertRaises(ValueError if isinstance(record, bytes) else TypeError):
                    s.put(record)  # type: ignore[arg-type]
            self.assertEqual(list(s), [b"a", b"b"])
        with gpusort.Sorter(record_bytes=4) as s:
            with self.assertRaisesRegex(ValueError, "4 bytes"):
                s.put_many([b"four", b"fiveb", b"thr"])
            self.assertEqual(list(s), [b"four"])
        with gpusort.Sorter(zero_terminated=True) as s:
            with self.assertRaisesRegex(ValueError, "line end"):
                s.put(b"a\0b")
            s.put(b"a\nb")
            self.assertEqual(list(s), [b"a\nb"])

    def test_records_behind_text_that_is_cut(self) -> None:
        """They are no rest of it, and the next ones no rest of theirs."""
        for put in ("put", "put_many"):
            with gpusort.Sorter() as s:
                s.put_text(b"d\nb")
                s.put(b"c") if put == "put" else s.put_many([b"c", b"f"])
                s.put_text(b"a")
                s.put_text(b"a\n")
                s.put(b"e")
                self.assertEqual(list(s), [b"aa", b"b", b"c", b"d", b"e"] + [b"f"] * (put == "put_many"))
        with gpusort.Sorter(zero_terminated=True) as s:
            s.put_text(b"b")
            s.put_text(b"")
            s.put(b"c")
            self.assertEqual(list(s), [b"b", b"c"])
        with gpusort.Sorter(record_bytes=2) as s:
            s.put(b"ef")
            s.put_text(b"ghb")
            for put_one in (s.put, lambda record: s.put_many([record])):
                with self.assertRaisesRegex(ValueError, "1 of 2 bytes"):
                    put_one(b"cd")
            s.put_text(b"a")
            s.put_many([b"cd", b"ij"])
            self.assertEqual(list(s), [b"ba", b"cd", b"ef", b"gh", b"ij"])

    def test_a_record_that_changes_later(self) -> None:
        again = bytearray(2)
        with gpusort.Sorter() as s:
            for word in (b"bb", b"aa", b"cc"):
                again[:] = word
                s.put(again)
            s.put(memoryview(again))  # type: ignore[arg-type]
            again[:] = b"no"
            self.assertEqual(list(s), [b"aa", b"bb", b"cc", b"cc"])

    def test_a_fork_leaves_a_sorter_alone(self) -> None:
        said = script("""
s = gpusort.Sorter()
s.put(b"b")
s.put_text(b"a\\n")
if os.fork() == 0:
    signal.alarm(20)
    for use in (lambda: s.put_text(b"child\\n"), lambda: list(s)):
        try: use()
        except ValueError as e: print(e, flush=True)
    s.close()
    os._exit(0)
print(os.wait()[1], list(s))
""")
        refused = b"the sorter is of the process that has forked this one\n"
        self.assertEqual(said, 2 * refused + b"0 [b'a', b'b']\n")

    def test_names_have_no_zeros(self) -> None:
        for wrong in (
            lambda: gpusort.sort("in", "zero\0.txt"), lambda: gpusort.sort("in\0", "zero"),
            lambda: gpusort.sort(b"in\0", "zero"), lambda: gpusort.sort("in", "zero", temp="/tmp\0"),
            lambda: gpusort.sort([0, "in\0"], "zero"), lambda: gpusort.sort("in", "zero", engine="cpu\0x"),
            lambda: gpusort.Index("idx\0"), lambda: gpusort.Index.delete("idx", ["a\0b"]),
        ):  # fmt: skip
            with self.assertRaisesRegex(ValueError, "zero|null"):
                wrong()
        self.assertFalse(Path("zero").exists())

    def test_files_of_python(self) -> None:
        """They live as long as they are read, and begin where Python stands."""
        write("three", [b"b", b"c", b"a"])
        self.assertEqual(script("print(list(gpusort.sort(open('three', 'rb'))))"), b"[b'a', b'b', b'c']\n")
        left = [b"a", b"c"]
        for opened in (open("three", "rb"), open("three", "r+b"), open("three"), open("three", "rb", buffering=0)):
            with opened:
                self.assertEqual(len(opened.readline()), 2)
                self.assertEqual(list(gpusort.sort(opened)), left)
        for made in (tempfile.NamedTemporaryFile(), tempfile.TemporaryFile(), tempfile.SpooledTemporaryFile()):
            with made:
                made.write(b"b\nc\na\n")
                made.seek(2)
                self.assertEqual(list(gpusort.sort(made)), left)
                made.seek(0, 2)
                self.assertEqual(list(gpusort.sort(made)), [])
        Path("three.gz").write_bytes(gzip.compress(Path("three").read_bytes()))
        with gzip.open("three.gz") as packed:
            self.assertEqual(list(gpusort.sort(packed)), [b"a", b"b", b"c"])
            packed.readline()
            with self.assertRaisesRegex(ValueError, "three.gz"):
                gpusort.sort(packed)
            with self.assertRaisesRegex(ValueError, "three.gz"):
                gpusort.sort(io.BufferedReader(packed))

    def test_files_and_descriptors_in_turn(self) -> None:
        """Equal lines stay as they came, whatever they came in."""
        for name in "abcd":
            write(name, [b"x " + name.encode()])
        before = len(os.listdir("/proc/self/fd"))
        with open("b", "rb") as b, open("d", "rb") as d:
            fd = os.open("c", os.O_RDONLY)
            for inputs, names in (
                (["a", b, fd, "d"], b"abcd"), ([b, "a", d.fileno(), Path("c")], b"badc"), ([d, b"a"], b"da"),
            ):  # fmt: skip
                rows = list(gpusort.sort(inputs, keys="1,1", stable=True))
                self.assertEqual(b"".join(row[2:] for row in rows), names)
                gpusort.sort(inputs, "out", keys="1,1", stable=True)
                self.assertEqual(Path("out").read_bytes(), b"".join(row + b"\n" for row in rows))
            os.close(fd)
            with self.assertRaises(FileNotFoundError):
                gpusort.sort([b, "nowhere"], "out")
        self.assertEqual(len(os.listdir("/proc/self/fd")), before)

    def test_failures(self) -> None:
        with self.assertRaisesRegex(gpusort.IOFailure, "nowhere") as e:
            gpusort.sort("nowhere", "out")
        self.assertIsInstance(e.exception, OSError)
        self.assertEqual((e.exception.errno, e.exception.code), (2, "IO"))
        with self.assertRaisesRegex(gpusort.Error, "nowhere"):
            list(gpusort.sort("nowhere"))
        with self.assertRaises(gpusort.ArgumentError):
            gpusort.sort("in", "out", engine="no such engine")
        with self.assertRaises(gpusort.ArgumentError):
            gpusort.sort(numpy.arange(9), engine="no such engine")
        for wrong in ({"keys": "0"}, {"keys": "1,2x"}, {"keys": "1nM"}, {"memory": "many"}, {"delimiter": "ab"}):
            with self.subTest(wrong), self.assertRaises(ValueError):
                gpusort.sort("in", "out", **wrong)
        with self.assertRaisesRegex(TypeError, "colour"):
            gpusort.sort("in", "out", colour="red")
        Path("full").symlink_to("/dev/full")
        with self.assertRaises(OSError) as e:
            gpusort.sort("in", "full")
        self.assertEqual(e.exception.errno, 28)


class Long(unittest.TestCase):
    """Calls that take their time."""

    @classmethod
    def setUpClass(cls) -> None:
        command("gen", "lines", "--bytes=300M", "-o", "long")

    def test_progress_and_its_failures(self) -> None:
        seen: list[gpusort.Progress] = []
        gpusort.sort("long", "out", progress=seen.append, memory="64M")
        self.assertTrue(seen)
        self.assertGreater(seen[-1].input_bytes_total, 290 << 20)
        self.assertEqual([p.input_bytes for p in seen], sorted(p.input_bytes for p in seen))

        def fails(_: object) -> None:
            raise KeyError("mine")

        Path("out").unlink()
        with self.assertRaisesRegex(KeyError, "mine"):
            gpusort.sort("long", "out", progress=fails)
        with self.assertRaises(gpusort.Cancelled):
            gpusort.sort("long", "out", progress=lambda _: True)
        self.assertFalse(Path("out").exists())
        said: list[tuple[str, str]] = []
        gpusort.sort("long", "out", memory="64M", log=lambda *what: said.append(what))
        self.assertTrue(any(level == "info" for level, _ in said), said)

    def test_the_lock_is_left_alone(self) -> None:
        turns = turns_beside(lambda: gpusort.sort("long", "out2", threads=1))
        self.assertGreater(turns, 20)

    def test_ctrl_c(self) -> None:
        said = script("""INTERRUPT_ONCE
try: gpusort.sort("long", "never", threads=1, memory="32M", progress=interrupt)
except KeyboardInterrupt: print("stopped")
""")
        self.assertEqual(said, b"stopped\n")
        self.assertFalse(Path("never").exists())

    def test_ctrl_c_leaves_memory_alone(self) -> None:
        """The call is over when the exception comes, and who keeps that keeps no view."""
        said = script("""INTERRUPT_ONCE
import numpy
def fail(_): raise KeyError
def stop(job, thing, progress):
    global may_interrupt
    may_interrupt = True
    try: job(thing, threads=1, progress=progress)
    except (KeyboardInterrupt, KeyError) as e: kept = e
    print(type(kept).__name__, flush=True)
numbers = numpy.random.default_rng(1).integers(0, 1 << 60, 8_000_000, dtype="u8")
strings = numpy.arange(2_000_000).astype("S8")
for progress in (interrupt, fail):
    stop(gpusort.sort, numbers, progress)
    copy = numbers.copy()
    time.sleep(0.1)
    assert (numbers == copy).all()
    stop(gpusort.argsort_strings, strings, progress)
    gc.collect()
print("fine")
""")
        self.assertEqual(said, 2 * b"KeyboardInterrupt\n" + 2 * b"KeyError\n" + b"fine\n")

    def test_ctrl_c_while_nothing_comes(self) -> None:
        os.mkfifo("idle")
        said = script("""
r, w = os.pipe()
def late(_): threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
signal.setitimer(signal.ITIMER_REAL, 30)
for inputs in ("idle", [r], ["long", r]):
    for sort in (lambda: gpusort.sort(inputs, "never"), lambda: list(gpusort.sort(inputs))):
        late(0)
        try: sort()
        except KeyboardInterrupt: print("stopped")
""")
        self.assertEqual(said, 6 * b"stopped\n")
        self.assertFalse(Path("never").exists())

    def test_ctrl_c_while_records_are_sorted(self) -> None:
        said = script("""INTERRUPT_ONCE
def interrupt_who_waits(_):
    frame = sys._current_frames()[threading.main_thread().ident]
    while frame is not None and frame.f_code.co_name != "run": frame = frame.f_back
    if frame is not None: interrupt(_)
s = gpusort.Sorter(threads=1, progress=interrupt_who_waits)
with open("long", "rb") as long: s.put_text(long.read(100 << 20))
try: next(iter(s))
except KeyboardInterrupt: pass
try: list(s)
except gpusort.Cancelled: print("stopped")
""")
        self.assertEqual(said, b"stopped\n")

    def test_ctrl_c_while_nobody_reads(self) -> None:
        """Whoever insists need not wait for that."""
        write("small", words(30000))
        said = script("""
r, w = os.pipe()
for seconds in (0.2, 1.6, 3, 5): threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)).start()
try: gpusort.sort("small", w)
except KeyboardInterrupt: print("stopped", flush=True)
os._exit(0)
""")
        self.assertEqual(said, b"stopped\n")


class Arrays(unittest.TestCase):
    def test_every_type(self) -> None:
        random = numpy.random.default_rng(3)
        for kind in ("u4", "i4", "u8", "i8", "f4", "f8"):
            for count in (0, 1, 2, 1000, 300000):
                with self.subTest(kind=kind, count=count):
                    a = random.integers(0, 1 << 31, count).astype(kind)
                    a = -a if kind[0] != "u" else a
                    expected = numpy.sort(a)
                    self.assertIs(gpusort.sort_array(a) if len(a) % 2 else gpusort.sort(a), a)
                    self.assertTrue((a == expected).all())
        nan = numpy.array([1, numpy.nan, -numpy.inf, 0.5])
        gpusort.sort(nan)
        self.assertEqual(nan.tolist()[:3], [-numpy.inf, 0.5, 1])
        self.assertTrue(numpy.isnan(nan[3]))

    def test_what_is_not_sorted(self) -> None:
        a = numpy.arange(10, dtype="u8")
        a.flags.writeable = False
        for wrong in (a, numpy.arange(10, dtype=">u8"), numpy.arange(10, dtype="u2"), numpy.zeros((2, 2)),
                      numpy.arange(10.0)[::2]):  # fmt: skip
            with self.subTest(wrong.dtype), self.assertRaises((TypeError, ValueError, BufferError)):
                gpusort.sort(wrong)


class Parts(unittest.TestCase):
    def test_as_the_command(self) -> None:
        write("parted", [f"{i * 7919 % 4001} {i}".encode() for i in range(5000)])
        told = command("check", "--json", "-k1,1n", "--no-order", "parted").decode()
        of_all = gpusort.survey("parted", keys="1,1n", order=False)
        self.assertIn(f'"records": {of_all.records},', told)
        self.assertIn(f'"checksum": "{of_all.checksum}"', told)
        self.assertEqual(gpusort.survey("parted", keys="1,1n").first_disorder, 3)
        taken = gpusort.sample("parted", "cuts", 1000, parts=3, seed=7, keys="1,1n")
        command("sample", "--splitters=3", "-n1000", "--seed=7", "-k1,1n", "-o", "cuts2", "parted")
        self.assertEqual(Path("cuts").read_bytes(), Path("cuts2").read_bytes())
        self.assertEqual(taken.seen, 5000)
        parts = gpusort.partition("parted", "p", "cuts", keys="1,1n")
        self.assertEqual([p.bytes for p in parts], [Path(f"p.000{i}").stat().st_size for i in range(3)])
        whole = b"".join(Path(f"p.000{i}").read_bytes() for i in range(3))
        self.assertEqual(whole, command("sort", "-k1,1n", "parted"))
        for packed in (False, True):
            framed = gpusort.partition("parted", "framed", "cuts", keys="1,1n", framed=True, packed=packed)
            self.assertEqual(framed, parts)
            self.assertEqual(gpusort.unframe("framed", "q"), parts)
            self.assertEqual(b"".join(Path(f"q.000{i}").read_bytes() for i in range(3)), whole)
            self.assertEqual(gpusort.unframe("framed", "only", part=1), parts[1:2])
            self.assertEqual(Path("only").read_bytes(), Path("p.0001").read_bytes())
        damaged = bytearray(Path("framed").read_bytes())
        damaged[len(damaged) // 2] ^= 1
        Path("framed").write_bytes(damaged)
        with self.assertRaises(gpusort.FormatError):
            gpusort.unframe("framed", "q")
        with self.assertRaises(OSError):
            gpusort.survey("nothing")
        with self.assertRaises(gpusort.ArgumentError):
            gpusort.sample("parted", "cuts", 0)

    def test_of_a_shuffle(self) -> None:
        """Cut where one sort of that seed is, which another seed would not give."""
        write("parted", [b"%d" % i for i in range(5000)])
        for seed in (b"seed" * 4, b"some" * 4):
            gpusort.sample("parted", "cuts", 1000, parts=3, keys="1R", order_seed=seed)
            gpusort.partition("parted", "s", "cuts", keys="1R", seed=seed)
            whole = b"".join(Path(f"s.000{i}").read_bytes() for i in range(3))
            gpusort.sort("parted", "shuffled", keys="1R", seed=seed)
            self.assertEqual(whole, Path("shuffled").read_bytes())
            self.assertLess(max(Path(f"s.000{i}").stat().st_size for i in range(3)), len(whole) / 2)


class Joins(unittest.TestCase):
    def test_as_the_command(self) -> None:
        write("left", [f"{i * 7919 % 997} l{i}".encode() for i in range(2000)])
        write("right", [f"r{i} {i * 31 % 1500}".encode() for i in range(1000)])
        cases: list[tuple[dict, list[str]]] = [
            ({"on": (1, 2)}, []),
            ({"how": "outer", "fields": "0,1.2,2.1", "filler": "-", "on": (1, 2)},
             ["-a1", "-a2", "-o0,1.2,2.1", "-e-"]),
            ({"how": "left", "on": (1, 2)}, ["-a1"]),
            ({"how": "right", "on": (1, 2)}, ["-a2"]),
            ({"how": "semi", "on": (1, 2)}, ["--semi"]),
            ({"how": "anti", "on": (1, 2), "memory": "4M"}, ["--anti", "-S4M"]),
            ({"how": "right_anti", "on": (1, 2), "fields": "auto"}, ["-v2", "-oauto"]),
            ({"band": (-1, 0.5), "on": (1, 2)}, ["--band=-1:0.5"]),
            ({"band": (990, None), "on": (1, 2)}, ["--band=990:"]),
            ({"match": "greater", "how": "semi", "on": (1, 2)}, ["--semi", "--gt"]),
            ({"ignore_case": True, "on": (1, 2)}, ["-i"]),
        ]  # fmt: skip
        self.assertEqual({options.get("how", "inner") for options, _ in cases}, set(_join._ways))
        for options, args in cases:
            with self.subTest(args):
                expected = command("join", "-2", "2", *args, "left", "right")
                self.assertNotEqual(expected, b"")
                self.assertIsNone(gpusort.join("left", "right", "out", **options))
                self.assertEqual(Path("out").read_bytes(), expected)
                with open("left", "rb") as left:
                    lines = list(gpusort.join(left, "right", **options))
                self.assertEqual(b"".join(line + b"\n" for line in lines), expected)

    def test_tables(self) -> None:
        write("t1.csv", [b"id,what", b'1,"a, b"', b"2,c"])
        write("t2.csv", [b"n,key", b'x,"2"'])
        joined = gpusort.join("t1.csv", "t2.csv", on=("id", "key"), form="csv")
        self.assertEqual(list(joined), [b"id,what,n", b"2,c,x"])
        with self.assertRaises(gpusort.FormatError):
            gpusort.join("t1.csv", "t2.csv", "out", on="id", form="csv")

    def test_tuples(self) -> None:
        Path("b1").write_bytes(bytes([7, 0, 65, 1, 0, 66]))
        Path("b2").write_bytes(bytes([1, 7]))
        tuples = [gpusort.ByteKey(0, 2, "unsigned"), gpusort.ByteKey(2, 1)], [gpusort.ByteKey(0, 1, "unsigned")]
        gpusort.join("b1", "b2", "out", tuples=tuples)
        self.assertEqual(Path("out").read_bytes(), bytes([1, 0, 66, 7, 0, 65]))
        self.assertEqual(list(gpusort.join("b1", "b2", tuples=tuples, text=True)), [b"1 B", b"7 A"])
        with self.assertRaises(TypeError):
            gpusort.join("b1", "b2", tuples=tuples)
        padded = bytes([7, 0, 65, 0, 1, 0, 66, 0, 5, 0, 67, 0])
        Path("b1").write_bytes(padded)
        sizes = (4, 1)
        joined = gpusort.join("b1", "b2", tuples=tuples, tuple_sizes=sizes, text=True)
        self.assertEqual(list(joined), [b"1 B", b"7 A"])
        with self.assertRaises(ValueError):
            gpusort.join("b1", "b2", "out", tuples=tuples[:1])

    def test_failures(self) -> None:
        write("left", [b"a"])
        for wrong in ({"how": "cross"}, {"match": "near"}, {"fields": "3.1"}, {"fields": "1.0"}, {"fields": "1.00"}, {"on": 0},
                      {"on": (1, 2, 3)}, {"band": (2, 1)}, {"band": (0, 1), "match": "less"}, {"keys": "1"},
                      {"on": "name"}, {"skip_bad": True}, {"engine": "gpu"}):  # fmt: skip
            with self.subTest(wrong), self.assertRaises((ValueError, gpusort.GPUError)):
                gpusort.join("left", "left", "out", **wrong)
        with self.assertRaises(OSError):
            gpusort.join("left", "nothing", "out")


class Machines(unittest.TestCase):
    def test_as_the_command(self) -> None:
        told = command("device").decode()
        here = gpusort.machine()
        self.assertIn(f"cores       {here.cores} of", told)
        self.assertIn(f"memory      {here.memory_bytes / 2**20:.0f} MiB in all", told)
        self.assertIn(f"{here.threads} threads without --parallel", told)
        self.assertIn("I/O         " + (here.uring_refusal and "threads, because" or "io_uring"), told)
        self.assertIn("CUDA " + ("" if here.has_cuda else "not ") + "compiled in", told)
        self.assertEqual([gpu.number for gpu in gpusort.gpus()], list(range(here.gpus)))
        for name, c_name in (("Machine", "machine"), ("GPU", "gpu")):
            fields = {field for field, _ in ffi.typeof(f"gpusort_{c_name}").fields}
            self.assertEqual(fields, {"size", *getattr(gpusort, name)._fields})

    def test_data_as_the_command(self) -> None:
        cases: list[tuple[str, dict, list[str]]] = [
            ("lines", {"records": 500}, ["-n500"]),
            ("lines", {"bytes": 9000, "line_bytes": (0, 3), "alphabet": "xyz", "seed": 0, "threads": 1},
             ["--bytes=9000", "--min-len=0", "--max-len=3", "--alphabet=xyz", "--seed=0"]),
            ("tuples", {"records": 50, "binary": True, "documents": 9, "documents_ascend": True},
             ["-n50", "--binary", "--docs=9", "--ascending-docs"]),
            ("docs", {"records": 9, "tabs": True, "document_words": 5}, ["-n9", "--format=tsv", "--doc-words=5"]),
            ("u64", {"records": 90, "distribution": "zipf", "exponent": 0.7, "distinct": 40},
             ["-n90", "--dist=zipf", "--exponent=0.7", "--distinct=40"]),
            ("records", {"records": 5, "text": True, "first_record": 7}, ["-n5", "-a", "--begin=7"]),
            ("u32", {"records": 0}, ["-n0"]),
        ]  # fmt: skip
        for kind, options, args in cases:
            with self.subTest(kind, args=args):
                gpusort.generate(kind, "test-data", **options)
                expected = command("gen", kind, *args)
                self.assertEqual(Path("test-data").read_bytes(), expected)
                gpusort.generate(kind, b"test-data", **options)
                self.assertEqual(Path("test-data").read_bytes(), expected)
                with open("test-data-2", "wb") as out:
                    out.write(b"before")
                    gpusort.generate(kind, out, **options)
                self.assertEqual(Path("test-data-2").read_bytes(), b"before" + expected)
        for wrong in ({}, {"records": 1, "distribution": "normal"}, {"records": 1, "alphabet": "aa"}):
            with self.assertRaises(ValueError):
                gpusort.generate("lines", "never", **wrong)
        with self.assertRaises(gpusort.Cancelled):
            gpusort.generate("lines", "never", records=1 << 40, progress=lambda p: p.output_bytes > 0)
        self.assertFalse(Path("never").exists())


class Streams(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        random = numpy.random.default_rng(5)
        cls.numbers = random.integers(-5000, 5000, 60000) / 8
        cls.texts = [b"word%d" % (w * w // 7) for w in random.integers(0, 60, 20000)]
        cls.addresses = [b"10.%d.%d.%d" % tuple(a) for a in random.integers(0, (3, 90, 9), (20000, 3))]
        write("numbers", [b"%g" % n for n in cls.numbers])
        write("stream-texts", cls.texts)
        write("addresses", cls.addresses)
        cls.numbers.tofile("binary")

    def quantiles(self, summary: gpusort.Summary) -> bytes:
        phis = (0, 0.01, 0.5, 0.9, 1)
        return b"".join(b"%g\t%s\n" % (phi, number_text(v)) for phi, v in zip(phis, summary.quantiles(phis)))

    def frequent(self, summary: gpusort.Summary, support: float) -> bytes:
        return b"".join(b"%s\t%d\n" % (text_of(c.value), c.count) for c in summary.frequent(support))

    def test_quantiles_as_the_command(self) -> None:
        args = ("stats", "quantile", "--phi=0,0.01,0.5,0.9,1")
        cases: list[tuple[dict, list[str]]] = [
            ({}, []), ({"eps": 0.01}, ["--eps=0.01"]), ({"exact": True, "memory": "8M"}, ["--exact"]),
            ({"window": 7000}, ["--window=7000"]), ({"values": "i64", "skip_bad": True}, ["--type=i64", "--skip-bad"]),
        ]  # fmt: skip
        for options, more in cases:
            with self.subTest(more):
                expected = command(*args, *more, "numbers")
                with gpusort.summarize("numbers", **options) as summary:
                    self.assertEqual(self.quantiles(summary), expected)
                    self.assertTrue(summary.info.is_end)
                with open("numbers", "rb") as file, gpusort.Stream(**options) as stream:
                    while piece := file.read(10007):
                        stream.put_text(piece)
                    self.assertEqual(self.quantiles(stream.end()), expected)
                    if "skip_bad" in options:
                        self.assertEqual(stream.bad, sum(n != int(n) for n in self.numbers.tolist()))
                        continue
                binary = gpusort.summarize(self.numbers, **options)
                self.assertEqual(self.quantiles(binary), expected)
                with open("binary", "rb") as file:
                    self.assertEqual(self.quantiles(gpusort.summarize(file, binary=True, **options)), expected)
                with gpusort.Stream(binary=True, **options) as stream:
                    for i in range(0, len(self.numbers), 777):
                        some = self.numbers[i : i + 777]
                        stream.put_numbers(some if i % 2 else some.tolist())
                    self.assertEqual(self.quantiles(stream.ask()), expected)
                    self.assertEqual(self.quantiles(stream.end()), expected)

    def test_types_of_arrays(self) -> None:
        for dtype in ("f4", "f8", ">f8", "i1", "i4", "i8", "u2", "u4", "u8"):
            whole = numpy.arange(100).astype(dtype)
            for some in (whole, whole[::3], whole[:0]):
                with self.subTest(dtype=dtype, count=len(some)), gpusort.summarize(some) as summary:
                    self.assertEqual(summary.info.seen, len(some))
                    if len(some):
                        self.assertEqual(summary.quantile(1), int(some[-1]))
                        self.assertIsInstance(summary.quantile(1), float if "f" in dtype else int)
        largest = numpy.array([(1 << 64) - 1], dtype="u8")
        self.assertEqual(gpusort.summarize(largest).quantile(0.5), (1 << 64) - 1)
        self.assertEqual(gpusort.summarize(numpy.array([-(1 << 63)])).quantile(0.5), -(1 << 63))
        with gpusort.Stream(values="u32", binary=True) as stream:
            stream.put_numbers(array.array("I", [7, 9]))
            stream.put_numbers(array.array("H", [8]))
            stream.put_numbers(iter([1]))
            self.assertEqual(stream.end().quantiles([0, 1]), [1, 9])
        with gpusort.Stream(values="i64", binary=True) as stream:
            for wrong, kind in ((numpy.array([0.5]), TypeError), (numpy.zeros((2, 2), dtype="i8"), ValueError),
                                ([0.5], TypeError), (b"12345678", TypeError), ([1 << 63], OverflowError)):  # fmt: skip
                with self.subTest(wrong), self.assertRaises(kind):
                    stream.put_numbers(wrong)

    def test_frequent_as_the_command(self) -> None:
        expected = command("stats", "freq", "--support=0.02", "stream-texts")
        whole = gpusort.summarize("stream-texts", "frequent", values="text", eps=0.002)
        self.assertEqual(self.frequent(whole, 0.02), expected)
        with gpusort.Stream("frequent", values="text", eps=0.002) as stream:
            stream.put_many(self.texts[:7777])
            for text in self.texts[7777:]:
                stream.put(text)
            summary = stream.end()
            self.assertEqual(self.frequent(summary, 0.02), expected)
            self.assertEqual(summary.frequent(most=2), summary.frequent()[:2])
            with self.assertRaisesRegex(ValueError, "nothing follows"):
                stream.put_text(b"late\n")
        numbers = command("stats", "freq", "--type=f64", "--support=0.0001", "numbers")
        counted = gpusort.summarize(self.numbers, "frequent", eps=0.00001)
        self.assertEqual(self.frequent(counted, 0.0001), numbers)

    def test_values_behind_text_that_is_cut(self) -> None:
        for csv in (False, True):
            with self.subTest(csv=csv), gpusort.Stream(csv=csv, header=False) as stream:
                stream.put_text(b"1\n2")
                stream.put(b"3")
                stream.put_text(b"1")
                stream.put_text(b"2\n")
                stream.put_many([b"4", b"5"])
                summary = stream.end()
                self.assertEqual((summary.info.seen, summary.quantile(1)), (6, 12))
        with gpusort.Stream(csv=True, header=False) as stream:
            stream.put_text(b'1\n"2\n')
            with self.assertRaisesRegex(ValueError, "between quotes"):
                stream.put(b"3")

    def test_prefixes_as_the_command(self) -> None:
        rows = command("stats", "hhh", "--by=ip", "--support=0.03", "addresses").decode().splitlines()
        found = gpusort.summarize("addresses", "prefixes", hierarchy="ip", eps=0.003).prefixes(0.03)
        self.assertGreater(len(found), 3)
        self.assertEqual([f"{text_of(c.value).decode()}\t{c.count}\t{c.rest}" for c in found], rows)

    def test_steps_between_prefixes(self) -> None:
        rows = command("stats", "hhh", "--by=ip", "--step=16", "--support=0.03", "--eps=0.003", "addresses").decode()
        found = gpusort.summarize("addresses", "prefixes", hierarchy="ip", step=16, eps=0.003).prefixes(0.03)
        self.assertEqual([f"{text_of(c.value).decode()}\t{c.count}\t{c.rest}" for c in found], rows.splitlines())
        self.assertNotEqual(rows, command("stats", "hhh", "--by=ip", "--support=0.03", "--eps=0.003", "addresses").decode())

    def test_reports_by_time(self) -> None:
        """Where one is due by the clock at every look there are some before the end, else none."""
        Path("many").write_bytes(bytes(range(256)) * (1 << 17))
        for seconds, least, most in ((1e-9, 2, 10**6), (3600, 1, 1)):
            told: list[bool] = []
            gpusort.summarize("many", binary=True, values="u64", every_seconds=seconds,
                              report=lambda s: told.append(s.info.is_end))  # fmt: skip
            self.assertTrue(least <= len(told) <= most, told[:10])
            self.assertEqual(told[-1], True)

    def test_sums_as_the_command(self) -> None:
        pairs = numpy.stack([self.numbers, self.numbers[::-1]], axis=1)
        write("pairs", [b"%r %r" % (float(x), float(y)) for x, y in pairs])
        of_file = gpusort.summarize("pairs", "sums", value=1, second=2, ranks=True)
        for put in (lambda s: s.put_numbers(pairs), lambda s: s.put_numbers(pairs.tolist()),
                    lambda s: s.put_numbers(pairs.reshape(-1))):  # fmt: skip
            with gpusort.Stream("sums", binary=True, ranks=True) as stream:
                put(stream)
                summary = stream.end()
                for how, more in (("average", {}), ("quantile", {"phi": 0.3}), ("most", {"times": 0.5, "plus": -3})):
                    self.assertEqual(summary.sum(how, **more), of_file.sum(how, **more))
        sum = of_file.sum()
        exact = float(pairs[pairs[:, 0] <= pairs[:, 0].mean(), 1].sum())
        self.assertLessEqual(abs(sum.middle - exact), of_file.info.eps * sum.total)
        self.assertTrue(sum.least <= exact <= sum.most)
        told = json.loads(command("stats", "corrsum", "--json", "pairs"))
        self.assertEqual(told["sum"], sum.middle)

    def test_columns_as_the_command(self) -> None:
        write("table.csv", [b"n,text", *(b'%g,"a, %s"' % (n, t) for n, t in zip(self.numbers, self.texts))])
        of_file = gpusort.summarize("table.csv", "columns", csv=True)
        with gpusort.Stream("columns", csv=True) as stream:
            for line in Path("table.csv").read_bytes().splitlines():
                stream.put(line)
            put = stream.end()
            self.assertEqual(put.columns(), of_file.columns())
            self.assertEqual(put.bins(7, 0), of_file.bins(7, 0))
        number, text = of_file.columns()
        self.assertEqual((number.name, text.name), (b"n", b"text"))
        self.assertEqual(number.integers + number.decimals, 20000)
        self.assertEqual((number.least, number.most), (self.numbers[:20000].min(), self.numbers[:20000].max()))
        self.assertEqual((text.texts, text.least, text.first), (20000, None, b"a, word0"))
        self.assertEqual(sum(b.count for b in of_file.bins(7, 0)), 20000)
        self.assertEqual(of_file.bins(7, 1), [])
        self.assertEqual(len(of_file.frequent(column=1, most=3)), 3)

    def test_saved_and_merged(self) -> None:
        halves = self.numbers[:30000], self.numbers[30000:]
        for name, half in zip(("half-1", "half-2"), halves):
            with gpusort.summarize(half) as summary:
                summary.save(name)
        command("stats", "quantile", "--save=by-command", "numbers")
        one = gpusort.Summary.load("half-1")
        self.assertEqual(self.quantiles(one), command("stats", "merge", "--phi=0,0.01,0.5,0.9,1", "half-1"))
        with gpusort.Stream(binary=True) as stream, gpusort.Summary.load("half-1") as other:
            stream.put_numbers(halves[1])
            other.merge(stream.ask())
            self.assertEqual((other.info.seen, other.quantile(1)), (60000, self.numbers.max()))
            with self.assertRaises(ValueError):
                stream.ask().merge(other)
        one.merge(gpusort.Summary.load("half-2"))
        with gpusort.Summary.load("by-command", memory="64M") as whole:
            self.assertEqual((one.info.seen, one.info.statistic), (60000, "quantiles"))
            self.assertEqual(whole.info.seen, 60000)
        got = command("stats", "merge", "--phi=0,0.01,0.5,0.9,1", "half-1", "half-2")
        self.assertEqual(self.quantiles(one), got)
        with self.assertRaises(gpusort.FormatError):
            gpusort.Summary.load("numbers")
        with self.assertRaises(OSError):
            gpusort.Summary.load("nothing")
        with self.assertRaises(ValueError):
            gpusort.summarize("numbers", exact=True).save("never")
        self.assertFalse(Path("never").exists())
        one.close()
        with self.assertRaisesRegex(ValueError, "closed"):
            one.quantile(0.5)

    def test_windows_of_time(self) -> None:
        rows = numpy.stack([self.numbers, numpy.arange(60000) / 100], axis=1)
        write("times", [b"%r %r" % (float(v), float(t)) for v, t in rows])
        expected = command("stats", "quantile", "--phi=0,0.01,0.5,0.9,1", "-k1", "--window=60s", "--time-column=2", "times")
        read = gpusort.summarize("times", value=1, second=2, window_seconds=60)
        self.assertEqual(self.quantiles(read), expected)
        self.assertEqual(self.quantiles(gpusort.summarize(rows, window_seconds=60)), expected)

    def test_what_is_told_goes_with_the_stream(self) -> None:
        kept: list[gpusort.Summary] = []
        seen: list[int] = []

        def report(summary: gpusort.Summary) -> None:
            kept.append(summary)
            seen.append(summary.info.seen)

        with gpusort.Stream(binary=True, every=10000, report=report) as stream:
            stream.put_numbers(self.numbers)
            first = stream.ask()
            self.assertEqual(first.info.seen, 60000)
            second = stream.ask()
            with self.assertRaisesRegex(ValueError, "gone on"):
                first.quantile(0.5)
            self.assertEqual(second.quantile(0), self.numbers.min())
        self.assertEqual(seen, [10000, 20000, 30000, 40000, 50000, 60000])
        for summary in (second, *kept):
            with self.assertRaisesRegex(ValueError, "gone on"):
                summary.info
        with self.assertRaisesRegex(ValueError, "closed"):
            stream.put_numbers([1])
        told: list[bool] = []
        gpusort.summarize("numbers", every=25000, report=lambda s: told.append(s.info.is_end))
        self.assertEqual(told, [False, False, True])

    def test_failures(self) -> None:
        for wrong in ({"statistic": "modes"}, {"values": "f32"}, {"values": "text"}, {"eps": 0.7}, {"value": "n"},
                      {"value": 0}, {"hierarchy": "dashes"}, {"exact": True, "window": 9}, {"delimiter": "ab"},
                      {"engine": "no such"}, {"memory": "many"}):  # fmt: skip
            with self.subTest(wrong), self.assertRaises(ValueError):
                gpusort.Stream(**wrong).ask()
        for option in ({"colour": 1}, {"progress": print}):
            with self.assertRaises(TypeError):
                gpusort.Stream(**option)  # type: ignore[arg-type]
        with self.assertRaisesRegex(gpusort.IOFailure, "nowhere"):
            gpusort.summarize(["numbers", "nowhere"])
        with self.assertRaises(gpusort.FormatError):
            gpusort.summarize("stream-texts")
        with gpusort.Stream() as stream:
            stream.put(b"1")
            stream.put(b"no number")
            for _ in range(2):
                with self.assertRaisesRegex(gpusort.FormatError, "no number"):
                    stream.ask()
            with self.assertRaises(ValueError):
                stream.put_numbers([1])
        with self.assertRaises(ValueError):
            gpusort.Stream().put(b"two\nlines")
        with self.assertRaises(ValueError):
            gpusort.summarize("numbers", "frequent").prefixes(0.1)
        with self.assertRaises(ValueError):
            gpusort.summarize(self.numbers[:0]).quantile(0.5)

        def fails(_: object) -> None:
            raise KeyError("mine")

        with self.assertRaisesRegex(KeyError, "mine"):
            gpusort.summarize("numbers", every=10000, report=fails)
        with gpusort.Stream(binary=True, every=10000, report=fails) as stream:
            with self.assertRaisesRegex(KeyError, "mine"):
                stream.put_numbers(self.numbers)
            with self.assertRaises(gpusort.Cancelled):
                stream.ask()

    def test_ctrl_c(self) -> None:
        os.mkfifo("idle-stream")
        said = script("""
r, w = os.pipe()
def late(): threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
signal.setitimer(signal.ITIMER_REAL, 30)
for inputs in ("idle-stream", [r], ["numbers", r]):
    late()
    try: gpusort.summarize(inputs)
    except KeyboardInterrupt: print("stopped", flush=True)
import numpy
numbers = numpy.random.default_rng(1).random(50_000_000)
stream = gpusort.Stream(binary=True, threads=1)
late()
try: stream.put_numbers(numbers)
except KeyboardInterrupt: print(0 < stream.ask().info.seen < len(numbers))
""")
        self.assertEqual(said, 3 * b"stopped\n" + b"True\n")

    def test_the_lock_is_left_alone(self) -> None:
        numbers = numpy.tile(self.numbers, 200)
        turns = turns_beside(lambda: gpusort.summarize(numbers, exact=True, threads=1))
        self.assertGreater(turns, 20)

    def test_a_fork_leaves_a_stream_alone(self) -> None:
        said = script("""
s = gpusort.Stream(binary=True)
s.put_numbers([1, 2])
if os.fork() == 0:
    signal.alarm(20)
    try: s.put_numbers([3])
    except ValueError as e: print(e, flush=True)
    s.close()
    os._exit(0)
print(os.wait()[1], s.end().info.seen)
""")
        self.assertEqual(said, b"the stream is of the process that has forked this one\n0 2\n")


def number_text(value: float) -> bytes:
    v = ffi.new("gpusort_value *", {"type": lib.GPUSORT_VALUES_F64, "f64": value})
    text = ffi.new("char[]", lib.GPUSORT_NUMBER_BYTES)
    lib.gpusort_number_text(v, text)
    return ffi.string(text)


def text_of(value: float | bytes) -> bytes:
    return value if isinstance(value, bytes) else number_text(value)


class Indexes(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        text = ["cats and dogs", "dogs dogs", "fish and chips", "a bird", "cats sleep"]
        lines = [f'{{"id": "d{i}", "contents": "{text[i % 5]} n{i % 11}"}}'.encode() for i in range(400)]
        write("docs.jsonl", lines)
        cls.index = gpusort.Index.build("idx", "docs.jsonl", positions=True)

    def test_searches_as_the_command(self) -> None:
        for query in ("dogs", "+fish n3 -n7", '"cats and dogs" n5', "nothing"):
            rows = command("search", "--top=7", "idx", query).decode().splitlines()
            hits = self.index.search(query, top=7)
            self.assertEqual([h.name for h in hits], [r.split("\t")[1] for r in rows])
        self.assertEqual(len(self.index), 400)
        self.assertTrue(self.index.has_names and self.index.has_positions)
        with self.assertRaises(ValueError):
            self.index.search("(dogs")

    def test_many_at_once(self) -> None:
        queries = ["dogs", "+fish n3", "nothing", "cats OR birds n5"]
        many = self.index.search_many(queries, top=9)
        self.assertEqual(many, [self.index.search(q, top=9) for q in queries])
        self.assertEqual([len(hits) for hits in many], [9, 9, 0, 9])
        with self.assertRaisesRegex(ValueError, "parenthesis"):
            self.index.search_many(["dogs", "(fish"])
        names = command("search", "--boolean", "idx", "+cats -n3").decode().split()
        self.assertEqual(self.index.names(self.index.matches("+cats -n3")), names)
        self.assertEqual(list(self.index.matches("dogs nothing", all_words=True)), [])

    def test_shows_what_was_found(self) -> None:
        with gpusort.Index.build("shown", "docs.jsonl", texts=True) as index:
            two = index.snippets("+fish chips", [2, 7])
            self.assertEqual(two[1], (f"fish and chips n{7 % 11}", [(0, 4), (9, 14)], (False, False)))
        with self.assertRaisesRegex(ValueError, "no stored texts"):
            self.index.snippets("fish", [2])

    def test_looks_up_as_the_command(self) -> None:
        row = command("lookup", "idx", "dogs").decode().split("\t")
        documents, frequencies = self.index.lookup("dogs")
        self.assertEqual(row[3].split(), [f"{d}:{f}" for d, f in zip(documents, frequencies)])
        self.assertEqual(len(self.index.lookup("unicorn").documents), 0)

    def test_heads_are_the_beginnings_of_lists(self) -> None:
        terms: list[str | bytes] = ["dogs", b"unicorn", "n3", "", "dog", "fish"] * 200
        for head, threads in ((3, 1), (0, 2), (1000, 2), (20000, 1)):
            for _ in range(2):  # what is kept serves again
                found = self.index.heads(terms, head, threads=threads)
                self.assertEqual(len(found.documents), found.offsets[-1])
                for i, term in enumerate(terms[:12]):
                    documents, frequencies = self.index.lookup(term)
                    n = min(len(documents), head or len(documents))
                    self.assertEqual(found.counts[i], len(documents))
                    place = slice(int(found.offsets[i]), int(found.offsets[i + 1]))
                    self.assertEqual(list(found.documents[place]), list(documents[:n]))
                    self.assertEqual(list(found.frequencies[place]), list(frequencies[:n]))
        self.assertEqual(list(self.index.heads([]).offsets), [0])
        with self.assertRaises(ValueError):
            self.index.heads(["dogs"], engine="teapot")

    def test_documents_have_names_and_texts(self) -> None:
        with gpusort.Index.build("texts", "docs.jsonl", texts=True) as index:
            self.assertTrue(index.has_texts and not index.has_impacts)
            self.assertEqual((index.segments, index.deleted, index.doc_base), (1, 0, 0))
            self.assertEqual(index.find(["d7", "nobody", "d399", ""]), [7, None, 399, None])
            self.assertEqual(index.names([399, 0]), ["d399", "d0"])
            for name in ("d7", "d399"):
                shown = command("index", "show", "texts", name).rstrip(b"\n")
                self.assertEqual(index.text(index.find([name])[0]), shown)
            with self.assertRaisesRegex(ValueError, "document 400 of 400"):
                index.text(400)
            index.verify()
            index.verify(sums_only=True, threads=1)
        with self.assertRaisesRegex(ValueError, "no stored texts"):
            self.index.text(0)

    def test_build_refuses(self) -> None:
        with self.assertRaisesRegex(OSError, "idx"):
            gpusort.Index.build("idx", "docs.jsonl")
        write("bad.jsonl", [b'{"id": "x"'])
        with self.assertRaisesRegex(gpusort.FormatError, r"bad\.jsonl"):
            gpusort.Index.build("idx2", "bad.jsonl")
        gpusort.Index.build("idx2", ["bad.jsonl", "docs.jsonl"], skip_bad=True, replace=True).close()
        with self.assertRaises(gpusort.Error):
            gpusort.Index.open("nowhere")
        closed = gpusort.Index("idx2")
        closed.close()
        with self.assertRaisesRegex(ValueError, "closed"):
            closed.search("dogs")

    def test_how_words_are_made(self) -> None:
        gpusort.Index.build(
            "made", "docs.jsonl", tokenizer="whitespace", min_len=2, max_len=9, texts=True, reorder=True
        ).close()
        command("index", "build", "--tokenizer=whitespace", "--min-len=2", "--max-len=9", "--store", "--reorder",
                "-o", "made2", "docs.jsonl")  # fmt: skip
        for file in sorted(Path("made2").iterdir()):
            self.assertEqual(Path("made", file.name).read_bytes(), file.read_bytes())
        with self.assertRaisesRegex(ValueError, "no known tokenizer"):
            gpusort.Index.build("none", "docs.jsonl", tokenizer="syllables")

    def test_grows_as_the_command(self) -> None:
        gpusort.Index.build("grown", "docs.jsonl", positions=True).close()
        command("index", "build", "--positions", "-o", "by_command", "docs.jsonl")
        write("new.jsonl", [b'{"id": "d7", "contents": "a new one"}', b'{"id": "e", "contents": "unicorn"}'])
        before = gpusort.Index("grown")
        after = gpusort.Index.append("grown", "new.jsonl", update=True, merge=False, threads=1)
        command("index", "append", "--update", "--no-merge", "by_command", "new.jsonl")
        self.assertEqual((len(before), len(after)), (400, 401))
        self.assertEqual([h.name for h in after.search("unicorn one")], ["e", "d7"])
        self.assertEqual(before.search("unicorn"), [])
        gone = gpusort.Index.delete("grown", ["d0", "nobody", "d399"], merge=False)
        self.assertEqual(gone, gpusort.Deletion(2, ["nobody"]))
        self.assertEqual(gpusort.Index.delete("grown", "nobody \u00e9").missing, ["nobody \u00e9"])
        command("index", "delete", "by_command", "d0", "d399")
        gpusort.Index.compact("grown", memory="64M")
        command("index", "compact", "by_command")
        for path in Path("by_command").iterdir():
            self.assertEqual(path.read_bytes(), Path("grown", path.name).read_bytes())
        with self.assertRaises(gpusort.Error):
            gpusort.Index.append("nowhere", "new.jsonl")
        with self.assertRaises(gpusort.Error):
            gpusort.Index.delete("nowhere", "d1")
        with self.assertRaises(gpusort.Error):
            gpusort.Index.compact("nowhere")

    def same_files(self, made: str, by_command: str) -> None:
        for path in sorted(Path(by_command).iterdir()):
            self.assertEqual(path.read_bytes(), Path(made, path.name).read_bytes())

    def test_indexes_of_indexes(self) -> None:
        docs = Path("docs.jsonl").read_bytes().splitlines(keepends=True)
        for name, some in (("one", docs[:150]), ("two", docs[150:])):
            Path(f"{name}.jsonl").write_bytes(b"".join(some))
            gpusort.Index.build(name, f"{name}.jsonl", positions=True).close()
        self.assertEqual(len(gpusort.Index.merge("both", ["one", "two"], threads=2)), 400)
        self.same_files("both", "idx")
        with self.assertRaisesRegex(ValueError, "doc_ids"):
            gpusort.Index.merge("three", ["one", "two"], doc_ids="lose")
        with self.assertRaises(OSError):
            gpusort.Index.reorder("both", "one")
        gpusort.Index.reorder("both", "both", replace=True, memory="64M").close()
        command("index", "reorder", "-o", "both2", "idx")
        self.same_files("both", "both2")
        gpusort.Index.export_ciff("one", "one.ciff")
        self.assertEqual(Path("one.ciff").read_bytes(), command("index", "export", "--ciff", "one"))
        self.assertEqual(len(gpusort.Index.import_ciff("again", "one.ciff", strict=True)), 150)
        command("index", "import", "--ciff", "-o", "again2", "one.ciff")
        self.same_files("again", "again2")
        with self.assertRaises(gpusort.Error):
            gpusort.Index.import_ciff("none", "docs.jsonl")

    def test_threads(self) -> None:
        """Two sorts and searches at once, in one process."""
        expected = [h.name for h in self.index.search("dogs n3")]
        lines = words(20000)
        failures: list[str] = []

        def searches() -> None:
            for _ in range(50):
                if [h.name for h in self.index.search("dogs n3")] != expected:
                    failures.append("search")

        def sorts() -> None:
            if list(gpusort.sort_records(lines, memory="4M")) != sorted(lines):
                failures.append("sort")

        threads = [threading.Thread(target=f) for f in (searches, searches, sorts, sorts)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])


try:
    result = unittest.main(argv=sys.argv[:1], exit=False).result
finally:
    os.chdir("/")
    shutil.rmtree(SCRATCH)
sys.exit(not result.wasSuccessful())
