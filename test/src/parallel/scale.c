/*
 * How system calls and memory of the first task grow, in a container of a million tasks. A
 * communicator simulates the other tasks, so only the work of the first task costs anything.
 */
#include <limits.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "parallel/parallel.h"
#include "parallel/tables.h"

#include "base/crc.h"
#include "base/error.h"
#include "comm/agree.h"
#include "src/comm/echo_unequal.h"
#include "file/container.h"
#include "format/places.h"
#include "stage/queue.h"
#include "support.h"
#include "vfs/fault.h"

static double milliseconds(const struct timespec *from, const struct timespec *to)
{
    return (double)(to->tv_sec - from->tv_sec) * 1e3 + (double)(to->tv_nsec - from->tv_nsec) / 1e6;
}

static int files = 1, by_leader, mode_files, chunks = 1, collective;
static int checksum = SCION_CHECKSUM_OFF;
static const char *stage = "";
static sion_int32 block = 8;

static int publishes; /* states, of 8 bytes more each */

static struct scion_container *open_first(int tasks, enum scion_access access)
{
    struct scion_parallel_args args = {
        .name = "c.sion",
        .chunksize = 8,
        .fsblksize = block,
        .nfiles = by_leader ? 0 : files,
        .lsize = tasks / files,
        .mode = {.access = access,
                 .keyval = 55,
                 .files = mode_files,
                 .checksum = checksum,
                 .collective = collective},
    };
    struct scion_container *container = NULL;

    if (mode_files != 0)
        args.nfiles = 1;
    strcpy(args.mode.stage, access == SCION_ACCESS_WRITE ? stage : "");
    echo_files = files;
    CHECK_INT(scion_parallel_open(echo_comm(tasks), &args, &container), 0);
    return container;
}

/* KiB */
static long most_memory(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static void system_calls_do_not_depend_on_the_number_of_tasks(void)
{
    static const int sizes[] = {1, 1000, 1000000};
    long calls[3];
    int i;

    for (i = 0; i < 3; i++) {
        struct scion_container *container;

        remove("c.sion"); /* truncating a file takes more calls than creating one */
        scion_fault_arm(0, 0, 0, 0);
        container = open_first(sizes[i], SCION_ACCESS_WRITE);
        CHECK_INT(scion_stream_write(scion_container_stream(container), "12345678", 8), 1);
        CHECK_INT(scion_parallel_close(container, NULL), 0);
        calls[i] = scion_fault_count_all();
        scion_fault_disarm();
        printf("# %d tasks: %ld system calls, at most %ld KiB of memory\n", sizes[i], calls[i],
               most_memory());
    }
    CHECK_INT(calls[1], calls[0]);
    /* META1 and META2 are written in pieces of 1 MiB. */
    CHECK(calls[2] <= calls[0] + 2 * (2 * 8 * 1000000 / 1048576 + 1));
}

/* The bytes that a task with one chunk sends and receives. */
static void messages_of_a_task_are_short(void)
{
    struct scion_container *container;

    echo_gathered = echo_scattered = 0;
    container = open_first(1000, SCION_ACCESS_WRITE);
    CHECK_INT(echo_gathered, 32);
    CHECK_INT(echo_scattered, 32);
    echo_gathered = echo_scattered = 0;
    CHECK_INT(scion_parallel_close(container, NULL), 0);
    CHECK_INT(echo_gathered, 8);
    CHECK_INT(echo_scattered, 0);
    container = open_first(1000, SCION_ACCESS_READ);
    CHECK_INT(echo_gathered, 8 + 32);
    CHECK_INT(echo_scattered, 32);
    CHECK_INT(scion_parallel_close(container, NULL), 0);
}

enum { MANY = 1000000 };

static void await_drain(void)
{
    char target[PATH_MAX + 16];

    CHECK(realpath(".", target) != NULL);
    strcat(target, "/c.sion");
    CHECK_INT(scion_staged_wait(target, 0), 0);
    CHECK_INT(access(target, F_OK), 0);
}

/* Peak memory in KiB of a process that opens and closes a container of so many tasks. */
static long memory_of(int tasks, enum scion_access access)
{
    struct rusage usage = {0};
    int status = -1, i;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        struct timespec start, opened, closed;
        struct scion_container *container;

        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
        container = open_first(tasks, access);
        for (i = 0; access == SCION_ACCESS_WRITE && (chunks > 1 || checksum) && i < chunks; i++)
            CHECK_INT(scion_stream_write(scion_container_stream(container), "12345678", 8), 1);
        for (i = 0; access == SCION_ACCESS_WRITE && i < publishes; i++) {
            CHECK_INT(scion_stream_write(scion_container_stream(container), "12345678", 8), 1);
            CHECK_INT(scion_parallel_publish(container), 0);
        }
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &opened);
        CHECK_INT(scion_parallel_close(container, NULL), 0);
        if (*stage)
            await_drain();
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &closed);
        getrusage(RUSAGE_SELF, &usage);
        printf("# %d tasks, %s: open %.1f ms of CPU, close %.1f ms, at most %ld KiB\n", tasks,
               access == SCION_ACCESS_WRITE ? "writing" : "reading", milliseconds(&start, &opened),
               milliseconds(&opened, &closed), usage.ru_maxrss);
        fflush(stdout);
        _exit(check_failed_here > 0);
    }
    CHECK(child > 0 && wait4(child, &status, 0, &usage) == child);
    CHECK_INT(status, 0);
    return usage.ru_maxrss;
}

