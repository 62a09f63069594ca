/* Files whose transfers are complete, and whose errors name a reason; system calls that fail. */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>

#include "sion_const.h"

#include "base/error.h"
#include "vfs/fault.h"
#include "vfs/path.h"
#include "scratch.h"

enum { BYTES = 5000 };

static unsigned char payload[BYTES];

static struct scion_file *create(const char *name)
{
    struct scion_file *file = NULL;

    CHECK_INT(scion_file_open(scratch_path(name), SCION_OPEN_CREATE, 0666, &file), 0);
    CHECK_INT(scion_file_truncate(file, 0), 0);
    return file;
}

static int file_holds_payload(const char *name, size_t at)
{
    unsigned char bytes[2 * BYTES];
    size_t got = scratch_read(scratch_path(name), bytes, sizeof bytes);

    return got == at + BYTES && memcmp(bytes + at, payload, BYTES) == 0;
}

static void written_bytes_are_read(void)
{
    struct scion_file *file = create("a");
    unsigned char bytes[BYTES];
    size_t done;

    CHECK_INT(scion_file_write(file, payload, BYTES, 100, &done), 0);
    CHECK_INT(done, BYTES);
    CHECK_INT(scion_file_read(file, bytes, BYTES, 100), 0);
    CHECK(memcmp(bytes, payload, BYTES) == 0);
    CHECK_INT(scion_file_close(file), 0);
    CHECK(file_holds_payload("a", 100));
}

static void without_support_for_holes_everything_counts_as_data(void)
{
    struct scion_file *file;
    int is_hole = 1;

    scion_fault_arm(1U << SCION_FAULT_LSEEK, 1, 2, EINVAL);
    file = create("a");
    CHECK_INT(scion_file_write(file, payload, 10, 0, NULL), 0);
    CHECK_INT(scion_file_run(file, 0, 5000, &is_hole), 5000);
    CHECK_INT(is_hole, 0);
    CHECK_INT(scion_fault_hits(), 2);
    CHECK_INT(scion_file_close(file), 0);
    scion_fault_disarm();
}

static void no_bytes_need_no_write(void)
{
    struct scion_file *file = create("a");
    size_t done = 7;

    CHECK_INT(scion_file_write(file, payload, 0, 1000, &done), 0);
    CHECK_INT(done, 0);
    CHECK_INT(scion_file_close(file), 0);
    CHECK_INT(scratch_size(scratch_path("a")), 0);
}

static void creating_keeps_an_old_file(void)
{
    struct scion_file *file;

    scratch_write(scratch_path("old"), payload, BYTES);
    CHECK_INT(scion_file_open(scratch_path("old"), SCION_OPEN_CREATE, 0666, &file), 0);
    CHECK_INT(scion_file_close(file), 0);
    CHECK(file_holds_payload("old", 0));
}

/* The output of a program whose stderr is closed must not go into a container. */
static void the_standard_descriptors_are_not_used(void)
{
    struct scion_file *file = NULL;
    int saved = dup(2), fd;

    close(2);
    CHECK_INT(scion_file_open(scratch_path("a"), SCION_OPEN_CREATE, 0666, &file), 0);
    fd = scion_file_descriptor(file);
    CHECK_INT(scion_file_close(file), 0);
    dup2(saved, 2);
    close(saved);
    CHECK(fd > 2);
}

static void a_pipe_is_refused_at_once(void)
{
    struct scion_file *file;

    mkfifo(scratch_path("pipe"), 0666);
    CHECK_INT(scion_file_open(scratch_path("pipe"), SCION_OPEN_READ, 0, &file), SION_ERR_SYSTEM);
    CHECK_CONTAINS(scion_error_text(), "pipe: not a regular file");
    CHECK_INT(scion_file_open(scratch_path("pipe"), SCION_OPEN_CREATE, 0666, &file),
              SION_ERR_SYSTEM);
    unlink(scratch_path("pipe"));
}

static void opening_for_writing_keeps_the_content_and_does_not_create(void)
{
    struct scion_file *file;

    scratch_write(scratch_path("old"), payload, BYTES);
    CHECK_INT(scion_file_open(scratch_path("old"), SCION_OPEN_WRITE, 0666, &file), 0);
    CHECK_INT(scion_file_close(file), 0);
    CHECK(file_holds_payload("old", 0));
    CHECK_INT(scion_file_open(scratch_path("missing"), SCION_OPEN_WRITE, 0666, &file),
              SION_ERR_SYSTEM);
    CHECK_INT(scion_file_exists(scratch_path("missing")), 0);
}

