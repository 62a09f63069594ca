/*
 * Every call that takes data, with data in memory of devices: calls DRIVER. The driver has no
 * hardware, and its memory faults where the processor touches it.
 */
#include <errno.h>

#include "sion.h"

#include "device/devices.h"
#include "api/serial.h"
#include "sion_array.h"
#include "sion_stream.h"

static const char *driver;

enum { MIB = 1 << 20, MOST = 9 * MIB };

static unsigned char pattern[MOST + 1000], room[MOST];

static int create_for(const char *mode, sion_int64 chunksize)
{
    sion_int32 fsblksize = 4096;

    return create(mode, 1, &chunksize, &fsblksize);
}

/* Memory of a kind, 0 being the host's, with bytes of the pattern from `from` on. */
enum { HOST, KINDS = 5 };

static void *make(int kind, size_t bytes, size_t from)
{
    static const int devices[] = {0, 0, 1, 2, 1};
    void *data = kind == HOST ? malloc(bytes) : fake.allocate(bytes, kind - 1, devices[kind]);

    if (kind == HOST)
        memcpy(data, pattern + from, bytes);
    else
        fake.put(data, pattern + from, bytes);
    return data;
}

static int has(int kind, const void *data, size_t bytes, size_t from)
{
    if (kind == HOST)
        return memcmp(data, pattern + from, bytes) == 0;
    fake.get(room, data, bytes);
    return memcmp(room, pattern + from, bytes) == 0;
}

static void drop(int kind, void *data)
{
    if (kind == HOST)
        free(data);
    else
        fake.free(data);
}

/* ---- a driver that is loaded while a container is open ---- */

static void the_driver_may_be_loaded_later(void)
{
    int sid = create_for("bw", MOST), back;
    void *data;

    CHECK_INT(sion_fwrite(pattern, 1, 100, sid), 100);
    device_load(driver);
    data = make(1, MIB, 100);
    CHECK_INT(sion_fwrite(data, 1, MIB, sid), MIB);
    CHECK_INT(sion_fwrite((char *)data + 1000, 1, 8, sid), 8); /* now also small ones */
    sion_close(sid);
    CHECK(device_is_clean(0));
    drop(1, data);
    back = open_to_read("br");
    CHECK_INT(sion_fread(room, 1, 100 + MIB, back), 100 + MIB);
    CHECK(memcmp(room, pattern, 100 + MIB) == 0);
    CHECK_INT(sion_fread(room, 1, 8, back), 8);
    CHECK(memcmp(room, pattern + 1100, 8) == 0);
    sion_close(back);
}

/* ---- records ---- */

static size_t any_size(void)
{
    static const size_t most[] = {16, 5000, 300000, 3 * MIB, MOST};

    return 1 + check_below(most[check_below(5)]);
}

static void write_and_read_records(const char *words, sion_int64 chunksize, size_t limit)
{
    enum { N = 40 };
    char mode[64];
    size_t size[N], from[N];
    int kind[N], i, sid;

    snprintf(mode, sizeof mode, "bw%s", words);
    sid = create_for(mode, chunksize);
    for (i = 0; i < N; i++) {
        void *data;

        size[i] = any_size() % limit + 1;
        from[i] = check_below(1000);
        kind[i] = (int)check_below(KINDS);
        data = make(kind[i], size[i], from[i]);
        CHECK_INT(sion_fwrite(data, size[i], 1, sid), 1);
        drop(kind[i], data);
    }
    CHECK_INT(sion_close(sid), 1);
    CHECK(device_is_clean(0));
    snprintf(mode, sizeof mode, "br%s", words);
    sid = open_to_read(mode);
    for (i = 0; i < N; i++) {
        int into = (int)check_below(KINDS);
        void *data = make(into, size[i], 0);

        CHECK_INT(sion_fread(data, size[i], 1, sid), 1);
        CHECK(has(into, data, size[i], from[i]));
        drop(into, data);
    }
    CHECK_INT(sion_feof(sid), 1);
    sion_close(sid);
    CHECK(device_is_clean(0));
}

static void records_of_all_kinds(void)
{
    write_and_read_records("", MOST, MOST);
    write_and_read_records(",posix", MOST, MOST);
    write_and_read_records(",posix,buffered", 2 * MOST, MOST);
    write_and_read_records("", 100000, 100000);
}

