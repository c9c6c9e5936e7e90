/* SPDX-License-Identifier: MIT */
/*
 * gpusort: sort what is larger than memory, and build, read and search inverted indexes.
 *
 *     gpusort_sort_options options = GPUSORT_SORT_OPTIONS;
 *     gpusort_error error = GPUSORT_NO_ERROR;
 *     const char *const inputs[] = {"big.txt"};
 *     options.inputs = inputs;
 *     options.input_count = 1;
 *     options.output = "sorted.txt";
 *     if (gpusort_sort(&options, &error) != GPUSORT_OK)
 *         fprintf(stderr, "%s\n", error.message);
 *
 * Options are structures that begin with their own size, which the initializers above
 * fill in: a program that was compiled with an older header goes on working with a newer
 * library, and the members that it does not know are as if they were zero. Zero always
 * means the default. All pointers are borrowed until the call returns.
 *
 * Every call that can fail returns a gpusort_code and takes a gpusort_error last, which
 * may be NULL. The first failure fills it and later ones leave it alone.
 *
 * There is no global state: any number of calls may run at once in one process, and each
 * brings its own threads. An object belongs to one thread at a time, but where it says
 * otherwise. The library never prints, never ends the program and handles no signals. It
 * blocks them in its own threads, and for moments in the thread that calls.
 */
#ifndef GPUSORT_H
#define GPUSORT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GPUSORT_API     __attribute__((visibility("default")))
#define GPUSORT_CHECKED __attribute__((warn_unused_result))

/* As of the command: "0.1.0". */
GPUSORT_API const char *gpusort_version(void);

/* For the handler of a signal that ends the program, which these two may be called from:
 * what has a temporary name goes, of all jobs, and no job makes another; a thread that is
 * about to waits for the end. */
GPUSORT_API void gpusort_abandon(void);
/* Of SIGBUS: 1 if the address is of a mapped file, whose name, with quotes where it needs
 * them and cut to `room`, goes to `name`. */
GPUSORT_API int gpusort_mapped_name(const void *address, char *name, size_t room);

/* --- failures ----------------------------------------------------------------------- */

typedef enum gpusort_code {
    GPUSORT_OK = 0,
    GPUSORT_IO = 1,    /* a call on a file failed: system_error is the errno */
    GPUSORT_NOMEM = 2, /* memory could not be had */
    GPUSORT_FORMAT =
        3,           /* an input, an index or a temporary file is not what it should be */
    GPUSORT_ARG = 4, /* the caller asked for something impossible */
    GPUSORT_LIMIT = 5,     /* a documented limit was reached */
    GPUSORT_GPU = 6,       /* a GPU failed where no core could do the work instead */
    GPUSORT_CANCELLED = 7, /* *cancel was set, or the caller's function said so */
} gpusort_code;

typedef struct gpusort_error {
    gpusort_code code;
    int system_error;   /* errno, or 0 */
    const char *hint;   /* what can be done about it; static; may be NULL */
    char message[4736]; /* what failed, with the name and the place; no newline */
} gpusort_error;

/* clang-format off */
#define GPUSORT_NO_ERROR {.code = GPUSORT_OK}
/* clang-format on */

/* --- what there is to work with ----------------------------------------------------- */

/* The i-th name that `engine` of a job may have, from 0 on; NULL behind the last. Whether
 * there is a GPU for it is another question. */
GPUSORT_API const char *gpusort_engine_name(size_t i);
/* How many GPUs there are. `text`, unless that is NULL, says which, in lines, or why
 * there are none: "gpu: none, WHY; ...". */
GPUSORT_API unsigned gpusort_gpus(char *text, size_t room);

enum { GPUSORT_GPU_NAME_BYTES = 256 };

typedef struct gpusort_gpu {
    size_t size; /* filled in by the caller */
    int number;  /* as `gpus` of a job has it */
    int is_usable;
    int major, minor;    /* compute capability */
    unsigned processors; /* each with many threads */
    size_t memory_bytes, free_bytes;
    char name[GPUSORT_GPU_NAME_BYTES];
} gpusort_gpu;

/* The i-th of them, from 0 on. */
GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_gpu_describe(unsigned i,
                                                              gpusort_gpu *out,
                                                              gpusort_error *error);

/* What this process may use, and what a job takes of that if nothing is said. */
typedef struct gpusort_machine {
    size_t size;            /* filled in by the caller */
    unsigned cores;         /* after affinity and the quota of a control group */
    unsigned threads;       /* of a sort */
    size_t memory_bytes;    /* that there are */
    size_t available_bytes; /* to this process, within its control group and limits */
    size_t sort_bytes;      /* of these a sort takes */
    /* NULL: files are read and written by io_uring. Else why threads do that. */
    const char *uring_refusal;
    int has_liburing, has_cuda; /* the library was built with them */
    unsigned gpus;
} gpusort_machine;

GPUSORT_API void gpusort_machine_describe(gpusort_machine *out);

/* --- what every long call has in common --------------------------------------------- */

typedef enum gpusort_level {
    GPUSORT_SAYS_ERROR,   /* something was done without what failed */
    GPUSORT_SAYS_WARNING, /* something was worked around */
    GPUSORT_SAYS_INFO,    /* what was chosen, and why */
} gpusort_level;

/* What a job has done, counted while it does it. */
typedef struct gpusort_stats gpusort_stats;

typedef struct gpusort_progress {
    size_t size;
    uint64_t input_bytes;       /* read so far, as they are stored */
    uint64_t input_bytes_total; /* 0: not known */
    uint64_t records;           /* or documents, so far */
    uint64_t output_bytes;
    uint64_t spilled_bytes; /* to temporary files */
} gpusort_progress;

typedef struct gpusort_job {
    size_t memory_bytes; /* -S: the whole job's; 0: as much as is good for this machine */
    unsigned threads;    /* 0: one for every core */
    const char *const *temp_folders; /* none: $TMPDIR, else /tmp */
    size_t temp_folder_count;
    const char *engine;      /* "auto" (or NULL), "cpu", "gpu", or an engine's name */
    size_t gpu_memory_bytes; /* on each GPU; 0: what is free less a reserve */
    /* Called from any thread of the library, one call at a time; each may be NULL. */
    void (*log)(void *context, gpusort_level level, const char *text);
    /* Called some times a second. What is not 0 cancels the job. */
    int (*progress)(void *context, const gpusort_progress *progress);
    void *context;              /* of both */
    const volatile int *cancel; /* becomes not 0: the job stops soon; may be NULL */
    const int *gpus;            /* their numbers; none: every one that can be used */
    unsigned gpu_count;
    unsigned flags;          /* GPUSORT_NO_URING, GPUSORT_ENDS_BY_PIPE */
    gpusort_stats *stats;    /* of this job only; may be NULL */
    const void *reserved[1]; /* NULL */
} gpusort_job;

enum {
    GPUSORT_NO_URING = 1, /* files are read and written without io_uring */
    /* Who closes a pipe that is written ends the program by SIGPIPE, if that is what the
     * signal does; else the call fails with EPIPE. */
    GPUSORT_ENDS_BY_PIPE = 2,
};

/* --- what a job did ----------------------------------------------------------------- */

typedef enum gpusort_phase {
    GPUSORT_STARTING,
    GPUSORT_READING,   /* and parsing */
    GPUSORT_SORTING,   /* in memory */
    GPUSORT_MERGING,   /* what was spilled */
    GPUSORT_FINISHING, /* or done */
    GPUSORT_PHASES,
} gpusort_phase;

