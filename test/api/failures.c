/* System calls that fail at every step of a container's life: one clear error and no leak. */
#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>

#include "sion.h"

#include "support.h"
#include "vfs/fault.h"

static char name[] = "c.sion";
static unsigned char data[300000];

static int create(const char *mode)
{
    int n = 3, nfiles = 1, ranks[3] = {0, 1, 2}, *r = ranks;
    sion_int64 sizes[3] = {1000, 200000, 50}, *s = sizes;
    sion_int32 fs = 512;

    return sion_open(name, mode, &n, &nfiles, &s, &fs, &r, NULL);
}

/* A descriptor that cannot be made is none. */
static void no_descriptor_is_left_for_the_program(void)
{
    int sid;

    scion_fault_arm(0, 0, 0, 0);
    sid = create("bw,posix");
    scion_fault_arm(1u << SCION_FAULT_DUP, 1, 1, EMFILE);
    CHECK_INT(sion_get_fd(sid), -1);
    CHECK_INT(scion_fault_hits(), 1);
    scion_fault_disarm();
    CHECK(sion_get_fd(sid) >= 0);
    CHECK_INT(sion_close(sid), 1);
}

/* Write a container. Returns the number of calls that returned a failure. */
static int write_container(const char *mode)
{
    int sid = create(mode), task, bad = 0;

    if (sid < 0)
        return 1;
    for (task = 0; task < 3; task++) {
        bad += sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS) != 1;
        check_fill(data, task, 0, 50);
        bad += sion_fwrite(data, 1, 50, sid) != 50;
    }
    check_fill(data, 1, 50, 150000);
    bad += sion_seek(sid, 1, SION_CURRENT_BLK, SION_CURRENT_POS) != 1;
    bad += sion_fwrite(data, 1, 150000, sid) != 150000;
    bad += sion_flush(sid) != 1;
    return bad + (sion_close(sid) != 1);
}

static int read_container(const char *mode)
{
    int n, nfiles, sid = sion_open(name, mode, &n, &nfiles, NULL, NULL, NULL, NULL), bad = 0;
    long total = 0;

    if (sid < 0)
        return 1;
    bad += sion_seek(sid, 1, 0, 0) != 1;
    while (!bad && !sion_feof(sid)) {
        size_t left = (size_t)sion_bytes_avail_in_block(sid);

        left = left > 40000 ? 40000 : left;
        bad += sion_fread(data, 1, left, sid) != left || check_compare(data, 1, total, left) != -1;
        total += (long)left;
    }
    bad += total != 150050;
    return bad + (sion_close(sid) != 1);
}

/* Removes the lock's file, which stays as an empty one if it could not be looked at. */
static int is_left(const char *lock)
{
    return unlink(lock) == 0;
}

/* Let the nth system call fail, for all n until none does. */
static void fail_everywhere(int (*run)(const char *), const char *mode, unsigned mask)
{
    int descriptors = support_descriptors();
    long n = 0;

    do {
        n++;
        support_catch();
        scion_fault_arm(mask, n, 1, EIO);
        if (run(mode) == 0)
            CHECK(scion_fault_hits() == 0 || is_left(".c.sion.lock"));
        else
            CHECK(support_errors > 0 && scion_fault_hits() == 1);
        CHECK_INT(support_descriptors(), descriptors);
    } while (scion_fault_hits() > 0 && n < 1000);
    CHECK(n > 2);
    scion_fault_disarm();
}

enum {
    ALL_BUT_UNLINK =
        (1 << SCION_FAULT_CALLS) - 1 - (1 << SCION_FAULT_UNLINK) - (1 << SCION_FAULT_FSTAT)
};

/* A lock file that cannot be looked at is tried once more. */
static void each_call_of_a_writer_may_fail(void)
{
    fail_everywhere(write_container, "bw", ALL_BUT_UNLINK & ~(1 << SCION_FAULT_LSTAT));
    fail_everywhere(write_container, "bw,posix", ALL_BUT_UNLINK & ~(1 << SCION_FAULT_LSTAT));
}

static void each_call_of_a_reader_may_fail(void)
{
    CHECK_INT(write_container("bw"), 0);
    fail_everywhere(read_container, "br", ALL_BUT_UNLINK);
    fail_everywhere(read_container, "br,posix", ALL_BUT_UNLINK);
}

static void short_transfers_and_interruptions_do_not_matter(void)
{
    scion_fault_arm(ALL_BUT_UNLINK & ~(1u << SCION_FAULT_CLOSE), 1, 3, EINTR);
    scion_fault_limit_transfers(1000);
    CHECK_INT(write_container("bw"), 0);
    CHECK_INT(scion_fault_hits(), 3);
    scion_fault_arm(1 << SCION_FAULT_PREAD, 2, 3, EINTR);
    CHECK_INT(read_container("br"), 0);
    CHECK_INT(scion_fault_hits(), 3);
    scion_fault_disarm();
}

static void a_failed_open_leaves_no_file(void)
{
    unlink(name);
    support_catch();
    scion_fault_arm(1 << SCION_FAULT_PWRITE, 1, 1, ENOSPC);
    CHECK_INT(create("bw"), -1);
    CHECK_CONTAINS(support_message, "No space left");
    scion_fault_disarm();
    CHECK(access(name, F_OK) != 0);
}

