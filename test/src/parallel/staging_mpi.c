/* Staged containers: what the tasks write to folders of their nodes becomes the container. */
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef WITH_CHECKSUM
#include "sion_checksum.h"
#endif
#include "sion_drain.h"

#include "comm/comm.h"
#include "mpi_check.h"

#define NAME "staged.sion"

enum { MOST = 40000, NODES_MOST = 2 };

static char folder[256]; /* of this task's node */

static int node(void)
{
    return mpi_rank % NODES_MOST;
}

static size_t length_of(int rank, int round)
{
    return (size_t)(MOST - 1000 * rank - 100 * round);
}

/* How a container is written. */
static struct how {
    const char *words; /* of the mode */
    int nfiles;
    sion_int64 chunksize;
    sion_int32 fsblksize;
    size_t record;
    int together;  /* by collective calls */
    int restarts;  /* the first data are given up */
    int has_nonce; /* not only in the header: bytes differ each time */
} how;

static int open_for_writing(const char *words)
{
    char mode[512];
    MPI_Comm part = MPI_COMM_WORLD;
    int nfiles = how.nfiles, rank = mpi_rank;
    sion_int64 chunksize = how.chunksize;
    sion_int32 fsblksize = how.fsblksize;

    snprintf(mode, sizeof mode, "bw%s%s", how.words, words);
    return sion_paropen_mpi(NAME, mode, &nfiles, MPI_COMM_WORLD, &part, &chunksize, &fsblksize,
                            &rank, NULL, NULL);
}

static int write_all(int sid, int round)
{
    unsigned char data[MOST];
    size_t length = length_of(how.together ? 0 : mpi_rank, round), at, part;
    int failed = 0;

    check_fill(data, mpi_rank, round, sizeof data);
    for (at = 0; at < length; at += part) {
        part = length - at < how.record ? length - at : how.record;
        failed |= (how.together ? sion_coll_fwrite(data + at, 1, part, sid)
                                : sion_fwrite(data + at, 1, part, sid)) != part;
    }
    return failed ? -1 : 0;
}

/* 1: it was written and closed. */
static int write_container(const char *words, int round)
{
    int sid = open_for_writing(words), failed = sid < 0;

    if (how.restarts && !failed)
        failed = write_all(sid, 0) != 0 || sion_parreinit_mpi(sid, MOST) != SION_SUCCESS;
    failed = failed || write_all(sid, round) != 0;

    return (sid < 0 || sion_parclose_mpi(sid) == SION_SUCCESS) && !failed;
}

/* 1: each task finds what it has written in this round. */
static int read_container(int round)
{
    const char *mode = strstr(how.words, "cmerge")     ? "br,collective,cmerge"
                       : strstr(how.words, "checksum") ? "br,checksum"
                                                       : "br";
    unsigned char data[MOST], back[MOST];
    size_t length = length_of(how.together ? 0 : mpi_rank, round), got = 0, part;
    MPI_Comm own = MPI_COMM_WORLD;
    int nfiles = 1, rank = mpi_rank, sid;
    sion_int64 chunksize = 0;
    sion_int32 fsblksize = -1;

    check_fill(data, mpi_rank, round, sizeof data);
    sid = sion_paropen_mpi(NAME, mode, &nfiles, MPI_COMM_WORLD, &own, &chunksize, &fsblksize, &rank,
                           NULL, NULL);
    if (sid < 0)
        return 0;
    while (got < length &&
           (part = sion_fread(back + got, 1, length - got < how.record ? length - got : how.record,
                              sid)) > 0)
        got += part;
    return sion_parclose_mpi(sid) == SION_SUCCESS && got == length && memcmp(data, back, got) == 0;
}

/* How many names in a folder belong to something that is not complete. */
static int leftovers(const char *path)
{
    DIR *dir = opendir(path);
    struct dirent *entry;
    int n = 0;

    while (dir && (entry = readdir(dir)))
        n += entry->d_name[0] == '.' && entry->d_name[1] != '.' && entry->d_name[1] != '\0';
    if (dir)
        closedir(dir);
    return n;
}

static void usual(const char *words)
{
    how = (struct how){
        .words = words, .nfiles = 1, .chunksize = 3000, .fsblksize = 512, .record = 700};
}