typedef struct gpusort_figures {
    size_t size;         /* filled in by the caller */
    gpusort_phase phase; /* that it is in */
    unsigned threads;
    uint64_t input_bytes, input_bytes_total; /* as in gpusort_progress */
    uint64_t records, text_bytes;            /* read, unpacked */
    uint64_t output_bytes, output_records;
    uint64_t spilled_bytes, runs;              /* of temporary files */
    uint64_t passes;                           /* over them, the last one included */
    uint64_t merged_bytes, merged_bytes_total; /* of the pass that runs */
    uint64_t phase_ns[5];                      /* by the clock, in each phase */
    uint64_t memory_bytes;                     /* that the job was to live with */
    uint64_t output_sum;                       /* XXH3-64 of the output as it is stored */
    int has_output_sum;                        /* it was asked for, and is known */
    const char *engine;                        /* static, as the next; may be NULL */
    const char *verified;                      /* what was, of the output */
    uint64_t spans_lost;                       /* that there was no room for */
    const char *method;                        /* of an index: how it was built */
    uint64_t tokens, terms, skipped;           /* of an index; malformed documents */
} gpusort_figures;

enum {
    GPUSORT_SPANS = 1, /* keeps what each thread and each transfer did, and when */
};

/* Who did it. */
typedef enum gpusort_lane {
    GPUSORT_LANE_READ,
    GPUSORT_LANE_WORKER,
    GPUSORT_LANE_UPLOAD, /* to a GPU */
    GPUSORT_LANE_GPU,
    GPUSORT_LANE_DOWNLOAD,
    GPUSORT_LANE_WRITE,
    GPUSORT_LANES,
} gpusort_lane;

/* What one did from when to when, by CLOCK_MONOTONIC. Those of one lane and number follow
 * each other. */
typedef struct gpusort_span {
    size_t size;      /* filled in by the caller */
    const char *name; /* static */
    gpusort_lane lane;
    unsigned number; /* which worker, which of the reads in flight ... */
    uint64_t begin_ns, end_ns;
    uint64_t bytes; /* 0: says nothing */
} gpusort_span;

/* `flags` is GPUSORT_SPANS or 0. */
GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_stats_new(gpusort_stats **out,
                                                           unsigned flags,
                                                           gpusort_error *error);
/* By any thread, while the job runs and afterwards. */
GPUSORT_API void gpusort_stats_read(const gpusort_stats *stats, gpusort_figures *out);
/* The i-th span, when the job has ended: 0 if there are not so many. */
GPUSORT_API int gpusort_stats_span(const gpusort_stats *stats, size_t i,
                                   gpusort_span *out);
GPUSORT_API void gpusort_stats_free(gpusort_stats *stats); /* NULL is fine */

/* --- sorting files, descriptors, streams -------------------------------------------- */

/* How the bytes of a key are compared; as the options of sort(1). */
typedef enum gpusort_kind {
    GPUSORT_BYTES,
    GPUSORT_NUMERIC, /* -n */
    GPUSORT_GENERAL, /* -g */
    GPUSORT_HUMAN,   /* -h */
    GPUSORT_MONTH,   /* -M */
    GPUSORT_VERSION, /* -V */
    GPUSORT_RANDOM,  /* -R: by a hash, equal ones side by side */
} gpusort_kind;

enum {
    GPUSORT_REVERSE = 1,            /* -r */
    GPUSORT_SKIP_START_BLANKS = 2,  /* -b where the key begins */
    GPUSORT_SKIP_END_BLANKS = 4,    /* -b where it ends */
    GPUSORT_FOLD = 8,               /* -f */
    GPUSORT_DICTIONARY = 16,        /* -d */
    GPUSORT_IGNORE_NONPRINTING = 32 /* -i */
};

/* -k START_FIELD.START_CHAR,END_FIELD.END_CHAR: all count from 1, and 0 is what -k takes
 * if nothing is said: the first field, its first character, the end of the line, the end
 * of the field. */
typedef struct gpusort_key {
    size_t start_field, start_char, end_field, end_char;
    gpusort_kind kind;
    unsigned flags;
} gpusort_key;

/* A key of records of a fixed size. */
typedef enum gpusort_number {
    GPUSORT_RAW,      /* bytes, compared one by one */
    GPUSORT_UNSIGNED, /* 1, 2, 4, 8 or 16 bytes */
    GPUSORT_SIGNED,
    GPUSORT_FLOAT, /* 4 or 8 bytes: -NaN < -inf ... inf < NaN */
} gpusort_number;

typedef struct gpusort_byte_key {
    size_t offset, length;
    gpusort_number number;
    int is_little_endian;
    unsigned flags; /* GPUSORT_REVERSE or 0 */
} gpusort_byte_key;

/* What a record is that has no fixed size. */
typedef enum gpusort_form {
    GPUSORT_LINES,
    /* Tables, whose first header_lines lines are in each input. Fields end with the
     * delimiter, which is ',' if nothing is said; may have quotes as in RFC 4180: */
    GPUSORT_CSV,
    GPUSORT_TABLE, /* none; the delimiter is a tab if nothing is said */
    GPUSORT_JSON,  /* an object a line, whose values the keys are: by paths only */
} gpusort_form;

/* What a key is of. In a table the name of a column, of which the header's last line
 * tells the place, with depth 1; in JSON the names down to the value, so many of them,
 * each with its zero, one behind the other. NULL: of the fields that the key says. */
typedef struct gpusort_path {
    const char *names;
    size_t depth;
} gpusort_path;

enum {
    GPUSORT_SEED_BYTES = 16,
    GPUSORT_JSON_KEYS_MAX = 32,
    GPUSORT_JSON_DEPTH_MAX = 32,
    GPUSORT_JSON_NAME_BYTES_MAX = 255,
};

typedef struct gpusort_order {
    const gpusort_key *keys; /* none: the whole line, byte by byte */
    size_t key_count;
    int delimiter;         /* -t: a byte, or 0: fields end where blanks begin */
    int has_nul_delimiter; /* the delimiter is the byte 0 */
    int ends_with_nul;     /* -z: lines end with the byte 0 */
    int is_stable;         /* -s: equal keys stay as they came; else whole lines decide */
    int is_unique;         /* -u: the first of equal keys only */
    int is_reverse;        /* of whole lines, where there are no keys or all are equal */
    size_t record_bytes;   /* > 0: records of a fixed size, without line ends */
    const gpusort_byte_key *byte_keys; /* none: the whole record */
    size_t byte_key_count;
    gpusort_form form;
    /* Text is compared as in the locale of the environment. What is equal as to all keys
     * is compared so as a whole, in lines that are not unique or stable, and stays as it
     * came if a locale cannot tell it apart. */
    int follows_locale;
    const gpusort_path *paths;        /* one a key; NULL: all keys are of fields */
    const unsigned char *random_seed; /* of GPUSORT_RANDOM; NULL: another each time */
    const void *reserved[1];          /* NULL */
} gpusort_order;

typedef struct gpusort_sort_options {
    size_t size;
    gpusort_job job;
    gpusort_order order;
    const char *const *inputs; /* files, plain or packed by zstd or gzip; "-": stdin */
    size_t input_count;
    const int *input_fds; /* read behind the files, from where they stand to the end */
    size_t input_fd_count;
    const char *output;    /* a file that appears whole or not at all; NULL: output_fd */
    int output_fd;         /* counted from 1, so descriptor + 1; 0: standard output */
    uint64_t header_lines; /* kept on top */
    uint64_t top_count;    /* with has_top: only the first of the result */
    int has_top;
    int counts;       /* every distinct line once, as uniq -c prints it */
    int output_zstd;  /* the output is packed */
    int syncs_output; /* to the disk, before the file has its name */
    int verifies;     /* every record and the order, not only their numbers */
    int keeps_packed; /* inputs are taken as they are */
    /* Plain files are sorted where they are mapped, which is faster; one that somebody
     * shortens meanwhile ends the program by SIGBUS. */
    int may_map;
    const char
        *checkpoint; /* a folder: the same call goes on after a crash; NULL: none */
    const char
        *compress_program; /* packs temporary files, "-d" unpacks; NULL: built in */
    /* gpusort_check tells the line that is out of place, without its end; may be NULL.
     * The context is the job's. */
    void (*disorder)(void *context, uint64_t number, const void *line, size_t bytes);
    unsigned batch_size; /* runs or files that are merged at once; 0: as memory allows */
    int output_level;    /* of zstd, 1 to 22; 0: the usual one */
    int sums_output;     /* job.stats tell the XXH3-64 of the output */
    /* Instead of an output: gets all that would be written there, in order and cut
     * anywhere. What it returns that is not 0 cancels the job. One call at a time, on any
     * thread, beside the functions of the job, whose context it has. Of sorts, merges and
     * joins. */
    int (*write)(void *context, const void *text, size_t bytes);
} gpusort_sort_options;

