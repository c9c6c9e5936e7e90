# SPDX-License-Identifier: MIT
"""What can go wrong, by what is to be done about it."""

from __future__ import annotations


class Trouble(Exception):
    """Ends the job: what was asked for cannot be done. Its text is for the user."""


class PassingTrouble(Exception):
    """Of one node or of one moment (a full disk, a store that does not answer): the same
    task may well succeed elsewhere or later, and is asked for again."""

    node = ""  # of Ray, where a task had it


class Usage(Trouble):
    """The command line makes no sense."""
