# SPDX-License-Identifier: MIT
"""The command `gpusort-ray`."""

from __future__ import annotations

import os
import sys

from . import __version__, files
from .errors import PassingTrouble, Trouble, Usage
from .job_options import JobOptions

_USAGE = """\
Usage: gpusort-ray sort --out=DIR|URL [OPTION]... INPUT...
   or: gpusort-ray check DIR|URL
   or: gpusort-ray index --out=DIR|URL [OPTION]... INPUT...
   or: gpusort-ray search DIR|URL [OPTION]... [QUERY]...
Sorts files of any size on a Ray cluster, or on this machine if there is none. What the
part files in DIR hold, one behind the other, is what `gpusort sort` writes of all INPUTs,
in that order. An INPUT is a file, a folder, or a URL of a store that fsspec knows
(s3://bucket/key, with * in it for several); so is DIR. `check` compares parts with their
checksums.

  --out=DIR|URL       where the parts go, and a manifest that says what they are
  --parts=N           so many of them
  --chunk=SIZE        so much is sorted by one task
  --resume            go on with what a driver that died has left in DIR, by
                      the same gpusort
  --replace           take away what another sort has left there
  --files0-from=F     read names of inputs, each ended by a zero byte
  --address=ADDRESS   of the Ray cluster (default: $RAY_ADDRESS, or a new one here)
  --cpus=N            cores of a task (default: those of a node, at most 4)
  -S SIZE             memory of a gpusort in a task, in K or with a unit: b K M G T P
  -T DIR              temporary files of tasks, on each node
  --engine=NAME       auto (gpu where every node has one), cpu, gpu
  --gpu-mem=SIZE      of each GPU, at most
  --no-uring          read and write without io_uring
  --pieces=HOW        what is between the phases of a sort: objects of Ray, files in -T,
                      which all nodes see, or auto: files where there is one node
  --sync              of a sort: parts and the manifest are on disk before they have names
  --retries=N         how often a task is tried again elsewhere (5)
  --gpusort=PROGRAM   on every node (default: in the package, then $PATH)
  --progress[=WHEN]   always, auto (on terminals), never
  --stats[=FILE]      figures of the job, as JSON, at the end
  -v, --verbose       show what Ray has to say

Other options are those of `gpusort sort` that say what a record is and what order means:
-b -d -f -g -i -h -M -n -R -r -V -k -t -s -u -z --sort --random-source --record-size
--key-bytes --csv --tsv --no-quotes --jsonl-key --locale-order --header --no-header
--no-decompress --verify.

`index` builds an index in shards, as many as --shards=N says, of documents as `gpusort index
build` reads them, and takes its options. With --by-terms=N they are merged by N ranges of
their terms, on as many nodes, and joined: DIR/index is the same bytes as one `gpusort index
build` makes; --unique-ids then finds documents of the same name. `search` asks all shards, and gives what `gpusort
search` gives of one index of all documents, scores to the last bit; its options are -k --all
--plain --boolean --count --json --snippets --trec --k1 --b --verify --exhaustive.

Exit codes: 0 good, 2 trouble; then the same command with --resume goes on.
"""


def _inputs(operands: list[str], job: JobOptions) -> list[str]:
    if job.files0_from:
        if operands:
            raise Usage(f"extra operand '{operands[0]}': --files0-from names all inputs")
        names = files.read_whole(job.files0_from).split(b"\0")
        operands = [os.fsdecode(n) for n in names if n]
    if "-" in operands:
        raise Usage("standard input cannot be cut for several machines: name files")
    if not operands:
        raise Usage("say what is to be sorted")
    return [i if not files.is_local(i) else os.path.abspath(files.path_of(i)) for i in operands]


def _sort(words: list[str]) -> None:
    from . import sort_job
    from .sort_options import parse_sort

    options, operands = parse_sort(words)
    job = options.job
    if not job.out:
        raise Usage("say where the parts are to go: --out=DIR")
    if files.is_local(job.out):
        job.out = os.path.abspath(files.path_of(job.out))
    sort_job.SortJob(options, _inputs(operands, job)).run()


def _index(words: list[str]) -> None:
    from .index_job import IndexJob
    from .index_options import parse_index

    options, operands = parse_index(words)
    job = options.job
    if not job.out:
        raise Usage("say where the shards are to go: --out=DIR")
    if files.is_local(job.out):
        job.out = os.path.abspath(files.path_of(job.out))
    IndexJob(options, _inputs(operands, job)).run()


def _search(words: list[str]) -> int:
    from .search import search

    return search(words)


def _check(words: list[str]) -> None:
    from .sort_job import check_parts

    if len(words) != 1:
        raise Usage("say which folder of parts")
    check_parts(words[0])


_COMMANDS = {"sort": _sort, "check": _check, "index": _index, "search": _search}


def main() -> int:
    words = sys.argv[1:]
    if not words or words[0] in ("-h", "--help", "help") or words[1:] in (["-h"], ["--help"]):
        sys.stdout.write(_USAGE)
        return 0 if words else 2
    if words[0] == "--version":
        print(f"gpusort-ray {__version__}")
        return 0
    name = f"gpusort-ray {words[0]}"
    try:
        if words[0] not in _COMMANDS:
            raise Usage(f"there is no command '{words[0]}'")
        return _COMMANDS[words[0]](words[1:]) or 0
    except Usage as e:
        sys.stderr.write(f"{name}: {e}\nTry 'gpusort-ray --help' for more information.\n")
        return 2
    except (Trouble, PassingTrouble) as e:
        sys.stderr.write(f"{name}: {e}\n")
        return 2
    except KeyboardInterrupt:
        sys.stderr.write(f"{name}: stopped\n")
        return 130


if __name__ == "__main__":
    sys.exit(main())