/* As the host's: all or nothing, never over chunks, 0 at the end, and the position stays. */
static void records_keep_their_rules(void)
{
    char *data = make(1, 3 * MIB, 0);
    int sid = create_for("bw", 2 * MIB);

    support_catch();
    CHECK_INT(sion_fwrite(data, 1, 3 * MIB, sid), 0);
    CHECK_CONTAINS(support_message, "chunksize=");
    CHECK_INT(sion_fwrite(data, 1, 1500000, sid), 1500000);
    CHECK_INT(sion_fwrite(data, 1, 1500000, sid), 1500000); /* in the next chunk */
    CHECK_INT(sion_get_bytes_written(sid), 3000000);
    CHECK_INT(sion_fwrite(data, 0, 5, sid), 0);
    sion_close(sid);
    sid = open_to_read("br");
    CHECK_INT(sion_fread(data, 1, 1600000, sid), 0);
    CHECK_CONTAINS(support_message, "not enough bytes left in chunk");
    CHECK_INT(sion_get_bytes_read(sid), 0);
    CHECK_INT(sion_fread(data, 1, 1500000, sid), 1500000);
    CHECK_INT(sion_fread(data, 1, 1000, sid), 1000);
    CHECK_INT(sion_get_bytes_read(sid), 1501000);
    CHECK_INT(sion_fread(data, 1, 1500000 - 1000, sid), 1500000 - 1000);
    support_catch();
    CHECK_INT(sion_fread(data, 1, 10, sid), 0);
    CHECK_INT(support_errors, 0);
    sion_error_set_handler(NULL, NULL);
    sion_close(sid);
    drop(1, data);
    CHECK(device_is_clean(0));
}

static void records_go_through_the_programs_file(void)
{
    char *data = make(1, MIB, 10);
    int sid = create_for("bw", 4 * MIB);
    FILE *file = sion_get_fp(sid);

    CHECK_INT(fwrite(pattern, 1, 10, file), 10);
    CHECK_INT(sion_fwrite(data, 1, MIB, sid), MIB);
    CHECK_INT(sion_fwrite(data, 1, 7, sid), 7);
    CHECK_INT(fwrite(pattern, 1, 5, file), 5);
    sion_close(sid);
    sid = open_to_read("br");
    file = sion_get_fp(sid);
    CHECK_INT(fread(room, 1, 10, file), 10);
    CHECK_INT(sion_fread(data, 1, MIB, sid), MIB);
    CHECK(memcmp(room, pattern, 10) == 0 && has(1, data, MIB, 10));
    CHECK_INT(sion_fread(data, 1, 7, sid), 7);
    CHECK(has(1, data, 7, 10));
    sion_close(sid);
    drop(1, data);
}

/* ---- bytes without records ---- */

static void streams_of_all_kinds(void)
{
    size_t at = 0, size;
    int sid = create_for("bw", 70000), kind = 0, got = 0;

    for (; at < 8 * MIB; at += size, kind++) {
        void *data;

        size = any_size() % MIB + 1;
        data = make(kind % KINDS, size, at % 1000);
        CHECK_INT(sion_stream_write(sid, data, (sion_int64)size), size);
        drop(kind % KINDS, data);
        CHECK_INT(sion_stream_tell(sid), at + size);
    }
    sion_close(sid);
    CHECK(device_is_clean(0));
    sid = open_to_read("br");
    for (kind = 0; !got; kind++) {
        void *device = make(1, MIB, 0);
        static unsigned char host[MIB];
        sion_int64 here = sion_stream_tell(sid), n = sion_stream_read(sid, device, MIB);

        CHECK(n >= 0);
        CHECK_INT(sion_stream_tell(sid), here + n);
        CHECK_INT(sion_seek(sid, 0, SION_ABSOLUTE_POS, here), 1);
        CHECK_INT(sion_stream_read(sid, host, MIB), n);
        fake.get(room, device, (size_t)n);
        CHECK(memcmp(room, host, (size_t)n) == 0);
        drop(1, device);
        got = n < MIB;
    }
    CHECK_INT(sion_stream_tell(sid), at);
    sion_close(sid);
    CHECK(device_is_clean(0));
}

