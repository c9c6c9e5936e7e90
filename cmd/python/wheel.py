#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the wheel of cmd/python: the package, the library inside, and `_header.py`, which
cffi writes from gpusort.h. `make wheel` calls it; a wheel is a zip with three small texts.

    wheel.py --library libgpusort.so.0 --notices FILE --out FOLDER
    wheel.py --header-only FILE         only writes _header.py
"""

import argparse
import base64
import hashlib
import platform
import re
import subprocess
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def declarations() -> str:
    """gpusort.h as cffi takes it: no comments, no preprocessor, no attributes."""
    text = (ROOT / "lib/gpusort.h").read_text()
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r'#ifdef __cplusplus\n.*?#endif\n', "", text, flags=re.S)
    text = re.sub(r"^#(?:.*\\\n)*.*\n", "", text, flags=re.M)
    return re.sub(r"\bGPUSORT_(API|CHECKED)\b", "", text)


def write_header(path: Path) -> None:
    from cffi import FFI

    ffi = FFI()
    ffi.cdef(declarations())
    ffi.set_source("gpusort._header", None)
    ffi.emit_python_code(str(path))


def version() -> str:
    found = re.search(r"^VERSION *:?= *(\S+)", (ROOT / "Makefile").read_text(), re.M)
    assert found, "the Makefile has no VERSION"
    return found[1]


def platform_tag(library: Path) -> str:
    """The oldest C library that has all that the library needs."""
    needs = subprocess.run(["readelf", "-V", library], check=True, capture_output=True, text=True)
    newest = max((int(n) for n in re.findall(r"GLIBC_2\.(\d+)", needs.stdout)), default=17)
    return f"manylinux_2_{newest}_{platform.machine()}"


def metadata() -> str:
    return "\n".join(
        [
            "Metadata-Version: 2.1",
            "Name: gpusort",
            f"Version: {version()}",
            "Summary: Sorts what is larger than memory, on the CPU or a GPU; builds and searches indexes",
            "License: MIT",
            "Requires-Python: >=3.9",
            "Requires-Dist: cffi >= 1.15",
            "Description-Content-Type: text/markdown",
            "",
            (HERE / "README.md").read_text(),
        ]
    )


def make_wheel(library: Path, notices: Path, out: Path) -> Path:
    tag = f"py3-none-{platform_tag(library)}"
    info = f"gpusort-{version()}.dist-info"
    header = out / "_header.py"
    out.mkdir(parents=True, exist_ok=True)
    write_header(header)
    files = {f"gpusort/{p.name}": p.read_bytes() for p in sorted((HERE / "gpusort").glob("*.py"))}
    files["gpusort/py.typed"] = b""
    files["gpusort/_header.py"] = header.read_bytes()
    files["gpusort/libgpusort.so.0"] = library.read_bytes()
    files[f"{info}/METADATA"] = metadata().encode()
    files[f"{info}/licenses/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    files[f"{info}/licenses/NOTICES"] = notices.read_bytes()  # of what is inside the library
    files[f"{info}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: gpusort\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    )
    header.unlink()
    path = out / f"gpusort-{version()}-{tag}.whl"
    record = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        for name, data in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(data)}")
            add(z, name, data)
        record.append(f"{info}/RECORD,,")
        add(z, f"{info}/RECORD", "\n".join(record).encode() + b"\n")
    return path


def add(z: zipfile.ZipFile, name: str, data: bytes) -> None:
    """With no time of its own, so that the same tree makes the same wheel."""
    entry = zipfile.ZipInfo(name)
    entry.external_attr = 0o644 << 16
    z.writestr(entry, data, zipfile.ZIP_DEFLATED)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", type=Path)
    parser.add_argument("--notices", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--header-only", type=Path)
    asked = parser.parse_args()
    if asked.header_only:
        write_header(asked.header_only)
    elif asked.library and asked.notices and asked.out:
        print(make_wheel(asked.library, asked.notices, asked.out))
    else:
        sys.exit(parser.format_usage())


if __name__ == "__main__":
    main()
