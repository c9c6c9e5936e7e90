# SPDX-License-Identifier: MIT
"""`gpusort-ray index` and `search`: what the shards answer together is what one index of
all documents answers, byte for byte and score for score."""

from __future__ import annotations

import json
import os
import random
import shutil
from pathlib import Path
from typing import Any
from unittest import mock

import on_cluster
from on_cluster import Failed, Nodes, check_same, gpusort, gpusort_ray, run_cases

CORPUS = Path(__file__).resolve().parent.parent.parent / "corpus"

_PHASES = (("build", 2), ("cut", 0), ("merge", 0), ("merge", 3), ("join", 0))


def queries_of(index: Path, count: int, seed: int) -> list[str]:
    """Of words that the index has, common and rare ones."""
    words = [line.split(b"\t")[0].decode(errors="ignore") for line in gpusort("lookup", "--df-only", "--prefix", index, "").splitlines()]
    words = [w for w in words if w.isalnum()]
    r = random.Random(seed)
    made = []
    for i in range(count):
        some = r.sample(words, min(len(words), 1 + i % 4))
        made.append(("", "+", "")[i % 3] + " ".join(some) + (f" {some[0][:2]}*" if i % 5 == 0 else ""))
    return made


def check_answers(
    one: Path, shards: object, queries: list[str], *options: str, job: tuple[str, ...] = ()
) -> None:
    want = gpusort("search", *options, one, *queries)
    code, got, err = gpusort_ray("search", *options, *job, shards, *queries)
    if code:
        raise Failed(f"{options}: exit {code}: {err}")
    check_same(got.encode(), want, f"search {options}")


def check_snippets(one: Path, out: Path, queries: list[str]) -> None:
    """The same documents, each with a stretch of its text: a shard takes it by how rare
    words are in itself."""
    want = gpusort("search", one, "-k", "3", *queries).decode().splitlines()
    got = gpusort_ray("search", "--snippets", "-k", "3", out, *queries)[1].splitlines()
    if [line.rsplit("\t", 1)[0] for line in got] != want:
        raise Failed("--snippets: other documents than without")
    texts = dict(line.split("\t", 1) for line in gpusort("lookup", "--df-only", "--prefix", one, "").decode().splitlines())
    if not all(line.rsplit("\t", 1)[1].split()[0].strip(".,;!?").lower() in texts for line in got):
        raise Failed("--snippets: what is no text of the index")


def check_index(folder: Path, options: list[str], inputs: list[Path], job: list[str], counted: int) -> None:
    one, out = folder / "one", folder / "shards"
    shutil.rmtree(out, ignore_errors=True)
    gpusort("index", "build", "--replace", "-o", one, *options, *inputs)
    code, _, err = gpusort_ray("index", f"--out={out}", "-S64M", *job, *options, *inputs)
    if code:
        raise Failed(f"{options}: exit {code}: {err}")
    if len(list(out.glob("shard-*"))) < counted:
        raise Failed(f"{options}: {sorted(out.iterdir())}, not {counted} shards")
    for shard in out.glob("shard-*"):
        gpusort("index", "verify", shard)
    queries = queries_of(one, 60, 1)
    check_answers(one, out, queries)
    check_answers(one, out, queries, "--json", "-k", "25")
    check_answers(one, out, queries, "--all", "--trec=run", "--k1=0.9", "--b=0.4")
    check_answers(one, out, queries, "--boolean", "-k", "50")
    check_answers(one, out, queries, "--boolean", "--json")
    check_answers(one, out, queries, "--count")
    check_answers(one, out, queries[:1])
    if "--positions" in options:
        check_answers(one, out, [f'"{q}"' for q in queries if q.isalnum()], "--json")
    if "--store" in options:
        check_snippets(one, out, queries)


def lines_of_documents(folder: Path, **_: object) -> None:
    docs = folder / "docs.jsonl"
    docs.write_bytes(gpusort("gen", "--format=jsonl", "-n", "4000", "--terms=900", "--seed=4", "docs"))
    check_index(folder, ["--positions", "--store"], [docs], ["--shards=5"], 5)
    tsv = folder / "docs.tsv"
    tsv.write_bytes(gpusort("gen", "--format=tsv", "-n", "2000", "--terms=300", "--seed=5", "docs"))
    check_index(folder, ["--format=tsv", "--stem=english"], [tsv, tsv], ["--chunk=40K"], 4)


def files_of_documents(folder: Path, **_: object) -> None:
    texts = folder / "texts"
    texts.mkdir()
    for i, p in enumerate(sorted(p for p in CORPUS.rglob("*.txt") if p.stat().st_size < 300_000)):
        shutil.copy(p, texts / f"{i:03d}-{p.name}")
    check_index(folder, ["--format=text"], [texts], ["--shards=3"], 2)


