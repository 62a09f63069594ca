#include <sion.h>
#include <sion_array.h>

int main(void)
{
    int ntasks = 1, nfiles = 1, rank = 0, *ranks = &rank, values[3] = {1, 2, 3}, got[3] = {0}, bad;
    sion_int64 chunksize = 4096, *chunksizes = &chunksize, shape[] = {3}, first[] = {0};
    sion_int32 fsblksize = -1;
    char name[] = "array.sion";
    int sid = sion_open(name, "bw", &ntasks, &nfiles, &chunksizes, &fsblksize, &ranks, NULL);
    sion_array_reader *arrays;

    bad = sid < 0 || sion_array_define(sid, "T", SION_I32, 1, shape) != SION_SUCCESS ||
          sion_array_put(sid, "T", 0, first, shape, SION_I32, values, sizeof values) !=
              SION_SUCCESS ||
          sion_close(sid) != SION_SUCCESS;
    arrays = bad ? NULL : sion_array_reader_open(name);
    bad = !arrays ||
          sion_array_reader_get(arrays, "T", 0, first, shape, SION_I32, got, sizeof got) !=
              SION_SUCCESS ||
          got[0] != 1 || got[2] != 3;
    if (arrays)
        sion_array_reader_close(arrays);
    return bad;
}