static void whole_streams_of_tasks(void)
{
    sion_int64 sizes[] = {5000, 5000, 5000}, starts[4] = {2000, 0, 1000, 3000};
    sion_int32 fsblksize = 512;
    int sid = create("bw", 3, sizes, &fsblksize), ranks[] = {0, 1, 2}, i;
    char *data = make(1, 4000, 0);

    for (i = 0; i < 3; i++) {
        sion_seek(sid, i, 0, 0);
        CHECK_INT(sion_fwrite(pattern + 100 * i, 1, 900, sid), 900);
    }
    sion_close(sid);
    sid = open_to_read("br");
    CHECK_INT(sion_stream_read_tasks(sid, 3, ranks, starts, data, 4000), 2700);
    sion_close(sid);
    fake.get(room, data, 4000);
    for (i = 0; i < 3; i++)
        CHECK(memcmp(room + starts[i], pattern + 100 * i, 900) == 0);
    CHECK(memcmp(room + 900, pattern + 900, 100) == 0); /* between them, it is as it was */
    drop(1, data);
    CHECK(device_is_clean(0));
}

/* ---- keys ---- */

static void keys_of_all_kinds(void)
{
    enum { N = 25 };
    size_t size[N];
    int sid = create_for("bw,keyval=inline", 50000), i;

    for (i = 0; i < N; i++) {
        void *data;

        size[i] = any_size() % 400000 + 1;
        data = make(i % KINDS, size[i], (size_t)i);
        CHECK_INT(sion_fwrite_key(data, (uint64_t)i, 1, size[i], sid), size[i]);
        drop(i % KINDS, data);
    }
    sion_close(sid);
    CHECK(device_is_clean(0));
    sid = open_to_read("br,keyval=unknown");
    for (i = N - 1; i >= 0; i--) {
        int into = (i + 1) % KINDS;
        void *data = make(into, size[i] + 1000, 500);

        CHECK_INT(sion_fread_key(data, (uint64_t)i, 1, size[i] + 1000, sid), size[i]);
        CHECK(has(into, data, size[i], (size_t)i));
        drop(into, data);
    }
    sion_close(sid);
    CHECK(device_is_clean(0));
}

/* ---- arrays ---- */

enum { ROWS = 600, COLUMNS = 700 };

/* Blocks of a matrix of f64, from memory of all kinds; the second half in slices, by chunks. */
static void write_matrix(sion_int64 chunksize, int crc)
{
    sion_int64 shape[] = {ROWS, COLUMNS}, count[] = {ROWS / 10, COLUMNS}, offset[] = {0, 0};
    size_t bytes = ROWS / 10 * COLUMNS * sizeof(double);
    int sid = create_for("bw", chunksize), i;

    CHECK_INT(sion_array_define(sid, "M", SION_F64, 2, shape), 1);
    CHECK_INT(sion_array_set_crc(sid, crc), 1);
    for (i = 0; i < 10; i++, offset[0] += count[0]) {
        void *data = make(i % KINDS, bytes, (size_t)i * 8);

        CHECK_INT(sion_array_put(sid, "M", 0, offset, count, SION_F64, data, bytes), 1);
        drop(i % KINDS, data);
    }
    CHECK_INT(sion_close(sid), 1);
    CHECK(device_is_clean(0));
}

/* Parts into memory of all kinds, as into the host's. */
static void compare_parts(sion_array_reader *arrays)
{
    static double host[ROWS * COLUMNS];
    int i;

    for (i = 0; i < 25; i++) {
        sion_int64 offset[] = {(sion_int64)check_below(ROWS), (sion_int64)check_below(COLUMNS)};
        sion_int64 count[] = {1 + (sion_int64)check_below((size_t)(ROWS - offset[0])),
                              1 + (sion_int64)check_below((size_t)(COLUMNS - offset[1]))};
        size_t bytes = (size_t)(count[0] * count[1]) * sizeof(double);
        int kind = 1 + i % (KINDS - 1);
        void *data = make(kind, bytes, 0);

        CHECK_INT(sion_array_reader_get(arrays, "M", 0, offset, count, SION_F64, host, bytes), 1);
        CHECK_INT(sion_array_reader_get(arrays, "M", 0, offset, count, SION_F64, data, bytes), 1);
        fake.get(room, data, bytes);
        CHECK(memcmp(room, host, bytes) == 0);
        drop(kind, data);
        CHECK(device_is_clean(1));
    }
}