/* An open that is refused leaves the old file as it was. */
static void a_refused_open_keeps_the_old_container(void)
{
    int n = 1, nfiles = 1, rank = 0, *r = &rank, sid;
    sion_int64 size = INT64_MAX, *s = &size;
    sion_int32 fs = 512;

    CHECK_INT(write_container("bw"), 0);
    support_catch();
    CHECK_INT(sion_open(name, "bw", &n, &nfiles, &s, &fs, &r, NULL), -1);
    CHECK_INT(support_errors, 1);
    CHECK_INT(read_container("br"), 0);
    scion_fault_arm(1 << SCION_FAULT_FTRUNCATE, 1, 1, EIO);
    sid = create("bw");
    scion_fault_disarm();
    CHECK_INT(sid, -1);
    CHECK_INT(read_container("br"), 0);
}

static void chunks_beyond_the_largest_offset_are_refused(void)
{
    int n = 1, nfiles = 1, rank = 0, *r = &rank, sid;
    sion_int64 size = INT64_C(1) << 61, *s = &size;
    sion_int32 fs = 512;

    support_catch();
    sid = sion_open(name, "bw", &n, &nfiles, &s, &fs, &r, NULL);
    CHECK(sid >= 0);
    CHECK_INT(sion_ensure_free_space(sid, size), 1);
    CHECK_INT(sion_fwrite(data, 1, 3, sid), 3);
    CHECK_INT(support_errors, 0);
    /* No file can hold two such chunks. */
    CHECK_INT(sion_ensure_free_space(sid, size), 1);
    CHECK_INT(sion_ensure_free_space(sid, size), 1);
    CHECK_INT(sion_close(sid) == 1 || sion_error_code() == SION_ERR_SYSTEM, 1);
    size = INT64_C(1) << 62;
    sid = sion_open(name, "bw", &n, &nfiles, &s, &fs, &r, NULL);
    CHECK_INT(sion_fwrite(data, 1, 3, sid), 3);
    CHECK_INT(sion_ensure_free_space(sid, size), 0);
    CHECK_CONTAINS(sion_error_text(), "beyond the largest offset");
    sion_close(sid);
}

/* The bytes that exist can be read, although the buffer asks for more. */
static void a_file_truncated_while_it_is_read_is_an_error(void)
{
    int n, nfiles, sid;

    CHECK_INT(write_container("bw"), 0);
    sid = sion_open(name, "br", &n, &nfiles, NULL, NULL, NULL, NULL);
    CHECK_INT(sion_seek(sid, 1, 0, 0), 1);
    CHECK_INT(truncate(name, 10000), 0);
    support_catch();
    CHECK_INT(sion_fread(data, 1, 1000, sid), 1000);
    CHECK_INT(check_compare(data, 1, 0, 1000), -1);
    CHECK_INT(sion_fread(data, 1, 20000, sid), 0);
    CHECK_CONTAINS(support_message, "cut off");
    CHECK_INT(sion_get_bytes_read(sid), 1000);
    CHECK_INT(sion_close(sid), 1);
}

/* After the FILE* has lost bytes, nothing more is written: there is no hole, and nothing shifts. */
static void a_stream_ends_after_its_last_good_byte(void)
{
    FILE *fp;
    int sid, n, nfiles, i, accepted = 0;

    scion_fault_arm(0, 0, 0, 0);
    sid = create("bw");
    CHECK_INT(sion_seek_fp(sid, 1, 0, 0, &fp), 1);
    support_catch();
    scion_fault_arm(1 << SCION_FAULT_PWRITE, 2, 1, ENOSPC);
    for (i = 0; i < 300; i++) {
        check_fill(data, 1, 500L * i, 500);
        accepted += sion_fwrite(data, 1, 500, sid) == 500;
    }
    scion_fault_disarm();
    CHECK(accepted < 300);
    CHECK_INT(sion_close(sid), 0);
    sid = sion_open(name, "br", &n, &nfiles, NULL, NULL, NULL, NULL);
    CHECK_INT(sion_seek(sid, 1, 0, 0), 1);
    n = (int)sion_bytes_avail_in_block(sid);
    CHECK(n > 0 && n <= 500 * accepted);
    CHECK_INT(sion_fread(data, 1, (size_t)n, sid), n);
    CHECK_INT(check_compare(data, 1, 0, (size_t)n), -1);
    CHECK_INT(sion_close(sid), 1);
}

static void records_before_a_full_disk_are_kept(void)
{
    int sid, n, nfiles;

    support_catch();
    scion_fault_arm(1 << SCION_FAULT_PWRITE, 0, 0, 0);
    sid = create("bw,posix");
    CHECK_INT(sion_fwrite(data, 1, 700, sid), 700);
    scion_fault_arm(1 << SCION_FAULT_PWRITE, 1, 1, ENOSPC);
    CHECK_INT(sion_fwrite(data, 1, 500, sid), 0);
    CHECK_CONTAINS(support_message, name);
    CHECK_INT(sion_close(sid), 1);
    scion_fault_disarm();
    sid = sion_open(name, "br", &n, &nfiles, NULL, NULL, NULL, NULL);
    CHECK_INT(sion_bytes_avail_in_block(sid), 700);
    CHECK_INT(sion_close(sid), 1);
}