static void an_open_error_names_file_and_reason(void)
{
    struct scion_file *file;

    CHECK_INT(scion_file_open(scratch_path("missing"), SCION_OPEN_READ, 0, &file), SION_ERR_SYSTEM);
    CHECK_CONTAINS(scion_error_text(), scratch_path("missing"));
    CHECK_CONTAINS(scion_error_text(), "reading");
    CHECK_CONTAINS(scion_error_text(), strerror(ENOENT));
    CHECK_INT(scion_file_open(scratch_path("no/where"), SCION_OPEN_CREATE, 0666, &file),
              SION_ERR_SYSTEM);
    CHECK_CONTAINS(scion_error_text(), "writing");
}

static void a_directory_is_refused(void)
{
    static const enum scion_open_how how[] = {SCION_OPEN_READ, SCION_OPEN_WRITE, SCION_OPEN_CREATE};
    struct scion_file *file;
    int i;

    for (i = 0; i < 3; i++) {
        CHECK_INT(scion_file_open(scratch_directory, how[i], 0666, &file), SION_ERR_SYSTEM);
        CHECK_CONTAINS(scion_error_text(), scratch_directory);
        CHECK_CONTAINS(scion_error_text(), strerror(EISDIR));
    }
}

static void permissions_are_the_requested_ones(void)
{
    mode_t old = umask(022);
    struct scion_file *file;
    struct stat status;

    CHECK_INT(scion_file_open(scratch_path("mode"), SCION_OPEN_CREATE, 0664, &file), 0);
    umask(old);
    CHECK_INT(fstat(scion_file_descriptor(file), &status), 0);
    CHECK_INT(status.st_mode & 0777, 0644);
    scion_file_close(file);
}

static void the_descriptor_is_not_inherited_and_the_path_is_kept(void)
{
    struct scion_file *file = create("a");

    CHECK(fcntl(scion_file_descriptor(file), F_GETFD) & FD_CLOEXEC);
    CHECK_STR(scion_file_path(file), scratch_path("a"));
    scion_file_close(file);
}

static void short_transfers_are_completed(void)
{
    unsigned char bytes[BYTES];
    size_t limit, done;

    for (limit = 1; limit <= 7; limit++) {
        struct scion_file *file;

        scion_fault_limit_transfers(limit);
        scion_fault_arm(0, 0, 0, 0);
        file = create("short");
        CHECK_INT(scion_file_write(file, payload, BYTES, 3, &done), 0);
        CHECK_INT(done, BYTES);
        memset(bytes, 0, sizeof bytes);
        CHECK_INT(scion_file_read(file, bytes, BYTES, 3), 0);
        CHECK(memcmp(bytes, payload, BYTES) == 0);
        CHECK_INT(scion_fault_count(SCION_FAULT_PWRITE), (BYTES + limit - 1) / limit);
        CHECK_INT(scion_file_close(file), 0);
        scion_fault_disarm();
        CHECK(file_holds_payload("short", 3));
    }
}

static void interrupted_calls_are_repeated(void)
{
    unsigned char bytes[BYTES];
    struct scion_file *file;
    size_t done;

    scion_fault_arm(1u << SCION_FAULT_OPEN, 1, 2, EINTR);
    file = create("intr");
    CHECK_INT(scion_fault_hits(), 2);
    scion_fault_arm(1u << SCION_FAULT_PWRITE | 1u << SCION_FAULT_PREAD, 1, 3, EINTR);
    CHECK_INT(scion_file_write(file, payload, BYTES, 0, &done), 0);
    CHECK_INT(done, BYTES);
    scion_fault_arm(1u << SCION_FAULT_PREAD | 1u << SCION_FAULT_CLOSE, 1, 3, EINTR);
    CHECK_INT(scion_file_read(file, bytes, BYTES, 0), 0);
    CHECK(memcmp(bytes, payload, BYTES) == 0);
    scion_fault_arm(1u << SCION_FAULT_FSYNC, 1, 3, EINTR);
    CHECK_INT(scion_file_sync(file), 0);
    CHECK_INT(scion_sync_folder_of("intr"), 0);
    scion_fault_arm(1u << SCION_FAULT_FTRUNCATE | 1u << SCION_FAULT_OPEN, 1, 3, EINTR);
    CHECK_INT(scion_file_truncate(file, 10), 0);
    scion_fault_arm(1u << SCION_FAULT_CLOSE, 1, 1, EINTR);
    CHECK_INT(scion_file_close(file), 0);
    scion_fault_disarm();
}

