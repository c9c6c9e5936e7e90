# SPDX-License-Identifier: MIT
"""What random cases draw, and whether it made a difference: a test in which something that
is drawn changes no result says nothing about it, and does not pass."""

MORE_CASES = 2000  # that may be drawn after those that were asked for, until each has come


class Mattered:
    def __init__(self, who, names):
        self.who, self.lacking = who, set(names)

    def note(self, names, differs):
        """Of what came in a case: does another result come out without it?"""
        self.lacking -= {name for name in self.lacking & set(names) if differs(name)}

    def see(self, case, want):
        """A case that has properties(), without(name) and expected(), which is `want`."""
        self.note(case.properties(), lambda name: case.without(name).expected() != want)

    def is_news(self, case):
        """Has it something that made no difference so far?"""
        return bool(self.lacking & set(case.properties()))

    def tell(self):
        """Names what never came or never mattered; is there any?"""
        for name in sorted(self.lacking):
            print(f"FAIL {self.who}: no case in which {name!r} made a difference")
        return bool(self.lacking)
