#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes tests/RELIABILITY.md, of what the long tests found: their JSON files, and nothing else.

    tests/reliability.py [--results build/reliability] [--output tests/RELIABILITY.md]

Each file says in `what` which test wrote it; several of the same test are added
up where that has a meaning. Of a test whose file is not there what the page says already stays,
with its date and commit; if it says nothing, the test is told to be missing. What other
programs promise and test is a text beside this script (reliability_others.md).
"""
import argparse
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))

# What the report must have, in this order, and the least that is to be done of some.
PARTS = ["faults", "stops", "flipped bits", "fuzz", "soak", "resident", "limits", "bad situations"]
TITLES = {"faults": "Every call fails in turn", "stops": "Power cuts and kills", "flipped bits": "Flipped bits",
          "fuzz": "Hostile input", "soak": "Soak", "resident": "Memory", "limits": "Small machines and limits",
          "bad situations": "Beside other programs"}
COMMANDS = {"faults": "make faults", "stops": "make stops", "flipped bits": "make flips", "fuzz": "make fuzz",
            "soak": "make soak", "resident": "make soak", "limits": "make limits-test",
            "bad situations": "tests/bad_situations.py"}


LEAST_RESUMED, LEAST_FLIPS, LEAST_SOAK_HOURS, LEAST_FUZZ_SECONDS = 1000, 100000, 2, 600


class Result:
    """One file of results."""

    def __init__(self, path):
        self.path = path
        with open(path, encoding="utf-8") as file:
            self.data = json.load(file)
        self.what = self.data.get("what")

    def __getitem__(self, name):
        return self.data[name]

    def get(self, name, otherwise=None):
        return self.data.get(name, otherwise)

    def origin(self):
        """When, where and of which sources: only what the file says."""
        machine = self.get("machine")
        parts = [self.get("date") or "no date"]
        if machine:
            parts.append("%d cores, %d GiB, Linux %s, %s" % (machine["cores"], machine["memory_gib"], machine["kernel"],
                                                             machine["architecture"]))
        else:
            parts.append("machine not noted")
        if self.get("commit"):
            parts.append("commit " + self["commit"])
        return "; ".join(parts)

    def command(self):
        return self.get("command") or COMMANDS.get(self.what, "not noted")


def read_results(folder):
    found = {}
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        if name.endswith(".json"):
            result = Result(os.path.join(folder, name))
            if result.what not in TITLES:
                sys.exit("%s: no result of a test that is known: %r" % (name, result.what))
            found.setdefault(result.what, []).append(result)
    if "soak" in found:
        found["resident"] = found["soak"]
    return found


def number(count):
    return "{:,}".format(count)


def held(text, is_enough, least):
    return text if is_enough else "%s; **less than %s**" % (text, least)


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "|".join("---" if i == 0 else "---:" for i in range(len(head))) + "|"]
    return lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]


def origins(results):
    return ["", *("`%s` (%s)" % (r.command(), r.origin()) + ("" if r is results[-1] else "  ") for r in results), ""]


# --- the parts: (words for the table on top, how many were wrong, lines of its section) -------

def sum_rows(results, group, names):
    """Rows of all results with the same name in `group`, added up."""
    sums = {}
    for result in results:
        for row in result["rows"]:
            counts = sums.setdefault(row[group], dict.fromkeys(names, 0))
            for name in names:
                counts[name] += row[name]
    return sums


def part_faults(results):
    names = ["points", "exact", "refused", "unreached", "wrong"]
    of_command = sum_rows(results, "command", names)
    of_kind = sum_rows(results, "kind", names)
    total = {name: sum(counts[name] for counts in of_command.values()) for name in names}
    lines = ["In a test build the n-th call of a kind fails, or comes short, for every n that a command reaches. "
             "After it the answer is exact, or the command was refused with a message, and nothing is lost or left.", ""]
    rows = [[command] + [number(c[name]) for name in names] for command, c in of_command.items()]
    rows.append(["all"] + [number(total[name]) for name in names])
    lines += table(["command", "points", "exact", "refused", "not reached", "wrong"], rows) + [""]
    lines += table(["kind of call", "points", "wrong"], [[kind, number(c["points"]), number(c["wrong"])]
                                                         for kind, c in of_kind.items()])
    return "%s fault points in %d commands" % (number(total["points"]), len(of_command)), total["wrong"], lines


def part_stops(results):
    names = ["cases", "stops", "resumed", "wrong"]
    of_how = sum_rows(results, "how", names)
    of_command = sum_rows(results, "command", names)
    total = {name: sum(counts[name] for counts in of_how.values()) for name in names}
    lines = ["A power cut is simulated: what was not synced is dropped or torn. A kill comes at any moment. The same "
             "command is given again until it is done, and its result must be the same bytes.", ""]
    lines += table(["stopped by", "cases", "stops", "gone on with", "wrong"],
                   [[how] + [number(c[name]) for name in names] for how, c in of_how.items()]) + [""]
    lines += table(["command", "cases", "stops", "gone on with", "wrong"],
                   [[command] + [number(c[name]) for name in names] for command, c in of_command.items()])
    text = "%s stops, %s gone on with" % (number(total["stops"]), number(total["resumed"]))
    return held(text, total["resumed"] >= LEAST_RESUMED, number(LEAST_RESUMED)), total["wrong"], lines


def part_flips(results):
    kinds = {}
    for result in results:
        for row in result["kinds"]:
            counts = kinds.setdefault(row["kind"], dict.fromkeys(["flips", "noticed", "harmless", "wrong"], 0))
            for name in counts:
                counts[name] += row[name]
    lines = ["One bit of a file is turned round; reading it names the damage, or gives the same answer as before.", ""]
    lines += table(["of", "flipped", "noticed", "without a difference", "wrong"],
                   [[kind] + [number(count) for count in counts.values()] for kind, counts in kinds.items()])
    flips, wrong = (sum(result[name] for result in results) for name in ("flips", "wrong"))
    noticed = sum(result["noticed"] for result in results)
    text = "%s bits flipped, %s noticed" % (number(flips), number(noticed))
    return held(text, flips >= LEAST_FLIPS, number(LEAST_FLIPS)), wrong, lines


def part_fuzz(results):
    fuzzers, seconds = {}, 0
    for result in results:
        seconds += result["seconds_each"]
        for name, one in result["fuzzers"].items():
            sums = fuzzers.setdefault(name, [0, 0])
            sums[0] += one["executions"]
            sums[1] += one["failed"]
    lines = ["Programs of libFuzzer with the address and undefined behaviour sanitizers, %s seconds each." %
             number(seconds), ""]
    lines += table(["fuzzer", "executions", "failed"],
                   [["`%s`" % name, number(sums[0]), sums[1]] for name, sums in sorted(fuzzers.items())])
    text = "%s executions of %d fuzzers" % (number(sum(s[0] for s in fuzzers.values())), len(fuzzers))
    return (held(text, seconds >= LEAST_FUZZ_SECONDS, "%d seconds each" % LEAST_FUZZ_SECONDS),
            sum(s[1] for s in fuzzers.values()), lines)


def part_soak(results):
    counts = {}
    for result in results:
        for name, count in result["counts"].items():
            counts[name] = counts.get(name, 0) + count
    hours = sum(result["seconds"] for result in results) / 3600
    process_hours = sum(result["seconds"] * result["jobs"] for result in results) / 3600
    cases, failed = (sum(result[name] for result in results) for name in ("cases", "failed"))
    lines = ["Random sorts and indexes under random limits, small disks and signals, compared with GNU sort and with "
             "readers of indexes written for that: %.1f hours (%.1f of one process). Seeds: %s." %
             (hours, process_hours, ", ".join(result["seed"] for result in results)), ""]
    lines += table(["what", "count"], [[name, number(count)] for name, count in sorted(counts.items())])
    text = "%.1f hours, %s cases, %s runs, %s kills, %s resumes" % (
        hours, number(cases), *(number(counts.get(name, 0)) for name in ("runs", "kills", "resumes")))
    return held(text, hours >= LEAST_SOAK_HOURS, "%d hours" % LEAST_SOAK_HOURS), failed, lines


def part_resident(results):
    checked = sum(result["counts"].get("runs with the resident bound checked", 0) for result in results)
    most = max((r["resident_over_s_most_bytes"] for r in results if r["resident_over_s_most_bytes"] is not None),
               default=None)
    if most is None:
        return "no run with -S", 0, ["No run of the soak had -S."]
    allowed = max(result["resident_over_s_allowed_bytes"] for result in results)
    over = int(most > allowed)
    lines = ["Of the soak's runs with `-S`, and no line of more than a twentieth of it, the largest was resident with "
             "%+.1f MiB beside S; %.0f are promised. Memory of indexes is held in the same way." %
             (most / 2 ** 20, allowed / 2 ** 20)]
    return "%s runs, at most S %+.1f MiB of the %.0f promised" % (number(checked), most / 2 ** 20,
                                                                  allowed / 2 ** 20), over, lines


def part_limits(results):
    last = results[-1]
    lines = table(["situation", "what must come out", "result"],
                  [[one["situation"].replace("_", " "), one["expected"].replace("|", "\\|"),
                    one["result"] + (": " + one["why"] if one["result"] == "skipped" else "")]
                   for one in last["situations"]])
    text = "%d situations passed" % last["passed"]
    return text + (", %d not possible there" % last["skipped"] if last["skipped"] else ""), last["failed"], lines


def part_situations(results):
    last = results[-1]
    programs = [name for name in last["table"][0] if name not in ("situation", "what")]
    lines = ["The same bad situations for each, run one after the other on one machine; tests/bad_situations.py says "
             "what the words mean.", ""]
    lines += table(["situation"] + programs, [[row["what"]] + [row[name] for name in programs] for row in last["table"]])
    ours = [row[name] for row in last["table"] for name in programs if name.startswith("gpusort")]
    bad = sum(any(word in cell for word in ("LOSS", "crash", "mute", "half")) for cell in ours)
    return "%d situations, %d programs" % (len(last["table"]), len(programs)), bad, lines


MAKERS = {"faults": part_faults, "stops": part_stops, "flipped bits": part_flips, "fuzz": part_fuzz,
          "soak": part_soak, "resident": part_resident, "limits": part_limits, "bad situations": part_situations}


class Page:
    """What stands there already: the row and the section of each part that was measured."""

    def __init__(self, path):
        text = ""
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                text = file.read()
        self.rows = {row.group(1): row.group(0) for row in re.finditer(r"^\| \[([^]]+)\]\(#.*\|$", text, re.M)}
        self.sections = dict(re.findall(r"^## (.*?)\n\n(.*?)\n*(?=^## |\Z)", text, re.M | re.S))

    def has(self, title):
        return title in self.rows and title in self.sections


def report(found, others, page):
    head, sections = [], []
    for what in PARTS:
        title = TITLES[what]
        if what not in found and page.has(title):
            head.append(page.rows[title].strip("| ").split(" | "))
            sections += ["## " + title, "", page.sections[title], ""]
            continue
        if what not in found:
            head.append([title, "**missing**: no results were there", "`%s`" % COMMANDS[what], "not measured"])
            continue
        text, wrong, lines = MAKERS[what](found[what])
        anchor = title.lower().replace(" ", "-")
        head.append(["[%s](#%s)" % (title, anchor), text, "`%s`" % COMMANDS[what], str(wrong)])
        sections += ["## " + title, ""] + lines + origins(found[what])
    top = ["# Reliability", "", "<!-- Written by `make reliability`; do not edit. -->", "",
           "Whatever happens, gpusort gives the exact answer or says why not, and loses, invents or exposes no byte. "
           "This is what was done to find that untrue, and how often it was. Every line comes from a file that the "
           "command wrote; what was not run says so.", ""]
    lines = ["| what | how much | command | lost or wrong |", "|---|---|---|---:|"]
    lines += ["| " + " | ".join(row) + " |" for row in head]
    return "\n".join(top + lines + [""] + sections + [others.rstrip(), ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--results", default="build/reliability", help="folder of the JSON files")
    parser.add_argument("--output", default=os.path.join(HERE, "RELIABILITY.md"))
    options = parser.parse_args()
    found = read_results(options.results)
    if not found:
        parser.error("no results in %s" % options.results)
    with open(os.path.join(HERE, "reliability_others.md"), encoding="utf-8") as file:
        text = report(found, file.read(), Page(options.output))
    with open(options.output + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(options.output + ".new", options.output)
    older = [COMMANDS[what] for what in PARTS if what not in found]
    print("%s: %d parts%s" % (options.output, len(PARTS) - len(older),
                              "; not measured now: " + ", ".join(older) if older else ""))


if __name__ == "__main__":
    main()
