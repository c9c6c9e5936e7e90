# SPDX-License-Identifier: MIT
"""Inverted indexes: built, changed, opened, looked up, searched."""

from __future__ import annotations

import os
import threading
from array import array
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Iterable, Iterator, NamedTuple

from ._library import Job, JobOptions, Path, check, exception_of_question, ffi, filled, lib, name_of, new_error

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Hit(NamedTuple):
    """A document that was found."""

    document: int
    score: float
    name: str | None


class Snippet(NamedTuple):
    """A stretch of the text of a document, and where in it words of the query stand: pairs
    of characters. `more` says whether the text goes on before and behind it."""

    text: str
    marks: list[tuple[int, int]]
    more: tuple[bool, bool]


class Postings(NamedTuple):
    """The documents of a term, in ascending order, and how often each has it: arrays of
    numpy where that is there, else lists."""

    documents: Any
    frequencies: Any


class Heads(NamedTuple):
    """Of each of many terms how many documents have it, and the beginning of their list: of
    term i documents[offsets[i]:offsets[i + 1]], and how often each has it in `frequencies`.
    Arrays of numpy where that is there, else lists."""

    counts: Any
    offsets: Any
    documents: Any
    frequencies: Any


class Deletion(NamedTuple):
    """How many documents have gone, and which names none had."""

    documents: int
    missing: list[str]


def _documents(
    folder: Path,
    inputs: Path | Iterable[Path],
    format: str | None,
    id_field: str | None,
    text_fields: Iterable[str],
    skip_bad: bool,
    job_options: JobOptions,
) -> tuple[Job, Any]:
    """What is read into an index: a job and its options."""
    job = Job(**job_options)
    o = filled("build_options")
    job.fill(o.job)
    every = [inputs] if isinstance(inputs, (str, bytes, os.PathLike)) else list(inputs)
    fields = [text_fields] if isinstance(text_fields, str) else list(text_fields)
    o.folder = job.text(folder)
    o.inputs, o.input_count = job.paths(every), len(every)
    o.format, o.id_field = job.text(format), job.text(id_field)
    o.text_fields, o.text_field_count = job.paths(fields), len(fields)
    o.skips_bad = skip_bad
    return job, o


def _copied(pointer: Any, count: int, kind: str) -> Any:
    width = {"uint64": 8, "uint32": 4}[kind]
    data = bytes(ffi.buffer(pointer, count * width)) if count else b""
    try:
        import numpy
    except ImportError:
        return memoryview(data).cast("Q" if width == 8 else "I").tolist()
    return numpy.frombuffer(data, dtype=kind)


def _array(count: int, kind: str) -> Any:
    """To be filled by the library."""
    try:
        import numpy
    except ImportError:
        return array("Q" if kind == "uint64" else "I", bytes(count * (8 if kind == "uint64" else 4)))
    return numpy.empty(count, dtype=kind)


def _filled(made: Any, count: int) -> Any:
    return made[:count].tolist() if isinstance(made, array) else made[:count]


_doc_ids = {
    "auto": "GPUSORT_IDS_AUTO",
    "keep": "GPUSORT_IDS_KEEP",
    "shift": "GPUSORT_IDS_SHIFT",
}


def _bytes(query: str | bytes) -> bytes:
    return query.encode() if isinstance(query, str) else query


def _snippet(s: Any) -> Snippet:
    text = bytes(ffi.buffer(s.text, s.bytes)) if s.bytes else b""
    marks = [
        (len(text[: m.begin].decode()), len(text[: m.end].decode()))
        for m in ffi.unpack(s.marks, s.mark_count)
    ]
    return Snippet(text.decode(), marks, (bool(s.is_cut_before), bool(s.is_cut_behind)))


