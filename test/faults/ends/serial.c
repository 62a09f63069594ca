/*
 * Serial programs that end without a close: what they wrote is in the file, with `recover` it is
 * certain, and one line says so. Each end is that of a child process.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/bindings.h"
#include "ends.h"
#include "sion_recover.h"
#include "sion_serial.h"
#include "sion_stream.h"
#include "support.h"
#include "vfs/fault.h"

#define NAME "x.sion"
#define LOG  "stderr"

enum { N = 3 };

static int open_container(const char *mode, FILE **fp)
{
    sion_int64 sizes[N] = {20000, 20000, 20000}, *chunksizes = sizes;
    int ranks[N] = {0, 1, 2}, *globalranks = ranks, ntasks = N, nfiles = 1;
    sion_int32 fsblksize = 4096;
    char name[] = NAME;

    return sion_open(name, mode, &ntasks, &nfiles, &chunksizes, &fsblksize, &globalranks, fp);
}

static void write_tasks(int sid)
{
    int task;

    for (task = 0; task < N; task++) {
        sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS);
        write_records(sid, task, sion_fwrite);
    }
}

/* Run a program as a child, which returns from it and so exits; its exit status. */
static int run_program(void (*program)(const void *), const void *argument)
{
    int status = -1, log;
    pid_t child;

    unlink(LOG);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        log = open(LOG, O_WRONLY | O_CREAT | O_APPEND, 0600);
        dup2(log, 2);
        sion_error_set_handler(NULL, NULL);
        program(argument);
        exit(0);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int count_lines(const char *part)
{
    char line[2048];
    FILE *log = fopen(LOG, "r");
    int n = 0;

    while (log && fgets(line, sizeof line, log))
        n += strstr(line, part) != NULL;
    if (log)
        fclose(log);
    return n;
}

static void check_all_written(void)
{
    int task;

    for (task = 0; task < N; task++)
        CHECK(has_letters(NAME, task, ALL));
    CHECK_INT(count_lines(NAME " was not closed: "), 1);
    CHECK_INT(count_lines(""), 1);
}

static sion_int64 certain_bytes(int task)
{
    sion_recovery *recovery = sion_recover_open(NAME, 0);
    sion_recover_task found = {.size = sizeof found};

    if (!recovery || sion_recover_get_task(recovery, task, &found) != SION_SUCCESS)
        found.certain = -1;
    if (recovery)
        sion_recover_close(recovery);
    return found.certain;
}

static void write_all(const void *mode)
{
    write_tasks(open_container(mode, NULL));
}

static void all_bytes_are_in_the_file(void)
{
    static const char *const modes[] = {"bw", "bw,posix", "bw,posix,buffered", "bw,sync=flush"};
    size_t i;

    for (i = 0; i < sizeof modes / sizeof *modes; i++) {
        CHECK_INT(run_program(write_all, modes[i]), 0);
        check_all_written();
        CHECK_INT(count_lines("its 150000 bytes are in the file"), 1);
        CHECK_INT(count_lines("'sionrecover --upper-bound -o OUT " NAME "'"), 1);
    }
}

static void all_bytes_are_certain(void)
{
    static const char *const modes[] = {"bw,recover", "bw,recover,posix", "bw,recover,sync=flush"};
    size_t i;
    int task;

    for (i = 0; i < sizeof modes / sizeof *modes; i++) {
        CHECK_INT(run_program(write_all, modes[i]), 0);
        check_all_written();
        for (task = 0; task < N; task++)
            CHECK_INT(certain_bytes(task), ALL);
        CHECK_INT(count_lines("'sionrecover --in-place " NAME "'"), 1);
    }
}

static void write_keys(const void *mode)
{
    int sid = open_container(mode, NULL), i;
    char record[BYTES];

    memset(record, letter_of(0), sizeof record);
    for (i = 0; i < RECORDS; i++)
        sion_fwrite_key(record, 1000 + (uint64_t)i % 8, 1, sizeof record, sid);
}

static void records_with_keys_are_in_the_file(void)
{
    CHECK_INT(run_program(write_keys, "bw,keyval=inline"), 0);
    CHECK(has_letters(NAME, 0, ALL));
    CHECK_INT(run_program(write_keys, "bw,keyval=inline,recover"), 0);
    CHECK(has_letters(NAME, 0, ALL));
    CHECK_INT(certain_bytes(0), RECORDS * (BYTES + 16));
    CHECK_INT(count_lines(NAME " was not closed: "), 1);
}

static void write_stream(const void *mode)
{
    FILE *fp;
    int sid = open_container(mode, &fp), i;
    char record[BYTES];

    memset(record, letter_of(0), sizeof record);
    for (i = 0; i < RECORDS; i++) {
        sion_ensure_free_space(sid, BYTES);
        fwrite(record, 1, sizeof record, fp);
    }
}

static void what_went_through_the_stream_is_in_the_file(void)
{
    CHECK_INT(run_program(write_stream, "bw"), 0);
    CHECK(has_letters(NAME, 0, ALL));
    CHECK_INT(run_program(write_stream, "bw,recover"), 0);
    CHECK(has_letters(NAME, 0, ALL));
    CHECK_INT(certain_bytes(0), ALL);
}

static void write_second(const void *mode)
{
    int sid = open_container(mode, NULL), i;
    FILE *second = fopen(NAME, "r+b");
    char record[BYTES];

    memset(record, letter_of(0), sizeof record);
    fseek(second, (long)sion_get_position(sid), SEEK_SET);
    sion_set_second_fp(sid, second);
    for (i = 0; i < 100; i++)
        fwrite(record, 1, sizeof record, second);
}

static void what_went_through_a_second_stream_is_in_the_file(void)
{
    CHECK_INT(run_program(write_second, "bw"), 0);
    CHECK(has_letters(NAME, 0, 100 * BYTES));
    CHECK_INT(run_program(write_second, "bw,recover"), 0);
    CHECK(has_letters(NAME, 0, 100 * BYTES));
    CHECK_INT(certain_bytes(0), 100 * BYTES);
}

/* ---- who ends, and where ---- */

static int sid_of_handler;

static void close_it(void)
{
    if (sion_close(sid_of_handler) != SION_SUCCESS)
        _exit(9);
}

static void close_in_handler(const void *mode)
{
    sid_of_handler = open_container(mode, NULL);
    write_tasks(sid_of_handler);
}

/* Registered before any container was opened. */
static void close_in_early_handler(const void *mode)
{
    atexit(close_it);
    close_in_handler(mode);
}

static void close_and_read(const void *mode)
{
    int sid = open_container(mode, NULL);

    write_tasks(sid);
    sion_close(sid);
    open_container("br", NULL);
}

static void a_container_that_is_closed_or_read_is_no_matter(void)
{
    CHECK_INT(run_program(close_and_read, "bw"), 0);
    CHECK_INT(count_lines(""), 0);
    CHECK_INT(run_program(close_in_early_handler, "bw"), 0);
    CHECK_INT(count_lines(""), 0);
}

static void fork_child(const void *mode)
{
    FILE *fp = NULL;
    int with_stream = strcmp(mode, "stream") == 0;
    int sid = open_container("bw", with_stream ? &fp : NULL), status;

    if (with_stream)
        fputs("AAAA", fp);
    else
        sion_fwrite("AAAA", 1, 4, sid);
    if (fork() == 0)
        exit(0);
    wait(&status);
    if (count_letters(NAME, 0) != 0)
        _exit(9);
    if (with_stream)
        fputs("BBBB", fp);
    else
        sion_fwrite("BBBB", 1, 4, sid);
    if (sion_close(sid) != SION_SUCCESS)
        _exit(8);
}

static void a_child_of_the_writer_writes_nothing(void)
{
    static const char *const ways[] = {"records", "stream"};
    int i;

    for (i = 0; i < 2; i++) {
        CHECK_INT(run_program(fork_child, ways[i]), 0);
        CHECK_INT(count_lines(""), 0);
        CHECK(has_letters(NAME, 0, 4));
        CHECK(has_letters(NAME, 1, 4));
    }
}

static void end_in_handler(int level, int rank, int rc, const char *text, void *user)
{
    (void)level, (void)rank, (void)rc, (void)text, (void)user;
    exit(7);
}

/* The record is too large, and the message ends the program. */
static void exit_in_a_call(const void *mode)
{
    int sid = open_container(mode, NULL);
    static char large[100000];

    sion_fwrite("AAAA", 1, 4, sid);
    sion_error_set_handler(end_in_handler, NULL);
    sion_fwrite(large, 1, sizeof large, sid);
}

static void an_exit_from_the_error_handler_saves(void)
{
    CHECK_INT(run_program(exit_in_a_call, "bw,recover"), 7);
    CHECK_INT(count_lines(NAME " was not closed: its 4 bytes are certain"), 1);
    CHECK_INT(certain_bytes(0), 4);
}

/* What was published stays what readers see; more: that it writes after that. */
static void publish_and_end(const void *more)
{
    int sid = open_container("bw", NULL);

    sion_fwrite("AAAA", 1, 4, sid);
    sion_publish(sid);
    if (*(const char *)more)
        sion_fwrite(more, 1, strlen(more), sid);
}

static void published_bytes_can_be_read(void)
{
    char data[10] = "";
    int ntasks, nfiles, sid;
    sion_int32 fsblksize;

    CHECK_INT(run_program(publish_and_end, "BB"), 0);
    CHECK_INT(count_lines(NAME " was not closed: of its 6 bytes, readers see all but the last 2"),
              1);
    CHECK_INT(run_program(publish_and_end, ""), 0);
    CHECK_INT(count_lines(NAME " was not closed: its 4 bytes were published, and can be read"), 1);
    sid = sion_open(NAME, "br", &ntasks, &nfiles, NULL, &fsblksize, NULL, NULL);
    CHECK_INT(sion_fread(data, 1, 4, sid), 4);
    CHECK_INT(sion_feof(sid), 1);
    CHECK(strcmp(data, "AAAA") == 0);
    CHECK_INT(sion_close(sid), 1);
}

/* The close ends the program: it has begun, so nobody looks at the container any more. */
static void exit_in_a_close(const void *mode)
{
    int sid;

    scion_fault_arm(0, 0, 0, 0);
    sid = open_container(mode, NULL);
    sion_fwrite("AAAA", 1, 4, sid);
    sion_error_set_handler(end_in_handler, NULL);
    scion_fault_arm(1u << SCION_FAULT_PWRITE, 1, 1000, ENOSPC);
    sion_close(sid);
}

static void an_exit_from_a_close_does_no_harm(void)
{
    CHECK_INT(run_program(exit_in_a_close, "bw"), 7);
    CHECK_INT(count_lines("was not closed"), 0);
}

static atomic_int records_written;

static void *write_forever(void *argument)
{
    int sid = *(int *)argument, i;
    char record[BYTES];

    for (i = 0;; i++) {
        memset(record, 'A' + i % 26, sizeof record);
        sion_fwrite(record, 1, sizeof record, sid);
        records_written = i + 1;
    }
    return NULL;
}

static void exit_beside_a_thread(const void *mode)
{
    static int sid;
    pthread_t thread;

    sid = open_container(mode, NULL);
    pthread_create(&thread, NULL, write_forever, &sid);
    while (records_written < 3000)
        sched_yield();
}

/* The first bytes of task 0 are whole records in their order. */
static int is_in_order(sion_int64 bytes)
{
    sion_recovery *recovery = sion_recover_open(NAME, 0);
    char *data = calloc(1, (size_t)bytes + 1);
    int good = recovery && data && bytes % BYTES == 0 &&
               sion_recover_read(recovery, 0, 0, data, (size_t)bytes) == SION_SUCCESS;
    sion_int64 i;

    for (i = 0; good && i < bytes; i++)
        good = data[i] == 'A' + (int)(i / BYTES % 26);
    free(data);
    sion_recover_close(recovery);
    return good;
}

static void an_exit_beside_a_writing_thread_destroys_nothing(void)
{
    int round;

    for (round = 0; round < 20; round++) {
        sion_int64 certain;

        CHECK_INT(run_program(exit_beside_a_thread, "bw,recover"), 0);
        certain = certain_bytes(0);
        CHECK(certain > 0);
        CHECK(is_in_order(certain));
    }
}

/* ---- compressed streams ---- */

static int can_compress(void)
{
    int sid = open_container("bw,compress=zstd", NULL);

    return sid >= 0 && sion_close(sid) == SION_SUCCESS;
}

static void close_by_recovery(void)
{
    sion_recovery *recovery = sion_recover_open(NAME, 0);

    CHECK(recovery && sion_recover_in_place(recovery) == SION_SUCCESS);
    sion_recover_close(recovery);
}

/* Task 0 of the container: records in their order, the last of which may lack its end; how many
   bytes. */
static sion_int64 count_in_order(void)
{
    enum { MOST = 64 << 20 };
    static char data[MOST];
    int ntasks, nfiles, sid = sion_open(NAME, "rb", &ntasks, &nfiles, NULL, NULL, NULL, NULL);
    sion_int64 bytes = sion_stream_read(sid, data, MOST), i;

    CHECK_INT(sion_close(sid), SION_SUCCESS);
    for (i = 0; i < bytes && data[i] == 'A' + (int)(i / BYTES % 26); i++)
        ;
    CHECK_INT(i, bytes);
    return bytes;
}

static void compressed_records_beside_a_thread(void)
{
    static const char *const modes[] = {"bw,recover,compress=zstd",
                                        "bw,recover,compress=zstd,compress_frame=4096"};
    int round;

    for (round = 0; can_compress() && round < 20; round++) {
        CHECK_INT(run_program(exit_beside_a_thread, modes[round % 2]), 0);
        close_by_recovery();
        CHECK(count_in_order() >= 3000 * BYTES);
    }
}

static void go_on_after_an_end(const void *mode)
{
    int sid = open_container(mode, NULL), i;
    char record[BYTES];

    for (i = 0; i < 26 * 20; i++) {
        memset(record, 'A' + i % 26, sizeof record);
        sion_fwrite(record, 1, sizeof record, sid);
        if (i % 100 == 10)
            sion_layer_lose(sid);
        if (i == 350)
            sion_flush(sid);
    }
    if (sion_get_bytes_written(sid) != 26 * 20 * BYTES)
        _exit(9);
    sion_close(sid);
}

/* Nothing is there twice. */
static void a_container_that_goes_on_after_an_end(void)
{
    static const char *const modes[] = {"bw", "bw,compress=zstd",
                                        "bw,compress=zstd,compress_frame=4096"};
    int i;

    for (i = 0; i < (can_compress() ? 3 : 1); i++) {
        CHECK_INT(run_program(go_on_after_an_end, modes[i]), 0);
        CHECK_INT(count_in_order(), 26 * 20 * BYTES);
    }
}

/* ---- failures ---- */

static void run_out_of_space(const void *mode)
{
    int sid;

    scion_fault_arm(0, 0, 0, 0);
    sid = open_container(mode, NULL);
    sion_fwrite("AAAA", 1, 4, sid);
    scion_fault_arm(1u << SCION_FAULT_PWRITE, 1, 1000, ENOSPC);
}

static void bytes_that_cannot_be_written_are_reported(void)
{
    CHECK_INT(run_program(run_out_of_space, "bw"), 0);
    CHECK_INT(count_lines(NAME " was not closed: not all of its "), 1);
    CHECK_INT(count_lines("No space left"), 1);
}

static void replace_older(const void *mode)
{
    int sid = open_container("bw", NULL);

    sion_fwrite("ZZZZ", 1, 4, sid);
    sion_close(sid);
    write_all(mode);
}

static void an_older_container_stays(void)
{
    CHECK_INT(run_program(replace_older, "bw,atomic"), 0);
    CHECK(has_letters(NAME, 'Z' - 'A', 4));
    CHECK(has_letters(NAME, 0, 0));
    CHECK_INT(count_lines("." NAME), 1);
    CHECK_INT(count_lines(".new was not closed: "), 1);
}

int main(void)
{
    support_enter_folder();
    support_catch();
    RUN(all_bytes_are_in_the_file);
    RUN(all_bytes_are_certain);
    RUN(records_with_keys_are_in_the_file);
    RUN(what_went_through_the_stream_is_in_the_file);
    RUN(what_went_through_a_second_stream_is_in_the_file);
    RUN(a_container_that_is_closed_or_read_is_no_matter);
    RUN(a_child_of_the_writer_writes_nothing);
    RUN(an_exit_from_the_error_handler_saves);
    RUN(published_bytes_can_be_read);
    RUN(an_exit_from_a_close_does_no_harm);
    RUN(an_exit_beside_a_writing_thread_destroys_nothing);
    RUN(compressed_records_beside_a_thread);
    RUN(a_container_that_goes_on_after_an_end);
    RUN(bytes_that_cannot_be_written_are_reported);
    RUN(an_older_container_stays);
    support_leave_folder();
    return check_done();
}