/* clang-format off */
#define GPUSORT_SORT_OPTIONS {.size = sizeof(gpusort_sort_options)}
/* clang-format on */

GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_sort(const gpusort_sort_options *options,
                                                      gpusort_error *error);
/* Inputs that are in order already. */
GPUSORT_API GPUSORT_CHECKED gpusort_code
gpusort_merge(const gpusort_sort_options *options, gpusort_error *error);
/* Is the one input in order? *disorder is the number of the first line that is not,
 * counted from 1, or 0. */
GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_check(
    const gpusort_sort_options *options, uint64_t *disorder, gpusort_error *error);

/* Where the key of that number, from 0, is in a line, as `gpusort sort --debug' shows it:
 * from *begin up to *end. Of keys by fields. */
GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_key_locate(const gpusort_order *order,
                                                            size_t key, const void *line,
                                                            size_t bytes, size_t *begin,
                                                            size_t *end,
                                                            gpusort_error *error);

/* --- what is in files, and parts of them -------------------------------------------- */

/* What is in the one input. `sum' depends on its records and not on their order: of what
 * was sorted it is what it was. */
typedef struct gpusort_tally {
    size_t size; /* filled in by the caller */
    uint64_t records;
    uint64_t bytes; /* unpacked, ends of lines included */
    uint64_t sum_high, sum_low;
    uint64_t duplicates;     /* records equal to the one before, by the order */
    uint64_t disorders;      /* records that belong before the one before */
    uint64_t first_disorder; /* the first of these, from 1; 0: none */
} gpusort_tally;

enum { GPUSORT_NO_ORDER = 1 }; /* records are only counted and summed up */
GPUSORT_API GPUSORT_CHECKED gpusort_code
gpusort_survey(const gpusort_sort_options *options, unsigned flags, gpusort_tally *tally,
               gpusort_error *error);

/* Some of the records of all inputs to the output, each with the same chance; of plain
 * files only some blocks are read. */
typedef struct gpusort_sample_options {
    size_t size;
    const gpusort_sort_options *sort; /* inputs, output, what a record is, order */
    uint64_t records;                 /* at most */
    uint64_t seed;                    /* another one, another sample */
    /* Not 0: instead, in order, parts - 1 records that cut the inputs into so many parts,
     * about even, as far as a sample of `records' tells. */
    uint64_t parts;
    int has_range; /* only records that begin at these bytes of the one input */
    uint64_t range_begin, range_end;
} gpusort_sample_options;

/* clang-format off */
#define GPUSORT_SAMPLE_OPTIONS {.size = sizeof(gpusort_sample_options)}
/* clang-format on */

/* *records are of the sample, which was taken of *seen; either may be NULL. */
GPUSORT_API GPUSORT_CHECKED gpusort_code
gpusort_sample(const gpusort_sample_options *options, uint64_t *records, uint64_t *seen,
               gpusort_error *error);

/* A sort whose result is written in parts, for several machines: parts of one number, of
 * several inputs with the same splitters, are merged, and what that gives for each
 * number, one behind the other, is what a sort of all inputs gives. */
enum { GPUSORT_PARTS_MAX = 1048576 };

typedef struct gpusort_partition_options {
    size_t size;
    const gpusort_sort_options *sort; /* the output is what names of parts begin with */
    const char *splitters;            /* a file of records in order, where parts begin */
    uint64_t parts; /* one more than splitters, or that is an error; 0: as there are */
    int is_merge;   /* each input is in order already */
    int is_framed;  /* all parts are one stream with checksums, to the output */
    int packs;      /* that stream, by zstd */
    int has_range;  /* only records that begin at these bytes of the one, plain input */
    uint64_t range_begin, range_end;
} gpusort_partition_options;

/* clang-format off */
#define GPUSORT_PARTITION_OPTIONS {.size = sizeof(gpusort_partition_options)}
/* clang-format on */

typedef struct gpusort_part {
    uint64_t records, bytes; /* without a header */
} gpusort_part;

typedef struct gpusort_parts {
    size_t count;
    gpusort_part *parts;
} gpusort_parts;

/* What each part has; freed whatever comes of the call. */
GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_partition(
    const gpusort_partition_options *options, gpusort_parts *out, gpusort_error *error);
/* The parts of such a stream, which the one input of a sort is, to files, or that of the
 * number *only (NULL: all) to the output. */
GPUSORT_API GPUSORT_CHECKED gpusort_code
gpusort_unframe(const gpusort_sort_options *options, const uint64_t *only,
                gpusort_parts *out, gpusort_error *error);
GPUSORT_API void gpusort_parts_free(gpusort_parts *parts); /* zeroed is fine */

/* --- joins -------------------------------------------------------------------------- */

/* Lines of two inputs that have the same key, or keys near each other, to one line each,
 * as `gpusort join'. The inputs need not be sorted, nor fit in memory. */
typedef enum gpusort_side { GPUSORT_LEFT, GPUSORT_RIGHT } gpusort_side;

/* When two lines are partners. Of all but the first, keys are numbers, exact to 18
 * decimals. */
typedef enum gpusort_match {
    GPUSORT_EQUAL,
    GPUSORT_IN_BAND, /* the key of the right line less that of the left one is in `band'
                      */
    GPUSORT_LESS,    /* the key of the left line is less than that of the right one */
    GPUSORT_AT_MOST,
    GPUSORT_GREATER,
    GPUSORT_AT_LEAST,
} gpusort_match;

/* A field of the output: that of this number, from 1 on, or of this name in the header of
 * the side. Neither: the key, of whichever line there is. */
typedef struct gpusort_join_field {
    gpusort_side side;
    size_t number;
    const char *name;
} gpusort_join_field;

/* The fields of binary tuples. What lies between them in a tuple does not come out. */
typedef struct gpusort_tuple {
    size_t bytes; /* of one; 0: there are lines */
    const gpusort_byte_key *fields;
    size_t field_count;
} gpusort_tuple;

enum { GPUSORT_TUPLE_BYTES_MAX = 1048576 };

typedef struct gpusort_join_options {
    size_t size;
    /* Of the order form, delimiters and ends of lines count, and there are no keys; the
     * delimiter '\n' makes a line one field. Two inputs, the left one first, and
     * header_lines of each, one at most. And the output and the job. */
    const gpusort_sort_options *sort;
    /* Of each side, as `shows_unpaired' and `tuples': the key is this field, from 1 on,
     * or the one of this name in the header. Neither: the first one. */
    size_t key_fields[2];
    const char *key_names[2];
    const char *band; /* "LO:HI", both included; an end that is left out is open */
    const gpusort_join_field *fields; /* none: the key, and all other fields */
    size_t field_count;
    const char *filler; /* -e: where a field is missing or empty; NULL: nothing */
    gpusort_match match;
    int skips_bad;         /* lines whose key is no number are left out, and no error */
    int folds_case;        /* -i: keys are compared as capital letters */
    int hides_pairs;       /* -v, with the next */
    int shows_unpaired[2]; /* -a: lines without a partner are written too */
    int is_semi;        /* left lines that have a partner, each once, instead of pairs */
    int is_auto;        /* -o auto: as many fields as the first line of each input has */
    int right_is_first; /* of the inputs: descriptors come behind files */
    int prints_text;    /* of tuples; else tuples are written */
    gpusort_tuple tuples[2];
} gpusort_join_options;

/* clang-format off */
#define GPUSORT_JOIN_OPTIONS {.size = sizeof(gpusort_join_options)}
/* clang-format on */

GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_join(const gpusort_join_options *options,
                                                      gpusort_error *error);
/* GPUSORT_OK: this is a band, as the options have it. */
GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_join_band(const char *band,
                                                           gpusort_error *error);

/* --- sorting records as they come --------------------------------------------------- */