static void a_call_that_is_always_interrupted_fails(void)
{
    struct scion_file *file;
    size_t done;

    scion_fault_arm(0, 0, 0, 0);
    file = create("intr");
    scion_fault_arm(1u << SCION_FAULT_PWRITE | 1u << SCION_FAULT_FSYNC, 1, LONG_MAX, EINTR);
    CHECK_INT(scion_file_write(file, payload, BYTES, 0, &done), SION_ERR_SYSTEM);
    CHECK_INT(done, 0);
    CHECK_INT(scion_file_sync(file), SION_ERR_SYSTEM);
    scion_fault_disarm();
    CHECK_INT(scion_file_close(file), SION_ERR_SYSTEM); /* it remembers the sync */
}

static void a_transfer_can_be_halved(void)
{
    struct scion_file *file;
    size_t done;

    scion_fault_arm(0, 0, 0, 0);
    file = create("half");
    scion_fault_arm(1u << SCION_FAULT_PWRITE, 2, 1, SCION_FAULT_SHORTER);
    CHECK_INT(scion_file_write(file, payload, 1, 0, &done), 0);
    CHECK_INT(scion_file_write(file, payload, BYTES, 0, &done), 0);
    CHECK_INT(done, BYTES);
    CHECK_INT(scion_fault_count(SCION_FAULT_PWRITE), 3);
    scion_fault_disarm();
    CHECK_INT(scion_file_close(file), 0);
}

/* Two runs of `first` and BYTES - first bytes, with at most `limit` bytes a call; 0: no limit. The
   second call is interrupted. */
static void write_two(size_t first, size_t limit)
{
    const struct iovec runs[2] = {{payload, first}, {payload + first, BYTES - first}};
    struct scion_file *file;
    size_t done = 7;

    scion_fault_limit_transfers(limit);
    scion_fault_arm(1u << SCION_FAULT_PWRITE, 2, 1, EINTR);
    file = create("two");
    CHECK_INT(scion_file_write_two(file, runs, 3, &done), 0);
    CHECK_INT(done, BYTES);
    CHECK_INT(scion_fault_count(SCION_FAULT_PWRITE),
              limit > 0 ? (BYTES + limit - 1) / limit + 1 : 1);
    CHECK_INT(scion_file_close(file), 0);
    scion_fault_disarm();
    CHECK(file_holds_payload("two", 3));
}

static void two_runs_are_written_by_one_call(void)
{
    size_t limit;

    for (limit = 0; limit <= 4000; limit += 1000) {
        write_two(0, limit);
        write_two(1, limit);
        write_two(1000, limit);
        write_two(1001, limit);
        write_two(BYTES - 1, limit);
        write_two(BYTES, limit);
    }
}

static void a_full_disk_is_reported_with_the_bytes_of_both_runs(void)
{
    const struct iovec runs[2] = {{payload, 1500}, {payload + 1500, BYTES - 1500}};
    struct scion_file *file;
    long k;

    for (k = 1; k <= 3; k++) {
        size_t done = 7;

        scion_fault_limit_transfers(1000);
        scion_fault_arm(1u << SCION_FAULT_PWRITE, k, 1000, ENOSPC);
        file = create("full");
        CHECK_INT(scion_file_write_two(file, runs, 0, &done), SION_ERR_SYSTEM);
        CHECK_INT(done, (k - 1) * 1000);
        CHECK_INT(scion_file_close(file), 0);
        scion_fault_disarm();
        CHECK_INT(scratch_size(scratch_path("full")), (k - 1) * 1000);
    }
}

static void a_full_disk_is_reported_with_the_bytes_done(void)
{
    size_t done, limit = 1000;
    struct scion_file *file;

    scion_fault_limit_transfers(limit);
    scion_fault_arm(1u << SCION_FAULT_PWRITE, 4, 1000, ENOSPC);
    file = create("full");
    CHECK_INT(scion_file_write(file, payload, BYTES, 0, &done), SION_ERR_SYSTEM);
    CHECK_INT(done, 3 * limit);
    CHECK_CONTAINS(scion_error_text(), strerror(ENOSPC));
    CHECK_CONTAINS(scion_error_text(), scratch_path("full"));
    CHECK_CONTAINS(scion_error_text(), "2000 bytes at offset 3000");
    CHECK_INT(scion_file_write(file, payload, BYTES, 0, NULL), SION_ERR_SYSTEM);
    CHECK_INT(scion_file_close(file), 0);
    scion_fault_disarm();
    CHECK_INT(scratch_size(scratch_path("full")), 3 * limit);
}