class Index:
    """An open index. Any number of threads may use it.

    documents are those that are left; terms, postings and tokens are those
    of its segments added up, so that a term of two of them counts twice, and of what was
    deleted until a merge drops it."""

    def __init__(self, folder: Path) -> None:
        """Opens it."""
        self._index: Any = None
        self._searchers = threading.local()
        out, error = ffi.new("gpusort_index **"), new_error()
        check(lib.gpusort_index_open(out, name_of(folder), error), error)
        self._index = ffi.gc(out[0], lib.gpusort_index_close)
        info = filled("index_info")
        lib.gpusort_index_describe(self._index, info)
        self.documents: int = info.documents
        self.terms: int = info.terms
        self.postings: int = info.postings
        self.tokens: int = info.tokens
        self.has_positions = bool(info.has_positions)
        self.has_names = bool(info.has_names)
        self.has_texts = bool(info.has_texts)
        self.has_impacts = bool(info.has_impacts)
        self.doc_base: int = info.doc_base
        self.segments: int = info.segments
        self.deleted: int = info.deleted

    @classmethod
    def open(cls, folder: Path) -> Index:
        return cls(folder)

    @classmethod
    def build(
        cls,
        folder: Path,
        inputs: Path | Iterable[Path],
        *,
        replace: bool = False,
        format: str | None = None,
        id_field: str | None = None,
        text_fields: Iterable[str] = (),
        skip_bad: bool = False,
        positions: bool = False,
        keep_case: bool = False,
        stem: str | None = None,
        stop_words: Path | None = None,
        tokenizer: str | None = None,
        min_len: int = 0,
        max_len: int = 0,
        weight_scale: float = 0,
        doc_base: int = 0,
        texts: bool = False,
        reorder: bool = False,
        unique_names: bool = False,
        checkpoint: Path | None = None,
        **job_options: Unpack[JobOptions],
    ) -> Index:
        """Makes an index of documents or tuples, as `gpusort index build` does, and opens
        it."""
        job, o = _documents(folder, inputs, format, id_field, text_fields, skip_bad, job_options)
        o.replaces, o.has_positions, o.keeps_case = replace, positions, keep_case
        o.stem_language, o.stop_words = job.text(stem), job.text(stop_words)
        o.tokenizer, o.min_len, o.max_len = job.text(tokenizer), min_len, max_len
        o.weight_scale, o.doc_base = weight_scale, doc_base
        o.has_texts, o.reorders, o.unique_names = texts, reorder, unique_names
        o.checkpoint = job.text(checkpoint)
        job.run(lib.gpusort_index_build, o)
        return cls(folder)

    @classmethod
    def append(
        cls,
        folder: Path,
        inputs: Path | Iterable[Path],
        *,
        update: bool = False,
        merge: bool = True,
        format: str | None = None,
        id_field: str | None = None,
        text_fields: Iterable[str] = (),
        skip_bad: bool = False,
        **job_options: Unpack[JobOptions],
    ) -> Index:
        """Puts documents behind those that an index has, as `gpusort index append` does, and
        opens it; with `update` those that have the name of a new one go. One that is open
        stays what it was. Without `merge` merging segments is left to later."""
        job, o = _documents(folder, inputs, format, id_field, text_fields, skip_bad, job_options)
        flags = lib.GPUSORT_UPDATE * update | lib.GPUSORT_NO_MERGE * (not merge)
        job.run(lib.gpusort_index_append, o, flags)
        return cls(folder)

    @staticmethod
    def delete(
        folder: Path, names: str | Iterable[str], *, merge: bool = True, **job_options: Unpack[JobOptions]
    ) -> Deletion:
        """Takes the documents that have one of the names out of an index, all at once, as
        `gpusort index delete` does."""
        every = [names] if isinstance(names, str) else list(names)
        job, options = Job(**job_options), ffi.new("gpusort_job *")
        job.fill(options)
        texts = job.paths([n.encode("utf-8", "surrogateescape") for n in every])
        found = ffi.new("unsigned char[]", len(every) or 1)
        deleted = ffi.new("uint64_t *")
        flags = lib.GPUSORT_NO_MERGE * (not merge)
        job.run(
            lib.gpusort_index_delete, job.text(folder), texts, len(every), flags, found, deleted, options
        )
        return Deletion(deleted[0], [n for n, is_there in zip(every, found) if not is_there])

    @staticmethod
    def compact(folder: Path, **job_options: Unpack[JobOptions]) -> None:
        """Makes all segments of an index one, of which nothing is deleted: the same bytes as
        one build of the documents that are left."""
        job, options = Job(**job_options), ffi.new("gpusort_job *")
        job.fill(options)
        job.run(lib.gpusort_index_compact, job.text(folder), options)

    @classmethod
    def merge(
        cls,
        folder: Path,
        inputs: Iterable[Path],
        *,
        replace: bool = False,
        doc_ids: str = "auto",
        unique_names: bool = False,
        checkpoint: Path | None = None,
        **job_options: Unpack[JobOptions],
    ) -> Index:
        """Makes one index of several, as `gpusort index merge` does, and opens it. `doc_ids`
        is "auto", "keep" or "shift"."""
        job, every = Job(**job_options), list(inputs)
        o = filled("index_merge_options")
        job.fill(o.job)
        o.folder, o.replaces, o.unique_names = job.text(folder), replace, unique_names
        o.inputs, o.input_count = job.paths(every), len(every)
        if doc_ids not in _doc_ids:
            raise ValueError(f"no known doc_ids: {doc_ids!r}")
        o.doc_ids = getattr(lib, _doc_ids[doc_ids])
        o.checkpoint = job.text(checkpoint)
        job.run(lib.gpusort_index_merge, o)
        return cls(folder)

    @classmethod
    def reorder(
        cls, folder: Path, index: Path, *, replace: bool = False, **job_options: Unpack[JobOptions]
    ) -> Index:
        """Makes the same index with its documents in an order that makes it smaller and
        searches faster, as `gpusort index reorder` does, and opens it."""
        job, options = Job(**job_options), ffi.new("gpusort_job *")
        job.fill(options)
        flags = lib.GPUSORT_REPLACE * replace
        job.run(lib.gpusort_index_reorder, job.text(folder), job.text(index), flags, options)
        return cls(folder)

    @classmethod
    def import_ciff(
        cls,
        folder: Path,
        file: Path,
        *,
        replace: bool = False,
        unique_names: bool = False,
        impacts: bool = False,
        strict: bool = False,
        **job_options: Unpack[JobOptions],
    ) -> Index:
        """Makes an index of a file in the Common Index File Format, and opens it."""
        job, o = Job(**job_options), filled("import_options")
        job.fill(o.job)
        o.folder, o.input, o.replaces = job.text(folder), job.text(file), replace
        o.unique_names, o.has_impacts, o.is_strict = unique_names, impacts, strict
        job.run(lib.gpusort_index_import, o)
        return cls(folder)

    @staticmethod
    def export_ciff(folder: Path, file: Path, **job_options: Unpack[JobOptions]) -> None:
        """Writes an index as such a file."""
        job, options = Job(**job_options), ffi.new("gpusort_job *")
        job.fill(options)
        job.run(lib.gpusort_index_export, job.text(folder), job.text(file), options)

    def _open(self) -> Any:
        if self._index is None:
            raise ValueError("the index is closed")
        return self._index

    def name(self, document: int) -> str | None:
        """What a document is called; None where documents have no names."""
        return self.names([document])[0]

    def names(self, documents: Iterable[int]) -> list[str | None]:
        """The same of many."""
        every = list(documents)
        index, count, error = self._open(), len(every), new_error()
        asked, offsets = ffi.new("uint64_t[]", every), ffi.new("uint64_t[]", count + 1)
        room = 32 * count
        while True:
            text = ffi.new("char[]", room)
            check(lib.gpusort_index_names(index, asked, count, text, room, offsets, error), error)
            if offsets[count] <= room:
                break
            room = offsets[count]
        check(lib.gpusort_index_unchanged(index, error), error)
        if not self.has_names:
            return [None] * count
        all_of_it = bytes(ffi.buffer(text, offsets[count]))
        return [
            all_of_it[offsets[i] : offsets[i + 1]].decode("utf-8", "surrogateescape")
            for i in range(count)
        ]

    def find(self, names: Iterable[str]) -> list[int | None]:
        """The first document of each name; None where there is none."""
        every = [n.encode("utf-8", "surrogateescape") for n in names]
        texts = [ffi.from_buffer("char[]", n) for n in every]
        asked = ffi.new("const char *[]", texts)
        lengths = ffi.new("size_t[]", [len(n) for n in every])
        found, error = ffi.new("uint64_t[]", len(every)), new_error()
        check(
            lib.gpusort_index_find(self._open(), asked, lengths, len(every), found, error), error
        )
        return [d if d != 2**64 - 1 else None for d in found]

    def text(self, document: int) -> bytes:
        """The text of a document, of an index that was built with texts."""
        out, error = ffi.new("gpusort_texts **"), new_error()
        check(lib.gpusort_texts_new(out, self._open(), error), error)
        try:
            check(lib.gpusort_texts_begin(out[0], document, ffi.NULL, error), error)
            pieces, piece, count = [], ffi.new("const void **"), ffi.new("size_t *")
            while True:
                check(lib.gpusort_texts_next(out[0], piece, count, error), error)
                if count[0] == 0:
                    break
                pieces.append(bytes(ffi.buffer(piece[0], count[0])))
            check(lib.gpusort_index_unchanged(self._open(), error), error)
            return b"".join(pieces)
        finally:
            lib.gpusort_texts_free(out[0])

    def verify(self, *, sums_only: bool = False, **job_options: Unpack[JobOptions]) -> None:
        """Looks at every checksum, order and count, or at checksums only; a FormatError says
        what is wrong first."""
        job, options = Job(**job_options), ffi.new("gpusort_job *")
        job.fill(options)
        flags = lib.GPUSORT_SUMS_ONLY * sums_only
        job.run(lib.gpusort_index_verify, self._open(), flags, options)

    def lookup(self, term: str | bytes) -> Postings:
        """The documents of a term, which is taken as it is."""
        asked = term.encode() if isinstance(term, str) else term
        out, error = ffi.new("gpusort_postings *"), new_error()
        check(lib.gpusort_index_lookup(self._open(), asked, len(asked), out, error), error)
        try:
            return Postings(
                _copied(out.documents, out.count, "uint64"),
                _copied(out.frequencies, out.count, "uint32"),
            )
        finally:
            lib.gpusort_postings_free(out)

    def heads(
        self,
        terms: Iterable[str | bytes],
        head: int = 10,
        *,
        engine: str | None = None,
        threads: int = 0,
        gpu_memory: int | str | None = None,
        gpus: Iterable[int] | None = None,
        expected_terms: int = 0,
    ) -> Heads:
        """Of many terms, which are taken as they are, how many documents have each, and the
        first `head` of them (0: all), by all threads or a GPU. What that needs is kept while
        the index is open, for the next call with the same options."""
        every = [_bytes(term) for term in terms]
        of_gpu = (engine, threads, gpu_memory, None if gpus is None else tuple(gpus))
        heads = self._heads(head, of_gpu, expected_terms)
        ends = ffi.from_buffer("uint64_t[]", array("Q", accumulate(map(len, every), initial=0)))
        text = ffi.from_buffer("char[]", b"".join(every))
        lists, error = filled("heads_lists"), new_error()
        counts, offsets = _array(len(every), "uint64"), _array(len(every) + 1, "uint64")
        lists.counts = ffi.from_buffer("uint64_t[]", counts, require_writable=True)
        lists.offsets = ffi.from_buffer("uint64_t[]", offsets, require_writable=True)
        room = len(every) * head
        if head == 0 or room > 1 << 24:  # so much is not taken unasked
            check(lib.gpusort_heads_find(heads, text, ends, len(every), lists, error), error)
            room = int(offsets[len(every)])
        documents, frequencies = _array(room, "uint64"), _array(room, "uint32")
        lists.documents = ffi.from_buffer("uint64_t[]", documents, require_writable=True)
        lists.frequencies = ffi.from_buffer("uint32_t[]", frequencies, require_writable=True)
        lists.room = room
        check(lib.gpusort_heads_find(heads, text, ends, len(every), lists, error), error)
        count = int(offsets[len(every)])
        return Heads(
            _filled(counts, len(every)),
            _filled(offsets, len(every) + 1),
            _filled(documents, count),
            _filled(frequencies, count),
        )

    def search(
        self,
        query: str | bytes,
        top: int = 10,
        *,
        k1: float = 1.2,
        b: float = 0.75,
        all_words: bool = False,
        plain: bool = False,
    ) -> list[Hit]:
        """The best documents of a query, the best first, by BM25 with `k1` and `b`, or of an
        index of weights by sums of them. `all_words`: words side by side must all be there;
        `plain`: no operators."""
        return self.search_many([query], top, k1=k1, b=b, all_words=all_words, plain=plain)[0]

    def search_many(
        self,
        queries: Iterable[str | bytes],
        top: int = 10,
        *,
        k1: float = 1.2,
        b: float = 0.75,
        all_words: bool = False,
        plain: bool = False,
    ) -> list[list[Hit]]:
        """The same of many queries, by all threads."""
        every = [_bytes(q) for q in queries]
        searcher = self._searcher(k1=k1, b=b, needs_all=all_words, is_plain=plain)
        if top == 0:
            return [[] for _ in every]
        texts = [ffi.from_buffer("char[]", q) for q in every]
        questions, error = ffi.new("gpusort_question[]", len(every)), new_error()
        for i, text in enumerate(texts):
            questions[i].query, questions[i].bytes = text, len(every[i])
        check(lib.gpusort_search_many(searcher, questions, len(every), top, error), error)
        for q in questions:
            if q.code != lib.GPUSORT_OK:
                raise exception_of_question(q)
        hits_of = [[q.hits[i] for i in range(q.hit_count)] for q in questions]
        found = [[(h.document, h.score) for h in hits] for hits in hits_of]
        names = iter(self.names(d for hits in found for d, _ in hits))
        return [[Hit(d, score, next(names)) for d, score in hits] for hits in found]

    def matches(
        self, query: str | bytes, *, all_words: bool = False, plain: bool = False
    ) -> Iterator[int]:
        """All documents that match, in their order. One query of a thread at a time."""
        asked, error = _bytes(query), new_error()
        searcher = self._searcher(k1=1.2, b=0.75, needs_all=all_words, is_plain=plain)
        check(lib.gpusort_search_begin(searcher, asked, len(asked), error), error)
        documents, count = ffi.new("uint64_t[]", 4096), ffi.new("size_t *")
        while True:
            check(lib.gpusort_search_next(searcher, documents, 4096, count, error), error)
            check(lib.gpusort_index_unchanged(self._open(), error), error)
            if count[0] == 0:
                return
            yield from ffi.unpack(documents, count[0])

    def snippets(self, query: str | bytes, documents: Iterable[int]) -> list[Snippet]:
        """Of each document the stretch of its text with the most words of the query; of an
        index that was built with texts."""
        asked, every, error = _bytes(query), list(documents), new_error()
        searcher = self._searcher(k1=1.2, b=0.75, needs_all=False, is_plain=False)
        numbers = ffi.new("uint64_t[]", every)
        out = ffi.new("gpusort_snippet[]", len(every))
        check(
            lib.gpusort_search_snippets(
                searcher, asked, len(asked), numbers, len(every), out, error
            ),
            error,
        )
        check(lib.gpusort_index_unchanged(self._open(), error), error)
        return [_snippet(s) for s in out]

    def _searcher(self, **options: float) -> Any:
        """This thread's own for these members of gpusort_search_options; kept while the index is open."""
        kept = self._searchers.__dict__.setdefault("by_options", {})
        wanted = tuple(sorted(options.items()))
        if wanted not in kept:
            filled_in = filled("search_options")
            for name, value in options.items():
                setattr(filled_in, name, value)
            out, error = ffi.new("gpusort_searcher **"), new_error()
            check(lib.gpusort_searcher_new(out, self._open(), filled_in, error), error)
            kept[wanted] = _Searcher(out[0], self._index)
        self._open()
        return kept[wanted].searcher

    def _heads(self, head: int, of_job: tuple[Any, ...], expected_terms: int) -> Any:
        """The same of heads."""
        kept = self._searchers.__dict__.setdefault("heads", {})
        wanted = (head, of_job, expected_terms)
        self._open()
        if wanted not in kept:
            engine, threads, gpu_memory, gpus = of_job
            job = Job(engine=engine, threads=threads, gpu_memory=gpu_memory, gpus=gpus and list(gpus))
            options = filled("heads_options")
            job.fill(options.job)
            options.head, options.expected_terms = head, expected_terms
            out, error = ffi.new("gpusort_heads **"), new_error()
            check(lib.gpusort_heads_new(out, self._index, options, error), error)
            kept[wanted] = _Heads(out[0], self._index, job)
        return kept[wanted].heads

    def close(self) -> None:
        """No thread is using it any more."""
        self._searchers = threading.local()
        self._index = None

    def __enter__(self) -> Index:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __len__(self) -> int:
        return self.documents


class _Searcher:
    """Holds the index, which it borrows, until it has gone itself."""

    def __init__(self, searcher: Any, index: Any) -> None:
        self.searcher, self._index = searcher, index

    def __del__(self) -> None:
        lib.gpusort_searcher_free(self.searcher)


class _Heads:
    """The same, and what the job of their options points to."""

    def __init__(self, heads: Any, index: Any, job: Job) -> None:
        self.heads, self._index, self._job = heads, index, job

    def __del__(self) -> None:
        lib.gpusort_heads_free(self.heads)