/* On rank 0: the bytes of a file, whose nonce is left out; to be freed. */
static char *bytes_of(const char *name, size_t *size)
{
    struct stat status;
    char *bytes;
    FILE *file = fopen(name, "rb");

    *size = file && fstat(fileno(file), &status) == 0 ? (size_t)status.st_size : 0;
    bytes = calloc(1, *size + 1);
    if (file && fread(bytes, 1, *size, file) == *size && *size > 52)
        memset(bytes + 44, 0, 8);
    if (file)
        fclose(file);
    return bytes;
}

/* Compare the container with one that was written directly, byte for byte. */
static void is_as_if_written_directly(void)
{
    char stage[300];
    int i;

    snprintf(stage, sizeof stage, ",stage=%s", folder);
    CHECK(write_container(",atomic", 0));
    if (mpi_rank == 0) {
        rename(NAME, "direct");
        rename(NAME ".000001", "direct.000001");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(write_container(stage, 0));
    CHECK_INT(sion_drain_wait(NAME), 1);
    CHECK(read_container(0));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_INT(leftovers(folder), 0);
    if (mpi_rank > 0)
        return;
    CHECK_INT(leftovers("."), 0);
    for (i = 0; i < how.nfiles; i++) {
        size_t one, two;
        char *direct = bytes_of(i == 0 ? "direct" : "direct.000001", &one);
        char *staged = bytes_of(i == 0 ? NAME : NAME ".000001", &two);

        CHECK_INT(two, one);
        CHECK(one > 0 && (how.has_nonce || memcmp(direct, staged, one) == 0));
        free(direct);
        free(staged);
    }
}

static void chunks_of_whole_blocks(void)
{
    usual("");
    how.fsblksize = 4096;
    is_as_if_written_directly();
}

static void chunks_that_share_blocks(void)
{
    usual("");
    how.fsblksize = 1;
    how.chunksize = 777;
    how.record = 111;
    is_as_if_written_directly();
}

static void commit_records(void)
{
    usual(",recover");
    how.has_nonce = 1;
    is_as_if_written_directly();
}

static void two_files(void)
{
    usual("");
    how.nfiles = mpi_size > 1 ? 2 : 1;
    is_as_if_written_directly();
}

static void collectors_of_nodes(void)
{
    usual(",collective,collmsa");
    how.together = 1;
    how.chunksize = MOST;
    is_as_if_written_directly();
}

static void merged_streams(void)
{
    usual(",collective,cmerge");
    how.together = 1;
    how.chunksize = MOST;
    is_as_if_written_directly();
}

static void posix_mode(void)
{
    usual(",posix");
    is_as_if_written_directly();
}

static void checksums(void)
{
#ifdef WITH_CHECKSUM
    usual(",checksum");
    how.has_nonce = 1;
    sion_checksum_use(sion_crc32);
    is_as_if_written_directly();
#else
    SKIP("no checksums in this build");
#endif
}

/* Frames go over the borders of chunks, and the last chunks are begun by the close. */
static void compressed(void)
{
#ifdef HAVE_ZSTD
    usual(",compress=zstd");
    is_as_if_written_directly();
    usual(",compress=zstd,compress_frame=4096,shuffle=2");
    how.fsblksize = 1;
    how.chunksize = 777;
    is_as_if_written_directly();
    how.nfiles = mpi_size > 1 ? 2 : 1;
    is_as_if_written_directly();
    how.restarts = 1;
    is_as_if_written_directly();
    usual(",compress=zstd,recover,compress_frame=5000");
    how.has_nonce = 1;
    is_as_if_written_directly();
#ifdef WITH_CHECKSUM
    usual(",compress=zstd,checksum");
    how.has_nonce = 1;
    is_as_if_written_directly();
#endif
#else
    SKIP("no zstd");
#endif
}

/* A new start empties all parts: they were longer before. */
static void a_new_start(void)
{
    usual("");
    how.restarts = 1;
    how.record = 100;
    how.chunksize = 150;
    is_as_if_written_directly();
}

/* The older container keeps the name until the new one is complete, and reading waits for it. */
static void the_older_one_stays(void)
{
    char stage[300];
    int sid, serial;

    usual("");
    snprintf(stage, sizeof stage, ",stage=%s", folder);
    CHECK(write_container("", 1));
    sid = open_for_writing(stage);
    CHECK(sid >= 0 && write_all(sid, 2) == 0);
    CHECK_INT(sion_drain_test(NAME), 1); /* what is not closed does not wait */
    serial = sion_open_rank(NAME, "br", &(sion_int64){0}, &(sion_int32){0}, &(int){mpi_rank}, NULL);
    CHECK(serial >= 0);
    CHECK_INT(sion_bytes_avail_in_block(serial) > 0, 1);
    CHECK_INT(sion_close(serial), SION_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_INT(sion_parclose_mpi(sid), SION_SUCCESS);
    CHECK(read_container(2));
    CHECK_INT(sion_drain_test(NAME), 1);
}

/* Several of one name, one after the other: the last one is the container. */
static void many_of_one_name(void)
{
    char stage[300];
    int round;

    usual("");
    snprintf(stage, sizeof stage, ",stage=%s,stage_keep=3", folder);
    for (round = 1; round < 8; round++)
        CHECK(write_container(stage, round));
    CHECK(read_container(7));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_INT(leftovers(folder), 0);
}

/* What the environment says. */
static void the_environment(void)
{
    sion_drain_progress progress;

    usual("");
    setenv("SION_STAGE", folder, 1);
    CHECK(write_container("", 4));
    unsetenv("SION_STAGE");
    SION_INIT(&progress);
    CHECK_INT(sion_drain_get_progress(NULL, &progress), 1);
    CHECK(progress.waiting <= 1 && progress.failed == 0 && progress.drained <= progress.total);
    CHECK_INT(sion_drain_wait(NULL), 1);
    CHECK_INT(sion_drain_get_progress(NAME, &progress), 1);
    CHECK(progress.waiting == 0 && progress.drained == 0 && progress.total == 0);
    CHECK(read_container(4));
}

/* A node without the folder, or whose tasks do not say one: all write directly, with a warning. */
static void a_node_that_cannot(void)
{
    char stage[300];

    usual("");
    snprintf(stage, sizeof stage, ",stage=%s", node() == 0 ? folder : "missing");
    CHECK(write_container(stage, 5));
    CHECK(mpi_rank > 0 || mpi_size == 1 || support_warnings > 0);
    CHECK(read_container(5));
    CHECK(write_container(node() == 0 ? stage : "", 6));
    CHECK(read_container(6));
    CHECK_INT(leftovers(folder), 0);
}

/* More than the folder has room for. */
static void no_room(void)
{
    char stage[300];

    usual("");
    snprintf(stage, sizeof stage, ",stage=%s", folder);
    how.chunksize = (sion_int64)1 << 40;
    CHECK(write_container(stage, 5));
    CHECK(mpi_rank > 0 || support_warnings > 0);
    CHECK(read_container(5));
    support_catch();
    setenv("SION_STAGE", folder, 1);
    CHECK(write_container("", 6));
    unsetenv("SION_STAGE");
    CHECK(mpi_rank > 0 || support_warnings > 0);
    CHECK(read_container(6));
}

/* Buddies, and groups of several nodes. */
static void what_cannot_be_staged(void)
{
    char stage[300];

    usual(",collective");
    how.together = 1;
    snprintf(stage, sizeof stage, ",stage=%s", folder);
    CHECK(write_container(stage, 6));
    CHECK(mpi_rank > 0 || mpi_size == 1 || support_warnings > 0);
    CHECK(read_container(6));
}

static void wrong_words(void)
{
    usual("");
    CHECK(!write_container(",stage=", 0));
    CHECK(!write_container(",stage=x,stage_keep=8", 0));
    CHECK(!write_container(",stage=x,stage_keep=-1", 0));
}

int main(int argc, char **argv)
{
    char name[20];

    mpi_begin(&argc, &argv);
    if (argc > 1)
        scion_large_from = 1; /* as if they were too many for rank 0 */
    snprintf(name, sizeof name, "node%d", node());
    setenv("SION_NODE", name, 1);
    if (mpi_rank < NODES_MOST)
        mkdir(name, 0700);
    snprintf(folder, sizeof folder, "%s", name);
    RUN_MPI(chunks_of_whole_blocks);
    RUN_MPI(chunks_that_share_blocks);
    RUN_MPI(commit_records);
    RUN_MPI(two_files);
    RUN_MPI(collectors_of_nodes);
    RUN_MPI(merged_streams);
    RUN_MPI(posix_mode);
    RUN_MPI(checksums);
    RUN_MPI(compressed);
    RUN_MPI(a_new_start);
    RUN_MPI(the_older_one_stays);
    RUN_MPI(many_of_one_name);
    RUN_MPI(the_environment);
    RUN_MPI(a_node_that_cannot);
    RUN_MPI(no_room);
    RUN_MPI(what_cannot_be_staged);
    RUN_MPI(wrong_words);
    return mpi_end();
}
