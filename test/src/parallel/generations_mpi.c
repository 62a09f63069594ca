/* Containers that keep their last generations, by MPI. */
#include "generations_mpi.h"

/* ---- readers that go on ---- */

enum { READERS = 4 }; /* of the newest one and of one, each as a task and mapped */

static int readers[READERS], shown[READERS];
static sion_int64 have_read[READERS];

static void close_reader(int i)
{
    if (readers[i] < 0)
        return;
    CHECK_INT(i % 2 ? sion_parclose_mapped_mpi(readers[i]) : sion_parclose_mpi(readers[i]), 1);
    readers[i] = -1;
}

/* At first a part of what the generation has. */
static void read_some(int i)
{
    static unsigned char data[ROOM];
    sion_int64 left = model[shown[i]] - have_read[i],
               bytes = left > 0 && !has_keys && check_below(2)
                           ? (sion_int64)check_below((size_t)left)
                           : left;

    if (!has_keys)
        CHECK_INT(sion_stream_tell(readers[i]), have_read[i]);
    CHECK_INT(read_bytes(readers[i], data, bytes), bytes);
    CHECK_INT(check_compare(data, mpi_rank, start_of(shown[i]) + have_read[i], (size_t)bytes), -1);
    have_read[i] += bytes;
}

static void refresh_reader(const struct way *way, int i)
{
    char mode[80];
    int now = i < 2 ? newest : shown[i];
    sion_int64 number = -1;

    if (readers[i] < 0) {
        snprintf(mode, sizeof mode, i < 2 ? "rb" : "rb,generation=%d", newest);
        readers[i] = i % 2 ? open_mapped(mode) : open_as(way, mode);
        CHECK(readers[i] >= 0);
        shown[i] = newest;
        have_read[i] = 0;
        return;
    }
    support_catch();
    if (now < oldest) {
        CHECK_INT(sion_refresh(readers[i]), -1);
        check_message("has no generation");
        close_reader(i);
        return;
    }
    CHECK_INT(sion_refresh(readers[i]), now > shown[i] ? stored(now) : 0);
    CHECK_INT(support_errors + support_warnings, 0);
    if (now > shown[i])
        have_read[i] = 0;
    shown[i] = now;
    CHECK_INT(sion_get_generation(readers[i], &number, NULL), 1);
    CHECK_INT(number, now);
}

