/*
 * Sets of files of so many tasks that neither rank 0 nor the first task of a file should hold much
 * of each of them: the files are those of few tasks, whatever way the tasks are dealt to them.
 */

#include <sys/stat.h>
#include <unistd.h>

#include "alike_mpi.h"
#include "base/error.h"

#define FEW  "few.sion"
#define MANY "many.sion"

enum { FILES = 2 };

/* What is written. */
static struct {
    const char *mode;
    int nfiles; /* that the program asks for; 0: by communicator */
    MPI_Comm local;
    int uneven, chunks, publishes, restarts;
    sion_int64 least;           /* chunk size */
    int more;                   /* collectives that many tasks may need, besides one; */
    int to_write;               /* in place of both, to write; -1: the same */
    int opens, gathers, closes; /* collectives that the last of these took */
} how = {.mode = "bw", .nfiles = FILES, .chunks = 1, .least = 100, .to_write = -1};

static int open_set(const char *name, const char *mode)
{
    MPI_Comm local = how.nfiles > 0 ? MPI_COMM_NULL : how.local;
    sion_int64 chunksize = how.least + (how.uneven ? 30 * mpi_rank : 0);
    sion_int32 fsblksize = 64;
    int nfiles = how.nfiles, rank = mpi_rank, sid;

    gathers = others = 0;
    sid = sion_paropen_mpi(name, mode, &nfiles, MPI_COMM_WORLD, &local, &chunksize, &fsblksize,
                           &rank, NULL, NULL);
    how.opens = gathers + others;
    how.gathers = gathers;
    return sid;
}

static sion_int64 size_of(int rank)
{
    return 60 * how.chunks + (how.uneven ? rank : 0);
}

/* Each task writes its bytes; returns 1 if all succeeded. */
static int write_set(const char *name)
{
    unsigned char data[1000];
    sion_int64 bytes = size_of(mpi_rank), first = how.publishes ? 20 + mpi_rank : 0;
    int sid = open_set(name, how.mode), rc;

    check_fill(data, mpi_rank, 0, sizeof data);
    if (how.restarts && (sion_stream_write(sid, data, 100) != 100 ||
                         sion_parreinit_mpi(sid, 100 + mpi_rank) != SION_SUCCESS))
        return 0;
    if (sid < 0 || sion_stream_write(sid, data, first) != first ||
        (how.publishes && sion_parpublish_mpi(sid) != SION_SUCCESS) ||
        sion_stream_write(sid, data + first, bytes - first) != bytes - first)
        return 0;
    gathers = others = 0;
    rc = sion_parclose_mpi(sid);
    how.closes = gathers + others;
    return rc == SION_SUCCESS;
}

/* Collectives of the last open for reading, and those of them in which rank 0 has all numbers. */
static int read_opens, read_gathers;

static int read_back(const char *name)
{
    unsigned char data[1000], wanted[1000];
    int sid = open_set(name, "br");
    sion_int64 bytes = size_of(mpi_rank);
    int is_good;

    read_opens = how.opens;
    read_gathers = how.gathers;
    check_fill(wanted, mpi_rank, 0, sizeof wanted);
    if (sid < 0)
        return 0;
    is_good = sion_stream_read(sid, data, sizeof data) == bytes &&
              memcmp(data, wanted, (size_t)bytes) == 0;
    return sion_parclose_mpi(sid) == SION_SUCCESS && is_good;
}

static size_t read_whole(const char *base, int number, unsigned char *to, size_t size)
{
    char name[64];
    FILE *file;
    size_t n;

    snprintf(name, sizeof name, number > 0 ? "%s.%06d" : "%s", base, number);
    file = fopen(name, "rb");
    n = file ? fread(to, 1, size, file) : 0;
    if (file)
        fclose(file);
    return n;
}

/* Two files but for the name and, where there is one, the nonce in the header, which the last
   checksum is of, too. */
static int is_same(int number, int has_nonce)
{
    static unsigned char few[1 << 16], many[1 << 16];
    size_t n = read_whole(FEW, number, few, sizeof few);
    size_t m = read_whole(MANY, number, many, sizeof many);
    size_t begin = has_nonce ? 44 : 52;

    return n == m &&
           (has_nonce || n == 0 ||
            (memcmp(few, many, begin) == 0 && memcmp(few + 1076, many + 1076, n - 1076) == 0));
}

