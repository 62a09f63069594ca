/* Readers that have opened all generations together go on, also where some are forgotten. */
#include "generations_mpi.h"

enum { RANKS = 4, TASKS = 2 };

/* Of every rank. */
static sion_int64 bytes_of[RANKS][MOST], stored_of[RANKS][MOST];

static void gather_models(void)
{
    sion_int64 own[MOST];
    int g;

    for (g = 0; g < MOST; g++)
        own[g] = stored(g);
    MPI_Allgather(model, MOST, MPI_INT64_T, bytes_of, MOST, MPI_INT64_T, MPI_COMM_WORLD);
    MPI_Allgather(own, MOST, MPI_INT64_T, stored_of, MOST, MPI_INT64_T, MPI_COMM_WORLD);
}

static sion_int64 sum(const sion_int64 *numbers, int first, int last)
{
    sion_int64 bytes = 0;

    for (; first <= last; first++)
        bytes += numbers[first];
    return bytes;
}

/* A reader of one task, or, mapped, of up to two, which other processes may read, too. */
static struct reader {
    int sid, is_mapped, ntasks, selected, ranks[TASKS];
    int oldest, newest;          /* generations that it sees */
    sion_int64 read[TASKS];      /* where it is in all that was ever written */
    sion_int64 forgotten[TASKS]; /* of what it has seen */
} readers[3] = {{.sid = -1}, {.sid = -1, .is_mapped = 1}, {.sid = -1, .is_mapped = 1}};

static int open_tasks(struct reader *reader, const char *mode)
{
    int *ranks = reader->ranks, nfiles = 1, *files = NULL, *lranks = NULL, sid;
    sion_int64 *chunksizes = NULL;
    sion_int32 fsblksize;

    sid = sion_paropen_mapped_mpi(NAME, mode, &nfiles, MPI_COMM_WORLD, &reader->ntasks, &ranks,
                                  &chunksizes, &files, &lranks, &fsblksize, NULL);
    free(files);
    free(lranks);
    free(chunksizes);
    return sid;
}

static void open_reader(const struct way *way, struct reader *reader)
{
    const char *mode =
        strstr(way->words, "checksum") ? "rb,checksum,generation=all" : "rb,generation=all";
    int i;

    reader->ntasks = reader == &readers[2] && mpi_size > 1 ? TASKS : 1;
    for (i = 0; i < reader->ntasks; i++) {
        reader->ranks[i] = (mpi_rank + i) % mpi_size;
        reader->read[i] = sum(bytes_of[reader->ranks[i]], 1, oldest - 1);
    }
    reader->sid = reader->is_mapped ? open_tasks(reader, mode) : open_as(way, mode);
    CHECK(reader->sid >= 0);
    reader->oldest = oldest;
    reader->newest = newest;
    reader->selected = 0;
    memset(reader->forgotten, 0, sizeof reader->forgotten);
    if (reader->is_mapped)
        CHECK_INT(sion_seek(reader->sid, reader->ranks[0], SION_CURRENT_BLK, SION_CURRENT_POS), 1);
}

static void close_reader(struct reader *reader)
{
    if (reader->sid >= 0)
        CHECK_INT(reader->is_mapped ? sion_parclose_mapped_mpi(reader->sid)
                                    : sion_parclose_mpi(reader->sid),
                  1);
    reader->sid = -1;
}

