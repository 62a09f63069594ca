/* Parallel HDF5: one dataset whose first dimension is the step. */
#include "fields.h"

#ifdef BENCH_HDF5
#include "file_hdf5.h"

enum { FILE_ID, SPACE_ID, DATA_ID, TRANSFER_ID };

static int open_dataset(const struct fields *fields, struct fields_target *t, int writing,
                        H5FD_mpio_xfer_t kind)
{
    hsize_t shape[FIELDS_DIMS + 1] = {(hsize_t)fields->steps};
    int d;

    for (d = 0; d < fields->ndims; d++)
        shape[d + 1] = (hsize_t)fields->shape[d];
    t->handles[FILE_ID] = bench_hdf5_file(&fields->bench, t->name, writing);
    if (t->handles[FILE_ID] < 0)
        return -1;
    t->handles[SPACE_ID] = H5Screate_simple(fields->ndims + 1, shape, NULL);
    t->handles[DATA_ID] =
        writing ? H5Dcreate2(t->handles[FILE_ID], "T", H5T_NATIVE_DOUBLE, t->handles[SPACE_ID],
                             H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)
                : H5Dopen2(t->handles[FILE_ID], "T", H5P_DEFAULT);
    t->handles[TRANSFER_ID] = H5Pcreate(H5P_DATASET_XFER);
    return t->handles[DATA_ID] < 0 || H5Pset_dxpl_mpio(t->handles[TRANSFER_ID], kind) < 0 ? -1 : 0;
}

static int open_independent(const struct fields *fields, struct fields_target *t, int writing)
{
    return open_dataset(fields, t, writing, H5FD_MPIO_INDEPENDENT);
}

static int open_collective(const struct fields *fields, struct fields_target *t, int writing)
{
    return open_dataset(fields, t, writing, H5FD_MPIO_COLLECTIVE);
}

/* Select the task's block of a step in the file. Returns its shape, for the memory. */
static hid_t select_block(const struct fields *fields, const struct fields_target *t, int step)
{
    hsize_t start[FIELDS_DIMS + 1] = {(hsize_t)step}, count[FIELDS_DIMS + 1] = {1};
    int d;

    for (d = 0; d < fields->ndims; d++) {
        start[d + 1] = (hsize_t)fields->offset[d];
        count[d + 1] = (hsize_t)fields->count[d];
    }
    H5Sselect_hyperslab(t->handles[SPACE_ID], H5S_SELECT_SET, start, NULL, count, NULL);
    return H5Screate_simple(fields->ndims + 1, count, NULL);
}

static int put(const struct fields *fields, struct fields_target *t, int step, double *data)
{
    hid_t memory = select_block(fields, t, step);
    herr_t rc = H5Dwrite(t->handles[DATA_ID], H5T_NATIVE_DOUBLE, memory, t->handles[SPACE_ID],
                         t->handles[TRANSFER_ID], data);

    H5Sclose(memory);
    return rc < 0 ? -1 : 0;
}

static int get(const struct fields *fields, struct fields_target *t, int step, double *data)
{
    hid_t memory = select_block(fields, t, step);
    herr_t rc = H5Dread(t->handles[DATA_ID], H5T_NATIVE_DOUBLE, memory, t->handles[SPACE_ID],
                        t->handles[TRANSFER_ID], data);

    H5Sclose(memory);
    return rc < 0 ? -1 : 0;
}

static int close_file(struct fields_target *t)
{
    H5Pclose(t->handles[TRANSFER_ID]);
    H5Sclose(t->handles[SPACE_ID]);
    return H5Dclose(t->handles[DATA_ID]) < 0 || H5Fclose(t->handles[FILE_ID]) < 0 ? -1 : 0;
}
#endif

const struct fields_method fields_hdf5[] = {
#ifdef BENCH_HDF5
    {"HDF5", open_independent, put, get, close_file},
    {"HDF5 collective", open_collective, put, get, close_file},
#endif
    {.name = NULL},
};
