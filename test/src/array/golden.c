/*
 * Compares the bytes of a container with arrays with the sample that doc/arrays.md explains: two
 * tasks, arrays of one and of two dimensions, attributes, a block in two parts, a CRC. A second
 * sample was written in three sessions, the third without a block of task 1, and a third sample has
 * compressed blocks, whose bytes depend on libzstd. With three names as its arguments, the program
 * writes the samples.
 */
#include "model.h"

#include "base/zstd.h"
#include "sion_common.h"
#include "sion_serial.h"
#include "support.h"

static int put_all(int sid)
{
    static const sion_int64 shape[] = {4, 6}, line[] = {300}, from[] = {0, 0}, half[] = {2, 6};
    static const sion_int64 second[] = {2, 0};
    double field[12];
    short long_block[300];
    int i, good = 1;

    for (i = 0; i < 12; i++)
        field[i] = i / 4.0;
    for (i = 0; i < 300; i++)
        long_block[i] = (short)(i - 150);
    good &= sion_array_define(sid, "T", SION_F64, 2, shape);
    good &= sion_array_define(sid,
                              "Gr\xc3\xb6\xc3\x9f"
                              "e",
                              SION_I16, 1, line);
    good &= sion_array_set_attribute(sid, NULL, "title", "sample");
    good &= sion_array_set_attribute(sid, "T", "units", "K");
    good &= put_any(sid, "T", 0, from, half, field);
    good &= put_any(sid, "T", 3, from, half, field);
    good &= sion_seek(sid, 1, SION_CURRENT_BLK, SION_CURRENT_POS);
    good &= sion_fwrite("bytes of the application", 1, 24, sid) == 24;
    good &= put_any(sid, "T", 0, second, half, field);
    good &= put_any(sid,
                    "Gr\xc3\xb6\xc3\x9f"
                    "e",
                    0, from, line, long_block);
    return good;
}

static int write_sample(const char *name)
{
    sion_int64 sizes[] = {512, 512}, *chunksizes = sizes;
    int ranks[] = {0, 1}, *globalranks = ranks, ntasks = 2, nfiles = 1, sid;
    sion_int32 fsblksize = 512;
    char copy[256];

    snprintf(copy, sizeof copy, "%s", name);
    setenv("SION_ARRAY_CRC", "1", 1);
    sid = sion_open(copy, "bw", &ntasks, &nfiles, &chunksizes, &fsblksize, &globalranks, NULL);
    return sid >= 0 && put_all(sid) && sion_close(sid) == 1;
}

/* Step and values tell the session, 0 to 2. */
static int write_session(const char *name, int session)
{
    static const sion_int64 shape[] = {8}, count[] = {4};
    const double data[] = {session, session + 0.25, session + 0.5, -session};
    sion_int64 sizes[] = {512, 512}, *chunksizes = sizes;
    int ranks[] = {0, 1}, *globalranks = ranks, ntasks = 2, nfiles = 1, sid, t, good;
    sion_int32 fsblksize = 512;
    char copy[256];

    snprintf(copy, sizeof copy, "%s", name);
    sid = sion_open(copy, session == 0 ? "bw" : "ba", &ntasks, &nfiles, &chunksizes, &fsblksize,
                    &globalranks, NULL);
    good = sid >= 0 && sion_array_define(sid, "T", SION_F64, 1, shape);
    for (t = 0; t < 2 && good; t++) {
        const sion_int64 offset[] = {4 * t};

        good = sion_seek(sid, t, SION_CURRENT_BLK, SION_CURRENT_POS) == 1 &&
               (t == session - 1 || put_any(sid, "T", session, offset, count, data));
    }
    return good && sion_close(sid) == 1;
}

static int write_grown(const char *name)
{
    return write_session(name, 0) && write_session(name, 1) && write_session(name, 2);
}

/* T is compressed and N is not; without libzstd, all of it is plain. */
static int write_coded(const char *name)
{
    static const sion_int64 shape[] = {8, 40}, half[] = {4, 40}, one[] = {1};
    sion_int64 sizes[] = {1024, 1024}, *chunksizes = sizes;
    int ranks[] = {0, 1}, *globalranks = ranks, ntasks = 2, nfiles = 1, sid, t, i, step, good;
    sion_int32 fsblksize = 512;
    double data[160];
    char copy[256];

    snprintf(copy, sizeof copy, "%s", name);
    sid = sion_open(copy, "bw", &ntasks, &nfiles, &chunksizes, &fsblksize, &globalranks, NULL);
    good = sid >= 0 && sion_array_define(sid, "T", SION_F64, 2, shape) &&
           sion_array_define(sid, "N", SION_I32, 1, one) &&
           sion_array_codec(sid, "T", "zstd:3,shuffle");
    for (t = 0; t < 2 && good; t++) {
        const sion_int64 offset[] = {4 * t, 0};

        good = sion_seek(sid, t, SION_CURRENT_BLK, SION_CURRENT_POS) == 1 &&
               put_any(sid, "N", t, (const sion_int64[]){0}, one, &t);
        for (step = 0; step < 2 && good; step++) {
            for (i = 0; i < 160; i++)
                data[i] = step + (4 * t * 40 + i) / 8.0;
            good = put_any(sid, "T", step, offset, half, data);
        }
    }
    return good && sion_close(sid) == 1;
}

