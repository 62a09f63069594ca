/* Calls for bytes of a stream across chunks: what they return and refuse, and what they cost. */
#include <errno.h>

#include "sion.h"

#include "support.h"
#include "vfs/fault.h"

enum { TASKS = 3, CHUNK = 512, LARGE = 5000 };

static char name[] = "s.sion";
static unsigned char data[LARGE];

/* Files opened from here on count their calls. */
static void count_calls(void)
{
    scion_fault_arm(0, 0, 0, 0);
}

static int create_with(const char *mode, sion_int64 chunk, sion_int32 fsblksize)
{
    int n = TASKS, nfiles = 1, ranks[TASKS] = {0, 1, 2}, *r = ranks;
    sion_int64 sizes[TASKS] = {chunk, chunk, chunk}, *s = sizes;

    return sion_open(name, mode, &n, &nfiles, &s, &fsblksize, &r, NULL);
}

static int create(const char *mode)
{
    return create_with(mode, CHUNK, CHUNK);
}

static int open_again(const char *mode)
{
    int n, nfiles;

    return sion_open(name, mode, &n, &nfiles, NULL, NULL, NULL, NULL);
}

/* Write the stream of task 1; its two neighbours have a few bytes. */
static void write_streams(const char *mode)
{
    int sid = create(mode), task;

    for (task = 0; task < TASKS; task++) {
        sion_int64 bytes = task == 1 ? LARGE : 7;

        CHECK_INT(sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
        check_fill(data, task, 0, LARGE);
        CHECK_INT(sion_stream_write(sid, data, bytes), bytes);
        CHECK_INT(sion_stream_tell(sid), bytes);
        CHECK_INT(sion_stream_size(sid), bytes);
    }
    CHECK_INT(sion_close(sid), 1);
}

static void a_record_may_be_larger_than_a_chunk(void)
{
    static const char *const modes[] = {"bw", "bw,posix", "bw,posix,buffered"};
    int m, sid;

    for (m = 0; m < 3; m++) {
        write_streams(modes[m]);
        sid = open_again("br");
        CHECK_INT(sion_seek(sid, 1, 0, 0), 1);
        CHECK_INT(sion_stream_size(sid), LARGE);
        memset(data, 0, sizeof data);
        CHECK_INT(sion_stream_read(sid, data, LARGE), LARGE);
        CHECK_INT(check_compare(data, 1, 0, LARGE), -1);
        CHECK_INT(sion_stream_tell(sid), LARGE);
        CHECK_INT(sion_close(sid), 1);
    }
}

/* Read chunk by chunk. All chunks are full, except the last one. */
static void chunks_are_filled(void)
{
    sion_int64 pos = 0;
    int sid, chunks = 0;

    write_streams("bw");
    sid = open_again("br");
    CHECK_INT(sion_seek(sid, 1, 0, 0), 1);
    while (!sion_feof(sid)) {
        sion_int64 left = sion_bytes_avail_in_chunk(sid);

        CHECK_INT(left, LARGE - pos < CHUNK ? LARGE - pos : CHUNK);
        CHECK_INT(sion_fread(data, 1, (size_t)left, sid), left);
        CHECK_INT(check_compare(data, 1, (long)pos, (size_t)left), -1);
        pos += left;
        chunks++;
    }
    CHECK_INT(chunks, (LARGE + CHUNK - 1) / CHUNK);
    CHECK_INT(sion_close(sid), 1);
}

static void reading_ends_with_the_data(void)
{
    int sid;

    write_streams("bw");
    sid = open_again("br");
    support_catch();
    CHECK_INT(sion_seek(sid, 1, 0, 0), 1);
    CHECK_INT(sion_stream_skip(sid, LARGE - 600), LARGE - 600);
    CHECK_INT(sion_stream_tell(sid), LARGE - 600);
    CHECK_INT(sion_stream_read(sid, data, LARGE), 600);
    CHECK_INT(check_compare(data, 1, LARGE - 600, 600), -1);
    CHECK_INT(sion_stream_read(sid, data, 1), 0);
    CHECK_INT(sion_stream_skip(sid, 1), 0);
    CHECK_INT(sion_seek(sid, SION_CURRENT_RANK, SION_ABSOLUTE_POS, 511), 1);
    CHECK_INT(sion_stream_skip(sid, 2 * (sion_int64)LARGE), LARGE - 511);
    CHECK_INT(sion_stream_tell(sid), LARGE);
    CHECK_INT(support_errors, 0);
    CHECK_INT(sion_close(sid), 1);
}

static void one_rank_reads_its_stream_alone(void)
{
    sion_int64 chunksize;
    sion_int32 fsblksize;
    int rank = 1, sid;

    write_streams("bw");
    sid = sion_open_rank(name, "br", &chunksize, &fsblksize, &rank, NULL);
    CHECK_INT(sion_stream_size(sid), LARGE);
    CHECK_INT(sion_stream_read(sid, data, LARGE), LARGE);
    CHECK_INT(check_compare(data, 1, 0, LARGE), -1);
    CHECK_INT(sion_close(sid), 1);
}

/* A refused call returns -1, prints one message with this text, and keeps the position. */
static void refused(sion_int64 result, const char *text)
{
    CHECK_INT(result, -1);
    CHECK_INT(support_errors, 1);
    CHECK_CONTAINS(support_message, text);
    support_catch();
}

static void key_value_containers_are_refused(void)
{
    int sid = create("bw,keyval=inline");

    support_catch();
    refused(sion_stream_write(sid, data, 1), "key-value");
    refused(sion_stream_tell(sid), "key-value");
    refused(sion_stream_size(sid), "key-value");
    /* The call is refused even if there is room in the buffer. */
    CHECK_INT(sion_fwrite_key(data, 5, 1, 10, sid), 10);
    refused(sion_stream_write(sid, data, 1), "key-value");
    CHECK_INT(sion_close(sid), 1);
    sid = open_again("br,keyval=inline");
    CHECK_INT(sion_fread_key(data, 5, 1, 5, sid), 5);
    refused(sion_stream_read(sid, data, 1), "key-value");
    refused(sion_stream_skip(sid, 1), "key-value");
    CHECK_INT(sion_close(sid), 1);
}

static void wrong_calls_are_refused(void)
{
    int sid = create("bw");

    support_catch();
    CHECK_INT(sion_stream_write(sid, data, 3), 3);
    refused(sion_stream_read(sid, data, 1), "writing");
    refused(sion_stream_skip(sid, 1), "writing");
    refused(sion_stream_write(sid, NULL, 1), "NULL");
    refused(sion_stream_write(sid, data, -1), "-1 bytes");
    refused(sion_stream_write(sid + 1000, data, 1), "invalid sion_filedesc");
    CHECK_INT(sion_stream_write(sid, NULL, 0), 0);
    CHECK_INT(sion_stream_tell(sid), 3);
    CHECK_INT(sion_close(sid), 1);
    sid = open_again("br");
    CHECK_INT(sion_stream_read(sid, data, 1), 1);
    refused(sion_stream_write(sid, data, 1), "reading");
    refused(sion_stream_read(sid, NULL, 1), "NULL");
    refused(sion_stream_read(sid, data, -1), "-1 bytes");
    refused(sion_stream_skip(sid, -1), "-1 bytes");
    refused(sion_stream_tell(sid + 1000), "invalid sion_filedesc");
    CHECK_INT(sion_stream_read(sid, NULL, 0), 0);
    CHECK_INT(sion_stream_tell(sid), 1);
    CHECK_INT(sion_close(sid), 1);
}

static void a_chunk_of_no_bytes_takes_none(void)
{
    int sid = create_with("bw", 0, CHUNK);

    support_catch();
    refused(sion_stream_write(sid, data, 1), "chunksize=0");
    CHECK_INT(sion_stream_write(sid, data, 0), 0);
    CHECK_INT(sion_close(sid), 1);
}

/* The chunks that reached the file count, and the stream continues after them. */
static void a_full_disk_leaves_whole_chunks(void)
{
    int sid;

    count_calls();
    sid = create("bw,posix");
    support_catch();
    check_fill(data, 0, 0, LARGE);
    scion_fault_arm(1 << SCION_FAULT_PWRITE, 4, 1, ENOSPC);
    CHECK_INT(sion_stream_write(sid, data, LARGE), 3 * CHUNK);
    CHECK_INT(support_errors, 1);
    support_catch();
    scion_fault_arm(1 << SCION_FAULT_PWRITE, 1, 1, ENOSPC);
    refused(sion_stream_write(sid, data + 3 * CHUNK, 100), "");
    scion_fault_disarm();
    CHECK_INT(sion_stream_size(sid), 3 * CHUNK);
    CHECK_INT(sion_stream_write(sid, data + 3 * CHUNK, 100), 100);
    CHECK_INT(sion_close(sid), 1);
    sid = open_again("br");
    CHECK_INT(sion_stream_read(sid, data, LARGE), 3 * CHUNK + 100);
    CHECK_INT(check_compare(data, 0, 0, 3 * CHUNK + 100), -1);
    CHECK_INT(sion_close(sid), 1);
}

static void unreadable_data_are_an_error(void)
{
    int sid;

    write_streams("bw");
    count_calls();
    sid = open_again("br,posix");
    support_catch();
    CHECK_INT(sion_seek(sid, 1, 0, 0), 1);
    scion_fault_arm(1 << SCION_FAULT_PREAD, 3, 2, EIO);
    CHECK_INT(sion_stream_read(sid, data, LARGE), 2 * CHUNK);
    CHECK_INT(support_errors, 1);
    support_catch();
    refused(sion_stream_read(sid, data, LARGE), "");
    scion_fault_disarm();
    CHECK_INT(sion_stream_tell(sid), 2 * CHUNK);
    CHECK_INT(sion_close(sid), 1);
}

/* The calls need as many system calls as sion_fwrite for the same chunks: each chunk is written
   without a copy. */
static void large_transfers_are_not_divided(void)
{
    enum { SIZE = 4 << 20, CHUNKS = 3 };
    unsigned char *large = calloc(1, SIZE * CHUNKS);
    int sid;

    count_calls();
    sid = create_with("bw", SIZE, 4096);
    count_calls();
    CHECK_INT(sion_stream_write(sid, large, SIZE * CHUNKS), SIZE * CHUNKS);
    CHECK_INT(scion_fault_count(SCION_FAULT_PWRITE), CHUNKS);
    CHECK_INT(sion_close(sid), 1);
    sid = open_again("br");
    count_calls();
    CHECK_INT(sion_stream_read(sid, large, SIZE * CHUNKS), SIZE * CHUNKS);
    CHECK_INT(scion_fault_count(SCION_FAULT_PREAD), CHUNKS);
    scion_fault_disarm();
    CHECK_INT(sion_close(sid), 1);
    free(large);
}

/* Small transfers wait in the buffer, even across the end of a chunk. */
static void small_transfers_are_collected(void)
{
    int sid, i;

    count_calls();
    sid = create_with("bw", 65536, 4096);
    count_calls();
    for (i = 0; i < 1000; i++) {
        check_fill(data, 0, 100 * i, 100);
        CHECK_INT(sion_stream_write(sid, data, 100), 100);
    }
    /* to the end of the first chunk; not in memory: before that, up to 64 KiB of the file */
    CHECK(scion_fault_count(SCION_FAULT_PWRITE) >= 1 && scion_fault_count(SCION_FAULT_PWRITE) <= 2);
    CHECK_INT(sion_stream_tell(sid), 100000);
    CHECK_INT(sion_close(sid), 1);
    sid = open_again("br");
    count_calls();
    for (i = 0; i < 1000; i++) {
        CHECK_INT(sion_stream_read(sid, data, 100), 100);
        CHECK_INT(check_compare(data, 0, 100 * i, 100), -1);
    }
    CHECK(scion_fault_count(SCION_FAULT_PREAD) < 10); /* the read-ahead grows */
    scion_fault_disarm();
    CHECK_INT(sion_close(sid), 1);
}

int main(void)
{
    support_enter_folder();
    RUN(a_record_may_be_larger_than_a_chunk);
    RUN(chunks_are_filled);
    RUN(reading_ends_with_the_data);
    RUN(one_rank_reads_its_stream_alone);
    RUN(key_value_containers_are_refused);
    RUN(wrong_calls_are_refused);
    RUN(a_chunk_of_no_bytes_takes_none);
    RUN(a_full_disk_leaves_whole_chunks);
    RUN(unreadable_data_are_an_error);
    RUN(large_transfers_are_not_divided);
    RUN(small_transfers_are_collected);
    support_leave_folder();
    return check_done();
}
