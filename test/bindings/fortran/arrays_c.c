/*
 * The C side of arrays that Fortran programs write and read, with the dimensions reversed.
 *
 *   arrays_c write FILE    writes the file that arrays.f90 reads
 *   arrays_c check FILE    checks a file that arrays.f90 or arrays_mpi.f90 has written
 */
#include <stdio.h>
#include <string.h>

#include "sion.h"
#include "sion_array.h"

enum { NX = 6, NY = 4, NZ = 3, STEPS = 3 }; /* X changes fastest */

static double plane[NY][NX];
static int cube[NZ][NY][NX];

static void compute(int step)
{
    int x, y, z;

    for (z = 0; z < NZ; z++)
        for (y = 0; y < NY; y++)
            for (x = 0; x < NX; x++) {
                plane[y][x] = step + 0.5 * (x + 10 * y);
                cube[z][y][x] = 1000 * step + 100 * z + 10 * y + x;
            }
}

static const sion_int64 zero[3], plane_shape[] = {NY, NX}, cube_shape[] = {NZ, NY, NX};

static int write_arrays(char *name)
{
    int ntasks = 1, nfiles = 1, rank = 0, *ranks = &rank, step, bad;
    sion_int64 chunksize = 10000, *chunksizes = &chunksize;
    sion_int32 fsblksize = 512;
    int sid = sion_open(name, "w", &ntasks, &nfiles, &chunksizes, &fsblksize, &ranks, NULL);

    bad = sid < 0 || sion_array_define(sid, "plane", SION_F64, 2, plane_shape) != SION_SUCCESS ||
          sion_array_define(sid, "cube", SION_I32, 3, cube_shape) != SION_SUCCESS ||
          sion_array_set_attribute(sid, "plane", "units", "K") != SION_SUCCESS ||
          sion_array_set_attribute(sid, NULL, "title", "two words") != SION_SUCCESS;
    for (step = 0; step < STEPS && !bad; step++) {
        compute(step);
        bad = sion_array_put(sid, "plane", step, zero, plane_shape, SION_F64, plane,
                             sizeof plane) != SION_SUCCESS ||
              sion_array_put(sid, "cube", step, zero, cube_shape, SION_I32, cube, sizeof cube) !=
                  SION_SUCCESS;
    }
    return bad || sion_close(sid) != SION_SUCCESS;
}

static int is_text(const char *text, const char *wanted)
{
    return text && strcmp(text, wanted) == 0;
}

static int is_step(sion_array_reader *arrays, int step)
{
    double got_plane[NY][NX];
    int got_cube[NZ][NY][NX];

    compute(step);
    return sion_array_reader_get(arrays, "plane", step, zero, plane_shape, SION_F64, got_plane,
                                 sizeof got_plane) == SION_SUCCESS &&
           sion_array_reader_get(arrays, "cube", step, zero, cube_shape, SION_I32, got_cube,
                                 sizeof got_cube) == SION_SUCCESS &&
           memcmp(got_plane, plane, sizeof plane) == 0 && memcmp(got_cube, cube, sizeof cube) == 0;
}

static int check_arrays(const char *name)
{
    sion_array_reader *arrays = sion_array_reader_open(name);
    struct sion_array_info info = {.size = sizeof info};
    int step, good;

    good = arrays && sion_array_reader_info(arrays, "plane", &info) == SION_SUCCESS &&
           info.type == SION_F64 && info.ndims == 2 &&
           memcmp(info.shape, plane_shape, sizeof plane_shape) == 0 && info.steps == STEPS &&
           sion_array_reader_info(arrays, "cube", &info) == SION_SUCCESS && info.ndims == 3 &&
           memcmp(info.shape, cube_shape, sizeof cube_shape) == 0 &&
           is_text(sion_array_reader_attribute(arrays, "plane", "units"), "K") &&
           is_text(sion_array_reader_attribute(arrays, NULL, "title"), "two words");
    for (step = 0; step < STEPS; step++)
        good = good && is_step(arrays, step);
    sion_array_reader_close(arrays);
    return !good;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    return strcmp(argv[1], "write") == 0 ? write_arrays(argv[2]) : check_arrays(argv[2]);
}
