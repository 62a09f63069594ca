/* Readers of a container that is written: they see one state until they ask for the newest one. */
#include "serial.h"

#include <string.h>

enum { TASKS = 3, RECORD = 350 };

static int writer;
static int rounds; /* that are published: in each, every task has written a record */

static int create_some(const char *mode)
{
    const sion_int64 sizes[TASKS] = {1000, 700, 4000};
    sion_int32 fsblksize = 512;

    return create(mode, TASKS, sizes, &fsblksize);
}

/* Every task writes some records. */
static void write_some(int n)
{
    unsigned char data[RECORD];
    int task, i;

    for (i = 0; i < n; i++, rounds++) {
        for (task = 0; task < TASKS; task++) {
            check_fill(data, task, (sion_int64)rounds * RECORD, RECORD);
            CHECK_INT(sion_seek(writer, task, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
            CHECK_INT(sion_fwrite(data, 1, RECORD, writer), RECORD);
        }
    }
}

static void publish_some(int n)
{
    write_some(n);
    CHECK_INT(sion_publish(writer), 1);
}

static void begin(const char *mode)
{
    rounds = 0;
    writer = create_some(mode);
    publish_some(2);
}

/* What is left of the selected task, from this record on, is so many records. */
static void check_left(int sid, int task, int first, int n)
{
    static unsigned char data[1 << 20];

    CHECK_INT(sion_stream_read(sid, data, sizeof data), (sion_int64)n * RECORD);
    CHECK_INT(check_compare(data, task, (sion_int64)first * RECORD, (size_t)n * RECORD), -1);
    CHECK_INT(sion_feof(sid), 1);
}

static void a_reader_goes_on_where_it_was(void)
{
    int sid, task, i;

    support_catch();
    begin("wb");
    sid = open_to_read("rb");
    for (task = 0; task < TASKS; task++) {
        CHECK_INT(sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
        check_left(sid, task, 0, 2);
    }
    for (i = 1; i < 20; i++) {
        int before = rounds;

        publish_some(i);
        if (i % 3 == 0)
            publish_some(1); /* two states at once */
        CHECK_INT(sion_feof(sid), 1);
        CHECK_INT(sion_refresh(sid), (sion_int64)(rounds - before) * RECORD);
        for (task = TASKS - 1; task >= 0; task--) {
            CHECK_INT(sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
            check_left(sid, task, before, rounds - before);
        }
        CHECK_INT(sion_refresh(sid), 0);
    }
    write_some(1);
    CHECK_INT(sion_refresh(sid), 0);
    CHECK_INT(sion_close(writer), 1);
    CHECK_INT(sion_refresh(sid), RECORD);
    check_left(sid, 0, rounds - 1, 1);
    CHECK_INT(sion_refresh(sid), 0);
    CHECK_INT(sion_close(sid), 1);
    CHECK_INT(support_errors, 0);
}

static void a_reader_of_one_rank_does(void)
{
    sion_int64 chunksize;
    sion_int32 fsblksize;
    int rank = 1, sid, i;

    begin("wb");
    sid = sion_open_rank(name, "rb", &chunksize, &fsblksize, &rank, NULL);
    check_left(sid, 1, 0, 2);
    for (i = 1; i < 12; i++) {
        int before = rounds;

        publish_some(i);
        CHECK_INT(sion_refresh(sid), (sion_int64)i * RECORD);
        check_left(sid, 1, before, i);
        CHECK_INT(sion_refresh(sid), 0);
    }
    CHECK_INT(sion_close(writer), 1);
    CHECK_INT(sion_refresh(sid), 0);
    CHECK_INT(sion_close(sid), 1);
}

/* In the middle of a record, in the buffer, and with a FILE* of its own. */
static void positions_stay(void)
{
    static const char *const modes[] = {"rb", "rb,ansi", "rb,posix"};
    unsigned char data[2 * RECORD];
    size_t i;

    for (i = 0; i < sizeof modes / sizeof *modes; i++) {
        FILE *file = NULL;
        int sid, ntasks, nfiles;
        sion_int32 fsblksize;

        begin("wb");
        sid = sion_open(name, modes[i], &ntasks, &nfiles, NULL, &fsblksize, NULL,
                        i == 1 ? &file : NULL);
        CHECK_INT(sion_fread(data, 1, 100, sid), 100);
        CHECK_INT(check_compare(data, 0, 0, 100), -1);
        publish_some(5);
        CHECK_INT(sion_refresh(sid), 5 * RECORD);
        CHECK_INT(sion_stream_tell(sid), 100);
        if (file) {
            CHECK_INT(fread(data, 1, 200, file), 200);
            CHECK_INT(check_compare(data, 0, 100, 200), -1);
        }
        CHECK_INT(sion_seek(sid, 0, SION_ABSOLUTE_POS, RECORD + 7), 1);
        CHECK_INT(sion_stream_read(sid, data, RECORD), RECORD);
        CHECK_INT(check_compare(data, 0, RECORD + 7, RECORD), -1);
        CHECK_INT(sion_close(sid), 1);
        CHECK_INT(sion_close(writer), 1);
    }
}

static void records_with_keys_are_added(void)
{
    char value[20] = "";
    int sid, i, seen = 0;

    writer = create_some("wb,keyval=inline");
    CHECK_INT(sion_publish(writer), 1);
    sid = open_to_read("rb,keyval=inline");
    for (i = 0; i < 200; i++) {
        snprintf(value, sizeof value, "value %d", i);
        CHECK_INT(sion_fwrite_key(value, (uint64_t)(i % 3), sizeof value, 1, writer), 1);
        if (i % 7 != 0)
            continue;
        CHECK_INT(sion_publish(writer), 1);
        CHECK(sion_refresh(sid) > 0);
        for (; seen <= i; seen++) {
            CHECK_INT(sion_fread_key(value, (uint64_t)(seen % 3), sizeof value, 1, sid), 1);
            CHECK_INT(atoi(value + 6), seen);
        }
        CHECK_INT(sion_fread_key(value, 0, sizeof value, 1, sid), 0);
    }
    CHECK_INT(sion_close(writer), 1);
    CHECK_INT(sion_close(sid), 1);
}

/* What was asked for before is asked for again. */
static void queries_tell_the_new_state(void)
{
    sion_int64 globalskip, start, *sizes, *ranks, *counts, *used;
    int sid, ntasks, most, i;

    begin("wb");
    sid = open_to_read("rb");
    for (i = 0; i < 5; i++) {
        sion_int64 bytes = 0;
        int b;

        CHECK_INT(sion_get_locations(sid, &ntasks, &most, &globalskip, &start, &sizes, &ranks,
                                     &counts, &used),
                  1);
        for (b = 0; b < counts[1]; b++)
            bytes += used[b * TASKS + 1];
        CHECK_INT(bytes, (sion_int64)rounds * RECORD);
        publish_some(3);
        CHECK_INT(sion_refresh(sid), 3 * RECORD);
    }
    CHECK_INT(sion_close(sid), 1);
    CHECK_INT(sion_close(writer), 1);
}

static void another_container_is_refused(void)
{
    sion_int64 generation = -1, forgotten = -1;
    int sid, again;

    begin("wb");
    sid = open_to_read("rb");
    CHECK_INT(sion_close(writer), 1);
    begin("wb"); /* of the same name, with as many bytes, and then with fewer */
    CHECK_INT(sion_close(writer), 1);
    writer = create_some("wb");
    CHECK_INT(sion_close(writer), 1);
    support_catch();
    CHECK_INT(sion_refresh(sid), -1);
    CHECK_CONTAINS(support_message, "is not the container any more that was opened");
    CHECK_INT(sion_stream_tell(sid), 0);
    CHECK_INT(sion_stream_size(sid), 2 * RECORD);
    CHECK_INT(sion_get_generation(sid, NULL, &forgotten), 1);
    CHECK_INT(sion_get_generation(sid, &generation, NULL), 1);
    CHECK(generation == 0 && forgotten == 0);
    CHECK_INT(sion_close(sid), 1);
    again = create_some("wb");
    CHECK_INT(sion_refresh(again), -1);
    CHECK_CONTAINS(support_message, "is open for writing");
    support_catch();
    CHECK_INT(sion_get_generation(again, &generation, &forgotten), 0);
    CHECK_CONTAINS(support_message, "sion_get_generation: ");
    CHECK_CONTAINS(support_message, "is open for writing");
    CHECK_INT(sion_close(again), 1);
    CHECK_INT(sion_refresh(12345), -1);
    CHECK_INT(sion_get_generation(12345, NULL, NULL), 0);
}

int main(void)
{
    support_enter_folder();
    RUN(a_reader_goes_on_where_it_was);
    RUN(a_reader_of_one_rank_does);
    RUN(positions_stay);
    RUN(records_with_keys_are_added);
    RUN(queries_tell_the_new_state);
    RUN(another_container_is_refused);
    support_leave_folder();
    return check_done();
}
