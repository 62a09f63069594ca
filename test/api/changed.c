/* Files of a set that are replaced while the set is open are refused when they are needed. */
#include <unistd.h>

#include "sion.h"

#include "support.h"

static char name[1024], member[1024];

/* When the second file is read, the first one no longer has a descriptor. */
static int open_set(void)
{
    int ntasks, nfiles, sid;
    sion_int32 fsblksize;

    snprintf(name, sizeof name, "set.sion");
    snprintf(member, sizeof member, "set.sion.000001");
    support_copy(support_golden("mpi/m01_multi.sion"), name);
    support_copy(support_golden("mpi/m01_multi.sion.000001"), member);
    support_copy(support_golden("mpi/m01_multi.sion.000002"), "set.sion.000002");
    support_catch();
    sid = sion_open(name, "rb", &ntasks, &nfiles, NULL, &fsblksize, NULL, NULL);
    CHECK(sid >= 0);
    CHECK_INT(ntasks, 8);
    return sid;
}

enum { IN_SECOND_FILE = 2 };

static void refused(int sid, const char *reason)
{
    CHECK_INT(sion_seek(sid, IN_SECOND_FILE, 0, 0), 0);
    CHECK_CONTAINS(support_message, reason);
    CHECK_CONTAINS(support_message, "set.sion.000001");
    CHECK_INT(sion_seek(sid, 0, 0, 0), 1);
    CHECK_INT(sion_close(sid), 1);
}

static void unchanged_files_are_read(void)
{
    int sid = open_set();

    CHECK_INT(sion_seek(sid, IN_SECOND_FILE, 0, 0), 1);
    CHECK_INT(sion_close(sid), 1);
    CHECK_INT(support_errors, 0);
}

static void a_copy_of_the_member_is_another_file(void)
{
    int sid = open_set();

    support_copy(member, "copy");
    CHECK_INT(rename("copy", member), 0);
    refused(sid, "another file");
}

/* It may have been written on: its tables are where they were. */
static void a_member_that_has_grown_is_the_same(void)
{
    int sid = open_set();
    FILE *file = fopen(member, "ab");

    CHECK(file && fputc(0, file) == 0 && fclose(file) == 0);
    CHECK_INT(sion_seek(sid, IN_SECOND_FILE, 0, 0), 1);
    CHECK_INT(sion_close(sid), 1);
}

static void a_longer_member_with_other_tables_is_another_one(void)
{
    int sid = open_set();

    CHECK_INT(truncate(member, 0), 0);
    CHECK_INT(truncate(member, 1 << 20), 0);
    refused(sid, "bytes when it was opened");
}

static void a_member_that_was_cut_is_another_one(void)
{
    int sid = open_set();

    CHECK_INT(truncate(member, 3000), 0);
    refused(sid, "bytes when it was opened");
}

int main(void)
{
    support_enter_folder();
    RUN(unchanged_files_are_read);
    RUN(a_copy_of_the_member_is_another_file);
    RUN(a_member_that_has_grown_is_the_same);
    RUN(a_longer_member_with_other_tables_is_another_one);
    RUN(a_member_that_was_cut_is_another_one);
    support_leave_folder();
    return check_done();
}
