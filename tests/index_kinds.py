# SPDX-License-Identifier: MIT
"""What only some indexes have, and whether a test has met indexes with it and without."""
import json
import os
import re

HEADER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib/index/format/index_header.h")


def fields():
    """has_positions and the like: what the header of an index has that is not a number."""
    with open(HEADER, encoding="utf-8") as file:
        struct = re.search(r"^typedef struct gs_index_header \{(.*?)^\}", file.read(), re.M | re.S).group(1)
    found = re.findall(r"\bhas_\w+", re.sub(r"/\*.*?\*/", "", struct, flags=re.S))
    assert len(found) >= 4, found
    return found


class Kinds:
    """Of the indexes of one test."""

    def __init__(self, where):
        self.where = where
        self.met = set()

    def meet(self, folder):
        with open(os.path.join(folder, "header.json"), encoding="utf-8") as file:
            header = json.load(file)
        self.met |= {(field, bool(header.get(field))) for field in fields()}

    def missing(self, always=()):
        """A sentence for each kind that was not met; `always` is what all indexes of the test must have."""
        return ["%s: no index %s %s" % (self.where, "with" if has else "without", field)
                for field in fields() for has in (True, False)
                if (field, has) not in self.met and (has or field not in always)]
