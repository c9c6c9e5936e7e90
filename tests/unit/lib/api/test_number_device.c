/* SPDX-License-Identifier: MIT */
/*
 * Arrays of numbers by a GPU; `gpu`: on the pretended one, whose steps fail one after the
 * other, each in a process of its own. What would break: numbers lost when a GPU fails on
 * the way back, keys that are no longer the numbers, a block or its edge left out, an
 * order or a bit that a GPU gets wrong and nobody sees, cores where a GPU is there and
 * faster, a warning of a GPU that nobody asked for.
 */
#define CHECK_STARTS_THREADS

#include "lib/gpusort.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpu/device/device.h"
#include "lib/api/number_choice.h"
#include "tests/check.h"

enum { MOST = (1 << 17) * 2 + 1234 }; /* three blocks, the last one cut */

static const struct number_type {
    gpusort_type type;
    size_t bytes;
} types[] = {{GPUSORT_U32, 4}, {GPUSORT_I32, 4}, {GPUSORT_F32, 4},
             {GPUSORT_U64, 8}, {GPUSORT_I64, 8}, {GPUSORT_F64, 8}};

/* How often a GPU was given up, without a warning and with one. */
typedef struct given_up {
    unsigned quietly, warned;
} given_up;

static void count_given_up(void *context, gpusort_level level, const char *text)
{
    given_up *const n = context;
    if (strstr(text, "by the cores") != NULL)
        (*(level <= GPUSORT_SAYS_WARNING ? &n->warned : &n->quietly))++;
}

static void draw(void *to, size_t count, gpusort_type type, uint64_t *seed)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t x = check_random(seed);
        if (x % 3 == 0)
            x = 1 - x % 2 - x % 5; /* many equal ones, of both signs */
        if (type == GPUSORT_F32)
            ((float *)to)[i] = x % 1000 == 1 ? NAN : (float)(int64_t)x * 0.25f;
        else if (type == GPUSORT_F64)
            ((double *)to)[i] = x % 1000 == 1 ? (double)NAN : (double)(int64_t)x * 0.25;
        else if (type == GPUSORT_U32 || type == GPUSORT_I32)
            ((uint32_t *)to)[i] = (uint32_t)x;
        else
            ((uint64_t *)to)[i] = x;
    }
}

/* As the cores sort them, which test_api holds against qsort. */
static void sort_both(const struct number_type *t, size_t count, unsigned threads,
                      unsigned wanted_warnings, uint64_t *seed)
{
    given_up n = {0, 0};
    gpusort_error error = GPUSORT_NO_ERROR;
    const gpusort_job by_gpu = {
        .engine = "gpu", .threads = threads, .log = count_given_up, .context = &n};
    char *const got = malloc(MOST * 8), *const want = malloc(MOST * 8);
    REQUIRE(got != NULL && want != NULL);
    draw(got, count, t->type, seed);
    memcpy(want, got, count * t->bytes);
    REQUIRE(gpusort_sort_numbers(want, count, t->type, NULL, &error) == GPUSORT_OK);
    REQUIRE(gpusort_sort_numbers(got, count, t->type, &by_gpu, &error) == GPUSORT_OK);
    CHECK(memcmp(got, want, count * t->bytes) == 0);
    CHECK(n.warned == wanted_warnings);
    free(got);
    free(want);
}

static void every_type(void)
{
    static const size_t counts[] = {2, 1 << 17, (1 << 17) + 1, MOST};
    uint64_t seed = 1;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            sort_both(&types[t], counts[c], 1 + (unsigned)(c + t) % 3, 0, &seed);
    }
}

/* In a process of its own, in which that step fails. */
static void with_failure(const char *step, void (*work)(uint64_t seed), uint64_t seed)
{
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        REQUIRE(setenv("GS_FAKE_GPU_FAIL", step, 1) == 0);
        work(seed);
        exit(check_result());
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    if (status != 0)
        fprintf(stderr, "failed: %s\n", step);
    CHECK(status == 0);
}

static void sort_with_a_warning(uint64_t seed)
{
    const struct number_type *const t = &types[seed % 6];
    sort_both(t, MOST, 1, 1, &seed);
}