/* Writes as few tasks do, and as many; and reads it as both. */
static void write_both(int has_nonce)
{
    int number, few, opens;

    scion_large_from = 1 << 19;
    support_catch();
    CHECK(write_set(FEW));
    if (support_errors)
        printf("# %s\n", support_message);
    few = how.opens + how.closes;
    scion_large_from = 1;
    CHECK(write_set(MANY));
    printf("# rank %d: %s: %d collectives; as many: %d and %d\n", mpi_rank, how.mode, few,
           how.opens, how.closes);
    /* All opens of many have one more. */
    CHECK(how.opens + how.closes <= few + (how.to_write >= 0 ? how.to_write : 1 + how.more));
    CHECK(read_back(MANY));
    CHECK(how.publishes || how.more == 3 || strcmp(how.mode, "bw") != 0 ||
          read_gathers <= 2 * how.more);
    CHECK(read_back(FEW));
    opens = read_opens;
    scion_large_from = 1 << 19;
    CHECK(read_back(MANY));
    printf("# rank %d: %d collectives to read; as many: %d\n", mpi_rank, read_opens, opens);
    CHECK(how.publishes || opens <= read_opens +
                                        (how.more == 3  ? 3
                                         : how.more > 0 ? 2
                                                        : 0) +
                                        (how.nfiles == 1));
    MPI_Barrier(MPI_COMM_WORLD);
    for (number = 0; mpi_rank == 0 && number < mpi_size; number++)
        CHECK(is_same(number, has_nonce));
    MPI_Barrier(MPI_COMM_WORLD);
    if (mpi_rank == 0)
        CHECK_INT(read_whole(MANY, 0, (unsigned char[2000]){0}, 2000) > 1076, 1);
}

static void write_all_ways(int has_nonce)
{
    for (how.uneven = 0; how.uneven < 2; how.uneven++) {
        how.chunks = 1;
        write_both(has_nonce);
        how.chunks = 5;
        write_both(has_nonce);
    }
    how.uneven = 0;
    how.chunks = 1;
}

static void files_of_equal_shares(void)
{
    how.nfiles = mpi_size > 1 ? FILES : 1;
    write_all_ways(0);
    how.nfiles = mpi_size;
    write_all_ways(0);
    how.nfiles = FILES;
}

static void as_many_as_the_mode_says(void)
{
    how.nfiles = 1;
    how.mode = mpi_size > 2 ? "bw,files=3" : "bw,files=1";
    write_all_ways(0);
    how.mode = "bw,files=writers";
    write_all_ways(0);
    how.mode = "bw,files=auto";
    write_all_ways(0);
    how.least = 3 << 18; /* fewer files than tasks */
    write_all_ways(0);
    how.least = 100;
    how.mode = "bw";
    how.nfiles = FILES;
}

/* Tasks of a node are in a row, in turn, from the last one, all on one, and none with another; or
   the communicator finds them. */
static void a_file_for_each_node(void)
{
    const int dealt[] = {mpi_rank / 2, mpi_rank % 2, (mpi_size - 1 - mpi_rank) / 2, 0, mpi_rank};
    char name[16];
    size_t i;

    how.nfiles = 1;
    how.mode = "bw,files=node";
    for (i = 0; i <= sizeof dealt / sizeof *dealt; i++) {
        snprintf(name, sizeof name, "n%d", i < sizeof dealt / sizeof *dealt ? dealt[i] : 0);
        setenv("SION_NODE", name, 1);
        if (i == sizeof dealt / sizeof *dealt)
            unsetenv("SION_NODE");
        how.more = i == 1 || i == 2; /* to read: the places do not follow from the ranks */
        how.to_write = 0;
        write_all_ways(0);
    }
    how.to_write = -1;
    how.more = 0;
    how.mode = "bw";
    how.nfiles = FILES;
}