/* Call order: new, put*, sorted, get*, free. Inputs and output of the options are not
 * looked at; the functions of their job, its context, stats and *cancel are, until free.
 * When a get has failed, all that follow fail with the same. Records are as long as
 * order.record_bytes, or lines without their ends. */
typedef struct gpusort_sorter gpusort_sorter;

GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_sorter_new(
    gpusort_sorter **out, const gpusort_sort_options *options, gpusort_error *error);
/* One record, copied. A line that put_text has cut ends before it; behind a record of a
 * fixed size that is cut it is refused, and changes nothing. */
GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_sorter_put(gpusort_sorter *sorter,
                                                            const void *record,
                                                            size_t bytes,
                                                            gpusort_error *error);
/* Text of any number of records with their line ends, which may be cut anywhere: the next
 * put_text goes on. The last line of all may lack its end. */
GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_sorter_put_text(gpusort_sorter *sorter,
                                                                 const void *text,
                                                                 size_t bytes,
                                                                 gpusort_error *error);
/* Nothing more comes. */
GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_sorter_sorted(gpusort_sorter *sorter,
                                                               gpusort_error *error);
/* The next record, valid until the next call; *record is NULL behind the last. */
GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_sorter_get(gpusort_sorter *sorter,
                                                            const void **record,
                                                            size_t *bytes,
                                                            gpusort_error *error);
/* As many whole records as are at hand, with their line ends; *bytes is 0 behind the
 * last. */
GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_sorter_get_text(gpusort_sorter *sorter,
                                                                 const void **text,
                                                                 size_t *bytes,
                                                                 gpusort_error *error);
GPUSORT_API void
gpusort_sorter_free(gpusort_sorter *sorter); /* at any time; NULL is fine */

/* --- sorting arrays of numbers ------------------------------------------------------ */

typedef enum gpusort_type {
    GPUSORT_U32,
    GPUSORT_I32,
    GPUSORT_F32,
    GPUSORT_U64,
    GPUSORT_I64,
    GPUSORT_F64,
} gpusort_type;

/* In place, ascending, on a GPU where job->engine says so, else on the cores.
 * Floats: -inf ... -0 0 ... inf, and behind them every NaN, which lose their signs. Takes
 * as much memory again as the array has. After a failure all numbers are there, in any
 * order. `job` may be NULL. */
GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_sort_numbers(void *numbers, size_t count,
                                                              gpusort_type type,
                                                              const gpusort_job *job,
                                                              gpusort_error *error);

/* --- sorting arrays of strings ------------------------------------------------------ */

/* The i-th of `count` strings is what `text` has from offsets[i] to offsets[i + 1], as in
 * Arrow's arrays: there are count + 1 offsets. order[i] becomes the number, from 0 on, of
 * the string that is the i-th in the order of their bytes, where one that another begins
 * with comes first; equal ones stay as they came. With GPUSORT_REVERSE in `flags` the
 * greatest comes first. The strings are not moved. Takes as much memory as they have, and
 * 60 bytes for each. On the cores. `job` may be NULL. */
GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_sort_strings(
    const void *text, const uint64_t *offsets, size_t count, unsigned flags,
    uint64_t *order, const gpusort_job *job, gpusort_error *error);
/* The strings themselves in that order: the i-th is what `sorted_text`, which has room
 * for all of their bytes, has from sorted_offsets[i] to sorted_offsets[i + 1], and the
 * first begins at 0. Neither is where the strings are. */
GPUSORT_API GPUSORT_CHECKED gpusort_code
gpusort_sorted_strings(const void *text, const uint64_t *offsets, size_t count,
                       unsigned flags, void *sorted_text, uint64_t *sorted_offsets,
                       const gpusort_job *job, gpusort_error *error);

/* --- streams of values -------------------------------------------------------------- */

/* What is asked of a stream, which is read once and in bounded memory. */
typedef enum gpusort_statistic {
    GPUSORT_QUANTILES, /* of numbers */
    GPUSORT_FREQUENT,  /* numbers or texts that come often */
    GPUSORT_PREFIXES,  /* that many texts have */
    GPUSORT_SUMS,      /* of one number of a pair where the other is up to a limit */
    GPUSORT_COLUMNS,   /* what there is in a table, column by column */
} gpusort_statistic;

typedef enum gpusort_values {
    GPUSORT_VALUES_F64,
    GPUSORT_VALUES_I64,
    GPUSORT_VALUES_U64,
    GPUSORT_VALUES_U32,
    GPUSORT_VALUES_TEXT, /* of frequent ones; prefixes and columns are always of text */
} gpusort_values;

/* What a prefix is. */
typedef enum gpusort_hierarchy {
    GPUSORT_BY_DOTS,   /* a.b.c is below a.b */
    GPUSORT_BY_SLASH,  /* /usr/lib is below /usr */
    GPUSORT_BY_DOMAIN, /* www.example.com is below example.com */
    GPUSORT_BY_IP,     /* addresses, of IPv4 and IPv6 */
} gpusort_hierarchy;

#define GPUSORT_EPS_MIN 1e-9
#define GPUSORT_EPS_MAX 0.5
enum {
    GPUSORT_STEP_MIN = 4,
    GPUSORT_STEP_MAX = 32,
    GPUSORT_LEVELS_MAX = 40, /* deeper prefixes are those of the first so many parts */
};

/* A field of a record: the one of that name in the header of its file or, if that is
 * NULL, of that number, from 1; 0: the whole record. */
typedef struct gpusort_field {
    const char *name;
    size_t number;
} gpusort_field;

/* What is known of a stream, at one moment or from a file. */
typedef struct gpusort_summary gpusort_summary;

typedef struct gpusort_stream_options {
    size_t size;
    gpusort_job job; /* without progress and stats; the context is of `report', too */
    gpusort_statistic statistic;
    const char *const *inputs; /* files, plain or packed by zstd or gzip; "-": stdin */
    size_t input_count;
    const int *input_fds; /* read behind the files, from where they stand to the end */
    size_t input_fd_count;
    const volatile int *stop; /* becomes not 0: the input ends there; may be NULL */

    /* Which values. */
    gpusort_values values;
    int is_binary; /* little-endian numbers, or pairs of them, without ends of lines */
    int is_csv;    /* fields may have quotes as in RFC 4180 */
    int delimiter; /* a byte; 0: fields stand between blanks, or commas if it is CSV */
    int has_header;
    int skips_bad;       /* what is no value is left out and counted, and no failure */
    gpusort_field value; /* of columns: any field says that records are cut into fields */
    gpusort_field second; /* of sums what is summed; of a window of time the times */

    double eps; /* error, a share of all values; 0: 0.001 */
    /* Only the last so many values count, or those of the last so many seconds before the
     * latest time, if it is not 0. The one not of prefixes and columns, the other not of
     * sums either. */
    uint64_t window;
    double window_seconds;
    int is_exact;  /* quantiles without an error: all values are kept, sorted */
    int has_ranks; /* of sums: the limit may be by a quantile */
    gpusort_hierarchy hierarchy;
    unsigned step; /* bits between prefixes of addresses; 0: 8 */

    /* Reports: every so many values or nanoseconds, whenever *asked has grown, and in the
     * end. What is given is good until the function has asked it and returned 0, which
     * goes on and all else cancels the job. One call at a time, on any thread. */
    uint64_t every_values, every_ns;
    const volatile int *asked;
    int (*report)(void *context, gpusort_summary *summary);
} gpusort_stream_options;

/* clang-format off */
#define GPUSORT_STREAM_OPTIONS {.size = sizeof(gpusort_stream_options)}
/* clang-format on */

/* All values of the inputs. *bad, unless `bad' is NULL, is how many were left out. */
GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_stream_run(
    const gpusort_stream_options *options, uint64_t *bad, gpusort_error *error);

/* The same of values that the program has: inputs of the options are not looked at, and
 * what they point to stays until free. Call order: new, (put* ask)*, end, free; after a
 * failure nothing but free. Or new, read, free: the inputs, as above. What is given by
 * ask, end and read is good until the next call, and is not freed. */
typedef struct gpusort_stream gpusort_stream;

GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_stream_new(
    gpusort_stream **out, const gpusort_stream_options *options, gpusort_error *error);
/* One record, without its end. A line that put_text has cut ends before it, if not
 * between quotes: that is refused. */
GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_stream_put(gpusort_stream *stream,
                                                            const void *record,
                                                            size_t bytes,
                                                            gpusort_error *error);
/* Text of any number of records with their line ends, which may be cut anywhere: the next
 * put_text goes on. The last line of all may lack its end. */
GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_stream_put_text(gpusort_stream *stream,
                                                                 const void *text,
                                                                 size_t bytes,
                                                                 gpusort_error *error);
/* Of a stream that is_binary: so many values, or pairs of them. */
GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_stream_put_numbers(
    gpusort_stream *stream, const void *numbers, size_t count, gpusort_error *error);
/* What is known of all records that were put, but for one that is cut. */
GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_stream_ask(gpusort_stream *stream,
                                                            gpusort_summary **out,
                                                            gpusort_error *error);
/* The same, and nothing more comes. `bad' is as above. */
GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_stream_end(gpusort_stream *stream,
                                                            gpusort_summary **out,
                                                            uint64_t *bad,
                                                            gpusort_error *error);
GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_stream_read(gpusort_stream *stream,
                                                             gpusort_summary **out,
                                                             uint64_t *bad,
                                                             gpusort_error *error);
GPUSORT_API void
gpusort_stream_free(gpusort_stream *stream); /* at any time; NULL is fine */

/* --- what is known of a stream ------------------------------------------------------ */

/* To a file that has its name when it is complete: of all values of a stream, and neither
 * exact nor of columns. And back; such a file may take an eighth of so much memory (0: as
 * much as is good for this machine). One thread at a time. */
GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_summary_save(gpusort_summary *summary,
                                                              const char *file,
                                                              gpusort_error *error);
GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_summary_load(gpusort_summary **out,
                                                              const char *file,
                                                              size_t memory_bytes,
                                                              gpusort_error *error);
/* One from a file learns what the other knows, of values of the same kind: as if it were
 * of one stream, with the larger error of the two. */
GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_summary_merge(
    gpusort_summary *summary, const gpusort_summary *other, gpusort_error *error);
GPUSORT_API void
gpusort_summary_free(gpusort_summary *summary); /* from a file; NULL is fine */

typedef struct gpusort_summary_info {
    size_t size; /* filled in by the caller */
    gpusort_statistic statistic;
    gpusort_values values;
    int is_end;         /* of the stream, or from a file */
    int has_ranks;      /* of sums: the limit may be by a quantile */
    double eps;         /* 0: exact */
    uint64_t seen;      /* values of the stream so far; of columns, records */
    uint64_t in_window; /* and those of them that count */
    uint64_t error_max; /* no rank is further off, no count lower; of sums 0 */
    uint64_t held_bytes;
    uint64_t held_bytes_max; /* that may be of so many values; 0: not known */
    uint64_t spilled_bytes;  /* in temporary files */
    uint64_t columns;        /* of a table, else 1 */
    uint64_t with_more;      /* records with more fields than the first one */
} gpusort_summary_info;

GPUSORT_API void gpusort_summary_describe(const gpusort_summary *summary,
                                          gpusort_summary_info *info);

/* A number as f64, and exactly as the one of the type, or a text (not NULL), which is
 * good as long as what gave it. */
typedef struct gpusort_value {
    gpusort_values type;
    double f64;
    int64_t i64;
    uint64_t u64; /* also of GPUSORT_VALUES_U32 */
    const void *text;
    size_t bytes;
} gpusort_value;

enum { GPUSORT_NUMBER_BYTES = 32 };
/* The shortest text that reads back as the same number; the number of its bytes, behind
 * which is a zero. */
GPUSORT_API size_t gpusort_number_text(const gpusort_value *number,
                                       char text[GPUSORT_NUMBER_BYTES]);

/* The value of so many, a share of all, that are less or equal; `column' is a number from
 * 0 on, here and below: of columns, which have quantiles if they have numbers; else 0. It
 * is an error if there are no values. */
GPUSORT_API GPUSORT_CHECKED gpusort_code
gpusort_summary_quantile(const gpusort_summary *summary, size_t column, double phi,
                         gpusort_value *out, gpusort_error *error);

typedef struct gpusort_count {
    gpusort_value value;
    uint64_t count; /* never high, and low by at most error_max */
    uint64_t rest;  /* of prefixes: without those below it that are given, too */
} gpusort_count;

/* The i-th most frequent value, from 0 on, of those that may have come as often as a
 * share of `support'; with 0 of all that are known. 0: there are not so many. */
GPUSORT_API int gpusort_summary_frequent(gpusort_summary *summary, size_t column,
                                         double support, size_t i, gpusort_count *out);
/* The prefixes that a share of `support' may have, *count of them; then the i-th most
 * frequent. 0: there are not so many. */
GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_summary_find_prefixes(
    gpusort_summary *summary, double support, size_t *count, gpusort_error *error);
GPUSORT_API int gpusort_summary_prefix(const gpusort_summary *summary, size_t i,
                                       gpusort_count *out);

/* Of x, the first number of each pair. */
typedef enum gpusort_aggregate {
    GPUSORT_AVERAGE,
    GPUSORT_LEAST,
    GPUSORT_MOST,
    GPUSORT_QUANTILE,
} gpusort_aggregate;

typedef struct gpusort_sum {
    double limit;       /* of x */
    double least, most; /* between which the sum lies */
    double total;       /* of all |y|; the middle is off by eps of that at most */
} gpusort_sum;

/* The sum of y where x <= times * aggregate + plus; `phi' is of a quantile. */
GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_summary_sum(
    const gpusort_summary *summary, gpusort_aggregate aggregate, double phi, double times,
    double plus, gpusort_sum *out, gpusort_error *error);

typedef struct gpusort_column {
    size_t size;      /* filled in by the caller */
    const void *name; /* NULL: there is no header */
    size_t name_bytes;
    uint64_t empty, integers, decimals, dates, texts; /* how many values of which kind */
    uint64_t missing;      /* records that have no such field */
    uint64_t distinct;     /* values that are not empty */
    double distinct_error; /* standard error of that, a share; 0: none */
    uint64_t top_error;    /* no count of a frequent value is lower by more */
    int has_numbers, has_texts;
    gpusort_value least, most; /* number */
    gpusort_value first, last; /* date or text */
} gpusort_column;

/* 0: there are not so many columns. */
GPUSORT_API int gpusort_summary_column(const gpusort_summary *summary, size_t column,
                                       gpusort_column *out);

/* About how many of a column's numbers are in so many parts, of one width or, where half
 * of the numbers would be in the first of these, each as many times as wide as the one
 * before; the first part begins with the least number, and each has its end. 0: the
 * numbers do not differ, or not all are finite. */
typedef struct gpusort_bin {
    double begin, end;
    uint64_t count;
} gpusort_bin;

enum { GPUSORT_BINS_MAX = 1024 };
GPUSORT_API int gpusort_summary_bins(const gpusort_summary *summary, size_t column,
                                     gpusort_bin *bins, size_t count);

/* --- data for tests ----------------------------------------------------------------- */

/* Records of a kind whose values have a distribution, as `gpusort gen': of the same
 * options the same bytes on every machine, with any number of threads. */

/* The i-th name that they may have, from 0 on; NULL behind the last. */
GPUSORT_API const char *gpusort_data_name(size_t i);
GPUSORT_API const char *gpusort_distribution_name(size_t i);

