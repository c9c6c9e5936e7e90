/* SPDX-License-Identifier: MIT */
#include "lib/index/format/sealed_text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "io/file_sync.h"
#include "io/write_all.h"
#include "lib/base/mem.h"

enum {
    TEXT_BYTES_MAX = 32 << 20, /* a list of stop words may be long */
    SEAL_LINE_BYTES = 64,      /* the last line, and the brace behind it */
};

static void print_seal(char *line, const char *seal, const char *text, size_t bytes)
{
    (void)snprintf(line, SEAL_LINE_BYTES, "  \"%s\": \"%016" PRIx64 "\"\n}\n", seal,
                   (uint64_t)XXH3_64bits(text, bytes));
}

/* --- writing ----------------------------------------------------------------------- */

static gs_code write_text(const char *path, const char *text, size_t bytes, gs_status *st)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    int error = fd < 0 ? errno : gs_write_all(fd, text, bytes);
    if (error == 0)
        error = gs_file_sync(fd);
    if (fd >= 0 && close(fd) != 0 && error == 0)
        error = errno;
    if (error == 0)
        return GS_OK;
    (void)GS_FAIL(st, GS_ERR_IO, error, "write failed: %s", path);
    return gs_status_hint(st, "free some space where the index goes");
}

gs_code gs_sealed_text_write(const char *path, const char *seal,
                             gs_sealed_print_fn *print, const void *context,
                             gs_status *st)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *const memory = open_memstream(&text, &bytes);
    if (memory == NULL)
        return GS_FAIL(st, GS_ERR_NOMEM, errno, "header of the index");
    print(memory, context);
    (void)fflush(memory);
    char line[SEAL_LINE_BYTES] = "";
    if (text != NULL)
        print_seal(line, seal, text, bytes);
    (void)fputs(line, memory);
    if (fclose(memory) != 0)
        (void)GS_FAIL(st, GS_ERR_NOMEM, errno, "header of the index");
    else
        GS_NOTED(write_text(path, text, bytes, st));
    free(text);
    return st->code;
}

/* --- reading ----------------------------------------------------------------------- */

/* 0 or errno; a file that ends early is EIO. */
static int read_whole(int fd, void *to, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        const ssize_t n = read(fd, (char *)to + done, bytes - done);
        if (n == 0 || (n < 0 && errno != EINTR))
            return n < 0 ? errno : EIO;
        done += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

gs_code gs_sealed_text_read(char **text, size_t *bytes, int fd, const char *path,
                            gs_status *st)
{
    char *read = NULL;
    struct stat info;
    if (fstat(fd, &info) != 0)
        (void)GS_FAIL(st, GS_ERR_IO, errno, "cannot read: %s", path);
    else if (info.st_size > TEXT_BYTES_MAX)
        (void)GS_FAIL(st, GS_ERR_FORMAT, 0, "%s: not the header of an index", path);
    else if (gs_mem_new(&read, (size_t)info.st_size + 1, "header", st) == GS_OK) {
        const int error = read_whole(fd, read, (size_t)info.st_size);
        if (error != 0)
            (void)GS_FAIL(st, GS_ERR_IO, error, "read failed: %s", path);
        *bytes = (size_t)info.st_size;
    }
    if (st->code != GS_OK) {
        gs_mem_free(read);
        return st->code;
    }
    *text = read;
    return GS_OK;
}

bool gs_sealed_text_is_whole(const char *text, size_t bytes, const char *seal)
{
    char field[SEAL_LINE_BYTES];
    (void)snprintf(field, sizeof field, "  \"%s\": ", seal);
    const char *const sum = strstr(text, field);
    if (sum == NULL || strlen(text) != bytes)
        return false;
    char line[SEAL_LINE_BYTES];
    print_seal(line, seal, text, (size_t)(sum - text));
    return strcmp(sum, line) == 0;
}