static void check_coded(const char *name, const char *codec)
{
    static const sion_int64 shape[] = {8, 40}, from[] = {0, 0}, part[] = {3, 38};
    sion_array_reader *arrays = sion_array_reader_open(name);
    struct sion_array_info info = {.size = sizeof info};
    double data[320];
    int s, i;

    CHECK(arrays && arrays->source == SCION_ARRAY_FROM_WHOLE);
    CHECK_INT(sion_array_reader_info(arrays, "T", &info), 1);
    CHECK_STR(info.codec, codec);
    CHECK(info.bytes == 4 * 160 * 8 && (info.stored < info.bytes / 2) == (*codec != '\0'));
    for (s = 0; s < 2; s++) {
        CHECK_INT(get_any(arrays, "T", s, from, shape, data), 1);
        for (i = 0; i < 320; i++)
            CHECK(data[i] == s + i / 8.0);
    }
    CHECK_INT(get_any(arrays, "T", 1, part, (const sion_int64[]){2, 2}, data), 1);
    CHECK(data[0] == 1 + 158 / 8.0 && data[3] == 1 + 199 / 8.0);
    CHECK_INT(sion_array_reader_info(arrays, "N", &info), 1);
    CHECK_STR(info.codec, "");
    sion_array_reader_close(arrays);
}

static void a_sample_with_compressed_blocks_is_read(void)
{
    char sample[1024];

    if (scion_zstd_need("compressed arrays") != 0) {
        SKIP("there is no libzstd");
        return;
    }
    snprintf(sample, sizeof sample, "%s/array/coded.sion", getenv("GOLDEN"));
    check_coded(sample, "zstd,shuffle");
    CHECK(write_coded("coded.sion"));
    check_coded("coded.sion", "zstd,shuffle");
}

static void bytes_agree_with_the_sample(void)
{
    char sample[1024];
    unsigned char *bytes, *wanted;
    size_t size, wanted_size, i;

    if (*(const unsigned char *)&(const short){1} == 0) {
        SKIP("the sample was written on a little-endian machine");
        return;
    }
    snprintf(sample, sizeof sample, "%s/array/two_tasks.sion", getenv("GOLDEN"));
    CHECK(write_sample("two_tasks.sion"));
    bytes = model_read_file("two_tasks.sion", &size);
    wanted = model_read_file(sample, &wanted_size);
    CHECK_INT(size, wanted_size);
    for (i = 0; i < size && i < wanted_size && bytes[i] == wanted[i]; i++)
        ;
    CHECK_INT(i, wanted_size);
    free(bytes);
    free(wanted);
}

static void the_sample_is_read(void)
{
    static const sion_int64 shape[] = {4, 6}, from[] = {0, 0};
    struct sion_array_block blocks[8] = {{.size = sizeof *blocks}};
    char sample[1024];
    double field[24];
    sion_array_reader *arrays;
    int i;

    snprintf(sample, sizeof sample, "%s/array/two_tasks.sion", getenv("GOLDEN"));
    arrays = sion_array_reader_open(sample);
    CHECK_INT(sion_array_reader_count(arrays), 2);
    CHECK_STR(sion_array_reader_attribute(arrays, NULL, "title"), "sample");
    CHECK_STR(sion_array_reader_attribute(arrays, "T", "units"), "K");
    CHECK_INT(get_any(arrays, "T", 0, from, shape, field), 1);
    for (i = 0; i < 24; i++)
        CHECK(field[i] == i % 12 / 4.0);
    CHECK_INT(get_any(arrays, "T", 3, from, shape, field), 1);
    CHECK(field[11] == 2.75 && field[12] != field[12]);
    CHECK_INT(sion_array_reader_blocks(arrays,
                                       "Gr\xc3\xb6\xc3\x9f"
                                       "e",
                                       0, 0, 8, blocks),
              3);
    CHECK_INT(blocks[0].low.i, -150);
    CHECK_INT(blocks[0].position % 64, 0);
    CHECK_INT(sion_array_reader_blocks(arrays, "T", SION_ARRAY_NEWEST, 2, 0, NULL), 1);
    sion_array_reader_close(arrays);
}

static void check_grown(const char *name)
{
    static const sion_int64 shape[] = {8}, from[] = {0};
    sion_array_reader *arrays = sion_array_reader_open(name);
    struct sion_array_info info = {.size = sizeof info};
    double data[8];
    int s;

    CHECK(arrays && arrays->source == SCION_ARRAY_FROM_WHOLE);
    CHECK_INT(sion_array_reader_info(arrays, "T", &info), 1);
    CHECK_INT(info.steps, 3);
    CHECK_INT(info.blocks, 4);
    CHECK(info.has_range && info.low.f == -2 && info.high.f == 2.5);
    for (s = 0; s < 3; s++) {
        CHECK_INT(get_any(arrays, "T", s, from, shape, data), 1);
        CHECK(s == 1 ? data[0] != data[0] : data[3] == -s);
        CHECK(s == 2 ? data[7] != data[7] : data[5] == s + 0.25);
    }
    sion_array_reader_close(arrays);
}

static void a_sample_of_several_sessions_is_read(void)
{
    char sample[1024];

    snprintf(sample, sizeof sample, "%s/array/grown.sion", getenv("GOLDEN"));
    check_grown(sample);
    CHECK(write_grown("grown.sion"));
    check_grown("grown.sion");
}

int main(int argc, char **argv)
{
    if (argc > 3)
        return !write_sample(argv[1]) || !write_grown(argv[2]) || !write_coded(argv[3]);
    support_enter_folder();
    RUN(bytes_agree_with_the_sample);
    RUN(the_sample_is_read);
    RUN(a_sample_of_several_sessions_is_read);
    RUN(a_sample_with_compressed_blocks_is_read);
    support_leave_folder();
    return check_done();
}