def refused_queries(folder: Path, **_: object) -> None:
    docs = folder / "few.tsv"
    docs.write_text("".join(f"{i}\tcat dog bird{i}\n" for i in range(100)))
    out = folder / "few"
    code, _, err = gpusort_ray("index", f"--out={out}", "--shards=3", "-S64M", docs)
    if code:
        raise Failed(err)
    code, text, err = gpusort_ray("search", out, "(cat", "dog")
    if code != 2 or "query 1, column 1" not in err or not text.startswith("2\t1\t"):
        raise Failed(f"a query that is refused: exit {code}: {text}{err}")
    code, _, err = gpusort_ray("index", f"--out={out}", docs)
    if code != 2 or "--resume" not in err:
        raise Failed(f"an index that is there: exit {code}: {err}")
    (out / "manifest.json").write_text((out / "manifest.json").read_text().replace("true", "false"))
    code, _, err = gpusort_ray("search", out, "cat")
    if code != 2 or "not complete" not in err:
        raise Failed(f"an index that is not complete: exit {code}: {err}")
    code, _, err = gpusort_ray("index", f"--out={out}", "--resume", "--shards=3", "-S64M", docs)
    if code or gpusort_ray("search", "--count", out, "cat")[1] != "100\n":
        raise Failed(f"resumed: exit {code}: {err}")
    for words in (["--format=tuples"], ["--unique-ids"], ["--checkpoint=x"], ["--parallel=2"]):
        code, _, err = gpusort_ray("index", f"--out={folder / 'no'}", *words, docs)
        if code != 2 or "makes no sense" not in err:
            raise Failed(f"{words}: exit {code}: {err}")


def names_with_odd_ends(folder: Path, **_: object) -> None:
    """What Python takes for the end of a line stays inside a name."""
    docs = folder / "ends.jsonl"
    odd = ["a\u2028b", "c\u0085d", "e\x0bf", "g\x1ch", "i\nj", "plain"]
    docs.write_text("".join(json.dumps({"id": n, "text": "cat"}, ensure_ascii=False) + "\n" for n in odd * 3))
    check_index(folder, ["--no-decompress"], [docs], ["--shards=3"], 3)


def check_whole(folder: Path, options: list[str], inputs: list[Path], job: list[str]) -> None:
    """By ranges of terms: the same bytes as one build, and nothing beside them."""
    one, out = folder / "one", folder / "by_terms"
    gpusort("index", "build", "--replace", "-o", one, *options, *inputs)
    code, _, err = gpusort_ray("index", f"--out={out}", "-S64M", "--replace", *job, *options, *inputs)
    if code:
        raise Failed(f"{options} {job}: exit {code}: {err}")
    check_same_index(one, out / "index", f"{options} {job}")
    left = sorted(p.name for p in out.iterdir())
    if left != ["index", "manifest.json"]:
        raise Failed(f"{options} {job}: left {left}")


def check_same_index(one: Path, other: Path, what: str) -> None:
    names = sorted(p.name for p in one.iterdir())
    if names != sorted(p.name for p in other.iterdir()):
        raise Failed(f"{what}: other files than {names}")
    for name in names:
        check_same((other / name).read_bytes(), (one / name).read_bytes(), f"{what}: {name}")


def by_terms(folder: Path, **_: object) -> None:
    docs = folder / "terms.jsonl"
    docs.write_bytes(gpusort("gen", "--format=jsonl", "-n", "3000", "--terms=900", "--seed=8", "docs"))
    check_whole(folder, [], [docs], ["--shards=4", "--by-terms=3"])
    check_whole(folder, ["--positions", "--store"], [docs, docs], ["--shards=3", "--by-terms=7"])
    check_whole(folder, ["--stem=english"], [docs], ["--shards=1", "--by-terms=2"])
    check_whole(folder, [], [docs], ["--shards=3", "--by-terms=1", "--unique-ids"])
    odd = folder / "odd.tsv"
    odd.write_bytes(b"1\tone\n2\tone\n3\t\n" + b"4\tan\xff \xc3\xa9t\xc3\xa9\n" * 3)
    check_whole(folder, ["--tokenizer=whitespace"], [odd], ["--chunk=12", "--by-terms=9"])
    queries = queries_of(folder / "one", 20, 3)
    check_answers(folder / "one", folder / "by_terms", queries, "--json")
    code, _, err = gpusort_ray(
        "index", f"--out={folder / 'twice'}", "-S64M", "--shards=2", "--by-terms=2", "--unique-ids", docs, docs
    )
    if code != 2 or "two documents" not in err and "same name" not in err:
        raise Failed(f"--unique-ids: exit {code}: {err}")
    for words, says in ((["--unique-ids"], "--by-terms"), (["--by-terms=2", "--reorder"], "reorder"), (["--by-terms=0"], "from 1")):
        code, _, err = gpusort_ray("index", f"--out={folder / 'no'}", *words, docs)
        if code != 2 or says not in err:
            raise Failed(f"{words}: exit {code}: {err}")
    (folder / "no" / "index").mkdir(parents=True)
    code, _, err = gpusort_ray("index", f"--out={folder / 'no'}", "--by-terms=2", docs)
    if code != 2 or "--replace" not in err:
        raise Failed(f"a folder that is in the way: exit {code}: {err}")


