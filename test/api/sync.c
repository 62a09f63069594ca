/* The mode word `sync`: what the library forces to the disk, in which order, and what happens after
   a failure. */
#include <errno.h>

#include "sion.h"

#include "support.h"
#include "vfs/fault.h"

static int create(const char *mode)
{
    int ntasks = 2, nfiles = 1, ranks[2] = {0, 1}, *ranks_pointer = ranks;
    sion_int64 sizes[2] = {1000, 1000}, *sizes_pointer = sizes;
    sion_int32 fsblksize = 512;

    support_catch();
    return sion_open("sync.sion", mode, &ntasks, &nfiles, &sizes_pointer, &fsblksize,
                     &ranks_pointer, NULL);
}

/* Write a container. Returns the result of its close. */
static int write_container(const char *mode)
{
    int sid = create(mode);

    CHECK_INT(sion_fwrite("0123456789", 1, 10, sid), 10);
    return sion_close(sid);
}

static int count_syncs(const char *mode)
{
    scion_fault_arm(0, 0, 0, 0);
    CHECK_INT(write_container(mode), 1);
    CHECK_INT(support_errors, 0);
    return (int)scion_fault_count(SCION_FAULT_FSYNC);
}

static int can_be_read(void)
{
    int ntasks, nfiles, sid;
    sion_int32 fsblksize;
    char data[10];

    support_catch();
    sid = sion_open("sync.sion", "rb", &ntasks, &nfiles, NULL, &fsblksize, NULL, NULL);
    if (sid < 0)
        return 0;
    CHECK_INT(sion_fread(data, 1, 10, sid), 10);
    CHECK(memcmp(data, "0123456789", 10) == 0);
    return sion_close(sid) == 1;
}

/* Data and META2; the tail; the folder. */
static void the_close_syncs_on_request(void)
{
    CHECK_INT(count_syncs("wb"), 0);
    CHECK_INT(count_syncs("wb,sync=none"), 0);
    CHECK_INT(count_syncs("wb,sync=close"), 3);
    CHECK_INT(count_syncs("wb,posix,sync=flush"), 3);
    setenv("SION_SYNC", "close", 1);
    CHECK_INT(count_syncs("wb"), 3);
    CHECK_INT(count_syncs("wb,sync=none"), 0);
    unsetenv("SION_SYNC");
}

static void a_flush_syncs_on_request(void)
{
    static const struct {
        const char *mode;
        int syncs;
    } table[] = {{"wb", 0}, {"wb,sync=close", 0}, {"wb,sync=flush", 1}, {"wb,posix", 1}};
    size_t i;

    for (i = 0; i < sizeof table / sizeof *table; i++) {
        long before;
        int sid;

        scion_fault_arm(0, 0, 0, 0);
        sid = create(table[i].mode);
        CHECK_INT(sion_fwrite("0123456789", 1, 10, sid), 10);
        before = scion_fault_count(SCION_FAULT_FSYNC);
        CHECK_INT(sion_flush(sid), 1);
        CHECK_INT(scion_fault_count(SCION_FAULT_FSYNC) - before, table[i].syncs);
        CHECK_INT(sion_close(sid), 1);
    }
}

