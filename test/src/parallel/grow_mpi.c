/* Containers that grow, by MPI: published while they are written, and written on later. */
#include <unistd.h>

#include "comm/comm.h"
#include "file/growth.h"
#include "mpi_check.h"

#ifdef HAVE_CHECKSUM
#include "sion_checksum.h"
#endif

#define NAME "grow.sion"

enum { MOST = 40000 };

/* Of this rank: what it has written, and what readers should see of it. */
static sion_int64 written, published;

/* How a container is written. */
struct way {
    const char *words; /* of the mode */
    int nfiles;        /* -1: as many as ranks want */
    int mapped, reversed;
};

static MPI_Comm reversed_comm;

static const char *sums = ""; /* what all modes have, too */

static const char *to_read(void)
{
    return *sums ? "r,checksum" : "r";
}

static int open_by(const struct way *way, char access)
{
    char mode[80];
    sion_int64 chunksize = 300 + 200 * mpi_rank;
    sion_int32 fsblksize = 512;
    int nfiles = way->nfiles, rank = mpi_rank, one = 1;
    MPI_Comm local = way->reversed ? reversed_comm : MPI_COMM_WORLD;

    if (way->reversed)
        nfiles = -1;
    snprintf(mode, sizeof mode, "%c%s%s", access, way->words, sums);
    if (!way->mapped)
        return sion_paropen_mpi(NAME, mode, &nfiles, MPI_COMM_WORLD, &local, &chunksize, &fsblksize,
                                &rank, NULL, NULL);
    {
        int ranks[1] = {mpi_rank}, files[1] = {mpi_rank % nfiles}, lranks[1] = {mpi_rank / nfiles},
            *pranks = ranks, *pfiles = files, *plranks = lranks;
        sion_int64 *psizes = &chunksize;

        return sion_paropen_mapped_mpi(NAME, mode, &nfiles, MPI_COMM_WORLD, &one, &pranks, &psizes,
                                       &pfiles, &plranks, &fsblksize, NULL);
    }
}

static int close_by(const struct way *way, int sid)
{
    return way->mapped ? sion_parclose_mapped_mpi(sid) : sion_parclose_mpi(sid);
}

static void write_some(const struct way *way, int sid, size_t bytes)
{
    unsigned char data[300];

    check_fill(data, mpi_rank, written, bytes);
    if (strstr(way->words, "collective"))
        CHECK_INT(sion_coll_fwrite_mpi(data, 1, bytes, sid), bytes);
    else
        CHECK_INT(sion_fwrite(data, 1, bytes, sid), bytes);
    written += (sion_int64)bytes;
}

/* ---- readers ---- */

static size_t common_below(size_t limit)
{
    return check_below(limit); /* all ranks have the same seed */
}

static sion_int64 read_stream(int sid, int rank)
{
    static unsigned char data[MOST + 1];
    sion_int64 bytes = sion_stream_read(sid, data, sizeof data);

    CHECK(bytes >= 0);
    CHECK_INT(check_compare(data, rank, 0, bytes > 0 ? (size_t)bytes : 0), -1);
    return bytes;
}

