#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the wheel of cmd/ray: the package, the program inside, and the command
`gpusort-ray`. `make ray-wheel` calls it.

    ray_wheel.py --program gpusort --notices FILE --out FOLDER
"""

import argparse
import base64
import hashlib
import stat
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "python"))

from wheel import ROOT, add, platform_tag, version  # noqa: E402

NEEDS = ("ray >= 2.9", "fsspec >= 2023.1", "xxhash >= 3.0")


def metadata() -> str:
    return "\n".join(
        [
            "Metadata-Version: 2.1",
            "Name: gpusort-ray",
            f"Version: {version()}",
            "Summary: Sorts and indexes past one machine, on Ray, with gpusort in each task",
            "License: MIT",
            "Requires-Python: >=3.9",
            *(f"Requires-Dist: {need}" for need in NEEDS),
            "Provides-Extra: s3",
            'Requires-Dist: s3fs; extra == "s3"',
            "Description-Content-Type: text/markdown",
            "",
            (HERE / "README.md").read_text(),
        ]
    )


def make_wheel(program: Path, notices: Path, out: Path) -> Path:
    tag = f"py3-none-{platform_tag(program)}"
    info = f"gpusort_ray-{version()}.dist-info"
    out.mkdir(parents=True, exist_ok=True)
    package = HERE / "gpusort_ray"
    files = {f"gpusort_ray/{p.name}": p.read_bytes() for p in sorted(package.glob("*.py"))}
    files["gpusort_ray/py.typed"] = b""
    files["gpusort_ray/bin/gpusort"] = program.read_bytes()
    files[f"{info}/METADATA"] = metadata().encode()
    files[f"{info}/entry_points.txt"] = b"[console_scripts]\ngpusort-ray = gpusort_ray.cli:main\n"
    files[f"{info}/licenses/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    files[f"{info}/licenses/NOTICES"] = notices.read_bytes()  # of what is inside the program
    files[f"{info}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: gpusort\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    )
    path = out / f"gpusort_ray-{version()}-{tag}.whl"
    record = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        for name, data in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(data)}")
            if name.endswith("/bin/gpusort"):
                add_program(z, name, data)
            else:
                add(z, name, data)
        record.append(f"{info}/RECORD,,")
        add(z, f"{info}/RECORD", "\n".join(record).encode() + b"\n")
    return path


def add_program(z: zipfile.ZipFile, name: str, data: bytes) -> None:
    entry = zipfile.ZipInfo(name)
    entry.external_attr = (stat.S_IFREG | 0o755) << 16
    z.writestr(entry, data, zipfile.ZIP_DEFLATED)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=Path, required=True)
    parser.add_argument("--notices", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args()
    print(make_wheel(asked.program, asked.notices, asked.out))


if __name__ == "__main__":
    main()
