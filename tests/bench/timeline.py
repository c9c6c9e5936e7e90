#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draw what --trace wrote as a picture: a line for each kind of work, dark where it is busy.

    tests/bench/timeline.py TRACE.json OUT.svg [TITLE]
"""
import html
import json
import sys

WIDTH, LEFT, RIGHT, TOP, LANE = 900, 150, 30, 60, 34
COLUMNS = WIDTH - LEFT - RIGHT
ORDER = ["read", "worker", "upload", "GPU", "download", "write"]
COLOURS = {"read": "#4078c0", "worker": "#8a6d3b", "upload": "#7a5195", "GPU": "#2f855a", "download": "#bc5090",
           "write": "#d9822b"}
PHASES = {"read": "#eef4fb", "sort": "#eef8f1", "merge": "#fdf5ea", "start": "#ffffff", "finish": "#ffffff"}


def load(name):
    """Spans as (kind of lane, lane, name, begin, end) and phases as (name, begin, end), in seconds."""
    with open(name, encoding="utf-8") as f:
        events = json.load(f)["traceEvents"]
    lanes = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    spans = [(lanes[e["tid"]].rsplit(" ", 1)[0], e["tid"], e["name"], e["ts"] / 1e6, (e["ts"] + e["dur"]) / 1e6)
             for e in events if e["ph"] == "X"]
    phases, begun = [], {}
    for e in events:
        if e["ph"] == "B":
            begun[e["name"]] = e["ts"] / 1e6
        elif e["ph"] == "E" and e["name"] in begun:
            phases.append((e["name"], begun.pop(e["name"]), e["ts"] / 1e6))
    return spans, phases


def busy(spans, end):
    """For each column of the picture how many lanes were busy, on average."""
    columns = [0.0] * COLUMNS
    for _, _, _, begin, until in spans:
        first, last = begin / end * COLUMNS, min(until / end * COLUMNS, COLUMNS)
        for i in range(int(first), min(int(last) + 1, COLUMNS)):
            columns[i] += max(0.0, min(last, i + 1) - max(first, i))
    return columns


def draw(trace, target, title=""):
    spans, phases = load(trace)
    end = max([s[4] for s in spans] + [p[2] for p in phases])
    kinds = [k for k in ORDER if any(s[0] == k for s in spans)]
    height = TOP + LANE * len(kinds) + 50
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="13">'
           % (WIDTH, height), '<rect width="100%" height="100%" fill="white"/>',
           '<text x="%d" y="22" text-anchor="middle" font-size="15">%s</text>' % (WIDTH // 2, html.escape(title))]
    bottom = TOP + LANE * len(kinds)
    for name, begin, until in phases:
        x, width = LEFT + begin / end * COLUMNS, (until - begin) / end * COLUMNS
        out.append('<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>' % (
            x, TOP - 18, width, bottom - TOP + 18, PHASES.get(name, "#ffffff")))
        if width > 50:
            out.append('<text x="%.1f" y="%d" fill="#777777">%s</text>' % (x + 4, TOP - 5, name))
    for row, kind in enumerate(kinds):
        mine = [s for s in spans if s[0] == kind]
        most = max(1, len({s[1] for s in mine}))
        y = TOP + LANE * row
        share = sum(s[4] - s[3] for s in mine) / most / end
        out.append('<text x="%d" y="%d" text-anchor="end">%s%s</text>' % (
            LEFT - 8, y + 16, html.escape(kind), " \u00d7 %d" % most if most > 1 else ""))
        out.append('<text x="%d" y="%d" text-anchor="end" font-size="11" fill="#777777">%.0f %% busy</text>' % (
            LEFT - 8, y + 29, 100 * share))
        points = []
        for i, value in enumerate(busy(mine, end)):
            level = min(1.0, value / most)
            if level > 0.002:
                points.append("M%d %.1fv%.1f" % (LEFT + i, y + 30 - 26 * max(level, 0.04), 26 * max(level, 0.04)))
        out.append('<path d="%s" stroke="%s" stroke-width="1" transform="translate(0.5 0)"/>' % (
            "".join(points), COLOURS[kind]))
        out.append('<line x1="%d" x2="%d" y1="%d" y2="%d" stroke="#cccccc"/>' % (LEFT, WIDTH - RIGHT, y + 30, y + 30))
    step = next(s for s in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 1000) if end / s <= 12)
    for i in range(int(end / step) + 1):
        x = LEFT + i * step / end * COLUMNS
        out.append('<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="#999999"/>' % (x, x, bottom, bottom + 5))
        out.append('<text x="%.1f" y="%d" text-anchor="middle">%g s</text>' % (x, bottom + 20, i * step))
    out.append("</svg>\n")
    with open(target, "w", encoding="utf-8") as f:
        f.write("\n".join(out))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    draw(sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else "")