def by_terms_resumed(folder: Path, nodes: Nodes) -> None:
    """The driver dies in each phase, and a node, and it goes on from what is there."""
    docs, one, out = folder / "long.jsonl", folder / "one", folder / "resumed"
    docs.write_bytes(gpusort("gen", "--format=jsonl", "-n", "20000", "--terms=900", "--seed=9", "docs"))
    gpusort("index", "build", "--replace", "-o", one, docs)
    words = ["index", f"--out={out}", "-S64M", "--shards=4", "--by-terms=4", "--resume"]

    class Died(BaseException):
        pass

    def die() -> None:
        raise Died

    for phase, step in _PHASES:
        try:
            with on_cluster.at_step(phase, step, die):
                gpusort_ray(*words, docs)
            raise Failed(f"{phase} {step} never came")
        except Died:
            pass
    with on_cluster.at_step("join", 0, nodes.kill_one):
        code, _, err = gpusort_ray(*words, docs)
    if code:
        raise Failed(f"resumed: exit {code}: {err}")
    check_same_index(one, out / "index", "resumed")
    code, _, err = gpusort_ray(*words, docs)
    if code:
        raise Failed(f"resumed when all is done: exit {code}: {err}")
    code, _, err = gpusort_ray("index", f"--out={out}", "--resume", docs)
    if code != 2 or "by terms" not in err:
        raise Failed(f"resumed as shards: exit {code}: {err}")
    with on_cluster.at_step("merge", 1, nodes.kill_one):
        code, _, err = gpusort_ray(*words[:-1], "--replace", docs)
    if code:
        raise Failed(f"a node killed in the merge: exit {code}: {err}")
    check_same_index(one, out / "index", "a node killed in the merge")
    nodes.complete()


def by_tasks(folder: Path, nodes: Nodes) -> None:
    """The same answers from tasks of the cluster."""
    with mock.patch.dict(os.environ, RAY_ADDRESS=nodes.cluster.address):
        docs = folder / "some.jsonl"
        docs.write_bytes(gpusort("gen", "--format=jsonl", "-n", "1000", "--terms=200", "--seed=6", "docs"))
        check_index(folder, [], [docs], ["--shards=3"], 3)


def a_store(folder: Path, **_: object) -> None:
    with on_cluster.s3() as store:
        docs = gpusort("gen", "--format=jsonl", "-n", "3000", "--terms=400", "--seed=7", "docs")
        (folder / "s.jsonl").write_bytes(docs)
        store.put_object(Bucket="data", Key="docs/s.jsonl", Body=docs)
        gpusort("index", "build", "--replace", "-o", folder / "one", folder / "s.jsonl")
        code, _, err = gpusort_ray("index", "--out=s3://data/idx", "-S64M", "--shards=3", "s3://data/docs")
        if code:
            raise Failed(err)
        queries = queries_of(folder / "one", 30, 2)
        for _ in range(2):  # fetched, and found there
            check_answers(folder / "one", "s3://data/idx", queries, "--json", job=(f"-T{folder}",))
        code, _, err = gpusort_ray(
            "index", "--out=s3://data/whole", "-S64M", "--shards=3", "--by-terms=3", "s3://data/docs"
        )
        if code:
            raise Failed(err)
        keys = [o["Key"] for o in store.list_objects_v2(Bucket="data", Prefix="whole/")["Contents"]]
        for key in keys:
            text = store.get_object(Bucket="data", Key=key)["Body"].read()
            if key != "whole/manifest.json":
                check_same(text, (folder / "one" / key.removeprefix("whole/index/")).read_bytes(), key)
        if len(keys) != 1 + len(list((folder / "one").iterdir())):
            raise Failed(f"--by-terms to a store: {keys}")
        names_of_buckets(store)


def names_of_buckets(store: Any) -> None:
    """Copies of documents lie under their buckets' names, beside what a task makes."""
    names = ["index", "lock", "stats", "names"]
    for name in names:
        store.create_bucket(Bucket=name)
        store.put_object(Bucket=name, Key="a.txt", Body=b"cat")
    urls = [f"s3://{name}/a.txt" for name in names]
    code, _, err = gpusort_ray("index", "--out=s3://data/buckets", "-S64M", "--shards=1", *urls)
    if code:
        raise Failed(err)
    text = gpusort_ray("search", "--plain", "--boolean", "s3://data/buckets", "cat")[1]
    if text.split() != [f"{name}/a.txt" for name in names]:
        raise Failed(f"documents of buckets {names}: {text}")


def main() -> None:
    cases = [lines_of_documents, files_of_documents, refused_queries, names_with_odd_ends, by_terms, by_terms_resumed,
             by_tasks, a_store]  # fmt: skip
    with on_cluster.store_environment():
        run_cases(cases)


if __name__ == "__main__":
    main()