static void a_read_error_is_reported_with_the_bytes_got(void)
{
    unsigned char bytes[BYTES];
    struct scion_file *file;
    size_t got;

    scratch_write(scratch_path("bad"), payload, BYTES);
    scion_fault_limit_transfers(100);
    scion_fault_arm(1u << SCION_FAULT_PREAD, 3, 1000, EIO);
    CHECK_INT(scion_file_open(scratch_path("bad"), SCION_OPEN_READ, 0, &file), 0);
    CHECK_INT(scion_file_read_some(file, bytes, BYTES, 0, &got), SION_ERR_SYSTEM);
    CHECK_INT(got, 200);
    CHECK_CONTAINS(scion_error_text(), strerror(EIO));
    CHECK_CONTAINS(scion_error_text(), scratch_path("bad"));
    scion_file_close(file);
    scion_fault_disarm();
}

static void reads_beyond_the_end_fail_or_return_the_number(void)
{
    unsigned char bytes[BYTES];
    struct scion_file *file;
    size_t got = 77;

    scratch_write(scratch_path("end"), payload, 100);
    CHECK_INT(scion_file_open(scratch_path("end"), SCION_OPEN_READ, 0, &file), 0);
    CHECK_INT(scion_file_read(file, bytes, 100, 1), SION_ERR_DAMAGED);
    CHECK_CONTAINS(scion_error_text(), "cut off: 99 of 100 bytes");
    CHECK_INT(scion_file_read_some(file, bytes, 100, 40, &got), 0);
    CHECK_INT(got, 60);
    CHECK_INT(scion_file_read_some(file, bytes, 100, 100, &got), 0);
    CHECK_INT(got, 0);
    CHECK_INT(scion_file_read_some(file, bytes, 100, 1 << 30, &got), 0);
    CHECK_INT(got, 0);
    scion_file_close(file);
}

static void a_file_opened_for_reading_cannot_be_written(void)
{
    struct scion_file *file;

    scratch_write(scratch_path("ro"), payload, 100);
    CHECK_INT(scion_file_open(scratch_path("ro"), SCION_OPEN_READ, 0, &file), 0);
    CHECK_INT(scion_file_write(file, payload, 1, 0, NULL), SION_ERR_SYSTEM);
    CHECK_INT(scion_file_truncate(file, 0), SION_ERR_SYSTEM);
    scion_file_close(file);
    CHECK_INT(scratch_size(scratch_path("ro")), 100);
}

static void transfers_keep_the_offset_of_the_descriptor(void)
{
    struct scion_file *file = create("a");
    sion_int64 offset = -1, size;
    unsigned char bytes[10];

    CHECK_INT(scion_file_seek(file, 1234), 0);
    CHECK_INT(scion_file_write(file, payload, 100, 0, NULL), 0);
    CHECK_INT(scion_file_read(file, bytes, 10, 50), 0);
    CHECK_INT(scion_file_tell(file, &offset), 0);
    CHECK_INT(offset, 1234);
    CHECK_INT(scion_file_seek(file, -1), SION_ERR_SYSTEM);
    CHECK_INT(scion_file_truncate(file, 77), 0);
    CHECK_INT(scion_file_size(file, &size), 0);
    CHECK_INT(size, 77);
    CHECK_INT(scion_file_sync(file), 0);
    scion_file_close(file);
}

/* Synced through another descriptor, which is closed at once; without a name, through its own. */
static void only_files_with_bytes_are_truncated(void)
{
    struct scion_file *file;

    scion_fault_arm(0, 0, 0, 0);
    file = create("cut");
    scion_fault_arm(0, 0, 0, 0);
    CHECK_INT(scion_file_truncate(file, 0), 0);
    CHECK_INT(scion_fault_count(SCION_FAULT_FTRUNCATE), 0);
    CHECK_INT(scion_file_write(file, payload, 100, 0, NULL), 0);
    CHECK_INT(scion_file_truncate(file, 0), 0);
    CHECK_INT(scratch_size(scratch_path("cut")), 0);
    CHECK_INT(scion_fault_count(SCION_FAULT_FTRUNCATE), 1);
    CHECK_INT(scion_fault_count(SCION_FAULT_OPEN), 1);
    CHECK_INT(scion_fault_count(SCION_FAULT_CLOSE), 1);
    CHECK_INT(scion_file_write(file, payload, 100, 0, NULL), 0);
    scratch_write(scratch_path("other"), payload, 50);
    CHECK_INT(rename(scratch_path("other"), scratch_path("cut")), 0);
    CHECK_INT(scion_file_truncate(file, 10), 0);
    CHECK_INT(scratch_size(scratch_path("cut")), 50);
    scion_file_close(file);
    scion_fault_disarm();
}

