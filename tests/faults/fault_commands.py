# SPDX-License-Identifier: MIT
"""The commands whose calls are made to fail, their inputs, and what they may leave.

A command is a line of the table below. It runs in a folder of its own, in which its output
is `out`; inputs are in the folder {in}.
"""
import dataclasses
import os
import subprocess


@dataclasses.dataclass(frozen=True)
class Command:
    name: str
    words: str                # of the command line
    stdin: str = ""           # an input
    before: str = ""          # shell that makes what is there before it runs
    is_streaming: bool = False  # standard output may have a part of the result
    environment: tuple = ()
    keeps: str = ""           # what stays of it when it fails, to go on from
    has_parts: bool = False   # several outputs, of which each is whole, or as it was
    again: str = ""           # given instead, when it was stopped and had done its work
    between: str = ""         # what it does first: its result is right where the rest fails


SPILL = "-S 1M --batch-size=2 --parallel=2"
SMALL = "-S 1M --batch-size=4 --parallel=2"
BUILD = f"index build {SMALL}"
OLD = "echo old >out"
OLD_INDEX = "cp -r {in}/small.index out"
GROWN_INDEX = "cp -r {in}/grown.index out"

COMMANDS = [
    Command("sort, spilled", f"sort {SPILL} -f {{in}}/lines -o out", before=OLD),
    Command("sort, spilled, of stdin", f"sort {SPILL} -k1,1V", "lines", is_streaming=True),
    Command("sort, spilled, no io_uring", f"sort {SPILL} -n {{in}}/lines -o out",
            environment=(("GS_NO_URING", "1"),)),
    # Larger than GS_EARLY_SPLIT_MAX of this build.
    Command("sort, buckets in files", "sort -S 4M --parallel=2 {in}/rows -o out", before=OLD),
    Command("sort, in memory", "sort --parallel=2 {in}/few -o out", before=OLD),
    # Its pages are filled if TMPDIR is on tmpfs: TMPDIR=/dev/shm make faults ...
    Command("sort, pages of the output", "sort --parallel=8 {in}/lines -o out", before=OLD),
    Command("sort, in memory, to stdout", "sort --parallel=2 -k1,1 {in}/few",
            is_streaming=True),
    Command("sort, zstd in and out",
            f"sort {SPILL} {{in}}/lines.zst --output-compress=zstd -o out"),
    Command("sort, gzip of stdin", f"sort {SPILL} -r", "lines.gz", is_streaming=True),
    Command("sort -z", f"sort {SPILL} -z -u {{in}}/zeros -o out", before=OLD),
    Command("sort --compress-program", f"sort {SPILL} --compress-program=gzip -f -o out",
            "half", before=OLD),
    Command("sort, records", f"sort {SPILL} --record-size=100 --key-bytes=0:10 "
            "{in}/records -o out"),
    Command("sort --count --top", "sort -S 1M --parallel=2 --count --top=9000 {in}/lines "
            "-o out"),
    Command("sort --sync", f"sort {SPILL} --sync {{in}}/lines -o out", before=OLD),
    Command("sort --checkpoint", f"sort {SPILL} --checkpoint=ck -f {{in}}/lines -o out",
            before=OLD, keeps="ck"),
    Command("sort -o a file with two names", f"sort {SPILL} {{in}}/lines -o out",
            before=OLD + "; ln out twin"),
    Command("sort -o its input", f"sort {SPILL} -f out -o out", before="cp {in}/half out"),
    Command("sort --files0-from --stats --trace",
            "sort --files0-from={in}/names --stats --trace=/dev/null -o out"),
    Command("sort --debug", "sort --debug -k2,2n {in}/few", is_streaming=True),
    Command("sort --csv", f"sort {SPILL} --csv -k n:n {{in}}/table.csv -o out", before=OLD),
    Command("sort --jsonl-key", f"sort {SPILL} --jsonl-key=.n.x:n {{in}}/rows.jsonl -o out",
            before=OLD),
    Command("sort -m --csv", f"sort -m {SPILL} --csv -s -k n {{in}}/table.csv {{in}}/table.csv "
            "{in}/table.csv -o out", before=OLD),
    Command("sort -m", f"sort -m {SPILL} {{in}}/a {{in}}/b {{in}}/c {{in}}/d {{in}}/e "
            "-o out", before=OLD),
    Command("sort -m, of stdin", "sort -m --parallel=2 {in}/a - {in}/b.zst", "c",
            is_streaming=True),
    Command("sort -m, spilled pipes", f"sort -m {SPILL} -f {{in}}/lines.gz {{in}}/b.zst "
            "{in}/lines.zst -o out"),
    Command("sort -c", "sort -c {in}/sorted"),
    Command("sort -C, of stdin, disorder", "sort -C", "lines"),
    Command("check", "check {in}/sorted {in}/lines", is_streaming=True),
    Command("sample", "sample -n 50 --parallel=2 {in}/lines {in}/few -o out", before=OLD),
    Command("sample --splitters, of stdin", "sample --splitters=9 -S 4M -k1,1V", "lines.gz",
            is_streaming=True),
    Command("partition, spilled", f"partition {SPILL} --splitters={{in}}/cuts {{in}}/lines "
            "-o out", before="echo old >out.0001", has_parts=True),
    Command("partition --range", f"partition {SPILL} --splitters={{in}}/cuts --range=1000:60000 "
            "{in}/lines -o out", has_parts=True),
    Command("partition -m --csv", f"partition -m {SPILL} --splitters={{in}}/rows.cut --csv -s -k n "
            "{in}/table.csv {in}/table.csv -o out", before="echo old >out.0000", has_parts=True),
    Command("partition --framed, to stdout", f"partition {SPILL} --splitters={{in}}/cuts --framed "
            "{in}/half", is_streaming=True),
    Command("partition --framed --compress", f"partition {SPILL} --splitters={{in}}/cuts --framed "
            "--compress -o out {in}/half", before=OLD),
    Command("partition --unframe", "partition --unframe -o out {in}/parts",
            before="echo old >out.0002", has_parts=True),
    Command("partition --unframe --part", "partition --unframe --part=1", "parts",
            is_streaming=True),
    Command("join, spilled", "join -S 1M --parallel=2 -a 1 --output=out {in}/lines {in}/half",
            before=OLD),
    Command("join, looked at before", "join --parallel=2 --output=out {in}/lines {in}/sorted",
            before=OLD),
    Command("join, of stdin", "join --parallel=2 -o auto {in}/few -", "lines.gz",
            is_streaming=True),
    Command("join, a key's lines in a file", "join -S 1M --parallel=2 -j 9 -v 2 "
            "--output=out /dev/null {in}/lines", before=OLD),
    Command("join --band", "join -S 1M --parallel=2 --band=-2:1 -a 2 --skip-bad "
            "--output=out {in}/thousands {in}/numbers", before=OLD),
    Command("join --band, sifted", "join -S 1M --parallel=2 --band=0:0 --skip-bad "
            "--output=out {in}/thousands {in}/numbers", before=OLD),
    Command("join --csv, by names", "join --csv --parallel=2 -1 w -2 n -a 1 -o 1.w,2.w -e 'a,b' "
            "--output=out {in}/table.csv {in}/table.csv", before=OLD),
    Command("join --binary", "join -S 1M --parallel=2 --binary=b10,b90:b90,b10 "
            "-2 2 -a 1 --output=out {in}/records {in}/records", before=OLD),
    Command("join --le, of stdin", "join --parallel=2 --le --semi --skip-bad {in}/numbers -",
            "thousands", is_streaming=True),
    Command("stats quantile", "stats quantile --parallel=2 {in}/numbers", is_streaming=True),
    Command("stats quantile --exact, spilled", "stats quantile --exact -S 1M --parallel=2 "
            "--phi=0,0.3,1 {in}/numbers {in}/numbers", is_streaming=True),
    Command("stats quantile, times, of stdin", "stats quantile -k 1 --time-column=2 "
            "--window=1h --parallel=2 --every=30K", "pairs", is_streaming=True),
    Command("stats freq, times", "stats freq -k 1 --time-column=2 --window=1h -S 8M --parallel=2 "
            "--eps=0.05 --support=0.1 {in}/pairs", is_streaming=True),
    Command("stats freq --save, of stdin", "stats freq --parallel=2 --support=0.1 --save=out",
            "lines.gz", before=OLD, is_streaming=True),
    Command("stats freq --window", "stats freq --parallel=2 --window=1K {in}/few",
            is_streaming=True),
    Command("stats hhh --save", "stats hhh --parallel=2 --by=dots --save=out {in}/few", before=OLD,
            is_streaming=True),
    Command("stats corrsum --window", "stats corrsum --parallel=2 --window=1K --eps=0.1 "
            "{in}/pairs", is_streaming=True),
    Command("stats summary", "stats summary --parallel=2 {in}/table.csv", is_streaming=True),
    Command("stats merge", "stats merge --save=out {in}/one.saved {in}/two.saved",
            before=OLD, is_streaming=True),
    Command("stats merge, of hhh", "stats merge --save=out {in}/three.saved {in}/three.saved",
            before=OLD, is_streaming=True),
    Command("gen", "gen lines --bytes=300K -o out", before=OLD),
    Command("index build", f"{BUILD} --method=spimi -o out {{in}}/docs"),
    Command("index build, bsbi", f"{BUILD} --method=bsbi -o out {{in}}/docs"),
    Command("index build, positions, of stdin",
            f"{BUILD} --positions --stem=english --stopwords={{in}}/stop -o out", "docs.gz"),
    Command("index build, tuples", f"{BUILD} --method=spimi --format=tuples -o out "
            "{in}/tuples"),
    Command("index build, tuples, bsbi", f"{BUILD} --method=bsbi --format=tuples -o out "
            "{in}/tuples"),
    Command("index build --checkpoint, vectors", f"{BUILD} --checkpoint=ck -o out "
            "{in}/vectors", keeps="ck"),
    Command("index build, in memory", "index build --parallel=2 -o out {in}/docs"),
    Command("index build, of a folder", f"{BUILD} -o out {{in}}/pages"),
    Command("index build --replace", "index build --parallel=2 --replace -o out {in}/docs",
            before=OLD_INDEX),
    Command("index build --store", f"{BUILD} --store -o out {{in}}/docs"),
    Command("index merge, texts", "index merge --parallel=2 -o out {in}/three.index "
            "{in}/three.index"),
    Command("index reorder, texts", "index reorder --parallel=2 -o out {in}/three.index"),
    Command("index show", "index show --json {in}/three.index", is_streaming=True),
    Command("index merge", "index merge --parallel=2 -o out {in}/one.index {in}/two.index "
            "{in}/small.index"),
    Command("index merge --join-terms", "index merge --parallel=2 --join-terms -o out "
            "{in}/low.index {in}/high.index"),
    Command("index merge --term-splitters", "index merge --term-splitters=9 {in}/one.index "
            "{in}/two.index", is_streaming=True),
    Command("index merge --replace", "index merge --parallel=2 --replace -o out "
            "{in}/one.index out", before=OLD_INDEX),
    Command("index build --checkpoint", f"{BUILD} --method=spimi --checkpoint=ck -o out "
            "{in}/docs", keeps="ck"),
    Command("index build --checkpoint, bsbi", f"{BUILD} --method=bsbi --checkpoint=ck "
            "--replace -o out {in}/docs", before=OLD_INDEX, keeps="ck"),
    Command("index merge --checkpoint", "index merge --parallel=2 --checkpoint=ck -o out "
            "{in}/one.index {in}/two.index", keeps="ck"),
    Command("index append", f"index append --no-merge {SMALL} out {{in}}/some",
            before=OLD_INDEX),
    Command("index append, grown", "index append --parallel=2 --no-merge out {in}/some",
            before=GROWN_INDEX),
    Command("index append, merged", "index append --parallel=2 out {in}/some",
            before=GROWN_INDEX, between="index append --no-merge --parallel=2 out {in}/some"),
    Command("index append --update", "index append --parallel=2 --update --no-merge out "
            "{in}/some", before=GROWN_INDEX),
    Command("index delete", "index delete --no-merge out", "doc_names", before=GROWN_INDEX),
    Command("index delete, merged", "index delete --parallel=2 out", "doc_names",
            before=OLD_INDEX, between="index delete --no-merge out"),
    Command("index compact", "index compact --parallel=2 out", before=GROWN_INDEX),
    Command("index merge, of segments", "index merge --parallel=2 -o out {in}/grown.index"),
    Command("index export, of segments", "index export --ciff {in}/grown.index",
            is_streaming=True),
    Command("index verify, of segments", "index verify {in}/grown.index", is_streaming=True),
    Command("index dump, of segments", "index dump {in}/grown.index", is_streaming=True),
    Command("lookup, of segments", "lookup {in}/grown.index", "terms", is_streaming=True),
    Command("search, of segments", "search --parallel=2 {in}/grown.index", "queries",
            is_streaming=True),
    Command("index import", "index import --ciff -o out {in}/ciff"),
    Command("index import, of stdin, --replace", "index import --ciff --replace -o out",
            "ciff", before=OLD_INDEX),
    Command("index export", "index export --ciff -o out {in}/one.index", before=OLD),
    Command("index export, to stdout", "index export --ciff {in}/one.index",
            is_streaming=True),
    Command("index verify", "index verify {in}/one.index", is_streaming=True),
    Command("index dump", "index dump --positions {in}/one.index", is_streaming=True),
    Command("index info", "index info {in}/one.index", is_streaming=True),
    Command("index reorder", "index reorder --parallel=2 -o out {in}/one.index"),
    Command("lookup", "lookup {in}/one.index", "terms", is_streaming=True),
    Command("lookup --prefix", "lookup --prefix {in}/one.index a b", is_streaming=True),
    Command("search", "search --parallel=2 {in}/one.index", "queries", is_streaming=True),
    Command("search --snippets", "search --parallel=2 --snippets {in}/three.index", "queries",
            is_streaming=True),
    Command("search --gather", "search --gather {in}/one.index", "queries", is_streaming=True),
    Command("search --statistics", "search --parallel=2 --statistics={in}/statistics {in}/one.index",
            "queries", is_streaming=True),
    Command("search, phrase", "search --json {in}/one.index '\"a b\" OR c*'",
            is_streaming=True),
    Command("stats summary --csv", "stats summary --csv -S 16M --parallel=2 {in}/table.csv",
            is_streaming=True),
    Command("stats quantile --skip-bad", "stats quantile -S 16M --parallel=2 {in}/thousands --skip-bad",
            is_streaming=True),
    Command("stats freq, of stdin", "stats freq -S 16M --parallel=2 --support=0.001",
            "lines.gz", is_streaming=True),
    Command("stats hhh", "stats hhh -S 16M --parallel=2 --by=dots {in}/half",
            is_streaming=True),
    Command("stats corrsum", "stats corrsum -S 16M --parallel=2 --sum=1 {in}/numbers",
            is_streaming=True),
]

