# SPDX-License-Identifier: MIT
"""`gpusort-ray sort` on several nodes: byte for byte what one process writes, whatever the
options and the input; refusals; and what a store that is not a file system gets."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path
from unittest import mock

import on_cluster
from gpusort_ray import cluster, sort_job
from on_cluster import Failed, Nodes, check_same, check_sort, gpusort, gpusort_ray, parts_of, run_cases

CORPUS = Path(__file__).resolve().parent.parent.parent / "corpus"


def random_lines(path: Path, count: int, seed: int, last_end: bytes = b"\n") -> Path:
    r = random.Random(seed)
    words = [b"a", b"bb", b"Dog", b"dog", b"zebra", b"", b"10K", b"9"]
    lines = (
        b"%s\t%d\t%s" % (r.choice(words), r.randrange(500), bytes(r.choices(b"abc xyz", k=r.randrange(30))))
        for _ in range(count)
    )
    path.write_bytes(b"\n".join(lines) + last_end)
    return path


def options_of_lines(folder: Path, **_: object) -> None:
    a = random_lines(folder / "a", 60_000, 1)
    b = random_lines(folder / "b", 20_000, 2, last_end=b"")
    for options in (
        [], ["-r"], ["-u"], ["-t\t", "-k2,2n"], ["-t", "\t", "-k1,1", "-s"], ["-t\t", "-k2,2nr", "-k1,1f"],
        ["-t\t", "-k1,1", "-u"], ["-t\t", "-k2n", "-s", "-r"], ["-f", "-u"], ["-t\t", "-k1,1V", "-k3"],
        ["--header"], ["--header=3", "-r"], ["-h", "--verify"],
    ):  # fmt: skip
        check_sort(folder, options, [b, a, b], ["--chunk=300K"])


def records_and_zeros(folder: Path, **_: object) -> None:
    r = random.Random(3)
    binary = folder / "records"
    binary.write_bytes(r.randbytes(100 * 20_000))
    check_sort(folder, ["--record-size=100", "--key-bytes=0:10"], [binary], ["--chunk=333333"])
    check_sort(folder, ["--record-size=100", "--key-bytes=3:4:ile:r", "-s"], [binary], ["--chunk=333333"])
    zeros = folder / "zeros"
    zeros.write_bytes(b"\0".join(r.randbytes(20).replace(b"\0", b"x") for _ in range(50_000)))
    check_sort(folder, ["-z"], [zeros, zeros], ["--chunk=200000"])


def tables(folder: Path, **_: object) -> None:
    r = random.Random(4)
    names = []
    for i in range(5):
        rows = [b"name,price,note\n"]
        for _ in range(4000):
            rows.append(b'n%d,%d,"x ""%d""\n, y"\n' % (r.randrange(50), r.randrange(90), r.randrange(9)))
        names.append(folder / f"t{i}.csv")
        names[-1].write_bytes(b"".join(rows))
    for options in (["--csv", "--key=price:n", "-k", "name"], ["--csv", "--key=name", "-s"], ["--csv", "--key=name", "-u"]):
        check_sort(folder, options, names, ["--chunk=100K", "--parts=7"])
    js = folder / "j.jsonl"
    js.write_text("".join('{"a":{"b":%d},"c":"x"}\n' % r.randrange(1000) for _ in range(20_000)))
    check_sort(folder, ["--jsonl-key=.a.b:n"], [js], ["--chunk=100K"])


def headers_of_tables(folder: Path, **_: object) -> None:
    """The first table may be empty or packed, and end its header in its own way."""
    empty, nothing, a, b, crlf = (folder / f"h{i}.csv" for i in range(5))
    empty.write_bytes(b"")
    rows = b'%d,"x\n%d"\n' * 500 % tuple(x for i in range(500) for x in (i * 7919 % 500, i))
    a.write_bytes(b'key,"no\nte"\n' + rows)
    b.write_bytes(b'key,"no\nte"\n7,last')
    crlf.write_bytes(b'key,"no\nte"\r\n' + rows)
    nothing.write_bytes(subprocess.run(["gzip"], input=b"", check=True, stdout=subprocess.PIPE).stdout)
    gz, zst = folder / "h.csv.gz", folder / "h.csv.zst"
    gz.write_bytes(subprocess.run(["gzip", "-c", a], check=True, stdout=subprocess.PIPE).stdout)
    gpusort("sort", "-m", "--csv", "-k1", "--output-compress=zstd", "-o", zst, a)
    for inputs in ([empty, a, b], [b, empty, a], [gz, b], [zst, a], [empty, nothing, zst, gz], [empty, nothing],
                   [crlf, a], [a, crlf, b], [empty, gz, crlf]):  # fmt: skip
        check_sort(folder, ["--csv", "--key=key:n"], inputs, ["--parts=3", "--chunk=1K"])
    check_sort(folder, ["--csv", "--no-header", "-k1,1"], [empty, gz, crlf], ["--parts=3", "--chunk=1K"])
    gz.write_bytes(gz.read_bytes()[:10])
    code, _, err = gpusort_ray("sort", f"--out={folder / 'cut'}", "--csv", "-k1", gz)
    if code != 2 or str(gz) not in err:
        raise Failed(f"a packed table that is cut off: exit {code}: {err}")


def shuffles(folder: Path, **_: object) -> None:
    """All tasks have one seed: a given one gives what one process makes of it."""
    a = random_lines(folder / "sa", 30_000, 14)
    b = random_lines(folder / "sb", 10_000, 15, last_end=b"")
    table = folder / "s.csv"
    table.write_bytes(b"n,t\n" + b"%d,x\n" * 5000 % tuple(i * 7919 % 99 for i in range(5000)))
    seed = folder / "seed"
    seed.write_bytes(random.Random(16).randbytes(40))
    given = f"--random-source={seed}"
    for options in (["-R"], ["-t\t", "-k2,2R", "-k3,3"], ["-t\t", "-k1,1R", "-s"], ["--sort=random", "-u"]):
        check_sort(folder, [*options, given], [b, a, b], ["--chunk=200K"])
    check_sort(folder, ["--csv", "--key=n:R", given], [table, table], ["--chunk=1K", "--parts=5"])
    out, orders = folder / "out", set()
    for _ in range(3):
        words = ["sort", f"--out={out}", "--replace", "-S64M", "--chunk=200K", "-t\t", "-k2,2R", a]
        code, _, err = gpusort_ray(*words)
        if code:
            raise Failed(f"-k2,2R: exit {code}: {err}")
        text = parts_of(out)
        keys = [line.split(b"\t")[1] for line in text.splitlines()]
        if len(keys) != 30_000 or 1 + sum(x != y for x, y in zip(keys, keys[1:])) != len(set(keys)):
            raise Failed(f"-k2,2R: of {len(keys)} lines, and equal keys lie apart")
        (out / "part-00001").unlink()
        code, _, err = gpusort_ray(*[w if w != "--replace" else "--resume" for w in words])
        if code:
            raise Failed(f"-k2,2R, resumed: exit {code}: {err}")
        check_same(parts_of(out), text, "a shuffle that was resumed")
        orders.add(text)
    if len(orders) != 3:
        raise Failed("two shuffles are the same")
    for more in (["--random-source=/dev/zero"], [given]):
        code, _, err = gpusort_ray("sort", f"--out={out}", "--resume", "-S64M", "-t\t", "-k2,2R", *more, a)
        if code != 2 or "another --random-source" not in err:
            raise Failed(f"resumed with another seed: exit {code}: {err}")


def locale_order(folder: Path, **_: object) -> None:
    """That of the driver, however its environment says it; tasks have none in theirs."""
    if not Path(os.environ["LOCPATH"], "en_US.UTF-8").is_dir():
        print("no locales can be made here: their order was not tested")
        return
    a = random_lines(folder / "la", 20_000, 17)
    out, american = folder / "out", "en_US.UTF-8"
    words = ["sort", f"--out={out}", "-S64M", "--chunk=100K", "--locale-order", a]
    others = {k: v for k, v in os.environ.items() if k != "LANG" and not k.startswith("LC_")}
    for said in ({"LANG": american}, {"LANG": "C", "LC_COLLATE": american, "LC_CTYPE": american},
                 {"LC_ALL": american, "LC_COLLATE": "C"}):  # fmt: skip
        with mock.patch.dict(os.environ, {**others, **said}, clear=True):
            program = [os.environ["GPUSORT"], "sort", "--locale-order", a]
            want = subprocess.run(program, check=True, stdout=subprocess.PIPE).stdout
            code, _, err = gpusort_ray(*words, "--replace")
        if code:
            raise Failed(f"{said}: exit {code}: {err}")
        check_same(parts_of(out), want, f"--locale-order, {said}")
    if want == gpusort("sort", a):
        raise Failed("it is the order of bytes")
    for said, more, says in (("C", "--resume", "other options"), ("xx_XX.UTF-8", "--replace", "locale")):
        with mock.patch.dict(os.environ, {**others, "LANG": said}, clear=True):
            code, _, err = gpusort_ray(*words, more)
        if code != 2 or says not in err:
            raise Failed(f"LANG={said} {more}: exit {code}: {err}")


def skew(folder: Path, **_: object) -> None:
    same = folder / "same"
    same.write_bytes(b"all the same\n" * 100_000)
    check_sort(folder, [], [same], ["--chunk=200K"])
    sizes = sorted(p.stat().st_size for p in (folder / "out").glob("part-*"))
    if sizes[-1] > 2 * same.stat().st_size / len(sizes):
        raise Failed(f"equal records fill one part: {sizes}")
    check_sort(folder, ["-u"], [same], ["--chunk=200K"])
    r = random.Random(5)
    half = folder / "half"
    half.write_bytes(b"".join(b"heavy\n" if r.random() < 0.6 else b"%09d\n" % r.randrange(10**9) for _ in range(150_000)))
    check_sort(folder, [], [half], ["--chunk=150K"])
    check_sort(folder, ["-s", "-k1,1"], [half], ["--chunk=150K"])
    ordered = folder / "ordered"
    ordered.write_bytes(gpusort("sort", half))
    check_sort(folder, [], [ordered], ["--chunk=150K"])
    check_sort(folder, ["-r"], [ordered], ["--chunk=150K"])


def shapes_of_inputs(folder: Path, **_: object) -> None:
    empty, one = folder / "empty", folder / "one"
    empty.write_bytes(b"")
    one.write_bytes(b"a line without its end")
    check_sort(folder, [], [empty])
    check_sort(folder, [], [one], ["--parts=4"])
    check_sort(folder, ["--header"], [one, empty], ["--parts=3"])
    long = folder / "long"
    long.write_bytes(b"".join(bytes([97 + i % 26]) * (i * 40_000) + b"\n" for i in range(12)))
    check_sort(folder, [], [long], ["--chunk=64K"])
    many = folder / "many"
    many.mkdir()
    for i in range(3000):
        (many / f"{i * 7919 % 3000:05d}").write_bytes(b"%d\nx" % i)
    names = sorted(many.iterdir())
    out = folder / "of_many"
    code, _, err = gpusort_ray("sort", f"--out={out}", "-S64M", "--chunk=2K", "--parts=5", many)
    if code:
        raise Failed(err)
    check_same(on_cluster.parts_of(out), gpusort("sort", *names), "a folder of small files")
    packed = folder / "lines.gz"
    plain = random_lines(folder / "plain", 30_000, 6)
    packed.write_bytes(subprocess.run(["gzip", "-c", plain], check=True, stdout=subprocess.PIPE).stdout)
    check_sort(folder, [], [packed, plain], ["--chunk=100K"])


def real_text(folder: Path, **_: object) -> None:
    texts = sorted(p for p in CORPUS.rglob("*") if p.is_file() and p.suffix in (".txt", ".md", ".tsv", ".jsonl"))
    check_sort(folder, [], texts, ["--chunk=100K"])
    check_sort(folder, ["-f", "-s"], texts, ["--chunk=100K", "--parts=9"])


def refusals(folder: Path, **_: object) -> None:
    a = random_lines(folder / "few", 100, 7)
    for words, says in (
        (["-c"], "makes no sense"), (["-m"], "makes no sense"), (["--top=3"], "makes no sense"),
        (["-Rn"], "incompatible"), (["--count"], "makes no sense"), (["-o", "x"], "--out"),
        (["-R", "--random-source=/dev/null"], "seed"), (["-k0"], "number"), (["--nothing"], "unrecognized"),
        (["--record-size=7"], "multiple"),
    ):  # fmt: skip
        code, _, err = gpusort_ray("sort", f"--out={folder / 'refused'}", *words, a)
        if code != 2 or says not in err:
            raise Failed(f"{words}: exit {code}, {err}")
    code, _, err = gpusort_ray("sort", f"--out={folder / 'refused'}", folder / "none")
    if code != 2 or "No such file" not in err:
        raise Failed(f"no such input: exit {code}, {err}")
    check_sort(folder, [], [a])
    code, _, err = gpusort_ray("sort", f"--out={folder / 'out'}", a)
    if code != 2 or "--resume" not in err:
        raise Failed(f"a second sort into the same folder: exit {code}, {err}")


def pieces_in_files(folder: Path, nodes: Nodes, **_: object) -> None:
    """What is between the phases stays in files: of nodes that see the same folder, and
    without being asked for where there is one node."""
    a = random_lines(folder / "fa", 60_000, 12)
    b = random_lines(folder / "fb", 10_000, 13, last_end=b"")
    table = folder / "f.csv"
    table.write_bytes(b"n,t\n" + b"".join(b'%d,"a\n%d"\n' % (i * 7919 % 999, i) for i in range(9000)))
    same = folder / "fsame"
    same.write_bytes(b"all the same\n" * 50_000)
    shared = folder / "shared"
    shared.mkdir()
    files = ["--pieces=files", f"-T{shared}"]
    for options in ([], ["-r", "-u"], ["-t\t", "-k2,2n", "-s"], ["--header=2"]):
        check_sort(folder, options, [b, a, b], ["--chunk=300K", *files])
    check_sort(folder, ["--csv", "--key=n:n"], [table, table, table], ["--chunk=1K", "--parts=5", *files])
    check_sort(folder, [], [same], ["--chunk=100K", *files])
    (folder / "fnone").write_bytes(b"")
    check_sort(folder, [], [folder / "fnone"], ["--parts=3", *files])
    told, program = folder / "made", folder / "maker"
    program.write_text(f'#!/bin/sh\necho "$*" >>"{told}"\nexec "{os.environ["GPUSORT"]}" "$@"\n')
    program.chmod(0o755)
    with mock.patch.object(cluster, "_only_node", lambda ray: ray.get_runtime_context().get_node_id()):
        check_sort(folder, [], [a, b], ["--chunk=300K", f"-T{shared}", f"--gpusort={program}"])
    words = [line.split() for line in told.read_text().splitlines()]
    outs = {Path(w[w.index("-o") + 1]).parent.parent.parent for w in words if w[0] == "partition"}
    if outs != {shared}:
        raise Failed(f"pieces are written to {outs}")
    # Where there is too little room for all of them at once they are Ray's.
    told.unlink()
    with mock.patch.object(cluster, "_only_node", lambda ray: ray.get_runtime_context().get_node_id()):
        with mock.patch.object(sort_job.gpusort, "room_in", lambda asked: a.stat().st_size):
            check_sort(folder, [], [a, b], ["--chunk=300K", f"-T{shared}", f"--gpusort={program}"])
    words = [line.split() for line in told.read_text().splitlines()]
    outs = {Path(w[w.index("-o") + 1]).parent.parent for w in words if w[0] == "partition"}
    if outs != {shared}:
        raise Failed(f"pieces of a full disk are written to {outs}")
    if list(shared.iterdir()):
        raise Failed(f"left: {list(shared.iterdir())}")
    for words, says in ((["--pieces=files"], "-T"), (["--pieces=x"], "auto")):
        code, _, err = gpusort_ray("sort", f"--out={folder / 'no'}", *words, a)
        if code != 2 or says not in err:
            raise Failed(f"{words}: exit {code}: {err}")


def what_tasks_are_told(folder: Path, **_: object) -> None:
    """Options of each gpusort that a task runs, seen by one that writes them down."""
    a = random_lines(folder / "told", 20_000, 11)
    told, program = folder / "words", folder / "program"
    program.write_text(f'#!/bin/sh\necho "$*" >>"{told}"\nexec "{os.environ["GPUSORT"]}" "$@"\n')
    program.chmod(0o755)
    check_sort(folder, ["-r"], [a], [f"--gpusort={program}", "--chunk=100K", "--no-uring", "--gpu-mem=1G", "--sync"])
    words = [line.split() for line in told.read_text().splitlines()]
    for command in ("sample", "partition", "sort"):
        some = [w for w in words if w[0] == command]
        if not some or not all({"--no-uring", "--gpu-mem=1G", "-r"} < set(w) for w in some):
            raise Failed(f"{command} was told {some}")
    if not all(("--sync" in w) == ("-m" in w) for w in words):
        raise Failed(f"--sync is of what writes parts: {words}")
    code, _, err = gpusort_ray("sort", f"--out={folder / 'no'}", "--gpu-mem=x", a)
    if code != 2 or "--gpu-mem" not in err:
        raise Failed(f"--gpu-mem=x: exit {code}: {err}")


def a_store(folder: Path, **_: object) -> None:
    with on_cluster.s3() as s3:
        a = random_lines(folder / "s3a", 80_000, 8)
        b = random_lines(folder / "s3b", 10_000, 9, last_end=b"")
        c = random_lines(folder / "s3c", 100, 10)
        for i, p in enumerate((a, b, c)):
            s3.upload_file(str(p), "data", f"in/{i}")
        for options in ([], ["-t\t", "-k2n", "-s"], ["--header", "-u"]):
            code, _, err = gpusort_ray(
                "sort", "--out=s3://data/out", "--replace", "-S64M", "--chunk=400K", *options, "s3://data/in/*"
            )
            if code:
                raise Failed(f"s3 {options}: {err}")
            keys = sorted(o["Key"] for o in s3.list_objects_v2(Bucket="data", Prefix="out/")["Contents"])
            text = b"".join(s3.get_object(Bucket="data", Key=k)["Body"].read() for k in keys if "part-" in k)
            check_same(text, gpusort("sort", *options, a, b, c), f"s3 {options}")
        code, _, err = gpusort_ray("check", "s3://data/out")
        if code:
            raise Failed(err)
        code, _, err = gpusort_ray("sort", f"--out={folder / 'x'}", "s3://data/none")
        if code != 2 or "s3://data/none" not in err:
            raise Failed(f"an object that is not there: exit {code}, {err}")


def main() -> None:
    cases = [options_of_lines, records_and_zeros, tables, headers_of_tables, shuffles, locale_order, skew, shapes_of_inputs, real_text, refusals, what_tasks_are_told,
             pieces_in_files, a_store]  # fmt: skip
    with on_cluster.store_environment(), on_cluster.locales("en_US"):
        run_cases(cases)


if __name__ == "__main__":
    main()
