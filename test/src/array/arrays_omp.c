/* Arrays of the threads of a team, of which each is a task. */
#include "sion.h"

#include "src/parallel/team_omp.h"
#include "any.h"
#include "sion_array.h"

#define NAME "threads.sion"

enum { ROWS = 3, COLUMNS = 50 };

static void write_rows(int threads)
{
    sion_int64 shape[] = {(sion_int64)threads * ROWS, COLUMNS}, chunksize = 700;
    sion_int64 offset[] = {(sion_int64)omp_get_thread_num() * ROWS, 0}, count[] = {ROWS, COLUMNS};
    sion_int32 fsblksize = 512;
    int rank = omp_get_thread_num(), i, step;
    int sid = sion_paropen_omp(NAME, "bw", &chunksize, &fsblksize, &rank, NULL, NULL);
    int data[ROWS * COLUMNS];

    EXPECT(sion_array_define(sid, "T", SION_I32, 2, shape) == 1);
    for (step = 0; step < 3; step++) {
        for (i = 0; i < ROWS * COLUMNS; i++)
            data[i] = step * 100000 + omp_get_thread_num() * ROWS * COLUMNS + i;
        EXPECT(put_any(sid, "T", step, offset, count, data) == 1);
    }
    EXPECT(sion_parclose_omp(sid) == 1);
}

static void threads_write_and_one_reads(void)
{
    static const int teams[] = {1, 2, 5};
    int data[5 * ROWS * COLUMNS], t, i, step;

    for (t = 0; t < 3; t++) {
        sion_int64 offset[] = {0, 0}, count[] = {(sion_int64)teams[t] * ROWS, COLUMNS};
        sion_array_reader *arrays;

#pragma omp parallel num_threads(teams[t])
        write_rows(teams[t]);
        team_done();
        arrays = sion_array_reader_open(NAME);
        for (step = 0; step < 3; step++) {
            CHECK_INT(get_any(arrays, "T", step, offset, count, data), 1);
            for (i = 0; i < teams[t] * ROWS * COLUMNS && data[i] == step * 100000 + i; i++)
                ;
            CHECK_INT(i, teams[t] * ROWS * COLUMNS);
        }
        sion_array_reader_close(arrays);
    }
}

int main(void)
{
    omp_set_dynamic(0);
    support_enter_folder();
    RUN(threads_write_and_one_reads);
    support_leave_folder();
    return check_done();
}
