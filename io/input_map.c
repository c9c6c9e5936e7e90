/* SPDX-License-Identifier: MIT */
#include "io/input_map.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/file_look.h"
#include "lib/base/machine.h"
#include "lib/base/mem.h"

enum { STAMP_WAIT_MS = 20 }; /* a tick of the clock has at most 10 */

/* Is the open file for a map? Where `output_fd` writes to it, it is written in place,
 * behind our reading. */
static bool is_mappable(const gs_input_files *in, int output_fd, gs_mapped_file *file)
{
    gs_pump_file head = {.fd = file->fd};
    struct stat output;
    if (!gs_file_stamp_take(&file->stamp, file->fd, STAMP_WAIT_MS) ||
        !S_ISREG(file->stamp.mode) || file->stamp.bytes == 0)
        return false;
    if (output_fd >= 0 &&
        (fstat(output_fd, &output) != 0 ||
         (output.st_dev == file->stamp.device && output.st_ino == file->stamp.inode)))
        return false;
    file->from = in->options->from;
    file->bytes = (size_t)file->stamp.bytes;
    if (in->options->has_range) {
        if (in->options->to > file->stamp.bytes || in->options->from == in->options->to)
            return false;
        file->bytes = (size_t)(in->options->to - in->options->from);
    }
    const bool is_plain =
        in->options->keep_compressed ||
        (gs_look_at_head(&head, 0) == 0 && head.kind == GS_COMPRESSION_NONE);
    file->is_cached =
        is_plain && gs_look_is_cached(head.fd, file->from, file->bytes, GS_LOOK_PROBES);
    return file->is_cached || (is_plain && in->options->maps_uncached);
}

/* Opens a file if it can be mapped. What its name stood for a moment ago may have been
 * replaced: what is open counts. */
static bool open_mappable(const gs_input_files *in, size_t index, int output_fd,
                          gs_mapped_file *file)
{
    const char *const name = in->names[index];
    const bool is_stdin = strcmp(name, "-") == 0;
    struct stat info;
    if (is_stdin && (fstat(STDIN_FILENO, &info) != 0 || !S_ISREG(info.st_mode) ||
                     lseek(STDIN_FILENO, 0, SEEK_CUR) != 0))
        return false;
    const int fd = is_stdin ? STDIN_FILENO : gs_look_open_regular(name, &info);
    if (fd < 0)
        return false;
    *file = (gs_mapped_file){.fd = fd, .input_index = index};
    if (is_mappable(in, output_fd, file))
        return true;
    if (!is_stdin)
        (void)close(fd);
    return false;
}

/* All files, each of them once: standard input has nothing more to give the second time.
 */
static size_t open_all_mappable(const gs_input_files *in, int output_fd,
                                gs_mapped_file *files)
{
    bool has_stdin = false;
    size_t count = 0;
    while (count < in->name_count && !(has_stdin && strcmp(in->names[count], "-") == 0) &&
           open_mappable(in, count, output_fd, &files[count]))
        has_stdin |= files[count++].fd == STDIN_FILENO;
    return count;
}

/* Do the files, each with what is between it and the next, stay below the limit, and
 * leave descriptors to others? */
static bool is_within_map(const gs_input_files *in, const gs_mapped_file *files,
                          size_t count, size_t copy_bytes)
{
    enum { BETWEEN = 3 * GS_MEM_LARGE_PAGE };
    const size_t most =
        in->options->map_bytes_max ? in->options->map_bytes_max : SIZE_MAX;
    size_t left = most > copy_bytes ? most - copy_bytes : 0;
    for (size_t i = 0; i < count; i++) {
        if (left < BETWEEN || files[i].bytes > left - BETWEEN ||
            gs_machine_files_are_short(files[i].fd, GS_LOOK_FILES_LEFT))
            return false;
        left -= files[i].bytes + BETWEEN;
    }
    return true;
}

/* The file position is where a plain reader would leave it, now that nothing more is
 * read. */
static void leave_stdin_read(const gs_mapped_file *files, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (files[i].fd == STDIN_FILENO)
            (void)lseek(STDIN_FILENO, (off_t)(files[i].from + files[i].bytes), SEEK_SET);
    }
}

bool gs_input_map_all(const gs_input_files *in, int output_fd, size_t copy_bytes,
                      gs_file_map *map)
{
    gs_mapped_file files[GS_FILE_MAP_FILES_MAX] = {0};
    if (in->name_count > GS_FILE_MAP_FILES_MAX)
        return false;
    size_t count = open_all_mappable(in, output_fd, files);
    if (count == in->name_count && is_within_map(in, files, count, copy_bytes) &&
        gs_file_map_open(map, files, count, copy_bytes, in->options->maps_small_pages,
                         in->names)) {
        map->taken_bytes = in->options->bytes_read;
        leave_stdin_read(files, count);
        return true;
    }
    while (count-- > 0) {
        if (files[count].fd != STDIN_FILENO)
            (void)close(files[count].fd);
    }
    return false;
}
