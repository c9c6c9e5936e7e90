/* SPDX-License-Identifier: MIT */
/*
 * Command lines of any bytes: what they ask for makes sense, or the program ends with 2
 * (1 for a word that an option does not know) and a message. Every -k is held against a
 * reader of the grammar in gpusort-sort(1) that is written anew.
 *
 *      command u8 | words, each ended by a zero byte
 *
 * Commands: 0 `sort`, 1 gpusort sort, 2 gpusort index build, 3 gpusort search. The
 * program is linked with exit() wrapped, so that what would end it comes back here.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/index_build_args.h"
#include "cmd/search_args.h"
#include "cmd/size_arg.h"
#include "cmd/sort_resolve.h"

enum { WORDS_MAX = 30, TEXT_MAX = 4096, MESSAGE_BYTES = 1 << 16, DIGITS_SURE = 18 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);
void __wrap_exit(int code);
int __wrap_gs_stdout_close(int code);
_Noreturn void __real_exit(int code);
int __lsan_is_turned_off(void);

/* What a parser holds when the program ends is not given back. */
int __lsan_is_turned_off(void)
{
    return 1;
}

static char message[MESSAGE_BYTES];
static FILE *real_stderr, *real_stdout, *captured;
static jmp_buf ended;
static int exit_code;
static bool is_running;

/* REQUIRE would exit, and come back here. */
static void need(bool is_so, int line)
{
    if (is_so)
        return;
    fprintf(real_stderr, "fuzz_arguments.c:%d\n", line);
    abort();
}
#define NEED(cond) need(cond, __LINE__)

int __wrap_gs_stdout_close(int code)
{
    return code; /* what is printed is still needed */
}

void __wrap_exit(int code)
{
    if (!is_running)
        __real_exit(code);
    exit_code = code;
    longjmp(ended, 1);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    real_stderr = stderr;
    real_stdout = stdout;
    captured = fmemopen(message, sizeof message, "w");
    NEED(captured != NULL && freopen("/dev/null", "r", stdin) != NULL);
    return 0;
}

/* --- keys, by another reader -------------------------------------------------------- */

typedef struct position {
    unsigned long long field, character;
    bool has_character, is_sure; /* is it a number that anything can hold? */
    unsigned letters;            /* a bit each, in the order of `letters` */
} position;

static const char letters[] = "bdfghiMnRrV";
_Static_assert(sizeof letters - 1 == GS_LETTER_KIND_COUNT + GS_LETTER_FLAG_COUNT - 1,
               "each kind and flag has its letter (-b is two), and compare_key knows it");

/* As other numbers of GNU's, with blanks and a plus in front. */
static const char *read_count(const char *p, unsigned long long *count, bool *is_sure)
{
    p += strspn(p, " \t\n\v\f\r");
    p += *p == '+';
    const size_t digits = strspn(p, "0123456789");
    if (digits == 0)
        return NULL;
    *is_sure &= digits - strspn(p, "0") <= DIGITS_SURE;
    *count = strtoull(p, NULL, 10);
    return p + digits;
}

/* FIELD[.CHAR][LETTERS]; what follows, or NULL. */
static const char *read_position(const char *p, bool is_first, position *at)
{
    *at = (position){.is_sure = true};
    p = read_count(p, &at->field, &at->is_sure);
    if (p == NULL || at->field == 0) /* what is too long is no 0 either */
        return NULL;
    if (*p == '.') {
        at->has_character = true;
        p = read_count(p + 1, &at->character, &at->is_sure);
        if (p == NULL || (is_first && at->character == 0))
            return NULL;
    }
    for (const char *found; *p != '\0' && (found = strchr(letters, *p)) != NULL; p++)
        at->letters |= 1U << (found - letters);
    return p;
}

/* Is it a key, and which? */
static bool read_key(const char *text, position *begin, position *end, bool *has_end)
{
    const char *p = read_position(text, true, begin);
    *has_end = p != NULL && *p == ',';
    if (*has_end)
        p = read_position(p + 1, false, end);
    return p != NULL && *p == '\0';
}

static bool has(unsigned some, char letter)
{
    return (some >> (strchr(letters, letter) - letters) & 1) != 0;
}

static void compare_key(const char *text, const gs_key_spec *spec)
{
    position begin, end = {.is_sure = true};
    bool has_end;
    NEED(read_key(text, &begin, &end, &has_end));
    if (!begin.is_sure || !end.is_sure)
        return;
    NEED(spec->start_field == begin.field - 1);
    NEED(spec->start_char == (begin.has_character ? begin.character - 1 : 0));
    NEED(has_end || spec->end_field == SIZE_MAX);
    NEED(!has_end ||
         (spec->end_field == end.field - 1 && spec->end_char == end.character));
    const gpusort_key key = gs_key_from_spec(spec);
    const unsigned both = begin.letters | end.letters;
    const bool skips_nonprinting = has(both, 'i') && !has(both, 'd');
    const unsigned flags = (has(begin.letters, 'b') ? GPUSORT_SKIP_START_BLANKS : 0U) |
                           (has(end.letters, 'b') ? GPUSORT_SKIP_END_BLANKS : 0U) |
                           (has(both, 'f') ? GPUSORT_FOLD : 0U) |
                           (has(both, 'r') ? GPUSORT_REVERSE : 0U) |
                           (has(both, 'd') ? GPUSORT_DICTIONARY : 0U) |
                           (skips_nonprinting ? GPUSORT_IGNORE_NONPRINTING : 0U);
    NEED(key.flags == flags);
    static const char kinds[] = "nghMRV";
    static const gpusort_kind types[] = {GPUSORT_NUMERIC, GPUSORT_GENERAL,
                                         GPUSORT_HUMAN,   GPUSORT_MONTH,
                                         GPUSORT_RANDOM,  GPUSORT_VERSION};
    bool is_any = key.kind == GPUSORT_BYTES;
    _Static_assert(sizeof types / sizeof *types == GS_LETTER_KIND_COUNT, "each");
    for (size_t i = 0; i < GS_LETTER_KIND_COUNT; i++) {
        is_any |= key.kind == types[i] && has(both, kinds[i]);
        NEED(key.kind != GPUSORT_BYTES || !has(both, kinds[i]));
    }
    NEED(is_any);
}