static void read_together(void)
{
    sion_int64 chunksize;
    sion_int32 fsblksize;
    int nfiles, rank = mpi_rank, sid;
    MPI_Comm local = MPI_COMM_WORLD;

    sid = sion_paropen_mpi(NAME, to_read(), &nfiles, MPI_COMM_WORLD, &local, &chunksize, &fsblksize,
                           &rank, NULL, NULL);
    CHECK(sid >= 0);
    CHECK_INT(read_stream(sid, mpi_rank), published);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

/* Rank 0 alone; *sid: of a reader that goes on from state to state, or -1 before the first one. */
static void read_alone(int *sid)
{
    sion_int64 *all = malloc((size_t)mpi_size * sizeof *all);
    int ntasks, nfiles, rank;
    sion_int32 fsblksize;

    MPI_Gather(&published, 1, MPI_LONG_LONG, all, 1, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
    if (mpi_rank == 0 && *sid >= 0) {
        CHECK(sion_refresh(*sid) >= 0);
    } else if (mpi_rank == 0) {
        *sid = sion_open(NAME, to_read(), &ntasks, &nfiles, NULL, &fsblksize, NULL, NULL);
        CHECK(*sid >= 0);
        CHECK_INT(ntasks, mpi_size);
    }
    for (rank = 0; mpi_rank == 0 && rank < mpi_size; rank++) {
        CHECK_INT(sion_seek(*sid, rank, 0, 0), 1);
        CHECK_INT(read_stream(*sid, rank), all[rank]);
    }
    free(all);
}

/* Every rank its own task; likewise. */
static void read_rank_alone(int *sid)
{
    int rank = mpi_rank;
    sion_int64 chunksize;
    sion_int32 fsblksize;

    if (*sid >= 0)
        CHECK(sion_refresh(*sid) >= 0);
    else
        *sid = sion_open_rank(NAME, to_read(), &chunksize, &fsblksize, &rank, NULL);
    CHECK(*sid >= 0);
    CHECK_INT(sion_seek(*sid, SION_CURRENT_RANK, 0, 0), 1);
    CHECK_INT(read_stream(*sid, mpi_rank), published);
}

static void check_message(const char *reason)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (mpi_rank == 0)
        CHECK_CONTAINS(support_message, reason);
    support_catch();
}

/* Readers that stay open, where they are wanted. */
static int follower = -1, rank_follower = -1, follows;

/* All ranks together, who keep their readers open: each has one task, or a list with one. */
static int shared = -1, mapped_reader = -1;
static sion_int64 seen, shared_at;

static int open_shared(int by_list)
{
    sion_int64 chunksize, *psizes = NULL;
    sion_int32 fsblksize;
    int nfiles, rank = mpi_rank, one = 1, ranks[1] = {mpi_rank}, *pranks = ranks, *none = NULL;
    MPI_Comm local = MPI_COMM_WORLD;

    return by_list ? sion_paropen_mapped_mpi(NAME, to_read(), &nfiles, MPI_COMM_WORLD, &one,
                                             &pranks, &psizes, &none, &none, &fsblksize, NULL)
                   : sion_paropen_mpi(NAME, to_read(), &nfiles, MPI_COMM_WORLD, &local, &chunksize,
                                      &fsblksize, &rank, NULL, NULL);
}

/* What has come since the last time is behind what was read then. */
static void read_on(int sid, sion_int64 from)
{
    static unsigned char data[MOST + 1];
    sion_int64 bytes = 0;

    while (!sion_feof(sid)) {
        size_t part = (size_t)sion_bytes_avail_in_block(sid);

        CHECK_INT(sion_fread(data + bytes, 1, part, sid), part);
        bytes += (sion_int64)part;
    }
    CHECK_INT(from + bytes, published);
    CHECK_INT(check_compare(data, mpi_rank, from, (size_t)bytes), -1);
}

static void refresh_together(void)
{
    if (shared < 0) {
        shared = open_shared(0);
        mapped_reader = open_shared(1);
        CHECK_SAME(shared >= 0 && mapped_reader >= 0);
        seen = published;
        shared_at = 0;
    } else {
        CHECK_INT(sion_refresh(shared), published - seen);
        CHECK_INT(sion_refresh(mapped_reader), published - seen);
        CHECK_INT(sion_refresh(shared), 0);
        seen = published;
    }
    read_on(shared, shared_at);
    shared_at = published;
    CHECK_INT(sion_seek(mapped_reader, SION_CURRENT_RANK, 0, 0), 1);
    CHECK_INT(read_stream(mapped_reader, mpi_rank), published);
}

static void close_shared(void)
{
    CHECK_INT(sion_parclose_mpi(shared), 1);
    CHECK_INT(sion_parclose_mapped_mpi(mapped_reader), 1);
    shared = mapped_reader = -1;
}

static void close_reader(int *sid)
{
    if (*sid >= 0)
        CHECK_INT(sion_close(*sid), 1);
    *sid = -1;
}

static void check_readers(const struct way *way)
{
    MPI_Barrier(MPI_COMM_WORLD);
    read_together();
    if (follows && common_below(2))
        refresh_together();
    if (!way->reversed) {
        int once = -1, rank_once = -1;

        read_alone(&once);
        if (follows)
            read_alone(&follower);
        read_rank_alone(&rank_once);
        if (follows)
            read_rank_alone(&rank_follower);
        close_reader(&once);
        close_reader(&rank_once);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- writers ---- */

static void one_step(const struct way *way, int *sid)
{
    size_t bytes = (common_below(250) + 31 * (size_t)mpi_rank) % 250 + 1;

    switch (common_below(8)) {
    case 0:
        CHECK_INT(sion_parpublish_mpi(*sid), 1);
        published = written;
        break;
    case 1:
        CHECK_INT(close_by(way, *sid), 1);
        published = written;
        *sid = open_by(way, 'a');
        CHECK(*sid >= 0);
        break;
    case 2: /* only some ranks write */
        if (!strstr(way->words, "collective") && mpi_rank % 2 == 0 && written < MOST - 300)
            write_some(way, *sid, bytes);
        break;
    default:
        if (written < MOST - 300)
            write_some(way, *sid, bytes);
    }
}

/* Of the container and its readers. */
static void end_all(const struct way *way, int sid)
{
    CHECK_INT(close_by(way, sid), 1);
    published = written;
    check_readers(way);
    close_reader(&follower);
    close_reader(&rank_follower);
    refresh_together();
    close_shared();
    follows = 0;
    CHECK_INT(support_errors, 0);
}

static void write_in_steps(const struct way *way)
{
    int steps = 40, i, sid;

    written = published = 0;
    follows = 1;
    if (mpi_rank == 0)
        unlink(NAME);
    MPI_Barrier(MPI_COMM_WORLD);
    sid = open_by(way, check_below(2) ? 'a' : 'w');
    CHECK_SAME(sid >= 0);
    CHECK_INT(sion_parpublish_mpi(sid), 1);
    for (i = 0; i < steps && sid >= 0; i++) {
        one_step(way, &sid);
        if (i % 3 == 0)
            check_readers(way);
    }
    end_all(way, sid);
}

static void by_one_file(void)
{
    write_in_steps(&(struct way){"", 1, 0, 0});
    write_in_steps(&(struct way){",posix,sync=close", 1, 0, 0});
}

static void by_a_set(void)
{
    write_in_steps(&(struct way){"", mpi_size > 2 ? 2 : mpi_size, 0, 0});
    write_in_steps(&(struct way){"", mpi_size, 0, 0});
}

static void by_ranks_in_another_order(void)
{
    write_in_steps(&(struct way){"", -1, 0, 1});
}

static void copy_file(const char *from, const char *to)
{
    if (mpi_rank == 0)
        support_copy(from, to);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* As after a kill between the switches of its files: file 0 comes last, so its state is that of
 * all. */
static void a_set_has_one_state(void)
{
    const struct way way = {"", mpi_size, 0, 0};
    int round, sid = open_by(&way, 'w');

    written = published = 0;
    if (mpi_size == 1) {
        CHECK_INT(sion_parclose_mpi(sid), 1);
        return;
    }
    for (round = 0; round < 3; round++) {
        write_some(&way, sid, 290);
        CHECK_INT(sion_parpublish_mpi(sid), 1);
        published = written;
        copy_file(NAME, "old.sion");
        write_some(&way, sid, 250);
        write_some(&way, sid, 290);
        CHECK_INT(sion_parclose_mpi(sid), 1);
        MPI_Barrier(MPI_COMM_WORLD);
        copy_file("old.sion", NAME);
        check_readers(&way);
        written = published;
        sid = open_by(&way, 'a');
        CHECK_SAME(sid >= 0);
        write_some(&way, sid, 270);
        check_readers(&way);
    }
    CHECK_INT(sion_parclose_mpi(sid), 1);
    published = written;
    check_readers(&way);
    CHECK_INT(support_errors, 0);
}

/* In an open that reads a set: states that are published between the reads of its files. */
static int overtaking, overtaken_by;

static void overtake(void)
{
    static const struct way way = {"", 0, 0, 0};

    for (; overtaken_by > 0; overtaken_by--) {
        write_some(&way, overtaking, 20);
        CHECK_INT(sion_parpublish_mpi(overtaking), 1);
        published = written;
    }
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *part)
{
    overtake();
    return PMPI_Comm_split(comm, color, key, part);
}

static void an_open_that_is_overtaken_begins_again(void)
{
    const struct way way = {"", mpi_size, 0, 0};
    int times;

    written = published = 0;
    overtaking = open_by(&way, 'w');
    write_some(&way, overtaking, 100);
    CHECK_INT(sion_parpublish_mpi(overtaking), 1);
    published = written;
    for (times = 2; times < 5; times++) {
        overtaken_by = mpi_size > 1 ? times : 0;
        read_together();
        CHECK_INT(overtaken_by, 0);
    }
    CHECK_INT(sion_parclose_mpi(overtaking), 1);
    CHECK_INT(support_errors, 0);
}

/* All ranks fail, and one says why; the readers stay as they are. */
static void another_container_is_not_gone_on_with(void)
{
    static const struct way way = {"", 1, 0, 0};
    int sid = open_by(&way, 'w');

    written = 0;
    write_some(&way, sid, 200);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    published = written;
    refresh_together();
    if (mpi_rank == 0)
        rename(NAME, "older.sion");
    MPI_Barrier(MPI_COMM_WORLD);
    sid = open_by(&way, 'w');
    CHECK_INT(sion_parclose_mpi(sid), 1);
    CHECK_INT(sion_refresh(shared), -1);
    check_message("is not the container any more that was opened");
    CHECK_INT(sion_refresh(mapped_reader), -1);
    check_message("is not the container any more that was opened");
    CHECK_INT(sion_seek(shared, SION_CURRENT_RANK, 0, 0), 1);
    CHECK_INT(read_stream(shared, mpi_rank), published);
    CHECK_INT(sion_seek(mapped_reader, SION_CURRENT_RANK, 0, 0), 1);
    CHECK_INT(read_stream(mapped_reader, mpi_rank), published);
    close_shared();
}

static void collectively(void)
{
    write_in_steps(&(struct way){",collective", 1, 0, 0});
    write_in_steps(&(struct way){",collective,collsize=2", 1, 0, 0});
}

static void mapped(void)
{
    write_in_steps(&(struct way){"", 1, 1, 0});
    if (mpi_size % 2 == 0)
        write_in_steps(&(struct way){"", 2, 1, 0});
}

static void compressed(void)
{
#ifndef HAVE_ZSTD
    SKIP("no zstd");
#else
    write_in_steps(&(struct way){",compress=zstd", 1, 0, 0});
    write_in_steps(&(struct way){",compress=zstd", mpi_size, 0, 0});
    write_in_steps(&(struct way){",compress=zstd", 1, 1, 0});
#endif
}

static void a_publish_without_news_writes_nothing(void)
{
    static const struct way way = {"", 1, 0, 0};
    struct stat before, after;
    int sid = open_by(&way, 'w');

    written = 0;
    write_some(&way, sid, 100);
    CHECK_INT(sion_parpublish_mpi(sid), 1);
    CHECK_INT(stat(NAME, &before), 0);
    CHECK_INT(sion_parpublish_mpi(sid), 1);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_INT(stat(NAME, &after), 0);
    CHECK_INT(before.st_size, after.st_size);
    MPI_Barrier(MPI_COMM_WORLD);
    if (mpi_rank == mpi_size - 1)
        write_some(&way, sid, 1);
    CHECK_INT(sion_parpublish_mpi(sid), 1);
    CHECK_INT(stat(NAME, &after), 0);
    CHECK(after.st_size > before.st_size);
    published = written;
    check_readers(&way);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

/* ---- what is refused, on all ranks ---- */

static void refused(const struct way *way, const char *reason)
{
    CHECK_INT(open_by(way, 'a'), -1);
    check_message(reason);
}

static void write_alone(int ntasks, const char *mode)
{
    int nfiles = 1, ranks[64], *pranks = ranks, i, sid;
    sion_int64 sizes[64], *psizes = sizes;
    sion_int32 fsblksize = 512;

    for (i = 0; i < ntasks; i++) {
        ranks[i] = 1000 - 7 * i;
        sizes[i] = 500;
    }
    if (mpi_rank == 0) {
        sid = sion_open(NAME, mode, &ntasks, &nfiles, &psizes, &fsblksize, &pranks, NULL);
        CHECK_INT(sion_close(sid), 1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void other_containers_are_refused(void)
{
    static const struct way way = {"", 1, 0, 0}, atomic = {",atomic", 1, 0, 0},
                            by_map = {"", 1, 1, 0}, keys = {",keyval", 1, 0, 0};

    write_alone(mpi_size + 1, "w");
    refused(&way, "tasks, and cannot be written on by");
    refused(&by_map, "tasks, and cannot be written on by");
    write_alone(mpi_size, "w,recover");
    refused(&way, "it has commit records");
    write_alone(mpi_size, "w");
    refused(&keys, "key-value mode");
    CHECK_INT(open_by(&atomic, 'a'), -1);
    check_message("has no 'atomic'");
    if (mpi_rank == 0)
        CHECK_INT(truncate(NAME, 1076 + 16 * mpi_size), 0);
    MPI_Barrier(MPI_COMM_WORLD);
    refused(&way, "never closed");
}

static void write_and_close(const struct way *way)
{
    int sid = open_by(way, 'w');

    written = 0;
    write_some(way, sid, 100);
    CHECK_INT(close_by(way, sid), 1);
}

static void merged_streams_and_parts_of_sets_are_refused(void)
{
    static const struct way merged = {",collective,cmerge", 1, 0, 0}, plain = {"", 1, 0, 0};
    static const struct way set = {"", 2, 0, 0}, mapped_set = {"", 2, 1, 0};

    if (mpi_size == 1)
        return;
    write_and_close(&merged);
    refused(&plain, "it has merged streams");
    write_and_close(&set);
    MPI_Barrier(MPI_COMM_WORLD);
    if (mpi_rank == 0)
        CHECK_INT(unlink(NAME ".000001"), 0);
    MPI_Barrier(MPI_COMM_WORLD);
    refused(&set, NAME ".000001");
    refused(&mapped_set, NAME ".000001");
}

/* A serial writer may have given the tasks any ranks: rank i goes on with task i, as it reads it.
 */
static void a_serial_container_is_written_on(void)
{
    static const struct way way = {"", 1, 0, 0};
    int i, sid;

    write_alone(mpi_size, "w");
    for (i = 0, written = 0; i < 3; i++) {
        sid = open_by(&way, 'a');
        CHECK_SAME(sid >= 0);
        write_some(&way, sid, 200 + (size_t)mpi_rank);
        CHECK_INT(sion_parpublish_mpi(sid), 1);
        write_some(&way, sid, 250);
        CHECK_INT(sion_parclose_mpi(sid), 1);
        published = written;
        check_readers(&way);
    }
}

static void what_cannot_be_published_says_why(void)
{
    static const struct {
        struct way way;
        const char *reason;
    } table[] = {{{",recover", 1, 0, 0}, "commit records"},
                 {{",atomic", 1, 0, 0}, "gets its name at the close"},
                 {{",collective,cmerge", 1, 0, 0}, "merged"}};
    size_t i;
    int sid;

    for (i = 0; i < sizeof table / sizeof *table; i++) {
        if (strstr(table[i].way.words, "cmerge") && mpi_size == 1)
            continue;
        sid = open_by(&table[i].way, 'w');
        CHECK_INT(sion_parpublish_mpi(sid), 0);
        check_message(table[i].reason);
        CHECK_INT(sion_parclose_mpi(sid), 1);
    }
    sid = open_by(&table[0].way, 'r');
    CHECK_INT(sion_parpublish_mpi(sid), 0);
    check_message("open for reading");
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

static void a_published_container_cannot_start_over(void)
{
    static const struct way way = {"", 1, 0, 0};
    int sid = open_by(&way, 'w');

    written = 0;
    write_some(&way, sid, 100);
    CHECK_INT(sion_parpublish_mpi(sid), 1);
    CHECK_INT(sion_parreinit_mpi(sid, 1000), 0);
    check_message("cannot start over");
    CHECK_INT(sion_parclose_mpi(sid), 1);
    published = written;
    check_readers(&way);
}

/* Half a chunk of each rank at a time, so that all have as many chunks; then only some go on. */
static void write_evenly(const struct way *way)
{
    int half = mpi_rank < 2 ? 1 : 2, step, i, sid;

    written = published = 0;
    follows = 1;
    if (mpi_rank == 0)
        unlink(NAME);
    MPI_Barrier(MPI_COMM_WORLD);
    sid = open_by(way, 'w');
    CHECK_SAME(sid >= 0);
    for (step = 0; step < 14; step++) {
        for (i = 0; i < half && (step < 9 || mpi_rank % 2 == 0); i++)
            write_some(way, sid, 256 - (size_t)(step < 2));
        if (step % 5 == 3)
            continue;
        CHECK_INT(sion_parpublish_mpi(sid), 1);
        published = written;
        check_readers(way);
    }
    end_all(way, sid);
}

static void evenly(void)
{
    static const struct way ways[] = {{"", 1, 0, 0}, {"", 2, 0, 0}, {"", 1, 1, 0}};
    int i;

    scion_large_from = scion_even_from = 1;
    for (i = 0; i < 3; i++) {
        if (ways[i].nfiles <= mpi_size)
            write_evenly(&ways[i]);
    }
    scion_large_from = scion_even_from = 1 << 19;
}

/* Rank 0 holds little of each of so many. */
static void as_many_tasks(void)
{
    scion_large_from = scion_even_from = 1;
    by_one_file();
    by_a_set();
    by_ranks_in_another_order();
    scion_large_from = scion_even_from = 1 << 19;
}

int main(int argc, char **argv)
{
    mpi_begin(&argc, &argv);
    check_seed(3);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -mpi_rank, &reversed_comm);
    RUN_MPI(by_one_file);
    RUN_MPI(by_a_set);
    RUN_MPI(by_ranks_in_another_order);
    RUN_MPI(a_set_has_one_state);
    RUN_MPI(an_open_that_is_overtaken_begins_again);
    RUN_MPI(another_container_is_not_gone_on_with);
    RUN_MPI(collectively);
    RUN_MPI(mapped);
    RUN_MPI(compressed);
    RUN_MPI(a_publish_without_news_writes_nothing);
    RUN_MPI(other_containers_are_refused);
    RUN_MPI(merged_streams_and_parts_of_sets_are_refused);
    RUN_MPI(a_serial_container_is_written_on);
    RUN_MPI(what_cannot_be_published_says_why);
    RUN_MPI(a_published_container_cannot_start_over);
    RUN_MPI(as_many_tasks);
    RUN_MPI(evenly);
#ifdef HAVE_CHECKSUM
    sion_checksum_use(sion_crc32);
    sums = ",checksum";
    RUN_MPI(by_one_file);
    RUN_MPI(by_a_set);
    RUN_MPI(by_ranks_in_another_order);
    RUN_MPI(an_open_that_is_overtaken_begins_again);
    RUN_MPI(collectively);
    RUN_MPI(mapped);
    RUN_MPI(compressed);
    RUN_MPI(a_serial_container_is_written_on);
    RUN_MPI(as_many_tasks);
#endif
    MPI_Comm_free(&reversed_comm);
    return mpi_end();
}
