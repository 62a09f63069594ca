/* Physical files and containers below the interface: sets of many files, space for the tables. */
#include "file/container.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sion_const.h"

#include "base/error.h"
#include "support.h"
#include "vfs/fault.h"

static struct scion_mode parse(const char *text)
{
    struct scion_mode mode;

    CHECK_INT(scion_mode_parse(text, &mode), 0);
    return mode;
}

/*
 * Write a set with one task in each file, file by file as in a parallel open. `backwards`: task 0
 * is in the last file. Blocks of file f have 16 * (f + 1) bytes.
 */
static void write_set(int nfiles, int backwards)
{
    struct scion_mapping mapping = {.size = nfiles, .pairs = calloc((size_t)nfiles, 8)};
    const struct scion_mapping none = {.size = -1};
    int i;

    for (i = 0; i < nfiles; i++)
        mapping.pairs[2 * i] = backwards ? nfiles - 1 - i : i;
    for (i = nfiles - 1; i >= 0; i--) {
        const sion_int64 chunksize = 16 * (i + 1), rank = backwards ? nfiles - 1 - i : i;
        struct scion_physical_plan plan = {
            .chunksizes = &chunksize, .globalranks = &rank, .permissions = 0666};
        struct scion_physical *physical;
        struct scion_lengths lengths;
        struct scion_length_source written;
        char *name = scion_physical_name("set.sion", i);

        scion_meta1_init(&plan.head, SION_KEYVAL_NONE, 0);
        plan.head.fsblksize = 16;
        plan.head.ntasks = 1;
        plan.head.nfiles = nfiles;
        plan.head.filenumber = i;
        CHECK_INT(scion_physical_create(name, &plan, &physical), 0);
        CHECK_INT(scion_lengths_new(&lengths), 0);
        lengths.used[0] = 4;
        CHECK_INT(scion_file_write(physical->file, &i, 4, physical->starts[0], NULL), 0);
        written = scion_length_source_of(&lengths);
        CHECK_INT(scion_physical_finish(physical, &written, i == 0 ? &mapping : &none), 0);
        CHECK_INT(scion_physical_close(physical), 0);
        scion_lengths_free(&lengths);
        free(name);
    }
    free(mapping.pairs);
}

/* Read 300 files with 100 descriptors, back and forth. */
static void a_set_may_have_more_files_than_there_are_descriptors(void)
{
    const struct scion_mode mode = parse("r");
    struct rlimit old, limit;
    struct scion_container *container;
    int i, value;

    write_set(300, 0);
    getrlimit(RLIMIT_NOFILE, &old);
    limit = old;
    limit.rlim_cur = 100;
    setrlimit(RLIMIT_NOFILE, &limit);
    CHECK_INT(scion_container_open("set.sion", &mode, &container), 0);
    CHECK_INT(scion_container_ntasks(container), 300);
    for (i = 0; i < 900; i++) {
        int task = i * 7 % 300;

        CHECK_INT(scion_container_seek(container, task, 0, 0), 0);
        CHECK_INT(scion_stream_read(scion_container_stream(container), &value, 4), 1);
        CHECK_INT(value, task);
    }
    CHECK_INT(scion_container_close(container), 0);
    setrlimit(RLIMIT_NOFILE, &old);
}

/* Tables that are close together are read by one system call. */
static void a_small_file_is_read_by_few_calls(void)
{
    struct scion_physical *physical;

    write_set(2, 0);
    scion_fault_arm(0, 0, 0, 0);
    CHECK_INT(scion_physical_read("set.sion", &physical), 0);
    CHECK_INT(physical->used[0], 4);
    CHECK_INT(physical->mapping.size, 2);
    CHECK_INT(scion_fault_count(SCION_FAULT_PREAD), 1);
    CHECK_INT(scion_fault_count(SCION_FAULT_FSTAT), 1);
    CHECK_INT(scion_physical_close(physical), 0);
    scion_fault_disarm();
}

static void the_prefix_in_a_file_is_not_followed(void)
{
    const struct scion_mode mode = parse("r");
    struct scion_container *container;
    struct scion_physical *physical;

    /* write_set() stores no prefix; files are found by the name that was opened. */
    CHECK_INT(scion_physical_read("set.sion", &physical), 0);
    CHECK_STR(physical->head.prefix, "");
    CHECK_INT(scion_physical_close(physical), 0);
    CHECK_INT(scion_container_open("./set.sion", &mode, &container), 0);
    CHECK_INT(scion_container_close(container), 0);
}

