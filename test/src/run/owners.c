/* Records of owners, also from many processes at a time, and from some that are killed. */
#include "run/owners.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "run/match.h"
#include "run/owners_log.h"
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

static uint64_t name_of(const char *path)
{
    return scion_name_hash(path, strlen(path));
}

static void made(const char *path, uint32_t owner)
{
    scion_owners_add(&session, name_of(path), owner, SCION_OWNER_CREATED);
}

/* -1: nobody; -2: not readable. */
static long owner_of(const char *path)
{
    struct scion_owner_record record;
    struct scion_owners owners;
    long owner;

    if (scion_owners_read(&session, &owners) != 0)
        return -2;
    owner = scion_owners_find(&owners, path, &record) ? (long)record.owner : -1;
    scion_owners_free(&owners);
    return owner;
}

static void nobody_is_known_at_first(void)
{
    CHECK_INT(owner_of("a"), -1);
    CHECK_INT(owner_of(""), -1);
}

static void the_last_record_of_a_name_counts(void)
{
    struct scion_owner_record record;
    struct scion_owners owners;

    made("d/a", 1);
    scion_owners_add(&session, name_of("d/b"), 2, SCION_OWNER_COPIED);
    scion_owners_add(&session, name_of("d/a"), 3, SCION_OWNER_MIRRORED);
    made("a", UINT32_MAX);
    CHECK_INT(scion_owners_read(&session, &owners), 0);
    CHECK(scion_owners_find(&owners, "d/a", &record));
    CHECK(record.owner == 3 && record.what == SCION_OWNER_MIRRORED);
    CHECK(scion_owners_find(&owners, "d/b", &record));
    CHECK(record.owner == 2 && record.what == SCION_OWNER_COPIED);
    CHECK(scion_owners_find(&owners, "a", &record) && record.owner == UINT32_MAX);
    CHECK(!scion_owners_find(&owners, "d", &record) && !scion_owners_find(&owners, "b", &record));
    scion_owners_free(&owners);
}

static void owners_come_along(void)
{
    made("t/new", 4);
    scion_owners_move(&session, SCION_OWNER_FILE, "t/new", "t/done");
    CHECK_INT(owner_of("t/done"), 4);
    made("t/new", 5);
    CHECK_INT(owner_of("t/done"), 4);
    CHECK_INT(owner_of("t/new"), 5);
    scion_owners_move(&session, SCION_OWNER_FILE, "t/new", "t/done");
    CHECK_INT(owner_of("t/done"), 5);
    scion_owners_move(&session, SCION_OWNER_LINKED, "t/done", "u");
    made("t/done", 6);
    CHECK_INT(owner_of("u"), 5);
    scion_owners_move(&session, SCION_OWNER_SWAPPED, "u", "t/done");
    CHECK_INT(owner_of("u"), 6);
    CHECK_INT(owner_of("t/done"), 5);
    scion_owners_move(&session, SCION_OWNER_FILE, "unknown", "u");
    CHECK_INT(owner_of("u"), -1);
    made("u", 7);
    CHECK_INT(owner_of("u"), 7);
}

static void owners_come_along_with_folders(void)
{
    made("f", 1);
    made("f/g", 2);
    made("f/g/h", 3);
    made("ff", 8);
    scion_owners_move(&session, SCION_OWNER_FOLDER, "f/g", "longer/name");
    scion_owners_move(&session, SCION_OWNER_FOLDER, "f", "k");
    CHECK_INT(owner_of("longer/name/h"), 3);
    CHECK_INT(owner_of("longer/name"), 2);
    CHECK_INT(owner_of("k"), 1);
    CHECK_INT(owner_of("ff"), 8);
    CHECK_INT(owner_of("longer/nam/h"), -1);
    made("k/i", 4);
    made("longer/name/h", 5);
    scion_owners_move(&session, SCION_OWNER_SWAPPED, "k", "longer/name");
    CHECK_INT(owner_of("k/h"), 5);
    CHECK_INT(owner_of("longer/name/i"), 4);
    CHECK_INT(owner_of("longer/name"), 1);
    scion_owners_move(&session, SCION_OWNER_FILE, "k/h", "k/i");
    scion_owners_move(&session, SCION_OWNER_FOLDER, "k", "f");
    CHECK_INT(owner_of("f/i"), 5);
}

/* Names that do not stand in one window of memory. */
static void many_texts(void)
{
    char from[4000], to[4000];
    int i;

    memset(from, 'x', sizeof from);
    memset(to, 'y', sizeof to);
    from[sizeof from - 1] = to[sizeof to - 1] = '\0';
    for (i = 0; i < 100; i++) {
        from[0] = to[0] = (char)('0' + i % 10);
        from[1] = to[1] = (char)('0' + i / 10);
        made(from, (uint32_t)i);
        scion_owners_move(&session, SCION_OWNER_FILE, from, to);
    }
    CHECK_INT(session.head->renames > 1 << 19, 1);
    for (i = 0; i < 100; i += 9) {
        to[0] = (char)('0' + i % 10);
        to[1] = (char)('0' + i / 10);
        CHECK_INT(owner_of(to), i);
    }
    memset(to, 'z', sizeof to - 1); /* a path that would be too long */
    scion_owners_move(&session, SCION_OWNER_FOLDER, to, "z");
    memset(to, 'z', 500);
    to[0] = 'z', to[1] = '/', to[500] = '\0';
    CHECK_INT(owner_of(to), -1);
}