typedef struct gpusort_generate_options {
    size_t size;
    gpusort_job job;          /* threads, functions, and the wish to stop */
    const char *kind;         /* "lines" (or NULL), "u64", "tuples", "docs" ... */
    const char *distribution; /* NULL: zipf of tuples, docs and weblog, else uniform */
    /* Numbers below are what they are, also if they are 0. Else 0 is the usual number,
     * and of records and bytes none. */
    int has_zeros;
    /* How much: one of the two, or both, and what is reached first. Bytes end with the
     * first record at or past them. UINT64_MAX: not said. */
    uint64_t records, bytes;
    uint64_t seed;     /* another one, other data */
    uint64_t distinct; /* values of zipf and few; terms, words or paths; 0: usual */
    double exponent;   /* of zipf */
    double mean;       /* of poisson */
    double disorder;   /* of almost: the share that is out of order */
    uint64_t line_bytes_min, line_bytes_max; /* of lines, without their ends */
    const char *alphabet;                    /* of lines: 1 to 64 bytes; NULL: usual */
    uint64_t documents;                      /* of tuples: their numbers are below it */
    uint64_t document_words;                 /* of docs, on average */
    uint64_t first_record;                   /* of records: the number of the first */
    int documents_ascend; /* of tuples: their numbers grow with the record */
    int has_tabs;         /* docs are id TAB text, and not JSON */
    int is_text;          /* records have printable keys, and ends of lines */
    int is_binary;        /* tuples are pairs of u32, termID and docID */
    /* As of a sort: a file, else a descriptor counted from 1, or a function. */
    const char *output;
    int output_fd;
    int (*write)(void *context, const void *text, size_t bytes);
} gpusort_generate_options;

/* clang-format off */
#define GPUSORT_GENERATE_OPTIONS {.size = sizeof(gpusort_generate_options)}
/* clang-format on */

GPUSORT_API GPUSORT_CHECKED gpusort_code
gpusort_generate(const gpusort_generate_options *options, gpusort_error *error);
/* Makes has_zeros 1, and all numbers that it is about the usual ones. */
GPUSORT_API void gpusort_generate_defaults(gpusort_generate_options *options);

/* --- indexes ------------------------------------------------------------------------ */

/* The i-th name, from 0 on, that a format and a tokenizer may have; NULL behind the last.
 */
GPUSORT_API const char *gpusort_format_name(size_t i);
GPUSORT_API const char *gpusort_tokenizer_name(size_t i);

/* How postings are gathered; the index is the same. */
typedef enum gpusort_method {
    GPUSORT_AUTO,
    GPUSORT_BSBI,  /* sorted tuples */
    GPUSORT_SPIMI, /* growing lists */
} gpusort_method;

enum { GPUSORT_TEXT_FIELDS_MAX = 64 };

typedef struct gpusort_build_options {
    size_t size;
    gpusort_job job;
    const char *folder;
    int replaces; /* an index that is there */
    const char *const *inputs;
    size_t input_count;
    const char *format;   /* jsonl, csv, warc ...; NULL: each file is looked at */
    const char *id_field; /* of JSON and tables; NULL: as `gpusort index build' */
    const char *const *text_fields; /* the same; none: as there */
    size_t text_field_count;
    int skips_bad; /* malformed documents are left out */
    int has_positions;
    int keeps_case;
    const char *stem_language; /* a name that Snowball knows; NULL: no stemming */
    const char *stop_words;    /* a file; NULL: none */
    const char *checkpoint;    /* a folder; NULL: none */
    /* NULL, or 1 for each input that was found in a folder and not named: what does not
     * look like documents is a text there, or left out, and no mistake. */
    const unsigned char *inputs_found;
    const char *tokenizer;   /* NULL: the first one */
    size_t min_len, max_len; /* of words, in characters; 0: any */
    double weight_scale;     /* of vectors: every weight times that; 0: as written */
    uint64_t doc_base;       /* the number of the first document */
    gpusort_method method;
    unsigned batch_size; /* runs that are merged at once; 0: as memory allows */
    int folds_case;      /* of an append: the index does so, or that is an error */
    int has_texts;       /* the text of each document is kept */
    int reorders;        /* documents that share terms come side by side */
    int unique_names;    /* that two documents have the same name is an error */
    int keeps_packed;    /* inputs are taken as they are */
} gpusort_build_options;

/* clang-format off */
#define GPUSORT_BUILD_OPTIONS {.size = sizeof(gpusort_build_options)}
/* clang-format on */

GPUSORT_API GPUSORT_CHECKED gpusort_code
gpusort_index_build(const gpusort_build_options *options, gpusort_error *error);

/* Changes to an index that is there, each of which happens as a whole or not at all; who
 * has it open goes on seeing what it was. One that another program is changing is waited
 * for. */
enum {
    GPUSORT_UPDATE = 1,   /* what has the name of a new document goes */
    GPUSORT_NO_MERGE = 2, /* merging segments is left to later */
};

/* More documents, behind those that are there, as `gpusort index append': the folder of
 * the options is the index. How text becomes terms is up to the index, as are positions;
 * what the options say of that must be so there. Without replaces and checkpoint. `flags`
 * are GPUSORT_UPDATE and GPUSORT_NO_MERGE. */
GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_index_append(
    const gpusort_build_options *options, unsigned flags, gpusort_error *error);
/* Fewer documents: those that have one of the names. found[i], unless `found` is NULL,
 * becomes 1 if a document had names[i], else 0; *deleted, unless that is NULL, how many
 * have gone. `flags` is GPUSORT_NO_MERGE or 0; `job` may be NULL. */
GPUSORT_API GPUSORT_CHECKED gpusort_code
gpusort_index_delete(const char *folder, const char *const *names, size_t count,
                     unsigned flags, unsigned char *found, uint64_t *deleted,
                     const gpusort_job *job, gpusort_error *error);
/* The same of names that come bit by bit; nothing has changed until commit, which is the
 * last call but free. Folder and job are borrowed until then. Call order: open, names*,
 * commit, free; who frees it before commit has deleted nothing, and after a failure
 * nothing but free follows. */
typedef struct gpusort_deletion gpusort_deletion;

GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_deletion_open(gpusort_deletion **out,
                                                               const char *folder,
                                                               const gpusort_job *job,
                                                               gpusort_error *error);
/* names[i] has lengths[i] bytes; NULL: they end with a zero. Each call reads all names of
 * the index. */
GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_deletion_names(
    gpusort_deletion *deletion, const char *const *names, const size_t *lengths,
    size_t count, unsigned char *found, gpusort_error *error);
GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_deletion_commit(
    gpusort_deletion *deletion, unsigned flags, uint64_t *deleted, gpusort_error *error);
GPUSORT_API void gpusort_deletion_free(gpusort_deletion *deletion); /* NULL is fine */

/* All segments become one, of which nothing is deleted: the same bytes as one build of
 * the documents that are left. `job` may be NULL. */
GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_index_compact(const char *folder,
                                                               const gpusort_job *job,
                                                               gpusort_error *error);

/* Several indexes to one: the same bytes as one build of all that they were built of. */
typedef enum gpusort_doc_ids {
    GPUSORT_IDS_AUTO,  /* shifted, but those of tuples, or with a base, kept */
    GPUSORT_IDS_KEEP,  /* they stay what they are, and what comes again is added up */
    GPUSORT_IDS_SHIFT, /* documents of an index come behind those of the ones before it */
} gpusort_doc_ids;

typedef struct gpusort_index_merge_options {
    size_t size;
    gpusort_job job;
    const char *folder;        /* the index */
    int replaces;              /* one that is there, also one of those that are merged */
    const char *const *inputs; /* indexes */
    size_t input_count;
    gpusort_doc_ids doc_ids;
    int unique_names; /* that two documents have the same name is an error */
    /* A range of terms, of all documents: those that are not less than the one, and less
     * than the other. NULL or empty: no bound. */
    const char *from_term, *to_term;
    int joins_terms;        /* the inputs are such ranges of one merge */
    const char *checkpoint; /* a folder: the same call goes on after a crash */
} gpusort_index_merge_options;

/* clang-format off */
#define GPUSORT_INDEX_MERGE_OPTIONS {.size = sizeof(gpusort_index_merge_options)}
/* clang-format on */

GPUSORT_API GPUSORT_CHECKED gpusort_code
gpusort_index_merge(const gpusort_index_merge_options *options, gpusort_error *error);
/* Terms that cut such a merge into `ranges' of about equally much work, or fewer, for
 * several machines. They go to a function of the caller's, which returns 0. */