/* The first task's memory for each of so many tasks that it just holds something of each. */
static void the_first_task_needs_little_memory_for_each_other(void)
{
    int few = scion_large_from - 1;
    long writing, reading;

    remove("c.sion");
    writing = memory_of(few, SCION_ACCESS_WRITE) - memory_of(1, SCION_ACCESS_WRITE);
    remove("c.sion");
    memory_of(few, SCION_ACCESS_WRITE);
    reading = memory_of(few, SCION_ACCESS_READ);
    remove("c.sion");
    memory_of(1, SCION_ACCESS_WRITE);
    reading -= memory_of(1, SCION_ACCESS_READ);
    printf("# %ld bytes a task to write, %ld to read\n", writing * 1024 / few,
           reading * 1024 / few);
    if (SUPPORT_IS_SANITIZED)
        return;
    CHECK(writing * 1024 / few <= 36);
    CHECK(reading * 1024 / few <= 76);
    CHECK(writing <= 64 * 1024 && reading <= 64 * 1024);
}

/* Of more tasks that ask for the same, and write as much, it needs none. */
static void the_first_task_of_ten_million_equal_ones_needs_no_memory_for_them(void)
{
    long writing;

    remove("c.sion");
    writing = memory_of(10 * MANY, SCION_ACCESS_WRITE) - memory_of(1, SCION_ACCESS_WRITE);
    printf("# %ld KiB for ten million tasks\n", writing);
    remove("c.sion");
    CHECK(SUPPORT_IS_SANITIZED || writing <= 4096);
}

/* The header says the places that the chunk sizes make. */
static void check_places(int tasks)
{
    static sion_int64 sizes[1000];
    unsigned char fixed[SCION_META1_FIXED];
    struct scion_meta1 head;
    struct scion_places places;
    sion_int64 sum = 0;
    int wrong = 0, t;
    FILE *file = fopen("c.sion", "rb");

    CHECK(file && fread(fixed, sizeof fixed, 1, file) == 1);
    CHECK_INT(scion_meta1_decode(fixed, sizeof fixed, 1LL << 40, &head), 0);
    CHECK_INT(scion_places_decode(&head, &places), 1);
    CHECK_INT(places.n, SCION_PLACES_MOST);
    CHECK_INT(fseek(file, 8L * tasks, SEEK_CUR), 0);
    for (t = 0; t < tasks; sum += sizes[t++ % 1000]) {
        if (t % 1000 == 0)
            CHECK(fread(sizes, 8, 1000, file) > 0);
        if (t > 0 && t % places.step == 0)
            wrong += places.at[t / places.step - 1] != sum;
    }
    CHECK_INT(wrong, 0);
    CHECK_INT(places.globalskip, sum);
    fclose(file);
}

/* The same in a folder of the node, from which they are drained. */
static void rank_0_of_ten_million_staged_tasks_needs_little(void)
{
    long one, writing;
    int unequal;

    CHECK_INT(mkdir("stage", 0700), 0);
    stage = "stage";
    remove("c.sion");
    one = memory_of(1, SCION_ACCESS_WRITE);
    for (unequal = 0; unequal < 2; unequal++) {
        remove("c.sion");
        echo_be_unequal(unequal);
        writing = memory_of(10 * MANY, SCION_ACCESS_WRITE) - one;
        printf("# %ld KiB for ten million staged tasks, %s\n", writing,
               unequal ? "unequal" : "equal");
        CHECK(SUPPORT_IS_SANITIZED || writing <= 4L * 10 * MANY / 1024 * unequal + 4096);
        check_places(10 * MANY);
    }
    echo_be_unequal(0);
    remove("c.sion");
    stage = "";
    CHECK_INT(rmdir("stage"), 0);
}

