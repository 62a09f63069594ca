/* Arrays in a container, and the same bytes as plain records. */
#include "fields.h"

#include <stdlib.h>

#include <sion.h>
#include <sion_array.h>

static int open_container(const struct fields *fields, struct fields_target *t, int writing)
{
    const struct bench *bench = &fields->bench;
    sion_int64 chunksize = fields->steps * ((sion_int64)(fields->elements * 8) + 1024);
    sion_int32 fsblksize = -1;
    MPI_Comm none = MPI_COMM_NULL;
    int nfiles = 1, rank = bench->rank;

    t->sid = sion_paropen_mpi(t->name, writing ? "bw" : "br", &nfiles, bench->all, &none,
                              &chunksize, &fsblksize, &rank, NULL, NULL);
    return t->sid < 0 ? -1 : 0;
}

static int put_record(const struct fields *fields, struct fields_target *t, int step, double *data)
{
    (void)step;
    return sion_fwrite(data, 8, fields->elements, t->sid) == fields->elements ? 0 : -1;
}

static int get_record(const struct fields *fields, struct fields_target *t, int step, double *data)
{
    (void)step;
    return sion_fread(data, 8, fields->elements, t->sid) == fields->elements ? 0 : -1;
}

static int close_container(struct fields_target *t)
{
    return sion_parclose_mpi(t->sid) == SION_SUCCESS ? 0 : -1;
}

static int open_arrays(const struct fields *fields, struct fields_target *t, int writing)
{
    t->arrays = writing ? NULL : sion_array_reader_open(t->name);
    if (!writing)
        return t->arrays ? 0 : -1;
    if (open_container(fields, t, 1) != 0)
        return -1;
    return sion_array_define(t->sid, "T", SION_F64, fields->ndims, fields->shape) == SION_SUCCESS
               ? 0
               : -1;
}

static size_t bytes_of(const struct fields *fields)
{
    return fields->elements * sizeof(double);
}

static int put_block(const struct fields *fields, struct fields_target *t, int step, double *data)
{
    return sion_array_put(t->sid, "T", step, fields->offset, fields->count, SION_F64, data,
                          bytes_of(fields)) == SION_SUCCESS
               ? 0
               : -1;
}

static int get_block(const struct fields *fields, struct fields_target *t, int step, double *data)
{
    return sion_array_reader_get(t->arrays, "T", step, fields->offset, fields->count, SION_F64,
                                 data, bytes_of(fields)) == SION_SUCCESS
               ? 0
               : -1;
}

/* The environment is looked at when the first array is defined. */
static int open_without_ranges(const struct fields *fields, struct fields_target *t, int writing)
{
    int rc;

    setenv("SION_ARRAY_RANGE", "0", 1);
    rc = open_arrays(fields, t, writing);
    unsetenv("SION_ARRAY_RANGE");
    return rc;
}

static int close_arrays(struct fields_target *t)
{
    if (!t->arrays)
        return close_container(t);
    sion_array_reader_close(t->arrays);
    return 0;
}

const struct fields_method fields_sion[] = {
    {"arrays", open_arrays, put_block, get_block, close_arrays},
    {"without ranges", open_without_ranges, put_block, get_block, close_arrays},
    {"plain records", open_container, put_record, get_record, close_container},
    {.name = NULL},
};
