# SPDX-License-Identifier: MIT
"""Real data to measure with, from Debian's packages, and tables and logs that are made.

What was fetched and made stays in a folder, so that it is there the next time. Needs apt,
dpkg-deb and a network for what is not there yet, and no rights of root.
"""
import json
import os
import random
import re
import subprocess
import tarfile

SEED = 20061203
KERNEL = "linux-source-6.1"
# What apt is told to fetch besides the lists of packages: which files each of them has.
CONTENTS = ["-o", "Acquire::IndexTargets::deb::Contents-deb::MetaKey=$(COMPONENT)/Contents-$(ARCHITECTURE)",
            "-o", "Acquire::IndexTargets::deb::Contents-deb::ShortDescription=Contents-$(ARCHITECTURE)",
            "-o", "Acquire::IndexTargets::deb::Contents-deb::Description=Contents of $(RELEASE)"]


class RealInputs:
    """Files of a folder; each method gives the path of one, made when it is first asked for."""

    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        os.makedirs(self.folder, exist_ok=True)

    # --- what is fetched ---------------------------------------------------------------

    def kernel_archive(self):
        def fetch(target):
            scratch = target + ".deb"
            os.makedirs(scratch, exist_ok=True)
            subprocess.run(["apt-get", "download", "-q", "-o", "APT::Sandbox::User=root", KERNEL],
                           cwd=scratch, check=True, stdout=subprocess.DEVNULL)
            package = next(n for n in os.listdir(scratch) if n.endswith(".deb"))
            subprocess.run(["dpkg-deb", "-x", package, "all"], cwd=scratch, check=True)
            os.replace(os.path.join(scratch, "all/usr/src", KERNEL + ".tar.xz"), target)
            subprocess.run(["rm", "-r", scratch], check=True)
        return self._made(KERNEL + ".tar.xz", fetch)

    def contents(self):
        """All paths of all packages, each with its package, as the lists have them."""
        def fetch(target):
            lists = target + ".apt"
            os.makedirs(os.path.join(lists, "lists/partial"), exist_ok=True)
            os.makedirs(os.path.join(lists, "cache/archives/partial"), exist_ok=True)
            subprocess.run(["apt-get", "update", "-q", "-o", "Dir::State::Lists=" + lists + "/lists",
                            "-o", "Dir::Cache=" + lists + "/cache", "-o", "APT::Sandbox::User=root"] + CONTENTS,
                           check=True, stdout=subprocess.DEVNULL)
            names = sorted(n for n in os.listdir(lists + "/lists") if "Contents-" in n)
            if not names:
                raise RuntimeError("apt fetched no lists of contents")
            with open(target, "wb") as out:
                for name in names:
                    subprocess.run(["/usr/lib/apt/apt-helper", "cat-file", lists + "/lists/" + name], stdout=out,
                                   check=True)
            subprocess.run(["rm", "-r", lists], check=True)
        return self._made("contents", fetch)

    # --- lines ---------------------------------------------------------------------------

    def paths(self):
        return self._shuffled("paths", self.contents())

    def source_lines(self):
        """The lines of the kernel's sources, of files that are UTF-8."""
        def make(target):
            with open(target, "wb") as out:
                for _, text in self._kernel_files():
                    out.write(text if text.endswith(b"\n") or not text else text + b"\n")
        return self._shuffled("source-lines", self._made("source-text", make))

    def documents(self):
        """A JSON object a file of the kernel's sources."""
        def make(target):
            with open(target, "w", encoding="utf-8") as out:
                for name, text in self._kernel_files():
                    out.write(json.dumps({"id": name, "contents": text.decode()}, ensure_ascii=False) + "\n")
        return self._made("documents.jsonl", make)

    # --- values: those that stand in the sources, a line each -----------------------------

    def numbers(self):
        """Whole numbers, with what follows them in their line."""
        return self._values("numbers", rb"(?<![\w.])-?\d{1,18}(?![\w.]).{0,40}", lambda value: value)

    def floats(self):
        """And larger whole numbers; each also times 2 to 12, since there are few."""
        def times(value):
            number = float(value)
            return b"\n".join(b"%.12g" % (number * k) for k in range(1, 13))
        return self._values("floats", rb"(?<![\w.])-?\d+\.\d+(?:[eE][-+]?\d+)?(?![\w.])|(?<![\w.])\d{4,18}(?![\w.])",
                            times)

    def sizes(self):
        """Whole numbers as `du -h` has sizes; each also times 2 to 12, since there are few."""
        def human(number):
            unit = 0
            while number >= 10240 and unit < 6:
                number, unit = number // 1024, unit + 1
            if number >= 1024:
                return b"%.1f%c" % (number / 1024, b"KMGTPEZ"[unit])
            return b"%d" % number if unit == 0 else b"%d%c" % (number, b" KMGTPEZ"[unit])
        return self._values("sizes", rb"(?<![\w.])\d{2,18}(?![\w.])",
                            lambda value: b"\n".join(human(int(value) * k) for k in range(1, 13)))

    def versions(self):
        """Names of files, as packages have them: many end with a version. Not those that begin
        with a dot, which GNU sort 9.1 puts in another order than 9.10."""
        def make(target):
            with open(self.contents(), "rb") as lines, open(target, "wb") as out:
                for line in lines:
                    name = line.rsplit(None, 1)[0].rstrip().rsplit(b"/", 1)[-1]
                    if not name.startswith(b"."):
                        out.write(name + b"\n")
        return self._shuffled("versions", self._made("names", make))

    # --- tables and logs ---------------------------------------------------------------------

    def log(self, megabytes=400):
        """A web server's, with the months of its days in no order; paths are real ones."""
        def make(target):
            rng = random.Random(SEED)
            paths = self._some_paths(rng, 20000)
            months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
            with open(target, "w", encoding="utf-8") as out:
                while out.tell() < megabytes * 1000000:
                    out.write("".join('%s %02d %02d:%02d:%02d %d.%d.%d.%d "GET /%s" %d %d\n' % (
                        rng.choice(months), rng.randint(1, 28), rng.randrange(24), rng.randrange(60), rng.randrange(60),
                        rng.choice((10, 172, 192)), rng.randrange(40), rng.randrange(256), rng.randrange(256),
                        paths[int(len(paths) * rng.random() ** 3)], rng.choice((200, 200, 200, 304, 404, 500)),
                        int(rng.paretovariate(0.7) * 100)) for _ in range(10000)))
        return self._made("log-%d" % megabytes, make)

    def table(self, megabytes=1000):
        """CSV with a header: some texts have quotes, commas and line ends, and none is empty."""
        def make(target):
            rng = random.Random(SEED)
            paths = self._some_paths(rng, 50000)
            with open(target, "w", encoding="utf-8") as out:
                out.write("id,name,price,path\n")
                number = 0
                while out.tell() < megabytes * 1000000:
                    rows = []
                    for _ in range(10000):
                        number += 1
                        path = paths[int(len(paths) * rng.random() ** 2)]
                        name = path.rsplit("/", 1)[-1]
                        if number % 7 == 0:
                            name = '"%s, ""%d"""' % (name.replace('"', '""'), number % 100)
                        rows.append("%d,%s,%.2f,%s\n" % (number, name, rng.lognormvariate(3, 1.5), path))
                    out.write("".join(rows))
        return self._made("table-%d.csv" % megabytes, make)

    # --- how -----------------------------------------------------------------------------------

    def _made(self, name, make):
        """Whole or not at all."""
        target = os.path.join(self.folder, name)
        if not os.path.exists(target):
            print("    making %s" % name, flush=True)
            make(target + ".part")
            os.replace(target + ".part", target)
        return target

    def _shuffled(self, name, source):
        def make(target):
            with open(target + ".random", "wb") as f:
                rng = random.Random(SEED)
                for _ in range((os.path.getsize(source) >> 20) + 1):
                    f.write(rng.randbytes(1 << 20))  # four bytes a line or so
            subprocess.run(["shuf", "--random-source=" + target + ".random", "-o", target, source], check=True)
            os.unlink(target + ".random")
        return self._made(name, make)

    def _kernel_files(self):
        with tarfile.open(self.kernel_archive(), "r|xz") as tar:
            for member in tar:
                text = tar.extractfile(member).read() if member.isfile() else b"\0"
                if b"\0" in text:
                    continue
                try:
                    text.decode()
                except UnicodeDecodeError:
                    continue
                yield member.name, text

    def _values(self, name, pattern, change):
        def make(target):
            find = re.compile(pattern).findall
            self.source_lines()
            with open(os.path.join(self.folder, "source-text"), "rb") as text, open(target, "wb") as out:
                while lines := text.readlines(1 << 24):
                    found = find(b"".join(lines))
                    out.write(b"".join(change(value) + b"\n" for value in found))
        return self._shuffled(name, self._made(name + "-in-order", make))

    def _some_paths(self, rng, count):
        """Without what would have to be quoted in a table."""
        with open(self.paths(), encoding="utf-8", errors="ignore") as lines:
            found = [line.rsplit(None, 1)[0].rstrip() for line, _ in zip(lines, range(count * 2))]
        found = [path for path in found if not set(path) & set('",\r')][:count]
        rng.shuffle(found)
        return found