/* The same if all have as many chunks. */
static void the_first_task_of_ten_million_with_several_chunks_needs_no_memory_for_them(void)
{
    long writing;

    remove("c.sion");
    chunks = 3;
    writing = memory_of(10 * MANY, SCION_ACCESS_WRITE) - memory_of(1, SCION_ACCESS_WRITE);
    chunks = 1;
    printf("# %ld KiB for ten million tasks of three chunks\n", writing);
    remove("c.sion");
    CHECK(SUPPORT_IS_SANITIZED || writing <= 4096);
}

/* Of the others, one has a chunk less, and less in it. */
static void vary_chunks(const struct scion_comm *comm, void *sent, size_t bytes, int rank)
{
    (void)comm;
    if (bytes == sizeof(uint32_t))
        *(uint32_t *)sent -= (uint32_t)(rank % 2);
}

/* The third one of the three numbers of a close differs where any length does. */
static void lower_chunks(sion_int64 *numbers, int n)
{
    if (n == 6)
        numbers[2] = 0;
}

static void the_first_task_of_ten_million_with_other_chunks_needs_little(void)
{
    long writing;

    remove("c.sion");
    chunks = 3;
    echo_vary = vary_chunks;
    echo_lower = lower_chunks;
    writing = memory_of(10 * MANY, SCION_ACCESS_WRITE) - memory_of(1, SCION_ACCESS_WRITE);
    echo_be_unequal(0);
    chunks = 1;
    printf("# %ld KiB for ten million tasks of two or three chunks\n", writing);
    remove("c.sion");
    CHECK(SUPPORT_IS_SANITIZED || writing <= 4L * 10 * MANY / 1024 + 4096);
}

/* Four bytes of each, if they do not. */
static void the_first_task_of_ten_million_others_needs_little(void)
{
    long writing;

    remove("c.sion");
    echo_be_unequal(1);
    writing = memory_of(10 * MANY, SCION_ACCESS_WRITE) - memory_of(1, SCION_ACCESS_WRITE);
    echo_be_unequal(0);
    printf("# %ld KiB for ten million unequal tasks\n", writing);
    remove("c.sion");
    CHECK(SUPPORT_IS_SANITIZED || writing <= 4L * 10 * MANY / 1024 + 4096);
}

/* They compute which one of them collects for which others. */
static void rank_0_of_ten_million_in_groups_needs_little(void)
{
    long one, writing;

    remove("c.sion");
    one = memory_of(1, SCION_ACCESS_WRITE);
    remove("c.sion");
    collective = 1;
    writing = memory_of(10 * MANY, SCION_ACCESS_WRITE) - one;
    collective = 0;
    printf("# %ld KiB for ten million equal tasks that write collectively\n", writing);
    CHECK(SUPPORT_IS_SANITIZED || writing <= 4096);
    check_places(10 * MANY);
    remove("c.sion");
}

/* Their states are published with nothing of each, or with 4 bytes. */
static void rank_0_of_ten_million_tasks_that_publish_needs_little(void)
{
    long one, writing;
    int unequal;

    remove("c.sion");
    publishes = 3;
    block = 64;
    one = memory_of(1, SCION_ACCESS_WRITE);
    for (unequal = 0; unequal < 2; unequal++) {
        remove("c.sion");
        echo_be_unequal(unequal);
        writing = memory_of(10 * MANY, SCION_ACCESS_WRITE) - one;
        printf("# %ld KiB for ten million tasks that publish, %s\n", writing,
               unequal ? "unequal" : "equal");
        CHECK(SUPPORT_IS_SANITIZED || writing <= 4L * 10 * MANY / 1024 * unequal + 8192);
    }
    echo_be_unequal(0);
    publishes = 0;
    block = 8;
    remove("c.sion");
}

static uint32_t sum_bytes(uint32_t sum, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;

    while (size-- > 0)
        sum = sum * 31 + *byte++;
    return sum;
}

