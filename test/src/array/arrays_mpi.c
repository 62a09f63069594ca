/*
 * Arrays of several tasks: MPI ranks with one task each, or with lists of tasks, and in several
 * files. Differences between ranks are failures on all of them.
 */
#include "mpi_check.h"

#include "model.h"
#include "sion_error.h"

#define NAME "arrays.sion"

static int open_by(const char *mode, int nfiles, sion_int64 chunksize)
{
    MPI_Comm local = MPI_COMM_WORLD;
    sion_int32 fsblksize = 512;
    int globalrank = mpi_rank;

    return sion_paropen_mpi(NAME, mode, &nfiles, MPI_COMM_WORLD, &local, &chunksize, &fsblksize,
                            &globalrank, NULL, NULL);
}

static int open_plain(int nfiles, sion_int64 chunksize)
{
    return open_by("bw", nfiles, chunksize);
}

/* Each rank reads on its own, and has the others' random numbers afterwards. */
static int compare(const struct model *model, int reads)
{
    uint64_t state = check_random_state;
    int good = model_compare(model, NAME, reads);

    MPI_Barrier(MPI_COMM_WORLD);
    check_random_state = state;
    return good;
}

/* All ranks make the same model; each rank puts its own blocks. */
static int write_model(struct model *model, int sid, int publishes)
{
    int puts, t, good = model_define(model, sid);

    for (puts = 0; puts < MODEL_PUTS; puts++) {
        for (t = 0; t < model->ntasks; t++)
            good &= model_put(model, t, t == mpi_rank ? sid : -1);
        if (publishes && puts % 3 == 1)
            good &= sion_parpublish_mpi(sid) == 1 && compare(model, 3);
    }
    return good;
}

/* In one session, or in several that go on. */
static void any_process_reads_what_ranks_write(void)
{
    static struct model model;
    int round, session, sid;

    for (round = 0; round < 12; round++) {
        model_make(&model, mpi_size);
        for (session = 0; session <= round % 3; session++) {
            sid = open_by(session == 0 ? "bw" : "ba", round % 2 ? 1 : mpi_size, 600 + 100 * round);
            CHECK(write_model(&model, sid, round % 4 < 2));
            CHECK_INT(sion_parclose_mpi(sid), 1);
            CHECK(compare(&model, 10));
        }
    }
}

/* A generation has all definitions, and the blocks that were put in it. */
static void generations_are_read_one_by_one(void)
{
    static struct model model;
    int round, session, puts, t, sid;

    for (round = 0; round < 6; round++) {
        model_make(&model, mpi_size);
        model.keeps = 1;
        for (session = 0; session <= round % 3; session++) {
            sid = open_by(session == 0 ? "bw,keep=2" : "ba", round % 2 ? 1 : mpi_size, 3000);
            CHECK(model_define(&model, sid));
            for (puts = 0; puts < 4; puts++) {
                for (t = 0; t < model.ntasks; t++)
                    CHECK(model_put(&model, t, t == mpi_rank ? sid : -1));
                if (puts < 3)
                    CHECK(sion_parpublish_mpi(sid) == 1 && compare(&model, 4));
                if (puts < 3)
                    model_forget(&model);
            }
            CHECK_INT(sion_parclose_mpi(sid), 1);
            CHECK(compare(&model, 10));
            model_forget(&model);
        }
    }
}

static int knows_all(const struct model *model)
{
    sion_array_reader *arrays = sion_array_reader_open(NAME);
    int a = 0;

    while (arrays && a < model->narrays && model_knows(arrays, model->arrays[a].name))
        a++;
    sion_array_reader_close(arrays);
    return a == model->narrays;
}

/* Those of one task make a generation for all: the arrays stay. */
static void bytes_of_the_application_make_a_generation(void)
{
    static struct model model;
    int nfiles, t, sid;

    for (nfiles = 1; nfiles <= mpi_size; nfiles += mpi_size > 1 ? mpi_size - 1 : 1) {
        model_make(&model, mpi_size);
        model.keeps = 1;
        sid = open_by("bw,keep=2", nfiles, 3000);
        CHECK(model_define(&model, sid));
        for (t = 0; t < model.ntasks; t++)
            CHECK(model_put(&model, t, t == mpi_rank ? sid : -1));
        CHECK_INT(sion_parpublish_mpi(sid), 1);
        model_forget(&model);
        if (mpi_rank == mpi_size - 1)
            CHECK_INT(sion_fwrite("plain", 1, 5, sid), 5);
        CHECK_INT(sion_parpublish_mpi(sid), 1);
        CHECK(knows_all(&model) && compare(&model, 4));
        CHECK_INT(sion_parclose_mpi(sid), 1);
        CHECK(knows_all(&model));
    }
}

/* A process that has no task cannot put anything; that is no fault of the container. */
static void put_without_a_task(const struct model_array *array, int sid)
{
    static const unsigned char data[16];
    sion_int64 offset[SION_ARRAY_DIMS] = {0}, count[SION_ARRAY_DIMS];
    int i;

    for (i = 0; i < array->ndims; i++)
        count[i] = 1;
    support_catch();
    CHECK_INT(put_any(sid, array->name, 0, offset, count, data), 0);
    CHECK_CONTAINS(support_message, "has no task");
    sion_error_set_handler(NULL, NULL);
}