static void arrays_of_all_kinds(void)
{
    sion_int64 offset[] = {0, 0}, count[] = {ROWS, COLUMNS}, row;
    double *data = fake.allocate(ROWS * COLUMNS * sizeof *data, FAKE_DEVICE, 1);
    int way;

    for (way = 0; way < 4; way++) {
        sion_array_reader *arrays;

        write_matrix(way < 2 ? 4 * MIB : 100000, way % 2);
        arrays = sion_array_reader_open(name);
        CHECK_INT(sion_array_reader_get(arrays, "M", 0, offset, count, SION_F64, data,
                                        sizeof *data * ROWS * COLUMNS),
                  1);
        fake.get(room, data, sizeof *data * ROWS * COLUMNS);
        for (row = 0; row < ROWS; row++) {
            size_t bytes = COLUMNS * sizeof *data;

            CHECK(memcmp(room + (size_t)row * bytes,
                         pattern + (size_t)(row / (ROWS / 10)) * 8 +
                             (size_t)(row % (ROWS / 10)) * bytes,
                         bytes) == 0);
        }
        compare_parts(arrays);
        sion_array_reader_close(arrays);
        CHECK(device_is_clean(0));
    }
    fake.free(data);
}

/* The range is that of the elements, and the CRC that of the bytes. */
static void arrays_are_as_the_hosts(void)
{
    size_t size[4], bytes = 50000 * sizeof(double);
    unsigned char *file[4];
    sion_int64 shape[] = {50000}, offset[] = {0};
    double *numbers = malloc(bytes);
    int way, i;

    for (i = 0; i < 50000; i++)
        numbers[i] = (double)(i * 7919 % 50000) - 1000.5;
    for (way = 0; way < 4; way++) {
        int sid = create_for("bw", 4 * MIB);
        void *data = way % 2 ? fake.allocate(bytes, FAKE_DEVICE, 2) : numbers;

        if (way % 2)
            fake.put(data, numbers, bytes);
        sion_array_define(sid, "A", SION_F64, 1, shape);
#ifdef HAVE_ZSTD
        CHECK(way < 2 || sion_array_codec(sid, "A", "zstd,shuffle") == 1);
#endif
        sion_array_set_crc(sid, 1);
        CHECK_INT(sion_array_put(sid, "A", 3, offset, shape, SION_F64, data, bytes), 1);
        sion_close(sid);
        file[way] = support_load(name, &size[way]);
        if (way % 2)
            fake.free(data);
    }
    for (way = 0; way < 4; way++) {
        CHECK(size[way] == size[way & 2] && memcmp(file[way], file[way & 2], size[way]) == 0);
    }
    for (way = 0; way < 4; way++)
        free(file[way]);
    free(numbers);
}

static void elements_are_converted(void)
{
    enum { N = 300000 };
    sion_int64 shape[] = {N}, offset[] = {0}, three[] = {3}, first[] = {17};
    static unsigned short small[N];
    double *data = fake.allocate(N * sizeof *data, FAKE_DEVICE, 0), *back = (double *)room;
    unsigned char *bytes = fake.allocate(N, FAKE_DEVICE, 0);
    int sid = create_for("bw", 4 * MIB), i;
    sion_array_reader *arrays;

    for (i = 0; i < N; i++)
        small[i] = (unsigned short)(i % 1000);
    sion_array_define(sid, "S", SION_U16, 1, shape);
    sion_array_put(sid, "S", 0, offset, shape, SION_U16, small, sizeof small);
    sion_close(sid);
    arrays = sion_array_reader_open(name);
    CHECK_INT(
        sion_array_reader_get_as(arrays, "S", 0, offset, shape, SION_F64, data, N * sizeof *data),
        1);
    fake.get(back, data, N * sizeof *data);
    for (i = 0; i < N && back[i] == i % 1000; i++)
        ;
    CHECK_INT(i, N);
    CHECK_INT(sion_array_reader_get_as(arrays, "S", 0, first, three, SION_U8, bytes, 3), 1);
    fake.get(room, bytes, 3);
    CHECK(room[0] == 17 && room[1] == 18 && room[2] == 19);
    support_catch();
    CHECK_INT(sion_array_reader_get_as(arrays, "S", 0, offset, shape, SION_U8, bytes, N), 0);
    CHECK_CONTAINS(support_message, "which u8 cannot represent");
    sion_error_set_handler(NULL, NULL);
    sion_array_reader_close(arrays);
    fake.free(data);
    fake.free(bytes);
    CHECK(device_is_clean(0));
}

