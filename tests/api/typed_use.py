# SPDX-License-Identifier: MIT
"""What a program that has types sees of the Python package: mypy reads it and never runs it
(python_types.sh). A line with `type: ignore` is a mistake that must be seen, since mypy says
where it was told to ignore nothing."""

from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Union

from typing_extensions import assert_type

import gpusort


class Numbers:
    """As numpy's arrays show their memory."""

    @property
    def __array_interface__(self) -> Dict[str, Any]:
        return {}


def tell(progress: gpusort.Progress) -> bool:
    return progress.records > 10


def sorts(numbers: Numbers) -> None:
    assert_type(gpusort.sort("in"), Iterator[bytes])
    assert_type(gpusort.sort(["a", Path("b"), b"c", 0], keys=["2,2n", gpusort.Key(1)], memory="1G"), Iterator[bytes])
    gpusort.sort("in", "out", unique=True, top=7, temp=["/a", Path("/b")], progress=tell, seed=b"0" * 16)
    gpusort.sort("in", "out", delimiter=",", stable=True, zero_terminated=True, form="csv", locale=True, header=1, counts=True)
    gpusort.sort("in", "out", compress=True, sync=True, verify=True, mapped=True, checkpoint=Path("kept"))
    gpusort.sort("in", "out", gpu_memory="8G", gpus=[0, 1], log=lambda level, text: print(level + text))
    pieces: List[bytes] = []
    gpusort.sort("in", pieces.append)
    with open("in", "rb") as file, open("out", "wb") as out:
        gpusort.sort(file, out)
    assert_type(gpusort.sort(numbers, threads=2, engine="cpu"), Numbers)
    assert_type(gpusort.sort_array(numbers), Numbers)
    assert_type(gpusort.merge(["a", "b"], reverse=True), Iterator[bytes])
    assert_type(gpusort.check_order("in", keys="2"), int)
    assert_type(gpusort.sort_records([b"b", b"a"]), Iterator[bytes])
    assert_type(gpusort.sort_strings(["b", "a"], reverse=True), List[str])
    assert_type(gpusort.sort_strings((b"b", b"a"), threads=1), List[bytes])
    assert_type(gpusort.sort_strings(numbers), Numbers)
    with gpusort.Sorter(record_bytes=8, keys=gpusort.ByteKey(0, 8)) as sorter:
        sorter.put(b"12345678")
        sorter.put_many([b"12345678"])
        sorter.put_text(b"1234567812345678")
        for record in sorter:
            assert_type(record, bytes)
        sorter.close()
    assert_type(gpusort.argsort_strings(["b", "a"], reverse=True), Any)

    gpusort.sort(1.5)  # type: ignore
    gpusort.sort("in", uniqe=True)  # type: ignore
    gpusort.sort("in", top="7")  # type: ignore
    gpusort.sort("in", progress=chr)  # type: ignore
    gpusort.sort(numbers, unique=True)  # type: ignore
    gpusort.sort_strings([1, 2])  # type: ignore
    gpusort.sort_strings(["a"], unique=True)  # type: ignore
    gpusort.sort_records(["a"])  # type: ignore
    gpusort.merge("in", "out", memory=[1])  # type: ignore
    gpusort.Sorter().put("text")  # type: ignore
    gpusort.Sorter().put_many(b"text")  # type: ignore
    gpusort.Sorter().put_text(7)  # type: ignore


def joins_and_parts() -> None:
    assert_type(gpusort.join("a", "b", on=("person", 2), how="left"), Iterator[bytes])
    gpusort.join("a", "b", "out", band=(-5, None), tuples=([gpusort.ByteKey(0, 4)], [gpusort.ByteKey(0, 4)]))
    gpusort.join("a", "b", match="less", fields=["1.2", "0"], filler="-", ignore_case=True, skip_bad=True)
    gpusort.join("a", "b", tuple_sizes=(8, 8), text=True)
    assert_type(gpusort.survey("in", order=False).checksum, str)
    assert_type(gpusort.sample("in", "cuts", 1000, parts=4, keys="1R", order_seed=b"0" * 16).seen, int)
    assert_type(gpusort.partition("in", "part", "cuts", framed=True)[0].bytes, int)
    assert_type(gpusort.unframe("stream", "part", part=1), List[gpusort.Part])

    gpusort.join("a", "b", on=2.5)  # type: ignore
    gpusort.join("a", "b", how=1)  # type: ignore
    gpusort.join("a", "b", key=1)  # type: ignore
    gpusort.sample("in", "cuts", "1000")  # type: ignore
    gpusort.sample("in", "cuts", 1000, seed=b"0" * 16)  # type: ignore
    gpusort.partition("in", "part", splitters=5)  # type: ignore
    gpusort.Key.parse(2)  # type: ignore


