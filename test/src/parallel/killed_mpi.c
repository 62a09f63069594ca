/*
 * A program whose ranks publish round after round, to be killed, and what readers then see.
 *
 *     killed_mpi write NAME FILES [WORDS]    rank 0 prints the number of each round that is
 * published killed_mpi read NAME ROUNDS [WORDS]    one process: all tasks have that many rounds, or
 * one more killed_mpi append NAME FILES [WORDS]   another round; rank 0 prints how many there are
 * then
 *
 * WORDS: of the mode, with a comma before each; and "mapped" for an open by lists of tasks, "keys"
 * for records. With keep=2, the newest generation is the last round, and the one before is left.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sion.h"

#include "check.h"
#include "records.h"

#ifdef HAVE_CHECKSUM
#include "sion_checksum.h"
#endif

enum { ROUNDS = 5, LARGEST = 1000 };

static const char *words = "";

static int has(const char *word)
{
    return strstr(words, word) != NULL;
}

/* Those that are no words of a mode are at the end. */
static const char *mode_of(const char *access)
{
    static char mode[100];
    size_t length = strcspn(words, ":");

    snprintf(mode, sizeof mode, "%s%.*s%s", access, (int)length, words,
             has(":keys") ? ",keyval=inline" : "");
    return mode;
}

/* Some fit into a chunk, others need several. */
static size_t bytes_of(int task, int round)
{
    return (size_t)(150 + 60 * round + 10 * task);
}

static sion_int64 bytes_before(int task, int round)
{
    sion_int64 bytes = 0;

    while (--round > 0)
        bytes += (sion_int64)bytes_of(task, round);
    return bytes;
}

static int open_writer(char *name, int nfiles, const char *access, int rank)
{
    sion_int64 chunksize = 512, *chunksizes = &chunksize;
    sion_int32 fsblksize = 512;
    MPI_Comm local = MPI_COMM_WORLD;
    int one = 1, *ranks = &rank, file = rank % nfiles, *files = &file, place = rank / nfiles,
        *places = &place, sid;

    if (!has(":mapped"))
        return sion_paropen_mpi(name, mode_of(access), &nfiles, MPI_COMM_WORLD, &local, &chunksize,
                                &fsblksize, &rank, NULL, NULL);
    sid = sion_paropen_mapped_mpi(name, mode_of(access), &nfiles, MPI_COMM_WORLD, &one, &ranks,
                                  &chunksizes, &files, &places, &fsblksize, NULL);
    return sid < 0 || sion_seek(sid, rank, SION_CURRENT_BLK, SION_CURRENT_POS) == 1 ? sid : -1;
}

static int close_writer(int sid)
{
    return has(":mapped") ? sion_parclose_mapped_mpi(sid) : sion_parclose_mpi(sid);
}

static int write_round(int sid, int rank, int round)
{
    unsigned char data[LARGEST];
    size_t bytes = bytes_of(rank, round);

    check_fill(data, rank, (long)bytes_before(rank, round), bytes);
    return has(":keys") ? sion_fwrite_key(data, 3, 1, bytes, sid) == bytes
                        : sion_stream_write(sid, data, (sion_int64)bytes) == (sion_int64)bytes;
}

static int write_rounds(char *name, int nfiles)
{
    int rank, round, sid;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sid = open_writer(name, nfiles, "bw", rank);
    for (round = 1; sid >= 0 && round <= ROUNDS; round++) {
        if (!write_round(sid, rank, round) || sion_parpublish_mpi(sid) != 1)
            return 1;
        if (rank == 0) {
            printf("published %d\n", round);
            fflush(stdout);
        }
    }
    return sid < 0 || close_writer(sid) != 1;
}

/* The number of the last of a task's rounds, from a first one on; -1: part of one, or wrong data.
 */
static int last_of(int sid, int task, int first)
{
    unsigned char data[(ROUNDS + 1) * LARGEST];
    sion_int64 bytes, begin = bytes_before(task, first);
    int round = first - 1;

    if (sion_seek(sid, task, 0, 0) != 1)
        return -1;
    bytes = has(":keys") ? records_read(sid, data, sizeof data)
                         : sion_stream_read(sid, data, sizeof data);
    if (bytes < 0 || check_compare(data, task, (long)begin, (size_t)bytes) != -1)
        return -1;
    while (bytes > 0 && round <= ROUNDS)
        bytes -= (sion_int64)bytes_of(task, ++round);
    return bytes == 0 ? round : -1;
}

static int open_reader(char *name, const char *generation, int *ntasks)
{
    char mode[80];
    int nfiles;
    sion_int32 fsblksize;

    snprintf(mode, sizeof mode, "br%s%s", has("checksum") ? ",checksum" : "", generation);
    return sion_open(name, mode, ntasks, &nfiles, NULL, &fsblksize, NULL, NULL);
}

/* Whether each task has all rounds from the first to the last one, and no others. */
static int has_rounds(char *name, const char *generation, int first, int last)
{
    int ntasks, task, found, is = 1, sid = open_reader(name, generation, &ntasks);

    for (task = 0; sid >= 0 && is && task < ntasks; task++) {
        found = last_of(sid, task, first);
        is = found == last;
        if (!is)
            printf("'%s': task %d has rounds %d to %d, instead of to %d\n", generation, task, first,
                   found, last);
    }
    return sid >= 0 && sion_close(sid) == 1 && is;
}

/* The number of the newest generation, or of rounds; 0: none, or there is no container. */
static int find_last(char *name)
{
    int ntasks, last = 0, sid = open_reader(name, "", &ntasks);
    sion_int64 number;

    if (sid < 0)
        return 0;
    if (has("keep"))
        last = sion_get_generation(sid, &number, NULL) == 1 ? (int)number : 0;
    else
        last = last_of(sid, 0, 1);
    sion_close(sid);
    return last;
}

static int read_rounds(char *name, int published)
{
    int last = find_last(name), before = last > 1 ? last - 1 : 1;

    printf("%d rounds, %d were published\n", last, published);
    if (last == 0)
        return published > 0;
    if (last < published || last > published + 1)
        return 1;
    if (!has("keep"))
        return !has_rounds(name, "", 1, last);
    return !has_rounds(name, "", last, last) ||
           !has_rounds(name, ",generation=all", before, last) ||
           (before < last && !has_rounds(name, ",generation=-1", before, before));
}

static int append_round(char *name, int nfiles)
{
    int rank, last = 0, sid;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        last = find_last(name);
    MPI_Bcast(&last, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("published %d\n", last + 1);
    sid = open_writer(name, nfiles, "ba", rank);
    return sid < 0 || !write_round(sid, rank, last + 1) || close_writer(sid) != 1;
}

int main(int argc, char **argv)
{
    int failed;

    if (argc < 4 || argc > 5)
        return 99;
    words = argc > 4 ? argv[4] : "";
#ifdef HAVE_CHECKSUM
    sion_checksum_use(sion_crc32);
#endif
    if (strcmp(argv[1], "read") == 0)
        return read_rounds(argv[2], atoi(argv[3]));
    MPI_Init(&argc, &argv);
    failed = strcmp(argv[1], "append") == 0 ? append_round(argv[2], atoi(argv[3]))
                                            : write_rounds(argv[2], atoi(argv[3]));
    MPI_Finalize();
    return failed;
}
