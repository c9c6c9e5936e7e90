# SPDX-License-Identifier: MIT
"""Other programs that sort, as sort_bench.py runs them beside gpusort.

Those like GNU sort take its options. The others sort some kinds of data, in Python; where
memory is small they have as much as the others, the rest on disk.
"""
import os
import subprocess

LIKE_GNU = {
    "GNU sort": "sort",
    # where Debian's package has it
    "rust-coreutils": os.environ.get("BENCH_RUST_SORT", "/usr/lib/cargo/bin/coreutils/sort"),
}

# Arguments: source, target, threads, kind of data, MiB of memory (0: as much as there is).
IN_PYTHON = {
    "DuckDB": ("duckdb", """
import duckdb, os, sys
source, target, threads, kind, memory = sys.argv[1:]
c = duckdb.connect()
c.execute("SET threads = %s; SET preserve_insertion_order = false; SET enable_progress_bar = false" % threads)
if memory != "0":
    c.execute("SET memory_limit = '%sMiB'; SET temp_directory = '%s'" % (memory, os.environ["TMPDIR"]))
if kind == "table":
    columns = "{'id': 'BIGINT', 'name': 'VARCHAR', 'price': 'DOUBLE', 'path': 'VARCHAR'}"
    c.execute("COPY (SELECT * FROM read_csv('%s', header = true, auto_detect = false, delim = ',', quote = '\\"', "
              "escape = '\\"', columns = %s) ORDER BY name, price, id) TO '%s' (FORMAT csv, HEADER true)"
              % (source, columns, target))
    sys.exit()
if kind == "tuples":
    columns, order, mark = "{'a': 'VARCHAR', 'b': 'BIGINT'}", "a, b", "\\t"
else:
    columns, order, mark = "{'a': 'VARCHAR'}", "a", "\\x01"
c.execute("COPY (SELECT * FROM read_csv('%s', header = false, auto_detect = false, delim = '%s', quote = '', "
          "escape = '', columns = %s) ORDER BY %s) TO '%s' (FORMAT csv, HEADER false, DELIMITER '%s', QUOTE '')"
          % (source, mark, columns, order, target, mark))
"""),
    "Polars": ("polars", """
import os, sys
source, target, threads, kind, memory = sys.argv[1:]
os.environ["POLARS_MAX_THREADS"] = threads
if memory != "0":
    os.environ["POLARS_OOC_MEMORY_BUDGET_MB"] = memory
import polars as pl
if kind == "table":
    read = {"schema": {"id": pl.Int64, "name": pl.String, "price": pl.Float64, "path": pl.String}}
    order, write = ["name", "price", "id"], {}
else:
    columns = {"a": pl.String, "b": pl.Int64} if kind == "tuples" else {"a": pl.String}
    mark = "\\t" if kind == "tuples" else "\\x01"
    read = {"schema": columns, "has_header": False, "separator": mark, "quote_char": None}
    order, write = list(columns), {"include_header": False, "separator": mark, "quote_style": "never"}
if memory != "0":  # what spills is its streaming engine
    pl.scan_csv(source, **read).sort(order).sink_csv(target, engine="streaming", **write)
else:
    pl.read_csv(source, **read).sort(order).write_csv(target, **write)
"""),
}


def like_gnu():
    """Programs of this machine that take GNU sort's options."""
    return {name: program for name, program in LIKE_GNU.items() if name == "GNU sort" or os.access(program, os.X_OK)}


def in_python(venv, kind, threads, memory):
    """Commands of the programs that are there and sort such data, by a source and a target."""
    found = {}
    if not venv or kind is None:
        return found
    python = os.path.join(venv, "bin", "python")
    for name, (module, script) in IN_PYTHON.items():
        if subprocess.run([python, "-c", "import " + module], stderr=subprocess.DEVNULL, check=False).returncode == 0:
            found[name] = lambda source, target, script=script: [
                python, "-c", script, source, target, str(threads), kind, str(memory)]
    return found
