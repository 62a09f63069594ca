/* PnetCDF: one variable of a CDF-5 file, whose first dimension is the step. */
#include "fields.h"

#ifdef BENCH_PNETCDF
#include <pnetcdf.h>

enum { FILE_ID, VARIABLE };

static int create(const struct fields *fields, struct fields_target *t)
{
    static const char *const names[] = {"z", "y", "x"};
    int dims[FIELDS_DIMS + 1], d, rc;

    rc = ncmpi_create(fields->bench.all, t->name, NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL,
                      &t->ids[FILE_ID]);
    if (rc == NC_NOERR)
        rc = ncmpi_def_dim(t->ids[FILE_ID], "step", fields->steps, &dims[0]);
    for (d = 0; d < fields->ndims && rc == NC_NOERR; d++)
        rc = ncmpi_def_dim(t->ids[FILE_ID], names[FIELDS_DIMS - fields->ndims + d],
                           fields->shape[d], &dims[d + 1]);
    if (rc == NC_NOERR)
        rc = ncmpi_def_var(t->ids[FILE_ID], "T", NC_DOUBLE, fields->ndims + 1, dims,
                           &t->ids[VARIABLE]);
    return rc == NC_NOERR ? ncmpi_enddef(t->ids[FILE_ID]) : rc;
}

static int open_collective(const struct fields *fields, struct fields_target *t, int writing)
{
    int rc;

    if (writing)
        return create(fields, t) == NC_NOERR ? 0 : -1;
    rc = ncmpi_open(fields->bench.all, t->name, NC_NOWRITE, MPI_INFO_NULL, &t->ids[FILE_ID]);
    if (rc == NC_NOERR)
        rc = ncmpi_inq_varid(t->ids[FILE_ID], "T", &t->ids[VARIABLE]);
    return rc == NC_NOERR ? 0 : -1;
}

static int open_independent(const struct fields *fields, struct fields_target *t, int writing)
{
    return open_collective(fields, t, writing) == 0 &&
                   ncmpi_begin_indep_data(t->ids[FILE_ID]) == NC_NOERR
               ? 0
               : -1;
}

/* The task's block of a step. */
struct slab {
    MPI_Offset start[FIELDS_DIMS + 1], count[FIELDS_DIMS + 1];
};

static struct slab block_of(const struct fields *fields, int step)
{
    struct slab slab = {{step}, {1}};
    int d;

    for (d = 0; d < fields->ndims; d++) {
        slab.start[d + 1] = fields->offset[d];
        slab.count[d + 1] = fields->count[d];
    }
    return slab;
}

#define MOVE(function, call)                                                                       \
    static int function(const struct fields *fields, struct fields_target *t, int step,            \
                        double *data)                                                              \
    {                                                                                              \
        struct slab slab = block_of(fields, step);                                                 \
                                                                                                   \
        return call(t->ids[FILE_ID], t->ids[VARIABLE], slab.start, slab.count, data) == NC_NOERR   \
                   ? 0                                                                             \
                   : -1;                                                                           \
    }

MOVE(put, ncmpi_put_vara_double)
MOVE(get, ncmpi_get_vara_double)
MOVE(put_all, ncmpi_put_vara_double_all)
MOVE(get_all, ncmpi_get_vara_double_all)

static int close_file(struct fields_target *t)
{
    return ncmpi_close(t->ids[FILE_ID]) == NC_NOERR ? 0 : -1;
}
#endif

const struct fields_method fields_pnetcdf[] = {
#ifdef BENCH_PNETCDF
    {"PnetCDF", open_independent, put, get, close_file},
    {"PnetCDF collective", open_collective, put_all, get_all, close_file},
#endif
    {.name = NULL},
};