/* The bytes of all tasks, then the commit records of all. */
static void a_flush_syncs_a_file_twice_for_commit_records(void)
{
    static const char *const modes[] = {"wb,posix,recover", "wb,sync=flush,recover"};
    size_t i;

    for (i = 0; i < sizeof modes / sizeof *modes; i++) {
        int sid = create(modes[i]), task;
        long before;

        for (task = 0; task < 2; task++) {
            CHECK_INT(sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
            CHECK_INT(sion_fwrite("0123456789", 1, 10, sid), 10);
        }
        scion_fault_arm(0, 0, 0, 0);
        before = scion_fault_count(SCION_FAULT_FSYNC);
        CHECK_INT(sion_flush(sid), 1);
        CHECK_INT(scion_fault_count(SCION_FAULT_FSYNC) - before, 2);
        CHECK_INT(sion_close(sid), 1);
    }
}

/* The tail is written after the first sync, so a process that dies during it leaves no closed file.
 * */
static void a_failure_is_reported_and_the_container_can_be_read(void)
{
    int n;

    for (n = 1; n <= 3; n++) {
        scion_fault_arm(1u << SCION_FAULT_FSYNC, n, 1, EIO);
        CHECK(write_container("wb,sync=close") != 1);
        CHECK_CONTAINS(support_message, "Input/output error");
        CHECK_INT(scion_fault_hits(), 1);
        scion_fault_disarm();
        CHECK(can_be_read());
    }
}

/* The system reports once that it could not write data, and has dropped them then. */
static void a_failed_sync_is_remembered(void)
{
    static const char *const modes[] = {"wb,posix", "wb,sync=flush", "wb,posix,recover",
                                        "wb,sync=flush,recover"};
    size_t i;

    for (i = 0; i < sizeof modes / sizeof *modes; i++) {
        int sid;

        scion_fault_arm(0, 0, 0, 0);
        sid = create(modes[i]);
        CHECK_INT(sion_fwrite("0123456789", 1, 10, sid), 10);
        scion_fault_arm(1u << SCION_FAULT_FSYNC, 1, 1, EIO);
        CHECK(sion_flush(sid) != 1);
        CHECK_INT(scion_fault_hits(), 1);
        scion_fault_arm(1u << SCION_FAULT_FSYNC, 0, 0, 0); /* later ones succeed */
        CHECK_INT(sion_fwrite("0123456789", 1, 10, sid), 10);
        support_catch();
        CHECK(sion_flush(sid) != 1);
        CHECK_CONTAINS(support_message, "sync.sion");
        CHECK_CONTAINS(support_message, "Input/output error");
        CHECK_INT(sion_seek(sid, 1, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
        CHECK_INT(sion_fwrite("0123456789", 1, 10, sid), 10);
        CHECK(sion_flush(sid) != 1);
        support_catch();
        CHECK(sion_close(sid) != 1);
        CHECK_CONTAINS(support_message, "Input/output error");
    }
}

/* So a commit record, which would make it certain, is not written. */
static void nothing_is_certain_after_a_failed_sync(void)
{
    char data[1400] = "";
    long written;
    int sid;

    scion_fault_arm(0, 0, 0, 0);
    sid = create("wb,recover,posix");
    scion_fault_arm(1u << SCION_FAULT_FSYNC, 1, 1, EIO);
    CHECK_INT(sion_fwrite("0123456789", 1, 10, sid), 10);
    CHECK(sion_flush(sid) != 1);
    CHECK_INT(scion_fault_hits(), 1);
    written = scion_fault_count(SCION_FAULT_PWRITE);
    CHECK(sion_flush(sid) != 1);
    CHECK_INT(scion_fault_count(SCION_FAULT_PWRITE), written);
    CHECK(sion_fwrite(data, 1, sizeof data, sid) != sizeof data); /* in the next chunk */
    CHECK(sion_close(sid) != 1);
}

/* What a network file system could not write, it says when any descriptor of the file is closed. */
static void a_failed_close_of_a_descriptor_is_remembered(void)
{
    FILE *fp;
    int sid;

    scion_fault_arm(0, 0, 0, 0);
    sid = create("wb,sync=flush");
    fp = sion_get_fp(sid);
    CHECK(fp && fwrite("0123456789", 1, 10, fp) == 10);
    CHECK_INT(sion_flush(sid), 1);
    scion_fault_arm(1u << SCION_FAULT_CLOSE, 1, 1, EIO);
    CHECK_INT(fclose(fp), 0);
    CHECK_INT(scion_fault_hits(), 1);
    CHECK(sion_flush(sid) != 1);
    CHECK(sion_close(sid) != 1);
    scion_fault_disarm();
}

static void an_unknown_value_gives_a_warning(void)
{
    CHECK_INT(write_container("wb,sync=often"), 1);
    CHECK_INT(support_warnings, 1);
}

int main(void)
{
    unsetenv("SION_SYNC");
    support_enter_folder();
    RUN(the_close_syncs_on_request);
    RUN(a_flush_syncs_on_request);
    RUN(a_flush_syncs_a_file_twice_for_commit_records);
    RUN(a_failure_is_reported_and_the_container_can_be_read);
    RUN(a_failed_sync_is_remembered);
    RUN(nothing_is_certain_after_a_failed_sync);
    RUN(a_failed_close_of_a_descriptor_is_remembered);
    RUN(an_unknown_value_gives_a_warning);
    support_leave_folder();
    return check_done();
}
