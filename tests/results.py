# SPDX-License-Identifier: MIT
"""What a long test found, as a JSON file that reliability.py makes its report of."""
import datetime
import json
import os
import platform
import shlex
import subprocess


def machine():
    """Cores, memory and kernel; no names."""
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {"cores": len(os.sched_getaffinity(0)), "memory_gib": round(pages / 2 ** 30),
            "kernel": platform.release().split("-")[0], "architecture": platform.machine()}


def commit():
    """Of the tree that was tested, with a + if it was changed; None without git."""
    here = os.path.dirname(os.path.abspath(__file__))
    done = subprocess.run(["git", "-C", here, "describe", "--always", "--dirty=+", "--exclude=*"],
                          capture_output=True, text=True, check=False)
    return done.stdout.strip() or None


def write(path, what, command, figures):
    """`command` is a list of words, or the text of a command line."""
    command = command if isinstance(command, str) else shlex.join(command)
    found = {"what": what, "command": command, "machine": machine(), "commit": commit(),
             "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"), **figures}
    folder = os.path.dirname(os.path.abspath(path))
    os.makedirs(folder, exist_ok=True)
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(found, file, indent=1)
        file.write("\n")
    os.replace(path + ".new", path)