/* ---- the driver fails ---- */

/* A call with a device's data, which is made until no call of the driver fails any more. */
struct failing {
    const char *mode;
    int is_reading;
    int (*call)(int sid, void *data); /* 1: it has succeeded */
};

enum { BYTES = MIB };

static int has_failed; /* a call of the driver */

static int call_fwrite(int sid, void *data)
{
    return sion_fwrite(data, 1, BYTES, sid) == BYTES;
}

static int call_fread(int sid, void *data)
{
    return sion_fread(data, 1, BYTES, sid) == BYTES;
}

static int call_stream_write(int sid, void *data)
{
    return sion_stream_write(sid, data, BYTES) == BYTES;
}

static int call_stream_read(int sid, void *data)
{
    return sion_stream_read(sid, data, BYTES) == BYTES;
}

static int call_fwrite_key(int sid, void *data)
{
    return sion_fwrite_key(data, 7, 1, BYTES, sid) == BYTES;
}

static int call_fread_key(int sid, void *data)
{
    sion_seek_key(sid, 7, 0, 0);
    return sion_fread_key(data, 7, 1, BYTES, sid) == BYTES;
}

static int call_read_tasks(int sid, void *data)
{
    int rank = 0;
    sion_int64 start = 0;

    return sion_stream_read_tasks(sid, 1, &rank, &start, data, BYTES) > 0;
}

static int call_put(int sid, void *data)
{
    sion_int64 shape[] = {BYTES}, offset[] = {0};

    sion_array_define(sid, "A", SION_U8, 1, shape);
    sion_array_set_crc(sid, 1);
    return sion_array_put(sid, "A", 0, offset, shape, SION_U8, data, BYTES) == 1;
}

static int call_get(int sid, void *data)
{
    sion_int64 shape[] = {BYTES}, offset[] = {0};
    sion_array_reader *arrays = sion_array_reader_open(name);
    int rc = sion_array_reader_get(arrays, "A", 0, offset, shape, SION_U8, data, BYTES);

    (void)sid;
    has_failed = fake.has_failed();
    fake.fail_at(0);
    sion_array_reader_close(arrays);
    return rc == 1;
}

static void fail_at_each_call(const struct failing *failing)
{
    char *data = make(4, BYTES, 0);
    int sid, is_done = 0, n;

    for (n = 1; !is_done && n < 100; n++) {
        sion_int64 before;

        sid = failing->is_reading ? open_to_read(failing->mode)
                                  : create_for(failing->mode, 3 * BYTES);
        if (!failing->is_reading)
            CHECK_INT(sion_fwrite(pattern, 1, 10, sid), strstr(failing->mode, "key") ? 10 : 10);
        before = failing->is_reading ? sion_get_bytes_read(sid) : sion_get_bytes_written(sid);
        support_catch();
        fake.fail_at(n);
        has_failed = 0;
        is_done = failing->call(sid, data) && !has_failed && !fake.has_failed();
        if (!is_done) {
            CHECK_INT(support_errors, 1);
            CHECK_CONTAINS(support_message, "an illegal memory access was encountered (700)");
            CHECK_CONTAINS(support_message, " on device 1: ");
        }
        fake.fail_at(0);
        if (!is_done && strcmp(failing->mode, "bw") == 0 && failing->call == call_fwrite)
            CHECK_INT(sion_get_bytes_written(sid), before);
        if (!is_done && failing->call == call_fread)
            CHECK_INT(sion_get_bytes_read(sid), before);
        CHECK(device_is_clean(1));
        if (!failing->call(sid, data)) /* the driver is well again */
            printf("# %s %d: %s\n", failing->mode, n, support_message), check_failed_here++;
        sion_error_set_handler(NULL, NULL);
        CHECK_INT(sion_close(sid), 1);
        CHECK(device_is_clean(0));
    }
    CHECK(is_done && n > 8);
    drop(4, data);
}

