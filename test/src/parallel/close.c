/*
 * A close without memory: from its beginning on, every allocation of every task fails; or the
 * program has reached its limit, and there is no reserve. The tables are written all the same, with
 * lengths of more chunks than the reserve could take.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lack.h"

/* The callbacks' own allocations do not fail. */
#define malloc __real_malloc
#define calloc __real_calloc
#include "base/memory.h"
#include "callbacks.h"
#include "sion_checksum.h"
#include "support.h"

enum { CHUNK = 16, ALONE = 0, TOGETHER, BY_KEY };

static struct {
    int aid, tasks, nfiles, how, chunks;
    const char *writer, *reader;
    void (*begin)(int rank), (*end)(int rank); /* of the lack */
    int results[GENERIC_MOST];
} sample;

static int open_one(struct scion_comm *comm, const char *mode)
{
    sion_int64 chunksize = CHUNK;
    sion_int32 fsblksize = CHUNK;
    int nfiles = sample.nfiles, file = comm->rank % nfiles, lrank = comm->rank / nfiles;
    int lsize = sample.tasks / nfiles;

    return sion_generic_paropen(sample.aid, "c.sion", mode, &chunksize, &fsblksize, comm,
                                comm->rank, comm->size, &file, &nfiles, &lrank, &lsize, NULL, NULL);
}

/* Where tasks write alone, one has a single chunk. */
static int chunks_of(int rank)
{
    return sample.how == ALONE && rank == sample.tasks - 1 && rank > 0 ? 1 : sample.chunks;
}

static int transfer(int sid, int rank, int i, int writing)
{
    unsigned char data[CHUNK], found[CHUNK];
    size_t n = sample.how == BY_KEY ? CHUNK - 1 : CHUNK;

    check_fill(data, rank, i * CHUNK, n);
    if (writing)
        return sample.how == TOGETHER ? sion_coll_fwrite(data, 1, n, sid) == n
               : sample.how == BY_KEY ? sion_fwrite_key(data, (unsigned)i, 1, n, sid) == n
                                      : sion_fwrite(data, 1, n, sid) == n;
    return (sample.how == TOGETHER ? sion_coll_fread(found, 1, n, sid)
            : sample.how == BY_KEY ? sion_fread_key(found, (unsigned)i, 1, n, sid)
                                   : sion_fread(found, 1, n, sid)) == n &&
           memcmp(data, found, n) == 0;
}

static int transfer_all(int sid, int rank, int writing)
{
    int good = 1, i;

    for (i = 0; i < chunks_of(rank); i++)
        good &= transfer(sid, rank, i, writing);
    return good;
}

static void *write_lacking(void *argument)
{
    struct scion_comm *comm = argument;
    int rank = comm->rank, sid = open_one(comm, sample.writer);
    int good = sid >= 0 && transfer_all(sid, rank, 1);

    generic_wait_for_all(comm);
    sample.begin(rank);
    generic_wait_for_all(comm);
    good = sion_generic_parclose(sid) == 1 && good;
    generic_wait_for_all(comm);
    sample.end(rank);
    sample.results[rank] = good;
    comm->ops->free(comm);
    return NULL;
}

static void *read_back(void *argument)
{
    struct scion_comm *comm = argument;
    int rank = comm->rank, sid = open_one(comm, sample.reader);

    sample.results[rank] =
        sid >= 0 && transfer_all(sid, rank, 0) && sion_generic_parclose(sid) == 1;
    comm->ops->free(comm);
    return NULL;
}

enum { BAD = 77 };

/* 1: all tasks have succeeded; 0: none has; BAD: they differ, or the program was ended. */
static int try_in_process(void *(*function)(void *))
{
    int status = 0, i, sum = 0;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        alarm(60); /* ends a program that waits forever */
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        generic_run_threads(sample.tasks, function);
        for (i = 0; i < sample.tasks; i++)
            sum += sample.results[i];
        _exit(sum == sample.tasks ? 1 : sum == 0 ? 0 : BAD);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return BAD;
    return WIFEXITED(status) ? WEXITSTATUS(status) : BAD;
}

static void close_without_memory(const char *writer, const char *reader, int how, int nfiles)
{
    sample.writer = writer;
    sample.reader = reader;
    sample.how = how;
    sample.nfiles = nfiles;
    for (sample.tasks = nfiles; sample.tasks <= 4; sample.tasks *= 2) {
        CHECK_INT(try_in_process(write_lacking), 1);
        CHECK_INT(try_in_process(read_back), 1);
    }
}

/* ---- every allocation fails ---- */

static void begin_failing(int rank)
{
    (void)rank;
    lack_in = -1;
}

static void end_failing(int rank)
{
    (void)rank;
    lack_in = 0;
}

