/*
 * A program that writes many small files: COUNT of BYTES in FOLDER/N, N being its rank.
 *
 *   small_files FOLDER COUNT BYTES
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int fail(const char *name)
{
    fprintf(stderr, "small_files: %s: %s\n", name, strerror(errno));
    return 1;
}

static int write_file(const char *name, const char *data, size_t bytes)
{
    FILE *file = fopen(name, "wb");

    if (!file)
        return fail(name);
    if (fwrite(data, 1, bytes, file) != bytes) {
        fclose(file);
        return fail(name);
    }
    return fclose(file) == 0 ? 0 : fail(name);
}

int main(int argc, char **argv)
{
    const char *rank = getenv("PMI_RANK");
    char folder[4000], name[4096], *data;
    size_t bytes;
    int count, i, failed = 0;

    if (argc != 4)
        return 1;
    count = atoi(argv[2]);
    bytes = (size_t)atol(argv[3]);
    data = calloc(1, bytes + 1);
    snprintf(folder, sizeof folder, "%s/%s", argv[1], rank ? rank : "0");
    if (!data || (mkdir(folder, 0777) != 0 && errno != EEXIST))
        return fail(folder);
    for (i = 0; i < count && !failed; i++) {
        snprintf(name, sizeof name, "%s/file.%06d", folder, i);
        failed = write_file(name, data, bytes);
    }
    free(data);
    return failed;
}
