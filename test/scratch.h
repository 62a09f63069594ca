/* A new folder for the files of a test program, which is removed with its contents. */
#ifndef TEST_UNIT_SCRATCH_H
#define TEST_UNIT_SCRATCH_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char scratch_directory[256];

static inline void scratch_begin(void)
{
    const char *where = getenv("TMPDIR");

    snprintf(scratch_directory, sizeof scratch_directory, "%s/scion-unit-XXXXXX",
             where && strlen(where) < 200 ? where : "/tmp");
    if (!mkdtemp(scratch_directory)) {
        perror(scratch_directory);
        exit(99);
    }
}

/* The path of a name in the folder, valid until the fourth call after this one. */
static inline const char *scratch_path(const char *name)
{
    static char paths[4][512];
    static unsigned next;
    char *path = paths[next++ % 4];

    snprintf(path, sizeof paths[0], "%s/%s", scratch_directory, name);
    return path;
}

static inline void scratch_end(void)
{
    DIR *directory = opendir(scratch_directory);
    struct dirent *entry;

    while (directory && (entry = readdir(directory)) != NULL) {
        const char *path = scratch_path(entry->d_name);

        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            unlink(path) != 0)
            rmdir(path);
    }
    if (directory)
        closedir(directory);
    rmdir(scratch_directory);
}

/* Read the first `bytes` bytes of a file without the library, or fewer if it is shorter. */
static inline size_t scratch_read(const char *path, void *to, size_t bytes)
{
    FILE *file = fopen(path, "rb");
    size_t got = file ? fread(to, 1, bytes, file) : 0;

    if (file)
        fclose(file);
    return got;
}

static inline void scratch_write(const char *path, const void *from, size_t bytes)
{
    FILE *file = fopen(path, "wb");

    if (!file || fwrite(from, 1, bytes, file) != bytes || fclose(file) != 0) {
        perror(path);
        exit(99);
    }
}

static inline long long scratch_size(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 ? (long long)status.st_size : -1;
}

#endif
