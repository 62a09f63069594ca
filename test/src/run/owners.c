/* Records of owners, also from many processes at a time, and from some that are killed. */
#include "run/owners.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "check.h"
#include "scratch.h"

static struct scion_session session;

static void begin(void)
{
    static const char *const all[] = {"**", NULL};
    struct scion_run_plan plan = {.root = "/w", .root_real = "/w", .list = {all}};

    scratch_begin();
    CHECK_INT(scion_session_create(scratch_directory, &plan), 0);
    CHECK_INT(scion_session_open(scratch_directory, &session), 0);
}

static void nothing_is_read_at_first(void)
{
    struct scion_owner_record *records;
    size_t n = 1;

    CHECK_INT(scion_owners_read(&session, &records, &n), 0);
    CHECK_INT(n, 0);
    CHECK(scion_owners_find(records, n, 5) == NULL);
    free(records);
}

static void the_last_record_of_an_inode_counts(void)
{
    struct scion_owner_record *records;
    const struct scion_owner_record *found;
    size_t n;

    scion_owners_add(&session, 70, 1, SCION_OWNER_CREATED);
    scion_owners_add(&session, 60, 2, SCION_OWNER_COPIED);
    scion_owners_add(&session, 70, 3, SCION_OWNER_MIRRORED);
    CHECK_INT(scion_owners_read(&session, &records, &n), 0);
    CHECK_INT(n, 2);
    found = scion_owners_find(records, n, 70);
    CHECK(found && found->owner == 3 && found->what == SCION_OWNER_MIRRORED);
    found = scion_owners_find(records, n, 60);
    CHECK(found && found->owner == 2 && found->time > 0);
    CHECK(scion_owners_find(records, n, 65) == NULL);
    CHECK(scion_owners_find(records, n, 1000) == NULL);
    free(records);
}

static void numbers_differ(void)
{
    uint32_t first = scion_owners_next(&session), second = scion_owners_next(&session);

    CHECK_INT(first, SCION_OWNER_ALONE);
    CHECK_INT(second, SCION_OWNER_ALONE + 1);
}

enum { PROCESSES = 6, EACH = 5000 };

static void many_processes_add(void)
{
    struct scion_owner_record *records;
    const struct scion_owner_record *found;
    size_t n, missing = 0;
    uint32_t p, i;

    for (p = 0; p < PROCESSES; p++) {
        if (fork() == 0) {
            for (i = 0; i < EACH; i++)
                scion_owners_add(&session, 1000 + p * EACH + i, p, SCION_OWNER_CREATED);
            kill(getpid(), SIGKILL); /* what is added stays */
        }
    }
    while (wait(NULL) > 0)
        ;
    CHECK_INT(scion_owners_read(&session, &records, &n), 0);
    CHECK_INT(n, 2 + PROCESSES * EACH);
    for (p = 0; p < PROCESSES; p++) {
        for (i = 0; i < EACH; i++) {
            found = scion_owners_find(records, n, 1000 + p * EACH + i);
            missing += !found || found->owner != p;
        }
    }
    CHECK_INT(missing, 0);
    free(records);
}

/* A slot that was taken by a process that was killed before it wrote. */
static void an_empty_slot_is_left_out(void)
{
    struct scion_owner_record *records;
    size_t before, after;

    CHECK_INT(scion_owners_read(&session, &records, &before), 0);
    free(records);
    session.head->records += 3;
    scion_owners_add(&session, 5, 9, SCION_OWNER_CREATED);
    CHECK_INT(scion_owners_read(&session, &records, &after), 0);
    CHECK_INT(after, before + 1);
    free(records);
}

static void errno_stays(void)
{
    errno = EDOM;
    scion_owners_add(&session, 6, 9, SCION_OWNER_CREATED);
    CHECK_INT(errno, EDOM);
}

static void a_full_file_takes_no_more(void)
{
    uint64_t records = session.head->records;

    session.head->records = SCION_OWNERS_MOST;
    scion_owners_add(&session, 7, 9, SCION_OWNER_CREATED);
    session.head->records = records;
    CHECK_INT(scratch_size(scratch_path("owners")),
              (long long)SCION_OWNERS_MOST * (long long)sizeof(struct scion_owner_record));
}

static void a_file_that_was_cut_is_told(void)
{
    struct scion_owner_record *records;
    size_t n;

    CHECK_INT(truncate(scratch_path("owners"), 100), 0);
    CHECK_INT(scion_owners_read(&session, &records, &n), -1);
    CHECK_INT(errno, EBADMSG);
}

int main(void)
{
    begin();
    RUN(nothing_is_read_at_first);
    RUN(the_last_record_of_an_inode_counts);
    RUN(numbers_differ);
    RUN(many_processes_add);
    RUN(an_empty_slot_is_left_out);
    RUN(errno_stays);
    RUN(a_full_file_takes_no_more);
    RUN(a_file_that_was_cut_is_told);
    scion_session_close(&session);
    scratch_end();
    return check_done();
}