static void members_of_another_kind_are_refused(void)
{
    const struct scion_mode mode = parse("r");
    struct scion_container *container;
    int rank = 3;

    support_copy("set.sion.000003", "kept");
    support_copy("set.sion.000004", "set.sion.000003");
    CHECK_INT(scion_container_open("set.sion", &mode, &container), SION_ERR_DAMAGED);
    CHECK_CONTAINS(scion_error_text(), "set.sion.000003 says it is file 4 of 300, not file 3");
    CHECK_INT(scion_container_open_rank("set.sion", &mode, rank, &container), SION_ERR_DAMAGED);
    support_copy("kept", "set.sion.000003");
    CHECK_INT(scion_container_open_rank("set.sion", &mode, rank, &container), 0);
    CHECK_INT(scion_container_close(container), 0);
}

/* Header values are those of file 0; only the distance of chunks is that of the task's file. */
static void a_set_shows_the_header_of_its_first_file(void)
{
    static const struct scion_mode mode = {.keyval = SION_KEYVAL_NOTSET};
    struct scion_container *container;
    struct scion_locations locations;
    sion_int64 start;
    int rank;

    write_set(3, 1);
    CHECK_INT(scion_container_open("set.sion", &mode, &container), 0);
    start = scion_container_file(container, 0)->start_of_varheader;
    for (rank = 0; rank < 3; rank++) {
        CHECK_INT(scion_container_select(container, rank), 0);
        CHECK_INT(scion_container_filenumber(container), 0);
        CHECK_INT(scion_container_locations(container, &locations), 0);
        CHECK_INT(locations.globalskip, 16 * (3 - rank));
        CHECK_INT(locations.start_of_varheader, start);
        CHECK_INT(locations.chunksizes[rank], 16 * (3 - rank));
    }
    CHECK_STR(scion_container_name(container), "set.sion");
    CHECK_INT(scion_container_close(container), 0);
}

/* SIONlib's mapped writer may leave -1 as used bytes: that chunk is empty, the others are read. */
static void chunks_of_unknown_length_are_empty(void)
{
    static const struct scion_mode mode = {.keyval = SION_KEYVAL_NOTSET};
    const sion_int64 unknown = -1;
    struct scion_container *container;
    struct scion_file *file;
    char *warning;
    int at_end = 0, number;

    write_set(2, 0);
    CHECK_INT(scion_container_open("set.sion", &mode, &container), 0);
    CHECK_INT(scion_file_open("set.sion", SCION_OPEN_WRITE, 0, &file), 0);
    CHECK_INT(scion_file_write(file, &unknown, 8,
                               scion_container_file(container, 0)->start_of_varheader + 8, NULL),
              0);
    CHECK_INT(scion_file_close(file), 0);
    CHECK_INT(scion_container_close(container), 0);
    CHECK_INT(scion_container_open("set.sion", &mode, &container), 0);
    warning = scion_warning_take();
    CHECK_CONTAINS(warning ? warning : "", "chunk 0 of task 0");
    free(warning);
    CHECK(scion_warning_take() == NULL);
    CHECK_INT(scion_stream_at_end(scion_container_stream(container), &at_end), 0);
    CHECK_INT(at_end, 1);
    CHECK_INT(scion_container_select(container, 1), 0);
    CHECK_INT(scion_stream_read(scion_container_stream(container), &number, 4), 1);
    CHECK_INT(number, 1);
    CHECK_INT(scion_container_close(container), 0);
}

/* Tables that do not fit after the data are written before them, and the file can be read. */
static void tables_fit_before_the_data_on_a_full_disk(void)
{
    const struct scion_mode writing = parse("w,posix"), reading = parse("r");
    const sion_int64 chunksize = 1000;
    const int rank = 0;
    const struct scion_serial_plan plan = {.name = "full.sion",
                                           .mode = &writing,
                                           .ntasks = 1,
                                           .fsblksize = 4096,
                                           .chunksizes = &chunksize,
                                           .globalranks = &rank};
    struct scion_container *container;
    char data[3];

    scion_fault_arm(0, 0, 0, 0);
    CHECK_INT(scion_container_create(&plan, &container), 0);
    CHECK_INT(scion_stream_write(scion_container_stream(container), "abc", 3), 1);
    scion_fault_arm(1 << SCION_FAULT_PWRITE, 1, 1, ENOSPC);
    CHECK_INT(scion_container_close(container), SION_ERR_SYSTEM);
    CHECK_CONTAINS(scion_error_text(), "No space left");
    scion_fault_disarm();
    CHECK_INT(scion_container_open("full.sion", &reading, &container), 0);
    CHECK_INT(scion_container_file(container, 0)->start_of_varheader, 1088 + 16);
    CHECK_INT(scion_stream_read(scion_container_stream(container), data, 3), 1);
    CHECK(memcmp(data, "abc", 3) == 0);
    CHECK_INT(scion_container_close(container), 0);
}

