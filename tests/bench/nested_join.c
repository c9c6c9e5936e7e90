/* SPDX-License-Identifier: MIT */
/*
 * A join by two nested loops, as programs of its time had it: every key of the left file
 * against every key of the right one, which the compiler makes several comparisons at
 * once of. It is what the paper on bitonic sorting compares its joins with.
 *
 *     nested_join LEFT RIGHT LOW HIGH >OUT
 *
 * Lines are NUMBER,REST. Those match whose right number less the left one is from LOW to
 * HIGH. With "= =" equal numbers match, and the output is that of join(1).
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct table {
    char *text;
    int64_t *keys;
    char **lines; /* each ended by a zero */
    size_t count;
} table;

static void fail(const char *what)
{
    perror(what);
    exit(2);
}

static table read_table(const char *name)
{
    table t = {0};
    FILE *const file = fopen(name, "r");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0)
        fail(name);
    const size_t bytes = (size_t)ftell(file);
    rewind(file);
    t.text = malloc(bytes + 1);
    if (t.text == NULL || fread(t.text, 1, bytes, file) != bytes)
        fail(name);
    fclose(file);
    size_t lines = 0;
    for (size_t i = 0; i < bytes; i++)
        lines += t.text[i] == '\n';
    t.keys = malloc((lines + 1) * sizeof *t.keys);
    t.lines = malloc((lines + 1) * sizeof *t.lines);
    if (t.keys == NULL || t.lines == NULL)
        fail("memory");
    for (char *at = t.text; t.count < lines;) {
        char *const end = memchr(at, '\n', bytes - (size_t)(at - t.text));
        *end = '\0';
        t.lines[t.count] = at;
        t.keys[t.count++] = strtoll(at, NULL, 10);
        at = end + 1;
    }
    return t;
}

/* How many of a block match: most blocks have none. */
static unsigned count_matches(const int64_t *keys, size_t count, int64_t low,
                              int64_t high)
{
    unsigned matches = 0;
    for (size_t i = 0; i < count; i++)
        matches += keys[i] >= low && keys[i] <= high;
    return matches;
}

int main(int argc, char **argv)
{
    enum { BLOCK = 256 };
    if (argc != 5)
        return 2;
    const int is_equal = strcmp(argv[3], "=") == 0;
    const int64_t low = is_equal ? 0 : strtoll(argv[3], NULL, 10);
    const int64_t high = is_equal ? 0 : strtoll(argv[4], NULL, 10);
    const table left = read_table(argv[1]), right = read_table(argv[2]);
    for (size_t i = 0; i < left.count; i++) {
        const int64_t from = left.keys[i] + low, to = left.keys[i] + high;
        for (size_t at = 0; at < right.count; at += BLOCK) {
            const size_t n = right.count - at < BLOCK ? right.count - at : BLOCK;
            if (count_matches(right.keys + at, n, from, to) == 0)
                continue;
            for (size_t k = at; k < at + n; k++) {
                const char *const line = right.lines[k];
                if (right.keys[k] < from || right.keys[k] > to)
                    continue;
                fputs(left.lines[i], stdout);
                fputs(is_equal ? strchr(line, ',') : ",", stdout);
                fputs(is_equal ? "" : line, stdout);
                putchar('\n');
            }
        }
    }
    return fclose(stdout) == 0 ? 0 : 2;
}