# Of a program with a pretended GPU (make FAULTS=1 FAKE_GPU=1): runs of text in memory, in
# files and in both, which it sorts again, or the cores if it fails then.
GPU = "sort --engine=gpu -S 1M --parallel=2"
SMALL_GPU = (("GS_FAKE_GPU_MEMORY", "600000"), ("GS_DEVICE_RUNS", "text:900000"))
GPU_COMMANDS = [
    Command("sort on a GPU, runs of text", f"{GPU} {{in}}/lines -o out", before=OLD,
            environment=SMALL_GPU),
    Command("sort on a GPU, of stdin", f"{GPU} -k1.2", "lines", is_streaming=True,
            environment=SMALL_GPU),
    Command("sort on a GPU, fails at the end", f"{GPU} {{in}}/lines -o out", before=OLD,
            environment=(*SMALL_GPU, ("GS_FAKE_GPU_FAIL", "run:9"))),
    # With TMPDIR=/dev/shm their pages are taken by one thread and filled by the others.
    Command("sort on a GPU, pages of the output",
            "sort --engine=gpu --parallel=8 {in}/lines -o out", before=OLD),
    Command("sort on two GPUs together", f"{GPU} --gpu=0,1 {{in}}/lines -o out", before=OLD),
    Command("sort -u on two GPUs together", f"{GPU} --gpu=0,1 -u -k1.2,1.3 {{in}}/lines -o out",
            before=OLD, environment=(("GS_FAKE_GPU_FAIL", "records:2"),)),
    Command("sort on a GPU, of stdin, fails", f"{GPU} -r", "lines", is_streaming=True,
            environment=(*SMALL_GPU, ("GS_FAKE_GPU_FAIL", "run:3"))),
    Command("index build on two GPUs", f"{BUILD} --engine=gpu --gpu=0,1 --stem=english "
            "--positions --replace -o out {in}/docs", before=OLD_INDEX,
            environment=SMALL_GPU),
    Command("index build on a GPU, of stdin, fails", f"{BUILD} --engine=gpu --format=jsonl "
            "-o out", "docs", environment=(*SMALL_GPU, ("GS_FAKE_GPU_FAIL", "piece:4"))),
]