/* The CRC of each, where they are written; the readers look for their own. */
static void rank_0_of_ten_million_tasks_with_checksums_needs_little(void)
{
    long one, writing, reading;

    scion_crc_use(sum_bytes);
    checksum = SCION_CHECKSUM_ON;
    remove("c.sion");
    one = memory_of(1, SCION_ACCESS_WRITE);
    remove("c.sion");
    writing = memory_of(10 * MANY, SCION_ACCESS_WRITE) - one;
    reading = memory_of(10 * MANY, SCION_ACCESS_READ) - one;
    printf("# %ld KiB to write checksums of ten million tasks, %ld to read them\n", writing,
           reading);
    CHECK(SUPPORT_IS_SANITIZED || writing <= 4L * 10 * MANY / 1024 + 8192);
    CHECK(SUPPORT_IS_SANITIZED || reading <= 8192);
    remove("c.sion");
    checksum = SCION_CHECKSUM_OFF;
    scion_crc_use(NULL);
}

/* Whether rank 0 has all sizes, one that is that of all tasks, or four bytes of each. */
static void places_of_tasks_are_those_of_their_sizes(void)
{
    static const int tasks[] = {100000, MANY};
    int i;

    block = 1;
    for (i = 0; i < 4; i++) {
        remove("c.sion");
        echo_be_unequal(i % 2);
        CHECK_INT(scion_parallel_close(open_first(tasks[i / 2], SCION_ACCESS_WRITE), NULL), 0);
        check_places(tasks[i / 2]);
    }
    echo_be_unequal(0);
    block = 8;
    remove("c.sion");
}

/* ---- sets ---- */

enum { FILES = 10 };

/* As many tasks as have communicators like that of rank 0, whose tasks are `files` ranks apart. */
static void sum_by_leader(const struct scion_comm *comm, sion_int64 sums[SCION_SUMS_MOST])
{
    (void)comm;
    sums[0] = files;
    sums[1] = 0;
}

static void lower_by_leader(sion_int64 *numbers, int n)
{
    if (n == 6)
        numbers[4] = ~(sion_int64)8, numbers[2] = 0;
    else
        numbers[1] = 7, numbers[5] = 0;
}

static void vary_by_leader(const struct scion_comm *comm, void *sent, size_t bytes, int rank)
{
    uint32_t *numbers = sent;

    if (bytes == 2 * sizeof *numbers) {
        numbers[0] = (uint32_t)(8 - rank % 2);
        numbers[1] = (uint32_t)(rank * files);
    } else if (bytes == sizeof *numbers && comm->size == FILES * MANY) {
        numbers[0] = (uint32_t)(rank % files);
    }
}

/* The mapping of a set whose tasks are dealt like this. */
static void check_mapping(int tasks, int is_by_leader)
{
    int words[2 * 1000], word = 0, first, i, wrong = 0;
    long end;
    FILE *file = fopen("c.sion", "rb");

    CHECK(file && fseek(file, -(4L + 8L * tasks), SEEK_END) == 0);
    end = ftell(file);
    CHECK(end > 0 && fread(&word, sizeof word, 1, file) == 1);
    CHECK_INT(word, tasks);
    for (first = 0; first < tasks && wrong == 0; first += 1000) {
        CHECK_INT(fread(words, sizeof words, 1, file), 1);
        for (i = 0; i < 1000; i++) {
            int rank = first + i, share = tasks / files;

            wrong += words[2 * i] != (is_by_leader ? rank % files : rank / share) ||
                     words[2 * i + 1] != (is_by_leader ? rank / files : rank % share);
        }
    }
    CHECK_INT(wrong, 0);
    fclose(file);
}

/* Rank 0 writes file 0, of a tenth of them, too. */
static void rank_0_of_ten_million_writers_of_ten_files_needs_little(void)
{
    long one, writing;

    remove("c.sion");
    one = memory_of(1, SCION_ACCESS_WRITE);
    remove("c.sion");
    files = FILES;
    writing = memory_of(FILES * MANY, SCION_ACCESS_WRITE) - one;
    printf("# %ld KiB for ten million equal tasks in ten files\n", writing);
    CHECK(SUPPORT_IS_SANITIZED || writing <= 4096);
    check_mapping(FILES * MANY, 0);
    remove("c.sion");
    echo_be_unequal(1);
    writing = memory_of(FILES * MANY, SCION_ACCESS_WRITE) - one;
    echo_be_unequal(0);
    printf("# %ld KiB for ten million unequal tasks in ten files\n", writing);
    CHECK(SUPPORT_IS_SANITIZED || writing <= 16 * MANY / 1024 + 4096);
    check_mapping(FILES * MANY, 0);
    writing = memory_of(FILES * MANY, SCION_ACCESS_READ) - one;
    printf("# %ld KiB for ten million readers of ten files\n", writing);
    CHECK(SUPPORT_IS_SANITIZED || writing <= 4096);
    remove("c.sion");
    files = 1;
}

