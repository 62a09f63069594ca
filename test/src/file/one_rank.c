/* One rank of a container: what the library reads of its file, and what it does not. */
#include "file/container.h"

#include "sion_const.h"

#include "base/error.h"
#include "support.h"
#include "vfs/fault.h"

enum { BLOCK = 16 };

static const struct scion_mode reading = {.keyval = SION_KEYVAL_NOTSET};

/* Bytes that a task has in a chunk; many chunks are empty. */
static sion_int64 used_of(const void *context, int task, sion_int64 chunk)
{
    (void)context;
    return chunk % 7 == 3 ? 0 : (task + chunk) % BLOCK + 1;
}

/* The number of chunks: one task in three has all, the others have few. */
static sion_int64 count_of(const void *context, int task)
{
    return task % 3 == 1 ? *(const sion_int64 *)context : 1 + task % 2;
}

/* Write only the tables; the data are a hole. */
static void write_tables(int ntasks, sion_int64 chunks)
{
    sion_int64 *sizes = calloc((size_t)ntasks, sizeof *sizes);
    struct scion_physical_plan plan = {.chunksizes = sizes, .stride = 1, .permissions = 0666};
    const struct scion_length_source written = {
        .count = count_of, .used = used_of, .context = &chunks};
    const struct scion_mapping none = {.size = -1};
    struct scion_physical *physical;
    int t;

    for (t = 0; t < ntasks; t++)
        sizes[t] = BLOCK + t % 3 * BLOCK;
    scion_meta1_init(&plan.head, SION_KEYVAL_NONE, 0);
    plan.head.fsblksize = BLOCK;
    plan.head.ntasks = ntasks;
    plan.head.nfiles = 1;
    CHECK_INT(scion_physical_create("one.sion", &plan, &physical), 0);
    CHECK_INT(scion_physical_finish(physical, &written, &none), 0);
    CHECK_INT(scion_physical_close(physical), 0);
    free(sizes);
}

/* Compare one rank with the same rank of the whole file. */
static void compare(const struct scion_physical *whole, int rank)
{
    const struct scion_place place = scion_physical_place(whole, rank);
    struct scion_container *container;
    const struct scion_lengths *lengths;
    sion_int64 b;

    CHECK_INT(scion_container_open_rank("one.sion", &reading, rank, &container), 0);
    CHECK_INT(scion_container_stream(container)->place.start, place.start);
    CHECK_INT(scion_container_stream(container)->place.chunksize, place.chunksize);
    CHECK_INT(scion_container_stream(container)->place.globalskip, place.globalskip);
    CHECK_INT(scion_container_rank_chunksize(container), whole->chunksizes[rank]);
    lengths = scion_container_lengths(container, 0);
    CHECK_INT(lengths->count, whole->counts[rank]);
    for (b = 0; b < lengths->count; b++)
        CHECK_INT(scion_lengths_used(lengths, b),
                  whole->used[(size_t)b * (size_t)whole->head.ntasks + (size_t)rank]);
    CHECK_INT(scion_container_close(container), 0);
}

static void compare_some(int ntasks, sion_int64 chunks)
{
    struct scion_physical *whole;
    int step = ntasks / 50 + 1, rank;

    write_tables(ntasks, chunks);
    CHECK_INT(scion_physical_read("one.sion", &whole), 0);
    for (rank = 0; rank < ntasks; rank += step)
        compare(whole, rank);
    compare(whole, ntasks - 1);
    CHECK_INT(scion_physical_close(whole), 0);
}

static void a_rank_agrees_with_the_whole_file(void)
{
    compare_some(3, 5000);
    compare_some(4095, 3);
    compare_some(4096, 3);
    compare_some(4097, 3);
    compare_some(10000, 5);
}

/* Ten thousand tasks have 200 chunks each; a rank reads only its own entries. */
static void a_rank_reads_little_of_the_tables(void)
{
    struct scion_container *container;

    write_tables(10000, 200);
    scion_fault_arm(0, 0, 0, 0);
    CHECK_INT(scion_container_open_rank("one.sion", &reading, 10, &container), 0);
    CHECK_INT(scion_container_close(container), 0);
    CHECK(scion_fault_bytes_read() < 10000 * 8 + 200 * 8 + 3 * 4096);
    scion_fault_disarm();
}

static void patch(const char *path, const void *bytes, size_t size, sion_int64 offset)
{
    FILE *fp = fopen(path, "r+b");

    CHECK(fp && fseeko(fp, (off_t)offset, SEEK_SET) == 0 && fwrite(bytes, 1, size, fp) == size);
    CHECK(fp && fclose(fp) == 0);
}

/* A damaged file may claim more chunks than anyone can read one by one. */
static void chunks_in_a_hole_are_skipped(void)
{
    enum { CHUNKS = 1 << 24 };
    sion_int64 count = CHUNKS, start;
    struct scion_container *container;
    struct scion_physical *physical;
    unsigned char tail[SCION_META1_TAIL];

    write_tables(1, 1);
    CHECK_INT(scion_physical_read("one.sion", &physical), 0);
    start = physical->layout.start_of_data + CHUNKS * physical->layout.globalskip;
    CHECK_INT(scion_physical_close(physical), 0);
    scion_meta1_encode_tail(CHUNKS, start, tail);
    patch("one.sion", tail, sizeof tail, SCION_META1_FIXED + 16);
    patch("one.sion", &count, 8, start);
    patch("one.sion", "", 1, start + 8 + 8LL * CHUNKS - 1);
    scion_fault_arm(0, 0, 0, 0);
    CHECK_INT(scion_container_open_rank("one.sion", &reading, 0, &container), 0);
    CHECK_INT(scion_container_close(container), 0);
    CHECK(scion_fault_count(SCION_FAULT_PREAD) < 20);
    scion_fault_disarm();
}

int main(void)
{
    support_enter_folder();
    RUN(a_rank_agrees_with_the_whole_file);
    RUN(a_rank_reads_little_of_the_tables);
    RUN(chunks_in_a_hole_are_skipped);
    support_leave_folder();
    return check_done();
}