# Those that promise to be durable: a power cut or kill -9 may come at any moment, and then
# the same command is given again until it ends.
DURABLE = [
    Command("sort --sync", f"sort {SPILL} --sync {{in}}/lines -o out", before=OLD),
    Command("sort --sync, new", "sort --parallel=2 --sync {in}/few -o out"),
    Command("sort --sync, buckets in files", "sort -S 4M --parallel=2 --sync {in}/rows -o out",
            before=OLD),
    Command("sort --checkpoint", f"sort {SPILL} --checkpoint=ck -f {{in}}/lines -o out"),
    Command("sort --checkpoint, several inputs", f"sort {SPILL} --checkpoint=ck -k1,1r "
            "{in}/half {in}/lines.gz {in}/b.zst -o out", before=OLD),
    Command("partition --sync", f"partition {SPILL} --sync --splitters={{in}}/cuts {{in}}/lines "
            "-o out/", before="mkdir out; echo old >out/0001", has_parts=True),
    Command("partition --sync, new", "partition --parallel=2 --sync --splitters={in}/cuts "
            "--range=1000:60000 {in}/lines -o out/", before="mkdir out", has_parts=True),
    Command("partition --framed --sync", f"partition {SPILL} --sync --splitters={{in}}/cuts "
            "--framed --compress {in}/half -o out", before=OLD),
    Command("index build --checkpoint", f"{BUILD} --method=spimi --checkpoint=ck -o out "
            "{in}/docs"),
    Command("index build --checkpoint, bsbi", f"{BUILD} --method=bsbi --checkpoint=ck "
            "--positions --replace -o out {in}/docs", before=OLD_INDEX),
    Command("index build --checkpoint, tuples", f"{BUILD} --format=tuples "
            "--checkpoint=ck -o out {in}/tuples"),
    Command("index build --checkpoint, vectors", f"{BUILD} --checkpoint=ck -o out "
            "{in}/vectors"),
    Command("index merge --checkpoint", "index merge --parallel=2 --checkpoint=ck -o out "
            "{in}/one.index {in}/two.index {in}/small.index"),
    Command("index build", f"{BUILD} --method=spimi -o out {{in}}/docs"),
    Command("index build, bsbi", f"{BUILD} --method=bsbi -o out {{in}}/docs"),
    Command("index build --replace", f"{BUILD} --replace -o out {{in}}/docs",
            before=OLD_INDEX),
    Command("index merge", "index merge --parallel=2 -o out {in}/one.index {in}/two.index "
            "{in}/small.index"),
    Command("index merge --replace", "index merge --parallel=2 --replace -o out "
            "{in}/two.index {in}/one.index", before=OLD_INDEX),
    Command("index import --replace", "index import --ciff --replace -o out {in}/ciff",
            before=OLD_INDEX),
    Command("index append", f"index append {SMALL} out {{in}}/some", before=OLD_INDEX,
            again="index append --format=jsonl out /dev/null"),
    Command("index append, merged", "index append --parallel=2 out {in}/some",
            before=GROWN_INDEX, between="index append --no-merge --parallel=2 out {in}/some",
            again="index append --format=jsonl out /dev/null"),
    Command("index append --update", "index append --parallel=2 --update --no-merge out "
            "{in}/some", before=GROWN_INDEX,
            again="index append --no-merge --format=jsonl out /dev/null"),
    Command("index delete", "index delete --no-merge out", "doc_names", before=GROWN_INDEX,
            again="index append --no-merge --format=jsonl out /dev/null"),
    Command("index delete, merged", "index delete --parallel=2 out", "doc_names",
            before=OLD_INDEX, between="index delete --no-merge out",
            again="index append --format=jsonl out /dev/null"),
    Command("index compact", "index compact --parallel=2 out", before=GROWN_INDEX),
]
# A kill leaves what was written: these are as good then.
KILLED = [
    Command("sort", f"sort {SPILL} {{in}}/lines -o out", before=OLD),
    Command("index export", "index export --ciff -o out {in}/one.index", before=OLD),
] + DURABLE