/* The files of a killed writer are refused for the right reason. */
static void files_of_killed_writers_were_never_closed(void)
{
    const struct scion_mode writing = parse("w"), reading = parse("r");
    const sion_int64 sizes[3] = {1000, 1000, 1000};
    const int ranks[3] = {0, 1, 2};
    const struct scion_serial_plan plan = {.name = "killed.sion",
                                           .mode = &writing,
                                           .ntasks = 3,
                                           .fsblksize = 512,
                                           .chunksizes = sizes,
                                           .globalranks = ranks};
    struct scion_container *container, *refused;

    CHECK_INT(scion_container_create(&plan, &container), 0);
    CHECK_INT(scion_stream_write(scion_container_stream(container), "abc", 3), 1);
    CHECK_INT(scion_container_open("killed.sion", &reading, &refused), SION_ERR_NOT_CLOSED);
    CHECK_INT(scion_stream_flush(scion_container_stream(container)), 0);
    CHECK_INT(scion_container_open("killed.sion", &reading, &refused), SION_ERR_NOT_CLOSED);
    CHECK_INT(scion_container_close(container), 0);
    CHECK_INT(scion_container_open("killed.sion", &reading, &container), 0);
    CHECK_INT(scion_container_close(container), 0);
}

static long most_memory(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss * 1024;
}

static void write_many(int ntasks)
{
    const struct scion_mode mode = parse("w");
    sion_int64 *chunksizes = calloc((size_t)ntasks, sizeof *chunksizes);
    int *ranks = calloc((size_t)ntasks, sizeof *ranks);
    const struct scion_serial_plan plan = {"many.sion", &mode, ntasks, 16, chunksizes, ranks};
    struct scion_container *container;
    int i;

    for (i = 0; i < ntasks; i++) {
        chunksizes[i] = 16;
        ranks[i] = i;
    }
    CHECK_INT(scion_container_create(&plan, &container), 0);
    CHECK_INT(scion_container_select(container, ntasks / 2), 0);
    CHECK_INT(scion_stream_write(scion_container_stream(container), "abc", 3), 1);
    CHECK_INT(scion_container_close(container), 0);
    free(chunksizes);
    free(ranks);
}

enum { MANY = 300000 };

/* Visit three tasks. The close must take less memory than the lengths of half of the tasks. */
static int close_after_a_visit(void)
{
    const struct scion_mode mode = {.access = SCION_ACCESS_READ};
    struct scion_container *container;
    sion_int64 count, *used;
    char data[4];
    long before;

    if (scion_container_open("many.sion", &mode, &container) != 0 ||
        scion_container_select(container, MANY / 2) != 0 ||
        scion_stream_read(scion_container_stream(container), data, 3) != 1 ||
        scion_container_task_chunks(container, &count, &used) != 0 || used[0] != 3 ||
        scion_container_seek(container, MANY - 1, SION_END_POS, 0) != 0)
        return 0;
    before = most_memory();
    return scion_container_close(container) == 0 &&
           most_memory() - before < MANY / 2 * (long)sizeof(struct scion_lengths);
}

/* Runs in a process of its own, so that the writer's peak does not count. */
static void a_close_looks_at_visited_tasks_only(void)
{
    pid_t child;
    int status;

    write_many(MANY);
    child = fork();
    if (child == 0)
        _exit(close_after_a_visit() ? 0 : 1);
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK_INT(status, 0);
}

int main(void)
{
    support_enter_folder();
    RUN(a_set_may_have_more_files_than_there_are_descriptors);
    RUN(the_prefix_in_a_file_is_not_followed);
    RUN(members_of_another_kind_are_refused);
    RUN(a_set_shows_the_header_of_its_first_file);
    RUN(chunks_of_unknown_length_are_empty);
    RUN(tables_fit_before_the_data_on_a_full_disk);
    RUN(files_of_killed_writers_were_never_closed);
    RUN(a_close_looks_at_visited_tasks_only);
    RUN(a_small_file_is_read_by_few_calls);
    support_leave_folder();
    return check_done();
}
