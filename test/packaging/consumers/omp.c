#ifndef _OPENMP
#error "the flags for OpenMP are missing"
#endif
#include <sion.h>
int main(void)
{
    int bad = 0;
#pragma omp parallel num_threads(2) reduction(+ : bad)
    {
        int fsblksize = 512, rank = -1, sid;
        long long size = 100;

        sid = sion_paropen_omp("consumer_omp.sion", "w", &size, &fsblksize, &rank, 0, 0);
        bad += sion_fwrite("hello", 1, 5, sid) != 5 || sion_parclose_omp(sid) != 1;
    }
    return bad;
}
