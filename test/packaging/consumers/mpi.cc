#include <mpi.h>
#include <sion_cxx.h>
#ifdef SION_OMPI
using sionlib::ompi::SIONFile;
#else
using sionlib::mpi::SIONFile;
#endif
int main(int argc, char **argv)
{
    int bad = 0, provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
#ifdef SION_OMPI
#pragma omp parallel num_threads(2) reduction(+ : bad)
#endif
    {
        SIONFile file("consumer_cxx.sion");

        file.setChunkSize(100);
        file.open();
        file << 42;
        bad += file.getReturnCode() != static_cast<int>(sizeof(int));
        file.close();
        bad += file.getReturnCode() != 1;
    }
    MPI_Finalize();
    return bad;
}
