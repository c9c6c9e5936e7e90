#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds `gpusort sort --locale-order` against GNU sort in the same locale.

The locales are made here by localedef, in a folder of the test (LOCPATH), from what the
package `locales` has; without it nothing is tested, and that is said. Random lines of
letters with and without accents, of several scripts, of bytes that are no UTF-8, of numbers
and months as those locales write them are sorted by random keys, spilled and not.

The C library contradicts itself now and then: of some texts in which punctuation, accents
of their own or bytes that are no UTF-8 come beside digits and some letters, strcoll and
strxfrm have different orders. Where there are such, GNU sort compares by strxfrm here,
through a library that is put before it; where there are none, as it always does.
"""
import argparse
import os
import random
import shlex
import shutil
import subprocess
import sys
import tempfile

import key_letters
import reference_sort

LOCALES = ["en_US", "de_DE", "ja_JP", "sv_SE"]
LETTERS = ("a b c A B C z Z ä Ä é É e è ß ss æ å ö o Ö ll ñ - ' . , _ 0 1 9 10 あ ア い 漢 字 "
           "中 ー ﾊ ｱ € ½ ﬁ İ ı œ Đ \u0301 \u00ad \U0001f601 ☃").split(" ") + [" ", " ", "\t"]
PLAIN = "a b c A B C z Z ä Ä é É e è ß ss å ö o Ö ll ñ - ' . , _ あ ア い 漢 字 中".split(" ") + [" ", " ", "\t"]
BYTES = [b"\xff", b"\x9f", b"\xc3", b"\x01", b"\x7f"]


SHIM = r"""
#include <stdlib.h>
#include <string.h>
int strcoll(const char *a, const char *b)
{
    size_t n = strxfrm(NULL, a, 0) + 1, m = strxfrm(NULL, b, 0) + 1;
    char *x = malloc(n), *y = malloc(m);
    strxfrm(x, a, n);
    strxfrm(y, b, m);
    int order = strcmp(x, y);
    free(x);
    free(y);
    return order;
}
"""


def make_shim(folder):
    path = os.path.join(folder, "by_strxfrm.so")
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-x", "c", "-o", path, "-"], input=SHIM.encode(), check=True)
    return path


def make_locales(folder, names):
    """Those that can be made, or that another test left in $GS_TEST_LOCALES for all."""
    if not shutil.which("localedef") or not os.path.isdir("/usr/share/i18n/locales"):
        return []
    shared = os.environ.get("GS_TEST_LOCALES")
    for name in names:
        path = os.path.join(folder, name + ".UTF-8")
        if shared and os.path.isdir(os.path.join(shared, name + ".UTF-8")):
            os.symlink(os.path.join(shared, name + ".UTF-8"), path)
            continue
        subprocess.run(["localedef", "-i", name, "-f", "UTF-8", "--no-archive", path],
                       capture_output=True, check=False)
        if shared and os.path.isdir(path):
            share(path, shared)
    return [n + ".UTF-8" for n in names if os.path.isdir(os.path.join(folder, n + ".UTF-8"))]


def share(path, shared):
    """Whole or not at all: others look there at the same time, and may have been first."""
    copy = tempfile.mkdtemp(dir=shared)
    shutil.copytree(path, copy, dirs_exist_ok=True)
    try:
        os.rename(copy, os.path.join(shared, os.path.basename(path)))
    except OSError:
        shutil.rmtree(copy)


def random_text(rng, has_all):
    kind = rng.random()
    if has_all and kind < 0.3:
        sign = rng.choice(["", "", "-"])
        return (sign + rng.choice(["%d", "%d,5", "%d.5", "%d.000", "1.%03d", "1,%03d", ".%d", ",%d", "0%d", "%d,000.25",
                                   "1..%d", "%d,", "%d.", "%de2"]) % rng.randrange(0, 1200) +
                rng.choice(["", "", "K", "M", "x"])).encode()
    if has_all and kind < 0.4:
        return rng.choice(["Jan", "jan", "Feb", "Mär", "MÄR", "MAR", "Mai", "May", "maj", "Dez", "Dec", " 1月", "12月",
                           "1月", "11月", "Sep", ""]).encode()
    out = []
    for _ in range(rng.randrange(0, 9)):
        letter = rng.choice(LETTERS if has_all else PLAIN)
        out.append(rng.choice(BYTES) if has_all and rng.random() < 0.03 else letter.encode())
    return b"".join(out)


def make_lines(rng, count, has_zeros, has_all):
    lines = []
    for _ in range(count):
        line = b" ".join(random_text(rng, has_all) for _ in range(rng.randrange(0, 4))).replace(b"\n", b"")
        if has_zeros and rng.random() < 0.1:
            at = rng.randrange(len(line) + 1)
            line = line[:at] + b"\0" + line[at:]
        lines.append(rng.choice(lines) if lines and rng.random() < 0.1 else line)
    return lines


LETTERS = ["", "", "", "f", "d", "i", "df", "b", "n", "n", "g", "h", "M", "V"]
TURNS = ["", "", "r"]


def make_options(rng):
    args = []
    for _ in range(rng.choice([0, 0, 1, 1, 2])):
        field = rng.randrange(1, 4)
        char = rng.choice(["", "", ".2"])
        args.append("-k%d%s,%d%s%s" % (field, char, field + rng.randrange(2), rng.choice(LETTERS),
                                       rng.choice(TURNS)))
    letter = rng.choice(LETTERS)
    args += ["-" + letter] if letter else []
    for option, chance in (("-r", 0.2), ("-s", 0.2), ("-u", 0.2), ("-z", 0.05), ("-t,", 0.1)):
        args += [option] if rng.random() < chance else []
    return args


def check_case(rng, binary, folder, env, shim, lacking):
    has_all = rng.random() < 0.7
    has_zeros = rng.random() < 0.2
    args = make_options(rng)
    end = b"\0" if "-z" in args else b"\n"
    lines = make_lines(rng, rng.choice([0, 1, 5, 50, 400, 400, 6000]), has_zeros and end == b"\n", has_all)
    text = b"".join(line + end for line in lines)
    if reference_sort.outdated(lacking, args, text):
        return None
    name = os.path.join(folder, "in")
    with open(name, "wb") as file:
        file.write(text)
    want = subprocess.run([reference_sort.PROGRAM] + args + [name], capture_output=True, check=False,
                          env=dict(env, LD_PRELOAD=shim) if has_all else env)
    mine = args + ["--locale-order", "--engine=cpu"] + rng.choice([[], ["--parallel=4"], ["-S", "700K"], ["--verify"]])
    got = subprocess.run([binary, "sort"] + mine + [name], capture_output=True, env=env, check=False)
    if got.returncode != want.returncode or got.stdout != want.stdout:
        return mine + [name], got.stderr.decode("latin-1") or "another order", want.stdout
    if want.returncode != 0:
        return None
    with open(name, "wb") as file:
        file.write(want.stdout)
    for more in (["-c"], ["-m"]):
        got = subprocess.run([binary, "sort"] + args + ["--locale-order"] + more + [name], capture_output=True,
                             env=env, check=False)
        if got.returncode != 0 or (more == ["-m"] and got.stdout != want.stdout):
            return args + ["--locale-order"] + more + [name], "not in order or merged otherwise", want.stdout
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("GS_TEST_SEED", "1")))
    args = parser.parse_args()
    key_letters.check_drawn("locale_check.py", LETTERS + TURNS, left_out="R")
    folder = tempfile.mkdtemp(prefix="gs-locale-")
    # To make a locale takes as long as some cases in it.
    names = make_locales(folder, LOCALES if args.cases >= 20 else random.Random(args.seed).sample(LOCALES, 2))
    if not names:
        print("no localedef, or no sources of locales: the order of locales was not tested")
        sys.exit(0)
    print(f"seed {args.seed}")
    shim = make_shim(folder)
    # The C library leaks LOCPATH once, which a sanitizer without symbols cannot tell from ours.
    sanitizer = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    lacking = reference_sort.lacking()
    for number in range(args.cases):
        rng = random.Random(args.seed * 1000003 + number)
        env = dict(os.environ, LOCPATH=folder, LC_ALL=rng.choice(names),
                   ASAN_OPTIONS=sanitizer.lstrip(":"))
        wrong = check_case(rng, args.binary, folder, env, shim, lacking)
        if wrong is not None:
            command, what, want = wrong
            with open(os.path.join(folder, "want"), "wb") as file:
                file.write(want)
            print(f"FAIL case {number}: {what}\n  LOCPATH={folder} LC_ALL={env['LC_ALL']} gpusort sort "
                  f"{' '.join(map(shlex.quote, command))}\n  want: {folder}/want")
            sys.exit(1)
    shutil.rmtree(folder)
    print(f"{args.cases} sorts in {', '.join(names)}, all as GNU sort has them")


if __name__ == "__main__":
    main()
