#include <sion_cxx.h>
int main(void)
{
    int bad = 0;

#pragma omp parallel num_threads(2) reduction(+ : bad)
    {
        sionlib::omp::SIONFile file("consumer_omp_cxx.sion");

        file.setChunkSize(100);
        file.open();
        file << 42;
        bad += file.getReturnCode() != static_cast<int>(sizeof(int));
        file.close();
        bad += file.getReturnCode() != 1;
    }
    return bad;
}