static void refresh_readers(const struct way *way)
{
    int i;

    for (i = 0; newest > 0 && i < READERS; i++) {
        if (random_below(3) > 0)
            refresh_reader(way, i);
        if (readers[i] >= 0 && shown[i] >= oldest)
            read_some(i);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void look(const struct way *way)
{
    check_readers(way);
    refresh_readers(way);
}

static void all_see_generations(const struct way *way)
{
    int i;

    for (i = 0; i < READERS; i++)
        readers[i] = -1;
    write_states(way, look);
    for (i = 0; i < READERS; i++)
        close_reader(i);
}

static void all_ways(void)
{
    do_all_ways(all_see_generations);
}

static void different_numbers_are_refused(void)
{
    const struct way way = {"", 1, 0};
    int sid;

    begin();
    keep = 3;
    sid = open_as(&way, "wb,keep=3");
    write_some(&way, sid);
    CHECK_INT(sion_parpublish_mpi(sid), 1);
    settle(0, 0);
    if (mpi_size > 1) {
        CHECK_INT(sion_forget(sid, 1 + mpi_rank), 1);
        support_catch();
        CHECK_INT(sion_parpublish_mpi(sid), 0);
        check_message("different numbers");
        support_catch();
    }
    write_some(&way, sid);
    CHECK_INT(sion_parpublish_mpi(sid), 1);
    settle(0, 0);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    check_readers(&way);
}

/* On all ranks, and what is there stays. */
static void what_has_none_is_refused(void)
{
    static const char *const words[] = {"atomic", "recover", "stage=.", "buddy", "cmerge"};
    struct way way = {"", 1, 0};
    int sid, i;

    begin();
    keep = 3;
    sid = open_as(&way, "wb,keep=3");
    write_some(&way, sid);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    settle(0, 1);
    for (i = 0; i < 4 * (int)(sizeof words / sizeof *words); i++) {
        char mode[40], reason[60];
        int n = (int)strcspn(words[i / 4], "=");

        snprintf(mode, sizeof mode, "%cb,keep=2,%s", i & 1 ? 'a' : 'w', words[i / 4]);
        snprintf(reason, sizeof reason, "a container that %s has no '%.*s'",
                 i & 1 ? "is written on (a)" : "keeps generations (keep)", n, words[i / 4]);
        way.is_mapped = (i & 2) != 0;
        support_catch();
        CHECK_INT(open_to_write(&way, mode), -1);
        CHECK(strstr(sion_error_text(), reason));
        support_catch();
    }
    check_readers(&way);
}

/* ---- a tool, which is one process ---- */

static void run_tool(const char *arguments)
{
    const char *folder = getenv("builddir");
    char command[600];

    snprintf(command, sizeof command, "%.400s/sionrm %s " NAME, folder ? folder : ".", arguments);
    if (mpi_rank == 0)
        CHECK_INT(system(command), 0);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void a_tool_forgets(void)
{
    static const struct way ways[] = {{"", 1, 0}, {SUMS, 2, 0}};
    size_t i;
    int sid, step;

    for (i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct way way = ways[i];

        way.nfiles = way.nfiles < mpi_size ? way.nfiles : mpi_size;
        begin();
        keep = 4;
        for (step = 0; step < 4; step++) {
            char mode[80];

            snprintf(mode, sizeof mode, "%s%s,keep=4", step == 0 ? "wb" : "ab", way.words);
            sid = open_as(&way, mode);
            CHECK(sid >= 0);
            write_some(&way, sid);
            CHECK_INT(sion_parpublish_mpi(sid), 1);
            settle(0, 0);
            write_some(&way, sid);
            CHECK_INT(sion_parclose_mpi(sid), 1);
            settle(0, 1);
            if (step % 2 == 0)
                continue;
            run_tool("--keep=2");
            oldest = newest - 1 > oldest ? newest - 1 : oldest;
            check_readers(&way);
        }
    }
}

/* ---- damage ---- */

/* The byte of each rank in a generation. */
static int letter(int generation, int rank)
{
    return 'A' + 4 * generation + rank;
}

static void write_letters(const struct way *way)
{
    char mode[80], data[200];
    int sid, g;

    begin();
    snprintf(mode, sizeof mode, "wb%s,keep=3", way->words);
    sid = open_as(way, mode);
    CHECK(sid >= 0);
    for (g = 1; g <= 3; g++) {
        memset(data, letter(g, mpi_rank), sizeof data);
        CHECK_INT(sion_fwrite(data, 1, sizeof data, sid), sizeof data);
        CHECK_INT(sion_parpublish_mpi(sid), 1);
    }
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

/* Of the file that has it. */
static void damage(const struct way *way, int generation, int rank)
{
    unsigned char data[200], *bytes, *found = NULL;
    int file;

    memset(data, letter(generation, rank), sizeof data);
    for (file = 0; mpi_rank == 0 && file < way->nfiles && !found; file++) {
        char path[40];
        size_t size = 0;

        snprintf(path, sizeof path, file ? NAME ".%06d" : NAME, file);
        bytes = support_load(path, &size);
        found = memmem(bytes, size, data, sizeof data);
        if (found)
            found[150] ^= 1;
        if (found)
            support_store(path, bytes, size);
        free(bytes);
    }
    CHECK(mpi_rank > 0 || found);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* META2 of the last file says 0 bytes in the last chunk that has any. */
static void lose_length(const struct way *way)
{
    static const sion_int64 expected = 200, none = 0;
    char path[40];
    unsigned char *bytes;
    size_t size = 0;
    sion_int64 tables, place, last = -1;
    int ntasks, chunks;

    snprintf(path, sizeof path, way->nfiles > 1 ? NAME ".%06d" : NAME, way->nfiles - 1);
    bytes = mpi_rank == 0 ? support_load(path, &size) : NULL;
    if (bytes) {
        memcpy(&ntasks, bytes + 24, sizeof ntasks);
        memcpy(&chunks, bytes + 1088 + 16 * ntasks - 12, sizeof chunks);
        memcpy(&tables, bytes + 1088 + 16 * ntasks - 8, sizeof tables);
        for (place = tables; place < tables + 8 * ntasks * (1 + chunks); place += 8)
            last = memcmp(bytes + place, &expected, 8) == 0 ? place : last;
        CHECK(last >= 0);
        memcpy(bytes + last, &none, sizeof none);
        support_store(path, bytes, size);
        free(bytes);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void check_letters(int sid, int generation, int rank)
{
    char data[300];
    int i;

    CHECK_INT(sion_stream_read(sid, data, sizeof data), 200);
    for (i = 0; i < 200 && data[i] == letter(generation, rank); i++)
        ;
    CHECK_INT(i, 200);
}

/* All ranks take the same one, and rank 0 says which; 0: none is sound. */
static void check_takes(const struct way *way, int expected)
{
    int i, sid;

    for (i = 0; i < 2; i++) {
        char text[40];

        support_catch();
        sid = i == 0 ? open_as(way, "rb") : open_mapped("rb");
        CHECK_INT(sid >= 0, expected > 0);
        CHECK_INT(support_warnings, mpi_rank == 0 && expected > 0 && expected < 3);
        snprintf(text, sizeof text, "generation %d is read instead", expected);
        if (expected == 0)
            check_message("no generation is sound");
        else if (expected < 3)
            check_message(text);
        if (sid >= 0)
            check_letters(sid, expected, mpi_rank);
        if (sid >= 0)
            CHECK_INT(i == 0 ? sion_parclose_mpi(sid) : sion_parclose_mapped_mpi(sid), 1);
    }
    support_catch();
    MPI_Barrier(MPI_COMM_WORLD);
    if (mpi_rank == 0 && expected > 0) {
        int ntasks, nfiles;
        sion_int32 fsblksize;

        sid = sion_open(NAME, "rb", &ntasks, &nfiles, NULL, &fsblksize, NULL, NULL);
        CHECK(sid >= 0);
        for (i = 0; i < ntasks; i++) {
            CHECK_INT(sion_seek(sid, i, 0, 0), 1);
            check_letters(sid, expected, i);
        }
        CHECK_INT(sion_close(sid), 1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    support_catch();
}

/* A newer one, after an open that has gone back. */
static void check_goes_on(const struct way *way, int shown_now)
{
    char mode[80], data[200];
    int sids[3] = {open_as(way, "rb"), open_mapped("rb"), -1}, i, sid, rank = mpi_rank, ntasks,
        nfiles;
    sion_int32 fsblksize;

    if (mpi_rank == 0)
        sids[2] = sion_open(NAME, "rb", &ntasks, &nfiles, NULL, &fsblksize, NULL, NULL);
    for (i = 0; i < 2; i++)
        check_letters(sids[i], shown_now, rank);
    snprintf(mode, sizeof mode, "ab%s", way->words);
    sid = open_as(way, mode);
    memset(data, letter(4, mpi_rank), sizeof data);
    CHECK_INT(sion_fwrite(data, 1, sizeof data, sid), sizeof data);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    for (i = 0; i < (mpi_rank == 0 ? 3 : 2); i++) {
        CHECK_INT(sion_refresh(sids[i]), 200);
        check_letters(sids[i], 4, rank);
    }
    if (mpi_rank == 0)
        CHECK_INT(sion_close(sids[2]), 1);
    CHECK_INT(sion_parclose_mpi(sids[0]), 1);
    CHECK_INT(sion_parclose_mapped_mpi(sids[1]), 1);
    support_catch();
}

/* Task t of a container of two for each process: its letters in a generation. */
static void write_two(const char *mode, int first, int last)
{
    int mine[2] = {mpi_rank, 2 * mpi_size - 1 - mpi_rank}, *ranks = mine, two = 2,
        nfiles = mpi_size > 1 ? 2 : 1, file[2] = {mine[0] % nfiles, mine[1] % nfiles},
        *files = file, place[2] = {mine[0] / nfiles, mine[1] / nfiles}, *places = place, sid, g, i;
    sion_int64 size[2] = {300, 250}, *sizes = size;
    sion_int32 fsblksize = 512;
    char data[200];

    sid = sion_paropen_mapped_mpi(NAME, mode, &nfiles, MPI_COMM_WORLD, &two, &ranks, &sizes, &files,
                                  &places, &fsblksize, NULL);
    CHECK(sid >= 0);
    for (g = first; g <= last; g++) {
        for (i = 0; i < 4; i++) {
            memset(data, letter(g, mine[i % 2]), sizeof data);
            CHECK_INT(sion_seek(sid, mine[i % 2], SION_CURRENT_BLK, SION_CURRENT_POS), 1);
            CHECK_INT(sion_fwrite(data, 1, 100, sid), 100);
        }
        if (g < last)
            CHECK_INT(sion_parpublish_mpi(sid), 1);
    }
    CHECK_INT(sion_parclose_mapped_mpi(sid), 1);
}

static void check_two(const char *mode, int expected)
{
    int t, ntasks, nfiles, sid;
    sion_int32 fsblksize;

    MPI_Barrier(MPI_COMM_WORLD);
    sid = sion_open(NAME, mode, &ntasks, &nfiles, NULL, &fsblksize, NULL, NULL);
    CHECK(sid >= 0 && ntasks == 2 * mpi_size);
    for (t = 0; sid >= 0 && t < ntasks; t++) {
        CHECK_INT(sion_seek(sid, t, 0, 0), 1);
        check_letters(sid, expected, t);
    }
    CHECK_INT(sion_close(sid), 1);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Processes with several tasks; a container that had no generations gets some. */
static void mapped_opens_with_several_tasks(void)
{
    begin();
    write_two("wb,keep=3" SUMS, 1, 3);
    check_two("rb", 3);
    check_two("rb,generation=-2", 1);
    write_two("ab", 4, 5);
    check_two("rb", 5);
    check_two("rb,generation=3", 3);
    begin();
    write_two("wb", 1, 1);
    write_two("ab,keep=2", 2, 3);
    check_two("rb", 3);
    check_two("rb,generation=2", 2);
}

static void all_go_back_together(void)
{
    int n;

    if (SUMS[0] == '\0') {
        SKIP("no function for checksums");
        return;
    }
    for (n = 2; n >= 1; n--) {
        const struct way way = {SUMS, n < mpi_size ? n : mpi_size, 0};

        write_letters(&way);
        check_takes(&way, 3);
        damage(&way, 3, mpi_size - 1);
        check_takes(&way, 2);
        if (n == 2) {
            check_goes_on(&way, 2);
            continue;
        }
        damage(&way, 2, 0);
        check_takes(&way, 1);
        damage(&way, 1, mpi_size / 2);
        check_takes(&way, 0);
    }
}

static void all_miss_lengths(void)
{
    int n;

    for (n = 2; n >= 1; n--) {
        const struct way way = {"", n < mpi_size ? n : mpi_size, 0};

        write_letters(&way);
        lose_length(&way);
        check_takes(&way, 2);
    }
}

int main(int argc, char **argv)
{
    mpi_begin(&argc, &argv);
    check_seed(77);
    check_random_state += (uint64_t)mpi_rank;
#ifdef HAVE_CHECKSUM
    sion_checksum_use(sion_crc32);
#endif
    RUN_MPI(all_ways);
    RUN_MPI(a_tool_forgets);
    RUN_MPI(mapped_opens_with_several_tasks);
    RUN_MPI(all_go_back_together);
    RUN_MPI(all_miss_lengths);
    RUN_MPI(different_numbers_are_refused);
    RUN_MPI(what_has_none_is_refused);
    return mpi_end();
}