/* Rank 0 has no task, and rank 1 has two. */
static void write_mapped(const char *mode, struct model *model)
{
    int n = mpi_rank == 0 ? 0 : mpi_rank == 1 ? 2 : 1, ranks[2], files[2] = {0}, lranks[2], i;
    int *globalranks = ranks, *mapping = files, *places = lranks, nfiles = 1, sid, puts, t;
    sion_int64 sizes[2] = {2000, 3000}, *chunksizes = sizes;
    sion_int32 fsblksize = 512;
    char name[] = NAME;

    for (i = 0; i < n; i++)
        ranks[i] = lranks[i] = mpi_rank == 1 ? 1 - i : mpi_rank;
    sid = sion_paropen_mapped_mpi(name, mode, &nfiles, MPI_COMM_WORLD, &n, &globalranks,
                                  &chunksizes, &mapping, &places, &fsblksize, NULL);
    CHECK(sid >= 0);
    CHECK(model_define(model, sid));
    if (n == 0)
        put_without_a_task(&model->arrays[0], sid);
    for (puts = 0; puts < 3 * mpi_size; puts++) {
        if (puts == 2 * mpi_size)
            CHECK(sion_parpublish_mpi(sid) == 1 && compare(model, 5));
        if (puts == 2 * mpi_size && model->keeps)
            model_forget(model);
        t = puts % mpi_size;
        for (i = 0; i < n && ranks[i] != t; i++)
            ;
        if (i < n)
            CHECK_INT(sion_seek(sid, t, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
        CHECK(model_put(model, t, i < n ? sid : -1));
    }
    CHECK_INT(sion_parclose_mapped_mpi(sid), 1);
}

static void tasks_of_a_mapped_container_are_anywhere(void)
{
    static struct model model;

    if (mpi_size < 2) {
        SKIP("needs two ranks");
        return;
    }
    model_make(&model, mpi_size);
    write_mapped("bw", &model);
    CHECK(compare(&model, 20));
    write_mapped("ba", &model);
    CHECK(compare(&model, 20));
    model_make(&model, mpi_size);
    model.keeps = 1;
    write_mapped("bw,keep=2", &model);
    CHECK(compare(&model, 20));
    model_forget(&model);
    write_mapped("ba", &model);
    CHECK(compare(&model, 20));
}

static const sion_int64 shape[] = {8, 4}, other_shape[] = {8, 5}, whole[] = {0, 0};

/* The close must fail on all ranks for this reason; the data are in the container nevertheless. */
static void fails_on_all(int sid, const char *reason)
{
    CHECK(sion_parclose_mpi(sid) != 1);
    CHECK_CONTAINS(sion_error_text(), reason);
}

static void different_definitions_fail_on_all_ranks(void)
{
    int sid = open_plain(1, 4096), last = mpi_rank == mpi_size - 1 && mpi_size > 1;

    if (mpi_size == 1) {
        SKIP("needs two ranks");
        CHECK_INT(sion_parclose_mpi(sid), 1);
        return;
    }
    CHECK_INT(sion_array_define(sid, "T", SION_F32, 2, last ? other_shape : shape), 1);
    fails_on_all(sid, "array T is defined with another type or shape on rank");
    sid = open_plain(1, 4096);
    CHECK_INT(sion_array_define(sid, "T", last ? SION_I32 : SION_F32, 2, shape), 1);
    fails_on_all(sid, "array T is defined with another type or shape on rank");
    sid = open_plain(1, 4096);
    CHECK_INT(sion_array_define(sid, "T", SION_F32, 2, shape), 1);
    if (last)
        CHECK_INT(sion_array_define(sid, "more", SION_F32, 2, shape), 1);
    fails_on_all(sid, "array more is defined on rank");
    sid = open_plain(1, 4096);
    CHECK_INT(sion_array_define(sid, "T", SION_F32, 2, shape), 1);
    if (!last)
        CHECK_INT(sion_array_define(sid, "more", SION_F32, 2, shape), 1);
    fails_on_all(sid, "array more is defined on rank 0, but not on rank");
#ifdef HAVE_ZSTD
    sid = open_plain(1, 4096);
    CHECK_INT(sion_array_define(sid, "T", SION_F32, 2, shape), 1);
    CHECK_INT(sion_array_codec(sid, "T", last ? "zstd:3" : "zstd,shuffle"), 1);
    fails_on_all(sid, "array T has another codec on rank");
    sid = open_plain(1, 4096);
    CHECK_INT(sion_array_define(sid, "T", SION_F32, 2, shape), 1);
    CHECK(!last || sion_array_codec(sid, "T", "zstd") == 1);
    fails_on_all(sid, "array T has another codec on rank");
#endif
    sid = open_plain(1, 4096);
    CHECK_INT(sion_array_set_attribute(sid, NULL, "run", last ? "b" : "a"), 1);
    CHECK(sion_parpublish_mpi(sid) != 1);
    CHECK_CONTAINS(sion_error_text(), "attribute run has another value on rank");
    CHECK_INT(sion_array_set_attribute(sid, NULL, "run", "a"), 1);
    CHECK_INT(sion_parpublish_mpi(sid), 1);
    CHECK_INT(sion_array_set_attribute(sid, NULL, "run", last ? "b" : "a"), 1);
    fails_on_all(sid, "attribute run has another value on rank");
}

static void a_rank_without_definitions_does_not_hang_the_others(void)
{
    static double data[32];
    int sid = open_plain(mpi_size > 2 ? 2 : 1, 4096);
    int last = mpi_rank == mpi_size - 1 && mpi_size > 1;
    sion_array_reader *arrays;

    if (!last) {
        CHECK_INT(sion_array_define(sid, "T", SION_F64, 2, shape), 1);
        CHECK_INT(put_any(sid, "T", 0, whole, shape, data), 1);
    } else {
        CHECK_INT(sion_fwrite(data, 1, 100, sid), 100);
    }
    if (mpi_size > 1) {
        CHECK(sion_parpublish_mpi(sid) != 1);
        CHECK_CONTAINS(sion_error_text(), "has defined none of the arrays that other tasks have");
        fails_on_all(sid, "has defined none of the arrays that other tasks have");
    } else {
        CHECK_INT(sion_parpublish_mpi(sid), 1);
        CHECK_INT(sion_parclose_mpi(sid), 1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    arrays = sion_array_reader_open(NAME);
    CHECK_INT(sion_array_reader_count(arrays), 1);
    sion_array_reader_close(arrays);
}

/* A task without any chunk takes part, with definitions and attributes. */
static void ranks_may_have_no_data(void)
{
    int sid = open_plain(1, mpi_rank == mpi_size / 2 ? 4096 : 0);
    static double data[32] = {3}, got[32];
    sion_array_reader *arrays;

    CHECK_INT(sion_array_define(sid, "T", SION_F64, 2, shape), 1);
    CHECK_INT(sion_array_set_attribute(sid, "T", "units", "K"), 1);
    if (mpi_rank == mpi_size / 2)
        CHECK_INT(put_any(sid, "T", 5, whole, shape, data), 1);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    arrays = sion_array_reader_open(NAME);
    CHECK_INT(get_any(arrays, "T", 5, whole, shape, got), 1);
    CHECK(memcmp(got, data, sizeof got) == 0);
    CHECK_STR(sion_array_reader_attribute(arrays, "T", "units"), "K");
    sion_array_reader_close(arrays);
}

/* A new start discards the blocks that were put. */
static void a_new_start_discards_old_blocks(void)
{
    static double data[32] = {1};
    int sid = open_plain(1, 4096);
    struct sion_array_info info = {.size = sizeof info};
    sion_array_reader *arrays;

    CHECK_INT(sion_array_define(sid, "T", SION_F64, 2, shape), 1);
    CHECK_INT(put_any(sid, "T", 1, whole, shape, data), 1);
    CHECK_INT(sion_parreinit_mpi(sid, 8192), 1);
    CHECK_INT(put_any(sid, "T", 2, whole, shape, data), 1);
    CHECK_INT(sion_parclose_mpi(sid), 1);
    arrays = sion_array_reader_open(NAME);
    CHECK_INT(sion_array_reader_info(arrays, "T", &info), 1);
    CHECK_INT(info.blocks, mpi_size);
    CHECK_INT(sion_array_reader_step(arrays, "T", 0), 2);
    sion_array_reader_close(arrays);
}

/* Where a block is in a collector's stream is not where it is in the task's own. */
static void merged_containers_have_no_arrays(void)
{
    int sid = open_by("bw,collective,cmerge,collsize=2", 1, 4096);

    support_catch();
    CHECK_INT(sion_array_define(sid, "T", SION_F64, 1, shape), SION_NOT_SUCCESS);
    CHECK_CONTAINS(support_message, "is a merged container (cmerge), which has no arrays");
    CHECK_INT(sion_array_set_attribute(sid, NULL, "run", "a"), SION_NOT_SUCCESS);
    support_errors = 0;
    CHECK_INT(sion_parclose_mpi(sid), 1);
    CHECK_INT(support_errors, 0);
}

int main(int argc, char **argv)
{
    mpi_begin(&argc, &argv);
    check_seed(20261122);
    RUN_MPI(any_process_reads_what_ranks_write);
    RUN_MPI(generations_are_read_one_by_one);
    RUN_MPI(bytes_of_the_application_make_a_generation);
    RUN_MPI(tasks_of_a_mapped_container_are_anywhere);
    RUN_MPI(different_definitions_fail_on_all_ranks);
    RUN_MPI(a_rank_without_definitions_does_not_hang_the_others);
    RUN_MPI(ranks_may_have_no_data);
    RUN_MPI(a_new_start_discards_old_blocks);
    RUN_MPI(merged_containers_have_no_arrays);
    return mpi_end();
}
