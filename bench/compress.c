/*
 * What compression costs and saves: one task writes and reads the same bytes with several modes.
 *
 *     compress FILE [MIB [ROUNDS [NAME]]]
 *     compress -w FILE MODE DATA
 *     compress -r FILE
 *
 * Prints kind of data, bytes of a record, mode, ratio, and the median of MB of writing and of
 * reading for a second of processor time, as CSV; the modes of one kind of data take turns. Records
 * have 1 MiB, those of noise also other sizes, blocks of arrays 8 MiB. FILE should be in memory
 * (/dev/shm), where nothing else takes time. With a fourth argument, the data are left in files
 * whose names begin with it. The other forms write a file's bytes, and read them, for
 * bench/compress.sh, which compares the processes with those of zstd.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "median.h"
#include "sion.h"
#include "sion_array.h"

enum { MOST_RECORD = 1 << 20, BLOCK = 8 << 20, MOST_ROUNDS = 100, MOST_MODES = 3 };

static size_t record_size = MOST_RECORD;

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* A smooth field of doubles. */
static void fill_field(char *data, size_t bytes)
{
    double *values = (double *)(void *)data;
    size_t i, n = bytes / sizeof *values;

    for (i = 0; i < n; i++)
        values[i] =
            300 + 10 * sin(6.3 * (double)(i % 1024) / 1024) * cos(6.3 * (double)(i / 1024) / 700);
}

/* Positions of particles in a box: floats whose last bits are noise. */
static void fill_particles(char *data, size_t bytes)
{
    float *values = (float *)(void *)data;
    size_t i, n = bytes / sizeof *values;

    for (i = 0; i < n; i++)
        values[i] = (float)(i / 3 % 4096) / 4096 + 1e-4f * (float)(rand() % 1000);
}

static void fill_log(char *data, size_t bytes)
{
    size_t at = 0;
    char line[128];
    int i, length;

    for (i = 0; at < bytes; i++, at += (size_t)length) {
        length = snprintf(line, sizeof line, "step %8d time %.5f residual %.3e iterations %d\n", i,
                          1e-5 * i, 1e-3 * (rand() % 1000), 10 + rand() % 20);
        if ((size_t)length > bytes - at)
            length = (int)(bytes - at);
        memcpy(data + at, line, (size_t)length);
    }
}

static void fill_noise(char *data, size_t bytes)
{
    size_t i;

    for (i = 0; i < bytes; i++)
        data[i] = (char)(rand() >> 8);
}

static double write_all(char *name, const char *mode, const char *data, size_t bytes)
{
    int ntasks = 1, nfiles = 1, rank = 0, *ranks = &rank, sid;
    sion_int64 chunk = (sion_int64)bytes, *chunks = &chunk;
    sion_int32 block = 4096;
    double begin = now();
    size_t at;

    sid = sion_open(name, mode, &ntasks, &nfiles, &chunks, &block, &ranks, NULL);
    for (at = 0; sid >= 0 && at < bytes; at += record_size) {
        if (sion_fwrite(data + at, record_size, 1, sid) != 1)
            exit(1);
    }
    if (sid < 0 || sion_close(sid) != 1)
        exit(1);
    return now() - begin;
}

static double read_all(char *name, const char *data, size_t bytes)
{
    static char record[MOST_RECORD];
    int ntasks, nfiles, sid;
    double begin = now();
    size_t at;

    sid = sion_open(name, "rb", &ntasks, &nfiles, NULL, NULL, NULL, NULL);
    for (at = 0; sid >= 0 && at < bytes; at += record_size) {
        if (sion_fread(record, record_size, 1, sid) != 1 || record[at % 251] != data[at + at % 251])
            exit(1);
    }
    if (sid < 0 || sion_close(sid) != 1)
        exit(1);
    return now() - begin;
}

/* ---- an array of doubles, in blocks of 8 MiB, one for each step ---- */

static const sion_int64 block[] = {1024, 1024}, origin[] = {0, 0};

static double write_array(char *name, const char *codec, const char *data, size_t bytes)
{
    int ntasks = 1, nfiles = 1, rank = 0, *ranks = &rank, sid;
    sion_int64 chunk = 2 * (sion_int64)bytes, *chunks = &chunk, step;
    sion_int32 fsblksize = 4096;
    double begin = now();

    sid = sion_open(name, "bw", &ntasks, &nfiles, &chunks, &fsblksize, &ranks, NULL);
    if (sid < 0 || sion_array_define(sid, "T", SION_F64, 2, block) != 1 ||
        sion_array_codec(sid, "T", codec) != 1)
        exit(1);
    for (step = 0; step < (sion_int64)(bytes / BLOCK); step++) {
        if (sion_array_put(sid, "T", step, origin, block, SION_F64, data + step * BLOCK, BLOCK) !=
            1)
            exit(1);
    }
    if (sion_close(sid) != 1)
        exit(1);
    return now() - begin;
}

static double read_array(char *name, const char *data, size_t bytes)
{
    char *read = malloc(BLOCK);
    double begin = now();
    sion_array_reader *arrays = sion_array_reader_open(name);
    sion_int64 step;

    for (step = 0; step < (sion_int64)(bytes / BLOCK); step++) {
        if (!read ||
            sion_array_reader_get(arrays, "T", step, origin, block, SION_F64, read, BLOCK) != 1)
            exit(1);
    }
    sion_array_reader_close(arrays);
    begin = now() - begin;
    if (read[0] != data[bytes - BLOCK] && read[7] != data[bytes - BLOCK + 7])
        exit(1);
    free(read);
    return begin;
}

