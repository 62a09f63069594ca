/* Writing, reading and closing containers through the serial interface. */
#include "serial.h"

/* The checksums of an old, well-known test: twice chunk - 9 bytes for each of four tasks. */
static void two_records_per_task_are_read_back_in_all_ways(void)
{
    sion_int64 sizes[4], expected;
    unsigned char data[2000];
    sion_int32 fs = 10;
    int task, sid, way;

    for (task = 0; task < 4; task++)
        sizes[task] = 1000 + 200 * task;
    sid = create("bw", 4, sizes, &fs);
    for (task = 0; task < 4; task++) {
        size_t bytes = (size_t)sizes[task] - 9;

        CHECK_INT(sion_seek(sid, task, 0, 0), 1);
        check_fill(data, task, 0, bytes);
        CHECK_INT(sion_fwrite(data, 1, bytes, sid), bytes);
        CHECK_INT(sion_fwrite(data, 1, 0, sid), 0);
        check_fill(data, task, (long)bytes, bytes);
        CHECK_INT(sion_fwrite(data, bytes, 1, sid), 1);
        CHECK_INT(sion_get_bytes_written(sid), 2 * (sizes[task] - 9));
    }
    CHECK_INT(sion_close(sid), 1);
    for (way = 0; way < 2; way++) {
        for (task = 0; task < 4; task++) {
            long total = 0;

            sid = way ? sion_open_rank(name, "br", NULL, NULL, &task, NULL) : open_to_read("br");
            CHECK(sid >= 0);
            CHECK_INT(sion_seek(sid, task, 0, 0), 1);
            while (!sion_feof(sid)) {
                size_t left = (size_t)sion_bytes_avail_in_block(sid);

                CHECK_INT(sion_fread(data, 1, left, sid), left);
                CHECK_INT(check_compare(data, task, total, left), -1);
                total += (long)left;
            }
            expected = 2 * (sizes[task] - 9);
            CHECK_INT(total, expected);
            CHECK_INT(sion_close(sid), 1);
        }
    }
}

static void a_task_may_have_any_number_of_chunks(void)
{
    const sion_int64 sizes[2] = {16, 16};
    unsigned char data[16];
    sion_int32 fs = 16;
    int sid = create("bw", 2, sizes, &fs), i;
    const int chunks = 20000;

    for (i = 0; i < chunks; i++) {
        check_fill(data, 0, 10L * i, 10);
        if (sion_fwrite(data, 1, 10, sid) != 10)
            break;
    }
    CHECK_INT(i, chunks);
    CHECK_INT(sion_get_bytes_written(sid), 10LL * chunks);
    CHECK_INT(sion_close(sid), 1);
    sid = open_to_read("br");
    for (i = 0; i < chunks; i++) {
        if (sion_fread(data, 1, 10, sid) != 10 || check_compare(data, 0, 10L * i, 10) != -1)
            break;
    }
    CHECK_INT(i, chunks);
    CHECK_INT(sion_feof(sid), 1);
    CHECK_INT(sion_seek(sid, 0, SION_ABSOLUTE_POS, 10 * 12345 + 3), 1);
    CHECK_INT(sion_fread(data, 1, 7, sid), 7);
    CHECK_INT(check_compare(data, 0, 123453, 7), -1);
    CHECK_INT(sion_close(sid), 1);
}