static void read_some(struct reader *reader)
{
    static unsigned char data[ROOM];
    int i = (int)check_below((size_t)reader->ntasks), rank = reader->ranks[i];
    sion_int64 left = sum(bytes_of[rank], 1, reader->newest) - reader->read[i], bytes = left;

    reader->selected = i;
    if (reader->is_mapped)
        CHECK_INT(sion_seek(reader->sid, rank, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
    if (check_below(3) == 0)
        return;
    if (!has_keys && left > 0 && check_below(3))
        bytes = (sion_int64)check_below((size_t)left);
    if (!has_keys)
        CHECK_INT(sion_stream_tell(reader->sid),
                  reader->read[i] - sum(bytes_of[rank], 1, reader->oldest - 1));
    CHECK_INT(read_bytes(reader->sid, data, has_keys ? (sion_int64)sizeof data : bytes), bytes);
    CHECK_INT(check_compare(data, rank, reader->read[i], (size_t)bytes), -1);
    reader->read[i] += bytes;
}

/* The first generation that task i has not read to its end, and never will. */
static int first_lost(const struct reader *reader, int i)
{
    const sion_int64 *bytes = bytes_of[reader->ranks[i]];
    int g = reader->oldest;

    if (i != reader->selected && reader->read[i] == sum(bytes, 1, reader->oldest - 1))
        return reader->newest + 1;
    while (g <= reader->newest && sum(bytes, 1, g) <= reader->read[i])
        g++;
    return g;
}

static void check_warning(const struct reader *reader)
{
    int lost = reader->newest + 1, i, own;
    char text[80];

    for (i = 0; i < reader->ntasks; i++) {
        own = first_lost(reader, i);
        lost = own < lost ? own : lost;
    }
    MPI_Allreduce(MPI_IN_PLACE, &lost, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    CHECK_INT(support_errors, 0);
    CHECK_INT(support_warnings, mpi_rank == 0 && lost < oldest);
    if (lost == oldest - 1)
        snprintf(text, sizeof text, "generation %d of " NAME " was forgotten", lost);
    else
        snprintf(text, sizeof text, "generations %d to %d of " NAME " were forgotten", lost,
                 oldest - 1);
    if (lost < oldest)
        check_message(text);
    support_catch();
}

static void check_query(const struct reader *reader)
{
    sion_int64 generation = -1, forgotten = -1;

    CHECK_INT(sion_get_generation(reader->sid, &generation, &forgotten), 1);
    CHECK_INT(generation, 0);
    CHECK_INT(forgotten, reader->forgotten[reader->selected]);
}

static void refresh_reader(struct reader *reader)
{
    int rank = reader->ranks[reader->selected], i;
    int kept = oldest > reader->oldest ? oldest : reader->oldest;

    support_catch();
    CHECK_INT(sion_refresh(reader->sid),
              sum(stored_of[rank], kept, newest) - sum(stored_of[rank], kept, reader->newest));
    check_warning(reader);
    for (i = 0; i < reader->ntasks; i++)
        reader->forgotten[i] += sum(stored_of[reader->ranks[i]], reader->oldest,
                                    reader->newest < oldest ? reader->newest : oldest - 1);
    check_query(reader);
    reader->oldest = oldest;
    reader->newest = newest;
    for (i = 0; i < reader->ntasks; i++) {
        sion_int64 gone = sum(bytes_of[reader->ranks[i]], 1, oldest - 1);

        if (reader->read[i] < gone)
            reader->read[i] = gone;
    }
}

static void look(const struct way *way)
{
    int i;

    gather_models();
    for (i = 0; i < 3; i++) {
        if (readers[i].sid < 0)
            open_reader(way, &readers[i]);
        else if (random_below(3) > 0)
            refresh_reader(&readers[i]);
        if (readers[i].oldest == oldest) /* what is forgotten may read as zeros */
            read_some(&readers[i]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void all_go_on_together(const struct way *way)
{
    int i;

    write_states(way, look);
    for (i = 0; i < 3; i++)
        close_reader(&readers[i]);
}

static void all_ways(void)
{
    do_all_ways(all_go_on_together);
}

int main(int argc, char **argv)
{
    mpi_begin(&argc, &argv);
    check_seed(78);
    check_random_state += (uint64_t)mpi_rank;
#ifdef HAVE_CHECKSUM
    sion_checksum_use(sion_crc32);
#endif
    RUN_MPI(all_ways);
    return mpi_end();
}