static void each_failure_of_the_driver_is_told(void)
{
    static const struct failing writes[] = {{"bw", 0, call_fwrite},
                                            {"bw,posix", 0, call_fwrite},
                                            {"bw", 0, call_stream_write},
                                            {"bw,keyval=inline", 0, call_fwrite_key},
                                            {"bw", 0, call_put}};
    static const struct failing reads[] = {
        {"br", 1, call_fread}, {"br,posix", 1, call_fread}, {"br", 1, call_stream_read}};
    int i, sid;

    for (i = 0; i < 5; i++)
        fail_at_each_call(&writes[i]);
    fail_at_each_call(&(struct failing){"br", 1, call_get});
    sid = create_for("bw,keyval=inline", MIB);
    CHECK_INT(sion_fwrite_key(pattern, 7, 1, BYTES, sid), BYTES);
    sion_close(sid);
    fail_at_each_call(&(struct failing){"br,keyval=unknown", 1, call_fread_key});
    sid = create_for("bw", 4 * MIB);
    CHECK_INT(sion_fwrite(pattern, 1, 3 * MIB, sid), 3 * MIB);
    sion_close(sid);
    for (i = 0; i < 3; i++)
        fail_at_each_call(&reads[i]);
    sid = create_for("bw", MIB);
    CHECK_INT(sion_fwrite(pattern, 1, BYTES, sid), BYTES);
    sion_close(sid);
    fail_at_each_call(&(struct failing){"br", 1, call_read_tasks});
}

/* ---- what the program has on its devices ---- */

static void pending_work_ends_before_the_copy(void)
{
    char *data = make(1, MIB, 0);
    int sid = create_for("bw", MIB);

    fake.kernel(data, 'k', MIB);
    CHECK_INT(sion_fwrite(data, 1, MIB, sid), MIB);
    sion_close(sid);
    sid = open_to_read("br");
    CHECK_INT(sion_fread(room, 1, MIB, sid), MIB);
    CHECK(room[0] == 'k' && room[MIB - 1] == 'k');
    fake.kernel(data, 'n', MIB);
    sion_seek(sid, 0, 0, 0);
    memcpy(room, pattern, MIB);
    CHECK_INT(sion_fread(data, 1, MIB, sid), MIB); /* the kernel does not come after it */
    fake.get(room, data, MIB);
    CHECK(room[0] == 'k' && room[MIB - 1] == 'k');
    sion_close(sid);
    drop(1, data);
}

static void the_caller_keeps_its_context(void)
{
    char *data = make(3, MIB, 0), *other = make(4, MIB, 0);
    int sid = create_for("bw", 3 * MIB);
    void *context;

    fake.use(2);
    context = fake.counts()->context;
    CHECK_INT(sion_fwrite(other, 1, MIB, sid), MIB);
    CHECK_INT(sion_fwrite(data, 1, MIB, sid), MIB);
    CHECK(fake.counts()->context == context && fake.counts()->depth == 1);
    sion_close(sid);
    CHECK(fake.counts()->context == context && device_is_clean(0));
    fake.use(0);
    drop(3, data);
    drop(4, other);
}

static void a_device_may_be_reset(void)
{
    char *data = make(1, MIB, 0);
    int sid = create_for("bw", 3 * MIB);

    CHECK_INT(sion_fwrite(data, 1, MIB, sid), MIB);
    fake.reset();
    CHECK_INT(sion_fwrite(data, 1, MIB, sid), MIB);
    sion_close(sid);
    CHECK(device_is_clean(0));
    drop(1, data);
}

/* ---- costs ---- */

static ssize_t (*next_pwrite)(int, const void *, size_t, off_t);
static ssize_t (*next_pread)(int, void *, size_t, off_t);

static int fails_at; /* the nth write of the file from now on */

ssize_t pwrite(int fd, const void *from, size_t bytes, off_t offset)
{
    if (fails_at > 0 && --fails_at == 0) {
        errno = ENOSPC;
        return -1;
    }
    if (fake.note)
        fake.note('f');
    if (!next_pwrite)
        device_find(RTLD_NEXT, "pwrite", &next_pwrite);
    return next_pwrite(fd, from, bytes, offset);
}

ssize_t pread(int fd, void *to, size_t bytes, off_t offset)
{
    if (fake.note)
        fake.note('f');
    if (!next_pread)
        device_find(RTLD_NEXT, "pread", &next_pread);
    return next_pread(fd, to, bytes, offset);
}