/* Their ranks are not in a row, and the mapping is gathered. */
static void rank_0_of_ten_million_writers_by_communicator_needs_little(void)
{
    long one, writing;

    remove("c.sion");
    one = memory_of(1, SCION_ACCESS_WRITE);
    remove("c.sion");
    files = FILES;
    by_leader = 1;
    echo_vary = vary_by_leader;
    echo_lower = lower_by_leader;
    echo_sum = sum_by_leader;
    echo_less = SCION_MORE;
    writing = memory_of(FILES * MANY, SCION_ACCESS_WRITE) - one;
    echo_be_unequal(0);
    echo_sum = NULL;
    echo_less = 0;
    printf("# %ld KiB for ten million unequal tasks by communicator\n", writing);
    CHECK(SUPPORT_IS_SANITIZED || writing <= 64L * 1024);
    check_mapping(FILES * MANY, 1);
    writing = memory_of(FILES * MANY, SCION_ACCESS_READ) - one;
    printf("# %ld KiB for ten million readers of files by communicator\n", writing);
    CHECK(SUPPORT_IS_SANITIZED || writing <= 4L * FILES * MANY / 1024 + 4096);
    remove("c.sion");
    files = 1;
    by_leader = 0;
}

static void check_order(int tasks)
{
    static sion_int64 ranks[1000];
    int wrong = 0, t;
    FILE *file = fopen("c.sion", "rb");

    CHECK(file && fseek(file, SCION_META1_FIXED, SEEK_SET) == 0);
    for (t = 0; t < tasks; t++) {
        if (t % 1000 == 0)
            CHECK(fread(ranks, sizeof ranks, 1, file) == 1);
        wrong += ranks[t % 1000] != (t > 1 ? t ^ 1 : t);
    }
    CHECK_INT(wrong, 0);
    fclose(file);
}

/* Pairs of ranks have each other's task. */
static void vary_order(const struct scion_comm *comm, void *sent, size_t bytes, int rank)
{
    (void)comm;
    if (bytes == sizeof(uint32_t))
        *(uint32_t *)sent = (uint32_t)(rank > 1 ? rank ^ 1 : rank);
}

/* _IN_A_ROW, of an open by leader. */
static void lower_order(sion_int64 *numbers, int n)
{
    if (n == 2 * SCION_RANGES_MOST)
        numbers[5] = 0;
}

static void rank_0_of_ten_million_in_another_order_needs_little(void)
{
    long one, writing, reading;

    remove("c.sion");
    one = memory_of(1, SCION_ACCESS_WRITE);
    remove("c.sion");
    by_leader = 1;
    echo_vary = vary_order;
    echo_lower = lower_order;
    echo_sum = sum_by_leader;
    writing = memory_of(FILES * MANY, SCION_ACCESS_WRITE) - one;
    echo_be_unequal(0);
    echo_sum = NULL;
    reading = memory_of(FILES * MANY, SCION_ACCESS_READ) - one;
    by_leader = 0;
    printf("# %ld KiB for ten million equal tasks in another order, %ld to read\n", writing,
           reading);
    CHECK(SUPPORT_IS_SANITIZED || writing <= 4L * FILES * MANY / 1024 + 4096);
    CHECK(SUPPORT_IS_SANITIZED || reading <= 4L * FILES * MANY / 1024 + 8192);
    check_order(FILES * MANY);
    remove("c.sion");
}

/* Rank 0 asks nobody on which node it is. */
static void sum_by_node(const struct scion_comm *comm, sion_int64 sums[SCION_SUMS_MOST])
{
    if (comm->size == FILES * MANY)
        sums[0] = files;
}