/* With one thread the copies of three blocks are 1 to 3 there, 4 to 6 back. */
static void each_step_fails(void)
{
    static const char *const steps[] = {"memory:1", "locked:1", "copy:1", "copy:3",
                                        "engine:1", "submit:1", "wait:1", "copy:4",
                                        "copy:6",   "flip:2",   "flip:4", "flip:6"};
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
        with_failure(steps[s], sort_with_a_warning, s);
}

static int stop_at_once(void *context, const gpusort_progress *p)
{
    (void)context;
    (void)p;
    return 1;
}

static void stopped_numbers_are_all_there(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    uint64_t *const numbers = malloc(MOST * sizeof *numbers), sum = 0, seed = 3;
    REQUIRE(numbers != NULL);
    for (size_t i = 0; i < MOST; i++)
        sum += numbers[i] = check_random(&seed);
    const gpusort_job job = {.engine = "gpu", .progress = stop_at_once};
    const gpusort_code code =
        gpusort_sort_numbers(numbers, MOST, GPUSORT_U64, &job, &error);
    CHECK(code == GPUSORT_OK || code == GPUSORT_CANCELLED);
    for (size_t i = 0; i < MOST; i++)
        sum -= numbers[i];
    CHECK(sum == 0);
    free(numbers);
}

/* How often a GPU that fails was asked, of a sort that says nothing of engines. */
static unsigned asked_by_itself(size_t count, uint64_t *seed)
{
    given_up n = {0, 0};
    gpusort_error error = GPUSORT_NO_ERROR;
    const gpusort_job usual = {.threads = 1, .log = count_given_up, .context = &n};
    uint64_t *const numbers = malloc(count * sizeof *numbers);
    REQUIRE(numbers != NULL);
    draw(numbers, count, GPUSORT_U64, seed);
    REQUIRE(gpusort_sort_numbers(numbers, count, GPUSORT_U64, &usual, &error) ==
            GPUSORT_OK);
    for (size_t i = 1; i < count; i++)
        CHECK(numbers[i - 1] <= numbers[i]);
    free(numbers);
    CHECK(n.warned == 0); /* nobody asked for it, so nobody is warned */
    return n.quietly;
}

/* A first sort brings three blocks there and back; what fails is the next one. */
static void sort_by_itself(uint64_t seed)
{
    const size_t enough = 700000;
    CHECK(asked_by_itself(enough, &seed) == 0);
    sort_both(&types[3], MOST, 1, 0, &seed);
    CHECK(asked_by_itself(enough / 10, &seed) == 0);
    CHECK(asked_by_itself(enough, &seed) == 1);
}

static void auto_goes_by_what_was_measured(void)
{
    enum { COLD = false, STARTED = true };
    const size_t million = 1000000;
    CHECK(!gs_number_gpu_pays(100 * million, 8, 16, COLD));
    CHECK(gs_number_gpu_pays(400 * million, 8, 16, COLD));
    CHECK(gs_number_gpu_pays(100 * million, 8, 16, STARTED));
    CHECK(!gs_number_gpu_pays(million, 8, 16, STARTED));
    CHECK(gs_number_gpu_pays(million, 8, 1, STARTED));
    CHECK(
        !gs_number_gpu_pays(10000 * million, 8, 64, STARTED)); /* the cores are faster */
    CHECK(!gs_number_gpu_pays(0, 8, 1, STARTED));
}

static void refused_without_a_gpu(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    const gpusort_job by_gpu = {.engine = "gpu"};
    uint64_t numbers[] = {3, 1};
    CHECK(gpusort_sort_numbers(numbers, 2, GPUSORT_U64, &by_gpu, &error) != GPUSORT_OK);
    CHECK(numbers[0] == 3 && numbers[1] == 1 && strstr(error.message, "GPU") != NULL);
}

int main(int argc, char **argv)
{
    const bool is_pretended = argc > 1 && strcmp(argv[1], "gpu") == 0;
    const bool has_gpu = gs_device_count() > 0;
    REQUIRE(has_gpu || !is_pretended);
    auto_goes_by_what_was_measured();
    if (!has_gpu) {
        refused_without_a_gpu();
        return check_result();
    }
    if (is_pretended) {
        each_step_fails();
        with_failure("copy:7", sort_by_itself, 5);
    }
    every_type();
    stopped_numbers_are_all_there();
    return check_result();
}
