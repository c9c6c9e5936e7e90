/* SPDX-License-Identifier: MIT */
#include "cmd/sort_usage.h"

#include <errno.h>

static const char order_text[] =
    "\n"
    "What orders lines (alone for the whole line, or as letters behind a key):\n"
    "  -b, --ignore-leading-blanks  blanks in front do not count\n"
    "  -d, --dictionary-order       only blanks, letters and digits count\n"
    "  -f, --ignore-case            lower case counts as upper case\n"
    "  -g, --general-numeric-sort   as numbers with exponents, inf and nan\n"
    "  -i, --ignore-nonprinting     only printable bytes count\n"
    "  -M, --month-sort             unknown < JAN < ... < DEC\n"
    "  -h, --human-numeric-sort     as sizes: 900, 2K, 1G\n"
    "  -n, --numeric-sort           as decimal numbers of any length\n"
    "  -R, --random-sort            shuffled, equal keys together\n"
    "      --random-source=FILE     take the shuffle's seed from FILE\n"
    "  -r, --reverse                the other way round\n"
    "      --sort=WORD              general-numeric -g, human-numeric -h, month -M,\n"
    "                                 numeric -n, random -R, version -V\n"
    "  -V, --version-sort           numbers inside text by value\n"
    "\n"
    "Keys:\n"
    "  -k, --key=POS1[,POS2]        from POS1 to POS2 (to the end without it); POS is\n"
    "                                 FIELD[.CHAR][LETTERS], counted from 1; a key\n"
    "                                 with letters does not take the global ones\n"
    "  -t, --field-separator=BYTE   what stands between fields, \\0 for a zero byte;\n"
    "                                 without it, where blanks begin\n"
    "  -s, --stable                 lines with equal keys stay as they came\n"
    "  -u, --unique                 of lines with equal keys the first\n"
    "  -z, --zero-terminated        lines end with a zero byte\n";

static const char work_text[] =
    "\n"
    "What to do:\n"
    "  -c, --check[=diagnose-first] is the input in order? if not, say where, exit 1\n"
    "  -C, --check=quiet            the same without a word\n"
    "  -m, --merge                  the inputs are sorted already, only merge them\n"
    "  -o, --output=FILE            write to FILE, which may be an input\n"
    "      --files0-from=FILE       read names of inputs, each ended by a zero byte\n"
    "      --debug                  underline what was compared, warn of odd keys\n"
    "\n"
    "With what:\n"
    "  -S, --buffer-size=SIZE       memory of the whole process, in K (1024 bytes) or\n"
    "                                 with a unit: b % M G T P E\n"
    "  -T, --temporary-directory=DIR  where to spill, may be given several times;\n"
    "                                 otherwise $TMPDIR or /tmp\n"
    "      --parallel=N             this many threads\n"
    "      --batch-size=N           merge at most N runs at once\n"
    "      --compress-program=PROG  pack spilled data with PROG, unpack with -d\n";

static const char own_text[] =
    "\n"
    "Beyond GNU sort:\n"
    "      --record-size=N          records of N bytes instead of lines\n"
    "      --key-bytes=OFF:LEN[:TYPE]  compare LEN bytes from OFF on (from 0), may be\n"
    "                                 given several times; TYPE is u, i or f (number)\n"
    "                                 with le or be (byte order), or bytes; then r to\n"
    "                                 reverse: 0:8:ule, 8:4:fbe:r, 0:10\n"
    "      --csv                    records as RFC 4180 has them; a header on top,\n"
    "                                 and keys by its names: --key=price:n:r\n"
    "      --tsv                    the same with tabs\n"
    "      --no-quotes              in such files quotes are bytes as others\n"
    "      --jsonl-key=PATH[:LETTERS]  of lines that are JSON objects, compare what\n"
    "                                 is at PATH: .price:n:r, .user.name, .\"a b\"\n"
    "      --locale-order           text in the order of the locale, not of bytes\n"
    "      --header[=N]             the first line, or N lines, stay on top\n"
    "      --no-header              no header with --csv, --tsv\n"
    "      --count                  each distinct line once, with its number in front\n"
    "      --top=N                  only the first N of the result, in little memory\n"
    "      --output-compress=zstd[:LEVEL]  write a zstd file\n"
    "      --no-decompress          take zstd and gzip inputs as they are\n"
    "      --verify                 check that the output holds every record read, in\n"
    "                                 order; what a GPU sorted is always checked\n"
    "      --progress[=WHEN]        how far it is: always, auto (on terminals), never\n"
    "      --stats[=FILE]           figures of the run, as JSON, at the end\n"
    "      --output-sum             the figures have the XXH3-64 of the output too\n"
    "      --trace=FILE             a timeline in the Chrome trace format\n"
    "      --engine=NAME            auto, cpu, gpu, or one that `gpusort bench' names\n"
    "      --gpu=LIST               use these GPUs, as in 0,1\n"
    "      --gpu-mem=SIZE           use at most so much memory of each GPU\n"
    "      --no-uring               read and write without io_uring\n"
    "      --sync                   the output is on disk before its name appears\n"
    "      --checkpoint=DIR         keep what is done in DIR until all is; the same\n"
    "                                 command goes on from there if it was stopped\n";

static const char end_text[] =
    "      --help                   show this help and stop\n"
    "      --version                show the version and stop\n"
    "\n"
    "Bytes are compared as they are, as with LC_ALL=C. Inputs that are zstd or gzip\n"
    "files are unpacked while they are read (not as `sort').\n"
    "Exit codes: 0 good, 1 not in order (-c, -C), 2 trouble.\n";

void gs_sort_usage_print(FILE *to)
{
    fprintf(to, "Usage: %s [OPTION]... [FILE]...\n", program_invocation_name);
    fprintf(to, "   or: %s [OPTION]... --files0-from=FILE\n", program_invocation_name);
    fputs(
        "Write all lines of the FILEs in order. Without a FILE, or where it is -, read\n"
        "standard input.\n",
        to);
    fputs(order_text, to);
    fputs(work_text, to);
    fputs(own_text, to);
    fputs(
        "  -v, --verbose                say what was chosen and why (-v not as `sort')\n",
        to);
    fputs(end_text, to);
}