/* C: a copy begins; S: a wait until it has ended; f: the file takes or gives a piece. */
static void copies_and_the_file_overlap(void)
{
    char *data = make(1, 16 * MIB / 4, 0);
    struct fake_counts *counts = fake.counts();
    int sid = create_for("bw,posix", 4 * MIB);

    memset(counts->log, 0, sizeof counts->log);
    counts->largest = 0;
    CHECK_INT(sion_fwrite(data, 1, 4 * MIB, sid), 4 * MIB);
    CHECK_STR(counts->log, "CSCfSCfSCfSf");
    CHECK_INT(counts->largest, MIB);
    sion_close(sid);
    sid = open_to_read("br,posix");
    memset(counts->log, 0, sizeof counts->log);
    CHECK_INT(sion_fread(data, 1, 4 * MIB, sid), 4 * MIB);
    CHECK_STR(counts->log, "fCfSCfSCfSCS");
    sion_close(sid);
    drop(1, data);
}

/* A copy is under way when the file fails. */
static void the_disk_is_full(void)
{
    char *data = make(1, 4 * MIB, 0);
    int sid = create_for("bw,posix", 9 * MIB);

    support_catch();
    fails_at = 2;
    CHECK_INT(sion_fwrite(data, 1, 4 * MIB, sid), 0);
    CHECK_INT(support_errors, 1);
    CHECK_CONTAINS(support_message, "No space left on device");
    CHECK_INT(sion_get_bytes_written(sid), 0);
    fails_at = 3;
    CHECK_INT(sion_stream_write(sid, data, 4 * MIB), 2 * MIB);
    CHECK_INT(sion_get_bytes_written(sid), 2 * MIB);
    fails_at = 0;
    sion_close(sid);
    sion_error_set_handler(NULL, NULL);
    CHECK(device_is_clean(0));
    drop(1, data);
}

static void the_hosts_data_are_not_copied(void)
{
    struct fake_counts *counts = fake.counts();
    long before = counts->copies_out + counts->copies_in;
    int sid = create_for("bw", MOST);

    CHECK_INT(sion_fwrite(pattern, 1, MIB, sid), MIB);
    CHECK_INT(sion_fwrite(pattern, 1, 8, sid), 8);
    sion_close(sid);
    CHECK_INT(counts->copies_out + counts->copies_in, before);
}

/* The driver is not even asked. */
static void the_environment_says_no(void)
{
    char *data = make(1, MIB, 0);
    long before;
    int sid;

    setenv("SION_DEVICE", "no", 1);
    sid = create_for("bw,posix", MOST);
    before = fake.counts()->queries;
    CHECK_INT(sion_fwrite(pattern, 1, MIB, sid), MIB);
    CHECK_INT(sion_fwrite(pattern, 1, 8, sid), 8);
    support_catch();
    CHECK_INT(sion_fwrite(data, 1, MIB, sid), 0);
    CHECK_CONTAINS(support_message, "Bad address");
    sion_error_set_handler(NULL, NULL);
    CHECK_INT(fake.counts()->queries, before);
    sion_close(sid);
    unsetenv("SION_DEVICE");
    drop(1, data);
}

int main(int argc, char **argv)
{
    size_t i;

    if (argc != 2)
        return 99;
    driver = argv[1];
    check_seed(34);
    for (i = 0; i < sizeof pattern; i++)
        pattern[i] = (unsigned char)check_random();
    support_enter_folder();
    RUN(the_driver_may_be_loaded_later);
    RUN(records_of_all_kinds);
    RUN(records_keep_their_rules);
    RUN(records_go_through_the_programs_file);
    RUN(streams_of_all_kinds);
    RUN(whole_streams_of_tasks);
    RUN(keys_of_all_kinds);
    RUN(arrays_of_all_kinds);
    RUN(arrays_are_as_the_hosts);
    RUN(elements_are_converted);
    RUN(each_failure_of_the_driver_is_told);
    RUN(pending_work_ends_before_the_copy);
    RUN(the_caller_keeps_its_context);
    RUN(a_device_may_be_reset);
    RUN(copies_and_the_file_overlap);
    RUN(the_disk_is_full);
    RUN(the_hosts_data_are_not_copied);
    RUN(the_environment_says_no);
    support_leave_folder();
    return check_done();
}