/* In a row, in turn, from the last one, and so that rank 0 leads no file and none is in order. */
static void a_file_for_each_communicator(void)
{
    const int dealt[][2] = {{mpi_rank / 2, mpi_rank},
                            {mpi_rank % 2, mpi_rank},
                            {(mpi_size - 1 - mpi_rank) / 2, mpi_rank},
                            {mpi_rank % 2, -mpi_rank},
                            {0, -mpi_rank},
                            {0, mpi_rank}};
    size_t i;
    int size, same;

    how.nfiles = 0;
    for (i = 0; i < sizeof dealt / sizeof *dealt; i++) {
        PMPI_Comm_split(MPI_COMM_WORLD, dealt[i][0], dealt[i][1], &how.local);
        PMPI_Comm_size(how.local, &size);
        PMPI_Comm_compare(MPI_COMM_WORLD, how.local, &same);
        how.more = size == mpi_size ? 3 : i > 0 || mpi_size % 2;
        how.to_write = size < mpi_size ? i > 0 : same == MPI_SIMILAR ? 3 : 1;
        write_all_ways(0);
        MPI_Comm_free(&how.local);
    }
    how.to_write = -1;
    how.more = 0;
    how.nfiles = FILES;
}

static void in_other_modes(void)
{
    static const char *const modes[] = {"bw,recover", "bw,atomic", "bw,posix", "bw,keep=2",
                                        "bw,collective"};
    size_t i;
    int by_leader;

    how.more = mpi_size == 1 ? 3 : 1;
    PMPI_Comm_split(MPI_COMM_WORLD, mpi_rank % 2, -mpi_rank, &how.local);
    how.uneven = 1;
    how.chunks = 3;
    for (i = 0; i < sizeof modes / sizeof *modes; i++) {
        for (by_leader = 0; by_leader < 2; by_leader++) {
            how.mode = modes[i];
            how.nfiles = by_leader || mpi_size == 1 ? 0 : FILES;
            write_both(1);
        }
    }
    how.uneven = 0; /* copies of a file have what was not gathered, too */
    how.nfiles = mpi_size > 1 ? FILES : 1;
    how.mode = mpi_size > 1 ? "bw,buddy" : "bw";
    how.more = 3;
    write_both(1);
    how.more = mpi_size == 1 ? 3 : 1;
    how.uneven = 1;
    how.publishes = 1;
    for (by_leader = 0; by_leader < 2; by_leader++) {
        how.mode = "bw";
        how.nfiles = by_leader || mpi_size == 1 ? 0 : FILES;
        write_both(1);
    }
    how.publishes = 0;
    how.restarts = 1;
    for (by_leader = 0; by_leader < 2; by_leader++) {
        how.nfiles = by_leader || mpi_size == 1 ? 0 : FILES;
        write_both(0);
    }
    how.restarts = how.uneven = 0;
    how.chunks = 1;
    MPI_Comm_free(&how.local);
    how.publishes = how.more = 0;
    how.nfiles = FILES;
}

/* ---- damage ---- */

