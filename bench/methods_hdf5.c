/* Parallel HDF5: one dataset of bytes for all tasks, independent and collective transfers. */
#include "methods_hdf5.h"

#include "file_hdf5.h"

enum { FILE_ID, SPACE_ID, DATA_ID, TRANSFER_ID };

static long long start_of(const struct bench *bench, long long *total)
{
    long long start = 0;
    int task;

    *total = 0;
    for (task = 0; task < bench->size; task++) {
        if (task == bench->rank)
            start = *total;
        *total += bench_task_bytes(bench, task);
    }
    return start;
}

static int open_dataset(const struct bench *bench, struct bench_target *t, int writing,
                        H5FD_mpio_xfer_t kind)
{
    long long total;
    hsize_t size;

    t->start = start_of(bench, &total);
    size = (hsize_t)total;
    t->ids[FILE_ID] = bench_hdf5_file(bench, t->name, writing);
    if (t->ids[FILE_ID] < 0)
        return -1;
    t->ids[SPACE_ID] = H5Screate_simple(1, &size, NULL);
    t->ids[DATA_ID] = writing ? H5Dcreate2(t->ids[FILE_ID], "data", H5T_NATIVE_CHAR,
                                           t->ids[SPACE_ID], H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)
                              : H5Dopen2(t->ids[FILE_ID], "data", H5P_DEFAULT);
    t->ids[TRANSFER_ID] = H5Pcreate(H5P_DATASET_XFER);
    return t->ids[DATA_ID] < 0 || H5Pset_dxpl_mpio(t->ids[TRANSFER_ID], kind) < 0 ? -1 : 0;
}

int bench_hdf5_open(const struct bench *bench, struct bench_target *t, int writing)
{
    return open_dataset(bench, t, writing, H5FD_MPIO_INDEPENDENT);
}

int bench_hdf5_open_all(const struct bench *bench, struct bench_target *t, int writing)
{
    return open_dataset(bench, t, writing, H5FD_MPIO_COLLECTIVE);
}

static hid_t select_bytes(const struct bench_target *t, long long bytes, long long at)
{
    hsize_t start = (hsize_t)(t->start + at), count = (hsize_t)bytes;

    H5Sselect_hyperslab(t->ids[SPACE_ID], H5S_SELECT_SET, &start, NULL, &count, NULL);
    return H5Screate_simple(1, &count, NULL);
}

int bench_hdf5_put(void *target, char *data, long long bytes, long long at)
{
    struct bench_target *t = target;
    hid_t memory = select_bytes(t, bytes, at);
    herr_t rc = H5Dwrite(t->ids[DATA_ID], H5T_NATIVE_CHAR, memory, t->ids[SPACE_ID],
                         t->ids[TRANSFER_ID], data);

    H5Sclose(memory);
    return rc < 0;
}

int bench_hdf5_get(void *target, char *data, long long bytes, long long at)
{
    struct bench_target *t = target;
    hid_t memory = select_bytes(t, bytes, at);
    herr_t rc = H5Dread(t->ids[DATA_ID], H5T_NATIVE_CHAR, memory, t->ids[SPACE_ID],
                        t->ids[TRANSFER_ID], data);

    H5Sclose(memory);
    return rc < 0;
}

int bench_hdf5_close(struct bench_target *t)
{
    H5Pclose(t->ids[TRANSFER_ID]);
    H5Sclose(t->ids[SPACE_ID]);
    return H5Dclose(t->ids[DATA_ID]) < 0 || H5Fclose(t->ids[FILE_ID]) < 0 ? -1 : 0;
}