static void rank_0_of_ten_million_writers_by_node_needs_little(void)
{
    long one, writing;

    remove("c.sion");
    one = memory_of(1, SCION_ACCESS_WRITE);
    remove("c.sion");
    files = FILES;
    mode_files = SCION_FILES_NODE;
    echo_sum = sum_by_node;
    echo_less = SCION_MORE;
    writing = memory_of(FILES * MANY, SCION_ACCESS_WRITE) - one;
    echo_sum = NULL;
    echo_less = 0;
    printf("# %ld KiB for ten million equal tasks, a file for each node\n", writing);
    CHECK(SUPPORT_IS_SANITIZED || writing <= 4L * FILES * MANY / 1024 + 4096);
    remove("c.sion");
    files = 1;
    mode_files = 0;
}

/* Whatever they have written: each of them reads its own numbers. */
static void the_first_task_of_ten_million_readers_needs_no_memory_for_them(void)
{
    long reading, one;

    remove("c.sion");
    memory_of(1, SCION_ACCESS_WRITE);
    one = memory_of(1, SCION_ACCESS_READ);
    remove("c.sion");
    memory_of(10 * MANY, SCION_ACCESS_WRITE);
    reading = memory_of(10 * MANY, SCION_ACCESS_READ) - one;
    printf("# %ld KiB for ten million readers\n", reading);
    CHECK(SUPPORT_IS_SANITIZED || reading <= 4096);
    remove("c.sion");
}

static void a_million_tasks_can_be_read(void)
{
    struct scion_mode mode;
    struct scion_container *container = open_first(MANY, SCION_ACCESS_WRITE);
    char data[8];

    CHECK_INT(scion_stream_write(scion_container_stream(container), "12345678", 8), 1);
    CHECK_INT(scion_parallel_close(container, NULL), 0);
    container = open_first(MANY, SCION_ACCESS_READ);
    CHECK_INT(scion_stream_read(scion_container_stream(container), data, 8), 1);
    CHECK_INT(scion_parallel_close(container, NULL), 0);
    CHECK_INT(scion_mode_parse("r", &mode), 0);
    CHECK_INT(scion_container_open("c.sion", &mode, &container), 0);
    CHECK_INT(scion_container_ntasks(container), 1000000);
    CHECK_INT(scion_container_seek(container, 999999, 0, 0), 0);
    CHECK_INT(scion_container_stream(container)->lengths->used[0], 8);
    CHECK_INT(scion_container_close(container), 0);
}

/* Every task leads a group of its own, and finds no file. */
static size_t gathered_for_buddies(int tasks)
{
    const struct scion_parallel_args args = {
        .name = "none.sion",
        .mode = {.access = SCION_ACCESS_READ, .keyval = 55, .buddies = 1},
    };
    struct scion_container *container = NULL;

    echo_gathered = 0;
    CHECK_INT(scion_parallel_open(echo_comm(tasks), &args, &container), SION_ERR_SYSTEM);
    return echo_gathered;
}

static void a_task_sends_no_more_if_a_buddy_checkpoint_has_more_files(void)
{
    CHECK_INT(gathered_for_buddies(4096), gathered_for_buddies(64));
}

int main(void)
{
    support_enter_folder();
    RUN(the_first_task_needs_little_memory_for_each_other); /* first: others need more */
    RUN(system_calls_do_not_depend_on_the_number_of_tasks);
    RUN(messages_of_a_task_are_short);
    RUN(the_first_task_of_ten_million_equal_ones_needs_no_memory_for_them);
    RUN(the_first_task_of_ten_million_with_several_chunks_needs_no_memory_for_them);
    RUN(the_first_task_of_ten_million_with_other_chunks_needs_little);
    RUN(the_first_task_of_ten_million_others_needs_little);
    RUN(rank_0_of_ten_million_in_groups_needs_little);
    RUN(rank_0_of_ten_million_tasks_that_publish_needs_little);
    RUN(rank_0_of_ten_million_staged_tasks_needs_little);
    RUN(rank_0_of_ten_million_tasks_with_checksums_needs_little);
    RUN(places_of_tasks_are_those_of_their_sizes);
    RUN(the_first_task_of_ten_million_readers_needs_no_memory_for_them);
    RUN(rank_0_of_ten_million_writers_of_ten_files_needs_little);
    RUN(rank_0_of_ten_million_writers_by_communicator_needs_little);
    RUN(rank_0_of_ten_million_writers_by_node_needs_little);
    RUN(rank_0_of_ten_million_in_another_order_needs_little);
    RUN(a_million_tasks_can_be_read);
    RUN(a_task_sends_no_more_if_a_buddy_checkpoint_has_more_files);
    support_leave_folder();
    return check_done();
}