static void change(const char *name, long offset, int whence, const void *bytes, size_t n)
{
    FILE *file;

    MPI_Barrier(MPI_COMM_WORLD);
    if (mpi_rank == 0) {
        file = fopen(name, "r+b");
        CHECK(file && fseek(file, offset, whence) == 0 && fwrite(bytes, 1, n, file) == n &&
              fclose(file) == 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Which ranks can read their task, as few and as many. */
static void read_damaged(int damaged)
{
    int i;

    for (i = 0; i < 2; i++) {
        char byte;
        int sid;

        scion_large_from = i == 0 ? 1 << 19 : 1;
        support_catch();
        sid = open_set(MANY, "br");
        CHECK_SAME(sid >= 0);
        CHECK_INT(sid >= 0, 1);
        if (sid < 0)
            continue;
        CHECK_INT(sion_fread(&byte, 1, 1, sid), mpi_rank != damaged);
        CHECK_INT(sion_parclose_mpi(sid), SION_SUCCESS);
    }
    scion_large_from = 1 << 19;
}

/* A pair, a rank in META1, and a number of chunks. */
static void a_damaged_task_is_that_of_few_tasks(void)
{
    const int other[] = {1, 77}, last = mpi_size - 1, share = mpi_size / FILES;
    const sion_int64 wrong = 12345;

    if (mpi_size < 4)
        return;
    how.uneven = 1;
    how.chunks = 3;
    CHECK(write_set(MANY));
    change(MANY, -8L, SEEK_END, other, sizeof other);
    read_damaged(last);
    CHECK(write_set(MANY));
    change(MANY ".000001", 1076 + 8L * (last - share), SEEK_SET, &wrong, sizeof wrong);
    read_damaged(last);
    CHECK(write_set(MANY));
    change(MANY, 1076, SEEK_SET, &wrong, sizeof wrong);
    read_damaged(0);
    how.uneven = 0;
    how.chunks = 1;
}

/* Nobody waits for a file that is not there, and another set's file is not read. */
static void files_that_do_not_fit_are_refused(void)
{
    if (mpi_size < 2)
        return;
    CHECK(write_set(MANY));
    MPI_Barrier(MPI_COMM_WORLD);
    scion_large_from = 1;
    if (mpi_rank == 0)
        CHECK_INT(rename(MANY ".000001", "away"), 0);
    MPI_Barrier(MPI_COMM_WORLD);
    support_catch();
    CHECK(open_set(MANY, "br") < 0);
    CHECK_SAME(sion_error_code());
    if (mpi_rank == 0)
        CHECK_INT(link(MANY, MANY ".000001"), 0);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(open_set(MANY, "br") < 0);
    CHECK_SAME(sion_error_code());
    MPI_Barrier(MPI_COMM_WORLD);
    if (mpi_rank == 0)
        CHECK_INT(rename("away", MANY ".000001"), 0);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(read_back(MANY));
    scion_large_from = 1 << 19;
}

/* ---- failures ---- */

static void check_refused(const char *name, const char *text)
{
    support_errors = 0;
    CHECK(open_set(name, "bw") < 0);
    CHECK_SAME(sion_error_code());
    if (!strstr(scion_error_text(), text))
        printf("# %s\n", scion_error_text());
    CHECK(strstr(scion_error_text(), text));
}

/* Nothing is emptied before it is known. */
static void communicators_that_are_no_partition(void)
{
    MPI_Comm odd, even;

    if (mpi_size < 4)
        return;
    how.nfiles = 0;
    PMPI_Comm_split(MPI_COMM_WORLD, mpi_rank / 2, mpi_rank, &even);
    PMPI_Comm_split(MPI_COMM_WORLD, mpi_rank > 0, mpi_rank, &odd);
    how.local = even;
    scion_large_from = 1;
    CHECK(write_set(MANY));
    how.local = mpi_rank == 1 ? odd : even;
    support_catch();
    check_refused(MANY, "is not a part of a partition");
    how.local = even;
    CHECK(read_back(MANY));
    MPI_Comm_free(&odd);
    MPI_Comm_free(&even);
    scion_large_from = 1 << 19;
    how.nfiles = FILES;
}

static void failures_are_those_of_all(void)
{
    scion_large_from = 1;
    support_catch();
    how.nfiles = mpi_size + 1;
    check_refused(MANY, "cannot be bigger than the number of tasks");
    how.nfiles = mpi_size > 1 ? FILES : 1;
    check_refused("nothing/x.sion", "nothing");
    PMPI_Comm_split(MPI_COMM_WORLD, mpi_rank % 2, -mpi_rank, &how.local);
    how.nfiles = 0;
    check_refused("nothing/x.sion", "nothing");
    if (mpi_rank == 0)
        CHECK_INT(mkdir("other.sion.000001", 0777), 0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (mpi_size > 1) {
        check_refused("other.sion", "other.sion.000001");
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK_INT(access("other.sion", F_OK), -1);
    }
    MPI_Comm_free(&how.local);
    scion_large_from = 1 << 19;
    how.nfiles = FILES;
}

int main(int argc, char **argv)
{
    mpi_begin(&argc, &argv);
    RUN_MPI(files_of_equal_shares);
    RUN_MPI(as_many_as_the_mode_says);
    RUN_MPI(a_file_for_each_node);
    RUN_MPI(a_file_for_each_communicator);
    RUN_MPI(in_other_modes);
    RUN_MPI(a_damaged_task_is_that_of_few_tasks);
    RUN_MPI(files_that_do_not_fit_are_refused);
    RUN_MPI(communicators_that_are_no_partition);
    RUN_MPI(failures_are_those_of_all);
    return mpi_end();
}