def make_inputs(program, folder):
    """All that the commands read. The program's calls do not fail here."""
    script = """
set -e
gpusort gen lines --bytes=2500K --min-len=3 --max-len=9 -o lines
gpusort gen lines --bytes=13M --min-len=95 --max-len=105 -o rows
head -n 50000 lines >half
head -n 2000 lines >few
seq 1 2 400000 >numbers
(seq 1 1000 400000; echo none) >thousands
seq 40000 | sed 's/.*/& &/' >pairs
gpusort stats corrsum --agg=quantile --save=one.saved pairs >/dev/null
gpusort stats corrsum --agg=quantile --save=two.saved pairs >/dev/null
gpusort stats hhh --by=slash --save=three.saved few >/dev/null
gzip -k lines
gpusort sort lines -o sorted
gpusort sample --splitters=4 lines -o cuts
gpusort partition --splitters=cuts --framed --compress -o parts half
gpusort sort lines --output-compress=zstd -o b.zst
gpusort sort --header=1000000 lines --output-compress=zstd -o lines.zst
tr '\\n' '\\0' <half >zeros
{ echo 'w,n' && sed 's/.*/"&,\\n&",17/' half; } >table.csv
echo '"x",17' >rows.cut
seq 40000 | awk '{ printf "{\\"n\\":{\\"x\\":%d}}\\n", $1 * 7919 % 30011 }' >rows.jsonl
gpusort gen records -n 20000 -o records
for i in a b c d e; do gpusort gen lines --bytes=100K --seed=$RANDOM | gpusort sort -o $i; done
printf '%s\\0' half few >names
gpusort gen docs --bytes=350K -o docs
head -n 200 docs >some
gzip -k docs
mkdir -p pages/sub
head -n 100 docs >pages/objects
(echo id,text; seq 1 9000 | sed 's/.*/&,"a & b"/') >pages/sub/table.csv
echo '<p>a &amp; b' >pages/page.html
printf 'the\\nof\\n' >stop
gpusort gen tuples -n 40K -o tuples
seq 3000 | awk '{ printf "{\\"id\\":\\"%d\\",\\"vector\\":{", $1; for (i = 1; i <= 20; i++)
    printf "%s\\"t%d\\":%d.5", (i > 1 ? "," : ""), i * ($1 % 97 + 1) + i * 2000, i; print "}}" }' >vectors
gpusort index build --positions -o one.index docs
gpusort index build --positions -o two.index some
head -n 50 docs | gpusort index build --positions -o small.index
gpusort index build --store -o three.index docs
gpusort index export --ciff -o ciff one.index
gpusort index merge -o low.index --to-term=m one.index
gpusort index merge -o high.index --from-term=m one.index
cp -r small.index grown.index
for i in 1 2 3 4 5 6; do
    sed -n "$((i * 3)),$((i * 7))p" docs | gpusort index append --no-merge grown.index
done
doc_names() { sed -n "$1"' s/.*"id": "\\([^"]*\\)".*/\\1/p' docs; }
doc_names 20,40 >doc_names
doc_names 5,7 | gpusort index delete --no-merge grown.index
gpusort index dump one.index | cut -f 1 | uniq | sed -n '1~40p' >terms
paste -d ' ' terms <(tac terms) >queries
gpusort search --gather one.index <queries >statistics
printf '%s\\0' "$PWD/half" "$PWD/few" >names
"""
    os.makedirs(os.path.join(folder, "bin"))
    os.symlink(os.path.abspath(program), os.path.join(folder, "bin", "gpusort"))
    environment = dict(os.environ, PATH=f"{folder}/bin:{os.environ['PATH']}")
    subprocess.run(["bash", "-c", script], cwd=folder, env=environment, check=True)