static void nothing_can_be_allocated(void)
{
    static const int chunks[] = {1, 2, 100};
    int i;

    sample.begin = begin_failing;
    sample.end = end_failing;
    for (i = 0; i < 3; i++) {
        sample.chunks = chunks[i];
        close_without_memory("bw", "br", ALONE, 1);
        close_without_memory("bw", "br", ALONE, 2);
        close_without_memory("bw,posix", "br", ALONE, 1);
        close_without_memory("bw,recover", "br", ALONE, 2);
        close_without_memory("bw,collective,collsize=2", "br", TOGETHER, 1);
        close_without_memory("bw,keyval=inline", "br,keyval=inline", BY_KEY, 2);
        close_without_memory("bw,buddy", "br,buddy", TOGETHER, 2);
    }
}

/* ---- the program has reached its limit ---- */

static struct rlimit usual;
static pthread_mutex_t limiting = PTHREAD_MUTEX_INITIALIZER;

/* Everything that is left, in pieces of any size. */
static void eat(void)
{
    size_t bytes;

    for (bytes = 1 << 20; bytes >= 16; bytes /= 2)
        while (__real_malloc(bytes))
            ;
}

static void use_up_reserve(void)
{
    int i;

    CHECK_INT(scion_keep_reserve(), 0);
    for (i = 0; i < 8; i++)
        scion_make_room();
}

/* The first task takes the reserve and sets the limit; then each uses up its part of the heap. */
static void begin_limit(int rank)
{
    pthread_mutex_lock(&limiting);
    if (usual.rlim_max == 0) {
        use_up_reserve();
        getrlimit(RLIMIT_DATA, &usual);
        setrlimit(RLIMIT_DATA, &(struct rlimit){1, usual.rlim_max});
    }
    eat();
    pthread_mutex_unlock(&limiting);
    if (rank == 0)
        CHECK(!__real_malloc(16));
}

static void end_limit(int rank)
{
    if (rank == 0)
        setrlimit(RLIMIT_DATA, &usual);
}

/* An emulator of another machine does not. */
static int system_keeps_limits(void)
{
    struct rlimit before;
    void *memory;

    getrlimit(RLIMIT_DATA, &before);
    setrlimit(RLIMIT_DATA, &(struct rlimit){1, before.rlim_max});
    memory = __real_malloc(64 << 20);
    setrlimit(RLIMIT_DATA, &before);
    free(memory);
    return !memory;
}

static void the_limit_is_reached(void)
{
    if (SUPPORT_IS_SANITIZED || !system_keeps_limits()) {
        SKIP("a sanitizer ends a program without memory, and an emulator gives it more");
        return;
    }
    sample.begin = begin_limit;
    sample.end = end_limit;
    sample.chunks = 50000;
    close_without_memory("bw", "br", ALONE, 1);
    sample.chunks = 1000;
    close_without_memory("bw,recover", "br", ALONE, 2);
    close_without_memory("bw,buddy", "br,buddy", TOGETHER, 2);
}

/*
 * A record of members needs memory that grows with the data. Without it the close fails on all
 * tasks, but the container is there, as SIONlib would have written it.
 */
static void without_memory_there_is_no_record_of_members(void)
{
    sample.begin = begin_failing;
    sample.end = end_failing;
    sample.chunks = 100;
    sample.how = TOGETHER;
    sample.writer = "bw,cmerge,collective,collsize=1";
    sample.reader = "br";
    for (sample.tasks = 1; sample.tasks <= 4; sample.tasks *= 2) {
        sample.nfiles = 1;
        CHECK_INT(try_in_process(write_lacking), 0);
        CHECK_INT(try_in_process(read_back), 1);
    }
}

/*
 * Checksums need memory that grows with the data. Without it the close fails on all tasks, but all
 * data can be read.
 */
static void without_memory_there_are_no_checksums(void)
{
#ifdef HAVE_CHECKSUM
    int nfiles;

    sion_checksum_use(sion_crc32);
    sample.begin = begin_failing;
    sample.end = end_failing;
    sample.chunks = 100;
    sample.how = ALONE;
    sample.writer = "bw,checksum";
    sample.reader = "br";
    for (nfiles = 1; nfiles <= 2; nfiles++) {
        sample.nfiles = nfiles;
        sample.tasks = 4;
        CHECK_INT(try_in_process(write_lacking), 0);
        CHECK_INT(try_in_process(read_back), 1);
    }
#else
    SKIP("no function for checksums");
#endif
}

int main(void)
{
    support_enter_folder();
    sample.aid = generic_make_api();
    generic_add_transfers(sample.aid);
    RUN(nothing_can_be_allocated);
    RUN(the_limit_is_reached);
    RUN(without_memory_there_is_no_record_of_members);
    RUN(without_memory_there_are_no_checksums);
    CHECK_INT(sion_generic_free_api(sample.aid), 1);
    support_leave_folder();
    return check_done();
}
