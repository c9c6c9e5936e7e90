# SPDX-License-Identifier: MIT
"""What lies in --out when a job begins: what --replace takes away and what it must not, and
what --resume goes on from."""

from __future__ import annotations

import shutil
from pathlib import Path

from on_cluster import Failed, Nodes, check_same, gpusort, gpusort_ray, parts_of, run_cases


def tree(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def refused(says: str, *words: object) -> None:
    code, _, err = gpusort_ray(*words)
    if code != 2 or says not in err:
        raise Failed(f"{words}: exit {code}: {err}")


def done(*words: object) -> None:
    code, _, err = gpusort_ray(*words)
    if code:
        raise Failed(f"{words}: exit {code}: {err}")


def replaced_at_last(folder: Path, **_: object) -> None:
    """A sort that is refused takes nothing away: of a wrong option, of an input that is not
    there, or as an input is a part, whatever it is called."""
    out, other = folder / "r", folder / "other"
    other.write_bytes(b"d\nc\n")
    done("sort", f"--out={out}", "--parts=2", "-S64M", other)
    (out / "part-spark.parquet").write_bytes(b"x")
    (out / "part-0000").write_bytes(b"y")
    before = tree(out)
    (folder / "link").symlink_to(out / "part-00000")
    (folder / "linked").symlink_to(out)
    words = ["sort", f"--out={out}", "--replace", "-S64M"]
    for says, *more in (
        ("No such file", folder / "none"), ("number", "-k0", other), ("no node", "--cpus=99", other),
        ("is an input", out / "part-00000"), ("is an input", other, folder / "link"),
        ("is an input", folder / "linked" / "part-00001"), ("is an input", out),
    ):  # fmt: skip
        refused(says, *words, *more)
        if tree(out) != before:
            raise Failed(f"{more}: refused, and took away {before.keys() - tree(out).keys()}")
    done(*words, "--parts=1", other)
    if sorted(tree(out)) != ["manifest.json", "part-0000", "part-00000", "part-spark.parquet"]:
        raise Failed(f"replaced: {sorted(tree(out))}")
    check_same((out / "part-00000").read_bytes(), b"c\nd\n", "replaced")


def index_replaced_at_last(folder: Path, **_: object) -> None:
    out, docs = folder / "ri", folder / "docs.tsv"
    docs.write_text("1\tcat\n2\tdog\n")
    done("index", f"--out={out}", "-S64M", docs)
    inside = out / "shard-00000" / "docs.tsv"
    shutil.copy(docs, inside)
    before = tree(out)
    refused("is an input", "index", f"--out={out}", "--replace", "-S64M", inside)
    if tree(out) != before:
        raise Failed(f"an input in a shard: {before.keys() - tree(out).keys()} went")


def what_killed_writers_left(folder: Path, **_: object) -> None:
    """Goes with the next job that is told to go on or to replace, and nothing else does."""
    out, a = folder / "k", folder / "ka"
    a.write_bytes(gpusort("gen", "--count=2000", "--seed=3", "lines"))
    words = ["sort", f"--out={out}", "--parts=3", "-S64M"]
    left = [".part-00001.a_cd3f9h", ".manifest.json.abcdefgh"]
    stays = [".part-00001.other", "part-00001.abcdefgh", ".hidden"]
    done(*words, a)
    for more in ("--resume", "--replace"):
        for name in left + stays:
            (out / name).write_bytes(b"half")
        (out / "part-00001").unlink()
        done(*words, more, a)
        found = {p.name for p in out.iterdir()}
        if found & set(left) or not found >= set(stays):
            raise Failed(f"{more}: {sorted(found)}")
        for name in stays:
            (out / name).unlink()
        check_same(parts_of(out), gpusort("sort", a), more)


def resumed_with_another_header(folder: Path, **_: object) -> None:
    out, a = folder / "h", folder / "ha"
    a.write_bytes(b"head\nsecond\n" + b"%d\n" * 50 % tuple(range(50)))
    words = ["sort", f"--out={out}", "--parts=2", "-S64M"]
    done(*words, "--header", a)
    (out / "part-00000").unlink()
    for more in ([], ["--header=2"], ["--header=3"]):
        refused("another --header", *words, "--resume", *more, a)
    done(*words, "--resume", "--header=1", a)
    check_same(parts_of(out), gpusort("sort", "--header", a), "resumed with its header")


def main() -> None:
    cases = [replaced_at_last, index_replaced_at_last, what_killed_writers_left, resumed_with_another_header]
    run_cases(cases, 1)


if __name__ == "__main__":
    main()
