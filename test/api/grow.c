/* Containers that grow, by one process: published while they are written, and written on later. */
#include "format/state.h"
#include "serial.h"

#include <sys/wait.h>

static const sion_int64 sizes[] = {1000, 3000, 500};
enum { TASKS = 3 };

/* What readers should see of each task. */
static sion_int64 published[TASKS];

static int create_some(const char *mode)
{
    sion_int32 fsblksize = 512;

    return create(mode, TASKS, sizes, &fsblksize);
}

/* The next bytes of a task, whose stream has `done` bytes. */
static void write_bytes(int sid, int task, sion_int64 done, size_t bytes)
{
    unsigned char data[1000];

    check_fill(data, task, done, bytes);
    CHECK_INT(sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
    CHECK_INT(sion_fwrite(data, 1, bytes, sid), bytes);
}

/* Read a task as most programs do. */
static sion_int64 read_by_chunks(int sid, int task)
{
    unsigned char data[4096];
    sion_int64 done = 0;

    CHECK_INT(sion_seek(sid, task, 0, 0), 1);
    while (!sion_feof(sid)) {
        size_t bytes = (size_t)sion_bytes_avail_in_block(sid);

        CHECK(bytes > 0 && bytes <= sizeof data);
        CHECK_INT(sion_fread(data, 1, bytes, sid), bytes);
        CHECK_INT(check_compare(data, task, done, bytes), -1);
        done += (sion_int64)bytes;
    }
    return done;
}

/* The last byte, found from the end. */
static void check_end(int sid, int task, sion_int64 bytes)
{
    unsigned char byte;

    if (bytes == 0)
        return;
    CHECK_INT(sion_seek(sid, task, SION_END_POS, -1), 1);
    CHECK_INT(sion_fread(&byte, 1, 1, sid), 1);
    CHECK_INT(check_compare(&byte, task, bytes - 1, 1), -1);
    CHECK_INT(sion_seek(sid, task, SION_ABSOLUTE_POS, bytes / 2), 1);
    CHECK_INT(sion_fread(&byte, 1, 1, sid), 1);
    CHECK_INT(check_compare(&byte, task, bytes / 2, 1), -1);
}

static void check_one_rank(int task, sion_int64 bytes)
{
    unsigned char data[16384];
    sion_int64 chunksize;
    sion_int32 fsblksize;
    int rank = task, sid = sion_open_rank(name, "rb", &chunksize, &fsblksize, &rank, NULL);

    CHECK(sid >= 0);
    CHECK_INT(sion_stream_size(sid), bytes);
    CHECK(bytes <= (sion_int64)sizeof data);
    CHECK_INT(sion_stream_read(sid, data, sizeof data), bytes);
    CHECK_INT(check_compare(data, task, 0, (size_t)bytes), -1);
    CHECK_INT(sion_close(sid), 1);
}

/* Whether readers see what is in published[]. */
static void check_readers(const char *mode)
{
    int sid = open_to_read(mode), task;

    CHECK(sid >= 0);
    for (task = 0; sid >= 0 && task < TASKS; task++) {
        CHECK_INT(read_by_chunks(sid, task), published[task]);
        check_end(sid, task, published[task]);
        check_one_rank(task, published[task]);
    }
    CHECK_INT(sion_close(sid), 1);
}

static void note(const sion_int64 *written)
{
    memcpy(published, written, sizeof published);
}

static void what_is_published_can_be_read(void)
{
    sion_int64 written[TASKS] = {0};
    int sid = create_some("wb"), round, task;

    support_catch();
    for (round = 0; round < 5; round++) {
        for (task = 0; task < TASKS; task++) {
            size_t bytes = (size_t)(100 + 90 * round + task);

            write_bytes(sid, task, written[task], bytes);
            written[task] += (sion_int64)bytes;
        }
        if (round > 0)
            check_readers("rb");
        CHECK_INT(sion_publish(sid), 1);
        note(written);
        check_readers("rb");
    }
    CHECK_INT(sion_close(sid), 1);
    check_readers("rb");
    CHECK_INT(support_errors, 0);
    CHECK_INT(support_warnings, 0);
}

static sion_int64 file_size(void)
{
    struct stat status;

    CHECK_INT(stat(name, &status), 0);
    return status.st_size;
}

static void a_publish_without_news_writes_nothing(void)
{
    int sid = create_some("wb");
    sion_int64 size;

    write_bytes(sid, 0, 0, 100);
    CHECK_INT(sion_publish(sid), 1);
    size = file_size();
    CHECK_INT(sion_publish(sid), 1);
    CHECK_INT(file_size(), size);
    write_bytes(sid, 0, 100, 1);
    CHECK_INT(sion_publish(sid), 1);
    CHECK(file_size() > size);
    CHECK_INT(sion_close(sid), 1);
}

static void a_closed_container_is_written_on(void)
{
    sion_int64 written[TASKS] = {0};
    int round, task, sid;

    support_catch();
    unlink(name);
    for (round = 0; round < 6; round++) {
        sid = create_some("ab"); /* the first time it creates it */
        CHECK(sid >= 0);
        for (task = 0; task < TASKS; task++) {
            size_t bytes = (size_t)(50 + 90 * round + task);

            if (round == 2 && task == 1)
                continue;
            write_bytes(sid, task, written[task], bytes);
            written[task] += (sion_int64)bytes;
        }
        CHECK_INT(sion_close(sid), 1);
        note(written);
        check_readers("rb");
    }
    CHECK_INT(support_errors, 0);
}

static void a_killed_writer_leaves_what_it_has_published(void)
{
    sion_int64 written[TASKS] = {0};
    int task, status;
    pid_t child;

    for (task = 0; task < TASKS; task++)
        written[task] = 100 + task;
    fflush(stdout);
    child = fork();
    if (child == 0) {
        int sid = create_some("wb");

        for (task = 0; task < TASKS; task++)
            write_bytes(sid, task, 0, (size_t)written[task]);
        if (sion_publish(sid) != 1)
            _exit(1);
        for (task = 0; task < TASKS; task++)
            write_bytes(sid, task, written[task], 400);
        sion_flush(sid);
        kill(getpid(), SIGKILL);
    }
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK(WIFSIGNALED(status));
    note(written);
    check_readers("rb");
}

/* The bytes of what the killed writer has left unpublished are not those of the next one. */
static void and_can_be_written_on(void)
{
    sion_int64 written[TASKS];
    int sid, task;

    memcpy(written, published, sizeof written);
    sid = create_some("a");
    for (task = 0; task < TASKS; task++) {
        write_bytes(sid, task, written[task], 450);
        written[task] += 450;
    }
    check_readers("rb");
    CHECK_INT(sion_close(sid), 1);
    note(written);
    check_readers("rb");
}

/* ---- what cannot grow ---- */

static void check_refused_by(int ntasks, const char *mode, const char *reason)
{
    static const sion_int64 some[] = {1000, 1000, 1000, 1000};
    sion_int32 fsblksize = 512;
    struct stat before, after;

    support_catch();
    CHECK_INT(stat(name, &before), 0);
    CHECK_INT(create(mode, ntasks, some, &fsblksize), -1);
    CHECK_CONTAINS(support_message, reason);
    CHECK_INT(stat(name, &after), 0);
    CHECK_INT(after.st_size, before.st_size);
    CHECK_INT(after.st_mtim.tv_nsec, before.st_mtim.tv_nsec);
}

static void check_refused(const char *mode, const char *reason)
{
    check_refused_by(TASKS, mode, reason);
}

/* A byte of the record of generations is another one. */
static void damage_generations(void)
{
    static const char magic[] = {'S', 'I', 'O', 'N', 'G', 'E', 'N', '1'};
    size_t size = 0;
    unsigned char *all = support_load(name, &size), *record;

    record = memmem(all, size, magic, sizeof magic);
    CHECK(record != NULL);
    if (record)
        record[30] ^= 1;
    support_store(name, all, size);
    free(all);
}

/* The first task has more bytes than its chunk holds, as its table says. */
static void damage_length(sion_int64 bytes)
{
    const sion_int64 wrong = 100000;
    size_t size = 0;
    unsigned char *all = support_load(name, &size), *length;

    length = memmem(all, size, &bytes, sizeof bytes);
    CHECK(length != NULL);
    if (length)
        memcpy(length, &wrong, sizeof wrong);
    support_store(name, all, size);
    free(all);
}

/* The newest record of a state says another first free block, and has the checksum of that. */
static void move_floor(sion_int64 floor)
{
    size_t size = 0, at, last = 0;
    unsigned char *all = support_load(name, &size);
    struct scion_state state;

    for (at = 0; at + SCION_STATE_RECORD <= size; at++) {
        if (scion_state_decode(all + at, SCION_STATE_RECORD, 0, &state))
            last = at;
    }
    CHECK(last > 0 && scion_state_decode(all + last, SCION_STATE_RECORD, 0, &state));
    state.floor = floor;
    scion_state_encode(&state, all + last);
    support_store(name, all, size);
    free(all);
}

/* A writer takes memory for each block before the first free one. */
static void a_first_block_that_cannot_be_is_refused(void)
{
    int sid = create_some("wb");

    write_bytes(sid, 0, 0, 700);
    CHECK_INT(sion_publish(sid), 1);
    CHECK_INT(sion_close(sid), 1);
    move_floor(100);
    sid = create_some("a"); /* there may be free ones before it */
    CHECK(sid >= 0);
    CHECK_INT(sion_close(sid), 1);
    sid = create_some("wb");
    write_bytes(sid, 0, 0, 700);
    CHECK_INT(sion_publish(sid), 1);
    CHECK_INT(sion_close(sid), 1);
    move_floor((sion_int64)1 << 40);
    check_refused("a", "cannot be written on: the record of its state is damaged");
}

static void containers_of_other_kinds_are_refused(void)
{
    int sid;

    support_copy(support_golden("swapped/b01_bigmeta_biguser.sion"), name);
    check_refused("a", "it has the byte order of another kind of host");
    support_copy(support_golden("old/v4.sion"), name);
    check_refused_by(4, "a", "it has format version 4");
    sid = create_some("wb,keep=2");
    write_bytes(sid, 0, 0, 100);
    CHECK_INT(sion_close(sid), 1);
    damage_generations();
    check_refused("a", "its record of generations is damaged");
    sid = create_some("wb");
    write_bytes(sid, 0, 0, 777);
    CHECK_INT(sion_close(sid), 1);
    damage_length(777);
    check_refused("a", "cannot be written on: chunk 0 of task 0 says 100000 bytes");
    CHECK_INT(sion_close(create_some("wb")), 1);
    support_store("c.sion_BUDDY_00", "x", 1);
    check_refused("a", "it is a buddy checkpoint");
    unlink("c.sion_BUDDY_00");
    sid = create_some("a");
    CHECK_INT(sion_close(sid), 1);
}

static void other_containers_are_refused(void)
{
    sion_int32 fsblksize = 512;
    int sid = create("wb", 2, sizes, &fsblksize);

    CHECK_INT(sion_close(sid), 1);
    check_refused("a", "has 2 tasks, and cannot be written on by 3");
    CHECK_INT(sion_close(create_some("wb,recover")), 1);
    check_refused("a", "it has commit records");
    CHECK_INT(sion_close(create_some("wb")), 1);
    check_refused("a,keyval", "has the key-value mode SION_KEYVAL_NONE");
    check_refused("a,atomic", "has no 'atomic'");
    check_refused("a,recover", "has no 'recover'");
    check_refused("a,buddy", "has no 'buddy'");
    check_refused("a,cmerge", "has no 'cmerge'");
    check_refused("a,stage=/tmp", "has no 'stage'");
    check_refused("a,w", "asks for a new container, and for an old one");
    CHECK_INT(truncate(name, 1088 + 16 * TASKS), 0);
    check_refused("a", "cut off");
    CHECK_INT(truncate(name, 1080), 0);
    check_refused("a", "cannot hold");
}

static void what_cannot_be_published_says_why(void)
{
    static const char *const modes[][2] = {{"wb,recover", "commit records"},
                                           {"wb,atomic", "gets its name at the close"},
                                           {"rb", "open for reading"}};
    size_t i;

    for (i = 0; i < sizeof modes / sizeof *modes; i++) {
        int sid = *modes[i][0] == 'r' ? open_to_read("rb") : create_some(modes[i][0]);

        support_catch();
        CHECK_INT(sion_publish(sid), 0);
        CHECK_CONTAINS(support_message, modes[i][1]);
        CHECK_INT(sion_close(sid), 1);
    }
    support_catch();
    CHECK_INT(sion_publish(12345), 0);
    CHECK_INT(support_errors, 1);
}

/* ---- keys ---- */

static void check_keys(int records)
{
    char data[300];
    int sid = open_to_read("rb"), i;

    for (i = 0; i < records; i++) {
        size_t items = 0;

        memset(data, 0, sizeof data);
        CHECK_INT(sion_fread_key(data, (uint64_t)(i % 3), 1, 250, sid), 250);
        CHECK_INT(check_compare((unsigned char *)data, i, 0, 250), -1);
        (void)items;
    }
    CHECK_INT(sion_fread_key(data, 0, 1, 1, sid), 0);
    CHECK_INT(sion_close(sid), 1);
}

static void key_value_streams_go_on(void)
{
    unsigned char data[300];
    int i, sid = create_some("wb,keyval=inline");

    support_catch();
    for (i = 0; i < 30; i++) {
        check_fill(data, i, 0, 250);
        CHECK_INT(sion_fwrite_key(data, (uint64_t)(i % 3), 1, 250, sid), 250);
        if (i % 4 == 0) {
            CHECK_INT(sion_publish(sid), 1);
            check_keys(i + 1);
        }
        if (i % 7 == 0) {
            CHECK_INT(sion_close(sid), 1);
            check_keys(i + 1);
            sid = create_some("a");
        }
    }
    CHECK_INT(sion_close(sid), 1);
    check_keys(30);
    CHECK_INT(support_errors, 0);
    CHECK_INT(support_warnings, 0);
}

/* ---- anything ---- */

static void one_step(int *sid, sion_int64 *written)
{
    int task = (int)check_below(TASKS);
    size_t bytes = check_below(8) ? check_below(500) + 1 : 500;

    switch (check_below(12)) {
    case 0:
        CHECK_INT(sion_publish(*sid), 1);
        note(written);
        break;
    case 1:
        CHECK_INT(sion_close(*sid), 1);
        note(written);
        *sid = create_some("a,sync=close");
        CHECK(*sid >= 0);
        break;
    case 2:
        CHECK_INT(sion_flush(*sid), 1);
        break;
    default:
        if (written[task] + (sion_int64)bytes > 15000)
            break;
        write_bytes(*sid, task, written[task], bytes);
        written[task] += (sion_int64)bytes;
    }
}

static void readers_see_a_published_state_at_any_time(void)
{
    int round, i;

    support_catch();
    check_seed(33);
    for (round = 0; round < 12; round++) {
        sion_int64 written[TASKS] = {0};
        int sid = create_some("w");

        CHECK_INT(sion_publish(sid), 1);
        note(written);
        for (i = 0; i < 60 && sid >= 0; i++) {
            one_step(&sid, written);
            check_readers("r");
        }
        CHECK_INT(sion_close(sid), 1);
    }
    CHECK_INT(support_errors, 0);
}

/* A file that was opened before sees its own state, also after it was suspended. */
static void a_reader_keeps_its_state(void)
{
    int sid = create_some("wb"), reader;

    write_bytes(sid, 0, 0, 300);
    CHECK_INT(sion_publish(sid), 1);
    reader = open_to_read("rb");
    write_bytes(sid, 0, 300, 500);
    write_bytes(sid, 0, 800, 500);
    CHECK_INT(sion_publish(sid), 1);
    CHECK_INT(read_by_chunks(reader, 0), 300);
    CHECK_INT(sion_close(sid), 1);
    CHECK_INT(read_by_chunks(reader, 0), 300);
    CHECK_INT(sion_close(reader), 1);
    reader = open_to_read("rb");
    CHECK_INT(read_by_chunks(reader, 0), 1300);
    CHECK_INT(sion_close(reader), 1);
}

/* Mode word publish and SION_PUBLISH. */
static void flushes_publish_when_the_time_has_come(void)
{
    int sid = create_some("w,publish=0"), reader, i;

    for (i = 0; i < 4; i++) {
        write_bytes(sid, 0, i * 100, 100);
        CHECK_INT(sion_flush(sid), 1);
        reader = open_to_read("rb");
        CHECK_INT(read_by_chunks(reader, 0), (i + 1) * 100);
        CHECK_INT(sion_close(reader), 1);
    }
    CHECK_INT(sion_close(sid), 1);

    setenv("SION_PUBLISH", "1000000", 1);
    sid = create_some("w");
    write_bytes(sid, 0, 0, 100);
    CHECK_INT(sion_flush(sid), 1);
    CHECK_INT(open_to_read("rb"), -1);
    support_catch();
    CHECK_INT(sion_close(sid), 1);
    setenv("SION_PUBLISH", "0", 1);
    sid = create_some("w,recover"); /* cannot be published */
    write_bytes(sid, 0, 0, 100);
    CHECK_INT(sion_flush(sid), 1);
    CHECK_INT(sion_close(sid), 1);
    unsetenv("SION_PUBLISH");
    CHECK_INT(support_errors, 0);
}

int main(void)
{
    support_enter_folder();
    RUN(what_is_published_can_be_read);
    RUN(a_publish_without_news_writes_nothing);
    RUN(a_closed_container_is_written_on);
    RUN(a_killed_writer_leaves_what_it_has_published);
    RUN(and_can_be_written_on);
    RUN(other_containers_are_refused);
    RUN(containers_of_other_kinds_are_refused);
    RUN(a_first_block_that_cannot_be_is_refused);
    RUN(what_cannot_be_published_says_why);
    RUN(key_value_streams_go_on);
    RUN(readers_see_a_published_state_at_any_time);
    RUN(a_reader_keeps_its_state);
    RUN(flushes_publish_when_the_time_has_come);
    support_leave_folder();
    return check_done();
}