/* How data go into a file, and come back. */
struct way {
    double (*write)(char *name, const char *mode, const char *data, size_t bytes);
    double (*read)(char *name, const char *data, size_t bytes);
};

static const struct way as_stream = {write_all, read_all}, as_array = {write_array, read_array};

static double stored_bytes(const char *name)
{
    struct stat status;

    if (stat(name, &status) != 0)
        exit(1);
    return 512.0 * (double)status.st_blocks;
}

static void measure(const struct way *way, char *name, const char *kind, const char *const *modes,
                    int nmodes, const char *data, size_t bytes, int rounds)
{
    double writing[MOST_MODES][MOST_ROUNDS], reading[MOST_MODES][MOST_ROUNDS];
    double stored[MOST_MODES] = {0}, mb = (double)bytes / 1e6;
    int i, m;

    for (i = 0; i < rounds; i++) {
        for (m = 0; m < nmodes; m++) {
            unlink(name);
            writing[m][i] = way->write(name, modes[m], data, bytes);
            reading[m][i] = way->read(name, data, bytes);
            stored[m] = stored_bytes(name);
        }
    }
    for (m = 0; m < nmodes; m++)
        printf("%s,%zu,\"%s\",%.2f,%.0f,%.0f\n", kind,
               way == &as_array ? (size_t)BLOCK : record_size, modes[m], (double)bytes / stored[m],
               mb / bench_median(writing[m], rounds), mb / bench_median(reading[m], rounds));
    fflush(stdout);
}

/* So that zstd itself can be measured. */
static void leave(const char *begin, const char *kind, const char *data, size_t bytes)
{
    char name[64];
    FILE *file;

    snprintf(name, sizeof name, "%.40s.%s", begin, kind);
    file = fopen(name, "wb");
    if (!file || fwrite(data, 1, bytes, file) != bytes || fclose(file) != 0)
        exit(1);
}

/* ---- single processes ---- */

static int write_file(char *name, const char *mode, const char *from)
{
    static char record[MOST_RECORD];
    int ntasks = 1, nfiles = 1, rank = 0, *ranks = &rank, sid;
    sion_int64 chunk = 0, *chunks = &chunk;
    sion_int32 fsblksize = 4096;
    struct stat status;
    FILE *file = fopen(from, "rb");
    size_t got;

    if (!file || fstat(fileno(file), &status) != 0)
        return 1;
    setvbuf(file, NULL, _IONBF, 0);
    chunk = status.st_size;
    sid = sion_open(name, mode, &ntasks, &nfiles, &chunks, &fsblksize, &ranks, NULL);
    while (sid >= 0 && (got = fread(record, 1, sizeof record, file)) > 0) {
        if (sion_fwrite(record, 1, got, sid) != got)
            return 1;
    }
    fclose(file);
    return sid < 0 || sion_close(sid) != 1;
}

static int read_file(char *name)
{
    static char record[MOST_RECORD];
    int ntasks, nfiles, sid = sion_open(name, "rb", &ntasks, &nfiles, NULL, NULL, NULL, NULL);

    while (sid >= 0 && !sion_feof(sid)) {
        if (sion_fread(record, 1, sizeof record, sid) == 0)
            return 1;
    }
    return sid < 0 || sion_close(sid) != 1;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *kind, *third;
        void (*fill)(char *data, size_t bytes);
    } kinds[] = {{"field", "w,compress=zstd,shuffle=8", fill_field},
                 {"particles", "w,compress=zstd,shuffle=4", fill_particles},
                 {"log", "w,compress=zstd:3", fill_log},
                 {"noise", "w,compress=zstd:3", fill_noise}};
    static const char *const codecs[] = {"none", "zstd", "zstd,shuffle"};
    const char *modes[MOST_MODES] = {"w", "w,compress=zstd"};
    size_t bytes = (argc > 2 ? (size_t)atoi(argv[2]) : 64) << 20, i;
    int rounds = argc > 3 ? atoi(argv[3]) : 5;
    char *data = malloc(bytes);

    if (argc == 5 && strcmp(argv[1], "-w") == 0)
        return write_file(argv[2], argv[3], argv[4]);
    if (argc == 3 && strcmp(argv[1], "-r") == 0)
        return read_file(argv[2]);
    if (argc < 2 || !data || rounds < 1 || rounds > MOST_ROUNDS)
        return 2;
    printf("data,record,mode,ratio,write,read\n");
    for (i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        kinds[i].fill(data, bytes);
        modes[2] = kinds[i].third;
        measure(&as_stream, argv[1], kinds[i].kind, modes, 3, data, bytes, rounds);
        if (i == 0)
            measure(&as_array, argv[1], "array of the field", codecs, 3, data,
                    bytes / BLOCK * BLOCK, rounds);
        if (argc > 4)
            leave(argv[4], kinds[i].kind, data, bytes);
    }
    for (record_size = 1 << 10; record_size < MOST_RECORD; record_size *= 4)
        measure(&as_stream, argv[1], "noise", modes, 2, data, bytes, rounds);
    unlink(argv[1]);
    free(data);
    return 0;
}