/* A disk that is really full, if a small one can be mounted. */
static void a_really_full_disk_is_reported(void)
{
    int sid, n = 1, nfiles = 1, rank = 0, *r = &rank, i;
    sion_int64 size = 16 << 20, *s = &size;
    sion_int32 fs = 4096;
    char full[] = "disk/c.sion";

    mkdir("disk", 0777);
    if (mount("none", "disk", "tmpfs", 0, "size=1m") != 0) {
        rmdir("disk");
        SKIP("cannot mount a small file system");
        return;
    }
    support_catch();
    sid = sion_open(full, "bw", &n, &nfiles, &s, &fs, &r, NULL);
    for (i = 0; i < 10 && sion_fwrite(data, 1, sizeof data, sid) == sizeof data;)
        i++;
    CHECK(i > 1 && i < 10);
    CHECK_CONTAINS(support_message, "No space left on device");
    CHECK_INT(sion_close(sid), 0);
    CHECK_CONTAINS(support_message, full);
    /* Data that were accepted can be read: the metadata got their space before the data. */
    sid = sion_open(full, "br", &n, &nfiles, NULL, NULL, NULL, NULL);
    CHECK_INT(sion_bytes_avail_in_block(sid), i * (long long)sizeof data);
    CHECK_INT(sion_fread(data, 1, sizeof data, sid), sizeof data);
    CHECK_INT(sion_close(sid), 1);
    CHECK_INT(umount("disk"), 0);
    rmdir("disk");
}

static void small_records_cost_no_system_calls(void)
{
    int sid = create("bw"), i;
    long calls;

    CHECK_INT(sion_seek(sid, 1, 0, 0), 1);
    CHECK_INT(sion_close(sid), 1);
    scion_fault_arm(0, 0, 0, 0);
    sid = create("bw");
    CHECK_INT(sion_seek(sid, 1, 0, 0), 1);
    CHECK_INT(sion_fwrite(data, 8, 1, sid), 1);
    calls = scion_fault_count_all();
    for (i = 0; i < 1000; i++)
        CHECK_INT(sion_fwrite(data, 8, 1, sid), 1);
    CHECK_INT(scion_fault_count_all(), calls);
    CHECK_INT(sion_fwrite(data, 1, 150000, sid), 150000);
    CHECK_INT(scion_fault_count_all(), calls + 1); /* with the buffered bytes */
    CHECK_INT(sion_close(sid), 1);
    scion_fault_disarm();
}

static void a_new_file_is_not_truncated(void)
{
    int sid;

    unlink(name);
    scion_fault_arm(0, 0, 0, 0);
    sid = create("bw");
    CHECK_INT(sion_close(sid), 1);
    CHECK_INT(scion_fault_count(SCION_FAULT_FTRUNCATE), 0);
    sid = create("bw");
    CHECK_INT(sion_close(sid), 1);
    CHECK_INT(scion_fault_count(SCION_FAULT_FTRUNCATE), 1);
    scion_fault_disarm();
}

/* The number of system calls for 1000 records of 8 bytes in posix mode, without those of an open, a
   seek and a close. */
static long calls_for_small_records(const char *mode)
{
    int sid, i;
    long calls;

    scion_fault_arm(0, 0, 0, 0);
    sid = create(mode);
    CHECK_INT(sion_seek(sid, 1, 0, 0), 1);
    calls = scion_fault_count_all();
    for (i = 0; i < 1000; i++)
        CHECK_INT(sion_fwrite(data, 8, 1, sid), 1);
    calls = scion_fault_count_all() - calls;
    CHECK_INT(sion_close(sid), 1);
    scion_fault_disarm();
    return calls;
}

static void posix_mode_buffers_on_request(void)
{
    CHECK_INT(calls_for_small_records("bw,posix"), 1000);
    CHECK_INT(calls_for_small_records("bw,posix,buffered"), 0);
    CHECK_INT(calls_for_small_records("bw,buffered"), 0);
}

int main(void)
{
    support_enter_folder();
    RUN(no_descriptor_is_left_for_the_program);
    RUN(each_call_of_a_writer_may_fail);
    RUN(each_call_of_a_reader_may_fail);
    RUN(short_transfers_and_interruptions_do_not_matter);
    RUN(a_failed_open_leaves_no_file);
    RUN(a_refused_open_keeps_the_old_container);
    RUN(chunks_beyond_the_largest_offset_are_refused);
    RUN(a_file_truncated_while_it_is_read_is_an_error);
    RUN(a_stream_ends_after_its_last_good_byte);
    RUN(records_before_a_full_disk_are_kept);
    RUN(a_really_full_disk_is_reported);
    RUN(small_records_cost_no_system_calls);
    RUN(a_new_file_is_not_truncated);
    RUN(posix_mode_buffers_on_request);
    support_leave_folder();
    return check_done();
}