def streams(numbers: Numbers) -> None:
    summary = gpusort.summarize("times", eps=0.0001, window=1000)
    assert_type(summary.quantiles([0.5, 0.99]), List[Union[float, int]])
    assert_type(summary.frequent(0.01)[0].count, int)
    assert_type(summary.columns()[0].name, Optional[bytes])
    assert_type(summary.sum("quantile", phi=0.5).middle, float)
    assert_type(gpusort.summarize(numbers, "frequent").info, gpusort.Info)
    gpusort.summarize("times", binary=True, csv=True, delimiter=b",", header=False, skip_bad=True, value="x", second=2)
    gpusort.summarize("times", window_seconds=2.5, exact=True, ranks=True, hierarchy="ip", step=8, every=10, every_seconds=5)
    with gpusort.Stream("frequent", values="text", report=lambda s: s.save("known")) as stream:
        stream.put(b"word")
        stream.put_many([b"word", b"and"])
        stream.put_text(b"one\nother\n")
        stream.put_numbers(numbers)
        assert_type(stream.ask(), gpusort.Summary)
        assert_type(stream.bad, int)
        assert_type(stream.end(), gpusort.Summary)
        stream.close()
    assert_type(summary.prefixes(0.1), List[gpusort.Count])
    assert_type(summary.bins(10, column=1), List[gpusort.Bin])
    summary.close()
    both = gpusort.Summary.load("monday")
    both.merge(gpusort.Summary.load("tuesday"))

    gpusort.summarize("times", epsilon=0.1)  # type: ignore
    gpusort.summarize("times", progress=tell)  # type: ignore
    gpusort.Stream(values=1)  # type: ignore
    both.merge("tuesday")  # type: ignore
    summary.quantile("0.5")  # type: ignore


def indexes() -> None:
    index = gpusort.Index.build("idx", ["a.jsonl", Path("b")], positions=True, memory="1G", progress=tell)
    assert_type(index, gpusort.Index)
    assert_type(index.search("fish", top=5), List[gpusort.Hit])
    assert_type(index.search_many(["fish", b"chips"])[0][0].name, Optional[str])
    assert_type(index.matches("fish"), Iterator[int])
    assert_type(index.find(["d7"]), List[Optional[int]])
    assert_type(index.text(7), bytes)
    assert_type(index.snippets("fish", [7])[0].marks[0][1], int)
    assert_type(gpusort.Index.delete("idx", ["d7"]).missing, List[str])
    assert_type(gpusort.Index.merge("all", ["monday", "tuesday"], doc_ids="shift"), gpusort.Index)
    assert_type(index.heads(["fish", b"chips"], head=3, engine="cpu"), gpusort.Heads)
    assert_type(index.documents, int)
    assert_type(index.names([7]), List[Optional[str]])
    assert_type(index.lookup(b"fish"), gpusort.Postings)
    index.verify(sums_only=True, threads=2)
    index.close()
    assert_type(gpusort.Index.open("idx"), gpusort.Index)
    assert_type(gpusort.Index.reorder("better", Path("idx"), replace=True), gpusort.Index)
    assert_type(gpusort.Index.import_ciff("idx", "idx.ciff", strict=True), gpusort.Index)
    gpusort.Index.export_ciff("idx", "idx.ciff", memory="1G")

    gpusort.Index.build("idx", 5)  # type: ignore
    gpusort.Index.build("idx", "in", position=True)  # type: ignore
    gpusort.Index.append("idx", "in", threads="2")  # type: ignore
    gpusort.Index.compact("idx", memory=1.5)  # type: ignore
    index.search(7)  # type: ignore
    index.text("d7")  # type: ignore
    index.heads([7])  # type: ignore


def machines(error: gpusort.Error) -> None:
    assert_type(gpusort.machine().uring_refusal, Optional[str])
    assert_type(gpusort.gpus(), List[gpusort.GPU])
    gpusort.generate("lines", "out", records=10, line_bytes=(10, 50))
    assert_type(error.hint, Optional[str])
    assert_type(gpusort.__version__, str)
    of_a_file: OSError = gpusort.IOFailure()
    of_memory: MemoryError = gpusort.MemoryFailure()
    of_arguments: ValueError = gpusort.ArgumentError()
    print(of_a_file, of_memory, of_arguments)

    gpusort.generate("lines", "out", record=10)  # type: ignore
    gpusort.generate("lines", 1.5)  # type: ignore