GPUSORT_API GPUSORT_CHECKED gpusort_code
gpusort_index_merge_cuts(const gpusort_index_merge_options *options, unsigned ranges,
                         int (*tell)(void *context, const void *term, size_t bytes),
                         void *context, gpusort_error *error);

/* The index `input' with its documents in an order that makes it smaller and searches of
 * it faster: those that share terms come side by side, and get other numbers. `flags' is
 * GPUSORT_REPLACE or 0; `job' may be NULL. */
enum { GPUSORT_REPLACE = 1 }; /* an index that is there, also the input */
GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_index_reorder(const char *folder,
                                                               const char *input,
                                                               unsigned flags,
                                                               const gpusort_job *job,
                                                               gpusort_error *error);

/* Of and to a file in the Common Index File Format. */
typedef struct gpusort_import_options {
    size_t size;
    gpusort_job job;
    const char *folder;
    int replaces;
    const char *input; /* a file, packed or not; NULL: standard input */
    int unique_names;
    int has_impacts;  /* frequencies are weights of terms, and scores their sums */
    int is_strict;    /* a rule that is broken is an error; else those that leave no doubt
                         are told */
    int keeps_packed; /* the input is taken as it is */
} gpusort_import_options;

/* clang-format off */
#define GPUSORT_IMPORT_OPTIONS {.size = sizeof(gpusort_import_options)}
/* clang-format on */

GPUSORT_API GPUSORT_CHECKED gpusort_code
gpusort_index_import(const gpusort_import_options *options, gpusort_error *error);
/* To a file that appears whole or not at all, or to standard output (NULL). `job' may be
 * NULL. */
GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_index_export(const char *folder,
                                                              const char *output,
                                                              const gpusort_job *job,
                                                              gpusort_error *error);

/* An open index is read-only, and any number of threads may use it. One that has grown is
 * one index: its documents are those that are left, and it stays what it was when it was
 * opened. Documents are numbered from 0, also if it was built with --doc-base. */
typedef struct gpusort_index gpusort_index;

/* Of an index that has grown `documents` and `length_sum` are of those that are left; the
 * other counts are those of its segments added up, so that a term of two of them counts
 * twice, and of what was deleted until a merge drops it. */
typedef struct gpusort_index_info {
    size_t size;
    uint64_t documents, terms, postings, tokens;
    int has_positions, has_names;
    int has_texts;          /* of documents */
    int has_impacts;        /* scores are sums of what a model has learned */
    uint64_t length_sum;    /* of documents, in tokens */
    uint64_t doc_base;      /* what the first document is called outside */
    uint64_t segments;      /* 1: it was built, and has not grown since */
    uint64_t deleted;       /* documents that lie there still */
    const char *word_rules; /* how text becomes terms, as JSON, until the index is closed;
                               NULL: terms came as they are */
} gpusort_index_info;

GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_index_open(gpusort_index **out,
                                                            const char *folder,
                                                            gpusort_error *error);
GPUSORT_API void gpusort_index_close(gpusort_index *index); /* NULL is fine */
/* `info->size` is filled in by the caller. */
GPUSORT_API void gpusort_index_describe(const gpusort_index *index,
                                        gpusort_index_info *info);
/* The same, but terms, postings and tokens are of what is left, which is counted. */
GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_index_count(const gpusort_index *index,
                                                             gpusort_index_info *info,
                                                             gpusort_error *error);
/* The name of the i-th kind of file that an index can have, from 0 on, and how many bytes
 * those of this one have; NULL behind the last. */
GPUSORT_API const char *gpusort_index_file(const gpusort_index *index, size_t i,
                                           uint64_t *bytes);
enum {
    GPUSORT_SUMS_ONLY = 1, /* nothing but checksums */
    GPUSORT_POSITIONS = 1, /* of each posting */
};
/* Is all of it as it should be, every checksum, order and count? GPUSORT_FORMAT says what
 * is wrong first. `job` may be NULL. */
GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_index_verify(const gpusort_index *index,
                                                              unsigned flags,
                                                              const gpusort_job *job,
                                                              gpusort_error *error);
/* GPUSORT_OK: nobody has written to its files since it was opened. Calls that give an
 * answer ask that themselves, but those that are made again and again:
 * gpusort_index_names, gpusort_texts_begin, gpusort_texts_next, gpusort_search_next,
 * gpusort_search_count and gpusort_search_snippets. Who hands on what they gave asks
 * before. */
GPUSORT_API GPUSORT_CHECKED gpusort_code
gpusort_index_unchanged(const gpusort_index *index, gpusort_error *error);

/* What a document is called: *bytes of it, of which the first `room` go to `name`.
 * Documents of tuples have no names: 0 bytes. */
GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_index_name(const gpusort_index *index,
                                                            uint64_t document, char *name,
                                                            size_t room, size_t *bytes,
                                                            gpusort_error *error);

/* The same of `count` documents: the name of documents[i] is what `text` has from
 * offsets[i] to offsets[i + 1]; there are count + 1 offsets. If the last one is more than
 * `room`, the text is not all there. */
GPUSORT_API GPUSORT_CHECKED gpusort_code
gpusort_index_names(const gpusort_index *index, const uint64_t *documents, size_t count,
                    char *text, size_t room, uint64_t *offsets, gpusort_error *error);
/* And back: documents[i] is the first one that is called names[i], which has lengths[i]
 * bytes (NULL: it ends with a zero), or UINT64_MAX. Reads all names of the index. */
GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_index_find(
    const gpusort_index *index, const char *const *names, const size_t *lengths,
    size_t count, uint64_t *documents, gpusort_error *error);

/* Texts of documents, of an index that was built with them; one thread. Of each: begin,
 * then next until a piece has 0 bytes; a piece is good until the next call, and if the
 * index is unchanged then. */
typedef struct gpusort_texts gpusort_texts;

GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_texts_new(gpusort_texts **out,
                                                           const gpusort_index *index,
                                                           gpusort_error *error);
GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_texts_begin(gpusort_texts *texts,
                                                             uint64_t document,
                                                             uint64_t *bytes,
                                                             gpusort_error *error);
GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_texts_next(gpusort_texts *texts,
                                                            const void **piece,
                                                            size_t *bytes,
                                                            gpusort_error *error);
GPUSORT_API void gpusort_texts_free(gpusort_texts *texts); /* NULL is fine */

/* The documents of a term, in ascending order: documents[i] has it frequencies[i] times.
 * Of a term that the index does not have, none. Valid until gpusort_postings_free. */
typedef struct gpusort_postings {
    size_t count;
    uint64_t *documents;
    uint32_t *frequencies;
} gpusort_postings;

GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_index_lookup(const gpusort_index *index,
                                                              const void *term,
                                                              size_t bytes,
                                                              gpusort_postings *out,
                                                              gpusort_error *error);
GPUSORT_API void gpusort_postings_free(gpusort_postings *postings); /* zeroed is fine */

/* The lines of `gpusort lookup', for any number of terms, by all threads, in the order of
 * the terms; and those of `gpusort index dump'. Both go to a function of the caller's,
 * one call at a time, on any thread, which returns 0; else the call is cancelled. */
enum { GPUSORT_TERM_BYTES_MAX = 4194304 };

typedef struct gpusort_lookup_options {
    size_t size;
    gpusort_job job; /* the context is of both functions, too */
    int (*write)(void *context, const void *text, size_t bytes);
    /* 1: *term comes next, which is good until the next call. 0: there is none now and,
     * where it may wait for one, none any more. Less: the call is cancelled. On the
     * thread that calls. */
    int (*next)(void *context, int may_wait, const void **term, size_t *bytes);
    uint64_t expected_terms; /* about as many; 0: not known */
    int is_prefix;           /* every term that begins with one of those */
    /* Instead of `next': every term that is not less, and less than the other; NULL: no
     * bound. Both NULL: terms come from `next'. */
    const char *from_term, *to_term;
    int as_json;
    int counts_only; /* without postings */
} gpusort_lookup_options;

/* clang-format off */
#define GPUSORT_LOOKUP_OPTIONS {.size = sizeof(gpusort_lookup_options)}
/* clang-format on */

