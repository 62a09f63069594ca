/*
 * Writes or reads a hundred thousand records of eight bytes in one way, in a function of its own,
 * so that its instructions can be counted:
 *
 *     records FILE write|ensure|zip_write|exported_write|stdio_write|
 *                  read|feof|exported_read|stdio_read
 *
 * zip_write: to a compressed stream, all into one frame.
 * stdio_*: fwrite and fread on another FILE*, for comparison. exported_*: the application has the
 * container's FILE*; every record that is written is announced and goes through it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sion.h"

enum { RECORDS = 100000, BYTES = 8 };

static char record[BYTES];

__attribute__((noinline)) static long count_write(int sid, FILE *fp)
{
    long i, done = 0;

    (void)fp;
    for (i = 0; i < RECORDS; i++)
        done += sion_fwrite(record, 1, BYTES, sid) == BYTES;
    return done;
}

__attribute__((noinline)) static long count_ensure(int sid, FILE *fp)
{
    long i, done = 0;

    (void)fp;
    for (i = 0; i < RECORDS; i++)
        done += sion_ensure_free_space(sid, BYTES) && sion_fwrite(record, 1, BYTES, sid) == BYTES;
    return done;
}

__attribute__((noinline)) static long count_exported_write(int sid, FILE *fp)
{
    long i, done = 0;

    for (i = 0; i < RECORDS; i++)
        done += sion_ensure_free_space(sid, BYTES) && fwrite(record, 1, BYTES, fp) == BYTES;
    return done;
}

__attribute__((noinline)) static long count_stdio_write(int sid, FILE *fp)
{
    long i, done = 0;

    (void)sid;
    for (i = 0; i < RECORDS; i++)
        done += fwrite(record, 1, BYTES, fp) == BYTES;
    return done;
}

__attribute__((noinline)) static long count_read(int sid, FILE *fp)
{
    long i, done = 0;

    (void)fp;
    for (i = 0; i < RECORDS; i++)
        done += sion_fread(record, 1, BYTES, sid) == BYTES;
    return done;
}

__attribute__((noinline)) static long count_feof(int sid, FILE *fp)
{
    long done = 0;

    (void)fp;
    while (!sion_feof(sid))
        done += sion_fread(record, 1, BYTES, sid) == BYTES;
    return done;
}

__attribute__((noinline)) static long count_stdio_read(int sid, FILE *fp)
{
    long i, done = 0;

    (void)sid;
    for (i = 0; i < RECORDS; i++)
        done += fread(record, 1, BYTES, fp) == BYTES;
    return done;
}

static const struct way {
    const char *name, *mode;
    int stdio, exported;
    long (*count)(int sid, FILE *fp);
} ways[] = {
    {"write", "w", 0, 0, count_write},
    {"ensure", "w", 0, 0, count_ensure},
    {"zip_write", "w,compress=zstd", 0, 0, count_write},
    {"exported_write", "w", 0, 1, count_exported_write},
    {"stdio_write", "w", 1, 0, count_stdio_write},
    {"read", "r", 0, 0, count_read},
    {"feof", "r", 0, 0, count_feof},
    {"exported_read", "r", 0, 1, count_read},
    {"stdio_read", "r", 1, 0, count_stdio_read},
};

static long container(char *file, const struct way *way)
{
    sion_int64 chunksize = RECORDS * BYTES, *chunksizes = &chunksize;
    int ntasks = 1, nfiles = 1, rank = 0, *ranks = &rank, sid;
    sion_int32 fsblksize = 4096;
    FILE *fp = NULL;
    long done;

    sid = sion_open(file, way->mode, &ntasks, &nfiles, &chunksizes, &fsblksize, &ranks, NULL);
    if (sid < 0)
        return -1;
    if (way->exported)
        fp = sion_get_fp(sid);
    done = way->count(sid, fp);
    return sion_close(sid) == SION_SUCCESS ? done : -1;
}

static long plain(const char *file, const struct way *way)
{
    FILE *fp = fopen(file, way->mode);
    long done;

    if (!fp)
        return -1;
    done = way->count(-1, fp);
    return fclose(fp) == 0 ? done : -1;
}

int main(int argc, char **argv)
{
    size_t i;

    for (i = 0; argc == 3 && i < sizeof ways / sizeof *ways; i++) {
        const struct way *way = &ways[i];

        if (strcmp(way->name, argv[2]) == 0)
            return (way->stdio ? plain(argv[1], way) : container(argv[1], way)) != RECORDS;
    }
    fprintf(stderr, "usage: records FILE WAY\n");
    return 2;
}