/* --- one command line --------------------------------------------------------------- */

/* 0 if it was carried out, or the exit code and 1. */
static bool has_ended(void (*run)(int argc, char **argv), int argc, char **argv)
{
    rewind(captured);
    memset(message, 0, 256);
    stderr = stdout = captured;
    is_running = true;
    exit_code = 0;
    const bool is_over = setjmp(ended) != 0;
    if (!is_over)
        run(argc, argv);
    is_running = false;
    fflush(captured);
    stderr = real_stderr;
    stdout = real_stdout;
    if (is_over && exit_code != 0) {
        NEED(exit_code == 1 || exit_code == 2);
        NEED(strstr(message, "sort") != NULL && strchr(message, '\n') != NULL);
    }
    return is_over;
}

static void run_key(int argc, char **argv)
{
    gs_key_spec spec;
    NEED(argc == 1);
    gs_key_spec_parse(&spec, argv[0]);
    compare_key(argv[0], &spec);
}

static void run_range(int argc, char **argv)
{
    NEED(argc == 1);
    const gpusort_byte_key key = gs_byte_key_parse(argv[0]);
    NEED(key.length > 0);
}

static void run_sort(int argc, char **argv)
{
    static gs_sort_args args;
    const unsigned either = GPUSORT_DICTIONARY | GPUSORT_IGNORE_NONPRINTING;
    gs_sort_args_parse(&args, argc, argv);
    if (args.wish == GS_WISH_SORT)
        gs_sort_resolve(&args);
    const gpusort_sort_options *const o = &args.options;
    const gpusort_order *const order = &o->order;
    NEED(args.wish != GS_WISH_SORT || o->input_count > 0);
    NEED(o->batch_size == 0 || o->batch_size >= 2);
    for (size_t i = 0; i < order->key_count; i++)
        NEED((order->keys[i].flags & either) != either);
    for (size_t i = 0; i < order->byte_key_count; i++) {
        const gpusort_byte_key *const key = &order->byte_keys[i];
        NEED(key->length > 0 && key->length <= order->record_bytes &&
             key->offset <= order->record_bytes - key->length);
    }
    NEED(order->delimiter >= 0 && order->delimiter < 256);
    gs_sort_args_release(&args);
}

static void run_build(int argc, char **argv)
{
    static gs_index_build_args args;
    gs_index_build_args_parse(&args, argc, argv);
    gs_index_build_args_release(&args);
}

static void run_search(int argc, char **argv)
{
    static gs_search_args args;
    gs_search_args_parse(&args, argc, argv);
    NEED(args.folder != NULL && args.query_count >= 0);
}

/* Each word by itself: as a key, as a range of bytes, as a number. */
static void try_words(int count, char **words)
{
    for (int i = 1; i < count; i++) {
        position begin, end;
        bool has_end;
        char *one[] = {words[i], NULL};
        const bool is_refused = has_ended(run_key, 1, one);
        NEED(is_refused == !read_key(words[i], &begin, &end, &has_end));
        (void)has_ended(run_range, 1, one);
        uint64_t value;
        const char *rest;
        (void)gs_number_parse(words[i], "kKmMGTPEZYRQ", &value, &rest);
        NEED(rest >= words[i] && rest <= words[i] + strlen(words[i]));
    }
}

/* Files are looked for by the parsers of these, and no devices shall be found. */
static bool names_a_path(int count, char **words)
{
    for (int i = 1; i < count; i++) {
        if (strchr(words[i], '/') != NULL || strchr(words[i], '.') == words[i])
            return true;
    }
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char plain[] = "sort", own[] = "gpusort sort";
    static char text[TEXT_MAX + 1];
    char *words[WORDS_MAX + 2] = {plain};
    if (size == 0 || size > TEXT_MAX)
        return 0;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    int count = 1;
    for (char *p = text; p < text + size - 1 && count <= WORDS_MAX; p += strlen(p) + 1)
        words[count++] = p;
    const unsigned command = data[0] & 3;
    program_invocation_name = program_invocation_short_name = command == 0 ? plain : own;
    if (command < 2)
        try_words(count, words);
    if (!names_a_path(count, words))
        (void)has_ended(command < 2    ? run_sort
                        : command == 2 ? run_build
                                       : run_search,
                        count, words);
    return 0;
}