static void failing_calls_are_errors_with_the_name(void)
{
    sion_int64 number;
    struct scion_file *file;
    unsigned all = 1u << SCION_FAULT_LSEEK | 1u << SCION_FAULT_FSYNC | 1u << SCION_FAULT_FTRUNCATE |
                   1u << SCION_FAULT_FSTAT | 1u << SCION_FAULT_CLOSE;

    scion_fault_arm(0, 0, 0, 0);
    file = create("fails");
    scion_fault_arm(all, 1, 100, EIO);
    CHECK_INT(scion_file_tell(file, &number), SION_ERR_SYSTEM);
    CHECK_INT(scion_file_seek(file, 0), SION_ERR_SYSTEM);
    CHECK_INT(scion_file_sync(file), SION_ERR_SYSTEM);
    CHECK_INT(scion_file_truncate(file, 0), SION_ERR_SYSTEM);
    CHECK_INT(scion_file_size(file, &number), SION_ERR_SYSTEM);
    CHECK_INT(scion_file_close(file), SION_ERR_SYSTEM);
    CHECK_CONTAINS(scion_error_text(), scratch_path("fails"));
    CHECK_CONTAINS(scion_error_text(), strerror(EIO));
    CHECK_INT(scion_fault_hits(), 6);
    scion_fault_disarm();
}

static void files_without_support_need_no_sync(void)
{
    struct scion_file *file;

    scion_fault_arm(0, 0, 0, 0);
    file = create("sync");
    scion_fault_arm(1u << SCION_FAULT_FSYNC, 1, 1, EINVAL);
    CHECK_INT(scion_file_sync(file), 0);
    scion_fault_disarm();
    scion_file_close(file);
}

static void closing_nothing_is_no_error(void)
{
    CHECK_INT(scion_file_close(NULL), 0);
}

static void only_regular_files_are_removed(void)
{
    scratch_write(scratch_path("regular"), payload, 10);
    CHECK_INT(mkfifo(scratch_path("fifo"), 0600), 0);
    CHECK_INT(symlink("regular", scratch_path("link")), 0);
    scion_file_remove(scratch_path("fifo"));
    scion_file_remove(scratch_path("link"));
    scion_file_remove(scratch_directory);
    scion_file_remove(scratch_path("missing"));
    CHECK_INT(scion_file_exists(scratch_path("fifo")), 1);
    CHECK_INT(scion_file_exists(scratch_path("link")), 1);
    CHECK_INT(scion_file_exists(scratch_directory), 1);
    scion_file_remove(scratch_path("regular"));
    CHECK_INT(scion_file_exists(scratch_path("regular")), 0);
}

static void devices_are_refused(void)
{
    struct scion_file *file;

    CHECK_INT(scion_file_open("/dev/null", SCION_OPEN_WRITE, 0, &file), SION_ERR_SYSTEM);
    CHECK_INT(scion_file_open("/dev/null", SCION_OPEN_CREATE, 0, &file), SION_ERR_SYSTEM);
    CHECK_CONTAINS(scion_error_text(), "/dev/null: not a regular file");
}

int main(void)
{
    scratch_begin();
    check_fill(payload, 1, 0, sizeof payload);
    RUN(written_bytes_are_read);
    RUN(without_support_for_holes_everything_counts_as_data);
    RUN(no_bytes_need_no_write);
    RUN(creating_keeps_an_old_file);
    RUN(the_standard_descriptors_are_not_used);
    RUN(a_pipe_is_refused_at_once);
    RUN(opening_for_writing_keeps_the_content_and_does_not_create);
    RUN(an_open_error_names_file_and_reason);
    RUN(a_directory_is_refused);
    RUN(permissions_are_the_requested_ones);
    RUN(the_descriptor_is_not_inherited_and_the_path_is_kept);
    RUN(short_transfers_are_completed);
    RUN(interrupted_calls_are_repeated);
    RUN(a_call_that_is_always_interrupted_fails);
    RUN(a_transfer_can_be_halved);
    RUN(two_runs_are_written_by_one_call);
    RUN(a_full_disk_is_reported_with_the_bytes_of_both_runs);
    RUN(a_full_disk_is_reported_with_the_bytes_done);
    RUN(a_read_error_is_reported_with_the_bytes_got);
    RUN(reads_beyond_the_end_fail_or_return_the_number);
    RUN(a_file_opened_for_reading_cannot_be_written);
    RUN(transfers_keep_the_offset_of_the_descriptor);
    RUN(only_files_with_bytes_are_truncated);
    RUN(failing_calls_are_errors_with_the_name);
    RUN(files_without_support_need_no_sync);
    RUN(closing_nothing_is_no_error);
    RUN(only_regular_files_are_removed);
    RUN(devices_are_refused);
    scratch_end();
    return check_done();
}
