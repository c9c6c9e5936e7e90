# SPDX-License-Identifier: MIT
"""Puts what a benchmark found into README.md, between the marks <!-- NAME:begin --> and end."""
import os
import shutil

FOLDER = "tests/bench/figures"


def update_readme(name, text, pictures):
    """`pictures`: source file to the name it has in the folder of figures."""
    os.makedirs(FOLDER, exist_ok=True)
    lines = [text.rstrip("\n"), ""]
    for source, target in pictures.items():
        if os.path.exists(source):
            shutil.copyfile(source, os.path.join(FOLDER, target))
            lines.append("![%s](%s/%s)" % (target.rsplit(".", 1)[0].replace("_", " "), FOLDER, target))
    begin, end = "<!-- %s:begin -->" % name, "<!-- %s:end -->" % name
    with open("README.md", encoding="utf-8") as f:
        readme = f.read()
    before, rest = readme.split(begin)
    after = rest.split(end)[1]
    with open("README.md", "w", encoding="utf-8") as f:
        f.write(before + begin + "\n" + "\n".join(lines) + "\n" + end + after)