static void numbers_differ(void)
{
    uint32_t first = scion_owners_next(&session), second = scion_owners_next(&session);

    CHECK_INT(first, SCION_OWNER_ALONE);
    CHECK_INT(second, SCION_OWNER_ALONE + 1);
}

enum { PROCESSES = 6, EACH = 5000 };

static void path_of(char *path, size_t room, const char *kind, uint32_t p, uint32_t i)
{
    snprintf(path, room, "many/%s.%u.%u", kind, (unsigned)p, (unsigned)i);
}

static void add_many(uint32_t p)
{
    char path[60], other[60];
    uint32_t i;

    for (i = 0; i < EACH; i++) {
        path_of(path, sizeof path, "new", p, i);
        path_of(other, sizeof other, "old", p, i);
        made(path, p);
        if (i % 2)
            scion_owners_move(&session, SCION_OWNER_FILE, path, other);
    }
}

static void many_processes_add(void)
{
    struct scion_owner_record record;
    struct scion_owners owners;
    size_t missing = 0;
    char path[60];
    uint32_t p, i;

    for (p = 0; p < PROCESSES; p++) {
        if (fork() == 0) {
            add_many(p);
            kill(getpid(), SIGKILL); /* what is added stays */
        }
    }
    while (wait(NULL) > 0)
        ;
    CHECK_INT(scion_owners_read(&session, &owners), 0);
    for (p = 0; p < PROCESSES; p++) {
        for (i = 0; i < EACH; i++) {
            path_of(path, sizeof path, i % 2 ? "old" : "new", p, i);
            missing += !scion_owners_find(&owners, path, &record) || record.owner != p;
        }
    }
    CHECK_INT(missing, 0);
    scion_owners_free(&owners);
}

/* A slot that was taken by a process that was killed before it wrote. */
static void an_empty_slot_is_left_out(void)
{
    session.head->records += 3;
    session.head->renames += 100;
    made("after", 9);
    scion_owners_move(&session, SCION_OWNER_FILE, "after", "afterwards");
    CHECK_INT(owner_of("afterwards"), 9);
    CHECK_INT(owner_of("u"), 7);
}

static void errno_stays(void)
{
    errno = EDOM;
    made("errno", 9);
    scion_owners_move(&session, SCION_OWNER_FILE, "errno", "EDOM");
    CHECK_INT(errno, EDOM);
}

static void a_full_file_takes_no_more(void)
{
    uint64_t records = session.head->records, renames = session.head->renames;

    session.head->renames = SCION_OWNERS_TEXT - 5;
    scion_owners_move(&session, SCION_OWNER_FILE, "after", "no room");
    session.head->records = SCION_OWNERS_MOST;
    made("no slot", 1);
    session.head->records = records;
    session.head->renames = renames;
    CHECK_INT(owner_of("no room"), -1);
    CHECK_INT(owner_of("no slot"), -1);
    CHECK_INT(scratch_size(scratch_path("owners")),
              (long long)SCION_OWNERS_MOST * (long long)sizeof(struct scion_owner_slot));
    CHECK_INT(scratch_size(scratch_path("renames")), (long long)SCION_OWNERS_TEXT);
}

/* Texts that are not there, and such without an end. */
static void wrong_texts_are_left_out(void)
{
    uint64_t slot = session.head->records++, at = session.head->renames;
    struct scion_owner_slot wrong = {name_of("wrong"), at << 8 | SCION_OWNER_FILE};
    int fd = open(scratch_path("owners"), O_RDWR);

    session.head->renames += 4;
    CHECK_INT(pwrite(fd, &wrong, sizeof wrong, (off_t)(slot * sizeof wrong)), sizeof wrong);
    CHECK_INT(owner_of("wrong"), -1);
    wrong.value = (at + 100) << 8 | SCION_OWNER_FOLDER;
    CHECK_INT(pwrite(fd, &wrong, sizeof wrong, (off_t)(slot * sizeof wrong)), sizeof wrong);
    CHECK_INT(owner_of("wrong"), -1);
    close(fd);
    fd = open(scratch_path("renames"), O_RDWR);
    CHECK_INT(pwrite(fd, "text", 4, (off_t)at), 4);
    wrong.value = at << 8 | SCION_OWNER_FOLDER;
    close(fd);
    fd = open(scratch_path("owners"), O_RDWR);
    CHECK_INT(pwrite(fd, &wrong, sizeof wrong, (off_t)(slot * sizeof wrong)), sizeof wrong);
    CHECK_INT(owner_of("wrong"), -1);
    close(fd);
}

static void a_file_that_was_cut_is_told(void)
{
    CHECK_INT(truncate(scratch_path("owners"), 100), 0);
    CHECK_INT(owner_of("u"), -2);
    CHECK_INT(errno, EBADMSG);
}

int main(void)
{
    begin();
    RUN(nobody_is_known_at_first);
    RUN(the_last_record_of_a_name_counts);
    RUN(owners_come_along);
    RUN(owners_come_along_with_folders);
    RUN(many_texts);
    RUN(numbers_differ);
    RUN(many_processes_add);
    RUN(an_empty_slot_is_left_out);
    RUN(errno_stays);
    RUN(a_full_file_takes_no_more);
    RUN(wrong_texts_are_left_out);
    RUN(a_file_that_was_cut_is_told);
    scion_session_close(&session);
    scratch_end();
    return check_done();
}
