# SPDX-License-Identifier: MIT
"""Runs of one command under the troubles of a case, and which ends of a run are no fault."""
import signal

from situation import number_of


class Trial:
    def __init__(self, world, folder, trouble, input_bytes):
        self.world, self.folder, self.trouble, self.input_bytes = world, folder, trouble, input_bytes
        self.kill = None   # (name of a signal, seconds) of the last run

    def run(self, arguments, kill=None, **how):
        self.kill = kill
        return self.world.run(arguments, self.folder, self.trouble, kill, **how)

    def judge_status(self, outcome, code=0):
        """None where the run did what it should (ended with `code`), or could not and said so."""
        if outcome.has_hung:
            return "it hangs"
        problem = self.odd_status(outcome, code)
        return problem and "%s; it said %r" % (problem, outcome.err[:300])

    def odd_status(self, outcome, code):
        status, limits = outcome.status, self.trouble.limits
        if status == code or (outcome.is_killed and status == -number_of(self.kill[0])):
            return None
        if status == -signal.SIGPIPE and self.trouble.take is not None:
            return None
        if status == -signal.SIGXFSZ and "FSIZE" in limits:
            self.world.counts["limits hit: FSIZE"] += 1
            return None
        if status < 0:
            return "ended by signal %d" % -status
        is_loader = status == 127 and b"shared libraries" in outcome.err
        if not self.trouble.may_fail(self.input_bytes) or (status != 2 and not is_loader):
            return "exit status %d" % status
        if not outcome.err.strip():
            return "exit status %d without a word" % status
        for name in list(limits) + (["disk"] if self.trouble.disk else []):
            self.world.counts["limits hit: " + name] += 1
        return None

    def moments(self, seconds):
        """The kills of the case, for a command that takes so long."""
        return [(name, when * seconds) for name, when in self.trouble.kills]
