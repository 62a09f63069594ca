/*
 * A program for gnutar.sh: "pack FOLDER FILE TASKS" writes the streams of a folder's files to
 * FILE.0, FILE.1 and so on; "list FILE" prints the members of a tar, "find FOLDER" those of a
 * folder.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "pack/tar.h"
#include "pack/tree.h"
#include "pack/write.h"

static int fail(void)
{
    fprintf(stderr, "%s\n", scion_error_text());
    return 1;
}

static int write_to(void *context, int task, sion_int64 pos, const void *data, size_t bytes)
{
    const int *fds = context;

    return pwrite(fds[task], data, bytes, pos) == (ssize_t)bytes ? 0 : -1;
}

static int pack(const char *folder, const char *name, int ntasks)
{
    struct scion_pack_list list = {0};
    int fds[16], task, rc = scion_pack_walk(folder, NULL, NULL, &list);
    const struct scion_pack_sink sink = {.write = write_to, .context = fds};

    scion_pack_share(&list, ntasks);
    if (rc == 0)
        rc = scion_pack_lay_out(&list, ntasks);
    for (task = 0; task < ntasks && rc == 0; task++) {
        char path[4096];

        snprintf(path, sizeof path, "%s.%d", name, task);
        fds[task] = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);
        rc = scion_pack_write_task(folder, &list, task, &sink);
        if (rc == 0 && ftruncate(fds[task], list.used[task]) != 0)
            rc = 1;
        close(fds[task]);
    }
    scion_pack_list_free(&list);
    return rc == 0 ? 0 : fail();
}

static void print(const struct scion_pack_entry *entry)
{
    printf("%c %04o %lld %lld.%09u %s%s%s\n", entry->type, entry->mode, (long long)entry->size,
           (long long)entry->mtime, entry->mtime_ns, entry->path, entry->target ? " -> " : "",
           entry->target ? entry->target : "");
}

static int read_from(void *context, void *to, size_t bytes, sion_int64 offset)
{
    return pread(*(int *)context, to, bytes, offset) == (ssize_t)bytes ? 0 : -1;
}

static int list(const char *name)
{
    static struct scion_tar_reader reader;
    int fd = open(name, O_RDONLY), rc;
    const struct scion_pack_source source = {.read = read_from, .context = &fd};
    const struct scion_pack_entry *entry;

    scion_tar_open(&reader, &source, lseek(fd, 0, SEEK_END), 0);
    while ((rc = scion_tar_next(&reader, &entry)) == 0 && entry)
        print(entry);
    close(fd);
    return rc == 0 ? 0 : fail();
}

static int find(const char *folder)
{
    struct scion_pack_list found = {0};
    int rc = scion_pack_walk(folder, NULL, NULL, &found);
    size_t i;

    for (i = 0; i < found.count && rc == 0; i++)
        print(&found.entries[i]);
    scion_pack_list_free(&found);
    return rc == 0 ? 0 : fail();
}

int main(int argc, char **argv)
{
    if (argc == 5 && strcmp(argv[1], "pack") == 0)
        return pack(argv[2], argv[3], atoi(argv[4]));
    if (argc == 3 && strcmp(argv[1], "list") == 0)
        return list(argv[2]);
    return argc == 3 && strcmp(argv[1], "find") == 0 ? find(argv[2]) : 2;
}
