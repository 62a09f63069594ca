/* Records with keys: here the readings of several sensors, which arrive in any order. */
#include <stdio.h>
#include <stdlib.h>
#include <sion.h>

enum { SENSORS = 3, READINGS = 4 };

int main(void)
{
    int ntasks = 1, nfiles = 1, fsblksize = -1, rank = 0, *ranks = &rank, sid, i;
    long long chunksize = 4096, *chunks = &chunksize;
    uint64_t sensor;
    double reading;

    sid = sion_open("keyvalue.sion", "w,keyval=inline", &ntasks, &nfiles, &chunks, &fsblksize,
                    &ranks, NULL);
    if (sid < 0)
        return EXIT_FAILURE; /* the library has printed the reason to stderr */
    for (i = 0; i < SENSORS * READINGS; i++) {
        reading = 20 + i / 10.0;
        if (sion_fwrite_key(&reading, (uint64_t)(i % SENSORS), sizeof reading, 1, sid) != 1)
            return EXIT_FAILURE;
    }
    if (sion_close(sid) != SION_SUCCESS)
        return EXIT_FAILURE;

    sid = sion_open("keyvalue.sion", "r,keyval=inline", &ntasks, &nfiles, NULL, &fsblksize, NULL,
                    NULL);
    if (sid < 0)
        return EXIT_FAILURE;
    for (sensor = 0; sensor < SENSORS; sensor++) {
        printf("sensor %d:", (int)sensor);
        while (sion_fread_key(&reading, sensor, sizeof reading, 1, sid) == 1)
            printf(" %.1f", reading);
        printf("\n");
    }
    return sion_close(sid) == SION_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