GPUSORT_API GPUSORT_CHECKED gpusort_code
gpusort_index_lookups(const gpusort_index *index, const gpusort_lookup_options *options,
                      gpusort_error *error);
/* `flags` is GPUSORT_POSITIONS or 0; `job` may be NULL. */
GPUSORT_API GPUSORT_CHECKED gpusort_code
gpusort_index_dump(const gpusort_index *index, unsigned flags,
                   int (*write)(void *context, const void *text, size_t bytes),
                   void *context, const gpusort_job *job, gpusort_error *error);

/* The beginnings of the posting lists of many terms at once, as numbers, by all threads
 * or a GPU that holds the lists: for a program that keeps an index open and asks it again
 * and again. Several can be made of an index; one thread at a time uses each. */
typedef struct gpusort_heads gpusort_heads;

typedef struct gpusort_heads_options {
    size_t size;
    /* Threads, engine, `gpus', of which the first one counts, what of its memory may be
     * taken, and the log: wherever heads are asked for. */
    gpusort_job job;
    uint64_t head;           /* postings of a term at most; 0: all */
    uint64_t expected_terms; /* about as many, in all calls; 0: not known */
} gpusort_heads_options;

/* clang-format off */
#define GPUSORT_HEADS_OPTIONS {.size = sizeof(gpusort_heads_options)}
/* clang-format on */

/* Arrays of the caller's for what `count` terms have. Lists lie one behind the other:
 * that of term i is documents[offsets[i]] to before documents[offsets[i + 1]], and each
 * document has it as often as `frequencies' says at the same place. */
typedef struct gpusort_heads_lists {
    size_t size;
    uint64_t *counts;    /* documents that have it, of which the list has the first; 0: it
                            is not there */
    uint64_t *offsets;   /* count + 1 */
    uint64_t *documents; /* of `room'; NULL: none is wanted */
    uint32_t *frequencies; /* the same */
    size_t room; /* count * head always does; lists that do not end in it are left out */
} gpusort_heads_lists;

/* clang-format off */
#define GPUSORT_HEADS_LISTS {.size = sizeof(gpusort_heads_lists)}
/* clang-format on */

/* Borrows the index, and what the options point to. */
GPUSORT_API GPUSORT_CHECKED gpusort_code
gpusort_heads_new(gpusort_heads **out, const gpusort_index *index,
                  const gpusort_heads_options *options, gpusort_error *error);
/* Term i is what `terms` has from offsets[i] to offsets[i + 1]; there are count + 1. */
GPUSORT_API GPUSORT_CHECKED gpusort_code
gpusort_heads_find(gpusort_heads *heads, const void *terms, const uint64_t *offsets,
                   size_t count, const gpusort_heads_lists *lists, gpusort_error *error);
GPUSORT_API void gpusort_heads_free(gpusort_heads *heads); /* NULL is fine */

/* A searcher keeps what queries need again and again; one thread at a time. */
typedef struct gpusort_searcher gpusort_searcher;

typedef struct gpusort_search_options {
    size_t size;
    double k1, b;      /* of BM25; both 0: 1.2 and 0.75 */
    int needs_all;     /* words side by side must all match */
    int is_plain;      /* queries are nothing but words */
    int has_zeros;     /* k1 and b are what they are, also if both are 0 */
    unsigned threads;  /* for several queries, and snippets; 0: one for every core */
    int is_exhaustive; /* every match is scored instead of skipping: the same answers */
    /* A file with what gpusort_search_gathered wrote of several indexes, of which this is
     * one: scores are those of one index of all. NULL: of this one. */
    const char *statistics;
} gpusort_search_options;

/* clang-format off */
#define GPUSORT_SEARCH_OPTIONS {.size = sizeof(gpusort_search_options)}
/* clang-format on */

typedef struct gpusort_hit {
    uint64_t document;
    double score;
} gpusort_hit;

/* Borrows the index. `options` may be NULL. */
GPUSORT_API GPUSORT_CHECKED gpusort_code
gpusort_searcher_new(gpusort_searcher **out, const gpusort_index *index,
                     const gpusort_search_options *options, gpusort_error *error);
/* The best documents of a query, the best first: at most `room`, *count of them. */
GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_search(gpusort_searcher *searcher,
                                                        const char *query, size_t bytes,
                                                        gpusort_hit *hits, size_t room,
                                                        size_t *count,
                                                        gpusort_error *error);

/* One query of several: what is asked, and the answer. */
typedef struct gpusort_question {
    const char *query;
    size_t bytes;
    gpusort_code code;       /* of this query, the first of what the call fills in */
    const char *message;     /* what is wrong with it, and what can be done; or NULL */
    const char *hint;        /* static */
    const gpusort_hit *hits; /* the best first; the searcher's, as is the message */
    size_t hit_count;
    const void *reserved[1]; /* NULL */
} gpusort_question;

/* At most `top' documents for each of `count' queries, by all threads. A query that fails
 * says so, and the others are answered; the call fails if none can be. Answers are good
 * until the next call. Takes 5 KB for each query, beside the hits. */
GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_search_many(gpusort_searcher *searcher,
                                                             gpusort_question *questions,
                                                             size_t count, size_t top,
                                                             gpusort_error *error);

/* All documents that match, in their order and without scores: begin, then next until
 * *count is 0. After a failure *count are those that were found before. */
GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_search_begin(gpusort_searcher *searcher,
                                                              const char *query,
                                                              size_t bytes,
                                                              gpusort_error *error);
GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_search_next(gpusort_searcher *searcher,
                                                             uint64_t *documents,
                                                             size_t room, size_t *count,
                                                             gpusort_error *error);
/* How many of them there are. */
GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_search_count(gpusort_searcher *searcher,
                                                              const char *query,
                                                              size_t bytes,
                                                              uint64_t *count,
                                                              gpusort_error *error);

/* The stretch of a document's text that has the most words of the query, for people:
 * white space is a blank, and what is not UTF-8 is U+FFFD. */
typedef struct gpusort_mark {
    uint16_t begin, end; /* bytes of the snippet */
} gpusort_mark;

typedef struct gpusort_snippet {
    const char *text;
    size_t bytes;
    const gpusort_mark *marks; /* where words of the query stand */
    size_t mark_count;
    int is_cut_before, is_cut_behind; /* the text goes on there */
    const void *reserved[1];
} gpusort_snippet;

/* snippets[i] is of documents[i], and good until the next call. Of an index that was
 * built with texts; with a count of 0 the call asks nothing but that. */
GPUSORT_API GPUSORT_CHECKED gpusort_code
gpusort_search_snippets(gpusort_searcher *searcher, const char *query, size_t bytes,
                        const uint64_t *documents, size_t count,
                        gpusort_snippet *snippets, gpusort_error *error);

/* What scores of queries need to know of this index, where it is one of several: gather
 * for each query, then gathered, which gives the lines to a function of the caller's that
 * returns 0. Those of all indexes in one file are the `statistics' of each. */
GPUSORT_API GPUSORT_CHECKED gpusort_code gpusort_search_gather(gpusort_searcher *searcher,
                                                               const char *query,
                                                               size_t bytes,
                                                               gpusort_error *error);
GPUSORT_API GPUSORT_CHECKED gpusort_code
gpusort_search_gathered(gpusort_searcher *searcher,
                        int (*write)(void *context, const void *text, size_t bytes),
                        void *context, gpusort_error *error);

/* What a searcher has done so far: how much there was of the terms of its queries, and
 * how much of that it looked at. */
typedef struct gpusort_search_figures {
    size_t size; /* filled in by the caller */
    uint64_t queries;
    uint64_t postings, postings_scored;
    uint64_t blocks, blocks_read;
} gpusort_search_figures;

GPUSORT_API void gpusort_searcher_figures(const gpusort_searcher *searcher,
                                          gpusort_search_figures *figures);
GPUSORT_API void gpusort_searcher_free(gpusort_searcher *searcher); /* NULL is fine */

#ifdef __cplusplus
}
#endif
#endif
