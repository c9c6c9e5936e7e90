# SPDX-License-Identifier: MIT
"""The ordering letters of keys, as cmd/key_spec.h has them: a test that draws letters
does not begin until it draws each, or says that it leaves it out."""
import pathlib
import re
import sys


def every_letter():
    header = (pathlib.Path(__file__).resolve().parent.parent / "cmd/key_spec.h").read_text()
    found = set()
    for table in "GS_LETTER_KINDS", "GS_LETTER_FLAGS":
        rows = re.findall(r"X\((\w+),(.*)", re.search(rf"#define {table}\(X\)(?:.*\\\n)+.*", header)[0])
        for name, row in rows:
            letter = re.match(r" *'([A-Za-z])',", row)
            if not letter:
                sys.exit(f"tests/key_letters.py cannot read the letter of {name} in cmd/key_spec.h")
            found.add(letter[1])
    return found


def check_drawn(who, drawn, left_out=""):
    """Ends the program unless what is drawn, any number of texts, has each letter."""
    drawn, left_out, letters = set("".join(drawn)), set(left_out), every_letter()
    if len(letters) < 11:
        sys.exit(f"few letters were found in cmd/key_spec.h: {sorted(letters)}")
    if drawn | left_out != letters or drawn & left_out:
        sys.exit(f"{who} draws {''.join(sorted(drawn))} and leaves out {''.join(sorted(left_out))}; "
                 f"of keys there are {''.join(sorted(letters))}")