static void records_that_do_not_fit_are_refused(void)
{
    const sion_int64 sizes[2] = {100, 0};
    char data[200] = {0};
    sion_int32 fs = 100;
    int sid = create("bw", 2, sizes, &fs);

    support_catch();
    CHECK_INT(sion_fwrite(data, 1, 101, sid), 0);
    CHECK_CONTAINS(support_message, "could not write 101 bytes, chunksize=100");
    CHECK_INT(sion_fwrite(data, SIZE_MAX, 2, sid), 0);
    CHECK_INT(sion_fwrite(NULL, 1, 2, sid), 0);
    CHECK_INT(sion_ensure_free_space(sid, 101), 0);
    CHECK_INT(support_errors, 4);
    CHECK_INT(sion_fwrite(data, 0, 5, sid), 0);
    CHECK_INT(sion_fwrite(data, 5, 0, sid), 0);
    CHECK_INT(sion_ensure_free_space(sid, -5), 1);
    CHECK_INT(support_errors, 4);
    CHECK_INT(sion_get_bytes_written(sid), 0);
    CHECK_INT(sion_fwrite(data, 1, 100, sid), 100);
    CHECK_INT(sion_seek(sid, 1, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
    CHECK_INT(sion_fwrite(data, 1, 1, sid), 0);
    CHECK_INT(support_errors, 5);
    CHECK_INT(sion_close(sid), 1);
}

static void reading_is_all_or_nothing(void)
{
    const sion_int64 size = 100;
    char data[200] = {0};
    sion_int32 fs = 100;
    int sid = create("bw", 1, &size, &fs);

    CHECK_INT(sion_fwrite(data, 1, 60, sid), 60);
    CHECK_INT(sion_fwrite(data, 1, 50, sid), 50);
    CHECK_INT(sion_close(sid), 1);
    sid = open_to_read("br");
    support_catch();
    CHECK_INT(sion_fread(data, 1, 61, sid), 0);
    CHECK_CONTAINS(support_message, "not enough bytes left in chunk, aborting (60 < 61)");
    CHECK_INT(sion_get_bytes_read(sid), 0);
    CHECK_INT(sion_fread(data, 10, 6, sid), 6);
    CHECK_INT(sion_bytes_avail_in_block(sid), 0);
    /* The next chunk holds fewer bytes, so the position does not move, not even into that chunk. */
    CHECK_INT(sion_fread(data, 1, 51, sid), 0);
    CHECK_INT(sion_bytes_avail_in_block(sid), 0);
    CHECK_INT(sion_fread(NULL, 1, 0, sid), 0);
    CHECK_INT(sion_fread(NULL, 0, 1, sid), 0);
    CHECK_INT(sion_fread(NULL, 1, 1, sid), 0);
    CHECK_INT(sion_fread(data, 1, 101, sid), 0);
    CHECK_INT(support_errors, 4);
    CHECK_INT(sion_fread(data, 1, 50, sid), 50);
    CHECK_INT(sion_get_bytes_read(sid), 110);
    CHECK_INT(sion_fread(data, 1, 1, sid), 0);
    CHECK_INT(sion_fread(data, 0, 1, sid), 0);
    CHECK_INT(support_errors, 4);
    CHECK_INT(sion_feof(sid), 1);
    CHECK_INT(sion_close(sid), 1);
}

static void feof_skips_chunks_without_data(void)
{
    const sion_int64 size = 100;
    char data[100] = {0};
    sion_int32 fs = 100;
    int sid = create("bw", 1, &size, &fs);

    CHECK_INT(sion_fwrite(data, 1, 10, sid), 10);
    CHECK_INT(sion_ensure_free_space(sid, 100), 1);
    CHECK_INT(sion_feof(sid), 1);
    CHECK_INT(sion_close(sid), 1);
    sid = open_to_read("br");
    CHECK_INT(sion_fread(data, 1, 10, sid), 10);
    CHECK_INT(sion_feof(sid), 1);
    CHECK_INT(sion_close(sid), 1);
}

static void the_wrong_access_is_refused(void)
{
    const sion_int64 size = 100;
    char data[10] = {0};
    sion_int32 fs = 100;
    int sid = create("bw", 1, &size, &fs);

    support_catch();
    CHECK_INT(sion_fread(data, 1, 1, sid), 0);
    CHECK_INT(sion_get_bytes_read(sid), -1);
    CHECK_INT(sion_close(sid), 1);
    sid = open_to_read("br");
    CHECK_INT(sion_fwrite(data, 1, 1, sid), 0);
    CHECK_INT(sion_ensure_free_space(sid, 1), 0);
    CHECK_INT(sion_get_bytes_written(sid), -1);
    CHECK_INT(support_errors, 3);
    CHECK_INT(sion_close(sid), 1);
}

static void invalid_sids_return_errors(void)
{
    static const int sids[] = {-1, 0, 1, 77, 1 << 30, -2000000000};
    char data[8];
    size_t i;

    for (i = 0; i < sizeof sids / sizeof sids[0]; i++) {
        int sid = sids[i], a, b;

        support_catch();
        CHECK_INT(sion_fwrite(data, 1, 1, sid), 0);
        CHECK_INT(sion_fread(data, 1, 1, sid), 0);
        CHECK_INT(sion_feof(sid), -1);
        CHECK_INT(sion_bytes_avail_in_chunk(sid), -1);
        CHECK_INT(sion_bytes_avail_in_block(sid), -1);
        CHECK_INT(sion_ensure_free_space(sid, 1), 0);
        CHECK_INT(sion_flush(sid), 0);
        CHECK_INT(sion_seek(sid, 0, 0, 0), 0);
        CHECK_INT(sion_seek_fp(sid, 0, 0, 0, NULL), 0);
        CHECK_INT(sion_get_position(sid), -1);
        CHECK_INT(sion_get_bytes_written(sid), -1);
        CHECK_INT(sion_get_bytes_read(sid), -1);
        CHECK(sion_get_fp(sid) == NULL);
        CHECK_INT(sion_get_fd(sid), -1);
        CHECK_INT(sion_set_second_fp(sid, stderr), 0);
        CHECK_INT(sion_unset_second_fp(sid), 0);
        CHECK_INT(sion_set_fp_closed(sid), 0);
        CHECK_INT(sion_optimize_fp_buffer(sid), 0);
        CHECK_INT(sion_get_number_of_files(sid), -1);
        CHECK_INT(sion_get_filenumber(sid), -1);
        CHECK_INT(sion_is_serial_opened(sid), -1);
        CHECK_INT(sion_using_hints(sid), -1);
        CHECK_INT(sion_get_file_endianness(sid), -1);
        CHECK_INT(sion_endianness_swap_needed(sid), 1);
        CHECK_INT(sion_get_sizeof(sid, &a, &b), -1);
        CHECK(a == -1 && b == -1);
        CHECK_INT(sion_get_keyval_mode(sid), SION_KEYVAL_UNKNOWN);
        CHECK(sion_get_io_info(sid) == NULL);
        CHECK_INT(sion_dup(sid, SION_DUP_ALL, 0, 0), -1);
        CHECK_INT(sion_dedup(sid), -1);
        CHECK_INT(sion_close(sid), 0);
        CHECK_INT(_sion_close_sid(sid), 0);
        CHECK_INT(support_errors, 31);
    }
}

static void sids_are_numbered_as_in_sionlib(void)
{
    const sion_int64 size = 10;
    sion_int32 fs = 10;
    int a = create("bw", 1, &size, &fs), b = create("bw,lock=no", 1, &size, &fs);
    char set[512];
    int n, nfiles;

    CHECK_INT(a, 0);
    CHECK_INT(b, 1);
    CHECK_INT(sion_close(a), 1);
    CHECK_INT(sion_close(b), 1);
    CHECK_INT(sion_close(b), 0);
    /* The files of a set take numbers, too: file 0 the first, the container the second. */
    snprintf(set, sizeof set, "%s", support_golden("mpi/m01_multi.sion"));
    a = sion_open(set, "br", &n, &nfiles, NULL, NULL, NULL, NULL);
    b = open_to_read("br");
    CHECK_INT(a, 1);
    CHECK_INT(b, 4);
    CHECK(sion_fread(set, 1, 1, 0) == 0);
    CHECK_INT(sion_close(a), 1);
    CHECK_INT(sion_close(b), 1);
    a = open_to_read("br");
    CHECK_INT(a, 0);
    CHECK_INT(sion_close(a), 1);
}

static void many_opens_and_closes_leak_nothing(void)
{
    const sion_int64 sizes[3] = {10, 10, 10};
    int descriptors = support_descriptors(), i, sid = -1, bad = 0;
    char set[512];

    snprintf(set, sizeof set, "%s", support_golden("mpi/m01_multi.sion"));
    for (i = 0; i < 2000; i++) {
        sion_int32 fs = 10;
        int n, nfiles;

        sid = create(i % 2 ? "bw" : "bw,posix", 3, sizes, &fs);
        bad += sion_fwrite("x", 1, 1, sid) != 1 || sion_close(sid) != 1;
        sid = sion_open(set, "br", &n, &nfiles, NULL, NULL, NULL, NULL);
        bad += sion_close(sid) != 1;
    }
    CHECK_INT(bad, 0);
    CHECK_INT(sid, 1);
    CHECK_INT(support_descriptors(), descriptors);
}

static void keyval_mode_comes_from_string_environment_and_file(void)
{
    const sion_int64 size = 10;
    sion_int32 fs = 10;
    int sid;

    setenv("SION_KEYVALUE_MODE", "inline", 1);
    sid = create("bw", 1, &size, &fs);
    CHECK_INT(sion_get_keyval_mode(sid), SION_KEYVAL_INLINE);
    sion_close(sid);
    sid = create("bw,keyval=none", 1, &size, &fs);
    CHECK_INT(sion_get_keyval_mode(sid), SION_KEYVAL_NONE);
    sion_close(sid);
    unsetenv("SION_KEYVALUE_MODE");
    sid = create("bw,keyval", 1, &size, &fs);
    CHECK_INT(sion_get_keyval_mode(sid), SION_KEYVAL_INLINE);
    sion_close(sid);
    support_catch();
    sid = open_to_read("br");
    CHECK_INT(sion_get_keyval_mode(sid), SION_KEYVAL_INLINE);
    CHECK_INT(support_warnings, 0);
    sion_close(sid);
    sid = open_to_read("br,keyval=none");
    CHECK_INT(sion_get_keyval_mode(sid), SION_KEYVAL_INLINE);
    CHECK_INT(support_warnings, 1);
    sion_close(sid);
    CHECK_STR(sion_keyval_type_to_str(SION_KEYVAL_HASH), "SION_KEYVAL_HASH");
    CHECK_STR(sion_keyval_type_to_str(55), "unknown");
}

/* Plain writes into a key-value container are raw bytes of its stream, which has no gaps. */
static void raw_writes_fill_the_chunks_of_a_key_value_container(void)
{
    const sion_int64 size = 512;
    unsigned char data[1300];
    sion_int32 fs = 512;
    int sid = create("bw,keyval=inline", 1, &size, &fs), chunks;
    sion_int64 *used;

    check_fill(data, 0, 0, sizeof data);
    CHECK_INT(sion_fwrite(data, 1, 400, sid), 400);
    CHECK_INT(sion_fwrite(data + 400, 1, 900, sid), 900);
    support_catch();
    CHECK_INT(sion_ensure_free_space(sid, 400), 0);
    CHECK_INT(support_errors, 1);
    CHECK_INT(sion_get_bytes_written(sid), 1300);
    CHECK_INT(sion_close(sid), 1);
    sid = open_to_read("br");
    CHECK_INT(sion_get_current_location(sid, NULL, NULL, &chunks, &used), 1);
    CHECK(chunks == 3 && used[0] == 512 && used[1] == 512 && used[2] == 276);
    CHECK_INT(sion_fread(data, 1, 512, sid), 512);
    CHECK_INT(sion_fread(data + 512, 1, 512, sid), 512);
    CHECK_INT(sion_fread(data + 1024, 1, 276, sid), 276);
    CHECK_INT(check_compare(data, 0, 0, 1300), -1);
    CHECK_INT(sion_close(sid), 1);
}

static void unknown_words_give_one_warning_and_no_word_means_reading(void)
{
    int sid;

    support_catch();
    sid = open_to_read("foo, posix,bar=1,hints=2");
    CHECK(sid >= 0);
    CHECK_INT(support_warnings, 1);
    CHECK_CONTAINS(support_message, "'foo', ' posix', 'bar=1'");
    CHECK_INT(sion_close(sid), 1);
}

static void messages_have_the_known_form(void)
{
    char text[400] = "", expected[200];
    int saved = dup(2);
    FILE *capture = tmpfile();

    sion_error_set_handler(NULL, NULL);
    dup2(fileno(capture), 2);
    CHECK_INT(sion_close(99), 0);
    setenv("SION_ERROR_MSG_RANK", "3", 1);
    CHECK_INT(sion_close(98), 0);
    unsetenv("SION_ERROR_MSG_RANK");
    dup2(saved, 2);
    close(saved);
    rewind(capture);
    CHECK(fread(text, 1, sizeof text - 1, capture) > 0);
    fclose(capture);
    snprintf(expected, sizeof expected,
             "SION_ERROR_RETURN on rank -1, rc=0: sion_close: invalid sion_filedesc, aborting %d "
             "...\n",
             99);
    CHECK_CONTAINS(text, expected);
    CHECK_CONTAINS(text, "aborting 98 ...");
}

int main(void)
{
    support_enter_folder();
    RUN(invalid_sids_return_errors);
    RUN(sids_are_numbered_as_in_sionlib);
    RUN(two_records_per_task_are_read_back_in_all_ways);
    RUN(a_task_may_have_any_number_of_chunks);
    RUN(records_that_do_not_fit_are_refused);
    RUN(reading_is_all_or_nothing);
    RUN(feof_skips_chunks_without_data);
    RUN(the_wrong_access_is_refused);
    RUN(many_opens_and_closes_leak_nothing);
    RUN(keyval_mode_comes_from_string_environment_and_file);
    RUN(raw_writes_fill_the_chunks_of_a_key_value_container);
    RUN(unknown_words_give_one_warning_and_no_word_means_reading);
    RUN(messages_have_the_known_form);
    support_leave_folder();
    return check_done();
}
